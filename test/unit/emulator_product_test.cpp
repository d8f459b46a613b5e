// Sums of fp8 as docs/numerics.md says them, term by term, against what the emulator does for rows.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "emulator/number.h"
#include "emulator/product.h"

namespace tkc::emulator {
namespace {

// The power of two of a number as it is stored: those below the normal ones have the least.
int exponent_of(Dtype dtype, double x) {
    return std::max(std::ilogb(x), dtype == Dtype::fp8_e4m3 ? -6 : -14);
}

double cut(double x, int unit) { return std::trunc(std::ldexp(x, -unit)) * std::ldexp(1.0, unit); }

// One cell: `sum` and the products of 32 numbers at a time.
double sum_of(const Tile& a, const Tile& b, std::int64_t row, std::int64_t col, double sum) {
    for (std::int64_t first = 0; first < a.cols; first += 32) {
        int top = std::numeric_limits<int>::min();
        if (sum != 0) top = std::ilogb(sum);
        std::vector<double> terms{sum};
        for (std::int64_t k = first; k < first + 32; ++k) {
            const double x = a.reals[a.at(row, k)];
            const double y = b.reals[b.at(col, k)];
            if (x == 0 || y == 0) continue;
            top = std::max(top, exponent_of(a.dtype, x) + exponent_of(b.dtype, y));
            terms.push_back(x * y);
        }
        double all = 0;
        for (const double term : terms) all += term == 0 ? 0 : cut(term, top - 13);
        sum = all == 0 ? 0 : cut(all, std::ilogb(all) - 13);
    }
    return sum;
}

// Any bits but those of infinities and NaN; `near` keeps exponents together, so that sums cancel.
Tile random_tile(Dtype dtype, std::int64_t rows, std::int64_t cols, bool near, std::mt19937& bits) {
    Tile made(dtype, rows, cols);
    for (float& x : made.reals) {
        double found = decode(dtype, bits() & 0xff);
        while (!std::isfinite(found)) found = decode(dtype, bits() & 0xff);
        x = static_cast<float>(near ? round_to(dtype, std::fmod(found, 4.0)) : found);
    }
    return made;
}

TEST(Products, SumsOfFp8KeepWhatTheTensorCoresKeep) {
    std::mt19937 bits(7);
    for (const Dtype left : {Dtype::fp8_e4m3, Dtype::fp8_e5m2}) {
        for (const Dtype right : {Dtype::fp8_e4m3, Dtype::fp8_e5m2}) {
            for (int i = 0; i < 40; ++i) {
                const bool near = i % 2 != 0;
                const Tile a = random_tile(left, 5, 96, near, bits);
                const Tile b = random_tile(right, 9, 96, near, bits);
                Tile result(Dtype::f32, 5, 9);
                for (float& x : result.reals)
                    x = i % 4 < 2 ? 0.0F : static_cast<float>(bits() % 20000) / 7.0F - 900.0F;
                const Tile before = result;
                ir::Mma product;
                product.accumulate = true;
                product.b_transposed = true;
                multiply(result, product, a, b);
                for (std::int64_t r = 0; r < 5; ++r) {
                    for (std::int64_t c = 0; c < 9; ++c) {
                        const std::size_t at = result.at(r, c);
                        EXPECT_EQ(result.reals[at], sum_of(a, b, r, c, before.reals[at]))
                            << name(left) << " " << name(right) << " " << i;
                    }
                }
            }
        }
    }
}

}  // namespace
}  // namespace tkc::emulator
