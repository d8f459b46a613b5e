// Normal forms: against the evaluator of the trees they are made from, and as text.
#include "arithmetic/normal_form.h"

#include <gtest/gtest.h>

#include <random>

#include "test/unit/normal_forms.h"

namespace tkc::ir {
namespace {

const std::vector<std::string> names = {"K", "M", "N", "k"};

class Generator {
public:
    explicit Generator(std::uint32_t seed) : random_(seed) {}

    std::int64_t pick(std::int64_t low, std::int64_t high) {
        return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
    }

    Scalar number(int depth) {
        if (depth == 0) {
            return pick(0, 2) == 0 ? integer(pick(-5, 70))
                                   : symbol(names[static_cast<std::size_t>(pick(0, 3))]);
        }
        const auto sub = [&] { return number(static_cast<int>(pick(0, depth - 1))); };
        switch (pick(0, 10)) {
            case 0: return call(Function::add, {sub(), sub()});
            case 1: return call(Function::sub, {sub(), sub()});
            case 2: return call(Function::mul, {sub(), integer(pick(-4, 64))});
            case 3: return call(Function::div, {sub(), divisor()});
            case 4: return call(Function::mod, {sub(), divisor()});
            case 5: return call(Function::ceil_div, {sub(), divisor()});
            case 6: return call(Function::min, {sub(), sub()});
            case 7: return call(Function::max, {sub(), sub()});
            case 8: return call(Function::where, {truth(depth - 1), sub(), sub()});
            case 9: return call(Function::mul, {sub(), sub()});
            default: return call(Function::neg, {sub()});
        }
    }

    // A small constant, an extent (which the points make positive), or their product.
    Scalar divisor() {
        const Scalar c = integer(pick(1, 9) * (pick(0, 1) == 0 ? 1 : 8));
        const Scalar x = symbol(names[static_cast<std::size_t>(pick(0, 1))]);
        const std::int64_t which = pick(0, 5);
        return which < 4 ? c : which == 4 ? x : mul(x, c);
    }

    Scalar truth(int depth) {
        const int inner = std::max(depth - 1, 0);
        switch (pick(0, 6)) {
            case 0: return symbol("CAUSAL", Dtype::boolean);
            case 1: return call(Function::lt, {number(inner), number(inner)});
            case 2: return call(Function::eq, {number(inner), number(inner)});
            case 3: return call(Function::ge, {number(inner), number(inner)});
            case 4: return call(Function::logical_not, {truth(inner)});
            case 5:
                return depth == 0 ? truth(0)
                                  : call(Function::logical_and, {truth(inner), truth(inner)});
            default:
                return depth == 0 ? truth(0)
                                  : call(Function::logical_or, {truth(inner), truth(inner)});
        }
    }

