// The constants of a kernel: from `-D`, the arguments of an instance, and defaults, in this order.
#include <fmt/ranges.h>

#include <charconv>

#include "frontend/check/kernel_checker.h"

namespace tkc::checker {

std::string_view kind_text(ast::ConstKind kind) {
    switch (kind) {
        case ast::ConstKind::Int: return "a whole number";
        case ast::ConstKind::Bool: return "a bool";
        case ast::ConstKind::Dtype: return "a data type";
    }
    return "";
}

bool is_constant_of(const Operand& value, ast::ConstKind kind) {
    if (const auto* s = std::get_if<ir::Scalar>(&value)) {
        const bool wanted = kind == ast::ConstKind::Int
                                ? is_integer((*s)->dtype)
                                : kind == ast::ConstKind::Bool && is_boolean((*s)->dtype);
        return wanted && ir::is_constant(*s);
    }
    return kind == ast::ConstKind::Dtype && std::holds_alternative<DtypeName>(value);
}

namespace {

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

const ast::GenericArg* KernelChecker::instance_argument(const ast::ConstParam& param) const {
    if (instance_ == nullptr) return nullptr;
    for (std::size_t i = 0; i < instance_->args.size(); ++i) {
        const ast::GenericArg& arg = instance_->args[i];
        const bool by_place =
            !arg.name && i < syntax_.consts.size() && &syntax_.consts[i] == &param;
        if (by_place || (arg.name && arg.name->text == param.name.text)) return &arg;
    }
    return nullptr;
}

std::optional<Operand> KernelChecker::defined_constant(const ast::ConstParam& param) {
    if (unit_->owned) return std::nullopt;  // `-D` is about the main file
    for (const Define& define : session_.options.defines) {
        if (define.name != param.name.text) continue;
        bool too_large = false;
        std::optional<Operand> value = parse_define(define.value, &too_large);
        if (too_large)
            error(Span{}, msg::number_too_large, "-D " + define.name + "=" + define.value);
        else if (!value) error(Span{}, msg::define_value, define.name, define.value);
        return value ? value : Operand(Poison{});
    }
    return std::nullopt;
}

const ast::ConstParam* KernelChecker::constant_without_value() const {
    for (const ast::ConstParam& param : syntax_.consts) {
        bool given = param.default_value != nullptr || instance_argument(param) != nullptr ||
                     (called_ != nullptr && called_->constants.contains(param.name.text));
        for (const Define& d : session_.options.defines) {
            given = given || (!unit_->owned && d.name == param.name.text);
        }
        if (!given) return &param;
    }
    return nullptr;
}

void KernelChecker::report_unknown_constant(const ast::GenericArg& arg, const std::string& of,
                                            const std::vector<ast::ConstParam>& consts) {
    DiagnosticBuilder message = error(arg.name ? arg.name->span : arg.span, msg::unknown_constant,
                                      of, arg.name ? arg.name->text : text(arg.span));
    std::vector<std::string> known;
    for (const ast::ConstParam& param : consts) known.push_back(param.name.text);
    const bool guessed = arg.name && suggest(message, arg.name->span, arg.name->text, known);
    if (guessed) return;
    if (known.empty()) {
        message.help("it has no constants");
    } else {
        message.help("it takes {}: `{}`", known.size(), fmt::join(known, "`, `"));
    }
}

void KernelChecker::check_instance_arguments() {
    if (instance_ == nullptr) return;
    std::set<std::string> seen;
    for (std::size_t i = 0; i < instance_->args.size(); ++i) {
        const ast::GenericArg& arg = instance_->args[i];
        std::string name = arg.name ? arg.name->text : "";
        if (!arg.name && i < syntax_.consts.size()) name = syntax_.consts[i].name.text;
        std::vector<std::string> known;
        for (const ast::ConstParam& param : syntax_.consts) known.push_back(param.name.text);
        const bool found = std::find(known.begin(), known.end(), name) != known.end();
        if (!found) {
            report_unknown_constant(arg, "kernel `" + syntax_.name.text + "`", syntax_.consts);
        } else if (!seen.insert(name).second) {
            error(arg.name ? arg.name->span : arg.span, msg::declared_twice, name, "a constant");
        }
    }
}

void KernelChecker::bind_constant(const ast::ConstParam& param) {
    std::optional<Operand> value;
    Span span = param.name.span;
    if (called_ != nullptr && called_->constants.contains(param.name.text)) {
        span = called_->call;
        value = called_->constants.at(param.name.text);
    } else if (const ast::GenericArg* arg = instance_argument(param)) {
        span = arg->value->span;
        value = check_value(*arg->value);
    } else if (std::optional<Operand> defined = defined_constant(param)) {
        value = std::move(defined);
    } else if (param.default_value) {
        span = param.default_value->span;
        value = check_value(*param.default_value);
    }
    if (!value) {
        error(param.span, msg::constant_without_value, param.name.text, syntax_.name.text);
        value = Poison{};
    }
    if (!is_poison(*value) && !is_constant_of(*value, param.kind)) {
        error(span, msg::constant_kind, param.name.text, kind_text(param.kind), describe(*value));
        value = Poison{};
    }
    if (const auto* s = std::get_if<ir::Scalar>(&*value)) {
        kernel_.constants.push_back({param.name.text, *s});
    } else if (const auto* d = std::get_if<DtypeName>(&*value)) {
        kernel_.constants.push_back({param.name.text, ir::symbol(std::string(name(d->dtype)))});
    }
    declare(EntityKind::constant, param.name, *value);
}

void KernelChecker::bind_constants() {
    check_instance_arguments();
    for (const ast::ConstParam& param : syntax_.consts) bind_constant(param);
}

std::vector<ir::Constant> KernelChecker::constants() {
    bind_constants();
    return kernel_.constants;
}

}  // namespace tkc::checker
