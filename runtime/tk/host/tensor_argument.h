// How a kernel receives a tensor that it accesses element by element: its address and strides.
#pragma once

#include <cstdint>

namespace tk {

// Extents are not part of it: a kernel knows them by their names.
template <class T, int Rank>
struct tensor_argument {
    T* data;
    int64_t stride[Rank];  // in elements
};

}  // namespace tk
