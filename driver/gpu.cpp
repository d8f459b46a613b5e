// Building for, starting, asking and ending the worker.
#include "driver/gpu.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "compiler/subprocess.h"
#include "driver/gpu_protocol.h"
#include "emulator/number.h"
#include "ir/contract.h"
#include "lowering/cuda/launcher.h"
#include "lowering/cuda/names.h"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX leaves it to us

namespace tkc {

namespace {

using emulator::Arguments;
using emulator::Outcome;

// Functions that call a launcher with its arguments from an array, because they differ from kernel
// to kernel.
std::string call_through(const ir::Signature& called) {
    std::string list;
    std::size_t count = 0;
    for (const ir::Tensor& t : called.tensors) {
        const bool read = t.mode == ir::Mode::in;
        list += fmt::format("static_cast<{}DLTensor*>(a[{}]), ", read ? "const " : "", count++);
    }
    for (const ir::Parameter& p : called.parameters) {
        list +=
            fmt::format("*static_cast<const {}*>(a[{}]), ", cuda::parameter_type(p.dtype), count++);
    }
    const std::string name = cuda::launcher_name(called.name);
    const std::string plain = list.substr(0, list.size() - 2);
    return fmt::format(
        "\nextern \"C\" int tkc_test_run_{0}(void** a, void* memory, size_t size) {{\n"
        "    return {0}({1}memory, size, nullptr);\n}}\n"
        "extern \"C\" size_t tkc_test_workspace_{0}(void** a) {{\n    return "
        "{0}_workspace({2});\n}}\n",
        name, list, plain);
}

gpu::Bytes request_for(const ir::Signature& called, const std::string& library,
                       const Arguments& arguments) {
    gpu::Writer out;
    out.text(library);
    out.text(cuda::launcher_name(called.name));
    out.number<std::uint64_t>(called.tensors.size());
    for (const ir::Tensor& t : called.tensors) {
        const emulator::Tensor& tensor = arguments.tensors.at(t.name);
        out.number(tensor.dtype);
        out.list(tensor.extents);
        out.list(tensor.strides);
        out.number(tensor.origin);
        out.list(tensor.storage);
    }
    out.number<std::uint64_t>(called.parameters.size());
    for (const ir::Parameter& p : called.parameters) {
        const emulator::Number& number = arguments.scalars.at(p.name);
        gpu::Bytes value(8);
        if (const auto* real = std::get_if<double>(&number)) {
            emulator::write_real(p.dtype, *real, value.data());
        } else {
            emulator::write_integer(p.dtype, std::get<std::int64_t>(number), value.data());
        }
        out.list(value);
    }
    return out.bytes();
}

// The path of this very program.
std::string own_path() {
    std::error_code error;
    const std::filesystem::path path = std::filesystem::read_symlink("/proc/self/exe", error);
    return error ? "tkc" : path.string();
}

}  // namespace

GpuMachine::~GpuMachine() { stop(); }

std::string GpuMachine::unavailable(Diagnostics& diag) {
    const bool named = !command_.nvcc.empty() || !environment("TKC_NVCC").empty();
    Diagnostics found;
    if (!find_nvcc(command_.nvcc, nvcc_, found)) {
        std::string reason = found.all().front().message;
        if (named) diag.take(found);
        return reason;
    }
    if (scratch_.path().empty()) return scratch_.reason();
    std::string reason;
    start(reason);
    stop();  // the process that runs the tests starts its own
    return reason;
}

bool GpuMachine::build(const ir::Module& module, Session& session) {
    ir::Module own = module;
    own.launchers.clear();
    for (const ir::Kernel& kernel : own.kernels) {
        own.launchers.push_back({kernel.name, {kernel.name}});
    }
    std::string code = cuda_text(own, session);
    for (const ir::Kernel& kernel : own.kernels) code += call_through(kernel);
    for (const ir::Entry& entry : own.entries) code += call_through(entry);

    std::string runtime;
    std::string stem;
    {
        const std::lock_guard lock(mutex_);  // the first one writes the runtime's headers
        runtime = runtime_folder(scratch_.path(), session.diag);
        stem = fmt::format("{}/kernels{}", scratch_.path(), builds_++);
    }
    if (runtime.empty()) return false;
    const std::string reason = write_file(stem + ".cu", code);
    if (!reason.empty()) {
        session.diag.error(Span{}, msg::cannot_write_file, stem + ".cu", reason);
        return false;
    }
    const Target& target =
        own.kernels.empty() ? default_target() : ir::target_of(own.kernels.front());
    std::vector<std::string> folders =
        header_folders(command_.source.files, command_.source.include_dirs);
    folders.insert(folders.begin(), runtime);
    // Kernels of tests count and print besides, and need not be fast.
    if (!compile_library(nvcc_, target, stem + ".cu", folders, stem + ".so", session, nullptr).good)
        return false;
    const std::lock_guard lock(mutex_);
    for (const ir::Kernel& kernel : module.kernels) libraries_[&kernel] = stem + ".so";
    for (const ir::Entry& entry : module.entries) libraries_[&entry] = stem + ".so";
    return true;
}

bool GpuMachine::start(std::string& reason) {
    if (worker_ >= 0) return true;
    int in[2];
    int out[2];
    if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC) != 0) {
        reason = "no pipes to a worker process";
        return false;
    }
    std::string path = own_path();
    std::string word = "gpu-worker";
    char* arguments[] = {path.data(), word.data(), nullptr};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    const int error = ::posix_spawn(&worker_, path.c_str(), &actions, nullptr, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    ::close(in[0]);
    ::close(out[1]);
    to_ = in[1];
    from_ = out[0];
    if (error != 0) {
        worker_ = -1;
        reason = "the worker process did not start";
        return false;
    }
    std::signal(SIGPIPE, SIG_IGN);  // a worker that is gone is found out by what `send` says
    gpu::Bytes hello;
    if (gpu::receive(from_, hello, command_.seconds_of_gpu_run())) {
        reason = gpu::Reader(std::move(hello)).text();
    } else {
        reason =
            fmt::format("the GPU did not respond within {} seconds", command_.seconds_of_gpu_run());
    }
    if (!reason.empty()) stop();
    return reason.empty();
}

