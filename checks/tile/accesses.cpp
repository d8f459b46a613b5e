// Finds the accesses, with the loops and conditions around each.
#include "checks/tile/accesses.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/contract.h"
#include "ir/walk.h"

namespace tkc::checks {

namespace {

using namespace ir;

class AccessFinder {
public:
    explicit AccessFinder(const Kernel& kernel) : kernel_(kernel) {}

    AccessesInOrder run() {
        Bindings bindings = bindings_of(kernel_);
        for (const GridAxis& axis : kernel_.grid) {
            enter(axis.var, axis.begin, axis.end, axis.step, true, bindings);
        }
        bindings = bindings_of(kernel_.lets, bindings);  // again: now over the numbers of the grid
        for (const Role& role : kernel_.roles) {
            role_ = &role;
            block(role.body, bindings, NormalForm(1));
        }
        return {std::move(found_), std::move(countings_)};
    }

private:
    void enter(const std::string& var, const Scalar& begin, const Scalar& end, std::int64_t step,
               bool of_grid, Bindings& bindings) {
        const NormalForm first = normal_form(begin, bindings);
        const std::string index = fmt::format("{}#{}", var, ++fresh_);
        counters_.push_back({index, trip_count(first, normal_form(end, bindings), step), of_grid,
                             var, first, step});
        bindings[var] = first + NormalForm(step) * symbol_form(index);
    }

    void block(const Block& ops, Bindings bindings, const NormalForm& condition) {
        for (const Op& op : ops) {
            ++place_;
            if (names_number(op)) {
                bindings = bindings_of({op}, std::move(bindings));
            } else if (const For* loop = as<For>(op)) {
                Bindings inside = bindings;
                enter(loop->var, loop->begin, loop->end, loop->step, false, inside);
                counters_.back().reversed = loop->reversed;
                block(loop->body, inside, condition);
                counters_.pop_back();
            } else if (const If* branch = as<If>(op)) {
                const NormalForm truth = normal_form(branch->condition, bindings);
                branches_.push_back(truth);
                block(branch->then_body, bindings, condition * truth);
                branches_.back() = negation(truth);
                block(branch->else_body, bindings, condition * negation(truth));
                branches_.pop_back();
            } else if (const auto* produce = as<Produce>(op)) {
                pipeline_ = produce->pipeline;
                block(produce->body, bindings, condition);
                pipeline_.clear();
            } else if (const auto* store = as<Store>(op)) {
                add(store->target, true, op, bindings, condition);
            } else if (const auto* load = as<Load>(op)) {
                add(load->source, false, op, bindings, condition);
            } else if (const auto* fill = as<Fill>(op)) {
                add(fill->source, false, op, bindings, condition);
            } else if (const auto* signal = as<Signal>(op)) {
                count(signal->counter, signal->at, op, bindings, condition);
            } else if (const auto* await = as<Await>(op)) {
                Counting& made = count(await->counter, await->at, op, bindings, condition);
                made.waits = true;
                made.count = normal_form(await->count, bindings);
            }
        }
    }

    void add(const Slice& slice, bool writes, const Op& op, const Bindings& bindings,
             const NormalForm& condition) {
        const Tensor* tensor = find_tensor(kernel_, slice.tensor);
        if (tensor == nullptr || tensor->mode == Mode::in) return;
        Access made{op.span, tensor, role_, writes, {}, counters_, condition};
        made.branches = branches_;
        made.op = &op;
        made.place = place_;
        if (as<Fill>(op)) made.pipeline = pipeline_;
        for (std::size_t i = 0; i < slice.ranges.size(); ++i) {
            const Range& r = slice.ranges[i];
            if (r.kind == Range::Kind::gather) {  // anywhere
                made.axes.push_back(
                    {NormalForm::unknown(), r.length, normal_form(tensor->extents[i], bindings)});
                continue;
            }
            const bool whole = r.kind == Range::Kind::whole;
            made.axes.push_back({whole ? NormalForm(0) : normal_form(r.base, bindings), r.length,
                                 normal_form(tensor->extents[i], bindings), whole});
            if (r.edge) made.axes.back().edge = normal_form(r.edge, bindings);
        }
        found_.push_back(std::move(made));
    }

    Counting& count(const std::string& name, const std::vector<Scalar>& at, const Op& op,
                    const Bindings& bindings, const NormalForm& condition) {
        Counting made;
        made.span = op.span;
        made.role = role_;
        made.counters = counters_;
        made.condition = condition;
        made.op = &op;
        made.place = place_;
        made.counter = find_counter(kernel_, name);
        for (std::size_t axis = 0; axis < at.size(); ++axis) {
            const Scalar extent = with_constants(kernel_, made.counter->extents[axis]);
            made.axes.push_back(
                {normal_form(at[axis], bindings), 1, normal_form(extent, bindings)});
        }
        return countings_.emplace_back(std::move(made));
    }

    const Kernel& kernel_;
    const Role* role_ = nullptr;
    std::size_t place_ = 0;
    std::vector<Counting> countings_;
    std::vector<CountedLoop> counters_;
    std::vector<NormalForm> branches_;
    std::string pipeline_;
    std::vector<Access> found_;
    int fresh_ = 0;
};

}  // namespace

NormalForm trips_of_running(const NormalForm& trips) {
    const Terms& terms = trips.terms();
    if (terms.size() != 1 || terms[0].second != 1 || terms[0].first.size() != 1) return trips;
    const Atom atom = terms[0].first[0];
    if (atom->kind != AtomKind::maximum || atom->parts.size() != 2) return trips;
    for (const std::size_t zero : {std::size_t{0}, std::size_t{1}}) {
        if (atom->parts[zero].is_zero()) return atom->parts[1 - zero];
    }
    return trips;
}

bool same_loops(const Access& a, const Access& b) {
    return std::equal(a.counters.begin(), a.counters.end(), b.counters.begin(), b.counters.end(),
                      [](const auto& x, const auto& y) { return x.index == y.index; });
}

std::vector<Access> find_accesses(const Kernel& kernel) {
    return AccessFinder(kernel).run().accesses;
}

AccessesInOrder find_accesses_in_order(const Kernel& kernel) { return AccessFinder(kernel).run(); }

}  // namespace tkc::checks
