// Barriers in shared memory, as the hardware has them: phases, arrivals, bytes (PTX ISA, mbarrier).
#pragma once

#include <array>
#include <cstdint>

#include "emulator/scheduled/knowledge.h"

namespace tkc::emulator {

class Mbarrier {
public:
    Mbarrier(std::int64_t count, std::size_t agents)
        : count_(count),
          pending_(count),
          coming_(agents),
          passed_{Knowledge(agents), Knowledge(agents)} {}

    // The phase under way, counted from 0.
    std::int64_t phase() const { return phase_; }
    // Whether a wait for `parity` passes: the phase of that parity before the current one is over.
    bool passes(std::uint32_t parity) const { return (phase_ & 1) != parity; }
    // What a waiter that passes for `parity` learns.
    const Knowledge& knowledge(std::uint32_t parity) const { return passed_[parity]; }

    std::int64_t missing() const { return pending_; }
    std::int64_t missing_bytes() const { return bytes_; }

    // False: there was no arrival left in this phase. `more` is known of global memory, too.
    bool arrive(const Knowledge& from, const Clocks* more = nullptr) {
        if (pending_ == 0) return false;
        coming_.learn(from);
        if (more != nullptr) coming_.global.learn(*more);
        --pending_;
        return true;
    }
    void expect(std::int64_t bytes) { bytes_ += bytes; }
    void land(std::int64_t bytes) { bytes_ -= bytes; }
    // Ends the phase if nothing is missing; true if it did. Bytes may be short of zero as long as
    // arrivals are missing: a copy can be faster than the warp that expects it.
    bool settle() {
        if (pending_ != 0 || bytes_ != 0) return false;
        passed_[static_cast<std::size_t>(phase_ & 1)] = coming_;
        ++phase_;
        pending_ = count_;
        return true;
    }
    // Adds an event to what the current phase makes known.
    void note(Event event) { coming_.note(event); }

private:
    std::int64_t count_;
    std::int64_t pending_;
    std::int64_t bytes_ = 0;
    std::int64_t phase_ = 0;
    Knowledge coming_;
    std::array<Knowledge, 2> passed_;
};

}  // namespace tkc::emulator
