// Keeps element reads in bounds in programs that only pad the last cluster: with
// `grid (m in M by 128) cluster(m = 2)`, `T[m/128]` becomes `T[where(m < M, m/128, 0)]`; with a
// partial cluster (peel_partial_clusters.cpp), such programs lie along the other axis. And they
// have no effect: what they print or signal, and what they store or add at a place that is not
// shown to lie outside of its tensor, is under `if m < M`.
//
// Why: they begin past the grid's end. Slices that follow the axis read zeros there, and stores to
// them are dropped; but a single element is read without checking the extent, and a slice may
// follow another number.
#include <algorithm>
#include <set>

#include "facts/launch_facts.h"
#include "ir/walk.h"
#include "lowering/passes.h"

namespace tkc::lowering {

namespace {

using namespace ir;

// What is known of a program past the end of the grid.
Facts facts_of_extra_program(const Kernel& kernel, const GridAxis& past, const Bindings& bindings) {
    Facts facts = facts_of_launch(kernel, bindings);
    for (const GridAxis& axis : kernel.grid) {
        const NormalForm begin = normal_form(axis.begin, bindings);
        const NormalForm end = normal_form(axis.end, bindings);
        const bool is_past = &axis == &past;
        const std::int64_t more = is_past ? axis.step * steps_past_end(kernel, axis) : 0;
        facts.assume_range(axis.var, begin, end + NormalForm(more), axis.step);
        if (is_past) facts.assume_at_least_zero(symbol_form(axis.var) - end);
    }
    return facts;
}

class Guard {
public:
    Guard(const Kernel& kernel, const GridAxis& axis)
        : kernel_(kernel),
          bindings_(bindings_of(kernel)),
          facts_(facts_of_extra_program(kernel, axis, bindings_)),
          inside_(less(symbol(axis.var), axis.end)) {
        moving_.insert(axis.var);
    }

    void block(Block& ops) { block(ops, bindings_, facts_); }

private:
    void block(Block& ops, Bindings bindings, const Facts& facts) {
        for (Op& op : ops) {
            for_each_scalar(op, [&](Scalar& s) {
                if (s) s = guarded(s);
            });
            if (const auto* let = as<Let>(op)) follow(let->name, {let->value});
            if (const auto* read = as<ReadNumber>(op)) moving_.insert(read->name);
            if (names_number(op)) bindings = bindings_of({op}, std::move(bindings));
            if (const auto* loop = as<For>(op)) {
                follow(loop->var, {loop->begin, loop->end});
                Facts inside = facts;
                const NormalForm begin = normal_form(loop->begin, bindings);
                const NormalForm end = normal_form(loop->end, bindings);
                if (!begin.is_unknown() && !end.is_unknown())
                    inside.assume_range(loop->var, begin, end, loop->step);
                for_each_block(op, [&](Block& inner) { block(inner, bindings, inside); });
            } else {
                for_each_block(op, [&](Block& inner) { block(inner, bindings, facts); });
            }
            if (has_effect(op, bindings, facts)) {
                If made{inside_, {}, {}};
                const Span span = op.span;
                made.then_body.push_back(std::move(op));
                op = at(span, std::move(made));
            }
        }
    }

    // Whether others would notice that a program past the end of the grid does so. One that waits
    // for a counter would hang if no program signals it.
    bool has_effect(const Op& op, const Bindings& bindings, const Facts& facts) const {
        const bool seen = as<Print>(op) != nullptr || as<Assert>(op) != nullptr;
        if (seen || as<Signal>(op) != nullptr || as<Await>(op) != nullptr) return true;
        const auto* store = as<Store>(op);
        if (store == nullptr) return false;
        const Slice& target = store->target;
        const Tensor* tensor = find_tensor(kernel_, target.tensor);
        for (std::size_t i = 0; i < target.ranges.size(); ++i) {
            const Range& range = target.ranges[i];
            if (range.kind != Range::Kind::index && range.kind != Range::Kind::span) continue;
            const NormalForm base = normal_form(range.base, bindings);
            if (base.is_unknown()) continue;
            for (const Scalar& end : {tensor->extents[i], range.edge}) {
                if (end && facts.prove_at_least(base - normal_form(end, bindings), 0)) return false;
            }
        }
        return true;
    }

    bool moves(const Scalar& s) const {
        const std::set<std::string> names = symbols_of(s);
        return std::any_of(names.begin(), names.end(),
                           [&](const std::string& name) { return moving_.count(name) != 0; });
    }

    // A name that is made from one that moves with the cluster's axis does too.
    void follow(const std::string& name, const std::vector<Scalar>& from) {
        if (std::any_of(from.begin(), from.end(), [&](const Scalar& s) { return moves(s); }))
            moving_.insert(name);
    }

    Scalar guarded(const Scalar& s) const {
        return rewrite(s, [&](const Scalar& node) -> Scalar {
            const auto* load = std::get_if<ElementLoad>(&node->node);
            if (load == nullptr || load->zero_outside) return nullptr;
            std::vector<Scalar> position = load->position;
            for (Scalar& at : position) {
                if (moves(at) && !is_guarded(at))
                    at = call(Function::where, {inside_, at, integer(0, at->dtype)});
            }
            return element_load(load->tensor, std::move(position), false, node->dtype);
        });
    }

    bool is_guarded(const Scalar& at) const {
        const auto* c = std::get_if<Call>(&at->node);
        return c != nullptr && c->function == Function::where && same(c->arguments[0], inside_);
    }

    const Kernel& kernel_;
    Bindings bindings_;
    Facts facts_;
    Scalar inside_;
    std::set<std::string> moving_;
};

}  // namespace

void clamp_padding_programs(PassContext&, Module& module) {
    for (Kernel& kernel : module.kernels) {
        const auto axis =
            std::find_if(kernel.grid.begin(), kernel.grid.end(),
                         [&](const GridAxis& a) { return steps_past_end(kernel, a) > 0; });
        if (axis == kernel.grid.end()) continue;
        Guard of_kernel(kernel, *axis);
        of_kernel.block(kernel.lets);
        for (Role& role : kernel.roles) {
            Guard guard = of_kernel;
            guard.block(role.body);
        }
    }
}

}  // namespace tkc::lowering
