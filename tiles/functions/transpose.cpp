// transpose: rows become columns, through shared memory.
#include <fmt/format.h>

#include <utility>

#include "tiles/through_shared.h"

namespace tkc::ir {

namespace {

using Operand = RuntimeOperand;

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
        std::swap(made.made_up[0], made.made_up[1]);
        std::swap(made.begun[0], made.begun[1]);
        return made;
    }

    void evaluate(const Apply&, const Reals& from, Reals& to, const CellPlaces&) const override {
        turn(from, to);
    }
    void evaluate(const Apply&, const Integers& from, Integers& to,
                  const CellPlaces&) const override {
        turn(from, to);
    }

    Needs needs(const Apply& apply, const Role& role) const override {
        const TileType& source = role.tile(apply.source);
        Needs made;
        made.meets = true;
        made.registers = bits_of(source.dtype) == 8 ? 56 : 16;  // packing single bytes takes many
        made.shared_bytes = 2 * static_cast<double>(cells_of(source) * bytes(source.dtype));
        made.scratch = rows_in_shared(role, apply.source, "transposes");
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

private:
    template <class Cells>
    static void turn(const Cells& from, Cells& to) {
        for (std::int64_t r = 0; r < from.rows; ++r) {
            for (std::int64_t c = 0; c < from.cols; ++c) to.at(c, r) = from.at(r, c);
        }
    }
};

}  // namespace

const TileFunctionRules& rules_of_transpose() {
    static const Transpose rules;
    return rules;
}

}  // namespace tkc::ir
