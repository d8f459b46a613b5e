// Emits launchers: the checks of arguments, the conditions, the choice among kernels, the launches.
// Those of entries are in launcher_entry.cpp, which uses the parts.
#include "lowering/cuda/launcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "ir/contract.h"
#include "lowering/cuda/emit.h"
#include "lowering/cuda/host_expression.h"
#include "lowering/cuda/kernel_parameters.h"
#include "lowering/cuda/launcher_parts.h"
#include "lowering/cuda/names.h"
#include "lowering/cuda/reports.h"
#include "lowering/cuda/write_counts.h"

namespace tkc::cuda {

namespace {

bool is_written(const ir::Tensor& tensor) { return tensor.mode != ir::Mode::in; }

}  // namespace

Kernels candidates_of(const ir::Module& module, const std::vector<std::string>& candidates) {
    Kernels list;
    for (const std::string& name : candidates) {
        if (const ir::Kernel* kernel = ir::find_kernel(module, name)) list.push_back(kernel);
    }
    return list;
}

Stmt return_if_failed(Expr status) { return run(call("TK_RETURN_IF_FAILED", {std::move(status)})); }

Stmt stop_if_refused(const std::string& object) {
    return stmt(If{unary(UnaryOp::logical_not, method(atom(object), "ok", {})),
                   {stmt(Return{method(atom(object), "result", {})})},
                   {}});
}

void append(Block& block, Block more) {
    for (Stmt& s : more) block.push_back(std::move(s));
}

// ---- one kernel --------------------------------------------------------------------------------

Needs needs_of(const ir::Kernel& kernel) {
    using Kind = KernelParameter::Kind;
    std::set<std::string> used = ir::symbols_of(ir::programs_of(kernel));
    for (const KernelParameter& p : kernel_parameters(kernel)) {
        if (p.kind != Kind::map) used.insert(p.name);
    }
    for (const ir::TensorMap& map : kernel.maps) used.insert(map.tensor);
    Needs needs;
    for (const ir::Tensor& t : kernel.tensors) {
        if (used.contains(t.name)) needs.tensors.push_back(t.name);
    }
    for (const ir::Binding& b : ir::bindings(kernel)) {
        if (used.contains(b.name)) needs.extents.push_back(b.name);
    }
    for (const ir::Parameter& p : kernel.parameters) {
        if (used.contains(p.name)) needs.scalars.push_back(p.name);
    }
    return needs;
}

namespace {

Expr encode_call(const ir::TensorMap& map) {
    std::vector<Expr> box;
    for (const std::int64_t extent : map.box) box.push_back(literal(extent));
    return call("tk::encode", {atom(host_name(map.name)), atom(host_name(map.tensor)),
                               expr(Braced{"", box}), literal(map.swizzle)});
}

Expr launch_argument(const ir::Kernel& kernel, const KernelParameter& p) {
    const Expr name = atom(host_name(p.name));
    switch (p.kind) {
        case KernelParameter::Kind::map:
        case KernelParameter::Kind::scalar: return name;
        case KernelParameter::Kind::extent: return call("static_cast<int>", {name});
        case KernelParameter::Kind::tensor: {
            const ir::Tensor* t = ir::find_tensor(kernel, p.name);
            const char* qualifier = is_written(*t) ? "" : "const ";
            return call(fmt::format("tk::cells<{}{}, {}>", qualifier, element_type(t->dtype),
                                    t->extents.size()),
                        {name});
        }
    }
    return nullptr;
}

Expr grid_blocks(const ir::Kernel& kernel) {
    Expr blocks = atom("programs");
    if (const std::int64_t each = ir::blocks_of_program(kernel); each > 1)
        blocks = binary(BinaryOp::multiply, blocks, literal(each));
    if (!kernel.persistent) return blocks;
    Expr most = atom("resident");
    if (ir::cluster_blocks(kernel) == 1) {
        most = member(atom("site"), "multiprocessors");
        if (kernel.blocks > 1) most = binary(BinaryOp::multiply, most, literal(kernel.blocks));
    }
    return call("tk::smaller", {blocks, most});
}

// The launch, and in debug builds what the kernel reports and how often it wrote its outputs.
void launch(const ir::Kernel& kernel, std::vector<Expr> arguments, const SourceManager* sources,
            Block& out) {
    const Expr launched = call("tk::launch_kernel", std::move(arguments));
    const std::vector<const ir::Tensor*> counted = counted_tensors(kernel);
    const bool reports = !reports_of(kernel).empty();
    if (!reports && counted.empty()) {
        out.push_back(stmt(Return{launched}));
        return;
    }
    const Expr site = atom("site");
    const auto counts_of = [](const ir::Tensor& t) { return host_name(t.name) + "_writes"; };
    if (reports) {
        out.push_back(stmt(Declaration{"static const tk::report_site", "sites", "[]",
                                       report_table(kernel, sources)}));
        out.push_back(return_if_failed(call("tk::clear_reports", {site})));
    }
    for (std::size_t i = 0; i < counted.size(); ++i) {
        const std::string counts = counts_of(*counted[i]);
        out.push_back(declare("tk::counted_tensor", counts));
        out.push_back(return_if_failed(method(
            atom(counts), "clear",
            {site, literal(static_cast<std::int64_t>(i)), atom(host_name(counted[i]->name))})));
    }
    out.push_back(return_if_failed(launched));
    if (reports) out.push_back(return_if_failed(call("tk::tell_reports", {site, atom("sites")})));
    for (const ir::Tensor* t : counted) {
        const Expr all = atom(t->mode == ir::Mode::out ? "true" : "false");
        out.push_back(return_if_failed(method(atom(counts_of(*t)), "tell", {site, all})));
    }
    out.push_back(stmt(Return{expr(Braced{"", {}})}));
}

Item launch_function(const ir::Kernel& kernel, const SourceManager* sources) {
    const Needs needs = needs_of(kernel);
    Function f{"tk::status", "launch_" + kernel.name, {{"const tk::launch_site&", "site"}}, {}};
    for (const std::string& t : needs.tensors) {
        f.parameters.push_back({"const tk::tensor&", host_name(t)});
    }
    for (const std::string& e : needs.extents) f.parameters.push_back({"int64_t", host_name(e)});
    for (const std::string& s : needs.scalars) {
        f.parameters.push_back({parameter_type(find_parameter(kernel, s)->dtype), host_name(s)});
    }
    const std::string function = kernel_function(kernel);
    f.body.push_back(
        declare("const int64_t", "programs", host_expression(kernel, ir::programs_of(kernel))));
    f.body.push_back(stmt(If{binary(BinaryOp::equal, atom("programs"), literal(0)),
                             {stmt(Return{expr(Braced{"", {}})})},
                             {}}));
    const std::int64_t cluster = ir::cluster_blocks(kernel);
    std::vector<Expr> handle{
        call("reinterpret_cast<const void*>", {unary(UnaryOp::address_of, atom(function))}),
        call("static_cast<int>", {call("sizeof", {atom(shared_struct(kernel))})}),
        expr(Braced{"", {}}), expr(Braced{"", {}})};
    if (cluster > 1) handle.push_back(literal(cluster));
    f.body.push_back(declare("static tk::kernel_handle", "kernel", expr(Braced{"", handle})));
    if (cluster > 1 && kernel.persistent) {
        f.body.push_back(declare("int", "resident", literal(0)));
        f.body.push_back(return_if_failed(
            call("tk::resident_blocks", {atom("kernel"), member(atom("site"), "device"),
                                         literal(block_threads(kernel)), atom("resident")})));
    }
    for (const ir::TensorMap& map : kernel.maps) {
        f.body.push_back(declare("CUtensorMap", host_name(map.name)));
        f.body.push_back(return_if_failed(encode_call(map)));
    }
    std::vector<Expr> arguments = {atom("kernel"), atom(function), atom("site"),
                                   grid_blocks(kernel), literal(block_threads(kernel))};
    for (const KernelParameter& p : kernel_parameters(kernel)) {
        arguments.push_back(launch_argument(kernel, p));
    }
    launch(kernel, std::move(arguments), sources, f.body);
    return item(f);
}

Expr launch_call(const ir::Kernel& kernel) {
    const Needs needs = needs_of(kernel);
    std::vector<Expr> arguments = {atom("site")};
    for (const auto* list : {&needs.tensors, &needs.extents, &needs.scalars}) {
        for (const std::string& name : *list) arguments.push_back(atom(host_name(name)));
    }
    return call("launch_" + kernel.name, arguments);
}

}  // namespace

// ---- conditions --------------------------------------------------------------------------------

void require(const std::string& object, const ir::Signature& called, const ir::Condition& condition,
             Block& block) {
    const Expr holds = host_expression(called, condition.holds);
    if (!holds) return;
    const ir::Sentence parts = ir::sentence(condition);
    std::string text = parts.text.front();
    std::vector<Expr> values;
    for (std::size_t i = 0; i < parts.values.size(); ++i) {
        const Expr value = host_expression(called, parts.values[i]);
        if (value) values.push_back(value);
        text += (value ? "{}" : "?") + parts.text[i + 1];
    }
    std::vector<Expr> arguments = {holds, quoted(text)};
    if (!values.empty()) arguments.push_back(expr(Braced{"", values}));
    block.push_back(run(method(atom(object), "require", arguments)));
}

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

Block offer(const std::string& choice, const Kernels& kernels, const ir::Kernel& kernel) {
    Block block;
    std::vector<Expr> general;
    if (!kernel.general_of.empty()) general.push_back(atom("true"));
    Stmt start = run(method(atom(choice), "candidate", general));
    start.note = kernel.name;
    block.push_back(start);
    for (const ir::Condition& c : kernel.conditions) {
        if (is_common(kernels, c)) continue;
        if (!c.selects) {
            require(choice, kernel, c, block);
        } else if (const Expr holds = host_expression(kernel, c.holds)) {
            block.push_back(run(method(atom(choice), "prefer", {holds})));
        }
    }
    const Expr cost = kernel.program_cost
                          ? host_expression(kernel, ir::with_constants(kernel, kernel.program_cost))
                          : nullptr;
    block.push_back(
        run(method(atom(choice), "offer",
                   {host_expression(kernel, ir::programs_of(kernel)), cost ? cost : literal(1)})));
    return block;
}

Stmt selection(const std::string& choice) {
    return declare("tk::selection", choice,
                   expr(Braced{"", {method(atom("call"), "function", {}), atom("site")}}));
}

namespace {

Block common_conditions(const Kernels& kernels) {
    Block block;
    for (const ir::Condition& c : kernels.front()->conditions) {
        if (is_common(kernels, c)) require("call", *kernels.front(), c, block);
    }
    return block;
}

Block choose_and_launch(const Kernels& kernels) {
    if (kernels.size() == 1) return {stmt(Return{launch_call(*kernels.front())})};
    Block block{blank(),
                comment("The cheapest by the estimate of those that suit; general ones only where "
                        "no other does."),
                selection("choice")};
    for (const ir::Kernel* k : kernels) append(block, offer("choice", kernels, *k));
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        const Expr chosen = binary(BinaryOp::equal, method(atom("choice"), "best", {}),
                                   literal(static_cast<std::int64_t>(i)));
        block.push_back(stmt(If{chosen, {stmt(Return{launch_call(*kernels[i])})}, {}}));
    }
    block.push_back(stmt(Return{method(atom("choice"), "result", {})}));
    return block;
}

// ---- one launcher ------------------------------------------------------------------------------

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

Block take_tensors(const ir::Signature& called) {
    Block block;
    for (const ir::Tensor& t : called.tensors) {
        block.push_back(declare("const tk::tensor", host_name(t.name),
                                method(atom("call"), "take",
                                       {quoted(t.name), atom(t.name + "_given"),
                                        atom("tk::dtype_" + std::string(name(t.dtype))),
                                        literal(static_cast<std::int64_t>(t.extents.size())),
                                        atom(access_of(t.mode))})));
    }
    block.push_back(stop_if_refused("call"));
    for (const ir::Binding& b : ir::bindings(called)) {
        const Expr shape = member(atom(host_name(b.tensor)), "shape");
        const Expr extent = index(shape, literal(static_cast<std::int64_t>(b.axis)));
        block.push_back(declare(
            "const int64_t", host_name(b.name),
            b.offset == 0 ? extent : binary(BinaryOp::subtract, extent, literal(b.offset))));
    }
    return block;
}

}  // namespace

