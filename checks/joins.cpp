// Joining accesses: slices side by side, the two branches of a condition, one place again.
#include "checks/joins.h"

namespace tkc::checks {

using namespace ir;

std::optional<Access> renamed_as(const Access& a, Access b, const Facts& facts) {
    if (a.counters.size() != b.counters.size()) return std::nullopt;
    Bindings names;
    for (std::size_t i = 0; i < a.counters.size(); ++i) {
        const CountedLoop& x = a.counters[i];
        const CountedLoop& y = b.counters[i];
        const NormalForm trips = substitute(y.trips, names);
        if (x.of_grid != y.of_grid || !facts.prove_equal(x.trips, trips)) return std::nullopt;
        if (x.index != y.index) names[y.index] = symbol_form(x.index);
    }
    for (AccessAxis& axis : b.axes) axis.base = substitute(axis.base, names);
    b.condition = substitute(b.condition, names);
    b.counters = a.counters;
    return b;
}

std::vector<std::size_t> different_axes(const Access& a, const Access& b, const Facts& facts) {
    std::vector<std::size_t> list;
    for (std::size_t i = 0; i < a.axes.size(); ++i) {
        const AccessAxis& x = a.axes[i];
        const AccessAxis& y = b.axes[i];
        const bool same = x.whole == y.whole && x.length == y.length &&
                          (x.whole || facts.prove_equal(x.base, y.base));
        if (!same) list.push_back(i);
    }
    return list;
}

namespace {

/// One store that writes what the two write: they lie side by side, or under a condition and its
/// opposite.
std::optional<Access> joined(const Access& a, const Access& given, const Facts& facts) {
    const std::optional<Access> b = renamed_as(a, given, facts);
    if (!b) return std::nullopt;
    Access both = a;
    const std::vector<std::size_t> different = different_axes(a, *b, facts);
    const bool same_condition = a.condition == b->condition;
    if (different.empty() && same_condition && a.role == b->role)
        return both;  // one after the other
    if (different.empty() && (a.condition * b->condition).is_zero()) {
        both.condition = a.condition + b->condition;  // one or the other
        return both;
    }
    if (different.size() != 1 || !same_condition) return std::nullopt;
    AccessAxis& axis = both.axes[different[0]];
    const AccessAxis& other = b->axes[different[0]];
    if (axis.whole || other.whole) return std::nullopt;
    if (facts.prove_equal(other.base - axis.base, NormalForm(axis.length))) {
        axis.length += other.length;
        return both;
    }
    if (facts.prove_equal(axis.base - other.base, NormalForm(other.length))) {
        axis.base = other.base;
        axis.length += other.length;
        return both;
    }
    return std::nullopt;
}

/// Many accesses, each joined with what lies near it in the text, so that the time grows as their
/// number does.
std::vector<Access> joined_in_order(std::vector<Access> list, const Facts& facts) {
    constexpr std::size_t near = 4;
    std::vector<Access> made;
    for (Access& access : list) {
        made.push_back(std::move(access));
        for (bool changed = true; changed;) {  // what was joined may fit what stands before it
            changed = false;
            const std::size_t last = made.size() - 1;
            for (std::size_t i = last; i > 0 && last - i < near && !changed; --i) {
                auto both = joined(made[i - 1], made[last], facts);
                if (!both) continue;
                made.pop_back();
                made.erase(made.begin() + static_cast<std::ptrdiff_t>(i) - 1);
                made.push_back(std::move(*both));
                changed = true;
            }
        }
    }
    return made;
}

}  // namespace

std::vector<Access> joined_all(std::vector<Access> list, const Facts& facts) {
    if (list.size() > 16) list = joined_in_order(std::move(list), facts);
    for (bool changed = list.size() <= 16; changed;) {
        changed = false;
        for (std::size_t i = 0; i < list.size() && !changed; ++i) {
            for (std::size_t j = i + 1; j < list.size() && !changed; ++j) {
                auto both = joined(list[i], list[j], facts);
                if (!both) continue;
                list[i] = std::move(*both);
                list.erase(list.begin() + static_cast<std::ptrdiff_t>(j));
                changed = true;
            }
        }
    }
    return list;
}

}  // namespace tkc::checks
