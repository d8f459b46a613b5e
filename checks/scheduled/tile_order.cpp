// Ways from a write of a shared tile to other accesses, and back.
#include "checks/scheduled/tile_order.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>

#include "ir/layout.h"
#include "ir/walk.h"
#include "ir/ways.h"
#include "tiles/reduction.h"

namespace tkc::checks {

namespace {

using namespace ir;

// 8 x 8 matrices of 16 bits move between registers and shared memory by the addresses that other
// lanes give (ptx/matrix.cuh), so a lane does not reach its own cells alone.
bool may_move_matrices(const Role& role, Value v) {
    const std::vector<LayoutMode> fragment{{Axis::col, 4, 2}, {Axis::row, 8, 1}};
    return bits_of(role.tile(v).dtype) == 16 && layout_of(role, v).lanes == fragment;
}

}  // namespace

class TileOrder::Walk {
public:
    Walk(const Role& role, bool again) : role_(role), windows_(role), again_(again) {
        Way way;
        find_writes(role.body, way);
        for (TileWrite& write : writes_) describe(write);
        find_candidates(role.body);
    }

    bool holds(const std::set<const Op*>& dropped) const {
        return std::all_of(writes_.begin(), writes_.end(),
                           [&](const TileWrite& write) { return is_ordered(write, dropped); });
    }

    // The meetings by which they are ordered.
    std::set<const Op*> meetings(const std::set<const Op*>& dropped) const {
        met_.clear();
        holds(dropped);
        return met_;
    }

    const std::vector<const Op*>& candidates() const { return candidates_; }

private:
    using Dropped = std::set<const Op*>;

    // How an operation itself touches a tile.
    enum class Touch : std::uint8_t {
        none,
        same_thread,  // each thread the cells that it writes in the write that is looked at
        same_warp,    // read by each warp as whole matrices, where it writes in that write
        ordinary,
        product,  // of warpgroups, through the async proxy
    };
    // A write of a shared tile, and what is needed around it.
    struct TileWrite {
        Way way;  // the last place is the write
        Value tile;
        const Op* op = nullptr;
        // The tile has two buffers, which the steps of the loop around the write take in turn.
        bool alternates = false;
        // Products of warpgroups read it.
        bool has_products = false;
        // Something else touches the tile: whatever surrounds the write stays.
        bool is_opaque = false;
        std::set<const Op*> surroundings{};
        // How operations touch the tile, those that do: ways use them again and again.
        std::unordered_map<const Op*, Touch> touches{};
    };

    // What comes first on a way.
    enum class Found : std::uint8_t { meeting, access, nothing };
    // Which accesses a way must not reach.
    struct Search {
        const TileWrite& write;
        const Dropped& dropped;
        bool forward = true;
        bool products = false;  // those of products, which need a fence first; else the others
        bool fenced = false;
        bool any_access = false;  // whether there is one at all: no meeting ends a way
    };

    // ---- what there is

    void find_writes(const Block& block, Way& way) {
        way.push_back({&block, 0});
        for (std::size_t i = 0; i < block.size(); ++i) {
            way.back().place = i;
            if (const auto* write = as<WriteTile>(block[i]))
                writes_.push_back({way, windows_.whole(write->target), &block[i]});
            for_each_block(block[i], [&](const Block& inner) { find_writes(inner, way); });
        }
        way.pop_back();
    }

    void describe(TileWrite& write) {
        const Block& block = *write.way.back().block;
        const std::size_t here = write.way.back().place;
        const For* loop = loop_around(write.way);
        walk(role_.body, [&](const Op& op) {
            const Touch touched = find_touch(op, write);
            if (touched != Touch::none) write.touches.emplace(&op, touched);
            const auto* tile = as<BufferTile>(op);
            if (tile != nullptr && tile->result == write.tile) {
                if (loop != nullptr && symbols_of(tile->copy).contains(loop->var))
                    write.alternates = true;
                return;
            }
            write.has_products = write.has_products || touched == Touch::product;
            if (touched != Touch::none && !is_understood(op)) write.is_opaque = true;
        });
        for (std::size_t i = here; i-- > 0 && surrounds(block[i]);)
            write.surroundings.insert(&block[i]);
        for (std::size_t i = here + 1; i < block.size() && surrounds(block[i]); ++i)
            write.surroundings.insert(&block[i]);
    }

