// Emitted launchers on a fake CUDA runtime: what they refuse and how they say it, what they choose
// and launch.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "launcher_library.h"

namespace tkc::launcher_test {
namespace {

// ---- a product with three tile shapes, all by TMA
// --------------------------------------------------

std::string product_kernel(const std::string& name, int bm, int bn) {
    return fmt::format(R"(
  kernel name="{0}" source="gemm" persistent=true shared_bytes=229440 barrier_offset=229376 {{
    constant name="BM" value={1}
    constant name="BN" value={2}
    tensor name="A" dtype=bf16 extents=[M, K]
    tensor name="B" dtype=bf16 extents=[K, N]
    tensor name="C" mode=out dtype=bf16 extents=[M, N]
    grid var="m" begin=0 end=M step={1}
    grid var="n" begin=0 end=N step={2}
    pipeline name="ab" stages=4 full_arrivals=1 empty_arrivals=8 {{
      field name="a" type=bf16[{1}, 64] shared
      field name="b" type=bf16[64, {2}] shared
    }}
    buffer name="consumer.C" purpose="staging" type=bf16[{3}, 64] shared copies=4 offset=196608
    tensor_map name="A_map" tensor="A" box=[{1}, 64] swizzle=128
    tensor_map name="B_map" tensor="B" box=[64, 64] swizzle=128
    tensor_map name="C_map" tensor="C" box=[{3}, 64] swizzle=128
    role name="producer" width=1 unit=warp first_warp=8 {{
      for var="k" begin=0 end=K step=64 {{
        acquire pipeline="ab"
        expect pipeline="ab" bytes=49152
        tma_load pipeline="ab" field="a" map="A_map" source=A[m +: {1}, k +: 64]
        tma_load pipeline="ab" field="b" map="B_map" source=B[k +: 64, n +: {2}]
        publish pipeline="ab"
      }}
    }}
    role name="consumer" width=2 unit=warpgroup first_warp=0 {{
      value name="acc" type=f32[{1}, {2}] variable=true layout={4}
      value name="s" type=element<ab>
      value name="s.a" type=bf16[{1}, 64] shared
      value name="s.b" type=bf16[64, {2}] shared
      splat result=%acc value=0.0
      for var="k" begin=0 end=K step=64 {{
        take result=%s pipeline="ab"
        field result=%s.a element=%s field="a"
        field result=%s.b element=%s field="b"
        mma result=%acc accumulate=true a=%s.a b=%s.b
        wait channel=products
        release element=%s
      }}
      for var="panel" begin=0 end={2} step=64 unrolled=true {{
        tma_store map="C_map" target=C[m + role.warpgroup*{3} +: {3}, n + panel +: 64] buffer="consumer.C" copy=0
      }}
    }}
  }}
)",
                       name, bm, bn, bm / 2,
                       to_string(ir::fragment_layout(bm, bn, 2, ir::Axis::row)));
}

std::string product_module() {
    return "module level=scheduled {" + product_kernel("gemm", 128, 256) +
           product_kernel("gemm_square", 128, 128) + product_kernel("gemm_tall", 256, 128) +
           "  launcher name=\"gemm\" candidates=[\"gemm\", \"gemm_square\", \"gemm_tall\"]\n}\n";
}

class Product : public testing::Test {
protected:
    static void SetUpTestSuite() { library = new Library(module_of(product_module())); }
    static void TearDownTestSuite() {
        delete library;
        library = nullptr;
    }
    void SetUp() override { library->cuda() = {}; }

    using Launch = int (*)(const DLTensor*, const DLTensor*, DLTensor*, void*, std::size_t, void*);
    static int launch(const DLTensor* x, const DLTensor* y, DLTensor* z, void* stream = nullptr) {
        return library->function<Launch>("gemm")(x, y, z, nullptr, 0, stream);
    }
    static std::string error() { return library->function<const char* (*)()>("gemm_error")(); }
    static FakeCuda& cuda() { return library->cuda(); }

    // Refused with this sentence, and nothing was launched.
    void refuses(const DLTensor* x, const DLTensor* y, DLTensor* z, const std::string& sentence) {
        EXPECT_NE(launch(x, y, z), 0);
        EXPECT_EQ(error(), sentence);
        EXPECT_EQ(cuda().launches, 0);
        EXPECT_EQ(cuda().map_count, 0);
    }

    // A fresh fake; what the runtime asks once per device stays asked.
    static inline Library* library = nullptr;

