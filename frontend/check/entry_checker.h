// The checker of one entry: which kernels its calls name, and, when those are compiled, what the
// calls pass to them.
//
// Names, constants, parameters and expressions of an entry are those of a kernel.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "frontend/check/parts.h"

namespace tkc::checker {

// A call of an entry's body, and the kernel that it names.
struct CalledKernel {
    const ast::Call* call = nullptr;
    Span span;                   // of the call
    const Unit* unit = nullptr;  // the kernel's
    std::string module;  // by which the file of the call imports that; empty: the file itself
    const ast::Kernel* kernel = nullptr;
    const ast::Instance* instance = nullptr;  // named in place of the kernel
    std::string source{};                     // of what is compiled: `gemm.product`
    CalledInstance given;  // the constants in <>, or of an instance of another file's kernel
    std::vector<std::string> candidates{};  // in the module, once compiled; none: it did not
    const ast::Entry* entry = nullptr;      // that an instance names, in place of a kernel

    const ast::LaunchHead& head() const {
        if (entry != nullptr) return *entry;
        return *kernel;
    }
};

class EntryChecker {
public:
    EntryChecker(FileContext& file_context, const Unit& unit, const ast::Entry& syntax)
        : parts_(file_context, unit, syntax), entry_(syntax) {}
    // Of an entry with the constants and under the name of an instance. `named` says which; `user`
    // is the unit of the file that has the instance.
    EntryChecker(FileContext& file_context, const Unit& user, CalledKernel named)
        : parts_(file_context, *named.unit, *named.entry),
          entry_(*named.entry),
          given_(std::move(named)),
          user_(&user) {
        context_.called = &given_->given;
    }
    EntryChecker(const EntryChecker&) = delete;  // its parts name each other

    // Finds out what is called.
    void resolve();
    // The kernel of another file, or the entry of any, that an instance names, and its constants;
    // none if an error was reported.
    std::optional<CalledKernel> resolve_instance(const ast::Instance& instance);
    std::vector<CalledKernel>& calls() { return calls_; }
    const ast::Entry& syntax() const { return entry_; }
    // By which its caller knows it.
    const std::string& own_name() const { return given_ ? given_->given.name : entry_.name.text; }
    // Checks everything else, against the kernels that `module` has for the calls. Empty where an
    // error was reported.
    std::optional<ir::Entry> run(const ir::Module& module);

private:
    // ---- entry_checker.cpp
    void resolve_block(const ast::Block& block);
    const ast::Block* taken(const ast::If& branch);
    void check_callees(const ast::Block& block);
    void resolve_call(const ast::Call& call, Span span);
    const ast::Decl* find_callee(const ast::Call& call, CalledKernel& made);
    const ast::Decl* find_in_module(const ast::Name& module, const ast::Name& kernel,
                                    CalledKernel& made);
    void name_source(CalledKernel& made) const;
    bool resolve_called_instance(Span callee, CalledKernel& made);
    bool refuse_not_yet(const CalledKernel& made);
    void report_callee(const ast::Expr& callee, std::string_view what);
    bool bind_given(const std::vector<ast::GenericArg>& generics,
                    const std::optional<Span>& forwards, CalledKernel& made);
    bool forward_constants(Span forwards, CalledKernel& made);
    bool check_without_counters();
    void check_without_trusts();

    // ---- entry_call.cpp
    struct Passed {  // a tensor of a call
        const ir::Tensor* given = nullptr;
        const ir::Tensor* taken = nullptr;
        Span span;
    };
    std::optional<ir::EntryCall> pass_arguments(const CalledKernel& called,
                                                const ir::Kernel& kernel);
    const ir::Tensor* pass_tensor(const ast::Expr& value, const ir::Tensor& taken,
                                  const ir::Kernel& kernel);
    ir::Scalar pass_number(const ast::Expr& value, const ir::Parameter& taken,
                           const ir::Kernel& kernel);
    bool check_computable(const ir::Scalar& s, Span span, const std::string& place);
    void check_extents(const ir::EntryCall& call, const std::vector<Passed>& passed,
                       const ir::Kernel& kernel);
    void check_modes(const std::vector<Passed>& passed, const ir::Kernel& kernel);
    void check_sums_read(const Passed& p);
    void help_with_unwritten(DiagnosticBuilder& message, const ir::Tensor& tensor, Span read) const;
    void check_overlap(const std::vector<Passed>& passed, const ir::Kernel& kernel);
    void check_outputs();

    Parts parts_;
    Context& context_ = parts_.context;
    Builder& builder_ = parts_.builder;
    const ast::Entry& entry_;
    std::optional<CalledKernel> given_;  // of an instance
    const Unit* user_ = nullptr;         // likewise
    std::vector<CalledKernel> calls_;
    std::map<std::string, Span> written_;  // `scratch` and `out` tensors: by which argument
    // `scratch` tensors to which a call added, and that none has read since: by which argument.
    std::map<std::string, Span> unread_sums_;
};

// Compiles the kernel that `called` names, unless the module has it, and fills in its candidates.
void compile_called(FileContext& file_context, const Unit& unit, CalledKernel& called,
                    CheckedFile& file);

// Compiles the instances of kernels of other files, for which `wanted` holds, with their launchers.
void check_imported_instances(FileContext& file_context, const Unit& unit,
                              const std::function<bool(const ast::Instance&)>& wanted,
                              CheckedFile& file);

}  // namespace tkc::checker
