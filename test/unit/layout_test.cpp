// Layouts against the formulas of the PTX ISA and of the runtime, cell by cell.
#include "ir/layout.h"

#include <gtest/gtest.h>

#include <array>
#include <set>

#include "ir/cell_threads.h"
#include "ir/warp_products.h"
#include "tiles/tile_function.h"

namespace tkc::ir {
namespace {

enum class Kind : std::uint8_t {
    stripes,
    whole,
    rows,
    columns,  // fragments divided by what
    grid,     // of warps, `lanes` of them along a row
};

struct Case {
    std::int64_t width, rows, cols;  // width in warps, or warpgroups
    Kind kind;
    std::int64_t lanes = 0, vector = 0, blocks = 1;

    std::int64_t warps() const {
        return kind == Kind::stripes || kind == Kind::grid ? width : 4 * width;
    }
};

Layout layout_of(const Case& c) {
    switch (c.kind) {
        case Kind::stripes:
            return stripe_layout(c.rows, c.cols, {c.width, c.blocks, c.lanes, c.vector});
        case Kind::whole: return fragment_layout(c.rows, c.cols, c.width, std::nullopt);
        case Kind::rows: return fragment_layout(c.rows, c.cols, c.width, Axis::row);
        case Kind::columns: return fragment_layout(c.rows, c.cols, c.width, Axis::col);
        case Kind::grid: return warp_fragment_layout(c.rows, c.cols, {c.width / c.lanes, c.lanes});
    }
    return {};
}

// The threads that hold a cell, from the text of the PTX ISA ("Register fragments for
// wgmma.mma_async.m64nNk16": lane 4 g + q of warp w has rows 16 w + g and 16 w + g + 8, columns
// 8 i + 2 q and the next one; "Matrix fragments for mma.m16n8k16" likewise) and of
// runtime/tk/tile/register_layout.cuh.
bool is_held(const Case& c, std::int64_t thread, std::int64_t row, std::int64_t col) {
    if (c.kind == Kind::stripes) {
        const std::int64_t groups = 32 * c.width * c.blocks / c.lanes;
        const std::int64_t vector = c.cols == 1 ? 1 : c.vector;
        return (c.rows == 1 || row % groups == thread / c.lanes) &&
               (c.cols == 1 || col / vector % c.lanes == thread % c.lanes);
    }
    if (c.kind == Kind::grid) {
        const std::int64_t warp = thread / 32;
        const std::int64_t part = (c.cols + 8 * c.lanes - 1) / (8 * c.lanes) * 8;  // columns
        return (c.rows == 1 ||
                (row / 16 % (c.width / c.lanes) == warp / c.lanes && row % 8 == thread % 32 / 4)) &&
               (c.cols == 1 || (col / part == warp % c.lanes && col % 8 / 2 == thread % 4));
    }
    const std::int64_t group = thread / 128;
    const std::int64_t warp = thread % 128 / 32;
    const std::int64_t lane = thread % 32;
    const std::int64_t rows = c.kind == Kind::rows ? c.rows / c.width : c.rows;
    const std::int64_t cols = c.kind == Kind::columns ? c.cols / c.width : c.cols;
    const bool own_rows = c.kind != Kind::rows || row / rows == group;
    const bool own_cols = c.kind != Kind::columns || c.cols == 1 || col / cols == group;
    const std::int64_t in = row % 64;
    const bool has_row = c.rows == 1 || (own_rows && in / 16 == warp && in % 8 == lane / 4);
    const bool has_col = c.cols == 1 || (own_cols && col % 8 / 2 == lane % 4);
    return has_row && has_col;
}

constexpr auto fragments = std::to_array<Case>({
    {1, 64, 64, Kind::rows},
    {1, 128, 24, Kind::rows},
    {2, 256, 32, Kind::rows},
    {3, 192, 8, Kind::rows},
    {2, 64, 32, Kind::columns},
    {2, 128, 1, Kind::rows},
    {2, 64, 1, Kind::columns},
    {2, 1, 64, Kind::whole},
});

constexpr auto stripes = std::to_array<Case>({
    {1, 1, 64, Kind::stripes, 32, 2},
    {4, 64, 64, Kind::stripes, 8, 8},
    {3, 7, 100, Kind::stripes, 16, 4},
    {8, 2, 5001, Kind::stripes, 128, 1},
    {8, 1, 16384, Kind::stripes, 2048, 8, 8},
    {4, 64, 1, Kind::stripes, 8, 8},
    {4, 1, 20, Kind::stripes, 4, 8},
});

constexpr auto grids = std::to_array<Case>({
    {4, 64, 64, Kind::grid, 1},
    {4, 64, 64, Kind::grid, 2},
    {4, 16, 128, Kind::grid, 4},
    {6, 96, 40, Kind::grid, 3},
    {1, 16, 8, Kind::grid, 1},
    {4, 20, 36, Kind::grid, 2},
    {4, 64, 1, Kind::grid, 2},
    {4, 1, 64, Kind::grid, 2},
    {8, 1, 1, Kind::grid, 4},
});

void expect_formula(const Case& c) {
    const Layout layout = layout_of(c);
    const CellThreads threads(layout, c.rows, c.cols);
    EXPECT_EQ(problem_of(layout, c.rows, c.cols, c.warps()), "");
    const std::int64_t count = threads_of(layout);
    EXPECT_EQ(count, 32 * c.warps() * c.blocks);
    std::vector<std::int64_t> held(static_cast<std::size_t>(count));
    bool replicated = false;
    const std::int64_t steps = std::max<std::int64_t>(1, c.cols / 300);  // of wide rows, some
    for (std::int64_t row = 0; row < c.rows; ++row) {
        for (std::int64_t col = 0; col < c.cols; col += steps) {
            std::int64_t first = -1;
            std::int64_t holders = 0;
            for (std::int64_t t = 0; t < count; ++t) {
                const bool holds = is_held(c, t, row, col);
                ASSERT_EQ(threads.holds(t, row, col), holds)
                    << to_string(layout) << ": thread " << t << " at " << row << ", " << col;
                if (!holds) continue;
                if (first < 0) first = t;
                ++holders;
                ++held[static_cast<std::size_t>(t)];
            }
            EXPECT_EQ(threads.writer(row, col), first) << to_string(layout);
            replicated = replicated || holders > 1;
        }
    }
    EXPECT_EQ(is_replicated(layout), replicated) << to_string(layout);
    for (const std::int64_t cells : held) EXPECT_LE(cells, cells_of_thread(layout));
}

TEST(Layout, FragmentsAreThoseOfThePtxIsa) {
    for (const Case& c : fragments) expect_formula(c);
}

TEST(Layout, StripesAreThoseOfTheRuntime) {
    for (const Case& c : stripes) expect_formula(c);
}

TEST(Layout, FragmentsOfWarpsAreThoseOfThePtxIsa) {
    for (const Case& c : grids) {
        expect_formula(c);
        const WarpGrid grid{c.width / c.lanes, c.lanes};
        EXPECT_EQ(warp_grid_of(layout_of(c), c.rows, c.cols), grid);
    }
    EXPECT_FALSE(warp_grid_of(fragment_layout(64, 64, 1, Axis::row), 64, 64));
}

// Which numbers of the shared extent lane 4 g + q has of rows g and g + 8 of operand A (PTX ISA,
// "matrix fragments for mma.m16n8k8", "k16", "k32"): 4 bytes at byte 4 q of both halves of 32
// bytes.
TEST(Layout, ResultsAreOperandsWhereTheirLanesHoldThem) {
    const WarpGrid one{1, 1};
    for (const Dtype dtype : {Dtype::bf16, Dtype::f16, Dtype::f32, Dtype::i8, Dtype::u8}) {
        const std::int64_t per = 4 / bytes(dtype);
        const std::int64_t step = 8 * per;
        const CellThreads threads(warp_fragment_layout(16, step, one), 16, step);
        bool as_it_lies = true;
        std::vector<std::int64_t> held(4);  // by q
        for (std::int64_t k = 0; k < step; ++k) {
            for (std::int64_t q = 0; q < 4; ++q) {
                if (!threads.holds(q, 0, k)) continue;
                ++held[static_cast<std::size_t>(q)];
                as_it_lies = as_it_lies && k % (4 * per) / per == q;
            }
        }
        // Of 4 bytes, numbers come in the order of the lanes that hold them, two each.
        for (const std::int64_t count : held) EXPECT_EQ(count, 2 * per);
        EXPECT_EQ(stays_in_registers(dtype, one), as_it_lies || bytes(dtype) == 4) << name(dtype);
        EXPECT_FALSE(stays_in_registers(dtype, {1, 2}));
    }
}

// A period may only be named if the threads of every cell are those of the cell a period further.
TEST(Layout, PeriodsRepeatTheThreads) {
    for (const auto& cases : {std::vector<Case>(fragments.begin(), fragments.end()),
                              std::vector<Case>(stripes.begin(), stripes.end())}) {
        for (const Case& c : cases) {
            const Layout layout = layout_of(c);
            const CellThreads threads(layout, c.rows, c.cols);
            for (std::int64_t r = period_of(layout, Axis::row); r != 0 && r < c.rows; ++r)
                EXPECT_EQ(threads.of_row(r), threads.of_row(r - period_of(layout, Axis::row)));
            for (std::int64_t k = period_of(layout, Axis::col); k != 0 && k < c.cols; ++k)
                EXPECT_EQ(threads.of_col(k), threads.of_col(k - period_of(layout, Axis::col)));
        }
    }
}

// Tiles of one pattern lie with the same threads where they overlap.
TEST(Layout, PatternsOfDifferentExtentsAgreeWhereTheyOverlap) {
    std::vector<Case> cases(fragments.begin(), fragments.end());
    cases.insert(cases.end(), stripes.begin(), stripes.end());
    cases.push_back({4, 32, 256, Kind::stripes, 8, 8});
    cases.push_back({1, 192, 16, Kind::rows});
    int same = 0;
    for (const Case& a : cases) {
        for (const Case& b : cases) {
            const Layout first = layout_of(a);
            const Layout second = layout_of(b);
            if (!same_pattern(first, second)) continue;
            same += first == second ? 0 : 1;
            const CellThreads x(first, a.rows, a.cols);
            const CellThreads y(second, b.rows, b.cols);
            for (std::int64_t r = 0; r < std::min(a.rows, b.rows); ++r)
                EXPECT_EQ(x.of_row(r), y.of_row(r));
            for (std::int64_t k = 0; k < std::min(a.cols, b.cols); ++k)
                EXPECT_EQ(x.of_col(k), y.of_col(k));
        }
    }
    EXPECT_GE(same, 4);  // pairs that are not the same layout
}

// A place in the thread is one: each thread's cells of the part are those of the whole, moved.
TEST(Layout, PartsOfTilesLieInThreads) {
    const auto place = [](const Layout& whole, const Layout& part, std::int64_t row,
                          std::int64_t col) {
        const auto found = place_in_thread(whole, part, row, col);
        return found ? std::pair(found->row, found->col)
                     : std::pair<std::int64_t, std::int64_t>{-1, -1};
    };
    const std::pair<std::int64_t, std::int64_t> nowhere{-1, -1};
    const auto fragment = [](std::int64_t rows, std::int64_t cols, std::int64_t groups = 1) {
        return fragment_layout(rows, cols, groups,
                               groups == 1 ? std::nullopt : std::optional(Axis::row));
    };
    EXPECT_EQ(place(fragment(128, 96), fragment(128, 40), 0, 56), std::pair(0L, 14L));
    EXPECT_EQ(place(fragment(128, 96), fragment(64, 96), 64, 0), std::pair(2L, 0L));
    EXPECT_EQ(place(fragment(128, 96), fragment(128, 40), 0, 57), nowhere);
    EXPECT_EQ(place(fragment(128, 96), fragment(128, 48), 0, 56), nowhere);
    EXPECT_EQ(place(fragment(128, 96), fragment(128, 1), 0, 8), nowhere);
    EXPECT_EQ(place(fragment(256, 96, 2), fragment(256, 32, 2), 0, 32), std::pair(0L, 8L));
    EXPECT_EQ(place(fragment(256, 96, 2), fragment(128, 96, 2), 0, 0), nowhere);
    const Layout by_columns = fragment_layout(128, 64, 2, Axis::col);
    EXPECT_EQ(place(by_columns, fragment_layout(64, 64, 2, Axis::col), 64, 0), std::pair(2L, 0L));
    EXPECT_EQ(place(by_columns, fragment_layout(128, 32, 2, Axis::col), 0, 0), nowhere);
    const auto sync = [](std::int64_t rows, std::int64_t cols, WarpGrid warps) {
        return warp_fragment_layout(rows, cols, warps);
    };
    EXPECT_EQ(place(sync(64, 64, {4, 1}), sync(64, 16, {4, 1}), 0, 40), std::pair(0L, 10L));
    EXPECT_EQ(place(sync(64, 64, {1, 1}), sync(16, 64, {1, 1}), 32, 0), std::pair(4L, 0L));
    EXPECT_EQ(place(sync(64, 64, {2, 2}), sync(64, 32, {2, 2}), 0, 32), nowhere);
    for (const std::int64_t lanes : {8, 32}) {
        const auto stripe = [&](std::int64_t rows, std::int64_t cols) {
            return stripe_layout(rows, cols, {4, 1, lanes, 4});
        };
        EXPECT_EQ(place(stripe(64, 512), stripe(64, 256), 0, 256), std::pair(0L, 256 / lanes));
        EXPECT_EQ(place(stripe(64, 512), stripe(48, 512), 16, 0), std::pair(16 * lanes / 128, 0L));
        EXPECT_EQ(place(stripe(64, 512), stripe(64, 256), 0, 4), nowhere);
    }
}

TEST(Layout, TextNamesModesByLevel) {
    const Case fragment{2, 256, 64, Kind::rows};
    EXPECT_EQ(to_string(layout_of(fragment)),
              "register(col 2 1, row 2 8, col 8 8, row 2 64) lane(col 4 2, row 8 1) "
              "warp(row 4 16, row 2 128)");
    const Case row{8, 1, 16384, Kind::stripes, 2048, 8, 8};
    EXPECT_EQ(to_string(layout_of(row)),
              "register(col 8 1, col 1 16384) lane(col 32 8) warp(col 8 256) block(col 8 2048)");
}

// The layout of a column next to a tile is the one that a column of its own would have.
TEST(Layout, ColumnsAndRowsGoAlongWithTheirTile) {
    std::vector<Case> cases(fragments.begin(), fragments.end());
    cases.insert(cases.end(), stripes.begin(), stripes.end());
    for (const Case& c : cases) {
        if (c.rows == 1 || c.cols == 1) continue;
        Case column = c;
        column.cols = 1;
        EXPECT_EQ(along(layout_of(c), c.rows, 1), layout_of(column));
        Case row = c;
        row.rows = 1;
        if (c.kind == Kind::rows) row.kind = Kind::whole;  // every warpgroup has the row
        EXPECT_EQ(along(layout_of(c), 1, c.cols), layout_of(row));
    }
}

TEST(Layout, ProblemsAreFound) {
    const Layout good = fragment_layout(128, 64, 2, Axis::row);
    EXPECT_EQ(problem_of(good, 128, 64, 8), "");
    EXPECT_EQ(problem_of(good, 128, 64, 4), "8 warps for 4");
    EXPECT_EQ(problem_of(good, 129, 64, 8), "row 128 has 0 places");
    EXPECT_EQ(problem_of(good, 128, 72, 8), "column 64 has 0 places");
    Layout twice = good;
    twice.registers.push_back({Axis::col, 2, 8});
    EXPECT_EQ(problem_of(twice, 128, 64, 8), "column 8 has 2 places");
    twice.registers.back() = {Axis::col, 2, 0};
    EXPECT_EQ(problem_of(twice, 128, 64, 8), "column 0 has 2 places");
    Layout none = good;
    none.lanes.pop_back();
    EXPECT_EQ(problem_of(none, 128, 64, 8), "4 lanes");
    none.lanes.push_back({Axis::row, -8, 1});
    EXPECT_EQ(problem_of(none, 128, 64, 8), "a mode of -8 by 1");
    Layout many = good;
    many.registers = {{Axis::col, 1 << 20, 1}, {Axis::col, 1 << 20, 1}};
    EXPECT_EQ(problem_of(many, 128, 64, 8), "its registers are too many");
}

// Where register `cell` of a thread lies along an axis, from the digits of the layout.
std::int64_t place_of(const Layout& layout, Axis axis, std::int64_t thread, std::int64_t cell) {
    std::int64_t place = 0;
    const auto add = [&](const std::vector<LayoutMode>& modes, std::int64_t number) {
        for (const LayoutMode& mode : modes) {
            if (mode.axis == axis) place += number % mode.extent * mode.stride;
            number /= mode.extent;
        }
    };
    add(layout.registers, cell);
    add(layout.lanes, thread % 32);
    add(layout.warps, thread / 32);
    return place;
}

// What `fragments` says of cells is what threads do who keep their registers: for every thread and
// every register of it.
TEST(Layout, FragmentsAreTheRegistersThatThreadsHold) {
    struct Tile {
        std::int64_t rows, cols, groups;
        Axis divided;
    };
    for (const Tile& t :
         {Tile{64, 8, 1, Axis::row}, Tile{64, 128, 1, Axis::row}, Tile{192, 72, 1, Axis::row},
          Tile{128, 64, 2, Axis::row}, Tile{64, 128, 2, Axis::col}, Tile{64, 48, 3, Axis::col}}) {
        SCOPED_TRACE(testing::Message() << t.rows << " x " << t.cols << " by " << t.groups);
        const std::int64_t lines = t.rows * t.cols / 32;
        Integers from{t.rows, t.cols, {}};
        for (std::int64_t i = 0; i < t.rows * t.cols; ++i) from.values.push_back(i);
        Integers made{lines, 32, std::vector<std::int64_t>(from.values.size(), -1)};
        Integers back{t.rows, t.cols, made.values};
        Apply apply;
        apply.function = TileFunction::fragments;
        rules_of(apply).evaluate(apply, from, made, {});
        apply.function = TileFunction::from_fragments;
        rules_of(apply).evaluate(apply, made, back, {});
        EXPECT_EQ(back.values, from.values);
        const Layout tile = fragment_layout(t.rows, t.cols, t.groups, t.divided);
        const Layout rows = fragment_lines(lines, t.groups);
        ASSERT_EQ(problem_of(rows, lines, 32, 4 * t.groups), "");
        ASSERT_EQ(cells_of_thread(tile), cells_of_thread(rows));
        for (std::int64_t thread = 0; thread < 128 * t.groups; ++thread) {
            for (std::int64_t cell = 0; cell < cells_of_thread(tile); ++cell) {
                EXPECT_EQ(made.at(place_of(rows, Axis::row, thread, cell),
                                  place_of(rows, Axis::col, thread, cell)),
                          from.at(place_of(tile, Axis::row, thread, cell),
                                  place_of(tile, Axis::col, thread, cell)));
            }
        }
    }
}

}  // namespace
}  // namespace tkc::ir