Function run_function(const ir::Signature& called, const std::string& name,
                      const Block& conditions) {
    Function f{"tk::status", "run_" + name, argument_parameters(called), {}};
    f.parameters.push_back({"cudaStream_t", "stream"});
    f.body.push_back(declare("tk::arguments", "call", expr(Braced{"", {quoted(name)}})));
    append(f.body, take_tensors(called));
    f.body.push_back(blank());
    append(f.body, conditions);
    f.body.push_back(stop_if_refused("call"));
    f.body.push_back(blank());
    f.body.push_back(declare("const tk::device_scope", "device",
                             expr(Braced{"", {method(atom("call"), "device", {})}})));
    f.body.push_back(return_if_failed(method(atom("device"), "result", {})));
    f.body.push_back(declare("tk::launch_site", "site"));
    f.body.push_back(return_if_failed(call("tk::find_site", {atom("site"), atom("stream")})));
    return f;
}

namespace {

Block clear_accumulators(const ir::Kernel& kernel) {
    Block block;
    for (const ir::Tensor& t : kernel.tensors) {
        if (t.mode != ir::Mode::accumulate) continue;
        block.push_back(
            return_if_failed(call("tk::clear", {atom(host_name(t.name)), atom("site")})));
    }
    return block;
}

Item run_function(const ir::Launcher& launcher, const Kernels& kernels) {
    const ir::Kernel& first = *kernels.front();
    Function f = run_function(first, launcher.name, common_conditions(kernels));
    append(f.body, clear_accumulators(first));
    append(f.body, choose_and_launch(kernels));
    return item(f);
}

}  // namespace

