// The launchers of a module as a loaded library on a fake CUDA runtime, so that tests can call
// them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fake_cuda/fake_cuda.h"
#include "ir/module.h"
#include "runtime/tk/host/dlpack.h"

namespace tkc::launcher_test {

// The module that this text describes, with its contract and costs.
ir::Module module_of(const std::string& text);

// Emits the launchers, compiles them with the C++ compiler of this machine and loads them.
class Library {
public:
    explicit Library(const ir::Module& module);
    ~Library();
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;

    template <class F>
    F function(const std::string& name) const {
        return reinterpret_cast<F>(find(name));
    }
    FakeCuda& cuda() const { return *cuda_; }
    const std::string& source() const { return source_; }

private:
    void* find(const std::string& name) const;

    std::string folder_;
    std::string source_;
    void* handle_ = nullptr;
    FakeCuda* cuda_ = nullptr;
};

// A DLTensor with its own shape and strides. Nothing ever reads its memory.
struct Tensor {
    std::vector<std::int64_t> shape, strides;
    DLTensor dl{};

    Tensor(std::uintptr_t address, std::vector<std::int64_t> extents, DLDataType type,
           std::vector<std::int64_t> steps = {});
    Tensor(const Tensor&) = delete;
    Tensor& operator=(const Tensor&) = delete;

    DLTensor* operator&() { return &dl; }
};

inline constexpr DLDataType bf16{kDLBfloat, 16, 1};
inline constexpr DLDataType f16{kDLFloat, 16, 1};
inline constexpr DLDataType f32{kDLFloat, 32, 1};

}  // namespace tkc::launcher_test
