// Facts about tensors of integers in `requires`, which no launch can look at: they are taken for
// granted, and checked where an element is read, in the emulator and in debug builds.
#include <fmt/format.h>

#include "frontend/check_kernel.h"
#include "ir/walk.h"

namespace tkc::checker {

// within(t, lo, hi): lo <= t[..] < hi.
void KernelChecker::check_within(const ast::Call& call, Span span) {
    if (!check_arguments(call, "within", 3, span)) return;
    const Operand tensor = check_value(*call.args[0].value);
    const ir::Scalar least = check_control(*call.args[1].value, "a bound of `within`");
    const ir::Scalar end = check_control(*call.args[2].value, "a bound of `within`");
    if (is_poison(tensor) || !least || !end) return;
    const auto* name = std::get_if<TensorName>(&tensor);
    const ir::Tensor* found = name == nullptr ? nullptr : ir::find_tensor(kernel_, name->name);
    if (found == nullptr || !is_integer(found->dtype) || found->mode != ir::Mode::in) {
        error(call.args[0].value->span, msg::operand_kind, "`within`",
              "a tensor of integers that the kernel reads", describe(tensor));
        return;
    }
    for (const auto& [bound, at] : {std::pair(least, 1), std::pair(end, 2)}) {
        if (is_known_at_launch(bound)) continue;
        error(call.args[static_cast<std::size_t>(at)].value->span, msg::not_known_at_launch,
              "a bound of `within`", ir::to_string(bound));
        return;
    }
    element_bounds_[found->name].push_back({least, end, text(span)});
}

// The elements of bounded tensors that the expression reads, as conditions.
void KernelChecker::add_element_checks(const ir::Scalar& s, Span span, ir::Block& out) const {
    if (!s) return;
    ir::visit_nodes(s, [&](const ir::ScalarNode& n) {
        const auto* load = std::get_if<ir::ElementLoad>(&n.node);
        const auto bounds =
            load == nullptr ? element_bounds_.end() : element_bounds_.find(load->tensor);
        if (bounds == element_bounds_.end()) return;
        const ir::Scalar element =
            ir::element_load(load->tensor, load->position, load->zero_outside, n.dtype);
        for (const ElementBounds& b : bounds->second) {
            const ir::Scalar holds =
                ir::call(Function::logical_and,
                         {ir::call(Function::le, {b.least, element}), ir::less(element, b.end)});
            out.push_back(ir::at(span, ir::Assert{holds, {}, b.text}));
        }
    });
}

// The first role checks what the kernel's `let`s read, for all of them.
void KernelChecker::check_elements_read() {
    if (element_bounds_.empty() && facts_read_.empty()) return;
    for (ir::Role& role : kernel_.roles) {
        ir::rebuild(role.body, [&](ir::Op op, ir::Block& out) {
            const auto check = [&](const ir::Op& read) {
                ir::for_each_scalar(
                    read, [&](const ir::Scalar& s) { add_element_checks(s, read.span, out); });
            };
            // Slices that a `produce` reads are looked at before it.
            if (ir::as<ir::Produce>(op) != nullptr) {
                ir::for_each_block(op, [&](const ir::Block& body) {
                    for (const ir::Op& inner : body) check(inner);
                });
            } else if (ir::as<ir::Fill>(op) == nullptr && ir::as<ir::Assert>(op) == nullptr) {
                check(op);
            }
            out.push_back(std::move(op));
        });
    }
    if (kernel_.roles.empty()) return;
    ir::Block first;
    for (const auto& [holds, span] : facts_read_)
        first.push_back(ir::at(span, ir::Assert{holds, {}, text(span)}));
    for (const ir::Op& op : kernel_.lets) {
        if (const auto* let = ir::as<ir::Let>(op)) add_element_checks(let->value, op.span, first);
    }
    ir::Block& body = kernel_.roles.front().body;
    body.insert(body.begin(), std::make_move_iterator(first.begin()),
                std::make_move_iterator(first.end()));
}

}  // namespace tkc::checker
