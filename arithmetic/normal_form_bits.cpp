// Operations on bits as forms. A number is its bits in two's complement, with as many copies of the
// sign as anybody asks for; so numbers of every integer dtype, and those of a launch, are alike.
#include <algorithm>
#include <bit>

#include "arithmetic/normal_form.h"
#include "arithmetic/normal_form_atoms.h"

namespace tkc::ir {

namespace {

// Masks with more runs of ones than this are kept as they are.
constexpr int runs_at_most = 4;
// 2^62 is the largest power that a coefficient holds.
constexpr int places_at_most = 62;

NormalForm without_low_bits(const NormalForm& x, int places) {
    const NormalForm power(std::int64_t{1} << places);
    return power * quotient(x, power);
}

// x & mask. The bits from a to b - 1 are 2^a * floor(x / 2^a) - 2^b * floor(x / 2^b): what is
// masked is a polynomial, and `x & 7` is `x % 8`.
std::optional<NormalForm> masked(const NormalForm& x, std::int64_t mask) {
    NormalForm total;
    auto left = static_cast<std::uint64_t>(mask);
    for (int runs = 0; left != 0; ++runs) {
        const int begin = std::countr_zero(left);
        const int end = begin + std::countr_one(left >> begin);
        if (runs == runs_at_most || begin > places_at_most) return std::nullopt;
        total += without_low_bits(x, begin);
        if (end == 64) return total;  // up to the sign
        if (end > places_at_most) return std::nullopt;
        total -= without_low_bits(x, end);
        left = left >> end << end;
    }
    return total;
}

NormalForm common(const NormalForm& x, const NormalForm& y) {
    std::int64_t a = 0;
    std::int64_t b = 0;
    const bool first = x.is_constant(&a);
    const bool second = y.is_constant(&b);
    if (first && second) return NormalForm(a & b);
    if (x == y) return x;
    if (first || second) {
        if (const auto form = masked(first ? y : x, first ? a : b)) return *form;
    }
    std::vector<NormalForm> parts{x, y};
    std::sort(parts.begin(), parts.end(),
              [](const NormalForm& p, const NormalForm& q) { return p.key() < q.key(); });
    return atom_form(AtomKind::common_bits, "", std::move(parts), false);
}

}  // namespace

NormalForm common_bits(const NormalForm& x, const NormalForm& y) {
    return by_cases({x, y}, [](const std::vector<NormalForm>& p) { return common(p[0], p[1]); });
}

NormalForm power_of_two(const NormalForm& places) {
    return by_cases({places}, [](const std::vector<NormalForm>& p) {
        std::int64_t count = 0;
        if (p[0].is_constant(&count)) return NormalForm(std::int64_t{1} << (count & 31));
        return atom_form(AtomKind::power, "", p, false);
    });
}

}  // namespace tkc::ir