void add_c_functions(const ir::Signature& called, const std::string& launched,
                     std::vector<Item>& items) {
    const std::vector<Parameter> given = argument_parameters(called);
    const std::string name = launcher_name(launched);
    Function launch{"int", name, given, {}};
    std::vector<Expr> arguments;
    for (const Parameter& p : given) arguments.push_back(atom(p.name));
    arguments.push_back(atom("stream"));
    launch.parameters.push_back({"void*", ""});
    launch.parameters.push_back({"size_t", ""});
    launch.parameters.push_back({"cudaStream_t", "stream"});
    launch.body = {stmt(Return{call("tk::finish", {call("run_" + launched, arguments)})})};
    Function workspace{"size_t", name + "_workspace", given, {}};
    for (Parameter& p : workspace.parameters) p.name.clear();
    workspace.body = {stmt(Return{literal(0)})};
    Function error{"const char*", name + "_error", {}, {}};
    error.body = {stmt(Return{atom("tk::last_sentence")})};
    items.push_back(item(launch));
    items.push_back(item(Blank{}));
    items.push_back(item(workspace));
    items.push_back(item(Blank{}));
    items.push_back(item(error));
}

std::string parameter_type(Dtype dtype) {
    switch (dtype) {
        case Dtype::i32: return "int32_t";
        case Dtype::i64: return "int64_t";
        case Dtype::u32: return "uint32_t";
        default: return std::string(info(dtype).cuda);
    }
}

