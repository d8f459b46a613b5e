// Types and small parts of the IR: values, tile types, layouts, slices of tensors.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "arithmetic/scalar.h"
#include "language/dtype.h"

namespace tkc::ir {

// A tile or pipeline element of one role: an index into Role::values.
struct Value {
    std::uint32_t id = std::numeric_limits<std::uint32_t>::max();

    explicit operator bool() const { return id != std::numeric_limits<std::uint32_t>::max(); }
    friend bool operator==(Value, Value) = default;
};

enum class Space : std::uint8_t { registers, shared };

// How a shared tile is divided: among the blocks of a cluster, each of which loads its part and
// sends it to all; or among the warps of a role, each of which stores its part.
enum class Split : std::uint8_t { none, rows, columns };

// T[rows, cols] in registers or shared memory. Extents are those of the whole role's tile.
struct TileType {
    Dtype dtype = Dtype::f32;
    std::int64_t rows = 0;
    std::int64_t cols = 0;
    Space space = Space::registers;

    friend bool operator==(const TileType&, const TileType&) = default;
};

constexpr TileType transposed(const TileType& t) { return {t.dtype, t.cols, t.rows, t.space}; }

// An element of a pipeline that a role holds, from `consume` to its release.
struct ElementType {
    std::string pipeline;

    friend bool operator==(const ElementType&, const ElementType&) = default;
};

using Type = std::variant<TileType, ElementType>;

// One axis of a slice. `index`: one position, the axis is dropped; `span`: `length` cells from
// `base`; `whole`: all of an axis of constant extent `length` (base is 0); `gather`: `length` cells
// at positions of their own: `base` with `row` for the number of the cell, along whichever axis.
struct Range {
    enum class Kind : std::uint8_t { index, span, whole, gather };
    Kind kind = Kind::index;
    Scalar base;
    std::int64_t length = 1;
    // Of a span in a view: where the view ends, at or before the end of the tensor. What lies
    // after belongs to another view: it is not written, and reads as zero, except by TMA, which
    // reads what is there. Null: the end of the tensor. Of a gather: how many of the cells have a
    // position; those after lie outside. Null: all.
    Scalar edge = nullptr;
};

// Part of a tensor, one Range per axis; cells outside the tensor read as zero and are not written.
struct Slice {
    std::string tensor;
    std::vector<Range> ranges;
};

// Whether cells along some axis of the slice have positions of their own.
inline bool has_gather(const Slice& slice) {
    return std::any_of(slice.ranges.begin(), slice.ranges.end(),
                       [](const Range& r) { return r.kind == Range::Kind::gather; });
}

// Whether the slice is one of a view that ends before its tensor does.
inline bool has_edge(const Slice& slice) {
    return std::any_of(slice.ranges.begin(), slice.ranges.end(),
                       [](const Range& r) { return r.edge != nullptr; });
}

// Mode of a tensor parameter (docs/language/tensors.md).
enum class Mode : std::uint8_t { in, out, inout, accumulate, scratch };

// Who moves the cells of a load or store: the compiler's choice, cell by cell in the end; the
// tensor memory accelerator; or the lanes themselves, 16 bytes at a time (into a stage:
// asynchronously).
enum class Transfer : std::uint8_t { automatic, tma, vectors };

// What the L2 cache is asked to do with the lines that a load or store touches: to replace them
// before others, or after. It changes no result.
enum class CacheHint : std::uint8_t { none, evict_first, evict_last };

enum class Unit : std::uint8_t { warp, warpgroup };

}  // namespace tkc::ir
