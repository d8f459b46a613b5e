// Tensors element by element: in the order of rows, whatever their strides.
#pragma once

#include "emulator/array.h"
#include "emulator/number.h"
#include "emulator/tensor.h"

namespace tkc::emulator {

// Calls f(number in the order of rows, element of the storage, step, count) for the lines of the
// view: `count` elements, `step` of the storage from one to the next.
template <class F>
void for_each_line(const Tensor& tensor, F f) {
    const std::int64_t all = tensor.elements();
    const bool number = tensor.extents.empty();
    const std::int64_t count = number ? 1 : tensor.extents.back();
    const std::int64_t step = number ? 0 : tensor.strides.back();
    std::vector<std::int64_t> index(number ? 0 : tensor.extents.size() - 1, 0);
    std::int64_t element = tensor.origin;
    for (std::int64_t i = 0; i < all; i += count) {
        f(i, element, step, count);
        for (std::size_t axis = index.size(); axis-- > 0;) {
            element += tensor.strides[axis];
            if (++index[axis] < tensor.extents[axis]) break;
            element -= tensor.strides[axis] * tensor.extents[axis];
            index[axis] = 0;
        }
    }
}

// Calls f(number in the order of rows, element of the storage) for every element of the view.
template <class F>
void for_each_element(const Tensor& tensor, F f) {
    for_each_line(tensor, [&](std::int64_t first, std::int64_t element, std::int64_t step,
                              std::int64_t count) {
        for (std::int64_t i = 0; i < count; ++i) f(first + i, element + i * step);
    });
}

template <class T>
void write_cell(Tensor& tensor, std::int64_t element, T value) {
    if (is_real(tensor.dtype))
        write_real(tensor.dtype, static_cast<double>(value), tensor.at(element));
    else write_integer(tensor.dtype, static_cast<std::int64_t>(value), tensor.at(element));
}

// Sets every element to zero.
inline void clear(Tensor& tensor) {
    for_each_element(tensor,
                     [&](std::int64_t, std::int64_t element) { write_cell(tensor, element, 0); });
}

// The elements as an array for references.
Array to_array(const Tensor& tensor);

}  // namespace tkc::emulator
