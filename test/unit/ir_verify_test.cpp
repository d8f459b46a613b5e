// The verifier: the samples keep every rule, and each edit of them breaks the one that it should.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ir/parse.h"
#include "ir_samples.h"
#include "verify/verify.h"

namespace tkc::ir {
namespace {

// All sentences on the module that `text` describes, a line each.
std::string complaints(const std::string& text, Plan plan = Plan::partial) {
    ParseError error;
    const std::optional<Module> m = parse_module(text, error);
    if (!m) return "does not parse: " + error.text();
    std::string out;
    for (const std::string& sentence : verify(*m, plan)) out += sentence + "\n";
    return out;
}

// Without a complaint, the edited sample keeps the rules.
struct Edit {
    const char* from;
    const char* to;
    const char* complaint;
};

void expect_complaints(const std::string& sample, std::initializer_list<Edit> edits) {
    for (const Edit& edit : edits) {
        std::string text = sample;
        const std::size_t at = text.find(edit.from);
        ASSERT_NE(at, std::string::npos) << edit.from;
        text.replace(at, std::string(edit.from).size(), edit.to);
        const std::string found = complaints(text);
        const std::string_view wanted = edit.complaint;
        EXPECT_TRUE(wanted.empty() ? found.empty() : found.find(wanted) != std::string::npos)
            << edit.from << " -> " << edit.to << "\nexpected: " << edit.complaint << "\nfound:\n"
            << found;
    }
}

TEST(IrVerify, SamplesKeepTheRules) {
    EXPECT_EQ(complaints(samples::tile_gemm), "");
    EXPECT_EQ(complaints(samples::scheduled_gemm), "");
    EXPECT_EQ(complaints(samples::scheduled_gemm, Plan::complete), "");
    EXPECT_NE(complaints(samples::tile_gemm, Plan::complete), "");
}

TEST(IrVerify, Declarations) {
    expect_complaints(
        samples::tile_gemm,
        {{"candidates=[\"gemm\"]", "candidates=[\"gem\"]", "runs `gem`, which is not a kernel"},
         {"raster_axis=\"m\"", "raster_axis=\"z\"", "`z`, which is not a grid axis"},
         {"extents=[M, K]", "extents=[M + 1, K/Q]", "`Q` is not bound here"},
         {"end=N step=256", "end=n step=256", "`n` is not bound here"},
         {"end=N step=256", "end=BN step=256", "`BN` is not bound here"},
         {"end=N step=256", "end=N", ""},
         {"holds=K%8 == 0", "holds=K%8", "is not a bool"},
         {"holds=K%8 == 0", "holds=A.stride.2 == 0", "`A.stride.2` is not bound here"},
         {"holds=K%8 == 0", "holds=A.stride.1 % BK == 0", ""},
         {"grid var=\"n\"", "grid var=\"m\"", "the name `m` is already declared here"},
         {"parameter name=\"scale\"", "parameter name=\"a b\"", "`a b` cannot be a name"},
         {"stages=4", "stages=0", "has 0 stages"},
         {"type=bf16[128, 64] shared", "type=bf16[128, 64]",
          "field `a` of pipeline `ab` is not shared"},
         {"field name=\"b\"", "field name=\"a\"", "are called `a`"},
         {"let name=\"blocks\"", "let name=\"K\"", "the name `K` is already declared here"},
         {"role name=\"producer\"", "role name=\"consumer\"", "two roles are called `consumer`"}});
}

TEST(IrVerify, ScopesAndDefinitions) {
    expect_complaints(
        samples::tile_gemm,
        {{"splat result=%acc value=0.0", "", "`%acc` is used before its definition"},
         {"consume result=%s pipeline=\"ab\"\n", "\n", "`%s` is used before its definition"},
         {"} else {\n        map result=%t0 inputs=[%acc] expression=bf16(#0)\n", "",
          "`%t0` is used before its definition"},
         {"for var=\"k\" begin=0 end=K", "for var=\"m\" begin=0 end=K",
          "the name `m` is already declared here"},
         {"k +: 64] transfer", "j +: 64] transfer", "`j` is not bound here"},
         {"scale:f32", "scale:f64", "`scale` is f32, not f64"},
         {"%t0 inputs=[%acc] expression=bf16(where", "%t0 inputs=[] expression=bf16(where",
          "`#0` is not one of the 0 inputs"},
         {"blocks > 0", "col > 0", "`col` is outside of a map"},
         {"value=0.0", "", "`value` is missing"},
         {"a=%s.a b=%s.b", "a=%s.a", "`b` is missing"},
         {"type=bf16[128, 256] variable=true", "type=bf16[128, 256]", "is defined 2 times"}});
}

TEST(IrVerify, Windows) {
    const std::string field = "field result=%s.a element=%s field=\"a\"";
    std::string text = samples::scheduled_gemm;
    const std::size_t at = text.find(field);
    ASSERT_NE(at, std::string::npos);
    text.insert(at + field.size(),
                "\n window result=%low source=%s.a row=8 col=32"
                "\n window result=%high source=%s.a row=64");
    const std::string value = "value name=\"s.a\"";
    text.insert(text.find(value),
                "value name=\"low\" type=bf16[120, 32] shared\n"
                "value name=\"high\" type=bf16[64, 64] shared\n");
    EXPECT_EQ(complaints(text), "");
    expect_complaints(
        text, {{"row=8 col=32", "row=16 col=32", "is not a subtile of bf16[128, 64] shared"},
               {"row=8 col=32", "row=8 col=33", "is not a subtile of bf16[128, 64] shared"},
               {"row=8 col=32", "row=-1", "is not a subtile of bf16[128, 64] shared"},
               {"%low source=%s.a", "%low source=%high", "`%high` is a window"},
               {"type=bf16[120, 32] shared", "type=f16[120, 32] shared", "bf16 becomes f16"},
               {"type=bf16[120, 32] shared", "type=bf16[120, 32]", "in shared memory"}});
}

TEST(IrVerify, Types) {
    expect_complaints(
        samples::tile_gemm,
        {{"b=%s.b", "b=%s.b b_transposed=true", "[128, 64] times [256, 64] is not [128, 256]"},
         {"b=%s.b", "b=%t0", "is not in shared memory"},
         {"type=f32[128, 256]", "type=f16[128, 256]", "the accumulators are f16"},
         {"expression=bf16(#0)", "expression=#0", "f32 becomes bf16"},
         {"source=A[m +: 128, k +: 64]", "source=A[m +: 128, k +: 32]",
          "does not have the extents of"},
         {"source=A[m +: 128, k +: 64]", "source=A[m +: 128, :64]", "is not 64 for every launch"},
         {"source=A[m +: 128, k +: 64]", "source=A[m +: 128]", "`A` has 2 axes, not 1"},
         {"source=A[", "source=Z[", "there is no tensor `Z`"},
         {"source=A[m +: 128", "source=A[0.5 +: 128", "`0.5` is not an integer"},
         {"field=\"b\" source", "field=\"c\" source", "has no field `c`"},
         {"fill field=\"b\" source=B[k +: 64, n +: 256] transfer=tma", "",
          "field `b` is not filled"},
         {"value name=\"s.a\" type=bf16[128, 64]", "value name=\"s.a\" type=bf16[64, 64]",
          "bf16[128, 64] shared and bf16[64, 64] shared differ"},
         {"value name=\"s\" type=element<ab>", "value name=\"s\" type=element<cd>",
          "which is not a pipeline"},
         {"if condition=m + 128 <= M and blocks > 0", "if condition=m",
          "the condition is not a bool"},
         {"N - n", "N - n:i64", "operands of `-` are i32 and i64"}});
}

TEST(IrVerify, Levels) {
    expect_complaints(samples::tile_gemm, {{"level=tile", "level=scheduled", "a tile IR operation"},
                                           {"level=tile", "level=mixed", ""}});
    expect_complaints(samples::scheduled_gemm,
                      {{"level=scheduled", "level=tile", "a scheduled IR operation"},
                       {"level=scheduled", "level=mixed", ""}});
}

TEST(IrVerify, Stages) {
    expect_complaints(
        samples::scheduled_gemm,
        {{"publish pipeline=\"ab\"", "", "its stage is not published in the block"},
         {"publish pipeline=\"ab\"", "publish pipeline=\"ab\" arrives=true",
          "2 arrivals on a full barrier that waits for 1"},
         {"bytes=49152", "bytes=32768", "32768 bytes are expected, but 49152 are copied"},
         {"acquire pipeline=\"ab\"", "", "no stage of `ab` is acquired in the block"},
         {"acquire pipeline=\"ab\"", "pin_waits acquire pipeline=\"ab\"",
          "a warp role has no products in flight"},
         {"field=\"b\" map=\"B_map\" source=B[k +: 64, n +: 256]",
          "field=\"a\" map=\"A_map\" source=A[m +: 128, k +: 64]", "field `a` is filled twice"},
         {"empty_arrivals=8", "empty_arrivals=9", "8 warps read pipeline `ab`"},
         {"copy result=%previous source=%s", "", "`%previous` is used before its definition"}});
}

TEST(IrVerify, Gathers) {
    const std::string module = R"(module level=scheduled {
  kernel name="k" source="k" shared_bytes=16400 barrier_offset=16384 {
    tensor name="X" dtype=bf16 extents=[R, N]
    tensor name="T" dtype=i32 extents=[M]
    tensor name="Y" mode=inout dtype=bf16 extents=[R, N]
    grid var="m" begin=0 end=M step=64
    pipeline name="p" full_arrivals=66 empty_arrivals=4 {
      field name="x" type=bf16[64, 64] shared buffer="p.x"
      field name="y" type=bf16[64, 64] shared buffer="p.y"
    }
    buffer name="p.x" type=bf16[64, 64] shared
    buffer name="p.y" type=bf16[64, 64] shared offset=8192
    role name="loader" width=2 unit=warp first_warp=4 {
      acquire pipeline="p"
      copy_load pipeline="p" field="x" source=X[{T[m + row]?} +: 64 before M - m, 0 +: 64] asynchronous=true
      copy_load pipeline="p" field="y" source=Y[{T[m + row]?} +: 64, 0 +: 64]
      publish pipeline="p" arrives=true copies=true
    }
    role name="reader" {
      value name="s" type=element<p>
      take result=%s pipeline="p"
      release element=%s
    }
  }
})";
    EXPECT_EQ(complaints(module), "");
    expect_complaints(
        module,
        {{"full_arrivals=66", "full_arrivals=68",
          "66 arrivals on a full barrier that waits for 68"},
         {" copies=true", "", "there is no arrival for the asynchronous copies of the stage"},
         {"source=X", "source=Y", "`Y` may be written while copies of it are in flight"},
         {"source=X[{T[m + row]?} +: 64 before M - m, 0 +: 64]",
          "source=X[0 +: 64, {T[m + row]?} +: 64]", "not a multiple of 16 bytes"},
         {"before M - m", "before M - row", "`row` is outside of a map"},
         {"Y[{T[m + row]?} +: 64", "Y[m + row +: 64", "`row` is outside of a map"},
         {"Y[{T[m + row]?} +: 64", "Y[{col} +: 64", "`col` is outside of a map"},
         {"Y[{T[m + row]?} +: 64", "Y[{T[m + row]?} +: 32", "does not have the extents of"}});
}

