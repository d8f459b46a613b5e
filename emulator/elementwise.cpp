// An expression is flattened into a list of steps, each of which fills a strip of cells from strips
// of earlier steps: loops over strips are what the host's compiler vectorises.
#include "emulator/elementwise.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "base/overloaded.h"
#include "emulator/functions.h"

namespace tkc::emulator {

namespace {

// A strip: one row of the result, or all of it where it has one column.
struct Strip {
    std::vector<float> reals;
    std::vector<std::int64_t> integers;
};

struct Step {
    const ir::ScalarNode* node = nullptr;
    std::vector<std::size_t> arguments;  // steps
    bool uniform = false;                // the same number in every cell: filled once
    bool real = false;
};

class Evaluation {
public:
    Evaluation(const ir::Scalar& expression, const std::vector<const Tile*>& inputs,
               const Environment& env, const Places& places, std::size_t width)
        : inputs_(inputs), env_(env), places_of_result_(places), width_(width) {
        root_ = add(expression);
        strips_.resize(steps_.size());
        for (std::size_t i = 0; i < steps_.size(); ++i) {
            if (steps_[i].real) strips_[i].reals.resize(width_);
            else strips_[i].integers.resize(width_);
        }
    }

    // `column`: the strip is the only column of the result, not its row `major`.
    void run(std::int64_t major, bool column) {
        major_ = major;
        column_ = column;
        for (std::size_t i = 0; i < steps_.size(); ++i) {
            if (steps_[i].uniform && filled_) continue;
            fill(i);
        }
        filled_ = true;
    }

    const Strip& result() const { return strips_[root_]; }

private:
    std::size_t add(const ir::Scalar& s) {
        const auto known = places_.find(s.get());
        if (known != places_.end()) return known->second;
        if (const auto* n = std::get_if<ir::External>(&s->node)) return add(n->meaning);
        Step step{s.get(), {}, false, is_real(s->dtype)};
        const bool place_free =
            std::visit(Overloaded{
                           [&](const ir::Call& n) {
                               bool uniform = true;
                               for (const ir::Scalar& a : n.arguments) {
                                   step.arguments.push_back(add(a));
                                   uniform = uniform && steps_[step.arguments.back()].uniform;
                               }
                               return uniform;
                           },
                           [&](const ir::Cast& n) {
                               step.arguments.push_back(add(n.argument));
                               return steps_[step.arguments.back()].uniform;
                           },
                           [&](const ir::ElementLoad& n) {
                               bool uniform = true;
                               for (const ir::Scalar& p : n.position) {
                                   step.arguments.push_back(add(p));
                                   uniform = uniform && steps_[step.arguments.back()].uniform;
                               }
                               return uniform;
                           },
                           [](const ir::Element&) { return false; },
                           [](const ir::Row&) { return false; },
                           [](const ir::Column&) { return false; },
                           [](const auto&) { return true; },
                       },
                       s->node);
        step.uniform = place_free;
        steps_.push_back(step);
        places_[s.get()] = steps_.size() - 1;
        return steps_.size() - 1;
    }

    void fill_number(std::size_t i, const Number& n) {
        if (steps_[i].real) {
            std::fill(strips_[i].reals.begin(), strips_[i].reals.end(),
                      static_cast<float>(std::get<double>(n)));
        } else {
            std::fill(strips_[i].integers.begin(), strips_[i].integers.end(),
                      std::get<std::int64_t>(n));
        }
    }

    template <class T>
    void fill_cells(const std::vector<T>& from, const Tile& tile, std::vector<T>& to) {
        const std::int64_t length = column_ ? tile.rows : tile.cols;
        const std::int64_t lines = column_ ? tile.cols : tile.rows;
        const std::int64_t line = lines == 1 ? 0 : major_;
        // A strip along a column has that column alone, so its cells too lie side by side.
        const auto begin = from.begin() + line * length;
        if (length == 1) std::fill(to.begin(), to.end(), *begin);
        else std::copy_n(begin, width_, to.begin());
    }

