// fragments, from_fragments: a tile as rows of 32 cells, in the order in which the threads of
// warpgroups hold it. Both sides are the same registers, so nothing moves.
//
// Of 64 rows and 8 columns a thread holds four cells, wgmma's (PTX ISA, "wgmma register
// fragments"), which are neighbors in a row of the result. 128 threads fill 16 rows. Blocks of 8
// columns follow each other, and then those of the next 64 rows.
#include <fmt/format.h>

#include <utility>

#include "tiles/tile_function.h"

namespace tkc::ir {

namespace {

using Operand = RuntimeOperand;

constexpr std::int64_t rows_of_block = 64;
constexpr std::int64_t cols_of_block = 8;
constexpr std::int64_t cells_of_warp = 128;  // in a block

// The number of a cell among those of a tile of so many columns.
std::int64_t number_of(std::int64_t row, std::int64_t col, std::int64_t cols) {
    const std::int64_t block = row / rows_of_block * (cols / cols_of_block) + col / cols_of_block;
    const std::int64_t warp = row % rows_of_block / 16;
    const std::int64_t lane = row % 8 * 4 + col % cols_of_block / 2;
    const std::int64_t cell = row % 16 / 8 * 2 + col % 2;
    return (block * 4 + warp) * cells_of_warp + lane * 4 + cell;
}

// A warpgroup holds its part of both tiles: all of its blocks, which are neighbors.
template <class Cells>
void rearrange(const Cells& from, Cells& to, bool back) {
    const Cells& tile = back ? to : from;
    for (std::int64_t r = 0; r < tile.rows; ++r) {
        for (std::int64_t c = 0; c < tile.cols; ++c) {
            const auto line = static_cast<std::size_t>(number_of(r, c, tile.cols));
            const auto cell = static_cast<std::size_t>(r * tile.cols + c);
            to.values[back ? cell : line] = from.values[back ? line : cell];
        }
    }
}

// What both of them are, but their types.
class FragmentRules : public TileFunctionRules {
public:
    explicit FragmentRules(bool back) : back_(back) {}

    std::variant<TileType, TypeProblem> type(const Apply& apply,
                                             const TileType& source) const override {
        if (bits_of(source.dtype) != 32 || is_boolean(source.dtype))
            return TypeProblem{"cells of f32, i32 or u32", std::string(name(source.dtype)),
                               source.dtype == Dtype::i64 ? "`i32({})` has the lower 32 bits"
                               : is_real(source.dtype)    ? "write `f32({})`"
                                                          : "write `i32({})`"};
        return back_ ? tile_of(source, apply.number) : lines_of(source);
    }
    Scalar of_one_cell(const Scalar& cell) const override { return cell; }
    bool goes_along_rows_only() const override { return false; }

    // Padding gets anywhere.
    std::optional<double> neutral(Dtype) const override { return std::nullopt; }
    padding::TilePadding pad(const Apply& apply,
                             const padding::TilePadding& source) const override {
        padding::TilePadding made = source;
        if (!source.axis[0].padded && !source.axis[1].padded) return made;
        for (const padding::AxisPadding& axis : source.axis) {
            if (axis.padded) made.data = join(made.data, axis.fill);
        }
        if (source.axis[0].padded && source.axis[1].padded)
            made.data = join(made.data, padding::corner_of(source));
        made.corner = made.data;
        const padding::AxisPadding& known = source.axis[source.axis[0].padded ? 0 : 1];
        for (padding::AxisPadding& axis : made.axis) {
            if (!axis.padded) axis = known;
            axis.fill = made.data;
            axis.among_data = true;
            lose_edge(axis, fmt::format("`{}` moves it", name(apply.function)));
        }
        return made;
    }

    void evaluate(const Apply&, const Reals& from, Reals& to, const CellPlaces&) const override {
        rearrange(from, to, back_);
    }
    void evaluate(const Apply&, const Integers& from, Integers& to,
                  const CellPlaces&) const override {
        rearrange(from, to, back_);
    }

    std::string problem_of_layouts(const Apply& apply, const Role& role) const override {
        const Value tile = back_ ? apply.result : apply.source;
        const Value lines = back_ ? apply.source : apply.result;
        if (role[tile].layout.empty() || role[lines].layout.empty()) return "";
        const std::int64_t groups = role.warpgroups();
        const TileType& type = role.tile(tile);
        const auto lies = [&](Axis divided) {
            return role[tile].layout == fragment_layout(type.rows, type.cols, groups, divided);
        };
        // Blocks of the next 64 rows would lie between those of a part of the columns.
        if (!lies(Axis::row) && !(lies(Axis::col) && type.rows == rows_of_block))
            return fmt::format("a tile with the layout of `{}`", to_string(role[tile].layout));
        if (role[lines].layout != fragment_lines(role.tile(lines).rows, groups))
            return fmt::format("rows with the layout of `{}`", to_string(role[lines].layout));
        return "";
    }
    Needs needs(const Apply&, const Role&) const override { return {}; }
    std::vector<RuntimeCall> calls(const Apply&, const Role&) const override {
        return {{"tk::same_registers",
                 {Operand::result, Operand::source},
                 "tk/operations/slice_tile.cuh"}};
    }
    bool works_over_cluster(const Apply&) const override { return false; }

private:
    static std::variant<TileType, TypeProblem> lines_of(const TileType& source) {
        if (source.rows % rows_of_block != 0 || source.cols % cols_of_block != 0)
            return TypeProblem{
                fmt::format("a tile of {} k rows and {} k columns", rows_of_block, cols_of_block),
                fmt::format("one of {} x {}", source.rows, source.cols), ""};
        return TileType{source.dtype, cells_of(source) / cells_of_line, cells_of_line,
                        Space::registers};
    }
    static std::variant<TileType, TypeProblem> tile_of(const TileType& source, std::int64_t cols) {
        if (source.cols != cells_of_line)
            return TypeProblem{
                fmt::format("rows of {} cells, as `fragments` returns them", cells_of_line),
                fmt::format("a tile of {} x {}", source.rows, source.cols), ""};
        if (cols < 1 || cols % cols_of_block != 0 || cells_of(source) % (rows_of_block * cols) != 0)
            return TypeProblem{fmt::format("a multiple of {} such that {} cells are {} k rows",
                                           cols_of_block, cells_of(source), rows_of_block),
                               std::to_string(cols), "", true};
        return TileType{source.dtype, cells_of(source) / cols, cols, Space::registers};
    }

    bool back_;
};

}  // namespace

const TileFunctionRules& rules_of_fragments() {
    static const FragmentRules rules{false};
    return rules;
}
const TileFunctionRules& rules_of_from_fragments() {
    static const FragmentRules rules{true};
    return rules;
}

}  // namespace tkc::ir
