// Elementwise operations of a role, and what `print` and `assert` say.
#include "emulator/tile_operations.h"

#include <fmt/format.h>

#include "emulator/elementwise.h"
#include "emulator/functions.h"

namespace tkc::emulator {

namespace {

std::string text_of(const ir::Scalar& s, const Environment& env) {
    const Number n = env.evaluate(s);
    if (const auto* real = std::get_if<double>(&n)) return fmt::format("{:.6g}", *real);
    const std::int64_t whole = std::get<std::int64_t>(n);
    if (is_boolean(s->dtype)) return whole != 0 ? "true" : "false";
    return std::to_string(whole);
}

}  // namespace

void map_into(TilePtr& result, const ir::TileType& type, const ir::Map& op,
              const std::vector<TilePtr>& tiles, const Environment& env, const Places& places) {
    // Held here, an input that is the result too stays as it was until all cells are done.
    std::vector<TilePtr> held;
    std::vector<const Tile*> inputs;
    for (const ir::Value v : op.inputs) {
        held.push_back(tiles[v.id]);
        inputs.push_back(held.back().get());
    }
    map(fresh(result, type), op.expression, inputs, env, places);
}

namespace {

// `cells(i, k)` is the k-th of the `count` cells of which cell i of the result is made.
template <class To, class From, class F, class Cell>
void reduce_cells(std::vector<To>& result, const std::vector<From>& source, std::size_t count,
                  const Cell& place, F&& f) {
    for (std::size_t i = 0; i < result.size(); ++i) {
        auto total = f.start(source[place(i, 0)]);
        for (std::size_t k = 1; k < count; ++k) total = f.join(total, source[place(i, k)]);
        result[i] = f.end(total);
    }
}

struct SumOfReals {
    static double start(float x) { return x; }
    static double join(double a, float b) { return a + static_cast<double>(b); }
    static float end(double x) { return static_cast<float>(x); }
};
// Sums wrap; extremes are the functions of that name.
template <class T>
struct Fold {
    Function function;
    static T start(T x) { return x; }
    T join(T a, T b) const { return apply(function, a, b, T{}); }
    static T end(T x) { return x; }
};

Function function_of(ir::Reduction reduction) {
    switch (reduction) {
        case ir::Reduction::sum: return Function::add;
        case ir::Reduction::max: return Function::max;
        case ir::Reduction::min: return Function::min;
    }
    return Function::add;
}

}  // namespace

void reduce_into(TilePtr& result, const ir::TileType& type, const ir::Reduce& op,
                 const Tile& source) {
    Tile& to = fresh(result, type);
    const auto count = static_cast<std::size_t>(op.axis == 0 ? source.rows : source.cols);
    const auto place = [&](std::size_t i, std::size_t k) {
        const auto cols = static_cast<std::size_t>(source.cols);
        return op.axis == 0 ? k * cols + i : i * cols + k;
    };
    const Function function = function_of(op.function);
    if (!source.is_real()) {
        reduce_cells(to.integers, source.integers, count, place, Fold<std::int64_t>{function});
        for (std::int64_t& x : to.integers) x = wrap_to(type.dtype, x);
    } else if (op.function == ir::Reduction::sum) {
        reduce_cells(to.reals, source.reals, count, place, SumOfReals{});
    } else {
        reduce_cells(to.reals, source.reals, count, place, Fold<float>{function});
    }
}

void scan_into(TilePtr& result, const ir::TileType& type, const Tile& source) {
    Tile& to = fresh(result, type);
    for (std::int64_t r = 0; r < source.rows; ++r) {
        double real = 0;
        std::int64_t whole = 0;
        for (std::int64_t c = 0; c < source.cols; ++c) {
            const std::size_t at = source.at(r, c);
            if (source.is_real()) to.reals[at] = static_cast<float>(real += source.reals[at]);
            else to.integers[at] = wrap_to(type.dtype, whole += source.integers[at]);
        }
    }
}

void transpose_into(TilePtr& result, const ir::TileType& type, const Tile& source) {
    Tile& to = fresh(result, type);
    for (std::int64_t r = 0; r < source.rows; ++r) {
        for (std::int64_t c = 0; c < source.cols; ++c) {
            if (source.is_real()) to.reals[to.at(c, r)] = source.reals[source.at(r, c)];
            else to.integers[to.at(c, r)] = source.integers[source.at(r, c)];
        }
    }
}

void swap_pairs_into(TilePtr& result, const ir::TileType& type, const Tile& source) {
    const Tile from = source;  // which the result may be
    Tile& to = fresh(result, type);
    for (std::size_t i = 0; i < from.reals.size(); ++i) to.reals[i] = from.reals[i ^ 1U];
    for (std::size_t i = 0; i < from.integers.size(); ++i) to.integers[i] = from.integers[i ^ 1U];
}

std::string said(const ir::Print& print, const Environment& env) {
    std::string text = print.text;
    std::size_t at = 0;
    for (const ir::Scalar& value : print.values) {
        at = text.find("{}", at);
        const std::string shown = text_of(value, env);
        text.replace(at, 2, shown);
        at += shown.size();
    }
    return text;
}

std::string failure(const ir::Assert& assertion, const Tile* tile, const Environment& env,
                    const Places& places) {
    if (tile == nullptr) {
        return env.integer(assertion.condition) != 0 ? "" : "does not hold: " + assertion.text;
    }
    for (std::int64_t r = 0; r < tile->rows; ++r) {
        for (std::int64_t c = 0; c < tile->cols; ++c) {
            if (tile->integers[tile->at(r, c)] != 0) continue;
            return fmt::format("does not hold in cell [{}, {}]: {}", places.row(r), places.col(c),
                               assertion.text);
        }
    }
    return "";
}

}  // namespace tkc::emulator
