// Orders programs by weight, as closely as is profitable.
//
//     weight=min(m + 128, N)                       grid m reversed dealt
//     grid m, grid h, grid b          becomes      grid h
//                                                  grid b
//
// Blocks of a persistent kernel know their programs in advance. These are assigned so that
// each block gets about the same work (tk/operations/grid.cuh): the axis that the weight depends on
// is the first one. Blocks that fetch programs dynamically need no shares: heavy programs get low
// numbers, in sections of the other axes.
//
// Otherwise the hardware starts the next program when one ends, and heavy ones come first: the axes
// that the weight depends on become the outermost, each walked from its heavy end. So they do where
// there are several. The weight must not fall and rise along an axis.
#include "facts/facts.h"
#include "facts/program_order.h"
#include "ir/walk.h"
#include "lowering/passes.h"

namespace tkc::lowering {

namespace {

using namespace ir;

void order(PassContext& context, Kernel& kernel) {
    auto [free, weighted, unclear] = weighted_axes(kernel);
    if (!unclear.empty()) {
        const NormalForm weight = normal_form(kernel.weight, bindings_of(kernel));
        context.diag.error(kernel.span, msg::weight_not_monotone, to_string(weight), unclear)
            .help("use an expression that is monotonic along `{}`", unclear);
        return;
    }
    kernel.weight = nullptr;  // from here on the grid says it
    if (weighted.empty()) return;
    // Bands lie over an axis and its neighbor, so the axes have to stay where they are.
    const bool stays = free.empty() && !kernel.persistent;
    if ((!kernel.raster_axis.empty() && !stays) || cluster_axis(kernel) != nullptr) {
        context.diag
            .error(kernel.span, msg::not_yet,
                   "`heaviest_first` in a kernel with `raster` or clusters")
            .help("remove `raster`, `cluster` or `heaviest_first`");
        return;
    }
    if (kernel.persistent && weighted.size() == 1) {
        weighted[0].dealt = true;
        kernel.grid = std::move(weighted);
        kernel.grid.insert(kernel.grid.end(), free.begin(), free.end());
    } else {
        kernel.grid = std::move(free);
        kernel.grid.insert(kernel.grid.end(), weighted.begin(), weighted.end());
    }
}

}  // namespace

void order_grid_axes(PassContext& context, Module& module) {
    for (Kernel& kernel : module.kernels) {
        if (kernel.weight) order(context, kernel);
    }
}

}  // namespace tkc::lowering
