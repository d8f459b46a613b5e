// Functions of the language: constants inferred from the arguments, and the body inlined at the
// call.
#include <fmt/format.h>

#include <utility>

#include "frontend/check_kernel.h"
#include "frontend/check_walk.h"

namespace tkc::checker {

namespace {

// An argument used several times is computed once where repeating it would cost more than this.
constexpr std::size_t cheap_nodes = 12;

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

// Rows and columns of a tile; empty for anything else.
std::vector<std::int64_t> extents_of(const Operand& x) {
    if (const auto* tile = std::get_if<Tile>(&x)) return {tile->rows, tile->cols};
    if (const auto* shared = std::get_if<SharedTile>(&x)) return {shared->rows, shared->cols};
    return {};
}

bool is_constant_kind(const ast::Type& type) {
    const std::string& name = type.path.parts.front().text;
    return name == "int" || name == "dtype";
}

}  // namespace

// A name in the extents of a parameter that nothing else defines, or in place of its dtype.
void KernelChecker::infer(const ast::FnParam& param, const Operand& argument,
                          std::map<std::string, Operand>& known) {
    const std::vector<std::int64_t> extents = extents_of(argument);
    for (std::size_t i = 0; i < extents.size() && i < param.type.extents.size(); ++i) {
        const auto* name = std::get_if<ast::NameRef>(&param.type.extents[i]->node);
        if (name != nullptr) known.emplace(name->text, ir::integer(extents[i]));
    }
    const std::optional<Dtype> dtype = dtype_of(argument);
    const std::string& path = param.type.path.parts.front().text;
    if (dtype && !find_dtype(path) && !is_constant_kind(param.type))
        known.emplace(path, DtypeName{*dtype});
}

bool KernelChecker::bind_generics(const ast::Function& function, const ast::Call& call,
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
            error(arg.span, msg::unknown_constant, "function `" + function.name.text + "`",
                  name.empty() ? text(arg.span) : name);
            return false;
        }
        known.emplace(name, check_value(*arg.value));
    }
    for (std::size_t i = 0; i < function.params.size(); ++i) {
        if (function.params[i].mode != ast::FnParamMode::Const)
            infer(function.params[i], arguments[i], known);
    }
    return true;
}

Operand KernelChecker::inline_call(const Unit& unit, const ast::Function& function,
                                   const ast::Call& call, Span span) {
    const std::string& name = function.name.text;
    for (const Inlining& outer : inlining_) {
        if (outer.function != &function) continue;
        error(span, msg::recursion, name);
        return Poison{};
    }
    if (!check_arguments(call, name, function.params.size(), span)) return Poison{};
    std::vector<Operand> arguments;
    for (const ast::Arg& arg : call.args) arguments.push_back(check_value(*arg.value));
    if (std::any_of(arguments.begin(), arguments.end(), is_poison)) return Poison{};
    std::map<std::string, Operand> known;
    if (!bind_generics(function, call, arguments, known)) return Poison{};

    const Unit* const caller = std::exchange(unit_, &unit);
    const Scope::Mark mark = scope_.open_frame();
    inlining_.push_back({&function, span, std::nullopt, blocks_.size()});
    bool bound = declare_generics(function, known, span);
    for (std::size_t i = 0; bound && i < function.params.size(); ++i) {
        bound =
            bind_parameter(function, function.params[i], arguments[i], call.args[i].value->span);
    }
    Operand result = bound ? inline_body(function, span) : Operand(Poison{});
    inlining_.pop_back();
    close_scope(mark);
    unit_ = caller;
    return result;
}

bool KernelChecker::declare_generics(const ast::Function& function,
                                     const std::map<std::string, Operand>& known, Span call) {
    std::set<std::string> listed;
    for (const ast::ConstParam& param : function.consts) {
        listed.insert(param.name.text);
        const auto found = known.find(param.name.text);
        if (found != known.end()) {
            declare(EntityKind::constant, param.name, found->second);
        } else if (param.default_value) {
            declare(EntityKind::constant, param.name, check_value(*param.default_value));
        } else {
            error(call, msg::generic_not_inferred, param.name.text, function.name.text)
                .help("write `{}<..>(..)`", function.name.text);
            return false;
        }
    }
    for (const auto& [name, value] : known) {
        if (listed.count(name) == 0)
            declare(EntityKind::constant, {function.name.span, name}, value);
    }
    return true;
}

