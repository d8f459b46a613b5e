// Memory with guards, generators of data, lists.
#include "emulator/fill.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>

#include "emulator/tensor_view.h"
#include "language/reference.h"

namespace tkc::emulator {

namespace {

constexpr std::int64_t guard_bytes = 1024;  // a multiple of the alignment that storage counts as
constexpr std::int64_t most_bytes = std::int64_t{1} << 31;
constexpr std::int64_t most_stride = std::int64_t{1} << 32;

void report(const EvaluationContext& context, Span span, const std::string& what) {
    context.diag.error(span, msg::test_extents, what, context.test);
}

const ast::Call* call_of(const ast::Expr& value) { return std::get_if<ast::Call>(&value.node); }

const ast::Expr* named_argument(const ast::Expr* value, std::string_view name) {
    const ast::Call* call = value == nullptr ? nullptr : call_of(*value);
    if (call == nullptr) return nullptr;
    for (const ast::Arg& arg : call->args) {
        if (arg.name && arg.name->text == name) return arg.value.get();
    }
    return nullptr;
}

std::optional<std::int64_t> whole_number(const ast::Expr& expr, const Arrays& numbers,
                                         const EvaluationContext& context) {
    const std::optional<Array> value = evaluate_expression(expr, numbers, context);
    if (!value) return std::nullopt;
    const bool whole = value->is_number() && !value->is_real();
    if (whole && value->whole_at(0) >= 0 && value->whole_at(0) < most_stride)
        return value->whole_at(0);
    report(context, expr.span, "strides and offsets must be nonnegative integers, in elements");
    return std::nullopt;
}

// ---- random numbers: a hash of seed and position, so that no order matters

std::uint64_t mix(std::uint64_t x) {  // splitmix64
    x += 0x9e3779b97f4a7c15U;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
}

class Stream {
public:
    Stream(std::uint64_t seed, std::int64_t position)
        : state_(mix(seed ^ mix(static_cast<std::uint64_t>(position)))) {}
    std::uint64_t bits() { return state_ = mix(state_); }
    double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }  // below 1
    double normal() {
        const double radius = std::sqrt(-2 * std::log(1 - uniform()));
        return radius * std::cos(2 * std::numbers::pi * uniform());
    }

private:
    std::uint64_t state_;
};

double largest(Dtype dtype) {
    const std::uint64_t top = encode(dtype, std::numeric_limits<double>::infinity());
    const double value = decode(dtype, top);  // fp8 saturates
    return std::isinf(value) ? decode(dtype, top - 1) : value;
}

// Whether an integer type has the number.
bool holds(Dtype dtype, std::int64_t value) { return wrap_to(dtype, value) == value; }
bool holds(Dtype dtype, double value) {
    return std::trunc(value) == value && std::fabs(value) < 0x1p63 &&
           holds(dtype, static_cast<std::int64_t>(value));
}

// Fills with one function of the cell's number; values are checked against the tensor's type.
class Filler {
public:
    Filler(Tensor& tensor, const std::string& name, const Arrays& numbers,
           const EvaluationContext& context)
        : tensor_(tensor), name_(name), numbers_(numbers), context_(context) {}

    template <class F>
    bool each(Span span, F cell) {
        bool good = true;
        for_each_element(tensor_, [&](std::int64_t i, std::int64_t element) {
            if (good) good = put(element, cell(i), span);
        });
        return good;
    }

    bool number(const ast::Expr& expr) {
        const std::optional<Array> value = scalar(expr);
        return value && std::visit(
                            [&](const auto& cells) {
                                return each(expr.span, [&](std::int64_t) { return cells[0]; });
                            },
                            value->cells);
    }

    bool list(const ast::Expr& expr) {
        const Shape extents = *list_extents(expr);
        if (extents != tensor_.extents) {
            report(context_, expr.span,
                   fmt::format("`{}` has extents {}, but the list has {}", name_,
                               to_string(tensor_.extents), to_string(extents)));
            return false;
        }
        std::vector<const ast::Expr*> items;
        if (!flatten(expr, extents, 0, items)) return false;
        bool good = true;
        for_each_element(tensor_, [&](std::int64_t i, std::int64_t element) {
            if (!good) return;
            const ast::Expr& item = *items[static_cast<std::size_t>(i)];
            const std::optional<Array> value = scalar(item);
            good = value &&
                   std::visit([&](const auto& cells) { return put(element, cells[0], item.span); },
                              value->cells);
        });
        return good;
    }

    bool call(const ast::Call& fill, Span span, std::uint64_t seed) {
        const FillInfo& info = *find_fill(std::get<ast::NameRef>(fill.callee->node).text);
        std::vector<const ast::Expr*> places;
        for (const ast::Arg& arg : fill.args) {
            if (!arg.name) places.push_back(arg.value.get());
        }
        if (info.fill == FillFunction::layout) return true;
        if (info.fill == FillFunction::value) return value(*places[0]);
        if (info.fill == FillFunction::special) return special(places, span, seed);
        std::vector<Array> x;
        for (const ast::Expr* place : places) {
            const std::optional<Array> number = scalar(*place);
            if (!number) return false;
            x.push_back(*number);
        }
        return generate(info.fill, x, span, seed);
    }

