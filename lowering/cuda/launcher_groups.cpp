// Emits what launchers check and choose. Launchers whose kernels take the same arguments share one
// function: conditions of all kernels are there once, and each kernel has its own next to it.
#include <fmt/format.h>

#include <algorithm>

#include "ir/contract.h"
#include "lowering/cuda/host_expression.h"
#include "lowering/cuda/launcher.h"
#include "lowering/cuda/launcher_conditions.h"
#include "lowering/cuda/launcher_parts.h"
#include "lowering/cuda/names.h"
#include "lowering/cuda/print.h"
#include "lowering/cuda/workspace.h"

namespace tkc::cuda {

// ---- groups ------------------------------------------------------------------------------------

namespace {

constexpr std::size_t max_candidates = 64;  // of the runtime's tk::candidates

bool alike(const ir::Tensor& a, const ir::Tensor& b) {
    return a.name == b.name && a.mode == b.mode && a.dtype == b.dtype &&
           a.extents.size() == b.extents.size();
}

bool alike(const ir::Binding& a, const ir::Binding& b) {
    return a.name == b.name && a.tensor == b.tensor && a.axis == b.axis && a.offset == b.offset;
}

bool alike(const ir::Parameter& a, const ir::Parameter& b) {
    return a.name == b.name && a.dtype == b.dtype;
}

template <class T>
bool all_alike(const std::vector<T>& a, const std::vector<T>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const T& x, const T& y) { return alike(x, y); });
}

// Whether they take the same arguments, and name the same extents by them.
bool takes_the_same(const ir::Kernel& a, const ir::Kernel& b) {
    return a.source == b.source && all_alike(a.tensors, b.tensors) &&
           all_alike(a.parameters, b.parameters) && all_alike(ir::bindings(a), ir::bindings(b));
}

// A kernel alone answers for what elsewhere only selects it.
bool stands_alone(const Kernels& kernels) {
    return kernels.size() == 1 &&
           std::any_of(kernels[0]->conditions.begin(), kernels[0]->conditions.end(),
                       [](const ir::Condition& c) { return c.selects; });
}

// Adds the launcher if its kernels are like those of the group, and in the same order. One that
// needs no workspace must not be asked for the others', so those of a group need the same.
bool join(Group& group, const ir::Launcher& launcher, const Kernels& kernels) {
    if (stands_alone(group.kernels) || stands_alone(kernels)) return false;
    if (!takes_the_same(*group.kernels.front(), *kernels.front())) return false;
    if (!same_workspace(group.kernels, kernels)) return false;
    Kernels all = group.kernels;
    std::size_t from = 0;  // the least place that keeps the order
    for (const ir::Kernel* k : kernels) {
        auto place = static_cast<std::size_t>(std::find(all.begin(), all.end(), k) - all.begin());
        if (place < from) return false;
        if (place == all.size()) all.push_back(k);
        from = place + 1;
    }
    if (all.size() > max_candidates) return false;
    group.kernels = std::move(all);
    group.launchers.push_back(&launcher);
    return true;
}

}  // namespace

std::vector<Group> groups_of(const ir::Module& module) {
    std::vector<Group> groups;
    for (const ir::Launcher& launcher : module.launchers) {
        const Kernels kernels = candidates_of(module, launcher.candidates);
        if (kernels.empty()) continue;
        const bool joined = std::any_of(groups.begin(), groups.end(), [&](Group& group) {
            return join(group, launcher, kernels);
        });
        if (!joined) groups.push_back({{&launcher}, kernels});
    }
    return groups;
}

// ---- conditions --------------------------------------------------------------------------------

namespace {

bool equal(const ir::Condition& a, const ir::Condition& b) {
    return a.selects == b.selects && a.text == b.text && ir::same(a.holds, b.holds);
}

bool has(const ir::Kernel& kernel, const ir::Condition& condition) {
    return std::any_of(kernel.conditions.begin(), kernel.conditions.end(),
                       [&](const ir::Condition& c) { return equal(c, condition); });
}

}  // namespace

bool is_common(const Kernels& kernels, const ir::Condition& condition) {
    // What selects among several kernels is asked of the only one.
    return (!condition.selects || kernels.size() == 1) &&
           std::all_of(kernels.begin(), kernels.end(),
                       [&](const ir::Kernel* k) { return has(*k, condition); });
}

