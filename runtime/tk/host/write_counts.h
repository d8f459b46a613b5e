// What a launcher of a debug build does to see that every element of an output is written, and by one
// program only (operations/write_counts.cuh).
#pragma once

#include <memory>
#include <new>
#include <string>

#include "../operations/write_counts.cuh"
#include "launcher.h"

namespace tk {

// The counts of one tensor, from before the launch until they are told.
class counted_tensor {
public:
    counted_tensor() = default;
    ~counted_tensor() {
        if (counts_ != nullptr) cudaFree(counts_);
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
        TK_RETURN_IF_FAILED(check_cuda(cudaMalloc(&counts_, bytes), "memory to count writes in"));
        TK_RETURN_IF_FAILED(
            check_cuda(cudaMemsetAsync(counts_, 0, bytes, site.stream), "clearing the counts"));
        entry.counts = counts_;
        return check_cuda(
            cudaMemcpyToSymbolAsync(written, &entry, sizeof entry,
                                    static_cast<size_t>(number) * sizeof entry,
                                    cudaMemcpyHostToDevice, site.stream),
            "placing the counts");
    }

    // Waits for the kernel, and fails with the first element that was written more than once or,
    // if the kernel owes all of them, never.
    status tell(const launch_site& site, bool all) const {
        TK_RETURN_IF_FAILED(check_cuda(cudaStreamSynchronize(site.stream), "the kernel"));
        if (elements_ == 0) return {};
        const std::unique_ptr<unsigned[]> counts(new (std::nothrow) unsigned[elements_]);
        if (counts == nullptr) return {};  // it is the launch that counts, not this
        TK_RETURN_IF_FAILED(
            check_cuda(cudaMemcpy(counts.get(), counts_, elements_ * sizeof(unsigned),
                                  cudaMemcpyDeviceToHost),
                       "reading the counts"));
        for (int64_t i = 0; i < elements_; ++i) {
            if (counts[i] == 1 || (counts[i] == 0 && !all)) continue;
            const std::string element = place(i);
            if (counts[i] == 0)
                return failure(status_assertion, "%s%s is never written", shape_->name,
                               element.c_str());
            return failure(status_assertion, "%s%s is written %u times", shape_->name,
                           element.c_str(), counts[i]);
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
    unsigned* counts_ = nullptr;
};

}  // namespace tk
