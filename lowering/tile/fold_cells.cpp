// Removes tiles that do not affect the value of a cell: `x*0` becomes 0, and `where(true, x, y)`
// becomes x.
//
// Why: until padding is checked, `x*0` is a tile that ends where x does, so the builders of
// expressions keep x in it (arithmetic/scalar.cpp). From here on only values count. It is the first
// pass, since the result decides which operations are fused into multiply-adds.
#include "ir/walk.h"
#include "lowering/passes.h"

namespace tkc::lowering {

void fold_cells(PassContext&, ir::Module& module) {
    for (ir::Kernel& kernel : module.kernels) {
        for (ir::Role& role : kernel.roles) {
            ir::rewrite_scalars(role.body, [](const ir::Scalar& s) { return ir::simplified(s); });
        }
    }
}

}  // namespace tkc::lowering
