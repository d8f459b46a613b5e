// tkc: the compiler's command line. What it can do is in options.h.
#include <cstdio>
#include <system_error>
#include <variant>

#include "compiler/crash.h"
#include "driver/commands.h"
#include "driver/options.h"

int main(int count, char** words) {
    tkc::watch_for_crashes(count, words);
    try {
        auto parsed = tkc::parse_command_line(count, words);
        if (const int* code = std::get_if<int>(&parsed)) return *code;
        return std::visit([](const auto& command) { return tkc::run(command); },
                          std::get<tkc::Command>(parsed));
    } catch (const std::system_error& error) {
        // The system's word: a full disk, a folder that is gone. Any other exception is a bug, and
        // is told where it was thrown, see crash.h.
        std::fprintf(stderr, "tkc: %s\n", error.what());  // throws nothing where that is full, too
        return tkc::exit_usage;
    }
}
