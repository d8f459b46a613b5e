// What kernels are compiled for.
#include "ir/module.h"

#include <algorithm>

namespace tkc::ir {

const Target& target_of(const Kernel& kernel) {
    const Target* const target = find_target(kernel.target);
    return target != nullptr ? *target : default_target();  // the verifier refuses others
}

std::optional<Axis> divided_axis(const Role& role, Value v) {
    if (role.unit == Unit::warp) return std::nullopt;
    std::int64_t within = 1;
    for (const LayoutMode& mode : role[v].layout.warps) {
        if (within >= warps_of_warpgroup && mode.stride != 0 && mode.extent > 1) return mode.axis;
        within *= mode.extent;
    }
    return std::nullopt;
}

Layout layout_of(const Role& role, Value tile) {
    const Layout& layout = role[tile].layout;
    if (!layout.empty()) return layout;
    return whole_layout(role.tile(tile).rows, role.tile(tile).cols, role.warps());
}

std::int64_t program_queue_bytes(const Kernel& k) {
    std::int64_t bytes = 0;
    for (const Pipeline& p : k.pipelines)
        bytes += holds_program_numbers(p) ? 8 * ((p.stages + 1) / 2) : 0;
    return bytes;
}

std::int64_t blocks_of(const Role& role) {
    std::int64_t most = 1;
    for (const ValueInfo& value : role.values) most = std::max(most, blocks_of(value.layout));
    return most;
}

const std::string& buffer_of_field(const Kernel& k, const std::string& pipeline,
                                   const std::string& field) {
    static const std::string none;
    const Pipeline* found = find_pipeline(k, pipeline);
    if (found == nullptr) return none;
    for (const PipelineField& f : found->fields_) {
        if (f.name == field) return f.buffer;
    }
    return none;
}

bool holds_stages(const Kernel& k, const std::string& buffer, const std::string& pipeline) {
    const Pipeline* found = find_pipeline(k, pipeline);
    return found != nullptr &&
           std::any_of(found->fields_.begin(), found->fields_.end(),
                       [&](const PipelineField& f) { return f.buffer == buffer; });
}

}  // namespace tkc::ir
