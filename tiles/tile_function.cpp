// The table of the functions of tiles, and what their rules share.
#include "tiles/tile_function.h"

#include "tiles/through_shared.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace tkc::ir {

#define TK_TILE_FUNCTION(id, spelling, number, signature, doc) \
    const TileFunctionRules& rules_of_##id();
#define TK_TILE_OPERATOR(id, spelling, doc) const TileFunctionRules& rules_of_##id();
#include "language/tile_functions.def"
#undef TK_TILE_OPERATOR
#undef TK_TILE_FUNCTION

const TileFunctionRules& rules_of(TileFunction function) {
    using Rules = const TileFunctionRules& (*)();
    static constexpr Rules rules[] = {
#define TK_TILE_FUNCTION(id, spelling, number, signature, doc) rules_of_##id,
#define TK_TILE_OPERATOR(id, spelling, doc) rules_of_##id,
#include "language/tile_functions.def"
#undef TK_TILE_OPERATOR
#undef TK_TILE_FUNCTION
    };
    return rules[static_cast<std::size_t>(function)]();
}

const LineFunctionRules* line_rules_of(TileFunction function) {
    return dynamic_cast<const LineFunctionRules*>(&rules_of(function));
}

namespace {

// line(cells, cells of the result, places of the cells), for every line of the tile.
template <class Number, class Line>
void for_each_line(const Apply& apply, const CellsOf<Number>& from, CellsOf<Number>& to,
                   const CellPlaces& places, const Line& line) {
    const bool along_rows = apply.axis == 1;
    const auto length = static_cast<std::size_t>(along_rows ? from.cols : from.rows);
    const auto made = static_cast<std::size_t>(along_rows ? to.cols : to.rows);
    std::vector<std::int64_t> whole(length);
    std::iota(whole.begin(), whole.end(), 0);
    const std::span<const std::int64_t> part = along_rows ? places.cols : places.rows;
    const std::span<const std::int64_t> where = part.empty() ? whole : part;
    if (along_rows) {  // a row's cells lie side by side
        for (std::size_t l = 0; l < static_cast<std::size_t>(from.rows); ++l)
            line(std::span<const Number>(from.values).subspan(l * length, length),
                 std::span<Number>(to.values).subspan(l * made, made), where);
        return;
    }
    std::vector<Number> in(length);
    std::vector<Number> out(made);
    for (std::int64_t l = 0; l < from.cols; ++l) {
        for (std::size_t i = 0; i < in.size(); ++i)
            in[i] = from.at(static_cast<std::int64_t>(i), l);
        line(std::span<const Number>(in), std::span<Number>(out), where);
        for (std::size_t i = 0; i < out.size(); ++i)
            to.at(static_cast<std::int64_t>(i), l) = out[i];
    }
}

}  // namespace

void LineFunctionRules::evaluate(const Apply& apply, const Reals& from, Reals& to,
                                 const CellPlaces& places) const {
    for_each_line(apply, from, to, places, [&](auto cells, auto made, auto where) {
        line(cells, made, where, apply.number);
    });
}
void LineFunctionRules::evaluate(const Apply& apply, const Integers& from, Integers& to,
                                 const CellPlaces& places) const {
    for_each_line(apply, from, to, places, [&](auto cells, auto made, auto where) {
        line(cells, made, where, apply.number);
    });
}

std::string scratch_name(const Role& role, std::string_view name) {
    return fmt::format("{}.{}", role.name, name);
}

namespace {

// The 4-byte words from a row to the next: one more than it fills, or one cell, so that
// neighbors in a column lie in different banks.
std::int64_t pitch(const Role& role, Value v) {
    const TileType& tile = role.tile(v);
    const std::int64_t vector = vector_of(role[v].layout);
    const std::int64_t cells = (tile.cols + vector - 1) / vector * vector;
    // Rows and columns of warpgroups are held in 4 bytes a cell.
    const bool widened = role.unit == Unit::warpgroup && (tile.rows == 1 || tile.cols == 1);
    const std::int64_t size = std::max<std::int64_t>(widened ? 4 : 1, bytes(tile.dtype));
    return (cells * size + 3) / 4 + std::max<std::int64_t>(size / 4, 1);
}

}  // namespace

static constexpr std::string_view purpose_of_words = "a tile that role ";

// What transposes, exchanges and converts takes the buffer in turn.
static Scratch words_in_shared(const Role& role, std::int64_t words, std::string_view done) {
    return {scratch_name(role, "turned"),
            fmt::format("{}{} {}", purpose_of_words, role.name, done),
            {Dtype::i32, 1, words, Space::shared}};
}

bool holds_words(const Buffer& buffer) { return buffer.purpose.starts_with(purpose_of_words); }

Scratch rows_in_shared(const Role& role, Value tile, std::string_view done) {
    return words_in_shared(role, role.tile(tile).rows * pitch(role, tile), done);
}

Scratch lines_in_shared(const Role& role, Value tile, std::string_view done) {
    const TileType& type = role.tile(tile);
    const std::int64_t units = ((type.cols * bytes(type.dtype) + 15) / 16) | 1;
    // Buffers begin at multiples of 1024 bytes: without a rest, instances differ in numbers alone.
    constexpr std::int64_t rounded = 256;
    const std::int64_t words = type.rows * units * 4;
    return words_in_shared(role, (words + rounded - 1) / rounded * rounded, done);
}

std::optional<TypeProblem> needs_wide_cells(const TileType& source, CellUse use) {
    for (const Dtype wide : {Dtype::f32, Dtype::i32, Dtype::f64, Dtype::i64})
        if (source.dtype == wide) return std::nullopt;
    std::string help = is_real(source.dtype) ? "write `f32({0})`" : "write `i32({0})`";
    if (source.dtype == Dtype::u32)
        help = use == CellUse::compared
                   ? "write `i64({0})`: values from 2147483648 on are negative as i32"
                   : "write `i64({0})`; or `i32({0})`, whose sums are right modulo 4294967296: "
                     "`u32(..)` "
                     "of a sum is the sum of u32";
    return TypeProblem{"cells of f32, f64, i32 or i64", std::string(name(source.dtype)),
                       std::move(help)};
}

std::int64_t cells_of(const TileType& type) { return type.rows * type.cols; }

}  // namespace tkc::ir
