// Orders of programs that suit most kernels with products.
#include "frontend/derive/grid.h"

#include <algorithm>

#include "frontend/parse/ast_walk.h"

namespace tkc::derive {

bool is_auto(const ast::Warps* warps) {
    if (warps == nullptr) return true;
    const auto* name = std::get_if<ast::NameRef>(&warps->count->node);
    return name != nullptr && name->text == "auto";
}

namespace {

const ast::Grid& grid_of(const ast::Kernel& kernel) {
    const auto found = std::find_if(
        kernel.items.begin(), kernel.items.end(),
        [](const ast::KernelItem& item) { return std::holds_alternative<ast::Grid>(item.node); });
    return std::get<ast::Grid>(found->node);
}

// Whether the number is made of elements of tensors, which no launch knows.
bool reads_memory(const std::string& name, const Loads& loads) {
    bool reads = false;
    for (const ast::Let* let : loads.common) {
        if (let->name.text != name) continue;
        checker::Walk hooks;
        hooks.expr = [&](const ast::Expr& e) {
            const auto* other = std::get_if<ast::NameRef>(&e.node);
            reads = reads || std::holds_alternative<ast::Index>(e.node) ||
                    (other != nullptr && reads_memory(other->text, loads));
        };
        checker::walk(*let->value, hooks);
    }
    return reads;
}

bool depends_on_grid(const std::string& name, const ast::Kernel& kernel, const Loads& loads) {
    for (const ast::Iter& iter : grid_of(kernel).iters) {
        if (iter.name.text == name) return true;
    }
    for (const ast::Let* let : loads.common) {
        if (let->name.text != name) continue;
        bool depends = false;
        checker::Walk hooks;
        hooks.expr = [&](const ast::Expr& e) {
            if (const auto* other = std::get_if<ast::NameRef>(&e.node))
                depends = depends || depends_on_grid(other->text, kernel, loads);
        };
        checker::walk(*let->value, hooks);
        return depends;
    }
    return false;
}

bool uses(const ast::Expr& expr, const std::string& name) {
    bool found = false;
    checker::Walk hooks;
    hooks.expr = [&](const ast::Expr& e) {
        const auto* other = std::get_if<ast::NameRef>(&e.node);
        found = found || (other != nullptr && other->text == name);
    };
    checker::walk(expr, hooks);
    return found;
}

}  // namespace

// A loop whose length depends on the program begins with the longest; tiles of two axes go in
// bands, so that what neighbors share stays in L2.
std::string order_of(const ast::Kernel& kernel, const Loads& loads) {
    const std::vector<ast::Iter>& iters = grid_of(kernel).iters;
    for (const ast::KernelItem& item : kernel.items) {
        const auto* stmt = std::get_if<ast::Stmt>(&item.node);
        const auto* loop = stmt == nullptr ? nullptr : std::get_if<ast::For>(&stmt->node);
        if (loop == nullptr || !loop->pipelined || loop->iters.size() != 1) continue;
        const auto* end = std::get_if<ast::NameRef>(&loop->iters[0].end->node);
        if (end != nullptr && !reads_memory(end->text, loads) &&
            depends_on_grid(end->text, kernel, loads))
            return " heaviest_first(" + end->text + ")";
    }
    const auto tiled =
        std::count_if(iters.begin(), iters.end(), [](const ast::Iter& i) { return !!i.step; });
    if (tiled != 2 || iters.size() != 2) return "";
    bool each_on_one = true;
    for (const Pipe& pipe : loads.pipes) {
        for (const std::size_t i : pipe.loads) {
            int axes = 0;
            for (const ast::Iter& iter : iters)
                axes += uses(*loads.moved[i].load, iter.name.text) ? 1 : 0;
            each_on_one = each_on_one && (pipe.loop == nullptr || axes == 1);
        }
    }
    return each_on_one ? " raster(" + iters[0].name.text + ", 8)" : "";
}

std::string sum_of(const ast::Expr& e, const SourceManager& sources) {
    const auto* binary = std::get_if<ast::Binary>(&e.node);
    const bool bare = std::holds_alternative<ast::NameRef>(e.node) ||
                      (binary != nullptr &&
                       (binary->op == ast::BinaryOp::add || binary->op == ast::BinaryOp::subtract ||
                        binary->op == ast::BinaryOp::multiply));
    return bare ? words_of(sources, e.span) : "(" + words_of(sources, e.span) + ")";
}

std::string quarter_of(const ast::Expr& count, const SourceManager& sources) {
    const auto* product = std::get_if<ast::Binary>(&count.node);
    const auto is_four = [](const ast::Expr& e) {
        const auto* number = std::get_if<ast::IntLiteral>(&e.node);
        return number != nullptr && number->value == 4;
    };
    if (product != nullptr && product->op == ast::BinaryOp::multiply) {
        if (is_four(*product->left)) return sum_of(*product->right, sources);
        if (is_four(*product->right)) return sum_of(*product->left, sources);
    }
    const auto* divisor = product != nullptr && product->op == ast::BinaryOp::divide
                              ? std::get_if<ast::IntLiteral>(&product->right->node)
                              : nullptr;
    if (divisor != nullptr)
        return sum_of(*product->left, sources) + " / " + std::to_string(4 * divisor->value);
    const bool name = std::holds_alternative<ast::NameRef>(count.node);
    const std::string text = words_of(sources, count.span);
    return (name ? text : "(" + text + ")") + " / 4";
}

}  // namespace tkc::derive
