// Divides every register tile of a role: among its warpgroups (warpgroup_layouts.h), or over the
// threads of a role of warps, in stripes.
//
// Stripes: a row is distributed over neighboring threads, in 16-byte vectors of the narrowest tile
// that is loaded or stored. As few threads share a row as hold all rows at once, but a whole warp
// if the row is long enough, since a warp that reads 512 contiguous bytes keeps the memory busiest.
// If the role reduces short rows to columns, though, for which threads would have to exchange them,
// each row is in one thread.
//
// A role of warps with products: its warps form a grid over rows and columns (warp_grid.h).
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "ir/walk.h"
#include "ir/warp_products.h"
#include "lowering/passes.h"
#include "lowering/sm90/layout_conversions.h"
#include "lowering/sm90/warpgroup_layouts.h"
#include "lowering/vector_access.h"
#include "lowering/warp_grid.h"
#include "tiles/tile_function.h"

namespace tkc::lowering {

namespace {

using namespace ir;

// ---- stripes -----------------------------------------------------------------------------------

constexpr std::int64_t most_vector = 16;  // cells

// Neighboring cells of a row that a thread holds, the same in all tiles of the role. Where cells
// move one by one, neighboring lanes had better take neighboring cells: softmax of 5001 columns
// went from 0.24 to 0.52 of a copy. Two of them at least, for exchanges of neighbors and to share
// a register, and more where the addresses of so many `cells` would fill the registers.
std::int64_t choose_vector(const Kernel& kernel, const Role& role, std::int64_t cells,
                           std::int64_t threads) {
    constexpr std::int64_t most_addresses = 16;
    std::int64_t narrowest = 0;
    const auto look = [&](Value v) {
        const TileType& tile = role.tile(v);
        if (tile.cols == 1) return;
        const std::int64_t size = bytes(tile.dtype);
        narrowest = narrowest == 0 ? size : std::min(narrowest, size);
    };
    walk_only<Load>(role.body, [&](const Load& load) { look(load.result); });
    walk_only<Store>(role.body, [&](const Store& store) { look(store.source); });
    if (narrowest == 0) narrowest = 4;
    const std::int64_t fast = std::min(widest_access / narrowest, most_vector);
    if (kernel.general_of.empty()) return fast;
    std::int64_t vector = std::max<std::int64_t>(4 / narrowest, 2);
    while (vector < fast && cells > most_addresses * vector * threads) vector *= 2;
    return vector;
}

// Rows that are too long for the threads of a block lie over a cluster of blocks, which a program
// then takes. What they exchange are parts of reductions along the row, and nothing else yet.
std::int64_t blocks_of_row(const Kernel& kernel, const Role& role, std::int64_t cols) {
    constexpr std::int64_t most_cells = 128;  // of a thread: beyond, registers are few
    constexpr std::int64_t cells = 64;        // what such rows are cut down to
    constexpr std::int64_t word = 4;  // bytes that blocks exchange at once (row_exchange.cuh)
    const std::int64_t threads = 32 * role.warps();
    // One lane of a program signals, and one waits.
    const bool alone = kernel.roles.size() == 1 && kernel.pipelines.empty() && !kernel.persistent &&
                       cluster_size(kernel) == 1 && kernel.counters.empty();
    if (!alone || cols <= most_cells * threads || (threads & (threads - 1)) != 0) return 1;
    bool serves = true;
    walk(role.body, [&](const Op& op) {
        const Apply* apply = as<Apply>(op);
        serves = serves &&
                 (apply == nullptr || (rules_of(*apply).works_over_cluster(*apply) &&
                                       bytes(role.tile(apply->source).dtype) <= word)) &&
                 as<Share>(op) == nullptr && as<Print>(op) == nullptr;
    });
    std::int64_t blocks = 1;
    while (serves && blocks < target_of(kernel).limits.blocks_of_cluster &&
           cols > cells * threads * blocks)
        blocks *= 2;
    return blocks;
}

// Whether all threads have the columns that the role takes out of its tiles in registers, in these
// stripes.
bool keep_columns(const Role& role, const Stripes& stripes) {
    bool keep = true;
    walk_only<Apply>(role.body, [&](const Apply& apply) {
        if (apply.function != TileFunction::slice || apply.axis != 1) return;
        const TileType& whole = role.tile(apply.source);
        const TileType& part = role.tile(apply.result);
        keep =
            keep && place_in_thread(stripe_layout(whole.rows, whole.cols, stripes),
                                    stripe_layout(part.rows, part.cols, stripes), 0, apply.number)
                        .has_value();
    });
    return keep;
}

// Recurrences: a thread walks along a row and has the state that goes with it. It reads memory in
// vectors that lie rows apart, of which the cache keeps the rest of the line for the next steps.
bool holds_whole_rows(const Role& role, Stripes stripes, std::int64_t rows, std::int64_t cols) {
    constexpr std::int64_t most_cells = 32;  // of a row: a line of memory
    if (cols > most_cells || rows < stripes.threads() || keep_columns(role, stripes)) return false;
    stripes.lanes = 1;
    return keep_columns(role, stripes);
}

void assign_stripes(const Kernel& kernel, Role& role, const std::vector<Value>& tiles) {
    if (tiles.empty()) return;  // it fills pipelines, and holds nothing
    std::int64_t rows = 0;
    std::int64_t cols = 0;
    for (const Value v : tiles) {
        rows = std::max(rows, role.tile(v).rows);
        cols = std::max(cols, role.tile(v).cols);
    }
    Stripes stripes{role.warps(), rows == 1 ? blocks_of_row(kernel, role, cols) : 1, 1, 1};
    const std::int64_t threads = stripes.threads();
    stripes.vector = choose_vector(kernel, role, rows * cols, threads);
    std::int64_t most = 1;  // lanes that have anything of a row
    while (most * stripes.vector < cols) most *= 2;
    std::int64_t& lanes = stripes.lanes;
    while (lanes < most && (lanes < 32 || 2 * lanes * rows <= threads) &&
           threads % (2 * lanes) == 0)
        lanes *= 2;
    if (holds_whole_rows(role, stripes, rows, cols)) lanes = 1;
    for (const Value v : tiles)
        role[v].layout = stripe_layout(role.tile(v).rows, role.tile(v).cols, stripes);
}

// ---- next to products of warps ------------------------------------------------------------------

void report_grid(PassContext& context, const Kernel& kernel, const Role& role) {
    const std::int64_t fitting =
        warps_with(role.width, target_of(kernel).limits.threads_of_block / lanes_of_warp,
                   [&](std::int64_t count) {
                       return grids_for(target_of(kernel).warp_products, count, role);
                   });
    auto message = context.diag.error(role.span, msg::mma_role, role.width,
                                      role.width == 1 ? "" : "s", role.name);
    walk(role.body, [&](const Op& op) {
        const Mma* m = as<Mma>(op);
        if (m == nullptr) return;
        const TileType& result = role.tile(m->result);
        message.label(op.span, "{} rows, {} columns", result.rows, result.cols);
    });
    if (fitting == 0) message.help("put the products in separate roles");
    else message.help("use {} warp{}", fitting, fitting == 1 ? "" : "s");
}

std::set<std::uint32_t> numbers_of(const std::vector<Value>& values) {
    std::set<std::uint32_t> numbers;
    for (const Value v : values) numbers.insert(v.id);
    return numbers;
}

// The results of products as mma.sync leaves them, and everything that meets them likewise. What
// only passes through is moved in stripes, which take whole lines of memory; so is what a load or a
// store moves, where it pays to convert it.
void assign_grid(PassContext& context, const Kernel& kernel, Role& role) {
    const std::optional<WarpGrid> warps = choose_grid(kernel, role);
    if (!warps) {
        report_grid(context, kernel, role);
        return;
    }
    share_operands(role, *warps);
    std::vector<Value> stripes = convert_accesses(kernel, role);
    const std::set<std::uint32_t> next_to_memory = numbers_of(stripes);
    const std::vector<bool> tiles = with_layouts(role);
    for (std::uint32_t id = 0; id < role.values.size(); ++id) {
        const Value v{id};
        if (!tiles[id] || next_to_memory.contains(id)) continue;
        if (passes_through(role, v)) stripes.push_back(v);
        else role[v].layout = warp_fragment_layout(role.tile(v).rows, role.tile(v).cols, *warps);
    }
    assign_stripes(kernel, role, stripes);
}

// Warps of a role have no fragment that is fixed by the extents of the tile.
bool refuse_fragments(PassContext& context, const Role& role) {
    bool refused = false;
    walk(role.body, [&](const Op& op) {
        const Apply* apply = as<Apply>(op);
        if (apply == nullptr || (apply->function != TileFunction::fragments &&
                                 apply->function != TileFunction::from_fragments))
            return;
        refused = true;
        context.diag
            .error(op.span, msg::not_yet,
                   fmt::format("`{}` in a role of warps", name(apply->function)))
            .label(role.span, "give it warpgroups: (1 warpgroup)");
    });
    return refused;
}

void assign_warps(PassContext& context, const Kernel& kernel, Role& role) {
    if (refuse_fragments(context, role)) return;
    std::vector<Value> tiles;
    const std::vector<bool> have = with_layouts(role);
    for (std::uint32_t id = 0; id < role.values.size(); ++id) {
        if (have[id]) tiles.push_back(Value{id});
    }
    if (multiplies_by_warps(role)) assign_grid(context, kernel, role);
    else assign_stripes(kernel, role, tiles);
}

// Reports tiles that no role could hold. Numbers of registers use cells: those of others are of a
// size that layouts can say.
bool refuse_giants(PassContext& context, const Role& role) {
    constexpr std::int64_t most = 1 << 24;
    std::int64_t largest = 0;
    for (const ValueInfo& value : role.values) {
        const auto* tile = std::get_if<TileType>(&value.type);
        if (tile != nullptr && tile->space == Space::registers)
            largest = std::max(largest, tile->rows * tile->cols);
    }
    if (largest <= most) return false;
    context.diag
        .error(role.span, msg::above_maximum, "the number of cells of a tile", most, largest)
        .help("loop over parts of it: `for n in N by 64`");
    return true;
}

void assign(PassContext& context, const Kernel& kernel, Role& role) {
    if (refuse_giants(context, role)) return;
    if (role.unit == Unit::warp) assign_warps(context, kernel, role);
    else assign_warpgroups(context, kernel, role);
}

}  // namespace

void assign_layouts(PassContext& context, Module& module) {
    for (Kernel& kernel : module.kernels) {
        for (Role& role : kernel.roles) {
            for (std::uint32_t id = 0; id < role.values.size(); ++id) {
                if (is_number(role, Value{id}) && mentions(role.body, Value{id}))
                    role.values[id].layout = whole_layout(1, 1, role.warps());
            }
            assign(context, kernel, role);
        }
    }
}

}  // namespace tkc::lowering
