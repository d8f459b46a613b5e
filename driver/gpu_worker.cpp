// The worker of `tkc test --on=gpu`: loads libraries that `tkc build` could have made, and runs
// their kernels. It is a process of its own, so that a kernel that hangs or crashes takes only it
// along. libcuda is loaded when it is needed: tkc itself runs on machines without it.
#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <bit>
#include <map>
#include <stdexcept>

#include "driver/gpu_protocol.h"
#include "language/dtype.h"

namespace tkc::gpu {

namespace {

// DLPack's tensor, as docs/launcher.md has it.
struct DlTensor {
    void* data;
    std::int32_t device_type;
    std::int32_t device_id;
    std::int32_t axes;
    std::uint8_t dtype_code;
    std::uint8_t dtype_bits;
    std::uint16_t dtype_lanes;
    std::int64_t* shape;
    std::int64_t* strides;
    std::uint64_t byte_offset;
};

// Ends a request with a sentence.
struct Failure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// A function of a library that was opened.
template <class F>
F* symbol(void* library, const std::string& name) {
    void* found = ::dlsym(library, name.c_str());
    if (found == nullptr) throw Failure(fmt::format("there is no `{}`", name));
    return reinterpret_cast<F*>(found);
}

// The part of the CUDA driver that is needed, by cuda.h's signatures.
class Driver {
public:
    using Address = unsigned long long;

    // Throws where there is no GPU that kernels are made for.
    void open() {
        library_ = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
        if (library_ == nullptr) throw Failure("no CUDA driver found (libcuda.so.1)");
        call("cuInit", 0U);
        int device = 0;
        int major = 0;
        int minor = 0;
        call("cuDeviceGet", &device, 0);
        constexpr int capability_major = 75;
        constexpr int capability_minor = 76;
        call("cuDeviceGetAttribute", &major, capability_major, device);
        call("cuDeviceGetAttribute", &minor, capability_minor, device);
        // Launchers say it of the target that they are made for.
        if (major < 8) {
            throw Failure(
                fmt::format("kernels need compute capability 8.0 or later, but this GPU has {}.{}",
                            major, minor));
        }
        void* context = nullptr;
        call("cuDevicePrimaryCtxRetain", &context, device);
        call("cuCtxSetCurrent", context);
    }

    Address allocate(std::size_t size) {
        Address address = 0;
        call("cuMemAlloc_v2", &address, size);
        return address;
    }
    void release(Address address) { call("cuMemFree_v2", address); }
    void fill(Address to, unsigned char value, std::size_t size) {
        call("cuMemsetD8_v2", to, value, size);
    }
    void copy_in(Address to, const Bytes& from) {
        call("cuMemcpyHtoD_v2", to, static_cast<const void*>(from.data()), from.size());
    }
    void copy_out(Bytes& to, Address from) {
        call("cuMemcpyDtoH_v2", static_cast<void*>(to.data()), from, to.size());
    }
    void synchronize() { call("cuCtxSynchronize"); }

private:
    template <class... T>
    void call(const char* name, T... arguments) {
        const int code = symbol<int(T...)>(library_, name)(arguments...);
        if (code == 0) return;
        const char* text = nullptr;
        symbol<int(int, const char**)>(library_, "cuGetErrorString")(code, &text);
        throw Failure(fmt::format("{}: {}", name, text != nullptr ? text : "unknown error"));
    }

    void* library_ = nullptr;
};

struct TensorArgument {
    Dtype dtype = Dtype::f32;
    std::vector<std::int64_t> extents;
    std::vector<std::int64_t> strides;
    std::int64_t origin = 0;
    Bytes storage;
    Driver::Address address = 0;
    DlTensor view{};
};

class Worker {
public:
    void open() { driver_.open(); }

