// Walks over the members of the IR's structs, all derived from their fields().
//
// Nothing here knows an operation by name. A member's type says what it is: Value an operand (or,
// if it is called `result`, a result), Scalar an expression, Slice part of a tensor, Block a nested
// region, a vector of structs a list of nested items, anything else an attribute. What is to be
// done for every member is compiled once for each type of members, and not once for each member of
// each of seventy structs: reflect.cpp makes a table of every struct.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/function_ref.h"
#include "ir/module.h"

namespace tkc::ir {

// ---- spellings of enums in the text form; empty for what is not an enumerator. A new one without
// a spelling does not compile (-Wswitch).

constexpr std::string_view enum_name(Mode mode) {
    switch (mode) {
        case Mode::in: return "in";
        case Mode::out: return "out";
        case Mode::inout: return "inout";
        case Mode::accumulate: return "accumulate";
        case Mode::scratch: return "scratch";
    }
    return {};
}
constexpr std::string_view enum_name(Transfer transfer) {
    switch (transfer) {
        case Transfer::automatic: return "automatic";
        case Transfer::tma: return "tma";
        case Transfer::vectors: return "vectors";
    }
    return {};
}
constexpr std::string_view enum_name(CacheHint cache) {
    switch (cache) {
        case CacheHint::none: return "none";
        case CacheHint::evict_first: return "evict_first";
        case CacheHint::evict_last: return "evict_last";
    }
    return {};
}
constexpr std::string_view enum_name(Unit unit) {
    switch (unit) {
        case Unit::warp: return "warp";
        case Unit::warpgroup: return "warpgroup";
    }
    return {};
}
constexpr std::string_view enum_name(Split split) {
    switch (split) {
        case Split::none: return "none";
        case Split::rows: return "rows";
        case Split::columns: return "columns";
    }
    return {};
}
constexpr std::string_view enum_name(Channel channel) {
    switch (channel) {
        case Channel::products: return "products";
        case Channel::store_reads: return "store_reads";
        case Channel::store_writes: return "store_writes";
    }
    return {};
}
constexpr std::string_view enum_name(Scope scope) {
    switch (scope) {
        case Scope::warpgroup: return "warpgroup";
        case Scope::role: return "role";
    }
    return {};
}
constexpr std::string_view enum_name(TileFunction function) { return name(function); }
constexpr std::string_view enum_name(Level level) {
    switch (level) {
        case Level::tile: return "tile";
        case Level::mixed: return "mixed";
        case Level::scheduled: return "scheduled";
    }
    return {};
}

// ---- tables of structs

// A struct with a kind and a list of members: an operation, or a part of the container.
template <class T>
concept Reflected = requires {
    { T::kind } -> std::convertible_to<const char*>;
    T::fields();
};

enum class MemberType : std::uint8_t {
    text,
    integer,
    boolean,
    scalar,
    dtype,
    type,
    tile_type,
    value,
    slice,
    texts,
    integers,
    scalars,
    values,
    layout,
    block,
    enumeration,
    list,
};

struct StructInfo;
struct ListInfo;
using EnumName = std::string_view (*)(std::uint8_t);

struct MemberInfo {
    std::string_view name;
    MemberType type;
    std::ptrdiff_t offset;  // in the struct
    bool always_printed;    // data types, functions and the level, whatever they are
    EnumName enum_name = nullptr;
    const ListInfo* list = nullptr;
};

struct StructInfo {
    const char* kind;
    std::vector<MemberInfo> members;  // in the order of fields()
    const void* defaults;             // a struct as it is made
    std::ptrdiff_t span = -1;         // the offset of its `span`, if it has one

    const MemberInfo* find(std::string_view name) const;
    bool has(MemberType type) const;
};

struct ListInfo {
    const StructInfo* item;
    std::size_t (*size)(const void* list);
    void* (*at)(void* list, std::size_t i);
    void (*append)(void* list);  // an item as it is made
};

template <Reflected S>
const StructInfo& struct_info();

// A struct whose type is known at run time.
struct AnyStruct {
    void* place;
    const StructInfo* info;

    template <Reflected S>
    S* as() const {
        return info == &struct_info<S>() ? static_cast<S*>(place) : nullptr;
    }
    Span* span() const;
};

// A member that is an enum.
struct AnyEnum {
    std::uint8_t* place;
    EnumName name;

    std::string_view text() const { return name(*place); }
};

// A member that is a list of structs.
struct AnyList {
    void* place;
    const ListInfo* info;

