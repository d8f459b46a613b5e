// In debug builds every store counts its cells: `store C[m +: 128, n +: 256] acc` becomes
// `store ..; count_writes C[m +: 128, n +: 256]`.
//
// Why: that every element of an output is written, and by one program only, is proved if possible,
// and otherwise listed as undecided. The launcher of a debug build checks the counts.
#include "ir/walk.h"
#include "lowering/passes.h"

namespace tkc::lowering {

namespace {

using namespace ir;

bool is_owned(const Kernel& kernel, const std::string& name) {
    const Tensor* tensor = find_tensor(kernel, name);
    return tensor != nullptr && (tensor->mode == Mode::out || tensor->mode == Mode::inout);
}

}  // namespace

void count_writes(PassContext& context, Module& module) {
    if (!context.debug) return;
    for (Kernel& kernel : module.kernels) {
        for (Role& role : kernel.roles) {
            rebuild(role.body, [&](Op op, Block& out) {
                const auto* store = as<Store>(op);
                if (store == nullptr || !is_owned(kernel, store->target.tensor)) {
                    out.push_back(std::move(op));
                    return;
                }
                const Span span = op.span;
                CountWrites count{store->target};
                out.push_back(std::move(op));
                out.push_back(at(span, std::move(count)));
            });
        }
    }
}

}  // namespace tkc::lowering