    // The answer to a request.
    Bytes answer(Bytes request) {
        Reader in(std::move(request));
        const std::string library = in.text();
        const std::string function = in.text();
        std::vector<TensorArgument> tensors(in.number<std::uint64_t>());
        for (TensorArgument& t : tensors) read(in, t);
        std::vector<std::vector<std::byte>> scalars(in.number<std::uint64_t>());
        for (std::vector<std::byte>& s : scalars) s = in.list<std::byte>();
        std::vector<void*> arguments;
        arguments.reserve(tensors.size() + scalars.size());
        for (TensorArgument& t : tensors) arguments.push_back(&t.view);
        for (std::vector<std::byte>& s : scalars) arguments.push_back(s.data());

        Status status = Status::good;
        const std::string sentence = launch(library, function, arguments, status);
        Writer out;
        out.number(status);
        out.text(sentence);
        if (status != Status::good) return out.bytes();
        for (TensorArgument& t : tensors) {
            driver_.copy_out(t.storage, t.address);
            driver_.release(t.address);
            out.list(t.storage);
        }
        return out.bytes();
    }

private:
    void read(Reader& in, TensorArgument& t) {
        t.dtype = in.number<Dtype>();
        t.extents = in.list<std::int64_t>();
        t.strides = in.list<std::int64_t>();
        t.origin = in.number<std::int64_t>();
        t.storage = in.list<std::byte>();
        t.address = driver_.allocate(t.storage.size());
        driver_.copy_in(t.address, t.storage);
        constexpr int cuda_device = 2;  // kDLCUDA
        t.view = {std::bit_cast<void*>(t.address),
                  cuda_device,
                  0,
                  static_cast<std::int32_t>(t.extents.size()),
                  static_cast<std::uint8_t>(info(t.dtype).dlpack_code),
                  static_cast<std::uint8_t>(info(t.dtype).bits),
                  1,
                  t.extents.data(),
                  t.strides.data(),
                  static_cast<std::uint64_t>(t.origin * bytes(t.dtype))};
    }

    void* library(const std::string& path) {
        void*& opened = libraries_[path];
        if (opened == nullptr) opened = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (opened == nullptr) throw Failure(::dlerror());  // NOLINT(concurrency-mt-unsafe)
        return opened;
    }

    // Launches and waits. The launcher's sentence where it refuses.
    std::string launch(const std::string& path, const std::string& function,
                       std::vector<void*>& arguments, Status& status) {
        void* const code = library(path);
        const auto workspace = symbol<std::size_t(void**)>(code, "tkc_test_workspace_" + function);
        const auto run = symbol<int(void**, void*, std::size_t)>(code, "tkc_test_run_" + function);
        const auto error = symbol<const char*()>(code, function + "_error");
        const std::size_t size = workspace(arguments.data());
        Driver::Address memory = 0;
        if (size > 0) {
            memory = driver_.allocate(size);
            driver_.fill(memory, 0xff, size);
        }
        const int result = run(arguments.data(), std::bit_cast<void*>(memory), size);
        if (result != 0) {
            constexpr int last_refusal = 2;  // 1: an argument, 2: a condition
            status = result <= last_refusal ? Status::refused : Status::failed;
            return error();
        }
        driver_.synchronize();
        if (memory != 0) driver_.release(memory);
        return "";
    }

    Driver driver_;
    std::map<std::string, void*> libraries_;
};

Bytes text_message(Status status, const std::string& sentence) {
    Writer out;
    out.number(status);
    out.text(sentence);
    return out.bytes();
}

}  // namespace

int serve() {
    Worker worker;
    std::string reason;
    try {
        worker.open();
    } catch (const Failure& failure) {
        reason = failure.what();
    }
    Writer hello;
    hello.text(reason);
    if (!send(STDOUT_FILENO, hello.bytes()) || !reason.empty()) return 0;
    Bytes request;
    while (receive(STDIN_FILENO, request, 0)) {
        try {
            if (!send(STDOUT_FILENO, worker.answer(std::move(request)))) return 0;
        } catch (const std::exception& failure) {
            // After an error of a kernel nothing works in this process any more.
            send(STDOUT_FILENO, text_message(Status::failed, failure.what()));
            return 1;
        }
        request.clear();
    }
    return 0;
}

}  // namespace tkc::gpu
