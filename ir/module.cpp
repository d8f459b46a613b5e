// What kernels are compiled for.
#include "ir/module.h"

namespace tkc::ir {

const Target& target_of(const Kernel& kernel) {
    const Target* const target = find_target(kernel.target);
    return target != nullptr ? *target : default_target();  // the verifier refuses others
}

}  // namespace tkc::ir
