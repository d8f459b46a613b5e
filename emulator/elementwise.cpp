// An expression is flattened into a list of steps, each of which fills a strip of cells from strips
// of earlier steps: loops over strips are what the host's compiler vectorizes.
#include "emulator/elementwise.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <unordered_map>

#include "arithmetic/guards.h"
#include "base/overloaded.h"
#include "emulator/vectorised.h"
#include "language/arithmetic.h"
#include "language/function_cases.h"

namespace tkc::emulator {

using namespace arithmetic;

namespace {

// A strip: one row of the result, or all of it where it has one column.
struct Strip {
    std::vector<float> reals;
    std::vector<double> doubles;
    std::vector<std::int64_t> integers;

    template <class Number>
    std::vector<Number>& cells_as() {
        if constexpr (std::is_same_v<Number, double>) return doubles;
        else if constexpr (std::is_same_v<Number, float>) return reals;
        else return integers;
    }
};

struct Step {
    const ir::ScalarNode* node = nullptr;
    std::vector<std::size_t> arguments;  // steps
    bool uniform = false;                // the same number in every cell
    bool along = true;                   // not the same number in every cell of a strip
    bool across = true;                  // not the same strip everywhere: else it is filled once
    Dtype dtype = Dtype::f32;

    // f(Number()), a number of the type that its cells have.
    template <class F>
    decltype(auto) with_number(F&& f) const {
        if (dtype == Dtype::f64) return f(double{});
        return is_real(dtype) ? f(float{}) : f(std::int64_t{});
    }
};

template <class Real>
TKC_FUSED void fill_fused(const Real* a, const Real* b, const Real* c, Real* out,
                          std::size_t count) {
    for (std::size_t k = 0; k < count; ++k) out[k] = std::fma(a[k], b[k], c[k]);
}

// A function that a loop knows when it is compiled.
template <Function function>
using Constant = std::integral_constant<Function, function>;

class Evaluation {
public:
    Evaluation(const ir::Scalar& expression, const std::vector<const Tile*>& inputs,
               const Environment& env, const Places& places, std::size_t width, bool column)
        : inputs_(inputs), env_(env), places_of_result_(places), width_(width), column_(column) {
        root_ = add(expression);
        strips_.resize(steps_.size());
        for (std::size_t i = 0; i < steps_.size(); ++i) {
            steps_[i].with_number(
                [&](auto number) { strips_[i].cells_as<decltype(number)>().resize(width_); });
        }
    }

    // Row `major` of the result, or its only column.
    void run(std::int64_t major) {
        major_ = major;
        for (std::size_t i = 0; i < steps_.size(); ++i) {
            const Step& step = steps_[i];
            if (!step.across && filled_) continue;
            // One cell stands for all of them.
            count_ = step.along ? width_ : std::min<std::size_t>(width_, 1);
            fill(i);
            if (!step.along) {
                step.with_number([&](auto number) {
                    auto& cells = strips_[i].cells_as<decltype(number)>();
                    std::fill(cells.begin(), cells.end(), cells.front());
                });
            }
        }
        filled_ = true;
    }