    void fill(std::size_t i) {
        const Step& step = steps_[i];
        Strip& to = strips_[i];
        std::visit(
            Overloaded{
                [&](const ir::Element& n) {
                    const Tile& tile = *inputs_[static_cast<std::size_t>(n.input)];
                    if (step.real) fill_cells(tile.reals, tile, to.reals);
                    else fill_cells(tile.integers, tile, to.integers);
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
        for (std::size_t k = 0; k < width_; ++k) {
            const std::int64_t at = along ? static_cast<std::int64_t>(k) : major_;
            to[k] = rows ? places_of_result_.row(at) : places_of_result_.col(at);
        }
    }

    void fill_loads(const Step& step, const ir::ElementLoad& load, Strip& to) {
        const Tensor& tensor = env_.tensor(load.tensor);
        ElementObserver* const watching = env_.observer(load.tensor);
        std::vector<std::int64_t> position(step.arguments.size());
        for (std::size_t k = 0; k < width_; ++k) {
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
            if (step.real) to.reals[k] = static_cast<float>(std::get<double>(n));
            else to.integers[k] = std::get<std::int64_t>(n);
        }
    }

    void fill_cast(const Step& step, Strip& to) {
        const std::size_t from = step.arguments[0];
        const Dtype dtype = step.node->dtype;
        if (steps_[from].real && step.real) {
            std::copy(strips_[from].reals.begin(), strips_[from].reals.end(), to.reals.begin());
            round_cells(dtype, to.reals.data(), width_);
        } else if (step.real) {
            const auto& x = strips_[from].integers;
            for (std::size_t k = 0; k < width_; ++k) to.reals[k] = static_cast<float>(x[k]);
            round_cells(dtype, to.reals.data(), width_);
        } else if (steps_[from].real) {
            const auto& x = strips_[from].reals;
            for (std::size_t k = 0; k < width_; ++k) to.integers[k] = truncate_to(dtype, x[k]);
        } else {
            const auto& x = strips_[from].integers;
            for (std::size_t k = 0; k < width_; ++k) to.integers[k] = wrap_to(dtype, x[k]);
        }
    }

    // `f` of the cells of up to three strips. A switch inside the loop would keep it scalar, so the
    // commonest functions have loops of their own.
    void fill_reals(const Step& step, Function f, std::vector<float>& to) {
        const float* a = strips_[step.arguments[0]].reals.data();
        const float* b = step.arguments.size() > 1 ? strips_[step.arguments[1]].reals.data() : a;
        const float* c = step.arguments.size() > 2 ? strips_[step.arguments[2]].reals.data() : a;
        float* out = to.data();
        const auto each = [&](auto&& function) {
            for (std::size_t k = 0; k < width_; ++k) out[k] = function(k);
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
            default: each([&](std::size_t k) { return apply(f, a[k], b[k], c[k]); }); break;
        }
        round_cells(step.node->dtype, out, width_);
    }

    void fill_integers(const Step& step, Function f, std::vector<std::int64_t>& to) {
        const std::int64_t* a = strips_[step.arguments[0]].integers.data();
        const std::int64_t* b =
            step.arguments.size() > 1 ? strips_[step.arguments[1]].integers.data() : a;
        const std::int64_t* c =
            step.arguments.size() > 2 ? strips_[step.arguments[2]].integers.data() : a;
        for (std::size_t k = 0; k < width_; ++k) {
            if (divides(f) && b[k] <= 0) throw Fault("a division of cells by zero or less");
            to[k] = wrap_to(step.node->dtype, apply(f, a[k], b[k], c[k]));
        }
    }

    void fill_call(const Step& step, const ir::Call& call, Strip& to) {
        const Function f = call.function;
        const auto& arguments = step.arguments;
        if (f == Function::where) {
            const auto& condition = strips_[arguments[0]].integers;
            const auto choose = [&](const auto& yes, const auto& no, auto& out) {
                for (std::size_t k = 0; k < width_; ++k)
                    out[k] = condition[k] != 0 ? yes[k] : no[k];
            };
            const Strip& yes = strips_[arguments[1]];
            const Strip& no = strips_[arguments[2]];
            if (step.real) choose(yes.reals, no.reals, to.reals);
            else choose(yes.integers, no.integers, to.integers);
        } else if (info(f).kind == FunctionKind::compare) {
            const auto compare_all = [&](const auto& a, const auto& b) {
                for (std::size_t k = 0; k < width_; ++k) {
                    to.integers[k] = compare(f, a[k], b[k]) ? 1 : 0;
                }
            };
            const Strip& a = strips_[arguments[0]];
            const Strip& b = strips_[arguments[1]];
            if (steps_[arguments[0]].real) compare_all(a.reals, b.reals);
            else compare_all(a.integers, b.integers);
        } else if (step.real) {
            fill_reals(step, f, to.reals);
        } else {
            fill_integers(step, f, to.integers);
        }
    }

    const std::vector<const Tile*>& inputs_;
    const Environment& env_;
    const Places& places_of_result_;
    std::size_t width_;
    std::vector<Step> steps_;
    std::vector<Strip> strips_;
    std::unordered_map<const ir::ScalarNode*, std::size_t> places_;
    std::size_t root_ = 0;
    bool filled_ = false;
    std::int64_t major_ = 0;
    bool column_ = false;
};

}  // namespace

void map(Tile& result, const ir::Scalar& expression, const std::vector<const Tile*>& inputs,
         const Environment& env, const Places& places) {
    if (result.rows == 0 || result.cols == 0) return;
    const bool column = result.cols == 1;
    const std::int64_t width = column ? result.rows : result.cols;
    const std::int64_t lines = column ? result.cols : result.rows;
    Evaluation evaluation(expression, inputs, env, places, static_cast<std::size_t>(width));
    // `result` may be an input: a cell is read before it is written, and no other cell is read.
    for (std::int64_t line = 0; line < lines; ++line) {
        evaluation.run(line, column);
        const Strip& strip = evaluation.result();
        if (result.is_real()) {
            std::copy(strip.reals.begin(), strip.reals.end(), result.reals.begin() + line * width);
        } else {
            std::copy(strip.integers.begin(), strip.integers.end(),
                      result.integers.begin() + line * width);
        }
    }
    round_cells(result.dtype, result.reals.data(), result.reals.size());
}

void splat(Tile& result, const Number& value) {
    if (result.is_real()) {
        const double rounded = round_to(result.dtype, std::get<double>(value));
        std::fill(result.reals.begin(), result.reals.end(), static_cast<float>(rounded));
    } else {
        std::fill(result.integers.begin(), result.integers.end(),
                  wrap_to(result.dtype, std::get<std::int64_t>(value)));
    }
}

Number first_cell(const Tile& tile) {
    if (tile.is_real()) return static_cast<double>(tile.reals.front());
    return tile.integers.front();
}

}  // namespace tkc::emulator
