// Types as written, constants, and the numbers that steer control.
#pragma once

#include "base/diagnose.h"
#include "frontend/check/forward.h"
#include "frontend/check/limits.h"
#include "frontend/check/values.h"

namespace tkc::checker {

class Types {
public:
    explicit Types(Parts& parts);

    std::optional<WrittenType> check_type(const ast::Type& type);
    std::optional<WrittenType> check_tile_type(const ast::Type& type);
    // A number, a tile or a struct.
    std::optional<WrittenType> check_any_type(const ast::Type& type);
    std::optional<Dtype> check_dtype(const ast::Type& type);
    std::optional<std::int64_t> check_constant(const ast::Expr& expr, std::string_view what,
                                               std::int64_t least, std::int64_t most = number_limit,
                                               std::string_view help_below = {});
    // Of the `by` of a loop or a grid; the help is what to write instead of a negative one.
    std::optional<std::int64_t> check_width(const ast::Expr& expr, std::string_view help_below) {
        return check_constant(expr, "the width of a tile", 1, number_limit, help_below);
    }
    static void help_with_extent(DiagnosticBuilder& message);
    ir::Scalar check_control(const ast::Expr& expr, std::string_view what);
    ir::Scalar check_condition(const ast::Expr& expr);
    void help_with_condition(DiagnosticBuilder& message, const Operand& value,
                             const std::string& written) const;
    ir::Scalar as_control(const Operand& value, Span span, std::string_view what);

private:
    bool check_without_externals(const ir::Scalar& s, Span span, std::string_view what);
    bool check_without_floats(const ir::Scalar& s, Span span, std::string_view what);

    Builder& builder_;
    Context& context_;
    Expressions& expressions_;
    Names& names_;
    Numbers& numbers_;
    Structs& structs_;
    Tiles& tiles_;
};

}  // namespace tkc::checker
