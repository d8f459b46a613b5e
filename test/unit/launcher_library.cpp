// Emitting, compiling and loading launchers; kernels are empty functions of the same head.
#include "launcher_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "base/diagnose.h"
#include "ir/parse.h"
#include "lowering/cuda/emit.h"
#include "lowering/cuda/kernel_parameters.h"
#include "lowering/cuda/launcher.h"
#include "lowering/cuda/print.h"
#include "lowering/passes.h"

namespace tkc::launcher_test {

namespace {

namespace fs = std::filesystem;

fs::path root() { return fs::path(TKC_EXAMPLES).parent_path(); }

// Empty kernels, and their names by address.
std::string stand_ins(const ir::Module& module) {
    std::string text, names;
    for (const ir::Kernel& k : module.kernels) {
        std::string parameters;
        for (const cuda::KernelParameter& p : cuda::kernel_parameters(k)) {
            parameters += (parameters.empty() ? "" : ", ") + p.type;
        }
        const std::string function = cuda::kernel_function(k);
        text += fmt::format("struct {} {{ char bytes[{}]; }};\n", cuda::shared_struct(k),
                            k.shared_bytes);
        text += fmt::format("static void {}({}) {{}}\n", function, parameters);
        names +=
            fmt::format("    if (function == reinterpret_cast<const void*>(&{})) return \"{}\";\n",
                        function, k.name);
    }
    return text + "const char* fake_kernel_name(const void* function) {\n" + names +
           "    return \"\";\n}\n";
}

std::string compiler() {
    const char* chosen = std::getenv("CXX");
    return chosen == nullptr ? "c++" : chosen;
}

}  // namespace

ir::Module module_of(const std::string& text) {
    ir::ParseError error;
    std::optional<ir::Module> module = ir::parse_module(text, error);
    if (!module) throw std::runtime_error(error.text());
    Diagnostics diagnostics;
    lowering::PassContext context{diagnostics};
    lowering::derive_contract(context, *module);
    lowering::estimate_cost(context, *module);
    return *module;
}

Library::Library(const ir::Module& module) {
    std::string pattern = (fs::temp_directory_path() / "tkc_launcher_XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    folder_ = pattern;
    cuda::File file;
    for (const std::string& path : cuda::launcher_includes(module))
        file.items.push_back(cuda::item(cuda::Include{path}));
    for (const cuda::Item& next : cuda::launcher_items(module)) file.items.push_back(next);
    source_ = cuda::print(file);
    const std::string header = cuda::launcher_header(module, "test.tk");
    std::ofstream(folder_ + "/launchers.h") << header;
    // The header first: what it declares must agree with what is defined.
    std::ofstream(folder_ + "/launchers.cpp")
        << "#include \"launchers.h\"\n#include <cuda_runtime_api.h>\n"
        << "#include \"tk/host/tensor_argument.h\"\nnamespace tk { struct bf16; struct f16; }\n"
        << stand_ins(module) << source_
        << "\nextern \"C\" FakeCuda* fake_cuda() { return &fake; }\n";
    // The header alone as C.
    std::ofstream(folder_ + "/header.c") << "#include \"launchers.h\"\n";
    const std::string include =
        fmt::format("-I{0}/test/unit/fake_cuda -I{0}/runtime -I{1}", root().string(), folder_);
    const std::string build = fmt::format(
        "{0} -std=c++17 -Wall -Wextra -Wno-psabi -Werror -fPIC -shared {1} -o {2}/l.so "
        "{2}/launchers.cpp 2>{2}/log && "
        "{0} -x c -std=c11 -Wall -Wextra -Werror -fsyntax-only {1} {2}/header.c 2>>{2}/log",
        compiler(), include, folder_);
    if (std::system(build.c_str()) != 0) {
        std::ifstream log(folder_ + "/log");
        throw std::runtime_error(std::string(std::istreambuf_iterator<char>(log), {}) + source_);
    }
    handle_ = dlopen((folder_ + "/l.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr) throw std::runtime_error(dlerror());
    cuda_ = function<FakeCuda* (*)()>("fake_cuda")();
}

Library::~Library() {
    if (handle_ != nullptr) dlclose(handle_);
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
}

void* Library::find(const std::string& name) const {
    void* found = dlsym(handle_, name.c_str());
    if (found == nullptr) throw std::runtime_error("no function " + name);
    return found;
}

Tensor::Tensor(std::uintptr_t address, std::vector<std::int64_t> extents, DLDataType type,
               std::vector<std::int64_t> steps)
    : shape(std::move(extents)), strides(std::move(steps)) {
    dl.data = reinterpret_cast<void*>(address);
    dl.device = {kDLCUDA, 0};
    dl.ndim = static_cast<std::int32_t>(shape.size());
    dl.dtype = type;
    dl.shape = shape.data();
    dl.strides = strides.empty() ? nullptr : strides.data();
}

}  // namespace tkc::launcher_test
