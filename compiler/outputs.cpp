// Verdicts, texts and explanations, each from the stage of a compilation that has them.
#include "compiler/outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "checks/check.h"
#include "compiler/contract_json.h"
#include "compiler/explain.h"
#include "ir/print.h"
#include "lowering/cuda/emit.h"
#include "lowering/cuda/launcher.h"
#include "lowering/cuda/merge_variants.h"
#include "lowering/cuda/print.h"
#include "lowering/pass_order.h"
#include "lowering/registers/role_registers.h"

namespace tkc {

namespace {

// The launcher's checks hold wherever a kernel or an entry runs. Without its fast variant a kernel
// asks for less, so the general one's conditions count where there is one.
void adopt_conditions(ir::Module& tile, const ir::Module& scheduled) {
    for (ir::Kernel& kernel : tile.kernels) {
        for (const ir::Kernel& lowered : scheduled.kernels) {
            if (lowered.name == kernel.name || lowered.general_of == kernel.name) {
                kernel.conditions = lowered.conditions;
            }
        }
    }
    for (ir::Entry& entry : tile.entries) {
        entry.conditions = ir::find_entry(scheduled, entry.name)->conditions;
    }
}

// Null: reported. A file whose functions have tests is good without a kernel, and nothing can be
// made of it.
const ir::Module* scheduled_kernels(Compilation& compilation, Session& session) {
    const ir::Module* const module = compilation.scheduled();
    if (module == nullptr || !module->kernels.empty()) return module;
    session.diag.error(Span{}, msg::no_kernel);
    return nullptr;
}

void refuse_unproved(const Obligations& obligations, Session& session) {
    for (const auto& [kernel, list] : obligations) {
        for (const checks::Obligation& o : list) {
            const bool open =
                o.verdict == checks::Verdict::undecided || o.verdict == checks::Verdict::trusted;
            if (!open) continue;
            session.diag.error(o.span, msg::not_proved, o.what, checks::word(o.verdict))
                .note("{}", o.text);
        }
    }
}

// `names`: see cuda_text.
KernelTable kernel_table(const ir::Module& module,
                         const std::map<std::string, std::string>& names) {
    KernelTable table;
    for (const ir::Kernel& kernel : module.kernels) {
        const std::string function = cuda::kernel_function(kernel);
        const auto instance = names.find(function);
        auto [place, is_new] =
            table.try_emplace(instance == names.end() ? function : instance->second);
        KernelRegisters& row = place->second;
        row.spills = is_new ? kernel.spills : std::min(row.spills, kernel.spills);
        row.kernels.push_back(kernel.name);
        if (!is_new) continue;
        row.function = function;
        row.blocks = kernel.blocks;
        row.fewer_blocks = lowering::fewer_blocks(kernel);
        row.requested_blocks = kernel.requested_blocks > 0;
        row.general = !kernel.general_of.empty();
    }
    return table;
}

std::string header_text(const ir::Module& module, const std::string& path) {
    return cuda::launcher_header(module, std::filesystem::path(path).filename().string());
}

}  // namespace

std::optional<FileId> check_file(const std::string& path, const SourceOptions& options, bool strict,
                                 Session& session) {
    Compilation compilation(path, options, session);
    if (compilation.file() == nullptr) return std::nullopt;
    // Capacity, waits and what the hardware can do show only when the program is lowered.
    compilation.note_performance();
    if (strict) refuse_unproved(compilation.obligations(), session);
    return *compilation.file();
}

std::optional<std::string> compile(const CompileCommand& command, Session& session) {
    const std::string& path = command.source.files[0];
    Compilation compilation(path, command.source, session);
    compilation.watch(command.watch);
    if (command.emit == Emit::ast && !path.ends_with(".tir")) {
        const ast::File* const tree = compilation.tree();
        if (tree == nullptr) return std::nullopt;
        return ast::print(*tree, session.sources);
    }
    if (command.emit == Emit::roles && !path.ends_with(".tir")) {
        const ast::File* const tree = compilation.tree();
        if (tree == nullptr) return std::nullopt;
        if (!may_ask_for_roles(*tree)) return session.sources.file(tree->id).text;
        const DerivedFile* const derived = compilation.tile() ? compilation.roles() : nullptr;
        return derived == nullptr ? std::nullopt : std::optional(roles_text(*derived));
    }
    if (command.emit == Emit::ast || command.emit == Emit::ir) {
        const ir::Module* const tile = compilation.tile();
        return tile == nullptr ? std::nullopt : std::optional(ir::print(*tile));
    }
    const ir::Module* const module = scheduled_kernels(compilation, session);
    if (module == nullptr) return std::nullopt;
    compilation.note_performance();
    switch (command.emit) {
        case Emit::cuda: return cuda_text(*module, session);
        case Emit::header: return header_text(*module, path);
        case Emit::contract: return contract_json(*module, session.sources, path);
        case Emit::lowered:
        case Emit::ast:
        case Emit::roles:
        case Emit::ir: break;
    }
    return ir::print(*module);
}

std::optional<Translation> translate(const std::string& path, const SourceOptions& options,
                                     const std::map<std::string, std::int64_t>& blocks_at_most,
                                     Session& session) {
    Compilation compilation(path, options, session);
    compilation.limit_blocks(blocks_at_most);
    const ir::Module* const module = scheduled_kernels(compilation, session);
    if (module == nullptr) return std::nullopt;
    compilation.note_performance();
    std::map<std::string, std::string> names;
    std::string cuda = cuda_text(*module, session, &names);
    return Translation{std::move(cuda), header_text(*module, path), kernel_table(*module, names)};
}

std::optional<std::string> explain_file(const std::string& path, const SourceOptions& options,
                                        const Extents& extents, Session& session) {
    Compilation compilation(path, options, session);
    const ir::Module* const module = scheduled_kernels(compilation, session);
    if (module == nullptr) return std::nullopt;
    std::map<std::string, std::vector<std::string>> derived;
    if (const DerivedFile* const roles = compilation.roles()) {
        for (const auto& [kernel, account] : roles->accounts) derived[kernel] = account.story;
    }
    return explain(*module, compilation.obligations(), session.sources, derived, extents);
}

std::optional<ast::File> parse_file(const std::string& path, Session& session) {
    return Compilation(path, {}, session).take_tree();
}

std::optional<Stages> compile_stages(const ast::File& tree, const SourceOptions& options,
                                     const Wanted& wanted, bool proofs, Session& session) {
    Compilation compilation(tree, options, wanted.kernel, session);
    compilation.settle_roundings();
    if (wanted.every_instance) compilation.with_every_instance();
    if (!proofs) compilation.without_proofs();
    const ir::Module* const tile = compilation.tile();
    const ir::Module* const scheduled = tile == nullptr ? nullptr : compilation.scheduled();
    if (scheduled == nullptr) return std::nullopt;
    Stages stages{*tile, *scheduled};
    adopt_conditions(stages.tile, stages.scheduled);
    return stages;
}

std::string cuda_text(const ir::Module& module, const Session& session,
                      std::map<std::string, std::string>* names) {
    cuda::EmittedFile emitted =
        cuda::emit_kernels(module, &session.sources, cuda::launcher_includes(module));
    if (names != nullptr) *names = emitted.names;
    const std::vector<cuda::Item> launchers =
        cuda::launcher_items(module, &session.sources, emitted.names);
    cuda::File& file = emitted.file;
    file.items.insert(file.items.end(), launchers.begin(), launchers.end());
    return cuda::print(file);
}

std::string list_passes() { return lowering::list_passes(lowering::pipeline()); }

}  // namespace tkc
