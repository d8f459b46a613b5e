// Arguments that no kernel may see: launchers refuse them before a device is touched, and say why.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <climits>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "launcher_library.h"

namespace tkc::launcher_test {
namespace {

// ---- a kernel that reads and writes cell by cell: it takes any strides -------------------------

const char* const cells_module = R"(module level=scheduled {
  kernel name="twice" shared_bytes=16 {
    tensor name="X" dtype=f32 extents=[M, N]
    tensor name="Y" mode=out dtype=f32 extents=[M, N]
    grid var="m" begin=0 end=M step=64
    role name="worker" width=1 unit=warpgroup first_warp=0 {
      value name="x" type=f32[64, 64]
      load_cells result=%x source=X[m +: 64, 0 +: 64]
      store_cells target=Y[m +: 64, 0 +: 64] source=%x
    }
  }
  launcher name="twice" candidates=["twice"]
}
)";

class Arguments : public testing::Test {
protected:
    static void SetUpTestSuite() { library = new Library(module_of(cells_module)); }
    static void TearDownTestSuite() {
        delete library;
        library = nullptr;
    }
    void SetUp() override { library->cuda() = {}; }

    static FakeCuda& cuda() { return library->cuda(); }
    static std::string error() { return library->function<const char* (*)()>("twice_error")(); }
    static int launch(const DLTensor* from, DLTensor* to, void* stream = nullptr) {
        using Launch = int (*)(const DLTensor*, DLTensor*, void*, std::size_t, void*);
        return library->function<Launch>("twice")(from, to, nullptr, 0, stream);
    }
    // The sentence; nothing was asked of the device.
    std::string refusal(const DLTensor* from, DLTensor* to) {
        const int questions = cuda().memory_questions, launches = cuda().launches;
        EXPECT_EQ(launch(from, to), 1);
        EXPECT_EQ(cuda().launches, launches);
        EXPECT_EQ(cuda().memory_questions, questions);
        EXPECT_EQ(cuda().device_switches, before.device_switches);
        return error();
    }

    static inline Library* library = nullptr;
    const FakeCuda before{};
    Tensor x{0x10000000, {96, 40}, f32}, y{0x20000000, {96, 40}, f32};
};

TEST_F(Arguments, AreTaken) { EXPECT_EQ(launch(&x, &y), 0) << error(); }

// ---- overlap -----------------------------------------------------------------------------------

// Parts of rows that are 100 numbers apart.
TEST_F(Arguments, MayBeDifferentColumnsOfTheSameRows) {
    const auto part = [](std::int64_t first, std::vector<std::int64_t> strides) {
        return std::make_unique<Tensor>(0x10000000 + 4 * static_cast<std::uintptr_t>(first),
                                        std::vector<std::int64_t>{96, 40}, f32, strides);
    };
    const auto left = part(20, {100, 1});
    for (const std::int64_t first : {60, 61, 80}) {
        const auto right = part(first, {100, 1});
        EXPECT_EQ(launch(&*left, &*right), 0) << first << error();
        EXPECT_EQ(launch(&*right, &*left), 0) << first << error();
        const auto backwards = part(95 * 100 + first, {-100, 1});
        EXPECT_EQ(launch(&*backwards, &*left), 0) << first << error();
    }
    for (const std::int64_t first : {20, 59, 81, 100}) {
        const auto right = part(first, {100, 1});
        EXPECT_EQ(refusal(&*left, &*right),
                  "twice: `Y` is written, but its memory overlaps that of `X`");
        const auto backwards = part(95 * 100 + first, {-100, 1});
        EXPECT_EQ(refusal(&*backwards, &*left),
                  "twice: `Y` is written, but its memory overlaps that of `X`");
    }
    const auto even = part(0, {80, 2}), odd = part(1, {80, 2});
    EXPECT_EQ(launch(&*even, &*odd), 0) << error();
}

// ---- addresses ---------------------------------------------------------------------------------

TEST_F(Arguments, BeginAtAnElement) {
    y.dl.byte_offset = 2;
    EXPECT_EQ(
        refusal(&x, &y),
        "twice: `Y` begins 2 bytes past a multiple of 4, the size of its elements: pass a copy");
    y.dl.byte_offset = 4;
    EXPECT_EQ(launch(&x, &y), 0) << error();
    y.dl.byte_offset = 3;
    y.dl.data = reinterpret_cast<void*>(std::uintptr_t{0x20000001});  // together they are aligned
    EXPECT_EQ(launch(&x, &y), 0) << error();
    x.dl.byte_offset = 1;
    EXPECT_EQ(
        refusal(&x, &y),
        "twice: `X` begins 1 bytes past a multiple of 4, the size of its elements: pass a copy");
}

