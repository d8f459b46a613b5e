// References: that the kernel they are about, and what they name of it, exists.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "frontend/parse/ast_walk.h"
#include "frontend/references/subject.h"
#include "language/dtype.h"

namespace tkc::checker {

namespace {

void add_extents(Subject& subject) {
    for (const ast::KernelParam& p : *subject.parameters) {
        if (is_workspace(p)) continue;  // their extents bind nothing
        Walk hooks;
        hooks.expr = [&](const ast::Expr& e) {
            const auto* name = std::get_if<ast::NameRef>(&e.node);
            if (name == nullptr || find_dtype(name->text) || find_function(name->text)) return;
            if (subject.constant(name->text) != nullptr || subject.is_extent(name->text)) return;
            if (subject.parameter(name->text) == nullptr) subject.extents.push_back(name->text);
        };
        for (const ast::ExprPtr& extent : p.type.extents) walk(*extent, hooks);
    }
}

void report_unknown_subject(FileContext& file_context, const Unit& unit, const ast::Name& name) {
    std::vector<std::string> known;
    for (const auto& [other, decl] : unit.decls) {
        if (ast::launch_head(*decl) != nullptr) known.push_back(other);
    }
    DiagnosticBuilder message = file_context.error(name.span, msg::unknown_kernel, name.text);
    suggest(message, name.span, name.text, known);
}

// Of a test that expects conditions, as tests of functions do.
void report_unknown_function(FileContext& file_context, const Unit& unit, const ast::Name& name) {
    std::vector<std::string> known;
    for (const auto& [other, decl] : unit.decls) {
        if (std::holds_alternative<ast::Function>(decl->node)) known.push_back(other);
    }
    DiagnosticBuilder message =
        file_context.error(name.span, msg::unknown_name, "function", name.text);
    if (!suggest(message, name.span, name.text, known))
        message.help("put the test in the file of its function");
}

bool check_parameter(FileContext& file_context, const Subject& subject, const ast::Name& name) {
    if (subject.parameter(name.text) != nullptr) return true;
    DiagnosticBuilder message =
        file_context.error(name.span, msg::not_parameter, subject.name, "parameter", name.text);
    if (suggest(message, name.span, name.text, subject.parameter_names())) return false;
    const bool known = subject.is_extent(name.text) || subject.constant(name.text) != nullptr;
    if (known)
        message.help("a reference can use all extents and constants: do not list `{}`", name.text);
    else help_with_names(message, subject, subject.parameter_names(), "parameters");
    return false;
}

void check_reference(FileContext& file_context, const Unit& unit, const ast::Reference& reference) {
    const std::optional<Subject> subject = find_subject(unit, reference.name.text);
    if (!subject) {
        report_unknown_subject(file_context, unit, reference.name);
        return;
    }
    bool good = true;
    for (const std::vector<ast::Name>* list : {&reference.params, &reference.results}) {
        std::set<std::string> seen;
        for (const ast::Name& name : *list) {
            good = check_parameter(file_context, *subject, name) && good;
            if (seen.insert(name.text).second) continue;
            file_context.error(name.span, msg::declared_twice, name.text, "listed");
            good = false;
        }
    }
    for (const ast::Name& name : reference.results) {
        const ast::KernelParam* p = subject->parameter(name.text);
        if (p == nullptr || is_result(*p)) continue;
        file_context.error(name.span, msg::result_is_input, name.text, subject->name);
        good = false;
    }
    if (good) check_reference_body(file_context, unit, *subject, reference);
}

void check_test_of(FileContext& file_context, const Unit& unit, const ast::Test& test,
                   const std::vector<const ast::Reference*>& references) {
    const bool conditions =
        std::any_of(test.items.begin(), test.items.end(), [](const ast::TestItem& item) {
            return std::holds_alternative<ast::ExpectThat>(item.node);
        });
    if (!test.subject && references.size() != 1) {
        DiagnosticBuilder message =
            file_context.error(test.name.span, msg::test_without_subject, test.name.text);
        std::vector<std::string> kernels;
        for (const auto& [other, decl] : unit.decls) {
            if (ast::launch_head(*decl) != nullptr) kernels.push_back(other);
        }
        const bool lone = kernels.size() == 1 && !conditions;
        message.help("write `test {} of {} {{ .. }}`", test.name.text,
                     conditions ? "FUNCTION"
                     : lone     ? kernels.front()
                                : "KERNEL");
        if (references.empty() && !conditions)
            message.help(
                "expected results come from a reference: `reference {}(..) -> (..) {{ .. }}`; in a "
                "file with one reference, a test is of its kernel",
                lone ? kernels.front() : "KERNEL");
        return;
    }
    const ast::Name& name = test.subject ? *test.subject : references.front()->name;
    const ast::Function* const function = find_function_subject(unit, name.text);
    if (find_subject(unit, name.text)) check_test(file_context, unit, test, references);
    else if (!test.subject) return;  // of a reference without a kernel, which was reported
    else if (function != nullptr) check_function_test(file_context, unit, test, *function);
    else if (conditions) report_unknown_function(file_context, unit, name);
    else report_unknown_subject(file_context, unit, name);
}

}  // namespace

void help_with_names(DiagnosticBuilder& message, const Subject& subject,
                     const std::vector<std::string>& names, std::string_view what) {
    if (names.empty()) return;
    message.help("the {} of `{}`: {}", what, subject.name, fmt::join(names, ", "));
}

const ast::ConstParam* Subject::constant(const std::string& text) const {
    for (const ast::ConstParam& c : *constants) {
        if (c.name.text == text) return &c;
    }
    return nullptr;
}

const ast::KernelParam* Subject::parameter(const std::string& text) const {
    for (const ast::KernelParam& p : *parameters) {
        if (p.name.text == text) return &p;
    }
    return nullptr;
}

bool Subject::is_extent(const std::string& text) const {
    return std::find(extents.begin(), extents.end(), text) != extents.end();
}

std::vector<std::string> Subject::parameter_names() const {
    std::vector<std::string> names;
    for (const ast::KernelParam& p : *parameters) names.push_back(p.name.text);
    return names;
}

std::vector<std::string> Subject::all_names() const {
    std::vector<std::string> names = parameter_names();
    for (const ast::ConstParam& c : *constants) names.push_back(c.name.text);
    names.insert(names.end(), extents.begin(), extents.end());
    return names;
}

std::optional<Dtype> written_dtype(const ast::Type& type) {
    if (type.path.parts.size() != 1) return std::nullopt;
    return find_dtype(type.path.parts.front().text);
}

bool is_number_name(std::string_view name) { return name == "LOG2E" || name == "LN2"; }

std::optional<Subject> find_subject(const Unit& unit, const std::string& name) {
    const auto found = unit.decls.find(name);
    if (found == unit.decls.end()) return std::nullopt;
    Subject subject;
    subject.name = name;
    const ast::LaunchHead* head = ast::launch_head(*found->second);
    if (head == nullptr) return std::nullopt;
    subject.constants = &head->consts;
    subject.parameters = &head->params;
    add_extents(subject);
    return subject;
}

const ast::Function* find_function_subject(const Unit& unit, const std::string& name) {
    const auto found = unit.decls.find(name);
    return found == unit.decls.end() ? nullptr : std::get_if<ast::Function>(&found->second->node);
}

bool tests_functions(const Unit& unit) {
    return std::any_of(unit.file->decls.begin(), unit.file->decls.end(), [&](const auto& decl) {
        const auto* test = std::get_if<ast::Test>(&decl.node);
        return test != nullptr && test->subject &&
               find_function_subject(unit, test->subject->text) != nullptr;
    });
}

void check_reference_among(FileContext& file_context, const Unit& unit,
                           const ast::Reference& reference,
                           const std::vector<const ast::Reference*>& before) {
    for (const ast::Reference* old : before) {
        if (old->name.text != reference.name.text) continue;
        file_context
            .error(reference.name.span, msg::declared_twice, reference.name.text, "a reference")
            .label(old->name.span, "declared here");
    }
    check_reference(file_context, unit, reference);
}

void check_test_among(FileContext& file_context, const Unit& unit, const ast::Test& test,
                      const std::vector<const ast::Reference*>& references,
                      std::set<std::string>& names_before) {
    if (!names_before.insert(test.name.text).second)
        file_context.error(test.name.span, msg::declared_twice, test.name.text, "a test");
    check_test_of(file_context, unit, test, references);
}

void check_references(FileContext& file_context, const Unit& unit) {
    std::vector<const ast::Reference*> references;
    for (const ast::Decl& decl : unit.file->decls) {
        const auto* r = std::get_if<ast::Reference>(&decl.node);
        if (r == nullptr) continue;
        check_reference_among(file_context, unit, *r, references);
        references.push_back(r);
    }
    std::set<std::string> tests;
    for (const ast::Decl& decl : unit.file->decls) {
        if (const auto* test = std::get_if<ast::Test>(&decl.node))
            check_test_among(file_context, unit, *test, references, tests);
    }
}

}  // namespace tkc::checker
