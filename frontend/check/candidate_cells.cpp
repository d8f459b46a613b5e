// Expressions of two candidates, node by node.
//
//     m + row        where(m + 64 > 100, ..)        first candidate
//     m + row        where(m + 32 > 100, ..)        other candidate
//     the same       not decided
#include "frontend/check/candidate_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/overloaded.h"

namespace tkc::checker {

void CutCells::suspect(Doubt how, Cause why) {
    if (how <= doubt) return;
    doubt = how;
    cause = std::move(why);
}

void CutCells::assume(Cause why) {
    carried = true;
    if (!assumed) assumed = std::move(why);
}

void CutCells::vanish_with(const CutCells& factor) {
    for (const std::string& range : factor.vanishes) {
        vanishes.insert(range);
        past.erase(range);
    }
}

std::set<std::string> both_vanish(const CutCells& a, const CutCells& b) {
    const auto is_zero = [](const CutCells& x) {
        return x.literal && *x.literal == 0 && x.difference == 0;
    };
    if (is_zero(a)) return b.vanishes;
    if (is_zero(b)) return a.vanishes;
    std::set<std::string> made;
    std::set_intersection(a.vanishes.begin(), a.vanishes.end(), b.vanishes.begin(),
                          b.vanishes.end(), std::inserter(made, made.end()));
    return made;
}

void depend(CutCells& into, const CutCells& part) {
    if (part.fold != Fold::nothing) into.fold = Fold::other;
    into.has_other = into.has_other || part.has_other;
    into.crude = into.crude || part.crude;
    if (!into.assumed) into.assumed = part.assumed;
    for (std::size_t a = 0; a < 2; ++a) into.along[a] = into.along[a] || part.along[a];
    into.steps.insert(part.steps.begin(), part.steps.end());
    into.itself.insert(part.itself.begin(), part.itself.end());
    into.moves = into.moves || part.moves;
    into.loops.insert(part.loops.begin(), part.loops.end());
    into.ranges.insert(part.ranges.begin(), part.ranges.end());
    into.past.insert(part.past.begin(), part.past.end());
    into.parts.insert(part.parts.begin(), part.parts.end());
    into.carried = into.carried || part.carried;
    into.suspect(part.doubt, part.cause);
}

void join_axis(CutAxis& into, const CutAxis& from, bool varies, CutCells& cells, Span span) {
    if (!from.over || !from.is_long()) return;
    if (!into.over) {
        into.over = from.over;
    } else if (*into.over != *from.over) {
        if (into.over->empty() == from.over->empty()) {
            cells.carried = true;  // tiles of two ranges: which cells meet is not followed
        } else if (varies) {
            const std::string& range = into.over->empty() ? *from.over : *into.over;
            cells.suspect(Doubt::certain,
                          {span, fmt::format("decides which cells of the tiles of `{}` combine "
                                             "with others by their position in the tile",
                                             range)});
        }
        if (into.over->empty()) into.over = from.over;
    }
}

void settle(CutCells& x, CutAxes& axes, Doubt otherwise, Span span) {
    for (std::size_t a = 0; a < 2; ++a) {
        const double times = x.places[a];
        if (times == 0) continue;
        x.places[a] = 0;
        x.along[a] = true;
        std::optional<std::string>& over = axes[a].over;
        if (!over) {
            const auto fits = std::find_if(x.starts.begin(), x.starts.end(),
                                           [&](const auto& s) { return s.second == times; });
            over = fits == x.starts.end() ? "" : fits->first;
            axes[a].in_tile = over->empty();
        }
        if (over->empty()) continue;
        x.starts[*over] -= times;
        x.past.insert(*over);
        x.vanishes.erase(*over);
    }
    std::erase_if(x.starts, [](const auto& s) { return s.second == 0; });
    // What a loop carries may make up for it, as where means of tiles are merged by their widths.
    const bool of_loop =
        x.starts.empty() ? !x.loops.empty() : x.loops.contains(x.starts.begin()->first);
    if (of_loop) otherwise = std::min(otherwise, Doubt::undecided);
    if (!x.starts.empty()) {
        x.suspect(otherwise, {span, fmt::format("decides where the tiles of `{}` begin and end, "
                                                "and a value is computed from that position",
                                                x.starts.begin()->first)});
    } else if (x.difference != 0) {
        x.suspect(otherwise, {span, "is a number here, from which results are computed"});
    }
    x.starts.clear();
    x.difference = 0;
    x.literal.reset();
}

Fold added(const CutCells& a, const CutCells& b, double sign) {
    const auto is_zero = [](const CutCells& x) {
        return x.literal && *x.literal == 0 && x.difference == 0;
    };
    if (b.fold == Fold::nothing && (a.fold == Fold::nothing || is_zero(b))) return a.fold;
    if (a.fold == Fold::nothing && is_zero(a) && sign > 0) return b.fold;
    const auto sums = [](const CutCells& x) {
        return x.fold == Fold::itself || x.fold == Fold::sum;
    };
    // Once the variable as it was: twice would double it in each step.
    const bool twice = !a.itself.empty() && !b.itself.empty();
    const bool negated = sign < 0 && !b.itself.empty();
    return sums(a) && sums(b) && !twice && !negated ? Fold::sum : Fold::other;
}

namespace {

// Whether the sum of converted numbers is the converted sum, but for rounding: no number becomes
// another one, as by truncation, or where the dtype ends.
bool keeps_sums(Dtype from, Dtype to) {
    if (is_real(to)) return !is_fp8(to) && to != Dtype::f16;
    if (is_real(from) || is_boolean(to)) return is_boolean(from);
    return bits_of(to) > bits_of(from) || to == from;
}

class Both {
public:
    Both(const CutNames& names, const std::vector<const CutCells*>& inputs, CutAxes& axes,
         Span span)
        : names_(names), inputs_(inputs), axes_(axes), span_(span) {}

