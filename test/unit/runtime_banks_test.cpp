// How often the lanes of a warp meet in one bank of shared memory: what tkc emits for tiles of rows
// and columns never meets more than twice, so that no performance note speaks of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

#include "runtime/tk/tile/layout.h"
#include "runtime/tk/tile/tile.cuh"

namespace {

// Shared memory gives 32 banks of 4 bytes at once: an access takes as many rounds as there are
// words in the bank that most lanes ask for.
int rounds(const std::set<int>& words) {
    std::array<int, 32> asked{};
    for (const int word : words) ++asked[static_cast<std::size_t>(word % 32)];
    return *std::max_element(asked.begin(), asked.end());
}

// ldmatrix and stmatrix: eight lines of 16 bytes at a time.
int rounds_of_matrix(int rows, int cols, int row, int col) {
    std::set<int> words;
    for (int line = 0; line < 8; ++line) {
        const int at = tk::tile_offset(rows, cols, 2, row + line, col);
        for (int byte = 0; byte < 16; byte += 4) words.insert((at + byte) / 4);
    }
    return rounds(words);
}

// Pairs of 32-bit cells: half a warp at a time.
int rounds_of_pairs(int rows, int cols, int first_lane, int cell) {
    using layout = tk::fragment_layout<64, 8>;  // others repeat it every 4 cells
    std::set<int> words;
    for (int lane = first_lane; lane < first_lane + 16; ++lane) {
        const int row = layout::row(lane, cell % 4);
        const int col = layout::col(lane, cell % 4) + 8 * (cell / 4);
        const int at = tk::tile_offset(rows, cols, 4, row, col);
        words.insert({at / 4, at / 4 + 1});
    }
    return rounds(words);
}

TEST(RuntimeBanks, CellsOf16BitsMeetNoBankTwice) {
    for (int cols = 8; cols <= 256; cols += 8)
        for (int row = 0; row < 64; row += 8)
            for (int col = 0; col < cols; col += 8)
                ASSERT_EQ(rounds_of_matrix(64, cols, row, col), 1)
                    << cols << ' ' << row << ' ' << col;
}

TEST(RuntimeBanks, CellsOf32BitsMeetABankAtMostTwice) {
    for (int cols = 8; cols <= 256; cols += 8)
        for (const int first_lane : {0, 16})
            for (int cell = 0; cell < cols / 2; cell += 2)
                ASSERT_LE(rounds_of_pairs(64, cols, first_lane, cell), 2) << cols << ' ' << cell;
}

// A fragment that is read or written the other way round, cell by cell: a lane's row is the column.
TEST(RuntimeBanks, TransposedCellsMeetNoBankTwice) {
    using layout = tk::fragment_layout<64, 8>;
    for (const int bytes : {1, 4})
        for (int rows = 8; rows <= 128; rows += 8)
            for (int cols = 64; cols <= 256; cols += 64)
                for (int cell = 0; cell < rows / 2; ++cell) {
                    std::set<int> words;
                    for (int lane = 0; lane < 32; ++lane) {
                        const int row = layout::col(lane, cell % 4) + 8 * (cell / 4);
                        const int col = layout::row(lane, cell % 4);
                        words.insert(tk::tile_offset(rows, cols, bytes, row, col) / 4);
                    }
                    ASSERT_EQ(rounds(words), 1) << bytes << ' ' << rows << ' ' << cols;
                }
}

}  // namespace
