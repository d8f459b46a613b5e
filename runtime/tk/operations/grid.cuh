// The order in which programs walk a grid; plain functions of the program's number.
#pragma once

#include "../ptx/config.h"

namespace tk {

// A point of a two-dimensional grid.
struct grid_point {
    int row;
    int col;
};

// The number of tiles of `tile` elements that cover `extent`.
TK_HOST_DEVICE constexpr int tiles(int extent, int tile) {
    return extent / tile + (extent % tile != 0);
}

// raster(row, band): bands of `band` rows, walked column by column, the row fastest, so that
// programs that run together share both operands in L2. Valid for 0 <= program < rows * cols; the
// last band may be narrow.
TK_HOST_DEVICE constexpr grid_point raster(int program, int rows, int cols, int band) {
    const int first = program / (band * cols) * band;
    const int height = rows - first < band ? rows - first : band;
    const int within = program % (band * cols);
    return {first + within % height, within / height};
}

// A point of a grid whose programs run in clusters; whether those of its cluster are in one column.
struct cluster_point {
    int row;
    int col;
    bool together;
};

// The same as raster, for clusters of neighbors along the rows; `band` is a multiple of Cluster. The
// last rows % Cluster rows come after all others, one column after another. Clusters of those run
// programs of several columns, of which some may lie past the last one. Valid for
// 0 <= program < rows * cols rounded up to a multiple of Cluster.
template <int Cluster>
TK_HOST_DEVICE constexpr cluster_point raster_clusters(int program, int rows, int cols, int band) {
    const int whole = rows - rows % Cluster;
    if (program < whole * cols) {
        const grid_point point = raster(program, whole, cols, band);
        return {point.row, point.col, true};
    }
    const int left = program - whole * cols;
    return {whole + left % (rows - whole), left / (rows - whole), false};
}

// Programs of a persistent kernel whose weights fall evenly from row 0 on, assigned so that blocks
// get about the same work. A block takes pairs first: a row, and the one of the same column that
// complements it. Blocks that run together then share what the columns read, in L2, and come to it
// at different times. Pairs are large pieces, which seldom fill the last rounds. So what is left
// after whole rounds of pairs is assigned as single programs: heavy ones first, in rounds of
// alternating directions.
//
// Numbers of programs fall. 2 q + 1 and 2 q are pair q, the heavy program first; -1, -2, .. are the
// single ones, as blocks take them. So a number says by itself what it is, and a loop over programs
// keeps one number next to it: registers are scarce, and divisions by what is not a constant take long
// next to a short program. Of an odd number of rows one has no partner: its number has row -1, and
// is not a program.
namespace detail {

// Pairs that are assigned as such: of whole rounds, or all of them where they fill their rounds
// and rows are so few that single programs cost more than they save. Those of one head start
// together, so that the keys and values of all come from memory at once.
TK_HOST_DEVICE constexpr int dealt_pairs(int rows, int cols, int blocks) {
    if (rows == 1) return 0;
    const int height = tiles(rows, 2);
    const int all = height * cols;
    const bool few_rows = height < 16;
    const int places = tiles(all, blocks) * blocks;
    if (few_rows && places - all <= places / 14) return all;
    const int pairs = all - (few_rows ? blocks / 2 : blocks + blocks / 2);
    return pairs < blocks ? 0 : pairs / blocks * blocks;
}

// The point of a single program. What pairs leave are columns from `first` on, and of the one
// before it the middle rows if it is begun.
TK_HOST_DEVICE constexpr grid_point dealt_single(int single, int rows, int cols, int blocks) {
    const int pairs = dealt_pairs(rows, cols, blocks);
    const int height = tiles(rows, 2);
    const int begun = pairs % height;
    const int first = tiles(pairs, height);
    const int width = cols - first;
    const int heavy = begun * width;  // programs of rows before the middle ones
    const int middle = begun == 0 ? 0 : (rows - 2 * begun) * (width + 1);
    if (single < heavy) return {single / width, first + single % width};
    if (single < heavy + middle) {
        const int within = single - heavy;
        return {begun + within / (width + 1), first - 1 + within % (width + 1)};
    }
    const int within = single - heavy - middle;
    const int row = begun == 0 ? 0 : rows - begun;
    return {row + within / width, first + within % width};
}

}  // namespace detail

// How many programs are single ones: numbers end with minus so many.
TK_HOST_DEVICE constexpr int dealt_alone(int rows, int cols, int blocks) {
    const int pairs = detail::dealt_pairs(rows, cols, blocks);
    const int height = tiles(rows, 2);
    return rows * (cols - pairs / height) - 2 * (pairs % height);
}

// The point of the grid that a program works on, or row -1.
TK_HOST_DEVICE constexpr grid_point dealt(int program, int rows, int cols, int blocks) {
    if (program < 0) return detail::dealt_single(-1 - program, rows, cols, blocks);
    const auto pair = static_cast<unsigned>(program) / 2;
    const auto height = static_cast<unsigned>(tiles(rows, 2));
    const int step = static_cast<int>(pair % height);
    const int partner = rows - 1 - step;
    const int row = program % 2 == 1 ? step : partner == step ? -1 : partner;
    return {row, static_cast<int>(pair / height)};
}

// A block's first program, and the one after `program`.
TK_HOST_DEVICE constexpr int first_dealt(int block, int rows, int cols, int blocks) {
    const int pairs = detail::dealt_pairs(rows, cols, blocks);
    return block < pairs ? 2 * (pairs - block) - 1 : -1 - block;
}
TK_HOST_DEVICE constexpr int next_dealt(int program, int block, int blocks) {
    if (program >= 0) {
        const int next = program % 2 == 1 ? program - 1 : program - 2 * blocks + 1;
        return next >= 0 ? next : -1 - block;
    }
    return program - 2 * (blocks - 1 - (-1 - program) % blocks) - 1;
}

// Programs of a persistent kernel that blocks draw as they come to them: their weights fall evenly
// from row 0 on. Heavy ones first, over all columns, would let all blocks read what different
// columns need, which comes from memory every time. So columns are taken in sections of about two
// rounds of programs, heavy rows first in each: what the columns of a section read stays in L2, and
// what is left at the end are the light rows of the last one. The narrow section is the first.
TK_HOST_DEVICE constexpr int section_width(int rows, int blocks) { return tiles(2 * blocks, rows); }
TK_HOST_DEVICE constexpr grid_point drawn(int program, int rows, int cols, int width) {
    const grid_point from_end = raster(rows * cols - 1 - program, cols, rows, width);
    return {rows - 1 - from_end.col, from_end.row};
}

}  // namespace tk
