// Divides the registers of a block among its roles, and says where a role has too few for its
// tiles.
//
// Registers: a block of T threads starts with floor8(65536 / T) each (what ptxas assigns under
// __launch_bounds__(T, 1), at most 255), and that pool is all there is: the sum over warpgroups may
// not exceed it, or an increase hangs, which ptxas does not say. Service warpgroups give
// up what they do not need. The others share it equally by multiples of 8; where that is too little
// for one of them, it gets what it needs, and the rest share what is left. Where there is not
// enough for that, all have what their tiles take, and what is left goes where it is scarcest.
#include "lowering/registers/role_registers.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "ir/contract.h"
#include "ir/walk.h"
#include "lowering/registers/register_estimate.h"
#include "lowering/shared_memory_plan.h"
#include "lowering/warp_grid.h"

namespace tkc::lowering {

namespace {

using namespace ir;

// What a service role needs; the others share the rest.
std::int64_t service_need(const Kernel& kernel, const Role& role) {
    const TargetLimits& limits = target_of(kernel).limits;
    // A role of warps that holds tiles next to warpgroups: room for them, and for addresses. What
    // no thread can have is told afterwards (check_registers).
    const std::int64_t tiles = tile_registers(role);
    const std::int64_t need =
        tiles > 0 ? tiles + limits.cell_registers : service_registers(kernel, role);
    return std::clamp(round_up_to_8(need), limits.least_reallocated, limits.most_reallocated);
}

// What a role of warpgroups, or of warps that multiply, is comfortable with.
std::int64_t compute_need(const Kernel& kernel, const Role& role) {
    const TargetLimits& limits = target_of(kernel).limits;
    return std::clamp(round_up_to_8(all_registers(kernel, role)), limits.least_reallocated,
                      limits.most_reallocated);
}

// Roles of warps serve the others, but for those that multiply, have warpgroups of their own, and
// too few registers if all roles have as many.
bool computes(const Kernel& kernel, const Role& role) {
    if (role.unit == Unit::warpgroup) return true;
    return multiplies_by_warps(role) && role.width % warps_of_warpgroup == 0 &&
           compute_need(kernel, role) > kernel.entry_registers;
}

std::int64_t need_of(const Kernel& kernel, const Role& role) {
    return computes(kernel, role) ? compute_need(kernel, role) : service_need(kernel, role);
}

// Warpgroups of the roles that compute.
std::int64_t compute_warpgroups(const Kernel& kernel) {
    std::int64_t count = 0;
    for (const Role& role : kernel.roles)
        count += computes(kernel, role) ? role.all_warps() / warps_of_warpgroup : 0;
    return count;
}

bool lies_in(const Role& role, std::int64_t warpgroup) {
    return warpgroup >= role.first_warp / 4 && warpgroup < (role.end_warp() + 3) / 4;
}

// With fewer its tiles do not fit, whatever ptxas does: it needs some for addresses, too.
constexpr std::int64_t beside_tiles = 8;
std::int64_t least_of(const Role& role) { return tile_registers(role) + beside_tiles; }

struct Warpgroup {  // one warpgroup of the block
    std::vector<Role*> roles;
    bool service = false;
    std::int64_t need = 0;
    std::int64_t least = 0;
    std::int64_t said = 0;
};

struct RoleShare {  // what a role of warpgroups gets, for each of them
    Role* role = nullptr;
    std::int64_t warpgroups = 0;
    std::int64_t need = 0;
    std::int64_t least = 0;  // with fewer its tiles do not fit
    std::int64_t registers = 0;
};

std::vector<Warpgroup> groups_of(Kernel& kernel, std::int64_t warpgroups) {
    std::vector<Warpgroup> groups(static_cast<std::size_t>(warpgroups));
    for (Role& role : kernel.roles) {
        for (std::int64_t w = role.first_warp / 4; w < (role.end_warp() + 3) / 4; ++w) {
            Warpgroup& group = groups[static_cast<std::size_t>(w)];
            group.roles.push_back(&role);
            group.service = !computes(kernel, role);
            group.need = std::max(group.need, need_of(kernel, role));
            group.least = std::max(group.least, round_up_to_8(least_of(role)));
            group.said = std::max(group.said, role.registers);
        }
    }
    return groups;
}

// The carets point at the role that asks for most.
void report_pool(PassContext& context, const Kernel& kernel, const std::vector<Warpgroup>& groups,
                 std::int64_t pool) {
    const auto asked = [](const Role& role) {
        return role.registers * std::max<std::int64_t>(role.all_warpgroups(), 1);
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
        const std::int64_t times = std::max<std::int64_t>(role.all_warpgroups(), 1);
        const std::string count = times == 1 ? "" : fmt::format("{} x ", times);
        std::string words = fmt::format("needs at least {}24", count);
        if (role.registers != 0) words = fmt::format("requests {}{}", count, role.registers);
        else if (group->said != 0) words = fmt::format("its warpgroup has {}", group->said);
        else if (group->service) words = fmt::format("needs {}", group->need);
        if (&role == &*most) message.primary(words);
        else message.label(role.span, words);
    }
    const std::int64_t left =
        round_down_to_8((pool - others) / std::max<std::int64_t>(most->all_warpgroups(), 1));
    if (left >= target_of(kernel).limits.least_reallocated)
        message.help("write `registers({})` on `{}`", left, most->name);
    else message.help("lower a `registers(n)`");
}

// Gives each role what its tiles take, and what is left of `pool` by eights to the role that has
// the smallest part of what it needs. False where the tiles take more than there is.
bool share_least(std::vector<RoleShare>& shares, std::int64_t pool, const TargetLimits& limits) {
    for (RoleShare& s : shares) {
        s.registers = std::clamp(s.least, limits.least_reallocated, limits.most_reallocated);
        pool -= s.registers * s.warpgroups;
    }
    if (pool < 0) return false;
    for (;;) {
        RoleShare* poorest = nullptr;
        for (RoleShare& s : shares) {
            if (s.registers >= s.need || 8 * s.warpgroups > pool) continue;
            if (poorest == nullptr || s.registers * poorest->need < poorest->registers * s.need)
                poorest = &s;
        }
        if (poorest == nullptr) return true;
        poorest->registers += 8;
        pool -= 8 * poorest->warpgroups;
    }
}

// Divides `pool` among the roles of warpgroups: equally, but where that is too little for one of
// them, it gets what it needs if the others can spare it, or at least what its tiles take. False
// where there is not enough for anyone to run.
bool share_registers(std::vector<RoleShare>& shares, std::int64_t pool,
                     const TargetLimits& limits) {
    std::int64_t warpgroups = 0;
    std::int64_t needed = 0;
    for (const RoleShare& s : shares) {
        warpgroups += s.warpgroups;
        needed += s.need * s.warpgroups;
    }
    if (warpgroups == 0) return true;
    const auto equal = [&] {
        return std::min(round_down_to_8(pool / warpgroups), limits.most_reallocated);
    };
    const bool enough = std::all_of(shares.begin(), shares.end(),
                                    [&](const RoleShare& s) { return s.need <= equal(); });
    // Who needs most comes first, and the others divide what is left.
    std::stable_sort(shares.begin(), shares.end(),
                     [](const RoleShare& a, const RoleShare& b) { return a.need > b.need; });
    const bool by_need = !enough && needed <= pool;
    const bool fits = std::all_of(shares.begin(), shares.end(),
                                  [&](const RoleShare& s) { return s.least <= equal(); });
    if (!by_need && !fits && share_least(shares, pool, limits)) return true;
    const std::int64_t share = equal();
    for (RoleShare& s : shares) {
        s.registers = by_need ? std::max(equal(), s.need) : share;
        if (s.registers < limits.least_reallocated) return false;
        pool -= s.registers * s.warpgroups;
        warpgroups -= s.warpgroups;
        if (warpgroups == 0) break;
    }
    return true;
}

// In general variants roles that copy cell by cell yield registers to those that multiply: what is
// kept in memory costs the former little, and would serialize the products of the latter.
void yield_to_products(std::vector<Warpgroup>& groups, std::int64_t pool, std::int64_t least) {
    const auto needed = [&] {
        std::int64_t sum = 0;
        for (const Warpgroup& g : groups) sum += g.said != 0 ? g.said : g.need;
        return sum;
    };
    for (bool yielded = true; yielded && needed() > pool;) {
        yielded = false;
        for (Warpgroup& g : groups) {
            if (!g.service || g.said != 0 || g.need - 8 < least) continue;
            g.need -= 8;
            yielded = true;
        }
    }
}

// What cannot be divided among the warpgroups that compute goes to a warpgroup of services: less
// than 8 for each of them, or all that is left where they have the most that a thread can have.
void give_what_is_left(std::vector<Warpgroup>& groups, const std::vector<RoleShare>& shares,
                       std::int64_t pool, const TargetLimits& limits) {
    std::int64_t warpgroups = 0;
    bool full = true;
    for (const RoleShare& s : shares) {
        pool -= s.registers * s.warpgroups;
        warpgroups += s.warpgroups;
        full = full && s.registers == limits.most_reallocated;
    }
    if (warpgroups != 0 && !full) pool %= 8 * warpgroups;
    for (Warpgroup& g : groups) {
        if (!g.service || g.said != 0 || pool < 8) continue;
        g.need = std::min(g.need + round_down_to_8(pool), limits.most_reallocated);
        return;
    }
}

void assign_registers(PassContext& context, Kernel& kernel, std::int64_t warpgroups) {
    const TargetLimits& limits = target_of(kernel).limits;
    const std::int64_t entry = std::min(round_down_to_8(limits.registers / (128 * warpgroups)),
                                        limits.registers_of_thread);
    kernel.entry_registers = entry;
    const std::int64_t compute = compute_warpgroups(kernel);
    std::vector<Warpgroup> groups = groups_of(kernel, warpgroups);
    const bool any_service =
        std::any_of(groups.begin(), groups.end(), [](const Warpgroup& g) { return g.service; });
    const bool any_said =
        std::any_of(groups.begin(), groups.end(), [](const Warpgroup& g) { return g.said != 0; });
    if (compute == 0 || (!any_service && !any_said) || !target_of(kernel).features.reallocation)
        return;  // everyone keeps what the launch gives

    std::int64_t pool = round_down_to_8(entry) * warpgroups;
    if (!kernel.general_of.empty()) yield_to_products(groups, pool, limits.least_reallocated);
    std::vector<RoleShare> shares;
    for (const Warpgroup& g : groups) {
        if (g.said != 0 || g.service) {
            pool -= g.said != 0 ? g.said : g.need;
        } else if (!shares.empty() && shares.back().role == g.roles.front()) {
            ++shares.back().warpgroups;
        } else {
            shares.push_back({g.roles.front(), 1, g.need, g.least, 0});
        }
    }
    if (pool < 0 || !share_registers(shares, pool, limits)) {
        report_pool(context, kernel, groups, round_down_to_8(entry) * warpgroups);
        return;
    }
    for (const RoleShare& s : shares) s.role->registers = s.registers;
    give_what_is_left(groups, shares, pool, limits);
    for (const Warpgroup& g : groups) {
        if (g.said == 0 && !g.service) continue;
        for (Role* role : g.roles) role->registers = g.said != 0 ? g.said : g.need;
    }
}

// What is left for each warpgroup of `role` where the others have what their authors gave them,
// `lowered` apart, or else what they need.
std::int64_t left_for(const Kernel& kernel, const Role& role, std::int64_t warpgroups,
                      const std::set<std::string>& said, const Role* lowered) {
    const TargetLimits& limits = target_of(kernel).limits;
    std::int64_t left = round_down_to_8(kernel.entry_registers) * warpgroups;
    for (std::int64_t w = 0; w < warpgroups; ++w) {
        if (lies_in(role, w)) continue;
        std::int64_t taken = limits.least_reallocated;
        for (const Role& other : kernel.roles) {
            if (!lies_in(other, w)) continue;
            const bool fixed = said.contains(other.name) && &other != lowered;
            taken = std::max(taken, fixed ? other.registers : need_of(kernel, other));
        }
        left -= taken;
    }
    return std::min(round_down_to_8(left / role.all_warpgroups()), limits.most_reallocated);
}

// What to write so that the role has room for its tiles: more registers for it, where the others
// leave them; or fewer for a role that was given more than it needs; or a wider role.
std::string proposal(const Kernel& kernel, const Role& role, std::int64_t warpgroups,
                     const std::set<std::string>& said) {
    if (role.unit == Unit::warp) return "give the role more warps, or make its tiles smaller";
    const std::int64_t least = least_of(role);
    const std::int64_t room = left_for(kernel, role, warpgroups, said, nullptr);
    if (said.contains(role.name) && room >= least)
        return fmt::format("write `registers({})`", std::min(room, compute_need(kernel, role)));
    for (const Role& other : kernel.roles) {
        const bool helps = &other != &role && said.contains(other.name) &&
                           left_for(kernel, role, warpgroups, said, &other) >= least;
        if (!helps) continue;
        return fmt::format("write `registers({})` on `{}`, which needs no more",
                           need_of(kernel, other), other.name);
    }
    return "give the role more warpgroups, or make its tiles smaller";
}

// Tiles that cannot fit whatever ptxas does would be moved to memory at every step.
void check_registers(PassContext& context, const Kernel& kernel, std::int64_t warpgroups,
                     const std::set<std::string>& said) {
    for (const Role& role : kernel.roles) {
        const std::int64_t available =
            role.registers != 0 ? role.registers : kernel.entry_registers;
        std::int64_t tiles = tile_registers(role);
        // Not all of a tile of warps need be there at once.
        if (role.unit == Unit::warp) tiles = std::min(tiles, nvcc_registers(role, false).most);
        if (tiles + beside_tiles <= available) continue;
        const bool all = role.unit == Unit::warpgroup || multiplies_by_warps(role);
        context.diag
            .error(role.span, msg::too_many_registers, role.name,
                   all ? all_registers(kernel, role) : tiles + other_registers(kernel, role),
                   available)
            .help("{}", proposal(kernel, role, warpgroups, said));
    }
}

}  // namespace

void plan_registers(PassContext& context, Kernel& kernel, std::int64_t warpgroups) {
    std::set<std::string> said;  // roles whose author gave them registers
    for (const Role& role : kernel.roles) {
        if (role.registers != 0) said.insert(role.name);
    }
    assign_registers(context, kernel, warpgroups);
    choose_blocks(context, kernel);
    check_registers(context, kernel, warpgroups, said);
}

}  // namespace tkc::lowering