    Strip& result() { return strips_[root_]; }

private:
    std::size_t add(const ir::Scalar& s) {
        const auto known = places_.find(s.get());
        if (known != places_.end()) return known->second;
        if (const auto* n = std::get_if<ir::External>(&s->node)) return add(n->meaning);
        const auto* call = std::get_if<ir::Call>(&s->node);
        if (call != nullptr && ir::chooses_by_number(*call)) {
            const std::size_t chosen = add(chosen_by_number(*call));
            places_[s.get()] = chosen;
            return chosen;
        }
        Step step;
        step.node = s.get();
        step.dtype = s->dtype;
        step.along = step.across = false;
        const auto follow = [&](const std::vector<ir::Scalar>& arguments) {
            for (const ir::Scalar& a : arguments) {
                step.arguments.push_back(add(a));
                step.along = step.along || steps_[step.arguments.back()].along;
                step.across = step.across || steps_[step.arguments.back()].across;
            }
        };
        std::visit(Overloaded{
                       [&](const ir::Call& n) { follow(n.arguments); },
                       [&](const ir::Cast& n) { follow({n.argument}); },
                       [&](const ir::ElementLoad& n) {
                           follow(n.position);
                           // Each cell's own load is looked at: none stands for another.
                           if (step.along || step.across) step.along = step.across = true;
                       },
                       [&](const ir::Element& n) {
                           const Tile& tile = *inputs_[static_cast<std::size_t>(n.input)];
                           step.along = (column_ ? tile.rows : tile.cols) != 1;
                           step.across = (column_ ? tile.cols : tile.rows) != 1;
                       },
                       [&](const ir::Row&) { (column_ ? step.along : step.across) = true; },
                       [&](const ir::Column&) { (column_ ? step.across : step.along) = true; },
                       [](const auto&) {},
                   },
                   s->node);
        step.uniform = !step.along && !step.across;
        steps_.push_back(step);
        places_[s.get()] = steps_.size() - 1;
        return steps_.size() - 1;
    }

    // What the number chooses: the other side is not evaluated, and may read outside of a tensor.
    const ir::Scalar& chosen_by_number(const ir::Call& call) const {
        const bool holds = env_.integer(call.arguments[0]) != 0;
        if (call.function == Function::where) return call.arguments[holds ? 1 : 2];
        return call.arguments[holds == (call.function == Function::logical_or) ? 0 : 1];
    }

    void fill_number(std::size_t i, const Number& n) {
        steps_[i].with_number([&](auto number) {
            using Cell = decltype(number);
            auto& cells = strips_[i].cells_as<Cell>();
            std::fill(cells.begin(), cells.end(), cell_of<Cell>(n));
        });
    }

    template <class Cell>
    static Cell cell_of(const Number& n) {
        if constexpr (std::is_integral_v<Cell>) return std::get<std::int64_t>(n);
        else return static_cast<Cell>(std::get<double>(n));
    }

    template <class T>
    void fill_cells(const std::vector<T>& from, const Tile& tile, std::vector<T>& to) {
        const std::int64_t length = column_ ? tile.rows : tile.cols;
        const std::int64_t lines = column_ ? tile.cols : tile.rows;
        const std::int64_t line = lines == 1 ? 0 : major_;
        // A strip along a column has that column alone, so its cells too lie side by side.
        const auto begin = from.begin() + line * length;
        std::copy_n(begin, count_, to.begin());
    }

    void fill(std::size_t i) {
        const Step& step = steps_[i];
        Strip& to = strips_[i];
        std::visit(
            Overloaded{
                [&](const ir::Element& n) {
                    const Tile& tile = *inputs_[static_cast<std::size_t>(n.input)];
                    step.with_number([&](auto number) {
                        using Cell = decltype(number);
                        fill_cells(tile.cells_as<Cell>(), tile, to.cells_as<Cell>());
                    });
                },
                [&](const ir::Row&) { fill_place(to.integers, column_, true); },
                [&](const ir::Column&) { fill_place(to.integers, !column_, false); },
                [&](const ir::ElementLoad& n) { fill_loads(step, n, to); },
                [&](const ir::Call& n) { fill_call(step, n, to); },
                [&](const ir::Cast&) { fill_cast(step, to); },
                [](const ir::External&) {},  // what it means is a step of its own
                [&](const ir::Symbol& n) { fill_number(i, env_.get(n.name)); },
                [&](const ir::Integer& n) { fill_number(i, n.value); },
                [&](const ir::Real& n) { fill_number(i, round_to(step.node->dtype, n.value)); },
                [&](const ir::Boolean& n) { fill_number(i, std::int64_t{n.value ? 1 : 0}); },
            },
            step.node->node);
    }

