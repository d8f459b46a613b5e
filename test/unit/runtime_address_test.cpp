// The runtime's addresses, descriptors and register maps against independent models of the
// hardware's rules.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <set>
#include <vector>

#include "runtime/tk/operations/grid.cuh"
#include "runtime/tk/operations/pipeline.cuh"
#include "runtime/tk/tile/descriptor.h"
#include "runtime/tk/tile/layout.h"
#include "runtime/tk/tile/shared_tile.cuh"
#include "runtime/tk/tile/tile.cuh"

namespace {

// The swizzle as the PTX ISA states it: an XOR of bits of the byte address, in memory aligned to
// the pattern.
uint32_t swizzled(int span, uint32_t address) {
    const uint32_t mask = span == 128 ? 7 : span == 64 ? 3 : span == 32 ? 1 : 0;
    return address ^ ((address >> 7 & mask) << 4);
}

// Where TMA puts the bytes of a tile: panels of `span` bytes, one box each, lines dense, then the
// XOR.
uint32_t placed(int span, int lines, int row, int byte) {
    const uint32_t panel = static_cast<uint32_t>(byte / span * lines * span);
    return panel + swizzled(span, static_cast<uint32_t>(row * span + byte % span));
}

const int kSpans[] = {128, 64, 32, 16};

TEST(RuntimeLayout, SpanIsTheWidestThatDividesTheRow) {
    EXPECT_EQ(tk::span_of(128, 128), 128);
    EXPECT_EQ(tk::span_of(64, 512), 128);
    EXPECT_EQ(tk::span_of(64, 96 * 2), 64);
    EXPECT_EQ(tk::span_of(64, 80 * 2), 32);
    EXPECT_EQ(tk::span_of(64, 72 * 2), 16);
    EXPECT_EQ(tk::span_of(1, 512), 0);
    EXPECT_EQ(tk::span_of(12, 128), 0);
    EXPECT_EQ(tk::span_of(8, 4), 0);
}

TEST(RuntimeLayout, OffsetsAreWhereTmaPutsThem) {
    for (const int size : {1, 2, 4})
        for (int rows = 8; rows <= 264; rows += 8)
            for (const int row_bytes : {16, 32, 48, 64, 96, 128, 160, 192, 256, 384, 512, 640}) {
                const int span = tk::span_of(rows, row_bytes);
                const int cols = row_bytes / size;
                for (int row = 0; row < rows; ++row)
                    for (int col = 0; col < cols; ++col)
                        ASSERT_EQ(
                            static_cast<uint32_t>(tk::tile_offset(rows, cols, size, row, col)),
                            placed(span, rows, row, col * size))
                            << size << ' ' << rows << ' ' << row_bytes << ' ' << row << ' ' << col;
            }
}

TEST(RuntimeLayout, EveryByteHasOnePlace) {
    for (const int rows : {1, 5, 8, 64, 136})
        for (const int cols : {8, 24, 40, 64, 96, 128, 256}) {
            std::vector<bool> taken(static_cast<size_t>(rows * cols * 2));
            for (int row = 0; row < rows; ++row)
                for (int col = 0; col < cols; ++col) {
                    const auto at = static_cast<size_t>(tk::tile_offset(rows, cols, 2, row, col));
                    ASSERT_LT(at, taken.size());
                    ASSERT_FALSE(taken[at]);
                    taken[at] = true;
                }
        }
}

TEST(RuntimeLayout, BoxesTileTheTile) {
    for (int extent = 1; extent <= 1024; ++extent) {
        const int box = tk::box_extent(extent, 1);
        EXPECT_LE(box, 256);
        EXPECT_EQ(extent % box, 0);
    }
    for (int extent = 8; extent <= 1024; extent += 8) {
        const int box = tk::box_extent(extent, 8);
        EXPECT_LE(box, 256);
        EXPECT_EQ(extent % box, 0);
        EXPECT_EQ(box % 8, 0);
    }
    EXPECT_EQ(tk::box_columns(128, 256, 2), 64);
    EXPECT_EQ(tk::box_columns(64, 96, 4), 16);
    EXPECT_EQ(tk::box_columns(0, 512, 4), 256);
}

// What a descriptor means, read back from its bits (PTX ISA, "Matrix descriptor").
struct decoded {
    uint32_t start, leading, stride, swizzle;
    explicit decoded(uint64_t d)
        : start(static_cast<uint32_t>(d & 0x3fff) << 4),
          leading(static_cast<uint32_t>(d >> 16 & 0x3fff) << 4),
          stride(static_cast<uint32_t>(d >> 32 & 0x3fff) << 4),
          swizzle(static_cast<uint32_t>(d >> 62)) {}
};

// The address that an instruction reads for the 16-bit element (mn, k) of its operand, k < 16:
// canonical layouts, in which the swizzle applies to the final address.
uint32_t read_by_wgmma(uint64_t bits, tk::operand_order order, int span, int mn, int k) {
    const decoded d(bits);
    uint32_t at = d.start;
    const auto u = [](int x) { return static_cast<uint32_t>(x); };
    if (order == tk::operand_order::k_major) {
        at += u(mn / 8) * d.stride;
        if (span == 16) at += u(k / 8) * d.leading + u(mn % 8) * 16 + u(k % 8) * 2;
        else at += u(mn % 8) * u(span) + u(k) * 2;
    } else {
        const int panel = span / 2;  // elements of M or N
        if (span == 16)
            at += u(mn / 8) * d.stride + u(k / 8) * d.leading + u(k % 8) * 16 + u(mn % 8) * 2;
        else
            at += u(mn / panel) * d.leading + u(k / 8) * d.stride + u(k % 8) * u(span) +
                  u(mn % panel) * 2;
    }
    return swizzled(span, at);
}

TEST(RuntimeDescriptor, ReadsTheElementsThatTmaPlaced) {
    const uint32_t base = 0x8400;  // aligned to 1024, not to more
    for (const int span : kSpans)
        for (const int panels : {1, 2, 3, 4})
            for (const int lines : {16, 64, 80, 128, 256}) {
                const int width = panels * span / 2;  // elements of a line
                // K-major: lines are M or N, width is K.
                for (int step = 0; step * 16 + 16 <= width; ++step)
                    for (const int first : {0, 8, 64}) {
                        if (first >= lines) continue;
                        const auto order = tk::operand_order::k_major;
                        const uint64_t bits =
                            tk::descriptor(order, span, lines, base) +
                            static_cast<uint64_t>(
                                tk::descriptor_advance(order, span, lines, step, first) >> 4);
                        for (int mn = 0; mn + first < lines; ++mn)
                            for (int k = 0; k < 16; ++k)
                                ASSERT_EQ(
                                    read_by_wgmma(bits, order, span, mn, k),
                                    base + placed(span, lines, first + mn, (step * 16 + k) * 2))
                                    << "K-major " << span << ' ' << lines << ' ' << step << ' '
                                    << mn;
                    }
                // MN-major: lines are K, width is M or N.
                for (int step = 0; step * 16 + 16 <= lines; ++step)
                    for (int first = 0; first < width; first += std::max(span / 2, 64)) {
                        const auto order = tk::operand_order::mn_major;
                        const uint64_t bits =
                            tk::descriptor(order, span, lines, base) +
                            static_cast<uint64_t>(
                                tk::descriptor_advance(order, span, lines, step, first) >> 4);
                        for (int mn = 0; mn + first < width; ++mn)
                            for (int k = 0; k < 16; ++k)
                                ASSERT_EQ(
                                    read_by_wgmma(bits, order, span, mn, k),
                                    base + placed(span, lines, step * 16 + k, (first + mn) * 2))
                                    << "MN-major " << span << ' ' << lines << ' ' << step << ' '
                                    << mn;
                    }
            }
}

// A part of a tile [64, 192 bytes times panels]: its cells are where TMA put them, and products
// read them from where the part begins, in each order that the checker allows.
template <int Span, int Row, int Col, int Rows, int Cols>
void expect_window() {
    constexpr int lines = 64;
    constexpr uint32_t base = 0x8400;
    const tk::tile_view<uint16_t, lines, 3 * Span / 2, Span, lines> whole{base};
    const auto part = tk::part<Row, Col, Rows, Cols>(whole);
    using view = decltype(tk::part<Row, Col, Rows, Cols>(whole));
    static_assert(view::rows == Rows && view::cols == Cols);
    for (int row = 0; row < Rows; ++row)
        for (int col = 0; col < Cols; ++col)
            ASSERT_EQ(tk::address_of(part, row, col),
                      base + placed(Span, lines, Row + row, (Col + col) * 2))
                << Span << ' ' << Row << ' ' << Col << ' ' << row << ' ' << col;
    if constexpr (requires { part.address; }) {
        const auto bits = [&](tk::operand_order order, int step) {
            return tk::descriptor(order, view::span, view::lines, part.address) +
                   static_cast<uint64_t>(
                       tk::descriptor_advance(order, view::span, view::lines, step, 0) >> 4);
        };
        for (int step = 0; step * 16 + 16 <= Cols && Col % 16 == 0; ++step)
            for (int mn = 0; mn < Rows; ++mn)
                for (int k = 0; k < 16; ++k) {
                    const auto order = tk::operand_order::k_major;
                    ASSERT_EQ(read_by_wgmma(bits(order, step), order, Span, mn, k),
                              base + placed(Span, lines, Row + mn, (Col + step * 16 + k) * 2))
                        << "K-major " << Span << ' ' << Row << ' ' << Col << ' ' << mn;
                }
        for (int step = 0; step * 16 + 16 <= Rows; ++step)
            for (int mn = 0; mn < Cols; ++mn)
                for (int k = 0; k < 16; ++k) {
                    const auto order = tk::operand_order::mn_major;
                    ASSERT_EQ(read_by_wgmma(bits(order, step), order, Span, mn, k),
                              base + placed(Span, lines, Row + step * 16 + k, (Col + mn) * 2))
                        << "MN-major " << Span << ' ' << Row << ' ' << Col << ' ' << mn;
                }
    }
}

template <int Span>
void expect_windows() {
    constexpr int panel = Span / 2;
    expect_window<Span, 0, 0, 64, 3 * panel>();
    expect_window<Span, 16, panel, 32, 2 * panel>();
    expect_window<Span, 8, 2 * panel, 48, panel>();
    expect_window<Span, 24, panel, 16, panel + 8>();  // a panel, and a part of the next
    expect_window<Span, 8, panel + 8, 32, 8>();       // a part of one
    expect_window<Span, 8, panel / 2, 32, panel / 2>();
    expect_window<Span, 8, panel - 8, 32, 16>();  // over the end of one
    expect_window<Span, 3, panel + 1, 21, 5>();
    expect_window<Span, 63, 0, 1, 3 * panel>();
}

TEST(RuntimeWindow, BeginsAnywhere) {
    expect_windows<128>();
    expect_windows<64>();
    expect_windows<32>();
}

TEST(RuntimeWindow, PartsOfParts) {
    const tk::tile_view<uint16_t, 64, 128, 128, 64> whole{0x8400};
    const auto check = [](const auto& part, int first_row, int first_col, int rows, int cols) {
        for (int row = 0; row < rows; ++row)
            for (int col = 0; col < cols; ++col)
                ASSERT_EQ(tk::address_of(part, row, col),
                          0x8400U + placed(128, 64, first_row + row, (first_col + col) * 2))
                    << first_row << ' ' << first_col << ' ' << row << ' ' << col;
    };
    const auto panels = tk::part<8, 64, 32, 64>(whole);
    check(tk::rows<16>(panels, 16), 24, 64, 16, 64);
    check(tk::columns_of_panel<16>(panels, 32), 8, 96, 32, 16);
    const auto within = tk::part<8, 32, 32, 32>(whole);
    check(tk::rows<8>(within, 24), 32, 32, 8, 32);
    check(tk::columns_of_panel<16>(within, 16), 8, 48, 32, 16);
    const auto inner = tk::part<3, 40, 32, 48>(whole);
    check(tk::rows<8>(inner, 16), 19, 40, 8, 48);
    check(tk::columns<16>(inner, 32), 3, 72, 32, 16);
    static_assert(decltype(tk::columns<16>(inner, 32))::unit == 16);
    static_assert(decltype(tk::part<0, 3, 8, 8>(whole))::unit == 2);
    // Without panels, rows follow each other.
    const tk::tile_view<uint16_t, 5, 20, 0, 5> linear{64};
    EXPECT_EQ(tk::address_of(tk::part<2, 4, 3, 8>(linear), 1, 2), 64U + (3 * 20 + 6) * 2);
}

TEST(RuntimeDescriptor, KnownConstants) {
    const auto k = tk::operand_order::k_major, mn = tk::operand_order::mn_major;
    EXPECT_EQ(tk::descriptor(k, 128, 64, 0), 0x4000004000010000u);
    EXPECT_EQ(tk::descriptor(k, 64, 64, 0), 0x8000002000010000u);
    EXPECT_EQ(tk::descriptor(k, 32, 64, 0), 0xC000001000010000u);
    EXPECT_EQ(tk::descriptor(mn, 128, 128, 0), 0x4000004004000000u);
    EXPECT_EQ(tk::descriptor_swizzle(16), 0u);
}

// Every cell of the tile has one place in one thread, or the same in all that hold it, one of which
// writes it; no thread holds others, but beyond the extents.
template <class Layout>
void expect_cover() {
    std::vector<int> places(static_cast<size_t>(Layout::rows * Layout::cols));
    for (int thread = 0; thread < Layout::threads; ++thread)
        for (int cell = 0; cell < Layout::cells; ++cell) {
            const int row = Layout::row(thread, cell);
            const int col = Layout::col(thread, cell);
            EXPECT_EQ(row, Layout::row_at(thread, Layout::row_index(cell)));
            EXPECT_EQ(col, Layout::col_at(thread, Layout::col_index(cell)));
            EXPECT_EQ(cell, Layout::cell_at(Layout::row_index(cell), Layout::col_index(cell)));
            EXPECT_TRUE(!Layout::whole_rows || row < Layout::rows);
            EXPECT_TRUE(!Layout::whole_cols || col < Layout::cols);
            const bool has = Layout::has_row(thread, cell) && Layout::has_col(thread, cell);
            ASSERT_EQ(has, row < Layout::rows && col < Layout::cols);
            if (has && Layout::writes(thread))
                ++places[static_cast<size_t>(row * Layout::cols + col)];
        }
    for (const int count : places) ASSERT_EQ(count, 1);
}

TEST(RuntimeTile, LayoutsCoverTheTileOnce) {
    expect_cover<tk::fragment_layout<64, 8>>();
    expect_cover<tk::fragment_layout<64, 256>>();
    expect_cover<tk::fragment_layout<192, 24>>();
    expect_cover<tk::fragment_layout<128, 1>>();
    expect_cover<tk::fragment_layout<1, 136>>();
    expect_cover<tk::stripe_layout<1, 64, 32, 32, 2>>();
    expect_cover<tk::stripe_layout<64, 64, 128, 8, 8>>();
    expect_cover<tk::stripe_layout<7, 100, 96, 16, 4>>();
    expect_cover<tk::stripe_layout<2, 5001, 256, 128, 1>>();
    expect_cover<tk::stripe_layout<1, 16384, 2048, 2048, 8>>();
    expect_cover<tk::stripe_layout<64, 1, 128, 8, 8>>();
    expect_cover<tk::stripe_layout<1, 1, 128, 8, 8>>();
}

// D of m64nNk16: d[4j+0,1] = row 16w+g, columns 8j+2q,+1; d[4j+2,3] = row 16w+g+8 (PTX ISA, figures
// of D).
TEST(RuntimeTile, FragmentIsTheLayoutOfD) {
    constexpr int cols = 96;
    using layout = tk::fragment_layout<128, cols>;
    for (int thread = 0; thread < 128; ++thread) {
        const int w = thread / 32, g = thread % 32 / 4, q = thread % 4;
        for (int block = 0; block < 2; ++block)
            for (int j = 0; j < cols / 8; ++j)
                for (int i = 0; i < 4; ++i) {
                    const int cell = block * cols / 2 + 4 * j + i;
                    EXPECT_EQ(layout::row(thread, cell), 64 * block + 16 * w + g + 8 * (i / 2));
                    EXPECT_EQ(layout::col(thread, cell), 8 * j + 2 * q + i % 2);
                }
    }
}

// A of m64k16, 16 bit: r0 row g, k 2q; r1 row g+8; r2 row g, k 8+2q; r3 row g+8: the packed pairs
// of D.
TEST(RuntimeTile, PackedPairsAreTheLayoutOfA) {
    constexpr int cols = 64;
    using layout = tk::fragment_layout<64, cols>;
    for (int thread = 0; thread < 128; ++thread) {
        const int w = thread / 32, g = thread % 32 / 4, q = thread % 4;
        for (int step = 0; step < cols / 16; ++step)
            for (int r = 0; r < 4; ++r)
                for (int half = 0; half < 2; ++half) {
                    const int cell =
                        2 * (4 * step + r) + half;  // register 4 step + r of the packed fragment
                    EXPECT_EQ(layout::row(thread, cell), 16 * w + g + 8 * (r % 2));
                    EXPECT_EQ(layout::col(thread, cell), 16 * step + 8 * (r / 2) + 2 * q + half);
                }
    }
}

// The register of a row, or column, next to a tile is the one of the tile's cells in it.
template <int Rows, int Cols>
void expect_along() {
    using layout = tk::fragment_layout<Rows, Cols>;
    using column = tk::fragment_layout<Rows, 1>;
    using row = tk::fragment_layout<1, Cols>;
    for (int thread = 0; thread < 128; ++thread)
        for (int cell = 0; cell < layout::cells; ++cell) {
            EXPECT_EQ(column::row(thread, layout::row_index(cell)), layout::row(thread, cell));
            EXPECT_EQ(row::col(thread, layout::col_index(cell)), layout::col(thread, cell));
        }
}

TEST(RuntimeTile, RowsAndColumnsGoAlongWithTheirTile) {
    expect_along<64, 64>();
    expect_along<128, 24>();
}

// A warp's stmatrix writes eight lanes at a time: they must meet eight different groups of four
// banks.
TEST(RuntimeLayout, StmatrixHasNoBankConflicts) {
    for (const int span : {128, 64, 32})
        for (int chunk = 0; chunk < span / 16; ++chunk)
            for (int first = 0; first < 64; first += 8) {
                std::set<int> banks;
                for (int line = first; line < first + 8; ++line)
                    banks.insert(tk::panel_offset(span, 64, line, chunk * 16) % 128 / 16);
                EXPECT_EQ(banks.size(), 8u) << span;
            }
}

TEST(RuntimeTile, TypesAgreeWithTheFunctions) {
    using tile = tk::shared_tile<tk::bf16, 64, 256>;
    static_assert(tile::span == 128 && tile::bytes == 32768 && sizeof(tile) == 32768);
    static_assert(alignof(tile) == 1024);
    using narrow = tk::shared_tile<float, 64, 24>;
    static_assert(narrow::span == 32 && alignof(narrow) == 256);
    using whole = tk::tile_view<tk::bf16, 64, 256, 128, 64>;
    for (int row = 0; row < 64; ++row)
        for (int col = 0; col < 256; ++col)
            ASSERT_EQ(tk::view_offset<whole>(row, col), tk::tile_offset(64, 256, 2, row, col));
}

TEST(RuntimeTypes, Bf16RoundsToNearestEven) {
    EXPECT_EQ(tk::bf16(1.0f).bits, 0x3f80);
    EXPECT_EQ(tk::bf16(1.00390625f).bits, 0x3f80);  // a tie goes to even
    EXPECT_EQ(tk::bf16(1.01171875f).bits, 0x3f82);  // the next tie goes up
    EXPECT_EQ(tk::bf16(-3.0e38f).bits, 0xff62);
    EXPECT_NE(float(tk::bf16(0.0f / 0.0f)), float(tk::bf16(0.0f / 0.0f)));
}

TEST(RuntimePipeline, CursorVisitsStagesInTurn) {
    tk::cursor<3> at;
    for (int element = 0; element < 20; ++element) {
        EXPECT_EQ(at.stage, element % 3);
        EXPECT_EQ(at.phase, static_cast<uint32_t>(element / 3 % 2));
        at.advance();
    }
}

TEST(RuntimePipeline, CursorSkipsAsItAdvances) {
    for (int before = 0; before < 8; ++before) {
        for (int elements = 0; elements < 20; ++elements) {
            tk::cursor<3> walked;
            for (int i = 0; i < before + elements; ++i) walked.advance();
            tk::cursor<3> skipped;
            skipped.skip(before);
            skipped.skip(elements);
            EXPECT_EQ(skipped.stage, walked.stage);
            EXPECT_EQ(skipped.phase, walked.phase);
        }
    }
}

TEST(RuntimeGrid, RasterIsAPermutation) {
    for (int rows = 1; rows <= 20; ++rows)
        for (int cols = 1; cols <= 9; ++cols)
            for (const int band : {1, 3, 8}) {
                std::set<int> seen;
                for (int program = 0; program < rows * cols; ++program) {
                    const auto point = tk::raster(program, rows, cols, band);
                    ASSERT_TRUE(point.row >= 0 && point.row < rows && point.col >= 0 &&
                                point.col < cols);
                    seen.insert(point.row * cols + point.col);
                }
                ASSERT_EQ(seen.size(), static_cast<size_t>(rows * cols));
            }
    EXPECT_EQ(tk::raster(1, 16, 4, 8).row, 1);  // the row is fastest
    EXPECT_EQ(tk::raster(8, 16, 4, 8).col, 1);
    EXPECT_EQ(tk::raster(32, 16, 4, 8).row, 8);
    EXPECT_EQ(tk::tiles(0, 64), 0);
    EXPECT_EQ(tk::tiles(65, 64), 2);
}

// Every point is some program's, and at most one cluster has programs that are none. Those of a
// whole cluster are neighbors in one column.
TEST(RuntimeGrid, ClustersCoverTheGrid) {
    constexpr int size = 4;
    for (int rows = 1; rows <= 13; ++rows)
        for (int cols = 1; cols <= 9; ++cols)
            for (const int band : {4, 8}) {
                std::set<int> seen;
                const int programs = tk::tiles(rows * cols, size) * size;
                for (int program = 0; program < programs; ++program) {
                    const auto point = tk::raster_clusters<size>(program, rows, cols, band);
                    const auto first =
                        tk::raster_clusters<size>(program - program % size, rows, cols, band);
                    ASSERT_EQ(point.together, first.together);
                    if (point.together) {
                        ASSERT_EQ(point.row, first.row + program % size);
                        ASSERT_EQ(point.col, first.col);
                    }
                    ASSERT_TRUE(point.row >= 0 && point.row < rows && point.col >= 0);
                    if (point.col < cols) seen.insert(point.row * cols + point.col);
                }
                ASSERT_EQ(seen.size(), static_cast<size_t>(rows * cols));
                ASSERT_LT(programs - rows * cols, size);
            }
}

// Blocks run each program once, for every number of rows, of columns and of blocks.
TEST(RuntimeGrid, DealtProgramsRunOnce) {
    for (int rows = 1; rows <= 12; ++rows) {
        for (int cols = 1; cols <= 40; ++cols) {
            for (int blocks = 1; blocks <= 40; ++blocks) {
                std::vector<int> runs(static_cast<std::size_t>(rows * cols));
                for (int block = 0; block < blocks; ++block) {
                    for (int program = tk::first_scheduled(block, rows, cols, blocks);
                         program >= -tk::dealt_alone(rows, cols, blocks);
                         program = tk::next_scheduled(program, block, blocks)) {
                        const tk::grid_point at = tk::dealt(program, rows, cols, blocks);
                        if (at.row < 0) continue;
                        ASSERT_LT(at.row, rows);
                        ASSERT_LT(at.col, cols);
                        ++runs[static_cast<std::size_t>(at.col * rows + at.row)];
                    }
                }
                for (const int count : runs) EXPECT_EQ(count, 1);
            }
        }
    }
}

// What blocks get of a triangle's rows, a step and a half next to each, is even: the longest takes
// 4 % more than the mean.
TEST(RuntimeGrid, DealtProgramsAreEven) {
    const int blocks = 132;
    for (const auto& [rows, cols] :
         {std::pair{16, 256}, {32, 256}, {64, 256}, {86, 16}, {128, 16}}) {
        std::vector<double> work(static_cast<std::size_t>(blocks));
        double sum = 0;
        for (int block = 0; block < blocks; ++block) {
            for (int program = tk::first_scheduled(block, rows, cols, blocks);
                 program >= -tk::dealt_alone(rows, cols, blocks);
                 program = tk::next_scheduled(program, block, blocks)) {
                const tk::grid_point at = tk::dealt(program, rows, cols, blocks);
                if (at.row < 0) continue;
                const double weight = rows - at.row + 1.5;
                work[static_cast<std::size_t>(block)] += weight;
                sum += weight;
            }
        }
        EXPECT_LE(*std::max_element(work.begin(), work.end()), 1.04 * sum / blocks) << rows;
    }
    EXPECT_EQ(tk::dealt(-1, 8, 1, blocks).row, 0);
    EXPECT_EQ(tk::dealt(-8, 8, 1, blocks).row, 7);   // light ones end
    EXPECT_EQ(tk::dealt(1, 8, 999, blocks).row, 0);  // a pair
    EXPECT_EQ(tk::dealt(0, 8, 999, blocks).row, 7);
}

// Every number is a program of its own, and heavy rows come first in a section.
TEST(RuntimeGrid, DrawnProgramsRunOnce) {
    for (int rows = 1; rows <= 12; ++rows) {
        for (int cols = 1; cols <= 40; ++cols) {
            for (int blocks = 1; blocks <= 40; ++blocks) {
                const int width = tk::column_block_width(rows, blocks);
                std::set<std::pair<int, int>> seen;
                int row = -1;
                for (int program = 0; program < rows * cols; ++program) {
                    const tk::grid_point at = tk::drawn(program, rows, cols, width);
                    ASSERT_TRUE(at.row >= 0 && at.row < rows && at.col >= 0 && at.col < cols);
                    ASSERT_TRUE(at.row == row || at.row == row + 1 || at.row == 0);
                    row = at.row;
                    seen.emplace(at.row, at.col);
                }
                ASSERT_EQ(seen.size(), static_cast<std::size_t>(rows * cols));
            }
        }
    }
    EXPECT_EQ(tk::column_block_width(64, 132), 5);
}

// The first free block takes the next program: of a triangle's rows as above, the last one ends
// 2 % later than the mean.
TEST(RuntimeGrid, DrawnProgramsAreEven) {
    const int blocks = 132;
    for (const auto& [rows, cols] :
         {std::pair{16, 256}, {32, 256}, {64, 256}, {86, 16}, {128, 16}}) {
        std::multiset<double> free_at;
        for (int block = 0; block < blocks; ++block) free_at.insert(0);
        double sum = 0;
        const int width = tk::column_block_width(rows, blocks);
        for (int program = 0; program < rows * cols; ++program) {
            const double weight = rows - tk::drawn(program, rows, cols, width).row + 1.5;
            const double begin = *free_at.begin();
            free_at.erase(free_at.begin());
            free_at.insert(begin + weight);
            sum += weight;
        }
        EXPECT_LE(*free_at.rbegin(), 1.02 * sum / blocks) << rows;
    }
}

}  // namespace