    CutCells of(const ir::Scalar& a, const ir::Scalar& b) {
        if (a->node.index() != b->node.index()) return not_alike();
        return std::visit(
            Overloaded{
                [&](const ir::Integer& x) {
                    return number(static_cast<double>(x.value),
                                  static_cast<double>(std::get<ir::Integer>(b->node).value));
                },
                [&](const ir::Real& x) {
                    return number(x.value, std::get<ir::Real>(b->node).value);
                },
                [&](const ir::Boolean& x) {
                    return number(x.value ? 1 : 0, std::get<ir::Boolean>(b->node).value ? 1 : 0);
                },
                [&](const ir::Symbol& x) {
                    if (x.name != std::get<ir::Symbol>(b->node).name) return not_alike();
                    const auto known = names_.names.find(x.name);
                    if (known != names_.names.end()) return known->second;
                    CutCells made;
                    made.has_other = true;
                    return made;
                },
                [&](const ir::Element& x) {
                    if (x.input != std::get<ir::Element>(b->node).input) return not_alike();
                    return *inputs_[static_cast<std::size_t>(x.input)];
                },
                [&](const ir::Row&) { return place(0); },
                [&](const ir::Column&) { return place(1); },
                [&](const ir::ElementLoad& x) {
                    return loaded(x, std::get<ir::ElementLoad>(b->node));
                },
                [&](const ir::Call& x) { return called(x, std::get<ir::Call>(b->node), a->dtype); },
                [&](const ir::Cast& x) {
                    const ir::Scalar& other = std::get<ir::Cast>(b->node).argument;
                    if (keeps_sums(x.argument->dtype, a->dtype)) return of(x.argument, other);
                    return made_of({x.argument}, {other}, Doubt::certain);
                },
                [&](const ir::External& x) {
                    return made_of(x.arguments, std::get<ir::External>(b->node).arguments,
                                   Doubt::certain);
                },
            },
            a->node);
    }

private:
    // The texts differ in more than numbers.
    CutCells not_alike() const {
        CutCells made;
        made.crude = true;
        made.suspect(Doubt::undecided,
                     {span_, fmt::format("changes what is computed here between `{}` and `{}`",
                                         names_.candidates[0], names_.candidates[1])});
        return made;
    }
    static CutCells number(double first, double other) {
        CutCells made;
        made.literal = first;
        // Infinities have no difference.
        made.difference = first == other || first != first ? 0 : first - other;
        return made;
    }
    static CutCells place(std::size_t axis) {
        CutCells made;
        made.places[axis] = 1;
        made.along[axis] = true;
        return made;
    }

    bool names_an_edge(const ir::Call& call) const {
        bool found = false;
        for (const ir::Scalar& x : call.arguments) {
            ir::visit_nodes(x, [&](const ir::ScalarNode& node) {
                const auto* name = std::get_if<ir::Symbol>(&node.node);
                found = found || (name != nullptr && names_.edges.contains(name->name));
            });
        }
        return found;
    }

