// What moves tiles, and the barriers of pipelines.
#include <fmt/format.h>

#include <algorithm>

#include "emulator/scheduled/process.h"
#include "emulator/slices.h"
#include "ir/reflect.h"

namespace tkc::emulator {

namespace {

Cells whole(const SharedTile& tile) { return {0, tile.type.rows, 0, tile.type.cols}; }

// A bulk store writes units of 16 bytes whole, also the one in which a row of the tensor ends.
Window whole_units(Window window, const Tensor& tensor) {
    const std::int64_t unit = 16 / bytes(tensor.dtype);
    const std::int64_t elements =
        static_cast<std::int64_t>(tensor.storage.size()) / bytes(tensor.dtype);
    if (window.col_begin >= window.col_end || window.row_begin >= window.row_end) return window;
    const std::int64_t last_row = window.row_end - 1;
    while (window.element(0, window.col_end) % unit != 0 &&
           window.element(last_row, window.col_end) < elements) {
        ++window.col_end;
    }
    return window;
}

}  // namespace

// ---- pipelines
// -----------------------------------------------------------------------------------

void Process::execute(const ir::Acquire& op) {
    const ElementRef& at = cursor(op.pipeline);
    if (!weakened(Weakening::Kind::skip) && (!op.elected || is_elected())) {
        const Mbarrier& barrier = block().empty.at(op.pipeline)[static_cast<std::size_t>(at.stage)];
        const std::size_t learners = op.elected ? 1 : known_.size();
        for (std::size_t w = 0; w < learners; ++w) {
            known_[w].learn(barrier.knowledge(at.round ^ 1U));
        }
    }
    if (op.result) elements_[op.result.id] = at;
}

void Process::execute(const ir::Expect& op) {
    if (!is_elected()) return;
    const ElementRef& at = cursor(op.pipeline);
    Mbarrier& barrier = block().full.at(op.pipeline)[static_cast<std::size_t>(at.stage)];
    std::int64_t expected = op.bytes;
    if (weakened(Weakening::Kind::fewer_bytes)) expected -= 16;
    if (weakened(Weakening::Kind::more_bytes)) expected += 16;
    barrier.expect(expected);
    arrive(barrier, 0, fmt::format("the full barrier of stage {} of `{}`", at.stage, op.pipeline));
    cluster_.settle_full(block_, op.pipeline, at.stage);
}

void Process::execute(const ir::TmaLoad& op) {
    if (!is_elected()) return;
    const ElementRef at = cursor(op.pipeline);
    const SharedTile tile = cluster_.tile_of(op.pipeline + "." + op.field, at.stage);
    const Tensor& source = tensor(op.source.tensor);
    Window window =
        window_of(op.source, source, tile.type.rows, tile.type.cols, env_, Edges::of_tensor);
    Cells cells = whole(tile);
    std::vector<std::int64_t> targets{block_};
    if (op.multicast != ir::Split::none) {
        const auto blocks = static_cast<std::int64_t>(cluster_.blocks().size());
        targets.clear();
        for (std::int64_t b = 0; b < blocks; ++b) targets.push_back(b);
        const bool by_rows = op.multicast == ir::Split::rows;
        (by_rows ? cells.rows : cells.cols) /= blocks;
        (by_rows ? cells.row : cells.col) = block_ * (by_rows ? cells.rows : cells.cols);
        window = shifted(window, cells.row, cells.col);
    }
    for (const std::int64_t target : targets) {
        BlockState& state = cluster_.blocks()[static_cast<std::size_t>(target)];
        Mbarrier& barrier = state.full.at(op.pipeline)[static_cast<std::size_t>(at.stage)];
        const Event event{cluster_.agents().full(target, op.pipeline, at.stage),
                          static_cast<std::int32_t>(barrier.phase() + 1)};
        touch(target, 0, tile, cells, event, Proxy::async, true);
        barrier.note(event);
        cluster_.start_copy(
            [this, &source, &state, &barrier, &op, target, tile, cells, window, at] {
                Tile landed(tile.type.dtype, cells.rows, cells.cols);
                read_window(source, window, landed);
                state.shared.write(tile, cells, landed);
                barrier.land(cells.rows * cells.cols * bytes(tile.type.dtype));
                cluster_.settle_full(target, op.pipeline, at.stage);
            });
    }
}

void Process::execute(const ir::CopyLoad& op) {
    const ElementRef& at = cursor(op.pipeline);
    const SharedTile tile = cluster_.tile_of(op.pipeline + "." + op.field, at.stage);
    const Tensor& source = tensor(op.source.tensor);
    Tile cells(tile.type);
    read_window(source, window_of(op.source, source, cells.rows, cells.cols, env_), cells);
    // Neighbouring lanes take neighbouring cells: 32 in a row are one warp's.
    constexpr std::int64_t lanes = 32;
    for (std::int64_t r = 0; r < cells.rows; ++r) {
        for (std::int64_t c = 0; c < cells.cols; c += lanes) {
            const std::int64_t warp = (r * cells.cols + c) / lanes % role_.warps();
            for (std::size_t w = 0; w < warps_.size(); ++w) {
                if (warps_[w] - role_.first_warp != warp) continue;
                const Cells run{r, 1, c, std::min(lanes, cells.cols - c)};
                touch(block_, w, tile, run, own_event(w), Proxy::generic, true);
                block().shared.write(tile, run, emulator::part(cells, r, 1, c, run.cols));
            }
        }
    }
}

void Process::execute(const ir::Publish& op) {
    const ElementRef& at = cursor(op.pipeline);
    if (op.arrives) {
        Mbarrier& barrier = block().full.at(op.pipeline)[static_cast<std::size_t>(at.stage)];
        for (std::size_t w = 0; w < warps_.size(); ++w) {
            if (op.fence && !weakened(Weakening::Kind::no_fence)) known_[w].fence();
            arrive(barrier, w,
                   fmt::format("the full barrier of stage {} of `{}`", at.stage, op.pipeline));
        }
        cluster_.settle_full(block_, op.pipeline, at.stage);
    }
    advance(op.pipeline);
}

void Process::execute(const ir::Take& op) {
    const ElementRef& at = cursor(op.pipeline);
    if (!weakened(Weakening::Kind::skip)) {
        const Mbarrier& barrier = block().full.at(op.pipeline)[static_cast<std::size_t>(at.stage)];
        for (Knowledge& k : known_) k.learn(barrier.knowledge(at.round));
    }
    elements_[op.result.id] = at;
    advance(op.pipeline);
}

void Process::execute(const ir::Release& op) {
    const ElementRef& element = elements_[op.element.id];
    if (op.fence && !weakened(Weakening::Kind::no_fence)) {
        for (Knowledge& k : known_) k.fence();
    }
    const bool everywhere = ir::find_pipeline(kernel(), element.pipeline)->cluster > 1;
    for (std::size_t b = 0; b < cluster_.blocks().size(); ++b) {
        const auto target = static_cast<std::int64_t>(b);
        if (!everywhere && target != block_) continue;
        auto& barriers = cluster_.blocks()[b].empty.at(element.pipeline);
        for (std::size_t w = 0; w < warps_.size(); ++w) {
            arrive(barriers[static_cast<std::size_t>(element.stage)], w,
                   fmt::format("the empty barrier of stage {} of `{}`", element.stage,
                               element.pipeline));
        }
        cluster_.settle_empty(target, element.pipeline, element.stage);
    }
}

// ---- shared memory and registers
// -------------------------------------------------------------------

SharedTile Process::copy_of(const std::string& buffer, const ir::Scalar& copy,
                            ir::Value held) const {
    SharedTile tile = cluster_.tile_of(buffer, env_.integer(copy));
    if (!held) return tile;
    const std::string& stages = ir::find_buffer(kernel(), buffer)->over;
    const std::int64_t stage = elements_[held.id].stage;
    tile.base += cluster_.tile_of(stages, stage).base - cluster_.tile_of(stages, 0).base;
    return tile;
}

void Process::execute(const ir::WriteShared& op) {
    const SharedTile tile = copy_of(op.buffer, op.copy, op.held);
    const Tile& source = part(op.source);
    const Tile columns =
        emulator::part(source, 0, source.rows, env_.integer(op.column), tile.type.cols);
    touch_fragment(tile, whole(tile), true);
    block().shared.write(tile, whole(tile), columns);
}

void Process::execute(const ir::BufferTile& op) {
    shared_[op.result.id] = cluster_.tile_of(op.buffer, env_.integer(op.copy));
}

/// Every warp has all of the tile here; it writes the cells that its threads hold on the device.
void Process::write_stripes(const SharedTile& tile, const Tile& source) {
    const std::int64_t groups = 32 * role_.warps() / role_.row_lanes;
    const std::int64_t width = std::min<std::int64_t>(role_.row_lanes, 32) * role_.row_vector;
    const std::int64_t warps_of_row = std::max<std::int64_t>(role_.row_lanes / 32, 1);
    for (std::int64_t row = 0; row < source.rows; ++row) {
        const std::int64_t first = row % groups * role_.row_lanes / 32;
        for (std::int64_t col = 0; col < source.cols; col += width) {
            if (first + col / width % warps_of_row != index_) continue;
            Tile part(ir::TileType{tile.type.dtype, 1, std::min(width, source.cols - col),
                                   ir::Space::registers});
            for (std::int64_t i = 0; i < part.cols; ++i) {
                const std::size_t from = source.at(row, col + i);
                if (source.is_real()) part.reals[part.at(0, i)] = source.reals[from];
                else part.integers[part.at(0, i)] = source.integers[from];
            }
            const Cells mine{row, 1, col, part.cols};
            touch_fragment(tile, mine, true);
            block().shared.write(tile, mine, part);
        }
    }
}

void Process::execute(const ir::WriteTile& op) {
    const SharedTile& tile = shared_[op.target.id];
    const Tile& source = part(op.source);
    if (role_[op.source].split == ir::Split::stripes) {
        write_stripes(tile, source);
        return;
    }
    const Cells mine{first_row(op.source), source.rows, first_col(op.source), source.cols};
    touch_fragment(tile, mine, true);
    block().shared.write(tile, mine, source);
}

void Process::execute(const ir::ReadShared& op) {
    const SharedTile& tile = shared_[op.source.id];
    Tile& result = fresh(tiles_[op.result.id], part_of(op.result));
    const Cells mine{first_row(op.result), result.rows, first_col(op.result), result.cols};
    touch_fragment(tile, mine, false);
    block().shared.read(tile, mine, result);
}

// ---- global memory
// -----------------------------------------------------------------------------------

void Process::write_global(const ir::Slice& slice, const Window& window, const Tile& tile,
                           std::int64_t program, const ir::Op& op) {
    ScheduledLaunch& launch = cluster_.launch();
    write_window(tensor(slice.tensor), window, tile,
                 [&](std::int64_t element, std::int64_t count, std::int64_t stride) {
                     const auto other =
                         launch.log.wrote(slice.tensor, program, element, count, stride);
                     if (!other) return;
                     throw Stop{Outcome::End::hazard,
                                fmt::format("{} and {} write the same elements of `{}`",
                                            launch.grid.describe(*other),
                                            launch.grid.describe(program), slice.tensor),
                                {{op.span, ""}}};
                 });
}

void Process::execute(const ir::TmaStore& op) {
    if (!is_leader()) return;
    ++issued_stores_;
    const SharedTile tile = copy_of(op.buffer, op.copy, op.held);
    const Event event{cluster_.agents().bulk_stores(block_, warps_[0]),
                      static_cast<std::int32_t>(issued_stores_)};
    touch(block_, 0, tile, whole(tile), event, Proxy::async, false);
    const Tensor& target = tensor(op.target.tensor);
    const Window window =
        whole_units(window_of(op.target, target, tile.type.rows, tile.type.cols, env_), target);
    stores_.emplace_back([this, &op, tile, window, program = program_, at = at_] {
        Tile source(tile.type);
        block().shared.read(tile, whole(tile), source);
        write_global(op.target, window, source, program, *at);
    });
}

void Process::execute(const ir::CopyStore& op) {
    const SharedTile tile = copy_of(op.buffer, op.copy, op.held);
    for (std::size_t w = 0; w < warps_.size(); ++w) {
        touch(block_, w, tile, whole(tile), own_event(w), Proxy::generic, false);
    }
    Tile source(tile.type);
    block().shared.read(tile, whole(tile), source);
    write_global(
        op.target,
        window_of(op.target, tensor(op.target.tensor), tile.type.rows, tile.type.cols, env_),
        source, program_, *at_);
    if (!is_leader()) return;
    ++issued_stores_;
    stores_.emplace_back([] {});
}

bool Process::run_store() {
    if (stores_.empty()) return false;
    const std::function<void()> store = std::move(stores_.front());
    stores_.pop_front();
    store();
    return true;
}

void Process::execute(const ir::BulkWait& op) {
    if (!is_leader() || weakened(Weakening::Kind::skip)) return;
    const std::int64_t left = op.pending + (weakened(Weakening::Kind::one_more) ? 1 : 0);
    while (static_cast<std::int64_t>(stores_.size()) > left) run_store();
    const auto agent = static_cast<std::size_t>(cluster_.agents().bulk_stores(block_, warps_[0]));
    auto& known = known_[0].happened[agent];
    known = std::max(known, static_cast<std::int32_t>(issued_stores_ - left));
}

void Process::execute(const ir::StoreCells& op) {
    const Tile& source = part(op.source);
    const ir::TileType& role_tile = role_.tile(op.source);
    const Window window = shifted(
        window_of(op.target, tensor(op.target.tensor), role_tile.rows, role_tile.cols, env_),
        first_row(op.source), first_col(op.source));
    write_global(op.target, window, source, program_, *at_);
}

void Process::execute(const ir::LoadCells& op) {
    const ir::TileType& role_tile = role_.tile(op.result);
    const Tensor& source = tensor(op.source.tensor);
    const Window window =
        shifted(window_of(op.source, source, role_tile.rows, role_tile.cols, env_),
                first_row(op.result), first_col(op.result));
    read_window(source, window, fresh(tiles_[op.result.id], part_of(op.result)));
}

}  // namespace tkc::emulator
