// The launchers of entries: the conditions of all calls, then all choices, and then the launches.
#include <fmt/format.h>

#include <algorithm>

#include "ir/contract.h"
#include "ir/entry.h"
#include "lowering/cuda/host_expression.h"
#include "lowering/cuda/launcher.h"
#include "lowering/cuda/launcher_conditions.h"
#include "lowering/cuda/launcher_parts.h"
#include "lowering/cuda/names.h"
#include "lowering/cuda/workspace.h"

namespace tkc::cuda {

namespace {

// A call, its candidates as they are, and their contracts over the entry's names.
struct Call {
    const ir::EntryCall* call = nullptr;
    Kernels kernels;
    std::vector<ir::Kernel> contracts;
    std::string choice;  // what it is called; empty: there is nothing to choose

    Kernels views() const {
        Kernels list;
        for (const ir::Kernel& k : contracts) list.push_back(&k);
        return list;
    }
};

std::vector<Call> calls_of(const ir::Module& module, const ir::Entry& entry) {
    std::vector<Call> calls;
    for (const ir::EntryCall& call : entry.calls) {
        Call made{&call, candidates_of(module, call.candidates), {}, ""};
        for (const ir::Kernel* k : made.kernels) {
            made.contracts.push_back(ir::called_kernel(entry, call, *k));
        }
        calls.push_back(std::move(made));
        if (calls.back().kernels.size() > 1) {
            calls.back().choice = fmt::format("choice_{}", calls.size());
        }
    }
    return calls;
}

Block conditions_of(const ir::Entry& entry, const std::vector<Call>& calls) {
    Block block;
    std::vector<ir::Scalar> stand;
    Conditions list;
    const auto add = [&](const ir::Condition& c) {
        const bool known = std::any_of(stand.begin(), stand.end(),
                                       [&](const ir::Scalar& s) { return ir::same(s, c.holds); });
        if (known) return;
        stand.push_back(c.holds);
        list.push_back(&c);
    };
    const auto flush = [&] {
        require("call", "require", condition_list(entry, list), block);
        list.clear();
    };
    for (const ir::Condition& c : entry.conditions) add(c);
    flush();
    for (const Call& call : calls) {
        const Kernels kernels = call.views();
        for (const ir::Condition& c : kernels.front()->conditions) {
            if (is_common(kernels, c)) add(c);
        }
        if (!list.empty()) block.push_back(comment(ir::to_string(*call.call)));
        flush();
    }
    block.push_back(stop_if_refused("call"));
    return block;
}

Block choose(const Call& call) {
    const Kernels kernels = call.views();
    if (is_fast_or_general(kernels))
        return {blank(), comment(ir::to_string(*call.call)), suits_fast(call.choice, kernels)};
    Block block{blank(), comment(ir::to_string(*call.call)), selection(call.choice)};
    for (const ir::Kernel* k : kernels) append(block, offer(call.choice, kernels, *k));
    block.push_back(stop_if_refused(call.choice));
    return block;
}

// The value of a kernel's parameter, in its own type.
Expr number_argument(const ir::Entry& entry, const ir::Parameter& taken, const ir::Scalar& value) {
    if (const auto* name = std::get_if<ir::Symbol>(&value->node)) {
        const ir::Parameter* own = find_parameter(entry, name->name);
        if (own != nullptr && own->dtype == taken.dtype) return atom(host_name(name->name));
    }
    return call("static_cast<" + parameter_type(taken.dtype) + ">",
                {host_expression(entry, value)});
}

Expr tensor_argument(const ir::Entry& entry, const ir::EntryCall& call, const ir::Kernel& kernel,
                     const std::string& name) {
    const ir::Tensor* taken = ir::find_tensor(kernel, name);
    const auto place = static_cast<std::size_t>(taken - kernel.tensors.data());
    const ir::Tensor* given = ir::find_tensor(entry, call.tensors[place]);
    const Expr tensor = atom(host_name(given->name));
    const bool narrows = taken->mode == ir::Mode::in && given->mode != ir::Mode::in;
    return narrows ? cuda::call("tk::read_only", {tensor}) : tensor;
}

Expr launch_call(const ir::Entry& entry, const ir::EntryCall& call, const ir::Kernel& kernel) {
    const Needs needs = needs_of(kernel);
    const std::map<std::string, ir::Scalar> names = ir::names_of_call(entry, call, kernel);
    std::vector<Expr> arguments = {atom("site")};
    for (const std::string& t : needs.tensors) {
        arguments.push_back(tensor_argument(entry, call, kernel, t));
    }
    for (const std::string& e : needs.extents) {
        arguments.push_back(host_expression(entry, names.at(e)));
    }
    for (const std::string& s : needs.scalars) {
        arguments.push_back(number_argument(entry, *find_parameter(kernel, s), names.at(s)));
    }
    if (needs.counters) arguments.push_back(atom("workspace"));
    return cuda::call("launch_" + kernel.name, arguments);
}

// What the call adds to.
Block clear_accumulators(const ir::Entry& entry, const Call& call) {
    Block block;
    const ir::Kernel& kernel = *call.kernels.front();
    for (const ir::Tensor& t : kernel.tensors) {
        if (t.mode != ir::Mode::accumulate) continue;
        const Expr tensor = tensor_argument(entry, *call.call, kernel, t.name);
        block.push_back(finish_if_failed(cuda::call("tk::clear", {tensor, atom("site")})));
    }
    return block;
}

Block launch(const ir::Entry& entry, const Call& call) {
    Block block = clear_accumulators(entry, call);
    if (needs_workspace(call.kernels)) block.push_back(clear_counters());
    if (!call.choice.empty() && is_fast_or_general(call.views())) {
        const auto run = [&](std::size_t i) -> Block {
            return {finish_if_failed(launch_call(entry, *call.call, *call.kernels[i]))};
        };
        block.push_back(stmt(If{atom(call.choice), run(0), run(1)}));
        return block;
    }
    for (std::size_t i = 0; i < call.kernels.size(); ++i) {
        const Stmt run = finish_if_failed(launch_call(entry, *call.call, *call.kernels[i]));
        if (call.choice.empty()) {
            block.push_back(run);
            return block;
        }
        const Expr chosen =
            binary(BinaryOp::equal, method(atom(call.choice), "best", {atom("site")}),
                   literal(static_cast<std::int64_t>(i)));
        block.push_back(stmt(If{chosen, {run}, {}}));
    }
    return block;
}

// The entry with the modes that its arguments are looked at by: memory that is cleared is dense, be
// it the caller's result or scratch.
ir::Entry as_called(const ir::Entry& entry, const std::vector<Call>& calls) {
    ir::Entry called = entry;
    for (const Call& call : calls) {
        const ir::Kernel& kernel = *call.kernels.front();
        for (std::size_t i = 0; i < kernel.tensors.size(); ++i) {
            if (kernel.tensors[i].mode != ir::Mode::accumulate) continue;
            for (ir::Tensor& t : called.tensors) {
                if (t.name == call.call->tensors[i]) t.mode = ir::Mode::accumulate;
            }
        }
    }
    return called;
}

}  // namespace

Function entry_function(const ir::Module& module, const ir::Entry& entry) {
    const std::vector<Call> calls = calls_of(module, entry);
    Block conditions = conditions_of(entry, calls);
    for (const Call& call : calls) {
        if (!call.choice.empty()) append(conditions, choose(call));
    }
    const Target& target =
        module.kernels.empty() ? default_target() : ir::target_of(module.kernels.front());
    Kernels contracts;
    for (const Call& call : calls) {
        for (const ir::Kernel& contract : call.contracts) contracts.push_back(&contract);
    }
    Function f = launcher_function(as_called(entry, calls), target, entry.name, contracts,
                                   conditions, false);
    for (const Call& call : calls) append(f.body, launch(entry, call));
    f.body.push_back(finish(expr(Braced{"", {}})));
    return f;
}

}  // namespace tkc::cuda
