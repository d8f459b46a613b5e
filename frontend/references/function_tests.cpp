// Tests of functions: names of their own, and conditions on what the function gives.
#include <fmt/format.h>

#include <map>

#include "base/overloaded.h"
#include "frontend/parse/ast_walk.h"
#include "frontend/references/subject.h"
#include "language/dtype.h"

namespace tkc::checker {

namespace {

class FunctionTestChecker {
public:
    FunctionTestChecker(FileContext& file_context, const Unit& unit, const ast::Test& test,
                        const ast::Function& function)
        : file_(file_context), unit_(unit), test_(test), function_(function) {}

    void run() {
        const int before = file_.diag.error_count();
        for (const ast::TestItem& item : test_.items) {
            std::visit(Overloaded{
                           [&](const ast::Binding& b) {
                               check(*b.value);
                               name(b.name);
                           },
                           [&](const ast::Sweep& s) {
                               for (const ast::ExprPtr& value : s.values) check(*value);
                               name(s.name);
                           },
                           [&](const ast::Expect&) {
                               misplaced(item.span, "a comparison with a reference",
                                         "a function has none");
                           },
                           [&](const ast::ExpectError&) {
                               misplaced(item.span, "`expect error`", "it rejects no arguments");
                           },
                           [&](const ast::ExpectThat& e) {
                               ++expects_;
                               check(*e.condition);
                           },
                       },
                       item.node);
        }
        if (file_.diag.error_count() > before) return;
        if (expects_ > 0 && calls_it_) return;
        file_.error(test_.name.span, msg::test_without_expect, test_.name.text, function_.name.text)
            .help("write `{}`", example());
    }

private:
    std::string example() const { return fmt::format("expect {}(..) == ..;", function_.name.text); }

    void misplaced(Span span, std::string_view what, std::string_view why) {
        file_
            .error(span, msg::misplaced_expect, what,
                   fmt::format("function `{}`", function_.name.text))
            .help("{}: write its values, `{}`", why, example());
    }

    void check(const ast::Expr& expr) {
        check_function_expression(file_, unit_, names_, expr);
        Walk hooks;
        hooks.expr = [&](const ast::Expr& e) {
            const auto* call = std::get_if<ast::Call>(&e.node);
            const auto* callee =
                call == nullptr ? nullptr : std::get_if<ast::NameRef>(&call->callee->node);
            if (callee != nullptr && callee->text == function_.name.text) calls_it_ = true;
        };
        walk(expr, hooks);
    }

    // From the next item on.
    void name(const ast::Name& name) {
        if (find_dtype(name.text) || is_number_name(name.text)) {
            file_.error(name.span, msg::predeclared_name, name.text, "a built-in name");
            return;
        }
        const auto [old, added] = names_.emplace(name.text, name.span);
        if (added) return;
        file_.error(name.span, msg::declared_twice, name.text, "given a value")
            .label(old->second, "here");
    }

    FileContext& file_;
    const Unit& unit_;
    const ast::Test& test_;
    const ast::Function& function_;
    std::map<std::string, Span> names_;  // that have a value
    int expects_ = 0;
    bool calls_it_ = false;
};

}  // namespace

void check_function_test(FileContext& file_context, const Unit& unit, const ast::Test& test,
                         const ast::Function& function) {
    FunctionTestChecker(file_context, unit, test, function).run();
}

}  // namespace tkc::checker
