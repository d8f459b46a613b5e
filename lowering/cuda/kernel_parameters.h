// The parameters of an emitted kernel: what its head declares is what its launcher passes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ir/module.h"

namespace tkc::cuda {

struct KernelParameter {
    enum class Kind : std::uint8_t {
        map,       // a tensor map, named as in Kernel::maps
        tensor,    // tk::tensor_argument: address and strides of a tensor that is touched cell by
                   // cell
        extent,    // an extent that the kernel computes with, an int
        scalar,    // a scalar parameter
        counters,  // the counters of the kernel, one after the other
    };
    Kind kind = Kind::map;
    std::string name;  // of the map, tensor, extent or parameter
    std::string type;  // in emitted code, qualifiers included
};

// In this order: the kernel's maps; the tensors touched cell by cell (StoreCells, LoadCells,
// CopyLoad, and elements in expressions) in the order of declaration; the extents, in the order of
// ir::bindings, and then the scalar parameters that occur in the kernel's grid, lets and roles or
// in the extents of such tensors and of counters; the counters.
std::vector<KernelParameter> kernel_parameters(const ir::Kernel& kernel);

// The type of one element in emitted code: tk::bf16, float, int, ..
std::string element_type(Dtype dtype);

}  // namespace tkc::cuda