TEST(IrVerify, PartsOfStages) {
    const std::string module = R"(module level=scheduled {
  kernel name="k" source="k" shared_bytes=32800 barrier_offset=32768 {
    tensor name="Y" mode=accumulate dtype=f32 extents=[M, N]
    grid var="m" begin=0 end=M step=64
    pipeline name="p" full_arrivals=4 empty_arrivals=1 split=columns parts=2 {
      field name="x" type=f32[64, 128] shared buffer="p.x"
    }
    buffer name="p.x" type=f32[64, 128] shared
    tensor_map name="Y_map" tensor="Y" box=[64, 32]
    role name="writer" width=2 first_warp=0 {
      value name="c" type=f32[64, 128] layout=register(col 2 1, row 2 8, col 8 8, row 1 64) lane(col 4 2, row 8 1) warp(row 4 16, col 2 64)
      value name="next" type=element<p>
      value name="tile" type=f32[64, 128] shared
      splat result=%c value=0.0
      acquire result=%next pipeline="p"
      field result=%tile element=%next field="x"
      write_tile target=%tile source=%c
      publish pipeline="p" arrives=true
    }
    role name="reader" width=2 unit=warp first_warp=8 {
      value name="s" type=element<p>
      take result=%s pipeline="p"
      fence_async
      tma_store map="Y_map" target=Y[m +: 64, 0 +: 128] buffer="p.x" copy=0 held=%s part=columns
      wait channel=store_reads
      release element=%s
    }
  }
})";
    EXPECT_EQ(complaints(module), "");
    expect_complaints(
        module,
        {{" part=columns", "", "the warps of the role divide `p.x` differently"},
         {" part=columns", " part=rows", "the warps of the role divide `p.x` differently"},
         {"split=columns parts=2", "parts=2", "which contradicts its split"},
         {"split=columns parts=2", "", "8 arrivals on a full barrier that waits for 4"},
         {"full_arrivals=4", "full_arrivals=8", "4 arrivals on a full barrier that waits for 8"},
         {"empty_arrivals=1", "empty_arrivals=2", "2 warps read pipeline `p`"},
         {"width=2 unit=warp", "width=4 unit=warp",
          "role `reader` does not consume 2 parts of `p`"},
         {"split=columns parts=2", "split=columns parts=4", "does not fill 4 parts of `p`"}});
}

