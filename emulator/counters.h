// The counters of a launch (ir::Counter), and the order that they make between its programs.
//
// A role of a program has an epoch, the number of signals that it has come to. What it does in
// memory in one epoch is known to whoever has seen a later signal of it: a signal leaves with the
// counter what its role knows, and an await takes along what is there. So two programs that touch
// an element are in order if the later one knows of the epoch in which the earlier one did. What
// roles of one program learn of each other does not count: the role that awaits is the one that
// reads.
//
// Warps of a role come to its signals and awaits at different times, and one lane does them. What
// counts is where a warp is in the text: past a signal that is still to be counted up, what it
// does is not covered by it; before an await that is over, it knows nothing of that.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "emulator/environment.h"
#include "ir/module.h"

namespace tkc::emulator {

class Counters {
public:
    // Of a launch of so many programs.
    Counters(const ir::Kernel& kernel, const Environment& env, std::int64_t programs);

    // Which element an operation means. Throws Fault where it lies outside of the counter.
    struct Place {
        std::string counter;
        std::int64_t element = 0;
    };
    Place place(const std::string& counter, const std::vector<ir::Scalar>& at,
                const Environment& env) const;
    std::int64_t value(const Place& place) const;

    // How many signals and awaits were before.
    struct Position {
        std::int32_t signals = 0;
        std::int32_t awaits = 0;
    };
    // The role of the program that does what follows, and where it is, or one warp of it.
    void enter(std::int64_t program, const ir::Role& role, Position at);
    // The signal, or the await, at that position. All of a role go in order.
    void signal(const Place& place);
    void learn(const Place& place);

    // An access by the role at hand.
    struct Access {
        std::int32_t agent = -1;  // -1: there was none
        std::int32_t epoch = 0;
    };
    Access now() const { return {agent_, at_.signals}; }
    // Whether it comes before what the role at hand does now. Accesses of one program count as in
    // order.
    bool is_before(const Access& access) const;
    std::int64_t program_of(const Access& access) const { return access.agent / roles_; }

private:
    using Clock = std::vector<std::int32_t>;  // by agent: the epochs before this one are known
    struct Element {
        std::int64_t value = 0;
        Clock clock;
    };
    struct Cells {
        std::vector<std::int64_t> extents;
        std::vector<Element> elements;
    };
    // What a role knows, and what it learned when, in order.
    struct Knowledge {
        Clock clock;  // empty: nothing
        struct Step {
            std::int32_t await = 0;
            std::int32_t agent = 0;
            std::int32_t before = 0;  // what had been known of the agent
        };
        std::vector<Step> steps;
    };

    const ir::Kernel& kernel_;
    std::int32_t roles_ = 1;
    std::int32_t agent_ = 0;  // a role of a program
    Position at_;
    std::map<std::string, Cells> cells_;
    std::vector<Knowledge> known_;  // by agent
};

// Which element the operation waits for: `done[3, 0]`.
std::string element_text(const ir::Await& await, const Environment& env);

}  // namespace tkc::emulator
