// Launchers with a general variant, constants, derived extents, scalar parameters and a cleared
// accumulator.
#include <gtest/gtest.h>

#include "ir/contract.h"
#include "launcher_library.h"

namespace tkc::launcher_test {
namespace {

const char* const rows_module = R"(module level=scheduled {
  kernel name="rows" source="rows" shared_bytes=1024 {
    constant name="D" value=128
    tensor name="X" dtype=bf16 extents=[B, R, D]
    tensor name="P" dtype=f32 extents=[B + 1]
    tensor name="Y" mode=out dtype=bf16 extents=[B, R, D]
    tensor name="S" mode=accumulate dtype=f32 extents=[R]
    parameter name="scale" dtype=f32
    parameter name="first" dtype=i32
    condition holds=scale:f32 > 0.0 text="rows requires scale > 0"
    condition holds=first%4 == 0 text="first is {first}; it must be a multiple of 4"
    grid var="r" begin=0 end=R step=64
    grid var="b" begin=0 end=B step=1
    pipeline name="xs" { field name="x" type=bf16[64, 128] shared }
    tensor_map name="X_map" tensor="X" box=[1, 64, 64] swizzle=128
    role name="worker" width=1 unit=warpgroup first_warp=0 {
      value name="s" type=f32[64, 1]
      acquire pipeline="xs"
      tma_load pipeline="xs" field="x" map="X_map" source=X[b, r + first +: 64, :128]
      splat result=%s value=scale:f32*P[b]:f32
      store_cells target=S[r +: 64] source=%s
    }
  }
  kernel name="rows_general" source="rows" general_of="rows" shared_bytes=2048 {
    constant name="D" value=128
    tensor name="X" dtype=bf16 extents=[B, R, D]
    tensor name="P" dtype=f32 extents=[B + 1]
    tensor name="Y" mode=out dtype=bf16 extents=[B, R, D]
    tensor name="S" mode=accumulate dtype=f32 extents=[R]
    parameter name="scale" dtype=f32
    parameter name="first" dtype=i32
    condition holds=scale:f32 > 0.0 text="rows requires scale > 0"
    condition holds=first%4 == 0 text="first is {first}; it must be a multiple of 4"
    grid var="r" begin=0 end=R step=64
    grid var="b" begin=0 end=B step=1
    pipeline name="xs" { field name="x" type=bf16[64, 128] shared }
    role name="worker" width=1 unit=warpgroup first_warp=0 {
      value name="s" type=f32[64, 1]
      acquire pipeline="xs"
      copy_load pipeline="xs" field="x" source=X[b, r + first +: 64, :128]
      splat result=%s value=scale:f32*P[b]:f32
      store_cells target=S[r +: 64] source=%s
    }
  }
  launcher name="rows" candidates=["rows", "rows_general"]
}
)";

class Rows : public testing::Test {
protected:
    static void SetUpTestSuite() { library = new Library(module_of(rows_module)); }
    static void TearDownTestSuite() {
        delete library;
        library = nullptr;
    }
    void SetUp() override { library->cuda() = {}; }

    int launch(float scale = 1, std::int32_t first = 0) {
        using Launch = int (*)(const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, float,
                               std::int32_t, void*, std::size_t, void*);
        return library->function<Launch>("rows")(x, &p, &y, s, scale, first, nullptr, 0, nullptr);
    }
    std::string refusal(float scale = 1, std::int32_t first = 0) {
        EXPECT_NE(launch(scale, first), 0);
        EXPECT_EQ(cuda().launches, before.launches);
        return error();
    }
    static std::string error() { return library->function<const char* (*)()>("rows_error")(); }
    static FakeCuda& cuda() { return library->cuda(); }

    static inline Library* library = nullptr;
    const FakeCuda before{};
    Tensor tx{0x10000000, {2, 96, 128}, bf16}, p{0x20000000, {3}, f32},
        y{0x30000000, {2, 96, 128}, bf16}, ts{0x40000000, {96}, f32};
    const DLTensor* x = &tx;
    DLTensor* s = &ts;
};

