// What is in a kernel, in the order in which it is looked at; each part has a file of its own.
#include "frontend/check/kernel_checker.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/overloaded.h"
#include "frontend/check/limits.h"
#include "frontend/check/schedule_constants.h"
#include "frontend/derive/derive.h"
#include "frontend/parse/ast_walk.h"
#include "ir/contract.h"
#include "ir/target_features.h"
#include "ir/walk.h"

namespace tkc::checker {

KernelChecker::KernelChecker(FileContext& file_context, const Unit& unit, const ast::Kernel& syntax,
                             const ast::Instance* instance, const CalledInstance* called)
    : parts_(file_context, unit, syntax) {
    context_.items = syntax.items;
    context_.instance = instance;
    context_.called = called;
    context_.needs_derived_roles = derive::needs_derived_roles(syntax);
}

KernelChecker::~KernelChecker() = default;

void KernelChecker::declare_items() {
    for (const ast::KernelItem& item : context_.items) {
        if (const auto* pipeline = std::get_if<ast::Pipeline>(&item.node)) {
            parts_.names.declare(EntityKind::pipeline, pipeline->name,
                                 PipelineName{pipeline->name.text});
        } else if (const auto* space = std::get_if<ast::Space>(&item.node)) {
            parts_.names.declare(EntityKind::space, space->name, SpaceName{space->name.text});
        } else if (const auto* role = std::get_if<ast::Role>(&item.node)) {
            parts_.names.declare(EntityKind::role, role->name, RoleName{role->name.text});
        } else if (const auto* stmt = std::get_if<ast::Stmt>(&item.node);
                   stmt != nullptr && context_.has_roles()) {
            const auto* let = std::get_if<ast::Let>(&stmt->node);
            if (let == nullptr || let->is_var) {
                context_.error(stmt->span, msg::statement_outside_roles)
                    .help("move it into the role that needs it");
                if (let != nullptr)
                    parts_.names.declare(EntityKind::variable, let->name, Poison{})->used = true;
            } else {
                parts_.names.declare(EntityKind::let, let->name, Poison{})->pending = let;
            }
        }
    }
}

bool KernelChecker::within_limits() {
    std::vector<Span> parameters;
    std::vector<Span> conditions;
    std::vector<Span> pipelines;
    std::vector<Span> roles;
    for (const ast::KernelParam& param : context_.syntax.params)
        parameters.push_back(param.name.span);
    for (const ast::ExprPtr& condition : context_.syntax.conditions)
        conditions.push_back(condition->span);
    for (const ast::ExprPtr& belief : context_.syntax.beliefs) conditions.push_back(belief->span);
    for (const ast::KernelItem& item : context_.items) {
        const auto* pipeline = std::get_if<ast::Pipeline>(&item.node);
        const auto* role = std::get_if<ast::Role>(&item.node);
        if (pipeline != nullptr) pipelines.push_back(pipeline->name.span);
        if (role != nullptr) roles.push_back(role->name.span);
    }
    bool within = true;
    const auto check = [&](const std::vector<Span>& list, std::size_t limit,
                           std::string_view what) {
        if (list.size() <= limit) return;
        context_.error(list[limit], msg::too_many, context_.syntax.name.text, limit, what);
        within = false;
    };
    check(parameters, parameter_limit, "parameters");
    check(conditions, condition_limit, "conditions");
    check(pipelines, pipeline_limit, "pipelines");
    check(roles, role_limit, "roles");
    return within;
}

void KernelChecker::check_features() {
    for (const ir::MissingFeature& missing : ir::missing_features(builder_.kernel))
        context_.on_target(false, missing.span, missing.what);
}

// Those of which a constant has left out everything: a block has no warps for them. One stays.
void KernelChecker::drop_empty_roles() {
    std::vector<ir::Role>& roles = builder_.kernel.roles;
    const auto empty = [](const ir::Role& role) { return role.body.empty(); };
    if (!std::all_of(roles.begin(), roles.end(), empty)) std::erase_if(roles, empty);
}

// Those that nothing mentions, as where a constant has removed what does: no launch makes them.
void KernelChecker::drop_unused_counters() {
    std::set<std::string> used;
    for (const ir::Role& role : builder_.kernel.roles) {
        ir::walk_only<ir::Signal>(role.body, [&](const ir::Signal& s) { used.insert(s.counter); });
        ir::walk_only<ir::Await>(role.body, [&](const ir::Await& a) { used.insert(a.counter); });
    }
    std::erase_if(builder_.kernel.counters,
                  [&](const ir::Counter& c) { return !used.contains(c.name); });
}

// Programs that differ in a variable that nobody looks at do the same. Where they store, that is a
// race, and told as one; sums get the same again from each of them.
void KernelChecker::warn_of_same_programs() {
    const ir::Kernel& kernel = builder_.kernel;
    const auto has = [&](ir::Mode mode) {
        return std::any_of(kernel.tensors.begin(), kernel.tensors.end(),
                           [&](const ir::Tensor& t) { return t.mode == mode; });
    };
    if (context_.failed || !has(ir::Mode::accumulate) || has(ir::Mode::out)) return;
    for (const ir::GridAxis& axis : kernel.grid) {
        const Entity* entity = parts_.names.scope.find(axis.var);
        std::int64_t programs = 0;
        const bool one =
            ir::is_constant(ir::with_constants(kernel, ir::programs_of(kernel, axis)), &programs) &&
            programs <= 1;
        const bool counts = entity != nullptr && entity->kind == EntityKind::grid_index;
        if (!counts || entity->used || axis.var.front() == '_' || one) continue;
        context_.file.warning(entity->span, msg::never_used, "grid variable", axis.var)
            .note("all programs along `{}` add the same value", axis.var)
            .help(
                "use it in the position or the value that is added, or name it `_{}`, if each "
                "program should add the same value",
                axis.var);
    }
}

std::optional<CheckedKernel> KernelChecker::run() {
    builder_.kernel.source = context_.syntax.name.text;
    builder_.kernel.target = context_.file.options.target->name;
    builder_.kernel.name = context_.instance != nullptr ? context_.instance->name.text
                           : context_.called != nullptr ? context_.called->name
                                                        : context_.syntax.name.text;
    builder_.kernel.span = context_.syntax.name.span;
    if (!within_limits()) return std::nullopt;
    builder_.open_block();
    parts_.constants.bind_constants();
    parts_.parameters.declare_parameters();
    parts_.requirements.check_requires();
    declare_items();
    for (const std::string& name : parts_.names.scope.names()) builder_.used_names.insert(name);
    std::size_t grids = 0;
    for (const ast::KernelItem& item : context_.items) {
        const auto* grid = std::get_if<ast::Grid>(&item.node);
        if (grid != nullptr && ++grids == 1) parts_.launch.check_grid(*grid);
    }
    for (const std::string& name : parts_.names.scope.names()) builder_.used_names.insert(name);
    if (grids != 1) {
        context_.without_grid = true;
        DiagnosticBuilder message = context_.error(context_.syntax.name.span, msg::grid_count,
                                                   context_.syntax.name.text, grids);
        std::size_t seen = 0;
        for (const ast::KernelItem& item : context_.items) {
            if (std::holds_alternative<ast::Grid>(item.node) && ++seen == 2)
                message.label(item.span, "the second one");
        }
        if (grids == 0)
            message.help("write `grid (m in M by 64);`: one program per 64 rows of `M`");
    }
    for (Entity* entity : parts_.names.scope.since({})) {
        if (entity->pending != nullptr && !entity->busy) parts_.statements.resolve_let(*entity);
    }
    for (const ast::KernelItem& item : context_.items) {
        if (const auto* pipeline = std::get_if<ast::Pipeline>(&item.node))
            parts_.pipelines.check_pipeline(*pipeline);
        if (const auto* space = std::get_if<ast::Space>(&item.node))
            parts_.loops.check_space(*space);
    }
    parts_.launch.check_weight();
    builder_.kernel.lets = builder_.close_block();
    for (const ast::KernelItem& item : context_.items) {
        const auto* role = std::get_if<ast::Role>(&item.node);
        if (role != nullptr && !context_.file.stopped) parts_.roles.check_role(*role);
    }
    if (!context_.has_roles() && !context_.file.stopped) parts_.roles.check_body();
    if (!context_.failed) drop_empty_roles();
    if (!context_.failed) parts_.pipelines.check_pipeline_uses();
    if (!context_.failed) parts_.launch.check_dynamic_schedule();
    if (!context_.failed) parts_.roles.check_alternating();
    warn_of_same_programs();
    parts_.names.close_scope({});
    parts_.numbers.add_divisor_conditions();
    if (!context_.failed) check_features();  // a product was told, and its role follows from it
    if (context_.failed) return std::nullopt;
    drop_unused_counters();
    parts_.requirements.check_elements_read();
    return CheckedKernel{std::move(builder_.kernel), std::move(builder_.padding_sites),
                         std::move(context_.numbers_of_extents)};
}

std::optional<CheckedKernel> check_kernel(FileContext& file_context, const Unit& unit,
                                          const ast::Kernel& syntax, const ast::Instance* instance,
                                          const CalledInstance* called) {
    check_schedule_constants(file_context, unit, syntax);
    const Diagnostics before = file_context.diag;
    const std::set<std::pair<FileId, std::uint32_t>> noted = file_context.noted;
    bool by_warps = false;
    KernelChecker::Places changing;
    for (;;) {
        KernelChecker checker(file_context, unit, syntax, instance, called);
        if (by_warps) checker.let_warps_multiply();
        checker.let_change(changing);
        std::optional<CheckedKernel> made = checker.run();
        const std::size_t known = changing.size();
        changing.insert(checker.found_changing().begin(), checker.found_changing().end());
        const bool needs_warps = !by_warps && checker.needs_warps();
        if (!needs_warps && changing.size() == known) return made;
        by_warps = by_warps || needs_warps;
        file_context.diag = before;
        file_context.noted = noted;
    }
}

}  // namespace tkc::checker
