// Work in processes of their own, forked from this one: what crashes, hangs or runs out of memory
// there does not end this one, and everything that was made before needs no copy.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

namespace tkc {

struct ForkedResult {
    enum class End {
        finished,
        overtime,  // it ran into the limit, and was ended
        crashed,   // a signal or an exception
    };
    End end = End::finished;
    std::string output;  // what the work returned
};

struct ForkedWork {
    std::size_t count = 0;
    int at_once = 1;
    std::chrono::milliseconds limit{};            // of one piece
    std::function<std::string(std::size_t)> run;  // in a process of its own, without threads yet
    std::function<bool()> may_start;              // false: the pieces left are not begun
    std::function<void(std::size_t, ForkedResult)> done;  // here, in the order of their ends
    std::function<void()> waiting;                        // here, several times a second
};

// Runs the pieces in their order. No other thread of this process may run meanwhile. What cannot be
// forked counts as crashed.
void run_forked(const ForkedWork& work);

}  // namespace tkc
