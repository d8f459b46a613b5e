// References on small arrays: what they compute, and what they refuse.
#include "emulator/reference.h"

#include <gtest/gtest.h>

#include <cmath>

#include "emulator/compare.h"
#include "emulator/fill.h"
#include "emulator/tensor_view.h"
#include "frontend/parse/parse.h"

namespace tkc::emulator {
namespace {

constexpr double infinity = HUGE_VAL;

Array matrix(Shape shape, std::vector<double> cells, NumberKind kind = NumberKind::real) {
    return as_kind({NumberKind::real, std::move(shape), std::move(cells)}, kind);
}

// Runs the statements with inputs A and B and the extent N = 2; gives C, or the messages.
struct Evaluated {
    std::optional<Array> c;
    std::string messages;
    Evaluated(const std::string& body, Shape shape, const Array& a = {}, const Array& b = {}) {
        SourceManager sources;
        Diagnostics diag;
        const std::string text = "reference k(A, B) -> (C) { " + body + " }";
        const FileId id = sources.add("test.tk", text);
        const std::optional<ast::File> file = parse(id, sources, diag);
        if (!file) {
            messages = render_text(diag, sources);
            return;
        }
        ReferenceInputs inputs;
        inputs.inputs = {{"A", a}, {"B", b}};
        inputs.numbers = {{"N", Array::whole(2)}};
        inputs.results.emplace("C", ReferenceInputs::Result{std::move(shape), Dtype::f32});
        std::optional<Arrays> results =
            evaluate_reference(std::get<ast::Reference>(file->decls[0].node), std::move(inputs),
                               {diag, sources, "test `t`"});
        if (results) c = results->at("C");
        messages = render_text(diag, sources);
    }
    std::vector<double> cells() const {
        EXPECT_EQ(messages, "");
        return c ? as_kind(*c, NumberKind::real).of<double>() : std::vector<double>{-12345};
    }
};

using Cells = std::vector<double>;
const Array two_by_three = matrix({2, 3}, {1, 2, 3, 4, 5, 6});
const Array numbers = matrix({4}, {3, 1, 4, 1}, NumberKind::integer);

TEST(Reference, ProductsAndTransposes) {
    EXPECT_EQ(Evaluated("C = A @ A.T;", {2, 2}, two_by_three).cells(), Cells({14, 32, 32, 77}));
    const Array row = matrix({2}, {1, 10});
    EXPECT_EQ(Evaluated("C = B @ A;", {3}, two_by_three, row).cells(), Cells({41, 52, 63}));
    EXPECT_EQ(Evaluated("C = column(B) @ B;", {2, 2}, {}, row).cells(), Cells({1, 10, 10, 100}));
}

TEST(Reference, LargeProductsAreExactForIntegers) {
    const std::int64_t n = 133;
    std::vector<double> a(n * n);
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<double>(i * 7 % 11) - 5;
    const Array product = *multiply(matrix({n, n}, a), matrix({n, n}, a));
    double expected = 0;
    for (std::size_t k = 0; k < 133; ++k) expected += a[100 * 133 + k] * a[k * 133 + 77];
    EXPECT_EQ(product.real_at(100 * 133 + 77), expected);
}

TEST(Reference, Broadcasting) {
    const Array row = matrix({3}, {10, 20, 30});
    EXPECT_EQ(Evaluated("C = A + B;", {2, 3}, two_by_three, row).cells(),
              Cells({11, 22, 33, 14, 25, 36}));
    EXPECT_EQ(Evaluated("C = A - sum(A, axis = 1);", {2, 3}, two_by_three).cells(),
              Cells({-5, -4, -3, -11, -10, -9}));
    EXPECT_EQ(Evaluated("C = sum(A, axis = 1);", {2}, two_by_three).cells(), Cells({6, 15}));
    EXPECT_EQ(Evaluated("C = sum(A);", {}, two_by_three).cells(), Cells({21}));
    EXPECT_EQ(Evaluated("C = 1;", {2}).cells(), Cells({1, 1}));
}

TEST(Reference, ReductionsOfNothing) {
    const Array nothing = matrix({2, 0}, {});
    EXPECT_EQ(Evaluated("C = logsumexp(A, axis = 1);", {2}, nothing).cells(),
              Cells({-infinity, -infinity}));
    EXPECT_EQ(
        Evaluated("C = softmax(A, axis = 1) @ B;", {2, 1}, nothing, matrix({0, 1}, {})).cells(),
        Cells({0, 0}));
    const Array masked = matrix({1, 2}, {-infinity, -infinity});
    EXPECT_EQ(Evaluated("C = softmax(A, axis = 1);", {1, 2}, masked).cells(), Cells({0, 0}));
    EXPECT_EQ(Evaluated("C = max(A, axis = 1);", {2}, nothing).cells(),
              Cells({-infinity, -infinity}));
}

TEST(Reference, SoftmaxAndLogsumexp) {
    const Array x = matrix({1, 2}, {1000, 1000 + std::log(3.0)});
    EXPECT_NEAR(Evaluated("C = softmax(A, axis = 1);", {2}, x).cells()[1], 0.75, 1e-12);
    EXPECT_NEAR(Evaluated("C = logsumexp(A, axis = 1);", {1}, x).cells()[0], 1000 + std::log(4.0),
                1e-9);
    EXPECT_EQ(Evaluated("C = cumsum(A, axis = 1);", {2, 3}, two_by_three).cells(),
              Cells({1, 3, 6, 4, 9, 15}));
}

void says(const Evaluated& run, const char* text) {
    EXPECT_NE(run.messages.find(text), std::string::npos) << run.messages;
}

TEST(Reference, WholeNumbersAreDividedExactlyOrRoundedDown) {
    EXPECT_EQ(Evaluated("C = (0 - 7) // N;", {}).cells(), Cells({-4}));
    EXPECT_EQ(Evaluated("C = (0 - 8) / N;", {}).cells(), Cells({-4}));
    says(Evaluated("C = (0 - 7) / N;", {}), "2 does not divide -7");
    says(Evaluated("C = 7.0 // N;", {}), "`//` expects integers");
    EXPECT_EQ(Evaluated("C = (0 - 7) % N;", {}).cells(), Cells({1}));
    EXPECT_EQ(Evaluated("C = 7.0 / N;", {}).cells(), Cells({3.5}));
    EXPECT_EQ(Evaluated("C = ceil_div(7, N) + (5 & 6) + (1 << 4);", {}).cells(), Cells({24}));
}

TEST(Reference, Slices) {
    EXPECT_EQ(Evaluated("C = A[1];", {3}, two_by_three).cells(), Cells({4, 5, 6}));
    EXPECT_EQ(Evaluated("C = A[:, 1 +: 2];", {2, 2}, two_by_three).cells(), Cells({2, 3, 5, 6}));
    EXPECT_EQ(Evaluated("C = A[0, 0 +: 2 step 2];", {2}, two_by_three).cells(), Cells({1, 3}));
    EXPECT_EQ(Evaluated("C[0..2] = B[2..4];", {3}, {}, numbers).cells(), Cells({4, 1, 0}));
    EXPECT_EQ(Evaluated("C = B[B[1 +: 3] - 1];", {3}, {}, numbers).cells(), Cells({3, 1, 3}));
}

TEST(Reference, SlicesAndListsOutsideOfATensorAreZeroAndNothingIsWritten) {
    says(Evaluated("C = A[0, 5];", {}, two_by_three),
         "position 5 is out of bounds for an axis of 3");
    says(Evaluated("C = A[0 - 1, 0];", {}, two_by_three), "position -1 is out of bounds");
    says(Evaluated("C[2] = 7;", {2}), "position 2 is out of bounds for an axis of 2");
    EXPECT_EQ(Evaluated("C = A[0, 2 +: 3];", {3}, two_by_three).cells(), Cells({3, 0, 0}));
    EXPECT_EQ(Evaluated("C[1 +: 3] = 7;", {2}).cells(), Cells({0, 7}));
}

TEST(Reference, LoopsAndTiles) {
    EXPECT_EQ(Evaluated("for i in 3 { C[i] = i * i; }", {3}).cells(), Cells({0, 1, 4}));
    EXPECT_EQ(
        Evaluated("for i in N, j in 3 { C[i, j] += A[i, j] + 1; }", {2, 3}, two_by_three).cells(),
        Cells({2, 3, 4, 5, 6, 7}));
    EXPECT_EQ(
        Evaluated("for k in 3 by 2 { C += A[:, k] @ A[:, k].T; }", {2, 2}, two_by_three).cells(),
        Cells({14, 32, 32, 77}));
    EXPECT_EQ(Evaluated("for k in 3 by 2 { C[k.index] = k.start + k.end; }", {2}).cells(),
              Cells({2, 6}));
    EXPECT_EQ(Evaluated("var n = 0; for i in reversed 0..3 { n = n * 10 + i; } C = n;", {}).cells(),
              Cells({210}));
}

TEST(Reference, VariablesAndConditions) {
    EXPECT_EQ(Evaluated("var s: f64[2] = 1; s += 1; let t = s; s = 5; C = t;", {2}).cells(),
              Cells({2, 2}));
    EXPECT_EQ(Evaluated("if N == 2 { C = 1; } else { C = 2; }", {}).cells(), Cells({1}));
    EXPECT_EQ(Evaluated("C = if N > 2 { A } else { 0 - A };", {2, 3}, two_by_three).cells(),
              Cells({-1, -2, -3, -4, -5, -6}));
    EXPECT_EQ(
        Evaluated("C = where(col_index(A) <= row_index(A), A, 0);", {2, 3}, two_by_three).cells(),
        Cells({1, 0, 0, 4, 5, 0}));
    EXPECT_EQ(Evaluated("C = min(where(B == max(B, axis = 1), col_index(B), 9), axis = 1);", {}, {},
                        numbers)
                  .cells(),
              Cells({2}));
    EXPECT_EQ(Evaluated("C = bf16(1.0 + 0.001) + i32(2.7);", {}).cells(), Cells({3}));
    EXPECT_EQ(Evaluated("C = range(3) * 2;", {3}).cells(), Cells({0, 2, 4}));
    EXPECT_EQ(Evaluated("var s = range(2); s[0] = 0.5; C = s;", {2}).cells(), Cells({0.5, 1}));
}

TEST(Reference, WhatDoesNotFitIsReported) {
    says(Evaluated("C = A @ A;", {2, 2}, two_by_three),
         "`@` cannot combine [2, 3] and [2, 3], in test `t`");
    says(Evaluated("C = A + B;", {2, 3}, two_by_three, numbers),
         "`+` cannot combine [2, 3] and [4]");
    says(Evaluated("C = A;", {3, 2}, two_by_three),
         "an assignment cannot combine [3, 2] and [2, 3]");
    says(Evaluated("C = B[2..9];", {2}, {}, numbers), "the range 2..9 is not part of an axis of 4");
    says(Evaluated("C = 1 / (N - 2);", {}), "an integer is divided by 0");
    says(Evaluated("if A > 0 { C = 1; }", {}, two_by_three), "a condition must be a scalar");
    says(Evaluated("C = A[0, 0, 0];", {}, two_by_three), "has no axis 2");
    says(Evaluated("for k in 3 by 2 { C = k; }", {}), "a tile index is not a scalar");
    says(Evaluated("C = sum(A, axis = 2);", {}, two_by_three), "`axis` is 2");
}

// ---- comparison

Tensor tensor(const Cells& cells, Shape shape, Dtype dtype = Dtype::f32) {
    SourceManager sources;
    Diagnostics diag;
    Tensor made = *make_tensor("x", dtype, shape, nullptr, {}, {}, {diag, sources, ""});
    for_each_element(made, [&](std::int64_t i, std::int64_t at) {
        write_cell(made, at, cells[static_cast<std::size_t>(i)]);
    });
    return made;
}

TEST(Compare, MeasuresCellsAgainstTheirSizeAndTheTypicalOne) {
    const Array r = matrix({4}, {1, 1, 1, 1});
    EXPECT_TRUE(compare(tensor({1, 1, 1, 1}, {4}), r, {0, 0}).good());
    const Comparison far = compare(tensor({1, 1.5, 1, 1}, {4}), r, {0.2, 1});
    EXPECT_EQ(far.wrong, 1);
    EXPECT_DOUBLE_EQ(far.cell_error, 0.25);
    EXPECT_DOUBLE_EQ(far.norm_error, 0.25);
    EXPECT_TRUE(compare(tensor({1, 1.5, 1, 1}, {4}), r, {0.25, 0.25}).good());
    EXPECT_FALSE(compare(tensor({1, 1.5, 1, 1}, {4}), r, {0.25, 0.2}).good());
}

TEST(Compare, SpecialValues) {
    const double nan = std::nan("");
    const Array r = matrix({3}, {infinity, nan, 0});
    EXPECT_TRUE(compare(tensor({infinity, nan, -0.0}, {3}), r, {0, 0}).good());
    EXPECT_EQ(compare(tensor({-infinity, 1, nan}, {3}), r, {9, 9}).wrong, 3);
    // The reference is rounded to the output's type first.
    EXPECT_TRUE(compare(tensor({1.0}, {1}, Dtype::bf16), matrix({1}, {1.001}), {0, 0}).good());
    // Nothing but zeros: the difference itself counts.
    EXPECT_TRUE(compare(tensor({0.5, 0}, {2}), matrix({2}, {0, 0}), {0.5, 1}).good());
    EXPECT_FALSE(compare(tensor({0.6, 0}, {2}), matrix({2}, {0, 0}), {0.5, 1}).good());
}

TEST(Compare, Picture) {
    const Array r = expand(Array::real(1), {128, 200});
    Cells cells(128 * 200, 1);
    for (std::size_t row = 64; row < 128; ++row) {
        for (std::size_t col = 64; col < 128; ++col) cells[row * 200 + col] = 2;
    }
    cells[0] = 3;
    cells[199] = std::nan("");
    const Comparison c = compare(tensor(cells, {128, 200}), r, {0.1, 0.1});
    EXPECT_EQ(
        picture(c, {128, 200}, 64, 64),
        "one character for 64 x 64 cells: `.` right, `+` some wrong, `#` half wrong or more, `?` "
        "NaN among them\n 0  +..?\n64  .#..");
    EXPECT_EQ(picture(c, {128, 200}, 1, 1).substr(0, 30), "one character for 6 x 4 cells:");
}

TEST(Compare, WholeNumbers) {
    const Array r = matrix({4}, {16'777'215, 0, 3, 4});
    const Comparison c =
        compare(tensor({16'777'216, 0, 3, -40'000'001}, {4}, Dtype::i32), r, {0, 0});
    EXPECT_EQ(measures_text(c), "2 of 4 cells are wrong, by up to 40000005");
    EXPECT_EQ(worst_text(c, {4}),
              "[3]: expected 4, got -40000001\n[0]: expected 16777215, got 16777216");
    EXPECT_EQ(picture(c, {4}, 1, 2),
              "one character for 1 x 2 cells: `.` right, `#` half wrong or more\n##");
}

TEST(Fill, GuardsAndLayouts) {
    Tensor before = tensor({1, 2, 3, 4}, {2, 2});
    Tensor after = before;
    EXPECT_FALSE(overwritten_guard(before, after));
    write_cell(after, after.origin + 3, 9);
    EXPECT_FALSE(overwritten_guard(before, after));
    write_cell(after, after.origin + 4, 9);
    EXPECT_EQ(overwritten_guard(before, after), 4);
}

}  // namespace
}  // namespace tkc::emulator
