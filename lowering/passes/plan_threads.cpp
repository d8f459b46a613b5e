// Lays the roles out over warps, and divides named barriers and registers among them.
//
// Roles of warpgroups come first, at multiples of four warps as wgmma and setmaxnreg ask for;
// service roles of warps are packed behind them and the block is rounded up to whole warpgroups,
// since setmaxnreg counts by warpgroup.
//
// Registers: a block of T threads starts with floor8(65536 / T) each (what ptxas assigns under
// __launch_bounds__(T, 1), at most 255), and that pool is all there is: the sum over warpgroups may
// not exceed it, or an increase waits for ever, which ptxas does not say. Service warpgroups give
// up what they do not need. The others share it equally by multiples of 8; where that is too little
// for one of them, it gets what its tiles take, and the rest share what is left.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "ir/contract.h"
#include "ir/reduction.h"
#include "ir/walk.h"
#include "lowering/passes.h"
#include "lowering/register_estimate.h"
#include "lowering/shared_memory_plan.h"

namespace tkc::lowering {

namespace {

using namespace ir;

// Returns the number of warpgroups of the block.
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
    const std::int64_t most_threads = target_of(kernel).limits.threads_of_block;
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
        walk(role.body, [&](const Op& op) {
            meets = meets || as<Barrier>(op) != nullptr || warps_meet(role, op);
        });
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
    const std::int64_t most_barriers = target_of(kernel).limits.barriers_of_block;
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

// What a service role needs: two TMA loads of matrices run in the least that setmaxnreg can set;
// further ones, further pipelines, grids of three axes and clusters have addresses and coordinates
// of their own; copying cell by cell holds addresses, bounds and strides in 64 bits. Beside three
// warpgroups 32 leave each of them 160 instead of 152; beside two nothing is gained between 24
// and 40.
std::int64_t service_need(const Kernel& kernel, const Role& role, std::int64_t compute_warpgroups) {
    // A role of warps that holds tiles beside warpgroups: room for them, and for addresses. What no
    // thread can have is told afterwards (check_registers).
    if (const std::int64_t tiles = tile_registers(role); tiles > 0)
        return std::min((tiles + 48 + 7) / 8 * 8, target_of(kernel).limits.most_reallocated);
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

// What a role of warpgroups is comfortable with.
std::int64_t compute_need(const Kernel& kernel, const Role& role) {
    const std::int64_t need = tile_registers(role) + other_registers(kernel, role);
    const TargetLimits& limits = target_of(kernel).limits;
    return std::clamp((need + 7) / 8 * 8, limits.least_reallocated, limits.most_reallocated);
}

struct Warpgroup {  // one warpgroup of the block
    std::vector<Role*> roles;
    bool service = false;
    std::int64_t need = 0;
    std::int64_t said = 0;
};

struct Share {  // what a role of warpgroups gets, for each of them
    Role* role = nullptr;
    std::int64_t warpgroups = 0;
    std::int64_t need = 0;
    std::int64_t registers = 0;
};

std::vector<Warpgroup> groups_of(Kernel& kernel, std::int64_t warpgroups, std::int64_t compute) {
    std::vector<Warpgroup> groups(static_cast<std::size_t>(warpgroups));
    for (Role& role : kernel.roles) {
        for (std::int64_t w = role.first_warp / 4; w < (role.first_warp + role.warps() + 3) / 4;
             ++w) {
            Warpgroup& group = groups[static_cast<std::size_t>(w)];
            group.roles.push_back(&role);
            group.service = role.unit == Unit::warp;
            group.need = std::max(group.need, group.service ? service_need(kernel, role, compute)
                                                            : compute_need(kernel, role));
            group.said = std::max(group.said, role.registers);
        }
    }
    return groups;
}

// The carets point at the role that asks for most.
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
    if (left >= target_of(kernel).limits.least_reallocated)
        message.help("write `registers({})` at `{}`", left, most->name);
    else message.help("lower a `registers(n)`");
}

// Divides `pool` among the roles of warpgroups: equally, but where that is too little for one of
// them, it gets what it needs if the others can spare it. False where there is not enough for
// anyone to run.
bool share_registers(std::vector<Share>& shares, std::int64_t pool, const TargetLimits& limits) {
    std::int64_t warpgroups = 0;
    std::int64_t needed = 0;
    for (const Share& s : shares) {
        warpgroups += s.warpgroups;
        needed += s.need * s.warpgroups;
    }
    if (warpgroups == 0) return true;
    const auto equal = [&] {
        return std::min(round_down_to_8(pool / warpgroups), limits.most_reallocated);
    };
    const bool enough = std::all_of(shares.begin(), shares.end(),
                                    [&](const Share& s) { return s.need <= equal(); });
    // Who needs most comes first, and the others divide what is left.
    std::stable_sort(shares.begin(), shares.end(),
                     [](const Share& a, const Share& b) { return a.need > b.need; });
    const bool by_need = !enough && needed <= pool;
    const std::int64_t share = equal();
    for (Share& s : shares) {
        s.registers = by_need ? std::max(equal(), s.need) : share;
        if (s.registers < limits.least_reallocated) return false;
        pool -= s.registers * s.warpgroups;
        warpgroups -= s.warpgroups;
        if (warpgroups == 0) break;
    }
    return true;
}

void assign_registers(PassContext& context, Kernel& kernel, std::int64_t warpgroups) {
    const TargetLimits& limits = target_of(kernel).limits;
    const std::int64_t entry = std::min(round_down_to_8(limits.registers / (128 * warpgroups)),
                                        limits.registers_of_thread);
    kernel.entry_registers = entry;
    std::int64_t compute = 0;
    for (const Role& role : kernel.roles) compute += role.warpgroups();
    std::vector<Warpgroup> groups = groups_of(kernel, warpgroups, compute);
    const bool any_service =
        std::any_of(groups.begin(), groups.end(), [](const Warpgroup& g) { return g.service; });
    const bool any_said =
        std::any_of(groups.begin(), groups.end(), [](const Warpgroup& g) { return g.said != 0; });
    if (compute == 0 || (!any_service && !any_said) || !target_of(kernel).features.reallocation)
        return;  // everyone keeps what the launch gives

    std::int64_t pool = round_down_to_8(entry) * warpgroups;
    std::vector<Share> shares;
    for (const Warpgroup& g : groups) {
        if (g.said != 0 || g.service) {
            pool -= g.said != 0 ? g.said : g.need;
        } else if (!shares.empty() && shares.back().role == g.roles.front()) {
            ++shares.back().warpgroups;
        } else {
            shares.push_back({g.roles.front(), 1, g.need, 0});
        }
    }
    if (pool < 0 || !share_registers(shares, pool, limits)) {
        report_pool(context, kernel, groups, round_down_to_8(entry) * warpgroups);
        return;
    }
    for (const Share& s : shares) s.role->registers = s.registers;
    for (const Warpgroup& g : groups) {
        if (g.said == 0 && !g.service) continue;
        for (Role* role : g.roles) role->registers = g.said != 0 ? g.said : g.need;
    }
}

// What to write so that the role has room for its tiles: more registers for it, where the others
// leave them; or fewer for a role that was given more than it needs. Empty: neither is enough.
std::string proposal(const Kernel& kernel, const Role& role, const std::set<std::string>& said) {
    const TargetLimits& limits = target_of(kernel).limits;
    std::int64_t compute = 0;
    std::int64_t threads = 0;
    for (const Role& r : kernel.roles) {
        compute += r.warpgroups();
        threads = std::max(threads, 32 * (r.first_warp + r.warps()));
    }
    const std::int64_t warpgroups = (threads + 127) / 128;
    if (role.unit != Unit::warpgroup || warpgroups == 0) return "";
    const std::int64_t pool = round_down_to_8(kernel.entry_registers) * warpgroups;
    const std::int64_t least = tile_registers(role) + 8;
    const auto left_for = [&](const Role* lowered) {
        std::int64_t others = 0;
        for (std::int64_t w = 0; w < warpgroups; ++w) {
            std::int64_t taken = limits.least_reallocated;
            bool own = false;
            for (const Role& r : kernel.roles) {
                if (w < r.first_warp / 4 || w >= (r.first_warp + r.warps() + 3) / 4) continue;
                own = own || &r == &role;
                const std::int64_t need = r.unit == Unit::warp ? service_need(kernel, r, compute)
                                                               : compute_need(kernel, r);
                const bool fixed = said.contains(r.name) && &r != lowered;
                taken = std::max(taken, fixed ? r.registers : need);
            }
            others += own ? 0 : taken;
        }
        return std::min(round_down_to_8((pool - others) / role.warpgroups()),
                        limits.most_reallocated);
    };
    if (const std::int64_t room = left_for(nullptr); said.contains(role.name) && room >= least)
        return fmt::format("write `registers({})`", std::min(room, compute_need(kernel, role)));
    for (const Role& other : kernel.roles) {
        if (&other == &role || !said.contains(other.name) || left_for(&other) < least) continue;
        const std::int64_t need = other.unit == Unit::warp ? service_need(kernel, other, compute)
                                                           : compute_need(kernel, other);
        return fmt::format("write `registers({})` at `{}`, which needs no more", need, other.name);
    }
    return "";
}

// Tiles that cannot fit whatever ptxas does would be moved to memory at every step.
void check_registers(PassContext& context, const Kernel& kernel,
                     const std::set<std::string>& said) {
    for (const Role& role : kernel.roles) {
        const std::int64_t available =
            role.registers != 0 ? role.registers : kernel.entry_registers;
        const std::int64_t tiles = tile_registers(role);
        if (tiles + 8 <= available) continue;
        const std::string better = proposal(kernel, role, said);
        context.diag
            .error(role.span, msg::too_many_registers, role.name,
                   tiles + other_registers(kernel, role), available)
            .help("{}", better.empty() ? "give the role more warpgroups, or make its tiles smaller"
                                       : better);
    }
}

}  // namespace

void plan_threads(PassContext& context, Module& module) {
    for (Kernel& kernel : module.kernels) {
        if (!kernel.general_of.empty() && context.has_errors()) continue;  // the fast one was told
        const std::int64_t warpgroups = place_roles(context, kernel);
        if (warpgroups == 0 || context.has_errors()) continue;
        std::set<std::string> said;  // roles whose author gave them registers
        for (const Role& role : kernel.roles) {
            if (role.registers != 0) said.insert(role.name);
        }
        assign_barriers(context, kernel);
        assign_registers(context, kernel, warpgroups);
        choose_blocks(kernel);
        check_registers(context, kernel, said);
    }
}

}  // namespace tkc::lowering
