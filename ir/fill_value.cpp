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

bool is_infinite(const FillValue& x) { return x.kind == Kind::constant && std::isinf(x.value); }

// Above 0, and perhaps infinite.
bool is_above_zero(const FillValue& x) {
    return is_positive(x) || (x.kind == Kind::constant && x.value > 0);
}

FillValue with_sign(bool above_zero, const RealBounds& bounds) {
    FillValue made = finite_fill(bounds);
    made.above_zero = above_zero;
    if (above_zero && bounds.least < 0) made.bounds.least = 0;
    return made;
}

// A function of finite numbers, of which that is known.
FillValue of_bounds(Function function, const std::vector<FillValue>& x, bool above_zero = false) {
    std::vector<RealBounds> bounds;
    for (const FillValue& v : x) bounds.push_back(bounds_of(v));
    return with_sign(above_zero, ir::bounds_of(function, bounds));
}

FillValue negated(const FillValue& x) {
    if (x.kind == Kind::constant) return constant_fill(-x.value);
    return is_finite(x) ? of_bounds(Function::neg, {x}) : x;
}

FillValue sum(const FillValue& a, const FillValue& b) {
    if (is_constant(a, 0)) return b;
    if (is_constant(b, 0)) return a;
    if (is_infinite(a) && is_finite(b)) return a;
    if (is_infinite(b) && is_finite(a)) return b;
    if (!is_finite(a) || !is_finite(b)) return {};
    return of_bounds(Function::add, {a, b}, is_positive(a) && is_positive(b));
}

FillValue product(const FillValue& a, const FillValue& b) {
    if (is_finite(a) && is_constant(b, 0)) return b;
    if (is_finite(b) && is_constant(a, 0)) return a;
    if (is_infinite(a) && is_above_zero(b)) return a;
    if (is_infinite(b) && is_above_zero(a)) return b;
    if (!is_finite(a) || !is_finite(b)) return {};
    return of_bounds(Function::mul, {a, b}, is_positive(a) && is_positive(b));
}

FillValue square(const FillValue& x) {
    if (!is_finite(x) || x.kind == Kind::constant) return product(x, x);
    return with_sign(is_positive(x), bounds_of_square(x.bounds));
}

// The larger (sign 1) or the smaller (sign -1).
FillValue extreme(const FillValue& a, const FillValue& b, double sign) {
    const double never = -sign * HUGE_VAL;
    if (is_constant(a, never) && (is_finite(b) || is_constant(b, never))) return b;
    if (is_constant(b, never) && is_finite(a)) return a;
    if (!is_finite(a) || !is_finite(b)) return {};
    const bool positive =
        sign > 0 ? is_positive(a) || is_positive(b) : is_positive(a) && is_positive(b);
    return of_bounds(sign > 0 ? Function::max : Function::min, {a, b}, positive);
}

// What comparisons and conditions give.
FillValue truth() { return finite_fill({0, 1}); }

// Comparisons with infinity: finite numbers lie below it. Others are decided by bounds that hold
// whatever the data are, as those of places do.
FillValue compared(Function function, const FillValue& a, const FillValue& b) {
    const bool known = (is_infinite(a) && is_finite(b)) || (is_infinite(b) && is_finite(a));
    if (known) {
        const double left = is_infinite(a) ? a.value : 0;
        const double right = is_infinite(b) ? b.value : 0;
        return constant_fill(*ir::on_paper(function, {left, right}));
    }
    if (!is_finite(a) || !is_finite(b) || !a.for_all_data || !b.for_all_data) return truth();
    const RealBounds x = bounds_of(a);
    const RealBounds y = bounds_of(b);
    bool decided = x.most < y.least || y.most < x.least;
    // One may end where the other begins.
    if (function == Function::le || function == Function::gt)
        decided = decided || x.most <= y.least;
    if (function == Function::lt || function == Function::ge)
        decided = decided || y.most <= x.least;
    return decided ? constant_fill(*ir::on_paper(function, {x.least, y.least})) : truth();
}

