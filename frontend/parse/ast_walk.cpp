// The one walk over the syntax tree that the checker's side questions share.
#include "frontend/parse/ast_walk.h"

#include "base/overloaded.h"

namespace tkc::checker {

namespace {

void walk_optional(const ast::ExprPtr& expr, const Walk& hooks) {
    if (expr) walk(*expr, hooks);
}

void walk_subscript(const ast::Subscript& sub, const Walk& hooks) {
    std::visit(Overloaded{
                   [](const ast::WholeAxis&) {},
                   [&](const ast::Position& p) { walk(*p.value, hooks); },
                   [&](const ast::Slice& s) {
                       walk(*s.base, hooks);
                       walk(*s.length, hooks);
                       walk_optional(s.step, hooks);
                   },
                   [&](const ast::Range& r) {
                       walk(*r.begin, hooks);
                       walk(*r.end, hooks);
                   },
               },
               sub.node);
}

void walk_call(const ast::Call& call, const Walk& hooks) {
    walk(*call.callee, hooks);
    for (const ast::GenericArg& g : call.generics) walk_optional(g.value, hooks);
    for (const ast::Arg& a : call.args) walk(*a.value, hooks);
}

void walk_grid(const ast::Grid& grid, const Walk& hooks) {
    for (const ast::Iter& iter : grid.iters) walk(iter, hooks);
    for (const ast::GridWord& word : grid.words) {
        std::visit(Overloaded{
                       [](const ast::Persistent&) {},
                       [](const ast::Pingpong&) {},
                       [&](const ast::Dynamic& d) { walk_optional(d.when, hooks); },
                       [&](const ast::Raster& r) { walk(*r.band, hooks); },
                       [&](const ast::HeaviestFirst& h) { walk(*h.weight, hooks); },
                       [&](const ast::Warps& w) { walk(*w.count, hooks); },
                       [&](const ast::BlocksPerSm& b) { walk(*b.count, hooks); },
                       [&](const ast::Spills& s) { walk(*s.bytes, hooks); },
                       [&](const ast::Cluster& c) {
                           for (const ast::GenericArg& g : c.sizes) walk_optional(g.value, hooks);
                       },
                   },
                   word.node);
    }
}

void walk_role(const ast::Role& role, const Walk& hooks) {
    if (role.instances) walk(*role.instances->count, hooks);
    walk(*role.count, hooks);
    for (const ast::RoleWord& word : role.words) {
        if (const auto* r = std::get_if<ast::Registers>(&word.node)) walk(*r->count, hooks);
        if (const auto* a = std::get_if<ast::Alternate>(&word.node)) walk_optional(a->when, hooks);
    }
    walk(role.body, hooks);
}

}  // namespace

const ast::Call* call_of(const ast::Expr& expr, std::string_view operation) {
    const auto* call = std::get_if<ast::Call>(&expr.node);
    if (call == nullptr) return nullptr;
    const auto* name = std::get_if<ast::NameRef>(&call->callee->node);
    return name != nullptr && name->text == operation ? call : nullptr;
}

bool is_load(const ast::Expr& expr) {
    return call_of(expr, "load") != nullptr || call_of(expr, "tma_load") != nullptr;
}

void walk(const ast::Expr& expr, const Walk& hooks) {
    if (hooks.expr) hooks.expr(expr);
    std::visit(Overloaded{
                   [](const ast::NameRef&) {},
                   [](const ast::IntLiteral&) {},
                   [](const ast::FloatLiteral&) {},
                   [](const ast::StringLiteral&) {},
                   [](const ast::BoolLiteral&) {},
                   [](const ast::Infinity&) {},
                   [&](const ast::Unary& u) { walk(*u.operand, hooks); },
                   [&](const ast::Binary& b) {
                       walk(*b.left, hooks);
                       walk(*b.right, hooks);
                   },
                   [&](const ast::Consume& c) { walk_optional(c.pipe.instance, hooks); },
                   [&](const ast::Member& m) { walk(*m.base, hooks); },
                   [&](const ast::Index& i) {
                       walk(*i.base, hooks);
                       for (const ast::Subscript& sub : i.subscripts) walk_subscript(sub, hooks);
                   },
                   [&](const ast::Call& c) { walk_call(c, hooks); },
                   [&](const ast::IfExpr& c) {
                       walk(*c.condition, hooks);
                       walk(*c.then_value, hooks);
                       walk(*c.else_value, hooks);
                   },
                   [&](const ast::StructValue& s) {
                       for (const ast::FieldValue& f : s.fields) walk(*f.value, hooks);
                   },
                   [&](const ast::ListValue& l) {
                       for (const ast::ExprPtr& item : l.items) walk(*item, hooks);
                   },
               },
               expr.node);
}

void walk(const ast::Type& type, const Walk& hooks) {
    if (hooks.type) hooks.type(type);
    for (const ast::GenericArg& g : type.generics) walk_optional(g.value, hooks);
    for (const ast::ExprPtr& e : type.extents) walk(*e, hooks);
}

void walk(const ast::Iter& iter, const Walk& hooks) {
    if (hooks.iter) hooks.iter(iter);
    walk_optional(iter.begin, hooks);
    walk(*iter.end, hooks);
    walk_optional(iter.step, hooks);
}

void walk_own(const ast::Stmt& stmt, const Walk& hooks) {
    std::visit(Overloaded{
                   [&](const ast::Let& s) {
                       if (s.type) walk(*s.type, hooks);
                       walk(*s.value, hooks);
                   },
                   [&](const ast::SharedVar& s) {
                       walk(s.type, hooks);
                       walk_optional(s.value, hooks);
                   },
                   [&](const ast::Assign& s) {
                       walk(*s.target, hooks);
                       walk(*s.value, hooks);
                   },
                   [&](const ast::CallStmt& s) { walk(*s.call, hooks); },
                   [&](const ast::For& s) {
                       for (const ast::Iter& iter : s.iters) walk(iter, hooks);
                       if (s.pipelined) walk_optional(s.pipelined->depth, hooks);
                   },
                   [&](const ast::ForSpace& s) {
                       if (s.pipelined) walk_optional(s.pipelined->depth, hooks);
                   },
                   [&](const ast::If& s) { walk(*s.condition, hooks); },
                   [&](const ast::Produce& s) {
                       walk_optional(s.pipe.instance, hooks);
                       walk_optional(s.value, hooks);
                       for (const ast::FieldValue& f : s.fields) walk(*f.value, hooks);
                   },
                   [&](const ast::ConsumeBlock& s) { walk_optional(s.pipe.instance, hooks); },
                   [&](const ast::Return& s) { walk_optional(s.value, hooks); },
               },
               stmt.node);
}

void walk(const ast::Stmt& stmt, const Walk& hooks) {
    if (hooks.stmt) hooks.stmt(stmt);
    walk_own(stmt, hooks);
    if (const auto* loop = std::get_if<ast::For>(&stmt.node)) walk(loop->body, hooks);
    if (const auto* loop = std::get_if<ast::ForSpace>(&stmt.node)) walk(loop->body, hooks);
    if (const auto* block = std::get_if<ast::ConsumeBlock>(&stmt.node)) walk(block->body, hooks);
    if (const auto* branch = std::get_if<ast::If>(&stmt.node)) {
        walk(branch->then_block, hooks);
        if (branch->else_block) walk(*branch->else_block, hooks);
    }
}

void walk(const ast::Block& block, const Walk& hooks) {
    for (const ast::Stmt& stmt : block.stmts) walk(stmt, hooks);
}

void walk(const ast::KernelItem& item, const Walk& hooks) {
    if (hooks.item) hooks.item(item);
    std::visit(Overloaded{
                   [&](const ast::Grid& g) { walk_grid(g, hooks); },
                   [&](const ast::Pipeline& p) {
                       walk(*p.stages, hooks);
                       if (p.per) walk(*p.per->count, hooks);
                       for (const ast::Field& f : p.fields) walk(f.type, hooks);
                   },
                   [&](const ast::Space& s) {
                       for (const ast::Iter& iter : s.iters) walk(iter, hooks);
                   },
                   [&](const ast::Role& r) { walk_role(r, hooks); },
                   [&](const ast::Partition& p) {
                       walk_optional(p.programs, hooks);
                       for (const ast::KernelItem& inner : p.items) walk(inner, hooks);
                   },
                   [&](const ast::Stmt& s) { walk(s, hooks); },
               },
               item.node);
}

void walk(const ast::Kernel& kernel, const Walk& hooks) {
    for (const ast::ConstParam& c : kernel.consts) walk_optional(c.default_value, hooks);
    for (const ast::KernelParam& p : kernel.params) walk(p.type, hooks);
    for (const ast::ExprPtr& c : kernel.conditions) walk(*c, hooks);
    for (const ast::KernelItem& item : kernel.items) walk(item, hooks);
}

Span own_part(const ast::Stmt& stmt) {
    Span part = stmt.span;
    const auto ends_with = [&](Span last) { part.end = last.end; };
    if (const auto* branch = std::get_if<ast::If>(&stmt.node)) {
        ends_with(branch->condition->span);
    } else if (const auto* loop = std::get_if<ast::For>(&stmt.node)) {
        ends_with(loop->pipelined ? loop->pipelined->span : loop->iters.back().span);
    } else if (const auto* points = std::get_if<ast::ForSpace>(&stmt.node)) {
        ends_with(points->pipelined ? points->pipelined->span : points->space.span);
    }
    return part;
}

}  // namespace tkc::checker
