// Where tiles hold padding, and what it is.
//
// A slice that reaches past the edge of its tensor is filled with zeros. These cells travel with
// the tile: arithmetic maps them, products and reductions take them in or must not, `pad` sets
// them. The analysis follows every tile through a kernel's roles and pipelines, in the tile IR that
// the checker has made, and settles what the checker left open: each `pad` was written as
// `where(col < pad.0, x, v)`, and `pad.0` becomes the place where the padding begins, or the whole
// choice vanishes where there is no padding.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "checks/check.h"
#include "facts/facts.h"
#include "frontend/check/padding_sites.h"
#include "ir/module.h"
#include "tiles/tile_padding.h"

namespace tkc::checks::padding {

using ir::padding::any_of_line, ir::padding::as_cells, ir::padding::elsewhere, ir::padding::of_line;
using ir::padding::as_data, ir::padding::apply, ir::padding::evaluate, ir::padding::join;
using ir::padding::AxisPadding, ir::padding::TilePadding, ir::padding::FillValue;
using ir::padding::begin_of, ir::padding::begin_key, ir::padding::from_begin;
using ir::padding::Cause, ir::padding::Repeats;
using ir::padding::corner_of, ir::padding::lose_edge, ir::padding::neutral_of;
using ir::padding::FillContext, ir::padding::constant_fill, ir::padding::finite_fill;
using ir::padding::Holes, ir::padding::Iterations;
using ir::padding::is_constant, ir::padding::is_number, ir::padding::summed, ir::padding::text;

// ---- elements of pipelines

// The `produce` that makes the element of a `consume`, and the reader's names for the writer's loop
// variables.
struct ProducedBy {
    const ir::Op* produce = nullptr;
    std::map<std::string, ir::Scalar> variables;
};
// Pairs the consumes of `reader` with the produces of `writer` where both walk the pipeline
// through the same loops and conditions; empty where they differ. `bindings`: of the kernel.
std::map<const ir::Op*, ProducedBy> align(const ir::Role& writer, const ir::Role& reader,
                                          const std::string& pipeline,
                                          const ir::Bindings& bindings);
// What the `let`s of a role stand for, over symbols of the kernel and loop variables.
std::map<std::string, ir::Scalar> expanded_lets(const ir::Role& role);

// ---- the analysis

// Says of each load into a pipeline whether it ends with its view (ir::Fill::clipped).
void mark_clipped_loads(ir::Kernel& kernel);

// Reports padding that is taken in, and settles every `pad` of the kernel. False if an error was
// reported. `obligations`, where somebody asks: padding that was shown to change nothing where it
// is taken in.
bool settle(ir::Kernel& kernel, const checker::PaddingSites& sites, Diagnostics& diag,
            std::vector<Obligation>* obligations);

}  // namespace tkc::checks::padding
