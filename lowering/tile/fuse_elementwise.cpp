// Fuses elementwise operations: `t0 = map #0 + #1 [a, b]; t1 = map bf16(#0) [t0]` becomes
// `t1 = map bf16(#0 + #1) [a, b]`.
//
// A tile between two elementwise operations would be live in registers as a whole (128 of them for
// 128 x 256 f32 cells), while the fused expression needs those of one cell. A result is fused into
// its user if nothing else reads it and its inputs still hold the same cells there. A row or column
// that is computed from no tile at all is cheap, and is fused into all of its users; one that is
// computed from others is not fused into tiles, which would recompute it in every cell. A map that
// changes nothing is removed.
//
// Roles of warps have no tensor cores to feed, and registers decide how many of their blocks share
// a multiprocessor. So a tile that is computed from narrower tiles by little arithmetic is
// recomputed in every user: across a reduction the narrow tile is live, and not the wide one.
#include <set>

#include "ir/walk.h"
#include "language/function_cases.h"
#include "lowering/passes.h"
#include "lowering/tile/map_rewrite.h"

namespace tkc::lowering {

namespace {

using namespace ir;

// A row tile knows its row as 0, whatever the row of the cell that it is broadcast to; a column
// tile likewise.
Scalar broadcast_cell(const Map& map, const TileType& tile) {
    return rewrite(map.expression, [&](const Scalar& x) -> Scalar {
        if (std::holds_alternative<Row>(x->node) && tile.rows == 1) return integer(0);
        if (std::holds_alternative<Column>(x->node) && tile.cols == 1) return integer(0);
        return nullptr;
    });
}

bool is_vector(const TileType& t) { return t.rows == 1 || t.cols == 1; }

// Whether the operation, or one inside it, writes the tile or what it is a window onto.
bool overwrites(const Windows& windows, const Op& op, Value tile) {
    const Value written = windows.whole(tile);
    bool found = writes(op, written);
    for_each_block(
        op, [&](const Block& inner) { found = found || !writes_of(inner, written).empty(); });
    return found;
}

// Whether the map at `from` may be computed at its users, all of them maps later in the same
// block.
bool joinable(const Role& role, const Windows& windows, const Block& block, std::size_t from,
              const Map& map) {
    if (role[map.result].variable || writes_of(role.body, map.result).size() != 1) return false;
    const std::vector<const Op*> uses = reads_of(role.body, map.result);
    const bool cheap = is_vector(role.tile(map.result)) && map.inputs.empty();
    if (uses.empty() || (uses.size() > 1 && !cheap)) return false;
    for (const Op* use : uses) {
        const Map* user = as<Map>(*use);
        if (user == nullptr) return false;
        const bool wider = is_vector(role.tile(map.result)) && !is_vector(role.tile(user->result));
        if (wider && !cheap) return false;
    }
    if (cheap) return true;
    for (std::size_t i = from + 1; i < block.size(); ++i) {
        if (&block[i] == uses[0]) return true;
        for (const Value input : map.inputs)
            if (overwrites(windows, block[i], input)) return false;
    }
    return false;  // the user is in another block
}

// Whether the expression is a few instructions.
bool is_cheap(const Scalar& s) {
    std::size_t calls = 0;
    bool plain = true;
    visit_nodes(s, [&](const ScalarNode& n) {
        if (std::holds_alternative<ElementLoad>(n.node)) plain = false;
        const auto* c = std::get_if<ir::Call>(&n.node);
        if (c == nullptr) return;
        ++calls;
        switch (c->function) {
            case Function::add:
            case Function::sub:
            case Function::mul:
            case Function::fma:
            case Function::neg: return;
            case Function::div:
            case Function::min:
            case Function::max:
            case Function::abs:
            case Function::exp2:
            case Function::exp:
            case Function::log2:
            case Function::log:
            case Function::sqrt:
            case Function::rsqrt:
            case Function::tanh:
            case Function::sin:
            case Function::cos:
            case Function::erf:
            case Function::pow:
            case Function::floor:
            case Function::ceil:
            case Function::round:
            case TKC_LOGIC:
            case TKC_COMPARISONS:
            case TKC_BIT_FUNCTIONS:
            case TKC_INTEGER_FUNCTIONS:
            case TKC_BIT_PATTERNS:
            case Function::where: plain = false;
        }
    });
    return plain && calls <= 2;
}

// Whether less is held by holding what the map reads, of its result's shape, than by holding its
// result.
bool is_narrower_before(const Role& role, const Map& map) {
    const TileType& result = role.tile(map.result);
    std::set<std::uint32_t> seen;
    std::int64_t held = 0;
    for (const Value v : map.inputs) {
        const TileType& input = role.tile(v);
        const bool whole = input.rows == result.rows && input.cols == result.cols;
        if (whole && seen.insert(v.id).second) held += bytes(input.dtype);
    }
    return held > 0 && held < bytes(result.dtype);
}

// Computes what `block[from]` makes of narrower tiles in the maps of the block that read it. What
// else reads it, a reduction, keeps it.
bool recompute(Role& role, const Windows& windows, Block& block, std::size_t from) {
    const Map* found = as<Map>(block[from]);
    if (found == nullptr || role[found->result].variable ||
        writes_of(role.body, found->result).size() != 1 || !is_cheap(found->expression) ||
        !is_narrower_before(role, *found)) {
        return false;
    }
    const Map source = *found;
    const TileType& type = role.tile(source.result);
    bool changed = false;
    for (std::size_t i = from + 1; i < block.size(); ++i) {
        Map* user = std::get_if<Map>(&block[i].node);
        if (user != nullptr && reads(block[i], source.result)) {
            const TileType& to = role.tile(user->result);
            if (to.rows == type.rows && to.cols == type.cols) {
                replace_input(*user, source.result, source.expression, source.inputs);
                changed = true;
            }
        }
        bool lasts = true;
        for (const Value input : source.inputs)
            lasts = lasts && !overwrites(windows, block[i], input);
        if (!lasts) break;
    }
    if (changed && reads_of(role.body, source.result).empty())
        block.erase(block.begin() + static_cast<std::ptrdiff_t>(from));
    return changed;
}

bool recompute_one(Role& role, const Windows& windows, Block& block) {
    for (std::size_t i = 0; i < block.size(); ++i) {
        bool changed = false;
        for_each_block(block[i], [&](Block& inner) {
            changed = changed || recompute_one(role, windows, inner);
        });
        if (changed || recompute(role, windows, block, i)) return true;
    }
    return false;
}

// Whether all uses of `v`, and nothing that writes `input`, are after `block[from]` up to the
// last of them.
bool input_lasts(const Role& role, const Windows& windows, const Block& block, std::size_t from,
                 Value v, Value input) {
    std::size_t last = from;
    std::size_t found = 0;
    for (std::size_t i = from + 1; i < block.size(); ++i) {
        if (!mentions(block[i], v)) continue;
        last = i;
        found += reads_of({block[i]}, v).size();
    }
    if (found != reads_of(role.body, v).size()) return false;
    for (std::size_t i = from + 1; i <= last; ++i) {
        if (overwrites(windows, block[i], input)) {
            // The last use may overwrite what it reads.
            const bool simple = i == last && as<Map>(block[i]) != nullptr;
            if (!simple) return false;
        }
    }
    return true;
}

// `t = map #0 [s]` changes nothing: whoever reads t reads s.
bool drop_identity(Role& role, const Windows& windows, Block& block) {
    for (std::size_t i = 0; i < block.size(); ++i) {
        const Map* map = as<Map>(block[i]);
        const bool identity = map != nullptr && map->inputs.size() == 1 &&
                              std::holds_alternative<Element>(map->expression->node);
        if (!identity) continue;
        const Value result = map->result;
        const Value input = map->inputs[0];
        if (!(role.tile(result) == role.tile(input)) || role[result].variable ||
            !input_lasts(role, windows, block, i, result, input)) {
            continue;
        }
        block.erase(block.begin() + static_cast<std::ptrdiff_t>(i));
        rename_values(block, [&](Value v) { return v == result ? input : v; });
        return true;
    }
    return false;
}

bool join_one(Role& role, const Windows& windows, Block& block) {
    for (std::size_t i = 0; i < block.size(); ++i) {
        bool joined = false;
        for_each_block(block[i],
                       [&](Block& inner) { joined = joined || join_one(role, windows, inner); });
        if (joined) return true;
        const Map* map = as<Map>(block[i]);
        if (map == nullptr || !joinable(role, windows, block, i, *map)) continue;
        const Map source = *map;
        const Scalar cell = broadcast_cell(source, role.tile(source.result));
        block.erase(block.begin() + static_cast<std::ptrdiff_t>(i));
        walk_only<Map>(role.body,
                       [&](Map& m) { replace_input(m, source.result, cell, source.inputs); });
        return true;
    }
    return false;
}

}  // namespace

void fuse_elementwise(PassContext&, Module& module) {
    for (Kernel& kernel : module.kernels) {
        for (Role& role : kernel.roles) {
            const Windows windows(role);
            walk_blocks(role.body, [&](Block& block) {
                while (drop_identity(role, windows, block)) {}
            });
            while (join_one(role, windows, role.body)) {}
            while (role.unit == Unit::warp && recompute_one(role, windows, role.body)) {}
        }
    }
}

}  // namespace tkc::lowering
