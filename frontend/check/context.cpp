// Messages, and the limits of what may be in a kernel.
#include "frontend/check/context.h"

#include <algorithm>

#include "frontend/check/signatures.h"

namespace tkc::checker {

Context::Context(FileContext& its_file, const Unit& its_unit, const ast::LaunchHead& head)
    : file(its_file), unit(&its_unit), syntax(head) {}
Context::~Context() = default;

bool Context::check_arguments(const ast::Call& call, std::string_view name, std::size_t count,
                              Span span, std::string_view last) {
    const bool has_last =
        call.args.size() > count && call.args.back().name && call.args.back().name->text == last;
    if (has_last) ++count;
    for (const ast::Arg& arg : call.args) {
        if (arg.is_inout) {
            error(arg.span, msg::inout_argument, text(arg.value->span), name,
                  "is `inout`, but nothing is changed");
            return false;
        }
        if (arg.name && !(has_last && &arg == &call.args.back())) {
            DiagnosticBuilder message =
                error(arg.name->span, msg::unknown_argument, name, arg.name->text);
            const std::string& word = arg.name->text;
            if (word == "mask" || word == "other" || word == "boundary_check")
                message.help(
                    "cells past the edge of a tensor load as 0 and are not stored; `pad` sets them "
                    "to something else");
            return false;
        }
    }
    if (call.args.size() == count) return true;
    error(span, msg::argument_count, name, arguments_text(count), call.args.size())
        .help("its signature is `{}{}`", name, signature_text(name));
    return false;
}

// `..` where operands are not known one by one.
std::string Context::operand_text(const std::vector<Span>& spans, std::size_t operand) const {
    const bool known = operand < spans.size() && !(spans[operand] == Span{});
    if (!known) return "..";
    const std::string written = text(spans[operand]);
    const bool enclosed = written.front() == '(' && written.find(')') + 1 == written.size();
    return enclosed ? written.substr(1, written.size() - 2) : written;
}

bool Context::has_roles() const {
    return std::any_of(items.begin(), items.end(), [](const ast::KernelItem& item) {
        return std::holds_alternative<ast::Role>(item.node);
    });
}

void Context::walk_body(const Walk& hooks) const {
    if (unused_body != nullptr) {
        walk(*unused_body, hooks);
    } else if (!inlining.empty()) {
        walk(inlining.back().function->body, hooks);
    } else if (role_syntax != nullptr) {
        walk(role_syntax->body, hooks);
    } else if (!has_roles()) {
        for (const ast::KernelItem& item : items) {
            if (const auto* stmt = std::get_if<ast::Stmt>(&item.node)) walk(*stmt, hooks);
        }
    }
}

bool Context::counts(std::size_t& counter, std::size_t limit, std::string_view what, Span span) {
    if (over_limit_) return false;
    if (++counter <= limit) return true;
    over_limit_ = true;
    error(span, msg::too_many, syntax.name.text, limit, what)
        .help("functions are inlined where they are called; use a loop for repeated code");
    return false;
}

// Each place is reported once, however many instances and calls it is in.
bool Context::notes(Span span) {
    return file.options.notes && !file.stopped && file.noted.insert({span.file, span.begin}).second;
}

std::optional<std::string> Context::argument_outside(Span span) const {
    std::string written = text(span);
    for (std::size_t i = inlining.size(); i > 0; --i) {
        const Inlining& inlined = inlining[i - 1];
        const std::vector<ast::FnParam>& params = inlined.function->params;
        std::size_t place = 0;
        while (place < params.size() && params[place].name.text != written) ++place;
        if (inlined.written == nullptr || place == params.size()) return std::nullopt;
        written = text(inlined.written->args[place].value->span);
    }
    return written;
}

std::string Context::quoted(Span span) const {
    std::string written = text(span);
    const std::size_t line = written.find('\n');
    if (line != std::string::npos || written.size() > 40) {
        written = written.substr(0, std::min<std::size_t>(line, 37)) + "..";
    }
    return "`" + written + "`";
}

void Context::add_context(DiagnosticBuilder& builder) const {
    for (std::size_t i = inlining.size(); i > 0; --i) {
        const Inlining& inlined = inlining[i - 1];
        if (inlined.constant.empty())
            builder.label(inlined.call, "in this call of `{}`", inlined.function->name.text);
        else
            builder.label(inlined.call, "in this call of `{}`, which is `{}` here",
                          inlined.constant, inlined.function->name.text);
    }
    if (instance != nullptr) builder.note("in the instance `{}`", instance->name.text);
    if (called != nullptr) builder.label(called->call, "{}", called->words);
}

DiagnosticBuilder Context::impure(Span span, const std::string& found, std::string_view help) {
    DiagnosticBuilder message =
        on_cells != nullptr ? error(span, msg::cells_of_function, on_cells->name.text, found)
                            : error(span, msg::impure_let, found);
    if (on_cells == nullptr && !help.empty()) message.help("{}", help);
    return message;
}

Operand Context::not_yet(Span span, NotYet what, const std::string& help) {
    failed = true;
    file.not_yet(span, what, help);
    return Poison{};
}

bool Context::on_target(bool has, Span span, std::string_view what) {
    if (has) return true;
    DiagnosticBuilder message = error(span, msg::not_on_target, target().name, what);
    message.help("compile for `{}`, the default", default_target().name);
    if (what == "a pipeline")
        message.help("products in a loop without `pipelined` also run on {}", target().name);
    return false;
}

}  // namespace tkc::checker
