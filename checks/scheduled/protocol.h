// Roles as abstract processes: only what they do with the elements of pipelines, as flat code.
//
// Loops and conditions become decisions. A decision that two roles take from equal expressions in
// the same surroundings is one stream of booleans which both read, each at its own pace; so all
// trip counts, known or not, constant or changing from one outer iteration to the next, are one
// question: does the network run for every content of the streams?
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "facts/facts.h"
#include "ir/module.h"

namespace tkc::checks {

struct Step {
    enum class Kind : std::uint8_t {
        acquire,  // pipeline; slot: the element being made, or -1
        publish,  // pipeline
        take,     // pipeline, slot
        release,  // slot
        alias,    // slot becomes what `other` is
        use,      // slots
        issue,    // in `channel`; it reads slots until it completes
        wait,     // until all but the `count` newest of `channel` are complete
        enter,    // loop
        head,     // loop; to `target` when it is over
        branch,   // choice; to `target` if it does not hold
        jump,     // to `target`
        end,
    };
    Kind kind;
    int pipeline = -1;
    int slot = -1;
    int other = -1;
    int loop = -1;
    int choice = -1;
    int target = -1;
    ir::Channel channel = ir::Channel::products;
    std::int64_t count = 0;
    std::vector<int> slots = {};
    Span span = {};
};

// A loop of one process. It runs `fixed` times; or `skip` times and then, for every `factor`-th
// iteration, as its stream says.
struct AbstractLoop {
    std::string name;   // of its variable
    std::string index;  // symbol of its iteration number - skip, in trips and conditions inside
    ir::NormalForm trips;
    std::int64_t fixed = -1;
    int stream = -1;
    std::int64_t skip = 0;
    std::int64_t factor = 1;
    std::int64_t cap = 0;    // iterations that must be told apart by number
    std::int64_t turn = 1;   // and after that by what this leaves of the number
    std::vector<int> outer;  // loops around it, outermost first
};

// A condition of one process: decided by the numbers of the iterations alone, or by a stream.
struct Choice {
    ir::NormalForm condition;
    int stream = -1;
    bool inverted = false;
    std::vector<int> outer;
};

struct Process {
    const ir::Role* role = nullptr;
    std::vector<Step> code;
    std::vector<AbstractLoop> loops;
    std::vector<Choice> choices;
    int slots = 0;
};

struct Stream {
    bool is_loop = false;
    ir::NormalForm value;       // trips of the loop with the fewest, or the condition
    std::string surroundings;   // streams of the loops and conditions around it
    std::vector<int> readers;   // processes
    bool never_empty = false;   // the loop runs at least once
    std::int64_t at_most = -1;  // trips, where few are known to be the most
};

struct Network {
    const ir::Kernel* kernel = nullptr;
    std::vector<Process> processes;
    std::vector<Stream> streams;
    std::vector<int> writer;                // process by pipeline, or -1
    std::vector<std::vector<int>> readers;  // processes by pipeline
    std::vector<bool> open = {};            // by pipeline: it always has room and elements
    bool is_open(int pipeline) const {
        return !open.empty() && open[static_cast<std::size_t>(pipeline)];
    }
};

// The network of a kernel in scheduled IR, where `facts` hold.
Network network_of(const ir::Kernel& kernel, const ir::Bindings& bindings, const ir::Facts& facts);

// Truths in the conditions of the kernel's roles that do not depend on loop variables: they are
// the same throughout a program, and each is tried both ways.
std::vector<ir::Atom> constant_truths(const ir::Kernel& kernel, const ir::Bindings& bindings,
                                      const ir::Facts& facts);

}  // namespace tkc::checks
