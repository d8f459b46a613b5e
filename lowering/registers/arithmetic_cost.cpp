// Cycles of elementwise work, by the rates of the target.
#include "lowering/registers/arithmetic_cost.h"

#include "ir/walk.h"
#include "tiles/tile_function.h"

namespace tkc::lowering {

using namespace ir;

namespace {

bool is_transcendental(Function f) {
    return info(f).kind == FunctionKind::real && f != Function::fma;
}

double cell_count(const TileType& t) { return static_cast<double>(t.rows * t.cols); }

double of_cell(const Scalar& expression, const TargetRates& rates) {
    double cycles = 0;
    visit_nodes(expression, [&](const ScalarNode& node) {
        if (const auto* c = std::get_if<Call>(&node.node)) {
            cycles +=
                1 / (is_transcendental(c->function) ? rates.transcendental : rates.arithmetic);
        } else if (std::holds_alternative<Cast>(node.node)) {
            cycles += 1 / rates.arithmetic;
        }
    });
    return cycles;
}

}  // namespace

double arithmetic_cycles(const Kernel& kernel, const Role& role, const Op& op) {
    const TargetRates& rates = target_of(kernel).rates;
    if (const Map* map = as<Map>(op))
        return of_cell(map->expression, rates) * cell_count(role.tile(map->result));
    if (const Apply* apply = as<Apply>(op))
        return rules_of(*apply).needs(*apply, role).arithmetic / rates.arithmetic;
    if (const ScaleRows* scale = as<ScaleRows>(op))
        return cell_count(role.tile(scale->result)) / rates.arithmetic;
    return 0;
}

}  // namespace tkc::lowering