    static bool surrounds(const Op& op) {
        return as<Barrier>(op) != nullptr || is_fence(op) || as<BufferTile>(op) != nullptr;
    }
    static bool is_fence(const Op& op) { return as<FenceAsync>(op) != nullptr; }

    // Operations that read or write a tile as is described here. Others, such as a store from where
    // the tile is, or a second name for it, have an order of their own.
    static bool is_understood(const Op& op) {
        return as<ReadShared>(op) != nullptr || as<WriteTile>(op) != nullptr ||
               as<Mma>(op) != nullptr;
    }

    static const For* loop_around(const Way& way) {
        if (way.size() < 2) return nullptr;
        const Inside& outer = way[way.size() - 2];
        return as<For>(outer.op());
    }

    // A fence after a write of a tile is for that tile; the others are for stages and buffers.
    void find_candidates(const Block& block) {
        const Op* before = nullptr;
        for (const Op& op : block) {
            if (as<Barrier>(op) != nullptr) candidates_.push_back(&op);
            const bool of_tile =
                before != nullptr && (as<WriteTile>(*before) != nullptr || is_fence(*before));
            if (is_fence(op) && of_tile && !std::get<FenceAsync>(op.node).global)
                candidates_.push_back(&op);
            before = &op;
            for_each_block(op, [&](const Block& inner) { find_candidates(inner); });
        }
    }

    static Touch touch_of(const Op& op, const TileWrite& write) {
        const auto found = write.touches.find(&op);
        return found == write.touches.end() ? Touch::none : found->second;
    }
    Touch find_touch(const Op& op, const TileWrite& write) const {
        const auto* other = as<WriteTile>(op);
        const bool writes = other != nullptr && windows_.whole(other->target) == write.tile;
        if (!writes && !windows_.reads(op, write.tile)) return Touch::none;
        if (const auto* mma = as<Mma>(op); mma != nullptr && !mma->synchronous)
            return Touch::product;
        const auto* read = as<ReadShared>(op);
        if (writes && other->target == write.tile &&
            by_same_threads(write, other->source, other->transposed))
            return Touch::same_thread;
        if (read != nullptr && read->source == write.tile && !read->in_place &&
            by_same_threads(write, read->result, read->transposed))
            return Touch::same_thread;
        if (read != nullptr && reads_own_matrices(write, *read)) return Touch::same_warp;
        return Touch::ordinary;
    }

    // Whether each warp reads matrices of rows that it alone writes in the write. One instruction
    // reads for all of its lanes, so none of them can overwrite too early; what it has written, a
    // lane sees after the next meeting alone.
    bool reads_own_matrices(const TileWrite& write, const ReadShared& read) const {
        const auto& op = std::get<WriteTile>(write.op->node);
        const TileType& part = role_.tile(read.result);
        const Window* window = windows_.window(read.source);
        constexpr std::int64_t matrix = 8;
        const bool whole = part.cols % matrix == 0 &&
                           (window == nullptr || (window->row == 0 && window->col % matrix == 0));
        if (op.transposed || read.transposed || read.in_place || op.target != write.tile || !whole)
            return false;
        if (role_[op.source].layout.empty() || role_[read.result].layout.empty()) return false;
        return may_move_matrices(role_, op.source) && may_move_matrices(role_, read.result) &&
               part.rows == role_.tile(op.source).rows &&
               have_same_rows(layout_of(role_, op.source), layout_of(role_, read.result));
    }

    // Whether warps divide rows alone, both times the same ones.
    static bool have_same_rows(const Layout& a, const Layout& b) {
        const auto by_rows = [](const std::vector<LayoutMode>& level) {
            return std::all_of(level.begin(), level.end(),
                               [](const LayoutMode& mode) { return mode.axis == Axis::row; });
        };
        const auto rows_of = [](const std::vector<LayoutMode>& level) {
            std::vector<LayoutMode> rows;
            std::copy_if(level.begin(), level.end(), std::back_inserter(rows),
                         [](const LayoutMode& mode) { return mode.axis == Axis::row; });
            return rows;
        };
        return by_rows(a.warps) && a.warps == b.warps && a.blocks == b.blocks &&
               rows_of(a.registers) == rows_of(b.registers);
    }

