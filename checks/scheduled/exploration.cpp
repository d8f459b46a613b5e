// The greedy run of abstract processes, and the search over their decisions.
#include "checks/scheduled/exploration.h"

#include <algorithm>
#include <mutex>
#include <ranges>
#include <unordered_map>
#include <unordered_set>

#include "checks/scheduled/network_identity.h"

namespace tkc::checks {

namespace {

using Reason = Halt::Reason;
using Fault = Halt::Fault;

constexpr std::size_t decisions_ahead_at_most = 256;
constexpr std::size_t in_flight_at_most = 64;

// One process doing what it can.
class Runner {
public:
    Runner(const Network& network, const std::vector<std::int64_t>& stages, State& state,
           std::vector<Event>* events)
        : network_(network), stages_(stages), state_(state), events_(events) {}

    // Runs everyone until all wait. One Halt per process.
    std::vector<Halt> settle() {
        std::vector<Halt> halts(network_.processes.size());
        for (bool moved = true; moved;) {
            moved = false;
            for (std::size_t p = 0; p < halts.size(); ++p) {
                const bool stepped = run(p, &halts[p]);
                if (halts[p].reason == Reason::fault) return halts;
                moved = moved || stepped;
            }
        }
        return halts;
    }

private:
    bool run(std::size_t p, Halt* halt) {
        process_ = p;
        bool moved = false;
        while (step(halt)) moved = true;
        return moved;
    }

    const Process& process() const { return network_.processes[process_]; }
    ProcessState& mine() { return state_.processes[process_]; }

    // One step; false if it cannot be taken, and why.
    bool step(Halt* halt) {
        const Step& s = process().code[mine().at];
        *halt = Halt{};
        halt->step = s.kind;
        halt->pipeline = s.pipeline;
        bool done = true;
        std::size_t next = mine().at + 1;
        switch (s.kind) {
            case Step::Kind::acquire: done = acquire(s, halt); break;
            case Step::Kind::publish: done = publish(s, halt); break;
            case Step::Kind::take: done = take(s, halt); break;
            case Step::Kind::release: done = release(s, halt); break;
            case Step::Kind::alias:
                mine().slots[index(s.slot)] = mine().slots[index(s.other)];
                break;
            case Step::Kind::use: done = use(s, halt); break;
            case Step::Kind::issue: done = issue(s, halt); break;
            case Step::Kind::wait: wait(s); break;
            case Step::Kind::enter: mine().loops[index(s.loop)].iteration = -1; break;
            case Step::Kind::head: done = head(s, &next, halt); break;
            case Step::Kind::branch: done = branch(s, &next, halt); break;
            case Step::Kind::jump: next = index(s.target); break;
            case Step::Kind::end: halt->reason = Reason::done; return false;
        }
        if (done) mine().at = next;
        return done;
    }

    void record(const Step& s, std::int64_t element) {
        if (events_ == nullptr) return;
        Event event{static_cast<int>(process_), s.kind, s.pipeline, element, mine().at};
        for (std::size_t i = 0; i < mine().loops.size(); ++i) {
            if (mine().loops[i].iteration < 0) continue;
            event.loop = static_cast<int>(i);
            event.iteration = mine().loops[i].iteration;
        }
        events_->push_back(event);
    }

    bool fail(Halt* halt, Fault fault, const Binding& element) {
        halt->reason = Reason::fault;
        halt->fault = fault;
        halt->pipeline = element.pipeline;
        halt->element = element.element;
        return false;
    }

    bool block(Halt* halt, Reason reason, std::int64_t element) {
        halt->reason = reason;
        halt->element = element;
        return false;
    }

    // ---- the writer ----

    bool acquire(const Step& s, Halt* halt) {
        PipelineState& c = state_.pipelines[index(s.pipeline)];
        if (c.acquired != c.published) {
            return fail(halt, Fault::unmatched, {Binding::Kind::made, s.pipeline, c.acquired});
        }
        const std::int64_t before = c.acquired - stages_[index(s.pipeline)];  // in the same stage
        for (const ReaderState& r : c.readers) {
            const bool held = std::count(r.held.begin(), r.held.end(), before) != 0;
            if (before >= 0 && !network_.is_open(s.pipeline) && (r.taken <= before || held))
                return block(halt, Reason::full, c.acquired);
        }
        if (s.slot >= 0)
            mine().slots[index(s.slot)] = {Binding::Kind::made, s.pipeline, c.acquired};
        record(s, c.acquired++);
        return true;
    }

