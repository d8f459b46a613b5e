// Tries the choices of each kernel: a program that does not fit, or leaves ptxas too few registers,
// gives way to the next.
#include "driver/derive_roles.h"

#include <algorithm>

#include "checks/padding/padding.h"
#include "frontend/parse/parse.h"
#include "ir/walk.h"
#include "lowering/pass_order.h"
#include "lowering/register_estimate.h"

namespace tkc {

namespace {

using Choices = std::map<std::string, derive::Choice>;

// The text of the file with the roles of kernels, by these choices.
std::optional<DerivedText> text_of(const ast::File& file, const SourceManager& sources,
                                   const Choices& choices, Diagnostics& diag,
                                   std::map<std::string, derive::Account>* accounts = nullptr) {
    DerivedText text;
    std::uint32_t at = 0;
    for (const ast::Decl& decl : file.decls) {
        const auto* kernel = std::get_if<ast::Kernel>(&decl.node);
        const auto choice = kernel == nullptr ? choices.end() : choices.find(kernel->name.text);
        if (choice == choices.end()) continue;
        text.copy(sources, {file.id, at, decl.span.begin});
        const std::optional<DerivedText> derived =
            derive::with_roles(*kernel, decl.span, choice->second, sources, diag,
                               accounts == nullptr ? nullptr : &(*accounts)[kernel->name.text]);
        if (!derived) return std::nullopt;
        text.add(*derived);
        at = decl.span.end;
    }
    const auto size = static_cast<std::uint32_t>(sources.file(file.id).text.size());
    text.copy(sources, {file.id, at, size});
    return text;
}

// Whether ptxas will hold the role's tiles and what else it needs.
bool has_room(const ir::Kernel& kernel) {
    if (!kernel.general_of.empty()) return true;
    return std::all_of(kernel.roles.begin(), kernel.roles.end(), [&](const ir::Role& role) {
        if (role.unit != ir::Unit::warpgroup) return true;
        const std::int64_t has = role.registers != 0 ? role.registers : kernel.entry_registers;
        return lowering::all_registers(kernel, role) <= has;
    });
}

// Leaves of the file what the kernel needs, so that to try its choices takes no longer in a file of
// many kernels. Entries give kernels their constants: with them everything stays.
void keep_only(const std::string& kernel, ast::File& file) {
    const bool entries = std::any_of(
        file.decls.begin(), file.decls.end(),
        [](const ast::Decl& decl) { return std::holds_alternative<ast::Entry>(decl.node); });
    if (entries) return;
    std::erase_if(file.decls, [&](const ast::Decl& decl) {
        const auto* other = std::get_if<ast::Kernel>(&decl.node);
        const auto* instance = std::get_if<ast::Instance>(&decl.node);
        return (other != nullptr && other->name.text != kernel) ||
               (instance != nullptr && instance->kernel.text != kernel) ||
               std::holds_alternative<ast::Test>(decl.node) ||
               std::holds_alternative<ast::Reference>(decl.node);
    });
}

// Whether warpgroups divide a tile by columns.
bool divides_columns(const ir::Kernel& kernel) {
    return std::any_of(kernel.roles.begin(), kernel.roles.end(), [](const ir::Role& role) {
        for (std::uint32_t id = 0; id < role.values.size(); ++id) {
            if (divided_axis(role, ir::Value{id}) == ir::Axis::col) return true;
        }
        return false;
    });
}

// Whether all kernels made of `source` compile; with `by_rows`, without a tile that warpgroups
// divide by columns.
bool compiles(const ast::File& tree, const std::string& source, SourceManager& sources,
              const CheckOptions& options, bool debug, bool by_rows) {
    Diagnostics quiet;
    CheckedFile made = check(tree, sources, quiet, options);
    if (!made.good) return false;
    std::erase_if(made.module.kernels,
                  [&](const ir::Kernel& kernel) { return kernel.source != source; });
    for (ir::Kernel& kernel : made.module.kernels) {
        if (!checks::padding::settle(kernel, made.padding[kernel.name], quiet, nullptr))
            return false;
    }
    made.module.launchers.clear();
    made.module.entries.clear();
    lowering::PassOptions passes;
    passes.debug = debug;
    const std::vector<ir::Kernel>& kernels = made.module.kernels;
    return lowering::run_passes(lowering::pipeline(), made.module, quiet, passes) &&
           !quiet.has_errors() && std::all_of(kernels.begin(), kernels.end(), has_room) &&
           !(by_rows && std::any_of(kernels.begin(), kernels.end(), divides_columns));
}

// How many warps of the kernel multiply by themselves, in an instance of it; 0: warpgroups do.
std::int64_t warps_of(const ir::Module& module, const std::string& source) {
    std::int64_t warps = 0;
    for (const ir::Kernel& kernel : module.kernels) {
        if (kernel.source != source) continue;
        for (const ir::Role& role : kernel.roles) {
            ir::walk_only<ir::Mma>(role.body, [&](const ir::Mma& m) {
                if (m.synchronous) warps = std::max(warps, role.width);
            });
        }
    }
    return warps;
}

}  // namespace

bool asks_for_roles(const ast::File& file) {
    return std::any_of(file.decls.begin(), file.decls.end(), [](const ast::Decl& decl) {
        const auto* kernel = std::get_if<ast::Kernel>(&decl.node);
        return kernel != nullptr && derive::asks_for_roles(*kernel);
    });
}

std::optional<DerivedFile> derive_roles(const ast::File& file, SourceManager& sources,
                                        const CheckOptions& options, bool debug,
                                        Diagnostics& diag) {
    // What is wrong with the program is told of the program that was written.
    Diagnostics sequential;
    const CheckedFile written = check(file, sources, sequential, options);
    if (!written.good) {
        diag.take(sequential);
        return std::nullopt;
    }
    DerivedFile made;
    Choices choices;
    for (const ast::Decl& decl : file.decls) {
        const auto* kernel = std::get_if<ast::Kernel>(&decl.node);
        if (kernel == nullptr || !derive::asks_for_roles(*kernel)) continue;
        const std::int64_t warps = warps_of(written.module, kernel->name.text);
        const std::vector<derive::Choice> list = derive::choices(*kernel, warps);
        const auto serves = [&](const derive::Choice& next, bool by_rows) {
            choices[kernel->name.text] = next;
            const std::optional<DerivedText> text = text_of(file, sources, choices, diag);
            if (diag.has_errors()) return false;
            Diagnostics quiet;
            std::optional<ast::File> tree = text ? parse(file.id, *text, quiet) : std::nullopt;
            if (tree) keep_only(kernel->name.text, *tree);
            return tree && compiles(*tree, kernel->name.text, sources, options, debug, by_rows);
        };
        // Two warpgroups that divide columns read operand A twice: one does it alone if it can.
        const bool narrower = list.back().warpgroups != list.front().warpgroups;
        bool found = false;
        for (const bool by_rows : {true, false}) {
            for (const derive::Choice& next : list) {
                if (found || diag.has_errors() || (by_rows && !narrower)) continue;
                if (!by_rows && narrower && next.warpgroups != list.front().warpgroups) continue;
                found = serves(next, by_rows);
            }
        }
        if (diag.has_errors()) return std::nullopt;
        // The last choice is the plainest: what is wrong with that is told.
        if (!found) choices[kernel->name.text] = list.back();
    }
    std::optional<DerivedText> text = text_of(file, sources, choices, diag, &made.accounts);
    if (!text) return std::nullopt;
    made.text = std::move(*text);
    Diagnostics quiet;  // of a text that nobody wrote: no fix of it is one of the file
    std::optional<ast::File> tree = parse(file.id, made.text, quiet);
    if (!tree) {
        diag.error(Span{file.id, 0, 0}, msg::internal_error, "derived roles that do not parse");
        return std::nullopt;
    }
    made.tree = std::move(*tree);
    return made;
}

}  // namespace tkc
