// Scalar expressions: the arithmetic of one thread.
#include "emulator/environment.h"

#include <fmt/format.h>

#include <array>

#include "base/overloaded.h"
#include "emulator/number.h"
#include "language/arithmetic.h"

namespace tkc::emulator {

using namespace arithmetic;

namespace {

std::int64_t as_integer(const Number& n) { return std::get<std::int64_t>(n); }

// Numbers are evaluated where they are chosen, from left to right (arithmetic/guards.h).
Number evaluate_call(const Environment& env, const ir::ScalarNode& node, const ir::Call& call) {
    const Function f = call.function;
    std::array<Number, 3> x{env.evaluate(call.arguments[0])};
    if (f == Function::where) return env.evaluate(call.arguments[as_integer(x[0]) != 0 ? 1 : 2]);
    if (f == Function::logical_and || f == Function::logical_or) {
        const bool decides = (as_integer(x[0]) != 0) == (f == Function::logical_or);
        return decides ? x[0] : env.evaluate(call.arguments[1]);
    }
    for (std::size_t i = 1; i < call.arguments.size(); ++i) x[i] = env.evaluate(call.arguments[i]);
    const bool real_operands = std::holds_alternative<double>(x[0]);
    if (info(f).kind == FunctionKind::compare) {
        const bool holds =
            real_operands ? arithmetic::compare(f, std::get<double>(x[0]), std::get<double>(x[1]))
                          : arithmetic::compare(f, as_integer(x[0]), as_integer(x[1]));
        return std::int64_t{holds ? 1 : 0};
    }
    if (info(f).kind == FunctionKind::pattern)
        return std::int64_t{arithmetic::to_bits(static_cast<float>(std::get<double>(x[0])))};
    if (info(f).kind == FunctionKind::number)
        return double{arithmetic::from_bits(static_cast<std::int32_t>(as_integer(x[0])))};
    if (real_operands) {
        const auto operand = [&](std::size_t i) {
            return i < call.arguments.size() ? std::get<double>(x[i]) : 0.0;
        };
        return apply_in(node.dtype, f, operand(0), operand(1), operand(2));
    }
    const auto operand = [&](std::size_t i) {
        return i < call.arguments.size() ? as_integer(x[i]) : 0;
    };
    if (divides(f) && operand(1) <= 0) {
        throw Fault(fmt::format("division by {}; a divisor must be positive", operand(1)));
    }
    return wrap_to(node.dtype, arithmetic::apply(f, operand(0), operand(1), operand(2)));
}

Number convert(Dtype dtype, const Number& value) {
    if (const auto* whole = std::get_if<std::int64_t>(&value)) {
        if (!is_real(dtype)) return wrap_to(dtype, *whole);
        if (dtype == Dtype::f64) return static_cast<double>(*whole);
        return round_to(dtype, static_cast<float>(*whole));
    }
    const double real = std::get<double>(value);
    if (is_real(dtype)) return convert_real(dtype, real);
    return truncate_to(dtype, real);
}

}  // namespace

Number Environment::get(const std::string& name) const {
    const auto found = values_.find(name);
    if (found == values_.end()) throw Fault(fmt::format("`{}` has no value", name));
    return found->second;
}

std::int64_t Environment::integer(const ir::Scalar& s) const {
    if (!s) return 0;
    return as_integer(evaluate(s));
}

std::int64_t Environment::integer(const ir::Scalar& s, std::int64_t row) const {
    row_ = row;
    const std::int64_t found = integer(s);
    row_ = -1;
    return found;
}

Number Environment::evaluate(const ir::Scalar& s) const {
    const ir::ScalarNode& node = *s;
    return std::visit(
        Overloaded{
            [](const ir::Integer& n) -> Number { return n.value; },
            [&](const ir::Real& n) -> Number { return round_to(node.dtype, n.value); },
            [](const ir::Boolean& n) -> Number { return std::int64_t{n.value ? 1 : 0}; },
            [&](const ir::Symbol& n) -> Number { return get(n.name); },
            [](const ir::Element&) -> Number { throw Fault("a cell outside of a tile"); },
            [&](const ir::Row&) -> Number {
                if (row_ < 0) throw Fault("a row outside of a tile");
                return row_;
            },
            [](const ir::Column&) -> Number { throw Fault("a column outside of a tile"); },
            [&](const ir::ElementLoad& n) -> Number {
                std::vector<std::int64_t> position;
                for (const ir::Scalar& p : n.position) position.push_back(integer(p));
                const std::int64_t place = place_of(n, tensor(n.tensor), position);
                ElementObserver* const watching = observer(n.tensor);
                if (watching != nullptr && place >= 0) watching->read(n.tensor, place, -1, -1);
                return read_element(tensor(n.tensor), place);
            },
            [&](const ir::Call& n) -> Number { return evaluate_call(*this, node, n); },
            [&](const ir::External& n) -> Number { return evaluate(n.meaning); },
            [&](const ir::Cast& n) -> Number { return convert(node.dtype, evaluate(n.argument)); },
        },
        node.node);
}

std::int64_t place_of(const ir::ElementLoad& load, const Tensor& tensor,
                      const std::vector<std::int64_t>& position) {
    std::int64_t element = tensor.origin;
    for (std::size_t axis = 0; axis < position.size(); ++axis) {
        if (position[axis] < 0 || position[axis] >= tensor.extents[axis]) {
            if (!load.zero_outside) {
                throw Fault(fmt::format("index {} of `{}` on axis {}, which has {} elements",
                                        position[axis], load.tensor, axis, tensor.extents[axis]));
            }
            return -1;
        }
        element += position[axis] * tensor.strides[axis];
    }
    return element;
}

Number read_element(const Tensor& tensor, std::int64_t place) {
    if (is_real(tensor.dtype)) return place < 0 ? 0.0 : read_real(tensor.dtype, tensor.at(place));
    return place < 0 ? std::int64_t{0} : read_integer(tensor.dtype, tensor.at(place));
}

}  // namespace tkc::emulator
