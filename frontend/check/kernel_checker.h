// The checker of one kernel with its constants fixed: it walks the syntax and builds the tile IR.
// What it asks of its parts is in forward.h.
#pragma once

#include <optional>
#include <vector>

#include "frontend/check/parts.h"

namespace tkc::checker {

class CallCircles;

class KernelChecker {
public:
    // At most one of `instance` and `called`; both null: the kernel as it is.
    KernelChecker(FileContext& file_context, const Unit& unit, const ast::Kernel& syntax,
                  const ast::Instance* instance, const CalledInstance* called = nullptr);
    KernelChecker(const KernelChecker&) = delete;
    KernelChecker& operator=(const KernelChecker&) = delete;
    ~KernelChecker();

    const Constants& constants() const { return parts_.constants; }
    Constants& constants() { return parts_.constants; }
    // Checks everything. Empty where an error was reported.
    std::optional<CheckedKernel> run();
    // Of a kernel without roles: its warps multiply by themselves, or have to.
    void let_warps_multiply() { context_.products_by_warps = true; }
    bool needs_warps() const { return parts_.context.needs_warps; }
    // Variables whose numbers change where the text does not tell which value they have, by the
    // places of their declarations; and more of them.
    using Places = std::set<std::pair<FileId, std::uint32_t>>;
    void let_change(Places variables) { context_.changing = std::move(variables); }
    const Places& found_changing() const { return parts_.context.found_changing; }
    // What can be said of a function or a struct that no kernel uses.
    void check_unused(const ast::Function& function, const CallCircles& circles);
    void check_unused(const ast::Struct& declared);

private:
    void declare_items();
    bool within_limits();  // of what may be in a kernel
    void drop_empty_roles();
    void drop_unused_counters();
    void warn_of_same_programs();
    void check_features();  // that the target has what the kernel uses

    Parts parts_;
    Context& context_ = parts_.context;
    Builder& builder_ = parts_.builder;
};

// A kernel without roles is work for warpgroups, or for warps where its products are too small.
std::optional<CheckedKernel> check_kernel(FileContext& file_context, const Unit& unit,
                                          const ast::Kernel& syntax, const ast::Instance* instance,
                                          const CalledInstance* called = nullptr);

}  // namespace tkc::checker
