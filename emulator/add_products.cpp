// The loops of matrix products. Factors have at most 24 bits, so that a double holds their product
// as it is: to round it before it is added, or not, is the same. So this file alone is compiled
// with contraction (CMakeLists.txt).
#include "emulator/add_products.h"

#include <cstring>

#include "emulator/vectorised.h"

namespace tkc::emulator {

namespace {

using FourCells = double __attribute__((vector_size(4 * sizeof(double))));

// Sums of `Rows` rows and 4 * `Fours` columns, which stay in the machine's registers.
template <std::size_t Rows, std::size_t Fours>
__attribute__((always_inline)) inline void add_block(double* sums, const double* a, const double* b,
                                                     const PartOfProduct& part) {
    const std::size_t cols = part.row_of_b;
    FourCells block[Rows][Fours];
    for (std::size_t r = 0; r < Rows; ++r)
        for (std::size_t f = 0; f < Fours; ++f)
            std::memcpy(&block[r][f], sums + r * cols + 4 * f, sizeof(FourCells));
    for (std::size_t k = 0; k < part.inner; ++k) {
        for (std::size_t f = 0; f < Fours; ++f) {
            FourCells others;
            std::memcpy(&others, b + k * cols + 4 * f, sizeof others);
            for (std::size_t r = 0; r < Rows; ++r) block[r][f] += a[r * part.row_of_a + k] * others;
        }
    }
    for (std::size_t r = 0; r < Rows; ++r)
        for (std::size_t f = 0; f < Fours; ++f)
            std::memcpy(sums + r * cols + 4 * f, &block[r][f], sizeof(FourCells));
}

template <std::size_t Rows>
__attribute__((always_inline)) inline void add_rows(double* sums, const double* a, const double* b,
                                                    const PartOfProduct& part) {
    std::size_t j = 0;
    for (; j + 8 <= part.cols; j += 8) add_block<Rows, 2>(sums + j, a, b + j, part);
    for (; j + 4 <= part.cols; j += 4) add_block<Rows, 1>(sums + j, a, b + j, part);
    for (; j < part.cols; ++j)
        for (std::size_t r = 0; r < Rows; ++r)
            for (std::size_t k = 0; k < part.inner; ++k)
                sums[r * part.row_of_b + j] += a[r * part.row_of_a + k] * b[k * part.row_of_b + j];
}

}  // namespace

TKC_FUSED
void add_products(double* sums, const double* a, const double* b, const PartOfProduct& part) {
    std::size_t i = 0;
    for (; i + 4 <= part.rows; i += 4)
        add_rows<4>(sums + i * part.row_of_b, a + i * part.row_of_a, b, part);
    for (; i < part.rows; ++i)
        add_rows<1>(sums + i * part.row_of_b, a + i * part.row_of_a, b, part);
}

}  // namespace tkc::emulator