TEST_F(Arguments, DoNotWrapAround) {
    for (const std::uint64_t offset : {~std::uint64_t{0}, ~std::uint64_t{0} - 0x10000000 + 1,
                                       std::uint64_t{1} << 63, std::uint64_t{1} << 62}) {
        x.dl.byte_offset = offset;
        EXPECT_EQ(refusal(&x, &y),
                  fmt::format("twice: `X` begins past the end of all memory: its data is "
                              "0x10000000, its byte_offset {}",
                              offset));
    }
}

TEST_F(Arguments, DoNotReachBeforeTheStartOfMemory) {
    // Row 95 would lie 95 rows before row 0, which is nearer to address 0 than that.
    Tensor backwards(0x1000, {96, 40}, f32, {-40, 1});
    EXPECT_EQ(refusal(&backwards, &y), "twice: `X` has strides that no memory can hold");
    Tensor just(95 * 160, {96, 40}, f32, {-40, 1});
    EXPECT_EQ(launch(&just, &y), 0) << error();
}

TEST_F(Arguments, DoNotReachFurtherThanMemory) {
    const std::int64_t most = INT64_MAX, least = INT64_MIN;
    for (const std::int64_t row : {most, least, most / 2, least / 2, std::int64_t{1} << 60}) {
        for (const std::int64_t cell : {std::int64_t{1}, most, least}) {
            Tensor wild(0x10000000, {96, 40}, f32, {row, cell});
            EXPECT_EQ(refusal(&wild, &y), "twice: `X` has strides that no memory can hold");
            Tensor out(0x20000000, {96, 40}, f32, {row, cell});
            EXPECT_EQ(refusal(&x, &out), "twice: `Y` has strides that no memory can hold");
        }
    }
}

// ---- extents -----------------------------------------------------------------------------------

TEST_F(Arguments, HaveExtentsThatMemoryHolds) {
    const std::int64_t huge = INT64_MAX;
    Tensor wide(0x10000000, {huge, 0}, f32), tall(0x10000000, {huge, huge}, f32);
    EXPECT_EQ(refusal(&wide, &y),
              "twice: `X` axis 0 has the extent 9223372036854775807, more than any memory holds");
    EXPECT_EQ(refusal(&tall, &y),
              "twice: `X` axis 0 has the extent 9223372036854775807, more than any memory holds");
    // Dense strides that do not fit, though each extent does.
    Tensor vast(0x10000000, {std::int64_t{1} << 40, std::int64_t{1} << 40}, f32);
    EXPECT_EQ(refusal(&vast, &y), "twice: `X` has strides that no memory can hold");
}

TEST_F(Arguments, MayBeEmptyAndNowhere) {
    Tensor none(0, {0, 40}, f32), nowhere(0, {0, 40}, f32);
    none.dl.byte_offset = 3;
    EXPECT_EQ(launch(&none, &nowhere), 0) << error();
    EXPECT_EQ(cuda().launches, before.launches);
    EXPECT_EQ(cuda().memory_questions, before.memory_questions);
}

TEST_F(Arguments, HaveOneLane) {
    x.dl.dtype.lanes = 4;
    EXPECT_EQ(refusal(&x, &y),
              "twice: `X` is of a dtype that the language does not have; it must be f32");
}

// ---- devices -----------------------------------------------------------------------------------

TEST_F(Arguments, AreOnADevice) {
    for (DLTensor* t : {&x, &y}) t->device.device_id = -1;
    EXPECT_EQ(refusal(&x, &y), "twice: `X` is on device -1, which is none");
    x.dl.device.device_id = 0;
    EXPECT_EQ(refusal(&x, &y), "twice: `Y` is on device -1, which is none");
}

TEST_F(Arguments, AreOnADeviceThatIsThere) {
    for (const int device : {2, 63, 64, INT_MAX}) {
        for (DLTensor* t : {&x, &y}) t->device.device_id = device;
        EXPECT_EQ(refusal(&x, &y),
                  fmt::format("twice: the tensors are on device {}; the devices here are 0 to 1",
                              device));
    }
}

TEST_F(Arguments, AreMemoryOfCuda) {
    cuda().host_memory = 0x7f0000000000;
    Tensor host(0x7f0000001000, {96, 40}, f32);
    const std::string said =
        "twice: `Y` is said to be on device 0, but its memory was not allocated by CUDA";
    for (int i = 0; i < 2; ++i) {  // what was refused is not known the next time
        EXPECT_EQ(launch(&x, &host), 1);
        EXPECT_EQ(error(), said);
    }
    EXPECT_EQ(cuda().launches, before.launches);
}

