// Many short pieces of work on the threads of one process that is forked from this one. A piece
// that hangs, crashes or uses up the memory ends that process, and neither this one nor the results
// of the other pieces; where none does, all of them together cost one fork.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

#include "driver/forked.h"

namespace tkc {

struct IsolatedWork {
    std::size_t count = 0;
    int at_once = 1;
    std::chrono::milliseconds limit{};  // of one piece
    // On a thread of that process. What it throws counts as a crash.
    std::function<std::string(std::size_t)> run;
    std::function<void(std::size_t, ForkedResult)> done;  // here, in the order of their ends
    std::function<void()> waiting;                        // here, several times a second
};

// Begins the pieces in their order. No other thread of this process may run meanwhile.
void run_isolated(const IsolatedWork& work);

}  // namespace tkc
