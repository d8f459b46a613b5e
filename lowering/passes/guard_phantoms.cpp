// Programs that only fill up the last cluster read no single element outside of a tensor: with
// `grid (m in M by 128) cluster(m = 2)`, `T[m/128]` becomes `T[where(m < M, m/128, 0)]`; with a
// loose end (loosen_ends.cpp), such programs lie along the other axis.
//
// Why: they begin behind the grid's end. Slices give zeros there, and what they store is dropped;
// but a single element is read without a look at the extent.
#include <algorithm>
#include <set>

#include "ir/walk.h"
#include "lowering/passes.h"

namespace tkc::lowering {

namespace {

using namespace ir;

class Guard {
public:
    explicit Guard(const GridAxis& axis) : inside_(less(symbol(axis.var), axis.end)) {
        moving_.insert(axis.var);
    }

    void block(Block& ops) {
        for (Op& op : ops) {
            for_each_scalar(op, [&](Scalar& s) {
                if (s) s = guarded(s);
            });
            if (const auto* let = as<Let>(op)) follow(let->name, {let->value});
            if (const auto* read = as<ReadNumber>(op)) moving_.insert(read->name);
            if (const auto* loop = as<For>(op)) follow(loop->var, {loop->begin, loop->end});
            for_each_block(op, [&](Block& inner) { block(inner); });
        }
    }

private:
    bool moves(const Scalar& s) const {
        const std::set<std::string> names = symbols_of(s);
        return std::any_of(names.begin(), names.end(),
                           [&](const std::string& name) { return moving_.count(name) != 0; });
    }

    // A name that is made from one that moves with the cluster's axis does too.
    void follow(const std::string& name, const std::vector<Scalar>& from) {
        if (std::any_of(from.begin(), from.end(), [&](const Scalar& s) { return moves(s); }))
            moving_.insert(name);
    }

    Scalar guarded(const Scalar& s) const {
        return rewrite(s, [&](const Scalar& node) -> Scalar {
            const auto* load = std::get_if<ElementLoad>(&node->node);
            if (load == nullptr || load->zero_outside) return nullptr;
            std::vector<Scalar> position = load->position;
            for (Scalar& at : position) {
                if (moves(at) && !is_guarded(at))
                    at = call(Function::where, {inside_, at, integer(0, at->dtype)});
            }
            return element_load(load->tensor, std::move(position), false, node->dtype);
        });
    }

    bool is_guarded(const Scalar& at) const {
        const auto* c = std::get_if<Call>(&at->node);
        return c != nullptr && c->function == Function::where && same(c->arguments[0], inside_);
    }

    Scalar inside_;
    std::set<std::string> moving_;
};

}  // namespace

void guard_phantoms(PassContext&, Module& module) {
    for (Kernel& kernel : module.kernels) {
        const auto axis =
            std::find_if(kernel.grid.begin(), kernel.grid.end(),
                         [&](const GridAxis& a) { return steps_behind_end(kernel, a) > 0; });
        if (axis == kernel.grid.end()) continue;
        Guard of_kernel(*axis);
        of_kernel.block(kernel.lets);
        for (Role& role : kernel.roles) {
            Guard guard = of_kernel;
            guard.block(role.body);
        }
    }
}

}  // namespace tkc::lowering