void require(const std::string& object, const std::string& what, const std::vector<Expr>& list,
             Block& block) {
    if (list.empty()) return;
    block.push_back(run(method(atom(object), what, {expr(Braced{"", list})})));
}

bool compares_costs(const Kernels& kernels) {
    const auto general = std::count_if(kernels.begin(), kernels.end(),
                                       [](const ir::Kernel* k) { return !k->general_of.empty(); });
    return general > 1 || static_cast<std::ptrdiff_t>(kernels.size()) - general > 1;
}

Block offer(const std::string& choice, const Kernels& kernels, const ir::Kernel& kernel,
            const Expr& programs) {
    Block block;
    std::vector<Expr> general;
    if (!kernel.general_of.empty()) general.push_back(atom("true"));
    Stmt start = run(method(atom(choice), "candidate", general));
    start.note = kernel.name;
    block.push_back(start);
    Conditions own, selecting;
    const bool costs = compares_costs(kernels);
    std::optional<std::int64_t> end;
    for (const ir::Condition& c : kernel.conditions) {
        if (is_common(kernels, c)) continue;
        const std::optional<std::int64_t> limit =
            end || !costs ? std::nullopt : grid_end(kernel, c);
        if (limit) end = limit;
        else (c.selects ? selecting : own).push_back(&c);
    }
    require(choice, "prefer", condition_list(kernel, selecting, false), block);
    require(choice, "require", condition_list(kernel, own), block);
    if (!costs) {
        block.push_back(run(method(atom(choice), "offer", {})));
        return block;
    }
    const Expr cost = kernel.program_cost
                          ? host_expression(kernel, ir::with_constants(kernel, kernel.program_cost))
                          : nullptr;
    std::vector<Expr> offered{
        programs ? programs : host_expression(kernel, ir::programs_of(kernel)),
        cost ? cost : literal(1)};
    if (end) offered.push_back(literal(*end));
    block.push_back(run(method(atom(choice), "offer", offered)));
    return block;
}

bool is_fast_or_general(const Kernels& kernels) {
    if (kernels.size() != 2) return false;
    if (!kernels[0]->general_of.empty() || kernels[1]->general_of.empty()) return false;
    const auto suits = [&](const ir::Kernel& kernel, bool selects) {
        return std::all_of(kernel.conditions.begin(), kernel.conditions.end(),
                           [&](const ir::Condition& c) {
                               return is_common(kernels, c) || (selects && c.selects);
                           });
    };
    return suits(*kernels[0], true) && suits(*kernels[1], false);
}

Stmt suits_fast(const std::string& name, const Kernels& kernels) {
    Conditions selecting;
    for (const ir::Condition& c : kernels[0]->conditions) {
        if (!is_common(kernels, c)) selecting.push_back(&c);
    }
    const std::vector<Expr> list = condition_list(*kernels[0], selecting, false);
    return declare("const bool", name, call("tk::all_hold", {expr(Braced{"", list})}));
}

Stmt selection(const std::string& choice, const Expr& offered) {
    std::vector<Expr> arguments{atom("call")};
    if (offered) arguments.push_back(offered);
    return declare("tk::selection", choice, expr(Braced{"", arguments}));
}

// ---- one function ------------------------------------------------------------------------------

namespace {

bool is_written(const ir::Tensor& tensor) { return tensor.mode != ir::Mode::in; }

std::string access_of(ir::Mode mode) {
    switch (mode) {
        case ir::Mode::in: return "tk::access::read";
        case ir::Mode::accumulate: return "tk::access::accumulate";
        case ir::Mode::out:
        case ir::Mode::inout:
        case ir::Mode::scratch: return "tk::access::write";
    }
    return "";
}

Block clear_accumulators(const ir::Kernel& kernel) {
    Block block;
    for (const ir::Tensor& t : kernel.tensors) {
        if (t.mode != ir::Mode::accumulate) continue;
        block.push_back(
            finish_if_failed(call("tk::clear", {atom(host_name(t.name)), atom("site")})));
    }
    return block;
}

}  // namespace

