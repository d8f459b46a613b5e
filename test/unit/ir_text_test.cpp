// The text form of the IR: what is printed is read back as the same, and garbage is refused.
#include <gtest/gtest.h>

#include <random>

#include "ir/parse.h"
#include "ir/print.h"
#include "ir/walk.h"
#include "ir_samples.h"

namespace tkc::ir {
namespace {

std::string reprinted(const std::string& text) {
    ParseError error;
    const std::optional<Module> m = parse_module(text, error);
    return m ? print(*m) : error.text();
}

std::string error_of(const std::string& text) {
    ParseError error;
    return parse_module(text, error) ? "parsed" : error.text();
}

std::string scalar_again(const std::string& text) {
    ParseError error;
    const Scalar s = parse_scalar(text, error);
    return s ? to_string(s) : error.text();
}

TEST(IrText, SamplesAreCanonical) {
    EXPECT_EQ(reprinted(samples::tile_gemm), samples::tile_gemm);
    EXPECT_EQ(reprinted(samples::scheduled_gemm), samples::scheduled_gemm);
}

TEST(IrText, HandBuiltModule) {
    Kernel k;
    k.name = "copy";
    k.tensors = {{"X", Mode::in, Dtype::f16, {symbol("N"), integer(64)}, {}},
                 {"Y", Mode::out, Dtype::f16, {symbol("N"), integer(64)}, {}}};
    k.grid = {{"n", integer(0), symbol("N"), 64}};
    Role r;
    r.name = "main";
    const Value x = add_value(r, "x", TileType{Dtype::f16, 64, 64, Space::registers});
    const Range rows{Range::Kind::span, symbol("n"), 64};
    const Range cols{Range::Kind::whole, integer(0), 64};
    r.body.push_back(at({}, Load{x, {"X", {rows, cols}}, Transfer::automatic}));
    If branch{less(symbol("n"), integer(5)), {}, {}};
    branch.else_body.push_back(at({}, Store{{"Y", {rows, cols}}, x, Transfer::automatic}));
    r.body.push_back(at({}, std::move(branch)));
    k.roles.push_back(std::move(r));
    Module m;
    m.kernels.push_back(std::move(k));
    const char* const expected = R"(module level=tile {
  kernel name="copy" {
    tensor name="X" dtype=f16 extents=[N, 64]
    tensor name="Y" mode=out dtype=f16 extents=[N, 64]
    grid var="n" begin=0 end=N step=64
    role name="main" {
      value name="x" type=f16[64, 64]
      load result=%x source=X[n +: 64, :64]
      if condition=n < 5 {
      } else {
        store target=Y[n +: 64, :64] source=%x
      }
    }
  }
}
)";
    EXPECT_EQ(print(m), expected);
    EXPECT_EQ(reprinted(expected), expected);
}

TEST(IrText, RandomModulesRoundTrip) {
    for (std::uint32_t seed = 0; seed < 300; ++seed) {
        const std::string text = print(samples::random_module(seed));
        ASSERT_EQ(reprinted(text), text) << "seed " << seed;
    }
}

TEST(IrText, RandomScalarsRoundTrip) {
    for (std::uint32_t seed = 0; seed < 5000; ++seed) {
        const std::string text = to_string(samples::random_scalar(seed));
        ASSERT_EQ(scalar_again(text), text) << "seed " << seed;
    }
}

TEST(IrText, ScalarsKeepTheirShape) {
    for (const char* text : {"a - (b - c)",
                             "a - b - c",
                             "-x*y",
                             "-(x*y)",
                             "(-1.5)*x",
                             "-1.5*x",
                             "-1.5 + x",
                             "x*-1.5",
                             "not a:bool and b:bool",
                             "not (a:bool and b:bool)",
                             "(not a:bool) == b:bool",
                             "a/b%c",
                             "a%(b*c)",
                             "T[i, j]?:f32",
                             "T[i, j]",
                             "f32(#0:bf16)*scale:f32",
                             "1e+20",
                             "0.0:f64",
                             "-inf",
                             "nan",
                             "5:i64",
                             "-5:u32",
                             "min(a, max(b, 3))",
                             "(a < b) == (c < d)",
                             "row + col",
                             "A.stride.1*2 % 16 == 0",
                             "where(row < n, #0, -inf)",
                             "-9223372036854775808:i64",
                             "--x",
                             "m%b"}) {
        // Not all of them are how to_string spells it, but what it spells is read back the same.
        const std::string once = scalar_again(text);
        EXPECT_EQ(scalar_again(once), once) << text;
        EXPECT_EQ(once.find("expected"), std::string::npos) << once;
    }
    EXPECT_EQ(scalar_again("a - (b - c)"), "a - (b - c)");
    EXPECT_EQ(scalar_again("a + b*c"), "a + b*c");
    EXPECT_EQ(scalar_again("a%b"), "a%b");
    EXPECT_EQ(scalar_again("((a))"), "a");
    EXPECT_EQ(scalar_again("2 + 3*4"), "14");
    EXPECT_EQ(scalar_again("ceil_div(7, 2) + ceil_div(-7, 2) + ceil_div(6, 2)"), "4");
    // What has no 64-bit result is left as it is.
    const char* const overflow = "-(-9223372036854775808:i64) + abs(-9223372036854775808:i64)";
    EXPECT_EQ(scalar_again(overflow), overflow);
}

