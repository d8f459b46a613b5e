// Launchers of instances that share one function: each has its own kernels, name and conditions.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "launcher_library.h"

namespace tkc::launcher_test {
namespace {

// Copies rows of up to W columns; `general_of`: cell by cell, of any strides.
std::string copy_kernel(const std::string& name, int width, const std::string& general_of) {
    const bool fast = general_of.empty();
    return fmt::format(
        R"(
  kernel name="{0}" source="copy"{1} shared_bytes=16384 {{
    constant name="W" value={2}
    tensor name="X" dtype=bf16 extents=[M, N]
    tensor name="Y" mode=out dtype=bf16 extents=[M, N]
    condition holds=N <= {2} text="`copy` requires `N <= W`"
    grid var="m" begin=0 end=M step=64
    pipeline name="xs" {{ field name="x" type=bf16[64, 64] shared }}
    {3}
    role name="t" width=1 unit=warpgroup first_warp=0 {{
      acquire pipeline="xs"
      {4}
    }}
  }}
)",
        name, fast ? "" : fmt::format(" general_of=\"{}\"", general_of), width,
        fast ? R"(tensor_map name="X_map" tensor="X" box=[64, 64] swizzle=128)" : "",
        fast ? R"(tma_load pipeline="xs" field="x" map="X_map" source=X[m +: 64, 0 +: 64])"
             : R"(copy_load pipeline="xs" field="x" source=X[m +: 64, 0 +: 64])");
}

std::string module_text() {
    return "module level=scheduled {" + copy_kernel("copy", 128, "") +
           copy_kernel("copy_general", 128, "copy") + copy_kernel("copy_512", 512, "") +
           copy_kernel("copy_512_general", 512, "copy_512") + R"(
  launcher name="copy" candidates=["copy", "copy_512", "copy_general", "copy_512_general"]
  launcher name="copy_512" candidates=["copy_512", "copy_512_general"]
  launcher name="copy_128" candidates=["copy", "copy_general"]
})";
}

class Copies : public testing::Test {
protected:
    static void SetUpTestSuite() { library = new Library(module_of(module_text())); }
    static void TearDownTestSuite() {
        delete library;
        library = nullptr;
    }
    void SetUp() override { library->cuda() = {}; }

    // The sentence of a launch by this name; empty if it succeeded.
    static std::string launch(const std::string& name, const DLTensor* x, DLTensor* y) {
        using Launch = int (*)(const DLTensor*, DLTensor*, void*, std::size_t, void*);
        library->function<Launch>(name)(x, y, nullptr, 0, nullptr);
        return library->function<const char* (*)()>(name + "_error")();
    }
    static std::string launched() { return library->cuda().kernel; }

    static inline Library* library = nullptr;
    Tensor x{0x10000000, {256, 256}, bf16}, y{0x20000000, {256, 256}, bf16};
    Tensor narrow_x{0x10000000, {256, 96}, bf16}, narrow_y{0x20000000, {256, 96}, bf16};
    Tensor odd{0x10000002, {256, 256}, bf16};
};

TEST_F(Copies, EachOffersItsOwnKernels) {
    EXPECT_EQ(launch("copy", &narrow_x, &narrow_y), "");
    EXPECT_EQ(launched(), "copy");
    EXPECT_EQ(launch("copy_512", &narrow_x, &narrow_y), "");
    EXPECT_EQ(launched(), "copy_512");
    EXPECT_EQ(launch("copy", &x, &y), "");
    EXPECT_EQ(launched(), "copy_512");
}

TEST_F(Copies, TheRefusalHasTheNameThatWasCalled) {
    EXPECT_EQ(launch("copy_128", &x, &y), "copy_128: `copy` requires `N <= W`");
    Tensor wide(0x10000000, {256, 640}, bf16), to(0x20000000, {256, 640}, bf16);
    EXPECT_EQ(launch("copy_512", &wide, &to), "copy_512: `copy` requires `N <= W`");
    EXPECT_EQ(library->cuda().launches, 0);
}

TEST_F(Copies, NothingAsksTheDeviceBeforeAKernelSuits) {
    Tensor wide(0x10000000, {256, 640}, bf16), to(0x20000000, {256, 640}, bf16);
    wide.dl.device.device_id = to.dl.device.device_id = 7;  // there is none
    EXPECT_EQ(launch("copy", &wide, &to), "copy: `copy` requires `N <= W`");
}

TEST_F(Copies, GeneralOnesOfTheOfferedAlone) {
    EXPECT_EQ(launch("copy_512", &odd, &y), "");
    EXPECT_EQ(launched(), "copy_512_general");
    EXPECT_EQ(launch("copy_128", &odd, &y), "copy_128: `copy` requires `N <= W`");
}

}  // namespace
}  // namespace tkc::launcher_test
