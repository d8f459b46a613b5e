// Functions of the language: constants inferred from the arguments, and the body inlined at the
// call.
#include "frontend/check/functions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "frontend/check/arithmetic.h"
#include "frontend/check/builder.h"
#include "frontend/check/constants.h"
#include "frontend/check/context.h"
#include "frontend/check/expressions.h"
#include "frontend/check/limits.h"
#include "frontend/check/names.h"
#include "frontend/check/schedule_uses.h"
#include "frontend/check/statements.h"
#include "frontend/check/structs.h"
#include "frontend/check/tiles.h"
#include "frontend/check/types.h"
#include "frontend/parse/ast_walk.h"

namespace tkc::checker {

namespace {

// An argument used several times is computed once where repeating it would cost more than this.
constexpr std::size_t cheap_nodes = 12;
// More would not fit on the stack, where each call may be deep inside of an expression.
constexpr std::size_t nested_call_limit = 64;

std::size_t node_count(const ir::Scalar& s) {
    std::size_t count = 0;
    ir::visit_nodes(s, [&](const ir::ScalarNode&) { ++count; });
    return count;
}

// How often the cells of `name` are asked for: `row_index(name)` asks for its shape only.
std::size_t use_count(const ast::Block& body, const std::string& name) {
    std::size_t uses = 0;
    std::size_t shapes = 0;
    const auto is_name = [&](const ast::Expr& e) {
        const auto* ref = std::get_if<ast::NameRef>(&e.node);
        return ref != nullptr && ref->text == name;
    };
    Walk hooks;
    hooks.expr = [&](const ast::Expr& e) {
        if (is_name(e)) ++uses;
        const auto* call = std::get_if<ast::Call>(&e.node);
        const auto* callee =
            call == nullptr ? nullptr : std::get_if<ast::NameRef>(&call->callee->node);
        const bool index =
            callee != nullptr && (callee->text == "row_index" || callee->text == "col_index");
        if (index && call->args.size() == 1 && is_name(*call->args[0].value)) ++shapes;
    };
    walk(body, hooks);
    return uses - shapes;
}

bool is_constant_kind(const ast::Type& type) {
    const std::string& name = type.path.parts.front().text;
    return name == "int" || name == "dtype";
}

}  // namespace

bool has_return(const ast::Block& block) {
    bool found = false;
    Walk hooks;
    hooks.stmt = [&](const ast::Stmt& stmt) {
        found = found || std::holds_alternative<ast::Return>(stmt.node);
    };
    walk(block, hooks);
    return found;
}

// A name in the extents of a parameter that nothing else defines, or in place of its dtype.
void Functions::infer(const ast::FnParam& param, const Operand& argument,
                      std::map<std::string, Operand>& known) {
    const std::vector<std::int64_t> extents = extents_of(argument);
    for (std::size_t i = 0; i < extents.size() && i < param.type.extents.size(); ++i) {
        const auto* name = std::get_if<ast::NameRef>(&param.type.extents[i]->node);
        if (name != nullptr) known.emplace(name->text, ir::integer(extents[i]));
    }
    if (const auto* instance = std::get_if<StructInstance>(&argument)) {
        // state<BM>: the constants of the argument's type, by place or by name.
        const std::vector<ast::ConstParam>& consts = instance->type->declared->consts;
        for (std::size_t i = 0; i < consts.size(); ++i) {
            for (std::size_t j = 0; j < param.type.generics.size(); ++j) {
                const ast::GenericArg& arg = param.type.generics[j];
                const auto* name = std::get_if<ast::NameRef>(&arg.value->node);
                const bool meant = arg.name ? arg.name->text == consts[i].name.text : i == j;
                if (meant && name != nullptr && !find_dtype(name->text))
                    known.emplace(name->text, instance->type->constants[i]);
            }
        }
        return;
    }
    const std::optional<Dtype> dtype = dtype_of(argument);
    const std::string& path = param.type.path.parts.front().text;
    if (dtype && !find_dtype(path) && !is_constant_kind(param.type))
        known.emplace(path, DtypeName{*dtype});
}

bool Functions::bind_generics(const ast::Function& function, const ast::Call& call,
                              const std::vector<Operand>& arguments,
                              std::map<std::string, Operand>& known) {
    std::size_t place = 0;
    for (const ast::GenericArg& arg : call.generics) {
        const std::size_t index = place++;
        std::string name = arg.name ? arg.name->text : "";
        if (!arg.name && index < function.consts.size()) name = function.consts[index].name.text;
        const bool found =
            std::any_of(function.consts.begin(), function.consts.end(),
                        [&](const ast::ConstParam& c) { return c.name.text == name; });
        if (!found) {
            constants_.report_unknown_constant(arg, "function `" + function.name.text + "`",
                                               function.consts);
            return false;
        }
        known.emplace(name, expressions_.check_value(*arg.value));
    }
    for (std::size_t i = 0; i < function.params.size(); ++i) {
        if (function.params[i].mode != ast::FnParamMode::constant)
            infer(function.params[i], arguments[i], known);
    }
    return true;
}

// A variable of the caller, or a field of one, that the function may change.
Operand Functions::check_inout_argument(const ast::Function& function, const ast::FnParam& param,
                                        const ast::Arg& arg) {
    const std::string& name = function.name.text;
    if (!arg.is_inout) {
        context_
            .error(arg.span, msg::inout_argument, param.name.text, name, "is changed by the call")
            .label(param.name.span, "the parameter")
            .help("write `inout {}`", context_.text(arg.span))
            .fix({arg.span.file, arg.span.begin, arg.span.begin}, "inout ");
        return Poison{};
    }
    const ast::Expr* root = arg.value.get();
    while (const auto* member = std::get_if<ast::Member>(&root->node)) root = member->base.get();
    const auto* ref = std::get_if<ast::NameRef>(&root->node);
    const Entity* entity = ref == nullptr ? nullptr : names_.scope.find(ref->text);
    if (entity != nullptr && entity->kind != EntityKind::variable && !entity->guess) {
        context_
            .error(arg.value->span, msg::inout_argument, param.name.text, name,
                   "must be a variable, found " + std::string(kind_text(entity->kind)))
            .label(entity->span, "declared here");
        return Poison{};
    }
    if (ref == nullptr) {
        context_.error(arg.value->span, msg::inout_argument, param.name.text, name,
                       "must be a variable, found " + context_.quoted(arg.value->span));
        return Poison{};
    }
    if (entity != nullptr) names_.lookup(root->span, ref->text, "variable");  // it is used
    const Operand* place = statements_.assignable(*arg.value);
    if (place != nullptr && is_scalar(*place)) statements_.let_change(*arg.value);
    return place == nullptr ? Operand(Poison{}) : *place;
}

// The constant by whose name the function is called; empty where it is called by its own.
std::string Functions::called_as(const ast::Function& function, const ast::Call& call) const {
    const auto* written = std::get_if<ast::NameRef>(&call.callee->node);
    return written == nullptr || written->text == function.name.text ? "" : written->text;
}

// axpy(a: f32, x: f32[R, C]) -> f32[R, C]
std::string Functions::signature_of(const ast::Function& function) const {
    std::vector<std::string> places;
    for (const ast::FnParam& param : function.params) places.push_back(context_.text(param.span));
    return fmt::format("{}({}){}", function.name.text, fmt::join(places, ", "),
                       function.result ? " -> " + context_.text(function.result->span) : "");
}

// The values of the arguments; empty where something was told.
std::optional<std::vector<Operand>> Functions::check_call_arguments(const ast::Function& function,
                                                                    const ast::Call& call,
                                                                    Span span) {
    const std::string& name = function.name.text;
    for (const ast::Arg& arg : call.args) {
        if (!arg.name) continue;
        std::vector<std::string> places;
        for (const ast::FnParam& param : function.params) places.push_back(param.name.text);
        context_.error(arg.name->span, msg::unknown_argument, name, arg.name->text)
            .label(function.name.span, "declared here")
            .help("arguments of functions are positional: `{}({})`", name, fmt::join(places, ", "));
        return std::nullopt;
    }
    const std::size_t count = function.params.size();
    if (call.args.size() != count) {
        DiagnosticBuilder message = context_.error(
            span, msg::argument_count, name,
            count == 1 ? "1 argument" : fmt::format("{} arguments", count), call.args.size());
        message.label(function.name.span, "declared here")
            .help("its signature is `{}`", signature_of(function));
        const auto is_constant = [](const ast::FnParam& param) {
            return param.mode == ast::FnParamMode::constant;
        };
        const auto constant_param =
            std::find_if(function.params.begin(), function.params.end(), is_constant);
        if (!call.generics.empty() && constant_param != function.params.end())
            message.help(
                "`const {}` is a parameter like the others: pass it inside the parentheses",
                constant_param->name.text);
        if (const std::string constant = called_as(function, call); !constant.empty())
            message.note("the constant `{}` is `{}` here", constant, name);
        return std::nullopt;
    }
    std::vector<Operand> arguments;
    std::vector<ir::Value> changing;
    bool known = true;
    for (std::size_t i = 0; i < count; ++i) {
        const ast::Arg& arg = call.args[i];
        const ast::FnParam& param = function.params[i];
        const bool is_inout = param.mode == ast::FnParamMode::inout;
        if (arg.is_inout && !is_inout) {
            context_.error(arg.span, msg::inout_argument, param.name.text, name, "is not `inout`")
                .label(param.name.span, "the parameter");
            return std::nullopt;
        }
        const std::size_t since = context_.changed.size();
        arguments.push_back(is_inout ? check_inout_argument(function, param, arg)
                                     : expressions_.check_value(*arg.value));
        for (std::size_t j = 0; j < i; ++j)
            expressions_.check_unchanged(arguments[j], *call.args[j].value, since);
        known = known && !is_poison(arguments.back());
        if (!is_inout) continue;
        for (const ir::Value v : values_of(arguments.back())) {
            if (std::find(changing.begin(), changing.end(), v) == changing.end()) {
                changing.push_back(v);
                continue;
            }
            context_.error(arg.span, msg::inout_argument, param.name.text, name,
                           "is also passed to another `inout` parameter");
            return std::nullopt;
        }
    }
    if (!known) return std::nullopt;
    // What goes in by value stays as it is while the function changes the others.
    for (std::size_t i = 0; i < count; ++i) {
        auto* tile = std::get_if<Tile>(&arguments[i]);
        if (tile == nullptr || function.params[i].mode == ast::FnParamMode::inout) continue;
        const bool touched = std::any_of(tile->inputs.begin(), tile->inputs.end(), [&](auto v) {
            return std::find(changing.begin(), changing.end(), v) != changing.end();
        });
        if (touched)
            *tile = tiles_.tile_of(
                tiles_.materialize(*tile, builder_.unique_name(function.params[i].name.text)));
    }
    return arguments;
}

Operand Functions::inline_call(const Unit& unit, const ast::Function& function,
                               const ast::Call& call, Span span) {
    const std::string& name = function.name.text;
    context_.file.used.insert(&function);
    for (const Inlining& outer : context_.inlining) {
        if (outer.function != &function) continue;
        context_.error(span, msg::recursion, name);
        return Poison{};
    }
    if (!context_.counts(call_count_, call_limit, "calls of functions", span)) return Poison{};
    if (function.external) return call_external(unit, function, call, span);
    std::size_t nested = context_.inlining.size();
    if (!context_.counts(nested, nested_call_limit, "nested calls of functions", span))
        return Poison{};
    const std::optional<std::vector<Operand>> checked = check_call_arguments(function, call, span);
    if (!checked) return Poison{};
    const std::vector<Operand>& arguments = *checked;
    std::map<std::string, Operand> known;
    if (!bind_generics(function, call, arguments, known)) return Poison{};
    if (works_on_cells(function, arguments))
        return call_on_cells(unit, function, call, arguments, known, span);

    std::vector<Span> origins;  // of the variables that it changes
    for (const ast::Arg& arg : call.args) {
        origins.push_back(arg.is_inout ? statements_.origin_of(*arg.value) : Span{});
    }
    const Unit* const caller = std::exchange(context_.unit, &unit);
    const Scope::Mark mark = names_.scope.open_frame();
    context_.inlining.push_back({&function, span, std::nullopt, builder_.blocks.size(),
                                 std::nullopt, called_as(function, call), &call});
    bool bound = declare_generics(function, known, span);
    for (std::size_t i = 0; bound && i < function.params.size(); ++i) {
        bound = bind_parameter(function, function.params[i], arguments[i], call.args[i].value->span,
                               origins[i]);
    }
    Operand result = bound ? inline_body(function) : Operand(Poison{});
    context_.inlining.pop_back();
    names_.close_scope(mark);
    context_.unit = caller;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (function.params[i].mode != ast::FnParamMode::inout) continue;
        for (const ir::Value v : values_of(arguments[i])) context_.changed.push_back(v);
    }
    return result;
}

