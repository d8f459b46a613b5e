// Powers whose exponent is written as an integer: products, which take negative numbers, too.
//
//     pow(x, 2)     ->  x * x
//     pow(x, -3)    ->  1.0 / (x * (x * x))
//
// `pow` itself uses the logarithm of its base, which is NaN below 0.
#include <cmath>

#include "frontend/check/arithmetic.h"
#include "frontend/check/builder.h"
#include "frontend/check/calls.h"
#include "frontend/check/context.h"
#include "frontend/check/numbers.h"
#include "frontend/check/tiles.h"

namespace tkc::checker {

namespace {

// From here on products are not cheaper than the function.
constexpr double most_exponent = 16;

}  // namespace

std::optional<std::int64_t> whole_exponent(const Operand& base, const ir::Scalar& exponent) {
    const std::optional<Dtype> dtype = dtype_of(base);
    const std::optional<double> written = written_number(exponent);
    if (!dtype || !is_real(*dtype) || !written || *written == 0) return std::nullopt;
    if (std::abs(*written) > most_exponent || std::floor(*written) != *written) return std::nullopt;
    return static_cast<std::int64_t>(*written);
}

Operand Calls::check_power(const Operand& base, std::int64_t exponent, Span span, Span written) {
    // As `pow` does, products of 16-bit numbers are those of f32. f64 has products of its own.
    const bool wide = dtype_of(base) == Dtype::f64;
    Operand x = wide ? base : arithmetic_.convert(Dtype::f32, base, span, written);
    if (is_poison(x)) return x;
    // What takes arithmetic is computed once, and not for every factor.
    if (auto* tile = std::get_if<Tile>(&x); tile && builder_.role && !tiles_.plain(*tile))
        x = tiles_.tile_of(tiles_.materialize(*tile, builder_.unique_name("base")));
    const auto apply = [&](Function function, const Operand& a, const Operand& b) {
        return arithmetic_.apply(function, "pow", span, {a, b}, {written, written});
    };
    std::optional<Operand> product;
    Operand square = x;
    for (std::int64_t left = std::abs(exponent);;) {
        if (left % 2 != 0) product = product ? apply(Function::mul, *product, square) : square;
        left /= 2;
        if (left == 0) break;
        square = apply(Function::mul, square, square);
    }
    return exponent > 0 ? *product : apply(Function::div, ir::real(1), *product);
}

}  // namespace tkc::checker
