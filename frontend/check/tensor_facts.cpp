// Facts in `trusts`: no launch can look at them, about tensors of integers and about the stores to
// an output: they are taken for granted, and checked in the emulator and in debug builds.
#include <fmt/format.h>

#include <algorithm>

#include "frontend/check/builder.h"
#include "frontend/check/context.h"
#include "frontend/check/expressions.h"
#include "frontend/check/numbers.h"
#include "frontend/check/requirements.h"
#include "frontend/check/types.h"
#include "ir/normal_form.h"
#include "ir/value_range.h"
#include "ir/walk.h"

namespace tkc::checker {

const ir::Tensor* Requirements::check_index_tensor(const ast::Expr& argument,
                                                   std::string_view fact) {
    const Operand tensor = expressions_.check_value(argument);
    if (is_poison(tensor)) return nullptr;
    const auto* name = std::get_if<TensorName>(&tensor);
    const ir::Tensor* found =
        name == nullptr ? nullptr : ir::find_tensor(builder_.kernel, name->name);
    if (found != nullptr && is_integer(found->dtype) && found->mode == ir::Mode::in) return found;
    context_.error(argument.span, msg::operand_kind, fmt::format("`{}`", fact),
                   "a tensor of integers that the kernel reads", describe(tensor));
    return nullptr;
}

// increasing(t): t[i] <= t[i + 1].
void Requirements::check_increasing(const ast::Call& call, Span span) {
    if (!context_.check_arguments(call, "increasing", 1, span)) return;
    const ast::Expr& argument = *call.args[0].value;
    const ir::Tensor* tensor = check_index_tensor(argument, "increasing");
    if (tensor == nullptr) return;
    if (tensor->extents.size() != 1) {
        context_.error(argument.span, msg::operand_kind, "`increasing`", "a tensor of one axis",
                       fmt::format("one of {}", tensor->extents.size()));
        return;
    }
    increasing_[tensor->name] = context_.text(span);
    trust(span);
}

// What the proofs take for granted, for `tkc explain` and `tkc check --strict`.
void Requirements::trust(Span fact) {
    builder_.kernel.trusted.push_back({context_.text(fact), "", fact});
}

// covers(C), disjoint(C): what the stores to an output do together. reads_own(X): a program reads
// of X what it alone writes.
void Requirements::check_output_fact(const ast::Call& call, Operation operation, Span span) {
    const std::string word(name(operation));
    const bool reads = operation == Operation::reads_own;
    if (call.args.size() > 1 && !reads) {
        context_.not_yet(span, NotYet::facts);
        return;
    }
    if (!context_.check_arguments(call, word, 1, span)) return;
    const Operand operand = expressions_.check_value(*call.args[0].value);
    if (is_poison(operand)) return;
    const auto* named = std::get_if<TensorName>(&operand);
    const ir::Tensor* tensor =
        named == nullptr ? nullptr : ir::find_tensor(builder_.kernel, named->name);
    const bool suits = tensor != nullptr && tensor->mode != ir::Mode::in &&
                       !(reads && tensor->mode == ir::Mode::out);
    if (!suits) {
        context_.error(
            call.args[0].value->span, msg::operand_kind, fmt::format("`{}`", word),
            reads ? "a tensor that the kernel reads and writes" : "a tensor that the kernel writes",
            describe(operand));
        return;
    }
    builder_.kernel.trusted.push_back({word, tensor->name, span});
}

// within(t, lo, hi): lo <= t[..] < hi.
void Requirements::check_within(const ast::Call& call, Span span) {
    if (!context_.check_arguments(call, "within", 3, span)) return;
    const ir::Tensor* tensor = check_index_tensor(*call.args[0].value, "within");
    const ir::Scalar least = types_.check_control(*call.args[1].value, "a bound of `within`");
    const ir::Scalar end = types_.check_control(*call.args[2].value, "a bound of `within`");
    if (tensor == nullptr || !least || !end) return;
    for (const auto& [bound, at] : {std::pair(least, 1), std::pair(end, 2)}) {
        if (numbers_.is_known_at_launch(bound)) continue;
        context_.error(call.args[static_cast<std::size_t>(at)].value->span,
                       msg::not_known_at_launch, "a bound of `within`", ir::to_string(bound));
        return;
    }
    element_bounds_[tensor->name].push_back({least, end, context_.text(span)});
    builder_.kernel.trusted.push_back(ir::element_range({tensor->name, least, end}, span));
    trust(span);
}

namespace {

// Whether the element is one of a list of positions, of which there is one a cell. No proof goes by
// its bounds: the slice leaves out what lies outside.
bool of_a_list(const ir::ElementLoad& load) {
    bool found = false;
    for (const ir::Scalar& at : load.position) {
        ir::visit_nodes(at, [&](const ir::ScalarNode& n) {
            found = found || std::holds_alternative<ir::Row>(n.node);
        });
    }
    return found;
}

}  // namespace

// The elements of bounded tensors that the expression reads, as conditions.
void Requirements::add_element_checks(const ir::Scalar& s, Span span, ir::Block& out) const {
    if (!s) return;
    ir::visit_nodes(s, [&](const ir::ScalarNode& n) {
        const auto* load = std::get_if<ir::ElementLoad>(&n.node);
        if (load == nullptr || of_a_list(*load)) return;
        const ir::Scalar element =
            ir::element_load(load->tensor, load->position, load->zero_outside, n.dtype);
        if (const auto found = increasing_.find(load->tensor); found != increasing_.end()) {
            // The next element, or this one where it is the last.
            const ir::Scalar last =
                ir::sub(ir::find_tensor(builder_.kernel, load->tensor)->extents[0], ir::integer(1));
            const ir::Scalar next =
                ir::call(Function::min, {ir::add(load->position[0], ir::integer(1)), last});
            const ir::Scalar rises = ir::call(
                Function::le,
                {element, ir::element_load(load->tensor, {next}, load->zero_outside, n.dtype)});
            out.push_back(ir::at(span, ir::Assert{rises, {}, found->second}));
        }
        const auto bounds = element_bounds_.find(load->tensor);
        if (bounds == element_bounds_.end()) return;
        // Bounds are i32; the element may be narrower, or wider.
        const bool wide = n.dtype == Dtype::i64 || n.dtype == Dtype::u32;
        const Dtype common = wide ? Dtype::i64 : Dtype::i32;
        const auto as_common = [&](const ir::Scalar& x) {
            return x->dtype == common ? x : ir::cast(common, x);
        };
        for (const ElementBounds& b : bounds->second) {
            const ir::Scalar holds =
                ir::call(Function::logical_and,
                         {ir::call(Function::le, {as_common(b.least), as_common(element)}),
                          ir::less(as_common(element), as_common(b.end))});
            out.push_back(ir::at(span, ir::Assert{holds, {}, b.text}));
        }
    });
}

namespace {

// `t[at] == x`, either way round: x.
ir::Scalar stated_element(const ir::Scalar& holds, const std::string& tensor,
                          const ir::NormalForm& at) {
    const auto* equal = std::get_if<ir::Call>(&holds->node);
    if (equal == nullptr || equal->function != Function::eq) return nullptr;
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
        const auto* load = std::get_if<ir::ElementLoad>(&equal->arguments[side]->node);
        if (load == nullptr || load->tensor != tensor || load->position.size() != 1) continue;
        if (ir::normal_form(load->position[0]) == at) return equal->arguments[1 - side];
    }
    return nullptr;
}

}  // namespace

