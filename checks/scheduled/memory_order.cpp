// A walk over a role with the list of accesses that are not yet ordered before what follows.
//
// Loops are walked until the list at their end, seen from the next step, brings nothing new. What
// is found missing before an operation counts as put in from then on, so that one barrier serves
// all that follows it.
//
// Accesses that are alike ask for the same before anything that follows, and the last of them was
// ordered last. So all accesses of a kind are one in the list, which is as long as there are kinds:
// a role that comes back to one place a thousand times is walked in steps, and not in pairs of
// them.
#include "checks/scheduled/memory_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <unordered_map>

#include "checks/scheduled/memory_accesses.h"
#include "ir/layout.h"
#include "ir/walk.h"
#include "ir/ways.h"
#include "tiles/reduction.h"

namespace tkc::checks {

namespace {

using namespace ir;

using Way = MemoryAccess::Way;

// An access that something later may have to be ordered after.
struct Open {
    const MemoryAccess* access = nullptr;
    const For* carried = nullptr;  // it is of an earlier step of this loop
    bool fenced = false;           // its threads have executed a fence for all memory since
    bool met = false;              // and a barrier: after what is done, where it may be bulk copies
    bool done = false;             // bulk copies: they are complete
    bool settled = false;          // it is ordered before all that follows
    bool lanes_met = false;        // what left by the lanes is ordered before what any lane does
    enum class Element : std::uint8_t { in_making, newest, older };
    Element element = Element::in_making;  // bulk loads: where theirs is; newest: published last

    auto order() const {
        return std::tuple(access, carried, fenced, met, done, settled, lanes_met, element);
    }
    bool operator<(const Open& other) const { return order() < other.order(); }
    bool operator==(const Open& other) const { return order() == other.order(); }
};
using OpenSet = std::set<Open>;

class Walker {
public:
    Walker(const Kernel& kernel, const Role& role)
        : kernel_(kernel), role_(role), reader_(kernel, role), meetings_(kernel) {}

    MemoryOrder run() {
        if (!touches_written()) return {};
        Bindings bindings = bindings_of(kernel_);
        for (std::optional<std::size_t> known; known != found_.landed.size();) {
            known = found_.landed.size();
            OpenSet open;
            block(role_.body, bindings, open);
        }
        return std::move(found_);
    }

private:
    // Whether there is a pair to order at all.
    bool touches_written() const {
        bool writes = AccessReader::uses_counters(role_);
        walk(role_.body, [&](const Op& op) {
            const Slice* target = nullptr;
            if (const auto* a = as<Store>(op)) target = &a->target;
            if (const auto* b = as<StoreCells>(op)) target = &b->target;
            if (const auto* c = as<TmaStore>(op)) target = &c->target;
            if (const auto* d = as<CopyStore>(op)) target = &d->target;
            writes = writes || target != nullptr;
        });
        return writes;
    }

    void block(const Block& ops, Bindings bindings, OpenSet& open) {
        for (const Op& op : ops) {
            if (const MemoryAccess* access = access_of(op, bindings)) {
                visit(op, *access, open);
            } else if (names_number(op)) {
                bindings = bindings_of({op}, std::move(bindings));
            } else if (const For* loop = as<For>(op)) {
                enter(op, *loop, bindings, open);
            } else if (const If* branch = as<If>(op)) {
                OpenSet other = open;
                block(branch->then_body, bindings, open);
                block(branch->else_body, bindings, other);
                open.merge(other);
            } else {
                synchronise(op, open);
            }
        }
    }

    // ---- loops ----

    void enter(const Op& op, const For& loop, const Bindings& bindings, OpenSet& open) {
        const NormalForm begin = normal_form(loop.begin, bindings);
        // Of a step that runs, so there is at least one.
        const NormalForm trips =
            ceil_quotient(normal_form(loop.end, bindings) - begin, NormalForm(loop.step));
        // Loops side by side share the name: of two accesses, at most one is in each.
        const std::string number = fmt::format("{}#{}", loop.var, loops_.size());
        Bindings inside = bindings;
        inside[loop.var] = begin + NormalForm(loop.step) * symbol_form(number);
        loops_.push_back({&loop, number, trips});
        const OpenSet before = open;
        OpenSet carried;
        for (;;) {
            open = before;
            open.insert(carried.begin(), carried.end());
            block(loop.body, inside, open);
            OpenSet next = carried;
            for (Open o : open) {
                if (!is_inside_of(*o.access, loop)) continue;
                o.carried = &loop;
                next.insert(o);
            }
            if (next == carried) break;
            carried = std::move(next);
        }
        loops_.pop_back();
        OpenSet behind;
        if (!surely_runs(op)) behind = before;
        for (Open o : open) {
            if (o.carried == &loop) o.carried = nullptr;
            behind.insert(o);
        }
        open = std::move(behind);
    }

