// The functions of whole tiles: one enum made from tile_functions.def, and what the table says of
// each.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace tkc {

enum class TileFunction : std::uint8_t {
#define TK_TILE_FUNCTION(id, spelling, number, signature, doc) id,
#define TK_TILE_OPERATOR(id, spelling, doc) id,
#include "language/tile_functions.def"
#undef TK_TILE_OPERATOR
#undef TK_TILE_FUNCTION
};

struct TileFunctionInfo {
    TileFunction function;
    std::string_view name;
    std::string_view number;  // the name of its further constant, or empty
};

inline constexpr std::array tile_function_table{
#define TK_TILE_FUNCTION(id, spelling, number, signature, doc) \
    TileFunctionInfo{TileFunction::id, spelling, number},
#define TK_TILE_OPERATOR(id, spelling, doc) TileFunctionInfo{TileFunction::id, spelling, ""},
#include "language/tile_functions.def"
#undef TK_TILE_OPERATOR
#undef TK_TILE_FUNCTION
};

constexpr const TileFunctionInfo& info(TileFunction f) {
    return tile_function_table[static_cast<std::size_t>(f)];
}
// Empty for what is none.
constexpr std::string_view name(TileFunction f) {
    const auto i = static_cast<std::size_t>(f);
    return i < tile_function_table.size() ? tile_function_table[i].name : std::string_view();
}

}  // namespace tkc
