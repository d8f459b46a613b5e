// Computes values that are the same in all cells of a row once per row:
//
//     t1 = map #0 * where(#1 == 0, 0, 1 / #1) [o, sum]      becomes
//     t0 = map where(#0 == 0, 0, 1 / #0) [sum]              // a column
//     t1 = map #0 * #1 [o, t0]
//
// Why: a lane holds two rows of 64 and many cells of each. nvcc may notice that they share a part
// of the expression, but need not. A sign alone stays: instructions negate operands for free.
#include "arithmetic/guards.h"
#include "base/overloaded.h"
#include "ir/walk.h"
#include "lowering/passes.h"

namespace tkc::lowering {

namespace {

using namespace ir;

bool is_column(const TileType& t) { return t.cols == 1 && t.rows > 1; }

// Takes the parts of one map's expression out.
class Hoist {
public:
    Hoist(Role& role, Map& map, Span span, Block& out)
        : role_(role), map_(map), span_(span), out_(out) {}

    void run() {
        const Scalar cell = without_columns(map_.expression);
        if (parts_.empty()) return;
        // Inputs that only the parts read are inputs no more.
        std::vector<Value> inputs;
        const auto number = [&](Value v) {
            for (std::size_t i = 0; i < inputs.size(); ++i) {
                if (inputs[i] == v) return static_cast<std::int64_t>(i);
            }
            inputs.push_back(v);
            return static_cast<std::int64_t>(inputs.size() - 1);
        };
        map_.expression = rewrite(cell, [&](const Scalar& s) -> Scalar {
            const auto* e = std::get_if<Element>(&s->node);
            return e == nullptr ? nullptr : element(number(input(e->input)), s->dtype);
        });
        map_.inputs = std::move(inputs);
    }

private:
    struct Part {
        Scalar expression;
        Value column;
    };

    Value input(std::int64_t number) const {
        const auto i = static_cast<std::size_t>(number);
        return i < map_.inputs.size() ? map_.inputs[i] : parts_[i - map_.inputs.size()].column;
    }

    // Of columns alone, and more than one of their cells with a sign.
    bool is_worth_it(const Scalar& s) const {
        bool columns_alone = true;
        bool any_column = false;
        bool work = false;
        visit_nodes(s, [&](const ScalarNode& n) {
            if (const auto* e = std::get_if<Element>(&n.node)) {
                const bool column = is_column(role_.tile(input(e->input)));
                columns_alone = columns_alone && column;
                any_column = true;
            } else if (std::holds_alternative<Column>(n.node)) {
                columns_alone = false;
            } else if (const auto* c = std::get_if<Call>(&n.node)) {
                work = work || c->function != Function::neg;
            } else if (std::holds_alternative<Cast>(n.node)) {
                work = true;
            }
        });
        const Dtype dtype = s->dtype;
        const bool keeps = dtype == Dtype::f32 || dtype == Dtype::i32 || is_16_bit_real(dtype);
        return columns_alone && any_column && work && keeps;
    }

    Scalar without_columns(const Scalar& s) {
        if (is_worth_it(s)) return part(s);
        const auto all = [&](const std::vector<Scalar>& list) {
            std::vector<Scalar> result;
            for (const Scalar& x : list) result.push_back(without_columns(x));
            return result;
        };
        return std::visit(
            Overloaded{
                [&](const Call& c) {
                    std::vector<Scalar> arguments;
                    for (std::size_t i = 0; i < c.arguments.size(); ++i) {
                        const Scalar& x = c.arguments[i];
                        const bool stays = guard_of_argument(c, i) && needs_its_condition(x);
                        arguments.push_back(stays ? x : without_columns(x));
                    }
                    return call(c.function, std::move(arguments));
                },
                [&](const Cast& c) { return cast(s->dtype, without_columns(c.argument)); },
                [&](const ElementLoad& l) {
                    return element_load(l.tensor, all(l.position), l.zero_outside, s->dtype);
                },
                [&](const auto&) { return s; },
            },
            s->node);
    }

    Scalar part(const Scalar& s) {
        std::size_t i = 0;
        while (i < parts_.size() && !same(parts_[i].expression, s)) ++i;
        if (i == parts_.size()) {
            const TileType type{s->dtype, role_.tile(map_.result).rows, 1, Space::registers};
            Map column{add_value(role_, "", type), {}, s};
            column.expression = rewrite(s, [&](const Scalar& x) -> Scalar {
                const auto* e = std::get_if<Element>(&x->node);
                if (e == nullptr) return nullptr;
                const Value from = input(e->input);
                std::size_t k = 0;
                while (k < column.inputs.size() && column.inputs[k] != from) ++k;
                if (k == column.inputs.size()) column.inputs.push_back(from);
                return element(static_cast<std::int64_t>(k), x->dtype);
            });
            parts_.push_back({s, column.result});
            out_.push_back(at(span_, std::move(column)));
        }
        return element(static_cast<std::int64_t>(map_.inputs.size() + i), s->dtype);
    }

    Role& role_;
    Map& map_;
    Span span_;
    Block& out_;
    std::vector<Part> parts_;  // inputs after those of the map
};

}  // namespace

void hoist_columns(PassContext&, Module& module) {
    for (Kernel& kernel : module.kernels) {
        for (Role& role : kernel.roles) {
            rebuild(role.body, [&](Op op, Block& out) {
                Map* map = as<Map>(op);
                if (map != nullptr && !is_column(role.tile(map->result))) {
                    Hoist(role, *map, op.span, out).run();
                }
                out.push_back(std::move(op));
            });
        }
    }
}

}  // namespace tkc::lowering
