// Calls of the functions that deal programs out.
#include "lowering/cuda/dealt_programs.h"

#include <utility>

namespace tkc::cuda {

bool is_dealt(const KernelContext& k) {
    return !k.kernel.grid.empty() && k.kernel.grid.front().dealt;
}

Expr call_dealt(KernelContext& k, const std::string& function, std::vector<Expr> arguments) {
    Expr cols;
    for (std::size_t i = 1; i < k.axes.size(); ++i) {
        const Expr tiles = use(k.axes[i]);
        cols = cols ? binary(BinaryOp::multiply, cols, tiles) : tiles;
    }
    arguments.push_back(use(k.axes[0]));
    arguments.push_back(cols ? cols : literal(1));
    arguments.push_back(atom("gridDim.x"));
    return call(function, std::move(arguments));
}

}  // namespace tkc::cuda
