// Products of warps as the runtime does them, on a model of a warp: 32 threads, ldmatrix and mma as
// the PTX ISA describes them, shared memory as bytes.
#include <gtest/gtest.h>

#include <algorithm>
#include <barrier>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "runtime/tk/ptx/config.h"
#include "runtime/tk/tile/dtypes.cuh"

namespace {

struct Warp {
    std::vector<unsigned char> memory;
    std::barrier<> meeting{32};
    uint32_t addresses[32];
    uint32_t left[32][4];
    uint32_t right[32][2];
    int most_conflicts = 0;  // of loads of 4 bytes: lanes that read other words of one bank
};
thread_local Warp* warp = nullptr;
thread_local int lane = 0;

uint32_t word_at(uint32_t address) {
    uint32_t word;
    EXPECT_EQ(address % 4, 0U);
    std::memcpy(&word, warp->memory.data() + address, 4);
    return word;
}

float __uint_as_float(uint32_t bits) { return std::bit_cast<float>(bits); }
uint32_t __float_as_uint(float x) { return std::bit_cast<uint32_t>(x); }

// "ldmatrix": lane l gives the address of row l % 8 of matrix l / 8, of 8 x 8 16-bit numbers;
// lane 4 g + q gets numbers 2 q and 2 q + 1 of row g, transposed those of column g.
uint32_t matrix_word(int number, bool transposed) {
    const int g = lane / 4;
    const int q = lane % 4;
    uint32_t word = 0;
    for (int i = 0; i < 2; ++i) {
        const int row = transposed ? 2 * q + i : g;
        const int col = transposed ? g : 2 * q + i;
        const uint32_t address = warp->addresses[8 * number + row];
        EXPECT_EQ(address % 16, 0U);
        uint16_t half;
        std::memcpy(&half, warp->memory.data() + address + 2 * col, 2);
        word |= static_cast<uint32_t>(half) << 16 * i;
    }
    return word;
}

void load_matrices(uint32_t address, bool transposed, std::vector<uint32_t*> to) {
    warp->meeting.arrive_and_wait();
    warp->addresses[lane] = address;
    warp->meeting.arrive_and_wait();
    for (size_t i = 0; i < to.size(); ++i) *to[i] = matrix_word(static_cast<int>(i), transposed);
}

// Number `i` of 32 bytes that an operand's register `half` of this lane begins at 4 q of chunk
// `half`.
template <class T>
double number(uint32_t word, int i) {
    if constexpr (sizeof(T) == 1) return static_cast<T>(word >> 8 * i & 0xff);
    else if constexpr (sizeof(T) == 2) {
        T x;
        x.bits = static_cast<uint16_t>(word >> 16 * i);
        return static_cast<float>(x);
    } else {
        EXPECT_EQ(word & 0x1fffU, 0U) << "an operand is no number of tf32";
        return std::bit_cast<float>(word);
    }
}

}  // namespace

namespace tk::ptx {

void ldmatrix_x4(uint32_t address, uint32_t& r0, uint32_t& r1, uint32_t& r2, uint32_t& r3) {
    load_matrices(address, false, {&r0, &r1, &r2, &r3});
}
void ldmatrix_x2(uint32_t address, uint32_t& r0, uint32_t& r1) {
    load_matrices(address, false, {&r0, &r1});
}
void ldmatrix_x4_transposed(uint32_t address, uint32_t& r0, uint32_t& r1, uint32_t& r2,
                            uint32_t& r3) {
    load_matrices(address, true, {&r0, &r1, &r2, &r3});
}
void ldmatrix_x2_transposed(uint32_t address, uint32_t& r0, uint32_t& r1) {
    load_matrices(address, true, {&r0, &r1});
}
uint32_t load_shared_b32(uint32_t address) {
    warp->meeting.arrive_and_wait();
    warp->addresses[lane] = address;
    warp->meeting.arrive_and_wait();
    std::set<uint32_t> words[32];  // by bank
    for (const uint32_t other : warp->addresses) words[other / 4 % 32].insert(other);
    for (const auto& bank : words)
        if (lane == 0)
            warp->most_conflicts =
                std::max(warp->most_conflicts, static_cast<int>(bank.size()) - 1);
    return word_at(address);
}
void load_shared_v2(uint32_t address, uint32_t& x, uint32_t& y) {
    EXPECT_EQ(address % 8, 0U);
    x = word_at(address);
    y = word_at(address + 4);
}
// "cvt.rna.tf32.f32": to nearest, ties away from zero, with 10 bits of fraction.
uint32_t to_tf32(float x) {
    int exponent = 0;
    const double fraction = std::frexp(static_cast<double>(x), &exponent);
    const double rounded = std::round(std::ldexp(fraction, 11));
    return std::bit_cast<uint32_t>(static_cast<float>(std::ldexp(rounded, exponent - 11)));
}

// "matrix fragments for mma.m16n8k8", "k16", "k32": element i of a lane's part of A is in row g, or
// g + 8 in every second register, at number q * per + i % per of its half of the shared extent.
template <class A, class B, class Sum>
void mma_m16n8(Sum* d, const uint32_t* a, const uint32_t* b) {
    warp->meeting.arrive_and_wait();
    std::memcpy(warp->left[lane], a, sizeof warp->left[lane]);
    std::memcpy(warp->right[lane], b, sizeof warp->right[lane]);
    warp->meeting.arrive_and_wait();
    constexpr int per = 4 / static_cast<int>(sizeof(A));
    for (int i = 0; i < 4; ++i) {
        const int row = lane / 4 + (i >= 2 ? 8 : 0);
        const int col = 2 * (lane % 4) + i % 2;
        double sum = static_cast<double>(d[i]);
        for (int k = 0; k < 8 * per; ++k) {
            const int q = k % (4 * per) / per;
            const int half = k / (4 * per);
            const uint32_t x = warp->left[4 * (row % 8) + q][2 * half + row / 8];
            const uint32_t y = warp->right[4 * col + q][half];
            sum += number<A>(x, k % per) * number<B>(y, k % per);
        }
        d[i] = static_cast<Sum>(sum);
    }
}

}  // namespace tk::ptx

