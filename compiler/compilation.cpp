// From a file to tile IR and scheduled IR: parsing, checking, proofs and passes.
#include "compiler/compilation.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "base/read_text.h"
#include "checks/check.h"
#include "checks/padding/padding.h"
#include "checks/tile/counters.h"
#include "checks/tile/place_checks.h"
#include "compiler/candidate_trials.h"
#include "compiler/embedded.h"
#include "compiler/witness.h"
#include "frontend/check/check.h"
#include "frontend/parse/parse.h"
#include "ir/parse.h"
#include "lowering/notes/performance_notes.h"
#include "lowering/pass_order.h"
#include "verify/verify.h"

namespace tkc {

namespace {

bool is_ir(const std::string& path) { return path.ends_with(".tir"); }

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

std::vector<checks::Obligation>& list_of(const ir::Kernel& kernel, Obligations& obligations) {
    return obligations[kernel.name];
}

}  // namespace

Compilation::Compilation(std::string path, const SourceOptions& options, Session& session)
    : path_(std::move(path)), options_(options), session_(session) {}

Compilation::Compilation(const ast::File& tree, const SourceOptions& options, std::string only,
                         Session& session)
    : options_(options), session_(session), given_(&tree), only_(std::move(only)) {}

// ---- the file

const FileId* Compilation::file() {
    return file_.get([&] { return read(); });
}

std::optional<FileId> Compilation::read() {
    std::optional<FileId> file = session_.sources.read(path_);
    if (!file) {
        std::string reason = "it is not readable";
        read_text(path_, reason);  // for the reason
        session_.diag.error(Span{}, msg::cannot_read_file, path_, reason);
    }
    crash_if_requested();
    return file;
}

const ast::File* Compilation::tree() {
    if (given_ != nullptr) return given_;
    return tree_.get([&] { return parse(); });
}

std::optional<ast::File> Compilation::take_tree() {
    tree();
    return tree_.take();
}

std::optional<ast::File> Compilation::parse() {
    const FileId* const id = file();
    if (id == nullptr || is_ir(path_)) return std::nullopt;
    return tkc::parse(*id, session_.sources, session_.diag);
}

// ---- tile IR

const ir::Module* Compilation::tile() {
    return tile_.get([&] { return make_tile(); });
}

CheckOptions check_options(const SourceOptions& options, const std::string& only_kernel) {
    return {options.defines,
            options.include_dirs,
            embedded_module,
            embedded_modules(),
            only_kernel,
            false,
            find_target(options.target),
            options.notes,
            {}};
}

CheckOptions Compilation::options_of_check() const {
    CheckOptions options = check_options(options_, only_);
    options.every_instance = every_instance_;
    options.read = read_;
    return options;
}

const DerivedFile* Compilation::roles() {
    return roles_.get([&] { return make_roles(); });
}

std::optional<DerivedFile> Compilation::make_roles() {
    const ast::File* const parsed = tree();
    if (parsed == nullptr || !may_ask_for_roles(*parsed)) return std::nullopt;
    return derive_roles(*parsed, session_.sources, options_of_check(), options_.debug,
                        session_.diag);
}

std::optional<ir::Module> Compilation::make_tile() {
    if (given_ == nullptr && is_ir(path_)) return parse_ir();
    const ast::File* const parsed = tree();
    if (parsed == nullptr) return std::nullopt;
    const ast::File* program = parsed;
    CheckOptions options = options_of_check();
    if (may_ask_for_roles(*parsed)) {
        const DerivedFile* const derived = roles();
        if (derived == nullptr) return std::nullopt;
        program = &derived->tree;
        options.derived = derived->imported;
    }
    CheckedFile made = check(*program, session_.sources, session_.diag, options);
    open_candidates_ = std::move(made.open_candidates);
    if (!settle_padding(made.module, std::move(made.padding)) || !made.good) {
        warn_of_candidates(open_candidates_, session_.diag);
        return std::nullopt;
    }
    for (ir::Kernel& kernel : made.module.kernels) checks::assert_places_fit(kernel);
    PassPrintOptions roundings;
    roundings.only = {"contract-fma"};
    if (roundings_ && !run_passes(made.module, roundings)) return std::nullopt;
    return std::move(made.module);
}

std::optional<ir::Module> Compilation::parse_ir() {
    const FileId* const id = file();
    if (id == nullptr) return std::nullopt;
    const std::string& text = session_.sources.file(*id).text;
    if (text.size() > source_size_limit) {
        session_.diag.error(Span{*id, 0, 0}, msg::file_too_large,
                            fmt::format("at least {}", text.size()), source_size_limit);
        return std::nullopt;
    }
    ir::ParseError error;
    std::optional<ir::Module> module = ir::parse_module(text, error, *id);
    if (!module) {
        session_.diag.error(error.span, msg::malformed_ir, error.message);
        return std::nullopt;
    }
    // What breaks the rules here was written by hand; after a pass it would be the pass's bug.
    for (const std::string& sentence : ir::verify(*module)) {
        session_.diag.error(Span{*id, 0, 0}, msg::malformed_ir, sentence);
    }
    if (session_.diag.has_errors()) return std::nullopt;
    return module;
}

// Of the instances of one kernel that is refused, the others would only repeat its errors.
bool Compilation::settle_padding(ir::Module& module,
                                 std::map<std::string, checker::PaddingSites> sites) {
    std::set<std::string> refused;
    for (ir::Kernel& kernel : module.kernels) {
        if (refused.contains(kernel.source)) continue;
        checks::settle_sums(kernel);
        if (!checks::padding::settle(kernel, sites[kernel.name], session_.diag,
                                     &list_of(kernel, obligations_)))
            refused.insert(kernel.source);
    }
    return refused.empty();
}

// ---- scheduled IR

ir::Module* Compilation::scheduled() {
    return scheduled_.get([&] { return make_scheduled(); });
}

std::optional<ir::Module> Compilation::make_scheduled() {
    std::optional<ir::Module> module;
    if (tile_.computed()) {
        if (const ir::Module* const made = tile()) module = *made;
    } else {
        module = make_tile();  // nobody else wants it
    }
    if (!module) return std::nullopt;
    for (ir::Kernel& kernel : module->kernels) {
        const auto limit = blocks_at_most_.find(kernel.name);
        if (limit != blocks_at_most_.end()) kernel.blocks_at_most = limit->second;
    }
    const bool plain = !proofs_ || !watch_.only.empty();
    if (plain) warn_of_candidates(open_candidates_, session_.diag);
    const bool good = plain ? run_passes(*module, watch_) : prove_and_lower(*module);
    return good ? std::move(module) : std::nullopt;
}

// The proofs and the passes that the module has not been through yet.
bool Compilation::prove_and_lower(ir::Module& module) {
    if (module.level != ir::Level::tile) return check_scheduled(module);
    std::vector<ir::Kernel> others;  // that no proof has refused
    bool good = true;
    for (const ir::Kernel& kernel : module.kernels) {
        const bool passes =
            checks::check_tile(kernel, session_.diag, &list_of(kernel, obligations_),
                               trial_of_tile(kernel, options_.debug));
        if (passes && module.kernels.size() > 1) others.push_back(kernel);
        good = good && passes;
    }
    if (good) good = try_candidates(module, open_candidates_, obligations_, session_.diag);
    else warn_of_candidates(open_candidates_, session_.diag);
    if (good && run_passes(module, watch_)) return check_scheduled(module);
    for (const ir::Kernel& kernel : others) check_alone(kernel);
    return false;
}

// True if every kernel passes.
bool Compilation::check_scheduled(const ir::Module& module) {
    bool good = true;
    for (const ir::Kernel& kernel : module.kernels) {
        good = checks::check_scheduled(kernel, session_.diag, &list_of(kernel, obligations_),
                                       trial_of_scheduled(kernel)) &&
               good;
    }
    return good;
}

bool Compilation::run_passes(ir::Module& module, const PassPrintOptions& watch) {
    lowering::PassOptions options;
    options.debug = options_.debug;
    options.only = watch.only;
    options.print_before = watch.print_before;
    options.print_after = watch.print_after;
    options.print_after_all = watch.print_after_all;
    options.time = watch.time_passes;
    options.reread = watch.reread;
    const std::string_view unknown = lowering::unknown_pass(lowering::pipeline(), options);
    if (!unknown.empty()) {
        session_.diag.error(Span{}, msg::unknown_pass, unknown)
            .help("`tkc --list-passes` lists them");
        return false;
    }
    return lowering::run_passes(lowering::pipeline(), module, session_.diag, options);
}

// The messages for one kernel of a rejected file if it were alone. Those reported already
// is not told again.
void Compilation::check_alone(const ir::Kernel& kernel) {
    ir::Module alone;
    alone.kernels.push_back(kernel);
    Diagnostics diag;  // passes stop where something was told before
    lowering::PassOptions options;
    options.debug = options_.debug;
    if (lowering::run_passes(lowering::pipeline(), alone, diag, options)) {
        for (const ir::Kernel& lowered : alone.kernels)
            checks::check_scheduled(lowered, diag, nullptr, trial_of_scheduled(lowered));
    }
    session_.diag.take(diag);
}

void Compilation::note_performance() {
    const ir::Module* const module = scheduled();
    const bool told = options_.notes && module != nullptr &&
                      module->level == ir::Level::scheduled && !session_.diag.has_errors();
    if (!told) return;
    lowering::WrittenKernels written;
    const auto add = [&](const std::vector<derive::Stays>& loads) {
        for (const derive::Stays& load : loads) written.staying.push_back({load.load, load.why});
    };
    if (const DerivedFile* const derived = is_ir(path_) ? nullptr : roles()) {
        for (const auto& [kernel, account] : derived->accounts) {
            add(account.staying);
            written.without_roles.insert(kernel);
        }
    }
    if (const ast::File* const file = is_ir(path_) ? nullptr : tree()) {
        for (const ast::Decl& decl : file->decls) {
            const auto* kernel = std::get_if<ast::Kernel>(&decl.node);
            if (kernel != nullptr && !derive::needs_derived_roles(*kernel))
                add(derive::staying_loads(*kernel, session_.sources));
        }
    }
    for (const ir::Kernel& kernel : module->kernels)
        lowering::note_performance(kernel, written, session_.diag);
}

}  // namespace tkc
