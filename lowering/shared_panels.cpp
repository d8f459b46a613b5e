// Panels of shared tiles, which are as wide as their swizzle.
#include "lowering/shared_panels.h"

#include <algorithm>

#include "ir/swizzle.h"
#include "ir/walk.h"

namespace tkc::lowering {

namespace {

using namespace ir;

struct PanelPlace {
    std::int64_t panel;  // columns
    std::int64_t first;  // column of the whole tile
};

PanelPlace panel_place_of(const Role& role, Value tile) {
    const Windows windows(role);
    const ir::Window* window = windows.window(tile);
    return {panel_columns(role.tile(windows.whole(tile))), window == nullptr ? 0 : window->col};
}

}  // namespace

bool takes_panels(const Role& role, Value tile, std::int64_t width) {
    const PanelPlace place = panel_place_of(role, tile);
    return width % place.panel == 0 && place.first % place.panel == 0;
}

bool takes_parts_of_panels(const Role& role, Value tile, std::int64_t width) {
    if (takes_panels(role, tile, width)) return true;
    const PanelPlace place = panel_place_of(role, tile);
    return place.panel % width == 0 && place.first % width == 0;
}

StagedPanel panel_of_store(const Role& role, const Store& store) {
    const TileType& held = role.tile(store.source);
    const TileType tile = store.transposed ? transposed(held) : held;
    const Axis columns = store.transposed ? Axis::row : Axis::col;
    const bool by_columns = divided_axis(role, store.source) == columns;
    const std::int64_t groups = std::max<std::int64_t>(role.warpgroups(), 1);
    const std::int64_t width = panel_columns(tile);
    return {{tile.dtype, by_columns ? tile.rows : tile.rows / groups, width, Space::shared},
            by_columns,
            tile.cols / width / (by_columns ? groups : 1)};
}

}  // namespace tkc::lowering