FillValue of_finite(Function function, const FillValue& x) {
    if (!is_finite(x)) return {};
    switch (function) {
        case Function::exp2:
        case Function::exp: return of_bounds(function, {x}, true);
        case Function::abs: return of_bounds(function, {x}, is_positive(x));
        case Function::tanh:
        case Function::sin:
        case Function::cos:
        case Function::erf:
        case Function::floor:
        case Function::ceil:
        case Function::round: return of_bounds(function, {x});
        case Function::log2:
        case Function::log: return is_positive(x) ? of_bounds(function, {x}) : FillValue{};
        case Function::sqrt:
            return bounds_of(x).least >= 0 ? of_bounds(function, {x}, is_positive(x)) : FillValue{};
        case Function::rsqrt: return is_positive(x) ? of_bounds(function, {x}, true) : FillValue{};
        default: return {};
    }
}

}  // namespace

std::optional<double> neutral_of(Function function, Dtype dtype) {
    const bool most = function == Function::min;
    if (function == Function::add) return 0;
    if (!most && function != Function::max) return std::nullopt;
    if (!is_integer(dtype)) return most ? HUGE_VAL : -HUGE_VAL;
    const RealBounds all = ir::bounds_of(dtype);
    return most ? all.most : all.least;
}

FillValue constant_fill(double value) {
    if (std::isnan(value)) return {};
    FillValue made;
    made.kind = Kind::constant;
    made.value = value;
    made.for_all_data = true;
    return made;
}

FillValue finite_fill() { return finite_fill({}); }

FillValue finite_fill(const RealBounds& bounds) {
    FillValue made;
    made.kind = Kind::finite;
    made.bounds = bounds;
    return made;
}

FillValue positive_fill() { return with_sign(true, {0, HUGE_VAL}); }

bool is_constant(const FillValue& x, double value) {
    return x.kind == Kind::constant && x.value == value;
}

bool is_finite(const FillValue& x) {
    return x.kind == Kind::finite || (x.kind == Kind::constant && std::isfinite(x.value));
}

bool is_positive(const FillValue& x) {
    if (x.kind == Kind::constant) return std::isfinite(x.value) && x.value > 0;
    return x.kind == Kind::finite && (x.above_zero || x.bounds.least > 0);
}

RealBounds bounds_of(const FillValue& x) {
    if (x.kind == Kind::constant) return {x.value, x.value};
    return x.kind == Kind::finite ? x.bounds : RealBounds{};
}

FillValue join(const FillValue& a, const FillValue& b) {
    FillValue made;
    if (a.kind == Kind::constant && b.kind == Kind::constant && a.value == b.value) {
        made = a;
    } else if (a.kind == Kind::foreign || b.kind == Kind::foreign) {
        made.kind = Kind::foreign;
        return made;
    } else if (is_finite(a) && is_finite(b)) {
        made = with_sign(is_positive(a) && is_positive(b), joined(bounds_of(a), bounds_of(b)));
    } else {
        return made;
    }
    made.for_all_data = a.for_all_data && b.for_all_data;
    made.assumes_finite = a.assumes_finite || b.assumes_finite;
    return made;
}

FillValue widened(const FillValue& before, FillValue now) {
    if (now.kind != Kind::finite) return now;
    const RealBounds old = bounds_of(before);
    // A bound that moves has one more place to stop at, so that what stays above 0 is known.
    if (now.bounds.least < old.least) now.bounds.least = now.bounds.least >= 0 ? 0 : -HUGE_VAL;
    if (now.bounds.most > old.most) now.bounds.most = now.bounds.most <= 0 ? 0 : HUGE_VAL;
    return now;
}

FillValue as_data(const FillValue& x) {
    return is_finite(x) || x.kind == Kind::constant ? x : assumed_finite(finite_fill());
}

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
        case Kind::finite: return is_positive(x) ? "some positive number" : "some number";
        case Kind::any: return "unknown";
        case Kind::foreign: return "data of a neighbor";
    }
    return "";
}

