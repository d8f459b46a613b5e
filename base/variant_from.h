// Variants of many alternatives are much code for the compiler: to construct one from an
// alternative, every file that does it instantiates the destructor of all. A struct around the
// variant declares its copies and its destructor, defines them in one source, and its constructor
// from an alternative hands over which one and where it is:
//
//     template <AlternativeOf<AnyOp> T> Op(T value) : Op(alternative<T, AnyOp>, &value) {}
//     Op(std::size_t kind, void* value);  // in the source: node(variant_from<AnyOp>(kind, value))
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <variant>

namespace tkc {

template <class T, class Variant>
inline constexpr std::size_t alternative = std::variant_npos;
// Which alternative of the variant a T is.
template <class T, class... Ts>
inline constexpr std::size_t alternative<T, std::variant<Ts...>> = [] {
    constexpr std::array<bool, sizeof...(Ts)> same{std::is_same_v<T, Ts>...};
    std::size_t i = 0;
    while (i < same.size() && !same[i]) ++i;
    return i;
}();

template <class T, class Variant>
concept AlternativeOf = alternative<T, Variant> < std::variant_size_v<Variant>;

template <class... Ts>
std::variant<Ts...> variant_from(std::variant<Ts...>*, std::size_t kind, void* value) {
    using Made = std::variant<Ts...>;
    constexpr std::array<Made (*)(void*), sizeof...(Ts)> makers{+[](void* from) {
        return Made(std::in_place_type<Ts>, std::move(*static_cast<Ts*>(from)));
    }...};
    return makers[kind](value);
}

// The variant made of the alternative number `kind`, which is moved out of `value`.
template <class Variant>
Variant variant_from(std::size_t kind, void* value) {
    return variant_from(static_cast<Variant*>(nullptr), kind, value);
}

}  // namespace tkc
