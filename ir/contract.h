// The launch contract as data: what binds the extents, which conditions every launch keeps, and the
// messages that say which one it breaks. The launcher, the emulator and Python all use this.
//
// A condition is an expression over names:
//     extents and scalar parameters        M, scale
//     properties of the tensor arguments   A.shape.0, A.stride.1 (elements), A.address (bytes)
// Strides are those that matter: an axis of one element, and every axis of an empty tensor, counts
// as dense with rows at multiples of 16 bytes, and an empty tensor's address as 0. Integers have 64
// bits here, whatever the dtype of a node says. Conditions are read in order: one may rely on those
// before it.
//
// A sentence is the condition's `text`; `{expression}` in it stands for a value at the launch.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/function_ref.h"
#include "ir/module.h"

namespace tkc::ir {

// Extents are less than this, so that positions can step past the end of an axis within 32 bits.
inline constexpr std::int64_t extent_limit = (std::int64_t{1} << 31) - (std::int64_t{1} << 18);
// What a scalar of the kernel, a position or a program's number can be.
inline constexpr std::int64_t i32_limit = std::int64_t{1} << 31;
// Tensor maps: addresses and outer strides are multiples of this, strides less than the limit
// (bytes).
inline constexpr std::int64_t map_alignment = 16;
inline constexpr std::int64_t map_stride_limit = std::int64_t{1} << 40;

// The extent `name` is that of axis `axis` of `tensor`, less `offset`: the first place, in the
// order of the parameters, where an extent is that name alone, or, where there is none, that name
// and a constant (`i32[B + 1]`). Those of `scratch` tensors bind nothing: whoever calls makes them
// of the size that follows from the others.
struct Binding {
    std::string name;
    std::string tensor;
    std::size_t axis = 0;
    std::int64_t offset = 0;
};
std::vector<Binding> bindings(const Signature& signature);

// Whether two runs give the same bits: float sums whose order is left to the machine do not.
bool is_deterministic(const Signature& signature);

// The expression with the constants put in.
Scalar with_constants(const Signature& signature, const Scalar& s);

// The numbers of a kernel's counters, which lie one counter after the other, the last axis of each
// fastest: how many there are, and which of them is one.
// The counter of the dynamic schedule (Kernel::dynamic) comes before all of them.
Scalar cells_of(const Counter& counter);
bool has_counters(const Kernel& kernel);
Scalar cells_of_counters(const Kernel& kernel);
Scalar place_of_counter(const Kernel& kernel, const std::string& counter,
                        const std::vector<Scalar>& at);

Scalar shape_of(const std::string& tensor, std::size_t axis);
Scalar stride_of(const std::string& tensor, std::size_t axis);
Scalar address_of(const std::string& tensor);

// What a symbol of the contract asks of a tensor argument; nothing if it is an extent or
// parameter.
struct Property {
    enum class Kind : std::uint8_t { shape, stride, address };
    Kind kind = Kind::shape;
    std::string tensor;
    std::size_t axis = 0;
};
std::optional<Property> property(const std::string& symbol);

// Programs of the grid along one axis, and in all (axes multiplied from the first on).
Scalar programs_of(const Kernel& kernel, const GridAxis& axis);
Scalar programs_of(const Kernel& kernel);

// A sentence taken apart: text[0], values[0], text[1], .. text[n].
struct MessageText {
    std::vector<std::string> text;
    std::vector<Scalar> values;
};
MessageText sentence(const Condition& condition);
// `{expression}`, for putting a value into a sentence; constants are written out.
std::string hole(const Scalar& s);
// An author's words, for a sentence. Braces in them, those of `if c { a } else { b }`, open no
// hole: a space is after them.
std::string words_of_message(std::string_view text);

using Values = std::map<std::string, std::int64_t>;

// One tensor argument as the contract sees it: after the replacements named at the top.
struct TensorValues {
    std::vector<std::int64_t> shape;
    std::vector<std::int64_t> stride;
    std::int64_t address = 0;
};
// The values of all names of the contract for these arguments, by name of tensor.
Values values_of(const Signature& signature, const std::map<std::string, TensorValues>& tensors);

// The sentence with its values; `?` where one is not known.
std::string render(const Condition& condition,
                   FunctionRef<std::optional<std::int64_t>(const Scalar&)> value_of);

// The sentence of the first condition that `values` break; nothing if all hold. Conditions that
// need more than `values` (float parameters, data) are passed over.
std::optional<std::string> first_failure(const Signature& signature, const Values& values);

}  // namespace tkc::ir
