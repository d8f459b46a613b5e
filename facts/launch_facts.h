// What is known of a launch, whether it has programs or not.
#pragma once

#include "facts/facts.h"

namespace tkc::ir {

// `fact` of what a kernel states of elements of tensors, with the condition, as the text of an IR
// expression, in place of a tensor's name: for the proofs, next to the text for people.
inline constexpr const char* stated_condition = "holds";

// Extents are never negative, and what `requires` states. `facts_of` is this and one program:
// where an axis of the grid is empty there is none, and what holds of every program says nothing.
Facts facts_of_launch(const Kernel& kernel, const Bindings& bindings,
                      Conditions conditions = Conditions::all);

}  // namespace tkc::ir
