// The order in which programs walk a grid; plain functions of the program's number.
#pragma once

#include "../ptx/config.h"

namespace tk {

// A point of a two-dimensional grid.
struct grid_point {
    int row;
    int col;
};

// raster(row, band): bands of `band` rows, walked column by column, the row fastest, so that
// programs that run together share both operands in L2. Valid for 0 <= program < rows * cols; the
// last band may be narrow.
TK_HOST_DEVICE constexpr grid_point raster(int program, int rows, int cols, int band) {
    const int first = program / (band * cols) * band;
    const int height = rows - first < band ? rows - first : band;
    const int within = program % (band * cols);
    return {first + within % height, within / height};
}

// The number of tiles of `tile` elements that cover `extent`.
TK_HOST_DEVICE constexpr int tiles(int extent, int tile) {
    return extent / tile + (extent % tile != 0);
}

}  // namespace tk