    bool publish(const Step& s, Halt* halt) {
        PipelineState& c = state_.pipelines[index(s.pipeline)];
        if (c.acquired != c.published + 1) {
            return fail(halt, Fault::unmatched, {Binding::Kind::made, s.pipeline, c.published});
        }
        for (Binding& b : mine().slots) {
            if (b.kind == Binding::Kind::made && b.pipeline == s.pipeline)
                b.kind = Binding::Kind::stale;
        }
        record(s, c.published++);
        return true;
    }

    // ---- the reader ----

    ReaderState& reader(int pipeline) {
        const auto& readers = network_.readers[index(pipeline)];
        const auto place = std::find(readers.begin(), readers.end(), static_cast<int>(process_));
        return state_.pipelines[index(pipeline)]
            .readers[static_cast<std::size_t>(place - readers.begin())];
    }

    bool take(const Step& s, Halt* halt) {
        ReaderState& r = reader(s.pipeline);
        const bool open = network_.is_open(s.pipeline);
        // Of an open pipeline, what lies in a stage that this reader still keeps cannot be there.
        const bool kept = !r.held.empty() && r.held[0] <= r.taken - stages_[index(s.pipeline)];
        if (open ? kept : state_.pipelines[index(s.pipeline)].published <= r.taken) {
            return block(halt, Reason::empty, r.taken);
        }
        mine().slots[index(s.slot)] = {Binding::Kind::held, s.pipeline, r.taken};
        r.held.push_back(r.taken);
        record(s, r.taken++);
        return true;
    }

    bool release(const Step& s, Halt* halt) {
        const Binding element = mine().slots[index(s.slot)];
        if (element.kind != Binding::Kind::held) return fail(halt, Fault::late_release, element);
        for (const ir::Channel channel : ir::all_channels) {
            for (const auto& group : mine().in_flight_of(channel)) {
                for (const Binding& b : group) {
                    if (b.pipeline != element.pipeline || b.element != element.element) continue;
                    halt->channel = channel;
                    return fail(halt, Fault::early_release, element);
                }
            }
        }
        auto& held = reader(element.pipeline).held;
        held.erase(std::find(held.begin(), held.end(), element.element));
        for (Binding& b : mine().slots) {
            const bool same = b.pipeline == element.pipeline && b.element == element.element;
            if (same && b.kind == Binding::Kind::held) b.kind = Binding::Kind::stale;
        }
        Step shown = s;
        shown.pipeline = element.pipeline;
        record(shown, element.element);
        return true;
    }

    bool use(const Step& s, Halt* halt) {
        for (const int slot : s.slots) {
            const Binding& b = mine().slots[index(slot)];
            if (b.kind == Binding::Kind::none || b.kind == Binding::Kind::stale) {
                return fail(halt, Fault::late_use, b);
            }
        }
        return true;
    }

    bool issue(const Step& s, Halt* halt) {
        if (!use(s, halt)) return false;
        std::vector<Binding> group;
        for (const int slot : s.slots) group.push_back(mine().slots[index(slot)]);
        auto& in_flight = mine().in_flight_of(s.channel);
        in_flight.push_back(std::move(group));
        if (in_flight.size() <= in_flight_at_most) return true;
        halt->channel = s.channel;
        return fail(halt, Fault::unwaited, {});
    }

    void wait(const Step& s) {
        auto& in_flight = mine().in_flight_of(s.channel);
        const auto pending = static_cast<std::size_t>(s.count);
        if (in_flight.size() <= pending) return;
        in_flight.erase(in_flight.begin(), in_flight.end() - static_cast<std::ptrdiff_t>(pending));
    }

    // ---- decisions ----

    // The next decision of the stream for this process; nothing if it was not made yet.
    std::optional<bool> decide(int stream) {
        StreamState& state = state_.streams[index(stream)];
        const auto& readers = network_.streams[index(stream)].readers;
        const auto place = std::find(readers.begin(), readers.end(), static_cast<int>(process_));
        std::size_t& read = state.read[static_cast<std::size_t>(place - readers.begin())];
        if (read == state.decisions.size()) return std::nullopt;
        const bool value = state.decisions[read++] != 0;
        const std::size_t by_all = *std::min_element(state.read.begin(), state.read.end());
        state.decisions.erase(0, by_all);
        for (std::size_t& r : state.read) r -= by_all;
        return value;
    }

