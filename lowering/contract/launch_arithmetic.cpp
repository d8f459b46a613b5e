// Arithmetic is checked where it is written: under the loops and conditions around it, and those
// inside of an expression. A launch in which none of its programs comes there may have any numbers.
//
//     if G > 0 { g = h // ceil_div(H, G) }     gains     condition G <= 0 or 1 <= ceil_div(H, G)
//
// A condition on numbers of the grid holds somewhere only if it does at the ends of their ranges,
// `0 < H - 1` for `h > 0`; one that data decide may always hold.
#include "lowering/contract/launch_arithmetic.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <variant>

#include "arithmetic/guards.h"
#include "arithmetic/number_names.h"
#include "facts/facts.h"
#include "ir/contract.h"
#include "ir/walk.h"

namespace tkc::lowering {

using namespace ir;

Contract::Contract(const Kernel& kernel) : called_(kernel) {
    for (const GridAxis& axis : kernel.grid) {
        if (axis.step > 1) tiles_.insert(axis.var);
    }
    for (const Role& role : kernel.roles) {
        walk_only<For>(role.body, [&](const For& loop) {  // unrolled ones are the compiler's
            if (loop.step > 1 && !loop.unrolled) tiles_.insert(loop.var);
        });
    }
}

std::string Contract::words_of(const Scalar& s) const {
    return to_string(rewrite(as_written(s), [&](const Scalar& node) -> Scalar {
        if (std::holds_alternative<ir::Row>(node->node)) return symbol("row_index");
        if (std::holds_alternative<ir::Column>(node->node)) return symbol("col_index");
        const auto* name = std::get_if<Symbol>(&node->node);
        const bool tile = name != nullptr && tiles_.contains(name->name);
        return tile ? symbol(name->name + ".start", node->dtype) : nullptr;
    }));
}

void Contract::require(Scalar holds, const std::string& text, Span span, bool selects) {
    require_with(
        std::move(holds), [&] { return text; }, span, selects);
}

void Contract::require_with(Scalar holds, FunctionRef<std::string()> text, Span span, bool selects,
                            const Scalar& reached) {
    holds = with_constants(called_, holds);
    if (always_holds(holds)) return;
    if (reached) {
        const Scalar nobody = opposite(with_constants(called_, reached));
        holds = call(Function::logical_or, {nobody, std::move(holds)});
        if (always_holds(holds)) return;
    }
    by_text_[to_string(holds)].push_back(list_.size());
    list_.push_back({holds, text(), selects, span, true});
}

void Contract::append(const std::vector<Condition>& conditions) {
    for (const Condition& c : conditions) {
        require(c.holds, c.text, c.span, c.selects);
        if (c.derived) continue;
        const Scalar holds = with_constants(called_, c.holds);
        for (const std::size_t i : by_text_[to_string(holds)]) list_[i].derived = false;
    }
}

// On its own, or because it is in the list.
bool Contract::always_holds(const Scalar& holds) const {
    std::int64_t known = 0;
    if (is_constant(holds, &known) && known != 0) return true;
    // Scalars that are the same print alike; few that print alike differ.
    const auto alike = by_text_.find(to_string(holds));
    return alike != by_text_.end() &&
           std::any_of(alike->second.begin(), alike->second.end(),
                       [&](std::size_t i) { return same(list_[i].holds, holds); });
}

namespace {

Scalar at_most(Scalar a, Scalar b) { return call(Function::le, {std::move(a), std::move(b)}); }
// Null is what always holds.
Scalar both_of(const Scalar& a, const Scalar& b) {
    return a && b ? call(Function::logical_and, {a, b}) : a ? a : b;
}

// What is known of an expression next to the ranges of its names.
struct Surroundings {
    Span span;
    const Bindings* bindings = nullptr;  // forms of names, where they may show that a step fits
    Scalar reached = nullptr;  // what holds of the launches that evaluate it; null: nothing
    Scalar chosen = nullptr;   // the conditions around that a launch knows; null: none
    // Whether a divisor is positive wherever it divides, which the conditions and loops around
    // show; null: there are none. It is given those inside of the expression.
    std::function<bool(const Scalar&, const Guards&)> is_positive = nullptr;
    Asked steps = Asked::yes;  // no: they may wrap
};

// What of a guard a launch knows exactly; null: nothing. That is enough for steps: those that fit
// in a launch of other sizes mostly fit in one of which no program comes there.
Scalar known_of(const Guard& guard, RangeFinder& names) {
    Scalar all;
    for (const Guard& part : parts_of(guard)) {
        const Scalar known = names.at_launch(part.condition);
        if (known) all = both_of(all, condition_of(Guard{known, part.holds}));
    }
    return all;
}

// What makes an expression safe to evaluate in 32 bits: divisors are positive and every step fits.
class Arithmetic {
public:
    Arithmetic(const Surroundings& around, Contract& contract)
        : around_(around), contract_(contract), reached_(around.reached), chosen_(around.chosen) {}