bool Functions::declare_generics(const ast::Function& function,
                                 const std::map<std::string, Operand>& known, Span call) {
    std::set<std::string> listed;
    for (const ast::ConstParam& param : function.consts) {
        listed.insert(param.name.text);
        const auto found = known.find(param.name.text);
        if (found != known.end()) {
            names_.declare(EntityKind::constant, param.name, found->second);
        } else if (param.default_value) {
            names_.declare(EntityKind::constant, param.name,
                           expressions_.check_value(*param.default_value));
        } else {
            context_.error(call, msg::generic_not_inferred, param.name.text, function.name.text)
                .help("write `{}<{} = ..>(..)`",
                      context_.text(call).substr(0, context_.text(call).find_first_of("<(")),
                      param.name.text);
            return false;
        }
    }
    for (const auto& [name, value] : known) {
        if (listed.count(name) == 0)
            names_.declare(EntityKind::constant, {function.name.span, name}, value);
        keep_number(function, name, value, call);
    }
    return true;
}

// Where instances of the kernel may differ in the extent, they are compared by it.
void Functions::keep_number(const ast::Function& function, const std::string& name,
                            const Operand& value, Span call) {
    const std::vector<ast::ConstParam>& consts = context_.syntax.consts;
    std::int64_t number = 0;
    if (std::none_of(consts.begin(), consts.end(), [](auto& c) { return c.schedule.has_value(); }))
        return;
    if (!is_scalar(value) || !ir::is_constant(scalar(value), &number)) return;
    const std::optional<OtherUse> use = other_use(*context_.unit, function, name);
    if (!use) return;
    NumberOfExtent& kept = context_.numbers_of_extents[{call.file, call.begin, name}];
    kept.call = call;
    kept.use = use->span;
    kept.function = function.name.text;
    kept.values.insert(number);
}

