// Leaves out barriers and fences of shared tiles that are not needed.
//
//     buffer_tile s; barrier; write_tile s; barrier; .. read s       // of every `share`, in roles
//     of
//                                                                    // warps (plan-shared-memory)
//     buffer_tile s; barrier; write_tile s; fence_async; barrier; .. mma s          // of
//     warpgroups
//
// The first barrier says that all have read what was in the tile, the second that all have written,
// and the fence that products see it. Each is left out if the accesses that it orders are in order
// without it (checks/tile_order.h):
//
//   * Any meeting of the role's warps says as much, if it is on every way from those reads to the
//     write, or from the write to the reads: a barrier of another tile, or what a reduction over
//     warps has by itself. Of two tiles that are written before a product reads them, the second
//     has the fence and the barrier for both.
//   * A thread that reads the cells that it wrote itself needs no barrier: `read s` has the layout
//     in which s was written. Cells that several threads hold are written by one of them, and 8 x 8
//     matrices of 16 bits move by the addresses that other lanes give: these keep their barriers.
//   * A loop whose tiles have two buffers in turn begins with a barrier. It is not needed if all
//     meet anyway between the end of the loop and the next time that the role comes to it.
//
// Barriers and fences of other passes come later, and order-global-memory goes by what is left
// here.
#include <set>

#include "checks/tile_order.h"
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

void drop_barriers(PassContext&, Module& module) {
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
