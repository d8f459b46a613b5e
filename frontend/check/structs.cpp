// Structs: their types, values and fields. A struct is not a value of the IR: its fields are.
#include "frontend/check/structs.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "frontend/check/builder.h"
#include "frontend/check/constants.h"
#include "frontend/check/context.h"
#include "frontend/check/expressions.h"
#include "frontend/check/names.h"
#include "frontend/check/numbers.h"
#include "frontend/check/tiles.h"
#include "frontend/check/types.h"

namespace tkc::checker {

namespace {

const ast::Struct* struct_in(const Unit& unit, const std::string& name) {
    const auto found = unit.decls.find(name);
    return found == unit.decls.end() ? nullptr : std::get_if<ast::Struct>(&found->second->node);
}

// The argument in <> for the constant at `index`; null where it has none.
const ast::GenericArg* argument_for(const ast::Type& type, const ast::Struct& syntax,
                                    std::size_t index) {
    for (std::size_t i = 0; i < type.generics.size(); ++i) {
        const ast::GenericArg& arg = type.generics[i];
        if (arg.name ? arg.name->text == syntax.consts[index].name.text : i == index) return &arg;
    }
    return nullptr;
}

std::string constant_text(const Operand& x) {
    if (const auto* dtype = std::get_if<DtypeName>(&x)) return std::string(name(dtype->dtype));
    if (const auto* function = std::get_if<FunctionName>(&x)) return function->text;
    return is_scalar(x) ? ir::to_string(scalar(x)) : "?";
}

}  // namespace

std::optional<DeclaredStruct> Structs::find_struct(const ast::Type& type) const {
    const std::vector<ast::Name>& path = type.path.parts;
    const Unit* unit = context_.unit;
    if (path.size() == 2) {
        const auto module = context_.unit->modules.find(path[0].text);
        unit = module == context_.unit->modules.end() ? nullptr : module->second;
    }
    const bool known = unit != nullptr && path.size() <= 2 && type.extents.empty();
    const ast::Struct* syntax = known ? struct_in(*unit, path.back().text) : nullptr;
    if (syntax == nullptr) return std::nullopt;
    return DeclaredStruct{unit, syntax};
}

bool Structs::bind_struct_constants(const DeclaredStruct& declared, const ast::Type& type,
                                    StructType& made) {
    const ast::Struct& syntax = *declared.syntax;
    std::vector<std::string> known;
    for (const ast::ConstParam& c : syntax.consts) known.push_back(c.name.text);
    for (std::size_t i = 0; i < type.generics.size(); ++i) {
        const ast::GenericArg& arg = type.generics[i];
        const bool found =
            arg.name ? std::find(known.begin(), known.end(), arg.name->text) != known.end()
                     : i < known.size();
        if (found) continue;
        constants_.report_unknown_constant(arg, "struct `" + syntax.name.text + "`", syntax.consts);
        return false;
    }
    std::string list;
    for (std::size_t i = 0; i < syntax.consts.size(); ++i) {
        const ast::ConstParam& param = syntax.consts[i];
        const ast::GenericArg* arg = argument_for(type, syntax, i);
        const ast::Expr* expr = arg != nullptr ? arg->value.get() : param.default_value.get();
        if (expr == nullptr) {
            context_
                .error(type.span, msg::constant_without_value, param.name.text, syntax.name.text)
                .help("write `{}<{} = ..>`", context_.text(type.path.span), param.name.text);
            return false;
        }
        Operand value = expressions_.check_value(*expr);
        if (is_poison(value)) return false;
        if (!is_constant_of(value, param.kind)) {
            context_.error(expr->span, msg::constant_kind, param.name.text, kind_text(param.kind),
                           describe(value));
            return false;
        }
        list += (list.empty() ? "" : ", ") + constant_text(value);
        made.constants.push_back(std::move(value));
    }
    made.text = syntax.name.text + (list.empty() ? "" : "<" + list + ">");
    return true;
}

bool Structs::check_struct_members(const DeclaredStruct& declared, StructType& made) {
    const ast::Struct& syntax = *declared.syntax;
    const Unit* const user = std::exchange(context_.unit, declared.unit);
    const Scope::Mark mark = names_.scope.open_frame();
    open_structs_.push_back(&syntax);
    for (std::size_t i = 0; i < syntax.consts.size(); ++i)
        names_.declare(EntityKind::constant, syntax.consts[i].name, made.constants[i]);
    bool known = true;
    for (const ast::Field& field : syntax.fields) {
        const std::optional<WrittenType> type = types_.check_any_type(field.type);
        known = known && type && field.name;
        if (!known) continue;
        const std::vector<std::string> names = field_names(made);
        if (std::find(names.begin(), names.end(), field.name->text) != names.end()) {
            const auto first = std::find_if(
                syntax.fields.begin(), syntax.fields.end(),
                [&](const ast::Field& f) { return f.name && f.name->text == field.name->text; });
            context_.error(field.span, msg::declared_twice, field.name->text, "a field")
                .label(first->span, "declared here");
            known = false;
        }
        made.members.push_back({field.name->text, *type});
    }
    open_structs_.pop_back();
    names_.close_scope(mark);
    context_.unit = user;
    return known;
}

std::shared_ptr<const StructType> Structs::check_struct_type(const DeclaredStruct& declared,
                                                             const ast::Type& type) {
    const std::string& name = declared.syntax->name.text;
    if (std::find(open_structs_.begin(), open_structs_.end(), declared.syntax) !=
        open_structs_.end()) {
        context_.error(type.span, msg::definition_cycle, name)
            .label(declared.syntax->name.span, "defined here");
        return nullptr;
    }
    context_.file.used.insert(declared.syntax);
    auto made = std::make_shared<StructType>();
    made->declared = declared.syntax;
    if (!bind_struct_constants(declared, type, *made) || !check_struct_members(declared, *made))
        return nullptr;
    return made;
}

Operand Structs::check_right_side(const ast::Expr& expr, const WrittenType* wanted) {
    const auto* value = std::get_if<ast::StructValue>(&expr.node);
    if (value == nullptr) return expressions_.check_value(expr);
    if (wanted != nullptr) return check_struct_value(*value, *wanted, expr.span);
    context_.error(expr.span, msg::struct_place, "where nothing determines its struct")
        .help("write the type before the `=`: `let x: name<..> = { .. };`");
    return Poison{};
}

Operand Structs::check_struct_value(const ast::StructValue& value, const WrittenType& wanted,
                                    Span span) {
    if (!wanted.structure) {
        context_.error(span, msg::struct_place, "in place of " + type_text(wanted));
        return Poison{};
    }
    const StructType& type = *wanted.structure;
    const std::vector<std::string> names = field_names(type);
    std::vector<const ast::Expr*> exprs;
    std::vector<std::size_t> places;
    for (const ast::FieldValue& field : value.fields) {
        const auto found = std::find(names.begin(), names.end(), field.name.text);
        const auto place = static_cast<std::size_t>(found - names.begin());
        if (found == names.end()) {
            DiagnosticBuilder message =
                context_.error(field.name.span, msg::struct_field, type.text, field.name.text);
            suggest(message, field.name.span, field.name.text, names);
            return Poison{};
        }
        if (std::find(places.begin(), places.end(), place) != places.end()) {
            context_.error(field.name.span, msg::struct_value, type.text,
                           "sets the field `" + field.name.text + "` twice");
            return Poison{};
        }
        exprs.push_back(field.value.get());
        places.push_back(place);
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (std::find(places.begin(), places.end(), i) != places.end()) continue;
        context_.error(span, msg::struct_value, type.text, "has no field `" + names[i] + "`")
            .label(type.declared->name.span, "declared here");
        return Poison{};
    }
    const std::vector<Operand> values = expressions_.check_in_order(exprs);
    StructInstance made{wanted.structure, std::vector<StructField>(names.size())};
    bool known = true;
    for (std::size_t i = 0; i < values.size(); ++i) {
        Operand& place = made.fields[places[i]].value;
        place = fitted_value(values[i], type.members[places[i]].type, exprs[i]->span,
                             "field `" + names[places[i]] + "`");
        known = known && !is_poison(place);
    }
    return known ? Operand(std::move(made)) : Operand(Poison{});
}

Operand Structs::struct_member(StructInstance& value, const ast::Name& member) {
    if (const StructField* field = find_field(value, member.text)) return field->value;
    DiagnosticBuilder message =
        context_.error(member.span, msg::struct_field, value.type->text, member.text);
    suggest(message, member.span, member.text, field_names(*value.type));
    return Poison{};
}

Operand Structs::fitted_value(const Operand& value, const WrittenType& wanted, Span span,
                              const std::string& place) {
    if (is_poison(value)) return Poison{};
    const auto mismatch = [&]() -> Operand {
        context_.error(span, msg::operand_kind, place, type_text(wanted), describe(value));
        return Poison{};
    };
    if (wanted.structure) {
        const auto* found = std::get_if<StructInstance>(&value);
        const bool fits = found != nullptr && same_type(*found->type, *wanted.structure);
        return fits ? value : mismatch();
    }
    if (wanted.extents.empty()) {
        if (!is_scalar(value)) return mismatch();
        const ir::Scalar number = tiles_.fitted(scalar(value), wanted.dtype, span, place);
        return number ? Operand(number) : Operand(Poison{});
    }
    std::optional<Tile> tile = tiles_.fitted_tile(
        value, {wanted.dtype, wanted.extents[0], wanted.extents[1]}, span, place);
    return tile ? Operand(std::move(*tile)) : Operand(Poison{});
}

// All fields take their values at once: what reads a field that changes is computed before. True: a
// number changes that is not yet a variable.
bool Structs::assign_fields(StructInstance& target, const StructInstance& value, Span span) {
    const std::vector<ir::Value> changing = values_of(target);
    std::vector<Operand> values;
    for (const StructField& field : value.fields) {
        const auto* tile = std::get_if<Tile>(&field.value);
        const bool reads =
            tile != nullptr &&
            std::any_of(tile->inputs.begin(), tile->inputs.end(), [&](ir::Value v) {
                return std::find(changing.begin(), changing.end(), v) != changing.end();
            });
        values.push_back(
            reads ? Operand(tiles_.tile_of(tiles_.materialize(*tile, builder_.unique_name("next"))))
                  : field.value);
    }
    bool needs_inout = false;
    for (std::size_t i = 0; i < values.size(); ++i) {
        Operand& place = target.fields[i].value;
        if (auto* inner = std::get_if<StructInstance>(&place)) {
            const bool wants = assign_fields(*inner, std::get<StructInstance>(values[i]), span);
            needs_inout = needs_inout || wants;
        } else if (const auto* tile = std::get_if<Tile>(&place)) {
            if (const std::optional<Tile> from = tiles_.as_tile(values[i], span, "the field"))
                tiles_.compute(tile->inputs.front(), *from);
        } else if (const auto* number = std::get_if<NumberVariable>(&place)) {
            numbers_.assign(*number, scalar(values[i]));
        } else {
            needs_inout =
                needs_inout || (is_scalar(place) && !ir::same(scalar(place), scalar(values[i])));
        }
    }
    return needs_inout;
}

bool Structs::assign_struct(const ast::Assign& assign, StructInstance& target) {
    if (assign.op != ast::AssignOp::set) {
        context_.error(assign.op_span, msg::operand_kind, context_.quoted(assign.op_span),
                       "scalars or tiles", describe(target));
        return false;
    }
    const WrittenType wanted{Dtype::f32, {}, target.type};
    const Operand value = fitted_value(check_right_side(*assign.value, &wanted), wanted,
                                       assign.value->span, context_.quoted(assign.target->span));
    const auto* fields = std::get_if<StructInstance>(&value);
    return fields != nullptr && assign_fields(target, *fields, assign.value->span);
}

}  // namespace tkc::checker
