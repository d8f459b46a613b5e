// What kernels are compiled for: a table of limits and rates for each kind of GPU. No number of a
// GPU is anywhere else; passes, the verifier and the estimates use the kernel's target.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tkc {

// What a kernel can have ("CUDA C++ Programming Guide", technical specifications by compute
// capability; PTX ISA).
struct TargetLimits {
    std::int64_t threads_of_block;
    std::int64_t threads_of_multiprocessor;
    std::int64_t blocks_of_multiprocessor;
    std::int64_t blocks_of_cluster;    // that every device of the kind can run
    std::int64_t registers;            // of 32 bits, of a multiprocessor
    std::int64_t registers_of_thread;  // that ptxas assigns
    std::int64_t spare_registers;      // of a thread, that it leaves unused where vectors are many
    std::int64_t cluster_registers;    // of a thread that loads for several blocks, next to others
    std::int64_t cell_registers;       // of one next to warpgroups that holds cells, next to these
    std::int64_t least_reallocated;    // registers a thread by setmaxnreg,
    std::int64_t most_reallocated;     // which leaves room for a second warpgroup,
    std::int64_t reallocation_step;    // in multiples of this
    std::int64_t shared_of_block;      // bytes
    std::int64_t shared_of_multiprocessor;
    std::int64_t shared_of_system;   // bytes of each block that the system takes
    std::int64_t barriers_of_block;  // named; 0 is the whole block's
    std::int64_t box_extent;         // elements of a tensor map's box along an axis
    std::int64_t parameter_bytes;    // of a kernel's arguments
};

// What a kind of GPU can do at all. A kernel that needs what is missing is refused (TK6013),
// or does without it: loads and stores that need no TMA go through registers.
struct TargetFeatures {
    bool tma;            // the tensor memory accelerator, and barriers that count its bytes
    bool products;       // of a warpgroup: wgmma
    bool warp_products;  // of a warp: mma.sync of 16 bits, tf32 and 8-bit integers (PTX ISA, "mma")
    bool reallocation;   // of registers among warpgroups: setmaxnreg
    bool fp8;            // conversions from and to fp8
    bool overlap;        // of a kernel's begin with the end of the one before it: griddepcontrol
};

// The shapes of products of one warpgroup (PTX ISA, "wgmma.mma_async") or of one warp (mma.sync):
// `rows` of A, a multiple of `column_step` columns of B, up to `most_columns`, and `depth_bytes` of
// the extent that both share: 32 for every type, 8 numbers of tf32, 16 of 16 bits, 32 of 8 bits.
// Of 8-bit integers beyond `integer_columns` there is only every second of these numbers of
// columns.
struct TargetProducts {
    std::int64_t rows;
    std::int64_t column_step;
    std::int64_t most_columns;
    std::int64_t depth_bytes;
    std::int64_t integer_columns;
};

// Cycles, and bytes and operations per cycle, of one multiprocessor: measured where the table says
// so, for estimates that compare kernels with each other.
struct TargetRates {
    double mma_columns;         // columns per cycle, and not fewer cycles than its operands take:
    double mma_shared_a;        // bytes of A from shared memory,
    double mma_shared_b;        // bytes of B per column,
    double mma_operands;        // bytes of operands per cycle
    double tma_load;            // bytes per cycle, from L2
    double tma_load_unaligned;  // where rows do not begin at lines of L2, which then come twice
    std::int64_t line;          // bytes of a line of L2
    double tma_store;           // bytes per cycle
    double copy_cells;          // bytes per cycle, cell by cell through registers
    double shared;              // bytes per cycle between registers and shared memory
    double arithmetic;          // operations on cells per cycle
    double transcendental;      // exp2, rsqrt, .. per cycle
    double step;                // waits and releases of one pipeline step, not hidden
    double turn;           // of a step whose products take what is computed on others: latencies
    double sums;           // of one that only adds products up
    double program;        // filling the pipelines, the last products, the way to memory
    double warp_products;  // cells of results by bytes of depth per cycle, by mma.sync
    std::int64_t busy_threads;     // with which memory is busy: more of them gain little
    std::int64_t multiprocessors;  // of the GPU that is described; launchers query the device
};

struct Target {
    std::string_view name;          // of `--target`, in the IR, and for nvcc's `code=`
    std::string_view virtual_name;  // for nvcc's `arch=`
    int capability;                 // 10 * major + minor of the first device that runs its kernels
    bool later;                     // later devices run them, too: libraries hold PTX for them
    TargetFeatures features;
    TargetLimits limits;
    TargetProducts products;
    TargetProducts warp_products;
    TargetRates rates;
};

// The target of that name; null where there is none.
const Target* find_target(std::string_view name);
const Target& default_target();
std::vector<std::string> target_names();
// What nvcc is told: `-gencode=arch=compute_90a,code=sm_90a`.
std::string nvcc_option(const Target& target);

}  // namespace tkc
