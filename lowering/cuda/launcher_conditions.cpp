// Conditions of contracts as kinds that the runtime knows. A condition is of a kind if both what it
// holds and its sentence are what the runtime would say; any other is written out.
#include "lowering/cuda/launcher_conditions.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/contract.h"
#include "lowering/cuda/host_expression.h"
#include "lowering/cuda/names.h"
#include "lowering/cuda/print.h"

namespace tkc::cuda {

namespace {

using Fn = tkc::Function;  // this namespace has functions of its own
using ir::Scalar;

Scalar equal(Scalar a, Scalar b) { return ir::call(Fn::eq, {std::move(a), std::move(b)}); }

// The condition as the runtime would have it.
struct Known {
    Scalar holds;
    std::string text;
};

bool is(const ir::Condition& c, const Known& known) {
    return c.text == known.text && ir::same(c.holds, known.holds);
}

Expr tensor_name(const std::string& name) { return atom(host_name(name)); }
Expr number(std::size_t n) { return literal(static_cast<std::int64_t>(n)); }

// The programs of a grid and what they must be less than; null if the condition is another one.
std::pair<Scalar, std::int64_t> grid_of(const ir::Condition& condition) {
    const auto* holds = std::get_if<ir::Call>(&condition.holds->node);
    std::int64_t end = 0;
    if (holds == nullptr || holds->function != Fn::lt ||
        !ir::is_constant(holds->arguments[1], &end))
        return {};
    const std::string text = fmt::format("the grid has {} programs; it must have less than {}",
                                         ir::hole(holds->arguments[0]), end);
    if (condition.text != text) return {};
    return {holds->arguments[0], end};
}

// `tk::check(holds, "sentence", {values})`; null if the host cannot tell.
Expr plain_condition(const ir::Signature& called, const ir::Condition& condition, bool told) {
    const Expr holds = host_expression(called, condition.holds);
    if (!holds) return nullptr;
    if (!told) return call("tk::check", {holds});
    const ir::MessageText parts = ir::sentence(condition);
    std::string text = parts.text.front();
    std::vector<Expr> values;
    for (std::size_t i = 0; i < parts.values.size(); ++i) {
        const Expr value = host_expression(called, parts.values[i]);
        if (value) values.push_back(value);
        text += (value ? "{}" : "?") + parts.text[i + 1];
    }
    std::vector<Expr> arguments = {holds, quoted(text)};
    if (!values.empty()) arguments.push_back(expr(Braced{"", values}));
    return call("tk::check", arguments);
}

// Takes conditions from the front of what is left of the list.
class Conversion {
public:
    Conversion(const ir::Signature& called, const Conditions& list, bool told)
        : called_(called), list_(list), reported_(told), bound_(ir::bindings(called)) {}

    std::vector<Expr> run() {
        std::vector<Expr> result;
        while (at_ < list_.size()) {
            Expr next = extents();
            if (!next) next = tensor_axis();
            if (!next) next = map();
            if (!next) next = row_length();
            if (!next) next = grid();
            if (!next) next = fits();
            if (!next) next = plain_condition(called_, *list_[at_++], reported_);
            if (next) result.push_back(next);
        }
        return result;
    }

private:
    const ir::Condition& front() const { return *list_[at_]; }
    bool take(const Known& known) {
        if (at_ == list_.size() || !is(front(), known)) return false;
        ++at_;
        return true;
    }

    // Extents below the limit, one after the other.
    Expr extents() {
        std::vector<Expr> names;
        for (bool found = true; found;) {
            found = false;
            for (const ir::Binding& b : bound_) {
                const Scalar extent = ir::symbol(b.name);
                const Known known{ir::less(extent, ir::integer(ir::extent_limit)),
                                  fmt::format("`{}` is {}; extents must be less than {}", b.name,
                                              ir::hole(extent), ir::extent_limit)};
                if (!take(known)) continue;
                names.push_back(
                    expr(Braced{"", {quoted(b.name), host_expression(called_, extent)}}));
                found = true;
            }
        }
        return names.empty() ? nullptr : call("tk::extents_fit", {expr(Braced{"", names})});
    }

    // An axis that is a constant, or as long as another one.
    Expr tensor_axis() {
        for (const ir::Tensor& t : called_.tensors) {
            for (std::size_t axis = 0; axis < t.extents.size(); ++axis) {
                if (const Expr found = fixed_extent(t, axis)) return found;
                if (const Expr found = same_extent(t, axis)) return found;
            }
        }
        return nullptr;
    }

