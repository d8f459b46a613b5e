// Work on several threads at once, and how long it took.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <thread>
#include <vector>

#include "compiler/crash.h"

namespace tkc {

inline double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// What `--jobs` asks for; as many as there are cores where it is not given (0).
inline int jobs_at_once(int asked) {
    if (asked > 0) return asked;
    return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

// Calls `work` with 0 .. count-1 on so many threads, and waits for all. It must not throw.
template <class Work>
void in_parallel(std::size_t count, int jobs, const Work& work) {
    std::atomic<std::size_t> next = 0;
    std::vector<std::thread> threads;
    const auto serve = [&] {
        const SignalStack stack;
        for (std::size_t n = next++; n < count; n = next++) work(n);
    };
    for (int i = 0; i < jobs && static_cast<std::size_t>(i) < count; ++i)
        threads.emplace_back(serve);
    for (std::thread& thread : threads) thread.join();
}

}  // namespace tkc
