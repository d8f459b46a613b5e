// Slices of tensors in global memory, as expressions of the emitted code.
#include "lowering/cuda/global_slices.h"

#include <fmt/format.h>

#include <string>

#include "ir/contract.h"
#include "lowering/cuda/emit_map.h"
#include "lowering/cuda/index_bounds.h"
#include "lowering/vector_access.h"

namespace tkc::cuda {

using namespace ir;

namespace {

Expr base_of(RoleContext& c, const Range& r) { return r.base ? scalar(c, r.base) : literal(0); }

// The axes of a slice, where they are not the last two of the tensor, nor its row along the last.
std::string named_axes(const TileAxes& axes, std::size_t rank) {
    const auto number = [](const Range* r, std::size_t axis) {
        return r == nullptr ? std::string("tk::no_axis") : std::to_string(axis);
    };
    const bool row_is_usual =
        rank == 1 ? axes.rows == nullptr : axes.rows != nullptr && axes.row_axis + 2 == rank;
    const bool col_is_usual = axes.cols != nullptr && axes.col_axis + 1 == rank;
    if (row_is_usual && col_is_usual) return "";
    return fmt::format("<{}, {}>", number(axes.rows, axes.row_axis),
                       number(axes.cols, axes.col_axis));
}

// `[&](int row) { return idx[s + row]; }`: where a cell of a gather lies along its axis. Numbers
// that are read may wrap.
Expr positions_of(RoleContext& c, const Range& r, const Expr& offset) {
    ScalarScope scope = c.scope;
    scope.asked = Asked::no;
    c.names.begin_scope();
    const std::string number = c.names.invent("i");
    scope.row = plus(offset, atom(number));
    Block body;
    name_shared_terms(c, r.base, scope, body);
    body.push_back(stmt(Return{emit_scalar(r.base, scope)}));
    c.names.end_scope();
    return expr(Lambda{"&", {{"int", number}}, std::move(body)});
}

// Where a range begins, from a part at `offset` on.
Expr start_of(RoleContext& c, const Range& r, const Expr& offset) {
    return plus(r.base && !is_zero(r.base) ? scalar(c, r.base) : nullptr, offset);
}

// `value`, which is `from`, less the start. From wrong data it may lie as far away as wraps.
Expr less_start(RoleContext& c, const Scalar& from, const Expr& value, const Range& r,
                const Expr& offset) {
    const Expr start = start_of(c, r, offset);
    if (!r.base || !may_wrap(ir::sub(from, r.base), c.scope))
        return binary(BinaryOp::subtract, value, start);
    c.kernel.includes.insert("tk/operations/integer.cuh");
    return call("tk::wrapping_subtract", {value, start});
}

}  // namespace

std::vector<Expr> coordinates(RoleContext& c, const Slice& slice) {
    std::vector<Expr> list;
    for (const Range& r : slice.ranges) list.push_back(base_of(c, r));
    return list;
}

TileAxes tile_axes(const Slice& slice, const TileType& tile) {
    TileAxes axes;
    const bool column = tile.cols == 1 && tile.rows != 1;
    std::size_t spans = 0;
    for (const Range& r : slice.ranges) spans += r.kind == Range::Kind::index ? 0U : 1U;
    for (std::size_t i = 0; i < slice.ranges.size(); ++i) {
        const Range& r = slice.ranges[i];
        if (r.kind == Range::Kind::index) continue;
        const bool is_row = axes.rows == nullptr && (spans == 2 || column);
        (is_row ? axes.rows : axes.cols) = &r;
        (is_row ? axes.row_axis : axes.col_axis) = i;
    }
    return axes;
}

PartPlace place_of(RoleContext& c, Value v) {
    const std::optional<Axis> divided = divided_axis(c.role, v);
    const TileType part = part_of(c, v);
    return {divided == Axis::row ? part_offset(c, part.rows) : nullptr,
            divided == Axis::col && part.cols != 1 ? part_offset(c, part.cols) : nullptr};
}

ir::PlainSigns signs_of(const RoleContext& c) { return {c.kernel.kernel, c.role, *c.scope.ranges}; }

Expr cells_inside(RoleContext& c, const Range& r, const Scalar& end, const Expr& offset) {
    // An edge from wrong data may lie so far before 0 that the distance to it does not fit.
    Scalar last = r.edge ? ir::call(tkc::Function::min, {r.edge, end}) : end;
    if (r.edge && !signs_of(c).never_negative(r.edge))
        last = ir::call(tkc::Function::max, {last, integer(0)});
    const Expr extent = scalar(c, last);
    const bool from_zero = (!r.base || is_zero(r.base)) && !offset;
    return from_zero ? extent : less_start(c, last, extent, r, offset);
}

Expr global_slice(RoleContext& c, const Slice& slice, const TileType& tile,
                  const PartPlace& place) {
    const Kernel& kernel = c.kernel.kernel;
    const Tensor* tensor = find_tensor(kernel, slice.tensor);
    if (tensor == nullptr) throw EmitError(fmt::format("no tensor `{}`", slice.tensor));
    const TileAxes axes = tile_axes(slice, tile);
    const auto offset = [&](const Range& r) {
        return &r == axes.rows ? place.row : &r == axes.cols ? place.col : nullptr;
    };
    std::vector<Expr> position;
    const Range* list = nullptr;
    std::size_t list_axis = 0;
    for (const Range& r : slice.ranges) {
        const bool gather = r.kind == Range::Kind::gather;
        if (gather) {
            list = &r;
            list_axis = position.size();
        }
        position.push_back(gather ? literal(0) : start_of(c, r, offset(r)));
    }
    const auto left = [&](const Range* r, std::size_t axis) {
        if (r == nullptr) return literal(1);
        if (r == list) {  // how many have a position
            const Expr known = r->edge ? scalar(c, r->edge) : literal(r->length);
            return offset(*r) ? binary(BinaryOp::subtract, known, offset(*r)) : known;
        }
        return cells_inside(c, *r, tensor->extents[axis], offset(*r));
    };
    std::vector<Expr> parts{c.scope.tensors.at(slice.tensor), expr(Braced{"", std::move(position)}),
                            left(axes.rows, axes.row_axis), left(axes.cols, axes.col_axis)};
    const ir::PlainSigns signs = signs_of(c);
    // A single position outside of its axis: nothing lies inside.
    for (std::size_t i = 0; i < slice.ranges.size(); ++i) {
        const Range& r = slice.ranges[i];
        if (r.kind != Range::Kind::index) continue;
        if (stays_inside(kernel, c.role, signs, r.base, tensor->extents[i])) continue;
        const Scalar below = less(r.base, tensor->extents[i]);
        const Scalar inside =
            signs.never_negative(r.base)
                ? below
                : ir::call(tkc::Function::logical_and, {less(integer(-1), r.base), below});
        Expr& count = parts[axes.rows != nullptr ? 2 : 3];
        count = expr(Conditional{scalar(c, inside), count, literal(0)});
    }
    const auto before = [&](const Range* r) {
        return r != nullptr && r != list && !signs.never_negative(r->base);
    };
    const bool clipped = before(axes.rows) || before(axes.cols);
    const bool dense = has_dense_rows(kernel, slice.tensor);
    const bool known = is_constant(with_constants(kernel, tensor->extents.back()));
    const bool whole = !clipped && !known && lowering::vector_of(c.role) > 1 &&
                       kernel.general_of.empty() && lowering::moves_vectors(kernel, *tensor) &&
                       lowering::has_whole_vectors(kernel, c.role, slice);
    const char* name = whole ? "vector_slice" : dense ? "dense_slice" : "slice";
    Expr made = call(fmt::format("tk::{}{}", name, named_axes(axes, tensor->extents.size())),
                     std::move(parts));
    const auto with_list = [&](Expr inner) {
        if (list == nullptr) return inner;
        c.kernel.includes.insert("tk/operations/gather.cuh");
        const char* const function =
            list == axes.rows ? "tk::gathered_rows" : "tk::gathered_columns";
        return call(function, {std::move(inner), scalar(c, tensor->extents[list_axis]),
                               positions_of(c, *list, offset(*list))});
    };
    if (!clipped) return with_list(made);
    // The rows and columns before 0 are not there.
    std::vector<Expr> arguments{made};
    for (const Range* r : {axes.rows, axes.cols})
        arguments.push_back(before(r) ? less_start(c, integer(0), literal(0), *r, offset(*r))
                                      : literal(0));
    return with_list(call("tk::clipped", std::move(arguments)));
}

}  // namespace tkc::cuda
