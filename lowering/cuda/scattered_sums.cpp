// Which sums of columns are only stored: results of one warp that no operation but a store reads.
#include "lowering/cuda/scattered_sums.h"

#include "ir/contract.h"
#include "ir/layout.h"
#include "ir/walk.h"

namespace tkc::cuda {

namespace {

using namespace ir;

// One warp, whose lanes share the columns, and have several of them each.
bool folds(const Role& role, const Apply& apply) {
    if (apply.function != TileFunction::sum || apply.axis != 0 || role[apply.result].variable)
        return false;
    const Layout& source = role[apply.source].layout;
    const std::int64_t columns = cells_of_thread(role[apply.result].layout);
    return lanes_along(source, Axis::row) > 1 && columns > 1 && columns % 2 == 0 &&
           bits_of(role.tile(apply.result).dtype) == 32;
}

}  // namespace

std::map<std::uint32_t, Value> scattered_sums(const Kernel& kernel, const Role& role) {
    std::map<std::uint32_t, Value> found;
    if (role.unit != Unit::warp || role.warps() != 1) return found;
    walk_only<Apply>(role.body, [&](const Apply& apply) {
        if (folds(role, apply)) found.emplace(apply.result.id, apply.source);
    });
    if (found.empty()) return found;
    walk(role.body, [&](const Op& op) {
        const StoreCells* store = as<StoreCells>(op);
        if (store != nullptr && find_tensor(kernel, store->target.tensor)->mode != Mode::accumulate)
            return;
        for_each_operand(op, [&](Value v) { found.erase(v.id); });
    });
    return found;
}

}  // namespace tkc::cuda
