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

constexpr std::string_view name(ReferenceFunction f) {
    return reference_function_table[static_cast<std::size_t>(f)].name;
}

// The function of tiles of that name, if there is one.
constexpr std::optional<TileFunction> tile_function_of(ReferenceFunction function) {
    for (const TileFunctionInfo& row : tile_function_table) {
        if (row.name == name(function)) return row.function;
    }
    return std::nullopt;
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
