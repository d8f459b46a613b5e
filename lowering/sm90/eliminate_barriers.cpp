// Removes barriers and fences of shared tiles that other barriers make redundant. Every `share`
// begins as follows (plan-shared-memory), in roles of warps and in roles of warpgroups:
//
//     buffer_tile s; barrier; write_tile s; barrier; .. read s       // of every `share`, in roles
//     of
//                                                                    // warps
//                                                                    (allocate-shared-memory)
//     buffer_tile s; barrier; write_tile s; fence_async; barrier; .. mma s          // of
//     warpgroups
//
// The first barrier ensures that all have read the previous contents, the second that all have
// written, and the fence that products see it. Each is removed if the accesses that it orders are
// ordered without it (checks/scheduled/tile_order.h):
//
//   * Any barrier of the role's warps does this, if it is on every path from those reads to the
//     write, or from the write to the reads: a barrier of another tile, or the one in a reduction
//     over warps. Of two tiles that are written before a product reads them, the second has the
//     fence and the barrier for both.
//   * A thread that reads the cells that it wrote itself needs no barrier: `read s` has the layout
//     in which s was written. Cells that several threads hold are written by one of them, and 8 x 8
//     matrices of 16 bits move by the addresses that other lanes give: these keep their barriers.
//   * A loop whose tiles have two buffers in turn begins with a barrier. It is redundant if all
//     warps synchronize anyway between the end of the loop and the next time that the role reaches
//     it.
//
// Barriers and fences of other passes come later, and fence-global-memory uses the ones left
// here.
#include <set>

#include "checks/scheduled/tile_order.h"
#include "ir/walk.h"
#include "lowering/passes.h"

namespace tkc::lowering {

namespace {

using namespace ir;

using Dropped = std::set<const Op*>;

void drop(Block& block, const Dropped& dropped) {
    for (Op& op : block) for_each_block(op, [&](Block& inner) { drop(inner, dropped); });
    std::erase_if(block, [&](const Op& op) { return dropped.contains(&op); });
}

}  // namespace

void eliminate_barriers(PassContext&, Module& module) {
    for (Kernel& kernel : module.kernels) {
        for (Role& role : kernel.roles) {
            const checks::TileOrder order(role, kernel.persistent);
            Dropped dropped;
            for (const Op* op : order.candidates()) {
                dropped.insert(op);
                if (!order.holds_without(dropped)) dropped.erase(op);
            }
            drop(role.body, dropped);
        }
    }
}

}  // namespace tkc::lowering
