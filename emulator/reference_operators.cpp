// The operators of references on arrays.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "emulator/number.h"
#include "emulator/reference_functions.h"
#include "frontend/check/values.h"
#include "frontend/parse/ast_walk.h"

namespace tkc::emulator {

namespace {

const char* operator_text(ast::BinaryOp op) {
    static constexpr const char* words[] = {"`or`", "`and`", "`==`", "`!=`", "`<`",  "`<=`", "`>`",
                                            "`>=`", "`|`",   "`^`",  "`&`",  "`<<`", "`>>`", "`+`",
                                            "`-`",  "`*`",   "`/`",  "`//`", "`%`",  "`@`"};
    return words[static_cast<std::size_t>(op)];
}

using I = std::int64_t;
using U = std::uint64_t;  // of which the low bits are those of the result

// f(a, b) of integers.
template <class F>
Array integers(ast::BinaryOp op, const Array& a, const Array& b, F f) {
    if (a.is_real() || b.is_real())
        throw ValueError(fmt::format("{} expects integers", operator_text(op)));
    const std::optional<Dtype> wraps = wrapping(a, b, NumberKind::integer);
    return checked_combine<I>(operator_text(op), a, b, NumberKind::integer, [&](I x, I y) {
        const I made = f(x, y);
        return is_narrow(wraps) ? wrap_to(*wraps, made) : made;
    });
}

// f(x, y) of a divisor that is not 0. Nothing but a quotient by -1 is more than 64 bits hold.
template <class F>
Array divided(ast::BinaryOp op, const Array& a, const Array& b, F f) {
    return integers(op, a, b, [&](I x, I y) {
        if (y == 0) throw ValueError("an integer is divided by 0");
        if (y != -1) return f(x, y);
        return op == ast::BinaryOp::remainder ? I{0} : static_cast<I>(0 - static_cast<U>(x));
    });
}

}  // namespace

std::map<std::string, std::int64_t> extents_of(const ast::FnParam& param, const Array& argument) {
    std::map<std::string, std::int64_t> extents;
    const std::size_t rank = param.type.extents.size();
    for (std::size_t axis = 0; axis < rank; ++axis) {
        const auto* name = std::get_if<ast::NameRef>(&param.type.extents[axis]->node);
        const std::size_t behind = rank - axis;  // from the last axis
        const bool has = behind <= argument.rank();
        if (name != nullptr)
            extents.emplace(name->text, has ? argument.shape[argument.rank() - behind] : 1);
    }
    return extents;
}

Array stacked(const std::vector<Array>& items) {
    const Shape& shape = items.front().shape;
    NumberKind kind = NumberKind::boolean;
    for (const Array& item : items) {
        if (item.shape != shape) throw ShapeError("a list", shape, item.shape);
        kind = std::max(kind, item.kind);
    }
    Array all = Array::zeros({}, kind);
    all.shape = shape;
    all.shape.insert(all.shape.begin(), static_cast<std::int64_t>(items.size()));
    const auto append = [&]<class T>(std::vector<T>& cells) {
        cells.clear();
        for (const Array& item : items) {
            std::vector<T> room;
            const std::vector<T>& from = cells_as(item, room);
            cells.insert(cells.end(), from.begin(), from.end());
        }
    };
    std::visit(append, all.cells);
    return all;
}

std::string shape_diagrams(const Shape& a, const Shape& b, const Sides& sides, bool product) {
    std::size_t behind = 0;
    while (!product && behind < std::min(a.size(), b.size())) {
        const std::int64_t x = a[a.size() - 1 - behind];
        const std::int64_t y = b[b.size() - 1 - behind];
        if (x != y && x != 1 && y != 1) break;
        ++behind;
    }
    const bool drawn = product ? a.size() >= 2 && b.size() >= 2 && a.back() != b[b.size() - 2]
                               : behind < std::min(a.size(), b.size());
    if (!drawn) return "";
    const bool is_short =
        !sides.left.empty() && std::max(sides.left.size(), sides.right.size()) <= 24;
    const auto shape = [&](const std::string& name, const Shape& extents, std::size_t axis) {
        checker::ShapeDiagram made{is_short ? name : "", "", {}, axis};
        for (const std::int64_t e : extents) made.extents.push_back(std::to_string(e));
        return made;
    };
    return checker::shape_diagrams(
        {shape(sides.left, a, a.size() - 1 - behind),
         shape(sides.right, b, product ? b.size() - 2 : b.size() - 1 - behind)},
        product ? "the inner extents" : "these differ");
}

Array unary(ast::UnaryOp op, const Array& x) {
    const NumberKind number = std::max(x.kind, NumberKind::integer);
    const auto wrapped = [](const Array& made) {
        return is_narrow(made.wraps) ? convert(*made.wraps, made) : made;
    };
    switch (op) {
        case ast::UnaryOp::negate:
            if (x.is_real()) return apply<double>(x, number, [](double v) { return -v; });
            return wrapped(
                apply<I>(x, number, [](I v) { return static_cast<I>(0 - static_cast<U>(v)); }));
        case ast::UnaryOp::logical_not:
            return apply_as_is(x, NumberKind::boolean, [](auto v) { return v == 0; });
        case ast::UnaryOp::bit_not:
            return wrapped(apply<I>(x, NumberKind::integer, [](I v) { return ~v; }));
    }
    return x;
}

Array binary(ast::BinaryOp op, const Array& a, const Array& b) {
    const bool whole = !a.is_real() && !b.is_real();
    const auto reals = [&](auto f) {
        return checked_combine<double>(operator_text(op), a, b, NumberKind::real, f);
    };
    const auto compare = [&](auto f) {
        check_shapes(operator_text(op), a, b);
        return combine_wider(a, b, NumberKind::boolean, f);
    };
    using Op = ast::BinaryOp;
    // As kernels shift numbers of the type.
    const bool wide = wrapping(a, b, NumberKind::integer) == Dtype::i64;
    const I places = wide ? 63 : 31;
    switch (op) {
        case Op::logical_or: return compare([](auto x, auto y) { return x != 0 || y != 0; });
        case Op::logical_and: return compare([](auto x, auto y) { return x != 0 && y != 0; });
        case Op::equal: return compare([](auto x, auto y) { return x == y; });
        case Op::not_equal: return compare([](auto x, auto y) { return x != y; });
        case Op::less: return compare([](auto x, auto y) { return x < y; });
        case Op::less_equal: return compare([](auto x, auto y) { return x <= y; });
        case Op::greater: return compare([](auto x, auto y) { return x > y; });
        case Op::greater_equal: return compare([](auto x, auto y) { return x >= y; });
        case Op::bit_or: return integers(op, a, b, [](I x, I y) { return x | y; });
        case Op::bit_xor: return integers(op, a, b, [](I x, I y) { return x ^ y; });
        case Op::bit_and: return integers(op, a, b, [](I x, I y) { return x & y; });
        case Op::shift_left:
            return integers(op, a, b, [places](I x, I y) {
                return static_cast<I>(static_cast<U>(x) << (y & places));
            });
        case Op::shift_right:
            return integers(op, a, b, [places](I x, I y) { return x >> (y & places); });
        case Op::add:
            if (whole)
                return integers(op, a, b, [](I x, I y) { return static_cast<I>(U(x) + U(y)); });
            return reals([](double x, double y) { return x + y; });
        case Op::subtract:
            if (whole)
                return integers(op, a, b, [](I x, I y) { return static_cast<I>(U(x) - U(y)); });
            return reals([](double x, double y) { return x - y; });
        case Op::multiply:
            if (whole)
                return integers(op, a, b, [](I x, I y) { return static_cast<I>(U(x) * U(y)); });
            return reals([](double x, double y) { return x * y; });
        case Op::divide:
            if (!whole) return reals([](double x, double y) { return x / y; });
            return divided(op, a, b, [](I x, I y) {
                if (x % y != 0) {
                    throw ValueError(fmt::format(
                        "`/` of integers must be exact, but {} does not divide {}; write `//` for "
                        "the quotient rounded down, or make one operand floating-point",
                        y, x));
                }
                return x / y;
            });
        case Op::floor_divide: return divided(op, a, b, floor_quotient);
        case Op::remainder:
            return divided(op, a, b, [](I x, I y) { return x - y * floor_quotient(x, y); });
        case Op::matmul: {
            std::optional<Array> product = multiply(a, b);
            if (!product) throw ShapeError("`@`", a.shape, b.shape);
            return std::move(*product);
        }
    }
    return a;
}

std::optional<Array> decided_by(ast::BinaryOp op, const Array& left) {
    const bool logic = op == ast::BinaryOp::logical_and || op == ast::BinaryOp::logical_or;
    if (!logic || left.rank() != 0) return std::nullopt;
    const bool holds = left.real_at(0) != 0;
    if (holds != (op == ast::BinaryOp::logical_or)) return std::nullopt;
    return Array::whole(holds ? 1 : 0, NumberKind::boolean);
}

void check_inside(std::int64_t position, std::int64_t extent) {
    if (position >= 0 && position < extent) return;
    throw ValueError(
        fmt::format("position {} is out of bounds for an axis of {}", position, extent),
        "handle this case with `if`: a kernel reads 0 and stores nothing there");
}

Array as_whole(Array made, Dtype dtype) {
    if (made.is_real()) {
        const std::vector<double>& cells = made.of<double>();
        const auto other = std::find_if(cells.begin(), cells.end(), [](double x) {
            return !std::isfinite(x) || std::trunc(x) != x;
        });
        if (other != cells.end()) {
            throw ValueError(
                fmt::format("an output of {} holds integers, found {:g}", name(dtype), *other),
                fmt::format("convert it as the kernel does: `floor(x)`, `round(x)`, `{}(x)`",
                            name(dtype)));
        }
    }
    made = as_kind(std::move(made), NumberKind::integer);
    made.wraps = wrapping(dtype);
    return made;
}

bool chooses(const ast::Function& function) {
    bool found = false;
    checker::Walk hooks;
    hooks.expr = [&](const ast::Expr& e) {
        found = found || std::holds_alternative<ast::IfExpr>(e.node);
    };
    hooks.stmt = [&](const ast::Stmt& s) {
        found = found || std::holds_alternative<ast::If>(s.node);
    };
    checker::walk(function.body, hooks);
    const auto is_number = [](const ast::FnParam& p) { return p.type.extents.empty(); };
    return found && std::all_of(function.params.begin(), function.params.end(), is_number);
}

}  // namespace tkc::emulator