    void require(const Scalar& s, RangeFinder& names) {
        const auto* c = std::get_if<Call>(&s->node);
        if (const auto* k = std::get_if<Cast>(&s->node)) {
            require(k->argument, names);
            if (is_integer(s->dtype) && is_integer(k->argument->dtype))
                require_step(s, names.step_of(s));
        }
        if (const auto* load = std::get_if<ElementLoad>(&s->node)) {
            for (const Scalar& position : load->position) require(position, names);
        }
        if (c == nullptr) return;
        for (std::size_t i = 0; i < c->arguments.size(); ++i) require_argument(*c, i, names);
        if (!is_integer(s->dtype)) return;
        if (c->function == Function::div || c->function == Function::mod ||
            c->function == Function::ceil_div)
            require_divisor(s, c->arguments[1], names);
        require_step(s, names.step_of(s));
    }

private:
    // What is not chosen relies on nothing.
    void require_argument(const Call& c, std::size_t i, RangeFinder& names) {
        const std::optional<Guard> guard = guard_of_argument(c, i);
        if (!guard) return require(c.arguments[i], names);
        const Scalar outer = reached_;
        const Scalar outside = chosen_;
        reached_ = both_of(outer, names.reached(*guard));
        chosen_ = both_of(outside, known_of(*guard, names));
        guards_.push_back(*guard);
        require(c.arguments[i], names.inside(*guard));
        guards_.pop_back();
        reached_ = outer;
        chosen_ = outside;
    }

    void require_divisor(const Scalar& s, const Scalar& divisor, RangeFinder& names) {
        const ValueRange range = names.range_of(divisor);
        if (range.least >= 1 || !range.low) return;
        if (around_.is_positive && around_.is_positive(divisor, guards_)) return;
        const auto text = [&] {
            return fmt::format("`{}` divides by `{}`, which is {}: it must be at least 1",
                               contract_.words_of(s), contract_.words_of(divisor), hole(range.low));
        };
        contract_.require_with(at_most(integer(1), range.low), text, around_.span, false, reached_);
    }

    // What a launch must keep for this step to come out as on paper.
    void require_step(const Scalar& s, const Step& step) {
        if (step.fit != Fit::at_launch || around_.steps == Asked::no) return;
        const Bindings* bindings = around_.bindings;
        if (bindings != nullptr && fits(normal_form(s, *bindings), s->dtype, *bindings->ranges))
            return;
        const auto bounded = [&](const Scalar& bound, const Scalar& holds) {
            const auto text = [&] {
                return fmt::format("`{}` reaches {}; it must fit in {} bits", contract_.words_of(s),
                                   hole(bound), info(s->dtype).bits);
            };
            contract_.require_with(holds, text, around_.span, false, chosen_);
        };
        if (step.high) bounded(step.high, less(step.high, integer(most_at_launch(s->dtype) + 1)));
        if (step.low) bounded(step.low, at_most(integer(least_at_launch(s->dtype)), step.low));
    }

