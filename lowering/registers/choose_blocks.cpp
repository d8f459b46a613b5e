// How many blocks of a kernel of warps share a multiprocessor: what nvcc and ptxas hold next to
// cells (live_values.h), counted from the program. docs/performance/compiler.md has the
// experiments.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "ir/contract.h"
#include "ir/layout.h"
#include "ir/walk.h"
#include "lowering/registers/live_values.h"
#include "lowering/registers/register_estimate.h"
#include "lowering/registers/role_registers.h"
#include "lowering/vector_access.h"
#include "lowering/warp_grid.h"

namespace tkc::lowering {

namespace {

using namespace ir;

// Whether where rows end is known at the launch only: each vector then has a condition of its own,
// and, where they may end within one, each cell an address.
bool has_open_rows(const Kernel& kernel, const Role& role) {
    bool found = false;
    const auto look = [&](const Slice& slice, Value tile, bool vectors) {
        const Scalar end =
            with_constants(kernel, find_tensor(kernel, slice.tensor)->extents.back());
        const bool known = is_constant(end) && has_whole_vectors(kernel, role, slice);
        found = found || (vectors && role.tile(tile).cols != 1 && !known);
    };
    walk_only<LoadCells>(
        role.body, [&](const LoadCells& load) { look(load.source, load.result, load.vectors); });
    walk_only<StoreCells>(role.body, [&](const StoreCells& store) {
        look(store.target, store.source, store.vectors);
    });
    return found;
}

// What the loads of the further steps of unrolled loops take.
std::int64_t unrolled_registers(const Role& role) {
    std::int64_t most = 0;
    walk_only<For>(role.body, [&](const For& loop) {
        std::int64_t loads = 0;
        walk_only<LoadCells>(
            loop.body, [&](const LoadCells& load) { loads += registers_of(role, load.result); });
        most = std::max(most, (std::max<std::int64_t>(loop.depth, 1) - 1) * loads);
    });
    return most;
}

// What a role's accesses to memory hold next to cells.
class AccessRegisters {
public:
    explicit AccessRegisters(const Role& role) {
        walk_block(role.body);
        note();
    }
    // Addresses: two registers each, of all that is loaded, and later of all that is stored.
    // Loads that follow stores pass them (LDG.CONSTANT), as do those of a loop's next step: then
    // of both.
    std::int64_t addresses() const { return 2 * most_; }
    // Where there are only loads, maps and stores, what is loaded is there as a whole when
    // addresses of loads are needed no more.
    bool without_lines() const { return without_lines_; }
    std::int64_t store_addresses() const { return 2 * stores_; }
    std::int64_t stores() const { return stores_; }

private:
    void note() {
        most_ = std::max(most_, together_ ? loads_ + stores_ : std::max(loads_, stores_));
    }
    void walk_block(const Block& block) {
        for (const Op& op : block) {
            if (as<LoadCells>(op) != nullptr) {
                ++loads_;
                together_ = together_ || stored_;
            } else if (as<StoreCells>(op) != nullptr) {
                ++stores_;
                stored_ = true;
            } else if (as<Apply>(op) != nullptr) {
                stored_ = false;  // nothing passes where cells meet
                without_lines_ = false;
            } else if (const For* loop = as<For>(op); loop != nullptr && !is_one_step(*loop)) {
                const AccessRegisters inside(loop->body);
                without_lines_ = false;
                most_ = std::max(most_, inside.loads_ + inside.stores_);
            } else {
                for_each_block(op, [&](const Block& inner) { walk_block(inner); });
            }
        }
    }
    explicit AccessRegisters(const Block& block) { walk_block(block); }
    // Which nvcc leaves out.
    static bool is_one_step(const For& loop) {
        std::int64_t begin = 0;
        std::int64_t end = 0;
        return is_constant(loop.begin, &begin) && is_constant(loop.end, &end) &&
               end - begin <= loop.step;
    }

