// Case labels for all functions of a kind, for switches that treat them alike.
//
// A switch over `Function` has no `default:`, so the build names every place that does not know a
// new function. Those of a kind are in one list here, which is compared with functions.def below.
#pragma once

#include <algorithm>

#include "language/function.h"

#define TKC_ARITHMETIC                                                                      \
    ::tkc::Function::add : case ::tkc::Function::sub : case ::tkc::Function::mul            \
        : case ::tkc::Function::div : case ::tkc::Function::neg : case ::tkc::Function::min \
        : case ::tkc::Function::max : case ::tkc::Function::abs

#define TKC_COMPARISONS                                                       \
    ::tkc::Function::eq : case ::tkc::Function::ne : case ::tkc::Function::lt \
        : case ::tkc::Function::le : case ::tkc::Function::gt : case ::tkc::Function::ge

#define TKC_LOGIC                                                   \
    ::tkc::Function::logical_and : case ::tkc::Function::logical_or \
        : case ::tkc::Function::logical_not

#define TKC_BIT_FUNCTIONS                                                                   \
    ::tkc::Function::bit_and : case ::tkc::Function::bit_or : case ::tkc::Function::bit_xor \
        : case ::tkc::Function::bit_not : case ::tkc::Function::shift_left                  \
        : case ::tkc::Function::shift_right

#define TKC_INTEGER_FUNCTIONS ::tkc::Function::mod : case ::tkc::Function::ceil_div

#define TKC_REAL_FUNCTIONS                                                                     \
    ::tkc::Function::fma : case ::tkc::Function::exp2 : case ::tkc::Function::exp              \
        : case ::tkc::Function::log2 : case ::tkc::Function::log : case ::tkc::Function::sqrt  \
        : case ::tkc::Function::rsqrt : case ::tkc::Function::tanh : case ::tkc::Function::sin \
        : case ::tkc::Function::cos : case ::tkc::Function::erf : case ::tkc::Function::pow    \
        : case ::tkc::Function::floor : case ::tkc::Function::ceil : case ::tkc::Function::round

// Numbers to their bits, and back.
#define TKC_BIT_PATTERNS ::tkc::Function::to_bits : case ::tkc::Function::from_bits

namespace tkc {

// The kind by the lists above.
constexpr FunctionKind kind_of_case(Function f) {
    switch (f) {
        case TKC_COMPARISONS: return FunctionKind::compare;
        case TKC_LOGIC: return FunctionKind::logic;
        case TKC_BIT_FUNCTIONS: return FunctionKind::bits;
        case TKC_INTEGER_FUNCTIONS: return FunctionKind::integer;
        case TKC_REAL_FUNCTIONS: return FunctionKind::real;
        case TKC_BIT_PATTERNS:
            return f == Function::to_bits ? FunctionKind::pattern : FunctionKind::number;
        case Function::where: return FunctionKind::select;
        case TKC_ARITHMETIC: return FunctionKind::arithmetic;
    }
    return FunctionKind::arithmetic;
}
static_assert(std::ranges::all_of(function_table, [](const FunctionInfo& row) {
    return kind_of_case(row.function) == row.kind;
}));

}  // namespace tkc
