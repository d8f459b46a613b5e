// Lays the roles out over warps, and divides named barriers and registers among them.
//
// Roles of warpgroups come first, at multiples of four warps as wgmma and setmaxnreg ask for;
// service roles of warps are packed behind them and the block is rounded up to whole warpgroups,
// since setmaxnreg counts by warpgroup.
//
// Registers: a block of T threads starts with floor8(65536 / T) each (what ptxas assigns under
// __launch_bounds__(T, 1), at most 255), and that pool is all there is: the sum over warpgroups may
// not exceed it, or an increase waits for ever, which ptxas does not say. Service warpgroups give
// up what they do not need, and the others share it by multiples of 8.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "ir/contract.h"
#include "ir/walk.h"
#include "lowering/passes.h"
#include "lowering/plan.h"
#include "lowering/register_estimate.h"

namespace tkc::lowering {

namespace {

using namespace ir;

constexpr std::int64_t register_file = 65'536;  // 32-bit registers of one multiprocessor
constexpr std::int64_t most_registers =
    240;  // by setmaxnreg; above, the pool of two warpgroups is too small

std::int64_t round_down_to_8(std::int64_t x) { return x / 8 * 8; }

/// Returns the number of warpgroups of the block.
std::int64_t place_roles(PassContext& context, Kernel& kernel) {
    std::int64_t warp = 0;
    for (Role& role : kernel.roles) {
        if (role.unit != Unit::warpgroup) continue;
        role.first_warp = warp;
        warp += role.warps();
    }
    for (Role& role : kernel.roles) {
        if (role.unit != Unit::warp) continue;
        const std::int64_t room = 4 - warp % 4;
        if (role.warps() > room && warp % 4 != 0)
            warp += room;  // a role does not straddle a warpgroup's border
        role.first_warp = warp;
        warp += role.warps();
    }
    const std::int64_t threads = (warp + 3) / 4 * 128;
    if (threads > most_threads) {
        const auto most =
            std::max_element(kernel.roles.begin(), kernel.roles.end(),
                             [](const Role& a, const Role& b) { return a.warps() < b.warps(); });
        DiagnosticBuilder message = context.diag.error(most->span, msg::too_many_threads,
                                                       words_for(kernel), threads, most_threads);
        std::int64_t taken = 0;
        for (const Role& role : kernel.roles) {
            taken += 32 * role.warps();
            const std::string words = fmt::format("{} threads", 32 * role.warps());
            if (&role == &*most) message.primary(words);
            else message.label(role.span, words);
        }
        if (taken != threads)
            message.note(
                "a block is whole warpgroups of 128 threads, and no role of warps lies in two");
        message.help("give a role fewer warps or warpgroups");
    }
    return threads / 128;
}

std::int64_t barriers_of(const Role& role) {
    return (role.first_barrier != 0 ? role.warpgroups() + 1 : 0) +
           (role.first_turn != 0 ? role.warpgroups() : 0);
}

void assign_barriers(PassContext& context, Kernel& kernel) {
    std::int64_t next = 1;
    for (Role& role : kernel.roles) {
        bool meets = false;
        bool takes_turns = false;
        walk_only<Barrier>(role.body, [&](const Barrier&) { meets = true; });
        walk_only<Reduce>(role.body, [&](const Reduce& r) {
            meets = meets || r.axis == 0 || meets_in_rows(role);
        });
        walk_only<Scan>(role.body, [&](const Scan&) { meets = meets || meets_in_rows(role); });
        walk_only<Transpose>(role.body, [&](const Transpose&) { meets = true; });
        walk_only<TakeTurn>(role.body, [&](const TakeTurn&) { takes_turns = true; });
        if (meets) {
            role.first_barrier = next;
            next += role.warpgroups() + 1;
        }
        if (takes_turns) {
            role.first_turn = next;
            next += role.warpgroups();
        }
    }
    if (next > most_barriers) {
        const auto most = std::max_element(
            kernel.roles.begin(), kernel.roles.end(),
            [](const Role& a, const Role& b) { return barriers_of(a) < barriers_of(b); });
        DiagnosticBuilder message = context.diag.error(most->span, msg::too_many_barriers,
                                                       words_for(kernel), next, most_barriers);
        for (const Role& role : kernel.roles) {
            const std::string words = fmt::format("{} barriers", barriers_of(role));
            if (&role == &*most) message.primary(words);
            else if (barriers_of(role) > 0) message.label(role.span, words);
        }
        message
            .note(
                "the block takes one; a role whose threads meet, to share tiles, to store by TMA "
                "or "
                "to reduce along the rows, takes one for each warpgroup and one more; `pingpong` "
                "takes one for each warpgroup")
            .help("make one role of several such roles, or give them fewer warpgroups");
    }
}

/// What a service role needs: two TMA loads of matrices run in the least that setmaxnreg can set;
/// further ones, further pipelines, grids of three axes and clusters have addresses and coordinates
/// of their own; copying cell by cell holds addresses, bounds and strides in 64 bits. Beside three
/// warpgroups 32 leave each of them 160 instead of 152; beside two nothing is gained between 24
/// and 40.
std::int64_t service_need(const Kernel& kernel, const Role& role, std::int64_t compute_warpgroups) {
    // A role of warps that holds tiles beside warpgroups: room for them, and for addresses.
    if (const std::int64_t tiles = tile_registers(role); tiles > 0) return (tiles + 48 + 7) / 8 * 8;
    bool copies = false;
    walk_only<CopyLoad>(role.body, [&](const CopyLoad&) { copies = true; });
    if (copies) return 56;
    std::int64_t loads = 0;
    std::set<std::string> pipelines;
    walk_only<TmaLoad>(role.body, [&](const TmaLoad& l) {
        ++loads;
        pipelines.insert(l.pipeline);
    });
    const bool alone = cluster_size(kernel) == 1;
    const bool small = alone && loads <= 2 && pipelines.size() <= 1 && kernel.grid.size() <= 2;
    const bool medium = alone && loads <= 6 && pipelines.size() <= 3 && kernel.grid.size() <= 3;
    if (compute_warpgroups >= 3) return small || medium ? 32 : 40;
    return small ? 24 : 40;
}

struct Warpgroup {  // one warpgroup of the block
    std::vector<Role*> roles;
    bool service = false;
    std::int64_t need = 0;
    std::int64_t said = 0;
};

std::vector<Warpgroup> groups_of(Kernel& kernel, std::int64_t warpgroups, std::int64_t compute) {
    std::vector<Warpgroup> groups(static_cast<std::size_t>(warpgroups));
    for (Role& role : kernel.roles) {
        for (std::int64_t w = role.first_warp / 4; w < (role.first_warp + role.warps() + 3) / 4;
             ++w) {
            Warpgroup& group = groups[static_cast<std::size_t>(w)];
            group.roles.push_back(&role);
            group.service = role.unit == Unit::warp;
            if (group.service)
                group.need = std::max(group.need, service_need(kernel, role, compute));
            group.said = std::max(group.said, role.registers);
        }
    }
    return groups;
}

/// The carets point at the role that asks for most.
void report_pool(PassContext& context, const Kernel& kernel, const std::vector<Warpgroup>& groups,
                 std::int64_t pool) {
    const auto asked = [](const Role& role) {
        return role.registers * std::max<std::int64_t>(role.warpgroups(), 1);
    };
    const auto most =
        std::max_element(kernel.roles.begin(), kernel.roles.end(),
                         [&](const Role& a, const Role& b) { return asked(a) < asked(b); });
    DiagnosticBuilder message = context.diag.error(
        most->span, msg::register_pool, words_for(kernel), pool,
        fmt::format("{} warpgroup{}", groups.size(), groups.size() == 1 ? "" : "s"),
        128 * groups.size());
    std::int64_t others = 0;  // what the others take, the least where they say nothing
    for (const Warpgroup& g : groups) {
        const bool own = std::find(g.roles.begin(), g.roles.end(), &*most) != g.roles.end();
        if (!own) others += g.said != 0 ? g.said : g.service ? g.need : 24;
    }
    for (const Role& role : kernel.roles) {
        const auto group = std::find_if(groups.begin(), groups.end(), [&](const Warpgroup& g) {
            return std::find(g.roles.begin(), g.roles.end(), &role) != g.roles.end();
        });
        const std::int64_t times = std::max<std::int64_t>(role.warpgroups(), 1);
        const std::string count = times == 1 ? "" : fmt::format("{} x ", times);
        std::string words = fmt::format("takes {}24 at least", count);
        if (role.registers != 0) words = fmt::format("asks for {}{}", count, role.registers);
        else if (group->said != 0) words = fmt::format("its warpgroup has {}", group->said);
        else if (group->service) words = fmt::format("needs {}", group->need);
        if (&role == &*most) message.primary(words);
        else message.label(role.span, words);
    }
    const std::int64_t left =
        round_down_to_8((pool - others) / std::max<std::int64_t>(most->warpgroups(), 1));
    if (left >= 24) message.help("write `registers({})` at `{}`", left, most->name);
    else message.help("lower a `registers(n)`");
}

void assign_registers(PassContext& context, Kernel& kernel, std::int64_t warpgroups) {
    const std::int64_t entry =
        std::min<std::int64_t>(round_down_to_8(register_file / (128 * warpgroups)), 255);
    kernel.entry_registers = entry;
    std::int64_t compute = 0;
    for (const Role& role : kernel.roles) compute += role.warpgroups();
    std::vector<Warpgroup> groups = groups_of(kernel, warpgroups, compute);
    const bool any_service =
        std::any_of(groups.begin(), groups.end(), [](const Warpgroup& g) { return g.service; });
    const bool any_said =
        std::any_of(groups.begin(), groups.end(), [](const Warpgroup& g) { return g.said != 0; });
    if (compute == 0 || (!any_service && !any_said))
        return;  // everyone keeps what the launch gives

    std::int64_t pool = round_down_to_8(entry) * warpgroups;
    std::int64_t sharers = 0;
    for (const Warpgroup& g : groups) {
        if (g.said != 0) {
            pool -= g.said;
        } else if (g.service) {
            pool -= g.need;
        } else {
            ++sharers;
        }
    }
    const std::int64_t share =
        sharers == 0 ? 0 : std::min(round_down_to_8(pool / sharers), most_registers);
    if (pool < 0 || (sharers > 0 && share < 24)) {
        report_pool(context, kernel, groups, round_down_to_8(entry) * warpgroups);
        return;
    }
    for (Warpgroup& g : groups) {
        const std::int64_t registers = g.said != 0 ? g.said : g.service ? g.need : share;
        for (Role* role : g.roles) role->registers = registers;
    }
}

/// Whether rows may end within a vector, whose cells then move one by one: each with an address and
/// a condition of its own.
bool has_ragged_rows(const Kernel& kernel, const Role& role) {
    bool found = false;
    const auto look = [&](const Slice& slice, Value tile, bool vectors) {
        std::int64_t extent = 0;
        const Range& last = slice.ranges.back();
        const Scalar end = find_tensor(kernel, slice.tensor)->extents.back();
        std::int64_t begin = 0;
        const bool known = is_constant(with_constants(kernel, end), &extent) && !last.edge &&
                           (!last.base || is_constant(with_constants(kernel, last.base), &begin));
        const bool whole =
            known && begin + last.length <= extent && last.length % role.row_vector == 0;
        found = found || (vectors && role.tile(tile).cols != 1 && !whole);
    };
    walk_only<LoadCells>(
        role.body, [&](const LoadCells& load) { look(load.source, load.result, load.vectors); });
    walk_only<StoreCells>(role.body, [&](const StoreCells& store) {
        look(store.target, store.source, store.vectors);
    });
    return found;
}

/// What nvcc computes once for several maps and holds between them: long formulas of the places of
/// cells, as of random numbers.
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

/// The most matrices that one block loads, one after the other.
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

/// What the loads of the further steps of unrolled loops take.
std::int64_t unrolled_registers(const Role& role) {
    std::int64_t most = 0;
    walk_only<For>(role.body, [&](const For& loop) {
        std::int64_t loads = 0;
        walk_only<LoadCells>(loop.body, [&](const LoadCells& load) {
            loads += registers_of(role, role[load.result]);
        });
        most = std::max(most, (std::max<std::int64_t>(loop.depth, 1) - 1) * loads);
    });
    return most;
}

/// Where all roles are of warps, memory is what is waited for, and the more blocks of a
/// multiprocessor have loads in flight, the less. The registers are divided among as many as hold
/// their tiles.
void choose_blocks(Kernel& kernel) {
    if (kernel.general) return;  // cell by cell, addresses take what registers there are
    std::int64_t threads = 0;
    std::int64_t need = 0;
    for (const Role& role : kernel.roles) {
        if (role.unit == Unit::warpgroup || role.registers != 0) return;
        // Tiles that pass through shared memory cell by cell have an address for each.
        bool many_addresses = false;
        walk_only<ReadShared>(role.body, [&](const ReadShared&) { many_addresses = true; });
        walk_only<WriteTile>(role.body, [&](const WriteTile&) { many_addresses = true; });
        if (many_addresses) return;
        threads = std::max(threads, 32 * (role.first_warp + role.warps()));
        // What a few operations hold meanwhile, and an address for each tensor: as measured on
        // norms and softmax, the least that ptxas did without spilling.
        std::int64_t addresses = 8;  // and the program, the thread
        for (const Tensor& tensor : kernel.tensors) addresses += tensor.extents.size() < 4 ? 2 : 3;
        addresses += 2 + 6 * std::max<std::int64_t>(matrices_loaded(role, role.body) - 1, 0);
        std::int64_t edges = has_ragged_rows(kernel, role) ? 24 : 0;
        // What is on its way through shared memory, and the sums of vectors.
        walk_only<Reduce>(role.body, [&](const Reduce& r) {
            if (r.axis != 0) return;  // else each cell of the result has an address
            edges = std::max<std::int64_t>(edges, 16 + registers_of(role, role[r.result]));
        });
        walk_only<Transpose>(role.body, [&](const Transpose& t) {
            edges = std::max<std::int64_t>(edges, bytes(role.tile(t.source).dtype) == 1 ? 56 : 16);
        });
        walk_only<Scan>(role.body, [&](const Scan&) { edges = std::max<std::int64_t>(edges, 24); });
        need = std::max(need, tile_registers(role) + place_registers(role) +
                                  unrolled_registers(role) + addresses + edges);
    }
    constexpr std::int64_t least = 48;
    need = std::max(need, least);
    const auto share = [&](std::int64_t blocks) {
        return round_down_to_8(register_file / (threads * blocks));
    };
    std::int64_t blocks = 1;
    const std::int64_t memory = kernel.shared_bytes + 1024;  // the system takes 1 KiB of each block
    while (blocks < 32 && (blocks + 1) * threads <= 2048 && share(blocks + 1) >= need &&
           (blocks + 1) * memory <= 233'472) {
        ++blocks;
    }
    kernel.blocks = blocks;
    kernel.entry_registers = std::min<std::int64_t>(share(blocks), 255);
}

/// Tiles that cannot fit whatever ptxas does would be moved to memory at every step.
void check_registers(PassContext& context, const Kernel& kernel) {
    for (const Role& role : kernel.roles) {
        const std::int64_t available =
            role.registers != 0 ? role.registers : kernel.entry_registers;
        const std::int64_t tiles = tile_registers(role);
        if (tiles + 8 <= available) continue;
        context.diag
            .error(role.span, msg::too_many_registers, role.name,
                   tiles + other_registers(kernel, role), available)
            .help("give the role more warpgroups, or make its tiles smaller");
    }
}

}  // namespace

void plan_threads(PassContext& context, Module& module) {
    for (Kernel& kernel : module.kernels) {
        if (kernel.general && context.diag.has_errors()) continue;  // the fast one was told
        const std::int64_t warpgroups = place_roles(context, kernel);
        if (warpgroups == 0 || context.diag.has_errors()) continue;
        assign_barriers(context, kernel);
        assign_registers(context, kernel, warpgroups);
        choose_blocks(kernel);
        check_registers(context, kernel);
    }
}

}  // namespace tkc::lowering