    Expr fixed_extent(const ir::Tensor& t, std::size_t axis) {
        std::int64_t wanted = 0;
        const Scalar extent = t.extents[axis];
        if (!ir::is_constant(ir::with_constants(called_, extent), &wanted)) return nullptr;
        const Scalar given = ir::shape_of(t.name, axis);
        const auto* name = std::get_if<ir::Symbol>(&extent->node);
        const std::string words =
            name != nullptr ? fmt::format("`{}` = {}", name->name, wanted) : std::to_string(wanted);
        const Known known{equal(given, ir::integer(wanted)),
                          fmt::format("axis {} of `{}` is {}; this kernel is made for {}", axis,
                                      t.name, ir::hole(given), words)};
        if (!take(known)) return nullptr;
        std::vector<Expr> arguments{tensor_name(t.name), number(axis), literal(wanted)};
        if (name != nullptr) arguments.push_back(quoted(name->name));
        return call("tk::fixed_extent", arguments);
    }

    Expr same_extent(const ir::Tensor& t, std::size_t axis) {
        const auto* name = std::get_if<ir::Symbol>(&t.extents[axis]->node);
        if (name == nullptr) return nullptr;
        const Scalar given = ir::shape_of(t.name, axis);
        for (const ir::Binding& b : bound_) {
            if (b.name != name->name || b.offset != 0) continue;
            const Scalar extent = ir::symbol(b.name);
            const Known known{
                equal(given, extent),
                fmt::format("`{}` is {} in axis {} of `{}`, but {} in axis {} of `{}`", b.name,
                            ir::hole(extent), b.axis, b.tensor, ir::hole(given), axis, t.name)};
            if (!take(known)) continue;
            return call("tk::same_extent", {quoted(b.name), tensor_name(b.tensor), number(b.axis),
                                            tensor_name(t.name), number(axis)});
        }
        return nullptr;
    }

    // What a tensor map asks of a tensor: all of it, in the runtime's order.
    Expr map() {
        struct Who {
            const char* function;
            const char* words;
            const char* instead;
        };
        for (const Who& who : {Who{"tk::suits_fast", "the fast kernel", ""},
                               Who{"tk::suits_tma_load", "`tma_load`", ", or use `load`"},
                               Who{"tk::suits_tma_store", "`tma_store`", ", or use `store`"}}) {
            for (const ir::Tensor& t : called_.tensors) {
                if (t.extents.empty() || !take_map(t, who.words, who.instead)) continue;
                const auto* name = std::get_if<ir::Symbol>(&t.extents.back()->node);
                std::vector<Expr> arguments{tensor_name(t.name)};
                if (name != nullptr) arguments.push_back(quoted(name->name));
                return call(who.function, arguments);
            }
        }
        return nullptr;
    }

    bool take_map(const ir::Tensor& t, const std::string& who, const std::string& instead) {
        const std::size_t before = at_;
        bool all = take(dense_rows(t, who, instead)) && take(aligned(t, who, instead));
        for (std::size_t axis = t.extents.size() - 1; all && axis-- > 0;)
            all = take(map_stride(t, axis, who, instead));
        if (!all) at_ = before;
        return all;
    }

    static Known dense_rows(const ir::Tensor& t, const std::string& who,
                            const std::string& instead) {
        const Scalar inner = ir::stride_of(t.name, t.extents.size() - 1);
        return {equal(inner, ir::integer(1)),
                fmt::format("neighbours in a row of `{}` are {} elements apart; {} needs 1: pass a "
                            "copy with dense rows{}",
                            t.name, ir::hole(inner), who, instead)};
    }

    static Known aligned(const ir::Tensor& t, const std::string& who, const std::string& instead) {
        const Scalar rest =
            ir::call(Fn::mod, {ir::address_of(t.name), ir::integer(ir::map_alignment)});
        return {equal(rest, ir::integer(0)),
                fmt::format("`{}` begins {} bytes past a multiple of {}; {} needs a multiple: pass "
                            "a copy{}",
                            t.name, ir::hole(rest), ir::map_alignment, who, instead)};
    }

