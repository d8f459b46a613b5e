// The device's number types on the CPU: many cells at once, and their bits. language/rounding.h
// says how a number is rounded.
//
// Every real type of at most 32 bits is a subset of `float`, so their cells are computed as floats
// and rounded to their type when they are converted or stored; those of f64 are doubles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "language/dtype.h"
#include "language/rounding.h"

namespace tkc::emulator {

// Rounds `count` cells in place. f32 and f64 leave them as they are.
void round_cells(Dtype dtype, float* cells, std::size_t count);

// The same for doubles.
void round_cells(Dtype dtype, double* cells, std::size_t count);

// The same for what a product takes as tf32.
void round_to_tf32(float* cells, std::size_t count);

// The bits of `x` in the real type `dtype`, after rounding; only the lowest bits are set.
std::uint64_t encode(Dtype dtype, double x);
// The number that these bits of the real type `dtype` stand for.
double decode(Dtype dtype, std::uint64_t bits);

// What is left of `count` integers in the integer type `dtype`, in place.
void wrap_cells(Dtype dtype, std::int64_t* cells, std::size_t count);
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
