// In debug builds, reads of single elements and divisors are checked: `let last = cu[b + 1]`
// becomes `assert b + 1 >= 0 and b + 1 < cu.extent; let last = cu[b + 1]?`, and `h / n` becomes
// `assert n >= 1; h / max(n, 1)` where n may be less.
//
// Why: where data steer them, that such a position lies inside of its tensor, and that a divisor is
// positive, is for the author to know. An access outside would end the kernel without a word; this
// way the launcher says where it was.
#include <fmt/format.h>

#include "ir/value_range.h"
#include "ir/walk.h"
#include "lowering/passes.h"

namespace tkc::lowering {

namespace {

using namespace ir;

class Positions {
public:
    explicit Positions(const Kernel& kernel) : kernel_(kernel), ranges_(ranges_of(kernel)) {}

    // `s` with its loads giving zero outside; what they need to be inside goes to `out`.
    Scalar checked(const Scalar& s, Span span, Block& out) const {
        return rewrite(s, [&](const Scalar& node) -> Scalar {
            if (const auto* c = std::get_if<Call>(&node->node)) return divided(*c, node, span, out);
            const auto* load = std::get_if<ElementLoad>(&node->node);
            if (load == nullptr || load->zero_outside || differs_by_cell(node)) return nullptr;
            const Tensor* tensor = find_tensor(kernel_, load->tensor);
            for (std::size_t axis = 0; axis < load->position.size(); ++axis) {
                const Scalar& at = load->position[axis];
                const Scalar inside =
                    call(Function::logical_and,
                         {call(Function::ge, {at, integer(0)}), less(at, tensor->extents[axis])});
                std::int64_t holds = 0;
                if (is_constant(inside, &holds) && holds != 0) continue;
                out.push_back(
                    ir::at(span, Assert{inside,
                                        {},
                                        fmt::format("position {} of axis {} of `{}` lies inside",
                                                    to_string(at), axis, load->tensor)}));
            }
            return element_load(load->tensor, load->position, true, node->dtype);
        });
    }

private:
    // Part of the positions of a gather.
    static bool differs_by_cell(const Scalar& s) {
        bool found = false;
        visit_nodes(s, [&](const ScalarNode& n) {
            found = found || std::holds_alternative<ir::Row>(n.node);
        });
        return found;
    }

    Scalar divided(const Call& c, const Scalar& node, Span span, Block& out) const {
        const bool divides = c.function == Function::div || c.function == Function::mod ||
                             c.function == Function::ceil_div;
        if (!divides || !is_integer(node->dtype) || differs_by_cell(node)) return nullptr;
        const Scalar& by = c.arguments[1];
        const ValueRange range = range_of(by, ranges_);
        if (range.least >= 1 || range.low) return nullptr;  // or a condition of the launch
        const Scalar one = integer(1, by->dtype);
        out.push_back(
            ir::at(span, Assert{call(Function::le, {one, by}),
                                {},
                                fmt::format("the divisor {} is at least 1", to_string(by))}));
        return call(c.function, {c.arguments[0], call(Function::max, {by, one})});
    }

    const Kernel& kernel_;
    Ranges ranges_;
};

void check(const Positions& positions, Role& role) {
    rebuild(role.body, [&](Op op, Block& out) {
        // Positions of cells are not: they differ from cell to cell, and slices give zeros outside.
        if (as<Map>(op) == nullptr) {
            for_each_scalar(op, [&](Scalar& s) { s = positions.checked(s, op.span, out); });
        }
        out.push_back(std::move(op));
    });
}

}  // namespace

void check_positions(PassContext& context, Module& module) {
    if (!context.debug) return;
    for (Kernel& kernel : module.kernels) {
        const Positions positions(kernel);
        for (Role& role : kernel.roles) check(positions, role);
        Block first;  // of the kernel's lets
        for (Op& op : kernel.lets) {
            for_each_scalar(op, [&](Scalar& s) { s = positions.checked(s, op.span, first); });
        }
        if (kernel.roles.empty()) continue;
        Block& body = kernel.roles.front().body;
        body.insert(body.begin(), first.begin(), first.end());
    }
}

}  // namespace tkc::lowering
