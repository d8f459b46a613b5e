// The passes from tile IR to scheduled IR, one function and one file in tile/, sm90/ or contract/
// each; pass_order.cpp holds their order.
#pragma once

#include "lowering/pass.h"

namespace tkc::lowering {

void fold_cells(PassContext& context, ir::Module& module);
void peel_partial_clusters(PassContext& context, ir::Module& module);
void clamp_padding_programs(PassContext& context, ir::Module& module);
void check_bounds(PassContext& context, ir::Module& module);
void strip_debug_statements(PassContext& context, ir::Module& module);
void choose_transfers(PassContext& context, ir::Module& module);
void sink_vector_loads(PassContext& context, ir::Module& module);
void eliminate_copies(PassContext& context, ir::Module& module);
void reuse_tiles(PassContext& context, ir::Module& module);
void fuse_elementwise(PassContext& context, ir::Module& module);
void order_grid_axes(PassContext& context, ir::Module& module);
void skip_full_masks(PassContext& context, ir::Module& module);
void hoist_columns(PassContext& context, ir::Module& module);
void contract_fma(PassContext& context, ir::Module& module);
void count_writes(PassContext& context, ir::Module& module);
void assign_layouts(PassContext& context, ir::Module& module);
void delay_row_reductions(PassContext& context, ir::Module& module);
void read_in_place(PassContext& context, ir::Module& module);
void schedule_pipelines(PassContext& context, ir::Module& module);
void schedule_programs_dynamically(PassContext& context, ir::Module& module);
void load_shared_operands(PassContext& context, ir::Module& module);
void fold_transposes(PassContext& context, ir::Module& module);
void allocate_shared_memory(PassContext& context, ir::Module& module);
void eliminate_barriers(PassContext& context, ir::Module& module);
void fence_global_memory(PassContext& context, ir::Module& module);
void lower_stores(PassContext& context, ir::Module& module);
void prefetch_next_program(PassContext& context, ir::Module& module);
void copy_loop_operands(PassContext& context, ir::Module& module);
void round_operands(PassContext& context, ir::Module& module);
void insert_waits(PassContext& context, ir::Module& module);
void skip_scaling(PassContext& context, ir::Module& module);
void order_pingpong_products(PassContext& context, ir::Module& module);
void pin_waits(PassContext& context, ir::Module& module);
void assign_threads(PassContext& context, ir::Module& module);
void derive_contract(PassContext& context, ir::Module& module);
void estimate_cost(PassContext& context, ir::Module& module);

}  // namespace tkc::lowering