    void fill_place(std::vector<std::int64_t>& to, bool along, bool rows) const {
        for (std::size_t k = 0; k < count_; ++k) {
            const std::int64_t at = along ? static_cast<std::int64_t>(k) : major_;
            to[k] = rows ? places_of_result_.row(at) : places_of_result_.col(at);
        }
    }

    void fill_loads(const Step& step, const ir::ElementLoad& load, Strip& to) {
        const Tensor& tensor = env_.tensor(load.tensor);
        ElementObserver* const watching = env_.observer(load.tensor);
        std::vector<std::int64_t> position(step.arguments.size());
        for (std::size_t k = 0; k < count_; ++k) {
            for (std::size_t a = 0; a < position.size(); ++a) {
                position[a] = strips_[step.arguments[a]].integers[k];
            }
            const std::int64_t place = place_of(load, tensor, position);
            if (watching != nullptr && place >= 0) {
                const auto along = static_cast<std::int64_t>(k);
                if (step.uniform) watching->read(load.tensor, place, -1, -1);
                else if (column_) watching->read(load.tensor, place, along, 0);
                else watching->read(load.tensor, place, major_, along);
            }
            const Number n = read_element(tensor, place);
            step.with_number([&](auto number) {
                using Cell = decltype(number);
                to.cells_as<Cell>()[k] = cell_of<Cell>(n);
            });
        }
    }

    TKC_VECTORISED
    void fill_cast(const Step& step, Strip& to) {
        Strip& source = strips_[step.arguments[0]];
        const Dtype dtype = step.node->dtype;
        steps_[step.arguments[0]].with_number([&](auto given) {
            const auto& x = source.cells_as<decltype(given)>();
            step.with_number([&](auto wanted) {
                using From = decltype(given);
                using To = decltype(wanted);
                auto& out = to.cells_as<To>();
                if constexpr (!std::is_integral_v<To>) {
                    for (std::size_t k = 0; k < count_; ++k) out[k] = static_cast<To>(x[k]);
                } else if constexpr (!std::is_integral_v<From>) {
                    for (std::size_t k = 0; k < count_; ++k) out[k] = truncate_to(dtype, x[k]);
                } else {
                    std::copy_n(x.begin(), count_, out.begin());
                    wrap_cells(dtype, out.data(), count_);
                }
            });
        });
        // Narrower types are computed in f32.
        if (!to.reals.empty()) round_cells(dtype, to.reals.data(), count_);
    }

    // `f` of the cells of up to three strips. A switch inside the loop would keep it scalar, so the
    // commonest functions have loops of their own.
    template <class Real>
    TKC_VECTORISED void fill_reals(const Step& step, Function f, std::vector<Real>& to) {
        const auto operand = [&](std::size_t i) {
            return strips_[step.arguments[i < step.arguments.size() ? i : 0]]
                .template cells_as<Real>()
                .data();
        };
        const Real* a = operand(0);
        const Real* b = operand(1);
        const Real* c = operand(2);
        Real* out = to.data();
        const auto each = [&](auto&& function) {
            for (std::size_t k = 0; k < count_; ++k) out[k] = function(k);
        };
        switch (f) {
            case Function::add: each([&](std::size_t k) { return a[k] + b[k]; }); break;
            case Function::sub: each([&](std::size_t k) { return a[k] - b[k]; }); break;
            case Function::mul: each([&](std::size_t k) { return a[k] * b[k]; }); break;
            case Function::neg: each([&](std::size_t k) { return -a[k]; }); break;
            case Function::max:
                each([&](std::size_t k) { return propagating_max(a[k], b[k]); });
                break;
            case Function::min:
                each([&](std::size_t k) { return propagating_min(a[k], b[k]); });
                break;
            case Function::fma: fill_fused(a, b, c, out, count_); break;
            case Function::exp2:
                each([&](std::size_t k) {
                    if constexpr (std::is_same_v<Real, float>) return exp2_of(a[k]);
                    else return arithmetic::apply(f, a[k], b[k], c[k]);
                });
                break;
            case Function::div:
            case Function::abs:
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
            case TKC_BIT_PATTERNS:
            case Function::where:

                each([&](std::size_t k) { return arithmetic::apply(f, a[k], b[k], c[k]); });
                break;
        }
        if constexpr (std::is_same_v<Real, float>) round_cells(step.node->dtype, out, count_);
    }

