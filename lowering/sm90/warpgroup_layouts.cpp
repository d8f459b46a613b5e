// How the warpgroups of a role divide its register tiles.
#include "lowering/sm90/warpgroup_layouts.h"

#include <fmt/format.h>

#include <numeric>
#include <vector>

#include "ir/swizzle.h"
#include "ir/walk.h"
#include "lowering/shared_panels.h"
#include "tiles/tile_function.h"

namespace tkc::lowering {

namespace {

using namespace ir;

constexpr std::int64_t rows_at_once = 16;  // of lines, in a warpgroup

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

// What the runtime's register tiles lack for it; empty if nothing. Of 16 bits they hold two to a
// register, as operands of products lie, and know no other numbers that would.
std::string why_no_fragment(const TileType& tile) {
    if (bits_of(tile.dtype) == 16 && !is_16_bit_real(tile.dtype))
        return fmt::format("a tile of {} in registers of warpgroups", name(tile.dtype));
    if (tile.cols != 1 && tile.cols % 8 != 0) {
        return fmt::format("a tile of {} columns in registers, which is not a multiple of 8",
                           tile.cols);
    }
    return "";
}

bool is_transpose(const Role& role, Value v) {
    bool found = false;
    walk_only<Apply>(role.body, [&](const Apply& apply) {
        found = found || (apply.result == v && apply.function == TileFunction::transpose);
    });
    return found;
}

// The tile of rows of 32 cells, if `apply` is one of the two functions that have one.
Value lines_of(const Apply& apply) {
    if (apply.function == TileFunction::fragments) return apply.result;
    if (apply.function == TileFunction::from_fragments) return apply.source;
    return {};
}

// Why tiles are not divided by columns, and what they contain.
struct Obstacle {
    Span span;
    std::string reason;
};

// The tiles of a role in sets of those that meet, which are divided alike.
class Division {
public:
    Division(const Kernel& kernel, const Role& role)
        : role_(role),
          groups_(role.warpgroups()),
          unit_(target_of(kernel).products.rows),
          tiles_(with_layouts(role)),
          set_of_(role.values.size()),
          sets_(role.values.size()) {
        std::iota(set_of_.begin(), set_of_.end(), std::size_t{0});
        walk(role.body, [&](const Op& op) { join(op); });
        for (std::uint32_t id = 0; id < role.values.size(); ++id) {
            if (!is_tile(Value{id})) continue;
            const TileType& tile = role.tile(Value{id});
            if (tile.rows == 1) continue;
            Set& set = set_with(Value{id});
            if (set.by_rows && tile.rows % (unit_ * groups_) != 0) {
                set.by_rows = false;
                set.uneven = Value{id};
            }
            set.whole_blocks = set.whole_blocks && tile.rows % unit_ == 0;
            set.by_columns =
                set.by_columns && (tile.cols == 1 || tile.cols % (columns_of_piece * groups_) == 0);
        }
        walk_only<Apply>(role.body, [&](const Apply& apply) {
            if (const Value lines = lines_of(apply)) set_with(lines).in_lines = true;
        });
        walk(role.body, [&](const Op& op) { look_for_obstacle(op); });
    }

    // Whether the tile meets what `fragments` makes, and lies like it.
    bool in_lines(Value v) { return set_with(v).in_lines; }

    // The axis that divides the tile; nothing: none does.
    std::optional<Axis> axis_of(Value v) {
        const Set& set = set_with(v);
        if (set.by_rows) return Axis::row;
        if (set.whole_blocks && set.by_columns && set.obstacle.reason.empty()) return Axis::col;
        return std::nullopt;
    }
    // The tile whose rows are why rows do not divide `v`: `v` itself, or one that it meets.
    Value uneven_with(Value v) { return set_with(v).uneven; }
    // What keeps the tile from being divided by columns, if that is all.
    const Obstacle* obstacle_of(Value v) {
        const Set& set = set_with(v);
        const bool would = set.whole_blocks && set.by_columns && !set.obstacle.reason.empty();
        return would ? &set.obstacle : nullptr;
    }

private:
    static constexpr std::int64_t columns_of_piece = 8;  // of a fragment (layout.h)

    struct Set {
        bool by_rows = true;  // all tiles have a block of rows for each warpgroup
        Value uneven;         // the first one that has none
        bool whole_blocks = true;
        bool by_columns = true;
        bool in_lines = false;  // of `fragments`
        Obstacle obstacle;
    };

    bool is_tile(Value v) const { return tiles_[v.id]; }

    std::size_t number_of(Value v) {
        std::size_t at = v.id;
        while (set_of_[at] != at) at = set_of_[at] = set_of_[set_of_[at]];
        return at;
    }
    Set& set_with(Value v) { return sets_[number_of(v)]; }