bool KernelChecker::bind_parameter(const ast::Function& function, const ast::FnParam& param,
                                   Operand argument, Span span) {
    const auto mismatch = [&](const std::string& wanted) {
        error(span, msg::argument_type, param.name.text, function.name.text, wanted,
              describe(argument))
            .label(param.name.span, "the parameter");
        return false;
    };
    if (param.mode == ast::FnParamMode::Inout) {
        not_yet(param.span, NotYet::inout_parameters);
        return false;
    }
    if (param.mode == ast::FnParamMode::Const) {
        const bool fixed = std::holds_alternative<DtypeName>(argument) ||
                           (is_scalar(argument) && ir::is_constant(scalar(argument)));
        if (!fixed) return mismatch("a constant");
        declare(EntityKind::constant, param.name, std::move(argument));
        return true;
    }
    const std::optional<WrittenType> type =
        param.type.extents.empty() ? check_type(param.type) : check_tile_type(param.type);
    if (!type) return false;
    const std::optional<Dtype> dtype = dtype_of(argument);
    if (type->extents.empty()) {
        const bool fits =
            is_scalar(argument) &&
            (dtype == type->dtype || (adapts(scalar(argument)) && !is_boolean(type->dtype)));
        if (!fits) return mismatch("a number of type " + std::string(tkc::name(type->dtype)));
        if (!check_range(scalar(argument), type->dtype, span)) return false;
        argument = converted(scalar(argument), type->dtype);
    } else if (extents_of(argument) != type->extents || dtype != type->dtype) {
        return mismatch("a tile " + tile_text(type->dtype, type->extents[0], type->extents[1]));
    }
    if (auto* tile = std::get_if<Tile>(&argument)) {
        const bool costly =
            node_count(tile->cell) > cheap_nodes && use_count(function.body, param.name.text) > 1;
        if (costly) *tile = tile_of(materialize(*tile, unique_name(param.name.text)));
    }
    declare(EntityKind::argument, param.name, std::move(argument));
    return true;
}

Operand KernelChecker::inline_body(const ast::Function& function, Span span) {
    const Span statement = statement_;
    const bool failed_before = std::exchange(failed_, false);
    check_block(function.body);
    const bool failed_inside = std::exchange(failed_, failed_ || failed_before);
    statement_ = statement;
    std::optional<Operand> result = inlining_.back().result;
    if (!function.result) return Nothing{};
    if (!result || std::holds_alternative<Nothing>(*result)) {
        if (!failed_inside) error(function.name.span, msg::missing_return, function.name.text);
        return Poison{};
    }
    if (is_poison(*result)) return Poison{};
    const std::optional<WrittenType> wanted = function.result->extents.empty()
                                                  ? check_type(*function.result)
                                                  : check_tile_type(*function.result);
    if (!wanted) return Poison{};
    const std::string place = "the result of `" + function.name.text + "`";
    if (wanted->extents.empty()) {
        if (!is_scalar(*result)) {
            error(span, msg::operand_kind, place,
                  "a number of type " + std::string(name(wanted->dtype)), describe(*result));
            return Poison{};
        }
        const ir::Scalar s = fitted(scalar(*result), wanted->dtype, function.result->span, place);
        return s ? Operand(s) : Operand(Poison{});
    }
    const std::vector<std::int64_t> extents = extents_of(*result);
    if (extents == wanted->extents && dtype_of(*result) == wanted->dtype) return *result;
    std::optional<Tile> tile =
        fitted_tile(*result, {wanted->dtype, wanted->extents[0], wanted->extents[1]},
                    function.result->span, place);
    return tile ? Operand(std::move(*tile)) : Operand(Poison{});
}

}  // namespace tkc::checker
