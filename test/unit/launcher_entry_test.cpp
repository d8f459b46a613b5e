// The launcher of an entry on a fake CUDA runtime: it launches all of its kernels in order, or
// nothing.
#include <gtest/gtest.h>

#include "launcher_library.h"

namespace tkc::launcher_test {
namespace {

// Two kernels, each with a condition of its own; the second is called with what the first wrote.
const char* const chain_module = R"(
module level=scheduled {
  kernel name="first" source="first" shared_bytes=1024 barrier_offset=1024 {
    tensor name="X" dtype=f32 extents=[M, N]
    tensor name="Y" mode=out dtype=f32 extents=[M, N]
    condition holds=X.stride.1 == 1 text="neighbours in a row of `X` are {X.stride.1} elements apart"
    grid var="m" begin=0 end=M step=64
    role name="w" width=1 unit=warpgroup first_warp=0 {
      value name="t" type=f32[64, 64]
      load_cells result=%t source=X[m +: 64, 0 +: 64]
      store_cells source=%t target=Y[m +: 64, 0 +: 64]
    }
  }
  kernel name="second" source="second" shared_bytes=1024 barrier_offset=1024 {
    tensor name="A" dtype=f32 extents=[K, 2*L]
    tensor name="B" dtype=f32 extents=[L]
    tensor name="C" mode=out dtype=f32 extents=[K, 2*L]
    parameter name="n" dtype=i32
    condition holds=L < n text="`second` requires `L < n`"
    grid var="m" begin=0 end=n*K step=64
    role name="w" width=1 unit=warpgroup first_warp=0 {
      value name="t" type=f32[64, 64]
      load_cells result=%t source=A[m +: 64, 0 +: 64]
      store_cells source=%t target=C[m +: 64, 0 +: 64]
    }
  }
  launcher name="first" candidates=["first"]
  entry name="chain" {
    tensor name="A" dtype=f32 extents=[P, Q]
    tensor name="L" dtype=f32 extents=[R]
    tensor name="T" mode=scratch dtype=f32 extents=[P, Q]
    tensor name="C" mode=out dtype=f32 extents=[P, Q]
    parameter name="s" dtype=i32
    condition holds=s > 0 text="`chain` requires `s > 0`"
    call callee="first" candidates=["first"] tensors=["A", "T"]
    call callee="second" candidates=["second"] tensors=["T", "L", "C"] scalars=[s + 1]
  }
}
)";

class Chain : public testing::Test {
protected:
    static void SetUpTestSuite() { library = new Library(module_of(chain_module)); }
    static void TearDownTestSuite() {
        delete library;
        library = nullptr;
    }
    void SetUp() override { library->cuda() = {}; }

    using Launch = int (*)(const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, int, void*,
                           std::size_t, void*);
    int launch(int s) {
        return library->function<Launch>("chain")(&a, &l, &t, &c, s, nullptr, 0, nullptr);
    }
    static std::string error() { return library->function<const char* (*)()>("chain_error")(); }
    void refuses(int s, const std::string& sentence) {
        EXPECT_EQ(launch(s), 2);
        EXPECT_EQ(error(), sentence);
        EXPECT_EQ(library->cuda().launches, 0);
    }

    static inline Library* library = nullptr;

    Tensor a{0x10000000, {100, 64}, f32}, l{0x20000000, {32}, f32}, t{0x30000000, {100, 64}, f32},
        c{0x40000000, {100, 64}, f32};
};

TEST_F(Chain, LaunchesAllInOrder) {
    ASSERT_EQ(launch(40), 0) << error();
    EXPECT_EQ(library->cuda().launches, 2);
    EXPECT_STREQ(library->cuda().kernel, "second");
    EXPECT_EQ(library->cuda().grid, 65u);  // ceil_div(41*100, 64)
}

TEST_F(Chain, ChecksItsOwnConditions) { refuses(0, "chain: `chain` requires `s > 0`"); }

TEST_F(Chain, ChecksTheLastKernelBeforeTheFirstRuns) {
    refuses(20, "chain: `second` requires `R < (s + 1)`");
}

TEST_F(Chain, SaysItInItsOwnNames) {
    a.strides = {1, 100};
    a.dl.strides = a.strides.data();
    refuses(40, "chain: neighbours in a row of `A` are 100 elements apart");
}

TEST_F(Chain, ComparesExtentsOfDifferentArguments) {
    l.shape[0] = 31;
    refuses(40, "chain: axis 1 of `T` is 64; it must be `2*R`, which is 62");
}

TEST_F(Chain, ScratchIsAnArgument) {
    t.shape[0] = 99;
    refuses(40, "chain: `P` is 100 in axis 0 of `A`, but 99 in axis 0 of `T`");
    t.shape[0] = 100;
    t.dl.data = c.dl.data;
    EXPECT_EQ(launch(40), 1);
    EXPECT_EQ(library->cuda().launches, 0);
}

TEST_F(Chain, DoesNothingForEmptyTensors) {
    a.shape[0] = t.shape[0] = c.shape[0] = 0;
    EXPECT_EQ(launch(40), 0) << error();
    EXPECT_EQ(library->cuda().launches, 0);
}

TEST_F(Chain, NumbersFitTheirParameters) {
    refuses(2147483647,
            "chain: `s + 1`, which `second` is called with, is 2147483648; it must fit in 32 bits");
}

}  // namespace
}  // namespace tkc::launcher_test
