// The header of a module's C interface: declarations, what each function asks of its arguments, and
// a C++ overload.
#include <fmt/format.h>

#include <algorithm>

#include "facts/belief.h"
#include "ir/contract.h"
#include "ir/entry.h"
#include "lowering/cuda/host_expression.h"
#include "lowering/cuda/launcher.h"
#include "lowering/cuda/launcher_parts.h"
#include "lowering/cuda/names.h"
#include "lowering/cuda/workspace.h"

namespace tkc::cuda {

namespace {

const ir::Kernel* first_candidate(const ir::Module& module, const ir::Launcher& launcher) {
    if (launcher.candidates.empty()) return nullptr;
    return ir::find_kernel(module, launcher.candidates.front());
}

std::string mode_text(ir::Mode mode) {
    switch (mode) {
        case ir::Mode::in: return "read";
        case ir::Mode::out: return "written";
        case ir::Mode::inout: return "read and written";
        case ir::Mode::accumulate: return "cleared, then added to; must be dense";
        case ir::Mode::scratch: return "scratch: arbitrary contents before and after";
    }
    return "";
}

std::string tensor_text(const ir::Tensor& t) {
    std::string extents;
    for (const ir::Scalar& e : t.extents) {
        extents += (extents.empty() ? "" : ", ") + ir::to_string(e);
    }
    return fmt::format("{}[{}]", name(t.dtype), extents);
}

std::string parameters_text(const ir::Signature& called, bool references, bool names = true) {
    std::string text;
    const auto add = [&](const std::string& type, const std::string& name) {
        if (!text.empty()) text += ", ";
        text += type + (names ? " " + host_name(name) : "");
    };
    const char* mark = references ? "&" : "*";
    for (const ir::Tensor& t : called.tensors) {
        add((t.mode == ir::Mode::in ? "const DLTensor" : "DLTensor") + std::string(mark), t.name);
    }
    for (const ir::Parameter& p : called.parameters) add(parameter_type(p.dtype), p.name);
    return text;
}

std::string arguments_text(const ir::Signature& called) {
    std::string text;
    for (const ir::Tensor& t : called.tensors) text += "&" + host_name(t.name) + ", ";
    for (const ir::Parameter& p : called.parameters) text += host_name(p.name) + ", ";
    return text;
}

// `kernels`: those that one function chooses from.
void add_conditions(const ir::Signature& called, const Kernels& kernels, std::string& text) {
    for (const ir::Condition& c : called.conditions) {
        const char* note = c.selects ? "   (else a slower variant runs)"
                           : !kernels.empty() && !is_common(kernels, c)
                               ? "   (else another kernel runs)"
                               : "";
        const std::string line = fmt::format("//   {}{}\n", ir::to_string(c.holds), note);
        if (text.find(line) == std::string::npos) text += line;
    }
}

// `entry`, `call`: of a call, whose costs speak of the entry's arguments; null: of a launcher.
std::string kernels_text(const ir::Module& module, const std::vector<std::string>& candidates,
                         const ir::Entry* entry = nullptr, const ir::EntryCall* call = nullptr) {
    const Kernels kernels = candidates_of(module, candidates);
    const bool costs = compares_costs(kernels);
    std::string text;
    for (const ir::Kernel* k : kernels) {
        text += fmt::format("//   {:<16} {}{}\n", k->name, constants_text(*k),
                            !k->general_of.empty() ? " (general)" : "");
        if (!costs) continue;
        text += fmt::format("//   {:<16} {}\n", "",
                            cost_text(call == nullptr ? *k : ir::called_kernel(*entry, *call, *k)));
    }
    if (costs)
        text +=
            "//   The cheapest kernel that accepts the arguments runs. Cost: waves of programs "
            "over "
            "the\n//   SMs, times cycles.\n";
    return text;
}

// Assumptions that no launch checks.
void add_trusted_facts(const std::vector<ir::Trusted>& trusted, std::string& text) {
    for (const ir::Trusted& t : trusted) {
        const std::string line = fmt::format("//   {}\n", ir::to_string(t));
        if (text.find(line) == std::string::npos) text += line;
    }
}

// `conditions`, `beliefs` and `kernels` are lines of the comment.
std::string doc_comment(const std::string& launched, const ir::Signature& called,
                        const std::string& conditions, const std::string& beliefs,
                        const std::string& kernels, bool works, bool deterministic) {
    std::string text = fmt::format("// {}\n//\n", launched);
    for (const ir::Tensor& t : called.tensors) {
        text += fmt::format("//   {:<8} {:<24} {}\n", t.name, tensor_text(t), mode_text(t.mode));
    }
    for (const ir::Parameter& p : called.parameters) {
        text += fmt::format("//   {:<8} {}\n", p.name, name(p.dtype));
    }
    text += "//\n// Needs (strides in elements, addresses in bytes):\n" + conditions;
    if (!beliefs.empty()) text += "//\n// Trusts, which no launch checks:\n" + beliefs;
    text += "//\n// Kernels:\n" + kernels;
    text += fmt::format("//\n// deterministic={}, workspace: {}\n",
                        deterministic ? "true" : "false", works ? "for counters" : "none");
    return text;
}

std::string doc_comment(const ir::Module& module, const ir::Launcher& launcher,
                        const ir::Kernel& kernel) {
    std::string conditions;
    add_conditions(kernel, candidates_of(module, launcher.candidates), conditions);
    std::string beliefs;
    add_trusted_facts(kernel.trusted, beliefs);
    return doc_comment(
        launcher.name, kernel, conditions, beliefs, kernels_text(module, launcher.candidates),
        needs_workspace(candidates_of(module, launcher.candidates)), ir::is_deterministic(kernel));
}

std::string doc_comment(const ir::Module& module, const ir::Entry& entry) {
    std::string conditions;
    std::string kernels;
    std::string beliefs;
    bool works = false;
    add_conditions(entry, {}, conditions);
    for (const ir::EntryCall& call : entry.calls) {
        const ir::Kernel* first = ir::find_kernel(module, call.candidates.front());
        add_conditions(ir::called_kernel(entry, call, *first), {}, conditions);
        add_trusted_facts(first->trusted, beliefs);
        works = works || needs_workspace(candidates_of(module, call.candidates));
        const bool one = call.candidates.size() == 1;
        kernels += fmt::format("// {}{}\n", ir::to_string(call), one ? ":" : ", one of:");
        kernels += kernels_text(module, call.candidates, &entry, &call);
    }
    return doc_comment(entry.name, entry, conditions, beliefs, kernels, works,
                       ir::is_deterministic(module, entry));
}

std::string c_declarations(const std::string& launched, const ir::Signature& called) {
    const std::string parameters = parameters_text(called, false);
    const std::string name = launcher_name(launched);
    return fmt::format(
        "int {0}({1},\n{2:{3}}void* workspace, size_t workspace_bytes, struct CUstream_st* "
        "stream);\n"
        "size_t {0}_workspace({1});\n"
        "const char* {0}_error(void);\n",
        name, parameters, "", name.size() + 5);
}

std::string overload(const std::string& launched, const ir::Signature& called, bool works) {
    return fmt::format(
        "/// Launches {0}; throws std::runtime_error with the message if it refuses.\n"
        "inline void {0}({1}, {3}CUstream_st* stream = nullptr) {{\n"
        "    if ({0}({2}{4}, stream) != 0) throw std::runtime_error({0}_error());\n"
        "}}\n",
        launcher_name(launched), parameters_text(called, true), arguments_text(called),
        works ? "void* workspace, size_t workspace_bytes, " : "",
        works ? "workspace, workspace_bytes" : "nullptr, 0");
}

}  // namespace

std::string launcher_header(const ir::Module& module, const std::string& source) {
    std::string declarations;
    std::string overloads;
    const auto add = [&](const std::string& comment, const std::string& name,
                         const ir::Signature& called, bool works) {
        declarations += "\n" + comment + c_declarations(name, called);
        overloads += "\n" + overload(name, called, works);
    };
    for (const ir::Launcher& launcher : module.launchers) {
        const ir::Kernel* kernel = first_candidate(module, launcher);
        if (kernel != nullptr)
            add(doc_comment(module, launcher, *kernel), launcher.name, *kernel,
                needs_workspace(candidates_of(module, launcher.candidates)));
    }
    for (const ir::Entry& entry : module.entries) {
        bool works = false;
        for (const ir::EntryCall& call : entry.calls)
            works = works || needs_workspace(candidates_of(module, call.candidates));
        add(doc_comment(module, entry), entry.name, entry, works);
    }
    return fmt::format(
        "// The C interface of {}, for C and C++. Generated by tkc. Do not edit.\n"
        "//\n"
        "// A launcher returns 0, or a code of tk/host/status.h; NAME_error() then returns the "
        "reason "
        "in the\n"
        "// calling thread. Nothing is launched unless it returns 0. Tensors are on one "
        "device,\n"
        "// which becomes the current one for the call; the stream must be that device's.\n"
        "#pragma once\n\n"
        "#include <stdbool.h>\n"
        "#include <stddef.h>\n"
        "#include <stdint.h>\n\n"
        "#include \"tk/host/dlpack.h\"\n\n"
        "struct CUstream_st;  // what a cudaStream_t points to\n\n"
        "#ifdef __cplusplus\n#include <stdexcept>\nextern \"C\" {{\n#endif\n"
        "{}\n"
        "#ifdef __cplusplus\n}}\n{}#endif\n",
        source, declarations, overloads);
}

}  // namespace tkc::cuda
