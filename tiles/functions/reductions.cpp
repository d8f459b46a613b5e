// sum, max, min: a line becomes one cell.
#include "tiles/reduction.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "ir/walk.h"
#include "language/function.h"

namespace tkc::ir {

namespace {

using Operand = RuntimeOperand;

class Reduction : public LineFunctionRules {
public:
    Reduction(Function joined_by, std::string runtime)
        : function_(joined_by), runtime_(std::move(runtime)) {}

    std::variant<TileType, TypeProblem> type(const Apply& apply,
                                             const TileType& source) const override {
        const CellUse use = function_ == Function::add ? CellUse::added : CellUse::compared;
        if (const auto problem = needs_wide_cells(source, use)) return *problem;
        return TileType{source.dtype, apply.axis == 0 ? 1 : source.rows,
                        apply.axis == 0 ? source.cols : 1, Space::registers};
    }
    Scalar of_one_cell(const Scalar& cell) const override { return cell; }
    bool goes_along_rows_only() const override { return false; }

    std::optional<double> neutral(Dtype dtype) const override {
        return padding::neutral_of(function_, dtype);
    }
    padding::TilePadding pad(const Apply& apply,
                             const padding::TilePadding& source) const override {
        const std::size_t along = axis_index(apply);
        padding::TilePadding made;
        padding::AxisPadding& kept = made.axis[1 - along];
        kept = source.axis[1 - along];
        kept.fill = of_some(kept.fill);
        if (kept.padded && source.axis[along].padded)
            kept.fill = padding::apply(function_, Dtype::f64, {kept.fill, of_some(source.corner)});
        // The padding that is taken in changes nothing.
        made.data = of_some(source.data);
        return made;
    }

    bool gives_one_cell() const override { return true; }
    // A sum is rounded once, at its end; NaN wins where it is compared.
    void line(std::span<const double> from, std::span<double> to,
              std::span<const std::int64_t> /*places*/, std::int64_t /*number*/) const override {
        to[0] = joined(from);
    }
    void line(std::span<const std::int64_t> from, std::span<std::int64_t> to,
              std::span<const std::int64_t> /*places*/, std::int64_t /*number*/) const override {
        to[0] = joined(from);
    }

    Needs needs(const Apply& apply, const Role& role) const override {
        Needs made;
        made.arithmetic = static_cast<double>(cells_of(role.tile(apply.source)));
        if (apply.axis == 1) {
            if (role[apply.result].partial) return made;
            const Needs rest = needs_of_completion(role, apply.result);
            made.meets = rest.meets;
            made.scratch = rest.scratch;
            return made;
        }
        // A row for each warp. On its way through shared memory a cell of the result has what was
        // found so far, what another warp found, and an address.
        const TileType& rows = role.tile(apply.result);
        made.meets = true;
        made.registers = 3 * cells_of_thread(role[apply.result].layout);
        made.scratch =
            Scratch{scratch_name(role, fmt::format("{}_rows_{}", name(rows.dtype), rows.cols)),
                    "rows that the warps of role " + role.name + " exchange",
                    {rows.dtype, role.warps(), rows.cols, Space::shared}};
        return made;
    }

    std::vector<RuntimeCall> calls(const Apply& apply, const Role& role) const override {
        if (apply.axis == 0)
            return {{"tk::reduce_columns",
                     {Operand::result, Operand::source, Operand::scratch, runtime_,
                      Operand::thread_of_role, Operand::barrier},
                     {}}};
        std::vector<RuntimeCall> made{
            {"tk::fold_rows", {Operand::result, Operand::source, runtime_, Operand::thread}, {}}};
        if (!role[apply.result].partial)
            made.push_back(call_of_completion(role, apply.result, runtime_));
        return made;
    }
    bool works_over_cluster(const Apply& apply) const override { return apply.axis == 1; }

private:
    template <class Number>
    Number joined(std::span<const Number> cells) const {
        using Limits = std::numeric_limits<Number>;
        const Number most = Limits::has_infinity ? Limits::infinity() : Limits::max();
        const Number least = Limits::has_infinity ? -Limits::infinity() : Limits::min();
        Number all = function_ == Function::add ? 0 : function_ == Function::max ? least : most;
        for (const Number x : cells) {
            if (function_ == Function::add) all = sum_of_cells(all, x);
            else if (x != x || (function_ == Function::max ? x > all : x < all)) all = x;
        }
        return all;
    }

    // The result of some cells of which that is known.
    padding::FillValue of_some(const padding::FillValue& x) const {
        return function_ == Function::add ? padding::summed(x) : x;
    }

    Function function_;
    std::string runtime_;
};

}  // namespace

const TileFunctionRules& rules_of_sum() {
    static const Reduction rules(Function::add, "tk::plus{}");
    return rules;
}
const TileFunctionRules& rules_of_max() {
    static const Reduction rules(Function::max, "tk::maximum{}");
    return rules;
}
const TileFunctionRules& rules_of_min() {
    static const Reduction rules(Function::min, "tk::minimum{}");
    return rules;
}

// ---- what the warps of a row exchange

std::string row_exchange_buffer(const Role& role) { return scratch_name(role, "exchange"); }

Needs needs_of_completion(const Role& role, Value column) {
    Needs made;
    if (!crosses_warps(role[column].layout, Axis::col)) return made;
    made.meets = true;
    if (const std::int64_t blocks = blocks_of(role); blocks > 1) {
        // Words for each of the cluster's warps, twice, and two barriers (row_exchange.cuh).
        made.scratch = Scratch{row_exchange_buffer(role),
                               "the row results of the warps of the cluster",
                               {Dtype::i32, 1, 2 * role.warps() * blocks + 4, Space::shared}};
        return made;
    }
    // A place for each warp and each of its rows.
    const Dtype dtype = role.tile(column).dtype;
    const Layout& layout = role[column].layout;
    const std::int64_t lanes = lanes_along(layout, Axis::col);
    const std::int64_t rows = cells_of_thread(layout) * (lanes_of_warp / lanes);
    made.scratch = Scratch{scratch_name(role, fmt::format("{}_parts", name(dtype))),
                           "the row results of the warps of " + role.name + "",
                           {dtype, rows, role.warps(), Space::shared}};
    return made;
}

bool synchronizes_warps(const Role& role, const Op& op) {
    if (const auto* apply = as<Apply>(op)) return rules_of(*apply).needs(*apply, role).meets;
    if (const auto* complete = as<Complete>(op))
        return needs_of_completion(role, complete->result).meets;
    const auto* barrier = as<Barrier>(op);
    return barrier != nullptr && barrier->scope == Scope::role;
}

RuntimeCall call_of_completion(const Role& role, Value column, const std::string& function) {
    const Needs needs = needs_of_completion(role, column);
    if (!needs.meets) return {"tk::finish_rows", {Operand::result, function}, {}};
    if (const std::int64_t blocks = blocks_of(role); blocks > 1)
        return {fmt::format("tk::finish_rows_of_cluster<{}>", blocks),
                {Operand::result, function, Operand::scratch, Operand::meetings,
                 Operand::thread_of_role},
                {}};
    const std::string name = role.unit == Unit::warpgroup
                                 ? fmt::format("tk::finish_rows_of_groups<{}>", role.warpgroups())
                                 : "tk::finish_rows";
    return {
        name,
        {Operand::result, function, Operand::scratch, Operand::thread_of_role, Operand::barrier},
        {}};
}

}  // namespace tkc::ir