    static bool is_inside_of(const MemoryAccess& access, const For& loop) {
        return std::any_of(access.loops.begin(), access.loops.end(),
                           [&](const NumberedLoop& l) { return l.loop == &loop; });
    }

    // ---- accesses ----

    const MemoryAccess* access_of(const Op& op, const Bindings& bindings) {
        const auto known = accesses_.find(&op);
        if (known != accesses_.end()) return known->second ? &*known->second : nullptr;
        std::optional<MemoryAccess> found = reader_.find(op, bindings, loops_);
        return accesses_[&op] = found ? kind_of(std::move(*found)) : nullptr;
    }

    // The first access that is like this one in everything by which others are ordered before or
    // after it: it is put in place of all of them. Bulk loads are known by their operation,
    // and where a place is not known, nothing is like it.
    const MemoryAccess* kind_of(MemoryAccess access) {
        const bool alone = access.way == Way::bulk_load || is_counting(access) || access.shape < 0;
        std::vector<std::int64_t> place{access.shape, static_cast<std::int64_t>(access.way),
                                        access.writes ? 1 : 0};
        for (std::size_t i = 0; i < access.axes.size() && !alone; ++i) {
            place.insert(place.end(),
                         {access.offsets[i], access.axes[i].length, access.axes[i].tile_axis});
        }
        const For* const loop = access.loops.empty() ? nullptr : access.loops.back().loop;
        std::vector<const MemoryAccess*>& kinds = kinds_[{loop, std::move(place)}];
        for (const MemoryAccess* kind : kinds) {
            if (!alone && is_like(*kind, access)) return kind;
        }
        made_.push_back(std::move(access));
        return kinds.emplace_back(&made_.back());
    }

    bool is_like(const MemoryAccess& a, const MemoryAccess& b) const {
        if (a.adds != b.adds || a.by_lanes != b.by_lanes || a.pipeline != b.pipeline) return false;
        if (!a.tile || !b.tile) return !a.tile && !b.tile;
        return role_.tile(a.tile) == role_.tile(b.tile) &&
               role_[a.tile].layout == role_[b.tile].layout &&
               divided_axis(role_, a.tile) == divided_axis(role_, b.tile);
    }

    void visit(const Op& op, const MemoryAccess& access, OpenSet& open) {
        Synchronisation missing;
        for (const Open& o : open) {
            if (is_counting(*o.access) || is_counting(access)) {
                if (o.access->way == Way::signal || access.way == Way::await) continue;
                if (o.access->way == Way::await && access.way == Way::signal) continue;
            } else if ((!o.access->writes && !access.writes) || (o.access->adds && access.adds)) {
                continue;
            }
            const bool counting = is_counting(*o.access) || is_counting(access);
            static const SyncPoint of_counters;
            const SyncPoint& meeting =
                counting ? of_counters : meetings_.between(*o.access, access, o.carried);
            if (!meeting.possible) continue;
            const Synchronisation needed =
                counting ? needs_of_counters(o, access) : needs(*o.access, access, meeting);
            if (!counting) note(*o.access, access, needed);
            if (o.settled) continue;
            if (o.access->way == Way::bulk_load && !o.done) {
                found_.landed.insert(o.access->op);  // the next walk uses that
            } else {
                missing.add(still_missing(o, needed));
            }
        }
        if (missing) found_.before[&op].add(missing);
        if (const auto put = found_.before.find(&op); put != found_.before.end()) {
            if (put->second.copies) complete_stores(open);
            if (put->second.fence) fence(open);
            if (put->second.barrier) meet(open);
        }
        open.insert(Open{&access});
    }

    static bool is_counting(const MemoryAccess& access) {
        return access.way == Way::signal || access.way == Way::await;
    }

    // Before a signal of one lane, what the others did, and what is done in bulk; after an await
    // of one lane, what the others do, and what is done in bulk. That the lane itself signals
    // after what it awaited needs nothing. Where the role has one elected lane, that lane awaits,
    // starts bulk copies, waits for its bulk stores, and signals: then only what other lanes do
    // needs a barrier.
    Synchronisation needs_of_counters(const Open& open, const MemoryAccess& later) const {
        const MemoryAccess& earlier = *open.access;
        if (later.way == Way::signal) {
            const bool is_store = earlier.way == Way::staged;
            const bool by_others = !has_one_elected() || (earlier.by_lanes && !open.lanes_met);
            return {.copies = is_store || earlier.way == Way::bulk_load,
                    .barrier = !is_store || by_others};
        }
        const bool in_bulk = later.way == Way::staged || later.way == Way::bulk_load;
        const bool by_others = !in_bulk || later.by_lanes || !has_one_elected();
        return {.fence = in_bulk, .barrier = by_others};
    }
    bool has_one_elected() const {
        return role_.unit == Unit::warpgroup ? role_.warpgroups() == 1 : role_.warps() == 1;
    }