    // All register tiles of an operation meet, but those that `.T` and its like take through shared
    // memory.
    void join(const Op& op) {
        const Apply* apply = as<Apply>(op);
        if (apply != nullptr && line_rules_of(apply->function) == nullptr) return;
        Value first;
        for_each_value(op, [&](const Value& v) {
            if (!is_tile(v)) return;
            if (first) set_of_[number_of(v)] = number_of(first);
            else first = v;
        });
    }

    void hinder(Value v, const Op& op, std::string reason) {
        Obstacle& obstacle = set_with(v).obstacle;
        if (obstacle.reason.empty()) obstacle = {op.span, std::move(reason)};
    }

    static bool goes_through_shared(const Op& op) {
        const Store* store = as<Store>(op);
        return as<Put>(op) != nullptr || as<Share>(op) != nullptr ||
               as<ReadShared>(op) != nullptr ||
               (store != nullptr && store->transfer == Transfer::tma);
    }

    // The register tile that the operation writes to shared memory, or reads there, transposed.
    static Value taken_transposed(const Op& op) {
        if (const auto* put = as<Put>(op); put != nullptr && put->transposed) return put->source;
        if (const auto* share = as<Share>(op); share != nullptr && share->transposed)
            return share->source;
        if (const auto* store = as<Store>(op); store != nullptr && store->transposed)
            return store->source;
        if (const auto* read = as<ReadShared>(op); read != nullptr && read->transposed)
            return read->result;
        return {};
    }

    void hinder_lines(const Apply& apply, const Op& op) {
        const Value tile = apply.function == TileFunction::fragments ? apply.source : apply.result;
        if (role_.tile(tile).rows != unit_)
            hinder(tile, op,
                   fmt::format("`{}` can use columns of a warpgroup only from {} rows",
                               name(apply.function), unit_));
    }

    // Whether each warpgroup takes whole panels of a shared tile like `tile`; a row has none.
    bool takes_panels(const TileType& tile) const {
        return tile.rows == 1 || tile.cols % (panel_columns(tile) * groups_) == 0;
    }
    // Whether it takes a part of a panel, or whole ones. Bulk copies take whole ones only.
    bool takes_parts(const TileType& tile) const {
        return takes_panels(tile) || panel_columns(tile) % (tile.cols / groups_) == 0;
    }
    // The same of a shared tile, which may be a window.
    bool takes_parts(Value shared) const {
        const TileType& tile = role_.tile(shared);
        return tile.rows == 1 || takes_parts_of_panels(role_, shared, tile.cols / groups_);
    }

    // Tiles that are both divided by columns hold the same cells of them in each warpgroup,
    // whatever rows they have.
    bool slices_within_groups(const Apply& apply) const {
        const auto by_rows = [&](Value v) { return role_.tile(v).rows % (unit_ * groups_) == 0; };
        return apply.function == TileFunction::slice && apply.axis == 0 && !by_rows(apply.result) &&
               !by_rows(apply.source);
    }

    void look_for_obstacle(const Op& op) {
        if (const Apply* apply = as<Apply>(op)) {
            const LineFunctionRules* rules = line_rules_of(apply->function);
            if (slices_within_groups(*apply)) return;
            if (lines_of(*apply)) {
                hinder_lines(*apply, op);
                return;
            }
            // What the warpgroups made of rows they exchange.
            if (rules != nullptr && rules->gives_one_cell() && apply->axis == 1 &&
                apply->function != TileFunction::argmax && apply->function != TileFunction::argmin)
                return;
            // Where columns divide tiles, each warpgroup holds a whole column. A transposed column
            // is a row, which it holds whole if rows divide the tiles that meet that.
            const bool transposes = apply->function == TileFunction::transpose;
            for (const Value v : {apply->result, apply->source}) {
                if (transposes && role_.tile(v).cols == 1) continue;
                hinder(v, op,
                       fmt::format("`{}` needs full rows and columns of a warpgroup",
                                   name(apply->function)));
            }
        } else if (const Mma* mma = as<Mma>(op)) {
            if (role_.tile(mma->a).space == Space::registers)
                hinder(mma->result, op, "operand `a` in registers has rows of one warpgroup");
            else if (!mma->b_transposed && !takes_parts(mma->b))
                hinder(mma->result, op, "a warpgroup's columns of `b` begin within a panel of it");
        } else if (goes_through_shared(op)) {
            const bool in_bulk = as<Store>(op) != nullptr;
            if (const Value turned = taken_transposed(op))
                hinder(turned, op, "its transpose in shared memory needs rows of a warpgroup");
            for_each_value(op, [&](const Value& v) {
                if (!is_tile(v) || role_.tile(v).cols == 1) return;
                const TileType& tile = role_.tile(v);
                const ReadShared* read = as<ReadShared>(op);
                const bool parts = read != nullptr ? takes_parts(read->source) : takes_parts(tile);
                if (in_bulk ? !takes_panels(tile) : !parts)
                    hinder(v, op,
                           in_bulk
                               ? "a warpgroup's columns of the shared tile are not complete panels"
                               : "a warpgroup's columns begin within a panel of the shared tile");
            });
        }
    }

