// Waits of debug builds on a pipeline: one that takes too long is reported like an assertion, and
// the kernel ends.
//
// How: from then on no wait waits. Every role runs to its end with whatever its stages contain, so
// that the barriers between warps and blocks still complete; the launch fails, and its results are
// not used. A trap would end the kernel sooner, but the process could no longer use the GPU, and
// the report would be lost. Two things would still be a fault, and are waited for: a stage that is
// filled again while the previous copy is in flight, and a block that ends before its last copies
// have landed.
#pragma once

#include "pipeline.cuh"
#include "report.cuh"

// Timeout for one pipeline element.
#ifndef TK_WAIT_SECONDS
#define TK_WAIT_SECONDS 10
#endif

#if TK_CUDA
namespace tk {

namespace detail {

TK_DEVICE unsigned long long nanoseconds() {
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

TK_DEVICE void wait_with_timeout(mbarrier& barrier, uint32_t parity, int site, int program) {
    if (ptx::mbarrier_test(barrier, parity)) return;
    const unsigned long long begin = nanoseconds();
    while (!given_up() && !ptx::mbarrier_test(barrier, parity)) {
        if (nanoseconds() - begin > TK_WAIT_SECONDS * 1000000000ull) give_up(site, program);
        __nanosleep(50);
    }
}

}  // namespace detail

// pipeline.wait_empty and wait_full. `site`: the number of the wait among the reports of the
// kernel.
template <int Stages>
TK_DEVICE void watched_wait_empty(pipeline<Stages>& of, const cursor<Stages>& at, int site,
                                  int program) {
    detail::wait_with_timeout(of.empty[at.stage], at.phase ^ 1, site, program);
    if (!detail::given_up()) return;
    const unsigned long long begin = detail::nanoseconds();
    while (!ptx::mbarrier_test(of.full[at.stage], at.phase ^ 1) &&
           detail::nanoseconds() - begin < 1000000)
        __nanosleep(50);
}
template <int Stages>
TK_DEVICE void watched_wait_full(pipeline<Stages>& of, const cursor<Stages>& at, int site,
                                 int program) {
    detail::wait_with_timeout(of.full[at.stage], at.phase, site, program);
}

// All threads, at the end of the kernel.
TK_DEVICE void settle_waits() {
    if (!detail::given_up()) return;
    const unsigned long long begin = detail::nanoseconds();
    while (detail::nanoseconds() - begin < 200000) __nanosleep(100);
}

}  // namespace tk
#endif