std::vector<Parameter> argument_parameters(const ir::Signature& called) {
    std::vector<Parameter> list;
    for (const ir::Tensor& t : called.tensors) {
        list.push_back({is_written(t) ? "DLTensor*" : "const DLTensor*", t.name + "_given"});
    }
    for (const ir::Parameter& p : called.parameters) {
        list.push_back({parameter_type(p.dtype), host_name(p.name)});
    }
    return list;
}

Block take_tensors(const ir::Signature& called, const std::set<std::string>* used) {
    Block block;
    for (const ir::Tensor& t : called.tensors) {
        block.push_back(declare("const tk::tensor", host_name(t.name),
                                method(atom("call"), "take",
                                       {quoted(t.name), atom(t.name + "_given"),
                                        atom("tk::dtype_" + std::string(name(t.dtype))),
                                        literal(static_cast<std::int64_t>(t.extents.size())),
                                        atom(access_of(t.mode))})));
    }
    block.push_back(used == nullptr
                        ? stop_if_refused("call")
                        : stmt(If{unary(UnaryOp::logical_not, method(atom("call"), "ok", {})),
                                  {stmt(Return{literal(0)})},
                                  {}}));
    for (const ir::Binding& b : ir::bindings(called)) {
        if (used != nullptr && !used->contains(b.name)) continue;
        const Expr shape = member(atom(host_name(b.tensor)), "shape");
        const Expr extent = index(shape, literal(static_cast<std::int64_t>(b.axis)));
        block.push_back(declare(
            "const int64_t", host_name(b.name),
            b.offset == 0 ? extent : binary(BinaryOp::subtract, extent, literal(b.offset))));
    }
    return block;
}

// Several launchers say by what name they were called, and which kernels are theirs.
bool is_shared(const Group& group) { return group.launchers.size() > 1; }

namespace {

// The head of a C function: the workspace that it is given has no name where nothing needs it.
Function c_function(const ir::Signature& called, const Kernels& kernels, const std::string& name) {
    Function f{"int", launcher_name(name), argument_parameters(called), {}};
    const bool works = needs_workspace(kernels);
    f.parameters.push_back({"void*", works ? "workspace" : ""});
    f.parameters.push_back({"size_t", works ? "workspace_bytes" : ""});
    f.parameters.push_back({"cudaStream_t", "stream"});
    return f;
}

Function shared_function(const ir::Signature& called, const Kernels& kernels,
                         const std::string& name) {
    Function f{
        "int", "run_" + name, {{"const char*", "function"}, {"tk::candidates", "offered"}}, {}};
    for (const Parameter& p : argument_parameters(called)) f.parameters.push_back(p);
    if (needs_workspace(kernels)) {
        f.parameters.push_back({"void*", "workspace"});
        f.parameters.push_back({"size_t", "workspace_bytes"});
    }
    f.parameters.push_back({"cudaStream_t", "stream"});
    return f;
}

}  // namespace

Function launcher_function(const ir::Signature& called, const Target& target,
                           const std::string& name, const Kernels& kernels, const Block& conditions,
                           bool shared) {
    Function f =
        shared ? shared_function(called, kernels, name) : c_function(called, kernels, name);
    f.body.push_back(declare("tk::arguments", "call",
                             expr(Braced{"", {shared ? atom("function") : quoted(name)}})));
    append(f.body, take_tensors(called));
    append(f.body, conditions);
    if (needs_workspace(kernels)) {
        f.body.push_back(counter_bytes(called, kernels));
        f.body.push_back(check_workspace());
    }
    f.body.push_back(blank());
    std::vector<Expr> site{method(atom("call"), "device", {}), atom("stream")};
    if (target.later) site.push_back(call("tk::devices_from", {literal(target.capability)}));
    f.body.push_back(declare("const tk::launch_scope", "site", expr(Braced{"", std::move(site)})));
    f.body.push_back(stop_if_refused("site"));
    return f;
}

namespace {

// Whether all kernels run the same number of programs, and the formula is long enough for a name.
bool programs_of_all(const Kernels& kernels) {
    constexpr std::size_t is_long = 20;
    const auto text = [](const ir::Kernel* k) {
        return print(host_expression(*k, ir::programs_of(*k)));
    };
    const std::string first = text(kernels.front());
    return kernels.size() > 1 && first.size() > is_long &&
           std::all_of(kernels.begin(), kernels.end(),
                       [&](const ir::Kernel* k) { return text(k) == first; });
}

}  // namespace

