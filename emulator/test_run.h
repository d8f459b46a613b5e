// Running one case of a test on one instance of its kernel, and judging what came out.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "emulator/run.h"
#include "emulator/test_case.h"

namespace tkc::emulator {

/// Something that runs: the tile IR of an instance, or one of the kernels that it was lowered to.
struct Variant {
    std::string name;  // for people; empty: the only one
    const ir::Kernel* kernel = nullptr;
    ir::Level level = ir::Level::tile;
};

/// A kernel with its constants fixed, as what a launcher may choose from.
struct Instance {
    std::string name;  // empty: the default one, or what the test's constants make
    const ir::Kernel* kernel = nullptr;  // names, types and extents of the arguments
    std::vector<Variant> variants;
};

/// Runs a prepared kernel: the emulator, or a GPU. Must be callable from several threads.
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
    ir::Kernel const* refusing = nullptr;
};

/// What is wrong goes to `context.diag`.
CaseResult run_case(const TestCase& test, const Instance& instance, const Execute& execute,
                    const RunOptions& options, const EvaluationContext& context);

/// As a message: that a launch was refused where it should not be.
void report_refusal(const TestCase& test, const CaseResult& result,
                    const EvaluationContext& context);

/// The rows and columns that one program writes of an output, for the picture of wrong tiles.
struct TileSize {
    std::int64_t rows = 64;
    std::int64_t cols = 64;
};
TileSize tile_of_output(const ir::Kernel& kernel, const std::string& output);

}  // namespace tkc::emulator
