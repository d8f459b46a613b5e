// Emits launchers: the launch of each kernel, and the file's second half as a whole. What is
// checked and chosen before is in launcher_groups.cpp, the launchers of entries in
// launcher_entry.cpp.
#include "lowering/cuda/launcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "ir/contract.h"
#include "ir/entry.h"
#include "lowering/cuda/emit.h"
#include "lowering/cuda/host_expression.h"
#include "lowering/cuda/kernel_parameters.h"
#include "lowering/cuda/launcher_parts.h"
#include "lowering/cuda/names.h"
#include "lowering/cuda/print.h"
#include "lowering/cuda/print_line.h"
#include "lowering/cuda/reports.h"
#include "lowering/cuda/write_counts.h"
#include "lowering/shared_memory_plan.h"

namespace tkc::cuda {

Kernels candidates_of(const ir::Module& module, const std::vector<std::string>& candidates) {
    Kernels list;
    for (const std::string& name : candidates) {
        if (const ir::Kernel* kernel = ir::find_kernel(module, name)) list.push_back(kernel);
    }
    return list;
}

Stmt return_if_failed(Expr status) { return run(call("TK_RETURN_IF_FAILED", {std::move(status)})); }
Stmt finish_if_failed(Expr status) { return run(call("TK_FINISH_IF_FAILED", {std::move(status)})); }
Stmt finish(Expr status) { return stmt(Return{call("tk::finish", {std::move(status)})}); }

Stmt stop_if_refused(const std::string& object) {
    return stmt(If{unary(UnaryOp::logical_not, method(atom(object), "ok", {})),
                   {finish(method(atom(object), "result", {}))},
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
        if (p.kind != Kind::map && p.kind != Kind::counters) used.insert(p.name);
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
    needs.counters = ir::has_counters(kernel);
    return needs;
}

namespace {

Expr launch_argument(const ir::Kernel& kernel, const KernelParameter& p) {
    if (p.kind == KernelParameter::Kind::counters) return atom("workspace");
    const Expr name = atom(host_name(p.name));
    if (p.kind != KernelParameter::Kind::map) return name;
    const auto map = std::find_if(kernel.maps.begin(), kernel.maps.end(),
                                  [&](const ir::TensorMap& m) { return m.name == p.name; });
    std::vector<Expr> box;
    for (const std::int64_t extent : map->box) box.push_back(literal(extent));
    std::vector<Expr> parts{atom(host_name(map->tensor)), expr(Braced{"", box}),
                            literal(map->swizzle)};
    if (map->tf32) parts.push_back(atom("tk::rounds_to_tf32"));
    const Expr box_of = expr(Braced{"tk::box", std::move(parts)});
    return map->view_axis < 0 ? box_of : call("tk::of_views", {box_of, literal(map->view_axis)});
}

// `tk::kernel_shape(384).blocks_per_sm(1)`
Expr kernel_shape(const ir::Kernel& kernel) {
    Expr shape = call("tk::kernel_shape", {literal(lowering::block_threads(kernel))});
    const std::int64_t of_program = ir::blocks_of_program(kernel);
    if (const std::int64_t cluster = ir::cluster_blocks(kernel); cluster > 1 || of_program > 1) {
        std::vector<Expr> blocks{literal(cluster)};
        if (of_program > 1) blocks.push_back(literal(of_program));
        shape = method(shape, "in_clusters", blocks);
    }
    if (kernel.persistent) shape = method(shape, "blocks_per_sm", {literal(kernel.blocks)});
    if (ir::target_of(kernel).features.overlap) shape = method(shape, "programmatic_launch", {});
    return shape;
}

std::string name_in(const InstanceNames& names, const std::string& alone) {
    const auto found = names.find(alone);
    return found == names.end() ? alone : found->second;
}

// What `tk::run` takes to launch so many programs where tensors, extents and parameters have the
// kernel's names.
std::vector<Expr> launch_arguments(const ir::Kernel& kernel, const InstanceNames& names,
                                   const Expr& programs) {
    std::vector<Expr> arguments = {
        atom("site"), shared_size(kernel, name_in(names, shared_struct(kernel))),
        kernel_shape(kernel),
        programs ? programs : host_expression(kernel, ir::programs_of(kernel))};
    for (const KernelParameter& p : kernel_parameters(kernel)) {
        arguments.push_back(launch_argument(kernel, p));
    }
    return arguments;
}

Expr direct_launch(const ir::Kernel& kernel, const InstanceNames& names, const Expr& programs) {
    return call(fmt::format("tk::run<{}>", name_in(names, kernel_function(kernel))),
                launch_arguments(kernel, names, programs));
}

// Whether there is more to a launch than the call.
bool is_followed(const ir::Kernel& kernel) {
    return !reports_of(kernel).empty() || !counted_tensors(kernel).empty();
}

// The launch, and in debug builds what the kernel reports and how often it wrote its outputs.
void launch(const ir::Kernel& kernel, const Expr& launched, const SourceManager* sources,
            Block& out) {
    const std::vector<const ir::Tensor*> counted = counted_tensors(kernel);
    const bool reports = !reports_of(kernel).empty();
    if (!reports && counted.empty()) {
        out.push_back(stmt(Return{launched}));
        return;
    }
    const Expr site = atom("site");
    const auto counts_of = [](const ir::Tensor& t) { return host_name(t.name) + "_writes"; };
    out.push_back(stmt(
        If{binary(BinaryOp::equal, host_expression(kernel, ir::programs_of(kernel)), literal(0)),
           {stmt(Return{expr(Braced{"", {}})})},
           {}}));
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
    if (reports) out.push_back(return_if_failed(call("tk::print_reports", {site, atom("sites")})));
    for (const ir::Tensor* t : counted) {
        const Expr all = atom(t->mode == ir::Mode::out ? "true" : "false");
        out.push_back(return_if_failed(method(atom(counts_of(*t)), "tell", {site, all})));
    }
    out.push_back(stmt(Return{expr(Braced{"", {}})}));
}

Item launch_function(const ir::Kernel& kernel, const InstanceNames& names,
                     const SourceManager* sources) {
    const Needs needs = needs_of(kernel);
    Function f{"tk::status", "launch_" + kernel.name, {{"const tk::launch_site&", "site"}}, {}};
    for (const std::string& t : needs.tensors) {
        f.parameters.push_back({"const tk::tensor&", host_name(t)});
    }
    for (const std::string& e : needs.extents) f.parameters.push_back({"int64_t", host_name(e)});
    for (const std::string& s : needs.scalars) {
        f.parameters.push_back({parameter_type(find_parameter(kernel, s)->dtype), host_name(s)});
    }
    if (needs.counters) f.parameters.push_back({"void*", "workspace"});
    launch(kernel, direct_launch(kernel, names, nullptr), sources, f.body);
    return item(f);
}

}  // namespace

Expr launch_one_of(const Kernels& kernels, const InstanceNames& names, const Expr& number,
                   const Expr& programs) {
    std::string functions;
    std::string text;
    for (const ir::Kernel* k : kernels) {
        if (is_followed(*k)) return nullptr;
        const std::string next = print(expr(Braced{"", launch_arguments(*k, names, programs)}));
        if (!text.empty() && next != text) return nullptr;
        text = next;
        functions += (functions.empty() ? "" : ", ") + name_in(names, kernel_function(*k));
    }
    const std::string function = "tk::run_one_of<" + functions + ">";
    if (2 * indent_width + function.size() + 1 > line_width) return nullptr;
    std::vector<Expr> arguments = launch_arguments(*kernels.front(), names, programs);
    arguments.insert(arguments.begin(), number);
    return call(function, std::move(arguments));
}

Expr launch_call(const ir::Kernel& kernel, const InstanceNames& names, const Expr& programs) {
    if (!is_followed(kernel)) return direct_launch(kernel, names, programs);
    const Needs needs = needs_of(kernel);
    std::vector<Expr> arguments = {atom("site")};
    for (const auto* list : {&needs.tensors, &needs.extents, &needs.scalars}) {
        for (const std::string& name : *list) arguments.push_back(atom(host_name(name)));
    }
    if (needs.counters) arguments.push_back(atom("workspace"));
    return call("launch_" + kernel.name, arguments);
}

std::string parameter_type(Dtype dtype) {
    switch (dtype) {
        case Dtype::i32: return "int32_t";
        case Dtype::i64: return "int64_t";
        case Dtype::u32: return "uint32_t";
        case Dtype::f32:
        case Dtype::f64:
        case Dtype::i8:
        case Dtype::i16:
        case Dtype::u8:
        case Dtype::boolean:
        // The last four are not parameters.
        case Dtype::f16:
        case Dtype::bf16:
        case Dtype::fp8_e4m3:
        case Dtype::fp8_e5m2: break;
    }
    return std::string(info(dtype).cuda);
}

std::string constants_text(const ir::Kernel& kernel) {
    std::string text;
    for (const ir::Constant& c : kernel.constants) {
        text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", c.name, ir::to_string(c.value));
    }
    return text;
}

std::string cost_text(const ir::Kernel& kernel) {
    const std::string cycles =
        kernel.program_cost ? ir::to_string(ir::with_constants(kernel, kernel.program_cost)) : "1";
    return fmt::format("{} programs of {} cycles",
                       ir::to_string(ir::with_constants(kernel, ir::programs_of(kernel))), cycles);
}

namespace {

void add(const Item& next, std::vector<Item>& items) {
    if (!items.empty()) items.push_back(item(Blank{}));
    items.push_back(next);
}

}  // namespace

std::set<std::string> launcher_includes(const ir::Module& module) {
    std::set<std::string> includes{"tk/host/launcher.h"};
    for (const ir::Kernel& k : module.kernels) {
        if (!reports_of(k).empty()) includes.insert("tk/host/reports.h");
        if (!counted_tensors(k).empty()) includes.insert("tk/host/write_counts.h");
    }
    return includes;
}

std::vector<Item> launcher_items(const ir::Module& module, const SourceManager* sources,
                                 const InstanceNames& names) {
    std::vector<Item> inside, exported;
    std::set<std::string> done;
    const auto add_launches = [&](const Kernels& kernels) {
        for (const ir::Kernel* k : kernels) {
            if (done.insert(k->name).second) add(launch_function(*k, names, sources), inside);
        }
    };
    const auto add_export = [&](const ir::Signature& called, const Kernels& kernels,
                                const std::string& name, const Function& function) {
        add(item(function), exported);
        for (Item& beside : sibling_functions(called, kernels, name))
            exported.push_back(std::move(beside));
    };
    for (const Group& group : groups_of(module)) {
        Kernels followed;
        std::copy_if(group.kernels.begin(), group.kernels.end(), std::back_inserter(followed),
                     [](const ir::Kernel* k) { return is_followed(*k); });
        add_launches(followed);
        const Function function = launcher_function(group, names);
        if (is_shared(group)) add(item(function), inside);
        for (const ir::Launcher* launcher : group.launchers)
            add_export(*group.kernels.front(), group.kernels, launcher->name,
                       is_shared(group) ? calling_function(group, *launcher) : function);
    }
    for (const ir::Entry& entry : module.entries) {
        for (const ir::EntryCall& call : entry.calls) {
            add_launches(candidates_of(module, call.candidates));
        }
        const std::vector<ir::Kernel> called = ir::called_kernels(module, entry);
        Kernels contracts;
        for (const ir::Kernel& contract : called) contracts.push_back(&contract);
        add_export(entry, contracts, entry.name, entry_function(module, entry));
    }
    std::vector<Item> items{item(Blank{})};
    if (!inside.empty()) {
        inside.insert(inside.begin(), item(Blank{}));
        inside.push_back(item(Blank{}));
        items.push_back(item(Namespace{"", inside}));
        items.push_back(item(Blank{}));
    }
    items.push_back(item(ExternC{exported}));
    return items;
}

}  // namespace tkc::cuda
