// Scalars to C++: the runtime's integer functions where C++ rounds or overflows otherwise.
#include "lowering/cuda/host_expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/overloaded.h"
#include "ir/contract.h"
#include "language/function_cases.h"
#include "lowering/cuda/emit_scalar.h"
#include "lowering/cuda/names.h"

namespace tkc::cuda {

namespace {

using Fn = tkc::Function;  // this namespace has functions of its own

Expr symbol_expression(const ir::Signature& called, const std::string& name) {
    const auto property = ir::property(name);
    if (!property) {
        const ir::Parameter* p = find_parameter(called, name);
        const bool narrow = p != nullptr && is_integer(p->dtype) && bits_of(p->dtype) < 64;
        const Expr plain = atom(host_name(name));
        return narrow ? expr(Braced{"int64_t", {plain}}) : plain;
    }
    const Expr tensor = atom(host_name(property->tensor));
    const Expr axis = literal(static_cast<std::int64_t>(property->axis));
    switch (property->kind) {
        case ir::Property::Kind::shape: return index(member(tensor, "shape"), axis);
        case ir::Property::Kind::stride: return index(member(tensor, "stride"), axis);
        case ir::Property::Kind::address: return member(tensor, "address");
    }
    return nullptr;
}

// x % d where only zero or not matters, so that C++'s remainder does.
Expr plain_remainder(const ir::Signature& called, const ir::Scalar& s) {
    const auto* c = std::get_if<ir::Call>(&s->node);
    std::int64_t divisor = 0;
    if (c == nullptr || c->function != Fn::mod) return nullptr;
    if (!ir::is_constant(c->arguments[1], &divisor) || divisor < 1) return nullptr;
    const Expr x = host_expression(called, c->arguments[0]);
    return x ? binary(BinaryOp::modulo, x, literal(divisor)) : nullptr;
}

Expr real_call(const ir::Call& c, const std::vector<Expr>& a) {
    switch (c.function) {
        case Fn::add: return binary(BinaryOp::add, a[0], a[1]);
        case Fn::sub: return binary(BinaryOp::subtract, a[0], a[1]);
        case Fn::mul: return binary(BinaryOp::multiply, a[0], a[1]);
        case Fn::div: return binary(BinaryOp::divide, a[0], a[1]);
        case Fn::neg: return unary(UnaryOp::negate, a[0]);
        case Fn::where: return expr(Conditional{a[0], a[1], a[2]});
        // Transcendental functions steer nothing.
        case Fn::min:
        case Fn::max:
        case Fn::abs:
        case TKC_LOGIC:
        case TKC_COMPARISONS:
        case TKC_BIT_FUNCTIONS:
        case TKC_INTEGER_FUNCTIONS:
        case TKC_REAL_FUNCTIONS:
        case TKC_BIT_PATTERNS: break;
    }
    return nullptr;
}

// Whether a parameter of 64 bits is in it.
bool has_wide_names(const ir::Scalar& s) {
    bool found = false;
    ir::visit_nodes(s, [&](const ir::ScalarNode& n) {
        found = found || (n.dtype == Dtype::i64 && std::holds_alternative<ir::Symbol>(n.node));
    });
    return found;
}

Expr integer_call(const ir::Call& c, const std::vector<Expr>& a) {
    // A constant factor cannot overflow where extents and strides are in range; anything else
    // saturates. Sums of 64-bit numbers can overflow too.
    const bool wide = std::any_of(c.arguments.begin(), c.arguments.end(), has_wide_names);
    const bool scaled = !wide && c.function == Fn::mul &&
                        (ir::is_constant(c.arguments[0]) || ir::is_constant(c.arguments[1]));
    switch (c.function) {
        case Fn::add: return wide ? call("tk::sum", a) : binary(BinaryOp::add, a[0], a[1]);
        case Fn::sub:
            return wide ? call("tk::difference", a) : binary(BinaryOp::subtract, a[0], a[1]);
        case Fn::shift_left:  // what leaves 32 bits is left to the checks of ranges
            return call("tk::multiply",
                        {a[0], binary(BinaryOp::shift_left, atom("1LL"),
                                      binary(BinaryOp::bit_and, a[1], literal(31)))});
        case Fn::mul:
            return scaled ? binary(BinaryOp::multiply, a[0], a[1]) : call("tk::multiply", a);
        case Fn::div: return call("tk::floor_div", a);
        case Fn::mod: return call("tk::floor_mod", a);
        case Fn::ceil_div: return call("tk::ceil_div", a);
        case Fn::min: return call("tk::min_of", a);
        case Fn::max: return call("tk::max_of", a);
        case Fn::neg:
            return wide ? call("tk::difference", {literal(0), a[0]}) : unary(UnaryOp::negate, a[0]);
        case Fn::bit_and: return binary(BinaryOp::bit_and, a[0], a[1]);
        case Fn::bit_or: return binary(BinaryOp::bit_or, a[0], a[1]);
        case Fn::bit_xor: return binary(BinaryOp::bit_xor, a[0], a[1]);
        case Fn::bit_not: return unary(UnaryOp::bit_not, a[0]);
        case Fn::shift_right:
            return binary(BinaryOp::shift_right, a[0],
                          binary(BinaryOp::bit_and, a[1], literal(31)));
        case Fn::abs:
            return call("tk::max_of", {a[0], wide ? call("tk::difference", {literal(0), a[0]})
                                                  : unary(UnaryOp::negate, a[0])});
        case Fn::where: return expr(Conditional{a[0], a[1], a[2]});
        case TKC_LOGIC:
        case TKC_COMPARISONS:
        case TKC_REAL_FUNCTIONS:
        case TKC_BIT_PATTERNS: break;
    }
    return nullptr;
}

Expr truth_call(const ir::Call& c, const std::vector<Expr>& a) {
    switch (c.function) {
        case Fn::eq: return binary(BinaryOp::equal, a[0], a[1]);
        case Fn::ne: return binary(BinaryOp::not_equal, a[0], a[1]);
        case Fn::lt: return binary(BinaryOp::less, a[0], a[1]);
        case Fn::le: return binary(BinaryOp::less_equal, a[0], a[1]);
        case Fn::gt: return binary(BinaryOp::greater, a[0], a[1]);
        case Fn::ge: return binary(BinaryOp::greater_equal, a[0], a[1]);
        case Fn::logical_and: return binary(BinaryOp::logical_and, a[0], a[1]);
        case Fn::logical_or: return binary(BinaryOp::logical_or, a[0], a[1]);
        case Fn::logical_not: return unary(UnaryOp::logical_not, a[0]);
        case Fn::where: return expr(Conditional{a[0], a[1], a[2]});
        case TKC_ARITHMETIC:
        case TKC_BIT_FUNCTIONS:
        case TKC_INTEGER_FUNCTIONS:
        case TKC_REAL_FUNCTIONS:
        case TKC_BIT_PATTERNS: break;
    }
    return nullptr;
}

Expr call_expression(const ir::Signature& called, const ir::Scalar& s, const ir::Call& c) {
    std::vector<Expr> arguments;
    for (const ir::Scalar& argument : c.arguments) {
        arguments.push_back(host_expression(called, argument));
        if (!arguments.back()) return nullptr;
    }
    const bool compares = c.function == Fn::eq || c.function == Fn::ne;
    if (compares && is_zero(c.arguments[1])) {
        if (const Expr rest = plain_remainder(called, c.arguments[0])) arguments[0] = rest;
    }
    if (is_boolean(s->dtype)) return truth_call(c, arguments);
    return is_real(s->dtype) ? real_call(c, arguments) : integer_call(c, arguments);
}

}  // namespace

const ir::Parameter* find_parameter(const ir::Signature& called, const std::string& name) {
    for (const ir::Parameter& p : called.parameters) {
        if (p.name == name) return &p;
    }
    return nullptr;
}

Expr host_expression(const ir::Signature& called, const ir::Scalar& s) {
    const auto nothing = [] { return Expr(); };
    return std::visit(Overloaded{
                          [&](const ir::Integer& n) { return literal(n.value); },
                          [&](const ir::Real& n) {
                              return std::isfinite(n.value) ? real_literal(n.value, s->dtype)
                                                            : nullptr;
                          },
                          [&](const ir::Boolean& n) { return atom(n.value ? "true" : "false"); },
                          [&](const ir::Symbol& n) { return symbol_expression(called, n.name); },
                          [&](const ir::Call& n) { return call_expression(called, s, n); },
                          [&](const ir::Cast& n) {
                              const Expr inner = host_expression(called, n.argument);
                              if (!inner || !is_real(s->dtype)) return inner;
                              return call(std::string(info(s->dtype).cuda), {inner});
                          },
                          [&](const ir::Element&) { return nothing(); },
                          [&](const ir::Row&) { return nothing(); },
                          [&](const ir::Column&) { return nothing(); },
                          [&](const ir::ElementLoad&) { return nothing(); },
                          [&](const ir::External&) { return nothing(); },
                      },
                      s->node);
}

}  // namespace tkc::cuda
