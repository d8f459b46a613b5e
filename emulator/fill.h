// The tensors of a test: their memory with what lies around them, and their data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "emulator/reference.h"
#include "emulator/tensor.h"
#include "frontend/parse/ast.h"

namespace tkc::emulator {

// A tensor whose storage holds nothing but poison, with guards around it: NaN in real types, a
// pattern in others. `value` may name strides and an offset; null: dense. Nothing: reported.
std::optional<Tensor> make_tensor(const std::string& name, Dtype dtype, const Shape& extents,
                                  const ast::Expr* value, Span span, const Arrays& numbers,
                                  const EvaluationContext& context);

// Fills the elements with `value`: a number, a list or a fill. False: reported.
bool fill(Tensor& tensor, const std::string& name, const ast::Expr& value, std::uint64_t seed,
          const Arrays& numbers, const EvaluationContext& context);

// The extents of a list as far as it is nested; nothing for any other value.
std::optional<Shape> list_extents(const ast::Expr& value);

// The element of `after`, counted from the view's first one, that lies outside of the view and
// differs from `before`.
std::optional<std::int64_t> overwritten_guard(const Tensor& before, const Tensor& after);

// A seed from words: the same on every machine.
std::uint64_t seed_of(const std::string& words, std::uint64_t seed);

}  // namespace tkc::emulator
