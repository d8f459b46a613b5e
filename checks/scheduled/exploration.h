// Running a network of abstract processes against every content of its streams.
//
// The network is a Kahn network: who blocks does not depend on the schedule. So one greedy schedule
// stands for all, and only decisions branch. The states in which every process waits, for a
// pipeline or for a decision, are finitely many (positions, fills of the rings, decisions not yet
// read by all), so visiting each of them once covers every trip count.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "checks/scheduled/protocol.h"
#include "ir/completion.h"

namespace tkc::checks {

inline std::size_t index(int i) { return static_cast<std::size_t>(i); }

// What a name for elements stands for.
struct Binding {
    enum class Kind : std::uint8_t { none, held, made, stale };
    Kind kind = Kind::none;
    int pipeline = -1;
    std::int64_t element = 0;
};

struct ReaderState {
    std::int64_t taken = 0;
    std::vector<std::int64_t> held;  // taken and not released, ascending
};

struct PipelineState {
    std::int64_t acquired = 0;
    std::int64_t published = 0;
    std::vector<ReaderState> readers;  // as Network::readers
};

struct LoopState {
    std::int64_t iteration = 0;  // true number; the key holds it only up to the loop's cap
};

struct ProcessState {
    std::size_t at = 0;
    std::vector<LoopState> loops;
    std::vector<Binding> slots;
    // By channel: what each issued operation reads, oldest first.
    std::array<std::vector<std::vector<Binding>>, ir::all_channels.size()> in_flight;
    auto& in_flight_of(ir::Channel channel) { return in_flight[static_cast<std::size_t>(channel)]; }
};

struct StreamState {
    std::string decisions;          // those that some process has yet to read: 1 to go on, or 0
    std::vector<std::size_t> read;  // of `decisions`, by reader
    bool inside = false;            // the last decision was to go on
    std::int64_t trips = 0;         // decisions to go on since the last to stop
};

struct State {
    std::vector<ProcessState> processes;
    std::vector<PipelineState> pipelines;
    std::vector<StreamState> streams;
};

// Why a process is where it is.
struct Halt {
    enum class Reason : std::uint8_t { done, full, empty, decision, fault };
    Reason reason = Reason::done;
    int stream = -1;  // decision
    Step::Kind step = Step::Kind::end;
    enum class Fault : std::uint8_t {
        none,
        late_use,
        late_release,
        early_release,
        unmatched,
        unwaited
    };
    Fault fault = Fault::none;
    int pipeline = -1;
    std::int64_t element = 0;
    ir::Channel channel = ir::Channel::products;  // early_release, unwaited
};

// Something that a process did, for timelines.
struct Event {
    int process;
    Step::Kind kind;  // acquire, publish, take, release
    int pipeline;
    std::int64_t element;
    std::size_t step;
    int loop = -1;  // the innermost around it, and its iteration
    std::int64_t iteration = -1;
};

// A decision on a path, and what it means for the values of the kernel (empty on a path that
// leads to nothing but too many states).
struct Decision {
    int stream;
    bool value;
    ir::NormalForm means;  // truth
};

struct Outcome {
    enum class Kind : std::uint8_t { complete, deadlock, fault, unbalanced, too_many };
    Kind kind = Kind::complete;
    State state;                // where it went wrong
    std::vector<Halt> halts;    // by process
    std::vector<Event> events;  // on the way there
    std::vector<Decision> decisions;
    std::size_t states = 0;  // visited
};

// Trip counts of loop streams that are fixed for one exploration, by stream.
using Forced = std::map<int, std::int64_t>;

// Few states are enough for most networks; 20000 take seconds.
constexpr std::size_t few_states = 256;
constexpr std::size_t many_states = 20000;

// Runs `network` with these numbers of stages until every state was seen, more than `states` were,
// or something is wrong.
Outcome explore(const Network& network, const std::vector<std::int64_t>& stages,
                const Forced& forced = {}, std::size_t states = many_states);

}  // namespace tkc::checks
