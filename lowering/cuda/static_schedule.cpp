// Calls of the functions that deal programs out.
#include "lowering/cuda/static_schedule.h"

#include <utility>

namespace tkc::cuda {

bool is_statically_scheduled(const KernelContext& k) {
    return !k.kernel.grid.empty() && k.kernel.grid.front().dealt;
}

Expr call_with_shape(KernelContext& k, const std::string& function, std::vector<Expr> arguments,
                     Expr last) {
    Expr cols;
    for (std::size_t i = 1; i < k.axes.size(); ++i) {
        const Expr tiles = use(k.axes[i]);
        cols = cols ? binary(BinaryOp::multiply, cols, tiles) : tiles;
    }
    arguments.push_back(use(k.axes[0]));
    arguments.push_back(cols ? cols : literal(1));
    arguments.push_back(std::move(last));
    return call(function, std::move(arguments));
}

Expr call_static_schedule(KernelContext& k, const std::string& function,
                          std::vector<Expr> arguments) {
    return call_with_shape(k, function, std::move(arguments), atom("gridDim.x"));
}

}  // namespace tkc::cuda
