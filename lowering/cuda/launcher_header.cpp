// The header of a module's C interface: declarations, what each function asks of its arguments, and
// a C++ overload.
#include <fmt/format.h>

#include <algorithm>

#include "ir/contract.h"
#include "lowering/cuda/host_expression.h"
#include "lowering/cuda/launcher.h"
#include "lowering/cuda/names.h"

namespace tkc::cuda {

namespace {

const ir::Kernel* first_candidate(const ir::Module& module, const ir::Launcher& launcher) {
    for (const ir::Kernel& k : module.kernels) {
        if (!launcher.candidates.empty() && k.name == launcher.candidates.front()) return &k;
    }
    return nullptr;
}

std::string mode_text(ir::Mode mode) {
    switch (mode) {
        case ir::Mode::in: return "read";
        case ir::Mode::out: return "written";
        case ir::Mode::inout: return "read and written";
        case ir::Mode::accumulate: return "cleared, then added to; must be dense";
        case ir::Mode::scratch: return "scratch";
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

/// Float sums whose order is left to the machine differ from run to run.
bool is_deterministic(const ir::Kernel& kernel) {
    return std::none_of(kernel.tensors.begin(), kernel.tensors.end(), [](const ir::Tensor& t) {
        return t.mode == ir::Mode::accumulate && is_real(t.dtype);
    });
}

std::string parameters_text(const ir::Kernel& kernel, bool references, bool names = true) {
    std::string text;
    const auto add = [&](const std::string& type, const std::string& name) {
        if (!text.empty()) text += ", ";
        text += type + (names ? " " + host_name(name) : "");
    };
    const char* mark = references ? "&" : "*";
    for (const ir::Tensor* t : ir::tensor_arguments(kernel)) {
        add((t->mode == ir::Mode::in ? "const DLTensor" : "DLTensor") + std::string(mark), t->name);
    }
    for (const ir::Parameter& p : kernel.parameters) add(parameter_type(p.dtype), p.name);
    return text;
}

std::string arguments_text(const ir::Kernel& kernel) {
    std::string text;
    for (const ir::Tensor* t : ir::tensor_arguments(kernel))
        text += "&" + host_name(t->name) + ", ";
    for (const ir::Parameter& p : kernel.parameters) text += host_name(p.name) + ", ";
    return text;
}

std::string doc_comment(const ir::Module& module, const ir::Launcher& launcher,
                        const ir::Kernel& kernel) {
    std::string text = fmt::format("// {}\n//\n", launcher.name);
    for (const ir::Tensor* t : ir::tensor_arguments(kernel)) {
        text += fmt::format("//   {:<8} {:<24} {}\n", t->name, tensor_text(*t), mode_text(t->mode));
    }
    for (const ir::Parameter& p : kernel.parameters) {
        text += fmt::format("//   {:<8} {}\n", p.name, name(p.dtype));
    }
    text += "//\n// Needs (strides in elements, addresses in bytes):\n";
    for (const ir::Condition& c : kernel.conditions) {
        text += fmt::format("//   {}{}\n", ir::to_string(c.holds),
                            c.selects ? "   (else a slower variant runs)" : "");
    }
    text += "//\n// Kernels:\n";
    for (const std::string& candidate : launcher.candidates) {
        for (const ir::Kernel& k : module.kernels) {
            if (k.name != candidate) continue;
            text += fmt::format("//   {:<16} {}{}\n", k.name, constants_text(k),
                                k.general ? " (general)" : "");
        }
    }
    text += fmt::format("//\n// deterministic={}, workspace: none\n",
                        is_deterministic(kernel) ? "true" : "false");
    return text;
}

std::string c_declarations(const ir::Launcher& launcher, const ir::Kernel& kernel) {
    const std::string parameters = parameters_text(kernel, false);
    const std::string name = launcher_name(launcher.name);
    return fmt::format(
        "int {0}({1},\n{2:{3}}void* workspace, size_t workspace_bytes, struct CUstream_st* "
        "stream);\n"
        "size_t {0}_workspace({1});\n"
        "const char* {0}_error(void);\n",
        name, parameters, "", name.size() + 5);
}

std::string overload(const ir::Launcher& launcher, const ir::Kernel& kernel) {
    return fmt::format(
        "/// Launches {0}; throws std::runtime_error with the sentence where it refuses.\n"
        "inline void {0}({1}, CUstream_st* stream = nullptr) {{\n"
        "    if ({0}({2}nullptr, 0, stream) != 0) throw std::runtime_error({0}_error());\n"
        "}}\n",
        launcher_name(launcher.name), parameters_text(kernel, true), arguments_text(kernel));
}

}  // namespace

std::string launcher_header(const ir::Module& module, const std::string& source) {
    std::string declarations;
    std::string overloads;
    for (const ir::Launcher& launcher : module.launchers) {
        const ir::Kernel* kernel = first_candidate(module, launcher);
        if (kernel == nullptr) continue;
        declarations +=
            "\n" + doc_comment(module, launcher, *kernel) + c_declarations(launcher, *kernel);
        overloads += "\n" + overload(launcher, *kernel);
    }
    return fmt::format(
        "// The C interface of {}, made by tkc; C and C++.\n"
        "//\n"
        "// A launcher returns 0, or a code of tk/host/status.h; NAME_error() then says why, to "
        "the\n"
        "// thread that called. Nothing is launched unless it returns 0. Tensors are on one "
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
