// Building, comparing, rewriting, evaluating and printing scalar expressions.
#include "arithmetic/scalar.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <concepts>
#include <iterator>
#include <set>
#include <utility>

#include "base/overloaded.h"
#include "language/arithmetic.h"
#include "language/function_cases.h"

namespace tkc::ir {

namespace {

// Saturates: a tree of shared parts may be larger than any number.
std::size_t size_of(const std::vector<Scalar>& parts) {
    std::size_t size = 1;
    for (const Scalar& part : parts) {
        if (__builtin_add_overflow(size, part->size, &size)) return SIZE_MAX;
    }
    return size;
}

Scalar make(Dtype dtype, decltype(ScalarNode::node) node, std::size_t size = 1) {
    return std::make_shared<const ScalarNode>(ScalarNode{dtype, std::move(node), size});
}

// Integer and boolean arithmetic on constants; false where the result is not defined.
bool fold(Function f, const std::vector<std::int64_t>& a, std::int64_t* out) {
    const auto arity = static_cast<std::size_t>(info(f).arity);
    if (a.size() != arity) return false;
    switch (f) {
        case Function::add: return !__builtin_add_overflow(a[0], a[1], out);
        case Function::sub: return !__builtin_sub_overflow(a[0], a[1], out);
        case Function::mul: return !__builtin_mul_overflow(a[0], a[1], out);
        case Function::div:
            if (a[1] <= 0) return false;
            *out = arithmetic::floor_quotient(a[0], a[1]);
            return true;
        case Function::mod:
            if (a[1] <= 0) return false;
            *out = a[0] - arithmetic::floor_quotient(a[0], a[1]) * a[1];
            return true;
        case Function::ceil_div:
            if (a[1] <= 0) return false;
            *out = arithmetic::floor_quotient(a[0], a[1]) + (a[0] % a[1] != 0 ? 1 : 0);
            return true;
        case Function::neg: return !__builtin_sub_overflow(std::int64_t{0}, a[0], out);
        case Function::bit_and: *out = a[0] & a[1]; return true;
        case Function::bit_or: *out = a[0] | a[1]; return true;
        case Function::bit_xor: *out = a[0] ^ a[1]; return true;
        case Function::bit_not: return false;  // the dtype says what it is
        case Function::shift_left: {
            const std::int64_t shifted = a[0] * (std::int64_t{1} << (a[1] & 31));
            const bool fits = a[0] >= INT32_MIN && a[0] <= INT32_MAX && shifted >= INT32_MIN &&
                              shifted <= INT32_MAX;  // else the dtype says what is left of it
            *out = fits ? shifted : 0;
            return fits;
        }
        case Function::shift_right: *out = a[0] >> (a[1] & 31); return true;
        case Function::abs:
            *out = a[0];
            return a[0] >= 0 || !__builtin_sub_overflow(std::int64_t{0}, a[0], out);
        case Function::min: *out = std::min(a[0], a[1]); return true;
        case Function::max: *out = std::max(a[0], a[1]); return true;
        case Function::eq: *out = a[0] == a[1]; return true;
        case Function::ne: *out = a[0] != a[1]; return true;
        case Function::lt: *out = a[0] < a[1]; return true;
        case Function::le: *out = a[0] <= a[1]; return true;
        case Function::gt: *out = a[0] > a[1]; return true;
        case Function::ge: *out = a[0] >= a[1]; return true;
        case Function::logical_and: *out = a[0] != 0 && a[1] != 0; return true;
        case Function::logical_or: *out = a[0] != 0 || a[1] != 0; return true;
        case Function::logical_not: *out = a[0] == 0; return true;
        case Function::where: *out = a[0] != 0 ? a[1] : a[2]; return true;
        case Function::fma:
        case Function::exp2:
        case Function::exp:
        case Function::log2:
        case Function::log:
        case Function::sqrt:
        case Function::rsqrt:
        case Function::tanh:
        case Function::sin:
        case Function::cos:
        case Function::erf:
        case Function::pow:
        case Function::floor:
        case Function::ceil:
        case Function::round:
        case Function::to_bits:
        case Function::from_bits: return false;
    }
    return false;
}

Dtype result_dtype(Function f, const std::vector<Scalar>& arguments) {
    switch (info(f).kind) {
        case FunctionKind::compare:
        case FunctionKind::logic: return Dtype::boolean;
        case FunctionKind::select: return arguments[1]->dtype;
        case FunctionKind::pattern: return Dtype::i32;
        case FunctionKind::number: return Dtype::f32;
        case FunctionKind::real:
        case FunctionKind::integer:
        case FunctionKind::bits:
        case FunctionKind::arithmetic: return arguments[0]->dtype;
    }
    return arguments[0]->dtype;
}

bool is_value(const Scalar& s, std::int64_t wanted) {
    std::int64_t value = 0;
    return is_integer(s->dtype) && is_constant(s, &value) && value == wanted;
}

// What is left of a sum without one of its terms, if that is `term`. It holds for integers that
// wrap, too.
Scalar without_term(const Scalar& sum, const Scalar& term) {
    const auto* call = std::get_if<Call>(&sum->node);
    if (call == nullptr || call->function != Function::add || !is_integer(sum->dtype))
        return nullptr;
    if (same(call->arguments[0], term)) return call->arguments[1];
    if (same(call->arguments[1], term)) return call->arguments[0];
    return nullptr;
}

// The tiles whose cells are in it. Parts that several nodes share are looked at once.
struct TilesIn {
    std::set<std::int64_t> inputs;
    std::set<const ScalarNode*> seen;

