// Binding extents, naming properties of tensors, and evaluating conditions with their sentences.
#include "ir/contract.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "ir/parse.h"

namespace tkc::ir {

namespace {

// The name that an extent is, with a constant added or not; empty where it is anything else.
struct Named {
    std::string name;
    std::int64_t offset = 0;
};
Named name_in(const Scalar& extent) {
    if (!extent) return {};
    if (const auto* s = std::get_if<Symbol>(&extent->node)) return {s->name, 0};
    const auto* c = std::get_if<Call>(&extent->node);
    if (c == nullptr || (c->function != Function::add && c->function != Function::sub)) return {};
    std::int64_t value = 0;
    if (is_constant(c->arguments[1], &value)) {
        const auto* s = std::get_if<Symbol>(&c->arguments[0]->node);
        if (s != nullptr) return {s->name, c->function == Function::add ? value : -value};
    }
    const auto* s = std::get_if<Symbol>(&c->arguments[1]->node);
    const bool behind = s != nullptr && c->function == Function::add;
    return behind && is_constant(c->arguments[0], &value) ? Named{s->name, value} : Named{};
}

bool is_known_name(const Signature& signature, const std::string& name) {
    for (const Constant& c : signature.constants) {
        if (c.name == name) return true;
    }
    for (const Parameter& p : signature.parameters) {
        if (p.name == name) return true;
    }
    return false;
}

}  // namespace

std::vector<Binding> bindings(const Signature& signature) {
    std::vector<Binding> list;
    std::set<std::string> bound;
    for (const bool alone : {true, false}) {
        for (const Tensor& tensor : signature.tensors) {
            if (tensor.mode == Mode::scratch) continue;
            for (std::size_t axis = 0; axis < tensor.extents.size(); ++axis) {
                const Named named = name_in(tensor.extents[axis]);
                if (named.name.empty() || (named.offset == 0) != alone ||
                    is_known_name(signature, named.name))
                    continue;
                if (bound.insert(named.name).second)
                    list.push_back({named.name, tensor.name, axis, named.offset});
            }
        }
    }
    return list;
}

bool is_deterministic(const Signature& signature) {
    return std::none_of(signature.tensors.begin(), signature.tensors.end(), [](const Tensor& t) {
        return t.mode == Mode::accumulate && is_real(t.dtype) && !t.in_order;
    });
}

Scalar with_constants(const Signature& signature, const Scalar& s) {
    std::map<std::string, Scalar> values;
    for (const Constant& c : signature.constants) values[c.name] = c.value;
    return substitute(s, values);
}

Scalar cells_of(const Counter& counter) {
    Scalar cells;
    for (const Scalar& extent : counter.extents) cells = cells ? mul(cells, extent) : extent;
    return cells;
}

bool has_counters(const Kernel& kernel) { return kernel.dynamic || !kernel.counters.empty(); }

Scalar cells_of_counters(const Kernel& kernel) {
    Scalar cells = kernel.dynamic ? integer(1) : nullptr;
    for (const Counter& c : kernel.counters) cells = cells ? add(cells, cells_of(c)) : cells_of(c);
    return cells ? with_constants(kernel, cells) : integer(0);
}

Scalar place_of_counter(const Kernel& kernel, const std::string& counter,
                        const std::vector<Scalar>& at) {
    Scalar place = kernel.dynamic ? integer(1) : nullptr;
    for (const Counter& c : kernel.counters) {
        if (c.name != counter) {
            place = place ? add(place, cells_of(c)) : cells_of(c);
            continue;
        }
        Scalar inside = at.front();
        for (std::size_t axis = 1; axis < at.size(); ++axis)
            inside = add(mul(inside, c.extents[axis]), at[axis]);
        place = place ? add(place, inside) : inside;
        break;
    }
    return with_constants(kernel, place);
}

Scalar shape_of(const std::string& tensor, std::size_t axis) {
    return symbol(fmt::format("{}.shape.{}", tensor, axis));
}
Scalar stride_of(const std::string& tensor, std::size_t axis) {
    return symbol(fmt::format("{}.stride.{}", tensor, axis));
}
Scalar address_of(const std::string& tensor) { return symbol(tensor + ".address"); }

std::optional<Property> property(const std::string& symbol) {
    const std::size_t dot = symbol.find('.');
    if (dot == std::string::npos) return std::nullopt;
    Property found{Property::Kind::address, symbol.substr(0, dot), 0};
    const std::string rest = symbol.substr(dot + 1);
    if (rest == "address") return found;
    const std::size_t second = rest.find('.');
    if (second == std::string::npos) return std::nullopt;
    const std::string kind = rest.substr(0, second);
    if (kind != "shape" && kind != "stride") return std::nullopt;
    found.kind = kind == "shape" ? Property::Kind::shape : Property::Kind::stride;
    const char* end = rest.data() + rest.size();
    const auto parsed = std::from_chars(rest.data() + second + 1, end, found.axis);
    if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
    return found;
}

Scalar programs_of(const Kernel& kernel, const GridAxis& axis) {
    const Scalar begin = with_constants(kernel, axis.begin);
    const Scalar length = sub(with_constants(kernel, axis.end), begin);
    const std::int64_t together = axis.partial_cluster ? 1 : axis.cluster;
    const Scalar clusters = ceil_div(length, integer(axis.step * together));
    const Scalar count = mul(clusters, integer(together));
    // Extents are not negative; anything else may end before it begins.
    const auto* end = std::get_if<Symbol>(&axis.end->node);
    const auto names = [&](const Binding& b) { return end != nullptr && b.name == end->name; };
    const std::vector<Binding> extents = bindings(kernel);
    const bool extent = is_constant(begin) && std::any_of(extents.begin(), extents.end(), names);
    return extent ? count : call(Function::max, {count, integer(0)});
}

Scalar programs_of(const Kernel& kernel) {
    Scalar product = integer(1);
    for (const GridAxis& axis : kernel.grid) product = mul(product, programs_of(kernel, axis));
    const GridAxis* clusters = cluster_axis(kernel);
    if (clusters == nullptr || !clusters->partial_cluster) return product;
    const Scalar size = integer(clusters->cluster);
    return mul(ceil_div(product, size), size);
}

std::string hole(const Scalar& s) {
    return is_constant(s) ? to_string(s) : "{" + to_string(s) + "}";
}

std::string words_of_message(std::string_view text) {
    std::string words;
    for (std::size_t at = 0; at < text.size(); ++at) {
        words += text[at];
        if (text[at] == '{' && text.substr(at + 1, 1) != " ") words += ' ';
    }
    return words;
}

MessageText sentence(const Condition& condition) {
    MessageText result{{""}, {}};
    std::size_t at = 0;
    const std::string& text = condition.text;
    while (at < text.size()) {
        std::size_t open = text.find('{', at);
        while (open != std::string::npos && text.compare(open, 2, "{ ") == 0)
            open = text.find('{', open + 1);
        const std::size_t close = open == std::string::npos ? open : text.find('}', open);
        ParseError error;
        const Scalar value = close == std::string::npos
                                 ? nullptr
                                 : parse_scalar(text.substr(open + 1, close - open - 1), error);
        if (!value) {  // no hole: the rest is text as it is
            result.text.back() += text.substr(at);
            break;
        }
        result.text.back() += text.substr(at, open - at);
        result.values.push_back(value);
        result.text.emplace_back();
        at = close + 1;
    }
    return result;
}

Values values_of(const Signature& signature, const std::map<std::string, TensorValues>& tensors) {
    Values values;
    for (const auto& [name, tensor] : tensors) {
        values[name + ".address"] = tensor.address;
        for (std::size_t axis = 0; axis < tensor.shape.size(); ++axis) {
            values[fmt::format("{}.shape.{}", name, axis)] = tensor.shape[axis];
            values[fmt::format("{}.stride.{}", name, axis)] = tensor.stride[axis];
        }
    }
    for (const Binding& extent : bindings(signature)) {
        const auto tensor = tensors.find(extent.tensor);
        if (tensor == tensors.end() || extent.axis >= tensor->second.shape.size()) continue;
        values[extent.name] = tensor->second.shape[extent.axis] - extent.offset;
    }
    for (const Constant& c : signature.constants) {
        std::int64_t value = 0;
        if (is_constant(c.value, &value)) values[c.name] = value;
    }
    return values;
}

std::string render(const Condition& condition,
                   FunctionRef<std::optional<std::int64_t>(const Scalar&)> value_of) {
    const MessageText parts = sentence(condition);
    std::string text = parts.text.front();
    for (std::size_t i = 0; i < parts.values.size(); ++i) {
        const std::optional<std::int64_t> value = value_of(parts.values[i]);
        text += value ? std::to_string(*value) : "?";
        text += parts.text[i + 1];
    }
    return text;
}

std::optional<std::string> first_failure(const Signature& signature, const Values& values) {
    for (const Condition& condition : signature.conditions) {
        std::int64_t holds = 0;
        if (!evaluate(condition.holds, values, &holds) || holds != 0) continue;
        return render(condition, [&](const Scalar& s) -> std::optional<std::int64_t> {
            std::int64_t value = 0;
            return evaluate(s, values, &value) ? std::optional(value) : std::nullopt;
        });
    }
    return std::nullopt;
}

}  // namespace tkc::ir
