// The order of global memory inside a role: what must be between its accesses.
//
// A role is one sequential program: what it stores it may load again, and the last store wins. So
// between two accesses of a role to overlapping memory, one of them a write, is what makes the
// earlier one happen first on the machine:
//
//   * nothing, where the same thread touches the same cells in the same proxy,
//   * a barrier of the role, where other threads do,
//   * a proxy fence before the barrier, where ordinary accesses come first and bulk copies follow,
//   * the completion of the bulk stores that come first (cp.async.bulk.wait_group without .read),
//     with a barrier after it unless the same lane stores to the same place again,
//   * the completion of the bulk loads that come first, where the role then writes what they read.
//
// One lane signals, and one waits for a counter. So all that the role did in memory before a signal
// is after its completion and a barrier there; and all that it does after an await is
// after a barrier, and after a proxy fence of the lane that waited where bulk copies come next.
// Of a role with one elected lane, that lane starts the bulk copies as well: those need no barrier.
//
// Any meeting of the role's warps is such a barrier, also one by which a reduction exchanges cells;
// in a role of one warp, any meeting of its lanes, as before a stage is published or given back.
//
// Sources: PTX ISA, "Memory Consistency Model: Proxies" and "cp.async.bulk: completion".
//
// It is asked of roles of scheduled IR, and of those in which stores are still those of tile IR: by
// the pass that puts in what is missing (lowering/sm90/fence_global_memory.cpp), and by the proof
// that nothing is.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "ir/module.h"

namespace tkc::checks {

struct Synchronisation {
    bool copies = false;   // the role's bulk stores are complete
    bool fence = false;    // what its threads did is visible to the async proxy
    bool barrier = false;  // its threads meet

    explicit operator bool() const { return copies || fence || barrier; }
    void add(const Synchronisation& other);
    friend bool operator==(const Synchronisation&, const Synchronisation&) = default;
};

// A pair of accesses that may touch the same memory, one of them a write.
struct OrderedPair {
    std::string tensor;
    Span earlier;
    Span later;
    Synchronisation by;  // what must be between them; nothing: the same threads
};

struct MemoryOrder {
    // What is missing before an operation (of a staged store: before its loop over panels).
    std::map<const ir::Op*, Synchronisation> before;
    // Bulk loads that must have landed when the role goes on after their `publish`.
    std::set<const ir::Op*> landed;
    // The pairs that were looked at, in the order of the text: of accesses that are alike, one.
    std::vector<OrderedPair> pairs;

    bool complete() const { return before.empty() && landed.empty(); }
};

// What the accesses of the role need, beyond the barriers, fences and waits that are in it.
MemoryOrder find_memory_order(const ir::Kernel& kernel, const ir::Role& role);

}  // namespace tkc::checks
