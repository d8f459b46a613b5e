// Transposes that only a stage takes are made as they are written:
//
//     t0 = apply transpose [x]                     put v x transposed
//     put v t0                          becomes
//
// Elsewhere a transpose takes a shared tile of its own, and warps meet before and behind it. A
// warpgroup writes blocks of 8 x 8 cells of 16 bits the other way round at no cost (PTX ISA,
// "stmatrix", .trans).
#include <set>

#include "ir/walk.h"
#include "lowering/passes.h"

namespace tkc::lowering {

namespace {

using namespace ir;

// What the stage can take in place of the transpose `v`, or none.
Value taken_instead(const Kernel& kernel, const Role& role, Value v) {
    const std::vector<const Op*> writes = writes_of(role.body, v);
    if (writes.size() != 1 || reads_of(role.body, v).size() != 1 || role[v].variable) return {};
    const auto* apply = as<Apply>(*writes[0]);
    if (apply == nullptr || apply->function != TileFunction::transpose) return {};
    const Value source = apply->source;
    const TileType& tile = role.tile(source);
    const std::int64_t rows = target_of(kernel).products.rows * role.warpgroups();
    const bool whole = tile.rows % rows == 0 && tile.cols % 8 == 0 && bytes(tile.dtype) == 2;
    const bool kept = !role[source].variable && writes_of(role.body, source).size() == 1;
    return tile.space == Space::registers && whole && kept ? source : Value{};
}

}  // namespace

void write_transposed(PassContext&, Module& module) {
    for (Kernel& kernel : module.kernels) {
        // What has no wgmma has no stmatrix either.
        if (!target_of(kernel).features.products) continue;
        for (Role& role : kernel.roles) {
            if (role.unit != Unit::warpgroup) continue;
            std::set<std::uint32_t> gone;
            walk_only<Put>(role.body, [&](Put& put) {
                const Value source = taken_instead(kernel, role, put.source);
                if (!source) return;
                gone.insert(put.source.id);
                put.source = source;
                put.transposed = true;
            });
            if (gone.empty()) continue;
            walk_blocks(role.body, [&](Block& block) {
                std::erase_if(block, [&](const Op& op) {
                    const auto* apply = as<Apply>(op);
                    return apply != nullptr && gone.contains(apply->result.id);
                });
            });
        }
    }
}

}  // namespace tkc::lowering