TEST_F(Arguments, AreMemoryOfTheirDevice) {
    for (DLTensor* t : {&x, &y}) t->device.device_id = 1;
    cuda().memory_device = 0;
    EXPECT_EQ(launch(&x, &y), 1);
    EXPECT_EQ(error(), "twice: `X` is said to be on device 1, but its memory is on device 0");
    EXPECT_EQ(cuda().current_device, 0);
    cuda().peers = true;  // which may be mapped
    EXPECT_EQ(launch(&x, &y), 0) << error();
}

TEST_F(Arguments, AreAskedForTheirMemoryOnce) {
    Tensor from(0x51000000, {96, 40}, f32), to(0x52000000, {96, 40}, f32);
    ASSERT_EQ(launch(&from, &to), 0) << error();
    EXPECT_EQ(cuda().memory_questions, before.memory_questions + 2);
    for (int i = 0; i < 5; ++i) ASSERT_EQ(launch(&from, &to), 0) << error();
    EXPECT_EQ(cuda().memory_questions, before.memory_questions + 2);
}

TEST_F(Arguments, GoWithAStreamOfTheirDevice) {
    int stream = 0;
    EXPECT_EQ(launch(&x, &y, &stream), 0) << error();
    const int launches = cuda().launches;
    cuda().stream_device = 1;
    EXPECT_EQ(launch(&x, &y, &stream), 1);
    EXPECT_EQ(error(), "the stream is of device 1, but the tensors are on device 0");
    EXPECT_EQ(cuda().launches, launches);
    cuda().captures = true;  // then no stream may be asked
    EXPECT_EQ(launch(&x, &y, &stream), 0) << error();
    cuda().captures = false;
    // The default streams are of any device.
    for (const std::uintptr_t standing : {0u, 1u, 2u})
        EXPECT_EQ(launch(&x, &y, reinterpret_cast<void*>(standing)), 0) << error();
}

TEST_F(Arguments, OfTwoThreadsHaveSentencesOfTheirOwn) {
    EXPECT_EQ(launch(nullptr, &y), 1);
    std::string other = "none", own_before = error();
    std::thread([&] {
        other = error();
        launch(&x, nullptr);
        other += "|" + error();
    }).join();
    EXPECT_EQ(other, "|twice: `Y` is null");
    EXPECT_EQ(error(), own_before);
}

// ---- many tensors ------------------------------------------------------------------------------

constexpr std::size_t inputs = 70;

std::string many_module() {
    std::string text = "module level=scheduled {\n  kernel name=\"many\" shared_bytes=16 {\n";
    for (std::size_t i = 0; i < inputs; ++i)
        text += fmt::format("    tensor name=\"X{}\" dtype=f32 extents=[M]\n", i);
    return text + R"(    tensor name="Y" mode=out dtype=f32 extents=[M]
    grid var="m" begin=0 end=M step=64
    role name="worker" width=1 unit=warpgroup first_warp=0 {
      value name="x" type=f32[64, 1]
      load_cells result=%x source=X0[m +: 64]
      store_cells target=Y[m +: 64] source=%x
    }
  }
  launcher name="many" candidates=["many"]
}
)";
}

template <std::size_t>
using Pointer = DLTensor*;

// A call with so many tensors, a workspace and a stream: all are pointers, but for one size.
template <std::size_t... I>
int call(void* function, const std::vector<std::unique_ptr<Tensor>>& tensors,
         std::index_sequence<I...>) {
    using Launch = int (*)(Pointer<I>..., void*, std::size_t, void*);
    return reinterpret_cast<Launch>(function)(&tensors[I]->dl..., nullptr, 0, nullptr);
}

TEST(ManyArguments, AreAllCompared) {
    const Library library(module_of(many_module()));
    const auto launch = [&](std::uintptr_t output) {
        std::vector<std::unique_ptr<Tensor>> tensors;
        for (std::size_t i = 0; i <= inputs; ++i) {
            const std::uintptr_t address = i == inputs ? output : 0x10000000 + 0x1000 * i;
            tensors.push_back(
                std::make_unique<Tensor>(address, std::vector<std::int64_t>{64}, f32));
        }
        return call(library.function<void*>("many"), tensors,
                    std::make_index_sequence<inputs + 1>());
    };
    const auto error = [&] {
        return std::string(library.function<const char* (*)()>("many_error")());
    };
    EXPECT_EQ(launch(0x20000000), 0) << error();
    for (const std::size_t other : {std::size_t{0}, std::size_t{31}, std::size_t{32}, inputs - 1}) {
        EXPECT_EQ(launch(0x10000000 + 0x1000 * other + 252), 1) << other;
        EXPECT_EQ(
            error(),
            fmt::format("many: `Y` is written, but its memory overlaps that of `X{}`", other));
        EXPECT_EQ(launch(0x10000000 + 0x1000 * other + 256), 0) << error();
    }
}

}  // namespace
}  // namespace tkc::launcher_test
