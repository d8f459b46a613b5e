// The barriers of pipelines, and tiles in shared memory; process_global.cpp has what moves them to
// and from global memory.
#include <fmt/format.h>

#include <algorithm>

#include "emulator/scheduled/process.h"
#include "ir/warps.h"

namespace tkc::emulator {

namespace {

Cells whole(const SharedTile& tile) { return {0, tile.type.rows, 0, tile.type.cols}; }

}  // namespace

// ---- pipelines
// -----------------------------------------------------------------------------------

void Process::learn_from(const ir::Op& op) {
    const auto wait = ir::barrier_wait(op);
    if (weakened(Weakening::Kind::skip) || (wait->elected && !is_elected())) return;
    const ElementRef at = element_of(*wait);
    const auto& barriers = (wait->full ? block().full : block().empty).at(wait->pipeline);
    const Mbarrier& barrier = barriers[barrier_of(wait->pipeline, at.stage)];
    const Knowledge& phase = barrier.knowledge(phase_of(*wait, at));
    if (wait->elected) return learn_elected(phase);
    for (Knowledge& k : known_) k.learn(phase);
}

void Process::execute(const ir::Acquire& op) {
    learn_from(*at_);
    if (op.result) elements_[op.result.id] = cursor(op.pipeline, End::writer);
}

void Process::execute(const ir::Expect& op) {
    if (!is_elected()) return;
    const ElementRef& at = cursor(op.pipeline, End::writer);
    Mbarrier& barrier = block().full.at(op.pipeline)[static_cast<std::size_t>(at.stage)];
    std::int64_t expected = op.bytes;
    if (weakened(Weakening::Kind::fewer_bytes)) expected -= 16;
    if (weakened(Weakening::Kind::more_bytes)) expected += 16;
    barrier.expect(expected);
    arrive(barrier, 0, [&] { return barrier_text("full", at.stage, op.pipeline); });
    cluster_.settle_full(block_, op.pipeline, at.stage);
}

bool Process::all_know(const Event& event) const {
    return event.agent < 0 || std::all_of(known_.begin(), known_.end(), [&](const Knowledge& k) {
               return k.happened[static_cast<std::size_t>(event.agent)] >= event.time;
           });
}

void Process::go_on_with(std::int64_t fetched) {
    if (fetched < cluster_.launch().grid.programs()) programs_.push_back(fetched);
}

void Process::execute(const ir::FetchProgram& op) {
    const ElementRef& at = cursor(op.pipeline, End::writer);
    FetchedProgram& fetched = block().fetched_programs[static_cast<std::size_t>(at.stage)];
    const bool read = !fetched.number && std::all_of(fetched.reads.begin(), fetched.reads.end(),
                                                     [&](const Event& e) { return all_know(e); });
    if (!read) {
        throw Stop{Outcome::End::hazard,
                   fmt::format("a program is fetched before the previous one has been read, in {}",
                               describe_program()),
                   {{at_->span, ""}}};
    }
    fetched = {cluster_.launch().fetch_next_program++, own_event(0)};
    go_on_with(*fetched.number);
    arrive(block().full.at(op.pipeline)[static_cast<std::size_t>(at.stage)], 0,
           [&] { return barrier_text("full", at.stage, op.pipeline); });
    cluster_.settle_full(block_, op.pipeline, at.stage);
}

void Process::execute(const ir::SetProgram& op) {
    FetchedProgram& fetched =
        block().fetched_programs[static_cast<std::size_t>(elements_[op.element.id].stage)];
    if (!fetched.number || !all_know(fetched.written)) {
        throw Stop{
            Outcome::End::hazard,
            fmt::format("a program number is read before it is fetched, in {}", describe_program()),
            {{at_->span, ""}}};
    }
    for (std::size_t w = 0; w < warps_.size(); ++w) fetched.reads.push_back(own_event(w));
    go_on_with(*fetched.number);
}

void Process::execute(const ir::Publish& op) {
    ElementRef& at = cursor(op.pipeline, End::writer);
    if (op.arrives) {
        const std::size_t number = barrier_of(op.pipeline, at.stage);
        Mbarrier& barrier = block().full.at(op.pipeline)[number];
        for (std::size_t w = 0; w < warps_.size(); ++w) {
            if (op.fence && !weakened(Weakening::Kind::no_fence)) known_[w].fence();
            synchronize_lanes(w);  // before the first of them arrives
            arrive(barrier, w, [&] { return barrier_text("full", at.stage, op.pipeline); });
        }
        cluster_.settle_full(block_, op.pipeline, static_cast<std::int64_t>(number));
    }
    for (std::size_t w = 0; op.copies && w < warps_.size(); ++w)
        arrive_when_landed(op.pipeline, at, w);
    advance(at);
}

// Every lane of the warp, without a fence: what else it did, the arrival does not pass on.
void Process::arrive_when_landed(const std::string& pipeline, const ElementRef& at, std::size_t w) {
    const std::int64_t lanes = weakened(Weakening::Kind::no_arrival) ? 0 : ir::lanes_of_warp;
    const std::int64_t more = weakened(Weakening::Kind::extra_arrival) && w == 0 ? 1 : 0;
    const auto arrive = [this, pipeline, stage = at.stage, times = lanes + more, span = at_->span] {
        Mbarrier& barrier = block().full.at(pipeline)[static_cast<std::size_t>(stage)];
        for (std::int64_t i = 0; i < times; ++i) {
            if (barrier.arrive(Knowledge(cluster_.agents().count()))) continue;
            throw Stop{Outcome::End::hazard,
                       fmt::format("an arrival on the full barrier of stage {} of `{}` that it "
                                   "does not count, in {}",
                                   stage, pipeline, describe_program()),
                       {{span, ""}}};
        }
        cluster_.settle_full(block_, pipeline, stage);
    };
    const auto started = landings_.find({pipeline, w});
    if (started == landings_.end()) return arrive();
    started->second->arrive = arrive;
    const bool landed = started->second->under_way == 0;
    landings_.erase(started);
    if (landed) arrive();
}

void Process::execute(const ir::Take& op) {
    learn_from(*at_);
    ElementRef& at = cursor(op.pipeline, End::reader);
    elements_[op.result.id] = at;
    advance(at);
}

void Process::execute(const ir::Release& op) {
    const ElementRef& element = elements_[op.element.id];
    if (op.fence && !weakened(Weakening::Kind::no_fence)) {
        for (Knowledge& k : known_) k.fence();
    }
    if (op.after_reads) synchronize_lanes();
    const bool everywhere = ir::find_pipeline(kernel(), element.pipeline)->cluster > 1;
    for (std::size_t b = 0; b < cluster_.blocks().size(); ++b) {
        const auto target = static_cast<std::int64_t>(b);
        if (!everywhere && target != block_) continue;
        auto& barriers = cluster_.blocks()[b].empty.at(element.pipeline);
        const std::size_t number = barrier_of(element.pipeline, element.stage);
        for (std::size_t w = 0; w < warps_.size(); ++w) {
            arrive(barriers[number], w,
                   [&] { return barrier_text("empty", element.stage, element.pipeline); });
        }
        cluster_.settle_empty(target, element.pipeline, static_cast<std::int64_t>(number));
    }
}

// ---- shared memory and registers
// -------------------------------------------------------------------

SharedTile Process::copy_of(const std::string& buffer, const ir::Scalar& copy,
                            ir::Value held) const {
    SharedTile tile = cluster_.tile_of(buffer, env_.integer(copy));
    if (!held) return tile;
    const ir::Buffer& found = *ir::find_buffer(kernel(), buffer);
    const std::string& stages = found.over.empty() ? buffer : found.over;
    const std::int64_t stage = elements_[held.id].stage;
    tile.base += cluster_.tile_of(stages, stage).base - cluster_.tile_of(stages, 0).base;
    return tile;
}

// The rows `there` of a register tile are columns of `tile`; those of each warp of a warpgroup are
// other ones. f(one cell of `tile`, row and column of the part).
template <class F>
void Process::walk_transposed(const SharedTile& tile, const Cells& there, bool write, F&& f) {
    for (std::int64_t r = 0; r < there.rows; ++r) {
        const auto warp = static_cast<std::size_t>(r / ir::rows_of_warp) % warps_.size();
        const Cells column{there.col, there.cols, there.row + r, 1};
        touch(block_, warp, tile, column, own_event(warp), Proxy::generic, write);
        for (std::int64_t c = 0; c < there.cols; ++c)
            f(Cells{there.col + c, 1, there.row + r, 1}, r, c);
    }
}

void Process::execute(const ir::WriteShared& op) {
    const SharedTile tile = copy_of(op.buffer, op.copy, op.held);
    const std::int64_t column = env_.integer(op.column);
    if (op.transposed) {
        const Cells rows{0, tile.type.cols, 0, tile.type.rows};
        walk_transposed(tile, rows, true, [&](const Cells& there, std::int64_t r, std::int64_t c) {
            block().shared.write(tile, there, part(op.source), column + r, c);
        });
        return;
    }
    touch_fragment(tile, whole(tile), true, lanes_of(op.source, tile, column));
    block().shared.write(tile, whole(tile), part(op.source), 0, column);
}

// f(cells of the role's tile, row, column of the part) for what the process holds of a tile.
template <class F>
void Process::for_each_rectangle(ir::Value v, F&& f) const {
    const TilePart& part = cells_of(v);
    if (part.rows.empty() || part.cols.empty()) return;
    const bool rectangle =
        part.runs.size() == 1 && part.rows.back() - part.rows.front() + 1 == part.type.rows;
    if (rectangle) {
        f(Cells{part.rows[0], part.type.rows, part.cols[0], part.type.cols}, 0, 0);
        return;
    }
    for (std::size_t i = 0; i < part.rows.size(); ++i) {
        for (const auto& [first, count] : part.runs) {
            f(Cells{part.rows[i], 1, part.cols[static_cast<std::size_t>(first)], count},
              static_cast<std::int64_t>(i), first);
        }
    }
}

void Process::execute(const ir::BufferTile& op) {
    shared_[op.result.id] = cluster_.tile_of(op.buffer, env_.integer(op.copy));
}

// A warp of a role of warps holds stretches of cells; a warpgroup a rectangle.
void Process::execute(const ir::WriteTile& op) {
    const SharedTile& tile = shared_[op.target.id];
    const Tile& source = part(op.source);
    const TilePart& cells = cells_of(op.source);
    if (!cells.writes) return;
    for_each_rectangle(op.source, [&](const Cells& there, std::int64_t row, std::int64_t col) {
        if (op.transposed) {
            walk_transposed(tile, there, true,
                            [&](const Cells& cell, std::int64_t r, std::int64_t c) {
                                block().shared.write(tile, cell, source, row + r, col + c);
                            });
            return;
        }
        touch_fragment(tile, there, true, lanes_of(op.source, tile));
        block().shared.write(tile, there, source, row, col);
    });
}

void Process::execute(const ir::ReadShared& op) {
    const SharedTile& tile = shared_[op.source.id];
    Tile& result = fresh(tiles_[op.result.id], part_of(op.result));
    for_each_rectangle(op.result, [&](const Cells& there, std::int64_t row, std::int64_t col) {
        if (op.transposed) {
            walk_transposed(tile, there, false,
                            [&](const Cells& cell, std::int64_t r, std::int64_t c) {
                                block().shared.read(tile, cell, result, row + r, col + c);
                            });
            return;
        }
        touch_fragment(tile, there, false, op.in_place ? 0 : lanes_of(op.result, tile));
        block().shared.read(tile, there, result, row, col);
    });
}

}  // namespace tkc::emulator