TEST(IrVerify, ProgramNumbers) {
    const std::string module = R"(module level=scheduled {
  kernel name="k" source="k" persistent=true dynamic=true shared_bytes=24 {
    grid var="m" begin=0 end=8
    pipeline name="next_programs" full_arrivals=1 empty_arrivals=4
    role name="loader" unit=warp first_warp=4 {
      acquire pipeline="next_programs" elected=true
      fetch_program pipeline="next_programs"
      publish pipeline="next_programs"
    }
    role name="worker" {
      value name="t" type=element<next_programs>
      take result=%t pipeline="next_programs"
      set_program element=%t
      release element=%t after_reads=true
    }
  }
})";
    EXPECT_EQ(complaints(module), "");
    expect_complaints(
        module,
        {{"persistent=true ", "", "a persistent kernel without clusters"},
         {"end=8", "end=8 cluster=2", "a persistent kernel without clusters"},
         {"end=8", "end=8 pipeline name=\"more\"", "several pipelines hold program numbers"},
         {"dynamic=true", "", "pipeline `next_programs` has no fields"},
         {"level=scheduled", "level=tile", "pipeline `next_programs` has no fields"},
         {"shared_bytes=24", "shared_bytes=23", "the barriers end at 24"},
         {"fetch_program pipeline=\"next_programs\"", "", "no program is fetched"},
         {"fetch_program pipeline=\"next_programs\"",
          "fetch_program pipeline=\"next_programs\" fetch_program pipeline=\"next_programs\"",
          "a program is fetched twice"},
         {"full_arrivals=1", "full_arrivals=2", "1 arrivals on a full barrier that waits for 2"},
         {"unit=warp first", "width=2 unit=warp first", "fetches programs must have one warp"},
         {"set_program element=%t", "", "it fetches 0 programs per program"},
         {"set_program element=%t", "for var=\"i\" begin=0 end=2 { set_program element=%t }",
          "it fetches 1 programs per program, 1 of them in a loop"}});
}

