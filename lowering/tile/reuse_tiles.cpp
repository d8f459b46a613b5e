// Does not recompute the cells of a tile that is live anyway:
//
//     t = map where(col < n, #0, 0) [s]                 t = map where(col < n, #0, 0) [s]
//     m = reduce t max                                  m = reduce t max
//     p = map exp2(where(col < n, #0, 0) - #1) [s, m]   p = map exp2(#0 - #1) [t, m]
//
// Expressions are passed on unevaluated until an operation needs a tile, so the same one can be in
// several maps. A tile is live anyway if something other than a map reads it.
#include <fmt/format.h>

#include <algorithm>

#include "ir/walk.h"
#include "lowering/passes.h"

namespace tkc::lowering {

namespace {

using namespace ir;

std::string name_of(Value v) { return fmt::format("%{}", v.id); }

// The cell with names of values instead of the numbers of inputs.
Scalar over_values(const Map& map) {
    return rewrite(map.expression, [&](const Scalar& s) -> Scalar {
        const auto* e = std::get_if<Element>(&s->node);
        if (e == nullptr) return nullptr;
        return symbol(name_of(map.inputs[static_cast<std::size_t>(e->input)]), s->dtype);
    });
}

// And back.
void set_cell(Role& role, Map& map, const Scalar& cell) {
    std::vector<Value> inputs;
    map.expression = rewrite(cell, [&](const Scalar& s) -> Scalar {
        const auto* name = std::get_if<Symbol>(&s->node);
        if (name == nullptr || name->name[0] != '%') return nullptr;
        std::uint32_t id = 0;
        while (id + 1 < role.values.size() && name_of(Value{id}) != name->name) ++id;
        auto found = std::find(inputs.begin(), inputs.end(), Value{id});
        if (found == inputs.end()) found = inputs.insert(inputs.end(), Value{id});
        return element(found - inputs.begin(), s->dtype);
    });
    map.inputs = std::move(inputs);
}

bool is_held(const Role& role, const Map& map) {
    const TileType& tile = role.tile(map.result);
    if (tile.rows == 1 || tile.cols == 1 || role[map.result].variable) return false;
    const bool in_place =
        std::find(map.inputs.begin(), map.inputs.end(), map.result) != map.inputs.end();
    const bool moves = std::holds_alternative<Element>(map.expression->node);
    if (in_place || moves) return false;
    const std::vector<const Op*> uses = reads_of(role.body, map.result);
    return std::any_of(uses.begin(), uses.end(),
                       [](const Op* use) { return as<Map>(*use) == nullptr; });
}

bool writes_any(const Op& op, const std::vector<Value>& values) {
    bool found = false;
    const auto look = [&](const Op& o) {
        for (const Value v : values) found = found || writes(o, v);
    };
    look(op);
    for_each_block(op, [&](const Block& inner) { walk(inner, look); });
    return found;
}

void reuse(Role& role, Block& block) {
    for (std::size_t i = 0; i < block.size(); ++i) {
        const Map* held = as<Map>(block[i]);
        if (held == nullptr || !is_held(role, *held)) continue;
        const TileType tile = role.tile(held->result);
        const Scalar known = over_values(*held);
        const Scalar name = symbol(name_of(held->result), known->dtype);
        for (std::size_t k = i + 1; k < block.size(); ++k) {
            Map* map = as<Map>(block[k]);
            if (map != nullptr && role.tile(map->result).rows == tile.rows &&
                role.tile(map->result).cols == tile.cols) {
                const Scalar before = over_values(*map);
                const Scalar after = rewrite(before, [&](const Scalar& s) -> Scalar {
                    return same(s, known) ? name : nullptr;
                });
                if (!same(before, after)) set_cell(role, *map, after);
            }
            if (writes_any(block[k], held->inputs)) break;
        }
    }
}

}  // namespace

void reuse_tiles(PassContext&, Module& module) {
    for (Kernel& kernel : module.kernels) {
        for (Role& role : kernel.roles) {
            walk_blocks(role.body, [&](Block& block) { reuse(role, block); });
        }
    }
}

}  // namespace tkc::lowering
