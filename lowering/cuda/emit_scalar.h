// Scalar expressions of the IR as CUDA expressions.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "facts/value_range.h"
#include "ir/module.h"
#include "lowering/cuda/tree.h"

namespace tkc::cuda {

// What a symbol of the IR is called in emitted code.
struct SymbolUse {
    Expr value;
    bool nonnegative = false;
};

// What the names inside a scalar stand for.
struct ScalarScope {
    const ir::Kernel* kernel = nullptr;
    std::map<std::string, SymbolUse> symbols;
    std::map<std::string, Expr> tensors;  // tensor arguments, by name
    std::vector<Expr> cells;              // of a map's inputs
    Expr row;                             // of the role's tile, not of the warpgroup's part
    Expr column;
    std::vector<std::pair<ir::Scalar, Expr>> known{};  // terms that have a name already
    std::set<std::string>* includes = nullptr;         // runtime headers that the expression needs
    std::shared_ptr<const std::set<std::string>> data{};  // names that depend on what is read
    std::shared_ptr<const ir::Ranges> ranges{};           // of the names
    // Cells, and numbers that change, may wrap, and no launch is asked; but for these places.
    ir::Asked asked = ir::Asked::yes;
    std::vector<ir::Scalar> places{};
};

Expr emit_scalar(const ir::Scalar& s, const ScalarScope& scope);

// The cells of a 16-bit tile, for a place that rounds by itself: an f32 expression if `s` rounds
// one.
Expr emit_unrounded(const ir::Scalar& s, const ScalarScope& scope);

// Whether the outermost step of an expression may leave the numbers of its dtype on the machine.
bool may_wrap(const ir::Scalar& s, const ScalarScope& scope);

// Whether the value of an integer expression is known to be 0 or more.
bool is_nonnegative(const ir::Scalar& s, const ScalarScope& scope);

// Whether every launch keeps the stride of the tensor's last axis at 1.
bool has_dense_rows(const ir::Kernel& kernel, const std::string& tensor);

// A literal of the shortest text that gives back the value.
Expr real_literal(double value, Dtype dtype);

// The type of a scalar in emitted code.
std::string scalar_type(Dtype dtype);

}  // namespace tkc::cuda
