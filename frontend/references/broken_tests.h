// Tests that cannot run, apart from those that can: a fault in one test is no reason not to
// run the others of its file.
#pragma once

#include <string>
#include <vector>

#include "base/diagnose.h"
#include "frontend/check/check.h"

namespace tkc {

struct BrokenTest {
    ast::Name name;
    Diagnostics diag;  // what `tkc check` says of it, or of its reference
};

struct BrokenTests {
    std::vector<BrokenTest> tests;  // in the order of the file
    Diagnostics others;             // errors in references that no test is about
};

// Checks the tests and the references of a file and takes out of it those that have errors, so that
// what is left of them can run if its kernels compile.
BrokenTests take_out_broken_tests(ast::File& file, SourceManager& sources,
                                  const CheckOptions& options);

}  // namespace tkc
