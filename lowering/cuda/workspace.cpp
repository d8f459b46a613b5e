// The size of a workspace, what checks it, and what clears the counters in it.
#include "lowering/cuda/workspace.h"

#include <algorithm>
#include <set>

#include "ir/contract.h"
#include "lowering/cuda/host_expression.h"
#include "lowering/cuda/names.h"

namespace tkc::cuda {

namespace {

constexpr std::int64_t bytes_of_counter = 4;

// Of the kernel with the most of them.
ir::Scalar bytes_of_counters(const Kernels& kernels) {
    ir::Scalar most;
    for (const ir::Kernel* kernel : kernels) {
        if (!ir::has_counters(*kernel)) continue;
        const ir::Scalar bytes =
            ir::mul(ir::integer(bytes_of_counter), ir::cells_of_counters(*kernel));
        if (!most) most = bytes;
        else if (!ir::same(most, bytes)) most = ir::call(tkc::Function::max, {most, bytes});
    }
    return most;
}

}  // namespace

bool needs_workspace(const Kernels& kernels) {
    return std::any_of(kernels.begin(), kernels.end(),
                       [](const ir::Kernel* kernel) { return ir::has_counters(*kernel); });
}

bool same_workspace(const Kernels& a, const Kernels& b) {
    const ir::Scalar of_a = bytes_of_counters(a);
    const ir::Scalar of_b = bytes_of_counters(b);
    return of_a && of_b ? ir::same(of_a, of_b) : !of_a && !of_b;
}

Stmt counter_bytes(const ir::Signature& called, const Kernels& kernels) {
    return declare("const int64_t", "counter_bytes",
                   host_expression(called, bytes_of_counters(kernels)));
}

Stmt check_workspace() {
    return finish_if_failed(call("tk::check_workspace", {atom("workspace"), atom("workspace_bytes"),
                                                         atom("counter_bytes")}));
}

Stmt clear_counters() {
    return finish_if_failed(
        call("tk::clear_counters", {atom("workspace"), atom("counter_bytes"), atom("site")}));
}

std::vector<Item> workspace_function(const ir::Signature& called, const Kernels& kernels,
                                     const std::string& name) {
    if (!needs_workspace(kernels)) return {};
    Function f{"size_t", launcher_name(name) + "_workspace", argument_parameters(called), {}};
    const ir::Scalar bytes = bytes_of_counters(kernels);
    const std::set<std::string> used = ir::symbols_of(ir::with_constants(called, bytes));
    f.body.push_back(declare("tk::arguments", "call", expr(Braced{"", {quoted(name)}})));
    append(f.body, take_tensors(called, &used));
    f.body.push_back(stmt(Return{call("size_t", {host_expression(called, bytes)})}));
    return {item(std::move(f))};
}

}  // namespace tkc::cuda
