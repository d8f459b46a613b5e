// How many blocks of a kernel of warps share a multiprocessor: estimates of what ptxas holds beside
// tiles.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "ir/contract.h"
#include "ir/walk.h"
#include "lowering/register_estimate.h"
#include "lowering/role_registers.h"
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

// What nvcc computes once for several maps and holds between them: long formulas of the places of
// cells, as of random numbers.
std::int64_t place_registers(const Role& role) {
    constexpr std::size_t is_long = 16;
    std::int64_t held = 0;
    std::int64_t largest = 0;
    walk_only<Map>(role.body, [&](const Map& map) {
        bool places = false;
        visit_nodes(map.expression, [&](const ScalarNode& n) {
            places = places || std::holds_alternative<Column>(n.node);
        });
        if (!places || map.expression->size < is_long) return;
        const TileType& tile = role.tile(map.result);
        const std::int64_t cells = tile.rows * tile.cols / (32 * role.warps());
        held += cells;
        largest = std::max(largest, cells);
    });
    return held - largest;
}

// The most matrices that one block loads, one after the other.
std::int64_t matrices_loaded(const Role& role, const Block& block) {
    std::int64_t here = 0;
    std::int64_t most = 0;
    for (const Op& op : block) {
        if (const auto* load = as<LoadCells>(op)) {
            const TileType& tile = role.tile(load->result);
            here += tile.rows > 1 && tile.cols > 1 ? 1 : 0;
        }
        for_each_block(
            op, [&](const Block& inner) { most = std::max(most, matrices_loaded(role, inner)); });
    }
    return std::max(most, here);
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

// Those of addresses: of the tensors that are read, and later of those that are written; in loops,
// of all.
std::int64_t address_registers(const Kernel& kernel, const Role& role) {
    std::int64_t read = 0;
    std::int64_t written = 0;
    for (const Tensor& tensor : kernel.tensors) {
        const std::int64_t one = tensor.extents.size() < 4 ? 2 : 3;
        (tensor.mode == Mode::in ? read : written) += one;
    }
    bool loops = false;
    walk_only<For>(role.body, [&](const For&) { loops = true; });
    return loops ? read + written : std::max(read, written);
}

void divide_registers(Kernel& kernel, std::int64_t blocks, std::int64_t threads) {
    const TargetLimits& limits = target_of(kernel).limits;
    kernel.blocks = blocks;
    kernel.entry_registers = std::min<std::int64_t>(
        round_down_to_8(limits.registers / (threads * blocks)), limits.registers_of_thread);
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
        // What a few operations hold meanwhile, and addresses: as measured on norms and softmax,
        // the least that ptxas did without spilling.
        std::int64_t addresses = 8 + address_registers(kernel, role);  // 8: the program, the thread
        addresses += 2 + 6 * std::max<std::int64_t>(matrices_loaded(role, role.body) - 1, 0);
        const bool open = has_open_rows(kernel, role);
        std::int64_t edges = open ? 24 : 0;
        // Requests for the next program have addresses and conditions of their own.
        walk_only<LoadCells>(role.body, [&](const LoadCells& load) {
            if (open && !load.ahead.empty()) edges = 64;
        });
        // Vectors have their edges where they are loaded and stored, and not where functions of
        // tiles are computed.
        const std::int64_t held = std::max(tile_registers(role) + edges, held_registers(role));
        need = std::max(need, held + place_registers(role) + unrolled_registers(role) + addresses);
    }
    constexpr std::int64_t least = 48;
    return std::max(need, least);
}

// What keeps `blocks` blocks from sharing a multiprocessor, but for registers; empty: nothing.
std::string excess_of(const Kernel& kernel, std::int64_t blocks, std::int64_t threads) {
    const TargetLimits& limits = target_of(kernel).limits;
    const auto more = [&](std::int64_t each, std::int64_t most, const char* what) {
        return fmt::format("they would have {} {}, and a multiprocessor has {}", blocks * each,
                           what, most);
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
    std::int64_t threads = 0;
    bool divides = true;
    for (const Role& role : kernel.roles) {
        threads = std::max(threads, 32 * (role.first_warp + role.warps()));
        divides = divides && role.unit != Unit::warpgroup && role.registers == 0;
    }
    const std::int64_t asked = kernel.blocks_asked;
    if (asked > 0) {
        std::string excess = excess_of(kernel, asked, threads);
        if (!divides)
            excess = "that is for kernels whose roles are all of warps and say no `registers(n)`";
        if (excess.empty()) return divide_registers(kernel, asked, threads);
        context.diag.error(kernel.span, msg::blocks_do_not_fit, asked, excess)
            .help("leave `blocks_per_sm` out: tkc then chooses the number");
        return;
    }
    const std::optional<std::int64_t> need =
        divides ? registers_needed(kernel) : std::optional<std::int64_t>();
    if (!need) return;
    const TargetLimits& limits = target_of(kernel).limits;
    std::int64_t blocks = 1;
    while (blocks < limits.blocks_of_multiprocessor &&
           round_down_to_8(limits.registers / (threads * (blocks + 1))) >= *need &&
           excess_of(kernel, blocks + 1, threads).empty()) {
        ++blocks;
    }
    divide_registers(kernel, blocks, threads);
}

}  // namespace tkc::lowering
