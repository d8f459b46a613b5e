// Saying what the compiler found: to the terminal, and to the shell by the exit code.
#pragma once

#include <string>

#include "compiler/outputs.h"

namespace tkc {

// Prints everything that was reported, as text on standard error or as JSON on standard output, and
// gives the exit code that says how bad it was.
int finish(const Session& session, bool json = false);

// The same code, without printing.
int exit_code_of(const Session& session);

// Whether text that goes to this file descriptor should have colors.
bool want_color(int descriptor);

// Writes to `path` that `output` is made from the files that were read, as make and ninja want it;
// nothing where the path is empty. False: reported.
bool write_depfile(const std::string& path, const std::string& output, Session& session);

// Writes a result (`-`: standard output), reports where that fails, and gives the exit code as
// above.
int finish_with(Session& session, const std::string& path, const std::string& text, bool json);

}  // namespace tkc