// A worker that hangs in the driver may take a while to die; nobody waits for it.
void GpuMachine::stop() {
    if (to_ >= 0) ::close(to_);
    if (from_ >= 0) ::close(from_);
    to_ = from_ = -1;
    if (worker_ < 0) return;
    ::kill(worker_, SIGKILL);
    for (int i = 0; i < 50 && ::waitpid(worker_, nullptr, WNOHANG) == 0; ++i) {
        ::poll(nullptr, 0, 100);
    }
    worker_ = -1;
}

Outcome GpuMachine::failed(const std::string& sentence) {
    stop();
    Outcome outcome;
    outcome.end = Outcome::End::fault;
    outcome.text = sentence;
    return outcome;
}

Outcome GpuMachine::run(const emulator::Variant& variant, Arguments& arguments) {
    const std::lock_guard lock(mutex_);
    std::string reason;
    if (!start(reason)) return failed(reason);
    const ir::Signature& called = variant.signature();
    const auto library = libraries_.find(&called);
    if (library == libraries_.end()) {
        Outcome outcome;
        outcome.end = Outcome::End::fault;
        outcome.text = "nvcc failed to build it";
        return outcome;
    }
    const gpu::Bytes request = request_for(called, library->second, arguments);
    gpu::Bytes answer;
    if (!gpu::send(to_, request) || !gpu::receive(from_, answer, command_.seconds_of_gpu_run())) {
        const bool gone = worker_ >= 0 && ::waitpid(worker_, nullptr, WNOHANG) != 0;
        return failed(gone ? "the process that ran it exited"
                           : fmt::format("it did not finish within {} seconds",
                                         command_.seconds_of_gpu_run()));
    }
    gpu::Reader in(std::move(answer));
    const auto status = in.number<gpu::Status>();
    const std::string sentence = in.text();
    if (status == gpu::Status::failed) return failed(sentence);
    Outcome outcome;
    if (status == gpu::Status::refused) {
        outcome.end = Outcome::End::refused;
        outcome.text = sentence;
        return outcome;
    }
    for (const ir::Tensor& t : called.tensors) {
        arguments.tensors.at(t.name).storage = in.list<std::byte>();
    }
    return outcome;
}

}  // namespace tkc
