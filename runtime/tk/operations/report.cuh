// Output and checks of kernels in debug builds: records in global memory, which the launcher reads.
//
// printf and assert are not used: one call of either anywhere in a kernel makes ptxas serialize all
// of its products.
#pragma once

#include "../ptx/fence.cuh"
#include "../tile/tile.cuh"

namespace tk {

constexpr int report_values = 8;
constexpr int report_capacity = 1 << 14;

// One `print`, or one `assert` that does not hold. `site`: its number in the kernel.
struct report_record {
    int site;
    int program;
    long long values[report_values];  // integers, or the bits of doubles
};

struct report_log {
    unsigned count;         // also of those for which there was no room
    unsigned given_up;      // 1: a wait took too long, and none waits any more (watch.cuh)
    report_record waiting;  // which one
    report_record records[report_capacity];
};

#if TK_CUDA
namespace {
__device__ report_log reports;
}

namespace detail {
TK_DEVICE long long report_word(long long x) { return x; }
TK_DEVICE long long report_word(int x) { return x; }
TK_DEVICE long long report_word(unsigned x) { return x; }
TK_DEVICE long long report_word(bool x) { return x; }
TK_DEVICE long long report_word(double x) { return __double_as_longlong(x); }
TK_DEVICE long long report_word(float x) { return __double_as_longlong(x); }
TK_DEVICE long long report_word(bf16 x) { return report_word(static_cast<float>(x)); }
TK_DEVICE long long report_word(f16 x) { return report_word(static_cast<float>(x)); }

TK_DEVICE bool given_up() { return *static_cast<volatile unsigned*>(&reports.given_up) != 0; }
// Any thread; the first one is reported.
TK_DEVICE void give_up(int site, int program) {
    if (atomicExch(&reports.given_up, 1u) == 0) reports.waiting = report_record{site, program, {}};
}
}  // namespace detail

// One lane. Values that are wrong because a wait was given up are not reported.
template <class... Values>
TK_DEVICE void report(int site, int program, Values... values) {
    static_assert(sizeof...(Values) <= report_values);
    if (detail::given_up()) return;
    const unsigned slot = atomicAdd(&reports.count, 1u);
    if (slot >= report_capacity) return;
    reports.records[slot] = report_record{site, program, {detail::report_word(values)...}};
}

// All threads of the layout, of which this is number `thread`: each reports the first of its cells
// that is 0. The tile is the part from (first_row, first_col) on.
template <class Layout>
TK_DEVICE void report_zeros(int site, int program, const tile<int, Layout>& tile, int first_row,
                            int first_col, int thread) {
    int row = -1, col = -1;
    TK_UNROLL
    for (int c = 0; c < Layout::cells; ++c) {
        if (row >= 0 || tile.cell(c) != 0) continue;
        if (!Layout::has_row(thread, c) || !Layout::has_col(thread, c)) continue;
        row = first_row + Layout::row(thread, c);
        col = first_col + Layout::col(thread, c);
    }
    if (row >= 0 && Layout::writes(thread)) report(site, program, row, col);
}

// The threads of a role, of which this is number `thread` of `threads`: each reports the first of
// its cells for which `holds(row, col)` is false.
template <int Rows, int Cols, class Holds>
TK_DEVICE void report_cells(int site, int program, int thread, int threads, Holds holds) {
    for (int cell = thread; cell < Rows * Cols; cell += threads) {
        const int row = cell / Cols;
        const int col = cell % Cols;
        if (holds(row, col)) continue;
        report(site, program, row, col);
        return;
    }
}

// All threads of the block, before anything else: every byte of shared memory becomes 0xff, which
// is not a number in any type of the tiles.
TK_DEVICE void poison(void* memory, size_t bytes) {
    for (size_t i = threadIdx.x; i < bytes / 4; i += blockDim.x)
        static_cast<unsigned*>(memory)[i] = 0xffffffffu;
    fence_async();
    __syncthreads();
}
#endif

}  // namespace tk
