// Writes fused multiply-adds where the hardware would: `a*b + c` becomes `fma(a, b, c)` in f32
// cells.
//
// nvcc runs with -fmad=false, so the IR decides what is fused, and not the version of a compiler.
// Only fold-cells comes before, and both back ends, emission and emulator, execute the result:
// which products are fused depends on the expression as written (a `let` ends it), and not on what
// later passes fuse.
#include "ir/walk.h"
#include "lowering/passes.h"

namespace tkc::lowering {

namespace {

using namespace ir;

const Call* as_call(const Scalar& s, Function f) {
    const auto* c = std::get_if<Call>(&s->node);
    return c != nullptr && c->function == f ? c : nullptr;
}

Scalar negated(const Scalar& s) { return call(Function::neg, {s}); }

Scalar contract(const Scalar& s) {
    if (s->dtype != Dtype::f32) return nullptr;
    if (const Call* sum = as_call(s, Function::add)) {
        const Scalar& left = sum->arguments[0];
        const Scalar& right = sum->arguments[1];
        if (const Call* p = as_call(left, Function::mul)) {
            return call(Function::fma, {p->arguments[0], p->arguments[1], right});
        }
        if (const Call* p = as_call(right, Function::mul)) {
            return call(Function::fma, {p->arguments[0], p->arguments[1], left});
        }
    }
    if (const Call* difference = as_call(s, Function::sub)) {
        const Scalar& left = difference->arguments[0];
        const Scalar& right = difference->arguments[1];
        if (const Call* p = as_call(left, Function::mul)) {
            return call(Function::fma, {p->arguments[0], p->arguments[1], negated(right)});
        }
        if (const Call* p = as_call(right, Function::mul)) {
            return call(Function::fma, {negated(p->arguments[0]), p->arguments[1], left});
        }
    }
    return nullptr;
}

}  // namespace

void contract_fma(PassContext&, Module& module) {
    for (Kernel& kernel : module.kernels) {
        for (Role& role : kernel.roles) {
            rewrite_scalars(role.body, [](const Scalar& s) { return rewrite(s, contract); });
        }
    }
}

}  // namespace tkc::lowering
