// Matrix products, in double; those of fp8 as the tensor cores of Hopper add them, sums in f16
// rounded after every instruction.
#include "emulator/product.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "emulator/add_products.h"
#include "emulator/number.h"
#include "emulator/vectorised.h"

namespace tkc::emulator {

namespace {

// Columns become rows. Eight rows at once fill a line of the cache.
template <class T, class To>
void turn(const std::vector<T>& from, std::size_t rows, std::size_t cols, To* to) {
    constexpr std::size_t step = 8;
    for (std::size_t first = 0; first < rows; first += step) {
        const std::size_t end = std::min(first + step, rows);
        for (std::size_t c = 0; c < cols; ++c) {
            for (std::size_t r = first; r < end; ++r)
                to[c * rows + r] = static_cast<To>(from[r * cols + c]);
        }
    }
}

// The cells as doubles. True if all are finite: none has all bits of the exponent.
TKC_VECTORISED
bool widen(const float* from, double* to, std::size_t count) {
    constexpr std::uint32_t infinity = 0x7f800000U;
    std::uint32_t largest = 0;
    for (std::size_t i = 0; i < count; ++i) {
        to[i] = static_cast<double>(from[i]);
        largest = std::max(largest, std::bit_cast<std::uint32_t>(from[i]) & ~(1U << 31));
    }
    return largest < infinity;
}

TKC_VECTORISED
bool has_negative_zero(const double* cells, std::size_t count) {
    std::uint64_t found = 0;
    for (std::size_t i = 0; i < count; ++i)
        found |=
            std::bit_cast<std::uint64_t>(cells[i]) == std::uint64_t{1} << 63 ? std::uint64_t{1} : 0;
    return found != 0;
}

// The cells as doubles, rows of the operand one after another. True if all are finite.
bool widen(const Tile& tile, bool transposed, bool tf32, std::vector<double>& cells) {
    const auto rows = static_cast<std::size_t>(tile.rows);
    const auto cols = static_cast<std::size_t>(tile.cols);
    cells.resize(rows * cols);
    if (!tile.is_real()) {
        if (transposed) turn(tile.integers, rows, cols, cells.data());
        else std::copy(tile.integers.begin(), tile.integers.end(), cells.begin());
        return true;
    }
    thread_local std::vector<float> changed;
    const std::vector<float>* from = &tile.reals;
    if (tf32 || transposed) {
        changed.resize(cells.size());
        if (transposed) turn(tile.reals, rows, cols, changed.data());
        else std::copy(tile.reals.begin(), tile.reals.end(), changed.begin());
        if (tf32) round_to_tf32(changed.data(), changed.size());
        from = &changed;
    }
    return widen(from->data(), cells.data(), cells.size());
}

// The product without what a tile has past the edge of a tensor: the last rows of `a` and columns
// of `b`, and of the shared extent what one of them has no data for, where these are zeros. All
// cells are finite and no sum begins with -0: adding 0 or -0 changes none of them.
PartOfProduct without_zeros(const std::vector<double>& a, const std::vector<double>& b,
                            PartOfProduct part) {
    const auto is_zero = [](const std::vector<double>& cells, std::size_t first, std::size_t step,
                            std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            if (cells[first + i * step] != 0) return false;
        }
        return true;
    };
    const auto row_of_a = [&](std::size_t row) {
        return is_zero(a, row * part.row_of_a, 1, part.inner);
    };
    const auto col_of_b = [&](std::size_t col) {
        return is_zero(b, col, part.row_of_b, part.inner);
    };
    const auto shared = [&](std::size_t k) {
        return is_zero(a, k, part.row_of_a, part.rows) ||
               is_zero(b, k * part.row_of_b, 1, part.cols);
    };
    while (part.inner > 0 && shared(part.inner - 1)) --part.inner;
    while (part.rows > 0 && row_of_a(part.rows - 1)) --part.rows;
    while (part.cols > 0 && col_of_b(part.cols - 1)) --part.cols;
    return part;
}

// The same with sums in f16: one instruction adds the products of 16 numbers of the shared extent,
// and rounds. `some`: room for those of `a`.
void add_in_f16(double* sums, const double* a, const double* b, std::size_t rows, std::size_t inner,
                std::size_t cols, std::vector<double>& some) {
    constexpr std::size_t depth = 16;
    for (std::size_t first = 0; first < inner; first += depth) {
        const std::size_t count = std::min(depth, inner - first);
        some.resize(rows * count);
        for (std::size_t i = 0; i < rows; ++i)
            std::copy_n(a + i * inner + first, count, some.data() + i * count);
        add_products(sums, some.data(), b + first * cols, {rows, count, cols, count, cols});
        for (std::size_t i = 0; i < rows * cols; ++i) sums[i] = round_to(Dtype::f16, sums[i]);
    }
}

// ---- fp8 ---------------------------------------------------------------------------------------
//
// One instruction adds the products of 32 numbers of the shared extent to the sum. All of these 33
// terms are cut off below 2^-13 of the largest power of two among them, where that of a product is
// that of its factors multiplied; then they are added, and the sum is cut off to 13 bits of
// fraction. docs/numerics.md says who found that out, and what is assumed.

constexpr std::size_t depth_of_fp8 = 32;
constexpr int kept_bits = 13;
constexpr int bits_of_f32 = 23;
constexpr int bias_of_f32 = 127;
constexpr int no_exponent = -1000;  // of a zero
constexpr int least_exponent = -100;

int exponent_of(float x) {
    const auto bits = std::bit_cast<std::uint32_t>(x);
    return static_cast<int>((bits >> bits_of_f32) & 0xff) - bias_of_f32;
}

// Rows of an operand, and the exponents of its cells: subnormal numbers have the
// smallest normal exponent. Infinities and NaN are kept separately, and are 0 here.
struct Fp8Operand {
    std::vector<float> cells;
    std::vector<int> exponents;
    std::vector<float> with_infinite;  // if there are any: the cells as they are
};

Fp8Operand fp8_operand(const Tile& tile, bool transposed) {
    const auto rows = static_cast<std::size_t>(tile.rows);
    const auto cols = static_cast<std::size_t>(tile.cols);
    const int least = tile.dtype == Dtype::fp8_e4m3 ? -6 : -14;
    Fp8Operand made{std::vector<float>(rows * cols), std::vector<int>(rows * cols), {}};
    if (transposed) turn(tile.reals, rows, cols, made.cells.data());
    else made.cells = tile.reals;
    bool finite = true;
    for (std::size_t i = 0; i < made.cells.size(); ++i) {
        // No number of fp8 is below the normal ones of f32.
        const int exponent = exponent_of(made.cells[i]);
        finite = finite && exponent <= bias_of_f32;
        const bool has_one = made.cells[i] != 0 && exponent <= bias_of_f32;
        made.exponents[i] = has_one ? std::max(exponent, least) : no_exponent;
    }
    if (!finite) {
        made.with_infinite = made.cells;
        for (float& x : made.cells) x = std::isfinite(x) ? x : 0;
    }
    return made;
}

float power_of_two(int exponent) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(exponent + bias_of_f32) << bits_of_f32);
}

