// Which axes a weight reverses, and which words leave programs without an order.
#include "facts/program_order.h"

#include "arithmetic/normal_form.h"

namespace tkc::ir {

WeightedAxes weighted_axes(const Kernel& kernel) {
    WeightedAxes axes;
    if (!kernel.weight) {
        axes.free = kernel.grid;
        return axes;
    }
    const Bindings bindings = bindings_of(kernel);
    const Facts facts = facts_of(kernel, bindings);
    const NormalForm weight = normal_form(kernel.weight, bindings);
    for (GridAxis axis : kernel.grid) {
        if (!mentions(weight, axis.var)) {
            axes.free.push_back(std::move(axis));
            continue;
        }
        const NormalForm next = symbol_form(axis.var) + NormalForm(axis.step);
        const NormalForm growth = substitute(weight, {{axis.var, next}}) - weight;
        axis.reversed = facts.prove_at_least(growth, 0);
        if (!axis.reversed && !facts.prove_at_least(-growth, 0)) {
            axes.unclear = axis.var;
            return axes;
        }
        axes.weighted.push_back(std::move(axis));
    }
    return axes;
}

std::string word_without_order(const Kernel& kernel) {
    if (kernel.persistent) return "persistent";
    if (cluster_axis(kernel) != nullptr) return "cluster";
    return "";
}

std::optional<GridAxis> axis_in_order(const Kernel& kernel, const std::string& var) {
    if (!word_without_order(kernel).empty()) return std::nullopt;
    const WeightedAxes axes = weighted_axes(kernel);
    if (!axes.unclear.empty()) return std::nullopt;
    for (const auto* list : {&axes.free, &axes.weighted}) {
        for (const GridAxis& axis : *list) {
            if (axis.var == var) return axis;
        }
    }
    return std::nullopt;
}

}  // namespace tkc::ir
