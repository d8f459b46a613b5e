// What a launcher of a debug build does to see that every element of an output is written, and by one
// program only (operations/write_counts.cuh).
#pragma once

#include <memory>
#include <new>
#include <string>

#include "../operations/write_counts.cuh"
#include "launcher.h"

namespace tk {

// Who wrote the elements of one tensor, from before the launch until it is reported.
class counted_tensor {
public:
    counted_tensor() = default;
    ~counted_tensor() {
        if (writers_ != nullptr) cudaFree(writers_);
    }
    counted_tensor(const counted_tensor&) = delete;
    counted_tensor& operator=(const counted_tensor&) = delete;

    // All zero, and where the kernel finds them. `number`: of the tensor in the kernel.
    status clear(const launch_site& site, int number, const tensor& shape) {
        shape_ = &shape;
        elements_ = 1;
        write_counts entry{};
        for (int axis = 0; axis < shape.rank; ++axis) {
            entry.extents[axis] = shape.shape[axis];
            elements_ *= shape.shape[axis];
        }
        if (elements_ == 0) return {};
        const size_t bytes = static_cast<size_t>(elements_) * sizeof(unsigned);
        TK_RETURN_IF_FAILED(check_cuda(cudaMalloc(&writers_, bytes), "memory for who wrote what"));
        TK_RETURN_IF_FAILED(
            check_cuda(cudaMemsetAsync(writers_, 0, bytes, site.stream), "clearing that memory"));
        entry.writers = writers_;
        return check_cuda(
            cudaMemcpyToSymbolAsync(written, &entry, sizeof entry,
                                    static_cast<size_t>(number) * sizeof entry,
                                    cudaMemcpyHostToDevice, site.stream),
            "placing that memory");
    }

    // Waits for the kernel, and fails with the first element that several programs wrote or, if the
    // kernel owes all of them, none.
    status tell(const launch_site& site, bool all) const {
        TK_RETURN_IF_FAILED(check_cuda(cudaStreamSynchronize(site.stream), "the kernel"));
        if (elements_ == 0) return {};
        const std::unique_ptr<unsigned[]> writers(new (std::nothrow) unsigned[elements_]);
        if (writers == nullptr) return {};  // it is the launch that counts, not this
        TK_RETURN_IF_FAILED(
            check_cuda(cudaMemcpy(writers.get(), writers_, elements_ * sizeof(unsigned),
                                  cudaMemcpyDeviceToHost),
                       "reading who wrote what"));
        for (int64_t i = 0; i < elements_; ++i) {
            const bool none = writers[i] == written_by_none;
            if (none ? !all : writers[i] != written_by_several) continue;
            return failure(status_assertion, "%s%s is %s", shape_->name, place(i).c_str(),
                           none ? "never written" : "written by several programs");
        }
        return {};
    }

private:
    std::string place(int64_t element) const {
        std::string text;
        for (int axis = shape_->rank - 1; axis >= 0; --axis) {
            text = std::to_string(element % shape_->shape[axis]) + (text.empty() ? "" : ", ") + text;
            element /= shape_->shape[axis];
        }
        return "[" + text + "]";
    }

    const tensor* shape_ = nullptr;
    int64_t elements_ = 0;
    unsigned* writers_ = nullptr;
};

}  // namespace tk
