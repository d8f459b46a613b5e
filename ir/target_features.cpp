// One case for each feature of target/target.h, and for clusters, which are a limit.
#include "ir/target_features.h"

#include "ir/walk.h"

namespace tkc::ir {

namespace {

// Whether an operation computes with fp8, or makes tiles of it.
bool uses_fp8(const Role& role, const Op& op) {
    bool found = false;
    for_each_result(op, [&](Value v) {
        const auto* tile = v ? std::get_if<TileType>(&role[v].type) : nullptr;
        found = found || (tile != nullptr && is_fp8(tile->dtype));
    });
    if (const Map* map = as<Map>(op))
        visit_nodes(map->expression,
                    [&](const ScalarNode& n) { found = found || is_fp8(n.dtype); });
    return found;
}

}  // namespace

std::vector<MissingFeature> missing_features(const Kernel& kernel) {
    const TargetFeatures& has = target_of(kernel).features;
    std::vector<MissingFeature> missing;
    const auto need = [&](bool there, std::string what, Span span) {
        if (!there) missing.push_back({std::move(what), span});
    };
    for (const Tensor& tensor : kernel.tensors)
        need(has.fp8 || !is_fp8(tensor.dtype), std::string(name(tensor.dtype)), tensor.span);
    if (cluster_size(kernel) > 1)
        need(target_of(kernel).limits.blocks_of_cluster > 1, "a cluster", kernel.span);
    for (const Pipeline& pipeline : kernel.pipelines) need(has.tma, "a pipeline", pipeline.span);
    for (const Role& role : kernel.roles) {
        need(has.products || role.unit == Unit::warp, "a role of warpgroups", role.span);
        need(has.reallocation || role.registers == 0, "`registers(n)`", role.span);
        walk(role.body, [&](const Op& op) {
            const Mma* mma = as<Mma>(op);
            need(mma == nullptr || (mma->synchronous ? has.warp_products : has.products),
                 "a product", op.span);
            if (!has.fp8 && uses_fp8(role, op)) need(false, "fp8", op.span);
        });
    }
    return missing;
}

}  // namespace tkc::ir