    bool value(const ast::Expr& expr) {
        if (list_extents(expr)) return list(expr);
        return number(expr);
    }

private:
    std::optional<Array> scalar(const ast::Expr& expr) {
        std::optional<Array> value = evaluate_expression(expr, numbers_, context_);
        if (!value || value->is_number()) return value;
        report(context_, expr.span, "expected a scalar");
        return std::nullopt;
    }

    template <class T>
    bool put(std::int64_t element, T value, Span span) {
        if (is_real(tensor_.dtype) || holds(tensor_.dtype, value)) {
            write_cell(tensor_, element, value);
            return true;
        }
        report(
            context_, span,
            fmt::format("`{}` cannot hold {}: it is {}", name_, value, tkc::name(tensor_.dtype)));
        return false;
    }

    bool flatten(const ast::Expr& expr, const Shape& extents, std::size_t axis,
                 std::vector<const ast::Expr*>& items) {
        const auto* list = std::get_if<ast::ListValue>(&expr.node);
        const bool fits =
            (list != nullptr) == (axis < extents.size()) &&
            (list == nullptr || static_cast<std::int64_t>(list->items.size()) == extents[axis]);
        if (!fits) {
            report(context_, expr.span, "the rows of a list must have the same length");
            return false;
        }
        if (list == nullptr) {
            items.push_back(&expr);
            return true;
        }
        for (const ast::ExprPtr& item : list->items) {
            if (!flatten(*item, extents, axis + 1, items)) return false;
        }
        return true;
    }

    bool generate(FillFunction fill, const std::vector<Array>& x, Span span, std::uint64_t seed) {
        const auto real = [&](std::size_t i, double otherwise) {
            return i < x.size() ? x[i].real_at(0) : otherwise;
        };
        switch (fill) {
            case FillFunction::normal:
                return each(span, [&](std::int64_t i) {
                    return real(0, 0) + real(1, 1) * Stream(seed, i).normal();
                });
            case FillFunction::uniform:
                return each(span, [&](std::int64_t i) {
                    return real(0, 0) + (real(1, 1) - real(0, 0)) * Stream(seed, i).uniform();
                });
            case FillFunction::ints: return integers(x, span, seed);
            case FillFunction::range:
            case FillFunction::special:
            case FillFunction::value:
            case FillFunction::layout: break;
        }
        return range(x, span);
    }

    bool integers(const std::vector<Array>& x, Span span, std::uint64_t seed) {
        const bool whole = std::all_of(x.begin(), x.end(), [](const Array& bound) {
            return !bound.is_real() || holds(Dtype::i64, bound.real_at(0));
        });
        const std::int64_t low = as_kind(x[0], NumberKind::integer).whole_at(0);
        const std::int64_t high = as_kind(x[1], NumberKind::integer).whole_at(0);
        if (!whole || high < low) {
            report(context_, span, "`ints(lo, hi)` expects integers, lo <= hi");
            return false;
        }
        const auto from = static_cast<std::uint64_t>(low);
        const std::uint64_t count = static_cast<std::uint64_t>(high) - from + 1;  // 0: 2^64
        return each(span, [&](std::int64_t i) {
            const std::uint64_t bits = Stream(seed, i).bits();
            return static_cast<std::int64_t>(from + (count == 0 ? bits : bits % count));
        });
    }

    bool range(const std::vector<Array>& x, Span span) {
        const Array start = x.empty() ? Array::whole(0) : x[0];
        const Array step = x.size() < 2 ? Array::whole(1) : x[1];
        std::int64_t end = 0;
        const bool whole = !start.is_real() && !step.is_real() &&
                           !__builtin_mul_overflow(step.whole_at(0), tensor_.elements(), &end) &&
                           !__builtin_add_overflow(end, start.whole_at(0), &end);
        if (whole) {
            return each(span,
                        [&](std::int64_t i) { return start.whole_at(0) + step.whole_at(0) * i; });
        }
        return each(span, [&](std::int64_t i) {
            return start.real_at(0) + step.real_at(0) * static_cast<double>(i);
        });
    }

    bool special(const std::vector<const ast::Expr*>& words, Span span, std::uint64_t seed) {
        std::vector<double> values;
        for (const ast::Expr* word : words) {
            const auto* name = std::get_if<ast::NameRef>(&word->node);
            std::optional<double> value;
            if (name != nullptr && name->text == "nan") {
                value = std::numeric_limits<double>::quiet_NaN();
            } else if (name != nullptr && name->text == "denormal") {
                value = decode(tensor_.dtype, 3);
            } else if (name != nullptr && name->text == "large") {
                value = largest(tensor_.dtype);
            } else {
                const std::optional<Array> number = scalar(*word);
                if (number) value = number->real_at(0);
            }
            if (!value) return false;
            values.push_back(*value);
        }
        return each(span, [&](std::int64_t i) {
            Stream stream(seed, i);
            const std::uint64_t bits = stream.bits();
            if (bits % 8 != 0) return stream.normal();
            return values[static_cast<std::size_t>(bits / 8 % values.size())];
        });
    }