    TKC_VECTORISED
    void fill_integers(const Step& step, Function f, std::vector<std::int64_t>& to) {
        const std::int64_t* a = strips_[step.arguments[0]].integers.data();
        const std::int64_t* b =
            step.arguments.size() > 1 ? strips_[step.arguments[1]].integers.data() : a;
        const std::int64_t* c =
            step.arguments.size() > 2 ? strips_[step.arguments[2]].integers.data() : a;
        std::int64_t* out = to.data();
        if (divides(f) && std::any_of(b, b + count_, [](std::int64_t x) { return x <= 0; }))
            throw Fault("a cell is divided by zero or a negative number");
        const auto each = [&]<Function function>(Constant<function>) {
            for (std::size_t k = 0; k < count_; ++k)
                out[k] = arithmetic::apply(function, a[k], b[k], c[k]);
        };
        switch (f) {
            case Function::add: each(Constant<Function::add>{}); break;
            case Function::sub: each(Constant<Function::sub>{}); break;
            case Function::mul: each(Constant<Function::mul>{}); break;
            case Function::min: each(Constant<Function::min>{}); break;
            case Function::max: each(Constant<Function::max>{}); break;
            case Function::bit_and: each(Constant<Function::bit_and>{}); break;
            case Function::bit_or: each(Constant<Function::bit_or>{}); break;
            case Function::shift_right: each(Constant<Function::shift_right>{}); break;
            case Function::logical_and: each(Constant<Function::logical_and>{}); break;
            case Function::logical_or: each(Constant<Function::logical_or>{}); break;
            case Function::logical_not: each(Constant<Function::logical_not>{}); break;
            case Function::div:
            case Function::neg:
            case Function::abs:
            case Function::bit_xor:
            case Function::bit_not:
            case Function::shift_left:
            case TKC_COMPARISONS:
            case TKC_INTEGER_FUNCTIONS:
            case TKC_REAL_FUNCTIONS:
            case TKC_BIT_PATTERNS:
            case Function::where:

                for (std::size_t k = 0; k < count_; ++k)
                    out[k] = arithmetic::apply(f, a[k], b[k], c[k]);
                break;
        }
        wrap_cells(step.node->dtype, out, count_);
    }

