// What an expression can be while it is checked, before it becomes a value of the IR.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "ir/module.h"

namespace tkc::checker {

// Something wrong, told already: everything made of it is silent.
struct Poison {};

// The result of a call that only has an effect.
struct Nothing {};

// `start`, start + 1, .. start + width - 1: a tile's place on an axis. `aligned`: start is a
// multiple of the width.
struct TileIndex {
    ir::Scalar start;
    std::int64_t width = 1;
    bool aligned = false;
};

// A tile in registers, or one not computed yet: `cell` over the elements of `inputs`. It becomes
// one ir::Map where a value is needed, so that an elementwise tree is one operation.
struct Tile {
    std::int64_t rows = 1;
    std::int64_t cols = 1;
    ir::Scalar cell;
    std::vector<ir::Value> inputs;
};

// A tile in shared memory, or its transpose; the extents are those of the tile seen.
struct SharedTile {
    ir::Value value;
    Dtype dtype = Dtype::f32;
    std::int64_t rows = 1;
    std::int64_t cols = 1;
    bool transposed = false;
};

// An element of a pipeline with named fields.
struct Record {
    ir::Value element;
    std::string pipeline;
};

struct TensorName {
    std::string name;
};

// A[m, k] before it is loaded or stored to. `extents`: of the axes that are not dropped.
struct TensorPart {
    ir::Slice slice;
    Dtype dtype = Dtype::f32;
    std::vector<std::int64_t> extents;
};

struct PipelineName {
    std::string name;
};

struct RoleName {
    std::string name;
};

struct DtypeName {
    Dtype dtype = Dtype::f32;
};

using Operand = std::variant<Poison, Nothing, ir::Scalar, TileIndex, Tile, SharedTile, Record,
                             TensorName, TensorPart, PipelineName, RoleName, DtypeName>;

inline bool is_poison(const Operand& x) { return std::holds_alternative<Poison>(x); }
inline bool is_scalar(const Operand& x) { return std::holds_alternative<ir::Scalar>(x); }
inline const ir::Scalar& scalar(const Operand& x) { return std::get<ir::Scalar>(x); }

// A number of the program text or a compile-time constant: it takes the dtype of what it meets.
bool adapts(const ir::Scalar& s);
// `s` as `dtype`; constants are rewritten, others get a conversion.
ir::Scalar converted(const ir::Scalar& s, Dtype dtype);

// `bf16[128, 64]`
std::string shape_text(std::int64_t rows, std::int64_t cols);
std::string tile_text(Dtype dtype, std::int64_t rows, std::int64_t cols);
// With its article, for messages: "a tile f32[128, 256]", "a number i32", "a tensor".
std::string describe(const Operand& x);
// The dtype of numbers and tiles.
std::optional<Dtype> dtype_of(const Operand& x);

}  // namespace tkc::checker
