// Which program of a launch of a debug build wrote each element of its outputs. The records of the
// elements are in memory of the launcher (host/write_counts.h), one block of it per tensor.
#pragma once

#include "../ptx/config.h"

namespace tk {

constexpr int counted_tensors = 32;

// For an element: no program wrote it, several did, or otherwise the number of the one that did.
constexpr unsigned written_by_none = 0;
constexpr unsigned written_by_several = 0xffffffffu;

struct write_counts {
    unsigned* writers;     // of every element, dense and in the order of the axes
    long long extents[5];  // of the axes
};

#if TK_CUDA
namespace {
__device__ write_counts written[counted_tensors];
}

// The part of a tensor from `begin` on, with that many elements along each axis.
template <int Rank>
struct write_box {
    int begin[Rank];
    int length[Rank];
};

// Program number `program` wrote every element of the box that is inside tensor `number`: once
// more, if it already had, which is allowed. By `threads` threads, this one being number `thread`.
template <int Rank>
TK_DEVICE void count_writes(int number, int program, int thread, int threads,
                            const write_box<Rank>& box) {
    const write_counts& tensor = written[number];
    const unsigned writer = static_cast<unsigned>(program) + 1;
    long long cells = 1;
    for (int axis = 0; axis < Rank; ++axis) cells *= box.length[axis];
    for (long long cell = thread; cell < cells; cell += threads) {
        long long rest = cell, at = 0, step = 1;
        bool inside = true;
        for (int axis = Rank - 1; axis >= 0; --axis) {
            const long long position = box.begin[axis] + rest % box.length[axis];
            rest /= box.length[axis];
            inside = inside && position >= 0 && position < tensor.extents[axis];
            at += position * step;
            step *= tensor.extents[axis];
        }
        if (!inside) continue;
        const unsigned before = atomicCAS(tensor.writers + at, written_by_none, writer);
        if (before != written_by_none && before != writer)
            atomicExch(tensor.writers + at, written_by_several);
    }
}
#endif

}  // namespace tk