bool Functions::bind_parameter(const ast::Function& function, const ast::FnParam& param,
                               Operand argument, Span span, Span origin) {
    const auto mismatch = [&](const std::string& wanted) {
        DiagnosticBuilder message = context_.error(span, msg::argument_type, param.name.text,
                                                   function.name.text, wanted, describe(argument));
        message.label(param.name.span, "the parameter");
        const std::optional<Dtype> to = find_dtype(param.type.path.parts.front().text);
        const std::optional<Dtype> from = dtype_of(argument);
        if (std::holds_alternative<TileIndex>(argument))
            message.help("its first element is `{}.start`", context_.text(span));
        else if (to && from && *to != *from && !is_boolean(*to) && !is_boolean(*from))
            message.help("write `{}({})`", name(*to), context_.text(span));
        return false;
    };
    if (param.mode == ast::FnParamMode::constant) {
        const bool fixed = std::holds_alternative<DtypeName>(argument) ||
                           (is_scalar(argument) && ir::is_constant(scalar(argument)));
        if (!fixed) return mismatch("a constant");
        names_.declare(EntityKind::constant, param.name, std::move(argument));
        return true;
    }
    // Names in a type follow from an argument of its kind alone.
    const bool is_tile = !extents_of(argument).empty();
    if (structs_.find_struct(param.type) ? !is_struct(argument)
                                         : !param.type.extents.empty() && !is_tile)
        return mismatch(context_.quoted(param.type.span));
    const std::optional<WrittenType> type = types_.check_any_type(param.type);
    if (!type) return false;
    const std::optional<Dtype> dtype = dtype_of(argument);
    if (type->structure) {
        const auto* instance = std::get_if<StructInstance>(&argument);
        if (instance == nullptr || !same_type(*instance->type, *type->structure))
            return mismatch(type_text(*type));
    } else if (type->extents.empty()) {
        const bool variable = std::holds_alternative<NumberVariable>(argument);
        const bool fits = (is_scalar(argument) || variable) &&
                          (dtype == type->dtype ||
                           (!variable && adapts(scalar(argument)) && !is_boolean(type->dtype)));
        if (!fits) return mismatch(scalar_text(type->dtype));
        if (!variable && !tiles_.check_range(scalar(argument), type->dtype, span)) return false;
        if (!variable) argument = converted(scalar(argument), type->dtype);
    } else if (extents_of(argument) != type->extents || dtype != type->dtype) {
        return mismatch(type_text(*type));
    }
    if (param.mode == ast::FnParamMode::inout) {
        Entity* const declared =
            names_.declare(EntityKind::variable, param.name, std::move(argument));
        declared->used = true;
        declared->origin = origin;
        return true;
    }
    names_.declare(EntityKind::argument, param.name, computed_once(function, param, argument));
    return true;
}

