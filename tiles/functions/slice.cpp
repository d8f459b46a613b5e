// slice: rows or columns `number` to number + length - 1. Threads that hold them in the layout of
// the result, too, have them in registers; other cells go through shared memory.
#include <fmt/format.h>

#include <algorithm>

#include "tiles/through_shared.h"

namespace tkc::ir {

namespace {

using Operand = RuntimeOperand;

class SliceRules : public TileFunctionRules {
public:
    std::variant<TileType, TypeProblem> type(const Apply& apply,
                                             const TileType& source) const override {
        const std::int64_t extent = apply.axis == 0 ? source.rows : source.cols;
        const char* const what = apply.axis == 0 ? "rows" : "columns";
        if (apply.number < 0 || apply.length < 1 || apply.number + apply.length > extent)
            return TypeProblem{fmt::format("a tile with {} {} to {}", what, apply.number,
                                           apply.number + apply.length - 1),
                               fmt::format("one of {} {}", extent, what), "", true};
        TileType made{source.dtype, source.rows, source.cols, Space::registers};
        (apply.axis == 0 ? made.rows : made.cols) = apply.length;
        return made;
    }
    Scalar of_one_cell(const Scalar& cell) const override { return cell; }
    bool goes_along_rows_only() const override { return false; }

    std::optional<double> neutral(Dtype) const override { return std::nullopt; }
    padding::TilePadding pad(const Apply& apply,
                             const padding::TilePadding& source) const override {
        return padding::sliced(source, axis_index(apply), apply.number);
    }

    void evaluate(const Apply& apply, const Reals& from, Reals& to,
                  const CellPlaces& places) const override {
        take(apply, from, to, places);
    }
    void evaluate(const Apply& apply, const Integers& from, Integers& to,
                  const CellPlaces& places) const override {
        take(apply, from, to, places);
    }

    Needs needs(const Apply& apply, const Role& role) const override {
        Needs made;
        if (place_of(apply, role)) return made;
        const TileType& source = role.tile(apply.source);
        const std::int64_t cells = cells_of(source) + cells_of(role.tile(apply.result));
        made.meets = true;
        made.registers = bits_of(source.dtype) == 8 ? 56 : 16;  // packing single bytes takes many
        made.shared_bytes = static_cast<double>(cells * bytes(source.dtype));
        made.scratch = rows_in_shared(role, apply.source, "slices");
        return made;
    }
    std::vector<RuntimeCall> calls(const Apply& apply, const Role& role) const override {
        const std::string header = "tk/operations/slice_tile.cuh";
        if (const std::optional<PlaceInThread> place = place_of(apply, role))
            return {{fmt::format("tk::slice_registers<{}, {}>", place->row, place->col),
                     {Operand::result, Operand::source},
                     header}};
        const std::int64_t groups = role.warpgroups();
        return {{fmt::format("tk::slice_rows_and_columns<{}, {}{}>",
                             apply.axis == 0 ? apply.number : 0, apply.axis == 1 ? apply.number : 0,
                             groups > 1 ? fmt::format(", {}", groups) : ""),
                 {Operand::result, Operand::source, Operand::scratch, Operand::thread_of_role,
                  Operand::barrier},
                 header}};
    }
    bool works_over_cluster(const Apply&) const override { return false; }

private:
    static std::optional<PlaceInThread> place_of(const Apply& apply, const Role& role) {
        return place_in_thread(role[apply.source].layout, role[apply.result].layout,
                               apply.axis == 0 ? apply.number : 0,
                               apply.axis == 1 ? apply.number : 0);
    }

    // The lines of a part that are in the slice, in order.
    template <class Cells>
    static void take(const Apply& apply, const Cells& from, Cells& to, const CellPlaces& places) {
        const std::span<const std::int64_t> known = apply.axis == 0 ? places.rows : places.cols;
        const std::int64_t lines = apply.axis == 0 ? from.rows : from.cols;
        std::int64_t next = 0;
        for (std::int64_t i = 0; i < lines; ++i) {
            const std::int64_t place = known.empty() ? i : known[static_cast<std::size_t>(i)];
            if (place < apply.number || place >= apply.number + apply.length) continue;
            if (apply.axis == 0) {
                for (std::int64_t c = 0; c < from.cols; ++c) to.at(next, c) = from.at(i, c);
            } else {
                for (std::int64_t r = 0; r < from.rows; ++r) to.at(r, next) = from.at(r, i);
            }
            ++next;
        }
    }
};

}  // namespace

const TileFunctionRules& rules_of_slice() {
    static const SliceRules rules;
    return rules;
}

}  // namespace tkc::ir
