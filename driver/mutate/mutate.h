// `tkc test --mutate`: whether the tests of a file would notice a slip of its author.
#pragma once

#include <deque>

#include "driver/test_plan.h"

namespace tkc {

// Changes the kernels of the plans' files in one place at a time, or what `command.mutate` asks
// for, and runs their tests. Prints for each kernel how many mutants there were, and every one
// that no test notices although some input would show it. The exit code: 1 if there is one.
int mutate(const std::deque<TestPlan>& plans, const TestCommand& command);

}  // namespace tkc
