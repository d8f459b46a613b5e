// Chooses grids of warps by what their products and reductions move through shared memory.
#include "lowering/warp_grid.h"

#include <map>

#include "ir/walk.h"
#include "ir/warp_products.h"
#include "tiles/tile_function.h"

namespace tkc::lowering {

namespace {

using namespace ir;

// What a barrier of the role costs, in bytes that could be read meanwhile.
constexpr double barrier = 2'048;
// Of which loops are taken to have so many steps.
constexpr double steps = 16;

double size_of(const TileType& t) { return static_cast<double>(cells_of(t) * bytes(t.dtype)); }

double cost_of_product(const Role& role, const Mma& m, const WarpGrid& warps) {
    const auto down = static_cast<double>(warps.rows);
    const auto across = static_cast<double>(warps.cols);
    const TileType& a = role.tile(m.a);
    const double right = down * size_of(role.tile(m.b));
    if (a.space == Space::shared) return right + across * size_of(a);
    if (stays_in_registers(a.dtype, warps)) return right;
    return right + (across + 1) * size_of(a) + 2 * barrier;
}

double cost_of(const Role& role, const Block& body, const WarpGrid& warps) {
    double cost = 0;
    for (const Op& op : body) {
        if (const Mma* m = as<Mma>(op)) cost += cost_of_product(role, *m, warps);
        const Apply* apply = as<Apply>(op);
        if (apply != nullptr && (apply->axis == 1 ? warps.cols : warps.rows) > 1)
            cost += 2 * barrier;
        for_each_block(op, [&](const Block& inner) {
            cost += (as<For>(op) != nullptr ? steps : 1) * cost_of(role, inner, warps);
        });
    }
    return cost;
}

}  // namespace

bool multiplies_by_warps(const Role& role) {
    bool found = false;
    walk_only<Mma>(role.body, [&](const Mma& m) { found = found || m.synchronous; });
    return found;
}

std::optional<WarpGrid> grid_of(const Role& role) {
    std::optional<WarpGrid> found;
    walk_only<Mma>(role.body, [&](const Mma& m) {
        const TileType& result = role.tile(m.result);
        if (m.synchronous) found = warp_grid_of(role[m.result].layout, result.rows, result.cols);
    });
    return found;
}

std::optional<WarpGrid> choose_grid(const Kernel& kernel, const Role& role) {
    std::optional<WarpGrid> best;
    double least = 0;
    // From few rows of warps to many, which are taken where it makes no difference: whole rows need
    // no exchange.
    for (const WarpGrid& warps : grids_for(target_of(kernel).warp_products, role.warps(), role)) {
        const double cost = cost_of(role, role.body, warps);
        if (best && cost > least) continue;
        best = warps;
        least = cost;
    }
    return best;
}

void share_operands(Role& role, const WarpGrid& warps) {
    std::map<std::uint32_t, Value> shared;  // by the number of what is in registers
    walk_only<Mma>(role.body, [&](Mma& m) {
        const TileType& a = role.tile(m.a);
        if (a.space == Space::shared || stays_in_registers(a.dtype, warps)) return;
        const auto [place, is_new] = shared.emplace(m.a.id, Value{});
        if (is_new) {
            TileType type = role.tile(m.a);
            type.space = Space::shared;
            place->second = add_value(role, role[m.a].name + "_shared", type, role[m.a].variable);
        }
    });
    if (shared.empty()) return;
    rebuild(role.body, [&](Op op, Block& out) {
        Mma* m = as<Mma>(op);
        const auto used = m == nullptr ? shared.end() : shared.find(m->a.id);
        if (used != shared.end()) {
            if (role[m->a].variable) out.push_back(at(op.span, Share{used->second, m->a}));
            m->a = used->second;
        }
        const Span span = op.span;
        std::vector<Value> written;
        for_each_result(op, [&](Value v) { written.push_back(v); });
        out.push_back(std::move(op));
        for (const Value v : written) {
            const auto found = shared.find(v.id);
            if (found != shared.end() && !role[v].variable)
                out.push_back(at(span, Share{found->second, v}));
        }
    });
}

}  // namespace tkc::lowering
