// Control and barriers; process_completion.cpp has products and waits for what is in flight,
// process_memory.cpp and process_global.cpp what moves tiles.
#include "emulator/scheduled/process.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/overloaded.h"
#include "emulator/elementwise.h"
#include "facts/elements_taken.h"
#include "ir/completion.h"
#include "ir/reflect.h"
#include "ir/walk.h"
#include "ir/warps.h"
#include "tiles/reduction.h"

namespace tkc::emulator {

namespace {

using ir::lanes_of_warp;
using ir::rows_of_warp;
using ir::warps_of_warpgroup;

}  // namespace

Process::Process(Cluster& cluster, const ir::Role& role, std::int64_t block, std::int64_t index,
                 std::int64_t copy, std::vector<std::int64_t> programs)
    : cluster_(cluster),
      role_(role),
      block_(block),
      index_(index),
      copy_(copy),
      programs_(std::move(programs)),
      env_(cluster.launch().environment),
      walk_(env_),
      tiles_(role.values.size()),
      shared_(role.values.size()),
      parts_(cluster.launch().parts.of(role, index)),
      elements_(role.values.size()),
      elected_(cluster.agents().count()),
      one_lane_(ir::runs_in_one_lane(role)),
      spans_blocks_(ir::blocks_of(role) > 1),
      made_by_(role.values.size()),
      read_by_(role.values.size()) {
    const bool is_group = role.unit == ir::Unit::warpgroup;
    const std::int64_t width = is_group ? warps_of_warpgroup : 1;
    const std::int64_t in_block = index % (role.warps() / width) + copy * role.warps() / width;
    for (std::int64_t w = 0; w < width; ++w) {
        warps_.push_back(role.first_warp + in_block * width + w);
        known_.emplace_back(cluster.agents().count());
    }
    fenced_.resize(warps_.size());
    if (is_group) env_.set(ir::warpgroup_symbol, order_index());
    env_.observe(this);
}

// ---- control -----------------------------------------------------------------------------------

bool Process::begin_program() {
    if (next_program_ < programs_.size()) {
        program_ = programs_[next_program_++];
        cluster_.launch().grid.enter(program_, env_);
        if (role_.copies > 1) skip_elements(next_program_ == 1 ? copy_ : role_.copies - 1);
        if (next_program_ == 1) {
            ir::walk_only<ir::LoadCells>(role_.body, [&](const ir::LoadCells& load) {
                if (!load.ahead.empty()) prefetch_start(load, program_);
            });
        }
        walk_.start(role_.body);
        return true;
    }
    if (finishing_) return false;
    finishing_ = true;
    walk_.start(role_.finish);
    return true;
}

void Process::skip_elements(std::int64_t programs) {
    for (const std::string& pipeline : ir::pipelines_read(role_)) {
        const ir::Scalar taken = ir::elements_taken(kernel(), role_, pipeline);
        if (!taken) throw Fault("programs consume different numbers of `" + pipeline + "`");
        ElementRef& at = cursor(pipeline, End::reader);
        for (std::int64_t i = programs * env_.integer(taken); i > 0; --i) advance(at);
    }
}

bool Process::step() {
    if (state_ == State::done) return false;
    try {
        const ir::Op* op = walk_.op();
        while (op == nullptr) {
            if (!begin_program()) {
                check_end();
                state_ = State::done;
                return true;
            }
            op = walk_.op();
        }
        at_ = op;
        if (Counters* counters = cluster_.launch().counters)
            counters->enter(program_, role_, position_);
        state_ = may_go(*op) ? State::ready : State::waiting;
        if (state_ == State::waiting) return false;
        check_registers(*op);
        if (auto* executed = cluster_.launch().executed) executed->insert(op);
        std::visit([&](const auto& node) { execute(node); }, op->node);
        walk_.next();
        return true;
    } catch (const Fault& fault) {
        throw blame(fault.what());
    }
}

bool Process::awaits() const {
    return state_ == State::waiting && ir::as<ir::Await>(*at_) != nullptr;
}

// Shared memory goes to another block when this one ends.
void Process::check_end() {
    const Line& reads = line(ir::Channel::store_reads);
    if (reads.over < reads.issued) {
        throw Stop{
            Outcome::End::hazard,
            fmt::format("`{}` ends while its bulk stores may still read shared memory", role_.name),
            {{at_->span, ""}}};
    }
    const Line& products = line(ir::Channel::products);
    if (products.over < products.issued) {
        throw Stop{Outcome::End::hazard,
                   fmt::format("`{}` ends while its products may still run", role_.name),
                   {{at_->span, ""}}};
    }
}

Stop Process::blame(const std::string& text) const {
    return {Outcome::End::fault,
            fmt::format("{}, in {}", text, describe_program()),
            {{walk_.doing() == nullptr ? role_.span : walk_.doing()->span, ""}}};
}

std::string Process::describe_program() const { return cluster_.launch().grid.describe(program_); }

bool Process::weakened(Weakening::Kind kind) const {
    const auto& weakening = cluster_.launch().weakening;
    return weakening && weakening->op == at_ && weakening->kind == kind;
}

bool Process::may_go(const ir::Op& op) {
    if (weakened(Weakening::Kind::skip)) return true;
    if (const auto wait = ir::barrier_wait(op)) {
        if (wait->elected && !is_elected()) return true;
        const ElementRef at = element_of(*wait);
        const auto& barriers = (wait->full ? block().full : block().empty).at(wait->pipeline);
        return barriers[barrier_of(wait->pipeline, at.stage)].passes(phase_of(*wait, at));
    }
    if (ir::as<ir::WaitOrder>(op) != nullptr) {
        return block().turns[role_.name] % role_.ordered_groups() == order_index();
    }
    if (const auto* await = ir::as<ir::Await>(op)) {
        if (!is_elected()) return true;
        const Counters& counters = *cluster_.launch().counters;
        return counters.value(counters.place(await->counter, await->at, env_)) >=
               env_.integer(await->count);
    }
    if (const auto* barrier = ir::as<ir::Barrier>(op)) {
        const bool alone = barrier->scope == ir::Scope::warpgroup && warps_.size() > 1;
        return alone || meets();
    }
    return !needs_others(op) || meets_for(op);
}

// ---- meetings ----------------------------------------------------------------------------------

bool Process::needs_others(const ir::Op& op) const {
    return ir::as<ir::Barrier>(op) == nullptr && ir::synchronizes_warps(role_, op);
}

bool Process::meets_for(const ir::Op& op) {
    const auto meet = [&](const TilePtr& part, const Make& make) {
        return spans_blocks_ ? exchanges(part, make) : meets(part, make);
    };
    if (const auto* complete = ir::as<ir::Complete>(op)) {
        return meet(tiles_[complete->source.id], [&](const std::vector<TilePtr>& parts) {
            return sum_of_rows(complete->source, parts);
        });
    }
    const auto& apply = std::get<ir::Apply>(op.node);
    return meet(tiles_[apply.source.id], [&](const std::vector<TilePtr>& parts) {
        TilePtr made;
        apply_into(made, role_.tile(apply.result), apply, *whole_of(apply.source, parts));
        return made;
    });
}

TilePtr Process::whole_of(ir::Value v, const std::vector<TilePtr>& parts) const {
    auto whole = std::make_shared<Tile>(role_.tile(v));
    for (std::size_t p = 0; p < parts.size(); ++p) {
        const auto process = static_cast<std::int64_t>(p);
        put_part(*cluster_.launch().parts.of(role_, process)[v.id], *parts[p], *whole);
    }
    return whole;
}

// The row sums that lie over several warps, of each of which a part has what is in its
// columns.
TilePtr Process::sum_of_rows(ir::Value v, const std::vector<TilePtr>& parts) const {
    auto sums = std::make_shared<Tile>(role_.tile(v));
    // The only row is held by every group of warps that a row takes.
    const bool repeated = role_.tile(v).rows == 1;
    const ir::Layout& layout = role_[v].layout;
    const auto count = repeated
                           ? static_cast<std::size_t>(ir::threads_along(layout, ir::Axis::col) /
                                                      ir::lanes_along(layout, ir::Axis::col))
                           : parts.size();
    for (std::size_t p = 0; p < count; ++p) {
        const auto process = static_cast<std::int64_t>(p);
        const TilePart& part = *cluster_.launch().parts.of(role_, process)[v.id];
        for (std::size_t i = 0; i < part.rows.size(); ++i) {
            const auto row = static_cast<std::size_t>(part.rows[i]);
            sums->with_cells([&]<class Number>(std::vector<Number>& cells) {
                const Number part_of_row = parts[p]->cells_like(cells)[i];
                if constexpr (std::is_integral_v<Number>)
                    cells[row] = wrap_to(sums->dtype, ir::sum_of_cells(cells[row], part_of_row));
                else cells[row] += part_of_row;
            });
        }
    }
    return sums;
}

bool Process::meets(const TilePtr& part, const Make& make) {
    const std::int64_t processes = cluster_.launch().parts.processes(role_);
    BlockState::SyncPoint& meeting = this->meeting();
    if (generation_ < 0) {
        generation_ = meeting.generation;
        synchronize_lanes();
        for (const Knowledge& k : known_) meeting.brought.learn(k);
        meeting.parts.resize(static_cast<std::size_t>(processes));
        meeting.parts[static_cast<std::size_t>(index_)] = part;
        if (++meeting.arrived == processes) {
            meeting.learned = meeting.brought;
            meeting.made = make ? make(meeting.parts) : nullptr;
            meeting.parts.clear();
            meeting.arrived = 0;
            ++meeting.generation;
        }
    }
    return meeting.generation != generation_;
}

void Process::leave_barrier() {
    generation_ = -1;
    const Knowledge& all = meeting().learned;
    for (Knowledge& k : known_) k.learn(all);
}

bool Process::exchanges(const TilePtr& part, const Make& make) {
    RowExchange::Place& here = exchange_place();
    const auto processes = static_cast<std::size_t>(cluster_.launch().parts.processes(role_));
    if (!sent_) {
        sent_ = true;
        if (is_first_of_block()) {
            here.barrier.expect(static_cast<std::int64_t>(processes));
            if (!here.barrier.arrive(Knowledge(cluster_.agents().count()))) {
                throw Fault("two exchanges over a cluster share a buffer");
            }
            here.barrier.settle();
        }
        for (BlockState& target : cluster_.blocks()) {
            RowExchange::Place& there =
                target.exchange.places[static_cast<std::size_t>(meeting_ % 2)];
            cluster_.start_copy([&there, part, processes, meeting = meeting_,
                                 index = static_cast<std::size_t>(index_)] {
                there.parts.resize(processes);
                there.parts[index] = {meeting, part};
                there.barrier.land(1);
                there.barrier.settle();
            });
        }
    }
    if (!here.barrier.passes(static_cast<std::uint32_t>(meeting_ / 2 % 2))) return false;
    std::vector<TilePtr> parts;
    for (const RowExchange::Place::Part& sent : here.parts) {
        if (sent.meeting != meeting_) {
            throw Stop{Outcome::End::hazard,
                       fmt::format("an exchange over the cluster is overwritten before it is read, "
                                   "in {}",
                                   describe_program()),
                       {{at_->span, ""}}};
        }
        parts.push_back(sent.tile);
    }
    if (here.made.meeting != meeting_) here.made = {meeting_, make(parts)};
    return true;
}

void Process::take_made(ir::Value result) {
    TilePtr made;
    if (spans_blocks_) {
        made = exchange_place().made.tile;
        ++meeting_;
        sent_ = false;
    } else {
        made = meeting().made;
        leave_barrier();
    }
    take_part(cells_of(result), *made, fresh(tiles_[result.id], part_of(result)));
}

void Process::synchronize_lanes(std::size_t w) {
    const auto agent = static_cast<std::size_t>(cluster_.agents().warp(block_, warps_[w]));
    Knowledge& k = known_[w];
    if (w == 0) k.global.learn(elected_);
    k.global.happened[agent] = k.happened[agent];
    k.global.fenced[agent] = fenced_[w];
}

void Process::learn_elected(const Knowledge& from) {
    known_[0].Clocks::learn(from);
    elected_.learn(from.global);
}

Outcome::Place Process::waiting_place() const {
    std::string text = fmt::format("`{}` waits here", role_.name);
    if (const auto wait = ir::barrier_wait(*at_)) {
        const ElementRef at = element_of(*wait);
        const BlockState& state = cluster_.blocks()[static_cast<std::size_t>(block_)];
        const Mbarrier& barrier = (wait->full ? state.full : state.empty)
                                      .at(wait->pipeline)[barrier_of(wait->pipeline, at.stage)];
        text = fmt::format("`{}` waits until stage {} of `{}` is {}: {} arrivals are missing",
                           role_.name, at.stage, wait->pipeline, wait->full ? "full" : "empty",
                           barrier.missing());
        if (barrier.missing_bytes() != 0)
            text += fmt::format(", {} bytes", barrier.missing_bytes());
    }
    if (const auto* await = ir::as<ir::Await>(*at_)) {
        const Counters& counters = *cluster_.launch().counters;
        text = fmt::format(
            "`{}` waits until `{}` has been incremented {} times, but it was incremented {} times",
            role_.name, element_text(*await, env_), env_.integer(await->count),
            counters.value(counters.place(await->counter, await->at, env_)));
    }
    if (ir::as<ir::WaitOrder>(*at_) != nullptr) {
        text = fmt::format("warpgroup {} of `{}` waits for its turn", order_index(), role_.name);
    }
    return {at_->span, text};
}

Process::ElementRef Process::element_of(const ir::BarrierWait& wait) const {
    const bool reads = wait.full && !wait.published_last;
    const auto found = cursors_.find({wait.pipeline, reads ? End::reader : End::writer});
    ElementRef at = found == cursors_.end() ? ElementRef{} : found->second;
    at.pipeline = wait.pipeline;
    if (!wait.published_last) return at;
    --at.number;
    if (at.stage == 0) at.round ^= 1U;
    at.stage = (at.stage == 0 ? ir::find_pipeline(kernel(), wait.pipeline)->stages : at.stage) - 1;
    return at;
}

void Process::advance(ElementRef& cursor) {
    ++cursor.number;
    if (++cursor.stage == ir::find_pipeline(kernel(), cursor.pipeline)->stages) {
        cursor.stage = 0;
        cursor.round ^= 1U;
    }
}

std::size_t Process::barrier_of(const std::string& pipeline, std::int64_t stage) const {
    const ir::Pipeline& found = *ir::find_pipeline(kernel(), pipeline);
    return static_cast<std::size_t>(stage + (found.parts > 1 ? index_ * found.stages : 0));
}

Process::ElementRef& Process::cursor(const std::string& pipeline, End end) {
    ElementRef& at = cursors_[{pipeline, end}];
    at.pipeline = pipeline;
    return at;
}

// ---- order -------------------------------------------------------------------------------------

Event Process::own_event(std::size_t w) {
    const std::int32_t agent = cluster_.agents().warp(block_, warps_[w]);
    return {agent, ++known_[w].happened[static_cast<std::size_t>(agent)]};
}

// Registers that a product in flight writes or reads are not to be touched, but by a further
// product onto the same sums.
void Process::check_registers(const ir::Op& op) {
    const auto refuse = [&](ir::Value v, const char* what) {
        throw Stop{Outcome::End::hazard,
                   fmt::format("`{}` is accessed while a product {} it, in {}", role_[v].name, what,
                               describe_program()),
                   {{op.span, ""}}};
    };
    const auto* mma = ir::as<ir::Mma>(op);
    ir::for_each_operand(op, [&](const ir::Value& v) {
        if (ir::as<ir::Wait>(op) != nullptr) return;
        if (is_in_flight(ir::Channel::products, made_by_[v.id])) refuse(v, "still writes");
    });
    ir::for_each_result(op, [&](const ir::Value& v) {
        if (!v) return;
        if (mma == nullptr && is_in_flight(ir::Channel::products, made_by_[v.id]))
            refuse(v, "still writes");
        if (is_in_flight(ir::Channel::products, read_by_[v.id])) refuse(v, "still reads");
    });
}

void Process::touch(std::int64_t block, std::size_t w, const SharedTile& tile, const Cells& cells,
                    Event event, Proxy proxy, bool write, std::int32_t lanes) {
    SharedMemory& memory = cluster_.blocks()[static_cast<std::size_t>(block)].shared;
    const auto conflict = memory.touch(tile, cells, {event, proxy, write, at_, lanes}, known_[w]);
    if (!conflict) return;
    const SharedMemory::Access& before = conflict->before;
    std::string where = fmt::format("byte {} of shared memory", conflict->byte);
    for (const ir::Buffer& b : kernel().buffers) {
        const std::int64_t size = b.type.rows * b.type.cols * bytes(b.type.dtype);
        if (conflict->byte < b.offset || conflict->byte >= b.offset + size * b.copies) continue;
        where += fmt::format(" ({}, copy {})", b.purpose, (conflict->byte - b.offset) / size);
    }
    const char* now = write ? "writes" : "reads";
    const char* then = before.write ? "written" : "read";
    const std::string text =
        conflict->of_lanes ? fmt::format(
                                 "`{}` {} {}, but the lanes of the warp have not synchronized "
                                 "since it was {} by `{}`, in which other lanes hold these cells",
                                 ir::kind(*at_), now, where, then, ir::kind(*before.op))
        : conflict->fence_missing
            ? fmt::format(
                  "`{}` {} {} by the async proxy, but no fence follows the ordinary accesses by "
                  "which it was {}",
                  ir::kind(*at_), now, where, then)
            : fmt::format("`{}` {} {}, but nothing orders it after the `{}` by which it was {}",
                          ir::kind(*at_), now, where, ir::kind(*before.op), then);
    throw Stop{Outcome::End::hazard,
               fmt::format("{}, in {}", text, describe_program()),
               {{at_->span, fmt::format("`{}` of role `{}`", ir::kind(*at_), role_.name)},
                {before.op->span, fmt::format("the `{}` before it", ir::kind(*before.op))}}};
}

std::int32_t Process::lanes_of(ir::Value v, const SharedTile& tile, std::int64_t column) const {
    const TilePart& part = cells_of(v);
    if (part.moves_matrices) {
        // Of other parts of a tile than whole matrices, each lane moves its own cells.
        constexpr std::int64_t matrix = 8;
        const bool whole =
            tile.whole.rows == 0 ||
            (tile.row % matrix == 0 && tile.col % matrix == 0 && tile.type.cols % matrix == 0);
        return whole ? SharedMemory::lanes_together : 0;
    }
    const bool in_place = tile.whole.rows == 0 && tile.type.dtype == part.type.dtype &&
                          (column == 0 || (part.period != 0 && column % part.period == 0));
    if (!in_place || part.lanes == 0) return 0;
    // Tiles whose rows have other lengths have other cells in a place.
    const std::int64_t row = tile.panel_cols() * bytes(tile.type.dtype);
    return static_cast<std::int32_t>(part.lanes * 4096 + row % 4096);
}

void Process::touch_fragment(const SharedTile& tile, const Cells& cells, bool write,
                             std::int32_t lanes) {
    const bool vector = cells.rows == 1 || cells.cols == 1;
    for (std::size_t w = 0; w < warps_.size(); ++w) {
        if (vector || warps_.size() == 1) {
            if (!write || w == 0) {
                touch(block_, w, tile, cells, own_event(w), Proxy::generic, write, lanes);
            }
            continue;
        }
        const auto first = static_cast<std::int64_t>(w) * rows_of_warp;
        for (std::int64_t r = first; r < cells.rows; r += rows_of_warp * warps_of_warpgroup) {
            const Cells mine{cells.row + r, std::min(rows_of_warp, cells.rows - r), cells.col,
                             cells.cols};
            touch(block_, w, tile, mine, own_event(w), Proxy::generic, write, lanes);
        }
    }
}

void Process::arrive(Mbarrier& barrier, std::size_t w, FunctionRef<std::string()> what) {
    if (weakened(Weakening::Kind::no_arrival)) return;
    const int times = weakened(Weakening::Kind::extra_arrival) && w == 0 ? 2 : 1;
    for (int i = 0; i < times; ++i) {
        if (barrier.arrive(known_[w], w == 0 ? &elected_ : nullptr)) continue;
        throw Stop{Outcome::End::hazard,
                   fmt::format("an arrival on {} that it does not count, in {}", what(),
                               describe_program()),
                   {{at_->span, ""}}};
    }
}

// ---- operations: registers and order
// --------------------------------------------------------------

void Process::execute(const ir::Splat& op) {
    splat(fresh(tiles_[op.result.id], part_of(op.result)), env_.evaluate(op.value));
}

void Process::execute(const ir::ReadNumber& op) { env_.set(op.name, first_cell(part(op.source))); }

void Process::execute(const ir::Map& op) {
    map_into(tiles_[op.result.id], part_of(op.result), op, tiles_, env_, places_of(op.result));
}

void Process::execute(const ir::Apply& op) {
    if (needs_others(*at_)) return take_made(op.result);
    apply_into(tiles_[op.result.id], part_of(op.result), op, part(op.source), places_of(op.source));
}

// What the lanes of one warp hold of a partial sum is not a number of its own here.
void Process::execute(const ir::Complete& op) {
    if (needs_others(*at_)) return take_made(op.result);
    tiles_[op.result.id] = tiles_[op.source.id];
}

void Process::execute(const ir::ScaleRows& op) {
    const ir::Scalar product = ir::mul(ir::element(0, Dtype::f32), ir::element(1, Dtype::f32));
    const ir::Map map{op.result, {op.source, op.factor}, product};
    map_into(tiles_[op.result.id], part_of(op.result), map, tiles_, env_);
}

// The emulator waits where the text says.
void Process::execute(const ir::PinWaits&) {}

// A turn changes who goes first, not what is known: nothing else may rely on it.
void Process::execute(const ir::WaitOrder&) {}

void Process::execute(const ir::ArriveOrder&) {
    if (weakened(Weakening::Kind::skip)) return;
    std::int64_t& turn = block().turns[role_.name];
    if (turn % role_.ordered_groups() != order_index()) {
        throw Stop{Outcome::End::hazard,
                   fmt::format("`{}` passes the turn of another warpgroup, in {}", role_.name,
                               describe_program()),
                   {{at_->span, ""}}};
    }
    ++turn;
}

void Process::execute(const ir::Copy& op) {
    tiles_[op.result.id] = tiles_[op.source.id];
    shared_[op.result.id] = shared_[op.source.id];
    elements_[op.result.id] = elements_[op.source.id];
}

void Process::execute(const ir::Print& op) {
    if (!is_elected()) return;
    cluster_.say(
        {at_->span, fmt::format("{}, {}: {}", role_.name, describe_program(), said(op, env_))});
}

void Process::execute(const ir::Assert& op) {
    const std::string why = op.tile ? failure(op, &part(op.tile), env_, places_of(op.tile))
                                    : failure(op, nullptr, env_);
    if (why.empty()) return;
    throw Stop{Outcome::End::assertion,
               fmt::format("{}, in {}", why, describe_program()),
               {{at_->span, ""}}};
}

void Process::execute(const ir::Field& op) {
    const ElementRef& element = elements_[op.element.id];
    shared_[op.result.id] = cluster_.stage_of(element.pipeline, op.field, element.stage);
}

void Process::execute(const ir::Window& op) {
    shared_[op.result.id] = shared_[op.source.id].window(role_.tile(op.result), op.row, op.col);
}

void Process::execute(const ir::Barrier& op) {
    if (weakened(Weakening::Kind::skip)) {
        generation_ = -1;
        return;
    }
    if (op.scope == ir::Scope::role || warps_.size() == 1) return leave_barrier();
    synchronize_lanes();
    Knowledge all(cluster_.agents().count());
    for (const Knowledge& k : known_) all.learn(k);
    for (Knowledge& k : known_) k.learn(all);
}

// The fence for all memory: what each thread did itself.
void Process::execute(const ir::FenceAsync& op) {
    if (weakened(Weakening::Kind::skip)) return;
    for (std::size_t w = 0; w < warps_.size(); ++w) {
        const auto agent = static_cast<std::size_t>(cluster_.agents().warp(block_, warps_[w]));
        known_[w].fence();
        if (op.global) fenced_[w] = known_[w].happened[agent];
    }
}

}  // namespace tkc::emulator
