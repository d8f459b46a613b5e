// What the head of a kernel marks as a schedule must be one.
#include "frontend/check/schedule_constants.h"

#include <algorithm>

#include "frontend/parse/ast_walk.h"

namespace tkc::checker {

namespace {

std::string_view kind_that_means_more(ast::ConstKind kind) {
    if (kind == ast::ConstKind::dtype) return "is a data type, which affects rounding";
    if (kind == ast::ConstKind::function) return "is a function, which defines the computation";
    return "";
}

const ast::Reference* reference_of(const Unit& unit, const ast::Kernel& kernel) {
    for (const ast::Decl& decl : unit.file->decls) {
        const auto* reference = std::get_if<ast::Reference>(&decl.node);
        if (reference != nullptr && reference->name.text == kernel.name.text) return reference;
    }
    return nullptr;
}

}  // namespace

std::optional<OtherUse> use_beyond_schedule(const Unit& unit, const ast::Kernel& kernel,
                                            const ast::ConstParam& constant) {
    const std::string_view kind = kind_that_means_more(constant.kind);
    if (!kind.empty()) return OtherUse{constant.name.span, std::string(kind), ""};
    std::optional<OtherUse> use = other_use(unit, kernel, constant.name.text);
    const ast::Reference* reference = reference_of(unit, kernel);
    if (use || reference == nullptr) return use;
    Walk look;
    look.expr = [&](const ast::Expr& e) {
        const auto* ref = std::get_if<ast::NameRef>(&e.node);
        if (!use && ref != nullptr && ref->text == constant.name.text)
            use = OtherUse{e.span, "is in the reference, which defines the meaning of the kernel",
                           ""};
    };
    walk(reference->body, look);
    return use;
}

bool is_fixed_by_arguments(const ast::Kernel& kernel, const std::string& constant) {
    return std::any_of(kernel.params.begin(), kernel.params.end(), [&](const ast::KernelParam& p) {
        const bool passed = p.mode != ast::ParamMode::scratch && p.mode != ast::ParamMode::counter;
        return passed && std::any_of(p.type.extents.begin(), p.type.extents.end(),
                                     [&](const auto& e) { return is_name(e, constant); });
    });
}

void check_schedule_constants(FileContext& file_context, const Unit& unit,
                              const ast::Kernel& kernel) {
    for (const ast::ConstParam& constant : kernel.consts) {
        if (!constant.schedule) continue;
        const std::optional<OtherUse> use = use_beyond_schedule(unit, kernel, constant);
        if (!use || !file_context.noted.insert({use->span.file, use->span.begin}).second) continue;
        DiagnosticBuilder message =
            file_context.error(use->span, msg::more_than_schedule, constant.name.text, use->what);
        message.label(*constant.schedule, "`{}` is marked as a schedule here", constant.name.text);
        if (!use->help.empty()) {
            message.help(use->help);
        } else if (is_fixed_by_arguments(kernel, constant.name.text)) {
            message.help(
                "remove `schedule`: the arguments determine `{0}`, so a launcher chooses among "
                "instances by it anyway",
                constant.name.text);
        } else {
            message.help(
                "remove `schedule`: instances with another `{}` then have separate functions",
                constant.name.text);
        }
    }
}

}  // namespace tkc::checker
