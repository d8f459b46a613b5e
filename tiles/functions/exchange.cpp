// exchange: rows or columns whose numbers differ in one bit change places.
#include <fmt/format.h>

#include <algorithm>

#include "tiles/through_shared.h"

namespace tkc::ir {

namespace {

using Operand = RuntimeOperand;

bool tells_apart(const std::vector<LayoutMode>& modes, Axis axis, std::int64_t step) {
    for (const LayoutMode& m : modes) {
        if (m.axis == axis && m.stride != 0 && step % m.stride == 0 &&
            m.extent % (2 * (step / m.stride)) == 0)
            return true;
    }
    return false;
}

class Exchange : public LineFunctionRules {
public:
    std::variant<TileType, TypeProblem> type(const Apply& apply,
                                             const TileType& source) const override {
        constexpr std::int64_t most = 30;
        if (apply.number < 0 || apply.number > most)
            return TypeProblem{fmt::format("a bit from 0 to {}", most),
                               std::to_string(apply.number), "", true};
        const std::int64_t extent = apply.axis == 0 ? source.rows : source.cols;
        const std::int64_t pair = std::int64_t{2} << apply.number;
        if (extent % pair != 0) {
            const char* const what = apply.axis == 0 ? "rows" : "columns";
            return TypeProblem{
                fmt::format("a multiple of {} {} to exchange bit {} of their indices", pair, what,
                            apply.number),
                fmt::format("a tile of {}", extent), ""};
        }
        return TileType{source.dtype, source.rows, source.cols, Space::registers};
    }
    Scalar of_one_cell(const Scalar& cell) const override { return cell; }
    bool goes_along_rows_only() const override { return false; }

    // An edge between two that change places is lost.
    std::optional<double> neutral(Dtype) const override { return std::nullopt; }
    padding::TilePadding pad(const Apply& apply,
                             const padding::TilePadding& source) const override {
        padding::TilePadding made = source;
        padding::AxisPadding& along = made.axis[axis_index(apply)];
        padding::AxisPadding& other = made.axis[1 - axis_index(apply)];
        if (!along.padded) return made;
        made.data = join(made.data, along.fill);
        made.corner = join(padding::corner_of(source), other.fill);
        other.fill = made.corner;
        along.fill = made.data;
        lose_edge(along, "`exchange` moves it");
        return made;
    }

    bool gives_one_cell() const override { return false; }
    void line(std::span<const double> from, std::span<double> to,
              std::span<const std::int64_t> places, std::int64_t bit) const override {
        change(from, to, places, bit);
    }
    void line(std::span<const std::int64_t> from, std::span<std::int64_t> to,
              std::span<const std::int64_t> places, std::int64_t bit) const override {
        change(from, to, places, bit);
    }

    Needs needs(const Apply& apply, const Role& role) const override {
        Needs made;
        const TileType& tile = role.tile(apply.source);
        made.arithmetic = static_cast<double>(cells_of(tile));
        if (is_in_warp(apply, role)) return made;
        made.meets = true;
        made.registers = 16;
        made.shared_bytes = 2 * static_cast<double>(cells_of(tile) * bytes(tile.dtype));
        made.scratch = rows_in_shared(role, apply.source, "exchanges");
        return made;
    }
    std::vector<RuntimeCall> calls(const Apply& apply, const Role& role) const override {
        const char* const what = apply.axis == 0 ? "rows" : "columns";
        const std::string header = "tk/operations/exchange.cuh";
        if (is_in_warp(apply, role))
            return {{fmt::format("tk::exchange_{}<{}>", what, apply.number),
                     {Operand::result, Operand::source},
                     header}};
        const std::string groups =
            role.warpgroups() > 1 ? fmt::format(", {}", role.warpgroups()) : "";
        return {{fmt::format("tk::exchange_{}<{}{}>", what, apply.number, groups),
                 {Operand::result, Operand::source, Operand::scratch, Operand::thread_of_role,
                  Operand::barrier},
                 header}};
    }
    // The first bit lies within a vector.
    bool works_over_cluster(const Apply& apply) const override {
        return apply.axis == 1 && apply.number == 0;
    }

private:
    template <class Number>
    static void change(std::span<const Number> from, std::span<Number> to,
                       std::span<const std::int64_t> places, std::int64_t bit) {
        for (std::size_t i = 0; i < from.size(); ++i) {
            const std::int64_t other = places[i] ^ (std::int64_t{1} << bit);
            // Of a part of a tile, the places are in order.
            const auto found = std::lower_bound(places.begin(), places.end(), other);
            to[i] = from[static_cast<std::size_t>(found - places.begin())];
        }
    }

    // Whether a thread, or the lanes of a warp, hold both cells of each pair.
    static bool is_in_warp(const Apply& apply, const Role& role) {
        const Layout& layout = role[apply.source].layout;
        const Axis axis = apply.axis == 0 ? Axis::row : Axis::col;
        const std::int64_t step = std::int64_t{1} << apply.number;
        return tells_apart(layout.registers, axis, step) || tells_apart(layout.lanes, axis, step);
    }
};

}  // namespace

const TileFunctionRules& rules_of_exchange() {
    static const Exchange rules;
    return rules;
}

}  // namespace tkc::ir
