// Replaces a copy of a tile that is not used again by that tile:
//
//     y = mma a, b                  z = mma a, b
//     y += mma c, d                 z += mma c, d
//     z = copy y                    t = map #0 * 2 [z]
//     t = map #0 * 2 [z]
//
// A function that returns a variable leaves such a copy at its call. It would move registers, and
// wait for a product where its accumulator is copied instead of where it is used.
#include <optional>

#include "ir/walk.h"
#include "lowering/passes.h"

namespace tkc::lowering {

namespace {

using namespace ir;

bool is_register_tile(const Role& role, Value v) {
    const auto* tile = std::get_if<TileType>(&role[v].type);
    return tile != nullptr && tile->space == Space::registers;
}

// How often operations `first` .. `last - 1` of the block, and all inside of them, name `v`.
std::size_t mentions_in(const Block& block, std::size_t first, std::size_t last, Value v) {
    std::size_t count = 0;
    for (std::size_t i = first; i < last; ++i) {
        for_each_value(block[i], [&](const Value& x) { count += x == v ? std::size_t{1} : 0; });
        for_each_block(
            block[i], [&](const Block& inner) { count += mentions_in(inner, 0, inner.size(), v); });
    }
    return count;
}

std::size_t mentions_in(const Role& role, Value v) {
    return mentions_in(role.body, 0, role.body.size(), v);
}

// Where in the block the tile that operation `at` copies is made: the first operation that names
// it, if that writes it without reading it, and if nothing outside of the operations from there to
// `at` names it.
std::optional<std::size_t> made_at(const Role& role, const Block& block, std::size_t at, Value v) {
    std::size_t first = 0;
    while (!mentions(block[first], v)) ++first;
    if (first == at || !writes(block[first], v) || reads(block[first], v)) return std::nullopt;
    const std::size_t here = mentions_in(block, first, at + 1, v);
    return here == mentions_in(role, v) ? std::optional(first) : std::nullopt;
}

void drop(Role& role, Block& block) {
    for (std::size_t i = 0; i < block.size(); ++i) {
        const Copy* copy = as<Copy>(block[i]);
        if (copy == nullptr) continue;
        const Value source = copy->source;
        const Value result = copy->result;
        if (!is_register_tile(role, source) || !is_register_tile(role, result)) continue;
        const std::optional<std::size_t> first = made_at(role, block, i, source);
        if (!first) continue;
        // A variable from outside may be in use until here. And loads are issued some steps ahead,
        // which must not overwrite what one step hands on to the next.
        if (mentions_in(block, i, block.size(), result) != mentions_in(role, result)) continue;
        const auto begin = block.begin() + static_cast<std::ptrdiff_t>(*first);
        const auto end = block.begin() + static_cast<std::ptrdiff_t>(i);
        Block renamed(begin, end);
        rename_values(renamed, [&](Value v) { return v == source ? result : v; });
        std::move(renamed.begin(), renamed.end(), begin);
        block.erase(end);
        role[result].variable = role[result].variable || role[source].variable;
        // `y_2`, where the function's `y` had the name.
        if (role[result].name.starts_with(role[source].name + "_"))
            std::swap(role[result].name, role[source].name);
        --i;
    }
}

}  // namespace

void eliminate_copies(PassContext&, Module& module) {
    for (Kernel& kernel : module.kernels) {
        for (Role& role : kernel.roles) {
            walk_blocks(role.body, [&](Block& block) { drop(role, block); });
        }
    }
}

}  // namespace tkc::lowering
