// Work in processes of their own, forked from this one: what crashes, hangs or runs out of memory
// there does not end this one, and everything that was made before needs no copy.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace tkc {

struct ForkedResult {
    enum class End {
        finished,
        overtime,  // it ran into the limit, and was ended
        crashed,   // a signal or an exception
    };
    End end = End::finished;
    int signal = 0;      // that ended it; 0: none did
    std::string output;  // what the work sent
};

// Hands a part of the output to the process that waits for it.
using SendOutput = std::function<void(std::string_view)>;

struct ForkedWork {
    std::size_t count = 0;
    int at_once = 1;
    std::chrono::milliseconds limit{};  // of one piece; 0: none
    // In a process of its own, without threads yet.
    std::function<void(std::size_t, const SendOutput&)> run;
    std::function<bool()> may_start;  // false: the pieces left are not begun; empty: all are
    // Here, when a piece sent something: all of its output so far. May be empty.
    std::function<void(std::size_t, const std::string&)> received;
    std::function<void(std::size_t, ForkedResult)> done;  // here, in the order of their ends
    std::function<void()> waiting;                        // here, several times a second
};

// Runs the pieces in their order. No other thread of this process may run meanwhile. What cannot be
// forked counts as crashed.
void run_forked(const ForkedWork& work);

}  // namespace tkc