    void add(const Scalar& s) {
        const auto add_all = [&](const std::vector<Scalar>& parts) {
            for (const Scalar& part : parts) add(part);
        };
        if (const auto* element = std::get_if<Element>(&s->node)) inputs.insert(element->input);
        if (s->size == 1 || !seen.insert(s.get()).second) return;
        if (const auto* call = std::get_if<Call>(&s->node)) add_all(call->arguments);
        if (const auto* cast = std::get_if<Cast>(&s->node)) add(cast->argument);
        if (const auto* external = std::get_if<External>(&s->node)) add_all(external->arguments);
    }
};

// Whether a tile of the arguments is in `made` no more. `x * 0` is 0, but as a tile it ends where x
// does: cells past the edge are not data.
bool loses_edges(const Scalar& made, const std::vector<Scalar>& arguments) {
    TilesIn lost;
    for (const Scalar& argument : arguments) {
        if (argument != made) lost.add(argument);
    }
    if (lost.inputs.empty()) return false;
    TilesIn kept;
    kept.add(made);
    return !std::includes(kept.inputs.begin(), kept.inputs.end(), lost.inputs.begin(),
                          lost.inputs.end());
}

// x + 0, x - 0, x + y - x, 1 * x, 0 * x, x / 1, ceil_div(x, 1) on integers, logic with a constant,
// where with a known condition. The length of a view is the difference of its ends, and where it
// begins may be read from memory.
Scalar simplify(Function f, const std::vector<Scalar>& a) {
    std::int64_t known = 0;
    switch (f) {
        case Function::add:
            if (is_value(a[0], 0)) return a[1];
            if (is_value(a[1], 0)) return a[0];
            break;
        case Function::sub:
            if (is_value(a[1], 0)) return a[0];
            return without_term(a[0], a[1]);
        case Function::mul:
            if (is_value(a[0], 1) || is_value(a[1], 0)) return a[1];
            if (is_value(a[1], 1) || is_value(a[0], 0)) return a[0];
            break;
        case Function::div:
        case Function::ceil_div:
            if (is_value(a[1], 1)) return a[0];
            break;
        case Function::logical_and:
            if (is_constant(a[0], &known)) return known != 0 ? a[1] : a[0];
            if (is_constant(a[1], &known)) return known != 0 ? a[0] : a[1];
            break;
        case Function::logical_or:
            if (is_constant(a[0], &known)) return known != 0 ? a[0] : a[1];
            if (is_constant(a[1], &known)) return known != 0 ? a[1] : a[0];
            break;
        case Function::where:
            if (is_constant(a[0], &known)) return known != 0 ? a[1] : a[2];
            break;
        // Nothing neutral to drop.
        case Function::neg:
        case Function::min:
        case Function::max:
        case Function::abs:
        case Function::mod:
        case Function::logical_not:
        case TKC_COMPARISONS:
        case TKC_BIT_FUNCTIONS:
        case TKC_REAL_FUNCTIONS:
        case TKC_BIT_PATTERNS: break;
    }
    return nullptr;
}

}  // namespace

Scalar integer(std::int64_t value, Dtype dtype) { return make(dtype, Integer{value}); }
Scalar real(double value, Dtype dtype) { return make(dtype, Real{value}); }
Scalar boolean(bool value) { return make(Dtype::boolean, Boolean{value}); }
Scalar symbol(std::string name, Dtype dtype) { return make(dtype, Symbol{std::move(name)}); }
Scalar element(std::int64_t input, Dtype dtype) { return make(dtype, Element{input}); }
Scalar row() { return make(Dtype::i32, Row{}); }
Scalar column() { return make(Dtype::i32, Column{}); }
Scalar element_load(std::string tensor, std::vector<Scalar> position, bool zero_outside,
                    Dtype dtype) {
    const std::size_t size = size_of(position);
    return make(dtype, ElementLoad{std::move(tensor), std::move(position), zero_outside}, size);
}

Scalar cast(Dtype dtype, Scalar argument) {
    if (argument->dtype == dtype) return argument;
    std::int64_t value = 0;
    if (is_constant(argument, &value) && !is_boolean(argument->dtype)) {
        if (is_integer(dtype)) return integer(value, dtype);
        if (dtype == Dtype::f32 && value > -(1 << 24) && value < (1 << 24)) {
            return real(static_cast<double>(value), dtype);
        }
    }
    const std::size_t size = size_of({argument});
    return make(dtype, Cast{std::move(argument)}, size);
}

Scalar external(std::string name, std::string header, std::vector<Scalar> arguments,
                Scalar meaning) {
    std::vector<Scalar> parts = arguments;
    parts.push_back(meaning);
    const Dtype dtype = meaning->dtype;
    return make(
        dtype,
        External{std::move(name), std::move(header), std::move(arguments), std::move(meaning)},
        size_of(parts));
}

Scalar call(Function function, std::vector<Scalar> arguments) {
    std::vector<std::int64_t> constants;
    for (const Scalar& a : arguments) {
        std::int64_t value = 0;
        if (!is_constant(a, &value)) break;
        constants.push_back(value);
    }
    const Dtype dtype = result_dtype(function, arguments);
    std::int64_t folded = 0;
    if (constants.size() == arguments.size() && fold(function, constants, &folded)) {
        return is_boolean(dtype) ? boolean(folded != 0) : integer(folded, dtype);
    }
    const Scalar simpler = simplify(function, arguments);
    if (simpler && !loses_edges(simpler, arguments)) return simpler;
    const std::size_t size = size_of(arguments);
    return make(dtype, Call{function, std::move(arguments)}, size);
}

bool is_constant(const Scalar& s, std::int64_t* value) {
    std::int64_t found = 0;
    if (const auto* i = std::get_if<Integer>(&s->node)) {
        found = i->value;
    } else if (const auto* b = std::get_if<Boolean>(&s->node)) {
        found = b->value ? 1 : 0;
    } else {
        return false;
    }
    if (value != nullptr) *value = found;
    return true;
}

bool is_zero(const Scalar& s) {
    std::int64_t value = 1;
    const auto* real = std::get_if<Real>(&s->node);
    return real != nullptr ? real->value == 0 : is_constant(s, &value) && value == 0;
}

namespace {

bool same_lists(const std::vector<Scalar>& a, const std::vector<Scalar>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
}

}  // namespace

bool same(const Scalar& a, const Scalar& b) {
    if (a == b) return true;
    if (!a || !b || a->dtype != b->dtype || a->size != b->size) return false;
    return std::visit(
        Overloaded{
            [](const Integer& x, const Integer& y) {
        return x.value == y.value; },
            [](const Real& x, const Real& y) {  // NaN is itself, and 0 is not -0
        return std::bit_cast<std::uint64_t>(x.value) == std::bit_cast<std::uint64_t>(y.value);
            },
            [](const Boolean& x, const Boolean& y) {
        return x.value == y.value; },
            [](const Symbol& x, const Symbol& y) {
        return x.name == y.name; },
            [](const Element& x, const Element& y) {
        return x.input == y.input; },
            [](const Row&, const Row&) {
        return true; },
            [](const Column&, const Column&) {
        return true; },
            [](const ElementLoad& x, const ElementLoad& y) {
        return x.tensor == y.tensor && x.zero_outside == y.zero_outside &&
               same_lists(x.position, y.position);
            },
            [](const Call& x, const Call& y) {
        return x.function == y.function && same_lists(x.arguments, y.arguments);
            },
            [](const Cast& x, const Cast& y) {
        return same(x.argument, y.argument); },
            [](const External& x, const External& y) {
        return x.name == y.name && same_lists(x.arguments, y.arguments);
            },
            []<class X, class Y>(const X&, const Y&) requires(!std::same_as<X, Y>)
            { return false;
}
,
}  // namespace tkc::ir
,
        a->node, b->node);
}

Scalar rewrite(const Scalar& s, const std::function<Scalar(const Scalar&)>& f) {
    std::vector<Scalar> parts;  // rewritten, if one of them is another than it was
    const auto change = [&](const std::vector<Scalar>& list) {
        bool same = true;
        for (std::size_t i = 0; i < list.size(); ++i) {
            Scalar made = rewrite(list[i], f);
            if (same && made == list[i]) continue;
            if (same) parts.assign(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(i));
            same = false;
            parts.push_back(std::move(made));
        }
        return !same;
    };
    const Scalar rebuilt = std::visit(
        Overloaded{
            [&](const Integer&) { return s; },
            [&](const Real&) { return s; },
            [&](const Boolean&) { return s; },
            [&](const Symbol&) { return s; },
            [&](const Element&) { return s; },
            [&](const Row&) { return s; },
            [&](const Column&) { return s; },
            [&](const ElementLoad& n) {
                return change(n.position) ? element_load(n.tensor, parts, n.zero_outside, s->dtype)
                                          : s;
            },
            [&](const Call& n) { return change(n.arguments) ? call(n.function, parts) : s; },
            [&](const Cast& n) {
                const Scalar argument = rewrite(n.argument, f);
                if (argument == n.argument) return s;
                parts.push_back(argument);
                return cast(s->dtype, argument);
            },
            [&](const External& n) {
                // The arguments keep their places: one of them may be what is left of a part.
                const Scalar meaning = rewrite(n.meaning, f);
                std::vector<Scalar> arguments;
                for (const Scalar& x : n.arguments) arguments.push_back(rewrite(x, f));
                return external(n.name, n.header, std::move(arguments), meaning);
            },
        },
        s->node);
    // x + 0 is x: what was rewritten already is not rewritten again.
    if (std::find(parts.begin(), parts.end(), rebuilt) != parts.end()) return rebuilt;
    const Scalar replaced = f(rebuilt);
    return replaced ? replaced : rebuilt;
}

Scalar simplified(const Scalar& s) {
    return rewrite(s, [](const Scalar& x) -> Scalar {
        const auto* c = std::get_if<Call>(&x->node);
        return c == nullptr ? nullptr : simplify(c->function, c->arguments);
    });
}

Scalar substitute(const Scalar& s, const std::map<std::string, Scalar>& values) {
    return rewrite(s, [&](const Scalar& x) -> Scalar {
        const auto* name = std::get_if<Symbol>(&x->node);
        if (name == nullptr) return nullptr;
        const auto found = values.find(name->name);
        return found == values.end() ? nullptr : found->second;
    });
}

void visit_nodes(const Scalar& s, const std::function<void(const ScalarNode&)>& f) {
    f(*s);
    if (const auto* n = std::get_if<ElementLoad>(&s->node)) {
        for (const Scalar& x : n->position) visit_nodes(x, f);
    } else if (const auto* c = std::get_if<Call>(&s->node)) {
        for (const Scalar& x : c->arguments) visit_nodes(x, f);
    } else if (const auto* k = std::get_if<Cast>(&s->node)) {
        visit_nodes(k->argument, f);
    } else if (const auto* e = std::get_if<External>(&s->node)) {
        for (const Scalar& x : e->arguments) visit_nodes(x, f);
    }
}

bool mentions(const Scalar& s, const std::string& symbol) {
    bool found = false;
    visit_nodes(s, [&](const ScalarNode& n) {
        const auto* name = std::get_if<Symbol>(&n.node);
        found = found || (name != nullptr && name->name == symbol);
    });
    return found;
}

std::set<std::string> symbols_of(const Scalar& s) {
    std::set<std::string> names;
    visit_nodes(s, [&](const ScalarNode& n) {
        if (const auto* name = std::get_if<Symbol>(&n.node)) names.insert(name->name);
    });
    return names;
}

bool evaluate(const Scalar& s, const std::map<std::string, std::int64_t>& values,
              std::int64_t* result) {
    if (is_constant(s, result)) return true;
    if (const auto* name = std::get_if<Symbol>(&s->node)) {
        const auto found = values.find(name->name);
        if (found == values.end()) return false;
        *result = found->second;
        return true;
    }
    if (const auto* k = std::get_if<Cast>(&s->node)) {
        return is_integer(s->dtype) && evaluate(k->argument, values, result);
    }
    const auto* c = std::get_if<Call>(&s->node);
    if (c == nullptr) return false;
    std::vector<std::int64_t> arguments;
    for (const Scalar& x : c->arguments) {
        std::int64_t value = 0;
        if (!evaluate(x, values, &value)) return false;
        arguments.push_back(value);
        if (arguments.size() != 1) continue;
        // What is not chosen has no value: a divisor there may be 0.
        const bool holds = value != 0;
        if (c->function == Function::where)
            return evaluate(c->arguments[holds ? 1 : 2], values, result);
        const bool decides = (c->function == Function::logical_or && holds) ||
                             (c->function == Function::logical_and && !holds);
        *result = holds ? 1 : 0;
        if (decides) return true;
    }
    return fold(c->function, arguments, result);
}

namespace {

// Names that read as something else in an expression, unless marked by `$`.
bool is_expression_word(std::string_view name) {
    constexpr std::array words = std::to_array<std::string_view>(
        {"row", "col", "true", "false", "inf", "nan", "and", "or", "not"});
    return std::find(words.begin(), words.end(), name) != words.end();
}

// Appends to one text: long expressions are keys of what was found out about them.
class ScalarText {
public:
    // `outer`: how tight what is around it binds.
    void print(const Scalar& s, int outer) {
        std::visit(Overloaded{
                       [&](const Integer& n) {
                           in_parentheses(n.value < 0 && outer > 9, [&] {
                               fmt::format_to(std::back_inserter(text), "{}", n.value);
                               add_suffix(s->dtype, Dtype::i32);
                           });
                       },
                       [&](const Real& n) {
                           in_parentheses(n.value < 0 && outer > 9, [&] {
                               text += real_text(n.value);
                               add_suffix(s->dtype, Dtype::f32);
                           });
                       },
                       [&](const Boolean& n) { text += n.value ? "true" : "false"; },
                       [&](const Symbol& n) {
                           if (is_expression_word(n.name)) text += '$';
                           text += n.name;
                           add_suffix(s->dtype, Dtype::i32);
                       },
                       [&](const Element& n) {
                           fmt::format_to(std::back_inserter(text), "#{}", n.input);
                           add_suffix(s->dtype, Dtype::f32);
                       },
                       [&](const Row&) { text += "row"; },
                       [&](const Column&) { text += "col"; },
                       [&](const ElementLoad& n) {
                           text += n.tensor;
                           text += '[';
                           print_list(n.position);
                           text += n.zero_outside ? "]?" : "]";
                           add_suffix(s->dtype, Dtype::i32);
                       },
                       [&](const Call& n) { print_call(n, outer); },
                       [&](const Cast& n) {
                           text += name(s->dtype);
                           in_parentheses(true, [&] { print(n.argument, 0); });
                       },
                       [&](const External& n) {
                           fmt::format_to(std::back_inserter(text), "extern(\"{}\", \"{}\", ",
                                          n.name, n.header);
                           print(n.meaning, 0);
                           if (!n.arguments.empty()) text += ", ";
                           print_list(n.arguments);
                           text += ')';
                       },
                   },
                   s->node);
    }
    std::string text;

private:
    template <class F>
    void in_parentheses(bool needed, const F& print_inside) {
        if (needed) text += '(';
        print_inside();
        if (needed) text += ')';
    }

