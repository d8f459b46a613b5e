// The exit codes of tkc.
#pragma once

namespace tkc {

inline constexpr int exit_good = 0;
inline constexpr int exit_program = 1;  // errors in the program
inline constexpr int exit_usage = 2;  // errors in the call, or files that cannot be read or written
inline constexpr int exit_internal = 3;  // TK9001: a bug of tkc

}  // namespace tkc
