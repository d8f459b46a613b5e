// What is evaluated only under a condition. Where a number decides, `if c { a } else { b }`,
// `where`, `and` and `or` evaluate what it chooses, from left to right, as C++ does with `?:`, `&&`
// and `||`. Where cells decide, both sides are computed.
#pragma once

#include <optional>
#include <vector>

#include "arithmetic/scalar.h"
#include "base/function_ref.h"

namespace tkc::ir {

// A condition, and whether it holds where something is evaluated.
struct Guard {
    Scalar condition;
    bool holds = true;
};
using Guards = std::vector<Guard>;  // all of them, the outermost first

// Whether evaluating it needs what is around it: it reads an element that must lie inside of its
// tensor, or divides integers by what is not a constant. What needs neither may be computed
// outside of its condition.
bool needs_its_condition(const Scalar& s);

// Whether a number is there, and not the cell of a tile or of a list.
bool is_single_number(const Scalar& s);

// Whether a number decides what the call evaluates, its first argument.
bool chooses_by_number(const Call& call);
// Under which condition a call evaluates an argument, next to those of the call itself; none where
// it always does.
std::optional<Guard> guard_of_argument(const Call& call, std::size_t argument);

// Calls `f` on every node with the conditions under which it is evaluated, `guards` and those
// inside the expression. What a node is made of comes before it, and not what an external function
// means.
void visit_evaluated(const Scalar& s, Guards& guards,
                     FunctionRef<void(const Scalar&, const Guards&)> f);

// `rewrite`, of which `f` hears under which conditions a node is evaluated: those conditions are
// rewritten already.
Scalar rewrite_evaluated(const Scalar& s, Guards& guards,
                         FunctionRef<Scalar(const Scalar&, const Guards&)> f);

// The opposite, without a `not` where a comparison has one.
Scalar opposite(const Scalar& condition);
// What it says one by one: of `a and b` that it holds, that a does and that b does. Where the first
// holds, the second is evaluated.
Guards parts_of(const Guard& guard);
// The condition of a guard, as an expression that holds; of several, null for none.
Scalar condition_of(const Guard& guard);
Scalar condition_of(const Guards& guards);

}  // namespace tkc::ir
