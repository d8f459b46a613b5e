// Takes products, and the arithmetic that makes their operands, out of the expressions round them,
// where nothing in the statement sees the difference.
#include "frontend/derive/apart.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/diagnose.h"
#include "frontend/derive/rotation.h"
#include "frontend/parse/ast_walk.h"
#include "frontend/parse/operand_uses.h"
#include "frontend/parse/parse.h"

namespace tkc::derive {

namespace {

using checker::call_of;

bool is_product(const ast::Expr& e) { return call_of(e, "mma") != nullptr; }

// What makes a tile of other tiles, and no place that a product reads from.
bool is_arithmetic(const ast::Expr& e) {
    if (std::holds_alternative<ast::Binary>(e.node) || std::holds_alternative<ast::Unary>(e.node))
        return true;
    return std::holds_alternative<ast::Call>(e.node) && !is_product(e) && !checker::is_load(e) &&
           call_of(e, "shared") == nullptr;
}

// The names that parts of a statement read, and those that calls in it assign.
struct Touched {
    std::set<std::string> reads, writes;
};

class TouchedNames {
public:
    Touched of(const ast::Expr& expr) {
        checker::walk(expr, hooks());
        return std::move(touched_);
    }
    Touched outside(const ast::Expr& except, const ast::Stmt& stmt) {
        checker::Walk below;
        below.expr = [&](const ast::Expr& e) { left_out_.insert(&e); };
        checker::walk(except, below);
        checker::walk_own(stmt, hooks());
        return std::move(touched_);
    }

private:
    checker::Walk hooks() {
        checker::Walk hooks;
        hooks.expr = [this](const ast::Expr& e) {
            if (left_out_.contains(&e)) return;
            if (const auto* name = std::get_if<ast::NameRef>(&e.node))
                touched_.reads.insert(name->text);
            const auto* call = std::get_if<ast::Call>(&e.node);
            if (call == nullptr) return;
            for (const ast::Arg& arg : call->args) {
                if (arg.is_inout) touched_.writes.insert(root_of(*arg.value));
            }
        };
        return hooks;
    }

    std::set<const ast::Expr*> left_out_;
    Touched touched_;
};

// Takes a statement apart: the statements that must precede it, in the order of evaluation.
class Splitter {
public:
    Splitter(ast::Stmt& stmt, Names& names) : stmt_(stmt), names_(names) {}

    std::vector<ast::Stmt> run() {
        if (auto* let = std::get_if<ast::Let>(&stmt_.node)) whole(let->value);
        if (auto* own = std::get_if<ast::SharedVar>(&stmt_.node); own && own->value)
            part(own->value);
        if (auto* call = std::get_if<ast::CallStmt>(&stmt_.node)) parts_of(*call->call);
        if (auto* assign = std::get_if<ast::Assign>(&stmt_.node)) {
            const bool sums = assign->op == ast::AssignOp::set || assign->op == ast::AssignOp::add;
            const bool name = std::holds_alternative<ast::NameRef>(assign->target->node);
            if (sums && name) whole(assign->value);
            else part(assign->value);
        }
        return std::move(before_);
    }

private:
    // A value that is a product is one in a statement of its own.
    void whole(ast::ExprPtr& value) {
        if (is_product(*value)) parts_of(*value);
        else part(value);
    }

    void part(ast::ExprPtr& expr) {
        parts_of(*expr);
        if (is_product(*expr)) take("product", expr);
    }

    void parts_of(ast::Expr& expr) {
        if (auto* unary = std::get_if<ast::Unary>(&expr.node)) part(unary->operand);
        if (auto* binary = std::get_if<ast::Binary>(&expr.node)) {
            part(binary->left);
            part(binary->right);
        }
        if (auto* member = std::get_if<ast::Member>(&expr.node)) part(member->base);
        if (auto* index = std::get_if<ast::Index>(&expr.node)) part(index->base);
        if (auto* made = std::get_if<ast::StructValue>(&expr.node)) {
            for (ast::FieldValue& field : made->fields) part(field.value);
        }
        // What one side of a condition computes is not computed on the other.
        auto* call = std::get_if<ast::Call>(&expr.node);
        if (call == nullptr || checker::is_load(expr)) return;
        for (ast::Arg& arg : call->args) {
            part(arg.value);
            if (is_product(expr)) operand(arg.value);
        }
    }

    // `bf16(f(s))` of the operands `bf16(f(s))`, `bf16(f(s)).T`, `shared(bf16(f(s))).T`.
    void operand(ast::ExprPtr& expr) {
        if (auto* member = std::get_if<ast::Member>(&expr->node)) return operand(member->base);
        if (auto* index = std::get_if<ast::Index>(&expr->node)) return operand(index->base);
        for (const char* place : {"tf32", "shared"}) {
            if (call_of(*expr, place) == nullptr) continue;
            auto& args = std::get<ast::Call>(expr->node).args;
            if (args.size() == 1) operand(args[0].value);
            return;
        }
        if (is_arithmetic(*expr)) take("operand", expr);
    }

