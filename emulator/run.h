// Running a kernel on the CPU: the whole grid, every role of every program.
//
// Tile IR runs as a network of sequential roles with bounded queues between them: it is what the
// kernel means. Scheduled IR runs with barriers, asynchronous copies and products, and physical
// shared memory: it is what the machine does, with every freedom of the machine chosen by a seed.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/span.h"
#include "emulator/tensor.h"
#include "ir/module.h"

namespace tkc::emulator {

// A fault put into scheduled IR on purpose: one operation does less than it says. Tests make sure
// that a run notices.
struct Weakening {
    enum class Kind : std::uint8_t {
        skip,           // a wait, barrier or fence is not there
        one_more,       // a wait leaves one more product or bulk store unfinished
        no_fence,       // an arrival without its proxy fence
        no_arrival,     // nobody arrives
        extra_arrival,  // one warp arrives twice
        fewer_bytes,    // 16 bytes less are expected
        more_bytes,
    };
    const ir::Op* op = nullptr;
    Kind kind = Kind::skip;

    friend bool operator==(const Weakening&, const Weakening&) = default;
};

struct RunOptions {
    std::uint64_t seed = 0;                // scheduled IR: which of the legal orders
    int threads = 1;                       // programs (clusters) of the grid that run at once
    std::optional<Weakening> weakening{};  // scheduled IR
    std::vector<const ir::Kernel*>* launched = nullptr;  // of an entry: gets what it launches
    // Scheduled IR, run by one thread: gets the operations that were executed.
    std::set<const ir::Op*>* executed = nullptr;
    std::int64_t steps_at_most = 0;  // of all programs, operation by operation; 0: any number
    bool whole = false;              // an output of which something is not written is a hazard
};

// How a run ended.
struct Outcome {
    enum class End : std::uint8_t {
        finished,
        refused,     // by the launch contract; nothing was run, as the launcher would have it
        deadlock,    // all roles of a program wait
        hazard,      // memory was touched by two that nothing orders
        assertion,   // `assert`, or what `assume` states, does not hold
        fault,       // an access outside of a tensor, a division by zero: an error of the program
        unfinished,  // it takes more steps than it may
    };
    struct Place {
        Span span;
        std::string text;  // next to the carets
    };
    End end = End::finished;
    std::string text;            // one sentence, for every end but `finished`
    std::vector<Place> places;   // the first is where it happened; often a second that explains it
    std::vector<Place> printed;  // what `print` said and where, in order of programs
};

// Runs `kernel` on `arguments`. Deterministic: the same kernel, arguments and seed give the same
// bits and the same outcome, for any number of threads. Outputs are not touched beforehand.
Outcome run(const ir::Kernel& kernel, ir::Level level, Arguments& arguments,
            const RunOptions& options);

}  // namespace tkc::emulator
