// Assigns warps to roles, and divides named barriers among them; role_registers.cpp divides
// registers.
//
// Roles of warpgroups come first, at multiples of four warps as wgmma and setmaxnreg require;
// service roles of warps follow, and the block is rounded up to whole warpgroups, since setmaxnreg
// counts by warpgroup.
#include <fmt/format.h>

#include <algorithm>

#include "ir/contract.h"
#include "ir/walk.h"
#include "lowering/passes.h"
#include "lowering/registers/role_registers.h"
#include "lowering/shared_memory_plan.h"
#include "tiles/reduction.h"

namespace tkc::lowering {

namespace {

using namespace ir;

// Returns the number of warpgroups of the block.
std::int64_t place_roles(PassContext& context, Kernel& kernel) {
    std::int64_t warp = 0;
    for (Role& role : kernel.roles) {
        if (role.unit != Unit::warpgroup) continue;
        role.first_warp = warp;
        warp += role.all_warps();
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
        const auto most = std::max_element(
            kernel.roles.begin(), kernel.roles.end(),
            [](const Role& a, const Role& b) { return a.all_warps() < b.all_warps(); });
        DiagnosticBuilder message = context.diag.error(most->span, msg::too_many_threads,
                                                       words_for(kernel), threads, most_threads);
        std::int64_t taken = 0;
        for (const Role& role : kernel.roles) {
            taken += 32 * role.all_warps();
            const std::string words = fmt::format("{} threads", 32 * role.all_warps());
            if (&role == &*most) message.primary(words);
            else message.label(role.span, words);
        }
        if (taken != threads)
            message.note(
                "a block consists of warpgroups of 128 threads, and no role of warps spans two of "
                "them");
        message.help("give a role fewer warps or warpgroups");
    }
    return threads / 128;
}

std::int64_t barriers_of(const Role& role) {
    return (role.first_barrier != 0 ? role.role_barriers() : 0) +
           (role.first_order_barrier != 0 ? role.ordered_groups() : 0);
}

void assign_barriers(PassContext& context, Kernel& kernel) {
    std::int64_t next = 1;
    for (Role& role : kernel.roles) {
        bool meets = false;
        bool is_ordered = false;
        walk(role.body, [&](const Op& op) {
            meets = meets || as<Barrier>(op) != nullptr || synchronizes_warps(role, op);
        });
        walk_only<WaitOrder>(role.body, [&](const WaitOrder&) { is_ordered = true; });
        if (meets) {
            role.first_barrier = next;
            next += role.role_barriers();
        }
        if (is_ordered) {
            role.first_order_barrier = next;
            next += role.ordered_groups();
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
                "the block needs one; a role whose threads synchronize, to share tiles, to store "
                "by TMA or to reduce along rows, needs one per warpgroup and one more; `pingpong` "
                "needs one per warpgroup")
            .help("merge several such roles, or give them fewer warpgroups");
    }
}

}  // namespace

void assign_threads(PassContext& context, Module& module) {
    for (Kernel& kernel : module.kernels) {
        if (!kernel.general_of.empty() && context.has_errors()) continue;  // the fast one was told
        const std::int64_t warpgroups = place_roles(context, kernel);
        if (warpgroups == 0 || context.has_errors()) continue;
        assign_barriers(context, kernel);
        plan_registers(context, kernel, warpgroups);
    }
}

}  // namespace tkc::lowering
