// Candidates of a launcher compared with each other, on the arguments of one test.
#pragma once

#include <map>

#include "emulator/test_run.h"

namespace tkc::emulator {

// What one of them left of its arguments.
struct CandidateRun {
    std::string name;  // for people
    const ir::Signature* kernel = nullptr;
    Arguments after;
};

// The launcher among whose candidates the kernel is. Null: it is the only one.
const ir::Launcher* launcher_of(const ir::Module& module, const std::string& kernel);

// Whether the arguments have the same extents. Constants that arguments fix, as the width of a
// head, may differ among candidates: such a pair never takes the same.
bool take_the_same(const Arguments& a, const Arguments& b);

// Whether the outputs of two candidates for the same arguments agree: outputs that the test
// compares with the reference within the same bounds, all other floating-point outputs within the
// widest of them, and integers without a bound exactly. Faults are reported to `context.diag`.
bool candidates_agree(const TestCase& test, const PreparedCase& prepared, const CandidateRun& first,
                      const CandidateRun& other, const EvaluationContext& context);

}  // namespace tkc::emulator
