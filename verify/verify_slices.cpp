// Verifies slices of tensors: their ranges, the tiles that they move, and tensor maps.
#include <algorithm>

#include "ir/print.h"
#include "verify/verify_internal.h"

namespace tkc::ir::verifier {

namespace {

void check_range(const Context& context, const Tensor& tensor, std::size_t axis,
                 const Range& range) {
    if (range.length < 1) context.report.add("axis {} of the slice is empty", axis);
    if (range.kind != Range::Kind::whole) {
        if (!range.base) return;  // reported where it was seen to be missing
        if (!is_integer(range.base->dtype)) {
            context.report.add("`{}` is not an integer", to_string(range.base));
        }
        if (range.edge && range.kind == Range::Kind::index) {
            context.report.add("axis {} of the slice is one position, but has an edge", axis);
        } else if (range.edge && !is_integer(range.edge->dtype)) {
            context.report.add("`{}` is not an integer", to_string(range.edge));
        }
        return;
    }
    std::int64_t extent = 0;
    const Scalar& declared = tensor.extents[axis];
    if (!declared || !is_constant(declared, &extent) || extent != range.length) {
        context.report.add("axis {} of `{}` is not {} for every launch", axis, tensor.name,
                           range.length);
    }
}

// The tensor, if the slice is one of it.
const Tensor* tensor_of(const Context& context, const Slice& slice) {
    const Tensor* tensor = find_tensor(context.kernel, slice.tensor);
    if (tensor == nullptr) {
        context.report.add("there is no tensor `{}`", slice.tensor);
        return nullptr;
    }
    if (tensor->extents.size() != slice.ranges.size()) {
        context.report.add("`{}` has {} axes, not {}", slice.tensor, tensor->extents.size(),
                           slice.ranges.size());
        return nullptr;
    }
    for (std::size_t i = 0; i < slice.ranges.size(); ++i) {
        check_range(context, *tensor, i, slice.ranges[i]);
    }
    return tensor;
}

}  // namespace

void verify_slice(const Context& context, const Slice& slice, const TileType& type) {
    const Tensor* tensor = tensor_of(context, slice);
    if (tensor == nullptr) return;
    std::vector<std::int64_t> lengths;
    for (const Range& r : slice.ranges) {
        if (r.kind != Range::Kind::index) lengths.push_back(r.length);
    }
    if (tensor->dtype != type.dtype) {
        context.report.add("`{}` is {}, but the tile is {}", slice.tensor, name(tensor->dtype),
                           to_string(type));
    }
    const bool fits = lengths.size() == 2   ? lengths[0] == type.rows && lengths[1] == type.cols
                      : lengths.size() == 1 ? (type.rows == 1 || type.cols == 1) &&
                                                  lengths[0] == type.rows * type.cols
                                            : lengths.empty() && type.rows == 1 && type.cols == 1;
    if (!fits)
        context.report.add("`{}` does not have the extents of {}", to_string(slice),
                           to_string(type));
}
void verify_map_of_slice(const Context& context, const std::string& name, const Slice& slice,
                         bool of_view, const Buffer* filled) {
    const TensorMap* map = find_map(context.kernel, name);
    if (map == nullptr) {
        context.report.add("there is no tensor map `{}`", name);
        return;
    }
    if (map->tensor != slice.tensor) context.report.add("`{}` is a map of `{}`", name, map->tensor);
    if (of_view != (map->view_axis >= 0))
        context.report.add("`{}` does not end where the slice does", name);
    if (filled != nullptr && map->tf32 != filled->tf32)
        context.report.add("map `{}` and buffer `{}` round differently", name, filled->name);
    if (map->box.size() != slice.ranges.size()) return;  // reported with the map or the slice
    for (std::size_t i = 0; i < map->box.size(); ++i) {
        const Range& r = slice.ranges[i];
        const std::int64_t box = std::max<std::int64_t>(map->box[i], 1);
        const std::int64_t length = r.kind == Range::Kind::index ? 1 : r.length;
        if (length % box != 0) {
            context.report.add("the box of `{}` has {} cells along axis {}, but the slice has {}",
                               name, box, i, length);
        }
    }
}

}  // namespace tkc::ir::verifier
