// Derived roles compute what the sequential program means, bit for bit: on bodies made at random,
// in both emulators, rotated or not, with loads that arithmetic reads in stages or in the consumer.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <stdexcept>
#include <utility>

#include "emulator/number.h"
#include "frontend/derive/derive.h"
#include "frontend/parse/parse.h"
#include "test/unit/emulator_sample.h"

namespace tkc {
namespace {

// A loop's body: products, arithmetic on them and on accumulators, conditions, in any order that
// names what is there.
class Body {
public:
    explicit Body(std::uint32_t seed) : random_(seed) {}

    std::string make() {
        std::string text = product();
        for (int count = pick(3, 7); count > 0; --count) text += statement();
        return text;
    }
    int pick(int least, int most) {
        return std::uniform_int_distribution<int>(least, most)(random_);
    }

private:
    template <class T>
    const T& one_of(const std::vector<T>& list) {
        return list[static_cast<std::size_t>(pick(0, static_cast<int>(list.size()) - 1))];
    }
    std::string line(const std::string& text) { return "        " + text + "\n"; }
    std::string wide() { return one_of(wide_); }
    std::string sum() { return one_of(std::vector<std::string>{"o", "u"}); }
    std::string operand() { return one_of(narrow_); }
    std::string load() {
        const std::string tensor = one_of(std::vector<std::string>{"K", "V", "W"});
        return fmt::format("load({}[{}, :])", tensor, pick(0, 5) == 0 ? "0 +: 64" : "j");
    }
    std::string right() { return pick(0, 3) == 0 && !loaded_.empty() ? one_of(loaded_) : load(); }

    // A tile under a name, which products and arithmetic read, or only one of both.
    std::string named_load() {
        const std::string name = fmt::format("x{}", number_++);
        wide_.push_back(fmt::format("f32({})", name));
        if (pick(0, 1) != 0) narrow_.push_back(name);
        if (pick(0, 2) != 0) loaded_.push_back(name);
        std::string text = fmt::format("let {} = {};", name, load());
        if (pick(0, 2) == 0) text = fmt::format("let {} = shared({});", name, load());
        text = line(text);
        if (pick(0, 1) != 0) text += line(fmt::format("{} += f32({}) * 0.25;", sum(), name));
        if (pick(0, 1) == 0) return text;
        const std::string turned = pick(0, 1) != 0 ? ".T" : "";
        return text + line(fmt::format("{} += mma({}, {}{});", sum(), operand(), name, turned));
    }

    std::string product() {
        const std::string name = fmt::format("s{}", number_++);
        const std::string turned = pick(0, 1) != 0 ? ".T" : "";
        const std::string text =
            line(fmt::format("let {} = mma({}, {}{});", name, operand(), right(), turned));
        wide_.push_back(name);
        return text;
    }

    // An expression that multiplies, in f32: what is around a product, and arithmetic instead
    // of an operand.
    std::string wrapped() {
        const std::string turned = pick(0, 1) != 0 ? ".T" : "";
        const std::string inner = fmt::format("mma({}, {}{})", operand(), right(), turned);
        switch (pick(0, 5)) {
            case 0: return inner + " * 0.0625";
            case 1: return "shrunk(inout r, " + inner + ")";
            case 2:  // The other product reads what the call assigns.
                return fmt::format("(shrunk(inout r, {}) + mma(bf16(min({} + r, 8.0)), {}))", inner,
                                   wide(), right());
            case 3: return fmt::format("mma(bf16(shrunk(inout r, {})), {})", inner, right());
            case 4: return fmt::format("mma(bf16(min({}, 8.0)), {})", wide(), right());
            default: return fmt::format("mma(bf16({} * 0.0625), {}) * 0.5", inner, right());
        }
    }

