// A program with one mutation, compared with the program as it is: whether the checks refuse it,
// and what its tests see of it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "driver/test_plan.h"
#include "emulator/compare.h"
#include "emulator/test_run.h"

namespace tkc {

// A file that tests are taken from: as it is, or with more tests after its own.
struct TestedFile {
    std::string more;  // what is appended to its text
    Session session;
    std::optional<ast::File> tree;
    std::optional<FunctionScope> functions;
    std::vector<emulator::TestCase> cases;

    // Reads the file of the plan. `path` and `text`, if not empty, replace one of the files
    // that it is made of. False: it does not parse, or its tests make no sense.
    bool read(const TestPlan& plan, const std::string& path, const std::string& text);
};

// One test that the program as it is passes on one instance, with all that was made for it.
struct OriginalRun {
    const TestPlan* plan = nullptr;
    const TestedFile* file = nullptr;
    std::size_t number = 0;  // of the case in its file
    const emulator::Instance* instance = nullptr;
    const CompiledSet* set = nullptr;
    std::uint64_t seed = 0;
    emulator::CaseRunner::Made made{};
    emulator::Arguments after{};  // the tensors after the run
    double seconds = 0;
    // Of a probe: the tolerance of each `expect` of the test, as narrow as the program allows.
    std::map<const ast::Expect*, emulator::Limits> narrow{};
    // Of a probe: the reference does not describe what the program does.
    bool beyond_reference = false;

    const emulator::TestCase& test() const { return file->cases[number]; }
};

// How a run of the program as it is ended.
enum class OriginalEnd {
    passed,
    differs,  // from the reference
    failed,   // otherwise
    no_run,   // refused, as the test expects or not
};

// Runs a test on an instance; fills in what is made, and what came out.
OriginalEnd run_original(OriginalRun& run);

// The kernels that a run runs, or may launch.
std::vector<const ir::Kernel*> kernels_of(const OriginalRun& run);

// The texts of the kernels that were compiled, by which mutants see what changed.
using KernelTexts = std::map<const ir::Kernel*, std::string>;
KernelTexts kernel_texts(const TestPlan& plan);

class Mutant {
public:
    // `text` replaces the file of that path. `more`: as in TestedFile. `in_function`:
    // references may call what was changed.
    Mutant(const TestPlan& plan, const KernelTexts& texts, std::string path, std::string text,
           std::string more, bool in_function);

    enum class State {
        refused,
        broken,  // the compiler failed
        same,    // the kernels of this run are what they were
        changed,
    };
    // Compiles what the run needs, once for all runs of the same kernels.
    State state(const OriginalRun& run);
    // How long it took to compile that.
    double seconds_to_compile(const OriginalRun& run) const { return sets_.at(run.set)->seconds; }
    // Of the tests of functions with these numbers: `changed` if one fails, `same` if all pass.
    State state_of_functions(const std::vector<std::size_t>& tests);

    // Whether the run passes as it does in `tkc test`; of a run in state `changed`.
    bool passes(const OriginalRun& run);

    // What a probe says of a program that is `changed`.
    enum class Difference {
        none,
        noticed,  // the probe fails
        hidden,   // it would, but its reference calls the function that was changed
        beyond,   // the outputs differ where the reference does not describe the program as it is
    };
    Difference difference(const OriginalRun& probe);

    // Whether it needs more cycles than the original, by the estimate; refused: it is not lowered.
    enum class Cost { refused, more, no_more };
    Cost cost(const OriginalRun& run);

    // Of a mutated reference: whether the outputs of the program as it is still agree with it.
    bool agrees(const OriginalRun& run, bool narrow);

private:
    struct Set {
        Session session;
        State state = State::refused;
        double seconds = 0;
        ir::Module tile;
        std::map<std::string, bool> changed;  // by kernel or entry
    };
    Set& set_of(const CompiledSet& original);
    void compile(const CompiledSet& from, Set& set);
    emulator::Instance instance_in(const Set& set, const OriginalRun& run) const;
    const emulator::TestCase& test_of(const OriginalRun& run) const;
    emulator::EvaluationContext context(const OriginalRun& run, Diagnostics& diag) const;

    const TestPlan& plan_;
    const KernelTexts& texts_;
    std::string path_;
    std::string text_;
    bool in_function_;
    bool read_ = false;
    TestedFile file_;
    std::map<const CompiledSet*, std::unique_ptr<Set>> sets_;
};

// The least tolerance that is asked of an output of this type: one unit in its last place, or what
// the approximate functions of the machine leave.
double tolerance_floor(Dtype dtype);

// How far the outputs of a run are from its reference, for each output that an `expect` of its test
// compares.
struct OutputError {
    const ast::Expect* expect = nullptr;
    std::string output;
    Dtype dtype = Dtype::f32;
    emulator::Limits allowed;
    double needed = 0;  // the larger of both measures
    // That of its type; or what the approximate functions of the kernel may leave on a GPU, which
    // the emulator does not show.
    double floor = 0;
};
std::vector<OutputError> output_errors(const OriginalRun& run);

}  // namespace tkc
