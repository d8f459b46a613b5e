// Launches that the tests of a kernel do not make: theirs with other extents, so that loops take
// other numbers of steps. `tkc test --weaken` asks whether one of these would notice a fault that
// the tests do not.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "emulator/test_case.h"
#include "ir/module.h"

namespace tkc {

struct LargerLaunch {
    std::string text;  // K = 320
    emulator::TestCase test;
};

// Those of `test`, a test of `called`, which launches `kernel`. Their values live in `values`.
std::vector<LargerLaunch> larger_launches(const emulator::TestCase& test,
                                          const ir::Signature& called, const ir::Kernel& kernel,
                                          std::deque<ast::Expr>& values);

}  // namespace tkc
