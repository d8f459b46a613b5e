// How asynchronous operations complete, and who waits for it (docs/decisions/0025-completion.md).
//
// In a *channel*: what was issued there is counted in the order of issue, and a wait is for all but
// the newest n. Or on a *barrier* of a pipeline's stage, whose phase ends when all that it counts
// has come: arrivals, and the bytes of bulk copies.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ir/operations.h"

namespace tkc::ir {

struct Role;

inline constexpr std::array all_channels{Channel::products, Channel::store_reads,
                                         Channel::store_writes};

// The channels in which `op` is issued. A bulk store completes twice: it has read shared memory,
// and it has written global memory.
std::span<const Channel> channels_of(const Op& op);

// Whether one lane of each warpgroup (of a role of warps: one of the role) issues for it and waits
// for it, and not every warp for itself.
constexpr bool is_of_elected_lane(Channel channel) { return channel != Channel::products; }

// Whether operations of the channel complete in the order of issue. Bulk stores write memory in any
// order; a wait for all but the newest n is still for all older ones.
constexpr bool completes_in_order(Channel channel) { return channel != Channel::store_writes; }

// The channel in which the same operations complete before they do in this one, if there is one:
// what has written global memory has read shared memory.
constexpr std::optional<Channel> completes_before(Channel channel) {
    if (channel != Channel::store_writes) return std::nullopt;
    return Channel::store_reads;
}

// What an operation keeps busy until it completes in its first channel.
struct InFlight {
    Value result{};               // the register tile that it writes
    Value register_operand{};     // a register tile that it reads, or none
    std::vector<Value> shared{};  // shared tiles that it reads
};
// Of an operation whose operands are values of the role; nothing for one that is over when it
// returns, or whose operands are buffers.
std::optional<InFlight> in_flight(const Role& role, const Op& op);

// A wait for a phase of a barrier of a pipeline's stage.
struct BarrierWait {
    std::string pipeline;
    bool full = true;             // the full barrier; else the empty one
    bool elected = false;         // the elected lane alone waits
    bool published_last = false;  // of the stage that the role published last; else of the next one
};
std::optional<BarrierWait> barrier_wait(const Op& op);

}  // namespace tkc::ir
