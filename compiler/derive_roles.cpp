// Tries the choices of each kernel: a program that does not fit, or leaves ptxas too few registers,
// gives way to the next.
#include "compiler/derive_roles.h"

#include <algorithm>
#include <set>
#include <vector>

#include "checks/padding/padding.h"
#include "frontend/parse/ast_walk.h"
#include "frontend/parse/parse.h"
#include "ir/walk.h"
#include "lowering/pass_order.h"
#include "lowering/registers/register_estimate.h"

namespace tkc {

namespace {

// A kernel that asks for roles. Its file has the places of what is derived of it.
struct Asking {
    const ast::File* file;
    const ast::Kernel* kernel;
    Span whole;
    std::set<std::string> sources;  // of the kernels in the module
};

using Choices = std::map<KernelPlace, derive::Choice>;

KernelPlace place_of(const Asking& asking) { return {asking.file->id, asking.kernel->name.text}; }

// The kernels of the file that ask for roles; of those in `wanted` only, if it is given.
void find_asking(const ast::File& file, const std::map<KernelPlace, std::set<std::string>>* wanted,
                 std::vector<Asking>& found) {
    for (const ast::Decl& decl : file.decls) {
        const auto* kernel = std::get_if<ast::Kernel>(&decl.node);
        if (kernel == nullptr || !derive::needs_derived_roles(*kernel)) continue;
        Asking asking{&file, kernel, decl.span, {kernel->name.text}};
        if (wanted != nullptr) {
            const auto named = wanted->find(place_of(asking));
            if (named == wanted->end()) continue;
            asking.sources = named->second;
        }
        found.push_back(std::move(asking));
    }
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

// Declarations that the kernel does not need. Without them, to try its choices takes no longer in a
// file of many kernels. Entries give kernels their constants: with them everything is needed.
std::vector<Span> dispensable(const std::string& kernel, const ast::File& file) {
    std::vector<Span> found;
    for (const ast::Decl& decl : file.decls) {
        if (std::holds_alternative<ast::Entry>(decl.node)) return {};
        const auto* other = std::get_if<ast::Kernel>(&decl.node);
        const auto* instance = std::get_if<ast::Instance>(&decl.node);
        if ((other != nullptr && other->name.text != kernel) ||
            (instance != nullptr && (instance->module || instance->kernel.text != kernel)) ||
            std::holds_alternative<ast::Test>(decl.node) ||
            std::holds_alternative<ast::Reference>(decl.node))
            found.push_back(decl.span);
    }
    return found;
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

// Whether all kernels of these sources compile; with `by_rows`, without a tile that warpgroups
// divide by columns.
bool compiles(const ast::File& tree, const std::set<std::string>& wanted, SourceManager& sources,
              const CheckOptions& options, bool debug, bool by_rows) {
    Diagnostics quiet;
    CheckedFile made = check(tree, sources, quiet, options);
    if (!made.good) return false;
    std::erase_if(made.module.kernels,
                  [&](const ir::Kernel& kernel) { return !wanted.contains(kernel.source); });
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
std::int64_t warps_of(const ir::Module& module, const std::set<std::string>& wanted) {
    std::int64_t warps = 0;
    for (const ir::Kernel& kernel : module.kernels) {
        if (!wanted.contains(kernel.source)) continue;
        for (const ir::Role& role : kernel.roles) {
            ir::walk_only<ir::Mma>(role.body, [&](const ir::Mma& m) {
                if (m.synchronous) warps = std::max(warps, role.width);
            });
        }
    }
    return warps;
}

// The choices of all kernels that ask, one kernel after the other.
class Search {
public:
    Search(const ast::File& main, const CheckedFile& written, SourceManager& sources,
           const CheckOptions& options, bool debug, Diagnostics& diag)
        : main_(main), sources_(sources), options_(options), debug_(debug), diag_(diag) {
        find_asking(main, nullptr, all_);
        Diagnostics quiet;  // it was read before
        for (const auto& [place, names] : written.asking_elsewhere) {
            if (others_.contains(place.first)) continue;
            std::optional<ast::File> file = parse(place.first, sources, quiet);
            if (file) others_.emplace(place.first, std::move(*file));
        }
        for (const auto& [id, file] : others_) find_asking(file, &written.asking_elsewhere, all_);
        if (options.only_kernel.empty()) return;
        // The others stay as they are written: nobody looks at them.
        std::erase_if(all_, [&](const Asking& asking) {
            const std::vector<ir::Kernel>& kernels = written.module.kernels;
            return std::none_of(kernels.begin(), kernels.end(), [&](const ir::Kernel& kernel) {
                return asking.sources.contains(kernel.source);
            });
        });
    }

    std::optional<DerivedFile> run(const ir::Module& written) {
        for (const Asking& asking : all_) {
            choose(asking, warps_of(written, asking.sources));
            if (diag_.has_errors()) return std::nullopt;
        }
        DerivedFile made;
        for (const auto& [id, file] : others_) {
            std::optional<DerivedText> text = text_of(file, &made);
            if (!text) return std::nullopt;
            made.imported.emplace(id, std::move(*text));
        }
        std::optional<DerivedText> text = text_of(main_, &made);
        if (!text) return std::nullopt;
        made.text = std::move(*text);
        Diagnostics quiet;  // of a text that nobody wrote: no fix of it is one of the file
        std::optional<ast::File> tree = parse(main_.id, made.text, quiet);
        if (!tree) {
            diag_.error(Span{main_.id, 0, 0}, msg::internal_error,
                        "derived roles that do not parse");
            return std::nullopt;
        }
        made.tree = std::move(*tree);
        return made;
    }

private:
    // The text of a file with the roles of kernels, by the choices so far. What is left out is in
    // the order of the file.
    std::optional<DerivedText> text_of(const ast::File& file, DerivedFile* made = nullptr,
                                       const std::vector<Span>& left_out = {}) {
        DerivedText text;
        std::uint32_t at = 0;
        auto skipped = left_out.begin();
        const auto copy_until = [&](std::uint32_t end) {
            for (; skipped != left_out.end() && skipped->begin < end; ++skipped) {
                text.copy(sources_, {file.id, at, skipped->begin});
                at = skipped->end;
            }
            text.copy(sources_, {file.id, at, end});
        };
        for (const Asking& asking : all_) {
            const auto choice = choices_.find(place_of(asking));
            if (asking.file != &file || choice == choices_.end()) continue;
            const bool is_left_out =
                std::any_of(left_out.begin(), left_out.end(),
                            [&](const Span& span) { return span.begin == asking.whole.begin; });
            if (is_left_out) continue;
            copy_until(asking.whole.begin);
            derive::Account account;
            const std::optional<DerivedText> derived = derive::with_roles(
                *asking.kernel, asking.whole, choice->second, sources_, diag_, &account);
            if (!derived) return std::nullopt;
            text.add(*derived);
            at = asking.whole.end;
            if (made == nullptr) continue;
            for (const std::string& source : asking.sources) made->accounts[source] = account;
            if (&file != &main_) made->imported_kernels[*asking.sources.begin()] = *derived;
        }
        const auto size = static_cast<std::uint32_t>(sources_.file(file.id).text.size());
        copy_until(size);
        return text;
    }

    // Whether the kernel compiles with this choice.
    bool serves(const Asking& asking, const derive::Choice& next, bool by_rows) {
        choices_[place_of(asking)] = next;
        const std::vector<Span> left_out = asking.file == &main_
                                               ? dispensable(asking.kernel->name.text, main_)
                                               : std::vector<Span>{};
        std::optional<DerivedText> text = text_of(*asking.file, nullptr, left_out);
        if (!text || diag_.has_errors()) return false;
        if (asking.file != &main_) {
            options_.derived.insert_or_assign(asking.file->id, std::move(*text));
            text = text_of(main_);
        }
        Diagnostics quiet;
        std::optional<ast::File> tree = text ? parse(main_.id, *text, quiet) : std::nullopt;
        return tree && compiles(*tree, asking.sources, sources_, options_, debug_, by_rows);
    }

    void choose(const Asking& asking, std::int64_t warps) {
        const std::vector<derive::Choice> list = derive::choices(*asking.kernel, warps, sources_);
        // Two warpgroups that divide columns read operand A twice: one does it alone if it can.
        const bool narrower = list.back().warpgroups != list.front().warpgroups;
        bool found = false;
        for (const bool by_rows : {true, false}) {
            for (const derive::Choice& next : list) {
                if (found || diag_.has_errors() || (by_rows && !narrower)) continue;
                if (!by_rows && narrower && next.warpgroups != list.front().warpgroups) continue;
                found = serves(asking, next, by_rows);
            }
        }
        if (found || diag_.has_errors()) return;
        // The last choice is the plainest: what is wrong with that is told.
        choices_[place_of(asking)] = list.back();
        if (asking.file == &main_) return;
        if (std::optional<DerivedText> text = text_of(*asking.file))
            options_.derived.insert_or_assign(asking.file->id, std::move(*text));
    }

    const ast::File& main_;
    SourceManager& sources_;
    CheckOptions options_;
    bool debug_;
    Diagnostics& diag_;
    std::map<FileId, ast::File> others_;
    std::vector<Asking> all_;
    Choices choices_;
};

}  // namespace

bool may_ask_for_roles(const ast::File& file) {
    return std::any_of(file.decls.begin(), file.decls.end(), [](const ast::Decl& decl) {
        if (const auto* kernel = std::get_if<ast::Kernel>(&decl.node))
            return derive::needs_derived_roles(*kernel);
        if (const auto* instance = std::get_if<ast::Instance>(&decl.node))
            return instance->module.has_value();
        const auto* entry = std::get_if<ast::Entry>(&decl.node);
        if (entry == nullptr) return false;
        bool elsewhere = false;
        checker::Walk hooks;
        hooks.expr = [&](const ast::Expr& e) {
            const auto* call = std::get_if<ast::Call>(&e.node);
            elsewhere = elsewhere || (call != nullptr &&
                                      std::holds_alternative<ast::Member>(call->callee->node));
        };
        checker::walk(entry->body, hooks);
        return elsewhere;
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
    return Search(file, written, sources, options, debug, diag).run(written.module);
}

std::string roles_text(const DerivedFile& file) {
    std::string more;
    for (const auto& [source, kernel] : file.imported_kernels) {
        more += "\n// `" + source + "` as it is compiled for this file:\n//\n";
        const std::string& text = kernel.text();
        for (std::size_t at = 0; at <= text.size();) {
            const std::size_t end = std::min(text.find('\n', at), text.size());
            const std::string line = text.substr(at, end - at);
            more += line.empty() ? "//\n" : "//     " + line + "\n";
            at = end + 1;
        }
    }
    // What was printed is printed again as it is.
    return file.text.text().ends_with(more) ? file.text.text() : file.text.text() + more;
}

}  // namespace tkc