TEST(IrVerify, Plan) {
    expect_complaints(
        samples::scheduled_gemm,
        {{"offset=65536", "offset=65537", "which is not a multiple of 1024"},
         {"offset=65536", "offset=64512", "buffers `ab.a` and `ab.b` overlap"},
         {"barrier_offset=229376", "barrier_offset=229368", "past the first barrier"},
         {"shared_bytes=229440", "shared_bytes=229436", "past the 229436 bytes of shared memory"},
         {"shared copies=4 offset=65536", "shared copies=3 offset=65536", "but its pipeline 4 of"},
         {"map=\"A_map\"", "map=\"Z_map\"", "there is no tensor map `Z_map`"},
         {"map=\"A_map\"", "map=\"B_map\"", "`B_map` is a map of `B`"},
         {"tensor=\"B\" box=[64, 64]", "tensor=\"B\" box=[64, 48]", "the slice has 256"},
         {"tensor=\"B\" box=[64, 64]", "tensor=\"B\" box=[64, 128]", "wider than its swizzle"},
         {"first_warp=8", "first_warp=7", "share a warp"},
         {"first_warp=0", "first_warp=2", "begins at warp 2"},
         {"first_barrier=1", "first_barrier=14", "named barrier 16 is not free"},
         {"buffer=\"consumer.C\" copy", "buffer=\"nowhere\" copy", "there is no buffer `nowhere`"},
         {"name=\"acc\" type=f32[128, 256]", "name=\"acc\" type=f32[128, 252]",
          "sm_90a has no warpgroup product of [64, 252], 128 bytes deep"},
         {"name=\"s.a\" type=bf16[128, 64]", "name=\"s.a\" type=bf16[128, 72]",
          "warpgroup product of [64, 256], 144 bytes deep"},
         {"pending=1", "pending=-1", "-1 operations cannot be pending"}});
}

