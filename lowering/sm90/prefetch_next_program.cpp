// Prefetches loads one program ahead in kernels of warps, and keeps those that are the same in all
// programs.
//
// A row that is distributed over a cluster is loaded, reduced and stored in sequence, and registers
// leave room for two or three blocks per multiprocessor: too few to keep memory busy. So only as
// many clusters are launched as fit the device, and each executes several programs; during one, the
// cells of the next are copied to shared memory (ahead.cuh). Loads that are the same in all
// programs, such as weights, stay there. Kernels that are `persistent` do the same.
#include <fmt/format.h>

#include <algorithm>

#include "facts/facts.h"
#include "ir/walk.h"
#include "lowering/passes.h"
#include "lowering/shared_memory_plan.h"
#include "lowering/vector_access.h"

namespace tkc::lowering {

namespace {

using namespace ir;

// What the position of a load hangs on.
enum class Follows : std::uint8_t { nothing, program, other };

Follows follows(const Kernel& kernel, const Op& op) {
    Follows result = Follows::nothing;
    for_each_scalar(op, [&](const Scalar& s) {
        visit_nodes(s, [&](const ScalarNode& n) {
            if (std::holds_alternative<ElementLoad>(n.node)) result = Follows::other;
        });
        for (const std::string& name : symbols_of(s)) {
            const bool of_grid = std::any_of(kernel.grid.begin(), kernel.grid.end(),
                                             [&](const GridAxis& a) { return a.var == name; });
            const bool let =
                std::any_of(kernel.lets.begin(), kernel.lets.end(), [&](const Op& other) {
                    return as<Let>(other) != nullptr && as<Let>(other)->name == name;
                });
            if (let) result = Follows::other;
            else if (of_grid && result == Follows::nothing) result = Follows::program;
        }
    });
    return result;
}

bool can_prefetch(const Kernel& kernel, const Role& role, const LoadCells& load) {
    if (!load.vectors || has_gather(load.source)) return false;
    const TileType& tile = role.tile(load.result);
    return tile.cols != 1 &&
           vector_of(role[load.result].layout) * bytes(tile.dtype) % widest_access == 0 &&
           find_tensor(kernel, load.source.tensor)->mode == Mode::in &&
           has_whole_vectors(kernel, role, load.source);
}

// What the threads of a block hold of the tile, whole vectors.
std::int64_t cells_of_block(const Role& role, Value tile) {
    return cells_of_thread(role[tile].layout) * 32 * role.warps();
}

void prefetch_next_program(Kernel& kernel, Role& role) {
    std::vector<LoadCells*>
        loads;  // those that follow the program first: the others can do without
    std::size_t moving = 0;
    for (Op& op : role.body) {
        if (names_number(op)) return;  // what the requests would need is after them
        auto* load = as<LoadCells>(op);
        if (load == nullptr || !can_prefetch(kernel, role, *load)) continue;
        const Follows what = follows(kernel, op);
        if (what == Follows::other) continue;
        const bool first = what == Follows::program;
        loads.insert(first ? loads.begin() + static_cast<std::ptrdiff_t>(moving++) : loads.end(),
                     load);
    }
    // So that a multiprocessor holds two blocks.
    const TargetLimits& limits = target_of(kernel).limits;
    const std::int64_t most_bytes = limits.shared_of_multiprocessor / 2 - limits.shared_of_system;
    std::int64_t taken = kernel.shared_bytes;
    for (std::size_t i = 0; i < loads.size(); ++i) {
        const TileType& tile = role.tile(loads[i]->result);
        taken += cells_of_block(role, loads[i]->result) * bytes(tile.dtype);
        if (taken > most_bytes) loads.resize(i);
    }
    if (moving == 0 || loads.size() < moving) return;
    kernel.persistent = true;
    for (std::size_t i = 0; i < loads.size(); ++i) {
        LoadCells& load = *loads[i];
        const TileType& tile = role.tile(load.result);
        const char* suffix = i < moving ? "ahead" : "kept";
        load.ahead = fmt::format("{}.{}_{}", role.name, role[load.result].name, suffix);
        if (find_buffer(kernel, load.ahead) != nullptr) load.ahead += std::to_string(i);
        add_buffer(kernel, load.ahead,
                   fmt::format("{} `{}`", i < moving ? "the next program's" : "all programs'",
                               load.source.tensor),
                   TileType{tile.dtype, 1, cells_of_block(role, load.result), Space::shared}, 1);
    }
    settle_shared_memory(kernel);
}

}  // namespace

void prefetch_next_program(PassContext&, Module& module) {
    for (Kernel& kernel : module.kernels) {
        const bool suits = kernel.roles.size() == 1 && kernel.pipelines.empty() &&
                           kernel.general_of.empty() && kernel.roles[0].unit == Unit::warp &&
                           !kernel.weight && cluster_size(kernel) == 1 && !kernel.grid.empty() &&
                           !kernel.grid.front().dealt;
        if (suits && (kernel.persistent || blocks_of_program(kernel) > 1))
            prefetch_next_program(kernel, kernel.roles[0]);
    }
}

}  // namespace tkc::lowering