#define TK_WARP_MODEL
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
#include "runtime/tk/operations/mma_sync.cuh"
#pragma GCC diagnostic pop

namespace {

template <class T>
T random_number(std::mt19937& random) {
    const int x = std::uniform_int_distribution<int>(-9, 9)(random);
    if constexpr (std::is_same_v<T, tk::bf16>) return tk::bf16(static_cast<float>(x));
    else if constexpr (std::is_same_v<T, float>) return static_cast<float>(2049 * x);  // 12 bits
    else return static_cast<T>(std::is_signed_v<T> ? x : x + 200);
}

template <class T>
double product_number(T x) {
    if constexpr (std::is_same_v<T, float>) return std::bit_cast<float>(tk::ptx::to_tf32(x));
    else if constexpr (std::is_same_v<T, tk::bf16>) return static_cast<float>(x);
    else return x;
}

// A matrix, and its bytes as a shared tile, turned or not.
template <class T, int Rows, int Cols, bool Turned>
struct Matrix {
    using view = std::conditional_t<
        Turned,
        tk::tile_view<T, Cols, Rows, tk::span_of(Cols, Rows* static_cast<int>(sizeof(T))), Cols>,
        tk::tile_view<T, Rows, Cols, tk::span_of(Rows, Cols* static_cast<int>(sizeof(T))), Rows>>;
    T cells[static_cast<std::size_t>(Rows)][static_cast<std::size_t>(Cols)];