// Below the bits that are kept: zeros.
float cut_off(float x) {
    constexpr std::uint32_t lost = (1U << (bits_of_f32 - kept_bits)) - 1;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(x) & ~lost);
}

// A row of sums: each adds the products of `depth` numbers of `x`, a row of `a`, with as many rows
// of `b`. All terms are finite.
TKC_VECTORISED
void add_fp8_products(float* __restrict sums, int* __restrict largest, int* __restrict total,
                      float* __restrict scale, const float* __restrict x,
                      const int* __restrict x_exponents, const float* __restrict b,
                      const int* __restrict b_exponents, std::size_t depth, std::size_t cols) {
    for (std::size_t j = 0; j < cols; ++j)
        largest[j] = std::max(exponent_of(sums[j]), least_exponent);
    for (std::size_t k = 0; k < depth; ++k) {
        const int exponent = x_exponents[k];
        const int* __restrict others = b_exponents + k * cols;
        for (std::size_t j = 0; j < cols; ++j)
            largest[j] = std::max(largest[j], exponent + others[j]);
    }
    // In units of 2^-13 of the largest power of two every term is an integer below 2^15.
    for (std::size_t j = 0; j < cols; ++j) {
        scale[j] = power_of_two(kept_bits - largest[j]);
        total[j] = static_cast<int>(sums[j] * scale[j]);
    }
    for (std::size_t k = 0; k < depth; ++k) {
        const float factor = x[k];
        const float* __restrict others = b + k * cols;
        for (std::size_t j = 0; j < cols; ++j)
            total[j] += static_cast<int>(factor * others[j] * scale[j]);
    }
    for (std::size_t j = 0; j < cols; ++j)
        sums[j] = cut_off(static_cast<float>(total[j]) * power_of_two(largest[j] - kept_bits));
}

