// Arithmetic on what is known of the cells of a padding.
#include "facts/fill_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/overloaded.h"
#include "facts/fill_causes.h"
#include "facts/value_range.h"
#include "language/arithmetic.h"
#include "language/function_cases.h"

namespace tkc::ir::padding {

namespace {

using Kind = FillValue::Kind;

// Numbers between equal bounds are one, and what may be NaN anywhere is nothing known.
FillValue settled(FillValue x) {
    if (x.kind != Kind::constant && x.kind != Kind::number) return x;
    if (x.nan == Cause::any) {
        FillValue made;
        made.mixed = x.mixed;
        made.mixed_finite = x.mixed_finite;
        return made;
    }
    if (x.kind == Kind::number && x.bounds.least == x.bounds.most) {
        x.kind = Kind::constant;
        x.value = x.bounds.least;
        x.bounds = {};
    }
    const bool infinite = x.kind == Kind::constant && std::isinf(x.value);
    if (infinite) x.infinite = Cause::any;
    const RealBounds bounds = bounds_of(x);
    x.written.least = bounds.least == -HUGE_VAL && (infinite || x.written.least);
    x.written.most = bounds.most == HUGE_VAL && (infinite || x.written.most);
    x.nan_written = x.nan_written && x.nan != Cause::none;
    return x;
}

FillValue with_bounds(FillValue x, const RealBounds& bounds) {
    x.kind = Kind::number;
    x.value = 0;
    x.bounds = bounds;
    return settled(x);
}

// What comparisons and conditions give.
FillValue truth() { return number_fill({0, 1}); }

bool is_infinite(const FillValue& x) { return x.kind == Kind::constant && std::isinf(x.value); }
bool are_finite(const RealBounds& x) { return std::isfinite(x.least) && std::isfinite(x.most); }

// The result of a comparison with a value that is not NaN, if known. Comparisons with infinity are
// decided by numbers that are finite for finite tensors, others by bounds that hold whatever the
// tensors hold, as those of places do.
std::optional<bool> compared_numbers(Function function, const FillValue& a, const FillValue& b) {
    const RealBounds x = bounds_of(a);
    const RealBounds y = bounds_of(b);
    if (x.least == x.most && y.least == y.most)
        return arithmetic::compare(function, x.least, y.least);
    const bool infinity = (is_infinite(a) && are_finite(y)) || (is_infinite(b) && are_finite(x));
    if (!infinity && (!a.for_all_data || !b.for_all_data)) return {};
    bool decided = x.most < y.least || y.most < x.least;
    // One may end where the other begins.
    if (function == Function::le || function == Function::gt)
        decided = decided || x.most <= y.least;
    if (function == Function::lt || function == Function::ge)
        decided = decided || y.most <= x.least;
    if (!decided) return {};
    return arithmetic::compare(function, x.least, y.least);
}

// The same of what may be NaN, which is unequal to all numbers, and else compares as false does.
// That is asked of constants alone: what a maximum of the line is instead of -inf counts as NaN
// (checks/padding/extremes.cpp), and compares as -inf.
std::optional<bool> compared(Function function, const FillValue& a, const FillValue& b) {
    // Nothing is less than -inf or more than inf, and NaN is neither.
    const bool above = function == Function::gt;
    if (above || function == Function::lt) {
        const bool never = is_constant(a, above ? -HUGE_VAL : HUGE_VAL) ||
                           is_constant(b, above ? HUGE_VAL : -HUGE_VAL);
        if (never) return false;
    }
    if (!is_number(a) || !is_number(b)) return {};
    const std::optional<bool> known = compared_numbers(function, a, b);
    const bool of_nan = function == Function::ne;
    const bool may_be_nan = a.nan != Cause::none || b.nan != Cause::none;
    if (!may_be_nan) return known;
    const bool constants = a.kind == Kind::constant && b.kind == Kind::constant;
    return constants && known == of_nan ? known : std::nullopt;
}

FillValue of_logic(Function function, const std::vector<FillValue>& x) {
    const auto is = [&](std::size_t i, double value) {
        return i < x.size() && is_constant(x[i], value);
    };
    switch (function) {
        case Function::logical_and:
            if (is(0, 0) || is(1, 0)) return constant_fill(0);
            return is(0, 1) && is(1, 1) ? constant_fill(1) : truth();
        case Function::logical_or:
            if (is(0, 1) || is(1, 1)) return constant_fill(1);
            return is(0, 0) && is(1, 0) ? constant_fill(0) : truth();
        case Function::logical_not:
            if (is(0, 0) || is(0, 1)) return constant_fill(1 - x[0].value);
            return truth();
        case TKC_ARITHMETIC:
        case TKC_COMPARISONS:
        case TKC_BIT_FUNCTIONS:
        case TKC_INTEGER_FUNCTIONS:
        case TKC_REAL_FUNCTIONS:
        case TKC_BIT_PATTERNS:
        case Function::where: break;
    }
    return truth();
}

// A function of constants of a real dtype, where the machine computes it exactly.
std::optional<double> exact_result(Function function, Dtype dtype,
                                   const std::vector<FillValue>& x) {
    const auto argument = [&](std::size_t i) { return i < x.size() ? x[i].value : 0; };
    const double made =
        arithmetic::apply_in(dtype, function, argument(0), argument(1), argument(2));
    if (std::isnan(made)) return std::nullopt;
    const bool approximate = info(function).kind == FunctionKind::real || function == Function::div;
    const bool rounds_alone = function == Function::fma || function == Function::floor ||
                              function == Function::ceil || function == Function::round;
    if (!approximate || rounds_alone || dtype == Dtype::f64) return made;
    // 1 of exp(0), 0 of log(1): other numbers may be off.
    const bool plain = std::all_of(x.begin(), x.end(),
                                   [](const FillValue& v) { return v.value == 0 || v.value == 1; });
    if (plain && (made == 0 || made == 1)) return made;
    return std::nullopt;
}

// Beyond 2^53 doubles leave integers out.
bool is_exact_integer(double value) { return std::fabs(value) <= 0x1p53; }

std::optional<double> exact_integer(Function function, Dtype dtype,
                                    const std::vector<FillValue>& x) {
    if (!std::all_of(x.begin(), x.end(),
                     [](const FillValue& v) { return is_exact_integer(v.value); }))
        return std::nullopt;
    const auto argument = [&](std::size_t i) {
        return i < x.size() ? static_cast<std::int64_t>(x[i].value) : 0;
    };
    if (arithmetic::divides(function) && argument(1) < 1) return std::nullopt;
    const std::int64_t made =
        wrap_to(dtype, arithmetic::apply(function, argument(0), argument(1), argument(2)));
    const auto rounded = static_cast<double>(made);
    return is_exact_integer(rounded) ? std::optional(rounded) : std::nullopt;
}

// The bits of a number. Zeros have two patterns, and NaN and infinity one that is a number.
FillValue of_bits(const FillValue& x) {
    const bool finite = x.nan == Cause::none && cause_of_infinity(x) == Cause::none;
    if (!finite && !x.of_line) return {};
    if (x.kind != Kind::constant || x.value == 0) return number_fill(ir::bounds_of(Dtype::i32));
    return constant_fill(arithmetic::to_bits(static_cast<float>(x.value)));
}

std::optional<double> number_with_bits(double bits) {
    const float made = arithmetic::from_bits(static_cast<std::int32_t>(bits));
    return std::isnan(made) ? std::nullopt : std::optional<double>(made);
}

FillValue of_numbers(Function function, Dtype dtype, const std::vector<FillValue>& x) {
    if (function == Function::to_bits) return of_bits(x[0]);
    const bool constants = std::all_of(x.begin(), x.end(),
                                       [](const FillValue& v) { return v.kind == Kind::constant; });
    FillValue made;
    made.nan = cause_of_nan(function, dtype, x);
    std::optional<double> exact;
    if (constants && function == Function::from_bits) exact = number_with_bits(x[0].value);
    else if (constants)
        exact =
            is_real(dtype) ? exact_result(function, dtype, x) : exact_integer(function, dtype, x);
    if (exact) {
        made.kind = Kind::constant;
        made.value = *exact;
        return settled(made);
    }
    std::vector<RealBounds> bounds;
    for (const FillValue& v : x) bounds.push_back(bounds_of(v));
    const RealBounds results = ir::bounds_of(function, dtype, bounds);
    made.infinite = cause_of_infinity(function, x, results);
    return with_bounds(made, results);
}

bool is_of_line(const std::vector<FillValue>& x) {
    return std::all_of(x.begin(), x.end(), [](const FillValue& v) { return v.of_line; });
}

// Marks what is made of mixed data.
void mix(FillValue& made, const std::vector<FillValue>& x) {
    made.mixed = 0;
    made.mixed_finite = false;
    for (const FillValue& v : x) {
        if (v.mixed == 0) continue;
        if (made.mixed == 0) made.mixed = v.mixed;
        made.mixed_finite = made.mixed_finite || v.mixed_finite;
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
    return settled(made);
}

FillValue number_fill(const RealBounds& bounds) { return with_bounds({}, bounds); }

FillValue finite_fill() { return number_fill(ir::finite_bounds(Dtype::f64)); }

FillValue any_of_line() {
    FillValue made = number_fill({});
    made.nan = Cause::same;
    made.of_line = true;
    return made;
}

bool is_number(const FillValue& x) { return x.kind == Kind::constant || x.kind == Kind::number; }

bool is_constant(const FillValue& x, double value) {
    return x.kind == Kind::constant && x.value == value;
}

bool is_positive(const FillValue& x) { return is_number(x) && bounds_of(x).least > 0; }

RealBounds bounds_of(const FillValue& x) {
    if (x.kind == Kind::constant) return {x.value, x.value};
    return x.kind == Kind::number ? x.bounds : RealBounds{};
}

FillValue join(const FillValue& a, const FillValue& b) {
    FillValue made;
    if (a.kind == Kind::foreign || b.kind == Kind::foreign) {
        made.kind = Kind::foreign;
        return made;
    }
    mix(made, {a, b});
    if (!is_number(a) || !is_number(b)) return made;
    made.nan = std::max(a.nan, b.nan);
    made.infinite = std::max(cause_of_infinity(a), cause_of_infinity(b));
    made.of_line = a.of_line && b.of_line;
    made.for_all_data = a.for_all_data && b.for_all_data;
    made.placed = either(a.placed, b.placed);
    made.written = either(a.written, b.written);
    made.nan_written = a.nan_written || b.nan_written;
    return with_bounds(made, joined(bounds_of(a), bounds_of(b)));
}

FillValue widened(const FillValue& before, FillValue now) {
    if (now.kind != Kind::number) return now;
    const RealBounds old = bounds_of(before);
    // A bound that moves has one more place to stop at, so that what stays above 0 is known.
    if (now.bounds.least < old.least) now.bounds.least = now.bounds.least >= 0 ? 0 : -HUGE_VAL;
    if (now.bounds.most > old.most) now.bounds.most = now.bounds.most <= 0 ? 0 : HUGE_VAL;
    return settled(now);
}

FillValue of_line(const FillValue& x) {
    FillValue made = is_number(x) ? x : any_of_line();
    if (made.nan != Cause::none) made.nan = Cause::same;
    made.nan_written = false;
    made.of_line = true;
    mix(made, {x});
    return made;
}

FillValue as_data(const FillValue& x) { return of_line(x); }

FillValue elsewhere(const FillValue& x) {
    FillValue made = x;
    made.of_line = false;
    const RealBounds bounds = bounds_of(x);
    const bool placed =
        (x.placed.least && std::isinf(bounds.least)) || (x.placed.most && std::isinf(bounds.most));
    made.infinite = placed ? Cause::any : std::max(made.infinite, Cause::large);
    if (made.nan != Cause::none)
        made.nan = made.nan_written ? Cause::any : std::max(made.nan, Cause::large);
    return settled(made);
}

FillValue as_cells(FillValue x, Dtype dtype) {
    if (!is_number(x)) return x;
    if (!is_real(dtype)) x.nan = x.infinite = Cause::none;
    const RealBounds all = is_real(dtype) ? ir::finite_bounds(dtype) : ir::bounds_of(dtype);
    const RealBounds bounds = bounds_of(x);
    const auto held = [&](double bound) {
        return std::isinf(bound) && is_real(dtype) ? bound : std::clamp(bound, all.least, all.most);
    };
    return with_bounds(x, {held(bounds.least), held(bounds.most)});
}

FillValue as_tf32(const FillValue& x) {
    if (!is_number(x)) return x;
    const RealBounds bounds = bounds_of(x);
    const auto rounded = [](double bound) { return round_to_tf32(static_cast<float>(bound)); };
    return with_bounds(x, {rounded(bounds.least), rounded(bounds.most)});
}

std::string text(const FillValue& x) {
    const std::string_view or_nan =
        x.nan == Cause::none ? "" : ", or NaN if a value in the same line is infinite or NaN";
    switch (x.kind) {
        case Kind::constant:
            if (std::isinf(x.value)) return fmt::format("{}inf{}", x.value > 0 ? "" : "-", or_nan);
            if (x.value == 0x1p63) return std::to_string(INT64_MAX);
            if (x.value == -0x1p63) return fmt::format("-{} - 1", INT64_MAX);
            return fmt::format("{}{}", x.value == 0 ? 0 : x.value, or_nan);
        case Kind::number:
            if (x.infinite == Cause::any && !are_finite(x.bounds)) return "some number or infinity";
            return is_positive(x) ? "some positive number" : "some number";
        case Kind::any: return "an unknown value";
        case Kind::foreign: return "data of a neighbor";
    }
    return "";
}

FillValue apply(Function function, Dtype dtype, const std::vector<FillValue>& x) {
    const FunctionKind kind = info(function).kind;
    const bool chosen = function == Function::where && x[0].kind == Kind::constant;
    const FillValue* const choice = chosen ? &x[x[0].value != 0 ? 1 : 2] : nullptr;
    FillValue made;
    if (choice != nullptr) {
        made = *choice;
        made.for_all_data = made.for_all_data && x[0].for_all_data;
        made.of_line = made.of_line && x[0].of_line;
        return made;
    }
    if (kind == FunctionKind::compare) {
        const std::optional<bool> known = compared(function, x[0], x[1]);
        made = known ? constant_fill(*known ? 1 : 0) : truth();
    } else if (kind == FunctionKind::logic) {
        made = of_logic(function, x);
    } else if (kind == FunctionKind::select) {
        made = join(x[1], x[2]);
    } else if (std::all_of(x.begin(), x.end(), is_number)) {
        made = of_numbers(function, dtype, x);
    }
    // What is made of a neighbor's data is a neighbor's, but for `f and false`, say.
    const bool foreign =
        std::any_of(x.begin(), x.end(), [](const FillValue& v) { return v.kind == Kind::foreign; });
    if (foreign && made.kind != Kind::constant) {
        made = {};
        made.kind = Kind::foreign;
        return made;
    }
    made.for_all_data =
        std::all_of(x.begin(), x.end(), [](const FillValue& v) { return v.for_all_data; });
    made.of_line = is_of_line(x);
    const bool truths = kind == FunctionKind::compare || kind == FunctionKind::logic;
    if (truths) return made;
    made.placed = placed_infinities(function, x);
    made.written = written_infinities(function, x);
    made.nan_written = writes_nan(function, x);
    mix(made, x);
    made.mixed_finite = made.mixed_finite || leaves_infinity(function, x);
    return settled(made);
}

namespace {

// Of 64 bits, what a double holds exactly, and the largest number, which minima leave out.
FillValue of_integer(std::int64_t value) {
    const auto rounded = static_cast<double>(value);
    const bool exact =
        value == INT64_MAX || (rounded < 0x1p63 && static_cast<std::int64_t>(rounded) == value);
    FillValue made =
        exact
            ? constant_fill(rounded)
            : number_fill({std::nextafter(rounded, -HUGE_VAL), std::nextafter(rounded, HUGE_VAL)});
    made.for_all_data = true;
    return of_line(made);
}

// An integer that no tile holds: it depends on no data.
FillValue of_place(const ir::Scalar& integer, const FillContext& context) {
    RealBounds bounds = context.between ? context.between(integer) : ir::bounds_of(integer->dtype);
    const auto* name = std::get_if<ir::Symbol>(&integer->node);
    if (name != nullptr && context.positive(name->name)) bounds.least = std::max(bounds.least, 1.0);
    FillValue made = number_fill(bounds);
    made.for_all_data = true;
    made.of_line = name != nullptr;
    return made;
}

// A parameter: any number of its dtype, unless the kernel says between which ones it lies, as NaN
// does not.
FillValue of_parameter(const std::string& name, Dtype dtype, const FillContext& context) {
    const auto known = context.parameter ? context.parameter(name, dtype) : std::nullopt;
    if (!known) return as_cells(any_of_line(), dtype);
    FillValue made = number_fill(*known);
    made.for_all_data = true;
    made.of_line = true;
    return made;
}

// `where(x > k, x, y)` takes x only where it is above k, and where it is not NaN.
void bound_by_condition(const ir::Scalar& condition, const ir::Scalar& chosen, bool holds,
                        const FillContext& context, FillValue& value) {
    const auto* compared = std::get_if<ir::Call>(&condition->node);
    if (compared == nullptr || compared->arguments.size() != 2 || value.kind != Kind::number)
        return;
    const Function relation = compared->function;
    ir::Scalar limit = compared->arguments[1];
    const bool right = ir::same(limit, chosen);
    if (right) limit = compared->arguments[0];
    else if (!ir::same(compared->arguments[0], chosen)) return;
    const FillValue known = evaluate(limit, context);
    const RealBounds bounds = bounds_of(known);
    RealBounds left = value.bounds;
    const bool equality = relation == Function::eq || relation == Function::ne;
    // Where it is not equal to infinity, or beyond it, it is another number.
    const auto leave_out = [&](double infinity) {
        if (!is_constant(known, infinity) || known.nan != Cause::none) return;
        const RealBounds finite = ir::finite_bounds(chosen->dtype);
        if (infinity < 0) left.least = std::max(left.least, finite.least);
        else left.most = std::min(left.most, finite.most);
    };
    if (equality) {
        if (holds != (relation == Function::ne)) return;
        leave_out(-HUGE_VAL);
        leave_out(HUGE_VAL);
    } else {
        const bool above = relation == Function::gt || relation == Function::ge;
        if (!above && relation != Function::lt && relation != Function::le) return;
        const bool strict = (relation == Function::gt || relation == Function::lt) == holds;
        // What is not greater may be NaN, and a limit that is NaN is no bound.
        if (!holds && (known.nan != Cause::none || !is_number(known))) return;
        const bool from_below = above == (right != holds);
        if (from_below) left.least = std::max(left.least, bounds.least);
        else left.most = std::min(left.most, bounds.most);
        if (strict) leave_out(from_below ? -HUGE_VAL : HUGE_VAL);
        if (holds) value.nan = Cause::none;
    }
    if (left.least > left.most) return;  // no cell chooses it
    value = with_bounds(value, left);
}

FillValue with_placed(FillValue x) {
    if (is_infinite(x)) (x.value < 0 ? x.placed.least : x.placed.most) = true;
    return x;
}

FillValue of_choice(const ir::Call& n, Dtype dtype, const FillContext& context) {
    const int known = context.decide(n.arguments[0]);
    if (known >= 0) {
        const FillValue made = evaluate(n.arguments[known != 0 ? 1 : 2], context);
        return context.data ? made : elsewhere(made);
    }
    const FillValue condition = evaluate(n.arguments[0], context);
    FillValue yes = evaluate(n.arguments[1], context);
    FillValue no = evaluate(n.arguments[2], context);
    bound_by_condition(n.arguments[0], n.arguments[1], true, context, yes);
    bound_by_condition(n.arguments[0], n.arguments[2], false, context, no);
    // By places: the line's own cells may all have chosen the other.
    if (!condition.of_line) {
        yes = context.data ? with_placed(yes) : elsewhere(yes);
        no = context.data ? with_placed(no) : elsewhere(no);
    }
    return padding::apply(Function::where, dtype, {condition, yes, no});
}

// Reports a function that would decide by NaN.
void report_hiding(Function function, const std::vector<FillValue>& x, const FillContext& context) {
    if (!context.hides) return;
    for (const FillValue& one : x) {
        if (one.mixed != 0 && decides_by(function, x, one)) return context.hides(one);
    }
}

FillValue of_call(const ir::Scalar& expression, const ir::Call& n, const FillContext& context) {
    if (n.function == Function::where) return of_choice(n, expression->dtype, context);
    std::vector<FillValue> arguments;
    for (const ir::Scalar& a : n.arguments) arguments.push_back(evaluate(a, context));
    report_hiding(n.function, arguments, context);
    const Dtype dtype = n.arguments[0]->dtype;
    // Of a parameter that divides, `requires s > 0` is what people say: it is taken to be neither
    // infinite nor next to 0.
    if (n.function == Function::div && std::get_if<ir::Symbol>(&n.arguments[1]->node) != nullptr &&
        is_positive(arguments[1]) && is_real(dtype)) {
        arguments[1].bounds = {std::max(arguments[1].bounds.least, 1 / ir::most_divisor),
                               std::min(arguments[1].bounds.most, ir::most_divisor)};
    }
    FillValue made = padding::apply(n.function, dtype, arguments);
    const bool squares = n.function == Function::mul && ir::same(n.arguments[0], n.arguments[1]);
    // The two are infinite or 0 together.
    if (squares && is_number(arguments[0]) && arguments[0].kind != Kind::constant) {
        FillValue square = arguments[0];
        square.bounds = ir::bounds_of_square(dtype, arguments[0].bounds);
        square.written = {false, static_cast<bool>(square.written)};
        made = settled(square);
    }
    const bool joins =
        n.function == Function::add || n.function == Function::max || n.function == Function::min;
    for (std::size_t i = 0; joins && context.alone && i < 2; ++i) {
        if (context.alone(n.arguments[i], n.arguments[1 - i])) made = join(made, arguments[i]);
    }
    return made;
}

FillValue of_cast(Dtype from, Dtype to, const FillValue& x, const FillContext& context) {
    if (x.mixed != 0 && context.hides && !is_real(to)) context.hides(x);
    if (x.kind == Kind::foreign) return x;
    if (!is_number(x)) {
        // Infinities saturate, and NaN stays; integers have neither.
        if (is_real(to)) return {};
        return number_fill(ir::bounds_of(to));
    }
    if (x.kind == Kind::constant && !is_real(from) && !is_real(to) && is_exact_integer(x.value)) {
        FillValue made = x;
        made.value = static_cast<double>(wrap_to(to, static_cast<std::int64_t>(x.value)));
        return made;
    }
    RealBounds bounds = converted(bounds_of(x), from, to);
    FillValue made = x;
    if (!is_real(to)) {
        if (x.nan != Cause::none) bounds = joined(bounds, {0, 0});
        made.nan = Cause::none;
        made.mixed = 0;
    } else if (x.mixed != 0 && info(to).bits == 8) {
        made.mixed_finite = true;  // infinities saturate
    }
    if (is_boolean(to) && x.kind == Kind::constant && x.nan == Cause::none)
        bounds = x.value != 0 ? RealBounds{1, 1} : RealBounds{0, 0};
    return with_bounds(made, bounds);
}

}  // namespace

FillValue evaluate(const ir::Scalar& expression, const FillContext& context) {
    const Dtype dtype = expression->dtype;
    return std::visit(
        Overloaded{
            [](const ir::Integer& n) { return of_integer(n.value); },
            [&](const ir::Real& n) { return of_line(constant_fill(round_to(dtype, n.value))); },
            [](const ir::Boolean& n) { return of_line(constant_fill(n.value ? 1 : 0)); },
            [&](const ir::Symbol& n) {
                if (context.number) {
                    if (const auto known = context.number(n.name))
                        return of_line(as_cells(*known, dtype));
                }
                if (is_integer(dtype)) return of_place(expression, context);
                if (is_boolean(dtype)) return of_line(truth());
                return of_parameter(n.name, dtype, context);
            },
            [&](const ir::Element& n) { return as_cells(context.element(n.input), dtype); },
            [&](const ir::Row&) { return of_place(expression, context); },
            [&](const ir::Column&) { return of_place(expression, context); },
            [&](const ir::ElementLoad& n) {
                return as_cells(context.loaded ? context.loaded(n.tensor) : finite_fill(), dtype);
            },
            [&](const ir::Call& n) { return of_call(expression, n, context); },
            [&](const ir::External& n) { return evaluate(n.meaning, context); },
            [&](const ir::Cast& n) {
                return of_cast(n.argument->dtype, dtype, evaluate(n.argument, context), context);
            },
        },
        expression->node);
}

}  // namespace tkc::ir::padding