    void print_list(const std::vector<Scalar>& list) {
        for (const Scalar& x : list) {
            if (&x != &list.front()) text += ", ";
            print(x, 0);
        }
    }

    void print_call(const Call& c, int outer) {
        const FunctionInfo& f = info(c.function);
        if (f.precedence == 0) {
            text += f.name;
            return in_parentheses(true, [&] { print_list(c.arguments); });
        }
        in_parentheses(f.precedence < outer, [&] {
            if (f.arity == 1) {
                text += f.name;
                if (f.name == "not") text += ' ';
                return print(c.arguments[0], f.precedence);
            }
            // Left associative; comparisons do not associate, so both their sides bind tighter.
            const bool tight = f.precedence >= 10;
            print(c.arguments[0],
                  f.kind == FunctionKind::compare ? f.precedence + 1 : f.precedence);
            if (!tight) text += ' ';
            text += f.name;
            if (!tight) text += ' ';
            print(c.arguments[1], f.precedence + 1);
        });
    }

    static std::string real_text(double value) {
        if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
        // the shortest text that reads back as the same number
        std::string made = fmt::format("{}", value);
        if (made.find_first_of(".en") == std::string::npos) made += ".0";
        return made;
    }

    void add_suffix(Dtype dtype, Dtype usual) {
        if (dtype == usual) return;
        text += ':';
        text += name(dtype);
    }
};

}  // namespace

std::string to_string(const Scalar& s) {
    ScalarText made;
    made.print(s, 0);
    return std::move(made.text);
}

}  // namespace tkc::ir