    std::map<std::string, std::int64_t> point() {
        return {{"K", pick(1, 200)},
                {"M", pick(1, 20)},
                {"N", pick(-40, 40)},
                {"k", pick(-9, 9)},
                {"CAUSAL", pick(0, 1)}};
    }

private:
    std::mt19937 random_;
};

Leaves leaves(const std::map<std::string, std::int64_t>& point) {
    return [&point](const std::string& name) -> std::optional<std::int64_t> {
        const auto found = point.find(name);
        if (found == point.end()) return std::nullopt;
        return found->second;
    };
}

TEST(NormalForm, EvaluatesAsTheTreeDoes) {
    for (std::uint32_t seed = 0; seed < 3000; ++seed) {
        Generator g(seed);
        const Scalar tree = g.number(4);
        const NormalForm form = normal_form(tree);
        for (int i = 0; i < 6 && !form.is_unknown(); ++i) {
            const auto point = g.point();
            std::int64_t expected = 0;
            if (!evaluate(tree, point, &expected)) continue;
            EXPECT_EQ(evaluate(form, leaves(point)), expected)
                << to_string(tree) << "\nform " << to_string(form) << "\nseed " << seed;
        }
    }
}

TEST(NormalForm, SubstitutionAgreesWithTheTree) {
    for (std::uint32_t seed = 0; seed < 1000; ++seed) {
        Generator g(seed);
        const Scalar tree = g.number(3);
        const Scalar value = add(mul(symbol("M"), integer(g.pick(1, 64))), integer(g.pick(0, 64)));
        const NormalForm form = substitute(normal_form(tree), {{"N", normal_form(value)}});
        const NormalForm direct = normal_form(substitute(tree, {{"N", value}}));
        for (int i = 0; i < 4 && !form.is_unknown() && !direct.is_unknown(); ++i) {
            const auto point = g.point();
            const auto expected = evaluate(direct, leaves(point));
            if (!expected) continue;
            EXPECT_EQ(evaluate(form, leaves(point)), expected) << to_string(tree);
        }
    }
}

// The same value written in another order has the same form.
TEST(NormalForm, SumsAndProductsCommute) {
    for (std::uint32_t seed = 0; seed < 500; ++seed) {
        Generator g(seed);
        const Scalar a = g.number(2);
        const Scalar b = g.number(2);
        const Scalar c = g.number(2);
        const NormalForm x = normal_form(mul(add(a, b), c));
        const NormalForm y = normal_form(add(mul(c, b), mul(a, c)));
        EXPECT_TRUE(x == y || x.is_unknown() || y.is_unknown()) << to_string(x);
    }
}

TEST(NormalForm, DivisionIsExactWhereItCanBe) {
    EXPECT_EQ(ceil_quotient(sym("K") * n(64) + n(1), n(64)), sym("K") + n(1));
    EXPECT_EQ(quotient(sym("K") * n(128) + sym("m") * n(2), n(2)), sym("K") * n(64) + sym("m"));
    EXPECT_EQ(quotient(quotient(sym("K"), n(8)), n(4)), quotient(sym("K"), n(32)));
    EXPECT_EQ(ceil_quotient(ceil_quotient(sym("K"), n(8)), n(4)), ceil_quotient(sym("K"), n(32)));
    EXPECT_EQ(quotient(sym("g") * sym("G") + sym("G"), sym("G")), sym("g") + n(1));
    EXPECT_EQ(ceil_quotient(sym("K") - n(64), n(64)), ceil_quotient(sym("K"), n(64)) - n(1));
    EXPECT_EQ(ceil_quotient(sym("K") + sym("G"), sym("G")),
              ceil_quotient(sym("K"), sym("G")) + n(1));
    // What is added to a multiple of 64 is a remainder of it.
    const NormalForm rest = sym("K") - n(64) * quotient(sym("K"), n(64));
    EXPECT_EQ(quotient(sym("m") * n(64) + rest, n(128)), quotient(sym("m"), n(2)));
    EXPECT_EQ(quotient((sym("m") + quotient(sym("g"), n(64))) * n(64) + rest, n(128)),
              quotient(sym("m") * n(64) + sym("g"), n(128)));
    EXPECT_NE(quotient(sym("m") * n(32) + rest, n(128)), quotient(sym("m"), n(4)));
    EXPECT_EQ(remainder(sym("K") * n(8), n(4)), n(0));
}

TEST(NormalForm, Extremes) {
    EXPECT_EQ(maximum({sym("a") + n(3), sym("a")}), sym("a") + n(3));
    EXPECT_EQ(maximum({sym("a") + sym("c"), sym("b") + sym("c")}),
              maximum({sym("b"), sym("a")}) + sym("c"));
    EXPECT_EQ(minimum({minimum({sym("a"), sym("b")}), sym("c")}),
              minimum({sym("c"), sym("b"), sym("a")}));
    EXPECT_EQ(maximum({n(0), sym("q") * n(128) - n(128)}),
              maximum({n(1), sym("q")}) * n(128) - n(128));
}

TEST(NormalForm, Truths) {
    const NormalForm a = at_least_zero(sym("K") - n(1));
    EXPECT_EQ(a * a, a);
    EXPECT_EQ(negation(a), at_least_zero(-sym("K")));
    EXPECT_EQ(at_least_zero(sym("K") * n(64) - n(1)), a);
    EXPECT_EQ(to_string_truth(a), "K > 0");
    EXPECT_EQ(to_string_truth(negation(a)), "K <= 0");
    EXPECT_EQ(to_string_truth(a * symbol_form("CAUSAL", true)), "CAUSAL and K > 0");
}

TEST(NormalForm, Sums) {
    const NormalForm count = trip_count(n(0), sym("K"), 64);
    EXPECT_EQ(sum_over(count, "i", n(2)), count * n(2));
    EXPECT_EQ(to_string(sum_over(sym("n"), "i", sym("i") * n(2))), "2*((n*n + n)/2) - 2*n");
    const NormalForm inner = trip_count(sym("i"), sym("L"), 1);
    const NormalForm other = trip_count(sym("t"), sym("L"), 1);
    EXPECT_EQ(sum_over(count, "i", inner), sum_over(count, "t", other));
    const std::map<std::string, std::int64_t> point = {{"K", 130}, {"L", 2}};
    EXPECT_EQ(evaluate(sum_over(count, "i", inner), leaves(point)), 3);
}

TEST(NormalForm, Printing) {
    const auto shown = [](const NormalForm& x) { return to_string(x); };
    EXPECT_EQ(shown(trip_count(n(0), sym("K"), 64)), "max(0, ceil_div(K, 64))");
    EXPECT_EQ(shown(trip_count(n(64), sym("K"), 64)), "max(1, ceil_div(K, 64)) - 1");
    EXPECT_EQ(shown(ceil_quotient(sym("K"), sym("G") * n(8)) * n(8)), "8*ceil_div(K, 8*G)");
    EXPECT_EQ(shown(remainder(sym("K"), n(64))), "K % 64");
    EXPECT_EQ(shown(quotient(sym("K") - sym("M"), n(64))), "(K - M)/64");
    EXPECT_EQ(
        shown(choose(symbol_form("C", true), minimum({sym("m") + n(128), sym("N")}), sym("N"))),
        "where(C, min(N, m + 128), N)");
    EXPECT_EQ(shown(load_form("table", {sym("b"), n(0)}, false)), "table[b, 0]");
    EXPECT_EQ(shown(n(0)), "0");
    EXPECT_EQ(shown(n(-3)), "-3");
}

// Names can be any text: none makes an atom the same as one of another kind, name or position.
TEST(NormalForm, KeysOfAnyNames) {
    const NormalForm t = sym("t");
    const std::vector<NormalForm> all = {
        quotient(t, n(7)),
        load_form("div", {t, n(7)}, false),
        load_form("div", {t, n(7)}, true),
        minimum({t, n(7)}),
        load_form("min", {n(7), t}, false),
        load_form("min", {t, n(7)}, false),
        equals_zero(t),
        load_form("eq", {t}, true),
        load_form("eq", {t}, false),
        symbol_form("eq?", false),
        symbol_form("eq", true),
        at_least_zero(t),
        load_form("ge", {t}, true),
        opaque_form("t", false),
        opaque_form("t", true),
        symbol_form("?t", false),
        t,
        symbol_form("t", true),
        symbol_form("t?", false),
        symbol_form(t.key(), false),
        symbol_form(quotient(t, n(7)).key(), false),
        symbol_form("t\x01", false),
        symbol_form("t*1", false),
        t * t,
        symbol_form("t*t", false),
        load_form("t", {t}, false),
        symbol_form("t[1*t,]", false),
        opaque_form("t[1*t,]", false),
        sum_over(sym("n"), "i", load_form("t", {sym("i")}, false)),
        load_form("sum%0", {sym("n"), load_form("t", {sym("%0")}, false)}, false),
        symbol_form("sum%0", false),
    };
    for (std::size_t a = 0; a < all.size(); ++a) {
        for (std::size_t b = 0; b < a; ++b) {
            EXPECT_FALSE(all[a] == all[b]) << a << " and " << b << ": " << to_string(all[a]);
        }
    }
    // A name like those that sums bind is not taken for the bound one.
    const NormalForm other = sum_over(sym("n"), "i", load_form("t", {sym("i"), sym("%0")}, false));
    const NormalForm own = sum_over(sym("n"), "i", load_form("t", {sym("i"), sym("i")}, false));
    EXPECT_FALSE(other == own);
}

// Sums in closed form agree with adding up, for all small counts and shifts.
TEST(NormalForm, ClosedSums) {
    const NormalForm count = maximum({n(0), sym("c")});
    const NormalForm i = sym("i");
    const NormalForm w = sym("w");
    const std::vector<NormalForm> bodies = {
        i * i,
        maximum({n(0), i}),
        maximum({n(0), sym("c") - i}),
        equals_zero(remainder(i, n(2))),
        equals_zero(remainder(i + w, n(3)) - n(1)),
        equals_zero(remainder(w - i, n(3)) - n(2)),
        equals_zero(i - w),
        equals_zero(i + w),
        at_least_zero(w - n(2) * i),
        at_least_zero(n(3) * i - w),
        i * at_least_zero(i - w),
        i * at_least_zero(w - i) * at_least_zero(i - n(2)),
        n(1) - equals_zero(remainder(i, n(2))),
    };
    for (const NormalForm& body : bodies) {
        const NormalForm closed = sum_over(count, "i", body);
        visit_atoms(closed, [&](const Atom& a) { EXPECT_NE(a->kind, AtomKind::sum); });
        for (std::int64_t c = -1; c <= 9; ++c) {
            for (std::int64_t shift = -8; shift <= 8; ++shift) {
                std::int64_t at = 0;
                const Leaves leaves = [&](const std::string& name) -> std::optional<std::int64_t> {
                    return name == "c" ? c : name == "w" ? shift : at;
                };
                std::int64_t total = 0;
                for (at = 0; at < c; ++at) total += evaluate(body, leaves).value();
                EXPECT_EQ(evaluate(closed, leaves), total)
                    << to_string(body) << ", c = " << c << ", w = " << shift;
            }
        }
    }
}

}  // namespace
// Chains of products stay cheap: beyond the limit nothing is known, and nothing is said.
// A count of the bits of x, made of itself a few times over: the atoms of a form are shared, so
// what is asked of it takes steps by what was written, and not by what that multiplies to.
TEST(NormalForm, SharedPartsAreLookedAtOnce) {
    NormalForm x = sym("x");
    for (int i = 0; i < 12; ++i) {
        const NormalForm half = quotient(x, n(3));
        x = half + common_bits(half, n(0x55555555)) * n(5);
    }
    int leaves_asked = 0;
    const auto value = evaluate(x, [&](const std::string&) -> std::optional<std::int64_t> {
        ++leaves_asked;
        return 123456789;
    });
    EXPECT_TRUE(value);
    EXPECT_LT(leaves_asked, 1000);
    EXPECT_TRUE(mentions(x, "x"));
    EXPECT_EQ(evaluate(substitute(x, {{"x", n(123456789)}}), {}), value);
}

TEST(NormalForm, ProductsOfManyAtomsAreUnknown) {
    NormalForm chain = 1;
    const NormalForm m = symbol_form("M");
    for (std::size_t i = 0; i < degree_limit; ++i) chain = chain * m + NormalForm(1);
    EXPECT_FALSE(chain.is_unknown());
    EXPECT_TRUE((chain * m).is_unknown());
    EXPECT_FALSE((chain * NormalForm(2)).is_unknown());
}

}  // namespace tkc::ir
