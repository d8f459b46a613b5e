// Which kernels ask for roles, and what there is to choose for them.
#include <algorithm>

#include "frontend/derive/apart.h"
#include "frontend/derive/derive.h"
#include "frontend/derive/grid.h"
#include "frontend/derive/loads.h"
#include "frontend/derive/write_roles.h"
#include "frontend/parse/ast_walk.h"

namespace tkc::derive {

namespace {

bool has_roles(const ast::Kernel& kernel) {
    return std::any_of(kernel.items.begin(), kernel.items.end(), [](const ast::KernelItem& item) {
        return std::holds_alternative<ast::Role>(item.node);
    });
}

bool has_products(const ast::Block& block) {
    bool found = false;
    checker::Walk hooks;
    hooks.expr = [&](const ast::Expr& e) { found = found || checker::call_of(e, "mma"); };
    checker::walk(block, hooks);
    return found;
}

// The words of pipelined loops with products, in order.
std::vector<const ast::Pipelined*> pipelined_loops(const ast::Kernel& kernel) {
    std::vector<const ast::Pipelined*> found;
    checker::Walk hooks;
    hooks.stmt = [&](const ast::Stmt& s) {
        if (const auto* loop = std::get_if<ast::For>(&s.node))
            if (loop->pipelined && has_products(loop->body)) found.push_back(&*loop->pipelined);
        if (const auto* loop = std::get_if<ast::ForSpace>(&s.node))
            if (loop->pipelined && has_products(loop->body)) found.push_back(&*loop->pipelined);
    };
    for (const ast::KernelItem& item : kernel.items) {
        if (const auto* stmt = std::get_if<ast::Stmt>(&item.node)) checker::walk(*stmt, hooks);
    }
    return found;
}

bool runs_ahead(const Loads& loads) {
    return !loads.before.empty() || std::any_of(loads.pipes.begin(), loads.pipes.end(),
                                                [](const Pipe& p) { return p.loop != nullptr; });
}

// Words that tell how a stage is filled mean nothing at a load that moves to none.
bool report_words_of_staying_loads(const ast::Kernel& kernel, const Loads& loads,
                                   Diagnostics& diag) {
    bool told = false;
    checker::Walk hooks;
    hooks.expr = [&](const ast::Expr& e) {
        const auto* call = std::get_if<ast::Call>(&e.node);
        if (call == nullptr) return;
        const bool moves = std::any_of(loads.moved.begin(), loads.moved.end(),
                                       [&](const Load& load) { return load.load == &e; });
        const auto wrong = std::find_if_not(call->hints.begin(), call->hints.end(),
                                            [](const auto& h) { return ast::is_cache_hint(h); });
        if (moves || wrong == call->hints.end()) return;
        told = true;
        const std::string_view place = "is only allowed on a load that `pipelined` moves";
        const bool foreign = wrong->kind == ast::HintKind::allow_foreign;
        DiagnosticBuilder message =
            foreign ? diag.error(wrong->span, msg::allow_foreign_place, place)
                    : diag.error(wrong->span, msg::cluster_form, "multicast", place);
        for (const Stays& stays : loads.stay) {
            if (stays.load == e.span) message.label(stays.load, "{}", stays.why);
        }
        message.help(
            "remove the keyword: it applies to prefetched loads, which are tiles of a `pipelined` "
            "loop");
    };
    for (const ast::KernelItem& item : kernel.items) {
        if (const auto* stmt = std::get_if<ast::Stmt>(&item.node)) checker::walk(*stmt, hooks);
    }
    return told;
}

}  // namespace

bool needs_derived_roles(const ast::Kernel& kernel) {
    return !has_roles(kernel) && !pipelined_loops(kernel).empty();
}

std::vector<Stays> staying_loads(const ast::Kernel& kernel, const SourceManager& sources) {
    if (has_roles(kernel)) return {};
    Names names(kernel, sources);
    return find_staying(kernel, names, Reach::arithmetic);
}

std::vector<Choice> choices(const ast::Kernel& kernel, std::int64_t warps,
                            const SourceManager& sources) {
    const auto loads_of = [&](Reach reach) {
        Names names(kernel, sources);
        return find_loads(kernel, names, reach);
    };
    std::vector<Reach> reaches{Reach::arithmetic};
    // Without those that arithmetic reads there may be room for what does not fit with them.
    const Loads all = loads_of(Reach::arithmetic);
    const bool some =
        std::any_of(all.moved.begin(), all.moved.end(), [](const Load& load) { return load.read; });
    if (some && runs_ahead(loads_of(Reach::products))) reaches.push_back(Reach::products);
    const std::vector<const ast::Pipelined*> loops = pipelined_loops(kernel);
    const bool open = std::any_of(loops.begin(), loops.end(),
                                  [](const ast::Pipelined* word) { return !word->depth; });
    const bool wide = is_auto(grid_word<ast::Warps>(kernel));
    std::vector<Choice> list;
    for (const Reach reach : reaches) {
        for (const std::int64_t warpgroups : {2, 1}) {
            for (const bool rotates : {true, false}) {
                for (const bool registers : {true, false}) {
                    for (const std::int64_t stages : {4, 3, 2}) {
                        const bool differs = (open || stages == 4) && (wide || warpgroups == 2);
                        // Products of warps are over when they return: none runs under the next
                        // step.
                        const bool serves = warps == 0 || (!rotates && warpgroups == 2);
                        if (differs && serves)
                            list.push_back({rotates, registers, stages, warpgroups, warps, reach});
                    }
                }
            }
        }
    }
    return list;
}

std::optional<DerivedText> with_roles(const ast::Kernel& kernel, Span whole, const Choice& choice,
                                      const SourceManager& sources, Diagnostics& diag,
                                      Account* account) {
    Names names(kernel, sources);
    const Loads loads = find_loads(kernel, names, choice.reach);
    if (!runs_ahead(loads)) {
        DiagnosticBuilder message =
            diag.error(pipelined_loops(kernel).front()->span, msg::nothing_runs_ahead);
        for (const Stays& stays : loads.stay) message.label(stays.load, "{}", stays.why);
        if (loads.stay.empty())
            message.help("remove the keyword, or load the operands of the products in the loop");
        else message.help("remove the keyword, or write roles, as in examples/gemm/gemm.tk");
        return std::nullopt;
    }
    if (report_words_of_staying_loads(kernel, loads, diag)) return std::nullopt;
    Names of_loops(kernel, sources);
    Account own{find_staying(kernel, of_loops, choice.reach), {}};
    const std::optional<Apart> apart =
        choice.rotates ? products_apart(kernel, sources, loads, choice.reach) : std::nullopt;
    std::optional<DerivedText> text;
    if (apart) {
        Names all(*apart->kernel, sources);
        const Loads moved = find_loads(*apart->kernel, all, choice.reach);
        text = write_roles(*apart->kernel, whole, choice, sources, all, moved, own.story);
    } else {
        text = write_roles(kernel, whole, choice, sources, names, loads, own.story);
    }
    if (account != nullptr) *account = std::move(own);
    return text;
}

}  // namespace tkc::derive
