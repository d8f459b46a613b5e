// Signatures as messages show them.
#include "frontend/check/signatures.h"

#include <fmt/format.h>

#include "language/operation.h"

namespace tkc::checker {

std::string arguments_text(std::size_t count) {
    return count == 1 ? "1 argument" : fmt::format("{} arguments", count);
}

std::string signature_text(Function function) {
    const FunctionInfo& row = info(function);
    if (function == Function::where) return "(c: bool, a: T, b: T) -> T";
    if (row.kind == FunctionKind::pattern) return "(x: f32) -> i32";
    if (row.kind == FunctionKind::number) return "(x: i32) -> f32";
    const std::string_view type = row.kind == FunctionKind::real ? "f32" : "T";
    if (row.arity == 1) return fmt::format("(x: {}) -> {}", type, type);
    const std::string both = fmt::format("(a: {}, b: {}", type, type);
    return fmt::format("{}{}) -> {}", both, row.arity == 3 ? fmt::format(", c: {}", type) : "",
                       type);
}

std::string signature_text(std::string_view name) {
    if (const std::optional<Operation> operation = find_operation(name))
        return std::string(info(*operation).signature);
    if (const std::optional<Function> function = find_function(name))
        return signature_text(*function);
    return fmt::format("(x: T) -> {}", name);  // a conversion
}

}  // namespace tkc::checker
