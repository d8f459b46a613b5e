// The targets.
#include "target/target.h"

#include <array>

namespace tkc {

namespace {

constexpr std::array targets{
    Target{
        .name = "sm_90a",
        .virtual_name = "compute_90a",
        .capability = 90,
        .later = false,  // what ends in `a` is there on no other device
        .features = {.tma = true,
                     .products = true,
                     .warp_products = true,
                     .reallocation = true,
                     .fp8 = true,
                     .overlap = true},
        .limits =
            {
                .threads_of_block = 1'024,
                .threads_of_multiprocessor = 2'048,
                .blocks_of_multiprocessor = 32,
                .blocks_of_cluster = 8,
                .registers = 65'536,
                .registers_of_thread = 255,
                // A pair: vectors of four lie at multiples of four, and an address is what ptxas
                // spills first between them (docs/performance.md).
                .spare_registers = 2,
                // What depends on a block's rank in its cluster is held by each thread instead of
                // by the warp (uniform registers): 31 of `gemm_pairs`, where 17 are counted.
                .cluster_registers = 16,
                // 46 of `sums` in test/kernels/stripes.tk, which copies cells and adds them.
                .cell_registers = 48,
                .least_reallocated = 24,
                .most_reallocated = 240,
                .reallocation_step = 8,
                .shared_of_block = 232'448,
                .shared_of_multiprocessor = 233'472,
                .shared_of_system = 1'024,
                .barriers_of_block = 16,
                .box_extent = 256,
                .parameter_bytes = 32'764,  // from CUDA 12.1 on
            },
        .products = {.rows = 64,
                     .column_step = 8,
                     .most_columns = 256,
                     .depth_bytes = 32,
                     .integer_columns = 32},
        .warp_products = {.rows = 16,
                          .column_step = 8,
                          .most_columns = 256,
                          .depth_bytes = 32,
                          .integer_columns = 256},
        .rates =
            {
                .mma_columns = 2,
                .mma_shared_a = 2048,
                .mma_shared_b = 32,
                .mma_operands = 128,
                .tma_load = 54,  // products of 128 x 192 tiles, timed: docs/performance/gemm.md
                .tma_load_unaligned = 34,
                .line = 128,
                .tma_store = 50,
                .copy_cells = 16,
                .shared = 128,
                .arithmetic = 128,
                .transcendental = 16,
                .step = 20,
                .turn = 600,  // attention with 96 to 144 keys a step, timed: docs/performance.md
                .sums =
                    110,  // gemm_fp8_precise with 128 and 192 rows: docs/performance/gemm-8bit.md
                .program = 1500,
                .warp_products = 2'600,  // 600 TFLOP/s of 16 bits: docs/performance.md
                .busy_threads = 1024,    // 43 shapes of kernels timed: docs/performance.md
                .multiprocessors = 132,  // H100 SXM ("NVIDIA H100 Tensor Core GPU Architecture")
            },
    },
    // An A100. Rates of what it has: the data sheet's and those of sm_90a; nothing is measured.
    Target{
        .name = "sm_80",
        .virtual_name = "compute_80",
        .capability = 80,
        .later = true,
        .features = {.tma = false,
                     .products = false,
                     .warp_products = true,
                     .reallocation = false,
                     .fp8 = false,
                     .overlap = false},
        .limits =
            {
                .threads_of_block = 1'024,
                .threads_of_multiprocessor = 2'048,
                .blocks_of_multiprocessor = 32,
                .blocks_of_cluster = 1,
                .registers = 65'536,
                .registers_of_thread = 255,
                // A pair: vectors of four lie at multiples of four, and an address is what ptxas
                // spills first between them (docs/performance.md).
                .spare_registers = 2,
                .cluster_registers = 0,  // it has no clusters
                .cell_registers = 0,     // nor registers that warpgroups divide
                .least_reallocated = 24,
                .most_reallocated = 240,
                .reallocation_step = 8,
                .shared_of_block = 166'912,
                .shared_of_multiprocessor = 167'936,
                .shared_of_system = 1'024,
                .barriers_of_block = 16,
                .box_extent = 256,
                .parameter_bytes = 32'764,
            },
        .products = {},
        .warp_products = {.rows = 16,
                          .column_step = 8,
                          .most_columns = 256,
                          .depth_bytes = 32,
                          .integer_columns = 256},
        .rates =
            {
                .mma_columns = 0,  // 0: of what it lacks
                .mma_shared_a = 0,
                .mma_shared_b = 0,
                .mma_operands = 0,
                .tma_load = 0,
                .tma_load_unaligned = 0,
                .line = 128,
                .tma_store = 0,
                .copy_cells = 16,
                .shared = 128,
                .arithmetic = 64,
                .transcendental = 16,
                .step = 0,
                .turn = 0,
                .sums = 0,
                .program = 1500,
                .warp_products = 2'048,  // 312 TFLOP/s of 16 bits
                .busy_threads = 1024,    // as on Hopper; not measured
                .multiprocessors = 108,  // "NVIDIA A100 Tensor Core GPU Architecture"
            },
    },
};

}  // namespace

const Target* find_target(std::string_view name) {
    for (const Target& target : targets) {
        if (target.name == name) return &target;
    }
    return nullptr;
}

const Target& default_target() { return targets.front(); }

std::vector<std::string> target_names() {
    std::vector<std::string> names;
    for (const Target& target : targets) names.emplace_back(target.name);
    return names;
}

std::string nvcc_option(const Target& target) {
    const std::string arch = "-gencode=arch=" + std::string(target.virtual_name) + ",code=";
    const std::string name(target.name);
    return arch + (target.later ? "[" + name + "," + std::string(target.virtual_name) + "]" : name);
}

}  // namespace tkc
