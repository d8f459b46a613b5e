// What both runs do alike: operations on register tiles, and errors with their places.
#pragma once

#include <string>
#include <vector>

#include "emulator/elementwise.h"
#include "emulator/environment.h"
#include "emulator/run.h"
#include "emulator/tile.h"
#include "ir/operations.h"
#include "tiles/tile_function.h"

namespace tkc::emulator {

// Ends the run of a program; caught where the program is run.
struct Stop {
    Outcome::End end;
    std::string text;
    std::vector<Outcome::Place> places;
};

// An elementwise operation: `result` becomes a tile of type `type`. `tiles` holds the role's
// register tiles by value; `places`: of a part of a tile.
void map_into(TilePtr& result, const ir::TileType& type, const ir::Map& map,
              const std::vector<TilePtr>& tiles, const Environment& env, const Places& places = {});

// A function of a tile, or of a part of one whose rows and columns lie at `places`: `result`
// becomes a tile of type `type`. Reals are rounded once.
void apply_into(TilePtr& result, const ir::TileType& type, const ir::Apply& apply,
                const Tile& source, const Places& places = {});

// What a `print` says.
std::string said(const ir::Print& print, const Environment& env);
// Why an `assert` fails: its text, and the first cell where it does not hold, at its
// place of `places`; empty if it holds. `tile`: of an assertion about one.
std::string failure(const ir::Assert& assertion, const Tile* tile, const Environment& env,
                    const Places& places = {});

// The tile that `slot` holds, for writing: a copy of it where others hold it too.
inline Tile& own(TilePtr& slot) {
    if (slot.use_count() > 1) slot = std::make_shared<Tile>(*slot);
    return *slot;
}

// The tile of `slot`, for an operation that writes all of it: a new one where it is of another
// shape or others hold it.
inline Tile& fresh(TilePtr& slot, const ir::TileType& type) {
    if (!slot || slot.use_count() > 1 || slot->rows != type.rows || slot->cols != type.cols ||
        slot->dtype != type.dtype) {
        slot = std::make_shared<Tile>(type);
    }
    return *slot;
}

}  // namespace tkc::emulator
