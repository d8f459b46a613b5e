// The commands of tkc: each does its work, says what is to be said and gives the exit code.
#pragma once

#include "driver/options.h"

namespace tkc {

int run(const CompileCommand& command);
int run(const CheckCommand& command);
int run(const TestCommand& command);
int run(const ExplainCommand& command);
int run(const BuildCommand& command);
int run(const RunCommand& command);
int run(const RuntimeCommand& command);
int run(const FormatCommand& command);
int run(const NewCommand& command);
int run(const MessageCommand& command);
int run(const ListPassesCommand& command);
int run(const GpuWorkerCommand& command);

}  // namespace tkc
