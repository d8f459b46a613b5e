// Reading accesses off a role, and comparing them.
#include "checks/scheduled/memory_accesses.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <vector>

#include "ir/contract.h"
#include "ir/store_rules.h"
#include "ir/walk.h"

namespace tkc::checks {

namespace {

using namespace ir;

// The staged store whose panels the loop goes through: its target for the first panel of the first
// warpgroup, and the tile that is stored.
struct StagedStore {
    Slice target;
    Value tile;
};

std::optional<StagedStore> staged_store(const For& loop) {
    if (!loop.unrolled) return std::nullopt;
    const Slice* target = nullptr;
    Value tile;
    walk(loop.body, [&](const Op& op) {
        if (const auto* bulk = as<TmaStore>(op)) target = &bulk->target;
        if (const auto* copy = as<CopyStore>(op)) target = &copy->target;
        if (const auto* write = as<WriteShared>(op)) tile = write->source;
    });
    if (target == nullptr || !tile) return std::nullopt;
    StagedStore store{*target, tile};
    for (Range& r : store.target.ranges) {
        r.base = substitute(r.base, {{loop.var, integer(0)}, {warpgroup_symbol, integer(0)}});
    }
    return store;
}

// The tile of the element `held` that lies in the buffer; none: the buffer holds panels.
Value stored_stage(const Kernel& kernel, const Role& role, const std::string& buffer, Value held) {
    Value tile;
    walk_only<Field>(role.body, [&](const Field& field) {
        if (!held || field.element != held) return;
        const std::string& pipeline = std::get<ElementType>(role[held].type).pipeline;
        if (buffer_of_field(kernel, pipeline, field.field) == buffer) tile = field.result;
    });
    return tile;
}

// The least value of the form if it is a constant plus multiples of `later`, which is 0 or more.
std::optional<std::int64_t> least(const NormalForm& x, const NormalForm& later) {
    if (x.is_unknown()) return std::nullopt;
    const Monomial number = later.terms().begin()->first;
    for (const auto& [monomial, coefficient] : x.terms()) {
        if (monomial.empty()) continue;
        if (!(monomial == number) || coefficient < 0) return std::nullopt;
    }
    return x.constant();
}

const SyncPoint never{.possible = false};

// Takes the axes of two accesses, one after the other.
struct MeetingOfAxes {
    SyncPoint result{.possible = true, .same_place = true, .same_axes = true};

