// Between which numbers a form lies, from the ranges of the names in it.
#include <algorithm>

#include "facts/value_range.h"

namespace tkc::ir {

namespace {

__extension__ using Wide = __int128;

using Interval = std::optional<std::pair<Wide, Wide>>;

Interval interval_of(const NormalForm& x, const Ranges& names);

// Bits that are shared with a number that is not negative are no more than it.
Interval interval_of_common(const std::vector<NormalForm>& parts, const Ranges& names) {
    Interval least;
    for (const NormalForm& p : parts) {
        const Interval one = interval_of(p, names);
        if (!one || one->first < 0) continue;
        if (!least || one->second < least->second) least = std::pair<Wide, Wide>(0, one->second);
    }
    return least;
}

Interval interval_of_quotient(const std::pair<Wide, Wide>& x, const Interval& divisor) {
    if (!divisor || divisor->first < 1) return std::nullopt;
    const auto down = [](Wide a, Wide d) { return a >= 0 ? a / d : -((-a + d - 1) / d); };
    return std::pair(std::min(down(x.first, divisor->first), down(x.first, divisor->second)),
                     std::max(down(x.second, divisor->first), down(x.second, divisor->second)));
}

Interval interval_of(const Atom& a, const Ranges& names) {
    if (a->truth) return std::pair<Wide, Wide>(0, 1);
    const auto known = [&](const std::string& name) -> Interval {
        const auto found = names.find(name);
        if (found == names.end()) return std::nullopt;
        return std::pair<Wide, Wide>(found->second.least, found->second.most);
    };
    if (a->kind == AtomKind::symbol) return known(a->name);
    if (a->kind == AtomKind::load) return known(elements_of(a->name));
    if (a->kind == AtomKind::wrapped) {
        const ValueRange all = range_of_dtype(*find_dtype(a->name));
        return std::pair<Wide, Wide>(all.least, all.most);
    }
    if (a->kind == AtomKind::power) {
        const Interval places = interval_of(a->parts[0], names);
        const bool narrow = places && places->first >= 0 && places->second < 32;
        return std::pair(Wide{1} << (narrow ? static_cast<int>(places->first) : 0),
                         Wide{1} << (narrow ? static_cast<int>(places->second) : 31));
    }
    if (a->kind == AtomKind::common_bits) return interval_of_common(a->parts, names);
    const bool extreme = a->kind == AtomKind::minimum || a->kind == AtomKind::maximum;
    if (!extreme && a->kind != AtomKind::quotient) return std::nullopt;
    Interval all = interval_of(a->parts[0], names);
    if (!all) return std::nullopt;
    if (!extreme) return interval_of_quotient(*all, interval_of(a->parts[1], names));
    const bool least = a->kind == AtomKind::minimum;
    for (const NormalForm& p : a->parts) {
        const Interval one = interval_of(p, names);
        if (!one) return std::nullopt;
        all->first = least ? std::min(all->first, one->first) : std::max(all->first, one->first);
        all->second =
            least ? std::min(all->second, one->second) : std::max(all->second, one->second);
    }
    return all;
}

// Between which numbers a form lies, where that is known of its atoms.
Interval interval_of(const NormalForm& x, const Ranges& names) {
    if (x.is_unknown()) return std::nullopt;
    Wide low = 0;
    Wide high = 0;
    for (const auto& [monomial, coefficient] : x.terms()) {
        std::pair<Wide, Wide> product{coefficient, coefficient};
        for (const Atom& a : monomial) {
            const Interval factor = interval_of(a, names);
            if (!factor) return std::nullopt;
            Wide corners[4];
            if (__builtin_mul_overflow(product.first, factor->first, &corners[0]) ||
                __builtin_mul_overflow(product.first, factor->second, &corners[1]) ||
                __builtin_mul_overflow(product.second, factor->first, &corners[2]) ||
                __builtin_mul_overflow(product.second, factor->second, &corners[3])) {
                return std::nullopt;
            }
            product = {*std::min_element(corners, corners + 4),
                       *std::max_element(corners, corners + 4)};
        }
        if (__builtin_add_overflow(low, product.first, &low) ||
            __builtin_add_overflow(high, product.second, &high)) {
            return std::nullopt;
        }
    }
    return std::pair(low, high);
}

}  // namespace

std::optional<std::pair<std::int64_t, std::int64_t>> numbers_of(const NormalForm& x,
                                                                const Ranges& names) {
    const Interval known = interval_of(x, names);
    if (!known || known->first < INT64_MIN || known->second > INT64_MAX) return std::nullopt;
    return std::pair(static_cast<std::int64_t>(known->first),
                     static_cast<std::int64_t>(known->second));
}

bool fits(const NormalForm& x, Dtype dtype, const Ranges& names) {
    const auto known = numbers_of(x, names);
    const ValueRange all = range_of_dtype(dtype);
    return known && known->first >= all.least && known->second <= all.most;
}

}  // namespace tkc::ir
