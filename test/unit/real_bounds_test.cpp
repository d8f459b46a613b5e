// Bounds of arithmetic hold what the machine computes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "facts/real_bounds.h"
#include "language/arithmetic.h"

namespace tkc::ir {
namespace {

// Of any size, and those at which arithmetic ends.
double some_number(Dtype dtype, std::mt19937& random) {
    const double largest = finite_bounds(dtype).most;
    const std::vector<double> ends{0, 1, -1, largest, -largest, least_above_zero(dtype)};
    if (random() % 3 == 0) return ends[random() % ends.size()];
    const int exponent = static_cast<int>(random() % 280) - 150;
    const double digits = std::uniform_real_distribution(-2.0, 2.0)(random);
    const double made = round_to(dtype, static_cast<float>(std::ldexp(digits, exponent)));
    return std::clamp(made, -largest, largest);
}

TEST(RealBounds, HoldResults) {
    std::mt19937 random(8);
    constexpr Function functions[]{
        Function::add,  Function::sub,  Function::mul,   Function::div,  Function::fma,
        Function::neg,  Function::abs,  Function::min,   Function::max,  Function::exp2,
        Function::exp,  Function::log2, Function::log,   Function::sqrt, Function::rsqrt,
        Function::tanh, Function::erf,  Function::floor, Function::ceil, Function::round};
    for (int i = 0; i < 200000; ++i) {
        const Function function = functions[random() % std::size(functions)];
        constexpr Dtype dtypes[]{Dtype::f32, Dtype::bf16, Dtype::f16};
        const Dtype dtype = dtypes[random() % std::size(dtypes)];
        std::vector<RealBounds> bounds;
        std::vector<double> x(3);
        for (int k = 0; k < info(function).arity; ++k) {
            std::vector<double> drawn{some_number(dtype, random), some_number(dtype, random),
                                      some_number(dtype, random)};
            std::sort(drawn.begin(), drawn.end());
            bounds.push_back({drawn[0], drawn[2]});
            x[static_cast<std::size_t>(k)] = drawn[1];
        }
        const double made = arithmetic::apply_in(dtype, function, x[0], x[1], x[2]);
        const RealBounds found = bounds_of(function, dtype, bounds);
        if (std::isnan(made)) continue;
        EXPECT_TRUE(found.holds(made))
            << info(function).name << " of " << x[0] << ", " << x[1] << ", " << x[2] << ": " << made
            << " is not in " << found.least << " .. " << found.most;
    }
}

TEST(RealBounds, OverflowAndUnderflow) {
    const RealBounds large{1e30, 1e38};
    EXPECT_TRUE(std::isinf(bounds_of(Function::mul, Dtype::f32, {large, large}).least));
    const RealBounds small{1e-40, 1e-30};
    EXPECT_EQ(bounds_of(Function::mul, Dtype::f32, {small, small}).most, 0);
    // Flushed, or not.
    EXPECT_EQ(bounds_of(Function::exp2, Dtype::f32, {{-140, -140}}).least, 0);
    EXPECT_GT(bounds_of(Function::exp2, Dtype::f32, {{-140, -140}}).most, 0);
    // 0 times infinity is left out.
    EXPECT_EQ(bounds_of(Function::mul, Dtype::f32, {{0, 0}, {0, HUGE_VAL}}), (RealBounds{0, 0}));
    EXPECT_EQ(converted({70000, 70000}, Dtype::f32, Dtype::f16).most, HUGE_VAL);
    EXPECT_EQ(converted({1000, HUGE_VAL}, Dtype::f32, Dtype::fp8_e4m3), (RealBounds{448, 448}));
}

}  // namespace
}  // namespace tkc::ir
