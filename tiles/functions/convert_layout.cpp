// convert_layout: the same cells in the layout of the result, through shared memory. Roles of warps
// hold tiles next to products in one layout, and what they load and store in another.
#include <algorithm>

#include "tiles/through_shared.h"

namespace tkc::ir {

namespace {

using Operand = RuntimeOperand;

class ConvertLayout : public TileFunctionRules {
public:
    std::variant<TileType, TypeProblem> type(const Apply&, const TileType& source) const override {
        return TileType{source.dtype, source.rows, source.cols, Space::registers};
    }
    Scalar of_one_cell(const Scalar& cell) const override { return cell; }
    bool goes_along_rows_only() const override { return false; }

    std::optional<double> neutral(Dtype) const override { return std::nullopt; }
    padding::TilePadding pad(const Apply&, const padding::TilePadding& source) const override {
        return source;
    }

    void evaluate(const Apply&, const Reals& from, Reals& to, const CellPlaces&) const override {
        to.values = from.values;
    }
    void evaluate(const Apply&, const Integers& from, Integers& to,
                  const CellPlaces&) const override {
        to.values = from.values;
    }

    Needs needs(const Apply& apply, const Role& role) const override {
        const TileType& tile = role.tile(apply.source);
        Needs made;
        made.meets = true;
        made.registers = 8;
        made.shared_bytes = 2 * static_cast<double>(cells_of(tile) * bytes(tile.dtype));
        made.scratch = lines_in_shared(role, apply.source, "stores or has loaded");
        return made;
    }
    std::vector<RuntimeCall> calls(const Apply&, const Role&) const override {
        return {{"tk::convert_layout",
                 {Operand::result, Operand::source, Operand::scratch, Operand::thread_of_role,
                  Operand::barrier},
                 "tk/operations/convert_layout.cuh"}};
    }
    bool works_over_cluster(const Apply&) const override { return false; }
};

}  // namespace

const TileFunctionRules& rules_of_convert_layout() {
    static const ConvertLayout rules;
    return rules;
}

}  // namespace tkc::ir
