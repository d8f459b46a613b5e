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

// Programs of a persistent kernel in pairs: a block runs two neighbours, 2 u and 2 u + 1, one after
// the other, which stand for a row of the grid and the one that complements it. Of an odd number of
// rows one has no partner: `number` is then no row, and the program is none. Where there are no
// more programs than blocks, each runs one.
TK_HOST_DEVICE constexpr int round_up_to_pairs(int rows) { return rows + rows % 2; }

// Row of program `number` < rows: the last, the first, the last but one, ..
TK_HOST_DEVICE constexpr int last_first(int number, int rows) {
    return number % 2 == 0 ? rows - 1 - number / 2 : number / 2;
}
// The first, the last, the second, ..
TK_HOST_DEVICE constexpr int first_first(int number, int rows) {
    return rows - 1 - last_first(number, rows);
}

// The first program of block `block` of `blocks`, and the one after `program`.
TK_HOST_DEVICE constexpr int first_of_pairs(int block, int blocks, int programs) {
    return programs > blocks ? 2 * block : block;
}
TK_HOST_DEVICE constexpr int next_of_pairs(int program, int blocks, int programs) {
    if (programs <= blocks) return program + blocks;
    return program % 2 == 0 ? program + 1 : program + 2 * blocks - 1;
}

// The number of tiles of `tile` elements that cover `extent`.
TK_HOST_DEVICE constexpr int tiles(int extent, int tile) {
    return extent / tile + (extent % tile != 0);
}

}  // namespace tk
