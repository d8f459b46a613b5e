// argmax, argmin: the place of the largest or smallest cell of a line, the first of equal ones.
#include <fmt/format.h>

#include <algorithm>

#include "language/function.h"
#include "tiles/tile_function.h"

namespace tkc::ir {

namespace {

// Of a cell and its place, which begins at a multiple of its size (detail::located).
std::int64_t words_of(Dtype cell) { return bits_of(cell) == 64 ? 4 : 2; }

using Operand = RuntimeOperand;

class Place : public LineFunctionRules {
public:
    Place(Function extreme, std::string runtime)
        : function_(extreme), runtime_(std::move(runtime)) {}

    std::variant<TileType, TypeProblem> type(const Apply& apply,
                                             const TileType& source) const override {
        if (const auto problem = needs_wide_cells(source, CellUse::compared)) return *problem;
        return TileType{Dtype::i32, apply.axis == 0 ? 1 : source.rows,
                        apply.axis == 0 ? source.cols : 1, Space::registers};
    }
    Scalar of_one_cell(const Scalar& /*cell*/) const override { return integer(0); }
    bool goes_along_rows_only() const override { return false; }

    // After the edge, what is no larger than any cell is not found: it comes after the data.
    std::optional<double> neutral(Dtype dtype) const override {
        return padding::neutral_of(function_, dtype);
    }
    padding::TilePadding pad(const Apply& apply,
                             const padding::TilePadding& source) const override {
        const std::size_t along = axis_index(apply);
        padding::TilePadding made;
        made.axis[1 - along] = source.axis[1 - along];
        // The place of a neighbor's number says something of that.
        if (made.axis[1 - along].fill.kind != padding::FillValue::Kind::foreign)
            made.axis[1 - along].fill = padding::finite_fill();
        return made;
    }

    bool gives_one_cell() const override { return true; }
    // NaN goes before all numbers. Of nothing, the place is 0.
    void line(std::span<const double> from, std::span<double> to,
              std::span<const std::int64_t> places, std::int64_t /*number*/) const override {
        locate(from, to, places);
    }
    void line(std::span<const std::int64_t> from, std::span<std::int64_t> to,
              std::span<const std::int64_t> places, std::int64_t /*number*/) const override {
        locate(from, to, places);
    }

    Needs needs(const Apply& apply, const Role& role) const override {
        const TileType& source = role.tile(apply.source);
        const Layout& layout = role[apply.source].layout;
        const std::int64_t along_rows =
            threads_along(layout, Axis::col) / lanes_along(layout, Axis::col);
        Needs made;
        made.arithmetic = 3 * static_cast<double>(cells_of(source));
        // What was found of each line, and where. nvcc chooses among the places of a line's cells,
        // each in a register of its own.
        const std::int64_t lines_of_thread =
            std::max<std::int64_t>(1, cells_of_thread(role[apply.result].layout));
        made.registers = 2 * lines_of_thread + cells_of_thread(layout) / lines_of_thread;
        if (apply.axis == 1 && along_rows == 1) return made;
        // A cell and its place for each line and each warp that has some of it.
        const std::int64_t shares = apply.axis == 1 ? along_rows : role.warps() / along_rows;
        const std::int64_t lines = apply.axis == 1 ? source.rows : source.cols;
        made.meets = true;
        made.scratch =
            Scratch{scratch_name(role, "places"),
                    "the results of the warps of " + role.name + " over rows or columns",
                    {Dtype::i32, 1, words_of(source.dtype) * shares * lines, Space::shared}};
        return made;
    }
    std::vector<RuntimeCall> calls(const Apply& apply, const Role& role) const override {
        const std::string header = "tk/operations/argmax.cuh";
        if (!needs(apply, role).meets)
            return {{"tk::locate_in_rows",
                     {Operand::result, Operand::source, runtime_, Operand::thread},
                     header}};
        const std::string groups =
            apply.axis == 0 && role.warpgroups() > 1 ? fmt::format("<{}>", role.warpgroups()) : "";
        return {{(apply.axis == 0 ? "tk::locate_in_columns" : "tk::locate_in_rows") + groups,
                 {Operand::result, Operand::source, runtime_, Operand::scratch,
                  Operand::thread_of_role, Operand::barrier},
                 header}};
    }
    bool works_over_cluster(const Apply&) const override { return false; }

private:
    template <class Number>
    void locate(std::span<const Number> from, std::span<Number> to,
                std::span<const std::int64_t> places) const {
        std::size_t best = 0;
        for (std::size_t i = 1; i < from.size(); ++i) {
            if (from[best] != from[best]) break;  // NaN
            const bool further =
                function_ == Function::max ? from[i] > from[best] : from[i] < from[best];
            if (further || from[i] != from[i]) best = i;
        }
        to[0] = from.empty() ? 0 : static_cast<Number>(places[best]);
    }

    Function function_;
    std::string runtime_;
};

}  // namespace

const TileFunctionRules& rules_of_argmax() {
    static const Place rules(Function::max, "tk::maximum{}");
    return rules;
}
const TileFunctionRules& rules_of_argmin() {
    static const Place rules(Function::min, "tk::minimum{}");
    return rules;
}

}  // namespace tkc::ir
