// How a kernel receives a tensor that it touches cell by cell: where it begins and how it is
// spread.
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
