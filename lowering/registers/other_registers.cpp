// What a role holds next to its tiles, counted from its operations. docs/hopper.md ("Registers")
// compares it with what the code needs.
#include <algorithm>
#include <set>
#include <string>

#include "ir/contract.h"
#include "ir/walk.h"
#include "lowering/registers/register_estimate.h"

namespace tkc::lowering {

using namespace ir;

namespace {

// How many loops lie in one another.
std::int64_t depth_of_loops(const Block& block) {
    std::int64_t most = 0;
    for (const Op& op : block) {
        std::int64_t inside = 0;
        for_each_block(op, [&](const Block& b) { inside = std::max(inside, depth_of_loops(b)); });
        most = std::max(most, inside + (as<For>(op) != nullptr ? 1 : 0));
    }
    return most;
}

// Pipelines whose stages the role fills or reads.
std::int64_t pipelines_of(const Role& role) {
    std::set<std::pair<std::string, PipelineEnd>> ends;
    walk(role.body, [&](const Op& op) {
        if (const Take* take = as<Take>(op)) ends.emplace(take->pipeline, PipelineEnd::reader);
        if (const Acquire* acquire = as<Acquire>(op))
            ends.emplace(acquire->pipeline, PipelineEnd::writer);
    });
    return static_cast<std::int64_t>(ends.size());
}

// Numbers computed once for a program that loops read in every step. Extents and parameters lie in
// constant memory.
std::int64_t lets_in_loops(const Kernel& kernel, const Role& role) {
    std::set<std::string> read;
    walk_only<For>(role.body, [&](const For& loop) {
        walk(loop.body, [&](const Op& op) {
            for_each_scalar(op, [&](const Scalar& s) { read.merge(symbols_of(s)); });
        });
    });
    std::int64_t count = 0;
    walk_only<Let>(kernel.lets, [&](const Let& let) { count += read.contains(let.name) ? 1 : 0; });
    return count;
}

// Numbers that all of the role's code reads: R1, which ptxas keeps for the stack, and the thread's;
// where the program lies on each axis of the grid, and which it is where a block runs many; the
// variable and the end of each loop around the innermost code; and what loops read of the program.
std::int64_t number_registers(const Kernel& kernel, const Role& role) {
    return 2 + static_cast<std::int64_t>(kernel.grid.size()) + (kernel.persistent ? 1 : 0) +
           2 * depth_of_loops(role.body) + lets_in_loops(kernel, role);
}

std::int64_t rank_of(const Slice& slice) { return static_cast<std::int64_t>(slice.ranges.size()); }

}  // namespace

std::int64_t other_registers(const Kernel& kernel, const Role& role) {
    constexpr std::int64_t of_pipeline = 2;  // a cursor and a phase
    constexpr std::int64_t operands = 4;     // two descriptors of 64 bits (PTX ISA, "wgmma")
    constexpr std::int64_t cells = 4;        // a row in memory, and a cell in it, of 64 bits each
    constexpr std::int64_t box = 3;  // its descriptor in 64 bits, its place in shared memory
    std::int64_t access = 0;
    bool multiplies = false;
    walk(role.body, [&](const Op& op) {
        multiplies = multiplies || as<Mma>(op) != nullptr;
        if (as<StoreCells>(op) != nullptr || as<LoadCells>(op) != nullptr)
            access = std::max(access, cells);
        if (const TmaStore* store = as<TmaStore>(op))
            access = std::max(access, box + rank_of(store->target));
    });
    return number_registers(kernel, role) + of_pipeline * pipelines_of(role) +
           (multiplies ? operands : 0) + access;
}

std::int64_t all_registers(const Kernel& kernel, const Role& role) {
    const std::int64_t tiles =
        role.unit == Unit::warp ? live_registers(role) : addressed_registers(role);
    return tiles + other_registers(kernel, role);
}

std::int64_t service_registers(const Kernel& kernel, const Role& role) {
    // Of bulk copies ptxas keeps descriptors, barriers and places in uniform registers, since the
    // loops are not unrolled (cuda/emit_ops.cpp). What is left is where the role is.
    constexpr std::int64_t position = 2;  // a cursor and a phase
    constexpr std::int64_t element = 4;   // its address in 64 bits, what bounds it, and what it is
    constexpr std::int64_t barrier = 1;   // its address
    // nvcc unrolls the copy of cells by four (runtime/tk/operations/global.cuh): each has an
    // address in 64 bits and one in shared memory, a row, a column, and the cell. They share the
    // number of the first and the slice's address, strides and bounds.
    constexpr std::int64_t copied = 4 * 6;
    constexpr std::int64_t slice = 3 + 2 * 3;
    std::int64_t loads = 0;
    bool copies = false;
    bool multicast = false;
    std::set<std::string> elements;  // of tensors, that the role reads
    const auto look = [&](const Scalar& s) {
        visit_nodes(s, [&](const ScalarNode& n) {
            if (const auto* load = std::get_if<ElementLoad>(&n.node)) elements.insert(load->tensor);
        });
    };
    walk(role.body, [&](const Op& op) {
        for_each_scalar(op, look);
        if (const TmaLoad* load = as<TmaLoad>(op)) {
            ++loads;
            multicast = multicast || load->multicast != Split::none;
        } else if (as<TmaStore>(op) != nullptr) {
            ++loads;
        } else if (as<CopyLoad>(op) != nullptr || as<CopyStore>(op) != nullptr) {
            ++loads;
            copies = true;
        }
    });
    std::int64_t need = number_registers(kernel, role) + 1 + position * pipelines_of(role) +
                        element * static_cast<std::int64_t>(elements.size());
    // Of each load or store what the innermost loop does not change, as its first row.
    if (copies) need += barrier * pipelines_of(role) + loads + copied + slice;
    if (multicast) need += target_of(kernel).limits.cluster_registers;
    return need;
}

}  // namespace tkc::lowering