    CutCells settled(CutCells x, Doubt otherwise) {
        const Doubt before = x.doubt;
        settle(x, axes_, otherwise, span_);
        x.crude = x.crude || x.doubt != before;
        return x;
    }
    CutCells made_of(const std::vector<ir::Scalar>& a, const std::vector<ir::Scalar>& b,
                     Doubt otherwise) {
        CutCells made;
        for (std::size_t i = 0; i < a.size() && i < b.size(); ++i)
            depend(made, settled(of(a[i], b[i]), otherwise));
        made.moves = made.moves || !made.itself.empty();
        return made;
    }

    // An element is data; a place that is not followed may be the right one.
    CutCells loaded(const ir::ElementLoad& a, const ir::ElementLoad& b) {
        if (a.tensor != b.tensor) return not_alike();
        CutCells made = made_of(a.position, b.position, Doubt::place);
        made.has_other = true;
        made.crude = false;
        if (made.doubt == Doubt::undecided) {
            made.doubt = Doubt::none;
            made.assume(made.cause);
        }
        return made;
    }

    static CutCells sum(const CutCells& a, const CutCells& b, double sign) {
        CutCells made;
        depend(made, a);
        depend(made, b);
        made.starts = a.starts;
        for (const auto& [range, times] : b.starts) made.starts[range] += sign * times;
        std::erase_if(made.starts, [](const auto& s) { return s.second == 0; });
        for (std::size_t i = 0; i < 2; ++i) made.places[i] = a.places[i] + sign * b.places[i];
        made.difference = a.difference + sign * b.difference;
        made.fold = added(a, b, sign);
        made.vanishes = both_vanish(a, b);
        const auto is_number = [](const CutCells& x) {
            return x.literal && *x.literal != 0 && std::isfinite(*x.literal);
        };
        made.and_a_number = a.and_a_number || b.and_a_number ||
                            (a.fold != Fold::nothing && is_number(b)) ||
                            (b.fold != Fold::nothing && is_number(a));
        if (a.literal && b.literal) made.literal = *a.literal + sign * *b.literal;
        return made;
    }
    static CutCells scaled(const CutCells& x, double by) {
        CutCells made = x;
        for (auto& [range, times] : made.starts) times *= by;
        std::erase_if(made.starts, [](const auto& s) { return s.second == 0; });
        for (double& place : made.places) place *= by;
        made.difference *= by;
        if (made.literal) *made.literal *= by;
        const bool keeps = by == 1 || (made.fold == Fold::sum && made.itself.empty());
        if (made.fold != Fold::nothing && !keeps) made.fold = Fold::other;
        return made;
    }
    CutCells product(const CutCells& a, const CutCells& b) {
        const auto is_factor = [](const CutCells& x) {
            return x.literal && std::isfinite(*x.literal) && x.difference == 0;
        };
        if (is_factor(a)) return scaled(b, *a.literal);
        if (is_factor(b)) return scaled(a, *b.literal);
        CutCells made;
        depend(made, settled(a, Doubt::certain));
        depend(made, settled(b, Doubt::certain));
        made.vanish_with(a);
        made.vanish_with(b);
        if (scales(a, b) || scales(b, a)) made.fold = Fold::sum;
        return made;
    }
    // Whether `x` is a sum over a tile, and `by` is the same for all tiles along its axis.
    static bool scales(const CutCells& x, const CutCells& by) {
        if (x.fold != Fold::sum || !x.itself.empty() || by.fold != Fold::nothing) return false;
        return std::none_of(x.parts.begin(), x.parts.end(),
                            [&](const auto& part) { return by.ranges.contains(part.first); });
    }

