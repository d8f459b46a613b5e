// Elementwise operations of a role, and what `print` and `assert` say.
#include "emulator/tile_operations.h"

#include <fmt/format.h>

#include "emulator/elementwise.h"
#include "language/arithmetic.h"

namespace tkc::emulator {

using namespace arithmetic;

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

void apply_into(TilePtr& result, const ir::TileType& type, const ir::Apply& apply,
                const Tile& source, const Places& places) {
    ir::CellPlaces where;
    if (places.rows != nullptr) where.rows = *places.rows;
    if (places.cols != nullptr) where.cols = *places.cols;
    const auto count = static_cast<std::size_t>(ir::cells_of(type));
    source.with_cells([&]<class Cell>(const std::vector<Cell>& cells) {
        using Exact = std::conditional_t<std::is_integral_v<Cell>, std::int64_t, double>;
        const ir::CellsOf<Exact> from{source.rows, source.cols, {cells.begin(), cells.end()}};
        ir::CellsOf<Exact> made{type.rows, type.cols, std::vector<Exact>(count)};
        ir::rules_of(apply).evaluate(apply, from, made, where);
        Tile& to = fresh(result, type);
        to.with_cells([&]<class To>(std::vector<To>& out) {
            for (std::size_t i = 0; i < count; ++i) {
                out[i] = static_cast<To>(made.values[i]);
                if constexpr (std::is_integral_v<To>) out[i] = wrap_to(type.dtype, out[i]);
            }
        });
    });
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

namespace {

// The first cell of the tile that is 0, of an assertion that says `text`; empty if there is none.
std::string first_zero(const Tile& tile, const Places& places, const std::string& text) {
    for (std::int64_t r = 0; r < tile.rows; ++r) {
        for (std::int64_t c = 0; c < tile.cols; ++c) {
            if (tile.integers[tile.at(r, c)] != 0) continue;
            return fmt::format("does not hold in cell [{}, {}]: {}", places.row(r), places.col(c),
                               text);
        }
    }
    return "";
}

}  // namespace

std::string failure(const ir::Assert& assertion, const Tile* tile, const Environment& env,
                    const Places& places) {
    if (tile != nullptr) return first_zero(*tile, places, assertion.text);
    if (assertion.of_cells()) {
        Tile holds(Dtype::i32, assertion.rows, assertion.cols);
        map(holds, assertion.condition, {}, env);
        return first_zero(holds, {}, assertion.text);
    }
    return env.integer(assertion.condition) != 0 ? "" : "does not hold: " + assertion.text;
}

}  // namespace tkc::emulator
