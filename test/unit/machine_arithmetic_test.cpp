// Normal forms with ranges are what the machine computes, wherever the launch keeps the conditions
// that `step_of` asks for: against arithmetic that wraps at every node.
#include <gtest/gtest.h>

#include <random>

#include "arithmetic/normal_form.h"
#include "facts/value_range.h"

namespace tkc::ir {
namespace {

// Extents M and N, a parameter s, a loop variable i below M, elements of T, and of S from 0 to N.
class MachineGenerator {
public:
    explicit MachineGenerator(std::uint32_t seed) : random_(seed) {}

    std::int64_t pick(std::int64_t low, std::int64_t high) {
        return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
    }

    Scalar leaf(Dtype dtype) {
        if (dtype != Dtype::i32)
            return pick(0, 2) == 0 ? integer(pick(0, 9), dtype) : loaded(dtype);
        switch (pick(0, 6)) {
            case 0: return symbol("M");
            case 1: return symbol("N");
            case 2: return symbol("s");
            case 3: return symbol("i");
            case 4: return element_load("T", {integer(0)}, false, Dtype::i32);
            case 5: return element_load("S", {symbol("i")}, false, Dtype::i32);
            default: return integer(pick(-70, 70000));
        }
    }
    static Scalar loaded(Dtype dtype) {
        return element_load("T_" + std::string(name(dtype)), {integer(0)}, false, dtype);
    }

    Scalar number(int depth, Dtype dtype = Dtype::i32) {
        if (depth == 0) return leaf(dtype);
        const auto sub = [&] { return number(static_cast<int>(pick(0, depth - 1)), dtype); };
        const auto constant = [&](std::int64_t low, std::int64_t high) {
            return integer(pick(low, high), dtype);
        };
        const bool bits = dtype == Dtype::i32 || dtype == Dtype::u32;
        switch (pick(0, bits ? 21 : 15)) {
            case 16: return call(Function::bit_and, {sub(), constant(-300, 70000)});
            case 17: return call(Function::bit_and, {sub(), sub()});
            case 18: return call(Function::bit_or, {sub(), sub()});
            case 19: return call(Function::bit_xor, {sub(), sub()});
            case 20: return call(Function::bit_not, {sub()});
            case 21:
                return call(pick(0, 1) == 0 ? Function::shift_left : Function::shift_right,
                            {sub(), sub()});
            case 0:
            case 1: return call(Function::add, {sub(), sub()});
            case 2:
            case 3: return call(Function::sub, {sub(), sub()});
            case 4: return call(Function::mul, {sub(), constant(1, 70000)});
            case 5: return call(Function::mul, {sub(), sub()});
            case 6: return call(Function::div, {sub(), constant(1, 65536)});
            case 7: return call(Function::mod, {sub(), constant(1, 64)});
            case 8: return call(Function::ceil_div, {sub(), constant(1, 64)});
            case 9: return call(Function::min, {sub(), sub()});
            case 10: return call(Function::max, {sub(), sub()});
            case 11: return call(Function::shift_left, {sub(), constant(0, 30)});
            case 12: return call(Function::shift_right, {sub(), constant(0, 30)});
            case 13: return call(Function::abs, {sub()});
            case 14:
                return call(Function::where, {call(Function::lt, {sub(), sub()}), sub(), sub()});
            default: {
                static constexpr Dtype all[] = {Dtype::i32, Dtype::i64, Dtype::u32, Dtype::u8};
                const Dtype from = all[pick(0, 3)];
                return cast(dtype, number(depth - 1, from));
            }
        }
    }