    bool head(const Step& s, std::size_t* next, Halt* halt) {
        const AbstractLoop& loop = process().loops[index(s.loop)];
        std::int64_t& iteration = mine().loops[index(s.loop)].iteration;
        const std::int64_t coming = iteration + 1;
        bool go_on = true;
        if (loop.fixed >= 0) {
            go_on = coming < loop.fixed;
        } else if (coming >= loop.skip && (coming - loop.skip) % loop.factor == 0) {
            const auto decision = decide(loop.stream);
            if (!decision) {
                halt->stream = loop.stream;
                return block(halt, Reason::decision, 0);
            }
            go_on = *decision;
        }
        iteration = go_on ? coming : -1;
        if (!go_on) *next = index(s.target);
        return true;
    }

    bool branch(const Step& s, std::size_t* next, Halt* halt) {
        const Choice& choice = process().choices[index(s.choice)];
        bool holds = false;
        if (choice.stream < 0) {
            const auto value = evaluate(choice.condition, [&](const std::string& name) {
                return iteration_of(name, choice.outer);
            });
            holds = value && *value != 0;
        } else {
            const auto decision = decide(choice.stream);
            if (!decision) {
                halt->stream = choice.stream;
                return block(halt, Reason::decision, 0);
            }
            holds = *decision != choice.inverted;
        }
        if (!holds) *next = index(s.target);
        return true;
    }

    std::optional<std::int64_t> iteration_of(const std::string& name,
                                             const std::vector<int>& outer) {
        for (const int id : outer) {
            const AbstractLoop& loop = process().loops[index(id)];
            if (loop.index == name) return mine().loops[index(id)].iteration - loop.skip;
        }
        return std::nullopt;
    }

    const Network& network_;
    const std::vector<std::int64_t>& stages_;
    State& state_;
    std::vector<Event>* events_;
    std::size_t process_ = 0;
};

State initial(const Network& network) {
    State state;
    for (const Process& p : network.processes) {
        state.processes.push_back({0,
                                   std::vector<LoopState>(p.loops.size(), LoopState{-1}),
                                   std::vector<Binding>(index(p.slots)),
                                   {}});
    }
    for (const auto& readers : network.readers) {
        state.pipelines.push_back({0, 0, std::vector<ReaderState>(readers.size())});
    }
    for (const Stream& s : network.streams) {
        state.streams.push_back({{}, std::vector<std::size_t>(s.readers.size()), false});
    }
    return state;
}

// Text of a state that is the same for states that behave alike: elements are counted from the
// newest of their pipeline, iterations up to where their number stops to matter.
class Key {
public:
    std::string of(const Network& network, const State& state, bool counted) {
        network_ = &network;
        for (process_ = 0; process_ < state.processes.size(); ++process_) {
            add(network.processes[process_], state.processes[process_], state);
        }
        for (std::size_t i = 0; i < state.pipelines.size(); ++i) {
            const PipelineState& c = state.pipelines[i];
            const bool open = network.is_open(static_cast<int>(i));
            number(c.acquired - c.published);
            for (const ReaderState& r : c.readers) {
                if (!open) number(c.acquired - r.taken);
                for (const std::int64_t e : r.held) number((open ? r.taken : c.acquired) - e);
                number(-1);
            }
        }
        for (std::size_t i = 0; i < state.streams.size(); ++i) {
            const StreamState& s = state.streams[i];
            // Of conditions, what was decided last says nothing about what comes.
            if (network.streams[i].is_loop) number(s.inside ? 1 : 0);
            if (counted || network.streams[i].at_most >= 0) number(s.trips);
            for (const char d : s.decisions) number(d);
            for (const std::size_t r : s.read) number(static_cast<std::int64_t>(r) + 2);
        }
        return std::move(text_);
    }

private:
    void add(const Process& process, const ProcessState& state, const State& all) {
        number(static_cast<std::int64_t>(state.at));
        for (std::size_t i = 0; i < state.loops.size(); ++i) {
            const AbstractLoop& loop = process.loops[i];
            const std::int64_t n = state.loops[i].iteration;
            number(std::min(n, std::max(loop.cap, loop.skip)));
            if (loop.factor > 1) number((n - loop.skip) % loop.factor);
            if (loop.turn > 1) number((n - loop.skip + loop.turn) % loop.turn);
        }
        for (const Binding& b : state.slots) add(b, all);
        for (const auto& channel : state.in_flight) {
            number(-3);
            for (const auto& group : channel) {
                number(-2);
                for (const Binding& b : group) add(b, all);
            }
        }
    }

