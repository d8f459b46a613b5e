// Panels of shared tiles, which are as wide as their swizzle.
#include "lowering/shared_panels.h"

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

}  // namespace tkc::lowering
