// Matrix products, in double.
#include "emulator/product.h"

#include <vector>

#include "emulator/vectorised.h"

namespace tkc::emulator {

namespace {

// The cells as doubles, rows of the operand one after another.
std::vector<double> widen(const Tile& tile, bool transposed, bool tf32) {
    const auto rows = static_cast<std::size_t>(tile.rows);
    const auto cols = static_cast<std::size_t>(tile.cols);
    std::vector<double> cells(rows * cols);
    const auto copy = [&](const auto& from) {
        for (std::size_t r = 0; r < rows; ++r) {
            for (std::size_t c = 0; c < cols; ++c)
                cells[transposed ? c * rows + r : r * cols + c] =
                    static_cast<double>(from[r * cols + c]);
        }
    };
    if (!tile.is_real()) {
        copy(tile.integers);
    } else if (tf32) {
        std::vector<float> rounded = tile.reals;
        round_to_tf32(rounded.data(), rounded.size());
        copy(rounded);
    } else {
        copy(tile.reals);
    }
    return cells;
}

// Four columns of `a` a step for two rows of sums, so that sums are read and written a quarter as
// often. Every sum adds its products in the order of `a`'s columns.
TKC_VECTORISED
void add_products(double* __restrict sums, const double* __restrict a, const double* __restrict b,
                  std::size_t rows, std::size_t inner, std::size_t cols) {
    std::size_t i = 0;
    for (; i + 2 <= rows; i += 2) {
        double* __restrict s0 = sums + i * cols;
        double* __restrict s1 = s0 + cols;
        const double* __restrict x = a + i * inner;
        const double* __restrict y = x + inner;
        std::size_t k = 0;
        for (; k + 4 <= inner; k += 4) {
            const double* __restrict b0 = b + k * cols;
            const double* __restrict b1 = b0 + cols;
            const double* __restrict b2 = b1 + cols;
            const double* __restrict b3 = b2 + cols;
            for (std::size_t j = 0; j < cols; ++j) {
                s0[j] = (((s0[j] + x[k] * b0[j]) + x[k + 1] * b1[j]) + x[k + 2] * b2[j]) +
                        x[k + 3] * b3[j];
                s1[j] = (((s1[j] + y[k] * b0[j]) + y[k + 1] * b1[j]) + y[k + 2] * b2[j]) +
                        y[k + 3] * b3[j];
            }
        }
        for (; k < inner; ++k) {
            const double* __restrict row = b + k * cols;
            for (std::size_t j = 0; j < cols; ++j) {
                s0[j] += x[k] * row[j];
                s1[j] += y[k] * row[j];
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

void multiply(Tile& result, const ir::Mma& op, const Tile& a, const Tile& b) {
    const std::vector<double> left = widen(a, op.a_transposed, op.tf32);
    const std::vector<double> right = widen(b, op.b_transposed, op.tf32);
    const auto rows = static_cast<std::size_t>(result.rows);
    const auto cols = static_cast<std::size_t>(result.cols);
    std::vector<double> sums(rows * cols);
    if (op.accumulate) sums = widen(result, false, false);
    add_products(sums.data(), left.data(), right.data(), rows, left.size() / rows, cols);
    for (std::size_t i = 0; i < sums.size(); ++i) {
        if (result.is_real()) result.reals[i] = static_cast<float>(sums[i]);
        else result.integers[i] = wrap_to(result.dtype, static_cast<std::int64_t>(sums[i]));
    }
}

}  // namespace tkc::emulator
