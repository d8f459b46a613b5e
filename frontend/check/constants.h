// The constants of a kernel: what `-D`, an instance, a call or a default gives them.
#pragma once

#include "frontend/check/forward.h"
#include "frontend/check/values.h"

namespace tkc {
struct Define;  // check.h
}

namespace tkc::checker {

std::string_view kind_text(ast::ConstKind kind);
// Whether `value` is a constant of that kind.
bool is_constant_of(const Operand& value, ast::ConstKind kind);

class Constants {
public:
    explicit Constants(Parts& parts);

    void bind_constants();
    void report_unknown_constant(const ast::GenericArg& arg, const std::string& of,
                                 const std::vector<ast::ConstParam>& consts);
    // What is written for a constant.
    Operand value_of(const ast::ConstParam& param, const ast::Expr& value);
    // The first constant that has neither a default nor a value given to it.
    const ast::ConstParam* constant_without_value() const;

    // The values of all constants, where nothing else is looked at.
    std::vector<ir::Constant> constants();

private:
    void bind_constant(const ast::ConstParam& param);
    const ast::GenericArg* instance_argument(const ast::ConstParam& param) const;
    void check_instance_arguments();
    std::optional<Operand> defined_constant(const ast::ConstParam& param);
    Operand function_of_module(const ast::Name& module, const ast::Name& function);
    void report_define(const ast::ConstParam& param, const Define& define);

    Builder& builder_;
    Context& context_;
    Expressions& expressions_;
    Names& names_;
};

}  // namespace tkc::checker
