// Does not pad rows of programs that fill no cluster with programs outside the grid:
//
//     grid m end=M step=128 cluster=2        becomes        grid m .. cluster=2 partial_cluster
//     grid n end=N step=256                                 grid n ..
//
// Why: with 9 rows of tiles, pairs along them would need a tenth, in which nothing is computed. The
// programs of the last row form clusters along the other axis instead, in which each loads for
// itself, so that at most one cluster is not full. A `multicast` slice is still the same for
// programs that are neighbors along `m`; the number of the program decides which clusters share.
//
// Only if all programs of the grid consume the same elements of pipelines equally often: a cluster
// of neighbors along the other axis must agree on that, too. The counts may depend on extents and
// parameters, but on nothing that differs between programs. And only if the programs past the last
// column access nothing: their loads and stores begin at single positions that depend on no grid
// variable and on no element of a tensor, since they read the element of another program.
#include <algorithm>
#include <set>
#include <string>

#include "facts/elements_taken.h"
#include "ir/walk.h"
#include "lowering/passes.h"

namespace tkc::lowering {

namespace {

using namespace ir;

class AllAlike {
public:
    explicit AllAlike(const Kernel& kernel) {
        for (const GridAxis& axis : kernel.grid) differ_.insert(axis.var);
        add_names(kernel.lets);
        for (const Role& role : kernel.roles) add_names(role.body);
    }

    // Whether positions past the last column stay there.
    bool stays_outside(const Block& ops) const {
        bool stays = true;
        walk(ops, [&](const Op& op) {
            for_each_slice(op, [&](const Slice& slice) {
                for (const Range& range : slice.ranges) {
                    if (!range.base) continue;
                    const bool single = range.kind == Range::Kind::index && !alike(range.base);
                    stays =
                        stays && !single && range.kind != Range::Kind::gather && !reads(range.base);
                }
            });
        });
        return stays;
    }

    // Whether what decides how often elements move is the same in all programs.
    bool block(const Block& ops) const {
        return std::all_of(ops.begin(), ops.end(), [&](const Op& op) {
            bool inside = true;
            bool moves = false;
            for_each_block(op, [&](const Block& inner) {
                moves = moves || moves_elements(inner);
                inside = inside && block(inner);
            });
            if (const auto* loop = as<For>(op))
                return inside && (!moves || (alike(loop->begin) && alike(loop->end)));
            if (const auto* branch = as<If>(op))
                return inside && (!moves || alike(branch->condition));
            return inside;
        });
    }

private:
    // Names that may hold different numbers in different programs, and those made of elements.
    void add_names(const Block& block) {
        walk(block, [&](const Op& op) {
            if (const auto* let = as<Let>(op)) {
                differ_.insert(let->name);
                if (reads(let->value)) read_.insert(let->name);
            } else if (const auto* loop = as<For>(op)) {
                if (!alike(loop->begin) || !alike(loop->end)) differ_.insert(loop->var);
                if (reads(loop->begin) || reads(loop->end)) read_.insert(loop->var);
            } else if (const auto* number = as<ReadNumber>(op)) {
                differ_.insert(number->name);
                read_.insert(number->name);
            }
        });
    }

    bool reads(const Scalar& s) const {
        bool found = false;
        visit_nodes(s, [&](const ScalarNode& node) {
            const auto* symbol = std::get_if<Symbol>(&node.node);
            found = found || std::holds_alternative<ElementLoad>(node.node) ||
                    (symbol != nullptr && read_.count(symbol->name) != 0);
        });
        return found;
    }

    bool alike(const Scalar& s) const {
        const std::set<std::string> names = symbols_of(s);
        return std::none_of(names.begin(), names.end(),
                            [&](const std::string& name) { return differ_.count(name) != 0; });
    }

    std::set<std::string> differ_;
    std::set<std::string> read_;
};

bool may_be_loose(const Kernel& kernel) {
    const auto plain = [](const GridAxis& axis) { return !axis.reversed && !axis.dealt; };
    const AllAlike alike(kernel);
    return cluster_axis(kernel) != nullptr && kernel.grid.size() == 2 && !kernel.dynamic &&
           std::all_of(kernel.grid.begin(), kernel.grid.end(), plain) &&
           std::all_of(kernel.roles.begin(), kernel.roles.end(), [&](const Role& role) {
               return alike.block(role.body) && alike.stays_outside(role.body);
           });
}

}  // namespace

void peel_partial_clusters(PassContext&, Module& module) {
    for (Kernel& kernel : module.kernels) {
        if (!may_be_loose(kernel)) continue;
        for (GridAxis& axis : kernel.grid) axis.partial_cluster = axis.cluster > 1;
    }
}

}  // namespace tkc::lowering
