// Assertions that the compiler adds, about what no launch can look at. The emulator and debug
// builds run them; release builds drop them.
#pragma once

#include <string>
#include <vector>

#include "base/function_ref.h"
#include "ir/module.h"

namespace tkc::checker {

// `checks(op, pipeline, out)` appends what the operation relies on to `out`; `pipeline`: of the
// `produce` around it, or empty.
using ChecksOfOperation = FunctionRef<void(const ir::Op&, const std::string&, ir::Block&)>;
// Puts that before each operation of the role, unless the same was asserted on every way there.
// What a `fill` needs is asserted before its `produce`.
void assert_before_operations(ir::Role& role, ChecksOfOperation checks);

// Puts the assertions of `first` before the body of the role, each once.
void assert_first(ir::Role& role, ir::Block first);

// Both conditions; one that is null always holds.
ir::Scalar both_hold(const ir::Scalar& a, const ir::Scalar& b);

// Whether the expression differs by the cell: `row` or `col` is in it.
bool differs_by_cell(const ir::Scalar& s);

// Where a cell of the tile that a slice fills lies, with `row` and `col` for its numbers, and
// whether an element of the tensor lies there.
struct CellOfSlice {
    std::vector<ir::Scalar> position;
    ir::Scalar is_element;
};
CellOfSlice cell_of(const ir::Slice& slice, const ir::Tensor& tensor, const ir::TileType& tile);

}  // namespace tkc::checker
