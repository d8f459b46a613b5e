// Roles, and the one role that a kernel without them is.
#include "frontend/check/roles.h"

#include <fmt/format.h>

#include <algorithm>

#include "facts/elements_taken.h"
#include "frontend/check/axes.h"
#include "frontend/check/builder.h"
#include "frontend/check/columns.h"
#include "frontend/check/constants.h"
#include "frontend/check/context.h"
#include "frontend/check/expressions.h"
#include "frontend/check/gathers.h"
#include "frontend/check/limits.h"
#include "frontend/check/names.h"
#include "frontend/check/numbers.h"
#include "frontend/check/statements.h"
#include "frontend/check/types.h"
#include "frontend/parse/ast_walk.h"
#include "ir/walk.h"
#include "ir/warp_products.h"
#include "language/operation.h"

namespace tkc::checker {

namespace {

// Cells of the largest tile for each thread, where the width is the compiler's choice: four loads
// of 16 bytes in flight, and registers for as many blocks as memory wants.
constexpr std::int64_t cells_of_thread = 32;

bool multiplies(std::span<const ast::KernelItem> items, bool* pipelined = nullptr) {
    bool found = false;
    Walk hooks;
    hooks.expr = [&](const ast::Expr& e) {
        const auto* call = std::get_if<ast::Call>(&e.node);
        const auto* name =
            call == nullptr ? nullptr : std::get_if<ast::NameRef>(&call->callee->node);
        found = found || (name != nullptr && find_operation(name->text) == Operation::mma);
    };
    hooks.stmt = [&](const ast::Stmt& s) {
        const auto* loop = std::get_if<ast::For>(&s.node);
        const auto* space = std::get_if<ast::ForSpace>(&s.node);
        const bool said = (loop != nullptr && loop->pipelined.has_value()) ||
                          (space != nullptr && space->pipelined.has_value());
        if (said && pipelined != nullptr) *pipelined = true;
    };
    for (const ast::KernelItem& item : items) {
        if (const auto* stmt = std::get_if<ast::Stmt>(&item.node)) walk(*stmt, hooks);
    }
    return found;
}

std::int64_t warps_for(const ir::Role& role, const TargetProducts& products) {
    std::int64_t cells = 0;
    for (const ir::ValueInfo& value : role.values) {
        const auto* tile = std::get_if<ir::TileType>(&value.type);
        if (tile != nullptr) cells = std::max(cells, tile->rows * tile->cols);
    }
    std::int64_t warps = 1;
    while (warps < warp_limit && warps * 32 * cells_of_thread < cells) warps *= 2;
    bool multiplies = false;
    ir::walk_only<ir::Mma>(role.body, [&](const ir::Mma&) { multiplies = true; });
    if (!multiplies) return warps;
    const std::int64_t dividing = ir::warps_with(warps, warp_limit, [&](std::int64_t count) {
        return ir::grids_for(products, count, role);
    });
    return dividing == 0 ? warps : dividing;  // assign-layouts tells it
}

bool has_effect(const ir::Block& block) {
    for (const ir::Op& op : block) {
        const bool seen = std::holds_alternative<ir::Produce>(op.node) ||
                          std::holds_alternative<ir::Store>(op.node) ||
                          std::holds_alternative<ir::Print>(op.node) ||
                          std::holds_alternative<ir::Assert>(op.node);
        if (seen) return true;
        if (const auto* loop = std::get_if<ir::For>(&op.node);
            loop != nullptr && has_effect(loop->body))
            return true;
        const auto* branch = std::get_if<ir::If>(&op.node);
        if (branch != nullptr && (has_effect(branch->then_body) || has_effect(branch->else_body)))
            return true;
    }
    return false;
}

}  // namespace

void Roles::check_warps(const ast::Warps& warps, Span span) {
    if (context_.has_roles()) {
        context_.error(span, msg::warps_with_roles, context_.syntax.name.text)
            .help("remove it: every role has its own width");
        return;
    }
    warps_said_ = true;
    const auto* name = std::get_if<ast::NameRef>(&warps.count->node);
    if (name != nullptr && name->text == "auto") return;
    warps_ = types_.check_constant(*warps.count, "the number of warps", 1, warp_limit).value_or(1);
}

void Roles::check_pingpong(Span span) {
    if (!context_.has_roles()) {
        pingpong_ = span;
        return;
    }
    context_.error(span, msg::pingpong_width, "the grid of a kernel with roles")
        .help("write it after the width of the role");
}

// The warpgroups of the role, or of the kernel without roles, take turns.
void Roles::run_round_robin(ir::Role& made, Span span, std::string_view whole) {
    made.pingpong = made.warpgroups() == 2 || made.warpgroups() == 3;
    if (made.pingpong) return;
    context_
        .error(span, msg::pingpong_width,
               fmt::format("{} of {} {}{}", whole, made.width,
                           made.unit == ir::Unit::warp ? "warp" : "warpgroup",
                           made.width == 1 ? "" : "s"))
        .help("2 or 3 warpgroups can take turns");
}

void Roles::check_body() {
    bool pipelined = false;  // the width of roles that are derived is found out then
    const bool products = multiplies(context_.items, &pipelined);
    if (!warps_said_ && !context_.without_grid && !(products && pipelined)) {
        context_
            .error(context_.syntax.name.span, msg::kernel_without_width, context_.syntax.name.text)
            .help(
                "write `warps(8)` after the grid, `warps(auto)`, or roles; a kernel with a "
                "`pipelined` loop of products needs none of them");
    }
    context_.width_follows = warps_ == 0;
    const auto head = [&](ir::Role& made) {
        const bool groups = warps_ % warps_of_warpgroup == 0 && products &&
                            !context_.products_by_warps && context_.target().features.products;
        made.name = context_.syntax.name.text;
        made.span = context_.syntax.name.span;
        made.unit = groups ? ir::Unit::warpgroup : ir::Unit::warp;
        made.width = std::max<std::int64_t>(groups ? warps_ / warps_of_warpgroup : warps_, 1);
    };
    check_work(context_.syntax.name.span, head, [&] {
        for (const ast::KernelItem& item : context_.items) {
            if (const auto* stmt = std::get_if<ast::Stmt>(&item.node))
                statements_.check_stmt(*stmt);
        }
    });
    ir::Role& role = builder_.kernel.roles.back();
    const bool width_of_derived = context_.width_follows && context_.needs_derived_roles;
    if (pingpong_ && !width_of_derived && !context_.needs_warps)
        run_round_robin(role, *pingpong_, "a kernel");
    if (warps_ == 0 && role.unit == ir::Unit::warp)
        role.width = warps_for(role, context_.target().warp_products);
}

void Roles::check_role_head(const ast::Role& role, ir::Role& made) {
    made.name = role.name.text;
    made.span = role.name.span;
    made.unit = role.unit == ast::RoleUnit::warp ? ir::Unit::warp : ir::Unit::warpgroup;
    const bool warps = made.unit == ir::Unit::warp;
    made.width =
        types_
            .check_constant(*role.count, warps ? "the number of warps" : "the number of warpgroups",
                            1, warps ? warp_limit : warp_limit / warps_of_warpgroup)
            .value_or(1);
    if (role.instances) context_.not_yet(role.instances->span, NotYet::role_copies);
    for (const ast::RoleWord& word : role.words) {
        if (const auto* registers = std::get_if<ast::Registers>(&word.node)) {
            const std::optional<std::int64_t> count =
                types_.check_constant(*registers->count, "the number of registers", 0);
            made.registers = count.value_or(0);
            const std::int64_t least_registers = context_.limits().least_reallocated;
            const std::int64_t most_registers = context_.limits().most_reallocated;
            const std::int64_t step = context_.limits().reallocation_step;
            if (!count ||
                (*count >= least_registers && *count <= most_registers && *count % step == 0))
                continue;
            context_
                .error(registers->count->span, msg::register_count, least_registers, most_registers,
                       *count)
                .help("write `registers({})`", std::clamp((*count + step / 2) / step * step,
                                                          least_registers, most_registers));
        } else if (std::holds_alternative<ast::Pingpong>(word.node)) {
            run_round_robin(made, word.span, "a role");
        } else {
            let_alternate(made, std::get<ast::Alternate>(word.node), word.span);
        }
    }
}

void Roles::let_alternate(ir::Role& made, const ast::Alternate& word, Span span) {
    if (word.when) {
        const Operand value = expressions_.check_value(*word.when);
        if (is_poison(value)) return;
        if (!is_constant_of(value, ast::ConstKind::boolean)) {
            context_.error(word.when->span, msg::operand_kind, "`alternate`",
                           "a constant that is true or false", describe(value));
            return;
        }
        if (!std::get<ir::Boolean>(scalar(value)->node).value) return;
    }
    if (made.warpgroups() != 2 && made.warpgroups() != 3) {
        context_
            .error(span, msg::alternate_form,
                   fmt::format("is not allowed on a role of {} {}{}", made.width,
                               made.unit == ir::Unit::warp ? "warp" : "warpgroup",
                               made.width == 1 ? "" : "s"))
            .help("2 or 3 warpgroups can alternate programs");
        return;
    }
    made.copies = made.width;
    made.width = 1;
    alternate_.emplace(made.name, span);
}

void Roles::check_alternating() {
    const ir::Kernel& kernel = builder_.kernel;
    for (const ir::Role& role : kernel.roles) {
        if (role.copies == 1) continue;
        const Span place = alternate_.at(role.name);
        const auto refuse = [&](std::string_view what) {
            return context_.error(place, msg::alternate_form, what);
        };
        std::string filled;
        ir::walk_only<ir::Produce>(role.body, [&](const ir::Produce& p) { filled = p.pipeline; });
        if (role.pingpong) {
            refuse("and `pingpong` are two different orders of the same products")
                .help("remove one of them");
        } else if (!kernel.persistent) {
            refuse("needs a kernel whose blocks run several programs")
                .help("write `persistent` after the `grid`");
        } else if (kernel.dynamic || kernel.weight) {
            refuse(
                "assigns every second program of a block to a warpgroup, but the grid assigns "
                "programs by weight or dynamically")
                .help("remove `heaviest_first` and `dynamic`, or `alternate`");
        } else if (!filled.empty()) {
            refuse(fmt::format("is not allowed on a role that fills pipeline `{}`", filled))
                .help("roles that alternate consume elements but produce none");
        } else {
            for (const std::string& pipeline : ir::pipelines_read(role)) {
                if (ir::elements_taken(kernel, role, pipeline)) continue;
                refuse(fmt::format("needs as many elements of `{}` in every program", pipeline))
                    .note(
                        "a warpgroup skips the elements of the other warpgroup's programs by "
                        "count, which must follow from extents and parameters")
                    .help(
                        "make the loops around `consume` independent of the position in the grid");
            }
        }
    }
}

void Roles::check_role(const ast::Role& role) {
    context_.role_syntax = &role;
    check_work(
        role.name.span, [&](ir::Role& made) { check_role_head(role, made); },
        [&] {
            for (const ast::Stmt& stmt : role.body.stmts) statements_.check_stmt(stmt);
        });
    context_.role_syntax = nullptr;
}

void Roles::check_work(Span place, FunctionRef<void(ir::Role&)> head, FunctionRef<void()> body) {
    builder_.open_role();
    numbers_.open_role();
    columns_.open_role();
    gathers_.open_role();
    axes_.open_role();
    head(*builder_.role);
    const Scope::Mark mark = names_.scope.open();
    if (!context_.has_roles()) names_.scope.join(mark);
    builder_.open_block();
    body();
    builder_.role->body = builder_.close_block();
    columns_.drop_unused_rows();
    gathers_.drop_unread_lists();
    names_.close_scope(mark);
    if (!context_.failed) statements_.check_shared_reads();
    const bool left_out = builder_.role->body.empty() && context_.role_syntax != nullptr &&
                          !context_.role_syntax->body.stmts.empty();  // by a constant
    if (!context_.failed && !left_out && !has_effect(builder_.role->body)) {
        context_.file.warning(place, msg::role_without_effect, builder_.role->name);
    }
    numbers_.close_role();
    builder_.close_role();
}

}  // namespace tkc::checker
