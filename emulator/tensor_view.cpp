// Tensors as arrays.
#include "emulator/tensor_view.h"

#include <algorithm>

namespace tkc::emulator {

Array to_array(const Tensor& tensor) {
    NumberKind kind = NumberKind::real;
    if (is_integer(tensor.dtype)) kind = NumberKind::integer;
    if (is_boolean(tensor.dtype)) kind = NumberKind::boolean;
    Array array = Array::zeros(tensor.extents, kind);
    array.wraps = wrapping(tensor.dtype);
    const auto read = [&]<class Number, class Cell>(Number, std::vector<Cell>& cells) {
        std::vector<Number> line;
        for_each_line(tensor, [&](std::int64_t first, std::int64_t element, std::int64_t step,
                                  std::int64_t count) {
            line.resize(static_cast<std::size_t>(count));
            read_numbers(tensor.dtype, tensor.at(element), line.data(), line.size(), step);
            std::copy(line.begin(), line.end(), cells.begin() + first);
        });
    };
    if (!array.is_real()) read(std::int64_t{}, array.of<std::int64_t>());
    else if (tensor.dtype == Dtype::f64) read(double{}, array.of<double>());
    else read(float{}, array.of<double>());
    return array;
}

}  // namespace tkc::emulator