    Tensor a{0x10000000, {512, 256}, bf16}, b{0x20000000, {256, 1024}, bf16},
        c{0x30000000, {512, 1024}, bf16};
};

TEST_F(Product, Launches) {
    int stream = 0;
    ASSERT_EQ(launch(&a, &b, &c, &stream), 0) << error();
    EXPECT_EQ(error(), "");
    EXPECT_EQ(cuda().launches, 1);
    EXPECT_EQ(cuda().threads, 384u);
    EXPECT_EQ(cuda().shared_bytes, 229440u);
    EXPECT_EQ(cuda().stream, &stream);
    EXPECT_TRUE(cuda().overlaps);
    ASSERT_EQ(cuda().value_count, 6);
    EXPECT_EQ(cuda().values[3], 512);   // M
    EXPECT_EQ(cuda().values[4], 256);   // K
    EXPECT_EQ(cuda().values[5], 1024);  // N
}

TEST_F(Product, EncodesMaps) {
    ASSERT_EQ(launch(&a, &b, &c), 0) << error();
    ASSERT_EQ(cuda().map_count, 3);
    const FakeMap& map = cuda().maps[cuda().values[1]];
    EXPECT_EQ(map.address, b.dl.data);
    EXPECT_EQ(map.rank, 2u);
    EXPECT_EQ(map.extents[0], 1024u);
    EXPECT_EQ(map.extents[1], 256u);
    EXPECT_EQ(map.strides[1], 2048u);
    EXPECT_EQ(map.box[0], 64u);
    EXPECT_EQ(map.box[1], 64u);
    EXPECT_EQ(map.swizzle, 3u);
}

// As in a thread of PyTorch's for gradients, whose first call this is.
TEST_F(Product, EncodesMapsInAThreadWithoutContext) {
    cuda().has_context = false;
    EXPECT_EQ(launch(&a, &b, &c), 0) << error();
    EXPECT_EQ(cuda().launches, 1);
    EXPECT_TRUE(cuda().has_context);
}

TEST_F(Product, HonoursStridesAndByteOffset) {
    Tensor wide(0x10000000, {512, 256}, bf16, {320, 1});
    wide.dl.byte_offset = 64;
    ASSERT_EQ(launch(&wide, &b, &c), 0) << error();
    const FakeMap& map = cuda().maps[cuda().values[0]];
    EXPECT_EQ(map.address, reinterpret_cast<void*>(0x10000040));
    EXPECT_EQ(map.strides[1], 640u);
}

TEST_F(Product, IgnoresTheStrideOfASingleRow) {
    Tensor row(0x10000000, {1, 256}, bf16, {7, 1}), out(0x30000000, {1, 1024}, bf16, {3, 1});
    EXPECT_EQ(launch(&row, &b, &out), 0) << error();
}

TEST_F(Product, FillsTheDeviceAtMostOnce) {
    Tensor x(0x100000000, {8192, 256}, bf16), y(0x200000000, {256, 8192}, bf16),
        z(0x300000000, {8192, 8192}, bf16);
    ASSERT_EQ(launch(&x, &y, &z), 0) << error();
    EXPECT_EQ(cuda().grid, 132u);
}

TEST_F(Product, ChoosesByTheExtents) {
    const auto chosen = [&](std::int64_t m, std::int64_t n, std::int64_t k) {
        Tensor x(0x100000000, {m, k}, bf16), y(0x200000000, {k, n}, bf16),
            z(0x300000000, {m, n}, bf16);
        EXPECT_EQ(launch(&x, &y, &z), 0) << error();
        return std::string(cuda().kernel);
    };
    EXPECT_EQ(chosen(8192, 8192, 8192),
              "gemm");  // many waves: the larger tile; the first of equals
    EXPECT_EQ(chosen(1024, 1024, 4096), "gemm_square");  // 64 tiles for 132 multiprocessors, not 32
    EXPECT_EQ(chosen(33792, 128, 4096),
              "gemm_tall");  // one wave of 132, no half of a tile past the edge
    EXPECT_EQ(chosen(128, 33792, 4096), "gemm");
}

// ---- zero-size cases ---------------------------------------------------------------------------

TEST_F(Product, EmptyGridIsSuccess) {
    Tensor no_rows(0, {0, 256}, bf16), none(0, {0, 1024}, bf16);
    EXPECT_EQ(launch(&no_rows, &b, &none), 0) << error();
    EXPECT_EQ(cuda().launches, 0);
}

TEST_F(Product, AContractedExtentOfZeroStillWrites) {
    Tensor x(0, {512, 0}, bf16, {1, 1}), y(0, {0, 1024}, bf16);
    ASSERT_EQ(launch(&x, &y, &c), 0) << error();
    EXPECT_EQ(cuda().launches, 1);
    const FakeMap& map = cuda().maps[cuda().values[0]];
    EXPECT_EQ(map.extents[0], 1u);
    EXPECT_EQ(map.extents[1], 1u);
    EXPECT_NE(map.address, nullptr);
}

// A map of which boxes end where views do has a dimension more; of no rows it is a map of one
// element, too.
TEST(Views, OfNoRowsAreLaunched) {
    const Library library(module_of(R"(module level=scheduled {
  kernel name="rows" shared_bytes=9216 {
    tensor name="A" dtype=bf16 extents=[T, 64]
    tensor name="Y" mode=out dtype=bf16 extents=[B, 64]
    grid var="b" begin=0 end=B
    pipeline name="p" stages=1 full_arrivals=1 empty_arrivals=1 {
      field name="a" type=bf16[64, 64] shared
    }
    tensor_map name="A_view_map" tensor="A" box=[64, 64] view_axis=0
    tensor_map name="A_map" tensor="A" box=[64, 64]
    role name="producer" width=1 unit=warp first_warp=0 {
      acquire pipeline="p"
      expect pipeline="p" bytes=8192
      tma_load pipeline="p" field="a" map="A_view_map" source=A[0 +: 64 before B, 0 +: 64] clipped=true outside="A_map"
      publish pipeline="p"
    }
  }
  launcher name="rows" candidates=["rows"]
}
)"));
    library.cuda() = {};
    Tensor none(0, {0, 64}, bf16), y(0x20000000, {3, 64}, bf16);
    using Launch = int (*)(const DLTensor*, DLTensor*, void*, std::size_t, void*);
    ASSERT_EQ(library.function<Launch>("rows")(&none, &y, nullptr, 0, nullptr), 0)
        << library.function<const char* (*)()>("rows_error")();
    EXPECT_EQ(library.cuda().launches, 1);
    for (int i = 0; i < library.cuda().map_count; ++i) {
        const FakeMap& map = library.cuda().maps[i];
        EXPECT_NE(map.address, nullptr);
        for (std::uint32_t axis = 0; axis < map.rank; ++axis) EXPECT_EQ(map.extents[axis], 1u);
    }
}

// ---- refusals ----------------------------------------------------------------------------------

TEST_F(Product, RefusesNull) { refuses(&a, nullptr, &c, "gemm: `B` is null"); }

TEST_F(Product, RefusesNullData) {
    Tensor nowhere(0, {256, 1024}, bf16);
    refuses(&a, &nowhere, &c, "gemm: `B` has elements, but its data is null");
}

TEST_F(Product, RefusesDtype) {
    Tensor wrong(0x10000000, {512, 256}, f16);
    refuses(&wrong, &b, &c, "gemm: `A` is f16; it must be bf16");
}

TEST_F(Product, RefusesRank) {
    Tensor wrong(0x10000000, {2, 512, 256}, bf16);
    refuses(&wrong, &b, &c, "gemm: `A` has 3 axes; it must have 2");
}

TEST_F(Product, RefusesHostMemory) {
    b.dl.device.device_type = kDLCPU;
    refuses(&a, &b, &c, "gemm: `B` is not in the memory of a CUDA device");
}

TEST_F(Product, RefusesTwoDevices) {
    c.dl.device.device_id = 1;
    refuses(&a, &b, &c, "gemm: `C` is on device 1, but the tensors before it are on device 0");
}

TEST_F(Product, RefusesNegativeExtents) {
    Tensor wrong(0x10000000, {-512, 256}, bf16);
    refuses(&wrong, &b, &c, "gemm: `A` axis 0 has the negative extent -512");
}

TEST_F(Product, RefusesDifferingExtents) {
    Tensor wrong(0x20000000, {248, 1024}, bf16);
    refuses(&a, &wrong, &c, "gemm: `K` is 256 in axis 1 of `A`, but 248 in axis 0 of `B`");
}

TEST_F(Product, RefusesHugeExtents) {
    const std::int64_t huge = (std::int64_t{1} << 31) - 1000;
    Tensor x(0x10000000, {huge, 0}, bf16), y(0x20000000, {0, 0}, bf16),
        z(0x30000000, {huge, 0}, bf16);
    refuses(&x, &y, &z, "gemm: `M` is 2147482648; extents must be less than 2147221504");
}

TEST_F(Product, RefusesMisalignedRows) {
    Tensor x(0x20000000, {256, 77}, bf16), y(0x30000000, {512, 77}, bf16);
    refuses(&a, &x, &y,
            "gemm: the rows of `B` start 154 bytes apart; `tma_load` needs a positive multiple of "
            "16: pad "
            "`N` to a multiple of 8, or use `load`");
}

TEST_F(Product, RefusesMisalignedBase) {
    a.dl.byte_offset = 2;
    refuses(&a, &b, &c,
            "gemm: `A` begins 2 bytes past a multiple of 16; `tma_load` needs a multiple: pass a "
            "copy, or use "
            "`load`");
}

TEST_F(Product, RefusesTransposedOperands) {
    Tensor transposed(0x20000000, {256, 1024}, bf16, {1, 256});
    refuses(&a, &transposed, &c,
            "gemm: neighbours in a row of `B` are 256 elements apart; `tma_load` needs 1: pass a "
            "copy with dense "
            "rows, or use `load`");
}

TEST_F(Product, RefusesRowsBackwards) {
    Tensor backwards(0x20000000, {256, 1024}, bf16, {-1024, 1});
    refuses(&a, &backwards, &c,
            "gemm: the rows of `B` start -2048 bytes apart; `tma_load` needs a positive multiple "
            "of 16: pad "
            "`N` to a multiple of 8, or use `load`");
}

TEST_F(Product, RefusesOverlap) {
    Tensor inside(0x10000000 + 512 * 512 - 2, {512, 1024}, bf16);
    refuses(&a, &b, &inside, "gemm: `C` is written, but its memory overlaps that of `A`");
    Tensor behind(0x10000000 + 512 * 512, {512, 1024}, bf16);
    EXPECT_EQ(launch(&a, &b, &behind), 0) << error();
}

TEST_F(Product, RefusesOverlapBackwards) {
    // 256 rows of 2048 bytes, the last one first: row 0 begins where C ends, the others lie in C.
    Tensor backwards(0x30000000 + 512 * 1024 * 2, {256, 1024}, bf16, {-1024, 1});
    refuses(&a, &backwards, &c, "gemm: `C` is written, but its memory overlaps that of `B`");
}

TEST_F(Product, LetsReadersOverlap) {
    Tensor square(0x10000000, {256, 256}, bf16), out(0x30000000, {256, 256}, bf16);
    EXPECT_EQ(launch(&square, &square, &out), 0) << error();
}

TEST_F(Product, RefusesAnOutputThatMeetsItself) {
    Tensor broadcast(0x30000000, {512, 1024}, bf16, {0, 1});
    refuses(&a, &b, &broadcast,
            "gemm: `C` is written, but some of its elements overlap or interleave");
}

// ---- devices -----------------------------------------------------------------------------------

TEST_F(Product, RunsOnTheTensorsDevice) {
    for (DLTensor* t : {&a, &b, &c}) t->device.device_id = 1;
    ASSERT_EQ(launch(&a, &b, &c), 0) << error();
    EXPECT_EQ(cuda().launch_device, 1);
    EXPECT_EQ(cuda().current_device, 0);
    EXPECT_EQ(cuda().device_switches, 2);
}

TEST_F(Product, TellsAFailedLaunch) {
    cuda().launch_error = 719;
    EXPECT_EQ(launch(&a, &b, &c), 4);
    EXPECT_EQ(error(), "launch: some error");
}

TEST_F(Product, NeedsADriver) {
    cuda().devices = 0;
    EXPECT_EQ(launch(&a, &b, &c), 4);
    EXPECT_EQ(error(), "no CUDA device: no driver");
    EXPECT_EQ(cuda().launches, 0);
}

TEST_F(Product, NeedsHopper) {
    cuda().devices = 3;
    cuda().major = 8;
    for (DLTensor* t : {&a, &b, &c}) t->device.device_id = 2;
    EXPECT_EQ(launch(&a, &b, &c), 3);
    EXPECT_EQ(error(), "device 2 has compute capability 8.0; this kernel is built for 9.0");
    EXPECT_EQ(cuda().launches, 0);
    EXPECT_EQ(cuda().current_device, 0);
}

}  // namespace
}  // namespace tkc::launcher_test