    const Surroundings& around_;
    Contract& contract_;
    Scalar reached_;
    Scalar chosen_;
    Guards guards_;  // inside of the expression
};

void require_arithmetic(const Scalar& s, const Ranges& names, const Surroundings& around,
                        Contract& contract) {
    RangeFinder finder(names, around.steps);
    Arithmetic(around, contract).require(s, finder);
}
// Whether each step of a place fits at its ends, when what cancels there does: N - M + (M - 1).
bool ends_fit(const Scalar& place, const Ranges& names) {
    RangeFinder finder(names);
    bool fit = true;
    rewrite(place, [&](const Scalar& s) -> Scalar {
        const Step step = finder.step_of(s);
        for (const Scalar& end : {step.low, step.high})
            fit = fit && (!end || fits(normal_form(end), s->dtype, names));
        const auto* c = std::get_if<Call>(&s->node);
        const bool divides =
            c != nullptr && (c->function == Function::div || c->function == Function::mod ||
                             c->function == Function::ceil_div);
        fit = fit && (!divides || finder.range_of(c->arguments[1]).least >= 1);
        return nullptr;
    });
    return fit;
}

// Bounds and positions of the blocks of a kernel.
class PositionConditions {
public:
    PositionConditions(const Kernel& kernel, Contract& contract)
        : kernel_(kernel), contract_(contract) {}

    // Loop variables and `let`s are added to the ranges as they are met: names are unique within a
    // role.
    void require(const ir::Block& block, Ranges& names, Bindings bindings) {
        for (const Op& op : block) {
            require(op, names, bindings);
            // What is read from a tile has no entry: it may be anything that its type holds.
            if (const auto* let = as<Let>(op)) names[let->name] = range(let->value, names);
            if (names_number(op)) bindings = bindings_of({op}, std::move(bindings));
            if (const auto* loop = as<For>(op)) {
                const Guard runs{less(loop->begin, loop->end), true};
                const ValueRange begin = range(loop->begin, names);
                const ValueRange end = range(loop->end, names);
                around_.emplace_back(loop);
                inside(runs, nullptr, loop->body, names, bindings, [&](Ranges& inner) {
                    // Of how far positions reach, its bounds say enough. Numbers that are read from
                    // tiles have no entry outside.
                    for (auto& [name, r] : inner) {
                        const auto outside = names.find(name);
                        r.low = outside == names.end() ? nullptr : outside->second.low;
                        r.high = outside == names.end() ? nullptr : outside->second.high;
                    }
                    inner[loop->var] = variable_range(begin, end);
                });
                around_.pop_back();
            } else if (const auto* branch = as<If>(op)) {
                for (const bool holds : {true, false}) {
                    const Guard guard{branch->condition, holds};
                    around_.emplace_back(guard);
                    inside(guard, &chosen_, holds ? branch->then_body : branch->else_body, names,
                           bindings, [](Ranges&) {});
                    around_.pop_back();
                }
            } else {
                for_each_block(op,
                               [&](const ir::Block& inner) { require(inner, names, bindings); });
            }
        }
    }

private:
    using Around = std::variant<const For*, Guard>;

    ValueRange range(const Scalar& s, const Ranges& names) const {
        return range_of(with_constants(kernel_, s), names);
    }

    // `chosen`: what its condition adds to, if a launch knows it; null: nothing.
    void inside(const Guard& condition, Scalar* chosen, const ir::Block& body, const Ranges& names,
                const Bindings& bindings, FunctionRef<void(Ranges&)> more) {
        if (body.empty()) return;
        const Guard guard{with_constants(kernel_, condition.condition), condition.holds};
        const Scalar outer = reached_;
        const Scalar outside = chosen_;
        RangeFinder finder(names);
        reached_ = both_of(outer, finder.reached(guard));
        if (chosen != nullptr) *chosen = both_of(outside, known_of(guard, finder));
        Ranges inner = names;
        narrow(inner, guard);
        more(inner);
        require(body, inner, bindings);
        reached_ = outer;
        chosen_ = outside;
    }

