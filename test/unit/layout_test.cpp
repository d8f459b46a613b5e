// Layouts against the formulas of the PTX ISA and of the runtime, cell by cell.
#include "ir/layout.h"

#include <gtest/gtest.h>

#include <array>
#include <set>

#include "ir/cell_threads.h"

namespace tkc::ir {
namespace {

struct Case {
    Unit unit;
    std::int64_t width, rows, cols;
    Split split;
    std::int64_t lanes = 0, vector = 0, blocks = 1;
};

// What the test goes through: a role with one tile.
Role role_of(const Case& c) {
    Role role;
    role.width = c.width;
    role.unit = c.unit;
    role.row_lanes = c.lanes;
    role.row_vector = c.vector;
    role.row_blocks = c.blocks;
    ValueInfo value;
    value.type = TileType{Dtype::f32, c.rows, c.cols, Space::registers};
    value.split = c.split;
    role.values.push_back(std::move(value));
    return role;
}

// The threads that hold a cell, from the text of the PTX ISA ("Register fragments for
// wgmma.mma_async.m64nNk16": lane 4 g + q of warp w has rows 16 w + g and 16 w + g + 8, columns
// 8 i + 2 q and the next one) and of runtime/tk/tile/stripe.cuh.
bool is_held(const Case& c, std::int64_t thread, std::int64_t row, std::int64_t col) {
    if (c.split == Split::stripes) {
        const std::int64_t groups = 32 * c.width * c.blocks / c.lanes;
        const std::int64_t vector = c.cols == 1 ? 1 : c.vector;
        return (c.rows == 1 || row % groups == thread / c.lanes) &&
               (c.cols == 1 || col / vector % c.lanes == thread % c.lanes);
    }
    const std::int64_t group = thread / 128;
    const std::int64_t warp = thread % 128 / 32;
    const std::int64_t lane = thread % 32;
    const std::int64_t rows = c.split == Split::rows ? c.rows / c.width : c.rows;
    const std::int64_t cols = c.split == Split::columns ? c.cols / c.width : c.cols;
    const bool own_rows = c.split != Split::rows || row / rows == group;
    const bool own_cols = c.split != Split::columns || c.cols == 1 || col / cols == group;
    const std::int64_t in = row % 64;
    const bool has_row = c.rows == 1 || (own_rows && in / 16 == warp && in % 8 == lane / 4);
    const bool has_col = c.cols == 1 || (own_cols && col % 8 / 2 == lane % 4);
    return has_row && has_col;
}

constexpr auto fragments = std::to_array<Case>({
    {Unit::warpgroup, 1, 64, 64, Split::rows},
    {Unit::warpgroup, 1, 128, 24, Split::rows},
    {Unit::warpgroup, 2, 256, 32, Split::rows},
    {Unit::warpgroup, 3, 192, 8, Split::rows},
    {Unit::warpgroup, 2, 64, 32, Split::columns},
    {Unit::warpgroup, 2, 128, 1, Split::rows},
    {Unit::warpgroup, 2, 64, 1, Split::columns},
    {Unit::warpgroup, 2, 1, 64, Split::whole},
});

constexpr auto stripes = std::to_array<Case>({
    {Unit::warp, 1, 1, 64, Split::stripes, 32, 2},
    {Unit::warp, 4, 64, 64, Split::stripes, 8, 8},
    {Unit::warp, 3, 7, 100, Split::stripes, 16, 4},
    {Unit::warp, 8, 2, 5001, Split::stripes, 128, 1},
    {Unit::warp, 8, 1, 16384, Split::stripes, 2048, 8, 8},
    {Unit::warp, 4, 64, 1, Split::stripes, 8, 8},
    {Unit::warp, 4, 1, 20, Split::stripes, 4, 8},
});

void expect_formula(const Case& c) {
    const Role role = role_of(c);
    const Layout layout = layout_of(role, Value{0});
    const CellThreads threads(layout);
    const std::int64_t count = threads_of(layout);
    EXPECT_EQ(count, 32 * role.warps() * c.blocks);
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

// A period may only be named if the threads of every cell are those of the cell a period further.
TEST(Layout, PeriodsRepeatTheThreads) {
    for (const auto& cases : {std::vector<Case>(fragments.begin(), fragments.end()),
                              std::vector<Case>(stripes.begin(), stripes.end())}) {
        for (const Case& c : cases) {
            const Layout layout = layout_of(role_of(c), Value{0});
            const CellThreads threads(layout);
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
    cases.push_back({Unit::warp, 4, 32, 256, Split::stripes, 8, 8});
    cases.push_back({Unit::warpgroup, 1, 192, 16, Split::rows});
    int same = 0;
    for (const Case& a : cases) {
        for (const Case& b : cases) {
            const Layout first = layout_of(role_of(a), Value{0});
            const Layout second = layout_of(role_of(b), Value{0});
            if (!same_pattern(first, second)) continue;
            same += first == second ? 0 : 1;
            const CellThreads x(first);
            const CellThreads y(second);
            for (std::int64_t r = 0; r < std::min(a.rows, b.rows); ++r)
                EXPECT_EQ(x.of_row(r), y.of_row(r));
            for (std::int64_t k = 0; k < std::min(a.cols, b.cols); ++k)
                EXPECT_EQ(x.of_col(k), y.of_col(k));
        }
    }
    EXPECT_GE(same, 4);  // pairs that are not the same layout
}

TEST(Layout, TextNamesModesByLevel) {
    const Case fragment{Unit::warpgroup, 2, 256, 64, Split::rows};
    EXPECT_EQ(to_string(layout_of(role_of(fragment), Value{0})),
              "register(col 2 1, row 2 8, col 8 8, row 2 64) lane(col 4 2, row 8 1) "
              "warp(row 4 16, row 2 128) block()");
    const Case row{Unit::warp, 8, 1, 16384, Split::stripes, 2048, 8, 8};
    EXPECT_EQ(to_string(layout_of(role_of(row), Value{0})),
              "register(col 8 1, col 1 16384) lane(col 32 8) warp(col 8 256) block(col 8 2048)");
}

}  // namespace
}  // namespace tkc::ir
