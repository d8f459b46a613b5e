// Tensors in the emulator's global memory, and what a kernel is called with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "language/dtype.h"

namespace tkc::emulator {

// A view of its own memory: element [i, j, ..] is element origin + i * strides[0] + j * strides[1]
// + .. of `storage`, which holds elements of type `dtype`. The storage may be larger than what
// the view reaches; what lies outside of the view must never be written.
struct Tensor {
    Dtype dtype = Dtype::f32;
    std::vector<std::int64_t> extents;
    std::vector<std::int64_t> strides;  // elements, not negative
    std::int64_t origin = 0;            // elements
    std::vector<std::byte> storage;     // its first byte counts as aligned to 256 bytes

    std::int64_t elements() const {
        std::int64_t product = 1;
        for (std::int64_t e : extents) product *= e;
        return product;
    }
    std::byte* at(std::int64_t element) { return storage.data() + element * bytes(dtype); }
    const std::byte* at(std::int64_t element) const {
        return storage.data() + element * bytes(dtype);
    }
};

// A scalar argument: of an integer type or bool, or of a real one.
using Number = std::variant<std::int64_t, double>;

// What a kernel is called with, by the names of its parameters. Outputs are written in place.
struct Arguments {
    std::map<std::string, Tensor> tensors;
    std::map<std::string, Number> scalars;
};

}  // namespace tkc::emulator
