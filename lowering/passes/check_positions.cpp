// In debug builds, reads of single elements are checked: `let last = cu[b + 1]` becomes
// `assert b + 1 >= 0 and b + 1 < cu.extent; let last = cu[b + 1]?`.
//
// Why: that such a position lies inside of its tensor is for the author to know. An access outside
// would end the kernel without a word; this way the launcher says where it was.
#include <fmt/format.h>

#include "ir/walk.h"
#include "lowering/passes.h"

namespace tkc::lowering {

namespace {

using namespace ir;

class Positions {
public:
    explicit Positions(const Kernel& kernel) : kernel_(kernel) {}

    /// `s` with its loads giving zero outside; what they need to be inside goes to `out`.
    Scalar checked(const Scalar& s, Span span, Block& out) const {
        return rewrite(s, [&](const Scalar& node) -> Scalar {
            const auto* load = std::get_if<ElementLoad>(&node->node);
            if (load == nullptr || load->zero_outside) return nullptr;
            const Tensor* tensor = find_tensor(kernel_, load->tensor);
            for (std::size_t axis = 0; axis < load->position.size(); ++axis) {
                const Scalar& at = load->position[axis];
                const Scalar inside =
                    call(Function::logical_and,
                         {call(Function::ge, {at, integer(0)}), less(at, tensor->extents[axis])});
                std::int64_t holds = 0;
                if (is_constant(inside, &holds) && holds != 0) continue;
                out.push_back(
                    ir::at(span, Assert{inside,
                                        {},
                                        fmt::format("position {} of axis {} of `{}` lies inside",
                                                    to_string(at), axis, load->tensor)}));
            }
            return element_load(load->tensor, load->position, true, node->dtype);
        });
    }

private:
    const Kernel& kernel_;
};

void check(const Positions& positions, Role& role) {
    rebuild(role.body, [&](Op op, Block& out) {
        // Positions of cells are not: they differ from cell to cell, and slices give zeros outside.
        if (as<Map>(op) == nullptr) {
            for_each_scalar(op, [&](Scalar& s) { s = positions.checked(s, op.span, out); });
        }
        out.push_back(std::move(op));
    });
}

}  // namespace

void check_positions(PassContext& context, Module& module) {
    if (!context.debug) return;
    for (Kernel& kernel : module.kernels) {
        const Positions positions(kernel);
        for (Role& role : kernel.roles) check(positions, role);
        Block first;  // of the kernel's lets
        for (Op& op : kernel.lets) {
            for_each_scalar(op, [&](Scalar& s) { s = positions.checked(s, op.span, first); });
        }
        if (kernel.roles.empty()) continue;
        Block& body = kernel.roles.front().body;
        body.insert(body.begin(), first.begin(), first.end());
    }
}

}  // namespace tkc::lowering