    std::size_t size() const { return info->size(place); }
    AnyStruct operator[](std::size_t i) const { return {info->at(place, i), info->item}; }
    AnyStruct append() const {
        info->append(place);
        return (*this)[size() - 1];
    }
};

template <Reflected S>
AnyStruct any_struct(S& s) {
    return {&s, &struct_info<S>()};
}
// What the operation is.
AnyStruct any_struct(Op& op);
// The operation of that kind as it is made; empty where there is none.
std::optional<Op> make_op(std::string_view kind);
// Every kind of operation.
std::vector<std::string_view> all_op_kinds();

// Calls f(name, member) for every member of the struct, in the order of fields(). `member` is a
// reference to one of the types in MemberType, AnyEnum or AnyList.
template <class F>
void for_each_member(AnyStruct s, F&& f) {
    for (const MemberInfo& m : s.info->members) {
        const std::string_view name = m.name;
        void* const at = static_cast<char*>(s.place) + m.offset;
        switch (m.type) {
            case MemberType::text: f(name, *static_cast<std::string*>(at)); break;
            case MemberType::integer: f(name, *static_cast<std::int64_t*>(at)); break;
            case MemberType::boolean: f(name, *static_cast<bool*>(at)); break;
            case MemberType::scalar: f(name, *static_cast<Scalar*>(at)); break;
            case MemberType::dtype: f(name, *static_cast<Dtype*>(at)); break;
            case MemberType::type: f(name, *static_cast<Type*>(at)); break;
            case MemberType::tile_type: f(name, *static_cast<TileType*>(at)); break;
            case MemberType::value: f(name, *static_cast<Value*>(at)); break;
            case MemberType::slice: f(name, *static_cast<Slice*>(at)); break;
            case MemberType::texts: f(name, *static_cast<std::vector<std::string>*>(at)); break;
            case MemberType::integers: f(name, *static_cast<std::vector<std::int64_t>*>(at)); break;
            case MemberType::scalars: f(name, *static_cast<std::vector<Scalar>*>(at)); break;
            case MemberType::values: f(name, *static_cast<std::vector<Value>*>(at)); break;
            case MemberType::layout: f(name, *static_cast<Layout*>(at)); break;
            case MemberType::block: f(name, *static_cast<Block*>(at)); break;
            case MemberType::enumeration: {
                AnyEnum e{static_cast<std::uint8_t*>(at), m.enum_name};
                f(name, e);
                break;
            }
            case MemberType::list: {
                AnyList list{at, m.list};
                f(name, list);
                break;
            }
        }
    }
}
template <class F>
void for_each_member(Op& op, F&& f) {
    for_each_member(any_struct(op), f);
}
template <class F>
void for_each_member(const Op& op, F&& f) {
    for_each_member(any_struct(const_cast<Op&>(op)),
                    [&](std::string_view name, const auto& member) { f(name, member); });
}

// The operation's kind, as in the text form.
std::string_view kind(const Op& op);

// The operation as a T, or null.
template <class T>
T* as(Op& op) {
    return std::get_if<T>(&op.node);
}
template <class T>
const T* as(const Op& op) {
    return std::get_if<T>(&op.node);
}

// The visits that walks are made of. Each is compiled once, in reflect.cpp, and calls back.
namespace visit {
void results(Op& op, FunctionRef<void(Value&)> f);
void operands(Op& op, FunctionRef<void(Value&)> f);
void slices(Op& op, FunctionRef<void(Slice&)> f);
void scalars(Op& op, FunctionRef<void(Scalar&)> f);
void blocks(Op& op, FunctionRef<void(Block&)> f);
// Results, and values that an operation overwrites although they are none.
void written(Op& op, FunctionRef<void(Value&)> f);

// Whether operations of a kind hold blocks, by its number in the variant: few do, and every walk
// asks this of every operation.
template <class Operation>
constexpr bool holds_blocks() {
    const auto is_block = []<class S, class T>(const Member<S, T>&) {
        return std::is_same_v<T, Block>;
    };
    return std::apply([&](const auto&... members) { return (is_block(members) || ...); },
                      Operation::fields());
}
template <class... Operations>
constexpr std::array<bool, sizeof...(Operations)> kinds_with_blocks(
    const std::variant<Operations...>*) {
    return {holds_blocks<Operations>()...};
}
inline constexpr auto with_blocks = kinds_with_blocks(static_cast<const AnyOp*>(nullptr));

// `T`, const where `O` is.
template <class O, class T>
using Alike = std::conditional_t<std::is_const_v<O>, const T, T>;
}  // namespace visit

// Calls f(Value&) for the values that the operation itself makes or overwrites.
template <class O, class F>
void for_each_result(O& op, F&& f) {
    visit::results(const_cast<Op&>(op),
                   [&](Value& x) { f(static_cast<visit::Alike<O, Value>&>(x)); });
}

// Calls f(Value&) for every other value it names, in order; unset ones are passed over. (A result
// that is also read, as by an accumulating product, is not among them: see reads().)
template <class O, class F>
void for_each_operand(O& op, F&& f) {
    visit::operands(const_cast<Op&>(op),
                    [&](Value& x) { f(static_cast<visit::Alike<O, Value>&>(x)); });
}

// Calls f(Value&) for results and operands alike.
template <class O, class F>
void for_each_value(O& op, F&& f) {
    for_each_result(op, f);
    for_each_operand(op, f);
}

// Whether the operation itself (not its blocks) reads `v`: as an operand, or as the accumulator
// of an accumulating product.
bool reads(const Op& op, Value v);
// Whether the operation itself writes `v`.
bool writes(const Op& op, Value v);

// Calls f(Value&) for the values that writes() is true of.
template <class O, class F>
void for_each_written(O& op, F&& f) {
    visit::written(const_cast<Op&>(op),
                   [&](Value& x) { f(static_cast<visit::Alike<O, Value>&>(x)); });
}

// Calls f(Slice&) for the tensor slices of the operation itself.
template <class O, class F>
void for_each_slice(O& op, F&& f) {
    visit::slices(const_cast<Op&>(op),
                  [&](Slice& x) { f(static_cast<visit::Alike<O, Slice>&>(x)); });
}

// Calls f(Scalar&) for the expressions of the operation itself, those inside slices included;
// null ones are passed over.
template <class O, class F>
void for_each_scalar(O& op, F&& f) {
    visit::scalars(const_cast<Op&>(op),
                   [&](Scalar& x) { f(static_cast<visit::Alike<O, Scalar>&>(x)); });
}

// Calls f(Block&) for the regions directly inside the operation.
template <class O, class F>
void for_each_block(O& op, F&& f) {
    if (!visit::with_blocks[op.node.index()]) return;
    visit::blocks(const_cast<Op&>(op),
                  [&](Block& x) { f(static_cast<visit::Alike<O, Block>&>(x)); });
}

}  // namespace tkc::ir
