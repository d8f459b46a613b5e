// The passes from tile IR to scheduled IR, in order, with a summary of each. The order matters:
// later passes rely on the properties that earlier ones establish.
#include "lowering/pass_order.h"

#include "lowering/passes.h"

namespace tkc::lowering {

namespace {

constexpr Pass passes[] = {
    // Tile IR to tile IR. The second settles every rounding: the emulator runs what it leaves.
    {"fold-cells", "remove operands that do not affect the value of a cell", fold_cells},
    {"contract-fma", "fuse multiplications into the additions that use them, within one expression",
     contract_fma},
    {"peel-partial-clusters",
     "group programs left over from full clusters along the other grid axis",
     peel_partial_clusters},
    {"clamp-padding-programs",
     "keep programs that only pad the last cluster in bounds and without effect",
     clamp_padding_programs},
    {"check-bounds", "in debug builds, report out-of-bounds element reads and divisors below 1",
     check_bounds},
    {"strip-debug-statements", "remove `print` and `assert`, except in debug builds",
     strip_debug_statements},
    {"count-writes", "in debug builds, count the stores to each output element", count_writes},
    {"order-grid-axes", "reorder grid axes so that programs start in the order of their weight",
     order_grid_axes},
    {"choose-transfers",
     "choose TMA or element copies for each transfer; add a fallback variant to kernels that can "
     "run without TMA",
     choose_transfers},
    {"sink-vector-loads", "move loads of rows and columns to their uses", sink_vector_loads},
    {"eliminate-copies", "remove copies of tiles that are not used afterwards", eliminate_copies},
    {"reuse-tiles", "replace subexpressions that a live tile already holds", reuse_tiles},
    {"fuse-elementwise", "fuse elementwise operations", fuse_elementwise},
    {"hoist-columns", "compute once per row what is uniform along the row", hoist_columns},
    // Toward scheduled IR. Reads come before releases, which must see them; memory before stores,
    // which use the rest; waits last, so that nothing moves after them.
    {"load-shared-operands", "insert loads from shared memory for arithmetic operands",
     load_shared_operands},
    {"fold-transposes", "fold transposes into reads and writes of shared memory", fold_transposes},
    {"assign-layouts", "assign a thread layout to every register tile", assign_layouts},
    {"delay-row-reductions", "keep row sums per lane until their full value is needed",
     delay_row_reductions},
    {"read-in-place", "read long rows from stages at their use, not into registers first",
     read_in_place},
    {"schedule-pipelines",
     "lower `produce` and `consume` to acquire, publish, take and release; set arrival counts",
     schedule_pipelines},
    {"schedule-programs-dynamically",
     "for `dynamic` grids, fetch the next program from a counter and broadcast it to all roles",
     schedule_programs_dynamically},
    {"skip-full-masks", "skip position masks on tiles where they hold everywhere", skip_full_masks},
    {"allocate-shared-memory", "assign offsets to stages and shared tiles", allocate_shared_memory},
    {"eliminate-barriers", "remove redundant barriers around shared tiles", eliminate_barriers},
    {"fence-global-memory",
     "insert barriers and fences between a role's accesses to the same global memory",
     fence_global_memory},
    {"lower-stores", "lower stores to staged TMA or element stores", lower_stores},
    {"prefetch-next-program",
     "load long rows of the next program while the current one is processed",
     prefetch_next_program},
    {"round-operands", "round tf32 operands once, when they are written", round_operands},
    {"copy-loop-operands", "copy register operands of several products (works around ptxas faults)",
     copy_loop_operands},
    {"insert-waits", "insert waits for products, and move releases to them", insert_waits},
    {"skip-scaling", "skip scaling when all factors of a warp are 1", skip_scaling},
    {"order-pingpong-products",
     "make the warpgroups of `pingpong` roles issue products alternately", order_pingpong_products},
    {"pin-waits", "keep ptxas from hoisting waits above arithmetic that overlaps products",
     pin_waits},
    {"assign-threads", "assign warps, named barriers and registers to roles", assign_threads},
    // What the launcher needs to know.
    {"derive-contract", "collect the launch conditions that the kernel relies on", derive_contract},
    {"estimate-cost", "estimate the cost of a program as a function of the extents", estimate_cost},
};

}  // namespace

std::span<const Pass> pipeline() { return passes; }

}  // namespace tkc::lowering
