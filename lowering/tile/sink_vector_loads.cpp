// Moves loads of rows and columns to their uses: `t0 = load bias[n +: 256]; t1 = map #0 + #1
// [acc, t0]` becomes `t1 = map #0 + f32(bias[n + col]?) [acc]`.
//
// Why: a row of 256 cells in the accumulators' layout takes 64 registers per lane; read where it is
// used, a few columns at a time, it takes none, and the cache serves the repeated reads. Only
// tensors that no program writes may be read late, and loads with a cache hint stay.
#include "ir/walk.h"
#include "lowering/passes.h"
#include "lowering/tile/map_rewrite.h"

namespace tkc::lowering {

namespace {

using namespace ir;

// The cell [row, col] of the tile that `load` makes, as an expression.
Scalar cell_of(const Load& load, const TileType& tile) {
    std::vector<Scalar> position;
    std::size_t spans = 0;
    for (const Range& r : load.source.ranges) spans += r.kind != Range::Kind::index ? 1U : 0U;
    bool first = true;
    for (const Range& r : load.source.ranges) {
        if (r.kind == Range::Kind::index) {
            position.push_back(r.base);
            continue;
        }
        // A slice with one range is a row [1, n], or a column [n, 1] where the tile says so.
        const bool is_row_axis = spans == 2 ? first : tile.cols == 1 && tile.rows > 1;
        first = false;
        const std::int64_t extent = is_row_axis ? tile.rows : tile.cols;
        position.push_back(extent == 1 ? r.base : add(r.base, is_row_axis ? row() : column()));
    }
    return element_load(load.source.tensor, std::move(position), true, tile.dtype);
}

bool sinkable(const Kernel& kernel, const Role& role, const Load& load) {
    const ValueInfo& info = role[load.result];
    const auto* tile = std::get_if<TileType>(&info.type);
    const Tensor* tensor = find_tensor(kernel, load.source.tensor);
    if (tile == nullptr || tensor == nullptr || info.variable || tile->space != Space::registers)
        return false;
    if (load.cache != CacheHint::none) return false;  // elements in expressions carry no hint
    if ((tile->rows != 1 && tile->cols != 1) || tensor->mode != Mode::in) return false;
    if (writes_of(role.body, load.result).size() != 1) return false;
    // An element that is read where it is used is looked for in all of the tensor.
    if (has_edge(load.source) || has_gather(load.source)) return false;
    for (const Op* use : reads_of(role.body, load.result)) {
        if (as<Map>(*use) == nullptr) return false;
    }
    return true;
}

}  // namespace

void sink_vector_loads(PassContext&, Module& module) {
    for (Kernel& kernel : module.kernels) {
        for (Role& role : kernel.roles) {
            if (role.unit == Unit::warp) continue;  // stripes hold rows as they come, in vectors
            std::vector<Load> loads;
            walk_only<Load>(role.body, [&](const Load& load) {
                if (sinkable(kernel, role, load)) loads.push_back(load);
            });
            for (const Load& load : loads) {
                const Scalar cell = cell_of(load, role.tile(load.result));
                walk_only<Map>(role.body, [&](Map& map) { replace_input(map, load.result, cell); });
                rebuild(role.body, [&](Op op, Block& out) {
                    if (!writes(op, load.result)) out.push_back(std::move(op));
                });
            }
        }
    }
}

}  // namespace tkc::lowering
