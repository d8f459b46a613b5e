// Scalar functions: one enum made from functions.def, and what the table says of each.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tkc {

enum class Function : std::uint8_t {
#define TK_FUNCTION(id, spelling, arity, kind, precedence, digits, doc) id,
#include "language/functions.def"
#undef TK_FUNCTION
};

enum class FunctionKind : std::uint8_t {
    arithmetic,
    integer,
    bits,
    real,
    pattern,
    number,
    compare,
    logic,
    select
};

// What becomes of the bits of numbers (functions.def).
enum class FunctionDigits : std::uint8_t { exact, rounded, steep };

struct FunctionInfo {
    Function function;
    std::string_view name;
    int arity;
    FunctionKind kind;
    int precedence;  // 0: written as a call
    FunctionDigits digits;
    std::string_view doc;
};

inline constexpr std::array function_table{
#define TK_FUNCTION(id, spelling, arity, kind, precedence, digits, doc)                   \
    FunctionInfo{Function::id,           spelling, arity, FunctionKind::kind, precedence, \
                 FunctionDigits::digits, doc},
#include "language/functions.def"
#undef TK_FUNCTION
};

constexpr const FunctionInfo& info(Function f) {
    return function_table[static_cast<std::size_t>(f)];
}
constexpr std::string_view name(Function f) { return info(f).name; }

// The function called `text` (operators are found by their own parsers, not here).
constexpr std::optional<Function> find_function(std::string_view text) {
    for (const FunctionInfo& row : function_table) {
        if (row.precedence == 0 && row.name == text) return row.function;
    }
    return std::nullopt;
}

}  // namespace tkc