    // Whether each thread touches the cells of the register tile `v` in the shared tile that it
    // writes there, and no others.
    bool by_same_threads(const TileWrite& write, Value v, bool transposed) const {
        const auto& op = std::get<WriteTile>(write.op->node);
        if (op.transposed || transposed || op.target != write.tile) return false;
        if (role_[op.source].layout.empty() || role_[v].layout.empty()) return false;
        if (may_move_matrices(role_, op.source) || may_move_matrices(role_, v)) return false;
        const Layout first = layout_of(role_, op.source);
        const Layout second = layout_of(role_, v);
        return same_pattern(first, second) && !is_replicated(first) && !is_replicated(second);
    }

    bool meets(const Op& op) const {
        const auto [known, fresh] = meets_.try_emplace(&op, false);
        if (fresh) known->second = find_meeting(op);
        return known->second;
    }
    bool find_meeting(const Op& op) const {
        // Blocks of a cluster exchange cells by messages, which order nothing else.
        if (synchronizes_warps(role_, op) && (as<Barrier>(op) != nullptr || blocks_of(role_) == 1))
            return true;
        if (role_.unit != Unit::warpgroup || role_.warpgroups() != 1) return false;
        if (as<Barrier>(op) != nullptr) return true;
        // Each warpgroup meets before it stores what it staged (lower_stores.cpp).
        const auto* store = as<Store>(op);
        return store != nullptr && store->transfer == Transfer::tma &&
               role_.tile(store->source).space == Space::registers;
    }

    // ---- ways

    static bool is_looked_for(Touch touched, const Search& search) {
        if (search.products) return touched == Touch::product;
        return touched == Touch::ordinary || (touched == Touch::same_warp && search.forward);
    }

    // What comes first among the operations of the block, `from` to before `to`, or backwards.
    Found first_of(const Block& block, std::size_t from, std::size_t to, Search& search) const {
        for (std::size_t i = from; i < to; ++i) {
            const Op& op = block[search.forward ? i : from + to - 1 - i];
            if (search.dropped.contains(&op)) continue;
            const Touch touched = touch_of(op, search.write);
            if (is_looked_for(touched, search)) return Found::access;
            if (is_fence(op)) search.fenced = true;
            if (!search.any_access && meets(op) && (!search.products || search.fenced)) {
                met_.insert(&op);
                return Found::meeting;
            }
            Found inside = Found::nothing;
            const bool fenced = search.fenced;
            for_each_block(op, [&](const Block& inner) {
                search.fenced = fenced;
                const Found found = first_of(inner, 0, inner.size(), search);
                if (found == Found::access || inside == Found::nothing) inside = found;
            });
            search.fenced = fenced;
            if (inside == Found::access) return inside;
            // A branch, or a loop, may be passed by.
            if (inside == Found::meeting && surely_runs(op)) return inside;
        }
        return Found::nothing;
    }

    // Whether, on every way from the last place of `way` to an access, ahead of it or back, there
    // is a meeting.
    bool meets_on(const Way& way, Search search) const {
        for (std::size_t depth = way.size(); depth-- > 0;) {
            const Block& block = *way[depth].block;
            const std::size_t here = way[depth].place;
            const Found ahead = search.forward ? first_of(block, here + 1, block.size(), search)
                                               : first_of(block, 0, here, search);
            if (ahead != Found::nothing) return ahead == Found::meeting;
            const bool turns =
                depth == 0 ? again_
                           : as<For>((*way[depth - 1].block)[way[depth - 1].place]) != nullptr;
            if (!turns) continue;
            // The next round, or the one before, up to this place; on what goes on outside of the
            // loop, a fence in it does not count.
            Search round = search;
            const Found found = search.forward ? first_of(block, 0, here, round)
                                               : first_of(block, here + 1, block.size(), round);
            if (found == Found::access) return false;
            // The place itself is an access, or has some in it.
            // If that is the write alone, the same threads write the same cells again.
            const Op& place = block[here];
            if (found == Found::nothing && &place != search.write.op) return false;
        }
        return true;
    }

