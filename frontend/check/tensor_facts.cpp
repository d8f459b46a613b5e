// Facts in `trusts`: no launch can look at them, about tensors of integers and about the stores to
// an output: they are taken for granted, and checked in the emulator and in debug builds.
#include <fmt/format.h>

#include <algorithm>

#include "arithmetic/guards.h"
#include "arithmetic/normal_form.h"
#include "facts/value_range.h"
#include "frontend/check/asserted.h"
#include "frontend/check/builder.h"
#include "frontend/check/context.h"
#include "frontend/check/expressions.h"
#include "frontend/check/numbers.h"
#include "frontend/check/requirements.h"
#include "frontend/check/types.h"
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

// What is stated of the elements of the tensor holds at `position`, or there is no element:
// `is_element` is then false, and null where there always is one; or it is not read: `chosen`, the
// condition under which it is, does not hold, and is null where it always is.
void Requirements::add_element_check(const ir::Tensor& tensor,
                                     const std::vector<ir::Scalar>& position,
                                     const ir::Scalar& is_element, const AssertCells& cells,
                                     ir::Block& out, const ir::Scalar& chosen) const {
    const bool outside_is_zero = is_element != nullptr;
    const ir::Scalar element =
        ir::element_load(tensor.name, position, outside_is_zero, tensor.dtype);
    const auto state = [&](const ir::Scalar& holds, const std::string& text) {
        ir::Assert made{holds, {}, text, cells.rows, cells.cols};
        if (is_element) {
            const ir::Scalar none = ir::call(Function::logical_not, {is_element});
            made.condition = ir::call(Function::logical_or, {none, holds});
        }
        if (chosen)
            made.condition = ir::call(Function::logical_or, {ir::opposite(chosen), made.condition});
        out.push_back(ir::at(cells.span, std::move(made)));
    };
    if (const auto found = increasing_.find(tensor.name); found != increasing_.end()) {
        // The next element, or this one where it is the last.
        const ir::Scalar last = ir::sub(tensor.extents[0], ir::integer(1));
        const ir::Scalar next =
            ir::call(Function::min, {ir::add(position[0], ir::integer(1)), last});
        state(ir::call(Function::le, {element, ir::element_load(tensor.name, {next},
                                                                outside_is_zero, tensor.dtype)}),
              found->second);
    }
    const auto bounds = element_bounds_.find(tensor.name);
    if (bounds == element_bounds_.end()) return;
    // Bounds are i32; the element may be narrower, or wider.
    const bool wide = tensor.dtype == Dtype::i64 || tensor.dtype == Dtype::u32;
    const Dtype common = wide ? Dtype::i64 : Dtype::i32;
    for (const ElementBounds& b : bounds->second) {
        state(ir::call(
                  Function::logical_and,
                  {ir::call(Function::le, {ir::cast(common, b.least), ir::cast(common, element)}),
                   ir::less(ir::cast(common, element), ir::cast(common, b.end))}),
              b.text);
    }
}

// The elements of such tensors that the expression reads. `list`: of which it is the positions.
void Requirements::add_element_checks(const ir::Scalar& s, const ir::Range* list, Span span,
                                      ir::Block& out) const {
    if (!s) return;
    ir::Guards guards;
    ir::visit_evaluated(s, guards, [&](const ir::Scalar& node, const ir::Guards& around) {
        const auto* load = std::get_if<ir::ElementLoad>(&node->node);
        if (load == nullptr) return;
        const ir::Tensor& tensor = *ir::find_tensor(builder_.kernel, load->tensor);
        AssertCells cells{span};
        ir::Scalar is_element;
        const auto both = [&](const ir::Scalar& more) { is_element = both_hold(is_element, more); };
        if (list != nullptr && differs_by_cell(s)) {
            cells.rows = list->length;
            cells.cols = 1;
            if (list->edge) both(ir::less(ir::row(), list->edge));
        }
        for (std::size_t axis = 0; axis < load->position.size() && load->zero_outside; ++axis) {
            both(ir::call(Function::ge, {load->position[axis], ir::integer(0)}));
            both(ir::less(load->position[axis], tensor.extents[axis]));
        }
        add_element_check(tensor, load->position, is_element, cells, out, ir::condition_of(around));
    });
}

// The elements that an operation reads: single ones, those of its lists, and those of its tile.
void Requirements::add_element_checks(const ir::Role& role, const std::string& pipeline,
                                      const ir::Op& op, ir::Block& out) const {
    std::map<const ir::Scalar*, const ir::Range*> lists;
    ir::for_each_slice(op, [&](const ir::Slice& slice) {
        for (const ir::Range& r : slice.ranges) {
            if (r.kind == ir::Range::Kind::gather) lists[&r.base] = &r;
        }
    });
    ir::for_each_scalar(op, [&](const ir::Scalar& s) {
        const auto list = lists.find(&s);
        add_element_checks(s, list == lists.end() ? nullptr : list->second, op.span, out);
    });
    const auto read = [&](const ir::Slice& slice, const ir::TileType& tile) {
        const ir::Tensor& tensor = *ir::find_tensor(builder_.kernel, slice.tensor);
        if (!increasing_.contains(tensor.name) && !element_bounds_.contains(tensor.name)) return;
        const CellOfSlice cell = cell_of(slice, tensor, tile);
        add_element_check(tensor, cell.position, cell.is_element, {op.span, tile.rows, tile.cols},
                          out);
    };
    if (const auto* load = ir::as<ir::Load>(op)) read(load->source, role.tile(load->result));
    if (const auto* fill = ir::as<ir::Fill>(op)) {
        const ir::Pipeline& filled = *ir::find_pipeline(builder_.kernel, pipeline);
        for (const ir::PipelineField& field : filled.fields_) {
            if (field.name == fill->field) read(fill->source, field.type);
        }
    }
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
        assert_before_operations(
            role, [&](const ir::Op& op, const std::string& pipeline, ir::Block& out) {
                if (ir::as<ir::Assert>(op) == nullptr) add_element_checks(role, pipeline, op, out);
            });
    }
    if (builder_.kernel.roles.empty()) return;
    ir::Block first;
    for (const FactRead& fact : numbers_.facts_read)
        first.push_back(ir::at(fact.span, ir::Assert{fact.holds, {}, fact.text}));
    for (const ir::Op& op : builder_.kernel.lets) {
        if (const auto* let = ir::as<ir::Let>(op))
            add_element_checks(let->value, nullptr, op.span, first);
    }
    assert_first(builder_.kernel.roles.front(), std::move(first));
}

}  // namespace tkc::checker
