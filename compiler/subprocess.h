// Running another program and reading what it says.
#pragma once

#include <string>
#include <vector>

namespace tkc {

struct ProcessResult {
    bool started = false;
    int status = -1;     // exit status; 128 + number where a signal ended it
    std::string output;  // standard output and error together, in order; the reason if not started
};

// Runs `command[0]` with the rest as arguments, without a shell, and waits for it. Standard input
// is empty.
ProcessResult run_process(const std::vector<std::string>& command);

// The value of an environment variable; empty where there is none.
std::string environment(const char* name);

}  // namespace tkc