    // What must be between the two, if nothing does.
    Synchronisation needs(const MemoryAccess& earlier, const MemoryAccess& later,
                          const SyncPoint& meeting) const {
        if (earlier.way == Way::staged) {
            // Each warpgroup meets before it stores what it staged (lower_stores.cpp).
            // The lane that issued a bulk store of a panel issues that of the same panel again; and
            // where the panel leaves by the lanes, it does so both times, each lane with its cells.
            // Warps that have parts of a stage may divide the next one otherwise.
            const bool one_divides = role_.unit == Unit::warpgroup || role_.warps() == 1;
            const bool same_lane =
                later.way == Way::staged && meeting.same_place && one_divides &&
                role_.tile(earlier.tile) == role_.tile(later.tile) &&
                divided_axis(role_, earlier.tile) == divided_axis(role_, later.tile);
            if (same_lane) return {.copies = true};
            const bool in_bulk = later.way == Way::staged || later.way == Way::bulk_load;
            return {.copies = true,
                    .fence = earlier.by_lanes && in_bulk,
                    .barrier = later.way != Way::staged || role_.warpgroups() != 1};
        }
        if (earlier.way == Way::bulk_load) return {.copies = true, .barrier = true};
        if (later.way == Way::bulk_load) return {.fence = true, .barrier = true};
        if (later.way == Way::staged) {
            // As above.
            const bool meets = role_.warpgroups() == 1 || is_own_part(earlier, later, meeting);
            return {.fence = true, .barrier = !meets};
        }
        return {.barrier = !by_same_threads(earlier, later, meeting)};
    }

    // Whether each warpgroup stores what it has itself touched before.
    bool is_own_part(const MemoryAccess& earlier, const MemoryAccess& later,
                     const SyncPoint& meeting) const {
        if (!meeting.same_place || earlier.way != Way::cells) return false;
        const std::optional<Axis> divided = divided_axis(role_, earlier.tile);
        return divided && divided == divided_axis(role_, later.tile);
    }

    // The one place that says whether two accesses are by the same thread, to the same cell, in
    // the same proxy.
    bool by_same_threads(const MemoryAccess& earlier, const MemoryAccess& later,
                         const SyncPoint& meeting) const {
        if (earlier.way != Way::cells || later.way != Way::cells || !meeting.same_axes)
            return false;
        const Layout first = layout_of(role_, earlier.tile);
        const Layout second = layout_of(role_, later.tile);
        const bool one_writer = earlier.writes && later.writes;
        return same_pattern(first, second) && (one_writer || !is_replicated(first)) &&
               is_multiple(meeting.rows, period_of(first, Axis::row)) &&
               is_multiple(meeting.cols, period_of(first, Axis::col));
    }

    // Of a period; of 0: nothing but 0.
    static bool is_multiple(const NormalForm& distance, std::int64_t period) {
        if (distance.is_unknown() || period == 0) return distance.is_zero();
        return std::all_of(distance.terms().begin(), distance.terms().end(),
                           [&](const Term& term) { return term.second % period == 0; });
    }

    static Synchronisation still_missing(const Open& o, Synchronisation needed) {
        if (!needed.fence && o.met) needed.barrier = false;
        if (o.done) needed.copies = false;
        if (o.fenced) needed.fence = false;  // the barrier after it is still to come
        return needed;
    }

    void note(const MemoryAccess& earlier, const MemoryAccess& later,
              const Synchronisation& needed) {
        const Span& a = earlier.span;
        const Span& b = later.span;
        const auto [place, fresh] =
            pairs_.try_emplace({earlier.tensor, {a.file, a.begin, a.end, b.file, b.begin, b.end}},
                               found_.pairs.size());
        if (fresh) found_.pairs.push_back({earlier.tensor, earlier.span, later.span, needed});
        else found_.pairs[place->second].by.add(needed);
    }

    // ---- what orders ----