    void add(const TouchedAxis& earlier, const TouchedAxis& later, const NormalForm& distance,
             bool equal) {
        result.same_axes = result.same_axes && earlier.tile_axis == later.tile_axis;
        result.same_place =
            result.same_place && result.same_axes && equal && earlier.length == later.length;
        if (earlier.tile_axis == 0) result.rows = distance;
        if (earlier.tile_axis == 1) result.cols = distance;
    }
};

std::optional<NormalForm> substituted(const std::optional<NormalForm>& x, const Bindings& names) {
    return x ? std::optional(substitute(*x, names)) : std::nullopt;
}

// Whether panels of the slice may end within a unit of 16 bytes, or at the edge of a view: those
// leave cell by cell (lowering/sm90/lower_stores.cpp).
bool may_leave_by_lanes(const Kernel& kernel, const Slice& target, Dtype dtype) {
    const bool cut = std::any_of(target.ranges.begin(), target.ranges.end(),
                                 [](const Range& r) { return r.edge != nullptr; });
    const Scalar extent =
        with_constants(kernel, find_tensor(kernel, target.tensor)->extents.back());
    std::int64_t known = 0;
    return cut || !is_constant(extent, &known) || known % (map_alignment / bytes(dtype)) != 0;
}

// Of a form that is a number of i32 which may wrap, and nothing else: what it is on paper.
std::optional<NormalForm> before_wrapping(const NormalForm& x) {
    if (x.is_unknown() || x.terms().size() != 1) return std::nullopt;
    const auto& [monomial, factor] = *x.terms().begin();
    const bool alone = factor == 1 && monomial.size() == 1 &&
                       monomial[0]->kind == AtomKind::wrapped && monomial[0]->name == "i32";
    return alone ? std::optional(monomial[0]->parts[0]) : std::nullopt;
}

// Whether stretches that begin at numbers of i32 which may wrap have nothing in common: the numbers
// are as far apart as they are on paper, or 2^32 less that.
bool wrap_apart(const NormalForm& first, std::int64_t first_length, const NormalForm& second,
                std::int64_t second_length, const Facts& known) {
    const auto x = before_wrapping(first);
    const auto y = before_wrapping(second);
    if (!x || !y) return false;
    constexpr std::int64_t turn = std::int64_t{1} << 32;
    const auto are_apart = [&](const NormalForm& distance, std::int64_t length,
                               std::int64_t other) {
        return known.prove_at_least(distance, length) &&
               known.prove_at_least(NormalForm(turn) - distance, other);
    };
    return are_apart(*y - *x, first_length, second_length) ||
           are_apart(*x - *y, second_length, first_length);
}

constexpr const char* later_steps = "#later";  // further steps between the two accesses
constexpr const char* of_later = "#2";         // numbers of loops that the two run apart

}  // namespace

bool AccessReader::uses_counters(const Role& role) {
    bool found = false;
    walk_only<Signal>(role.body, [&](const Signal&) { found = true; });
    walk_only<Await>(role.body, [&](const Await&) { found = true; });
    return found;
}

bool AccessReader::is_written(const std::string& tensor) const {
    const Tensor* t = find_tensor(kernel_, tensor);
    return t != nullptr && t->mode != Mode::in && (counts_ || rules_of_stores(t->mode).ordered);
}

// Numbers its loops, and splits the constants off the bases.
void AccessReader::describe(MemoryAccess& access) {
    std::string loops;
    for (const NumberedLoop& l : access.loops)
        loops += l.number + (l.loop->reversed ? ">" : "<") + l.trips.key() + ";";
    access.around = number_of(loops);
    std::string rest = access.tensor;
    for (const TouchedAxis& axis : access.axes) {
        if (axis.base.is_unknown()) return;  // for the proof to look at
        const NormalForm offset(axis.base.constant());
        access.offsets.push_back(axis.base.constant());
        rest += "|" + (axis.base - offset).key();
        if (!axis.edge) continue;
        access.edged = true;
        rest += "<" + (*axis.edge - offset).key();
    }
    access.shape = number_of(rest);
}

int AccessReader::number_of(const std::string& text) {
    return shapes_.try_emplace(text, static_cast<int>(shapes_.size())).first->second;
}

MemoryAccess AccessReader::made(const Op& op, MemoryAccess::Way way, bool writes,
                                const Slice& slice, std::int64_t rows, std::int64_t cols,
                                const Bindings& bindings) const {
    MemoryAccess access;
    access.op = &op;
    access.span = op.span;
    access.way = way;
    access.writes = writes;
    access.tensor = slice.tensor;
    access.adds = !rules_of_stores(find_tensor(kernel_, slice.tensor)->mode).ordered;
    std::size_t spans = 0;
    for (const Range& r : slice.ranges) spans += r.kind == Range::Kind::index ? 0U : 1U;
    // One range: a row, or a column where the tile is one.
    bool rows_next = spans == 2 || (cols == 1 && rows != 1);
    for (const Range& r : slice.ranges) {
        TouchedAxis axis;
        const bool anywhere = r.kind == Range::Kind::gather;
        if (anywhere) axis.base = NormalForm::unknown();
        else if (r.base) axis.base = normal_form(r.base, bindings);
        if (r.edge && !anywhere) axis.edge = normal_form(r.edge, bindings);
        if (r.kind != Range::Kind::index) {
            axis.length = rows_next ? rows : cols;
            if (axis.length != 1) axis.tile_axis = rows_next ? 0 : 1;
            rows_next = false;
        }
        access.axes.push_back(std::move(axis));
    }
    return access;
}

std::optional<MemoryAccess> AccessReader::find(const Op& op, const Bindings& bindings,
                                               const std::vector<NumberedLoop>& loops) {
    using Way = MemoryAccess::Way;
    std::optional<MemoryAccess> found;
    const auto of_tile = [&](Way way, bool writes, const Slice& slice, Value tile) {
        if (!is_written(slice.tensor)) return;
        const TileType& type = role_.tile(tile);
        found = made(op, way, writes, slice, type.rows, type.cols, bindings);
        found->tile = tile;
        found->by_lanes = way == Way::staged && may_leave_by_lanes(kernel_, slice, type.dtype);
    };
    const auto of_field = [&](Way way, const Slice& slice, const std::string& pipeline,
                              const std::string& field) {
        if (!is_written(slice.tensor)) return;
        for (const PipelineField& f : find_pipeline(kernel_, pipeline)->fields_) {
            if (f.name != field) continue;
            found = made(op, way, false, slice, f.type.rows, f.type.cols, bindings);
            found->pipeline = pipeline;
        }
    };
    if (as<Signal>(op) != nullptr || as<Await>(op) != nullptr) {
        found.emplace();
        found->op = &op;
        found->span = op.span;
        found->way = as<Signal>(op) != nullptr ? Way::signal : Way::await;
        found->loops = loops;
        return found;
    }
    if (const auto* load = as<Load>(op)) {
        of_tile(Way::cells, false, load->source, load->result);
    } else if (const auto* cells = as<LoadCells>(op)) {
        of_tile(Way::cells, false, cells->source, cells->result);
    } else if (const auto* store = as<Store>(op)) {
        const bool bulk = store->transfer == Transfer::tma;
        const bool stage = role_.tile(store->source).space == Space::shared;
        const Way otherwise = stage ? Way::copied : Way::cells;
        of_tile(bulk ? Way::staged : otherwise, true, store->target, store->source);
    } else if (const auto* out = as<StoreCells>(op)) {
        of_tile(Way::cells, true, out->target, out->source);
    } else if (const auto* bulk = as<TmaLoad>(op)) {
        of_field(Way::bulk_load, bulk->source, bulk->pipeline, bulk->field);
    } else if (const auto* copy = as<CopyLoad>(op)) {
        of_field(Way::copied, copy->source, copy->pipeline, copy->field);
    } else if (const auto* by_map = as<TmaStore>(op)) {
        if (const Value stage = stored_stage(kernel_, role_, by_map->buffer, by_map->held))
            of_tile(Way::staged, true, by_map->target, stage);
    } else if (const auto* by_lanes = as<CopyStore>(op)) {
        if (const Value stage = stored_stage(kernel_, role_, by_lanes->buffer, by_lanes->held))
            of_tile(Way::copied, true, by_lanes->target, stage);
    } else if (const For* loop = as<For>(op)) {
        if (const auto panels = staged_store(*loop)) {
            of_tile(Way::staged, true, panels->target, panels->tile);
        }
    }
    if (found) {
        found->loops = loops;
        describe(*found);
    }
    return found;
}

// ---- two accesses ------------------------------------------------------------------------------

const Facts& Meetings::facts() {
    if (!facts_) facts_ = facts_of(kernel_, bindings_of(kernel_), Conditions::required);
    return *facts_;
}

std::vector<std::int64_t> Meetings::loops_of(const MemoryAccess& earlier, const MemoryAccess& later,
                                             const For* carried) {
    std::int64_t shared = 0;
    std::int64_t carries = -1;
    for (; shared < std::ssize(earlier.loops) && shared < std::ssize(later.loops); ++shared) {
        const For* const loop = earlier.loops[static_cast<std::size_t>(shared)].loop;
        if (loop != later.loops[static_cast<std::size_t>(shared)].loop) break;
        if (loop == carried) carries = shared;
    }
    return {earlier.around, later.around, shared, carries};
}

Meetings::Question Meetings::question(const MemoryAccess& earlier, const MemoryAccess& later,
                                      const For* carried) {
    if (earlier.shape < 0 || later.shape < 0) {
        return {.earlier = &earlier, .later = &later, .carried = carried};
    }
    Question asked{.numbers = loops_of(earlier, later, carried)};
    asked.numbers.insert(asked.numbers.end(), {earlier.shape, later.shape});
    for (std::size_t i = 0; i < earlier.axes.size(); ++i) {
        const TouchedAxis& x = earlier.axes[i];
        const TouchedAxis& y = later.axes[i];
        asked.numbers.insert(asked.numbers.end(), {later.offsets[i] - earlier.offsets[i], x.length,
                                                   y.length, x.tile_axis, y.tile_axis});
    }
    return asked;
}

const SyncPoint& Meetings::between(const MemoryAccess& earlier, const MemoryAccess& later,
                                   const For* carried) {
    const auto [place, fresh] = decided_.try_emplace({&earlier, &later, carried});
    if (fresh) place->second = decide(earlier, later, carried);
    return place->second;
}

SyncPoint Meetings::decide(const MemoryAccess& earlier, const MemoryAccess& later,
                           const For* carried) {
    if (carried == nullptr && earlier.shape == later.shape && earlier.shape >= 0 &&
        !earlier.edged && earlier.loops.size() == later.loops.size() &&
        (earlier.loops.empty() || earlier.loops.back().loop == later.loops.back().loop)) {
        MeetingOfAxes found;
        for (std::size_t i = 0; i < earlier.axes.size(); ++i) {
            const std::int64_t distance = later.offsets[i] - earlier.offsets[i];
            if (distance >= earlier.axes[i].length || -distance >= later.axes[i].length) {
                return never;
            }
            found.add(earlier.axes[i], later.axes[i], distance, distance == 0);
        }
        return found.result;
    }
    if (earlier.tensor != later.tensor) return never;
    const auto [place, fresh] = proved_.try_emplace(question(earlier, later, carried));
    if (fresh && --proofs_left_ >= 0) place->second = by_proof(earlier, later, carried);
    return place->second;
}

Meetings::Steps Meetings::made(const MemoryAccess& earlier, const MemoryAccess& later,
                               const For* carried) {
    Steps steps;
    const NormalForm further = symbol_form(later_steps);
    steps.not_negative.push_back(further);
    const auto in_range = [&](const For& loop, const NormalForm& number, const NormalForm& trips) {
        steps.not_negative.push_back(number);
        steps.not_negative.push_back(trips - NormalForm(1) - number);
        // The variable is a number of i32 itself.
        std::int64_t begin = 0;
        if (is_constant(loop.begin, &begin) && begin >= 0 && loop.end->dtype == Dtype::i32)
            steps.not_negative.push_back(NormalForm(std::numeric_limits<std::int32_t>::max()) -
                                         NormalForm(loop.step) * number);
    };
    std::size_t shared = 0;
    bool together = true;
    for (; shared < earlier.loops.size() && shared < later.loops.size(); ++shared) {
        const NumberedLoop& l = earlier.loops[shared];
        if (!together || l.loop != later.loops[shared].loop) break;
        const NormalForm number = symbol_form(l.number);
        if (l.loop != carried) {
            in_range(*l.loop, number, l.trips);
            continue;
        }
        // A reversed loop takes its last step first.
        const NormalForm other = number + NormalForm(1) + further;
        (l.loop->reversed ? steps.of_first : steps.of_second)[l.number] = other;
        in_range(*l.loop, number, l.trips);
        in_range(*l.loop, other, l.trips);
        together = false;
    }
    for (std::size_t i = shared; i < earlier.loops.size(); ++i) {
        const NumberedLoop& l = earlier.loops[i];
        in_range(*l.loop, symbol_form(l.number), substitute(l.trips, steps.of_first));
    }
    for (std::size_t i = shared; i < later.loops.size(); ++i) {
        const NumberedLoop& l = later.loops[i];
        steps.of_second[l.number] = symbol_form(l.number + of_later);
        in_range(*l.loop, steps.of_second[l.number], substitute(l.trips, steps.of_second));
    }
    return steps;
}

Meetings::Steps& Meetings::steps_of(const MemoryAccess& earlier, const MemoryAccess& later,
                                    const For* carried) {
    const auto [place, fresh] = steps_.try_emplace(loops_of(earlier, later, carried));
    if (fresh) place->second = made(earlier, later, carried);
    return place->second;
}

SyncPoint Meetings::by_proof(const MemoryAccess& earlier, const MemoryAccess& later,
                             const For* carried) {
    Steps& steps = steps_of(earlier, later, carried);
    const Bindings& of_first = steps.of_first;
    const Bindings& of_second = steps.of_second;
    const NormalForm further = symbol_form(later_steps);
    const auto bases = [](auto& known, const MemoryAccess& access,
                          const Bindings& numbers) -> const std::vector<NormalForm>& {
        const auto [place, fresh] = known.try_emplace(&access);
        if (!fresh) return place->second;
        for (const TouchedAxis& axis : access.axes)
            place->second.push_back(substitute(axis.base, numbers));
        return place->second;
    };
    const std::vector<NormalForm>& firsts = bases(steps.first_bases, earlier, of_first);
    const std::vector<NormalForm>& seconds = bases(steps.second_bases, later, of_second);
    // Most pairs are apart by constants, for which no facts have to be gathered.
    std::vector<NormalForm> distances;
    std::vector<bool> constant;
    for (std::size_t i = 0; i < earlier.axes.size(); ++i) {
        const TouchedAxis& x = earlier.axes[i];
        const TouchedAxis& y = later.axes[i];
        distances.push_back(seconds[i] - firsts[i]);
        const auto up = least(distances.back(), further);
        const auto down = least(-distances.back(), further);
        if ((up && *up >= x.length) || (down && *down >= y.length)) return never;
        constant.push_back(up && down);
    }
    if (!steps.known) {
        steps.known = facts();
        for (const NormalForm& number : steps.not_negative)
            steps.known->assume_at_least_zero(number);
    }
    const Facts& known = *steps.known;
    // Apart along any axis is apart: how they lie where they meet is asked after that.
    for (std::size_t i = 0; i < earlier.axes.size(); ++i) {
        if (!constant[i] && (known.prove_at_least(distances[i], earlier.axes[i].length) ||
                             known.prove_at_least(-distances[i], later.axes[i].length)))
            return never;
    }
    std::vector<std::optional<NormalForm>> first_edges, second_edges;
    for (std::size_t i = 0; i < earlier.axes.size(); ++i) {
        const TouchedAxis& x = earlier.axes[i];
        const TouchedAxis& y = later.axes[i];
        if (!constant[i] && wrap_apart(firsts[i], x.length, seconds[i], y.length, known))
            return never;
        first_edges.push_back(substituted(x.edge, of_first));
        second_edges.push_back(substituted(y.edge, of_second));
        const auto lies_past = [&](const NormalForm& base, const std::optional<NormalForm>& edge) {
            return edge && known.prove_at_least(base - *edge, 0);
        };
        if (lies_past(seconds[i], first_edges[i]) || lies_past(firsts[i], second_edges[i]))
            return never;
    }
    MeetingOfAxes found;
    for (std::size_t i = 0; i < earlier.axes.size(); ++i) {
        const bool same_base =
            constant[i] ? distances[i].is_zero() : known.prove_equal(distances[i], NormalForm(0));
        found.add(earlier.axes[i], later.axes[i], distances[i],
                  same_base && first_edges[i] == second_edges[i]);
    }
    return found.result;
}

}  // namespace tkc::checks
