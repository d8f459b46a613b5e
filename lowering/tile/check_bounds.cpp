// In debug builds, checks reads of single elements, and divisors: `let last = cu[b + 1]` becomes
// `assert b + 1 >= 0 and b + 1 < cu.extent; let last = cu[b + 1]?`, and `h / n` becomes
// `assert n >= 1; h / max(n, 1)` if n may be smaller. Tiles of divisors are checked elementwise, by
// an `assert` of a tile of conditions; their padding is 1 by then (checks/padding).
//
// Why: if data decide them, only the author knows that such a position is inside its tensor, and
// that a divisor is positive. An access outside would kill the kernel without a message; this way
// the launcher reports where it was.
#include <fmt/format.h>

#include "arithmetic/guards.h"
#include "facts/value_range.h"
#include "ir/walk.h"
#include "lowering/passes.h"

namespace tkc::lowering {

namespace {

using namespace ir;

class Positions {
public:
    explicit Positions(const Kernel& kernel) : kernel_(kernel), ranges_(ranges_of(kernel)) {}

    // `s` with its loads giving zero outside; what they need to be inside goes to `out`. `asked`:
    // whether the launch was asked for those of its arithmetic.
    Scalar checked(const Scalar& s, Asked asked, Span span, Block& out) const {
        Guards none;
        return rewrite_evaluated(s, none, [&](const Scalar& node, const Guards& around) -> Scalar {
            if (const auto* c = std::get_if<Call>(&node->node))
                return divided(*c, node, asked, around, span, out);
            const auto* load = std::get_if<ElementLoad>(&node->node);
            if (load == nullptr || load->zero_outside || differs_by_cell(node)) return nullptr;
            check_inside(load->position, load->tensor, span, out, around);
            return element_load(load->tensor, load->position, true, node->dtype);
        });
    }

    void check_inside(const std::vector<Scalar>& position, const std::string& name, Span span,
                      Block& out, const Guards& around = {}) const {
        const Tensor* tensor = find_tensor(kernel_, name);
        for (std::size_t axis = 0; axis < position.size(); ++axis) {
            const Scalar& at = position[axis];
            const Scalar inside = call(Function::logical_and, {call(Function::ge, {at, integer(0)}),
                                                               less(at, tensor->extents[axis])});
            std::int64_t holds = 0;
            if (is_constant(inside, &holds) && holds != 0) continue;
            out.push_back(
                ir::at(span, Assert{where_evaluated(around, inside),
                                    {},
                                    fmt::format("index {} of axis {} of `{}` is in bounds",
                                                to_string(at), axis, name)}));
        }
    }

    // Divisors of cells: a tile says where they are at least 1.
    void check_divisors(Map& map, Role& role, Span span, Block& out) const {
        const TileType& shape = role.tile(map.result);
        Scalar good;
        Guards none;
        const auto guarded = [&](const Scalar& node, const Guards& around) -> Scalar {
            const Scalar by = divisor_of(node, Asked::no);
            if (!by) return nullptr;
            const Scalar one =
                where_evaluated(around, call(Function::le, {integer(1, by->dtype), by}));
            good = good ? call(Function::logical_and, {good, one}) : one;
            return by_at_least_one(std::get<Call>(node->node));
        };
        map.expression = rewrite_evaluated(map.expression, none, guarded);
        if (!good) return;
        const Value flags{static_cast<std::uint32_t>(role.values.size())};
        ValueInfo info;
        info.name = fmt::format("divisors_{}", flags.id);
        info.type = TileType{Dtype::i32, shape.rows, shape.cols, Space::registers};
        role.values.push_back(std::move(info));
        const Scalar flag = call(Function::where, {good, integer(1), integer(0)});
        out.push_back(ir::at(span, Map{flags, map.inputs, flag}));
        out.push_back(ir::at(span, Assert{nullptr, flags, "each divisor is at least 1"}));
    }

private:
    // What is not evaluated is not wrong.
    static Scalar where_evaluated(const Guards& around, const Scalar& holds) {
        const Scalar chosen = condition_of(around);
        return chosen ? call(Function::logical_or, {opposite(chosen), holds}) : holds;
    }

    // Part of the positions of a gather.
    static bool differs_by_cell(const Scalar& s) {
        bool found = false;
        visit_nodes(s, [&](const ScalarNode& n) {
            found = found || std::holds_alternative<ir::Row>(n.node);
        });
        return found;
    }

    // What the node divides by, if that may be less than 1.
    Scalar divisor_of(const Scalar& node, Asked asked) const {
        const auto* c = std::get_if<Call>(&node->node);
        const bool divides =
            c != nullptr && (c->function == Function::div || c->function == Function::mod ||
                             c->function == Function::ceil_div);
        if (!divides || !is_integer(node->dtype)) return nullptr;
        const ValueRange range = RangeFinder(ranges_, asked).range_of(c->arguments[1]);
        return range.least >= 1 ? nullptr : c->arguments[1];
    }
    static Scalar by_at_least_one(const Call& c) {
        const Scalar& by = c.arguments[1];
        const Scalar one = integer(1, by->dtype);
        return call(c.function, {c.arguments[0], call(Function::max, {by, one})});
    }

    Scalar divided(const Call& c, const Scalar& node, Asked asked, const Guards& around, Span span,
                   Block& out) const {
        const Scalar by = divisor_of(node, asked);
        if (!by || differs_by_cell(node)) return nullptr;
        if (RangeFinder(ranges_, asked).range_of(by).low) return nullptr;  // the launch is asked
        const Scalar positive = call(Function::le, {integer(1, by->dtype), by});
        out.push_back(
            ir::at(span, Assert{where_evaluated(around, positive),
                                {},
                                fmt::format("the divisor {} is at least 1", to_string(by))}));
        return by_at_least_one(c);
    }

    const Kernel& kernel_;
    Ranges ranges_;
};

void check(const Positions& positions, Role& role) {
    rebuild(role.body, [&](Op op, Block& out) {
        // Positions of cells are not: they differ from cell to cell, and slices give zeros outside.
        if (auto* map = as<Map>(op)) {
            positions.check_divisors(*map, role, op.span, out);
        } else {
            if (const auto* load = as<Load>(op); load != nullptr && load->element)
                positions.check_inside(position_of(*load), load->source.tensor, op.span, out);
            const Asked asked = as<Splat>(op) != nullptr ? Asked::no : Asked::yes;
            for_each_scalar(op, [&](Scalar& s) { s = positions.checked(s, asked, op.span, out); });
        }
        out.push_back(std::move(op));
    });
}

}  // namespace

void check_bounds(PassContext& context, Module& module) {
    if (!context.debug) return;
    for (Kernel& kernel : module.kernels) {
        const Positions positions(kernel);
        for (Role& role : kernel.roles) check(positions, role);
        Block first;  // of the kernel's lets
        for (Op& op : kernel.lets) {
            for_each_scalar(
                op, [&](Scalar& s) { s = positions.checked(s, Asked::yes, op.span, first); });
        }
        if (kernel.roles.empty()) continue;
        Block& body = kernel.roles.front().body;
        body.insert(body.begin(), first.begin(), first.end());
    }
}

}  // namespace tkc::lowering
