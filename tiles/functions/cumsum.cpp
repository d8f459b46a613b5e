// cumsum: each cell becomes the sum of the line up to it.
#include <fmt/format.h>

#include "tiles/tile_function.h"

namespace tkc::ir {

namespace {

using Operand = RuntimeOperand;

class RunningSums : public LineFunctionRules {
public:
    std::variant<TileType, TypeProblem> type(const Apply&, const TileType& source) const override {
        if (const auto problem = needs_wide_cells(source, CellUse::added)) return *problem;
        return TileType{source.dtype, source.rows, source.cols, Space::registers};
    }
    Scalar of_one_cell(const Scalar& cell) const override { return cell; }
    bool goes_along_rows_only() const override { return true; }

    // Cells go into none further left; past the edge there are sums of data.
    std::optional<double> neutral(Dtype) const override { return std::nullopt; }
    padding::TilePadding pad(const Apply& apply,
                             const padding::TilePadding& source) const override {
        const std::size_t along = axis_index(apply);
        padding::TilePadding made = source;
        made.data = summed(made.data);
        for (std::optional<padding::FillValue>& begun : made.begun) {
            if (begun) begun = join(*begun, summed(*begun));
        }
        padding::AxisPadding& past = made.axis[along];
        padding::AxisPadding& other = made.axis[1 - along];
        other.fill = summed(other.fill);
        made.corner = summed(padding::corner_of(source));
        if (past.padded && other.padded)
            made.corner = padding::apply(
                Function::add, Dtype::f64,
                {join(padding::constant_fill(0), other.fill), std::move(made.corner)});
        if (!past.padded) return made;
        // What all data add up to, if there are any, and some of what lies past them.
        const padding::FillValue all = join(padding::constant_fill(0), made.data);
        // 0 that may be NaN leaves infinite sums, and is NaN after them.
        const bool zeros = is_constant(past.fill, 0);
        const bool certain = zeros && past.fill.nan == padding::Cause::none;
        past.repeats = certain ? padding::Repeats::exactly : padding::Repeats::no;
        past.total = zeros;
        past.fill = padding::apply(Function::add, Dtype::f64, {all, summed(past.fill)});
        return made;
    }

    bool gives_one_cell() const override { return false; }
    void line(std::span<const double> from, std::span<double> to,
              std::span<const std::int64_t> /*places*/, std::int64_t /*number*/) const override {
        run(from, to);
    }
    void line(std::span<const std::int64_t> from, std::span<std::int64_t> to,
              std::span<const std::int64_t> /*places*/, std::int64_t /*number*/) const override {
        run(from, to);
    }

    Needs needs(const Apply& apply, const Role& role) const override {
        const TileType& tile = role.tile(apply.result);
        const Layout& layout = role[apply.result].layout;
        Needs made;
        made.arithmetic = 2 * static_cast<double>(cells_of(tile));
        made.registers = 24;
        if (!crosses_warps(layout, Axis::col)) return made;
        // What each warp made of each of its vectors, or of each of its rows.
        made.meets = true;
        std::int64_t places = cells_of_thread(layout) / vector_of(layout);
        if (warp_grid_of(layout, tile.rows, tile.cols))
            places = cells_of_thread(along(layout, tile.rows, 1)) *
                     (lanes_of_warp / lanes_along(layout, Axis::col));
        made.scratch = Scratch{scratch_name(role, fmt::format("{}_scan", name(tile.dtype))),
                               "running sums of the warps of " + role.name,
                               {tile.dtype, places, role.warps(), Space::shared}};
        return made;
    }
    std::vector<RuntimeCall> calls(const Apply& apply, const Role& role) const override {
        if (needs(apply, role).meets)
            return {{"tk::running_sums",
                     {Operand::result, Operand::source, Operand::scratch, Operand::thread,
                      Operand::barrier},
                     {}}};
        return {{"tk::running_sums", {Operand::result, Operand::source, Operand::thread}, {}}};
    }
    bool works_over_cluster(const Apply&) const override { return false; }

private:
    template <class Number>
    static void run(std::span<const Number> from, std::span<Number> to) {
        Number sum = 0;
        for (std::size_t i = 0; i < from.size(); ++i) to[i] = sum = sum_of_cells(sum, from[i]);
    }
};

}  // namespace

const TileFunctionRules& rules_of_cumsum() {
    static const RunningSums rules;
    return rules;
}

}  // namespace tkc::ir
