// Rewriting elementwise operations.
#include "lowering/tile/map_rewrite.h"

#include <algorithm>

namespace tkc::lowering {

namespace {

using namespace ir;

// The number of `input` among the inputs of `map`, which it joins if it is not there.
std::int64_t input_number(std::vector<Value>& inputs, Value input) {
    const auto found = std::find(inputs.begin(), inputs.end(), input);
    const auto number = found - inputs.begin();
    if (found == inputs.end()) inputs.push_back(input);
    return number;
}

}  // namespace

void replace_input(Map& map, Value input, const Scalar& cell,
                   const std::vector<Value>& cell_inputs) {
    if (std::find(map.inputs.begin(), map.inputs.end(), input) == map.inputs.end()) return;
    std::vector<Value> inputs;
    const Scalar moved = rewrite(cell, [&](const Scalar& x) -> Scalar {
        const auto* e = std::get_if<Element>(&x->node);
        if (e == nullptr) return nullptr;
        return element(input_number(inputs, cell_inputs[static_cast<std::size_t>(e->input)]),
                       x->dtype);
    });
    // Not by rewrite(): `moved` holds elements of its own, which are numbered for the new list
    // already.
    const std::vector<Value> before = map.inputs;
    map.expression = rewrite(map.expression, [&](const Scalar& x) -> Scalar {
        const auto* e = std::get_if<Element>(&x->node);
        if (e == nullptr) return nullptr;
        const Value from = before[static_cast<std::size_t>(e->input)];
        return from == input ? moved : element(input_number(inputs, from), x->dtype);
    });
    map.inputs = std::move(inputs);
}

}  // namespace tkc::lowering