    Tensor& tensor_;
    const std::string& name_;
    const Arrays& numbers_;
    const EvaluationContext& context_;
};

std::vector<std::int64_t> dense_strides(const Shape& extents) {
    std::vector<std::int64_t> strides(extents.size(), 1);
    for (std::size_t axis = extents.size(); axis-- > 1;) {
        strides[axis - 1] = strides[axis] * std::max<std::int64_t>(extents[axis], 1);
    }
    return strides;
}

}  // namespace

std::optional<Tensor> make_tensor(const std::string& name, Dtype dtype, const Shape& extents,
                                  const ast::Expr* value, Span span, const Arrays& numbers,
                                  const EvaluationContext& context) {
    Tensor tensor;
    tensor.dtype = dtype;
    tensor.extents = extents;
    tensor.strides = dense_strides(extents);
    std::int64_t offset = 0;
    if (const ast::Expr* given = named_argument(value, "strides")) {
        const auto& items = std::get<ast::ListValue>(given->node).items;
        if (items.size() != extents.size()) {
            report(context, given->span,
                   fmt::format("`{}` has {} axes, but {} strides", name, extents.size(),
                               items.size()));
            return std::nullopt;
        }
        for (std::size_t axis = 0; axis < items.size(); ++axis) {
            const std::optional<std::int64_t> stride = whole_number(*items[axis], numbers, context);
            if (!stride) return std::nullopt;
            tensor.strides[axis] = *stride;
        }
    }
    if (const ast::Expr* given = named_argument(value, "offset")) {
        const std::optional<std::int64_t> number = whole_number(*given, numbers, context);
        if (!number) return std::nullopt;
        offset = *number;
    }
    const std::int64_t size = bytes(dtype);
    double reach = 1;  // a double, because nothing bounds the products yet
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
        const auto steps = static_cast<double>(std::max<std::int64_t>(extents[axis] - 1, 0));
        reach += steps * static_cast<double>(tensor.strides[axis]);
    }
    double elements = 1;
    for (const std::int64_t extent : extents) elements *= static_cast<double>(extent);
    reach = std::max(reach + static_cast<double>(offset), elements);
    if (reach * static_cast<double>(size) > static_cast<double>(most_bytes)) {
        report(context, value != nullptr ? value->span : span,
               fmt::format("`{}` of extents {} needs more than 2 GiB", name, to_string(extents)));
        return std::nullopt;
    }
    const std::int64_t guard = guard_bytes / size;
    tensor.origin = guard + offset;
    const auto count =
        static_cast<std::size_t>((static_cast<std::int64_t>(reach) + 2 * guard) * size);
    tensor.storage.assign(count,
                          std::byte{is_real(dtype) ? std::uint8_t{0xff} : std::uint8_t{0x5a}});
    return tensor;
}

bool fill(Tensor& tensor, const std::string& name, const ast::Expr& value, std::uint64_t seed,
          const Arrays& numbers, const EvaluationContext& context) {
    Filler filler(tensor, name, numbers, context);
    if (const ast::Call* call = call_of(value)) return filler.call(*call, value.span, seed);
    return filler.value(value);
}

std::optional<Shape> list_extents(const ast::Expr& value) {
    const ast::Expr* at = &value;
    if (const ast::Call* call = call_of(value)) {
        if (call->args.empty() || call->args[0].name) return std::nullopt;
        at = call->args[0].value.get();
    }
    if (!std::holds_alternative<ast::ListValue>(at->node)) return std::nullopt;
    Shape extents;
    while (const auto* list = std::get_if<ast::ListValue>(&at->node)) {
        extents.push_back(static_cast<std::int64_t>(list->items.size()));
        if (list->items.empty()) break;
        at = list->items.front().get();
    }
    return extents;
}

std::optional<std::int64_t> overwritten_guard(const Tensor& before, const Tensor& after) {
    const auto size = static_cast<std::size_t>(bytes(after.dtype));
    // All of what was there before, but for the tensor's own elements.
    Tensor left = before;
    for_each_line(
        after, [&](std::int64_t, std::int64_t element, std::int64_t step, std::int64_t count) {
            const std::size_t neighbours = step == 1 ? static_cast<std::size_t>(count) : 1;
            for (std::int64_t i = 0; i < count; i += static_cast<std::int64_t>(neighbours)) {
                const std::int64_t at = element + i * step;
                std::memcpy(left.at(at), after.at(at), neighbours * size);
            }
        });
    if (left.storage == after.storage) return std::nullopt;
    const auto [changed, _] = std::mismatch(left.storage.begin(), left.storage.end(),
                                            after.storage.begin(), after.storage.end());
    return (changed - left.storage.begin()) / static_cast<std::int64_t>(size) - after.origin;
}

std::uint64_t seed_of(const std::string& words, std::uint64_t seed) {
    std::uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a
    for (const char c : words) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    return mix(hash ^ mix(seed));
}

}  // namespace tkc::emulator
