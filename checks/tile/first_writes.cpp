// Scratch and outputs hold anything before a program writes to them. So a store must be before
// every load, on every way there, and what such stores write together must contain what is read.
//
// A role is sequential. A store that is before a load in the text, and under no condition that
// the load is not under, has run before it in every iteration of the loops that they share;
// of the loops round the store alone, all iterations have. So those loops become one longer slice
// (`folded`), stores side by side one store (`joined_all`), and the slice of the load must lie in
// it. What is not shown so is tried: the program is run for small extents, element by element.
#include "checks/tile/first_writes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "checks/tile/output.h"
#include "checks/tile/stores.h"

namespace tkc::checks {

using namespace ir;

namespace {

constexpr std::int64_t cells_at_most = 1 << 20;

// How many loops round the one are also round the other.
std::size_t shared_loops(const Access& a, const Access& b) {
    std::size_t n = 0;
    while (n < a.counters.size() && n < b.counters.size() &&
           a.counters[n].index == b.counters[n].index) {
        ++n;
    }
    return n;
}

// Without loops that write the same again and again, which run at least once. Nothing where
// another loop is left that the load is not in.
std::optional<Access> without_repeats(Access store, std::size_t shared, const Facts& facts) {
    while (store.counters.size() > shared) {
        const CountedLoop& c = store.counters.back();
        bool idle = !mentions(store.condition, c.index) && facts.prove_at_least(c.trips, 1);
        for (const AccessAxis& axis : store.axes) {
            idle = idle && !mentions(axis.base, c.index) && !mentions(axis.size(), c.index);
        }
        if (!idle) return std::nullopt;
        store.counters.pop_back();
    }
    return store;
}

bool contains(const Access& store, const Access& load, const Facts& facts) {
    for (std::size_t i = 0; i < store.axes.size(); ++i) {
        const AccessAxis& s = store.axes[i];
        const AccessAxis& l = load.axes[i];
        if (s.whole) continue;
        const bool cut = s.edge && !facts.prove_at_least(*s.edge - s.extent, 0);
        if (cut && !(l.edge && facts.prove_equal(*s.edge, *l.edge))) return false;
        const NormalForm end = s.base + s.size();
        // What lies before the tensor or after it is not read.
        const bool from_begin = (!l.whole && facts.prove_at_least(l.base - s.base, 0)) ||
                                facts.prove_at_least(-s.base, 0);
        const bool to_end =
            (!l.whole && facts.prove_at_least(end - l.base - NormalForm(l.length), 0)) ||
            facts.prove_at_least(end - s.extent, 0);
        if (!from_begin || !to_end) return false;
    }
    return true;
}

// The order in which one role does two things.
bool runs_before(const Box& a, const Box& b) {
    const std::size_t shared = shared_loops(*a.access, *b.access);
    for (std::size_t i = 0; i < shared; ++i) {
        if (a.numbers[i] == b.numbers[i]) continue;
        return (a.numbers[i] < b.numbers[i]) != a.access->counters[i].reversed;
    }
    return a.access < b.access;  // they are in one list, in the order of the text
}

// The elements of a tensor that one program has written.
class Written {
public:
    explicit Written(const std::vector<std::int64_t>& extents) : extents_(extents) {
        std::int64_t cells = 1;
        for (const std::int64_t e : extents) cells *= e;
        cells_.assign(static_cast<std::size_t>(cells), false);
    }

    void add(const Box& box) {
        each(box, box.low, 0, 0, [&](std::size_t cell) {
            cells_[cell] = true;
            return true;
        });
    }
    bool holds(const Box& box) const {
        return each(box, box.low, 0, 0, [&](std::size_t cell) { return bool{cells_[cell]}; });
    }

private:
    bool each(const Box& box, const std::vector<std::int64_t>& low, std::size_t axis,
              std::int64_t first, FunctionRef<bool(std::size_t)> f) const {
        if (axis == extents_.size()) return f(static_cast<std::size_t>(first));
        for (std::int64_t i = low[axis]; i < box.high[axis]; ++i) {
            if (!each(box, low, axis + 1, first * extents_[axis] + i, f)) return false;
        }
        return true;
    }

