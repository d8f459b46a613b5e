// Comparing the positions of two accesses over the numbers of their loops.
#include "checks/tile/separate_accesses.h"

#include <algorithm>
#include <set>

#include "ir/walk.h"

namespace tkc::checks {

namespace {

using namespace ir;

constexpr const char* further =
    "#further";  // by how much the larger of two numbers is larger, less 1

NormalForm other(const CountedLoop& c) { return symbol_form(c.index + "'"); }

// Two instances of accesses: each number of the first under its name, those of the second under
// their own or another, as `second` says.
class Instances {
public:
    Instances(const Access& a, const Access& b, Bindings first, Bindings second, const Facts& facts)
        : a_(a), b_(b), first_(std::move(first)), second_(std::move(second)), facts_(facts) {
        facts_.assume_at_least_zero(symbol_form(further));
        assume(a_, first_);
        assume(b_, second_);
    }

    // No launch has both, or they touch no element in common.
    bool never_conflict() const {
        if (facts_.contradictory()) return true;
        for (std::size_t i = 0; i < a_.axes.size(); ++i) {
            if (conditions_differ(a_.axes[i], b_.axes[i])) return true;
            const AccessAxis& x = a_.axes[i];
            const AccessAxis& y = b_.axes[i];
            if (x.whole || y.whole) continue;
            const NormalForm distance = substitute(y.base, second_) - substitute(x.base, first_);
            if (facts_.prove_at_least(distance - substitute(x.size(), first_), 0) ||
                facts_.prove_at_least(-distance - substitute(y.size(), second_), 0)) {
                return true;
            }
        }
        return false;
    }

private:
    // Parts of one width that meet along an axis, a multiple of it apart, are one part. So a number
    // of b may follow from those of a; and with that number the conditions of the two may exclude
    // each other.
    bool conditions_differ(const AccessAxis& x, const AccessAxis& y) const {
        if (x.whole || y.whole || x.loops || y.loops || x.length != y.length) return false;
        const NormalForm width(x.length);
        const NormalForm distance = substitute(x.base, first_) - substitute(y.base, second_);
        if (!remainder(distance, width).is_zero()) return false;
        const NormalForm parts = quotient(distance, width);
        return std::any_of(b_.counters.begin(), b_.counters.end(), [&](const CountedLoop& c) {
            const std::string name = c.index + "'";
            const auto own = second_.find(c.index);
            if (own == second_.end() || !(own->second == other(c))) return false;
            const NormalForm number = parts + other(c);  // where there are no parts between them
            if (mentions(number, name)) return false;
            Facts facts = facts_;
            facts.assume(substitute(substitute(b_.condition, second_), {{name, number}}));
            return facts.contradictory();
        });
    }

    void assume(const Access& access, const Bindings& names) {
        for (const CountedLoop& c : access.counters) {
            const NormalForm number = substitute(symbol_form(c.index), names);
            facts_.assume_at_least_zero(number);
            facts_.assume_at_least_zero(trips_of_running(substitute(c.trips, names)) -
                                        NormalForm(1) - number);
        }
        const NormalForm condition = substitute(access.condition, names);
        if (!(condition == NormalForm(1))) facts_.assume(condition);
    }

    const Access& a_;
    const Access& b_;
    Bindings first_;
    Bindings second_;
    Facts facts_;
};

NormalForm max_of(const CountedLoop& c) {
    return symbol_form(c.index) + NormalForm(1) + symbol_form(further);
}

// All numbers of the access but those of `equal` under names of their own.
Bindings apart_names(const Access& access, const std::set<std::string>& equal) {
    Bindings names;
    for (const CountedLoop& c : access.counters) {
        if (equal.count(c.index) == 0) names[c.index] = other(c);
    }
    return names;
}

// ---- roles -------------------------------------------------------------------------------------

// A statement of a role, and what is around it.
struct PlacedSite {
    std::vector<const For*> loops;
    std::vector<std::size_t> places;  // in each block, from outside in
    std::vector<std::pair<const If*, bool>> branches;
};

class PlacedSiteFinder {
public:
    PlacedSiteFinder(const Role& role, std::string pipeline, const Op* wanted)
        : pipeline_(std::move(pipeline)), wanted_(wanted) {
        block(role.body);
    }

