// Arithmetic on what is known of the cells of a padding.
#include "ir/fill_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/overloaded.h"
#include "ir/value_range.h"

namespace tkc::ir::padding {

namespace {

using Kind = FillValue::Kind;

std::optional<double> compute(Function function, const std::vector<double>& x) {
    const auto truth = [](bool b) { return b ? 1.0 : 0.0; };
    switch (function) {
        case Function::add: return x[0] + x[1];
        case Function::sub: return x[0] - x[1];
        case Function::mul: return x[0] * x[1];
        case Function::neg: return -x[0];
        case Function::eq: return truth(x[0] == x[1]);
        case Function::ne: return truth(x[0] != x[1]);
        case Function::lt: return truth(x[0] < x[1]);
        case Function::le: return truth(x[0] <= x[1]);
        case Function::gt: return truth(x[0] > x[1]);
        case Function::ge: return truth(x[0] >= x[1]);
        case Function::logical_and: return truth(x[0] != 0 && x[1] != 0);
        case Function::logical_or: return truth(x[0] != 0 || x[1] != 0);
        case Function::logical_not: return truth(x[0] == 0);
        case Function::where: return x[0] != 0 ? x[1] : x[2];
        case Function::min: return std::isnan(x[0]) ? x[0] : x[1] < x[0] ? x[1] : x[0];
        case Function::max: return std::isnan(x[0]) ? x[0] : x[1] > x[0] ? x[1] : x[0];
        case Function::abs: return std::fabs(x[0]);
        case Function::fma: return x[0] * x[1] + x[2];
        case Function::exp2: return std::exp2(x[0]);
        case Function::exp: return std::exp(x[0]);
        case Function::log2: return std::log2(x[0]);
        case Function::log: return std::log(x[0]);
        case Function::sqrt: return std::sqrt(x[0]);
        case Function::rsqrt: return 1 / std::sqrt(x[0]);
        case Function::tanh: return std::tanh(x[0]);
        case Function::sin: return std::sin(x[0]);
        case Function::cos: return std::cos(x[0]);
        case Function::erf: return std::erf(x[0]);
        case Function::pow: return std::exp2(x[1] * std::log2(x[0]));
        case Function::floor: return std::floor(x[0]);
        case Function::ceil: return std::ceil(x[0]);
        case Function::round: return std::nearbyint(x[0]);
        case Function::bit_and:
        case Function::bit_or:
        case Function::bit_xor:
        case Function::bit_not:
        case Function::shift_left:
        case Function::shift_right:
        case Function::div:  // of integers and floats alike here: only 0 / x matters
        case Function::mod:
        case Function::ceil_div: return std::nullopt;
    }
    return std::nullopt;
}

bool is_infinite(const FillValue& x) { return x.kind == Kind::constant && std::isinf(x.value); }

bool is_positive(const FillValue& x) {
    return x.kind == Kind::positive || (x.kind == Kind::constant && x.value > 0);
}

FillValue negated(const FillValue& x) {
    if (x.kind == Kind::constant) return constant_fill(-x.value);
    return x.kind == Kind::positive ? finite_fill() : x;
}

FillValue sum(const FillValue& a, const FillValue& b) {
    if (is_constant(a, 0)) return b;
    if (is_constant(b, 0)) return a;
    if (is_infinite(a) && is_finite(b)) return a;
    if (is_infinite(b) && is_finite(a)) return b;
    if (!is_finite(a) || !is_finite(b)) return {};
    return {is_positive(a) && is_positive(b) ? Kind::positive : Kind::finite, 0};
}

FillValue product(const FillValue& a, const FillValue& b) {
    if (is_finite(a) && is_constant(b, 0)) return b;
    if (is_finite(b) && is_constant(a, 0)) return a;
    if (is_infinite(a) && is_positive(b)) return a;
    if (is_infinite(b) && is_positive(a)) return b;
    if (!is_finite(a) || !is_finite(b)) return {};
    return {is_positive(a) && is_positive(b) ? Kind::positive : Kind::finite, 0};
}

// The larger (sign 1) or the smaller (sign -1).
FillValue extreme(const FillValue& a, const FillValue& b, double sign) {
    const double never = -sign * INFINITY;
    if (is_constant(a, never) && (is_finite(b) || is_constant(b, never))) return b;
    if (is_constant(b, never) && is_finite(a)) return a;
    if (!is_finite(a) || !is_finite(b)) return {};
    const bool positive =
        sign > 0 ? is_positive(a) || is_positive(b) : is_positive(a) && is_positive(b);
    return {positive ? Kind::positive : Kind::finite, 0};
}

// Comparisons with infinity: finite numbers lie below it.
FillValue compared(Function function, const FillValue& a, const FillValue& b) {
    const bool known = (is_infinite(a) && is_finite(b)) || (is_infinite(b) && is_finite(a));
    if (!known) return finite_fill();
    const double left = is_infinite(a) ? a.value : 0;
    const double right = is_infinite(b) ? b.value : 0;
    return constant_fill(*compute(function, {left, right}));
}

FillValue of_finite(Function function, const FillValue& x) {
    if (!is_finite(x)) return {};
    switch (function) {
        case Function::exp2:
        case Function::exp: return {Kind::positive, 0};
        case Function::abs:
        case Function::tanh:
        case Function::sin:
        case Function::cos:
        case Function::erf:
        case Function::floor:
        case Function::ceil:
        case Function::round: return finite_fill();
        case Function::log2:
        case Function::log: return is_positive(x) ? finite_fill() : FillValue{};
        case Function::sqrt:
        case Function::rsqrt: return is_positive(x) ? x : FillValue{};
        default: return {};
    }
}

}  // namespace

std::optional<double> neutral_of(Function function, Dtype dtype) {
    const bool most = function == Function::min;
    if (function == Function::add) return 0;
    if (!most && function != Function::max) return std::nullopt;
    if (!is_integer(dtype)) return most ? HUGE_VAL : -HUGE_VAL;
    const bool natural = info(dtype).kind == DtypeClass::natural;
    const double values = std::ldexp(1.0, info(dtype).bits);
    if (natural) return most ? values - 1 : 0;
    return most ? values / 2 - 1 : -values / 2;
}

FillValue constant_fill(double value) {
    if (std::isnan(value)) return {};
    return {Kind::constant, value, true};
}

FillValue finite_fill() { return {Kind::finite, 0}; }

bool is_constant(const FillValue& x, double value) {
    return x.kind == Kind::constant && x.value == value;
}

bool is_finite(const FillValue& x) {
    return x.kind == Kind::positive || x.kind == Kind::finite ||
           (x.kind == Kind::constant && std::isfinite(x.value));
}

FillValue join(const FillValue& a, const FillValue& b) {
    const bool for_all_data = a.for_all_data && b.for_all_data;
    const bool assumes_finite = a.assumes_finite || b.assumes_finite;
    if (a.kind == b.kind && a.value == b.value)
        return {a.kind, a.value, for_all_data, assumes_finite};
    if (a.kind == Kind::foreign || b.kind == Kind::foreign) return {Kind::foreign, 0};
    if (!is_finite(a) || !is_finite(b)) return {};
    return {is_positive(a) && is_positive(b) ? Kind::positive : Kind::finite, 0, for_all_data,
            assumes_finite};
}

FillValue as_data(const FillValue& x) { return is_finite(x) ? x : assumed_finite(finite_fill()); }

FillValue assumed_finite(FillValue x) {
    x.assumes_finite = true;
    return x;
}

std::string text(const FillValue& x) {
    switch (x.kind) {
        case Kind::constant:
            if (std::isinf(x.value)) return x.value > 0 ? "inf" : "-inf";
            if (x.value == 0x1p63) return std::to_string(INT64_MAX);
            if (x.value == -0x1p63) return fmt::format("-{} - 1", INT64_MAX);
            return fmt::format("{}", x.value);
        case Kind::positive: return "some positive number";
        case Kind::finite: return "some number";
        case Kind::any: return "unknown";
        case Kind::foreign: return "data of a neighbour";
    }
    return "";
}

namespace {

FillValue apply_to_finite(Function function, const std::vector<FillValue>& x) {
    const FunctionKind kind = info(function).kind;
    if (kind == FunctionKind::compare && (x[0].assumes_finite || x[1].assumes_finite))
        return finite_fill();
    std::vector<double> values;
    for (const FillValue& v : x) {
        if (v.kind == Kind::constant) values.push_back(v.value);
    }
    if (values.size() == x.size()) {
        if (const std::optional<double> value = compute(function, values))
            return constant_fill(*value);
    }
    switch (kind) {
        case FunctionKind::logic: {
            const double decides = function == Function::logical_or ? 1 : 0;
            const bool known = function != Function::logical_not &&
                               (is_constant(x[0], decides) || is_constant(x[1], decides));
            return known ? constant_fill(decides) : finite_fill();
        }
        case FunctionKind::compare: return compared(function, x[0], x[1]);
        case FunctionKind::select:
            if (x[0].kind == Kind::constant) return x[0].value != 0 ? x[1] : x[2];
            return join(x[1], x[2]);
        case FunctionKind::arithmetic:
        case FunctionKind::integer:
        case FunctionKind::bits:
        case FunctionKind::real: break;
    }
    switch (function) {
        case Function::add: return sum(x[0], x[1]);
        case Function::sub: return sum(x[0], negated(x[1]));
        case Function::mul: return product(x[0], x[1]);
        case Function::fma: return sum(product(x[0], x[1]), x[2]);
        case Function::neg: return negated(x[0]);
        case Function::max: return extreme(x[0], x[1], 1);
        case Function::min: return extreme(x[0], x[1], -1);
        case Function::div:
            if (is_positive(x[1]) && is_finite(x[1]))
                return is_constant(x[0], 0) || is_infinite(x[0])
                           ? x[0]
                           : product(x[0], {Kind::positive, 0});
            return {};
        case Function::bit_and:
        case Function::bit_or:
        case Function::bit_xor:
        case Function::bit_not:
        case Function::shift_left:
        case Function::shift_right:
        case Function::mod:
        case Function::ceil_div: return finite_fill();
        default: return of_finite(function, x[0]);
    }
}

}  // namespace

FillValue apply(Function function, const std::vector<FillValue>& x) {
    FillValue made = apply_to_finite(function, x);
    const bool chosen = function == Function::where && x[0].kind == Kind::constant;
    made.for_all_data =
        chosen ? x[0].for_all_data && x[x[0].value != 0 ? 1 : 2].for_all_data
               : std::all_of(x.begin(), x.end(), [](const FillValue& v) { return v.for_all_data; });
    const FunctionKind kind = info(function).kind;
    if (kind == FunctionKind::compare || kind == FunctionKind::logic) {
        made.assumes_finite = false;  // such a number decided nothing
    } else if (chosen) {
        made.assumes_finite = x[x[0].value != 0 ? 1 : 2].assumes_finite;
    } else {
        made.assumes_finite =
            std::any_of(x.begin(), x.end(), [](const FillValue& v) { return v.assumes_finite; });
    }
    return made;
}

namespace {

// Whole numbers wrap: what leaves the dtype is some other number, and sums and products of positive
// numbers need not be positive.
FillValue on_machine(Function function, Dtype dtype, const FillValue& made) {
    if (!is_integer(dtype)) return made;
    const FillValue some{Kind::finite, 0, made.for_all_data, made.assumes_finite};
    if (made.kind == Kind::constant) {
        const ValueRange range = range_of_dtype(dtype);
        // Beyond 2^53 doubles leave numbers out: only what was chosen is known there.
        const bool chosen =
            function == Function::where || function == Function::min || function == Function::max;
        const bool fits = std::isfinite(made.value) &&
                          (chosen || std::fabs(made.value) <= 0x1p53) &&
                          made.value >= static_cast<double>(range.least) &&
                          made.value <= static_cast<double>(range.most);
        return fits || !std::isfinite(made.value) ? made : some;
    }
    const bool keeps = function == Function::min || function == Function::max ||
                       function == Function::where || function == Function::div ||
                       function == Function::ceil_div || function == Function::mod;
    return made.kind == Kind::positive && !keeps ? some : made;
}

}  // namespace

namespace {

// Of 64 bits, what a double holds exactly, and the largest number, which minima leave out.
FillValue of_integer(std::int64_t value) {
    const auto rounded = static_cast<double>(value);
    const bool exact =
        value == INT64_MAX || (rounded < 0x1p63 && static_cast<std::int64_t>(rounded) == value);
    return exact ? constant_fill(rounded) : FillValue{Kind::finite, 0, true};
}

}  // namespace

FillValue evaluate(const ir::Scalar& expression, const FillContext& context) {
    return std::visit(
        Overloaded{
            [](const ir::Integer& n) { return of_integer(n.value); },
            [](const ir::Real& n) { return constant_fill(n.value); },
            [](const ir::Boolean& n) { return constant_fill(n.value ? 1 : 0); },
            [&](const ir::Symbol& n) {
                if (context.number) {
                    if (const auto known = context.number(n.name)) return *known;
                }
                // A NaN is not above 0, and infinity would do no harm.
                if (context.positive(n.name)) return FillValue{Kind::positive, 0, true};
                return FillValue{Kind::finite, 0, is_integer(expression->dtype)};
            },
            [&](const ir::Element& n) { return context.element(n.input); },
            [](const ir::Row&) {
                return FillValue{Kind::finite, 0, true};
            },
            [](const ir::Column&) {
                return FillValue{Kind::finite, 0, true};
            },
            [](const ir::ElementLoad&) { return finite_fill(); },
            [&](const ir::Call& n) {
                if (n.function == Function::where) {
                    const int known = context.decide(n.arguments[0]);
                    if (known >= 0) return evaluate(n.arguments[known != 0 ? 1 : 2], context);
                }
                std::vector<FillValue> arguments;
                for (const ir::Scalar& a : n.arguments) arguments.push_back(evaluate(a, context));
                return on_machine(n.function, expression->dtype,
                                  padding::apply(n.function, arguments));
            },
            [&](const ir::External& n) { return evaluate(n.meaning, context); },
            [&](const ir::Cast& n) {
                const FillValue x = evaluate(n.argument, context);
                const bool narrow = info(expression->dtype).bits == 8;
                if (narrow && !is_finite(x)) return FillValue{};  // infinities saturate
                const bool rounds = x.kind == Kind::constant && std::isfinite(x.value) &&
                                    x.value != std::trunc(x.value);
                if (rounds) return x.assumes_finite ? assumed_finite(finite_fill()) : finite_fill();
                return on_machine(Function::where, expression->dtype, x);
            },
        },
        expression->node);
}

}  // namespace tkc::ir::padding