Function launcher_function(const Group& group, const InstanceNames& names) {
    const Kernels& kernels = group.kernels;
    const ir::Kernel& first = *kernels.front();
    Conditions common;
    for (const ir::Condition& c : first.conditions) {
        if (is_common(kernels, c)) common.push_back(&c);
    }
    Block conditions;
    require("call", "require", condition_list(first, common), conditions);
    if (!conditions.empty()) conditions.push_back(stop_if_refused("call"));
    const Expr programs = programs_of_all(kernels) ? atom("programs") : nullptr;
    if (programs) {
        conditions.push_back(
            declare("const int64_t", "programs", host_expression(first, ir::programs_of(first))));
    }
    const bool plain = is_fast_or_general(kernels) && !is_shared(group);
    if (plain) {
        conditions.push_back(suits_fast("fast", kernels));
    } else if (kernels.size() > 1) {
        conditions.push_back(blank());
        conditions.push_back(
            comment(compares_costs(kernels)
                        ? "The cheapest applicable kernel by estimate; general variants only if no "
                          "other applies."
                        : "The general variant only if the other does not apply."));
        conditions.push_back(selection("choice", is_shared(group) ? atom("offered") : nullptr));
        for (const ir::Kernel* k : kernels)
            append(conditions, offer("choice", kernels, *k, programs));
        conditions.push_back(stop_if_refused("choice"));
    }
    Function f = launcher_function(first, ir::target_of(first), group.launchers.front()->name,
                                   kernels, conditions, is_shared(group));
    append(f.body, clear_accumulators(first));
    if (needs_workspace(kernels)) f.body.push_back(clear_counters());
    if (kernels.size() == 1) {
        f.body.push_back(finish(launch_call(first, names)));
        return f;
    }
    Expr number = expr(Conditional{atom("fast"), literal(0), literal(1)});
    if (!plain) number = method(atom("choice"), "best", {atom("site")});
    if (const Expr launch = launch_one_of(kernels, names, number, programs)) {
        f.body.push_back(finish(launch));
        return f;
    }
    if (!plain) f.body.push_back(declare("const int", "best", number));
    for (std::size_t i = 0; i + 1 < kernels.size(); ++i) {
        const Expr chosen =
            plain ? atom("fast")
                  : binary(BinaryOp::equal, atom("best"), literal(static_cast<std::int64_t>(i)));
        f.body.push_back(stmt(If{chosen, {finish(launch_call(*kernels[i], names, programs))}, {}}));
    }
    f.body.push_back(finish(launch_call(*kernels.back(), names, programs)));
    return f;
}

Function calling_function(const Group& group, const ir::Launcher& launcher) {
    const ir::Kernel& first = *group.kernels.front();
    std::vector<Expr> offered;
    for (std::size_t i = 0; i < group.kernels.size(); ++i) {
        const auto& names = launcher.candidates;
        if (std::find(names.begin(), names.end(), group.kernels[i]->name) != names.end())
            offered.push_back(literal(static_cast<std::int64_t>(i)));
    }
    std::vector<Expr> arguments{quoted(launcher.name), expr(Braced{"", offered})};
    for (const Parameter& p : argument_parameters(first)) arguments.push_back(atom(p.name));
    if (needs_workspace(group.kernels)) {
        arguments.push_back(atom("workspace"));
        arguments.push_back(atom("workspace_bytes"));
    }
    arguments.push_back(atom("stream"));
    Function f = c_function(first, group.kernels, launcher.name);
    f.body = {stmt(Return{call("run_" + group.launchers.front()->name, std::move(arguments))})};
    return f;
}

std::vector<Item> sibling_functions(const ir::Signature& called, const Kernels& kernels,
                                    const std::string& name) {
    if (needs_workspace(kernels)) {
        std::vector<Item> items = workspace_function(called, kernels, name);
        items.push_back(item(ExprStmt{call("TK_ERROR", {atom(launcher_name(name))})}));
        return items;
    }
    std::vector<Expr> arguments{atom(launcher_name(name))};
    for (const Parameter& p : argument_parameters(called)) arguments.push_back(atom(p.type));
    return {item(ExprStmt{call("TK_NO_WORKSPACE", std::move(arguments))})};
}

}  // namespace tkc::cuda
