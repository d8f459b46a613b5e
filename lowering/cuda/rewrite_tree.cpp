// The walk through expressions and statements, which builds them anew.
#include "lowering/cuda/rewrite_tree.h"

#include <fmt/format.h>

#include "base/overloaded.h"

namespace tkc::cuda {

std::vector<Expr> TreeRewriter::list(const std::vector<Expr>& items, const std::string& what) {
    std::vector<Expr> result;
    node("list", items.size());
    for (std::size_t i = 0; i < items.size(); ++i)
        result.push_back(expression(items[i], {what, i}));
    return result;
}

std::vector<Parameter> TreeRewriter::parameters(const std::vector<Parameter>& list) {
    std::vector<Parameter> result;
    node("parameters", list.size());
    for (const Parameter& p : list) result.push_back({text(p.type, {}), text(p.name, {})});
    return result;
}

Expr TreeRewriter::expression(const Expr& e, const TextPlace& place) {
    if (!e) {
        node("nothing", 0);
        return e;
    }
    return std::visit(Overloaded{
                          [&](const Atom& a) { return atom(text(a.text, place)); },
                          [&](const Unary& u) {
                              node("unary", static_cast<std::size_t>(u.op));
                              return unary(u.op, expression(u.operand, place));
                          },
                          [&](const Binary& b) {
                              node("binary", static_cast<std::size_t>(b.op));
                              const Expr left = expression(b.left, place);
                              return binary(b.op, left, expression(b.right, place));
                          },
                          [&](const Conditional& c) {
                              node("conditional", 3);
                              const Expr condition = expression(c.condition, place);
                              const Expr yes = expression(c.yes, place);
                              return expr(Conditional{condition, yes, expression(c.no, place)});
                          },
                          [&](const CallExpr& c) {
                              node("call", c.arguments.size());
                              const Expr callee = expression(c.callee, place);
                              std::string what;
                              if (const auto* name = std::get_if<Atom>(&c.callee->node))
                                  what = name->text;
                              if (const auto* of = std::get_if<MemberExpr>(&c.callee->node))
                                  what = of->name;
                              return expr(CallExpr{callee, list(c.arguments, what)});
                          },
                          [&](const MemberExpr& m) {
                              node(m.arrow ? "arrow" : "member", 1);
                              const Expr object = expression(m.object, place);
                              return expr(MemberExpr{object, text(m.name, {}), m.arrow});
                          },
                          [&](const IndexExpr& i) {
                              node("index", 2);
                              const Expr object = expression(i.object, place);
                              return index(object, expression(i.index, place));
                          },
                          [&](const Braced& b) {
                              node("braced", b.items.size());
                              const std::string type = text(b.type, place);
                              std::vector<Expr> items;
                              for (std::size_t i = 0; i < b.items.size(); ++i)
                                  items.push_back(expression(b.items[i], {b.type, i}));
                              return expr(Braced{type, items});
                          },
                          [&](const Lambda& l) {
                              node("lambda", 1);
                              Lambda result{text(l.capture, {}), parameters(l.parameters), {}};
                              result.body = block(l.body);
                              return expr(std::move(result));
                          },
                      },
                      e->node);
}

Declaration TreeRewriter::declaration(const Declaration& d) {
    node("declaration", 1);
    Declaration result;
    result.type = text(d.type, {d.name, 0});
    result.name = text(d.name, {});
    result.suffix = text(d.suffix, {"copies", 0});
    result.value = expression(d.value, {d.name, 0});
    return result;
}

Stmt TreeRewriter::statement(const Stmt& s) {
    Stmt result = std::visit(
        Overloaded{
            [&](const ExprStmt& x) { return stmt(ExprStmt{expression(x.value, {})}); },
            [&](const Declaration& d) { return stmt(declaration(d)); },
            [&](const Comment& c) { return stmt(c); },
            [&](const Blank& b) { return stmt(b); },
            [&](const If& i) {
                node("if", i.else_body.size());
                If made{expression(i.condition, {}), block(i.then_body), {}};
                made.else_body = block(i.else_body);
                return stmt(std::move(made));
            },
            [&](const For& f) {
                node(f.unroll ? "unrolled for" : "for", static_cast<std::size_t>(f.unroll_by));
                For made;
                made.start = declaration(f.start);
                made.condition = expression(f.condition, {f.start.name + "_end", 0});
                made.step = expression(f.step, {f.start.name + "_step", 0});
                made.unroll = f.unroll;
                made.unroll_by = f.unroll_by;
                made.body = block(f.body);
                return stmt(std::move(made));
            },
            [&](const While& w) {
                node("while", 1);
                const Expr condition = expression(w.condition, {});
                return stmt(While{condition, block(w.body)});
            },
            [&](const Return& r) {
                node("return", 1);
                return stmt(Return{expression(r.value, {})});
            },
            [&](const Scope& x) {
                node("scope", 1);
                return stmt(Scope{block(x.body)});
            },
        },
        s.node);
    result.note = s.note;
    return result;
}

Block TreeRewriter::block(const Block& list) {
    Block result;
    std::size_t statements = 0;
    for (const Stmt& s : list) {
        const bool words =
            std::holds_alternative<Comment>(s.node) || std::holds_alternative<Blank>(s.node);
        statements += words ? 0U : 1U;
    }
    node("block", statements);
    for (const Stmt& s : list) result.push_back(statement(s));
    return result;
}

Function TreeRewriter::function(const Function& f) {
    Function result;
    node("function", f.parameters.size());
    result.head = text(f.head, {});
    result.name = text(f.name, {});
    result.parameters = parameters(f.parameters);
    result.body = block(f.body);
    result.declared_only = f.declared_only;
    return result;
}

Struct TreeRewriter::structure(const Struct& s) {
    Struct result;
    node("struct", s.members.size());
    result.name = text(s.name, {});
    result.members = block(s.members);
    return result;
}

}  // namespace tkc::cuda
