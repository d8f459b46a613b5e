// Elementwise operations: one call of the runtime with a function of a cell.
#pragma once

#include <cstdint>
#include <set>

#include "ir/operations.h"
#include "lowering/cuda/emit_context.h"

namespace tkc::cuda {

void emit(RoleContext& c, const ir::Map& op, Block& out);
void emit(RoleContext& c, const ir::Splat& op, Block& out);

// Gives names to terms that the expression has several times.
void name_shared_terms(RoleContext& c, const ir::Scalar& expression, ScalarScope& scope,
                       Block& out);

// `width` columns of the tile `v` from `column` on, as an argument of store_shared. A tile that is
// computed only to be written away is computed here, so that no lane holds more of it than it
// must.
Expr columns_of(RoleContext& c, ir::Value v, std::int64_t width, const ir::Scalar& column,
                Block& out);

// The tiles of a role that columns_of computes.
std::set<std::uint32_t> computed_by_columns(const ir::Role& role);

}  // namespace tkc::cuda