// The argument; of a tile whose cells cost much and are asked for several times, its value. Masks
// are computed where they are used, as those that a `let` names.
Operand Functions::computed_once(const ast::Function& function, const ast::FnParam& param,
                                 Operand argument) {
    auto* tile = std::get_if<Tile>(&argument);
    if (tile == nullptr || builder_.role == nullptr || tiles_.is_mask(*tile) ||
        node_count(tile->cell) <= cheap_nodes || use_count(function.body, param.name.text) < 2)
        return argument;
    return tiles_.tile_of(tiles_.materialize(*tile, builder_.unique_name(param.name.text)));
}

Operand Functions::inline_body(const ast::Function& function) {
    const Span statement = context_.statement;
    const bool failed_before = std::exchange(context_.failed, false);
    std::optional<WrittenType> wanted;
    if (function.result) wanted = types_.check_any_type(*function.result);
    context_.inlining.back().type = wanted;
    if (function.result && !has_return(function.body)) {
        context_.error(function.name.span, msg::missing_return, function.name.text);
        return Poison{};
    }
    statements_.check_body(function.body);
    const bool failed_inside = std::exchange(context_.failed, context_.failed || failed_before);
    context_.statement = statement;
    std::optional<Operand> result = context_.inlining.back().result;
    if (!function.result) return Nothing{};
    if (!result || std::holds_alternative<Nothing>(*result)) {
        if (!failed_inside)
            context_.error(function.name.span, msg::missing_return, function.name.text);
        return Poison{};
    }
    return wanted ? *result : Operand(Poison{});
}

// What a `return` gives, as the type of the result. A shared tile that fits stays one.
Operand Functions::returned(const Operand& value, const WrittenType& wanted, Span span) {
    const std::vector<std::int64_t> extents = extents_of(value);
    const bool fits = !extents.empty() && extents == wanted.extents;
    if (fits && dtype_of(value) == wanted.dtype) return value;
    return structs_.fitted_value(
        value, wanted, span,
        "the result of `" + context_.inlining.back().function->name.text + "`");
}

}  // namespace tkc::checker
