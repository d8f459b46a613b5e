// transpose: rows become columns, through shared memory.
#include <fmt/format.h>

#include <utility>

#include "ir/tile_function.h"

namespace tkc::ir {

namespace {

using Operand = RuntimeOperand;

// The words of 4 bytes from a row to the next: one more than it fills, so that neighbours in a
// column lie in different banks.
std::int64_t pitch(const Role& role, Value v) {
    const TileType& tile = role.tile(v);
    const std::int64_t vector = vector_of(role[v].layout);
    const std::int64_t cells = (tile.cols + vector - 1) / vector * vector;
    // Rows and columns of warpgroups are held in 4 bytes a cell.
    const bool widened = role.unit == Unit::warpgroup && (tile.rows == 1 || tile.cols == 1);
    const std::int64_t size = widened ? 4 : bytes(tile.dtype);
    return (cells * size + 3) / 4 + 1;
}

class Transpose : public TileFunctionRules {
public:
    std::variant<TileType, TypeProblem> type(const Apply&, const TileType& source) const override {
        return TileType{source.dtype, source.cols, source.rows, Space::registers};
    }
    Scalar of_one_cell(const Scalar& cell) const override { return cell; }
    bool goes_along_rows_only() const override { return false; }

    std::optional<double> neutral(Dtype) const override { return std::nullopt; }
    padding::TilePadding pad(const Apply&, const padding::TilePadding& source) const override {
        padding::TilePadding made = source;
        std::swap(made.axis[0], made.axis[1]);
        return made;
    }

    void evaluate(const Apply&, const Cells& from, Cells& to, const CellPlaces&) const override {
        for (std::int64_t r = 0; r < from.rows; ++r) {
            for (std::int64_t c = 0; c < from.cols; ++c) to.at(c, r) = from.at(r, c);
        }
    }

    Needs needs(const Apply& apply, const Role& role) const override {
        const TileType& source = role.tile(apply.source);
        Needs made;
        made.meets = true;
        made.registers = bytes(source.dtype) == 1 ? 56 : 16;  // packing single bytes takes many
        made.shared_bytes = 2 * static_cast<double>(cells_of(source) * bytes(source.dtype));
        made.scratch =
            Scratch{scratch_name(role, "turned"),
                    "a tile that role " + role.name + " transposes",
                    {Dtype::i32, 1, source.rows * pitch(role, apply.source), Space::shared}};
        return made;
    }
    std::vector<RuntimeCall> calls(const Apply&, const Role& role) const override {
        const std::int64_t groups = role.warpgroups();
        return {
            {groups <= 1 ? std::string("tk::transpose") : fmt::format("tk::transpose<{}>", groups),
             {Operand::result, Operand::source, Operand::scratch, Operand::thread_of_role,
              Operand::barrier},
             {}}};
    }
    bool works_over_cluster(const Apply&) const override { return false; }
};

}  // namespace

const TileFunctionRules& rules_of_transpose() {
    static const Transpose rules;
    return rules;
}

}  // namespace tkc::ir
