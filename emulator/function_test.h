// Tests of functions, which run no kernel: the CPU evaluates them as it does references.
#pragma once

#include "emulator/test_case.h"

namespace tkc::emulator {

// Whether all that the test expects of its function holds. What does not, and what cannot be
// evaluated, goes to `context.diag`.
bool run_function_test(const TestCase& test, const EvaluationContext& context);

}  // namespace tkc::emulator