namespace {

FillValue apply_to_finite(Function function, const std::vector<FillValue>& x) {
    const FunctionKind kind = info(function).kind;
    if (kind == FunctionKind::compare && (x[0].assumes_finite || x[1].assumes_finite))
        return truth();
    std::vector<double> values;
    for (const FillValue& v : x) {
        if (v.kind == Kind::constant) values.push_back(v.value);
    }
    if (values.size() == x.size()) {
        if (const std::optional<double> value = ir::on_paper(function, values))
            return constant_fill(*value);
    }
    switch (kind) {
        case FunctionKind::logic: {
            const double decides = function == Function::logical_or ? 1 : 0;
            const bool known = function != Function::logical_not &&
                               (is_constant(x[0], decides) || is_constant(x[1], decides));
            return known ? constant_fill(decides) : truth();
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
            if (!is_positive(x[1])) return {};
            if (is_constant(x[0], 0) || is_infinite(x[0])) return x[0];
            if (!is_finite(x[0])) return {};
            return of_bounds(function, x, is_positive(x[0]));
        case Function::bit_and:
        case Function::bit_or:
        case Function::bit_xor:
        case Function::bit_not:
        case Function::shift_left:
        case Function::shift_right:
        case Function::mod:
        case Function::ceil_div: return of_bounds(function, x);
        default: return of_finite(function, x[0]);
    }
}

}  // namespace

FillValue apply(Function function, const std::vector<FillValue>& x) {
    FillValue made = apply_to_finite(function, x);
    const bool chosen = function == Function::where && x[0].kind == Kind::constant;
    // What is made of a neighbor's data is a neighbor's, but for `f and false`, say.
    const bool foreign =
        std::any_of(x.begin(), x.end(), [](const FillValue& v) { return v.kind == Kind::foreign; });
    if (foreign && !chosen && made.kind != Kind::constant) {
        made = {};
        made.kind = Kind::foreign;
        return made;
    }
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

// A constant that the dtype has not is rounded to some number that lies near it.
FillValue on_machine(FillValue x, Dtype dtype) {
    if (x.kind == Kind::constant && std::isfinite(x.value)) {
        const RealBounds all = ir::bounds_of(dtype);
        const bool kept =
            is_number_of(x.value, dtype) && x.value >= all.least && x.value <= all.most;
        if (kept) return x;
        x.kind = Kind::finite;
        x.bounds = {x.value, x.value};
        x.above_zero = x.value > 0;
        x.value = 0;
    }
    if (x.kind != Kind::finite) return x;
    x.bounds = rounded(x.bounds, dtype);
    // Sums of positive integers may wrap, quotients may be 0: their bounds say what is known.
    x.above_zero = x.above_zero && is_real(dtype);
    return x;
}

// What a function of cells makes on the machine of what it is on paper.
FillValue computed(Function function, Dtype dtype, const std::vector<FillValue>& arguments,
                   FillValue made) {
    if (is_integer(dtype) && made.kind == Kind::constant) {
        // Beyond 2^53 doubles leave numbers out: only what was chosen is known there.
        const bool chosen =
            function == Function::where || function == Function::min || function == Function::max;
        if (chosen || !std::isfinite(made.value) || std::fabs(made.value) <= 0x1p53)
            return on_machine(made, dtype);
        made.kind = Kind::finite;
        made.value = 0;
        return made;
    }
    if (!is_real(dtype)) return on_machine(made, dtype);
    if (made.kind == Kind::finite) {
        made.bounds = approximated(made.bounds, function);
        if (is_positive(made) && made.bounds.least < 0) made.bounds.least = 0;
    }
    // 1 of exp(0), 0 of exp(-inf) and of log(1) are exact, other numbers may be off.
    const RealBounds value{made.value, made.value};
    const bool plain = std::all_of(arguments.begin(), arguments.end(), [](const FillValue& x) {
        return x.value == 0 || x.value == 1 || std::isinf(x.value);
    });
    const bool exact = made.value == 0 || made.value == 1 || std::isinf(made.value);
    if (made.kind == Kind::constant && !(plain && exact) &&
        !(approximated(value, function) == value)) {
        made.kind = Kind::finite;
        made.bounds = approximated(value, function);
        made.above_zero = made.value > 0;
        made.value = 0;
    }
    return on_machine(made, dtype);
}

}  // namespace

namespace {

// Of 64 bits, what a double holds exactly, and the largest number, which minima leave out.
FillValue of_integer(std::int64_t value) {
    const auto rounded = static_cast<double>(value);
    const bool exact =
        value == INT64_MAX || (rounded < 0x1p63 && static_cast<std::int64_t>(rounded) == value);
    if (exact) return constant_fill(rounded);
    FillValue made = finite_fill();
    made.for_all_data = true;
    return made;
}

// An integer that no tile holds: it hangs on no data.
FillValue of_place(const ir::Scalar& integer, const FillContext& context) {
    FillValue made =
        finite_fill(context.between ? context.between(integer) : ir::bounds_of(integer->dtype));
    const auto* name = std::get_if<ir::Symbol>(&integer->node);
    if (name != nullptr && context.positive(name->name))
        made.bounds.least = std::max(made.bounds.least, 1.0);
    made.for_all_data = true;
    return made;
}

// `where(x > k, x, y)` takes x only where it is above k.
void bound_by_condition(const ir::Scalar& condition, const ir::Scalar& chosen, bool holds,
                        const FillContext& context, FillValue& value) {
    const auto* compared = std::get_if<ir::Call>(&condition->node);
    if (compared == nullptr || compared->arguments.size() != 2 || value.kind != Kind::finite)
        return;
    Function relation = compared->function;
    ir::Scalar limit = compared->arguments[1];
    const bool right = ir::same(limit, chosen);
    if (right) limit = compared->arguments[0];
    else if (!ir::same(compared->arguments[0], chosen)) return;
    const bool above = relation == Function::gt || relation == Function::ge;
    if (!above && relation != Function::lt && relation != Function::le) return;
    const FillValue known = evaluate(limit, context);
    if (known.assumes_finite) return;
    const RealBounds bounds = bounds_of(known);
    if (above == (right != holds)) value.bounds.least = std::max(value.bounds.least, bounds.least);
    else value.bounds.most = std::min(value.bounds.most, bounds.most);
    const RealBounds& made = value.bounds;
    const bool none = made.least > made.most || made.least == HUGE_VAL || made.most == -HUGE_VAL;
    if (none) value.bounds = {};  // no cell chooses it
}

FillValue of_choice(const ir::Call& n, const FillContext& context, FillValue condition) {
    FillValue yes = evaluate(n.arguments[1], context);
    FillValue no = evaluate(n.arguments[2], context);
    bound_by_condition(n.arguments[0], n.arguments[1], true, context, yes);
    bound_by_condition(n.arguments[0], n.arguments[2], false, context, no);
    return padding::apply(Function::where, {condition, yes, no});
}

FillValue of_call(const ir::Scalar& expression, const ir::Call& n, const FillContext& context) {
    std::vector<FillValue> arguments;
    if (n.function == Function::where) {
        const int known = context.decide(n.arguments[0]);
        if (known >= 0) return evaluate(n.arguments[known != 0 ? 1 : 2], context);
        const FillValue made = of_choice(n, context, evaluate(n.arguments[0], context));
        return computed(n.function, expression->dtype, {}, made);
    }
    for (const ir::Scalar& a : n.arguments)
        arguments.push_back(on_machine(evaluate(a, context), a->dtype));
    FillValue made = padding::apply(n.function, arguments);
    if (made.kind == Kind::finite && n.function == Function::mul &&
        ir::same(n.arguments[0], n.arguments[1])) {
        const FillValue squared = square(arguments[0]);
        made.bounds = squared.bounds;
        made.above_zero = squared.above_zero;
    }
    made = computed(n.function, expression->dtype, arguments, made);
    const bool joins =
        n.function == Function::add || n.function == Function::max || n.function == Function::min;
    for (std::size_t i = 0; joins && context.alone && i < 2; ++i) {
        if (context.alone(n.arguments[i], n.arguments[1 - i])) made = join(made, arguments[i]);
    }
    return made;
}

FillValue of_cast(Dtype dtype, FillValue x) {
    if (info(dtype).bits == 8 && !is_finite(x)) return {};  // infinities saturate
    if (is_integer(dtype) && x.kind == Kind::constant) {
        // Reals become whole numbers towards 0, infinity the last number.
        const RealBounds all = ir::bounds_of(dtype);
        if (std::isfinite(x.value)) x.value = std::trunc(x.value);
        else if (info(dtype).bits >= 32) x.value = x.value < 0 ? all.least : all.most;
        else return finite_fill(all);
    }
    return on_machine(x, dtype);
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
                if (is_integer(expression->dtype)) return of_place(expression, context);
                // A NaN is not above 0, and infinity would do no harm.
                if (!context.positive(n.name)) return finite_fill();
                FillValue made = positive_fill();
                made.for_all_data = true;
                return made;
            },
            [&](const ir::Element& n) {
                return on_machine(context.element(n.input), expression->dtype);
            },
            [&](const ir::Row&) { return of_place(expression, context); },
            [&](const ir::Column&) { return of_place(expression, context); },
            [&](const ir::ElementLoad&) { return on_machine(finite_fill(), expression->dtype); },
            [&](const ir::Call& n) { return of_call(expression, n, context); },
            [&](const ir::External& n) { return evaluate(n.meaning, context); },
            [&](const ir::Cast& n) {
                return of_cast(expression->dtype, evaluate(n.argument, context));
            },
        },
        expression->node);
}

}  // namespace tkc::ir::padding
