// Tensors as arrays.
#include "emulator/tensor_view.h"

#include <algorithm>

namespace tkc::emulator {

Array to_array(const Tensor& tensor) {
    Array array = Array::filled(tensor.extents, 0);
    if (is_integer(tensor.dtype)) array.kind = NumberKind::integer;
    array.wraps = wrapping(tensor.dtype);
    if (is_boolean(tensor.dtype)) array.kind = NumberKind::boolean;
    const auto read = [&]<class Number>(Number) {
        std::vector<Number> line;
        for_each_line(tensor, [&](std::int64_t first, std::int64_t element, std::int64_t step,
                                  std::int64_t count) {
            line.resize(static_cast<std::size_t>(count));
            read_numbers(tensor.dtype, tensor.at(element), line.data(), line.size(), step);
            std::copy(line.begin(), line.end(), array.cells.begin() + first);
        });
    };
    if (tensor.dtype == Dtype::f64) read(double{});
    else if (is_real(tensor.dtype)) read(float{});
    else read(std::int64_t{});
    return array;
}

}  // namespace tkc::emulator
