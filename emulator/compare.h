// An output next to its reference: how far they are apart, and where.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emulator/array.h"
#include "emulator/tensor.h"

namespace tkc::emulator {

struct Limits {
    double cell = 0;  // of |x - r| / (|r| + rms(r)) for every cell
    double norm = 0;  // of ||x - r|| / ||r||
};

enum class CellState : std::uint8_t { good, wrong, nan };  // nan: and the reference has a number

struct Comparison {
    struct Cell {
        std::int64_t number = 0;  // in the order of rows
        double error = 0;
        std::string expected{}, found{};
    };
    double cell_error =
        0;  // the largest; infinite where infinities do not match, NaN where NaN do not
    double norm_error = 0;  // likewise
    Limits limits;
    std::vector<CellState> cells;
    std::vector<Cell> worst;  // up to five, the worst first
    std::int64_t wrong = 0;
    std::int64_t nan = 0;          // of these, NaN where the reference has a number
    bool whole = false;            // the output holds integers
    std::uint64_t difference = 0;  // of these, the largest |x - r|

    bool good() const { return wrong == 0 && norm_error <= limits.norm; }
};

// `reference` has the tensor's extents; it is rounded to the tensor's type first.
Comparison compare(const Tensor& output, const Array& reference, Limits limits);

// Both measures with their limits, in one sentence.
std::string measures_text(const Comparison& comparison);
// The worst cells, a line each.
std::string worst_text(const Comparison& comparison, const Shape& extents);
// The same of what two kernels computed, of which neither is the right one: `a` replaces the
// reference.
std::string differences_text(const Comparison& comparison, const Shape& extents,
                             const std::string& a, const std::string& b);

// Which tiles are wrong: a character for `rows` x `cols` cells of the last two axes, all others
// counted together; at most 24 lines of 64 characters, each after the number of its first row. The
// first line says what a character is, and what those that occur mean.
std::string picture(const Comparison& comparison, const Shape& extents, std::int64_t rows,
                    std::int64_t cols);

}  // namespace tkc::emulator