// A role of one warpgroup, whose values lie as fragments.
std::string layout_module(const std::string& operation) {
    const std::string tile =
        "layout=register(col 2 1, row 2 8, col 8 8, row 1 64) lane(col 4 2, row 8 1) warp(row 4 "
        "16)";
    const std::string column =
        "layout=register(row 2 8, row 1 64) lane(col 4 0, row 8 1) warp(row 4 16)";
    return "module level=scheduled { kernel name=\"k\" source=\"k\" { role name=\"r\" {\n"
           "value name=\"x\" type=f32[64, 64] " +
           tile +
           "\n"
           "value name=\"y\" type=f32[64, 64] variable=true " +
           tile +
           "\n"
           "value name=\"elsewhere\" type=f32[64, 64] layout=register(col 64 1, row 1 64) "
           "lane(row 32 1) warp(row 2 32, row 2 0)\n"
           "value name=\"none\" type=f32[64, 64]\n"
           "value name=\"column\" type=f32[64, 1] " +
           column +
           "\n"
           "value name=\"part\" type=f32[64, 1] " +
           column +
           " partial=true\n"
           "value name=\"other\" type=f32[64, 1] layout=register(row 1 64) lane(row 32 1) "
           "warp(row 2 32, row 2 0)\n"
           "splat result=%x value=1.0\n" +
           operation + "\n} } }";
}

// The lines of a fragment are its registers in their order: anything else would move cells.
TEST(IrVerify, LayoutsOfFragments) {
    const auto complaints_on = [](const std::string& lines) {
        std::string text = layout_module("apply function=fragments result=%lines source=%x");
        const std::string value = "value name=\"lines\" type=f32[128, 32] layout=" + lines + "\n";
        text.insert(text.find("splat result=%x"), value);
        return complaints(text);
    };
    EXPECT_EQ(complaints_on("register(col 4 1, col 1 32, row 8 16) lane(col 8 4, row 4 1) "
                            "warp(row 4 4)"),
              "");
    EXPECT_NE(complaints_on("register(col 4 1, col 1 32, row 8 4) lane(col 8 4, row 4 1) "
                            "warp(row 4 32)")
                  .find("`fragments`: rows with the layout of"),
              std::string::npos);
}