    std::string statement() {
        if (pick(0, 2) == 0) {
            if (pick(0, 1) != 0) return line(fmt::format("{} += {};", sum(), wrapped()));
            const std::string name = fmt::format("s{}", number_++);
            const std::string text = line(fmt::format("let {} = {};", name, wrapped()));
            wide_.push_back(name);
            return text;
        }
        if (pick(0, 4) == 0) return named_load();
        if (pick(0, 9) == 0) return line(fmt::format("{} += f32({}) * 0.25;", sum(), load()));
        switch (pick(0, 9)) {
            case 0: return product();
            case 1:
            case 2: {
                const std::string name = fmt::format("p{}", number_++);
                const std::string text = line(fmt::format(
                    "let {} = bf16(min(max({} * 0.0625 + r, -8.0), 8.0));", name, wide()));
                narrow_.push_back(name);
                return text;
            }
            case 3:
            case 4: return line(fmt::format("{} += mma({}, {});", sum(), operand(), right()));
            case 5: return line(fmt::format("{} *= 0.5;", sum()));
            case 6: return line(fmt::format("r = r * 0.5 + sum({}, axis = 1) * 0.03125;", wide()));
            case 7: return line(fmt::format("{} = {} + {} * 0.25;", sum(), sum(), wide()));
            case 8:
                return line(
                    fmt::format("if j.start < {} {{ {} *= 0.25; }}", 64 * pick(0, 3), sum()));
            default: return line(fmt::format("{} = mma({}, {});", sum(), operand(), right()));
        }
    }