    std::vector<std::int64_t> extents_;
    std::vector<bool> cells_;
};

// The first box that its program reads before it has written all of it.
const Box* find_read_first(const std::vector<Box>& boxes,
                           const std::vector<std::int64_t>& extents) {
    std::int64_t cells = 1;
    for (const std::int64_t e : extents) {
        if (e <= 0 || cells > cells_at_most / e) return nullptr;
        cells *= e;
    }
    std::map<std::string, std::vector<const Box*>> programs;
    for (const Box& b : boxes) programs[b.program].push_back(&b);
    for (auto& [name, list] : programs) {
        std::stable_sort(list.begin(), list.end(),
                         [](const Box* a, const Box* b) { return runs_before(*a, *b); });
        Written written(extents);
        for (const Box* b : list) {
            if (b->access->writes) {
                written.add(*b);
            } else if (!written.holds(*b)) {
                return b;
            }
        }
    }
    return nullptr;
}

}  // namespace

bool written_before(const Access& load, const std::vector<const Access*>& stores,
                    const Facts& facts) {
    Facts known = facts;
    for (const CountedLoop& c : load.counters) assume_counted(c, &known);
    std::map<std::size_t, std::vector<Access>> before;  // by how many loops they share
    for (const Access* store : stores) {
        // All accesses are in one list, in the order of the text.
        if (store->role != load.role || store > &load) continue;
        const std::size_t shared = shared_loops(*store, load);
        auto slice = without_repeats(folded(*store, shared, known), shared, known);
        if (slice) before[shared].push_back(std::move(*slice));
    }
    for (auto& [shared, list] : before) {
        for (const Access& store : joined_all(std::move(list), known)) {
            // It runs wherever the load does.
            const bool always = (load.condition * negation(store.condition)).is_zero() ||
                                known.prove(store.condition);
            if (always && contains(store, load, known)) return true;
        }
    }
    return false;
}

// False if a load was refuted.
bool Output::decide_first_writes(Diagnostics& diag, std::vector<Obligation>& list) {
    if (tensor_.mode != Mode::scratch && tensor_.mode != Mode::out) return true;
    Obligation result{
        fmt::format("each program reads only elements of `{}` that it has already written",
                    tensor_.name),
        Verdict::proved,
        {},
        "each load follows a store"};
    bool any = false;
    for (const Access* load : loads_) {
        // What another role stores is ordered by pipelines, and no matter of one role's text.
        if (std::any_of(stores_.begin(), stores_.end(),
                        [&](const Access* s) { return s->role != load->role; })) {
            continue;
        }
        if (!any) result.span = load->span;
        any = true;
        if (written_before(*load, stores_, facts_)) continue;
        if (order_ != nullptr && order_->is_written(*load, stores_)) continue;
        result.span = load->span;
        if (refute_first_write(*load, diag, &result)) break;
        result.verdict = Verdict::undecided;
        trust_or_list_reads({load}, diag, result);
        break;
    }
    if (any) list.push_back(result);
    return result.verdict != Verdict::refuted;
}

bool Output::refute_first_write(const Access& load, Diagnostics& diag, Obligation* result) const {
    std::vector<const Access*> all = stores_;
    all.push_back(&load);
    std::vector<NormalForm> once;  // the load is reached, by one program
    std::vector<NormalForm> often;
    for (const CountedLoop& c : load.counters) {
        once.push_back(at_least_zero(c.trips - NormalForm(1)));
        often.push_back(at_least_zero(c.trips - NormalForm(2)));
    }
    std::vector<std::vector<NormalForm>> attempts = {{}, once};
    for (const Access* store : stores_) {  // and the stores before it may write nothing
        for (const CountedLoop& c : store->counters) {
            if (c.of_grid) continue;
            attempts.push_back(once);
            attempts.back().push_back(at_least_zero(-c.trips));
        }
        visit_atoms(store->condition, [&](const Atom& a) {
            if (!a->truth) return;
            for (const bool value : {false, true}) {
                attempts.push_back(once);
                attempts.back().push_back(value ? NormalForm(a) : negation(NormalForm(a)));
            }
        });
    }
    attempts.push_back(often);
    for (const std::vector<NormalForm>& goals : attempts) {
        const auto values = find_launch(all, goals);
        if (!values) continue;
        Listing listing(values->values);
        if (!std::all_of(all.begin(), all.end(), [&](const Access* a) { return listing.list(*a); }))
            continue;
        std::vector<std::int64_t> extents;
        for (const AccessAxis& axis : load.axes) {
            extents.push_back(evaluate(axis.extent, values->leaves()).value_or(0));
        }
        const Box* box = find_read_first(listing.boxes, extents);
        if (box == nullptr) continue;
        if (find_overlap(listing.boxes)) {  // a race, which `decide_reads` tells as one
            result->verdict = Verdict::undecided;
            result->text = "another program writes the elements that are read";
            return true;
        }
        if (!is_refuted(trial_, values->values)) continue;
        const std::string text = text_of_extents(*values);
        const std::string where = text.empty() ? "in every launch" : "when " + text;
        const std::string part = text_of(*box, tensor_.name, extents);
        auto builder = diag.error(load.span, msg::read_before_written,
                                  box->program.empty() ? "the program" : "program " + box->program,
                                  part, where);
        builder.primary("read here").label(stores_[0]->span, "written here");
        if (tensor_.mode == Mode::scratch) {
            builder.help(
                "store to all of it first, on every path to here; or declare `inout {}`, if it "
                "holds data at launch",
                tensor_.name);
        } else {
            builder.help(
                "store to all of it first, on every path to here; or declare `inout {}`, if it "
                "holds data at launch",
                tensor_.name);
        }
        result->verdict = Verdict::refuted;
        result->text = fmt::format("{}: {} is read first", where, part);
        result->witness = values->values;
        return true;
    }
    return false;
}

}  // namespace tkc::checks