    void add(const Binding& b, const State& all) {
        // What was given back can be used as little as what was never taken.
        const bool gone = b.kind == Binding::Kind::none || b.kind == Binding::Kind::stale;
        number(gone ? 0 : static_cast<std::int64_t>(b.kind));
        const bool live = b.kind == Binding::Kind::held || b.kind == Binding::Kind::made;
        if (live) number(newest(b, all) - b.element);
    }

    // What elements of the pipeline are counted from. Of an open one each end goes its own way.
    std::int64_t newest(const Binding& b, const State& all) const {
        const PipelineState& pipeline = all.pipelines[index(b.pipeline)];
        if (!network_->is_open(b.pipeline) || b.kind == Binding::Kind::made)
            return pipeline.acquired;
        const auto& readers = network_->readers[index(b.pipeline)];
        const auto place = std::find(readers.begin(), readers.end(), static_cast<int>(process_));
        return pipeline.readers[static_cast<std::size_t>(place - readers.begin())].taken;
    }

    void number(std::int64_t n) {
        text_ += static_cast<char>(n & 0xff);
        text_ += static_cast<char>((n >> 8) & 0xff);
    }

    std::string text_;
    const Network* network_ = nullptr;
    std::size_t process_ = 0;
};

// Everybody is done and all pipelines are empty again.
bool balanced(const Network& network, const State& state) {
    for (std::size_t i = 0; i < state.pipelines.size(); ++i) {
        const PipelineState& c = state.pipelines[i];
        if (c.acquired != c.published) return false;
        for (const ReaderState& r : c.readers) {
            const bool all = network.is_open(static_cast<int>(i)) || r.taken == c.published;
            if (!all || !r.held.empty()) return false;
        }
    }
    return true;
}

// A state in which all wait, and how it was reached.
struct Node {
    State state;
    std::size_t parent;
    int stream;  // decided to get here
    bool value;
};

// What a search came to, and by which decisions.
struct Found {
    Outcome::Kind kind;
    std::size_t states;
    std::vector<std::pair<int, bool>> way;
};

class Explorer {
public:
    Explorer(const Network& network, const std::vector<std::int64_t>& stages, const Forced& forced,
             std::size_t states)
        : network_(network), stages_(stages), forced_(forced), states_(states) {}

    Found run() {
        visit({initial(network_), 0, -1, false});
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            const auto [kind, stream] = judge(nodes_[i].state);
            if (kind) return found(i, *kind);
            if (stream < 0) continue;
            const StreamState& s = nodes_[i].state.streams[index(stream)];
            if (nodes_.size() > states_ || s.decisions.size() > decisions_ahead_at_most) {
                return found(i, Outcome::Kind::too_many);
            }
            for (const bool value : {true, false}) {
                if (possible(s, stream, value)) visit(after(i, stream, value));
            }
        }
        return {Outcome::Kind::complete, nodes_.size(), {}};
    }

    // Runs the way to what was found again, this time with a record.
    Outcome replay(const Found& found) const {
        Outcome outcome;
        outcome.kind = found.kind;
        outcome.states = found.states;
        if (found.kind == Outcome::Kind::complete) return outcome;
        if (found.kind == Outcome::Kind::too_many) {  // nothing is wrong at the end of it
            for (const auto& [stream, value] : found.way)
                outcome.decisions.push_back({stream, value, {}});
            return outcome;
        }
        outcome.state = initial(network_);
        outcome.halts = Runner(network_, stages_, outcome.state, &outcome.events).settle();
        for (const auto& [stream, value] : found.way) {
            outcome.decisions.push_back({stream, value, meaning(outcome, stream, value)});
            push(outcome.state, stream, value);
            outcome.halts = Runner(network_, stages_, outcome.state, &outcome.events).settle();
        }
        return outcome;
    }

private:
    Found found(std::size_t last, Outcome::Kind kind) const {
        Found result{kind, nodes_.size(), {}};
        for (std::size_t i = last; i != 0; i = nodes_[i].parent)
            result.way.emplace_back(nodes_[i].stream, nodes_[i].value);
        std::reverse(result.way.begin(), result.way.end());
        return result;
    }