    std::int64_t of_dtype(Dtype dtype) {
        const ValueRange all = range_of_dtype(dtype);
        switch (pick(0, 3)) {
            case 0: return pick(all.least, all.most);
            case 1: return pick(0, 100);
            case 2: return std::max(all.most - pick(0, 40), all.least);
            default: return std::min(all.least + pick(0, 40), all.most);
        }
    }
    std::int64_t extent() {
        constexpr std::int64_t limit = (std::int64_t{1} << 31) - (std::int64_t{1} << 18);
        return pick(0, 2) == 0 ? pick(1, limit - 1) : pick(1, 70000);
    }

private:
    std::mt19937 random_;
};

using Values = std::map<std::string, std::int64_t>;

// What a thread computes: in 64 bits, and wrapped to the node's dtype.
std::optional<std::int64_t> on_machine(const Scalar& s, const Values& values) {
    std::int64_t known = 0;
    if (is_constant(s, &known)) return wrapped_value(s->dtype, known);
    if (const auto* x = std::get_if<Symbol>(&s->node)) return values.at(x->name);
    if (const auto* load = std::get_if<ElementLoad>(&s->node)) return values.at(load->tensor);
    if (const auto* k = std::get_if<Cast>(&s->node)) {
        const auto x = on_machine(k->argument, values);
        return x ? std::optional(wrapped_value(s->dtype, *x)) : std::nullopt;
    }
    const auto& c = std::get<Call>(s->node);
    std::vector<std::int64_t> a;
    for (const Scalar& x : c.arguments) {
        const auto value = on_machine(x, values);
        if (!value) return std::nullopt;
        a.push_back(*value);
    }
    const auto u = [&](std::size_t i) { return static_cast<std::uint64_t>(a[i]); };
    const auto wrap = [&](std::uint64_t x) {
        return wrapped_value(s->dtype, static_cast<std::int64_t>(x));
    };
    const auto down = [&] { return a[0] / a[1] - (a[0] % a[1] < 0 ? 1 : 0); };
    switch (c.function) {
        case Function::add: return wrap(u(0) + u(1));
        case Function::sub: return wrap(u(0) - u(1));
        case Function::mul: return wrap(u(0) * u(1));
        case Function::div: return down();
        case Function::mod: return a[0] - down() * a[1];
        case Function::ceil_div: return down() + (a[0] % a[1] != 0 ? 1 : 0);
        case Function::min: return std::min(a[0], a[1]);
        case Function::max: return std::max(a[0], a[1]);
        case Function::shift_left: return wrap(u(0) << (a[1] & 31));
        case Function::shift_right: return a[0] >> (a[1] & 31);
        case Function::bit_and: return a[0] & a[1];
        case Function::bit_or: return a[0] | a[1];
        case Function::bit_xor: return a[0] ^ a[1];
        case Function::bit_not: return wrap(~u(0));
        case Function::abs: return wrap(a[0] < 0 ? 0 - u(0) : u(0));
        case Function::lt: return a[0] < a[1] ? 1 : 0;
        case Function::where: return a[0] != 0 ? a[1] : a[2];
        default: return std::nullopt;
    }
}

// Whether the launch is admitted: every step's bounds lie in its dtype.
bool admitted(const Scalar& s, const Ranges& ranges, const Values& values) {
    bool good = true;
    const std::function<void(const Scalar&)> visit = [&](const Scalar& x) {
        if (const auto* c = std::get_if<Call>(&x->node))
            for (const Scalar& y : c->arguments) visit(y);
        if (const auto* k = std::get_if<Cast>(&x->node)) visit(k->argument);
        if (!is_integer(x->dtype)) return;
        const Step step = RangeFinder(ranges).step_of(x);
        std::int64_t bound = 0;
        if (step.low) {
            good = good && evaluate(step.low, values, &bound) && bound >= least_at_launch(x->dtype);
        }
        if (step.high) {
            good = good && evaluate(step.high, values, &bound) && bound <= most_at_launch(x->dtype);
        }
    };
    visit(s);
    return good;
}

TEST(MachineArithmetic, FormsAreWhatTheMachineComputes) {
    Bindings bindings;
    Ranges ranges;
    ranges["M"] = extent_range("M");
    ranges["N"] = extent_range("N");
    ranges["s"] = parameter_range("s", Dtype::i32);
    ranges["i"] = variable_range({0, 0, integer(0), integer(0)}, ranges["M"]);
    ranges[elements_of("S")] = variable_range({0, 0, integer(0), integer(0)}, ranges["N"]);
    bindings.ranges = std::make_shared<const Ranges>(ranges);
    int compared = 0;
    int wraps = 0;
    for (std::uint32_t seed = 0; seed < 6000; ++seed) {
        MachineGenerator g(seed);
        const Scalar tree = g.number(4);
        const NormalForm form = normal_form(tree, bindings);
        if (form.is_unknown()) continue;
        for (int n = 0; n < 8; ++n) {
            Values values;
            values["M"] = g.extent();
            values["N"] = g.extent();
            values["s"] = g.of_dtype(Dtype::i32);
            values["i"] = g.pick(0, values["M"] - 1);
            values["T"] = g.of_dtype(Dtype::i32);
            values["S"] = g.pick(0, values["N"] - 1);
            for (const Dtype d : {Dtype::i64, Dtype::u32, Dtype::u8})
                values["T_" + std::string(name(d))] = g.of_dtype(d);
            if (!admitted(tree, ranges, values)) continue;
            const auto machine = on_machine(tree, values);
            const auto found =
                evaluate(form, [&](const std::string& leaf) -> std::optional<std::int64_t> {
                    return values.at(leaf.substr(0, leaf.find('[')));
                });
            if (!machine || !found) continue;  // beyond 64 bits on paper
            ++compared;
            EXPECT_EQ(*found, *machine)
                << to_string(tree) << "\nform " << to_string(form) << "\nM = " << values["M"]
                << ", N = " << values["N"] << ", s = " << values["s"] << ", i = " << values["i"]
                << ", T = " << values["T"] << ", S = " << values["S"];
            const ValueRange range = range_of(tree, ranges);
            EXPECT_GE(*machine, range.least) << to_string(tree);
            EXPECT_LE(*machine, range.most) << to_string(tree);
        }
        bool wrapped = false;
        visit_atoms(form,
                    [&](const Atom& a) { wrapped = wrapped || a->kind == AtomKind::wrapped; });
        wraps += wrapped ? 1 : 0;
    }
    EXPECT_GT(compared, 20000);
    EXPECT_GT(wraps, 300);
}

TEST(MachineArithmetic, WrapsOnceAsAWhole) {
    const NormalForm x = load_form("T", {NormalForm(0)}, false);
    const auto i32 = [](const NormalForm& y) { return wrapped(Dtype::i32, y); };
    EXPECT_EQ(i32(i32(x * NormalForm(65536)) * NormalForm(65536)), NormalForm(0));
    EXPECT_EQ(i32(i32(x + NormalForm(5)) - NormalForm(5)), i32(x));
    EXPECT_EQ(wrapped(Dtype::u8, i32(x + NormalForm(256))), wrapped(Dtype::u8, x));
    EXPECT_FALSE(quotient(i32(x * NormalForm(65536)), NormalForm(65536)) == x);
    EXPECT_EQ(to_string(i32(x * NormalForm(3))), "i32(3*T[0])");
}

TEST(MachineArithmetic, ProductsOfParametersAreForTheLaunch) {
    Ranges ranges;
    ranges["M"] = extent_range("M");
    ranges["s"] = parameter_range("s", Dtype::i32);
    ranges["m"] = variable_range({0, 0, integer(0), integer(0)}, ranges["M"]);
    const Step step = RangeFinder(ranges).step_of(mul(symbol("m"), symbol("s")));
    ASSERT_EQ(step.fit, Fit::at_launch);
    std::int64_t bound = 0;
    ASSERT_TRUE(evaluate(step.high, {{"M", 65540}, {"s", 65536}}, &bound));
    EXPECT_GT(bound, most_at_launch(Dtype::i32));
    ASSERT_TRUE(evaluate(step.low, {{"M", 65540}, {"s", -65536}}, &bound));
    EXPECT_LT(bound, least_at_launch(Dtype::i32));
    const Scalar data = element_load("T", {integer(0)}, false, Dtype::i32);
    EXPECT_EQ(RangeFinder(ranges).step_of(mul(data, integer(2))).fit, Fit::never);
    EXPECT_EQ(RangeFinder({}).step_of(cast(Dtype::i32, symbol("s", Dtype::i64))).fit, Fit::never);
    ranges["L"] = parameter_range("L", Dtype::i64);
    EXPECT_EQ(RangeFinder(ranges).step_of(cast(Dtype::i32, symbol("L", Dtype::i64))).fit,
              Fit::at_launch);
}

TEST(MachineArithmetic, OfCellsOnlyPlacesAreForTheLaunch) {
    Ranges ranges;
    ranges["s"] = parameter_range("s", Dtype::i32);
    const Scalar place = add(column(), symbol("s"));
    EXPECT_EQ(RangeFinder(ranges).step_of(place).fit, Fit::at_launch);
    EXPECT_EQ(RangeFinder(ranges, Asked::no).step_of(place).fit, Fit::never);
    EXPECT_EQ(RangeFinder(ranges, Asked::no).range_of(place).most, INT32_MAX);
    const Scalar cell = add(element(0, Dtype::i32), symbol("s"));
    const Scalar data = element_load("T", {column()}, false, Dtype::i32);
    const Scalar mask = call(Function::logical_and, {less(place, cell), less(data, integer(5))});
    const std::vector<Scalar> places = compared_places(mask);
    ASSERT_EQ(places.size(), 2U);  // and 5
    EXPECT_TRUE(same(places[0], place));
}

}  // namespace
}  // namespace tkc::ir
