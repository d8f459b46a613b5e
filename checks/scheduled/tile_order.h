// The order of the shared tiles of a role: whether its warps meet wherever their accesses to one
// have to come one after the other.
//
// `share t = x` writes a tile that other threads have read and will read. Between two accesses by
// different threads, one of them the write, all warps of the role meet; and between the write and a
// product of warpgroups, which reads through the async proxy, there is a proxy fence before the
// meeting. Which barrier that is does not matter: any meeting on every way between the two will do.
//
// Of products of warpgroups it is assumed what lowering/sm90/insert_waits.cpp does: those that
// read a tile are over where its `buffer_tile` is, in front of the next write, and where a loop
// begins or ends.
//
// It is asked by the pass that leaves out what is not needed
// (lowering/sm90/eliminate_barriers.cpp), and for the reason why a barrier makes no difference
// (emulator/weakenings.cpp).
#pragma once

#include <memory>
#include <set>
#include <vector>

#include "ir/module.h"

namespace tkc::checks {

class TileOrder {
public:
    // `again`: the role goes through its body once more, for another program. The role outlives
    // this, and its operations stay where they are.
    TileOrder(const ir::Role& role, bool again);
    ~TileOrder();
    TileOrder(const TileOrder&) = delete;
    TileOrder& operator=(const TileOrder&) = delete;

    // Whether all writes of shared tiles are ordered if these operations were not there.
    bool holds_without(const std::set<const ir::Op*>& dropped) const;
    // The meetings that the writes use without `op`, and do not use with it.
    std::vector<const ir::Op*> in_place_of(const ir::Op* op) const;
    // The barriers and fences that order shared tiles and could be left out, as far as this class
    // can tell what they are for; in the order of the text.
    const std::vector<const ir::Op*>& candidates() const;

private:
    class Walk;
    std::unique_ptr<Walk> walk_;
};

}  // namespace tkc::checks
