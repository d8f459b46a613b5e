// What may be done to partial sums.
#include "tiles/partial.h"

#include "base/overloaded.h"
#include "language/function_cases.h"

namespace tkc::ir {

namespace {

// How an expression depends on the partial inputs.
enum class Degree : std::uint8_t { none, linear, other };

class Linearity {
public:
    explicit Linearity(const std::function<bool(std::int64_t)>& partial) : partial_(partial) {}

    Degree of(const Scalar& s) const {
        return std::visit(
            Overloaded{
                [&](const Element& e) { return partial_(e.input) ? Degree::linear : Degree::none; },
                [&](const Call& c) { return of_call(c); },
                [&](const Cast& c) {
                    return of(c.argument) == Degree::none ? Degree::none : Degree::other;
                },
                [&](const External& e) {
                    for (const Scalar& a : e.arguments) {
                        if (of(a) != Degree::none) return Degree::other;
                    }
                    return Degree::none;
                },
                [&](const ElementLoad& l) {
                    for (const Scalar& p : l.position) {
                        if (of(p) != Degree::none) return Degree::other;
                    }
                    return Degree::none;
                },
                [](const auto&) { return Degree::none; },
            },
            s->node);
    }

private:
    static Degree sum(Degree a, Degree b) { return a == b ? a : Degree::other; }
    static Degree product(Degree a, Degree b) {
        if (a == Degree::none) return b;
        return b == Degree::none ? a : Degree::other;
    }
    Degree of_call(const Call& c) const {
        const auto argument = [&](std::size_t i) { return of(c.arguments[i]); };
        switch (c.function) {
            case Function::add:
            case Function::sub: return sum(argument(0), argument(1));
            case Function::neg: return argument(0);
            case Function::mul: return product(argument(0), argument(1));
            case Function::fma: return sum(product(argument(0), argument(1)), argument(2));
            case Function::where:
                return argument(0) == Degree::none ? sum(argument(1), argument(2)) : Degree::other;
            case Function::div:
            case Function::min:
            case Function::max:
            case Function::abs:
            case Function::exp2:
            case Function::exp:
            case Function::log2:
            case Function::log:
            case Function::sqrt:
            case Function::rsqrt:
            case Function::tanh:
            case Function::sin:
            case Function::cos:
            case Function::erf:
            case Function::pow:
            case Function::floor:
            case Function::ceil:
            case Function::round:
            case TKC_LOGIC:
            case TKC_COMPARISONS:
            case TKC_BIT_FUNCTIONS:
            case TKC_INTEGER_FUNCTIONS:
            case TKC_BIT_PATTERNS: break;
        }
        for (const Scalar& a : c.arguments) {
            if (of(a) != Degree::none) return Degree::other;
        }
        return Degree::none;
    }

    const std::function<bool(std::int64_t)>& partial_;
};

}  // namespace

bool is_linear(const Scalar& cell, const std::function<bool(std::int64_t)>& partial) {
    return Linearity(partial).of(cell) == Degree::linear;
}

}  // namespace tkc::ir