    explicit Matrix(std::mt19937& random) {
        for (auto& row : cells) {
            for (T& cell : row) cell = random_number<T>(random);
        }
    }
    void put(std::vector<unsigned char>& memory, uint32_t base) const {
        for (int r = 0; r < Rows; ++r) {
            for (int c = 0; c < Cols; ++c) {
                const int at = Turned ? tk::view_offset<view>(c, r) : tk::view_offset<view>(r, c);
                std::memcpy(memory.data() + base + static_cast<uint32_t>(at), &cells[r][c],
                            sizeof(T));
            }
        }
    }
    using operand = std::conditional_t<Turned, tk::transposed_view<view>, view>;
};

enum class Place : std::uint8_t { as_it_is, turned, registers };

// d += a b by WarpRows x WarpCols warps, one after the other. What most_conflicts became.
template <class A, class B, class Sum, int M, int N, int K, Place Left, bool TurnedB, int WarpRows,
          int WarpCols>
int expect_product() {
    using d_layout = tk::warp_fragment_layout<M, N, WarpRows, WarpCols>;
    using a_layout = tk::warp_fragment_layout<M, K, WarpRows, WarpCols>;
    constexpr uint32_t base = 16384;
    std::mt19937 random(M + N + K);
    const Matrix<A, M, K, Left == Place::turned> a(random);
    const Matrix<B, K, N, TurnedB> b(random);
    int most_conflicts = 0;
    for (int w = 0; w < WarpRows * WarpCols; ++w) {
        Warp model;
        model.memory.resize(2 * base);
        a.put(model.memory, 0);
        b.put(model.memory, base);
        std::vector<std::thread> lanes;
        for (int l = 0; l < 32; ++l) {
            lanes.emplace_back([&, l] {
                warp = &model;
                lane = l;
                const int thread = 32 * w + l;
                tk::tile<Sum, d_layout> d;
                for (int i = 0; i < d_layout::cells; ++i)
                    d.reg[i / d_layout::width][i % d_layout::width] = static_cast<Sum>(i);
                using matrix_a = Matrix<A, M, K, Left == Place::turned>;
                using matrix_b = Matrix<B, K, N, TurnedB>;
                const tk::detail::shared_b<typename matrix_b::operand> right{{base}};
                if constexpr (Left == Place::registers) {
                    tk::tile<A, a_layout> held;
                    for (int i = 0; i < a_layout::cells; ++i)
                        std::memcpy(reinterpret_cast<A*>(held.reg) + i,
                                    &a.cells[a_layout::row(thread, i)][a_layout::col(thread, i)],
                                    sizeof(A));
                    tk::detail::multiply(d, tk::detail::register_a<A, a_layout>{held}, right,
                                         thread);
                } else {
                    const tk::detail::shared_a<typename matrix_a::operand> left{{0}};
                    tk::detail::multiply(d, left, right, thread);
                }
                for (int i = 0; i < d_layout::cells; ++i) {
                    const int row = d_layout::row(thread, i);
                    const int col = d_layout::col(thread, i);
                    double sum = i;
                    for (int k = 0; k < K; ++k)
                        sum += product_number(a.cells[row][k]) * product_number(b.cells[k][col]);
                    // Sums of f32 are rounded; a tie that goes the other way makes 100,000.
                    const double allowed = sizeof(A) == 4 ? 10'000 : 0;
                    EXPECT_NEAR(
                        static_cast<double>(d.reg[i / d_layout::width][i % d_layout::width]), sum,
                        allowed)
                        << row << ", " << col;
                }
            });
        }
        for (std::thread& l : lanes) l.join();
        most_conflicts = std::max(most_conflicts, model.most_conflicts);
    }
    return most_conflicts;
}

TEST(RuntimeProducts, SixteenBits) {
    using tk::bf16;
    expect_product<bf16, bf16, float, 16, 24, 32, Place::as_it_is, false, 1, 1>();
    expect_product<bf16, bf16, float, 32, 16, 64, Place::turned, true, 2, 1>();
    expect_product<bf16, bf16, float, 32, 72, 48, Place::registers, false, 1, 1>();
    expect_product<bf16, bf16, float, 16, 48, 16, Place::registers, true, 1, 1>();
}

TEST(RuntimeProducts, EightBits) {
    expect_product<int8_t, int8_t, int32_t, 16, 24, 64, Place::as_it_is, true, 1, 1>();
    expect_product<int8_t, int8_t, int32_t, 48, 16, 128, Place::as_it_is, true, 3, 2>();
    expect_product<int8_t, int8_t, int32_t, 32, 80, 96, Place::as_it_is, true, 1, 1>();
    expect_product<uint8_t, int8_t, int32_t, 16, 8, 32, Place::as_it_is, true, 1, 1>();
    expect_product<int8_t, uint8_t, int32_t, 16, 16, 32, Place::as_it_is, true, 1, 2>();
    expect_product<uint8_t, uint8_t, int32_t, 16, 8, 160, Place::as_it_is, true, 1, 1>();
}

TEST(RuntimeProducts, RoundedToTf32) {
    expect_product<float, float, float, 16, 24, 16, Place::as_it_is, true, 1, 1>();
    expect_product<float, float, float, 16, 24, 8, Place::as_it_is, false, 1, 1>();
    expect_product<float, float, float, 32, 32, 32, Place::turned, false, 2, 1>();
    expect_product<float, float, float, 64, 72, 24, Place::turned, true, 2, 1>();
    expect_product<float, float, float, 16, 16, 64, Place::turned, true, 1, 2>();
    expect_product<float, float, float, 32, 72, 32, Place::registers, true, 1, 1>();
    expect_product<float, float, float, 32, 24, 16, Place::registers, false, 2, 1>();
}

// Rows of 128 bytes, as gemms have them.
TEST(RuntimeProducts, ReadsOfTf32MeetAllBanks) {
    EXPECT_EQ((expect_product<float, float, float, 32, 32, 16, Place::turned, false, 1, 1>()), 0);
    EXPECT_EQ((expect_product<float, float, float, 32, 32, 16, Place::as_it_is, false, 1, 1>()), 0);
    EXPECT_EQ((expect_product<float, float, float, 16, 32, 16, Place::registers, false, 1, 1>()),
              0);
}

}  // namespace