    bool is_ordered(const TileWrite& write, const Dropped& dropped) const {
        if (write.is_opaque) {
            return std::none_of(write.surroundings.begin(), write.surroundings.end(),
                                [&](const Op* op) { return dropped.contains(op); }) &&
                   (!write.alternates || enters(write, dropped));
        }
        if (write.alternates) return follows_at_once(write, dropped) && enters(write, dropped);
        return meets_on(write.way, {write, dropped, true, false}) &&
               meets_on(write.way, {write, dropped, false, false}) &&
               (!write.has_products || (meets_on(write.way, {write, dropped, true, true}) &&
                                        waits_before(write, dropped)));
    }

    // Whether all meet between the wait for the products that read the tile, which is at its
    // `buffer_tile`, and the write.
    static bool is_tile(const Op& op, Value v) {
        const auto* tile = as<BufferTile>(op);
        return tile != nullptr && tile->result == v;
    }
    bool waits_before(const TileWrite& write, const Dropped& dropped) const {
        const Block& block = *write.way.back().block;
        for (std::size_t i = write.way.back().place; i-- > 0 && !is_tile(block[i], write.tile);) {
            if (!dropped.contains(&block[i]) && meets(block[i])) {
                met_.insert(&block[i]);
                return true;
            }
        }
        // Or there are none: the write is the first thing that is done with the tile.
        return meets_on(write.way, {write, dropped, false, true, false, true});
    }

    // Two buffers in turn: one meeting after the write in every step is enough, with a fence where
    // products read. A buffer is written again two steps later, and in the step between all have
    // met after its own write, so after their wait for the products of the step before.
    bool follows_at_once(const TileWrite& write, const Dropped& dropped) const {
        const Block& block = *write.way.back().block;
        const std::size_t next = write.way.back().place + 1;
        Search ordinary{write, dropped, true, false};
        if (first_of(block, next, block.size(), ordinary) != Found::meeting) return false;
        Search products{write, dropped, true, true};
        return !write.has_products ||
               first_of(block, next, block.size(), products) == Found::meeting;
    }

    // Whether all meet between the last step of the loop around the write, where the role comes
    // back to the loop again, and the write: it may begin with the buffer that it ended with. Its
    // products are over where it ended.
    bool enters(const TileWrite& write, const Dropped& dropped) const {
        Search search{write, dropped, false, false};
        const Block& block = *write.way.back().block;
        for (std::size_t i = write.way.back().place; i-- > 0;) {
            if (!dropped.contains(&block[i]) && meets(block[i])) {
                met_.insert(&block[i]);
                return true;
            }
        }
        Way loop = write.way;
        loop.pop_back();
        return meets_on(loop, search);
    }

    const Role& role_;
    const Windows windows_;
    bool again_;
    std::vector<TileWrite> writes_;
    std::vector<const Op*> candidates_;
    mutable std::unordered_map<const Op*, bool> meets_;
    mutable std::set<const Op*> met_;  // the meetings that were found on the ways
};

TileOrder::TileOrder(const ir::Role& role, bool again)
    : walk_(std::make_unique<Walk>(role, again)) {}
TileOrder::~TileOrder() = default;

bool TileOrder::holds_without(const std::set<const ir::Op*>& dropped) const {
    return walk_->holds(dropped);
}

std::vector<const ir::Op*> TileOrder::in_place_of(const ir::Op* op) const {
    const std::set<const ir::Op*> with = walk_->meetings({});
    const std::set<const ir::Op*> without = walk_->meetings({op});
    std::vector<const ir::Op*> others;
    for (const ir::Op* other : without) {
        if (!with.contains(other)) others.push_back(other);
    }
    return others;
}

const std::vector<const ir::Op*>& TileOrder::candidates() const { return walk_->candidates(); }

}  // namespace tkc::checks
