// What references and tests can call: enums made from reference_functions.def and fills.def.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "language/tile_function.h"

namespace tkc {

enum class ReferenceFunction : std::uint8_t {
#define TK_REFERENCE_FUNCTION(id, spelling, least, most, axis, doc) id,
#include "language/reference_functions.def"
#undef TK_REFERENCE_FUNCTION
};

enum class FillFunction : std::uint8_t {
#define TK_FILL(id, spelling, least, most, signature, doc) id,
#include "language/fills.def"
#undef TK_FILL
};

enum class AxisArgument : std::uint8_t { none, named };

struct ReferenceFunctionInfo {
    ReferenceFunction function;
    std::string_view name;
    std::size_t least;
    std::size_t most;
    AxisArgument axis;
};

struct FillInfo {
    FillFunction fill;
    std::string_view name;
    std::size_t least;
    std::size_t most;
    std::string_view signature;
};

inline constexpr std::array reference_function_table{
#define TK_REFERENCE_FUNCTION(id, spelling, least, most, axis, doc) \
    ReferenceFunctionInfo{ReferenceFunction::id, spelling, least, most, AxisArgument::axis},
#include "language/reference_functions.def"
#undef TK_REFERENCE_FUNCTION
};

inline constexpr std::array fill_table{
#define TK_FILL(id, spelling, least, most, signature, doc) \
    FillInfo{FillFunction::id, spelling, least, most, signature},
#include "language/fills.def"
#undef TK_FILL
};

constexpr const ReferenceFunctionInfo* find_reference_function(std::string_view text) {
    for (const ReferenceFunctionInfo& row : reference_function_table) {
        if (row.name == text) return &row;
    }
    return nullptr;
}

// The function of tiles that it is, if it is one.
constexpr std::optional<TileFunction> tile_function_of(ReferenceFunction function) {
    switch (function) {
#define TK_TILE_FUNCTION(id, spelling, number, signature, doc) \
    case ReferenceFunction::id:                                \
        return TileFunction::id;
#include "language/tile_functions.def"
#undef TK_TILE_FUNCTION
        case ReferenceFunction::max: return TileFunction::max;
        case ReferenceFunction::min: return TileFunction::min;
        default: return std::nullopt;
    }
}

constexpr const FillInfo* find_fill(std::string_view text) {
    for (const FillInfo& row : fill_table) {
        if (row.name == text) return &row;
    }
    return nullptr;
}

// Words of `special`, which are names anywhere else.
inline constexpr std::array<std::string_view, 3> special_words{"nan", "denormal", "large"};

}  // namespace tkc
