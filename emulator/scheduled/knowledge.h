// Who knows what has happened: vector clocks over the agents of a cluster.
//
// Agents are the warps, and what runs asynchronously but in an order of its own, so that one number
// says how much of it is over: each channel of a warp (ir/completion.h), and the phases of each
// full barrier (whose bulk copies land before the phase ends). An access to memory is an event of
// one agent. It is ordered before what a warp does now if the warp knows of it.
//
// Memory is reached through two proxies: generic (ordinary loads and stores) and async (bulk copies
// and products). What was done through the generic proxy is ordered before an access through the
// async one only if a proxy fence is between (PTX ISA, memory consistency model, proxies);
// `fenced` is that part of the knowledge.
//
// Global memory has clocks of its own: its fence is another, and there the lanes of a warp are told
// apart. What a warp did itself counts in them once its lanes have met.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tkc::emulator {

using Clock = std::vector<std::int32_t>;

inline void join(Clock& into, const Clock& other) {
    for (std::size_t i = 0; i < into.size(); ++i) into[i] = std::max(into[i], other[i]);
}

// An event: the `time`-th of its agent.
struct Event {
    std::int32_t agent = -1;
    std::int32_t time = 0;
};

// What is known of the accesses to one space of memory.
struct Clocks {
    Clock happened;
    Clock fenced;

    explicit Clocks(std::size_t agents = 0) : happened(agents), fenced(agents) {}
    void learn(const Clocks& other) {
        join(happened, other.happened);
        join(fenced, other.fenced);
    }
};

struct Knowledge : Clocks {  // of shared memory
    Clocks global;

    explicit Knowledge(std::size_t agents = 0) : Clocks(agents), global(agents) {}
    void learn(const Knowledge& other) {
        Clocks::learn(other);
        global.learn(other.global);
    }
    void fence() { fenced = happened; }
    // Both spaces: an event that does not go through the generic proxy.
    void note(Event event) {
        for (Clock* clock : {&happened, &global.happened}) {
            auto& time = (*clock)[static_cast<std::size_t>(event.agent)];
            time = std::max(time, event.time);
        }
    }
};

}  // namespace tkc::emulator
