// Equations among asserts.
#include "compiler/stated_elements.h"

#include <algorithm>

#include "ir/walk.h"

namespace tkc {

std::vector<StatedElement> stated_elements(const ir::Kernel& kernel) {
    std::vector<StatedElement> made;
    const auto see = [&](const ir::Scalar& element, const ir::Scalar& value) {
        const auto* load = std::get_if<ir::ElementLoad>(&element->node);
        if (load == nullptr || load->position.size() != 1) return;
        const auto tensor =
            std::find_if(kernel.tensors.begin(), kernel.tensors.end(),
                         [&](const ir::Tensor& t) { return t.name == load->tensor; });
        if (tensor == kernel.tensors.end() || !is_integer(tensor->dtype)) return;
        made.push_back({load->tensor, load->position[0], value});
    };
    for (const ir::Role& role : kernel.roles) {
        ir::walk_only<ir::Assert>(role.body, [&](const ir::Assert& op) {
            const auto* call = op.condition ? std::get_if<ir::Call>(&op.condition->node) : nullptr;
            if (call == nullptr || call->function != Function::eq) return;
            see(call->arguments[0], call->arguments[1]);
            see(call->arguments[1], call->arguments[0]);
        });
    }
    return made;
}

}  // namespace tkc