    const Role& role_;
    std::int64_t groups_;
    std::int64_t unit_;
    std::vector<bool> tiles_;
    std::vector<std::size_t> set_of_;
    std::vector<Set> sets_;
};

void report_rows(PassContext& context, const Kernel& kernel, const Role& role, Value v,
                 const Obstacle* obstacle) {
    const std::int64_t unit = target_of(kernel).products.rows * role.warpgroups();
    const std::string groups =
        fmt::format("{} warpgroup{}", role.warpgroups(), role.warpgroups() == 1 ? "" : "s");
    // A kernel without roles is one that is called like it, without the module.
    const bool whole =
        kernel.roles.size() == 1 && role.name == kernel.source.substr(kernel.source.rfind('.') + 1);
    auto message = context.diag.error(place_of(role, v), msg::rows_per_warpgroup, role.tile(v).rows,
                                      groups, unit);
    message.label(role.span, fmt::format("the {} has {}, which share every tile by rows",
                                         whole ? "kernel" : "role", groups));
    if (obstacle != nullptr)
        message.label(obstacle->span, "they cannot share it by columns: {}", obstacle->reason);
    if (is_transpose(role, v))
        message.note(
            "these rows are the columns of the transposed tile, from `.T` or for `cumsum` along "
            "axis 0");
    if (!whole) message.help("make the rows a multiple of {}, or the role narrower", unit);
    else if (role.warpgroups() == 1) message.help("make the rows a multiple of {}", unit);
    else message.help("make the rows a multiple of {}, or use fewer warps: `warps(4)`", unit);
}

// What else is done with lines has no place in the runtime.
bool assign_lines(PassContext& context, Role& role, Value v) {
    const TileType& tile = role.tile(v);
    const bool divides = tile.rows % (rows_at_once * role.warpgroups()) == 0;
    bool other = tile.cols != cells_of_line || bits_of(tile.dtype) != 32 || !divides;
    walk(role.body, [&](const Op& op) {
        if (!reads(op, v) && !writes(op, v)) return;
        const Apply* apply = as<Apply>(op);
        other = other || as<Mma>(op) != nullptr || (apply != nullptr && lines_of(*apply) != v);
    });
    if (other) {
        context.diag.error(place_of(role, v), msg::not_yet,
                           "only elementwise 32-bit arithmetic is allowed, besides `fragments`");
        return false;
    }
    role[v].layout = fragment_lines(tile.rows, role.warpgroups());
    return true;
}

}  // namespace

std::vector<bool> with_layouts(const Role& role) {
    std::vector<bool> result(role.values.size(), false);
    walk(role.body, [&](const Op& op) {
        for_each_value(op, [&](const Value& v) {
            const auto* tile = std::get_if<TileType>(&role[v].type);
            result[v.id] = tile != nullptr && tile->space == Space::registers;
        });
    });
    for (std::uint32_t id = 0; id < result.size(); ++id)
        result[id] = result[id] && !is_number(role, Value{id});
    return result;
}

void assign_warpgroups(PassContext& context, const Kernel& kernel, Role& role) {
    Division division(kernel, role);
    const std::vector<bool> tiles = with_layouts(role);
    for (std::uint32_t id = 0; id < role.values.size(); ++id) {
        const Value v{id};
        if (!tiles[id]) continue;
        const TileType& tile = role.tile(v);
        const std::string reason = why_no_fragment(tile);
        if (!reason.empty()) {
            auto message = context.diag.error(place_of(role, v), msg::not_yet, reason);
            if (bits_of(tile.dtype) == 16)
                message.help(
                    "roles of warps can hold it, as in `role w(4 warps)`; next to warpgroup "
                    "products, use a tensor of i32");
            return;
        }
        if (division.in_lines(v)) {
            if (!assign_lines(context, role, v)) return;
            continue;
        }
        const std::optional<Axis> axis = division.axis_of(v);
        if (!axis && tile.rows != 1) {
            report_rows(context, kernel, role, division.uneven_with(v), division.obstacle_of(v));
            return;
        }
        role.values[id].layout = fragment_layout(tile.rows, tile.cols, role.warpgroups(), axis);
    }
}

}  // namespace tkc::lowering