    CutCells called(const ir::Call& a, const ir::Call& b, Dtype dtype) {
        if (a.function != b.function || a.arguments.size() != b.arguments.size())
            return not_alike();
        const auto argument = [&](std::size_t i) { return of(a.arguments[i], b.arguments[i]); };
        const auto moved = [](CutCells x) {
            x.moves = x.moves || !x.itself.empty();
            return x;
        };
        switch (a.function) {
            case Function::add: return moved(sum(argument(0), argument(1), 1));
            case Function::sub: return moved(sum(argument(0), argument(1), -1));
            case Function::neg: return moved(scaled(argument(0), -1));
            case Function::mul: return moved(product(argument(0), argument(1)));
            case Function::fma:
                return moved(sum(product(argument(0), argument(1)), argument(2), 1));
            case Function::div: {
                const CutCells by = argument(1);
                if (is_real(dtype) && by.literal && by.difference == 0 && *by.literal != 0)
                    return moved(scaled(argument(0), 1 / *by.literal));
                const Doubt otherwise = is_real(dtype) ? Doubt::certain : Doubt::undecided;
                CutCells made = made_of(a.arguments, b.arguments, otherwise);
                made.vanish_with(argument(0));
                return made;
            }
            // What is the same on a whole tile may be so for every width.
            case Function::mod:
            case Function::bit_and:
            case Function::bit_or:
            case Function::bit_xor:
            case Function::bit_not:
            case Function::shift_left:
            case Function::shift_right:
            case Function::ceil_div:
            case Function::abs:
            case Function::floor:
            case Function::ceil:
            case Function::round: return made_of(a.arguments, b.arguments, Doubt::undecided);
            case Function::eq:
            case Function::ne:
            case Function::lt:
            case Function::le:
            case Function::gt:
            case Function::ge: return compared(a, b);
            case Function::logical_and:
            case Function::logical_or:
            case Function::where:
            case Function::min:
            case Function::max: return chosen(a, b);
            case Function::logical_not:
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
            case Function::to_bits:
            case Function::from_bits:
            case Function::pow: return made_of(a.arguments, b.arguments, Doubt::certain);
        }
        return not_alike();
    }
    // Both sides may speak of places in the tile: `col + n <= row + m`.
    CutCells compared(const ir::Call& a, const ir::Call& b) {
        if (names_an_edge(a)) {
            CutCells made;
            for (std::size_t i = 0; i < 2; ++i) depend(made, of(a.arguments[i], b.arguments[i]));
            return made;
        }
        const CutCells left = of(a.arguments[0], b.arguments[0]);
        const CutCells right = of(a.arguments[1], b.arguments[1]);
        CutCells made = sum(left, right, -1);
        // `m.start == 0`: the first tile; `n.end <= m.start`, `k.end > K`: what is masked.
        const bool plain =
            made.has_other || made.starts.size() > 1 || begins(left, right) || begins(right, left);
        const bool crude = made.crude;
        if (made.fold != Fold::nothing) made.fold = Fold::other;
        made = settled(std::move(made), Doubt::undecided);
        made.crude = crude || (made.doubt != Doubt::none && !plain);
        made.moves = made.moves || !made.itself.empty();
        return made;
    }
    // Whether a range that begins with 0 is compared with its begin.
    bool begins(const CutCells& x, const CutCells& zero) const {
        return zero.literal && *zero.literal == 0 && zero.difference == 0 && x.difference == 0 &&
               !x.literal && x.places == std::array<double, 2>{0, 0} && x.starts.size() == 1 &&
               names_.first_tiles.contains(x.starts.begin()->first);
    }
    // One of the arguments, as it is: nothing that moves a variable.
    CutCells chosen(const ir::Call& a, const ir::Call& b) {
        CutCells made;
        const bool selects = a.function == Function::where;
        const Fold extreme = a.function == Function::max   ? Fold::largest
                             : a.function == Function::min ? Fold::smallest
                                                           : Fold::other;
        bool folds = extreme != Fold::other;
        CutCells vanishing;  // zero where both of the values are
        const std::size_t first = selects ? 1 : 0;
        for (std::size_t i = 0; i < a.arguments.size(); ++i) {
            const Doubt otherwise = selects && i > 0 ? Doubt::certain : Doubt::undecided;
            const CutCells x = of(a.arguments[i], b.arguments[i]);
            folds = folds && (x.fold == Fold::itself || x.fold == extreme);
            depend(made, settled(x, otherwise));
            if (i == first) vanishing = x;
            else if (i > first) vanishing.vanishes = both_vanish(vanishing, x);
        }
        made.vanish_with(vanishing);
        if (folds) made.fold = extreme;
        return made;
    }

    const CutNames& names_;
    const std::vector<const CutCells*>& inputs_;
    CutAxes& axes_;
    const Span span_;
};

}  // namespace

CutCells both(const ir::Scalar& first, const ir::Scalar& other, const CutNames& names,
              const std::vector<const CutCells*>& inputs, CutAxes& axes, Span span) {
    return Both(names, inputs, axes, span).of(first, other);
}

}  // namespace tkc::checker