// Sums that an infinity or a NaN takes part in, where there are any: what they are in any order.
std::vector<float> infinite_sums(const std::vector<float>& before, const Fp8Operand& a,
                                 const Fp8Operand& b, std::size_t inner, std::size_t cols) {
    std::vector<float> sums = before;
    const std::vector<float>& left = a.with_infinite.empty() ? a.cells : a.with_infinite;
    const std::vector<float>& right = b.with_infinite.empty() ? b.cells : b.with_infinite;
    for (std::size_t i = 0; i < left.size(); ++i) {
        const float* row = right.data() + i % inner * cols;
        for (std::size_t j = 0; j < cols; ++j) sums[i / inner * cols + j] += left[i] * row[j];
    }
    return sums;
}

void multiply_fp8(Tile& result, const ir::Mma& op, const Tile& a, const Tile& b) {
    const Fp8Operand left = fp8_operand(a, op.a_transposed);
    const Fp8Operand right = fp8_operand(b, op.b_transposed);
    const auto rows = static_cast<std::size_t>(result.rows);
    const auto cols = static_cast<std::size_t>(result.cols);
    const std::size_t inner = left.cells.size() / rows;
    std::vector<float>& sums = result.reals;
    if (!op.accumulate) std::fill(sums.begin(), sums.end(), 0.0F);
    std::vector<float> infinite;
    if (!left.with_infinite.empty() || !right.with_infinite.empty() ||
        !std::all_of(sums.begin(), sums.end(), [](float x) { return std::isfinite(x); })) {
        infinite = infinite_sums(sums, left, right, inner, cols);
        for (float& x : sums) x = std::isfinite(x) ? x : 0;
    }
    std::vector<int> largest(cols);
    std::vector<int> total(cols);
    std::vector<float> scale(cols);
    for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t first = 0; first < inner; first += depth_of_fp8) {
            const std::size_t at = i * inner + first;
            add_fp8_products(sums.data() + i * cols, largest.data(), total.data(), scale.data(),
                             left.cells.data() + at, left.exponents.data() + at,
                             right.cells.data() + first * cols,
                             right.exponents.data() + first * cols,
                             std::min(depth_of_fp8, inner - first), cols);
        }
    }
    for (std::size_t i = 0; i < infinite.size(); ++i) {
        if (!std::isfinite(infinite[i])) sums[i] = infinite[i];
    }
}

}  // namespace

void multiply(Tile& result, const ir::Mma& op, const Tile& a, const Tile& b) {
    if (is_fp8(a.dtype)) return multiply_fp8(result, op, a, b);
    // They keep their memory from product to product.
    thread_local std::vector<double> left;
    thread_local std::vector<double> right;
    thread_local std::vector<double> sums;
    const bool left_finite = widen(a, op.a_transposed, op.tf32, left);
    const bool right_finite = widen(b, op.b_transposed, op.tf32, right);
    const auto rows = static_cast<std::size_t>(result.rows);
    const auto cols = static_cast<std::size_t>(result.cols);
    if (op.accumulate) widen(result, false, false, sums);
    else sums.assign(rows * cols, 0);
    const std::size_t inner = left.size() / rows;
    if (result.dtype == Dtype::f16) {
        thread_local std::vector<double> some;
        add_in_f16(sums.data(), left.data(), right.data(), rows, inner, cols, some);
    } else {
        PartOfProduct part{rows, inner, cols, inner, cols};
        const bool finite = left_finite && right_finite;
        if (finite && !(op.accumulate && has_negative_zero(sums.data(), sums.size())))
            part = without_zeros(left, right, part);
        add_products(sums.data(), left.data(), right.data(), part);
    }
    if (result.is_real()) {
        std::transform(sums.begin(), sums.end(), result.reals.begin(),
                       [](double x) { return static_cast<float>(x); });
    } else {
        std::transform(sums.begin(), sums.end(), result.integers.begin(), [&](double x) {
            return wrap_to(result.dtype, static_cast<std::int64_t>(x));
        });
    }
}

}  // namespace tkc::emulator