TEST(IrVerify, Layouts) {
    const auto complaints_on = [](const std::string& operation) {
        return complaints(layout_module(operation));
    };
    const auto has = [&](const std::string& operation, std::string_view sentence) {
        const std::string found = complaints_on(operation);
        EXPECT_NE(found.find(sentence), std::string::npos) << operation << "\n" << found;
    };
    const std::string scaled = "splat result=%y value=1.0\n";
    for (const std::string& fits : {std::string("apply function=sum result=%column source=%x"),
                                    std::string("copy result=%y source=%x"),
                                    std::string("apply function=cumsum result=%y source=%x"),
                                    std::string("apply function=exchange result=%y source=%x"),
                                    std::string("apply function=sum result=%part source=%x\n"
                                                "complete result=%column source=%part")})
        EXPECT_EQ(complaints_on(fits), "") << fits;
    for (const char* name : {"copy", "apply function=cumsum", "apply function=exchange"}) {
        for (const char* result : {"elsewhere", "none"})
            has(fmt::format("{} result=%{} source=%x", name, result),
                fmt::format("the layout of `%{}` differs from that of its source", result));
    }
    has("apply function=sum result=%other source=%x",
        "the layout of `%other` differs from that of its source");
    has("apply function=sum result=%part source=%x\ncomplete result=%other source=%part",
        "the layout of `%other` differs from that of its source");
    has(scaled + "splat result=%other value=2.0\nscale_rows result=%y source=%y factor=%other",
        "the layout of `%other` differs from that of its result");
    EXPECT_NE(complaints(layout_module("splat result=%none value=1.0"), Plan::complete)
                  .find("`%none` has no layout"),
              std::string::npos);
    // A cluster has 8 blocks.
    std::string wide = layout_module("copy result=%y source=%x");
    const std::string from = "warp(row 2 32, row 2 0)";
    wide.replace(wide.find(from), from.size(), from + " block(row 16 0)");
    EXPECT_NE(complaints(wide).find("spans 16 blocks, but a cluster has 8"), std::string::npos);
}

TEST(IrVerify, Numbers) {
    const char* const sample = R"(module level=tile {
  kernel name="k" source="k" {
    tensor name="T" mode=in dtype=i32 extents=[M]
    grid var="m" begin=0 end=M
    role name="a" unit=warp {
      value name="n" type=i32[1, 1] variable=true
      splat result=%n value=0
      for var="i" begin=0 end=M {
        read_number name="a.n.v1" source=%n place=[m, i]
        splat result=%n value=a.n.v1 + 1
      }
    }
    role name="b" unit=warp {
      value name="n" type=i32[1, 1] variable=true
      splat result=%n value=0
      read_number name="b.n.v1" source=%n place=[m]
      if condition=b.n.v1 > 0 {
        splat result=%n value=1
      }
    }
  }
})";
    EXPECT_EQ(complaints(sample), "");
    expect_complaints(
        sample, {{"place=[m, i]", "place=[m]", "its place does not include `i`"},
                 {"place=[m, i]", "place=[m, i + 1]", "its place does not include `i`"},
                 {"source=%n place=[m]", "source=%n place=[]", "its place does not include `m`"},
                 {"type=i32[1, 1]", "type=i32[1, 2]", "the source has several cells"},
                 {"name=\"b.n.v1\"", "name=\"a.n.v1\"", "both declare a scalar `a.n.v1`"},
                 {"value=a.n.v1 + 1", "value=a.n.v2 + 1", "`a.n.v2` is not bound here"},
                 {"variable=true\n", "variable=true layout=lane(col 32 1)\n",
                  "some threads do not hold the cell"},
                 {"variable=true\n", "variable=true layout=lane(col 32 0)\n", ""}});
}

TEST(IrVerify, GeneralVariants) {
    std::string text = layout_module("");
    text.replace(text.find("source="), 0, "general_of=\"fast\" ");
    EXPECT_EQ(complaints(text),
              "kernel `k` is the general variant of `fast`, which is not a kernel\n");
}

TEST(IrVerify, SentencesNameThePlace) {
    std::string text = samples::tile_gemm;
    text.replace(text.find("accumulate=true"), 15, "a_transposed=true");
    EXPECT_EQ(complaints(text),
              "kernel `gemm`, role `consumer`: `mma result=%acc a=%s.a a_transposed=true b=%s.b`: "
              "[64, 128] times [64, 256] is not [128, 256]\n");
}

