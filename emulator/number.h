// The device's number types on the CPU: rounding and encoding.
//
// Every real type of at most 32 bits is a subset of `float`, so their cells are computed as floats
// and rounded to their type when they are converted or stored; those of f64 are doubles.
// Conversions round to nearest even; to f16 and bf16 what is too large becomes infinite; to fp8 it
// becomes the largest number (PTX ISA, cvt .satfinite), infinities too, and NaN stays NaN.
// Subnormals are kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "language/dtype.h"

namespace tkc::emulator {

// The number of the real type `dtype` nearest to `x`, ties to even.
double round_to(Dtype dtype, double x);
// Rounds `count` cells in place. f32 and f64 leave them as they are.
void round_cells(Dtype dtype, float* cells, std::size_t count);

// The same for doubles.
void round_cells(Dtype dtype, double* cells, std::size_t count);

// The same for what a product takes as tf32: f32's range with 10 bits of fraction, to nearest, ties
// away from zero (PTX ISA, "cvt", .rna.tf32). NaN stays NaN; what is too large becomes infinite.
void round_to_tf32(float* cells, std::size_t count);

// The bits of `x` in the real type `dtype`, after rounding; only the lowest bits are set.
std::uint64_t encode(Dtype dtype, double x);
// The number that these bits of the real type `dtype` stand for.
double decode(Dtype dtype, std::uint64_t bits);

// The integer that is left of `value` in the integer type `dtype`, or in bool: as C's conversion
// between integers does it.
std::int64_t wrap_to(Dtype dtype, std::int64_t value);
// The same for `count` integers in place.
void wrap_cells(Dtype dtype, std::int64_t* cells, std::size_t count);
// Conversion of a real number to an integer type: truncated, saturated, NaN to 0 (PTX ISA, cvt).
std::int64_t truncate_to(Dtype dtype, double value);

// Reads or writes an element of type `dtype` at `at`; of an integer or bool type, or of a real
// one.
std::int64_t read_integer(Dtype dtype, const std::byte* at);
double read_real(Dtype dtype, const std::byte* at);
void write_integer(Dtype dtype, std::int64_t value, std::byte* at);
void write_real(Dtype dtype, double value, std::byte* at);

// The same by the type that numbers of `dtype` are computed in: integers, floats or doubles.
template <class Number>
Number read_number(Dtype dtype, const std::byte* at) {
    if constexpr (std::is_integral_v<Number>) return read_integer(dtype, at);
    else return static_cast<Number>(read_real(dtype, at));
}
template <class Number>
void write_number(Dtype dtype, Number value, std::byte* at) {
    if constexpr (std::is_integral_v<Number>) write_integer(dtype, value, at);
    else write_real(dtype, value, at);
}

// `count` elements that lie side by side, or every `step`-th.
template <class Number>
void read_numbers(Dtype dtype, const std::byte* from, Number* to, std::size_t count,
                  std::int64_t step = 1);
template <class Number>
void write_numbers(Dtype dtype, const Number* from, std::byte* to, std::size_t count,
                   std::int64_t step = 1);

}  // namespace tkc::emulator
