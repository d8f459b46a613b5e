// Facts: what is proved, what is not, and the witnesses found.
#include "facts/facts.h"

#include <gtest/gtest.h>

#include "facts/value_range.h"
#include "test/unit/normal_forms.h"

namespace tkc::ir {
namespace {

TEST(Facts, Linear) {
    Facts facts;
    facts.assume_at_least_zero(sym("K") - n(3));
    facts.assume_at_least_zero(sym("M") - sym("K"));
    EXPECT_TRUE(facts.prove_at_least(sym("M"), 3));
    EXPECT_FALSE(facts.prove_at_least(sym("M"), 4));
    EXPECT_TRUE(facts.prove_at_least(sym("M") * n(2) + sym("K"), 9));
    EXPECT_TRUE(facts.prove_at_least(sym("M") * sym("K"), 0));
    EXPECT_FALSE(facts.contradictory());
    facts.assume_at_least_zero(-sym("M"));
    EXPECT_TRUE(facts.contradictory());
}

TEST(Facts, Multiples) {
    Facts facts;
    facts.assume_at_least_zero(sym("K"));
    facts.assume_zero(remainder(sym("K"), n(64)));
    facts.assume_zero(remainder(sym("H"), sym("G")));
    EXPECT_TRUE(facts.prove_equal(ceil_quotient(sym("K"), n(64)) * n(64), sym("K")));
    EXPECT_TRUE(facts.prove_equal(ceil_quotient(sym("K"), n(64)),
                                  ceil_quotient(sym("K"), n(32)) - quotient(sym("K"), n(64))));
    EXPECT_TRUE(facts.prove_equal(quotient(sym("H"), sym("G")) * sym("G"), sym("H")));
    EXPECT_FALSE(facts.prove_equal(ceil_quotient(sym("K"), n(128)) * n(128), sym("K")));
    EXPECT_TRUE(facts.prove_at_least(trip_count(n(0), sym("K"), 64), 0));
}

// What a role computes for itself: the same at one place, and nothing else is known of it.
TEST(Facts, UnknownNumbers) {
    const ReadNumber read{"w.n.v1", Value{0}, {symbol("i")}};
    const NormalForm number = normal_form(unknown_number(read));
    EXPECT_EQ(to_string(number), "n");
    Facts facts;
    facts.assume_at_least_zero(sym("K"));
    EXPECT_TRUE(facts.prove_equal(number - number, n(0)));
    EXPECT_FALSE(facts.prove_equal(number, substitute(number, {{"i", sym("i") + n(1)}})));
    EXPECT_FALSE(facts.prove_equal(sum_over(sym("K"), "i", number), sym("K") * number));
    const NormalForm clamped = minimum({maximum({number, n(0)}), sym("K")});
    EXPECT_TRUE(facts.prove_at_least(clamped, 0));
    EXPECT_TRUE(facts.prove_at_least(sym("K") - clamped, 0));
    EXPECT_FALSE(facts.prove_at_least(number, 0));
    EXPECT_FALSE(facts.find({negation(at_least_zero(number))}));
    EXPECT_FALSE(facts.find({at_least_zero(number + sym("K"))}));
    EXPECT_TRUE(facts.find({at_least_zero(sym("K") - n(7))}));
}

// Attention's producer that walks all blocks, against a consumer that peels the first.
TEST(Facts, PeeledLoops) {
    Facts facts;
    facts.assume_range("m", n(0), sym("M"), 128);
    const NormalForm causal = symbol_form("CAUSAL", true);
    const NormalForm end = choose(causal, minimum({sym("m") + n(128), sym("N")}), sym("N"));
    const NormalForm all = trip_count(n(0), end, 128);
    const NormalForm peeled = n(1) + trip_count(n(128), end, 128);
    EXPECT_FALSE(facts.prove_equal(all, peeled));
    const auto witness = facts.find({negation(equals_zero(all - peeled))});
    ASSERT_TRUE(witness);
    EXPECT_LE(witness->values.at("N"), 0);
    facts.assume_at_least_zero(sym("N") - n(1));
    EXPECT_TRUE(facts.prove_equal(all, peeled));
    EXPECT_TRUE(facts.prove_at_least(all, 1));
    EXPECT_FALSE(facts.find({negation(equals_zero(all - peeled))}));
}

TEST(Facts, Lemmas) {
    Facts facts;
    facts.assume_at_least_zero(sym("a") - n(1));
    facts.assume(at_least_zero(minimum({sym("b"), sym("c")}) - n(1)));
    EXPECT_TRUE(facts.prove_at_least(sym("b"), 1));
    EXPECT_TRUE(facts.prove_at_least(ceil_quotient(sym("c"), n(128)), 1));
    EXPECT_TRUE(facts.prove_at_least(ceil_quotient(sym("c"), sym("a")), 1));
    EXPECT_TRUE(facts.prove_equal(maximum({n(0), sym("b")}), sym("b")));
    EXPECT_TRUE(facts.prove_at_least(
        ceil_quotient(sym("b") + sym("c"), n(8)) - ceil_quotient(sym("b"), n(8)), 0));
    EXPECT_TRUE(facts.prove(at_least_zero(sym("b"))));
    EXPECT_TRUE(facts.prove(negation(equals_zero(sym("b")))));
    EXPECT_FALSE(facts.prove(at_least_zero(sym("b") - n(2))));
}

TEST(Facts, Witness) {
    Facts facts;
    facts.assume_at_least_zero(sym("K"));
    const NormalForm made = trip_count(n(0), sym("K") - n(64), 64);
    const NormalForm taken = trip_count(n(0), sym("K"), 64);
    const auto witness = facts.find({negation(equals_zero(made - taken))});
    ASSERT_TRUE(witness);
    EXPECT_EQ(witness->text, "K = 64");
    facts.assume_zero(remainder(sym("K"), n(128)));
    EXPECT_EQ(facts.find({negation(equals_zero(made - taken))})->text, "K = 128");
    EXPECT_FALSE(facts.find({negation(equals_zero(taken - quotient(sym("K"), n(64))))}));
}

// Forms are integers: what is more than -1 is at least 0.
TEST(Facts, Bits) {
    const NormalForm t = sym("t");
    const NormalForm u = sym("u");
    Facts facts;
    Ranges ranges;
    ranges["t"] = parameter_range("t", Dtype::i32);
    ranges["u"] = parameter_range("u", Dtype::u32);
    facts.assume_numbers(std::make_shared<const Ranges>(ranges));
    facts.assume_at_least_zero(u);
    const NormalForm low = common_bits(t, n(7));
    EXPECT_EQ(low, remainder(t, n(8)));
    EXPECT_TRUE(facts.prove_at_least(low, 0));
    EXPECT_TRUE(facts.prove_at_least(n(7) - low, 0));
    EXPECT_FALSE(facts.prove_at_least(n(6) - low, 0));
    const NormalForm high = quotient(u, n(1 << 26));  // u >> 26
    EXPECT_TRUE(facts.prove_at_least(n(63) - high, 0));
    EXPECT_FALSE(facts.prove_at_least(n(62) - high, 0));
    EXPECT_TRUE(facts.prove_at_least(u - common_bits(t, u), 0));
    EXPECT_TRUE(facts.prove_at_least(common_bits(t, u), 0));
    EXPECT_FALSE(facts.prove_at_least(t - common_bits(t, u), 0));  // t may be below 0
    EXPECT_EQ(common_bits(t, t), t);
    EXPECT_EQ(common_bits(t, n(-8)), n(8) * quotient(t, n(8)));
    EXPECT_TRUE(facts.prove_at_least(power_of_two(t), 1));
    // No value of a parameter is outside of its dtype.
    EXPECT_FALSE(facts.find({at_least_zero(-u - n(1))}));
    EXPECT_TRUE(facts.find({equals_zero(low - n(5))}));
}

TEST(Facts, WholeNumbers) {
    Facts facts;
    const NormalForm n0 = sym("n");
    const NormalForm half = quotient(n0, n(2));
    facts.assume_at_least_zero(n0);
    Facts odd = facts;
    odd.assume(equals_zero(remainder(n0, n(2)) - n(1)));
    EXPECT_TRUE(odd.prove_equal(n0, n(2) * half + n(1)));
    EXPECT_TRUE(odd.prove_equal(quotient(n0 - n(1), n(2)), half));
    Facts even = facts;
    even.assume(negation(equals_zero(remainder(n0, n(2)) - n(1))));
    EXPECT_TRUE(even.prove_equal(n0, n(2) * half));
    EXPECT_FALSE(facts.prove_equal(n0, n(2) * half));
    EXPECT_TRUE(facts.prove_at_least(quotient(n0 * n0 - n0, n(2)), 0));
    EXPECT_FALSE(facts.prove_at_least(n0 * n0 - n0, 1));
}

TEST(Facts, MultiplesOfParts) {
    Facts facts;
    facts.assume_at_least_zero(sym("K"));
    facts.assume_zero(remainder(sym("K"), n(128)));
    EXPECT_TRUE(facts.prove_equal(remainder(quotient(sym("K"), n(2)), n(64)), n(0)));
    EXPECT_FALSE(facts.prove_equal(remainder(quotient(sym("K"), n(2)), n(128)), n(0)));
}

// What is known of a minimum that holds a maximum is known in each of their cases.
TEST(Facts, ExtremesInExtremes) {
    Facts facts;
    const NormalForm place = minimum({maximum({sym("at"), n(0)}), sym("C") - n(1)});
    facts.assume_at_least_zero(sym("col") - sym("C") + place);
    EXPECT_TRUE(facts.prove_at_least(sym("col") + place - sym("C"), 0));
    EXPECT_FALSE(facts.prove_at_least(sym("col") + place - sym("C"), 1));
}

// Tiles of every size up to 64: a launch with a second program is found.
TEST(Facts, WitnessForAllTiles) {
    for (std::int64_t tile = 1; tile <= 64; ++tile) {
        Facts facts;
        facts.assume_at_least_zero(sym("R"));
        const NormalForm programs = trip_count(n(0), sym("R"), tile);
        EXPECT_TRUE(facts.find({at_least_zero(programs - n(2))})) << tile;
        EXPECT_TRUE(facts.find({at_least_zero(programs - n(3))})) << tile;
    }
}

}  // namespace
}  // namespace tkc::ir
