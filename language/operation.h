// The operations of the language: one enum made from operations.def, and what the table says of
// each.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tkc {

enum class Operation : std::uint8_t {
#define TK_OPERATION(id, spelling, signature, effect, doc) id,
#include "language/operations.def"
#undef TK_OPERATION
};

enum class Effect : std::uint8_t { none, reads, writes, orders, states, reports };

struct OperationInfo {
    Operation operation;
    std::string_view name;
    std::string_view signature;
    Effect effect;
    std::string_view doc;
};

inline constexpr std::array operation_table{
#define TK_OPERATION(id, spelling, signature, effect, doc) \
    OperationInfo{Operation::id, spelling, signature, Effect::effect, doc},
#include "language/operations.def"
#undef TK_OPERATION
};

constexpr const OperationInfo& info(Operation o) {
    return operation_table[static_cast<std::size_t>(o)];
}
constexpr std::string_view name(Operation o) { return info(o).name; }

constexpr std::optional<Operation> find_operation(std::string_view text) {
    for (const OperationInfo& row : operation_table) {
        if (row.name == text) return row.operation;
    }
    return std::nullopt;
}

}  // namespace tkc
