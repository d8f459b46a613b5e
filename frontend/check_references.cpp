// References and tests: that the kernel they are about, and what they name of it, exists.
#include <set>

#include "frontend/check_session.h"
#include "frontend/check_walk.h"

namespace tkc::checker {

namespace {

// What a reference or test may name: of a kernel or an entry.
struct Subject {
    std::string name;
    std::vector<std::string> parameters;  // tensors and numbers
    std::vector<std::string> others;      // constants and extents
};

void add_parameters(Subject& subject, const std::vector<ast::ConstParam>& consts,
                    const std::vector<ast::KernelParam>& params) {
    for (const ast::ConstParam& c : consts) subject.others.push_back(c.name.text);
    for (const ast::KernelParam& p : params) {
        subject.parameters.push_back(p.name.text);
        Walk hooks;
        hooks.expr = [&](const ast::Expr& e) {
            if (const auto* name = std::get_if<ast::NameRef>(&e.node))
                subject.others.push_back(name->text);
        };
        for (const ast::ExprPtr& extent : p.type.extents) walk(*extent, hooks);
    }
}

std::optional<Subject> find_subject(const Unit& unit, const std::string& name) {
    const auto found = unit.decls.find(name);
    if (found == unit.decls.end()) return std::nullopt;
    Subject subject;
    subject.name = name;
    if (const auto* kernel = std::get_if<ast::Kernel>(&found->second->node)) {
        add_parameters(subject, kernel->consts, kernel->params);
    } else if (const auto* entry = std::get_if<ast::Entry>(&found->second->node)) {
        add_parameters(subject, entry->consts, entry->params);
    } else {
        return std::nullopt;
    }
    return subject;
}

void report_unknown_subject(Session& session, const Unit& unit, const ast::Name& name) {
    std::vector<std::string> known;
    for (const auto& [other, decl] : unit.decls) {
        if (std::holds_alternative<ast::Kernel>(decl->node)) known.push_back(other);
    }
    DiagnosticBuilder message = session.error(name.span, msg::unknown_kernel, name.text);
    const std::string guess = nearest(name.text, known);
    if (!guess.empty()) message.help("did you mean `{}`?", guess);
}

void check_name(Session& session, const Subject& subject, const ast::Name& name, bool with_others) {
    std::vector<std::string> known = subject.parameters;
    if (with_others) known.insert(known.end(), subject.others.begin(), subject.others.end());
    for (const std::string& k : known) {
        if (k == name.text) return;
    }
    const std::string_view what = with_others ? "constant, extent or parameter" : "parameter";
    DiagnosticBuilder message =
        session.error(name.span, msg::not_parameter, subject.name, what, name.text);
    const std::string guess = nearest(name.text, known);
    if (!guess.empty()) message.help("did you mean `{}`?", guess);
}

void check_reference(Session& session, const Unit& unit, const ast::Reference& reference) {
    const std::optional<Subject> subject = find_subject(unit, reference.name.text);
    if (!subject) {
        report_unknown_subject(session, unit, reference.name);
        return;
    }
    for (const ast::Name& name : reference.params) check_name(session, *subject, name, false);
    for (const ast::Name& name : reference.results) check_name(session, *subject, name, false);
}

void check_test(Session& session, const Unit& unit, const ast::Test& test,
                const std::vector<const ast::Reference*>& references) {
    if (!test.subject && references.size() != 1) {
        session.error(test.name.span, msg::test_without_subject, test.name.text)
            .help("write `test {} of KERNEL {{ .. }}`", test.name.text);
        return;
    }
    const ast::Name& name = test.subject ? *test.subject : references.front()->name;
    const std::optional<Subject> subject = find_subject(unit, name.text);
    if (!subject) {
        if (test.subject) report_unknown_subject(session, unit, name);
        return;
    }
    for (const ast::TestItem& item : test.items) {
        if (const auto* binding = std::get_if<ast::Binding>(&item.node)) {
            check_name(session, *subject, binding->name, true);
        } else if (const auto* expect = std::get_if<ast::Expect>(&item.node)) {
            for (const ast::Name& n : expect->names) check_name(session, *subject, n, false);
        }
    }
}

}  // namespace

void check_references(Session& session, const Unit& unit) {
    std::vector<const ast::Reference*> references;
    for (const ast::Decl& decl : unit.file->decls) {
        if (const auto* r = std::get_if<ast::Reference>(&decl.node)) {
            check_reference(session, unit, *r);
            references.push_back(r);
        }
    }
    for (const ast::Decl& decl : unit.file->decls) {
        if (const auto* test = std::get_if<ast::Test>(&decl.node))
            check_test(session, unit, *test, references);
    }
}

}  // namespace tkc::checker
