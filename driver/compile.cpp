// The stages of the compiler, one after the other: file, syntax tree, tile IR, scheduled IR, CUDA.
#include "driver/compile.h"

#include <fmt/format.h>

#include <filesystem>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include "base/read_text.h"
#include "checks/check.h"
#include "checks/padding/padding.h"
#include "driver/contract_json.h"
#include "driver/embedded.h"
#include "driver/explain.h"
#include "driver/files.h"
#include "frontend/check/check.h"
#include "frontend/parse/parse.h"
#include "ir/parse.h"
#include "ir/print.h"
#include "ir/verify.h"
#include "lowering/cuda/emit.h"
#include "lowering/cuda/launcher.h"
#include "lowering/cuda/print.h"
#include "lowering/performance_notes.h"
#include "lowering/pipeline.h"
#include "lowering/shared_memory_plan.h"

namespace tkc {

namespace {

bool is_ir(const std::string& path) { return path.ends_with(".tir"); }

std::optional<FileId> read_source(const std::string& path, Session& session) {
    std::optional<FileId> file = session.sources.read(path);
    if (!file) {
        std::string reason = "it is not readable";
        read_text(path, reason);  // for the reason
        session.diag.error(Span{}, msg::cannot_read_file, path, reason);
    }
    crash_if_asked();
    return file;
}

std::optional<ir::Module> parse_ir(FileId file, Session& session) {
    const std::string& text = session.sources.file(file).text;
    if (text.size() > source_size_limit) {
        session.diag.error(Span{file, 0, 0}, msg::file_too_large,
                           fmt::format("at least {}", text.size()), source_size_limit);
        return std::nullopt;
    }
    ir::ParseError error;
    std::optional<ir::Module> module = ir::parse_module(text, error, file);
    if (!module) {
        session.diag.error(error.span, msg::malformed_ir, error.message);
        return std::nullopt;
    }
    // What breaks the rules here was written by hand; after a pass it would be the pass's bug.
    for (const std::string& sentence : ir::verify(*module)) {
        session.diag.error(Span{file, 0, 0}, msg::malformed_ir, sentence);
    }
    if (session.diag.has_errors()) return std::nullopt;
    return module;
}

// `std.softmax` is carried by tkc itself.
std::optional<std::string> embedded_module(std::string_view name) {
    constexpr std::string_view prefix = "std.";
    if (!name.starts_with(prefix)) return std::nullopt;
    std::optional<std::string_view> text = find_library(name.substr(prefix.size()));
    return text ? std::optional(std::string(*text)) : std::nullopt;
}

std::vector<std::string> embedded_modules() {
    std::vector<std::string> names;
    for (const std::string& name : library_names()) names.push_back("std." + name);
    return names;
}

std::vector<checks::Obligation>* list_of(const ir::Kernel& kernel, Obligations* obligations) {
    return obligations == nullptr ? nullptr : &(*obligations)[kernel.name];
}

// Settles the padding of every kernel. Of the instances of one kernel that is refused, the others
// would only repeat its errors.
bool settle_padding(CheckedFile& file, Session& session, Obligations* obligations) {
    std::set<std::string> refused;
    for (ir::Kernel& kernel : file.module.kernels) {
        if (refused.contains(kernel.source)) continue;
        if (!checks::padding::settle(kernel, file.padding[kernel.name], session.diag,
                                     list_of(kernel, obligations)))
            refused.insert(kernel.source);
    }
    return refused.empty();
}

std::optional<ir::Module> module_of(const ast::File& tree, const SourceOptions& options,
                                    const std::string& kernel, Session& session,
                                    Obligations* obligations = nullptr) {
    CheckOptions check_options{
        options.defines, options.include_dirs,        embedded_module, embedded_modules(),
        kernel,          find_target(options.target), options.notes};
    CheckedFile file = check(tree, session.sources, session.diag, check_options);
    if (!settle_padding(file, session, obligations) || !file.good) return std::nullopt;
    return std::move(file.module);
}

// The file's IR as it enters the passes.
std::optional<ir::Module> module_of(FileId file, const SourceOptions& options, Session& session,
                                    Obligations* obligations = nullptr) {
    if (is_ir(session.sources.file(file).path)) return parse_ir(file, session);
    std::optional<ast::File> tree = parse(file, session.sources, session.diag);
    return tree ? module_of(*tree, options, "", session, obligations) : std::nullopt;
}

using KernelCheck = bool (*)(const ir::Kernel&, Diagnostics&, std::vector<checks::Obligation>*);

// True if every kernel passes.
bool each_kernel(const ir::Module& module, KernelCheck check, Session& session,
                 Obligations* obligations) {
    bool good = true;
    for (const ir::Kernel& kernel : module.kernels)
        good = check(kernel, session.diag, list_of(kernel, obligations)) && good;
    return good;
}

bool run_passes(ir::Module& module, const WatchOptions& watch, bool debug, Session& session) {
    lowering::PassOptions options;
    options.debug = debug;
    options.only = watch.only;
    options.print_before = watch.print_before;
    options.print_after = watch.print_after;
    options.print_after_all = watch.print_after_all;
    options.time = watch.time_passes;
    options.reread = watch.reread;
    std::string_view unknown = lowering::unknown_pass(lowering::pipeline(), options);
    if (!unknown.empty()) {
        session.diag.error(Span{}, msg::unknown_pass, unknown)
            .help("`tkc --list-passes` names them");
        return false;
    }
    return lowering::run_passes(lowering::pipeline(), module, session.diag, options);
}

// What one kernel of a file that is refused would be told if it stood alone. What was told already
// is not told again.
void check_alone(const ir::Kernel& kernel, bool debug, Session& session) {
    ir::Module alone;
    alone.kernels.push_back(kernel);
    Diagnostics diag;  // passes stop where something was told before
    lowering::PassOptions options;
    options.debug = debug;
    if (lowering::run_passes(lowering::pipeline(), alone, diag, options)) {
        for (const ir::Kernel& lowered : alone.kernels)
            checks::check_scheduled(lowered, diag, nullptr);
    }
    session.diag.take(diag);
}

// Takes a module through the proofs and the passes that it does not have behind it. Passes that
// were asked for by name run alone, without proofs.
bool lower(ir::Module& module, const WatchOptions& watch, bool debug, Session& session,
           Obligations* obligations = nullptr) {
    if (!watch.only.empty()) return run_passes(module, watch, debug, session);
    if (module.level == ir::Level::tile) {
        std::vector<ir::Kernel> others;  // that no proof has refused
        bool good = true;
        for (const ir::Kernel& kernel : module.kernels) {
            const bool passes =
                checks::check_tile(kernel, session.diag, list_of(kernel, obligations));
            if (passes && module.kernels.size() > 1) others.push_back(kernel);
            good = good && passes;
        }
        if (!good || !run_passes(module, watch, debug, session)) {
            for (const ir::Kernel& kernel : others) check_alone(kernel, debug, session);
            return false;
        }
    }
    return each_kernel(module, checks::check_scheduled, session, obligations);
}

// As above, for those who will read what is slow about their program.
bool lower_with_notes(ir::Module& module, const WatchOptions& watch, const SourceOptions& source,
                      Session& session, Obligations* obligations = nullptr) {
    if (!lower(module, watch, source.debug, session, obligations)) return false;
    if (!source.notes || module.level != ir::Level::scheduled || session.diag.has_errors())
        return true;
    for (const ir::Kernel& kernel : module.kernels)
        lowering::note_performance(kernel, session.diag);
    return true;
}

// The launcher's checks hold wherever a kernel or an entry runs. Without its fast variant a kernel
// asks for less, so the general one's conditions count where there is one.
void adopt_conditions(ir::Module& tile, const ir::Module& scheduled) {
    for (ir::Kernel& kernel : tile.kernels) {
        for (const ir::Kernel& lowered : scheduled.kernels) {
            const bool own = lowered.name == kernel.name;
            if (own || (lowered.general && lowered.name == kernel.name + "_general")) {
                kernel.conditions = lowered.conditions;
            }
        }
    }
    for (ir::Entry& entry : tile.entries) {
        entry.conditions = ir::find_entry(scheduled, entry.name)->conditions;
    }
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

std::string header_text(const ir::Module& module, const std::string& path) {
    return cuda::launcher_header(module, std::filesystem::path(path).filename().string());
}

}  // namespace

std::optional<FileId> check_file(const std::string& path, const SourceOptions& options, bool strict,
                                 Session& session) {
    std::optional<FileId> file = read_source(path, session);
    if (!file) return std::nullopt;
    // Capacity, waits and what the hardware can do show only when the program is lowered.
    std::optional<ir::Module> module = module_of(*file, options, session);
    Obligations obligations;
    if (module) lower_with_notes(*module, {}, options, session, &obligations);
    if (strict) refuse_unproved(obligations, session);
    return file;
}

std::optional<std::string> compile(const CompileCommand& command, Session& session) {
    const std::string& path = command.source.files[0];
    std::optional<FileId> file = read_source(path, session);
    if (!file) return std::nullopt;
    if (command.emit == Emit::Ast && !is_ir(path)) {
        std::optional<ast::File> tree = parse(*file, session.sources, session.diag);
        return tree ? std::optional(ast::print(*tree, session.sources)) : std::nullopt;
    }
    std::optional<ir::Module> module = module_of(*file, command.source, session);
    if (!module) return std::nullopt;
    if (command.emit == Emit::Ast || command.emit == Emit::Ir) return ir::print(*module);
    if (!lower_with_notes(*module, command.watch, command.source, session)) {
        return std::nullopt;
    }
    switch (command.emit) {
        case Emit::Cuda: return cuda_text(*module, session);
        case Emit::Header: return header_text(*module, path);
        case Emit::Contract: return contract_json(*module, session.sources, path);
        default: return ir::print(*module);
    }
}

std::optional<Translation> translate(const std::string& path, const SourceOptions& options,
                                     Session& session,
                                     const std::map<std::string, std::int64_t>& most_blocks) {
    std::optional<FileId> file = read_source(path, session);
    if (!file) return std::nullopt;
    std::optional<ir::Module> module = module_of(*file, options, session);
    if (!module || !lower_with_notes(*module, {}, options, session)) return std::nullopt;
    std::map<std::string, std::int64_t> blocks;
    for (ir::Kernel& kernel : module->kernels) {
        const std::string function = cuda::kernel_function(kernel);
        if (const auto most = most_blocks.find(function); most != most_blocks.end())
            lowering::limit_blocks(kernel, most->second);
        if (kernel.blocks > 1) blocks[function] = kernel.blocks;
    }
    return Translation{cuda_text(*module, session), header_text(*module, path), std::move(blocks)};
}

std::optional<std::string> explain_file(const std::string& path, const SourceOptions& options,
                                        Session& session) {
    std::optional<FileId> file = read_source(path, session);
    if (!file) return std::nullopt;
    Obligations obligations;
    std::optional<ir::Module> module = module_of(*file, options, session, &obligations);
    if (!module || !lower(*module, {}, options.debug, session, &obligations)) return std::nullopt;
    return explain(*module, obligations, session.sources);
}

std::optional<ast::File> parse_file(const std::string& path, Session& session) {
    std::optional<FileId> file = read_source(path, session);
    return file ? parse(*file, session.sources, session.diag) : std::nullopt;
}

std::optional<Stages> compile_stages(const ast::File& tree, const SourceOptions& options,
                                     const std::string& kernel, bool proofs, Session& session) {
    std::optional<ir::Module> tile = module_of(tree, options, kernel, session);
    if (!tile) return std::nullopt;
    WatchOptions roundings;  // every stage computes the same bits, for the same programs
    roundings.only = {"contract-fma", "guard-phantoms"};
    if (!run_passes(*tile, roundings, options.debug, session)) return std::nullopt;
    Stages stages{*tile, std::move(*tile)};
    const bool good = proofs ? lower(stages.scheduled, {}, options.debug, session)
                             : run_passes(stages.scheduled, {}, options.debug, session);
    if (!good) return std::nullopt;
    adopt_conditions(stages.tile, stages.scheduled);
    return stages;
}

std::string cuda_text(const ir::Module& module, const Session& session) {
    cuda::File file = cuda::emit_kernels(module, &session.sources);
    std::vector<cuda::Item> launchers = cuda::launcher_items(module, &session.sources);
    std::move(launchers.begin(), launchers.end(), std::back_inserter(file.items));
    return cuda::print(file);
}

std::string list_passes() { return lowering::list_passes(lowering::pipeline()); }

}  // namespace tkc
