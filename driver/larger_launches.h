// Launches that the tests of a kernel do not make: theirs with one extent changed, so that the
// loops over it take another number of steps. `tkc test --weaken` asks whether one of these would
// notice a fault that the tests do not.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "emulator/test_case.h"
#include "ir/module.h"

namespace tkc {

struct LargerLaunch {
    std::string text;         // `K = 320`
    emulator::TestCase test;  // whose values name `extent`
};

// Those of `test`, a test of `called`, that launches `kernel`. What they name lives in `extents`.
std::vector<LargerLaunch> larger_launches(const emulator::TestCase& test,
                                          const ir::Signature& called, const ir::Kernel& kernel,
                                          std::deque<ast::Expr>& extents);

}  // namespace tkc
