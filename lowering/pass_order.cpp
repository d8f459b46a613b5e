// The passes from tile IR to scheduled IR: the order is the design, and each line says what later
// ones may rely on.
#include "lowering/pass_order.h"

#include "lowering/passes.h"

namespace tkc::lowering {

namespace {

constexpr Pass passes[] = {
    // Tile IR to tile IR. The second settles every rounding: the emulator runs what it leaves.
    {"fold-cells", "what no value depends on is left out of cells", fold_cells},
    {"contract-fma", "products that feed a sum of cells in one expression are fused with it",
     contract_fma},
    {"loosen-ends", "rows of programs that fill no cluster are walked along the other axis",
     loosen_ends},
    {"guard-phantoms", "programs that fill up a cluster read inside of tensors, and change nothing",
     guard_phantoms},
    {"check-positions", "in debug builds, reads outside of a tensor and divisors below 1 are told",
     check_positions},
    {"drop-reports", "but in debug builds nothing prints or asserts", drop_reports},
    {"count-writes", "in debug builds, stores to outputs are counted", count_writes},
    {"order-programs", "the grid's axes stand, and are walked, in the order of the programs",
     order_programs},
    {"choose-transfers",
     "every transfer is TMA or cell by cell; kernels that can do without TMA exist twice",
     choose_transfers},
    {"sink-vector-loads", "rows and columns of tensors are read where they are used",
     sink_vector_loads},
    {"drop-copies", "a tile that is copied and not touched again is not copied", drop_copies},
    {"reuse-tiles", "what a tile holds anyway is not computed again", reuse_tiles},
    {"fuse-maps", "no tile lives between two elementwise operations unless something else reads it",
     fuse_maps},
    {"hoist-columns", "tiles compute in each cell what differs along a row, and no more",
     hoist_columns},
    // Towards scheduled IR. Reads come before releases, which must see them; memory before stores,
    // which use what is
    // left; waits last, so that nothing moves after them.
    {"read-shared-tiles", "arithmetic reads registers only", read_shared_tiles},
    {"fold-transposes", "a transpose beside shared memory is made as that is written or read",
     fold_transposes},
    {"assign-layouts", "every register tile is divided among its role's warpgroups",
     assign_layouts},
    {"keep-sums-partial", "sums of rows are completed where something needs them",
     keep_sums_partial},
    {"read-in-place", "long rows of stages are read where arithmetic needs them", read_in_place},
    {"schedule-pipelines",
     "stages are acquired, published, taken and released; barriers have their counts",
     schedule_pipelines},
    {"draw-tickets", "where a counter deals programs out, every role knows which one is next",
     draw_tickets},
    {"skip-full-masks", "conditions on places are asked of cells only in tiles where some fail",
     skip_full_masks},
    {"plan-shared-memory", "every stage and shared tile has its place", plan_shared_memory},
    {"drop-barriers", "warps meet at shared tiles no more often than they have to", drop_barriers},
    {"order-global-memory", "what a role stores is there when it comes back to it",
     order_global_memory},
    {"lower-stores", "stores are staged or written cell by cell", lower_stores},
    {"load-ahead", "long rows of the next program are on their way while one is worked on",
     load_ahead},
    {"round-operands", "what products alone read, as tf32, is rounded when it is written",
     round_operands},
    {"renew-operands", "operands that several products read are what ptxas handles right",
     renew_operands},
    {"place-waits", "no operation touches what a product in flight uses", place_waits},
    {"skip-scaling", "rows whose factors are all 1 are not scaled", skip_scaling},
    {"place-turns", "warpgroups of `pingpong` roles issue the products of loops in turn",
     place_turns},
    {"hold-waits", "waits for products of loops do not rise above arithmetic that runs under them",
     hold_waits},
    {"plan-threads", "roles have their warps, named barriers and registers", plan_threads},
    // What the launcher needs to know.
    {"derive-contract", "everything that the kernel relies on is a condition of its launch",
     derive_contract},
    {"estimate-cost", "the cost of a program is known as a function of the extents", estimate_cost},
};

}  // namespace

std::span<const Pass> pipeline() { return passes; }

}  // namespace tkc::lowering
