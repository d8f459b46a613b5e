// The tests that a file lacks: made of probes that notice mutants which no test notices.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "driver/mutate/report.h"
#include "driver/mutate/tested_program.h"

namespace tkc {

// A probe, and the program that it is of.
struct ProbePlace {
    const TestedProgram* program = nullptr;
    const OriginalRun* run = nullptr;
};
// By its number among those of all programs that can tell something.
ProbePlace probe_at(const std::deque<TestedProgram>& programs, std::size_t number);

// What a probe binds: `M = 3; X = normal();`
std::string bound_text(const ProbePlace& place);

struct MissingTest {
    std::string subject;
    std::string text;
};
using MissingTests = std::map<const TestPlan*, std::vector<MissingTest>>;

// As few tests as notice every mutant that is a gap; each of these gets the text of one.
MissingTests choose_tests(std::vector<MutantResult>& results,
                          const std::deque<TestedProgram>& programs);

// Puts them into the file, after the last test of their subject, unless it has changed since it
// was read. Gives its new text; nothing: a failure, which is reported.
std::optional<std::string> write_tests(const TestPlan& plan, const std::vector<MissingTest>& tests);

}  // namespace tkc
