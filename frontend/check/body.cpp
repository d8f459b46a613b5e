// A kernel without roles: its statements are one role of the width that stands after its grid.
#include <algorithm>

#include "frontend/check/kernel_checker.h"
#include "frontend/parse/ast_walk.h"

namespace tkc::checker {

namespace {

// Cells of the largest tile for each thread, where the width is the compiler's choice: four loads
// of 16 bytes in flight, and registers for as many blocks as memory wants.
constexpr std::int64_t cells_of_thread = 32;

bool multiplies(std::span<const ast::KernelItem> items) {
    bool found = false;
    Walk hooks;
    hooks.expr = [&](const ast::Expr& e) {
        const auto* call = std::get_if<ast::Call>(&e.node);
        const auto* name =
            call == nullptr ? nullptr : std::get_if<ast::NameRef>(&call->callee->node);
        found = found || (name != nullptr && find_operation(name->text) == Operation::mma);
    };
    for (const ast::KernelItem& item : items) {
        if (const auto* stmt = std::get_if<ast::Stmt>(&item.node)) walk(*stmt, hooks);
    }
    return found;
}

std::int64_t warps_for(const ir::Role& role) {
    std::int64_t cells = 0;
    for (const ir::ValueInfo& value : role.values) {
        const auto* tile = std::get_if<ir::TileType>(&value.type);
        if (tile != nullptr) cells = std::max(cells, tile->rows * tile->cols);
    }
    std::int64_t warps = 1;
    while (warps < warp_limit && warps * 32 * cells_of_thread < cells) warps *= 2;
    return warps;
}

}  // namespace

void KernelChecker::check_warps(const ast::Warps& warps, Span span) {
    if (has_roles()) {
        error(span, msg::warps_beside_roles, syntax_.name.text)
            .help("leave it out: every role has a width of its own");
        return;
    }
    warps_said_ = true;
    const auto* name = std::get_if<ast::NameRef>(&warps.count->node);
    if (name != nullptr && name->text == "auto") return;
    warps_ = check_constant(*warps.count, "the number of warps", 1, warp_limit).value_or(1);
}

void KernelChecker::check_body() {
    if (!warps_said_ && !without_grid_) {
        error(syntax_.name.span, msg::kernel_without_width, syntax_.name.text)
            .help("write `warps(8)` after the grid, `warps(auto)`, or roles");
    }
    const auto head = [&](ir::Role& made) {
        const bool groups = warps_ % warps_of_warpgroup == 0 && multiplies(items_);
        made.name = syntax_.name.text;
        made.span = syntax_.name.span;
        made.unit = groups ? ir::Unit::warpgroup : ir::Unit::warp;
        made.width = std::max<std::int64_t>(groups ? warps_ / warps_of_warpgroup : warps_, 1);
    };
    check_work(syntax_.name.span, head, [&] {
        for (const ast::KernelItem& item : items_) {
            if (const auto* stmt = std::get_if<ast::Stmt>(&item.node)) check_stmt(*stmt);
        }
    });
    ir::Role& role = kernel_.roles.back();
    if (warps_ == 0 && role.unit == ir::Unit::warp) role.width = warps_for(role);
}

}  // namespace tkc::checker
