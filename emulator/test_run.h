// Running one case of a test on one instance of its kernel, and judging what came out.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "emulator/compare.h"
#include "emulator/entry_run.h"
#include "emulator/test_case.h"

namespace tkc::emulator {

// Something that runs: the tile IR of an instance, or one of the kernels that it was lowered to;
// or an entry of such a module.
struct Variant {
    std::string name;                    // for people; empty: the only one
    const ir::Kernel* kernel = nullptr;  // null: an entry
    ir::Level level = ir::Level::tile;
    const ir::Entry* entry = nullptr;
    const ir::Module* module = nullptr;  // that the entry is of
    Choice choice = {};

    const ir::Signature& signature() const {
        return entry != nullptr ? static_cast<const ir::Signature&>(*entry) : *kernel;
    }
};

// A kernel or an entry with its constants fixed, as what a launcher may choose from.
struct Instance {
    std::string name;  // empty: the default one, or what the test's constants make
    const ir::Signature* signature = nullptr;  // names, types and extents of the arguments
    const ir::Module* module = nullptr;        // whose tile IR it is
    std::vector<Variant> variants;
    // The tile IR, where it states facts and the variants are lowered: they rely on them and do not
    // look at them.
    std::optional<Variant> stating;
};
// Whether a kernel looks at facts when it runs, or one that an entry of the module may launch
// does.
bool states_facts(const ir::Kernel& kernel);
bool states_facts(const ir::Module& module, const ir::Entry& entry);

// Runs a variant in the emulator.
Outcome emulate(const Variant& variant, Arguments& arguments, const RunOptions& options);

// Runs a variant: the emulator, or a GPU. Must be callable from several threads.
using Execute = std::function<Outcome(const Variant&, Arguments&, const RunOptions&)>;

struct CaseResult {
    enum class Status : std::uint8_t {
        passed,
        failed,   // the messages say why
        refused,  // by the contract of every variant; `text` is the sentence
        skipped,  // could not be tried here; `text` says why
    };
    Status status = Status::passed;
    std::string text;
    std::string variant;  // the one that failed, where there are several
    std::vector<Outcome::Place> printed;
    ir::Signature const* refusing = nullptr;
    Span refused_at = {};  // what the sentence is about
};

// Runs one case on one instance, as often as is wanted: its arguments and what the reference says
// of them are made once.
class CaseRunner {
public:
    // What is made for a run, and for the next one.
    struct Made {
        std::optional<PreparedCase> prepared;
        std::optional<Arrays> expected;
        bool stated = false;  // the facts that the kernel uses hold
    };

    // `test` outlives the runner, and so does `alike`: null, or what was made for the same test and
    // seed on another instance. The arguments follow from the options' seed.
    CaseRunner(const TestCase& test, Instance instance, const RunOptions& options,
               const Made* alike = nullptr);

    // What is wrong goes to `context.diag`.
    CaseResult run(const Execute& execute, const EvaluationContext& context);

    Made& made() { return made_; }
    // What the first variant that took the arguments left of them. Nothing: none did, or it failed.
    std::optional<Arguments>& left() { return left_; }

private:
    const TestCase& test_;
    Instance instance_;
    RunOptions options_;
    const Made* alike_;
    Made made_;
    std::optional<Arguments> left_;
};

// What the outputs of a run are compared with.
struct Standard {
    const Arrays* expected = nullptr;
    // How far an output of an `expect` may be from that, and still pass. Nothing: reported.
    std::function<std::optional<Limits>(const ast::Expect&, const Tensor& output)> limits;
};
// Whether a run is right: nothing but the elements of its outputs changed, and those that the test
// compares agree with the standard. `before`: its arguments as they were. What is wrong goes to
// `context.diag`.
bool judge(const TestCase& test, const Instance& instance, const ir::Signature& subject,
           const Arguments& before, const Arguments& after, const Standard& standard,
           const EvaluationContext& context);

// How far from the reference an output may be, and still pass. Nothing: reported.
std::optional<Limits> limits_of(const ast::Expect& expect, const PreparedCase& prepared,
                                const EvaluationContext& context);

// Whether the case expects that its launch is refused.
const ast::ExpectError* expected_error(const TestCase& test);

// As a message: that a launch was refused where it should not be.
void report_refusal(const TestCase& test, const CaseResult& result,
                    const EvaluationContext& context);

// The rows and columns that one program writes of an output, for the picture of wrong tiles.
struct TileSize {
    std::int64_t rows = 64;
    std::int64_t cols = 64;
};
TileSize tile_of_output(const ir::Kernel& kernel, const std::string& output);
// The same of an entry: by the last kernel that writes it.
TileSize tile_of_output(const Instance& instance, const std::string& output);

}  // namespace tkc::emulator