    std::mt19937 random_;
    int number_ = 0;
    std::vector<std::string> wide_{"o", "u"};  // in f32
    std::vector<std::string> narrow_{"q"};     // in bf16
    std::vector<std::string> loaded_;          // under a name, for products
};

// `range`: the loop's variable and what it goes through; `word`: after it.
std::string kernel_text(const std::string& body, const std::string& range, std::int64_t keys,
                        const std::string& word) {
    return fmt::format(
        "fn shrunk(inout r: f32[64, 1], s: f32[64, 64]) -> f32[64, 64]\n{{\n"
        "    r = r * 0.5 + sum(s, axis = 1) * 0.03125;\n"
        "    return min(max(s * 0.0625 + r, -8.0), 8.0);\n}}\n"
        "kernel k(Q: bf16[M, 64], K: bf16[{0}, 64], V: bf16[{0}, 64], W: bf16[{0}, 64], out Y: "
        "f32[M, 64], out Z: f32[M, 64])\n{{\n    grid (m in M by 64) warps(4);\n"
        "    let q = load(Q[m, :]);\n    var o: f32[64, 64] = 0;\n    var u: f32[64, 64] = 1;\n"
        "    var r: f32[64, 1] = 0;\n    for {1}{2} {{\n{3}    }}\n"
        "    store(Y[m, :], o + r);\n    store(Z[m, :], u);\n}}\n",
        keys, range, word, body);
}

// The same loop by numbers: `for i in 1..4` for `for j in 64..256 by 64`. A place is written out,
// or is a number of the step.
std::string by_numbers(std::string text, bool named) {
    const auto replace = [&](const std::string& from, const std::string& to) {
        for (std::size_t at = text.find(from); at != std::string::npos;
             at = text.find(from, at + to.size()))
            text.replace(at, from.size(), to);
    };
    replace("j.start", named ? "at" : "i * 64");
    replace("[j, :]", named ? "[at +: 64, :]" : "[i * 64 +: 64, :]");
    return named ? "        let n = i;\n        let at = n * 64;\n" + text : text;
}

std::string derived_text(const std::string& text, const derive::Choice& choice) {
    SourceManager sources;
    Diagnostics diag;
    const FileId file = sources.add("<test>", text);
    const auto tree = parse(file, sources, diag);
    if (!tree) throw std::runtime_error("it does not parse");
    const ast::Decl& decl = tree->decls.back();
    const auto roles =
        derive::with_roles(std::get<ast::Kernel>(decl.node), decl.span, choice, sources, diag);
    if (!roles) throw std::runtime_error("no roles");
    return text.substr(0, decl.span.begin) + roles->text();
}

// Numbers whose sums are rounded, so that the order of summation shows.
emulator::Tensor numbers(std::int64_t rows, std::uint32_t seed) {
    emulator::Tensor t = sample::unwritten(Dtype::bf16, rows, 64);
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    for (std::int64_t i = 0; i < rows * 64; ++i)
        emulator::write_real(Dtype::bf16, normal(random), t.at(i));
    return t;
}

emulator::Arguments arguments(std::int64_t keys) {
    emulator::Arguments made;
    made.tensors["Q"] = numbers(70, 1);
    made.tensors["K"] = numbers(keys, 2);
    made.tensors["V"] = numbers(keys, 3);
    made.tensors["W"] = numbers(keys, 4);
    made.tensors["Y"] = sample::unwritten(Dtype::f32, 70, 64);
    made.tensors["Z"] = sample::unwritten(Dtype::f32, 70, 64);
    return made;
}

// What the kernel writes.
std::vector<std::byte> results(const std::string& text, ir::Level level, std::int64_t keys) {
    const ir::Module module = sample::compile_text(text, level);
    emulator::Arguments call = arguments(keys);
    const auto outcome =
        emulator::run(module.kernels.front(), level, call, emulator::RunOptions{1, 1, {}});
    if (outcome.end != emulator::Outcome::End::finished)
        throw std::logic_error(outcome.text + "\n" + text);
    std::vector<std::byte> bytes = call.tensors["Y"].storage;
    const std::vector<std::byte>& more = call.tensors["Z"].storage;
    bytes.insert(bytes.end(), more.begin(), more.end());
    return bytes;
}

// Whether a named element is read by a product and by arithmetic.
bool reads_twice(const std::string& text) {
    for (std::size_t at = text.find("let x"); at != std::string::npos;
         at = text.find("let x", at + 1)) {
        const std::string name = text.substr(at + 4, text.find(' ', at + 4) - at - 4);
        const bool element = text.compare(at, name.size() + 15, "let " + name + " = consume ") == 0;
        const bool operand = text.find("mma(" + name + ",") != std::string::npos ||
                             text.find(", " + name + ")") != std::string::npos ||
                             text.find(", " + name + ".T)") != std::string::npos;
        if (element && operand && text.find("f32(" + name + ")") != std::string::npos) return true;
    }
    return false;
}

TEST(Derive, SequentialMeaning) {
    const char* const asked = std::getenv("TKC_DERIVE_TESTS");
    const std::uint32_t count =
        asked == nullptr ? 100 : static_cast<std::uint32_t>(std::atoi(asked));
    int rotated = 0;
    int rotated_by_numbers = 0;
    int rotated_apart = 0;
    int read_twice = 0;  // from stages
    int compared = 0;
    for (std::uint32_t seed = 0; seed < count; ++seed) {
        Body body(seed);
        std::string statements = body.make();
        const std::int64_t keys = 64 * body.pick(1, 4);
        const std::int64_t begin = 64 * body.pick(0, 1);
        const std::int64_t end = std::max(keys, begin);
        std::string range = fmt::format("j in {}..{} by 64", begin, end);
        const bool numbers = seed % 3 == 0;
        if (numbers) {
            range = fmt::format("i in {}..{}", begin / 64, end / 64);
            statements = by_numbers(statements, seed % 2 == 0);
        }
        const std::string plain = kernel_text(statements, range, keys, "");
        const std::string word = fmt::format(" pipelined({})", body.pick(1, 3));
        std::vector<std::byte> tile, scheduled;
        try {
            tile = results(plain, ir::Level::tile, keys);
            scheduled = results(plain, ir::Level::scheduled, keys);
        } catch (const std::runtime_error&) {
            continue;  // too many registers, as a rule
        }
        std::set<std::string> texts;
        for (const auto& [rotates, reach] : {std::pair{false, derive::Reach::arithmetic},
                                             {true, derive::Reach::arithmetic},
                                             {true, derive::Reach::products}}) {
            const std::string text = derived_text(kernel_text(statements, range, keys, word),
                                                  {rotates, seed % 2 == 0, 4, 2, 0, reach});
            if (!texts.insert(text).second) continue;
            read_twice += reads_twice(text) ? 1 : 0;
            rotated += rotates ? 1 : 0;
            rotated_by_numbers += rotates && numbers ? 1 : 0;
            const bool apart = text.find(" product = ") != std::string::npos ||
                               text.find(" operand = ") != std::string::npos;
            rotated_apart += rotates && apart ? 1 : 0;
            try {
                EXPECT_EQ(results(text, ir::Level::tile, keys), tile) << seed << "\n" << text;
                EXPECT_EQ(results(text, ir::Level::scheduled, keys), scheduled) << seed << "\n"
                                                                                << text;
                ++compared;
            } catch (const std::runtime_error&) {
                // It fits in another form.
            }
        }
    }
    EXPECT_GT(compared, static_cast<int>(count) / 2);
    EXPECT_GT(rotated, static_cast<int>(count) / 12);
    EXPECT_GT(rotated_by_numbers, static_cast<int>(count) / 60);
    EXPECT_GT(rotated_apart, static_cast<int>(count) / 20);
    EXPECT_GT(read_twice, static_cast<int>(count) / 20);
    RecordProperty("rotated", rotated);
    RecordProperty("apart", rotated_apart);
    RecordProperty("read_twice", read_twice);
    RecordProperty("compared", compared);
}

}  // namespace
}  // namespace tkc
