// Structs: their types, their values and their fields.
#pragma once

#include "frontend/check/file_context.h"
#include "frontend/check/forward.h"
#include "frontend/check/values.h"

namespace tkc::checker {

struct DeclaredStruct {
    const Unit* unit = nullptr;
    const ast::Struct* syntax = nullptr;
};

class Structs {
public:
    explicit Structs(Parts& parts);

    std::optional<DeclaredStruct> find_struct(const ast::Type& type) const;
    std::shared_ptr<const StructType> check_struct_type(const DeclaredStruct& declared,
                                                        const ast::Type& type);
    // The right side of a definition, an assignment or a `return`, where a struct value may be;
    // `wanted`: the type of its place, null where that has none.
    Operand check_right_side(const ast::Expr& expr, const WrittenType* wanted);
    Operand struct_member(StructInstance& value, const ast::Name& member);
    // `value` as `wanted`, for `place`.
    Operand fitted_value(const Operand& value, const WrittenType& wanted, Span span,
                         const std::string& place);
    bool assign_struct(const ast::Assign& assign, StructInstance& target);

private:
    bool bind_struct_constants(const DeclaredStruct& declared, const ast::Type& type,
                               StructType& made);
    bool check_struct_members(const DeclaredStruct& declared, StructType& made);
    Operand check_struct_value(const ast::StructValue& value, const WrittenType& wanted, Span span);
    bool assign_fields(StructInstance& target, const StructInstance& value, Span span);

    Builder& builder_;
    Constants& constants_;
    Context& context_;
    Expressions& expressions_;
    Names& names_;
    Numbers& numbers_;
    Tiles& tiles_;
    Types& types_;

    std::vector<const ast::Struct*> open_structs_;  // whose fields are being looked at
};

}  // namespace tkc::checker
