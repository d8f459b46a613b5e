// Functions along an axis, and those that look at places.
#include "emulator/reference_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "emulator/number.h"
#include "language/arithmetic.h"
#include "tiles/tile_function.h"

namespace tkc::emulator {

namespace {

// NaN stays.
constexpr auto smaller = [](auto a, auto b) { return a != a || a < b ? a : b; };
constexpr auto larger = [](auto a, auto b) { return a != a || a > b ? a : b; };

// Rows [n] count as [1, n], single numbers as [1, 1]; without an axis all cells are one row.
Array as_matrix(const Array& x, const std::int64_t* axis) {
    Array out = x;
    if (axis == nullptr) out.shape = {static_cast<std::int64_t>(x.size())};
    while (axis != nullptr && out.shape.size() < 2) out.shape.insert(out.shape.begin(), 1);
    return out;
}

std::size_t axis_of(const Array& x, const std::int64_t* axis) {
    if (axis == nullptr) return 0;
    if (*axis < 0 || *axis >= static_cast<std::int64_t>(x.rank())) {
        throw ValueError(
            fmt::format("`axis` is {}, of a value of shape {}", *axis, to_string(x.shape)));
    }
    return static_cast<std::size_t>(*axis);
}

// A function of tiles on arrays of any rank: along an axis, or over all cells as if they were one
// line.
Array along_axis(TileFunction function, const Array& argument, const std::int64_t* axis,
                 std::int64_t number) {
    const ir::LineFunctionRules& rules = *ir::line_rules_of(function);
    const Array x = as_matrix(argument, axis);
    const std::size_t at = axis_of(x, axis);
    const AxisView view = along(x.shape, at);
    ir::Apply apply;
    apply.function = function;
    apply.axis = 1;
    apply.number = number;
    const auto type =
        rules.type(apply, ir::TileType{Dtype::i32, 1, view.length, ir::Space::registers});
    if (const auto* problem = std::get_if<ir::TypeProblem>(&type)) {
        throw ValueError(fmt::format("`{}` expects {}, found {}", name(function), problem->wanted,
                                     problem->found));
    }
    // What it makes of reals: a real, or the number of a place.
    const auto of_real =
        rules.type(apply, ir::TileType{Dtype::f32, 1, view.length, ir::Space::registers});
    const bool real = x.is_real() && is_real(std::get<ir::TileType>(of_real).dtype);
    const bool boolean = x.kind == NumberKind::boolean &&
                         (function == TileFunction::max || function == TileFunction::min);
    const std::int64_t length = rules.gives_one_cell() ? 1 : view.length;
    Shape shape = x.shape;
    shape[at] = length;
    const NumberKind kind = real      ? NumberKind::real
                            : boolean ? NumberKind::boolean
                                      : NumberKind::integer;
    Array result = Array::zeros(shape, kind);
    if (kind == NumberKind::integer) result.wraps = x.wraps;
    std::vector<std::int64_t> places(static_cast<std::size_t>(view.length));
    std::iota(places.begin(), places.end(), 0);
    const auto each_line = [&]<class T, class R>(const std::vector<T>& cells,
                                                 std::vector<R>& made) {
        std::vector<T> from(places.size());
        std::vector<T> to(static_cast<std::size_t>(length));
        for (std::int64_t o = 0; o < view.outer; ++o) {
            for (std::int64_t i = 0; i < view.inner; ++i) {
                for (std::size_t k = 0; k < from.size(); ++k) {
                    const auto row = o * view.length + static_cast<std::int64_t>(k);
                    from[k] = cells[static_cast<std::size_t>(row * view.inner + i)];
                }
                rules.line(from, to, places, number);
                for (std::size_t k = 0; k < to.size(); ++k) {
                    const auto row = o * length + static_cast<std::int64_t>(k);
                    made[static_cast<std::size_t>(row * view.inner + i)] = static_cast<R>(to[k]);
                }
            }
        }
    };
    std::visit(each_line, x.cells, result.cells);
    if (is_narrow(result.wraps)) {
        std::vector<std::int64_t>& made = result.of<std::int64_t>();
        wrap_cells(*result.wraps, made.data(), made.size());
    }
    if (!rules.gives_one_cell()) result.shape = argument.shape;
    else if (axis == nullptr) result.shape.clear();
    return result;
}

Array sum(const Array& x, const std::int64_t* axis) {
    return along_axis(TileFunction::sum, x, axis, 0);
}

Array greatest(const Array& x, const std::int64_t* axis) {
    return along_axis(TileFunction::max, x, axis, 0);
}

// exp(x - max), with 0 where the whole line is -inf; `top` receives the largest cells.
Array shifted_exp(const Array& x, const std::int64_t* axis, Array& top) {
    top = greatest(x, axis);
    const Array base = apply<double>(top, NumberKind::real,
                                     [](double m) { return std::isinf(m) && m < 0 ? 0.0 : m; });
    return combine<double>(x, base, NumberKind::real,
                           [](double a, double m) { return std::exp(a - m); });
}

Array softmax(const Array& argument, const std::int64_t* axis) {
    const Array x = as_matrix(argument, axis);
    Array top;
    const Array p = shifted_exp(x, axis, top);
    Array result = combine<double>(p, sum(p, axis), NumberKind::real,
                                   [](double a, double s) { return s == 0 ? 0.0 : a / s; });
    result.shape = argument.shape;
    return result;
}

Array logsumexp(const Array& argument, const std::int64_t* axis) {
    const Array x = as_matrix(argument, axis);
    Array top;
    const Array p = shifted_exp(x, axis, top);
    return combine<double>(sum(p, axis), top, NumberKind::real, [](double s, double m) {
        if (std::isinf(m)) return m;  // nothing is there, or it is infinite
        return std::log(s) + m;
    });
}

// The number of the row (`from_last` 1) or column (0) of every cell.
Array place_index(const Array& x, std::size_t from_last) {
    if (x.rank() == 0) throw ValueError("a scalar has no rows and columns");
    Array result = Array::zeros(x.shape, NumberKind::integer);
    if (x.rank() <= from_last) return result;  // the only row
    const AxisView view = along(x.shape, x.rank() - 1 - from_last);
    auto to = result.of<std::int64_t>().begin();
    for (std::int64_t outer = 0; outer < view.outer; ++outer) {
        for (std::int64_t place = 0; place < view.length; ++place)
            to = std::fill_n(to, view.inner, place);
    }
    return result;
}

std::int64_t whole(const Array& x, const char* what) {
    if (!x.is_number() || x.is_real()) throw ValueError(fmt::format("{} expects integers", what));
    return x.whole_at(0);
}

Array index_range(const std::vector<Array>& arguments) {
    const std::int64_t begin = arguments.size() == 2 ? whole(arguments[0], "`range`") : 0;
    const std::int64_t end = whole(arguments.back(), "`range`");
    constexpr double most = 0x1p31;
    if (static_cast<double>(end) - static_cast<double>(begin) > most)
        throw ValueError("`range` has more than 2^31 elements");
    if (end < begin) throw ValueError(fmt::format("`range` ends at {}, before {}", end, begin));
    Array result = Array::zeros({end - begin}, NumberKind::integer);
    std::vector<std::int64_t>& cells = result.of<std::int64_t>();
    std::iota(cells.begin(), cells.end(), begin);
    return result;
}

Array as_column(const Array& x) {
    const bool row = x.rank() == 1 || (x.rank() == 2 && x.shape[0] == 1);
    if (!row) {
        throw ValueError(
            fmt::format("`column` expects a row [n] or [1, n], found {}", to_string(x.shape)));
    }
    return {x.kind, {x.shape.back(), 1}, x.cells, x.wraps};
}

Array quotient_up(const Array& a, const Array& b) {
    if (a.is_real() || b.is_real()) throw ValueError("`ceil_div` expects integers");
    using I = std::int64_t;
    return checked_combine<I>("`ceil_div`", a, b, NumberKind::integer, [](I x, I y) {
        if (y <= 0) throw ValueError(fmt::format("`ceil_div` divides by {}", y));
        return x / y + (x % y > 0 ? 1 : 0);
    });
}

Array of_reals(const Array& x, double (*f)(double)) {
    return apply<double>(x, NumberKind::real, f);
}

Array bits_of(const Array& x) {
    const auto bits = [](double v) { return arithmetic::to_bits(static_cast<float>(v)); };
    Array made = apply<double>(x, NumberKind::integer, bits);
    made.wraps = wrapping(Dtype::i32);
    return made;
}
Array number_of(const Array& bits) {
    if (bits.is_real()) throw ValueError("`from_bits` expects integers");
    return apply<std::int64_t>(bits, NumberKind::real, [](std::int64_t v) {
        return arithmetic::from_bits(static_cast<std::int32_t>(v));
    });
}

}  // namespace

void check_shapes(const char* what, const Array& a, const Array& b) {
    if (a.shape != b.shape && !broadcast(a.shape, b.shape))
        throw ShapeError(what, a.shape, b.shape);
}

NumberKind wider(const Array& a, const Array& b) { return std::max(a.kind, b.kind); }

Array select(const Array& condition, const Array& a, const Array& b) {
    const std::optional<Shape> sides = broadcast(a.shape, b.shape);
    if (!sides) throw ShapeError("`where`", a.shape, b.shape);
    const std::optional<Shape> shape = broadcast(condition.shape, *sides);
    if (!shape) throw ShapeError("`where`", condition.shape, *sides);
    const NumberKind kind = wider(a, b);
    const Array c =
        apply_as_is(expand(condition, *shape), NumberKind::boolean, [](auto v) { return v != 0; });
    const Array y = as_kind(expand(b, *shape), kind);
    Array result = as_kind(expand(a, *shape), kind);
    result.wraps = wrapping(a, b, kind);
    const auto take = [&]<class T>(std::vector<T>& cells) {
        for (std::size_t i = 0; i < cells.size(); ++i)
            if (c.whole_at(i) == 0) cells[i] = y.of<T>()[i];
    };
    std::visit(take, result.cells);
    return result;
}

Array convert(Dtype dtype, const Array& x) {
    if (is_real(dtype)) {
        Array made = as_kind(x, NumberKind::real);
        std::vector<double>& cells = made.of<double>();
        round_cells(dtype, cells.data(), cells.size());
        return made;
    }
    const NumberKind kind = is_boolean(dtype) ? NumberKind::boolean : NumberKind::integer;
    Array made =
        x.is_real()
            ? apply<double>(x, kind, [&](double v) { return truncate_to(dtype, v); })
            : apply<std::int64_t>(x, kind, [&](std::int64_t v) { return wrap_to(dtype, v); });
    made.wraps = wrapping(dtype);
    return made;
}

Array call_function(ReferenceFunction function, const std::vector<Array>& arguments,
                    const std::int64_t* axis, std::int64_t number) {
    const Array& x = arguments[0];
    using F = ReferenceFunction;
    switch (function) {
        case F::abs:
            if (x.is_real()) return of_reals(x, [](double v) { return std::fabs(v); });
            return select(binary(ast::BinaryOp::less, x, Array::whole(0)),
                          unary(ast::UnaryOp::negate, x), x);
        case F::exp: return of_reals(x, [](double v) { return std::exp(v); });
        case F::exp2: return of_reals(x, [](double v) { return std::exp2(v); });
        case F::log: return of_reals(x, [](double v) { return std::log(v); });
        case F::log2: return of_reals(x, [](double v) { return std::log2(v); });
        case F::sqrt: return of_reals(x, [](double v) { return std::sqrt(v); });
        case F::rsqrt: return of_reals(x, [](double v) { return 1 / std::sqrt(v); });
        case F::tanh: return of_reals(x, [](double v) { return std::tanh(v); });
        case F::sin: return of_reals(x, [](double v) { return std::sin(v); });
        case F::cos: return of_reals(x, [](double v) { return std::cos(v); });
        case F::erf: return of_reals(x, [](double v) { return std::erf(v); });
        case F::sigmoid: return of_reals(x, [](double v) { return 1 / (1 + std::exp(-v)); });
        case F::pow: {
            const auto power = [](double a, double b) { return std::pow(a, b); };
            return checked_combine<double>("`pow`", x, arguments[1], NumberKind::real, power);
        }
        case F::floor: return of_reals(x, [](double v) { return std::floor(v); });
        case F::ceil: return of_reals(x, [](double v) { return std::ceil(v); });
        case F::round: return of_reals(x, [](double v) { return std::nearbyint(v); });
        case F::to_bits: return bits_of(x);
        case F::from_bits: return number_of(x);
        case F::where: return select(x, arguments[1], arguments[2]);
        case F::fma: {
            const auto times = [](double a, double b) { return a * b; };
            const auto plus = [](double a, double b) { return a + b; };
            const Array product =
                checked_combine<double>("`fma`", x, arguments[1], NumberKind::real, times);
            return checked_combine<double>("`fma`", product, arguments[2], NumberKind::real, plus);
        }
        case F::ceil_div: return quotient_up(x, arguments[1]);
        case F::min:
            if (arguments.size() == 1) return along_axis(TileFunction::min, x, axis, number);
            check_shapes("`min`", x, arguments[1]);
            return combine_wider(x, arguments[1], wider(x, arguments[1]), smaller);
        case F::max:
            if (arguments.size() == 1) return greatest(x, axis);
            check_shapes("`max`", x, arguments[1]);
            return combine_wider(x, arguments[1], wider(x, arguments[1]), larger);
#define TK_TILE_FUNCTION(id, spelling, constant, signature, doc) \
    case F::id:                                                  \
        return along_axis(TileFunction::id, x, axis, number);
#include "language/tile_functions.def"
#undef TK_TILE_FUNCTION
        case F::softmax: return softmax(x, axis);
        case F::logsumexp: return logsumexp(x, axis);
        case F::row_index: return place_index(x, 1);
        case F::col_index: return place_index(x, 0);
        case F::column: return as_column(x);
        case F::range: return index_range(arguments);
    }
    return x;
}

}  // namespace tkc::emulator
