// The emulator against plain loops, on the examples.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "emulator/number.h"
#include "test/unit/emulator_sample.h"

namespace tkc::emulator {
namespace {

TEST(Numbers, EveryEncodingComesBack) {
    for (const Dtype dtype : {Dtype::f16, Dtype::bf16, Dtype::fp8_e4m3, Dtype::fp8_e5m2}) {
        for (std::uint64_t bits = 0; bits < std::uint64_t{1} << info(dtype).bits; ++bits) {
            const double x = decode(dtype, bits);
            if (std::isnan(x)) {
                EXPECT_TRUE(std::isnan(decode(dtype, encode(dtype, x))));
            } else if (std::isinf(x) && dtype == Dtype::fp8_e5m2) {
                EXPECT_EQ(decode(dtype, encode(dtype, x)), std::copysign(57344.0, x));
            } else {
                EXPECT_EQ(encode(dtype, x), bits) << name(dtype) << " " << x;
            }
        }
    }
}

TEST(Numbers, Rounding) {
    EXPECT_EQ(round_to(Dtype::bf16, 1.0 + 0x1p-8), 1.0);  // ties to even
    EXPECT_EQ(round_to(Dtype::bf16, 1.0 + 3 * 0x1p-8), 1.0 + 0x1p-6);
    EXPECT_EQ(round_to(Dtype::f16, 65520.0), std::numeric_limits<double>::infinity());
    EXPECT_EQ(round_to(Dtype::f16, 65519.0), 65504.0);
    EXPECT_EQ(round_to(Dtype::f16, 0x1p-25), 0.0);
    EXPECT_EQ(round_to(Dtype::f16, 0x1.8p-25), 0x1p-24);
    EXPECT_EQ(round_to(Dtype::fp8_e4m3, 1e9), 448.0);
    EXPECT_EQ(round_to(Dtype::fp8_e4m3, -460.0), -448.0);
    EXPECT_EQ(round_to(Dtype::fp8_e5m2, 1e9), 57344.0);
}

// Both ways to round agree: one number, and strips of cells.
TEST(Numbers, StripsRoundAlike) {
    for (const Dtype dtype : {Dtype::f16, Dtype::bf16}) {
        for (std::uint32_t i = 0; i < 200000; ++i) {
            const auto x = std::bit_cast<float>(i * 21474U + 7U);
            float cell = x;
            round_cells(dtype, &cell, 1);
            const double one = round_to(dtype, x);
            if (std::isnan(one)) EXPECT_TRUE(std::isnan(cell));
            else EXPECT_EQ(cell, one) << name(dtype) << " " << x;
        }
    }
}

// Elements in a stretch, and one alone, against encode and decode, which know no such shortcut.
TEST(Numbers, StretchesAreReadAndWrittenAlike) {
    for (const Dtype dtype : {Dtype::f16, Dtype::bf16, Dtype::fp8_e4m3, Dtype::fp8_e5m2}) {
        const auto size = static_cast<std::size_t>(bytes(dtype));
        const std::size_t count = std::size_t{1} << info(dtype).bits;
        std::vector<std::byte> memory(count * size);
        for (std::size_t i = 0; i < count; ++i) std::memcpy(&memory[i * size], &i, size);
        std::vector<float> cells(count);
        read_numbers(dtype, memory.data(), cells.data(), count);
        for (std::size_t i = 0; i < count; ++i) {
            const double x = decode(dtype, i);
            const double alone = read_real(dtype, &memory[i * size]);
            EXPECT_EQ(std::isnan(cells[i]), std::isnan(x)) << name(dtype) << " " << i;
            EXPECT_EQ(std::isnan(alone), std::isnan(x)) << name(dtype) << " " << i;
            if (!std::isnan(x)) {
                EXPECT_EQ(cells[i], x) << name(dtype) << " " << i;
                EXPECT_EQ(alone, x) << name(dtype) << " " << i;
            }
            cells[i] = std::bit_cast<float>(static_cast<std::uint32_t>(i) * 65521U + 7U);
        }
        write_numbers(dtype, cells.data(), memory.data(), count);
        for (std::size_t i = 0; i < count; ++i) {
            std::uint64_t bits = 0;
            std::memcpy(&bits, &memory[i * size], size);
            if (std::isnan(cells[i])) EXPECT_TRUE(std::isnan(decode(dtype, bits)));
            else EXPECT_EQ(bits, encode(dtype, cells[i])) << name(dtype) << " " << cells[i];
        }
    }
}

TEST(Numbers, StretchesOfIntegersWrapAlike) {
    const std::vector<std::int64_t> numbers = {0,   1,   -1,   127,   128,
                                               255, 256, -129, 65536, 1LL << 31};
    for (const Dtype dtype :
         {Dtype::i8, Dtype::i16, Dtype::i32, Dtype::i64, Dtype::u8, Dtype::u32, Dtype::boolean}) {
        std::vector<std::int64_t> cells = numbers;
        wrap_cells(dtype, cells.data(), cells.size());
        for (std::size_t i = 0; i < cells.size(); ++i)
            EXPECT_EQ(cells[i], wrap_to(dtype, numbers[i])) << name(dtype) << " " << numbers[i];
    }
}

// Ties go away from zero; subnormals keep their place.
TEST(Numbers, RoundingToTf32) {
    const auto rounded = [](float x) {
        round_to_tf32(&x, 1);
        return x;
    };
    EXPECT_EQ(rounded(1.0F + 0x1p-11F), 1.0F + 0x1p-10F);
    EXPECT_EQ(rounded(-1.0F - 0x1p-11F), -1.0F - 0x1p-10F);
    EXPECT_EQ(rounded(1.0F + 0x1.8p-12F), 1.0F);
    EXPECT_EQ(rounded(1.0F + 3 * 0x1p-11F), 1.0F + 2 * 0x1p-10F);
    EXPECT_EQ(rounded(0x1.fffp0F), 2.0F);
    EXPECT_EQ(rounded(0x1p-149F), 0.0F);
    EXPECT_EQ(rounded(0x1p-137F), 0x1p-136F);
    const float infinity = std::numeric_limits<float>::infinity();
    EXPECT_EQ(rounded(std::numeric_limits<float>::max()), infinity);
    EXPECT_EQ(rounded(-infinity), -infinity);
    EXPECT_TRUE(std::isnan(rounded(std::bit_cast<float>(0x7fffffffU))));
}

TEST(Numbers, ToIntegers) {
    EXPECT_EQ(truncate_to(Dtype::i32, -1.9), -1);
    EXPECT_EQ(truncate_to(Dtype::i32, 1e20), 2147483647);
    EXPECT_EQ(truncate_to(Dtype::i8, -1e20), -128);
    EXPECT_EQ(truncate_to(Dtype::u8, -3.0), 0);
    EXPECT_EQ(truncate_to(Dtype::i64, 1e30), std::numeric_limits<std::int64_t>::max());
    EXPECT_EQ(truncate_to(Dtype::i32, std::nan("")), 0);
    EXPECT_EQ(wrap_to(Dtype::i8, 200), -56);
}

struct Example {
    const char* file;
    bool a_t, b_t;
};

class Gemm : public testing::TestWithParam<Example> {};

TEST_P(Gemm, TileIr) {
    const ir::Module module = sample::compile_example(GetParam().file, ir::Level::tile);
    const Arguments call = sample::gemm_arguments(200, 328, 136, GetParam().a_t, GetParam().b_t);
    const std::vector<double> expected = sample::product(call, GetParam().a_t, GetParam().b_t);
    for (const ir::Kernel& kernel : module.kernels) {
        Arguments arguments = call;
        const Outcome outcome = run(kernel, ir::Level::tile, arguments, {});
        ASSERT_EQ(outcome.end, Outcome::End::finished) << outcome.text;
        EXPECT_EQ(sample::wrong_elements(arguments, expected), 0) << kernel.name;
    }
}

// Three rounds of a ring of four stages, and several programs a block.
TEST_P(Gemm, ScheduledIr) {
    const ir::Module module = sample::compile_example(GetParam().file, ir::Level::scheduled);
    const Arguments call = sample::gemm_arguments(200, 328, 520, GetParam().a_t, GetParam().b_t);
    const std::vector<double> expected = sample::product(call, GetParam().a_t, GetParam().b_t);
    for (const ir::Kernel& kernel : module.kernels) {
        for (std::uint64_t seed = 0; seed < 16; ++seed) {
            Arguments arguments = call;
            const Outcome outcome =
                run(kernel, ir::Level::scheduled, arguments, RunOptions{seed, 1, {}});
            ASSERT_EQ(outcome.end, Outcome::End::finished) << kernel.name << ": " << outcome.text;
            EXPECT_EQ(sample::wrong_elements(arguments, expected), 0)
                << kernel.name << " seed " << seed;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Examples, Gemm,
                         testing::Values(Example{"gemm.tk", false, false},
                                         Example{"gemm_nt.tk", false, true},
                                         Example{"gemm_tn.tk", true, false},
                                         Example{"gemm_any.tk", false, false}),
                         [](const testing::TestParamInfo<Example>& example) {
                             const std::string name = example.param.file;
                             return name.substr(0, name.find('.'));
                         });

TEST(Emulator, RefusesWhatTheLauncherRefuses) {
    const ir::Module module = sample::compile_example("gemm.tk", ir::Level::tile);
    Arguments arguments = sample::gemm_arguments(64, 65, 64);
    const Outcome outcome = run(module.kernels[0], ir::Level::tile, arguments, {});
    EXPECT_EQ(outcome.end, Outcome::End::refused);
    EXPECT_NE(outcome.text.find("pad `N` to a multiple of 8"), std::string::npos) << outcome.text;
}

TEST(Emulator, ThreadsChangeNothing) {
    const ir::Module module = sample::compile_example("gemm.tk", ir::Level::scheduled);
    Arguments one = sample::gemm_arguments(640, 512, 72);
    Arguments many = one;
    run(module.kernels[0], ir::Level::scheduled, one, RunOptions{5, 1, {}});
    run(module.kernels[0], ir::Level::scheduled, many, RunOptions{5, 4, {}});
    EXPECT_EQ(one.tensors.at("C").storage, many.tensors.at("C").storage);
}

}  // namespace
}  // namespace tkc::emulator
