// Functions and structs that no kernel uses: nothing fixes their constants, so that their names are
// looked at and nothing else.
#include "frontend/check/call_circles.h"
#include "frontend/check/kernel_checker.h"

namespace tkc::checker {

void KernelChecker::check_unused(const ast::Function& function, const CallCircles& circles) {
    const Scope::Mark mark = parts_.names.scope.open_frame();
    for (const ast::ConstParam& param : function.consts) {
        if (param.default_value) parts_.names.check_names(*param.default_value);
        parts_.names.declare(EntityKind::constant, param.name, Poison{});
    }
    // The names that follow from an argument.
    const auto infer_name = [&](const ast::Expr& e) {
        const auto* name = std::get_if<ast::NameRef>(&e.node);
        const bool follows = name != nullptr && parts_.names.scope.find(name->text) == nullptr &&
                             !find_dtype(name->text) && !find_function(name->text) &&
                             !find_operation(name->text);
        if (follows) parts_.names.declare(EntityKind::constant, {e.span, name->text}, Poison{});
    };
    for (const ast::FnParam& param : function.params) {
        for (const ast::ExprPtr& extent : param.type.extents) infer_name(*extent);
        for (const ast::GenericArg& arg : param.type.generics) infer_name(*arg.value);
        const std::vector<ast::Name>& path = param.type.path.parts;
        const bool dtype = path.size() == 1 && param.type.generics.empty() &&
                           !find_dtype(path[0].text) && !parts_.structs.find_struct(param.type) &&
                           parts_.names.scope.find(path[0].text) == nullptr;
        if (dtype) parts_.names.declare(EntityKind::constant, path[0], Poison{});
    }
    for (const ast::FnParam& param : function.params) {
        parts_.names.check_names(param.type);
        parts_.names.declare(EntityKind::argument, param.name, Poison{});
    }
    if (function.result) parts_.names.check_names(*function.result);
    context_.unused_body = &function.body;
    parts_.names.check_names(function.body);
    context_.unused_body = nullptr;
    if (function.result && !has_return(function.body))
        context_.error(function.name.span, msg::missing_return, function.name.text);
    if (const std::optional<Span> back = circles.way_back(function)) {
        context_.error(*back, msg::recursion, function.name.text);
        for (const ast::Function* member : circles.circle_of(function))
            context_.file.used.insert(member);  // one message for all of them
    }
    parts_.names.scope.close(mark);
}

void KernelChecker::check_unused(const ast::Struct& declared) {
    const Scope::Mark mark = parts_.names.scope.open_frame();
    for (const ast::ConstParam& param : declared.consts) {
        if (param.default_value) parts_.names.check_names(*param.default_value);
        parts_.names.declare(EntityKind::constant, param.name, Poison{});
    }
    std::set<std::string> names;
    for (const ast::Field& field : declared.fields) {
        parts_.names.check_names(field.type);
        if (field.name && !names.insert(field.name->text).second)
            context_.error(field.span, msg::declared_twice, field.name->text, "a field");
    }
    parts_.names.scope.close(mark);
}

}  // namespace tkc::checker
