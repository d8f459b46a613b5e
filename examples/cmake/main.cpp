// Calls two kernels by their C++ overloads, and shows what they say to wrong arguments.
#include <cuda_runtime.h>

#include <cstdio>
#include <stdexcept>
#include <vector>

#include "scale.h"
#include "softmax.h"

namespace {

constexpr DLDataType f32{kDLFloat, 32, 1};
constexpr DLDataType bf16{kDLBfloat, 16, 1};

DLTensor on_gpu(void* memory, DLDataType type, std::vector<int64_t>& shape) {
    return {memory, {kDLCUDA, 0}, static_cast<int32_t>(shape.size()), type, shape.data(), nullptr, 0};
}

int scale_on_gpu(std::vector<float> numbers) {
    const std::size_t bytes = numbers.size() * sizeof(float);
    float *x = nullptr, *y = nullptr;
    if (cudaMalloc(&x, bytes) != cudaSuccess || cudaMalloc(&y, bytes) != cudaSuccess) return 1;
    cudaMemcpy(x, numbers.data(), bytes, cudaMemcpyHostToDevice);
    std::vector<int64_t> shape{static_cast<int64_t>(numbers.size())};
    DLTensor X = on_gpu(x, f32, shape), Y = on_gpu(y, f32, shape);
    scale(X, Y, 3.0f);
    cudaMemcpy(numbers.data(), y, bytes, cudaMemcpyDeviceToHost);
    std::printf("3 * 2 = %g\n", numbers[1]);
    cudaFree(x);
    cudaFree(y);
    return numbers[1] == 6 ? 0 : 1;
}

}  // namespace

int main() {
    // Arguments are checked before any device is touched, so this runs anywhere.
    alignas(16) static char memory[2 * 200 * 2];
    std::vector<int64_t> shape{1, 200};
    DLTensor X = on_gpu(memory, bf16, shape), Y = on_gpu(memory + 400, bf16, shape);
    try {
        softmax(X, Y);
        return 1;  // the kernel is made for rows of 256
    } catch (const std::runtime_error& refused) {
        std::printf("%s\n", refused.what());
    }
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        std::printf("there is no GPU here\n");
        return 0;
    }
    return scale_on_gpu({1, 2, 3});
}
