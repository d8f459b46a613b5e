// Names of a kernel: declaring, finding, guessing, and those that were never used.
#include "frontend/check/names.h"

#include <algorithm>

#include "base/overloaded.h"
#include "frontend/check/builder.h"
#include "frontend/check/calls.h"
#include "frontend/check/context.h"
#include "frontend/check/statements.h"
#include "frontend/check/structs.h"
#include "frontend/check/types.h"
#include "frontend/parse/ast_walk.h"
#include "frontend/parse/other_words.h"

namespace tkc::checker {

void Names::report_unknown_module(Span span, const std::string& name) {
    std::vector<std::string> known;
    for (const auto& [module, unit] : context_.unit->modules) known.push_back(module);
    const std::string help = import_help(context_.file, *context_.unit, name, Wanted::module);
    DiagnosticBuilder message = context_.error(span, msg::unknown_name, "module", name);
    if (!suggest(message, span, name, known)) message.help(help);
}

namespace {

// What the language itself calls `name`; empty where it is free.
std::string_view predeclared(const std::string& name) {
    if (find_dtype(name)) return "a built-in data type";
    if (find_operation(name)) return "a built-in operation";
    if (find_function(name)) return "a built-in function";
    if (name == "LOG2E" || name == "LN2") return "a built-in constant";
    return {};
}

struct Definition {
    Span span;             // of the name
    bool by_head = false;  // of a loop or of a consume block
};

// The names that a statement itself defines.
std::vector<const ast::Name*> defined_by(const ast::Stmt& stmt) {
    std::vector<const ast::Name*> names;
    if (const auto* let = std::get_if<ast::Let>(&stmt.node)) names = {&let->name};
    if (const auto* shared = std::get_if<ast::SharedVar>(&stmt.node)) names = {&shared->name};
    if (const auto* block = std::get_if<ast::ConsumeBlock>(&stmt.node)) names = {&block->name};
    if (const auto* loop = std::get_if<ast::For>(&stmt.node)) {
        for (const ast::Iter& iter : loop->iters) names.push_back(&iter.name);
    }
    if (const auto* points = std::get_if<ast::ForSpace>(&stmt.node)) {
        for (const ast::Name& name : points->names) names.push_back(&name);
    }
    return names;
}

// Keeps the definition of a name that one at `place` was meant to be: the last one above, in
// whatever block; without any, the first one below. What `place` is a part of is neither.
class NearestDefinition {
public:
    NearestDefinition(std::string name, Span place) : name_(std::move(name)), place_(place) {
        hooks.stmt = [this](const ast::Stmt& stmt) { look_at(stmt); };
    }

    Walk hooks;
    std::optional<Definition> found;

private:
    void look_at(const ast::Stmt& stmt) {
        if (stmt.span.begin <= place_.begin && place_.end <= stmt.span.end) return;
        const bool by_head = !std::holds_alternative<ast::Let>(stmt.node) &&
                             !std::holds_alternative<ast::SharedVar>(stmt.node);
        for (const ast::Name* defined : defined_by(stmt)) {
            if (defined->text != name_) continue;
            const bool above = defined->span.begin < place_.begin;
            // The head of a loop below has nothing to do with what is here.
            if (above || (!by_head && !found)) found = {defined->span, by_head};
        }
    }

