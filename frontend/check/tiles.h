// Tiles as values: what an operand is as a tile, and what becomes a value of the IR.
#pragma once

#include "base/diagnose.h"
#include "frontend/check/forward.h"
#include "frontend/check/values.h"

namespace tkc::checker {

// A place that holds a tile: a variable, a field, a store.
struct Place {
    Dtype dtype;
    std::int64_t rows;
    std::int64_t cols;
};

// The cell of `tile` with its inputs numbered as in `inputs`, which takes those it lacks.
ir::Scalar renumbered(const Tile& tile, std::vector<ir::Value>& inputs);

class Tiles {
public:
    Tiles(Context& context, Builder& builder, Numbers& numbers, Axes& axes);

    Tile tile_of(ir::Value value) const;
    // The value that `tile` is, if it is just that.
    std::optional<ir::Value> plain(const Tile& tile) const;
    // Whether no variable is in it.
    bool is_fixed(const Tile& tile) const;
    // A condition that holds wherever it is looked at: it is computed where it is used, since as a
    // value it would only fill registers.
    bool is_mask(const Tile& tile) const;
    void compute(ir::Value result, const Tile& tile);
    ir::Value materialize(const Tile& tile, const std::string& name);
    SharedTile share(const Tile& tile);
    // The shared tile as it lies; of a part a window onto it, made here.
    ir::Value value_of(const SharedTile& tile);
    // `length` rows (axis 0) or columns of a tile from `first` on.
    Tile sliced(const Tile& tile, int axis, std::int64_t first, std::int64_t length);
    // Rows and columns exchanged, in a role of warps.
    Tile transposed(const Tile& tile);
    std::optional<Tile> as_tile(const Operand& x, Span span, std::string_view what);
    // Says what of `x`, which is written so, is a value.
    // The element of a tensor at the places where the ranges begin. Null if an error was reported.
    ir::Scalar element_of(const TensorPart& part, Span span);
    // An index of width 1, and what it alone chooses of a tensor, as the number that it stands for;
    // anything else stays.
    Operand as_number(const Operand& x, Span span);
    // How else to come to what a tensor holds that the kernel may not read.
    static void help_with_reading(DiagnosticBuilder& message, const ir::Tensor& tensor);
    void help_with_value(DiagnosticBuilder& message, const Operand& x,
                         const std::string& written) const;
    // Whether `x`, if it is an integer known now, is in the range of `dtype`; false if an error was
    // reported.
    bool check_range(const ir::Scalar& x, Dtype dtype, Span span);
    // `x` with the dtype and shape of the place that it goes to; null where it does not fit.
    ir::Scalar fitted(const ir::Scalar& x, Dtype dtype, Span span, std::string_view place);
    std::optional<Tile> fitted_tile(const Operand& x, Place wanted, Span span,
                                    std::string_view place);

private:
    ir::Scalar loaded_element(const TensorPart& part, Dtype dtype);

    Context& context_;
    Builder& builder_;
    Numbers& numbers_;
    Axes& axes_;
};

}  // namespace tkc::checker
