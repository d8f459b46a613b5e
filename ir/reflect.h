// Walks over the members of the IR's structs, all derived from their fields().
//
// Nothing here knows an operation by name. A member's type says what it is: Value an operand (or,
// if it is called `result`, a result), Scalar an expression, Slice part of a tensor, Block a nested
// region, a vector of structs a list of nested items, anything else an attribute.
#pragma once

#include <array>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "ir/module.h"
#include "language/function_ref.h"

namespace tkc::ir {

/// A struct with a kind and a list of members: an operation, or a part of the container.
template <class T>
concept Reflected = requires {
    { T::kind } -> std::convertible_to<const char*>;
    T::fields();
};

/// Calls f(name, member) for every member of `s` in the order of fields().
template <class S, class F>
requires Reflected<std::remove_const_t<S>>
constexpr void for_each_member([[maybe_unused]] S& s, [[maybe_unused]] F&& f) {
    std::apply([&](const auto&... m) { (f(std::string_view(m.name), s.*(m.pointer)), ...); },
               std::remove_const_t<S>::fields());
}

/// The spellings of an enum's members, in order.
template <class E>
struct EnumNames;
template <>
struct EnumNames<Mode> {
    static constexpr std::array<std::string_view, 5> names{"in", "out", "inout", "accumulate",
                                                           "scratch"};
};
template <>
struct EnumNames<Transfer> {
    static constexpr std::array<std::string_view, 3> names{"automatic", "tma", "vectors"};
};
template <>
struct EnumNames<Unit> {
    static constexpr std::array<std::string_view, 2> names{"warp", "warpgroup"};
};
template <>
struct EnumNames<Space> {
    static constexpr std::array<std::string_view, 2> names{"registers", "shared"};
};
template <>
struct EnumNames<Split> {
    static constexpr std::array<std::string_view, 5> names{"none", "whole", "rows", "columns",
                                                           "stripes"};
};
template <>
struct EnumNames<Scope> {
    static constexpr std::array<std::string_view, 2> names{"warpgroup", "role"};
};
template <>
struct EnumNames<Reduction> {
    static constexpr std::array<std::string_view, 3> names{"sum", "max", "min"};
};
template <>
struct EnumNames<Level> {
    static constexpr std::array<std::string_view, 3> names{"tile", "mixed", "scheduled"};
};

template <class E>
requires std::is_enum_v<E>
constexpr std::string_view enum_name(E e) {
    return EnumNames<E>::names[static_cast<std::size_t>(e)];
}

template <class T>
inline constexpr bool is_struct_list = false;
template <Reflected T>
inline constexpr bool is_struct_list<std::vector<T>> = true;
template <class T>
concept StructList = is_struct_list<std::remove_const_t<T>>;

/// The operation's kind, as in the text form.
std::string_view kind(const Op& op);

/// The operation as a T, or null.
template <class T>
T* as(Op& op) {
    return std::get_if<T>(&op.node);
}
template <class T>
const T* as(const Op& op) {
    return std::get_if<T>(&op.node);
}

/// Calls f(name, member) for every member of the operation inside `op` (Op or const Op).
template <class O, class F>
requires std::is_same_v<std::remove_const_t<O>, Op>
void for_each_member(O& op, F&& f) {
    std::visit([&](auto& node) { for_each_member(node, f); }, op.node);
}

// The visits that walks are made of. Each is compiled once, in reflect.cpp, and calls back: a
// lambda of its own for each of forty kinds of operations, in every file that walks, took most of a
// build.
namespace visit {
void results(Op& op, FunctionRef<void(Value&)> f);
void operands(Op& op, FunctionRef<void(Value&)> f);
void slices(Op& op, FunctionRef<void(Slice&)> f);
void scalars(Op& op, FunctionRef<void(Scalar&)> f);
void blocks(Op& op, FunctionRef<void(Block&)> f);

/// `T`, const where `O` is.
template <class O, class T>
using Alike = std::conditional_t<std::is_const_v<O>, const T, T>;
}  // namespace visit

/// Calls f(Value&) for the values that the operation itself makes or overwrites.
template <class O, class F>
void for_each_result(O& op, F&& f) {
    visit::results(const_cast<Op&>(op),
                   [&](Value& x) { f(static_cast<visit::Alike<O, Value>&>(x)); });
}

/// Calls f(Value&) for every other value it names, in order; unset ones are passed over. (A result
/// that is also read, as by an accumulating product, is not among them: see reads() in walk.h.)
template <class O, class F>
void for_each_operand(O& op, F&& f) {
    visit::operands(const_cast<Op&>(op),
                    [&](Value& x) { f(static_cast<visit::Alike<O, Value>&>(x)); });
}

/// Calls f(Value&) for results and operands alike.
template <class O, class F>
void for_each_value(O& op, F&& f) {
    for_each_result(op, f);
    for_each_operand(op, f);
}

/// Calls f(Slice&) for the tensor slices of the operation itself.
template <class O, class F>
void for_each_slice(O& op, F&& f) {
    visit::slices(const_cast<Op&>(op),
                  [&](Slice& x) { f(static_cast<visit::Alike<O, Slice>&>(x)); });
}

/// Calls f(Scalar&) for the expressions of the operation itself, those inside slices included;
/// null ones are passed over.
template <class O, class F>
void for_each_scalar(O& op, F&& f) {
    visit::scalars(const_cast<Op&>(op),
                   [&](Scalar& x) { f(static_cast<visit::Alike<O, Scalar>&>(x)); });
}

/// Calls f(Block&) for the regions directly inside the operation.
template <class O, class F>
void for_each_block(O& op, F&& f) {
    visit::blocks(const_cast<Op&>(op),
                  [&](Block& x) { f(static_cast<visit::Alike<O, Block>&>(x)); });
}

}  // namespace tkc::ir
