// The passes from tile IR to scheduled IR, one function and one file in passes/ each;
// pass_order.cpp holds their order.
#pragma once

#include "lowering/pass.h"

namespace tkc::lowering {

void fold_cells(PassContext& context, ir::Module& module);
void loosen_ends(PassContext& context, ir::Module& module);
void guard_phantoms(PassContext& context, ir::Module& module);
void check_positions(PassContext& context, ir::Module& module);
void drop_reports(PassContext& context, ir::Module& module);
void choose_transfers(PassContext& context, ir::Module& module);
void sink_vector_loads(PassContext& context, ir::Module& module);
void drop_copies(PassContext& context, ir::Module& module);
void reuse_tiles(PassContext& context, ir::Module& module);
void fuse_maps(PassContext& context, ir::Module& module);
void order_programs(PassContext& context, ir::Module& module);
void skip_full_masks(PassContext& context, ir::Module& module);
void hoist_columns(PassContext& context, ir::Module& module);
void contract_fma(PassContext& context, ir::Module& module);
void count_writes(PassContext& context, ir::Module& module);
void assign_layouts(PassContext& context, ir::Module& module);
void keep_sums_partial(PassContext& context, ir::Module& module);
void read_in_place(PassContext& context, ir::Module& module);
void schedule_pipelines(PassContext& context, ir::Module& module);
void draw_tickets(PassContext& context, ir::Module& module);
void read_shared_tiles(PassContext& context, ir::Module& module);
void fold_transposes(PassContext& context, ir::Module& module);
void plan_shared_memory(PassContext& context, ir::Module& module);
void drop_barriers(PassContext& context, ir::Module& module);
void order_global_memory(PassContext& context, ir::Module& module);
void lower_stores(PassContext& context, ir::Module& module);
void load_ahead(PassContext& context, ir::Module& module);
void renew_operands(PassContext& context, ir::Module& module);
void round_operands(PassContext& context, ir::Module& module);
void place_waits(PassContext& context, ir::Module& module);
void skip_scaling(PassContext& context, ir::Module& module);
void place_turns(PassContext& context, ir::Module& module);
void hold_waits(PassContext& context, ir::Module& module);
void plan_threads(PassContext& context, ir::Module& module);
void derive_contract(PassContext& context, ir::Module& module);
void estimate_cost(PassContext& context, ir::Module& module);

}  // namespace tkc::lowering
