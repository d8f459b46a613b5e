// Divides every register tile of a role among its warpgroups: by rows, 64 n of them each.
//
// A warpgroup multiplies 64 rows at a time and keeps whole rows of the result, so rows split
// without any exchange, and elementwise operations, conversions, stores and reductions along rows
// stay within a warpgroup. A reduction over rows brings the warpgroups together. A column goes with
// the rows of the tiles beside it; a row belongs to all rows, and every warpgroup has the whole of
// it.
#include <fmt/format.h>

#include "ir/walk.h"
#include "lowering/passes.h"

namespace tkc::lowering {

namespace {

using namespace ir;

/// Where a value of the role is first written: the place that a message points at.
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

/// What the runtime's register tiles lack for it; empty if nothing.
std::string why_no_fragment(const TileType& tile) {
    if (bytes(tile.dtype) != 4 && !is_16_bit_real(tile.dtype)) {
        return fmt::format("a tile of {} in registers", name(tile.dtype));
    }
    if (tile.rows == 1 && tile.cols == 1) return "a tile of one cell in registers";
    if (tile.cols != 1 && tile.cols % 8 != 0) {
        return fmt::format("a tile of {} columns in registers, which is no multiple of 8",
                           tile.cols);
    }
    return "";
}

/// What operations cannot do with the layouts.
void refuse(PassContext& context, const Role& role) {
    const auto is_vector = [&](Value v) {
        const TileType& tile = role.tile(v);
        return tile.rows == 1 || tile.cols == 1;
    };
    walk(role.body, [&](const Op& op) {
        const Put* put = as<Put>(op);
        const Share* share = as<Share>(op);
        if ((put != nullptr && is_vector(put->source)) ||
            (share != nullptr && is_vector(share->source))) {
            context.diag.error(op.span, msg::not_yet,
                               "a row or column that goes from registers to shared memory");
        }
    });
}

void assign(PassContext& context, Role& role) {
    for (std::uint32_t id = 0; id < role.values.size(); ++id) {
        ValueInfo& value = role.values[id];
        const auto* tile = std::get_if<TileType>(&value.type);
        if (tile == nullptr || tile->space != Space::registers) continue;
        if (!mentions(role.body, Value{id})) continue;  // joined into another operation
        const Span place = place_of(role, Value{id});
        if (role.unit == Unit::warp) {
            context.diag.error(place, msg::not_yet, "tiles in the registers of a role of warps")
                .help("give the role warpgroups: `role {}(1 warpgroup)`", role.name);
            return;
        }
        const std::string reason = why_no_fragment(*tile);
        if (!reason.empty()) {
            context.diag.error(place, msg::not_yet, reason);
            return;
        }
        if (tile->rows == 1) {
            value.split = Split::whole;
            continue;
        }
        const std::int64_t unit = 64 * role.warpgroups();
        if (tile->rows % unit != 0) {
            const std::string groups =
                fmt::format("{} warpgroup{}", role.warpgroups(), role.warpgroups() == 1 ? "" : "s");
            context.diag.error(place, msg::rows_per_warpgroup, tile->rows, groups, unit)
                .label(role.span,
                       fmt::format("the role has {}, which share every tile by rows", groups))
                .help("make the rows a multiple of {}, or the role narrower", unit);
            return;
        }
        value.split = Split::rows;
    }
    if (!context.diag.has_errors()) refuse(context, role);
}

}  // namespace

void assign_layouts(PassContext& context, Module& module) {
    for (Kernel& kernel : module.kernels) {
        for (Role& role : kernel.roles) assign(context, role);
    }
}

}  // namespace tkc::lowering