// The first role checks what the kernel's `let`s read, for all of them.
void Requirements::check_elements_read() {
    // Elements that rise lie between the first and the last, where both are stated.
    for (const auto& [name, words] : increasing_) {
        const ir::Scalar extent = ir::find_tensor(builder_.kernel, name)->extents[0];
        ir::Scalar first;
        ir::Scalar last;
        for (const FactRead& fact : numbers_.facts_read) {
            if (const ir::Scalar x = stated_element(fact.holds, name, ir::NormalForm(0))) first = x;
            const ir::NormalForm end = ir::normal_form(extent) - ir::NormalForm(1);
            if (const ir::Scalar x = stated_element(fact.holds, name, end)) last = x;
        }
        if (!first || !last || !numbers_.is_known_at_launch(first) ||
            !numbers_.is_known_at_launch(last))
            continue;
        const ir::Scalar end = ir::add(last, ir::integer(1));
        builder_.kernel.trusted.push_back(
            ir::element_range({name, first, end}, builder_.kernel.span));
    }
    if (element_bounds_.empty() && increasing_.empty() && numbers_.facts_read.empty()) return;
    for (ir::Role& role : builder_.kernel.roles) {
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
    if (builder_.kernel.roles.empty()) return;
    ir::Block first;
    for (const FactRead& fact : numbers_.facts_read)
        first.push_back(ir::at(fact.span, ir::Assert{fact.holds, {}, fact.text}));
    for (const ir::Op& op : builder_.kernel.lets) {
        if (const auto* let = ir::as<ir::Let>(op)) add_element_checks(let->value, op.span, first);
    }
    std::set<std::string> seen;  // an element that is read often is checked once
    std::erase_if(first, [&](const ir::Op& op) {
        return !seen.insert(ir::to_string(ir::as<ir::Assert>(op)->condition)).second;
    });
    ir::Block& body = builder_.kernel.roles.front().body;
    body.insert(body.begin(), std::make_move_iterator(first.begin()),
                std::make_move_iterator(first.end()));
}

}  // namespace tkc::checker