TEST(IrText, ScalarErrors) {
    EXPECT_EQ(scalar_again(""), "1:1: expected an expression, found the end of the text");
    EXPECT_EQ(scalar_again("a +"), "1:4: expected an expression, found the end of the text");
    EXPECT_EQ(scalar_again("a b"), "1:3: expected an operator or the end of the text, found `b`");
    EXPECT_EQ(scalar_again("a:q16"), "1:3: expected a data type, found `q16`");
    EXPECT_EQ(scalar_again("min(a)"), "1:7: `min` takes 2 arguments, not 1");
    EXPECT_EQ(scalar_again("foo(a)"), "1:1: there is no function or data type called `foo`");
    EXPECT_EQ(scalar_again("a < b < c"),
              "1:7: comparisons cannot be chained: one of them needs parentheses");
    EXPECT_EQ(scalar_again("99999999999999999999"),
              "1:1: 99999999999999999999 does not fit 64 bits");
    EXPECT_EQ(scalar_again("1e999"), "1:1: 1e999 is outside f64");
    EXPECT_EQ(scalar_again("a and"), "1:6: expected an expression, found the end of the text");
}

TEST(IrText, ModuleErrors) {
    EXPECT_EQ(error_of(""), "1:1: expected `module`, found the end of the text");
    EXPECT_EQ(error_of("module level=middle"),
              "1:14: expected one of `tile`, `mixed`, `scheduled`, found `middle`");
    EXPECT_EQ(error_of("module {\n  kernel nam=\"x\"\n}").substr(0, 40),
              "2:10: `kernel` has no member `nam`; its ");
    EXPECT_EQ(error_of("module { kernel name=\"x\" name=\"y\" }"), "1:26: `name` is given twice");
    EXPECT_EQ(error_of("module { role }"),
              "1:10: expected `kernel`, `launcher`, `entry` or `}`, found `role`");
    EXPECT_EQ(error_of("module { kernel { role { splat result=%x } } }"),
              "1:39: the role has no value `%x`");
    EXPECT_EQ(error_of("module { kernel { role { value name=\"x\" type=bf17[1, 2] } } }"),
              "1:46: expected a type, found `bf17`");
    const auto layout_error = [](const std::string& layout) {
        return error_of("module { kernel { role { value name=\"x\" layout=" + layout + " } } }");
    };
    EXPECT_NE(layout_error("lane(row 32 0) lane(row 32 0)").find("the level is given twice"),
              std::string::npos);
    EXPECT_NE(layout_error("lane()").find("expected `row` or `col`, found `)`"), std::string::npos);
    EXPECT_NE(layout_error("lane(row)").find("found `)`"), std::string::npos);
    EXPECT_NE(layout_error("3").find("expected a level of a layout"), std::string::npos);
    EXPECT_EQ(error_of("module { kernel name=\"x }"),
              "1:22: expected a string in quotes, found a string without its closing quote");
    EXPECT_EQ(error_of("module { launcher { } }"), "1:19: nothing is nested in `launcher`");
    EXPECT_EQ(error_of("module { } }"), "1:12: expected the end of the text, found `}`");
}

TEST(IrText, CommentsAndSpans) {
    const std::string text =
        "// RUN: something\nmodule { // one\n kernel { let name=\"x\" value=1 } }\n";
    ParseError error;
    const std::optional<Module> m = parse_module(text, error, 7);
    ASSERT_TRUE(m) << error.text();
    const Span span = m->kernels[0].lets[0].span;
    EXPECT_EQ(span.file, 7U);
    EXPECT_EQ(text.substr(span.begin, span.end - span.begin), "let name=\"x\" value=1");
}

TEST(IrText, DeepNestingIsRefused) {
    std::string deep;
    for (int i = 0; i < 100000; ++i) deep += "(";
    EXPECT_NE(scalar_again(deep).find("nested too deeply"), std::string::npos);
    deep = "a";
    for (int i = 0; i < 100000; ++i) deep += " + a";
    EXPECT_NE(scalar_again(deep).find("the expression is too deep"), std::string::npos);
    deep.clear();
    for (int i = 0; i < 100000; ++i) deep += "- ";
    EXPECT_NE(scalar_again(deep).find("nested too deeply"), std::string::npos);
    deep = "module { kernel {";
    for (int i = 0; i < 100000; ++i) deep += "if condition=true {";
    EXPECT_NE(error_of(deep).find("nested too deeply"), std::string::npos);
}

// Samples with bytes changed, dropped, doubled and cut: the parser must come back.
TEST(IrText, GarbageIsRefusedNotCrashedOn) {
    std::mt19937 random(1);
    for (int round = 0; round < 3000; ++round) {
        std::string text = round % 2 == 0 ? samples::tile_gemm : samples::scheduled_gemm;
        for (std::uint32_t edits = 1 + random() % 4; edits > 0; --edits) {
            const std::size_t at = random() % text.size();
            switch (random() % 4) {
                case 0: text[at] = static_cast<char>(random() % 256); break;
                case 1: text.erase(at, random() % 20); break;
                case 2: text.insert(at, text.substr(random() % text.size(), random() % 30)); break;
                default: text.insert(at, 1, "{}[]()=,:%\"-+<>#"[random() % 16]); break;
            }
            if (text.empty()) text = "x";
        }
        ParseError error;
        const std::optional<Module> m = parse_module(text, error);
        if (m) {
            const std::string once = print(*m);
            ASSERT_EQ(reprinted(once), once) << text;
        } else {
            ASSERT_FALSE(error.message.empty());
            ASSERT_GT(error.line, 0U);
        }
    }
}

}  // namespace
}  // namespace tkc::ir