    TKC_VECTORISED
    void fill_call(const Step& step, const ir::Call& call, Strip& to) {
        const Function f = call.function;
        const auto& arguments = step.arguments;
        if (f == Function::where) {
            const auto& condition = strips_[arguments[0]].integers;
            const auto choose = [&](const auto& yes, const auto& no, auto& out) {
                for (std::size_t k = 0; k < count_; ++k)
                    out[k] = condition[k] != 0 ? yes[k] : no[k];
            };
            step.with_number([&](auto number) {
                using Cell = decltype(number);
                choose(strips_[arguments[1]].cells_as<Cell>(),
                       strips_[arguments[2]].cells_as<Cell>(), to.cells_as<Cell>());
            });
        } else if (info(f).kind == FunctionKind::pattern) {
            const auto& numbers = strips_[arguments[0]].cells_as<float>();
            for (std::size_t k = 0; k < count_; ++k) to.integers[k] = to_bits(numbers[k]);
        } else if (info(f).kind == FunctionKind::number) {
            const auto& bits = strips_[arguments[0]].integers;
            for (std::size_t k = 0; k < count_; ++k)
                to.cells_as<float>()[k] = from_bits(static_cast<std::int32_t>(bits[k]));
        } else if (info(f).kind == FunctionKind::compare) {
            steps_[arguments[0]].with_number([&](auto number) {
                using Cell = decltype(number);
                const Cell* a = strips_[arguments[0]].cells_as<Cell>().data();
                const Cell* b = strips_[arguments[1]].cells_as<Cell>().data();
                std::int64_t* out = to.integers.data();
                const auto each = [&]<Function function>(Constant<function>) {
                    for (std::size_t k = 0; k < count_; ++k)
                        out[k] = arithmetic::compare(function, a[k], b[k]) ? 1 : 0;
                };
                switch (f) {
                    case Function::eq: each(Constant<Function::eq>{}); break;
                    case Function::ne: each(Constant<Function::ne>{}); break;
                    case Function::lt: each(Constant<Function::lt>{}); break;
                    case Function::le: each(Constant<Function::le>{}); break;
                    case Function::gt: each(Constant<Function::gt>{}); break;
                    case Function::ge: each(Constant<Function::ge>{}); break;
                    case TKC_ARITHMETIC:
                    case TKC_LOGIC:
                    case TKC_BIT_FUNCTIONS:
                    case TKC_INTEGER_FUNCTIONS:
                    case TKC_REAL_FUNCTIONS:
                    case TKC_BIT_PATTERNS:
                    case Function::where: break;
                }
            });
        } else {
            step.with_number([&](auto number) {
                if constexpr (std::is_integral_v<decltype(number)>)
                    fill_integers(step, f, to.integers);
                else fill_reals(step, f, to.cells_as<decltype(number)>());
            });
        }
    }

    const std::vector<const Tile*>& inputs_;
    const Environment& env_;
    const Places& places_of_result_;
    std::size_t width_;
    bool column_;            // a strip is the only column of the result, not one of its rows
    std::size_t count_ = 0;  // cells of the step that is being filled
    std::vector<Step> steps_;
    std::vector<Strip> strips_;
    std::unordered_map<const ir::ScalarNode*, std::size_t> places_;
    std::size_t root_ = 0;
    bool filled_ = false;
    std::int64_t major_ = 0;
};

}  // namespace

void map(Tile& result, const ir::Scalar& expression, const std::vector<const Tile*>& inputs,
         const Environment& env, const Places& places) {
    if (result.rows == 0 || result.cols == 0) return;
    const bool column = result.cols == 1;
    const std::int64_t width = column ? result.rows : result.cols;
    const std::int64_t lines = column ? result.cols : result.rows;
    Evaluation evaluation(expression, inputs, env, places, static_cast<std::size_t>(width), column);
    // `result` may be an input: a cell is read before it is written, and no other cell is read.
    for (std::int64_t line = 0; line < lines; ++line) {
        evaluation.run(line);
        result.with_cells([&]<class Cell>(std::vector<Cell>& cells) {
            const std::vector<Cell>& strip = evaluation.result().template cells_as<Cell>();
            std::copy(strip.begin(), strip.end(), cells.begin() + line * width);
        });
    }
    round_cells(result.dtype, result.reals.data(), result.reals.size());
}

void splat(Tile& result, const Number& value) {
    result.with_cells([&]<class Cell>(std::vector<Cell>& cells) {
        Cell cell{};
        if constexpr (std::is_integral_v<Cell>)
            cell = wrap_to(result.dtype, std::get<std::int64_t>(value));
        else cell = static_cast<Cell>(round_to(result.dtype, std::get<double>(value)));
        std::fill(cells.begin(), cells.end(), cell);
    });
}

Number first_cell(const Tile& tile) {
    return tile.with_cells([](const auto& cells) -> Number {
        if constexpr (std::is_integral_v<std::decay_t<decltype(cells.front())>>)
            return cells.front();
        else return static_cast<double>(cells.front());
    });
}

}  // namespace tkc::emulator
