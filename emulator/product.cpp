// Matrix products, in double.
#include "emulator/product.h"

#include <vector>

namespace tkc::emulator {

namespace {

// The cells as doubles, rows of the operand one after another.
std::vector<double> widen(const Tile& tile, bool transposed) {
    std::vector<double> cells(tile.reals.size());
    if (!transposed) {
        for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = tile.reals[i];
        return cells;
    }
    const auto rows = static_cast<std::size_t>(tile.rows);
    const auto cols = static_cast<std::size_t>(tile.cols);
    for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t c = 0; c < cols; ++c) cells[c * rows + r] = tile.reals[r * cols + c];
    }
    return cells;
}

// Four rows of sums at a time, so that a row of b is read once for four products.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)
__attribute__((target_clones("arch=haswell", "default")))
#endif
void add_products(double* __restrict sums, const double* __restrict a, const double* __restrict b,
                  std::size_t rows, std::size_t inner, std::size_t cols) {
    std::size_t i = 0;
    for (; i + 4 <= rows; i += 4) {
        double* __restrict s0 = sums + i * cols;
        double* __restrict s1 = s0 + cols;
        double* __restrict s2 = s1 + cols;
        double* __restrict s3 = s2 + cols;
        for (std::size_t k = 0; k < inner; ++k) {
            const double x0 = a[i * inner + k];
            const double x1 = a[(i + 1) * inner + k];
            const double x2 = a[(i + 2) * inner + k];
            const double x3 = a[(i + 3) * inner + k];
            const double* __restrict row = b + k * cols;
            for (std::size_t j = 0; j < cols; ++j) {
                s0[j] += x0 * row[j];
                s1[j] += x1 * row[j];
                s2[j] += x2 * row[j];
                s3[j] += x3 * row[j];
            }
        }
    }
    for (; i < rows; ++i) {
        for (std::size_t k = 0; k < inner; ++k) {
            const double x = a[i * inner + k];
            for (std::size_t j = 0; j < cols; ++j) sums[i * cols + j] += x * b[k * cols + j];
        }
    }
}

}  // namespace

void multiply(Tile& result, bool accumulate, const Tile& a, bool a_transposed, const Tile& b,
              bool b_transposed) {
    const std::vector<double> left = widen(a, a_transposed);
    const std::vector<double> right = widen(b, b_transposed);
    std::vector<double> sums(result.reals.size());
    if (accumulate) {
        for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = result.reals[i];
    }
    const auto rows = static_cast<std::size_t>(result.rows);
    const auto cols = static_cast<std::size_t>(result.cols);
    add_products(sums.data(), left.data(), right.data(), rows, left.size() / rows, cols);
    for (std::size_t i = 0; i < sums.size(); ++i) result.reals[i] = static_cast<float>(sums[i]);
}

}  // namespace tkc::emulator