TEST_F(Rows, TakesTheFastKernelWhereItCan) {
    ASSERT_EQ(launch(2.5f, 8), 0) << error();
    EXPECT_STREQ(cuda().kernel, "rows");
    EXPECT_EQ(cuda().grid, 4u);  // two tiles of rows, two batches; not persistent
    EXPECT_EQ(cuda().threads, 128u);
    ASSERT_EQ(cuda().value_count, 7);         // X_map, P, S, B, R, scale, first
    EXPECT_EQ(cuda().values[1], 0x20000000);  // a tensor_argument begins with its address
    EXPECT_EQ(cuda().values[6], 8);
}

TEST_F(Rows, FallsBackByAlignment) {
    tx.dl.byte_offset = 2;
    ASSERT_EQ(launch(), 0) << error();
    EXPECT_STREQ(cuda().kernel, "rows_general");
    EXPECT_EQ(cuda().shared_bytes, 2048u);
    EXPECT_EQ(cuda().values[0], 0x10000002);
}

TEST_F(Rows, FallsBackByStride) {
    Tensor odd(0x10000000, {2, 96, 128}, bf16, {96 * 129, 129, 1});
    x = &odd;
    ASSERT_EQ(launch(), 0) << error();
    EXPECT_STREQ(cuda().kernel, "rows_general");
}

TEST_F(Rows, ClearsTheAccumulator) {
    ASSERT_EQ(launch(), 0) << error();
    EXPECT_EQ(cuda().clears, before.clears + 1);
    EXPECT_EQ(cuda().cleared, ts.dl.data);
    EXPECT_EQ(cuda().cleared_bytes, 96u * 4);
}

TEST_F(Rows, RefusesAnAccumulatorWithGaps) {
    Tensor sparse(0x40000000, {96}, f32, {2});
    s = &sparse;
    EXPECT_EQ(refusal(), "rows: `S` is cleared before the launch, so it must be dense");
}

TEST_F(Rows, HoldsToItsRequirements) {
    EXPECT_EQ(refusal(0), "rows: rows requires scale > 0");
    EXPECT_EQ(refusal(1, 6), "rows: first is 6; it must be a multiple of 4");
    EXPECT_EQ(refusal(1, 2147483644),
              "rows: `r.start + first` reaches 2147483739; it must fit in 32 bits");
}

TEST_F(Rows, HoldsToConstantsAndDerivedExtents) {
    Tensor narrow(0x10000000, {2, 96, 64}, bf16);
    x = &narrow;
    EXPECT_EQ(refusal(), "rows: axis 2 of `X` is 64; this kernel is made for `D` = 128");
    Tensor more(0x10000000, {3, 96, 128}, bf16);
    x = &more;
    EXPECT_EQ(refusal(), "rows: `B` is 3 in axis 0 of `X`, but 2 in axis 0 of `Y`");
}

// ---- the contract as data ----------------------------------------------------------------------

TEST(Contract, RendersTheSameSentences) {
    const ir::Module module = module_of(rows_module);
    const ir::Kernel& kernel = module.kernels.front();
    std::map<std::string, ir::TensorValues> tensors{{"X", {{2, 96, 128}, {12288, 128, 1}, 0x1000}},
                                                    {"P", {{3}, {1}, 0x2000}},
                                                    {"Y", {{2, 96, 128}, {12288, 128, 1}, 0x3000}},
                                                    {"S", {{96}, {1}, 0x4000}}};
    EXPECT_EQ(ir::first_failure(kernel, ir::values_of(kernel, tensors)), std::nullopt);
    tensors["P"].shape[0] = 2;
    EXPECT_EQ(ir::first_failure(kernel, ir::values_of(kernel, tensors)),
              "axis 0 of `P` is 2; it must be `B + 1`, which is 3");
}

TEST(Contract, KnowsItsSymbols) {
    const auto stride = ir::property("A.stride.12");
    ASSERT_TRUE(stride.has_value());
    EXPECT_EQ(stride->kind, ir::Property::Kind::stride);
    EXPECT_EQ(stride->tensor, "A");
    EXPECT_EQ(stride->axis, 12u);
    EXPECT_FALSE(ir::property("M"));
    EXPECT_FALSE(ir::property("A.stride.x"));
    EXPECT_FALSE(ir::property("A.size"));
}

}  // namespace
}  // namespace tkc::launcher_test
