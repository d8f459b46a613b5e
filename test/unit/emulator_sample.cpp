// Compiles examples and calls them with matrices of small integers.
#include "test/unit/emulator_sample.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <numeric>
#include <stdexcept>

#include "checks/padding/padding.h"
#include "emulator/number.h"
#include "frontend/check/check.h"
#include "frontend/parse/parse.h"
#include "lowering/pass_order.h"
#include "lowering/passes.h"

namespace tkc::sample {

namespace {

ir::Module compile(SourceManager& sources, FileId file, const std::string& name, ir::Level level) {
    Diagnostics diag;
    const auto tree = parse(file, sources, diag);
    CheckedFile checked = check(*tree, sources, diag, {});
    if (!checked.good) throw std::runtime_error("errors in " + name);
    ir::Module& module = checked.module;
    for (ir::Kernel& kernel : module.kernels)
        checks::padding::settle(kernel, checked.padding[kernel.name], diag, nullptr);
    ir::Module lowered = module;
    lowering::run_passes(lowering::pipeline(), lowered, diag, {});
    if (diag.has_errors()) throw std::runtime_error("errors in " + name);
    if (level == ir::Level::scheduled) return lowered;
    for (ir::Kernel& kernel : module.kernels) {
        for (const ir::Kernel& other : lowered.kernels) {
            if (other.name == kernel.name) kernel.conditions = other.conditions;
        }
    }
    return std::move(module);
}

}  // namespace

ir::Module compile_example(const std::string& name, ir::Level level) {
    SourceManager sources;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(TKC_EXAMPLES)) {
        if (entry.path().filename() != name) continue;
        const auto file = sources.read(entry.path().string());
        if (file) return compile(sources, *file, name, level);
    }
    throw std::runtime_error("no example " + name);
}

ir::Module compile_text(const std::string& text, ir::Level level) {
    SourceManager sources;
    return compile(sources, sources.add("<test>", text), "the text", level);
}

emulator::Tensor unwritten(Dtype dtype, std::int64_t rows, std::int64_t cols) {
    emulator::Tensor t{dtype, {rows, cols}, {cols, 1}, 0, {}};
    t.storage.assign(static_cast<std::size_t>(rows * cols * bytes(dtype)), std::byte{0xff});
    return t;
}

emulator::Tensor matrix(Dtype dtype, std::int64_t rows, std::int64_t cols, int salt) {
    emulator::Tensor t = unwritten(dtype, rows, cols);
    std::uint32_t state = 12345U + static_cast<std::uint32_t>(salt);
    for (std::int64_t i = 0; i < rows * cols; ++i) {
        state = state * 1664525U + 1013904223U;
        emulator::write_real(dtype, static_cast<double>(state >> 28) - 8.0, t.at(i));
    }
    return t;
}

emulator::Arguments gemm_arguments(std::int64_t m, std::int64_t n, std::int64_t k, bool a_t,
                                   bool b_t) {
    emulator::Arguments arguments;
    arguments.tensors["A"] = a_t ? matrix(Dtype::bf16, k, m, 1) : matrix(Dtype::bf16, m, k, 1);
    arguments.tensors["B"] = b_t ? matrix(Dtype::bf16, n, k, 2) : matrix(Dtype::bf16, k, n, 2);
    arguments.tensors["C"] = unwritten(Dtype::bf16, m, n);
    return arguments;
}

std::vector<double> product(const emulator::Arguments& arguments, bool a_t, bool b_t) {
    const auto cells = [](const emulator::Tensor& t, bool transposed) {
        std::vector<double> list;
        for (std::int64_t i = 0; i < t.extents[transposed ? 1 : 0]; ++i) {
            for (std::int64_t j = 0; j < t.extents[transposed ? 0 : 1]; ++j) {
                const std::int64_t row = transposed ? j : i;
                const std::int64_t col = transposed ? i : j;
                list.push_back(emulator::read_real(t.dtype, t.at(row * t.strides[0] + col)));
            }
        }
        return list;
    };
    const std::vector<double> a = cells(arguments.tensors.at("A"), a_t);   // [M, K]
    const std::vector<double> b = cells(arguments.tensors.at("B"), !b_t);  // [N, K]
    const emulator::Tensor& c = arguments.tensors.at("C");
    const auto inner = static_cast<std::ptrdiff_t>(a.size()) / c.extents[0];
    std::vector<double> result;
    for (std::int64_t i = 0; i < c.extents[0]; ++i) {
        for (std::int64_t j = 0; j < c.extents[1]; ++j) {
            const auto row = a.begin() + i * inner;
            const double sum = std::inner_product(row, row + inner, b.begin() + j * inner, 0.0);
            result.push_back(round_to(c.dtype, sum));
        }
    }
    return result;
}

std::int64_t wrong_elements(const emulator::Arguments& arguments,
                            const std::vector<double>& expected) {
    const emulator::Tensor& c = arguments.tensors.at("C");
    std::int64_t wrong = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const std::byte* at = c.at(static_cast<std::int64_t>(i));
        if (emulator::read_real(c.dtype, at) != expected[i]) ++wrong;
    }
    return wrong;
}

}  // namespace tkc::sample
