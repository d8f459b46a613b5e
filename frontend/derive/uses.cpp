// Names that the loads and the loops around them need, and names that everything else needs.
#include "frontend/derive/uses.h"

#include <vector>

#include "frontend/parse/ast_walk.h"

namespace tkc::derive {

namespace {

void add_names(const ast::Expr& expr, std::set<std::string>& names) {
    checker::Walk hooks;
    hooks.expr = [&](const ast::Expr& e) {
        if (const auto* name = std::get_if<ast::NameRef>(&e.node)) names.insert(name->text);
    };
    checker::walk(expr, hooks);
}

void add_conditions(const ast::Stmt& stmt, Uses& uses) {
    checker::Walk hooks;
    hooks.stmt = [&](const ast::Stmt& s) {
        if (const auto* branch = std::get_if<ast::If>(&s.node))
            add_names(*branch->condition, uses.produced);
    };
    checker::walk(stmt, hooks);
}

}  // namespace

// What each role names, apart from the numbers and views that it names in others of these.
Uses uses_of(const ast::Kernel& kernel, const Loads& loads) {
    Uses uses;
    std::set<const ast::Expr*> operands;
    std::vector<const ast::Let*> lets;
    for (const Load& load : loads.moved) {
        operands.insert(load.operand);
        add_names(*load.load, uses.produced);
    }
    checker::Walk hooks;
    std::set<const ast::Expr*> inside;  // of an operand that moves
    hooks.expr = [&](const ast::Expr& e) {
        if (operands.contains(&e)) {
            checker::Walk below;
            below.expr = [&](const ast::Expr& b) { inside.insert(&b); };
            checker::walk(e, below);
        }
        const auto* name = std::get_if<ast::NameRef>(&e.node);
        if (name != nullptr && !inside.contains(&e)) uses.consumed.insert(name->text);
    };
    hooks.stmt = [&](const ast::Stmt& s) {
        const auto* let = std::get_if<ast::Let>(&s.node);
        if (let == nullptr || !loads.common.contains(let)) return;
        // Counted below, where the number is needed.
        checker::Walk below;
        below.expr = [&](const ast::Expr& b) { inside.insert(&b); };
        checker::walk(*let->value, below);
        lets.push_back(let);
    };
    hooks.iter = [&](const ast::Iter& iter) {
        add_names(*iter.end, uses.produced);
        if (iter.begin) add_names(*iter.begin, uses.produced);
    };
    for (const ast::KernelItem& item : kernel.items) {
        if (const auto* stmt = std::get_if<ast::Stmt>(&item.node)) {
            checker::walk(*stmt, hooks);
            add_conditions(*stmt, uses);
        }
    }
    for (auto let = lets.rbegin(); let != lets.rend(); ++let) {
        if (uses.produced.contains((*let)->name.text)) add_names(*(*let)->value, uses.produced);
        if (uses.consumed.contains((*let)->name.text)) add_names(*(*let)->value, uses.consumed);
    }
    return uses;
}

}  // namespace tkc::derive
