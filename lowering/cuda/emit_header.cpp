// The comment above a kernel: what it was made from, and who takes what.
#include <fmt/format.h>

#include <algorithm>

#include "lowering/cuda/emit_context.h"
#include "lowering/cuda/launcher.h"
#include "lowering/shared_memory_plan.h"

namespace tkc::cuda {

namespace {

std::string title(const KernelContext& c) {
    const ir::Kernel& kernel = c.kernel;
    const char* general = !kernel.general_of.empty() ? "; any strides and alignment" : "";
    const std::string constants = constants_text(kernel);
    return fmt::format("{}: kernel {}{}{}{}.\n", kernel.name, kernel.source,
                       constants.empty() ? "" : " with ", constants, general);
}

// Roles whose registers are shared out later.
std::string roles_text(const ir::Kernel& kernel) {
    std::string text;
    for (const ir::Role& role : kernel.roles) {
        if (kernel.roles.size() == 1 && role.registers == 0) continue;
        const char* unit = role.unit == ir::Unit::warpgroup ? "warpgroup" : "warp";
        const std::int64_t registers =
            role.registers == 0 ? kernel.entry_registers : role.registers;
        const std::int64_t width = role.copies * role.width;
        text += fmt::format("{}{}: {} {}{}{}, {} registers per thread", text.empty() ? "" : "; ",
                            role.name, width, unit, width == 1 ? "" : "s",
                            role.copies == 1 ? "" : " that alternate", registers);
    }
    return text.empty() ? "" : text + ".\n";
}

std::string launch_text(const ir::Kernel& kernel) {
    const bool changes =
        std::any_of(kernel.roles.begin(), kernel.roles.end(), [&](const ir::Role& role) {
            return role.registers != 0 && role.registers != kernel.entry_registers;
        });
    std::string text =
        fmt::format("{} threads, {} registers each{}", lowering::block_threads(kernel),
                    kernel.entry_registers, changes ? " at first" : "");
    if (kernel.shared_bytes > 0)
        text += fmt::format(", {} bytes of shared memory", kernel.shared_bytes);
    if (const ir::GridAxis* axis = ir::cluster_axis(kernel))
        text += fmt::format(", clusters of {} along {}", axis->cluster, axis->var);
    if (kernel.dynamic) text += "; persistent, dynamic scheduling";
    else if (kernel.persistent) text += "; persistent";
    if (kernel.spills > 0) text += fmt::format("; may spill {} bytes per thread", kernel.spills);
    return text + ".";
}

}  // namespace

std::string header_comment(const KernelContext& c) {
    return title(c) + roles_text(c.kernel) + launch_text(c.kernel);
}

}  // namespace tkc::cuda
