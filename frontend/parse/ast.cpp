// What is compiled once for all kinds of nodes.
#include "frontend/parse/ast.h"

namespace tkc::ast {

Expr::Expr(Span where, std::size_t kind, void* what)
    : span(where), node(variant_from<AnyExpr>(kind, what)) {}
Expr::Expr(Expr&&) noexcept = default;
Expr& Expr::operator=(Expr&&) noexcept = default;
Expr::~Expr() = default;

Stmt::Stmt(Span where, std::size_t kind, void* what)
    : span(where), node(variant_from<AnyStmt>(kind, what)) {}
Stmt::Stmt(Stmt&&) noexcept = default;
Stmt& Stmt::operator=(Stmt&&) noexcept = default;
Stmt::~Stmt() = default;

KernelItem::KernelItem(Span where, std::size_t kind, void* what)
    : span(where), node(variant_from<AnyKernelItem>(kind, what)) {}
KernelItem::KernelItem(KernelItem&&) noexcept = default;
KernelItem& KernelItem::operator=(KernelItem&&) noexcept = default;
KernelItem::~KernelItem() = default;

TestItem::TestItem(Span where, std::size_t kind, void* what)
    : span(where), node(variant_from<AnyTestItem>(kind, what)) {}
TestItem::TestItem(TestItem&&) noexcept = default;
TestItem& TestItem::operator=(TestItem&&) noexcept = default;
TestItem::~TestItem() = default;

Decl::Decl(Span where, std::size_t kind, void* what)
    : span(where), node(variant_from<AnyDecl>(kind, what)) {}
Decl::Decl(Decl&&) noexcept = default;
Decl& Decl::operator=(Decl&&) noexcept = default;
Decl::~Decl() = default;

}  // namespace tkc::ast