    void synchronise(const Op& op, OpenSet& open) {
        if (const Barrier* barrier = as<Barrier>(op)) {
            if (barrier->scope == Scope::role || role_.warpgroups() == 1) meet(open);
        } else if (exchanges_cells(op)) {
            meet(open);
        } else if (const auto* f = as<FenceAsync>(op)) {
            if (f->global) fence(open);
        } else if (const auto* wait = as<Wait>(op)) {
            if (wait->channel == Channel::store_writes && wait->pending == 0) complete_stores(open);
        } else if (const auto* copies = as<AwaitCopies>(op)) {
            complete_loads(copies->pipeline, open);
        } else if (const auto* publish = as<Publish>(op)) {
            if (publish->arrives) meet_lanes(open);
            end_element(publish->pipeline, open);
        } else if (const auto* release = as<Release>(op)) {
            if (release->after_reads) meet_lanes(open);
        }
    }

    // Whether all warps meet to exchange cells; blocks of a cluster do it by messages.
    bool exchanges_cells(const Op& op) {
        const auto [place, fresh] = exchanges_.try_emplace(&op, false);
        if (fresh) place->second = synchronizes_warps(role_, op) && blocks_of(role_) == 1;
        return place->second;
    }

    template <class F>
    static void change(OpenSet& open, F&& f) {
        OpenSet changed;
        for (Open o : open) {
            f(o);
            changed.insert(changed.end(), o);  // their order mostly stays
        }
        open = std::move(changed);
    }

    // Whether it is made by threads; a staged store can be that and a bulk copy.
    static bool is_ordinary(const Open& o) {
        return o.access->way == Way::cells || o.access->way == Way::copied ||
               o.access->way == Way::await || o.access->by_lanes;
    }
    static bool is_bulk(const Open& o) {
        return o.access->way == Way::staged || o.access->way == Way::bulk_load;
    }

    // After a barrier, what was fenced and was complete is ordered before everything.
    static void meet(OpenSet& open) {
        change(open, [](Open& o) {
            const bool done = o.done || !is_bulk(o);
            const bool fenced = o.fenced || !is_ordinary(o);
            o.met = o.met || done;
            o.settled = o.settled || (done && fenced);
            o.lanes_met = true;
        });
    }
    // The lanes of each warp meet before they arrive together (runtime/tk/operations/pipeline.cuh):
    // of a role of one warp, all that touch memory as ordinary threads do.
    void meet_lanes(OpenSet& open) const {
        if (role_.unit != Unit::warp || role_.warps() != 1) return;
        change(open, [](Open& o) {
            o.lanes_met = true;
            if (is_bulk(o)) return;
            o.met = true;
            o.settled = o.settled || o.fenced || !is_ordinary(o);
        });
    }
    static void fence(OpenSet& open) {
        change(open, [](Open& o) { o.fenced = o.fenced || is_ordinary(o); });
    }
    static void complete_stores(OpenSet& open) {
        change(open, [](Open& o) { o.done = o.done || o.access->way == Way::staged; });
    }
    static bool is_load_of(const Open& o, const std::string& pipeline) {
        return o.access->way == Way::bulk_load && o.access->pipeline == pipeline;
    }
    static void complete_loads(const std::string& pipeline, OpenSet& open) {
        change(open, [&](Open& o) {
            o.done = o.done || (is_load_of(o, pipeline) && o.element == Open::Element::newest);
        });
    }

    // After the `publish` of an element. Where it must have landed, the role waits here and
    // meets.
    void end_element(const std::string& pipeline, OpenSet& open) {
        bool lands = false;
        change(open, [&](Open& o) {
            if (!is_load_of(o, pipeline)) return;
            const bool made = o.element == Open::Element::in_making;
            lands = lands || (made && found_.landed.contains(o.access->op));
            o.element = made ? Open::Element::newest : Open::Element::older;
        });
        if (!lands) return;
        complete_loads(pipeline, open);
        meet(open);
    }

    const Kernel& kernel_;
    const Role& role_;
    AccessReader reader_;
    Meetings meetings_;
    MemoryOrder found_;
    std::vector<NumberedLoop> loops_;
    std::deque<MemoryAccess> made_;
    std::unordered_map<const Op*, bool> exchanges_;
    std::map<const Op*, const MemoryAccess*> accesses_;  // or what is like them; null: none
    std::map<std::pair<const For*, std::vector<std::int64_t>>, std::vector<const MemoryAccess*>>
        kinds_;  // by loop and place
    std::map<std::pair<std::string, std::array<std::uint32_t, 6>>, std::size_t> pairs_;
};

}  // namespace

void Synchronisation::add(const Synchronisation& other) {
    copies = copies || other.copies;
    fence = fence || other.fence;
    barrier = barrier || other.barrier;
}

MemoryOrder find_memory_order(const Kernel& kernel, const Role& role) {
    return Walker(kernel, role).run();
}

}  // namespace tkc::checks
