// The order in which programs traverse a grid; plain functions of the program's number.
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

// raster(row, band): bands of `band` rows, traversed column by column with the row varying fastest,
// so that programs that run together share both operands in L2. Valid for 0 <= program < rows *
// cols; the last band may be narrower.
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

// The same as raster, for clusters of neighbors along the rows; `band` is a multiple of Cluster.
// The last rows % Cluster rows come after all others, one column after another. Clusters of those
// run programs of several columns, of which some may lie past the last one. Valid for 0 <= program
// < rows * cols rounded up to a multiple of Cluster.
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
// get about the same work. A block first takes pairs: a row, and the row of the same column that
// complements it. Blocks that run together then share the data of the columns in L2, at different
// times. Pairs are large, and seldom fill the last rounds. So the programs that remain after whole
// rounds of pairs are assigned as single programs: heavy ones first, in rounds of alternating
// directions.
//
// Program numbers decrease. 2 q + 1 and 2 q are pair q, the heavy program first; -1, -2, .. are the
// single ones, in the order in which blocks take them. So a number identifies its kind, and a loop
// over programs needs only one more number: registers are scarce, and divisions by a non-constant
// are slow compared to a short program. If the number of rows is odd, one has no partner: its
// number has row -1, and is not a program.
namespace detail {

// The number of pairs that are assigned as pairs: those of whole rounds, or all of them if they
// fill their rounds and rows are so few that single programs cost more than they save. Those of one
// head start together, so that the keys and values of all are loaded from memory at once.
TK_HOST_DEVICE constexpr int scheduled_pairs(int rows, int cols, int blocks) {
    if (rows == 1) return 0;
    const int height = tiles(rows, 2);
    const int all = height * cols;
    const bool few_rows = height < 16;
    const int places = tiles(all, blocks) * blocks;
    if (few_rows && places - all <= places / 14) return all;
    const int pairs = all - (few_rows ? blocks / 2 : blocks + blocks / 2);
    return pairs < blocks ? 0 : pairs / blocks * blocks;
}

// The point of a single program. The pairs leave the columns from `first` on, and the middle rows
// of the column before it if that is begun.
TK_HOST_DEVICE constexpr grid_point scheduled_single(int single, int rows, int cols, int blocks) {
    const int pairs = scheduled_pairs(rows, cols, blocks);
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

// How many programs are single: that many numbers are negative.
TK_HOST_DEVICE constexpr int dealt_alone(int rows, int cols, int blocks) {
    const int pairs = detail::scheduled_pairs(rows, cols, blocks);
    const int height = tiles(rows, 2);
    return rows * (cols - pairs / height) - 2 * (pairs % height);
}

// The point of the grid that a program works on, or row -1.
TK_HOST_DEVICE constexpr grid_point dealt(int program, int rows, int cols, int blocks) {
    if (program < 0) return detail::scheduled_single(-1 - program, rows, cols, blocks);
    const auto pair = static_cast<unsigned>(program) / 2;
    const auto height = static_cast<unsigned>(tiles(rows, 2));
    const int step = static_cast<int>(pair % height);
    const int partner = rows - 1 - step;
    const int row = program % 2 == 1 ? step : partner == step ? -1 : partner;
    return {row, static_cast<int>(pair / height)};
}

// A block's first program, and the one after `program`.
TK_HOST_DEVICE constexpr int first_scheduled(int block, int rows, int cols, int blocks) {
    const int pairs = detail::scheduled_pairs(rows, cols, blocks);
    return block < pairs ? 2 * (pairs - block) - 1 : -1 - block;
}
TK_HOST_DEVICE constexpr int next_scheduled(int program, int block, int blocks) {
    if (program >= 0) {
        const int next = program % 2 == 1 ? program - 1 : program - 2 * blocks + 1;
        return next >= 0 ? next : -1 - block;
    }
    return program - 2 * (blocks - 1 - (-1 - program) % blocks) - 1;
}

// Programs of a persistent kernel that blocks fetch dynamically: their weights fall evenly from row
// 0 on. If heavy ones came first over all columns, all blocks would read data of different columns,
// from memory every time. So columns are processed in sections of about two rounds of programs,
// heavy rows first in each: the data of a section stays in L2, and the light rows of the last
// section run at the end. The narrow section is the first.
TK_HOST_DEVICE constexpr int column_block_width(int rows, int blocks) {
    return tiles(2 * blocks, rows);
}
TK_HOST_DEVICE constexpr grid_point drawn(int program, int rows, int cols, int width) {
    const grid_point from_end = raster(rows * cols - 1 - program, cols, rows, width);
    return {rows - 1 - from_end.col, from_end.row};
}

}  // namespace tk
