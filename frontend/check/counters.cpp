// `signal` and `await`: elements of counters, and how often they are to have been counted up.
#include <fmt/format.h>

#include "frontend/check/builder.h"
#include "frontend/check/calls.h"
#include "frontend/check/context.h"
#include "frontend/check/expressions.h"
#include "frontend/check/types.h"

namespace tkc::checker {

namespace {

// As in `done[i]`, with an index for each axis.
std::string example_of(const ir::Counter& counter) {
    std::string text = counter.name + "[";
    for (std::size_t axis = 0; axis < counter.extents.size(); ++axis)
        text += axis == 0 ? "i" : fmt::format(", {}", static_cast<char>('i' + axis));
    return text + "]";
}

}  // namespace

Operand Calls::check_counting(Operation operation, const ast::Call& call, Span span) {
    const bool waits = operation == Operation::await;
    if (!context_.check_arguments(call, name(operation), waits ? 2 : 1, span)) return Poison{};
    const ast::Expr& element = *call.args[0].value;
    const std::string place = fmt::format("`{}`", name(operation));
    const auto* index = std::get_if<ast::Index>(&element.node);
    const Operand base = expressions_.check_value(index != nullptr ? *index->base : element);
    if (is_poison(base)) return Poison{};
    const auto* named = std::get_if<CounterName>(&base);
    if (named == nullptr) {
        context_
            .error(element.span, msg::operand_kind, place, "an element of a counter",
                   describe(base))
            .help("counters are parameters of the kernel: `counter done[n]`");
        return Poison{};
    }
    const ir::Counter& counter = *ir::find_counter(builder_.kernel, named->name);
    const std::size_t given = index == nullptr ? 0 : index->subscripts.size();
    if (given != counter.extents.size()) {
        context_
            .error(
                element.span, msg::operand_kind, place,
                fmt::format("one element of `{}`, which has {} {}", counter.name,
                            counter.extents.size(), counter.extents.size() == 1 ? "axis" : "axes"),
                fmt::format("{} indices", given))
            .label(counter.span, "declared here")
            .help("write `{}({}{})`", name(operation), example_of(counter), waits ? ", n" : "");
        return Poison{};
    }
    std::vector<ir::Scalar> at;
    for (const ast::Subscript& sub : index->subscripts) {
        const auto* position = std::get_if<ast::Position>(&sub.node);
        if (position == nullptr) {
            context_
                .error(sub.span, msg::operand_kind, place, "one element of a counter",
                       context_.quoted(sub.span))
                .help("write `{}({}{})`", name(operation), example_of(counter), waits ? ", n" : "");
            return Poison{};
        }
        at.push_back(types_.check_control(*position->value, "the index into a counter"));
    }
    ir::Scalar count = ir::integer(0);
    if (waits)
        count = types_.check_control(*call.args[1].value, "the count that `await` waits for");
    if (!count || std::find(at.begin(), at.end(), nullptr) != at.end()) return Poison{};
    if (waits) builder_.emit(ir::Await{counter.name, std::move(at), count});
    else builder_.emit(ir::Signal{counter.name, std::move(at)});
    return Nothing{};
}

}  // namespace tkc::checker
