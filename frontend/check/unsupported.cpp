// Finds what the language has and the checker cannot lower yet, by syntax alone.
#include <algorithm>
#include <array>
#include <optional>

#include "base/overloaded.h"
#include "frontend/check/file_context.h"
#include "frontend/parse/ast_walk.h"
#include "language/operation.h"

namespace tkc::checker {

namespace {

struct NotYetRow {
    NotYet what;
    std::string_view text;
};
constexpr std::array not_yet_table{
#define TK_NOT_YET(id, text) NotYetRow{NotYet::id, text},
#include "frontend/check/unsupported.def"
#undef TK_NOT_YET
};

using Found = std::optional<std::pair<Span, NotYet>>;

std::optional<NotYet> in_operation(Operation operation) {
    switch (operation) {
        case Operation::barrier: return NotYet::barriers;
        case Operation::fill: return NotYet::fills;
#define TK_TILE_FUNCTION(id, spelling, number, signature, doc) case Operation::id:
#include "language/tile_functions.def"
#undef TK_TILE_FUNCTION
        case Operation::mma:
        case Operation::tf32:
        case Operation::reduce_add:
        case Operation::load:
        case Operation::tma_load:
        case Operation::store:
        case Operation::tma_store:
        case Operation::shared:
        case Operation::scalar:
        case Operation::signal:
        case Operation::await:
        case Operation::row_index:
        case Operation::col_index:
        case Operation::last_tile:
        case Operation::range:
        case Operation::print:
        case Operation::assertion:
        case Operation::assume:
        case Operation::pad:
        case Operation::column:
        case Operation::fragments:
        case Operation::from_fragments:
        case Operation::within:
        case Operation::increasing:
        case Operation::disjoint:  // of outputs; facts.cpp refuses that of ranges
        case Operation::covers:
        case Operation::reads_own:
        case Operation::balanced: return std::nullopt;
    }
    return std::nullopt;
}

std::optional<NotYet> in_call(const ast::Call& call) {
    const auto* callee = std::get_if<ast::NameRef>(&call.callee->node);
    if (callee == nullptr) return std::nullopt;
    const std::optional<Operation> operation = find_operation(callee->text);
    return operation ? in_operation(*operation) : std::nullopt;
}

std::optional<NotYet> in_expr(const ast::Expr& expr) {
    if (const auto* call = std::get_if<ast::Call>(&expr.node)) return in_call(*call);
    if (const auto* index = std::get_if<ast::Index>(&expr.node)) {
        for (const ast::Subscript& sub : index->subscripts) {
            const auto* slice = std::get_if<ast::Slice>(&sub.node);
            if (slice != nullptr && slice->step) return NotYet::boxes;
        }
    }
    return std::nullopt;
}

std::optional<NotYet> in_type(const ast::Type& type) {
    const std::string& name = type.path.parts.front().text;
    if (type.packed || name == "u4" || name == "i4") return NotYet::packed;
    return std::nullopt;
}

Found in_grid(const ast::Grid& grid) {
    for (const ast::GridWord& word : grid.words) {
        const std::optional<NotYet> what =
            std::visit(Overloaded{
                           [](const ast::Persistent&) { return std::optional<NotYet>(); },
                           [](const ast::Dynamic&) { return std::optional<NotYet>(); },
                           [](const ast::Raster&) { return std::optional<NotYet>(); },
                           [](const ast::HeaviestFirst&) { return std::optional<NotYet>(); },
                           [](const ast::Warps&) { return std::optional<NotYet>(); },
                           [](const ast::BlocksPerSm&) { return std::optional<NotYet>(); },
                           [](const ast::Spills&) { return std::optional<NotYet>(); },
                           [](const ast::Cluster&) { return std::optional<NotYet>(); },
                           [](const ast::Pingpong&) { return std::optional<NotYet>(); },
                       },
                       word.node);
        if (what) return std::pair(word.span, *what);
    }
    return std::nullopt;
}

Found in_role(const ast::Role& role) {
    if (role.instances) return std::pair(role.instances->span, NotYet::role_copies);
    return std::nullopt;
}

Found in_item(const ast::KernelItem& item) {
    return std::visit(Overloaded{
                          [](const ast::Grid& g) { return in_grid(g); },
                          [](const ast::Pipeline& p) {
                              return p.per ? Found(std::pair(p.per->span, NotYet::role_copies))
                                           : Found();
                          },
                          [](const ast::Space&) { return Found(); },
                          [](const ast::Role& r) { return in_role(r); },
                          [](const ast::Partition& p) {
                              return Found(std::pair(p.name.span, NotYet::partitions));
                          },
                          [](const ast::Stmt&) { return Found(); },
                      },
                      item.node);
}

Found in_head(const ast::LaunchHead& head) {
    for (const ast::KernelParam& p : head.params) {
        if (p.is_ranks) return std::pair(p.span, NotYet::ranks);
    }
    return std::nullopt;
}

Found in_kernel(const ast::Kernel& kernel) {
    Found found = in_head(kernel);
    const auto note = [&](Span span, std::optional<NotYet> what) {
        if (what && !found) found = std::pair(span, *what);
    };
    Walk hooks;
    hooks.expr = [&](const ast::Expr& e) { note(e.span, in_expr(e)); };
    hooks.type = [&](const ast::Type& t) { note(t.span, in_type(t)); };
    hooks.item = [&](const ast::KernelItem& i) {
        if (!found) found = in_item(i);
    };
    walk(kernel, hooks);
    return found;
}

Found in_entry(const ast::Entry& entry) {
    Found found = in_head(entry);
    const auto note = [&](Span span, std::optional<NotYet> what) {
        if (what && !found) found = std::pair(span, *what);
    };
    Walk hooks;
    hooks.stmt = [&](const ast::Stmt& s) {
        if (const auto* loop = std::get_if<ast::For>(&s.node)) {
            note(loop->iters.front().span, NotYet::entry_loops);
        }
    };
    hooks.expr = [&](const ast::Expr& e) { note(e.span, in_expr(e)); };
    hooks.type = [&](const ast::Type& t) { note(t.span, in_type(t)); };
    for (const ast::KernelParam& p : entry.params) walk(p.type, hooks);
    for (const ast::ExprPtr& c : entry.conditions) walk(*c, hooks);
    for (const ast::ExprPtr& c : entry.beliefs) walk(*c, hooks);
    walk(entry.body, hooks);
    return found;
}

Found in_decl(const ast::Decl& decl) {
    if (const auto* kernel = std::get_if<ast::Kernel>(&decl.node)) return in_kernel(*kernel);
    if (const auto* entry = std::get_if<ast::Entry>(&decl.node)) return in_entry(*entry);
    if (const auto* mega = std::get_if<ast::Megakernel>(&decl.node)) {
        return std::pair(mega->name.span, NotYet::megakernels);
    }
    return std::nullopt;
}

// What works today; empty where it depends on the place, or where nothing does.
std::string_view instead_of(NotYet what) {
    switch (what) {
        case NotYet::megakernels: return "an `entry` launches several kernels";
        case NotYet::entry_loops:
            return "write the calls out, one after the other, or let the caller loop over an entry";
        case NotYet::entry_branches: return "write one entry per case, and let the caller choose";
        case NotYet::parts_of_tensors:
            return "pass the whole tensor, and the start of the part as a parameter of the kernel";
        case NotYet::fills: return "write a kernel that stores the value";
        case NotYet::partitions: return "write an entry with a kernel for each part";
        case NotYet::role_copies: return "write the role out once per copy";
        case NotYet::facts:
            return "state `covers(Y)` and `disjoint(Y)` for the tensor that is written";
        case NotYet::boxes:
            return "a slice with a step is a list of positions: `X[m, a + 2 * range(n)]`";
        case NotYet::packed:
            return "use u8 with two values per byte: `i32(x) & 15` and `i32(x) >> 4`";
        case NotYet::bulk_stores_of_warps: return "write `store`";
        case NotYet::functions_of_doubles: return "convert their arguments: `exp(f32(x))`";
        case NotYet::changes_in_produce:
        case NotYet::barriers:
        case NotYet::dependent_weights:
        case NotYet::ranks:
        case NotYet::columns:
        case NotYet::small_reals: return "";
    }
    return "";
}

}  // namespace

void FileContext::not_yet(Span span, NotYet what, const std::string& help) {
    DiagnosticBuilder message =
        error(span, msg::not_yet, not_yet_table[static_cast<std::size_t>(what)].text);
    if (!help.empty()) message.help("{}", help);
    else if (const std::string_view instead = instead_of(what); !instead.empty())
        message.help(std::string(instead));
    stopped = true;
}

bool report_not_yet(FileContext& file_context, const ast::Decl& decl) {
    const Found found = in_decl(decl);
    if (found) file_context.not_yet(found->first, found->second);
    return found.has_value();
}

bool report_not_yet(FileContext& file_context, const ast::File& file) {
    return std::any_of(file.decls.begin(), file.decls.end(),
                       [&](const ast::Decl& decl) { return report_not_yet(file_context, decl); });
}

}  // namespace tkc::checker