    void take(const std::string& wanted, ast::ExprPtr& expr) {
        const Touched inside = TouchedNames().of(*expr);
        const Touched rest = TouchedNames().outside(*expr, stmt_);
        if (meet(inside.reads, rest.writes) || meet(inside.writes, rest.reads) ||
            meet(inside.writes, rest.writes))
            return;
        const Span span = expr->span;
        const std::string name = names_.fresh(wanted);
        auto stands_for = std::make_unique<ast::Expr>(span, ast::NameRef{name});
        expr.swap(stands_for);
        before_.emplace_back(span,
                             ast::Let{false, {span, name}, std::nullopt, std::move(stands_for)});
    }

    ast::Stmt& stmt_;
    Names& names_;
    std::vector<ast::Stmt> before_;
};

// Calls `visit` with each loop in the statement that may be rotated, and the statement if it is
// one.
template <class Stmt, class Visit>
void each_loop(Stmt& stmt, const Visit& visit) {
    const auto inside = [&](auto& block) {
        for (auto& inner : block.stmts) each_loop(inner, visit);
    };
    if (auto* loop = std::get_if<ast::For>(&stmt.node)) {
        if (loop->pipelined && loop->iters.size() == 1) visit(*loop);
        inside(loop->body);
    } else if (auto* walk = std::get_if<ast::ForSpace>(&stmt.node)) {
        inside(walk->body);
    } else if (auto* branch = std::get_if<ast::If>(&stmt.node)) {
        inside(branch->then_block);
        if (branch->else_block) inside(*branch->else_block);
    }
}

template <class Kernel, class Visit>
void each_loop_of(Kernel& kernel, const Visit& visit) {
    for (auto& item : kernel.items) {
        if (auto* stmt = std::get_if<ast::Stmt>(&item.node)) each_loop(*stmt, visit);
    }
}

using Places = std::set<std::uint32_t>;  // of loops: where their bodies begin

// The file with the products of these loops apart; the places of those that have any.
Places take_apart(ast::Kernel& kernel, const Places& loops, const SourceManager& sources) {
    Names names(kernel, sources);
    Places changed;
    each_loop_of(kernel, [&](ast::For& loop) {
        if (!loops.contains(loop.body.span.begin)) return;
        std::vector<ast::Stmt> stmts;
        for (ast::Stmt& stmt : loop.body.stmts) {
            std::vector<ast::Stmt> before = Splitter(stmt, names).run();
            if (!before.empty()) changed.insert(loop.body.span.begin);
            std::move(before.begin(), before.end(), std::back_inserter(stmts));
            stmts.push_back(std::move(stmt));
        }
        loop.body.stmts = std::move(stmts);
    });
    return changed;
}

ast::Kernel* kernel_at(ast::File& file, Span name) {
    for (ast::Decl& decl : file.decls) {
        auto* kernel = std::get_if<ast::Kernel>(&decl.node);
        if (kernel != nullptr && kernel->name.span == name) return kernel;
    }
    return nullptr;
}

// The loops of which some part of the body can be issued in the next step.
Places rotatable(const ast::Kernel& kernel, const Loads& loads) {
    Places found;
    each_loop_of(kernel, [&](const ast::For& loop) {
        if (!loop.iters.front().reversed && cut_of(loop, loads)) found.insert(loop.body.span.begin);
    });
    return found;
}

// The file with the products of these loops apart, read anew.
std::optional<Apart> read_apart(const ast::Kernel& kernel, const Places& loops,
                                const SourceManager& sources, Places& changed) {
    Diagnostics quiet;  // it was read before
    std::optional<ast::File> file = parse(kernel.name.span.file, sources, quiet);
    ast::Kernel* own = file ? kernel_at(*file, kernel.name.span) : nullptr;
    if (own == nullptr) return std::nullopt;
    changed = take_apart(*own, loops, sources);
    return Apart{std::move(*file), own};
}

}  // namespace

std::optional<Apart> products_apart(const ast::Kernel& kernel, const SourceManager& sources,
                                    const Loads& loads, Reach reach) {
    const Places as_written = rotatable(kernel, loads);
    Places loops;
    each_loop_of(kernel, [&](const ast::For& loop) {
        const std::uint32_t place = loop.body.span.begin;
        if (!as_written.contains(place)) loops.insert(place);
    });
    if (loops.empty()) return std::nullopt;
    Places changed;
    std::optional<Apart> made = read_apart(kernel, loops, sources, changed);
    if (!made || changed.empty()) return std::nullopt;
    // What gains nothing stays as it is written: the tiles that one statement multiplies come in
    // one pipeline.
    Names names(*made->kernel, sources);
    const Places apart = rotatable(*made->kernel, find_loads(*made->kernel, names, reach));
    Places gaining;
    std::set_intersection(changed.begin(), changed.end(), apart.begin(), apart.end(),
                          std::inserter(gaining, gaining.end()));
    if (gaining.empty()) return std::nullopt;
    return gaining == changed ? std::move(made) : read_apart(kernel, gaining, sources, changed);
}

bool is_new(const ast::Stmt& stmt) {
    const auto* let = std::get_if<ast::Let>(&stmt.node);
    return let != nullptr && let->value->span == stmt.span;
}

}  // namespace tkc::derive
