// Functions of the language: constants inferred from the arguments, and the body written out at the
// call.
#pragma once

#include <map>

#include "frontend/check/file_context.h"
#include "frontend/check/forward.h"
#include "frontend/check/values.h"

namespace tkc::checker {

// Whether `return` is in the block, at any depth.
bool has_return(const ast::Block& block);

class Functions {
public:
    explicit Functions(Parts& parts);

    Operand inline_call(const Unit& unit, const ast::Function& function, const ast::Call& call,
                        Span span);
    Operand returned(const Operand& value, const WrittenType& wanted, Span span);

private:
    bool bind_generics(const ast::Function& function, const ast::Call& call,
                       const std::vector<Operand>& arguments,
                       std::map<std::string, Operand>& known);
    void keep_number(const ast::Function& function, const std::string& name, const Operand& value,
                     Span call);
    bool declare_generics(const ast::Function& function,
                          const std::map<std::string, Operand>& known, Span call);
    void infer(const ast::FnParam& param, const Operand& argument,
               std::map<std::string, Operand>& known);
    std::optional<std::vector<Operand>> check_call_arguments(const ast::Function& function,
                                                             const ast::Call& call, Span span);
    std::string signature_of(const ast::Function& function) const;
    Operand check_inout_argument(const ast::Function& function, const ast::FnParam& param,
                                 const ast::Arg& arg);
    bool bind_parameter(const ast::Function& function, const ast::FnParam& param, Operand argument,
                        Span span, Span origin);
    Operand computed_once(const ast::Function& function, const ast::FnParam& param,
                          Operand argument);
    std::string called_as(const ast::Function& function, const ast::Call& call) const;
    Operand inline_body(const ast::Function& function);

    // ---- cell_functions.cpp
    bool works_on_cells(const ast::Function& function, const std::vector<Operand>& arguments) const;
    Operand call_on_cells(const Unit& unit, const ast::Function& function, const ast::Call& call,
                          std::vector<Operand> arguments,
                          const std::map<std::string, Operand>& known, Span span);
    Operand call_external(const Unit& unit, const ast::Function& function, const ast::Call& call,
                          Span span);
    ir::Scalar meaning_of(const ast::Function& function,
                          const std::vector<const ast::FnParam*>& params,
                          const std::vector<ir::Scalar>& arguments, Span span,
                          const std::string& constant);

    Arithmetic& arithmetic_;
    Builder& builder_;
    Constants& constants_;
    Context& context_;
    Expressions& expressions_;
    Names& names_;
    Statements& statements_;
    Structs& structs_;
    Tiles& tiles_;
    Types& types_;

    std::size_t call_count_ = 0;  // of functions, each written out where it is
};

}  // namespace tkc::checker