    bool possible(const StreamState& state, int stream, bool value) const {
        const auto forced = forced_.find(stream);
        if (forced != forced_.end()) return value == (state.trips < forced->second);
        const Stream& meaning = network_.streams[index(stream)];
        if (value && meaning.at_most >= 0 && state.trips >= meaning.at_most) return false;
        return value || state.inside || !meaning.is_loop || !meaning.never_empty;
    }

    // What is wrong with a settled state, or the stream to decide next (-1: the program is over).
    std::pair<std::optional<Outcome::Kind>, int> judge(State& state) {
        const std::vector<Halt> halts = Runner(network_, stages_, state, nullptr).settle();
        int stream = -1;
        bool done = true;
        for (const Halt& h : halts) {
            if (h.reason == Reason::fault) return {Outcome::Kind::fault, -1};
            done = done && h.reason == Reason::done;
            if (h.reason != Reason::decision) continue;
            // The stream that is least far ahead, to keep the processes together.
            if (stream < 0 || state.streams[index(h.stream)].decisions.size() <
                                  state.streams[index(stream)].decisions.size()) {
                stream = h.stream;
            }
        }
        if (stream >= 0) return {std::nullopt, stream};
        if (!done) return {Outcome::Kind::deadlock, -1};
        if (!balanced(network_, state)) return {Outcome::Kind::unbalanced, -1};
        return {std::nullopt, -1};
    }

    Node after(std::size_t parent, int stream, bool value) {
        Node node{nodes_[parent].state, parent, stream, value};
        push(node.state, stream, value);
        return node;
    }

    static void push(State& state, int stream, bool value) {
        StreamState& s = state.streams[index(stream)];
        s.decisions.push_back(value ? 1 : 0);
        s.inside = value;
        s.trips = value ? s.trips + 1 : 0;
    }

    void visit(Node node) {
        Runner(network_, stages_, node.state, nullptr).settle();
        if (seen_.insert(Key().of(network_, node.state, !forced_.empty())).second)
            nodes_.push_back(std::move(node));
    }

    // The decision as a truth about the kernel's values, where the process that waits for it
    // is.
    ir::NormalForm meaning(const Outcome& outcome, int stream, bool value) const {
        std::size_t p = 0;
        while (outcome.halts[p].reason != Reason::decision || outcome.halts[p].stream != stream)
            ++p;
        const Process& process = network_.processes[p];
        const ProcessState& state = outcome.state.processes[p];
        const auto place = [&](const std::vector<int>& outer) {
            ir::Bindings numbers;
            for (const int id : outer) {
                const AbstractLoop& loop = process.loops[index(id)];
                numbers[loop.index] = ir::NormalForm(state.loops[index(id)].iteration - loop.skip);
            }
            return numbers;
        };
        const Step& s = process.code[state.at];
        ir::NormalForm truth;
        if (s.kind == Step::Kind::branch) {
            const Choice& choice = process.choices[index(s.choice)];
            truth = substitute(choice.condition, place(choice.outer));
            return value != choice.inverted ? truth : negation(truth);
        }
        const AbstractLoop& loop = process.loops[index(s.loop)];
        const std::int64_t coming = state.loops[index(s.loop)].iteration + 1;
        truth =
            at_least_zero(substitute(loop.trips, place(loop.outer)) - ir::NormalForm(coming + 1));
        return value ? truth : negation(truth);
    }

    const Network& network_;
    const std::vector<std::int64_t>& stages_;
    const Forced& forced_;
    std::size_t states_;
    std::deque<Node> nodes_;
    std::unordered_set<std::string> seen_;
};

}  // namespace

Outcome explore(const Network& network, const std::vector<std::int64_t>& stages,
                const Forced& forced, std::size_t states) {
    // The pass that places waits asks the same as the proof, and each instance as the others.
    static std::mutex lock;  // tests are run in threads
    static std::unordered_map<std::string, Found> known;
    Explorer explorer(network, stages, forced, states);
    std::string key = identity_of(network, stages, forced, states);
    {
        const std::scoped_lock guard(lock);
        const auto found = known.find(key);
        if (found != known.end()) return explorer.replay(found->second);
    }
    const Found found = explorer.run();
    const Outcome outcome = explorer.replay(found);
    const std::scoped_lock guard(lock);
    known.emplace(std::move(key), found);
    return outcome;
}

}  // namespace tkc::checks
