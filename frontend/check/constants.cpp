// The constants of a kernel: from `-D`, the arguments of an instance, and defaults, in this order.
#include "frontend/check/constants.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "frontend/check/builder.h"
#include "frontend/check/check.h"
#include "frontend/check/context.h"
#include "frontend/check/expressions.h"
#include "frontend/check/names.h"
#include "language/operation.h"

namespace tkc::checker {

std::string_view kind_text(ast::ConstKind kind) {
    switch (kind) {
        case ast::ConstKind::integer: return "an integer";
        case ast::ConstKind::boolean: return "a bool";
        case ast::ConstKind::dtype: return "a data type";
        case ast::ConstKind::function: return "a function";
    }
    return "";
}

bool is_constant_of(const Operand& value, ast::ConstKind kind) {
    if (const auto* s = std::get_if<ir::Scalar>(&value)) {
        const bool wanted = kind == ast::ConstKind::integer
                                ? is_integer((*s)->dtype)
                                : kind == ast::ConstKind::boolean && is_boolean((*s)->dtype);
        return wanted && ir::is_constant(*s);
    }
    if (kind == ast::ConstKind::function) return std::holds_alternative<FunctionName>(value);
    return kind == ast::ConstKind::dtype && std::holds_alternative<DtypeName>(value);
}

namespace {

std::optional<Operand> function_operand(const Unit& unit, std::string_view text) {
    const std::optional<FunctionName> found = find_function_name(unit, text);
    return found ? std::optional<Operand>(*found) : std::nullopt;
}

std::vector<std::string> function_names(const Unit& unit) {
    std::vector<std::string> names;
    for (const ast::Decl& decl : unit.file->decls) {
        const auto* function = std::get_if<ast::Function>(&decl.node);
        if (function != nullptr) names.push_back(function->name.text);
    }
    return names;
}

// The value of `-D NAME=text`; numbers are written as in the language.
std::optional<Operand> parse_define(const std::string& text, bool* too_large) {
    if (text == "true" || text == "false") return Operand(ir::boolean(text == "true"));
    if (const std::optional<Dtype> dtype = find_dtype(text)) return Operand(DtypeName{*dtype});
    const bool negative = text.starts_with("-");
    std::string_view digits = std::string_view(text).substr(negative ? 1 : 0);
    const bool hexadecimal = digits.starts_with("0x") || digits.starts_with("0X");
    if (hexadecimal) digits.remove_prefix(2);
    const std::string number = (negative ? "-" : "") + std::string(digits);
    if (digits.starts_with("-")) return std::nullopt;
    std::int64_t value = 0;
    const char* const end = number.data() + number.size();
    const auto [stop, problem] = std::from_chars(number.data(), end, value, hexadecimal ? 16 : 10);
    *too_large = problem == std::errc::result_out_of_range && stop == end;
    if (problem != std::errc() || stop != end) return std::nullopt;
    const bool wide = value != static_cast<std::int32_t>(value);
    return Operand(ir::integer(value, wide ? Dtype::i64 : Dtype::i32));
}

}  // namespace

const ast::GenericArg* Constants::instance_argument(const ast::ConstParam& param) const {
    if (context_.instance == nullptr) return nullptr;
    for (std::size_t i = 0; i < context_.instance->args.size(); ++i) {
        const ast::GenericArg& arg = context_.instance->args[i];
        const bool by_place =
            !arg.name && i < context_.syntax.consts.size() && &context_.syntax.consts[i] == &param;
        if (by_place || (arg.name && arg.name->text == param.name.text)) return &arg;
    }
    return nullptr;
}

std::optional<Operand> Constants::defined_constant(const ast::ConstParam& param) {
    if (context_.unit->owned) return std::nullopt;  // `-D` is about the main file
    for (const Define& define : context_.file.options.defines) {
        if (define.name != param.name.text) continue;
        bool too_large = false;
        std::optional<Operand> value = param.kind == ast::ConstKind::function
                                           ? function_operand(*context_.unit, define.value)
                                           : parse_define(define.value, &too_large);
        if (too_large)
            context_.error(Span{}, msg::number_too_large, "-D " + define.name + "=" + define.value);
        else if (!value) report_define(param, define);
        return value ? value : Operand(Poison{});
    }
    return std::nullopt;
}

Operand Constants::function_of_module(const ast::Name& module, const ast::Name& function) {
    const std::string path = module.text + "." + function.text;
    if (std::optional<FunctionName> found = find_function_name(*context_.unit, path))
        return *std::move(found);
    const auto known = context_.unit->modules.find(module.text);
    if (known == context_.unit->modules.end()) {
        names_.report_unknown_module(module.span, module.text);
    } else if (known->second == nullptr) {
        context_.failed = true;  // the import was told
    } else {
        DiagnosticBuilder message = context_.error(function.span, msg::unknown_name, "function",
                                                   module.text + "." + function.text);
        suggest_function_of(context_.file, message, *known->second, module.text, function);
    }
    return Poison{};
}

// Functions are sought among functions alone, and what else has the name is told.
Operand Constants::value_of(const ast::ConstParam& param, const ast::Expr& value) {
    if (param.kind != ast::ConstKind::function) return expressions_.check_value(value);
    if (const auto* member = std::get_if<ast::Member>(&value.node)) {
        const auto* base = std::get_if<ast::NameRef>(&member->base->node);
        const Entity* own = base == nullptr ? nullptr : names_.scope.find(base->text);
        if (base != nullptr && own == nullptr)
            return function_of_module({member->base->span, base->text}, member->member);
    }
    const auto* written = std::get_if<ast::NameRef>(&value.node);
    if (written == nullptr || names_.scope.find(written->text) != nullptr)
        return expressions_.check_value(value);
    if (std::optional<FunctionName> found = find_function_name(*context_.unit, written->text))
        return *std::move(found);
    const std::string& name = written->text;
    const auto declared = context_.unit->decls.find(name);
    const bool builtin = find_operation(name) || find_function(name);
    if (declared != context_.unit->decls.end() || builtin) {
        DiagnosticBuilder message = context_.error(
            value.span, msg::constant_kind, param.name.text, kind_text(param.kind),
            fmt::format("{} `{}`", builtin ? "the operation" : kind_of(*declared->second), name));
        if (builtin) message.help("write a function of the file that calls `{}`", name);
        return Poison{};
    }
    if (find_dtype(name) || name == "LOG2E" || name == "LN2")
        return expressions_.check_value(value);
    DiagnosticBuilder message = context_.error(value.span, msg::unknown_name, "function", name);
    const std::string help = import_help(context_.file, *context_.unit, name, Wanted::function);
    if (!help.empty()) message.help(help);
    else suggest(message, value.span, name, function_names(*context_.unit));
    return Poison{};
}

void Constants::report_define(const ast::ConstParam& param, const Define& define) {
    DiagnosticBuilder message =
        context_.error(Span{}, msg::define_value, define.name, define.value);
    if (param.kind != ast::ConstKind::function) return;
    const std::vector<std::string> known = function_names(*context_.unit);
    message.note("`{}` is a function, but no function is named `{}`", define.name, define.value);
    const std::string meant = nearest(define.value, known);
    if (!meant.empty()) message.help("did you mean `{}`?", meant);
    else if (!known.empty()) message.help("the file has `{}`", fmt::join(known, "`, `"));
}

const ast::ConstParam* Constants::constant_without_value() const {
    for (const ast::ConstParam& param : context_.syntax.consts) {
        bool given =
            param.default_value != nullptr || instance_argument(param) != nullptr ||
            (context_.called != nullptr && context_.called->constants.contains(param.name.text));
        for (const Define& d : context_.file.options.defines) {
            given = given || (!context_.unit->owned && d.name == param.name.text);
        }
        if (!given) return &param;
    }
    return nullptr;
}

void Constants::report_unknown_constant(const ast::GenericArg& arg, const std::string& of,
                                        const std::vector<ast::ConstParam>& consts) {
    DiagnosticBuilder message =
        context_.error(arg.name ? arg.name->span : arg.span, msg::unknown_constant, of,
                       arg.name ? arg.name->text : context_.text(arg.span));
    std::vector<std::string> known;
    for (const ast::ConstParam& param : consts) known.push_back(param.name.text);
    const bool guessed = arg.name && suggest(message, arg.name->span, arg.name->text, known);
    if (guessed) return;
    if (known.empty()) {
        message.help("it has no constants");
    } else {
        message.help("it has {}: `{}`", known.size(), fmt::join(known, "`, `"));
    }
}

void Constants::check_instance_arguments() {
    if (context_.instance == nullptr) return;
    std::set<std::string> seen;
    for (std::size_t i = 0; i < context_.instance->args.size(); ++i) {
        const ast::GenericArg& arg = context_.instance->args[i];
        std::string name = arg.name ? arg.name->text : "";
        if (!arg.name && i < context_.syntax.consts.size())
            name = context_.syntax.consts[i].name.text;
        std::vector<std::string> known;
        for (const ast::ConstParam& param : context_.syntax.consts)
            known.push_back(param.name.text);
        const bool found = std::find(known.begin(), known.end(), name) != known.end();
        if (!found) {
            report_unknown_constant(arg, "kernel `" + context_.syntax.name.text + "`",
                                    context_.syntax.consts);
        } else if (!seen.insert(name).second) {
            context_.error(arg.name ? arg.name->span : arg.span, msg::declared_twice, name,
                           "a constant");
        }
    }
}

void Constants::bind_constant(const ast::ConstParam& param) {
    std::optional<Operand> value;
    Span span = param.name.span;
    if (context_.called != nullptr && context_.called->constants.contains(param.name.text)) {
        span = context_.called->call;
        value = context_.called->constants.at(param.name.text);
    } else if (const ast::GenericArg* arg = instance_argument(param)) {
        span = arg->value->span;
        value = value_of(param, *arg->value);
    } else if (std::optional<Operand> defined = defined_constant(param)) {
        value = std::move(defined);
    } else if (param.default_value) {
        span = param.default_value->span;
        value = value_of(param, *param.default_value);
    }
    if (!value) {
        context_.error(param.span, msg::constant_without_value, param.name.text,
                       context_.syntax.name.text);
        value = Poison{};
    }
    if (!is_poison(*value) && !is_constant_of(*value, param.kind)) {
        context_.error(span, msg::constant_kind, param.name.text, kind_text(param.kind),
                       describe(*value));
        value = Poison{};
    }
    if (const auto* s = std::get_if<ir::Scalar>(&*value)) {
        builder_.kernel.constants.push_back({param.name.text, *s});
    } else if (const auto* d = std::get_if<DtypeName>(&*value)) {
        builder_.kernel.constants.push_back(
            {param.name.text, ir::symbol(std::string(name(d->dtype)))});
    } else if (const auto* f = std::get_if<FunctionName>(&*value)) {
        builder_.kernel.constants.push_back({param.name.text, ir::symbol(f->text)});
    }
    names_.declare(EntityKind::constant, param.name, *value);
}

void Constants::bind_constants() {
    check_instance_arguments();
    for (const ast::ConstParam& param : context_.syntax.consts) bind_constant(param);
}

std::vector<ir::Constant> Constants::constants() {
    bind_constants();
    return builder_.kernel.constants;
}

}  // namespace tkc::checker
