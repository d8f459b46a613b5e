// What an expression can be while it is checked, before it becomes a value of the IR.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "base/variant_from.h"
#include "frontend/parse/ast.h"
#include "ir/module.h"

namespace tkc::checker {

struct Unit;

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

// The positions of a tensor's axis that an axis of a tile stands for.
struct Origin {
    ir::Scalar start;  // without `let`s; null: not known
    std::int64_t length = 0;
    std::set<std::string> variables = {};  // of the grid and of loops, in `start`
    std::string owner = {};  // the role whose loops `start` speaks of, where that is another one
    bool mixed = false;      // it comes from several places
    bool known() const { return start != nullptr && !mixed; }
    bool same_as(const Origin& other) const;
};

struct Origins {
    Origin rows, cols;
};

// Of what is one or the other: known where one is, and mixed where they differ.
Origin common_origin(const Origin& a, const Origin& b);
// Of a part of an axis.
Origin part_of(Origin whole, std::int64_t first, std::int64_t length);
Origins common_origins(const Origins& a, const Origins& b);

// A tile in registers, or one not computed yet: `cell` over the elements of `inputs`. It becomes
// one ir::Map where a value is needed, so that an elementwise tree is one operation.
struct Tile {
    std::int64_t rows = 1;
    std::int64_t cols = 1;
    ir::Scalar cell;
    std::vector<ir::Value> inputs;
    Origins origins = {};
};

// A number that changes where the text does not tell which value it has: in a loop, under a
// condition. It is a tile of one cell, and whoever reads it gets its value at that time.
struct NumberVariable {
    ir::Value value;
    Dtype dtype = Dtype::i32;
};

// A tile in shared memory, a part of it, or the transpose of either; the extents are those of the
// tile seen.
struct SharedTile {
    ir::Value value;  // the whole tile, as it lies
    Dtype dtype = Dtype::f32;
    std::int64_t rows = 1;
    std::int64_t cols = 1;
    bool transposed = false;
    bool part = false;
    std::int64_t first_row = 0;  // of a part: where it begins in the tile as it lies
    std::int64_t first_col = 0;
};

// An element of a pipeline with named fields.
struct Record {
    ir::Value element;
    std::string pipeline;
};

struct TensorName {
    std::string name;
};

struct CounterName {
    std::string name;
};

// A[m, k] before it is loaded or stored to. `extents`: of the axes that are not dropped.
struct TensorPart {
    ir::Slice slice;
    Dtype dtype = Dtype::f32;
    std::vector<std::int64_t> extents;
    bool single = true;  // every range is an index of width 1, which stands for a position as well
    bool element = false;  // one element, at places that are numbers
    // For each range, of one position in a view: that the position lies in it. Null: nothing to
    // ask.
    std::vector<ir::Scalar> within = {};
    std::vector<ir::Scalar> places_in_view = {};  // as ir::Load has them
};

// A tensor, or part of one, by axes; what lies outside of a view belongs to others.
struct View {
    struct Axis {
        ir::Scalar fixed;  // dropped: the position in the tensor; null: an axis of the view
        ir::Scalar start;  // the first element, in the tensor; null: 0
        ir::Scalar extent;
        ir::Scalar end;  // past the last element, in the tensor; null: where the tensor ends
        ir::Scalar within =
            {};  // of `fixed`: it lies in the view that it is a position of; null: known
        // Where it starts, counted from the start of the innermost view of unknown length; null: 0.
        ir::Scalar position = {};
    };
    std::string tensor;
    std::vector<Axis> axes;
};

struct PipelineName {
    std::string name;
};

// A `space`: nothing but a name to walk.
struct SpaceName {
    std::string name;
};

struct RoleName {
    std::string name;
};

struct DtypeName {
    Dtype dtype = Dtype::f32;
};

// A function of a file, as the value of a constant.
struct FunctionName {
    const Unit* unit = nullptr;  // that declares it
    const ast::Function* function = nullptr;
    std::string text;  // `visible`, `masks.causal`: no other function has it
};

struct StructType;
struct StructField;

// A value of a struct: one operand for each field, in the order of the declaration. The IR knows no
// structs: a field is a tile or a number there.
struct StructInstance {
    std::shared_ptr<const StructType> type;
    std::vector<StructField> fields;
};

using AnyOperand =
    std::variant<Poison, Nothing, ir::Scalar, TileIndex, NumberVariable, Tile, SharedTile, Record,
                 TensorName, CounterName, TensorPart, View, PipelineName, SpaceName, RoleName,
                 DtypeName, FunctionName, StructInstance>;

struct Operand : AnyOperand {
    Operand();  // Poison
    template <AlternativeOf<AnyOperand> T>
    Operand(T value) : Operand(alternative<T, AnyOperand>, &value) {}
    // Compiled once, in values.cpp.
    Operand(std::size_t kind, void* value);
    Operand(const Operand&);
    Operand(Operand&&) noexcept;
    Operand& operator=(const Operand&);
    Operand& operator=(Operand&&) noexcept;
    ~Operand();
};

struct StructField {
    Operand value;
};

// A type as written, with its extents evaluated.
struct WrittenType {
    Dtype dtype = Dtype::f32;
    std::vector<std::int64_t> extents;  // none: a number, or a struct
    std::shared_ptr<const StructType> structure;
};

// A struct with its constants fixed.
struct StructType {
    struct Member {
        std::string name;
        WrittenType type;
    };
    const ast::Struct* declared = nullptr;
    std::string text;                // `state<64>`, the identity of the type next to `declared`
    std::vector<Operand> constants;  // in the order of the declaration
    std::vector<Member> members;
};

inline bool is_poison(const Operand& x) { return std::holds_alternative<Poison>(x); }
inline bool is_scalar(const Operand& x) { return std::holds_alternative<ir::Scalar>(x); }
inline const ir::Scalar& scalar(const Operand& x) { return std::get<ir::Scalar>(x); }

// What numbers of two dtypes become when they meet: nothing narrows. Empty: they do not meet.
std::optional<Dtype> common_dtype(Dtype a, Dtype b);
bool widens(Dtype from, Dtype to);

// A function of reals that the GPU computes of f64 as IEEE 754 says.
bool is_exact_in_f64(Function function);
// A number that is in the text with or without a minus, or an integer that is constant.
std::optional<double> written_number(const ir::Scalar& s);
// A formula of numbers of the text alone, in f32 so far.
bool is_written(const ir::Scalar& s);
// A number of the program text or a compile-time constant: it takes the dtype of what it meets.
bool adapts(const ir::Scalar& s);
// `s` as `dtype`; constants are rewritten, others get a conversion. What an expression computes of
// numbers of the text alone is computed in f64 where f64 is asked for.
ir::Scalar converted(const ir::Scalar& s, Dtype dtype);

inline bool is_struct(const Operand& x) { return std::holds_alternative<StructInstance>(x); }
bool same_type(const StructType& a, const StructType& b);
// The field of that name; null where there is none.
StructField* find_field(StructInstance& x, const std::string& name);
std::vector<std::string> field_names(const StructType& type);

// The values of the IR that are read by what `x` stands for.
std::vector<ir::Value> values_of(const Operand& x);
// Rows and columns of a tile; empty for anything else.
std::vector<std::int64_t> extents_of(const Operand& x);

// `bf16[128, 64]`
std::string shape_text(std::int64_t rows, std::int64_t cols);
std::string tile_text(Dtype dtype, std::int64_t rows, std::int64_t cols);
// One operand as `shape_diagrams` shows it: what it is called, its type, and which axis to mark.
struct ShapeDiagram {
    std::string name;  // may be empty
    std::string dtype;
    std::vector<std::string> extents;
    std::size_t axis;
};
ShapeDiagram shape_diagram(std::string name, Dtype dtype, std::int64_t rows, std::int64_t cols,
                           std::size_t axis);
// Shapes under each other, with marks under an axis of each and `words` past the last mark.
std::string shape_diagrams(const std::vector<ShapeDiagram>& shapes, std::string_view words);
// With its article: "an f32 scalar".
std::string scalar_text(Dtype dtype);
// With its article: "a tile f32[128, 256]", "an i32 scalar", "a struct `state<64>`".
std::string type_text(const WrittenType& type);
// As messages say it: "read only", "`out`", ..
std::string_view mode_text(ir::Mode mode);
// With its article, for messages: "a tile f32[128, 256]", "a number i32", "a tensor".
std::string describe(const Operand& x);
// The dtype of numbers and tiles.
std::optional<Dtype> dtype_of(const Operand& x);

}  // namespace tkc::checker