    void require(const Op& op, const Ranges& names, const Bindings& bindings) {
        Surroundings around{op.span, &bindings, reached_, chosen_};
        around.is_positive = [&](const Scalar& divisor, const Guards& guards) {
            return is_positive(divisor, guards, bindings);
        };
        const auto require_one = [&](const Scalar& s) {
            require_arithmetic(with_constants(kernel_, s), names, around, contract_);
        };
        // Cells may wrap, but for the places that they compare. What changing numbers hold may,
        // too.
        if (as<Splat>(op) != nullptr) around.steps = Asked::no;
        if (const auto* map = as<Map>(op)) {
            for (const Scalar& place : compared_places(map->expression)) {
                if (!ends_fit(with_constants(kernel_, place), names)) require_one(place);
            }
            return;
        }
        std::map<const Scalar*, std::int64_t> lists;  // positions of gathers, and how many
        for_each_slice(op, [&](const Slice& slice) {
            for (const Range& r : slice.ranges) {
                if (r.kind == Range::Kind::gather) lists[&r.base] = r.length;
            }
        });
        for_each_scalar(op, [&](const Scalar& s) {
            const auto list = lists.find(&s);
            if (list == lists.end()) return require_one(s);
            for (const std::int64_t number : {std::int64_t{0}, list->second - 1}) {
                require_one(rewrite(s, [&](const Scalar& x) -> Scalar {
                    return std::holds_alternative<ir::Row>(x->node) ? integer(number) : nullptr;
                }));
            }
        });
        if (const auto* loop = as<For>(op)) {
            // The variable steps once past its end.
            require_one(add(loop->end, integer(loop->step - 1)));
            if (loop->reversed) {  // past its begin, from a last number that its length gives
                require_one(sub(loop->begin, integer(loop->step)));
                require_one(sub(loop->end, loop->begin));
            }
        }
    }

    // What conditions on numbers of the grid keep positive no launch can look at: `if m < G` round
    // a quotient by `G - m`.
    bool is_positive(const Scalar& divisor, const Guards& guards, const Bindings& bindings) const {
        if (around_.empty() && guards.empty()) return false;
        Facts facts = facts_of(kernel_, bindings);
        const auto assume = [&](const Guard& guard) {
            for (const Guard& part : parts_of(guard)) {
                const NormalForm truth = normal_form(part.condition, bindings);
                if (!truth.is_unknown()) facts.assume(part.holds ? truth : negation(truth));
            }
        };
        for (const Around& one : around_) {
            const For* const* loop = std::get_if<const For*>(&one);
            if (loop == nullptr) {
                assume(std::get<Guard>(one));
                continue;
            }
            const NormalForm begin = normal_form((*loop)->begin, bindings);
            const NormalForm end = normal_form((*loop)->end, bindings);
            if (!begin.is_unknown() && !end.is_unknown())
                facts.assume_range((*loop)->var, begin, end, (*loop)->step);
        }
        for (const Guard& guard : guards) assume(guard);
        return facts.prove_at_least(normal_form(divisor, bindings), 1);
    }

    const Kernel& kernel_;
    Contract& contract_;
    Scalar reached_;              // what holds of the launches that come here; null: nothing
    Scalar chosen_;               // the conditions around that a launch knows; null: none
    std::vector<Around> around_;  // loops and conditions, the outermost first
};

}  // namespace

void require_arithmetic(const Scalar& s, const Ranges& names, Span span, Contract& contract) {
    const Surroundings around{span};
    require_arithmetic(s, names, around, contract);
}

void require_positions(const Kernel& kernel, Ranges names, const Bindings& bindings,
                       Contract& contract) {
    Bindings of_lets;  // without the `let`s, which are looked at one by one
    of_lets.ranges = bindings.ranges;
    of_lets.guarded = bindings.guarded;
    PositionConditions positions(kernel, contract);
    positions.require(kernel.lets, names, of_lets);
    for (const Role& role : kernel.roles) {
        Ranges own = names;
        positions.require(role.body, own, bindings);
    }
}

}  // namespace tkc::lowering
