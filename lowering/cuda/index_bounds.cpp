// By the names in a position: what each of them can be.
#include "lowering/cuda/index_bounds.h"

#include "ir/contract.h"
#include "ir/walk.h"

namespace tkc::cuda {

bool stays_inside(const ir::Kernel& kernel, const ir::Role& role, const ir::PlainSigns& signs,
                  const ir::Scalar& position, const ir::Scalar& extent) {
    std::int64_t at = 0;
    std::int64_t end = 0;
    if (ir::is_constant(position, &at) && ir::is_constant(extent, &end)) return at >= 0 && at < end;
    const auto* name = std::get_if<ir::Symbol>(&position->node);
    if (name == nullptr) return false;
    const std::string written = ir::to_string(extent);
    bool inside = false;
    const auto look = [&](const ir::Scalar& begin, const ir::Scalar& last) {
        inside = signs.never_negative(begin) && ir::to_string(last) == written;
    };
    for (const ir::GridAxis& axis : kernel.grid) {
        if (axis.var == name->name && ir::steps_past_end(kernel, axis) == 0)
            look(axis.begin, axis.end);
    }
    ir::walk_only<ir::For>(role.body, [&](const ir::For& f) {
        if (f.var == name->name) look(f.begin, f.end);
    });
    return inside;
}

}  // namespace tkc::cuda
