// One file on its way through the compiler, stage by stage.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/diagnose.h"
#include "base/source.h"
#include "compiler/crash.h"
#include "compiler/derive_roles.h"
#include "compiler/explain.h"
#include "compiler/source_options.h"
#include "frontend/check/open_candidates.h"
#include "frontend/check/padding_sites.h"
#include "frontend/parse/ast.h"
#include "ir/module.h"

namespace tkc {

// What one run of the compiler read and said.
struct Session {
    SourceManager sources;
    Diagnostics diag;
    ReportedSources reported{sources};
};

// A stage that is made when somebody asks for it, once.
template <class T>
class Stage {
public:
    template <class Make>
    T* get(Make make) {
        if (!computed_) value_ = make();
        computed_ = true;
        return value_ ? &*value_ : nullptr;
    }
    bool computed() const { return computed_; }
    std::optional<T> take() { return std::move(value_); }

private:
    bool computed_ = false;
    std::optional<T> value_;
};

// The stages of a `.tk` file, or of the IR's text in a `.tir`. Each is made from the one before
// when somebody asks for it. What is wrong is reported then, and the stage and those after it are
// null.
// What the checker is told of them.
CheckOptions check_options(const SourceOptions& options, const std::string& only_kernel = "");

class Compilation {
public:
    Compilation(std::string path, const SourceOptions& options, Session& session);
    // Of a tree that is there already: all of it, or the kernel or entry of that name, a kernel
    // for its default constants.
    Compilation(const ast::File& tree, const SourceOptions& options, std::string only,
                Session& session);

    // ---- how the stages are made; before they are asked for

    // Passes are printed, timed, or run alone, and then without proofs.
    void watch(const PassPrintOptions& watch) { watch_ = watch; }
    void without_proofs() { proofs_ = false; }
    // Of the one kernel that is wanted, all instances.
    void with_every_instance() { every_instance_ = true; }
    // How many blocks of these kernels, by name, may share a multiprocessor at most where the
    // compiler chooses the number: ptxas had too few registers for one more.
    void limit_blocks(std::map<std::string, std::int64_t> most) {
        blocks_at_most_ = std::move(most);
    }
    // The tile IR has the roundings of what it is lowered to: every stage computes the same bits,
    // for the same programs.
    void settle_roundings() { roundings_ = true; }

    // ---- the stages

    const FileId* file();
    // Null for the IR's text.
    const ast::File* tree();
    // The same, for somebody who keeps it.
    std::optional<ast::File> take_tree();
    // The file with the roles that sequential kernels ask for; null where none does.
    const DerivedFile* roles();
    // Checked, and its padding settled.
    const ir::Module* tile();
    // Proved and lowered.
    ir::Module* scheduled();
    // Reports what is slow about it, where the options ask for that.
    void note_performance();
    // What was to be proved for the stages so far.
    const Obligations& obligations() const { return obligations_; }

private:
    CheckOptions options_of_check() const;
    std::optional<FileId> read();
    std::optional<ast::File> parse();
    std::optional<DerivedFile> make_roles();
    std::optional<ir::Module> make_tile();
    std::optional<ir::Module> parse_ir();
    std::optional<ir::Module> make_scheduled();
    bool settle_padding(ir::Module& module, std::map<std::string, checker::PaddingSites> sites);
    bool run_passes(ir::Module& module, const PassPrintOptions& watch);
    bool prove_and_lower(ir::Module& module);
    bool check_scheduled(const ir::Module& module);
    void check_alone(const ir::Kernel& kernel);

    std::string path_;
    SourceOptions options_;
    Session& session_;
    const ast::File* given_ = nullptr;
    std::string only_;
    PassPrintOptions watch_;
    bool proofs_ = true;
    bool every_instance_ = false;
    bool roundings_ = false;
    std::map<std::string, std::int64_t> blocks_at_most_;
    std::shared_ptr<ReadFiles> read_ = std::make_shared<ReadFiles>();
    Stage<FileId> file_;
    Stage<ast::File> tree_;
    Stage<DerivedFile> roles_;
    Stage<ir::Module> tile_;
    Stage<ir::Module> scheduled_;
    Obligations obligations_;
    std::vector<OpenCandidates> open_candidates_;
};

}  // namespace tkc