    std::int64_t loads_ = 0;
    std::int64_t stores_ = 0;
    bool stored_ = false;
    bool together_ = false;
    bool without_lines_ = true;
    std::int64_t most_ = 0;
};

// Numbers that all of a role's code reads: the thread's row and column, and where the program lies
// on each axis of the grid. ptxas keeps R1 for the stack, whether there is one or not.
std::int64_t number_registers(const Kernel& kernel) {
    return 3 + static_cast<std::int64_t>(kernel.grid.size());
}

// The same with what rows need that are held while they are read and written: their number in 64
// bits, because strides multiply it. A program of several rows compares each with how many there
// are; one that loops over programs counts the meetings of its threads, and has the place in shared
// memory where the next program's rows arrive.
std::int64_t number_registers_of_rows(const Kernel& kernel, const Role& role) {
    std::int64_t rows = 1;
    bool persistent = false;
    walk_only<LoadCells>(role.body, [&](const LoadCells& load) {
        rows = std::max(rows, role.tile(load.result).rows);
        persistent = persistent || !load.ahead.empty();
    });
    return number_registers(kernel) + 1 + (rows > 1 ? 1 : 0) + (persistent ? 2 : 0);
}

// Where rows end is known at the launch only: what the slice has of rows and columns, and the
// column of each vector, which is compared where it is loaded and again where it is stored (R3 to
// R6 of a `residual` that spills: they live from the loads on). Where rows may end within a vector,
// the columns of its cells.
std::int64_t edge_registers(const Kernel& kernel, const Role& role) {
    std::int64_t columns = 0;
    walk_only<StoreCells>(role.body, [&](const StoreCells& store) {
        const Layout layout = layout_of(role, store.source);
        const std::int64_t cells = cells_of_thread(layout);
        const bool whole = store.vectors && has_whole_vectors(kernel, role, store.target);
        columns = std::max(columns, whole ? cells / vector_of(layout) : cells);
    });
    return 2 + columns;
}

// What a persistent kernel computes before the loop over its programs: the columns of cells that
// maps compare with where rows end.
std::int64_t hoisted_registers(const Role& role) {
    bool persistent = false;
    walk_only<LoadCells>(role.body,
                         [&](const LoadCells& load) { persistent |= !load.ahead.empty(); });
    std::int64_t cells = 0;
    walk_only<Map>(role.body, [&](const Map& map) {
        visit_nodes(map.expression, [&](const ScalarNode& n) {
            if (std::holds_alternative<Column>(n.node))
                cells = std::max(cells, cells_of_thread(layout_of(role, map.result)));
        });
    });
    return persistent ? cells : 0;
}

// Quotients and square roots of f64 call functions for rare cases, with arguments and a place to
// come back to (`__cuda_sm20_div_rn_f64_full`): `real` of test/kernels/wide_cells.tk spills 16
// registers where they are not counted.
std::int64_t call_registers(const Role& role) {
    constexpr std::int64_t of_calls = 16;
    bool calls = false;
    walk_only<Map>(role.body, [&](const Map& map) {
        visit_nodes(map.expression, [&](const ScalarNode& n) {
            const Call* call = std::get_if<Call>(&n.node);
            calls =
                calls || (call != nullptr && n.dtype == Dtype::f64 &&
                          (call->function == Function::div || call->function == Function::sqrt));
        });
    });
    return calls ? of_calls : 0;
}

std::int64_t registers_of_thread(const Kernel& kernel, std::int64_t blocks, std::int64_t threads) {
    const TargetLimits& limits = target_of(kernel).limits;
    return std::min<std::int64_t>(round_down_to_8(limits.registers / (threads * blocks)),
                                  limits.registers_of_thread);
}

void divide_registers(Kernel& kernel, std::int64_t blocks, std::int64_t threads) {
    kernel.blocks = blocks;
    kernel.entry_registers = registers_of_thread(kernel, blocks, threads);
}

std::int64_t threads_of(const Kernel& kernel) {
    std::int64_t threads = 0;
    for (const Role& role : kernel.roles) threads = std::max(threads, 32 * role.end_warp());
    return threads;
}

// Cells, and what else is held with them.
std::int64_t registers_without_products(const Kernel& kernel, const Role& role) {
    const bool open = has_open_rows(kernel, role);
    const AccessRegisters accesses(role);
    const NvccRegisters cells = nvcc_registers(role, open);
    // Cells that are unpacked as a whole were loaded: only stores need addresses then, and what one
    // of them packs takes the place of cells that are read no more.
    const bool unpacked = open && accesses.without_lines();
    std::int64_t beside = unpacked ? accesses.store_addresses() : accesses.addresses();
    if (!unpacked || accesses.stores() > 1) beside += registers_of_vector;
    std::int64_t need = std::max(cells.most, cells.at_accesses + beside) +
                        number_registers_of_rows(kernel, role) + unrolled_registers(role) +
                        hoisted_registers(role) + call_registers(role);
    if (open) need += edge_registers(kernel, role);
    return need;
}

// The same with products, whose fragments are held: no map is taken apart around them. A shared
// operand has an address and where its swizzled row begins; a pipeline a cursor, a phase, and the
// addresses of its stage and of the barrier there. Loads may pass products (LDG.CONSTANT): then a
// vector of each is on its way next to the fragments. Stores come when these are gone.
std::int64_t registers_with_products(const Kernel& kernel, const Role& role) {
    constexpr std::int64_t operands = 2;
    constexpr std::int64_t of_pipeline = 4;
    std::int64_t loads = 0;
    walk_only<LoadCells>(role.body, [&](const LoadCells&) { ++loads; });
    std::set<std::string> pipelines;
    walk_only<Take>(role.body, [&](const Take& take) { pipelines.insert(take.pipeline); });
    std::int64_t beside =
        AccessRegisters(role).addresses() + registers_of_vector * std::max<std::int64_t>(loads, 1);
    if (has_open_rows(kernel, role)) beside += edge_registers(kernel, role);
    const std::int64_t products = live_registers(role) + 2 * operands + (loads > 0 ? beside : 0);
    return std::max(products, tile_registers(role) + beside) + number_registers(kernel) +
           of_pipeline * static_cast<std::int64_t>(pipelines.size());
}

// Registers that a thread needs to hold its tiles, and what else it holds; nothing where they are
// not divided among blocks.
std::optional<std::int64_t> registers_needed(const Kernel& kernel) {
    std::int64_t need = 0;
    for (const Role& role : kernel.roles) {
        // Tiles that pass through shared memory cell by cell have an address for each.
        bool many_addresses = false;
        walk_only<ReadShared>(role.body, [&](const ReadShared&) { many_addresses = true; });
        walk_only<WriteTile>(role.body, [&](const WriteTile&) { many_addresses = true; });
        if (many_addresses && !multiplies_by_warps(role)) return std::nullopt;
        // Where fragments are held while products are done, no map is taken apart around them.
        need = std::max(need, multiplies_by_warps(role) ? registers_with_products(kernel, role)
                                                        : registers_without_products(kernel, role));
    }
    return need;
}

// What keeps `blocks` blocks from sharing a multiprocessor, but for registers; empty: nothing.
std::string excess_of(const Kernel& kernel, std::int64_t blocks, std::int64_t threads) {
    const TargetLimits& limits = target_of(kernel).limits;
    const auto more = [&](std::int64_t each, std::int64_t most, const char* what) {
        return fmt::format("they would have {} {}, the limit is {}", blocks * each, what, most);
    };
    if (blocks * threads > limits.threads_of_multiprocessor)
        return more(threads, limits.threads_of_multiprocessor, "threads");
    const std::int64_t memory = kernel.shared_bytes + limits.shared_of_system;
    if (blocks * memory > limits.shared_of_multiprocessor)
        return more(memory, limits.shared_of_multiprocessor, "B of shared memory");
    return {};
}

}  // namespace

// Where all roles are of warps, memory is what is waited for, and the more blocks of a
// multiprocessor have loads in flight, the less. The registers are divided among as many as hold
// their tiles, or as the author says.
void choose_blocks(PassContext& context, Kernel& kernel) {
    if (!kernel.general_of.empty())
        return;  // cell by cell, addresses take what registers there are
    const std::int64_t threads = threads_of(kernel);
    bool divides = true;
    for (const Role& role : kernel.roles)
        divides = divides && role.unit != Unit::warpgroup && role.registers == 0;
    const std::int64_t asked = kernel.requested_blocks;
    if (asked > 0) {
        std::string excess = excess_of(kernel, asked, threads);
        if (!divides)
            excess = "this is only for kernels whose roles are all warps without `registers(n)`";
        if (excess.empty()) return divide_registers(kernel, asked, threads);
        context.diag.error(kernel.span, msg::blocks_do_not_fit, asked, excess)
            .help("remove `blocks_per_sm`: tkc then chooses the number");
        return;
    }
    const std::optional<std::int64_t> need =
        divides ? registers_needed(kernel) : std::optional<std::int64_t>();
    if (!need) return;
    const TargetLimits& limits = target_of(kernel).limits;
    // With fewer, more than 1280 threads would share a multiprocessor, which gains nothing. Beyond
    // enough threads a block more gains less than it costs to spill what was not counted.
    constexpr std::int64_t fewest = 48;
    const auto holds = [&](std::int64_t blocks) {
        const bool enough = (blocks - 1) * threads >= target_of(kernel).rates.busy_threads;
        const std::int64_t least = std::clamp(*need + (enough ? limits.spare_registers : 0), fewest,
                                              limits.registers_of_thread);
        return round_down_to_8(limits.registers / (threads * blocks)) >= least;
    };
    const std::int64_t most =
        kernel.blocks_at_most > 0 ? kernel.blocks_at_most : limits.blocks_of_multiprocessor;
    std::int64_t blocks = 1;
    while (blocks < most && holds(blocks + 1) && excess_of(kernel, blocks + 1, threads).empty()) {
        ++blocks;
    }
    divide_registers(kernel, blocks, threads);
}

std::int64_t fewer_blocks(const Kernel& kernel) {
    const std::int64_t threads = threads_of(kernel);
    for (std::int64_t blocks = kernel.blocks - 1; blocks >= 1; --blocks) {
        if (registers_of_thread(kernel, blocks, threads) > kernel.entry_registers) return blocks;
    }
    return 0;
}

}  // namespace tkc::lowering
