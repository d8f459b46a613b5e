// Kernels of examples/ for the emulator's tests: compiled, called and compared.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emulator/run.h"
#include "ir/module.h"

namespace tkc::sample {

// The kernels of examples/NAME, as tile IR with its launch contract or lowered.
ir::Module compile_example(const std::string& name, ir::Level level);

// The same of a program's text.
ir::Module compile_text(const std::string& text, ir::Level level);

// A dense matrix of small integers that depends on the place alone.
emulator::Tensor matrix(Dtype dtype, std::int64_t rows, std::int64_t cols, int salt);
// The same, filled with NaNs: an output.
emulator::Tensor unwritten(Dtype dtype, std::int64_t rows, std::int64_t cols);

// Arguments of C[M, N] = A B for a kernel that takes A as [M, K] or, with `a_t`, [K, M], and so
// on.
emulator::Arguments gemm_arguments(std::int64_t m, std::int64_t n, std::int64_t k, bool a_t = false,
                                   bool b_t = false);
// A B, row by row, as C's type holds it.
std::vector<double> product(const emulator::Arguments& arguments, bool a_t = false,
                            bool b_t = false);
// How many elements of C differ from `expected`.
std::int64_t wrong_elements(const emulator::Arguments& arguments,
                            const std::vector<double>& expected);

}  // namespace tkc::sample