    std::string name_;
    Span place_;
};

}  // namespace

Entity* Names::declare(EntityKind kind, const ast::Name& name, Operand value) {
    if (const std::string_view what = predeclared(name.text); !what.empty()) {
        context_.error(name.span, msg::predeclared_name, name.text, what);
    } else if (const Entity* old = scope.find(name.text); old != nullptr && !old->guess) {
        // An inner block may use a name for something else, where the roles are written out.
        const bool moved = context_.needs_derived_roles;
        if (moved || scope.find_here(name.text) != nullptr) {
            DiagnosticBuilder message =
                context_.error(name.span, msg::declared_twice, name.text, kind_text(old->kind));
            message.label(old->span, "declared here");
            if (moved && scope.find_here(name.text) == nullptr)
                message.help(
                    "names must be unique where `pipelined` moves loads to a separate role");
        }
    }
    Entity entity;
    entity.kind = kind;
    entity.name = name.text;
    entity.span = name.span;
    entity.value = std::move(value);
    entity.depth = builder_.blocks.size();
    entity.bound = builder_.shared_names.now();
    return &scope.add(std::move(entity));
}

Entity* Names::lookup(Span span, const std::string& name, std::string_view what) {
    Entity* found = scope.find(name);
    if (found == nullptr) {
        report_unknown(span, name, what);
        return nullptr;
    }
    if (found->busy) {
        context_.error(span, msg::definition_cycle, name).label(found->span, "defined here");
        return nullptr;
    }
    if (found->pending != nullptr) statements_.resolve_let(*found);
    found->used = true;
    return found;
}

void Names::report_unknown(Span span, const std::string& name, std::string_view what) {
    Entity guess;
    guess.name = name;
    guess.span = span;
    guess.guess = guess.used = true;
    if (context_.file.diag.suppressed_count() > 0) {  // nobody would see what is found out here
        context_.error(span, msg::unknown_name, what, name);
        scope.add(std::move(guess));
        return;
    }
    const bool of_grid = context_.without_grid && what == "name";  // may be a variable of the grid
    NearestDefinition own(name, span);
    context_.walk_body(own.hooks);
    std::optional<Span> other;
    if (own.found) other = own.found->span;
    if (context_.space_syntax != nullptr) {
        for (const ast::Iter& iter : context_.space_syntax->iters) {
            const bool later = iter.name.text == name && iter.name.span.begin > span.begin;
            if (later) other = iter.name.span;
        }
    }
    // A `let` of another role, which ends with it.
    const ast::Role* elsewhere = nullptr;
    std::optional<Span> definition;
    for (const ast::KernelItem& item : context_.items) {
        const auto* role = std::get_if<ast::Role>(&item.node);
        const bool asked =
            context_.role_syntax != nullptr && context_.inlining.empty() && !other && !definition;
        if (role == nullptr || role == context_.role_syntax || !asked) continue;
        NearestDefinition there(name, span);
        walk(role->body, there.hooks);
        if (!there.found) continue;
        definition = there.found->span;
        elsewhere = role;
    }
    if (other && other->begin > span.begin) {
        context_.error(span, msg::used_before_definition, name).label(*other, "defined here");
    } else if (!of_grid) {
        const bool plain = !other && elsewhere == nullptr && (what == "name" || what == "function");
        const std::string help = plain
                                     ? import_help(context_.file, *context_.unit, name,
                                                   what == "name" ? Wanted::name : Wanted::function)
                                     : "";
        DiagnosticBuilder message = context_.error(span, msg::unknown_name, what, name);
        std::vector<std::string> known = scope.names();
        known.insert(known.end(), {"LOG2E", "LN2"});
        if (other) {
            message.label(*other, "this definition ends with its block");
            if (own.found && !own.found->by_head)
                message.help("declare `{}` with `var` before that block, and assign to it there",
                             name);
        } else if (elsewhere != nullptr) {
            message.label(*definition, "this definition ends with role `{}`", elsewhere->name.text);
        } else if (!help.empty()) {
            message.help(help);
        } else if (const std::string word = other_word_help(name); !word.empty()) {
            message.help("{}", word);
        } else {
            suggest(message, span, name, known);
        }
    }
    scope.add(std::move(guess));
}

void Names::close_scope(Scope::Mark mark) {
    if (!context_.failed) {
        for (const Entity* e : scope.since(mark)) {
            const bool kept = e->used || e->guess || e->name.front() == '_';
            const bool counts = e->kind == EntityKind::let || e->kind == EntityKind::variable ||
                                e->kind == EntityKind::element || e->kind == EntityKind::space;
            if (kept || !counts) continue;
            const std::string_view what = kind_text(e->kind);
            context_.file.warning(e->span, msg::never_used, what.substr(what.find(' ') + 1),
                                  e->name);
        }
    }
    scope.close(mark);
}

void Names::check_names(const ast::Expr& expr) {
    Walk hooks;
    hooks.expr = [&](const ast::Expr& e) {
        if (const auto* call = std::get_if<ast::Call>(&e.node)) {
            std::string name;
            if (is_called_name(*call->callee, &name) && predeclared(name).empty() &&
                context_.unit->decls.find(name) == context_.unit->decls.end() &&
                scope.find(name) == nullptr) {
                report_unknown(call->callee->span, name, "function");
            }
        }
        const auto* consumed = std::get_if<ast::Consume>(&e.node);
        if (consumed != nullptr)
            lookup(consumed->pipe.name.span, consumed->pipe.name.text, "pipeline");
        const auto* name = std::get_if<ast::NameRef>(&e.node);
        if (name == nullptr || !predeclared(name->text).empty()) return;
        const bool declared = context_.unit->decls.count(name->text) != 0 ||
                              context_.unit->modules.count(name->text) != 0;
        if (!declared) lookup(e.span, name->text, "name");
    };
    walk(expr, hooks);
}

void Names::check_names(const ast::Type& type) {
    for (const ast::ExprPtr& extent : type.extents) check_names(*extent);
    for (const ast::GenericArg& arg : type.generics) check_names(*arg.value);
    const std::string& name = type.path.parts.front().text;
    const bool known = structs_.find_struct(type) || type.packed || name == "u4" || name == "i4" ||
                       (type.path.parts.size() == 1 && scope.find(name) != nullptr);
    // The import of a module that was not found is told already.
    const auto module = context_.unit->modules.find(name);
    const bool told = module != context_.unit->modules.end() && module->second == nullptr;
    if (!known && !told) types_.check_dtype(type);
}

void Names::check_names(const ast::Block& block) {
    const Scope::Mark mark = scope.open();
    for (const ast::Stmt& stmt : block.stmts) check_names(stmt);
    scope.close(mark);
}

void Names::check_names(const ast::Stmt& stmt) {
    const auto in_block = [&](const ast::Block& block, const std::vector<const ast::Name*>& names) {
        const Scope::Mark mark = scope.open();
        for (const ast::Name* name : names) declare(EntityKind::loop_index, *name, Poison{});
        check_names(block);
        scope.close(mark);
    };
    if (const auto* let = std::get_if<ast::Let>(&stmt.node)) {
        if (let->type) check_names(*let->type);
        check_names(*let->value);
        declare(EntityKind::let, let->name, Poison{});
    } else if (const auto* shared = std::get_if<ast::SharedVar>(&stmt.node)) {
        check_names(shared->type);
        if (shared->value) check_names(*shared->value);
        declare(EntityKind::variable, shared->name, Poison{});
    } else if (const auto* assign = std::get_if<ast::Assign>(&stmt.node)) {
        check_names(*assign->target);
        check_names(*assign->value);
    } else if (const auto* call = std::get_if<ast::CallStmt>(&stmt.node)) {
        check_names(*call->call);
    } else if (const auto* loop = std::get_if<ast::For>(&stmt.node)) {
        std::vector<const ast::Name*> names;
        for (const ast::Iter& iter : loop->iters) {
            if (iter.begin) check_names(*iter.begin);
            check_names(*iter.end);
            names.push_back(&iter.name);
        }
        in_block(loop->body, names);
    } else if (const auto* walk = std::get_if<ast::ForSpace>(&stmt.node)) {
        lookup(walk->space.span, walk->space.text, "space");
        std::vector<const ast::Name*> names;
        for (const ast::Name& name : walk->names) names.push_back(&name);
        in_block(walk->body, names);
    } else if (const auto* branch = std::get_if<ast::If>(&stmt.node)) {
        check_names(*branch->condition);
        check_names(branch->then_block);
        if (branch->else_block) check_names(*branch->else_block);
    } else if (const auto* produce = std::get_if<ast::Produce>(&stmt.node)) {
        lookup(produce->pipe.name.span, produce->pipe.name.text, "pipeline");
        if (produce->value) check_names(*produce->value);
        for (const ast::FieldValue& field : produce->fields) check_names(*field.value);
    } else if (const auto* block = std::get_if<ast::ConsumeBlock>(&stmt.node)) {
        lookup(block->pipe.name.span, block->pipe.name.text, "pipeline");
        in_block(block->body, {&block->name});
    } else if (const auto* ret = std::get_if<ast::Return>(&stmt.node)) {
        if (ret->value) check_names(*ret->value);
    }
}

}  // namespace tkc::checker