std::string constants_text(const ir::Kernel& kernel) {
    std::string text;
    for (const ir::Constant& c : kernel.constants) {
        text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", c.name, ir::to_string(c.value));
    }
    return text;
}

std::vector<Item> launcher_items(const ir::Module& module, const SourceManager* sources) {
    std::vector<Item> inside;
    std::set<std::string> done;
    std::vector<Item> exported;
    const auto add_launches = [&](const Kernels& kernels) {
        for (const ir::Kernel* k : kernels) {
            if (!done.insert(k->name).second) continue;
            inside.push_back(item(Blank{}));
            const std::string constants = constants_text(*k);
            inside.push_back(item(Comment{k->name + (constants.empty() ? "" : ": " + constants)}));
            inside.push_back(launch_function(*k, sources));
        }
    };
    const auto add = [&](const Item& run, const ir::Signature& called, const std::string& name) {
        inside.push_back(item(Blank{}));
        inside.push_back(run);
        if (!exported.empty()) exported.push_back(item(Blank{}));
        add_c_functions(called, name, exported);
    };
    for (const ir::Launcher& launcher : module.launchers) {
        const Kernels kernels = candidates_of(module, launcher.candidates);
        if (kernels.empty()) continue;
        add_launches(kernels);
        add(run_function(launcher, kernels), *kernels.front(), launcher.name);
    }
    for (const ir::Entry& entry : module.entries) {
        for (const ir::EntryCall& call : entry.calls) {
            add_launches(candidates_of(module, call.candidates));
        }
        add(entry_function(module, entry), entry, entry.name);
    }
    inside.push_back(item(Blank{}));
    std::vector<Item> items{item(Blank{}), item(Include{"tk/host/launcher.h"})};
    const auto some_kernel = [&](const auto& does) {
        return std::any_of(module.kernels.begin(), module.kernels.end(), does);
    };
    if (some_kernel([](const ir::Kernel& k) { return !reports_of(k).empty(); })) {
        items.push_back(item(Include{"tk/host/reports.h"}));
    }
    if (some_kernel([](const ir::Kernel& k) { return !counted_tensors(k).empty(); })) {
        items.push_back(item(Include{"tk/host/write_counts.h"}));
    }
    items.push_back(item(Blank{}));
    items.push_back(item(Namespace{"", inside}));
    items.push_back(item(Blank{}));
    items.push_back(item(ExternC{exported}));
    return items;
}

}  // namespace tkc::cuda
