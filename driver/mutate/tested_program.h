// A file whose tests are tried, and the program in it as it is: the results of its tests, and
// the probes made in their likeness.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "driver/mutate/mutant.h"
#include "emulator/probes.h"

namespace tkc {

struct TestedProgram {
    const TestPlan* plan = nullptr;
    KernelTexts texts{};
    TestedFile file{};
    std::vector<OriginalRun> runs{};          // that pass, in the order of the file
    std::vector<std::size_t> of_functions{};  // numbers of the tests of functions that pass
    std::vector<std::string> failed{};        // tests that fail
    std::set<std::string> left_out{};         // tests whose data are too large to be kept
    TestedFile probed{};
    std::vector<emulator::Probe> probes{};  // the cases of `probed` after those of `file`
    std::vector<OriginalRun> tried{};       // of the probes, those that can tell something
};

// The path by which the sources of a plan know a module; empty: it is not imported.
std::string path_of_module(const TestPlan& plan, const std::string& module);

// Whether tests of functions name a function, or a function that they name does, and no kernel and
// nothing else of the file: then no kernel can show what it does.
bool only_own_tests(const TestedProgram& program, const std::string& function);

// Runs the tests of the plan, on so many threads.
void run_tests(TestedProgram& program, int jobs);

// Makes and runs probes of these kernels and entries, which are those of the file or others.
void run_probes(TestedProgram& program, const std::set<std::string>& names, int jobs);

}  // namespace tkc
