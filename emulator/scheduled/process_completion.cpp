// Products, and how what a process issued completes (ir/completion.h).
#include <algorithm>

#include "emulator/product.h"
#include "emulator/scheduled/process.h"
#include "ir/completion.h"
#include "ir/warps.h"

namespace tkc::emulator {

using ir::rows_of_warp;
using ir::warps_of_warpgroup;

// A warp of a role of warps, and its own rows and columns of the result: it is over at once.
void Process::multiply_now(const ir::Mma& op) {
    const TilePart& mine = cells_of(op.result);
    if (mine.rows.empty() || mine.cols.empty()) return;
    // Some rows (columns) of a shared tile, and all that there is of them.
    const auto lines = [&](ir::Value v, const std::vector<std::int64_t>& which, bool rows) {
        const SharedTile& tile = shared_[v.id];
        const auto count = static_cast<std::int64_t>(which.size());
        Tile made(tile.type.dtype, rows ? count : tile.type.rows, rows ? tile.type.cols : count);
        for (std::size_t i = 0; i < which.size();) {
            std::size_t end = i + 1;
            while (end < which.size() && which[end] == which[end - 1] + 1) ++end;
            const auto length = static_cast<std::int64_t>(end - i);
            const Cells there = rows ? Cells{which[i], length, 0, tile.type.cols}
                                     : Cells{0, tile.type.rows, which[i], length};
            touch_fragment(tile, there, false);
            const auto first = static_cast<std::int64_t>(i);
            block().shared.read(tile, there, made, rows ? first : 0, rows ? 0 : first);
            i = end;
        }
        return made;
    };
    const Tile a = role_.tile(op.a).space == ir::Space::registers
                       ? *tiles_[op.a.id]
                       : lines(op.a, mine.rows, !op.a_transposed);
    const Tile b = lines(op.b, mine.cols, op.b_transposed);
    TilePtr& slot = tiles_[op.result.id];
    Tile& sums = op.accumulate ? own(slot) : fresh(slot, part_of(op.result));
    multiply(sums, op, a, b);
}

void Process::execute(const ir::Mma& op) {
    if (op.synchronous) return multiply_now(op);
    const ir::TileType& result = part_of(op.result);
    const std::optional<ir::Axis> divided = ir::divided_axis(role_, op.result);
    const std::int64_t number = issue(ir::Channel::products);

    // The parts of the operands that this warpgroup's product reads.
    struct Operand {
        TilePtr registers;
        SharedTile tile;
        Cells cells;
        Tile get(const SharedMemory& memory) const {
            if (registers) return *registers;
            Tile part(tile.type.dtype, cells.rows, cells.cols);
            memory.read(tile, cells, part);
            return part;
        }
    };
    const auto whole = [](const SharedTile& t) { return Cells{0, t.type.rows, 0, t.type.cols}; };
    Operand a;
    Operand b;
    if (role_.tile(op.a).space == ir::Space::registers) {
        a.registers = tiles_[op.a.id];
        read_by_[op.a.id] = number;
    } else {
        a.tile = shared_[op.a.id];
        a.cells = whole(a.tile);
        if (divided == ir::Axis::row) {
            (op.a_transposed ? a.cells.col : a.cells.row) = index_ * result.rows;
            (op.a_transposed ? a.cells.cols : a.cells.rows) = result.rows;
        }
    }
    b.tile = shared_[op.b.id];
    b.cells = whole(b.tile);
    if (divided == ir::Axis::col) {
        (op.b_transposed ? b.cells.row : b.cells.col) = index_ * result.cols;
        (op.b_transposed ? b.cells.rows : b.cells.cols) = result.cols;
    }
    made_by_[op.result.id] = number;

    for (std::size_t w = 0; w < warps_.size(); ++w) {
        const Event event{cluster_.agents().channel(block_, warps_[w], ir::Channel::products),
                          static_cast<std::int32_t>(number)};
        touch(block_, w, b.tile, b.cells, event, Proxy::async, false);
        if (a.registers) continue;
        // PTX does not say which warp's tensor core reads which rows.
        touch(block_, w, a.tile, a.cells, event, Proxy::async, false, SharedMemory::rows_of_others);
        const auto first = static_cast<std::int64_t>(w) * rows_of_warp;
        for (std::int64_t r = first; r < result.rows; r += rows_of_warp * warps_of_warpgroup) {
            Cells mine = a.cells;
            (op.a_transposed ? mine.col : mine.row) += r;
            (op.a_transposed ? mine.cols : mine.rows) = std::min(rows_of_warp, result.rows - r);
            touch(block_, w, a.tile, mine, event, Proxy::async, false);
        }
    }
    const auto run = [this, &op, a, b, result] {
        const SharedMemory& memory = block().shared;
        TilePtr& slot = tiles_[op.result.id];
        Tile& sums = op.accumulate ? own(slot) : fresh(slot, result);
        multiply(sums, op, a.get(memory), b.get(memory));
    };
    line(ir::Channel::products).in_flight.push_back({number, run});
}

// ---- completion --------------------------------------------------------------------------------

bool Process::has_in_flight() const {
    return std::any_of(lines_.begin(), lines_.end(),
                       [](const Line& line) { return !line.in_flight.empty(); });
}

void Process::complete(ir::Channel channel, std::size_t place) {
    auto& in_flight = line(channel).in_flight;
    const auto at = in_flight.begin() + static_cast<std::ptrdiff_t>(place);
    const std::function<void()> run = std::move(at->run);
    in_flight.erase(at);
    if (run) run();
}

void Process::complete_one(std::uint64_t which) {
    std::vector<std::pair<ir::Channel, std::size_t>> next;
    for (const ir::Channel channel : ir::all_channels) {
        std::size_t choices = line(channel).in_flight.size();
        if (ir::completes_in_order(channel)) choices = std::min<std::size_t>(choices, 1);
        for (std::size_t i = 0; i < choices; ++i) next.emplace_back(channel, i);
    }
    const auto& [channel, place] = next[which % next.size()];
    complete(channel, place);
}

void Process::execute(const ir::Wait& op) {
    if (weakened(Weakening::Kind::skip)) return;
    Line& waited = line(op.channel);
    const std::int64_t left = op.pending + (weakened(Weakening::Kind::one_more) ? 1 : 0);
    waited.over = std::max(waited.over, waited.issued - left);
    const auto complete_all = [&](ir::Channel channel) {
        const auto& in_flight = line(channel).in_flight;
        for (std::size_t i = 0; i < in_flight.size();) {
            if (in_flight[i].number > waited.over) ++i;
            else complete(channel, i);
        }
    };
    if (const auto before = ir::completes_before(op.channel)) {
        complete_all(*before);
        learn_over(*before, waited.over);
    }
    complete_all(op.channel);
    learn_over(op.channel, waited.over);
}

// What was issued in the channel up to `number` is over. Bulk stores that have written memory are
// complete: no fence is needed after them.
void Process::learn_over(ir::Channel channel, std::int64_t number) {
    Line& learned = line(channel);
    learned.over = std::max(learned.over, number);
    const auto time = static_cast<std::int32_t>(learned.over);
    const auto raise = [&](Clock& clock, std::int32_t agent) {
        auto& known = clock[static_cast<std::size_t>(agent)];
        known = std::max(known, time);
    };
    for (std::size_t w = 0; w < warps_.size(); ++w) {
        const std::int32_t agent = cluster_.agents().channel(block_, warps_[w], channel);
        if (channel == ir::Channel::store_writes) {
            raise(elected_.happened, agent);
            raise(elected_.fenced, agent);
        } else {
            raise(known_[w].happened, agent);
        }
        if (ir::is_of_elected_lane(channel)) return;  // the first warp's
    }
}

}  // namespace tkc::emulator
