// tkc: the compiler's command line. What it can do is in options.h.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <variant>

#include "driver/commands.h"
#include "driver/options.h"

int main(int count, char** words) {
    try {
        auto parsed = tkc::parse_command_line(count, words);
        if (const int* code = std::get_if<int>(&parsed)) return *code;
        return std::visit([](const auto& command) { return tkc::run(command); },
                          std::get<tkc::Command>(parsed));
    } catch (const std::exception& error) {
        // The stages report by diagnostics and throw nothing, so this is memory, or a bug.
        fmt::print(stderr, "tkc: internal error: {}; this is a bug of tkc\n", error.what());
        return tkc::exit_usage;
    }
}