    static Known map_stride(const ir::Tensor& t, std::size_t axis, const std::string& who,
                            const std::string& instead) {
        const std::int64_t size = bytes(t.dtype);
        const std::int64_t elements = ir::map_alignment / size;
        const Scalar stride = ir::stride_of(t.name, axis);
        const std::string apart = ir::hole(ir::mul(stride, ir::integer(size)));
        const auto both = [](Scalar a, Scalar b) {
            return ir::call(Fn::logical_and, {std::move(a), std::move(b)});
        };
        const Scalar multiple =
            equal(ir::call(Fn::mod, {stride, ir::integer(elements)}), ir::integer(0));
        const auto* name = std::get_if<ir::Symbol>(&t.extents.back()->node);
        const std::string advice =
            name != nullptr ? fmt::format("pad `{}` to a multiple of {}", name->name, elements)
                            : fmt::format("pad its rows to a multiple of {} elements", elements);
        const std::string found =
            axis + 2 == t.extents.size()
                ? fmt::format("the rows of `{}` start {} bytes apart", t.name, apart)
                : fmt::format("neighbours along axis {} of `{}` are {} bytes apart", axis, t.name,
                              apart);
        return {both(both(multiple, ir::less(ir::integer(0), stride)),
                     ir::less(stride, ir::integer(ir::map_stride_limit / size))),
                fmt::format("{}; {} needs a positive multiple of {}: {}{}", found, who,
                            ir::map_alignment, advice, instead)};
    }

    // Rows of whole vectors, for the fast one of two kernels.
    Expr row_length() {
        const ir::Condition& c = front();
        const auto* holds = std::get_if<ir::Call>(&c.holds->node);
        if (holds == nullptr || holds->function != Fn::eq) return nullptr;
        const auto* rest = std::get_if<ir::Call>(&holds->arguments[0]->node);
        std::int64_t vector = 0;
        if (rest == nullptr || rest->function != Fn::mod ||
            !ir::is_constant(rest->arguments[1], &vector))
            return nullptr;
        for (const ir::Tensor& t : called_.tensors) {
            if (t.extents.empty()) continue;
            const auto* name = std::get_if<ir::Symbol>(&t.extents.back()->node);
            const bool bound = name != nullptr &&
                               std::any_of(bound_.begin(), bound_.end(), [&](const ir::Binding& b) {
                                   return b.name == name->name && b.offset == 0;
                               });
            if (!bound) continue;
            const Scalar extent = t.extents.back();
            const Scalar remainder = ir::call(Fn::mod, {extent, ir::integer(vector)});
            const Known known{
                equal(remainder, ir::integer(0)),
                fmt::format("the rows of `{}` have {} elements; the fast kernel needs "
                            "a multiple of {}",
                            t.name, ir::hole(extent), vector)};
            if (take(known))
                return call("tk::whole_vectors", {tensor_name(t.name), literal(vector)});
        }
        return nullptr;
    }

    Expr grid() {
        const auto [programs, end] = grid_of(front());
        const Expr counted = programs ? host_expression(called_, programs) : nullptr;
        if (!counted) return nullptr;
        ++at_;
        return call("tk::grid_fits", {counted, literal(end)});
    }

    // A number of the kernel that stays below 2^31.
    Expr fits() {
        const auto* holds = std::get_if<ir::Call>(&front().holds->node);
        const std::string& text = front().text;
        std::int64_t end = 0;
        if (holds == nullptr || holds->function != Fn::lt ||
            !ir::is_constant(holds->arguments[1], &end) || end != ir::i32_limit)
            return nullptr;
        const std::string reaches =
            fmt::format("` reaches {}; it must fit in 32 bits", ir::hole(holds->arguments[0]));
        if (!text.starts_with('`') || !text.ends_with(reaches)) return nullptr;
        const std::string words = text.substr(1, text.size() - 1 - reaches.size());
        const Expr value = host_expression(called_, holds->arguments[0]);
        if (!value || words.find_first_of("`{}") != words.npos) return nullptr;
        ++at_;
        return call("tk::fits", {quoted(words), value});
    }

    const ir::Signature& called_;
    const Conditions& list_;
    bool reported_;
    std::vector<ir::Binding> bound_;
    std::size_t at_ = 0;
};

}  // namespace

std::optional<std::int64_t> grid_end(const ir::Kernel& kernel, const ir::Condition& condition) {
    const auto [programs, end] = grid_of(condition);
    if (!programs) return std::nullopt;
    const Expr counted = host_expression(kernel, programs);
    const Expr all = host_expression(kernel, ir::programs_of(kernel));
    const bool same = counted && all && print(counted) == print(all);
    return same ? std::optional(end) : std::nullopt;
}

std::vector<Expr> condition_list(const ir::Signature& called, const Conditions& conditions,
                                 bool told) {
    return Conversion(called, conditions, told).run();
}

}  // namespace tkc::cuda
