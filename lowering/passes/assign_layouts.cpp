// Divides every register tile of a role: among its warpgroups, by rows, 64 n of them each; or over
// the threads of a role of warps, in stripes.
//
// A warpgroup multiplies 64 rows at a time and keeps whole rows of the result, so rows split
// without any exchange, and elementwise operations, conversions, stores and reductions along rows
// stay within a warpgroup. A reduction over rows brings the warpgroups together. A column goes with
// the rows of the tiles beside it; a row belongs to all rows, and every warpgroup has the whole of
// it.
//
// Stripes: a row lies over neighbouring threads, in vectors of 16 bytes of the narrowest tile that
// goes to or comes from memory. As few threads share a row as hold all rows at once, but a warp
// where the row is long enough, since a warp that reads 512 bytes in a row keeps the memory
// busiest.
//
// A role of warps with products: its warps lie in a grid over rows and columns (warp_grid.h).
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "ir/tile_function.h"
#include "ir/walk.h"
#include "ir/warp_products.h"
#include "lowering/layout_conversions.h"
#include "lowering/passes.h"
#include "lowering/vector_access.h"
#include "lowering/warp_grid.h"

namespace tkc::lowering {

namespace {

using namespace ir;

// Where a value of the role is first written: the place that a message points at.
Span place_of(const Role& role, Value v) {
    Span place = role.span;
    bool found = false;
    walk(role.body, [&](const Op& op) {
        if (!found && writes(op, v)) {
            place = op.span;
            found = true;
        }
    });
    return place;
}

// What the runtime's register tiles lack for it; empty if nothing.
std::string why_no_fragment(const TileType& tile) {
    if (bytes(tile.dtype) != 4 && !is_16_bit_real(tile.dtype) && !is_8_bit_number(tile.dtype)) {
        return fmt::format("a tile of {} in registers", name(tile.dtype));
    }
    if (tile.cols != 1 && tile.cols % 8 != 0) {
        return fmt::format("a tile of {} columns in registers, which is no multiple of 8",
                           tile.cols);
    }
    return "";
}

// ---- stripes -----------------------------------------------------------------------------------

constexpr std::int64_t most_vector = 16;  // cells

// Neighbouring cells of a row that a thread holds, the same in all tiles of the role. Where cells
// move one by one, neighbouring lanes had better take neighbouring cells: softmax of 5001 columns
// went from 0.24 to 0.52 of a copy. Two of them at least, for exchanges of neighbours and to share
// a register, and more where the addresses of so many `cells` would fill the registers.
std::int64_t choose_vector(const Kernel& kernel, const Role& role, std::int64_t cells,
                           std::int64_t threads) {
    constexpr std::int64_t most_addresses = 16;
    std::int64_t narrowest = 4;
    const auto look = [&](Value v) {
        const TileType& tile = role.tile(v);
        if (tile.cols != 1) narrowest = std::min<std::int64_t>(narrowest, bytes(tile.dtype));
    };
    walk_only<Load>(role.body, [&](const Load& load) { look(load.result); });
    walk_only<Store>(role.body, [&](const Store& store) { look(store.source); });
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
    const std::int64_t threads = 32 * role.warps();
    const bool alone = kernel.roles.size() == 1 && kernel.pipelines.empty() && !kernel.persistent &&
                       cluster_size(kernel) == 1;
    if (!alone || cols <= most_cells * threads || (threads & (threads - 1)) != 0) return 1;
    bool serves = true;
    walk(role.body, [&](const Op& op) {
        const Apply* apply = as<Apply>(op);
        serves = serves && (apply == nullptr || rules_of(*apply).works_over_cluster(*apply)) &&
                 as<Share>(op) == nullptr && as<Print>(op) == nullptr;
    });
    std::int64_t blocks = 1;
    while (serves && blocks < target_of(kernel).limits.blocks_of_cluster &&
           cols > cells * threads * blocks)
        blocks *= 2;
    return blocks;
}

// Whether the value gets a layout among the tiles of the role. One that nothing mentions was joined
// into another operation.
bool has_layout(const Role& role, Value v) {
    const auto* tile = std::get_if<TileType>(&role[v].type);
    return tile != nullptr && tile->space == Space::registers && mentions(role.body, v) &&
           !is_number(role, v);
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
    for (const Value v : tiles)
        role[v].layout = stripe_layout(role.tile(v).rows, role.tile(v).cols, stripes);
}

// ---- beside products of warps ------------------------------------------------------------------

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
    if (fitting == 0) message.help("give the products roles of their own");
    else message.help("take {} warp{}", fitting, fitting == 1 ? "" : "s");
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
    const std::set<std::uint32_t> beside_memory = numbers_of(stripes);
    for (std::uint32_t id = 0; id < role.values.size(); ++id) {
        const Value v{id};
        if (!has_layout(role, v) || beside_memory.contains(id)) continue;
        if (passes_through(role, v)) stripes.push_back(v);
        else role[v].layout = warp_fragment_layout(role.tile(v).rows, role.tile(v).cols, *warps);
    }
    assign_stripes(kernel, role, stripes);
}

void assign_warps(PassContext& context, const Kernel& kernel, Role& role) {
    std::vector<Value> tiles;
    for (std::uint32_t id = 0; id < role.values.size(); ++id) {
        if (!has_layout(role, Value{id})) continue;
        tiles.push_back(Value{id});
        const TileType& tile = role.tile(Value{id});
        if (bytes(tile.dtype) != 8) continue;
        context.diag.error(place_of(role, Value{id}), msg::not_yet,
                           fmt::format("a tile of {} in registers", name(tile.dtype)));
        return;
    }
    if (multiplies_by_warps(role)) assign_grid(context, kernel, role);
    else assign_stripes(kernel, role, tiles);
}

bool is_transpose(const Role& role, Value v) {
    bool found = false;
    walk_only<Apply>(role.body, [&](const Apply& apply) {
        found = found || (apply.result == v && apply.function == TileFunction::transpose);
    });
    return found;
}

void assign(PassContext& context, const Kernel& kernel, Role& role) {
    if (role.unit == Unit::warp) {
        assign_warps(context, kernel, role);
        return;
    }
    for (std::uint32_t id = 0; id < role.values.size(); ++id) {
        if (!has_layout(role, Value{id})) continue;
        ValueInfo& value = role.values[id];
        const TileType* tile = &role.tile(Value{id});
        const Span place = place_of(role, Value{id});
        const std::string reason = why_no_fragment(*tile);
        if (!reason.empty()) {
            context.diag.error(place, msg::not_yet, reason);
            return;
        }
        if (tile->rows == 1) {
            value.layout = fragment_layout(1, tile->cols, role.warpgroups(), std::nullopt);
            continue;
        }
        const std::int64_t unit = target_of(kernel).products.rows * role.warpgroups();
        if (tile->rows % unit != 0) {
            const std::string groups =
                fmt::format("{} warpgroup{}", role.warpgroups(), role.warpgroups() == 1 ? "" : "s");
            // A kernel without roles is one that is called like it.
            const bool whole = kernel.roles.size() == 1 && role.name == kernel.source;
            auto message =
                context.diag.error(place, msg::rows_per_warpgroup, tile->rows, groups, unit);
            message.label(role.span, fmt::format("the {} has {}, which share every tile by rows",
                                                 whole ? "kernel" : "role", groups));
            if (is_transpose(role, Value{id}))
                message.note(
                    "these rows are the columns of what is transposed, by `.T` or for "
                    "`cumsum` along axis 0");
            if (!whole) message.help("make the rows a multiple of {}, or the role narrower", unit);
            else if (role.warpgroups() == 1) message.help("make the rows a multiple of {}", unit);
            else
                message.help("make the rows a multiple of {}, or take fewer warps: `warps(4)`",
                             unit);
            return;
        }
        value.layout = fragment_layout(tile->rows, tile->cols, role.warpgroups(), Axis::row);
    }
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