// What multiplies which types, and in which order.
TEST(IrVerify, ProductsHaveTheTypesOfWhoMultiplies) {
    const auto one = [](std::string_view type) {
        if (type == "f32") return std::string("1.0");
        return fmt::format("{}:{}", type.starts_with("fp8") ? "1.0" : "1", type);
    };
    const auto of = [&](std::string_view unit, std::string_view a, std::string_view b,
                        std::string_view sums, std::string_view words) {
        return complaints(fmt::format(R"(module level=tile {{
  kernel name="k" source="k" {{
    grid var="i" begin=0 end=1
    role name="r" width=1 unit={} {{
      value name="a" type={}[64, 64] shared
      value name="b" type={}[64, 64] shared
      value name="x" type={}[64, 64]
      value name="y" type={}[64, 64]
      value name="d" type={}[64, 64]
      splat result=%x value={}
      splat result=%y value={}
      share result=%a source=%x
      share result=%b source=%y
      mma result=%d a=%a b=%b {}
    }}
  }}
}}
)",
                                      unit, a, b, a, b, sums, one(a), one(b), words));
    };
    const std::string place = "kernel `k`, role `r`: `mma result=%d a=%a b=%b ";
    EXPECT_EQ(of("warp", "i8", "i8", "i32", "b_transposed=true synchronous=true"), "");
    EXPECT_EQ(of("warp", "u8", "i8", "i32", "b_transposed=true synchronous=true"), "");
    EXPECT_EQ(of("warp", "f32", "f32", "f32", "synchronous=true tf32=true"), "");
    EXPECT_EQ(of("warp", "i8", "i8", "f32", "b_transposed=true synchronous=true"),
              place + "b_transposed=true synchronous=true`: the accumulators are f32\n");
    EXPECT_EQ(of("warp", "i8", "i8", "i32", "synchronous=true"),
              place + "synchronous=true`: an operand is not contiguous along the shared extent\n");
    EXPECT_EQ(of("warp", "f32", "f32", "f32", "synchronous=true"),
              place + "synchronous=true`: the operands are f32 and f32\n");
    EXPECT_EQ(
        of("warp", "i8", "i8", "i32", "b_transposed=true synchronous=true tf32=true"),
        place + "b_transposed=true synchronous=true tf32=true`: the operands are i8 and i8\n");
    EXPECT_EQ(of("warpgroup", "i8", "u8", "i32", "b_transposed=true"), "");
    EXPECT_EQ(of("warpgroup", "fp8_e4m3", "fp8_e5m2", "f32", "b_transposed=true"), "");
    EXPECT_EQ(of("warpgroup", "fp8_e4m3", "fp8_e4m3", "f32", "a_transposed=true"),
              "kernel `k`, role `r`: `mma result=%d a=%a a_transposed=true b=%b`: "
              "an operand is not contiguous along the shared extent\n");
    EXPECT_EQ(
        of("warp", "fp8_e4m3", "fp8_e4m3", "f32", "b_transposed=true synchronous=true"),
        place + "b_transposed=true synchronous=true`: the operands are fp8_e4m3 and fp8_e4m3\n");
    EXPECT_EQ(of("warpgroup", "f32", "f32", "f32", "b_transposed=true tf32=true"), "");
    EXPECT_EQ(of("warpgroup", "f32", "f32", "f32", "tf32=true"),
              place + "tf32=true`: an operand is not contiguous along the shared extent\n");
    EXPECT_EQ(of("warpgroup", "f32", "f32", "f32", "b_transposed=true"),
              place + "b_transposed=true`: the operands are f32 and f32\n");
}

// Whatever parses can be verified.
TEST(IrVerify, RandomModulesDoNotCrashIt) {
    for (std::uint32_t seed = 0; seed < 400; ++seed) {
        verify(samples::random_module(seed, seed % 4 != 0), Plan::complete);
    }
}

}  // namespace
}  // namespace tkc::ir