    std::vector<PlacedSite> made, taken;  // elements of the pipeline
    std::optional<PlacedSite> found;      // the wanted operation

private:
    void block(const Block& ops) {
        for (std::size_t i = 0; i < ops.size(); ++i) {
            here_.places.push_back(i);
            visit(ops[i]);
            here_.places.pop_back();
        }
    }

    void visit(const Op& op) {
        if (&op == wanted_) found = here_;
        const auto* produce = as<Produce>(op);
        const auto* consume = as<Consume>(op);
        if (produce != nullptr && produce->pipeline == pipeline_) made.push_back(here_);
        if (consume != nullptr && consume->pipeline == pipeline_) taken.push_back(here_);
        const For* loop = as<For>(op);
        if (loop != nullptr) here_.loops.push_back(loop);
        if (const If* branch = as<If>(op)) {
            here_.places.push_back(0);
            here_.branches.emplace_back(branch, true);
            block(branch->then_body);
            here_.places.back() = 1;
            here_.branches.back().second = false;
            block(branch->else_body);
            here_.branches.pop_back();
            here_.places.pop_back();
        } else {
            for_each_block(op, [&](const Block& inner) { block(inner); });
        }
        if (loop != nullptr) here_.loops.pop_back();
    }

    std::string pipeline_;
    const Op* wanted_;
    PlacedSite here_;
};

// Loops that are around both.
std::size_t shared_loops(const PlacedSite& a, const PlacedSite& b) {
    std::size_t n = 0;
    while (n < a.loops.size() && n < b.loops.size() && a.loops[n] == b.loops[n]) ++n;
    return n;
}

// Loops of an access, without the numbers of the grid.
std::vector<CountedLoop> loops_of(const Access& access) {
    std::vector<CountedLoop> loops;
    std::copy_if(access.counters.begin(), access.counters.end(), std::back_inserter(loops),
                 [](const CountedLoop& c) { return !c.of_grid; });
    return loops;
}

std::set<std::string> grid_of(const Access& access) {
    std::set<std::string> names;
    for (const CountedLoop& c : access.counters) {
        if (c.of_grid) names.insert(c.index);
    }
    return names;
}

// Elements that are made later than those consumed before the store are loaded from elsewhere.
// Element and step correspond: both are in loops that run as often, under the same conditions.
// The store shares the first `shared` loops with the only `consume`, and is after it.
bool later_elements_apart(const Access& load, const Access& store, std::size_t shared,
                          const Facts& facts) {
    const std::vector<CountedLoop> of_load = loops_of(load);
    const std::vector<CountedLoop> of_store = loops_of(store);
    for (std::size_t level = 0; level < shared; ++level) {
        Bindings first = apart_names(load, grid_of(load));
        Bindings second;
        for (std::size_t i = 0; i < level; ++i)
            first[of_load[i].index] = symbol_form(of_store[i].index);
        const CountedLoop& step = of_store[level];
        const NormalForm number = symbol_form(step.index);
        // A reversed loop takes its larger numbers first.
        first[of_load[level].index] = step.reversed ? number : max_of(step);
        if (step.reversed) second[step.index] = max_of(step);
        if (!Instances(load, store, first, second, facts).never_conflict()) return false;
    }
    return true;
}

// What holds under the first `branches` of those around the access.
NormalForm condition_of(const Access& access, std::size_t branches) {
    NormalForm holds(1);
    for (std::size_t i = 0; i < branches; ++i) holds = holds * access.branches[i];
    return holds;
}

// Whether the loops around the load are walked like the first `shared` ones around the store, and
// the same steps of them make an element and take one: those in which the first so many conditions
// around each of the two hold.
bool walked_alike(const Access& load, const Access& store, std::size_t shared,
                  std::size_t branches_of_load, std::size_t branches_of_store, const Facts& facts) {
    const std::vector<CountedLoop> of_load = loops_of(load);
    const std::vector<CountedLoop> of_store = loops_of(store);
    if (of_load.size() != shared || shared > of_store.size()) return false;
    Bindings names;
    for (std::size_t i = 0; i < shared; ++i) {
        const NormalForm trips = substitute(of_load[i].trips, names);
        if (of_load[i].reversed != of_store[i].reversed) return false;
        if (!facts.prove_equal(of_store[i].trips, trips)) return false;
        names[of_load[i].index] = symbol_form(of_store[i].index);
    }
    return facts.prove_equal(substitute(condition_of(load, branches_of_load), names),
                             condition_of(store, branches_of_store));
}

}  // namespace

bool apart_where_different(const Access& a, const Access& b, const CountedLoop& number,
                           const std::set<std::string>& equal, const Facts& facts) {
    Bindings second = apart_names(b, equal);
    second[number.index] = max_of(number);
    if (!Instances(a, b, {}, second, facts).never_conflict()) return false;
    second[number.index] = symbol_form(number.index);
    return Instances(a, b, {{number.index, max_of(number)}}, second, facts).never_conflict();
}

bool programs_apart(const Access& a, const Access& b, const Facts& facts) {
    // Programs differ in some number. If they cannot meet where the first of them differs, that one
    // is the same; and so on, until all are, and it is one program.
    std::set<std::string> equal;
    std::vector<const CountedLoop*> left;
    for (const CountedLoop& c : a.counters) {
        if (!c.of_grid) continue;
        if (facts.prove_at_least(NormalForm(1) - c.trips, 0)) equal.insert(c.index);
        else left.push_back(&c);
    }
    for (bool changed = true; changed && !left.empty();) {
        const auto settled = std::find_if(left.begin(), left.end(), [&](const CountedLoop* c) {
            return apart_where_different(a, b, *c, equal, facts);
        });
        changed = settled != left.end();
        if (!changed) break;
        equal.insert((*settled)->index);
        left.erase(settled);
    }
    return left.empty();
}

bool roles_apart(const Access& a, const Access& b, const Facts& facts) {
    return Instances(a, b, {}, apart_names(b, grid_of(b)), facts).never_conflict();
}

bool consumed_before(const Access& load, const Access& store, const Facts& facts) {
    if (load.pipeline.empty() || load.writes || !store.writes) return false;
    const PlacedSiteFinder writer(*load.role, load.pipeline, nullptr);
    const PlacedSiteFinder reader(*store.role, load.pipeline, store.op);
    if (!reader.found || reader.taken.empty()) return false;
    const PlacedSite& end = *reader.found;
    // All of it is consumed when the store is reached: as many elements are taken as are made.
    const bool behind_all = std::all_of(
        reader.taken.begin(), reader.taken.end(),
        [&](const PlacedSite& s) { return s.places < end.places && shared_loops(s, end) == 0; });
    if (behind_all) return true;
    // Or all up to this step's.
    if (reader.taken.size() != 1 || writer.made.size() != 1) return false;
    const PlacedSite& take = reader.taken[0];
    const PlacedSite& make = writer.made[0];
    // Conditions that apply to the store, too.
    const bool under_all =
        take.branches.size() <= end.branches.size() &&
        std::equal(take.branches.begin(), take.branches.end(), end.branches.begin());
    if (!under_all || take.places > end.places) return false;
    const std::size_t shared = shared_loops(take, end);
    return take.loops.size() == shared &&
           walked_alike(load, store, shared, make.branches.size(), take.branches.size(), facts) &&
           later_elements_apart(load, store, shared, facts);
}

bool each_apart(const std::vector<Access>& stores, const Facts& facts) {
    constexpr std::size_t many = 16;
    if (stores.size() > many) return false;
    for (std::size_t i = 0; i < stores.size(); ++i) {
        for (std::size_t j = i + 1; j < stores.size(); ++j) {
            const bool one_role = stores[i].role == stores[j].role;
            if (!one_role && !roles_apart(stores[i], stores[j], facts)) return false;
            if (!programs_apart(stores[i], stores[j], facts)) return false;
        }
    }
    return true;
}

}  // namespace tkc::checks
