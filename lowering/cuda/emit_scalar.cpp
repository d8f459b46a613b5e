// Scalars: operators, the runtime's functions, conversions and element loads.
//
// Integers: C++ division is floor division where both sides are known to be nonnegative, which
// index arithmetic is; elsewhere the runtime's functions are called. So they are where a signed
// number may leave its dtype: it wraps there, and C++ says nothing of what becomes of it. 16-bit
// floating-point values are widened to f32 before any arithmetic and rounded after it.
#include "lowering/cuda/emit_scalar.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/overloaded.h"
#include "facts/plain_signs.h"
#include "ir/contract.h"
#include "language/function_cases.h"
#include "lowering/cuda/emit.h"
#include "lowering/cuda/kernel_parameters.h"

namespace tkc::cuda {

namespace {

using ir::Scalar;
using F = tkc::Function;

const char* const integer_header = "tk/operations/integer.cuh";
const char* const cells_header = "tk/operations/cells.cuh";

class ScalarEmitter {
public:
    explicit ScalarEmitter(const ScalarScope& scope)
        : scope_(scope), ranges_(*scope.ranges, scope.asked), places_(*scope.ranges) {}

    Expr emit(const Scalar& s) const {
        for (const auto& [term, name] : scope_.known) {
            if (ir::same(term, s)) return name;
        }
        return std::visit(Overloaded{
                              [&](const ir::Call& c) { return emit(c, s); },
                              [&](const auto& node) { return emit(node, *s); },
                          },
                          s->node);
    }

    bool nonnegative(const Scalar& s) const {
        return std::visit(Overloaded{
                              [](const ir::Integer& i) { return i.value >= 0; },
                              [](const ir::Real& r) { return r.value >= 0; },
                              [](const ir::Boolean&) { return true; },
                              [&](const ir::Symbol& x) {
                                  const auto found = scope_.symbols.find(x.name);
                                  return found != scope_.symbols.end() && found->second.nonnegative;
                              },
                              [](const ir::Element&) { return false; },
                              [](const ir::Row&) { return true; },
                              [](const ir::Column&) { return true; },
                              [](const ir::ElementLoad&) { return false; },
                              [&](const ir::Call& c) { return nonnegative(c, s); },
                              [&](const ir::Cast& c) {
                                  return is_integer(s->dtype) &&
                                         keeps_sign(c.argument->dtype, s->dtype) &&
                                         nonnegative(c.argument);
                              },
                              [](const ir::External&) { return false; },
                          },
                          s->node);
    }

    bool may_wrap(const Scalar& s) const {
        if (ranges_.step_of(s).fit != ir::Fit::never) return false;
        bool place = false;
        for (const Scalar& whole : scope_.places) {
            ir::rewrite(whole, [&](const Scalar& part) -> Scalar {
                place = place || ir::same(part, s);
                return nullptr;
            });
        }
        return !place || places_.step_of(s).fit == ir::Fit::never;
    }

private:
    // Whether no number from 0 on becomes negative.
    static bool keeps_sign(Dtype from, Dtype to) {
        if (!is_integer(from)) return true;
        const int more = info(from).kind == DtypeClass::natural ? 1 : 0;
        return info(to).kind == DtypeClass::natural || info(from).bits + more <= info(to).bits;
    }
    bool is_data(const Scalar& s) const {
        static const std::set<std::string> none;
        return ir::is_from_data(scope_.data ? *scope_.data : none, s);
    }

    bool nonnegative(const ir::Call& c, const Scalar& s) const {
        const auto& a = c.arguments;
        switch (c.function) {
            case F::add:
            case F::mul: return nonnegative(a[0]) && nonnegative(a[1]) && !may_wrap(s);
            case F::min: return nonnegative(a[0]) && nonnegative(a[1]);
            case F::max: return nonnegative(a[0]) || nonnegative(a[1]);
            case F::div:
            case F::ceil_div: return nonnegative(a[0]) && !is_data(a[1]);
            case F::where: return nonnegative(a[1]) && nonnegative(a[2]);
            case F::bit_and: return nonnegative(a[0]) || nonnegative(a[1]);
            case F::shift_right: return nonnegative(a[0]);
            case F::mod: return !is_data(a[1]);  // or the launcher sees to it that it is positive
            case F::abs:
                return nonnegative(a[0]) || !is_integer(a[0]->dtype);  // -2^31 has none
            // Not known.
            case F::sub:
            case F::neg:
            case F::bit_or:
            case F::bit_xor:
            case F::bit_not:
            case F::shift_left:
            case TKC_LOGIC:
            case TKC_COMPARISONS:
            case TKC_REAL_FUNCTIONS:
            case TKC_BIT_PATTERNS: break;
        }
        return false;
    }

    // ---- leaves --------------------------------------------------------------------------------

    Expr emit(const ir::Integer& i, const ir::ScalarNode& s) const {
        if (is_real(s.dtype)) return real_literal(static_cast<double>(i.value), s.dtype);
        if (s.dtype == Dtype::i32 && i.value == std::numeric_limits<std::int32_t>::min())
            return atom("(-2147483647 - 1)");
        if (i.value == std::numeric_limits<std::int64_t>::min())
            return atom("(-9223372036854775807LL - 1)");
        const bool negative = i.value < 0;
        const std::string digits = std::to_string(i.value).substr(negative ? 1 : 0);
        const char* suffix = s.dtype == Dtype::i64 ? "LL" : s.dtype == Dtype::u32 ? "u" : "";
        const Expr magnitude = atom(digits + suffix);
        return negative ? unary(UnaryOp::negate, magnitude) : magnitude;
    }
    Expr emit(const ir::Real& r, const ir::ScalarNode& s) const {
        return real_literal(r.value, s.dtype);
    }
    Expr emit(const ir::Boolean& b, const ir::ScalarNode&) const {
        return atom(b.value ? "true" : "false");
    }

    Expr emit(const ir::Symbol& x, const ir::ScalarNode&) const {
        const auto found = scope_.symbols.find(x.name);
        if (found == scope_.symbols.end())
            throw EmitError(fmt::format("no symbol `{}` in scope", x.name));
        return found->second.value;
    }
    Expr emit(const ir::Element& e, const ir::ScalarNode&) const {
        const auto number = static_cast<std::size_t>(e.input);
        if (number >= scope_.cells.size())
            throw EmitError("a cell outside an elementwise operation");
        return scope_.cells[number];
    }
    Expr emit(const ir::Row&, const ir::ScalarNode&) const { return position(scope_.row); }
    Expr emit(const ir::Column&, const ir::ScalarNode&) const { return position(scope_.column); }
    static Expr position(const Expr& e) {
        if (!e) throw EmitError("`row` or `col` outside an elementwise operation");
        return e;
    }

    // ---- memory --------------------------------------------------------------------------------

    Expr emit(const ir::ElementLoad& load, const ir::ScalarNode& s) const {
        const Expr value = cell(load);
        const Expr inside = bounds(load);
        if (!inside) return value;
        const std::string type = element_type(s.dtype);
        const bool one_word = type.find(' ') == std::string::npos;
        const Expr zero = one_word ? expr(Braced{type, {}}) : emit(ir::integer(0, s.dtype));
        return expr(Conditional{inside, value, zero});
    }

    Expr cell(const ir::ElementLoad& load) const {
        const auto tensor = scope_.tensors.find(load.tensor);
        if (tensor == scope_.tensors.end())
            throw EmitError(fmt::format("no tensor `{}`", load.tensor));
        std::vector<Expr> arguments{tensor->second};
        for (const Scalar& p : load.position) arguments.push_back(emit(p));
        need(cells_header);
        const bool dense = has_dense_rows(*scope_.kernel, load.tensor);
        return call(dense ? "tk::dense_cell" : "tk::cell", std::move(arguments));
    }

    // The condition that the position lies inside the tensor; null if nobody asks. What the kernel
    // has read may be anything: wrong data must not take it outside of its tensors.
    Expr bounds(const ir::ElementLoad& load) const {
        const ir::Tensor* tensor = ir::find_tensor(*scope_.kernel, load.tensor);
        if (tensor == nullptr) return nullptr;
        Expr inside;
        const auto add = [&](Expr condition) {
            inside = inside ? binary(BinaryOp::logical_and, inside, condition) : condition;
        };
        for (std::size_t i = 0; i < load.position.size(); ++i) {
            const Scalar& p = load.position[i];
            if (!load.zero_outside && !is_data(p)) continue;
            std::int64_t at = 0;
            std::int64_t extent = 0;
            if (!nonnegative(p)) add(binary(BinaryOp::less_equal, literal(0), emit(p)));
            const bool known =
                ir::is_constant(p, &at) && ir::is_constant(tensor->extents[i], &extent);
            if (!known || at >= extent)
                add(binary(BinaryOp::less, emit(p), emit(tensor->extents[i])));
        }
        return inside;
    }

    // ---- conversions ---------------------------------------------------------------------------

    Expr emit(const ir::Cast& c, const ir::ScalarNode& s) const {
        const Dtype from = c.argument->dtype;
        if (const auto* load = std::get_if<ir::ElementLoad>(&c.argument->node)) {
            // Zero needs no conversion.
            const Expr inside = bounds(*load);
            if (inside && s.dtype == Dtype::f32) {
                return expr(Conditional{inside, convert(cell(*load), from, s.dtype), atom("0.0f")});
            }
        }
        return convert(emit(c.argument), from, s.dtype);
    }

    Expr convert(Expr value, Dtype from, Dtype to) const {
        if (from == to) return value;
        if (is_boolean(to)) return binary(BinaryOp::not_equal, std::move(value), literal(0));
        if (is_narrow_real(from) && to != Dtype::f32) {
            return convert(call("float", {std::move(value)}), Dtype::f32, to);
        }
        if (is_narrow_real(to) && from != Dtype::f32) {
            return convert(call("float", {std::move(value)}), Dtype::f32, to);
        }
        if (is_real(from) && is_integer(to)) return to_integer(std::move(value), from, to);
        const std::string type = scalar_type(to);
        const bool one_word = type.find(' ') == std::string::npos;
        return one_word ? call(type, {std::move(value)})
                        : call(fmt::format("static_cast<{}>", type), {std::move(value)});
    }

    // Truncates and saturates; NaN gives 0. The conversion instructions do just that, but for a NaN
    // that has 64 bits or must get them (PTX ISA, "cvt").
    Expr to_integer(Expr value, Dtype from, Dtype to) const {
        const bool wide = from == Dtype::f64 || to == Dtype::i64;
        switch (to) {
            case Dtype::i32:
            case Dtype::u32:
            case Dtype::i64:
                if (wide)
                    return integer(fmt::format("tk::truncated<{}>", element_type(to)),
                                   {std::move(value)});
                return call(to == Dtype::i32 ? "__float2int_rz" : "__float2uint_rz",
                            {std::move(value)});
            case Dtype::i8:
            case Dtype::i16:
            case Dtype::u8:
                need(integer_header);
                return call(fmt::format("tk::saturated<{}>", element_type(to)),
                            {to_integer(std::move(value), from, Dtype::i32)});
            case Dtype::boolean:
            case Dtype::f16:
            case Dtype::bf16:
            case Dtype::f32:
            case Dtype::f64:
            case Dtype::fp8_e4m3:
            case Dtype::fp8_e5m2: break;
        }
        throw EmitError(fmt::format("conversion from {} to {}", name(from), name(to)));
    }

    Expr emit(const ir::External& f, const ir::ScalarNode&) const {
        if (!f.header.empty()) need(f.header.c_str());
        std::vector<Expr> arguments;
        for (const Scalar& argument : f.arguments) arguments.push_back(emit(argument));
        return call(f.name, std::move(arguments));
    }

    // ---- functions -----------------------------------------------------------------------------

    // The operand in the dtype that arithmetic is done in.
    Expr widened(const Scalar& s) const {
        return is_narrow_real(s->dtype) ? emit(ir::cast(Dtype::f32, s)) : emit(s);
    }

    // One of two values of one type. Cells of 16-bit rows and columns are kept in f32, and C++
    // would not know which of the two types is meant.
    Expr branch(const Scalar& s) const {
        const bool cell = std::holds_alternative<ir::Element>(s->node);
        return cell && is_narrow_real(s->dtype) ? call(element_type(s->dtype), {emit(s)}) : emit(s);
    }

    Expr emit(const ir::Call& c, const Scalar& s) const {
        if (c.function == F::where) {
            return expr(
                Conditional{emit(c.arguments[0]), branch(c.arguments[1]), branch(c.arguments[2])});
        }
        std::vector<Expr> a;
        for (const Scalar& argument : c.arguments) a.push_back(widened(argument));
        const Expr value = wraps(c, s) ? wrapping(c, a) : apply(c, std::move(a));
        // C++ computes integers of less than 32 bits in 32, where they have room.
        const bool narrow = is_integer(s->dtype) && bits_of(s->dtype) < 32;
        return is_narrow_real(s->dtype) || narrow ? call(element_type(s->dtype), {value}) : value;
    }

    // Whether C++ would leave open what becomes of the step: where a signed number of at least 32
    // bits may wrap, and where one below 0 is shifted up.
    bool wraps(const ir::Call& c, const Scalar& s) const {
        if (info(s->dtype).kind != DtypeClass::integer || bits_of(s->dtype) < 32) return false;
        switch (c.function) {
            case F::add:
            case F::sub:
            case F::mul:
            case F::neg: return may_wrap(s);
            case F::shift_left: return may_wrap(s) || ranges_.range_of(c.arguments[0]).least < 0;
            case F::div:
            case F::min:
            case F::max:
            case F::abs:
            case F::bit_and:
            case F::bit_or:
            case F::bit_xor:
            case F::bit_not:
            case F::shift_right:
            case TKC_LOGIC:
            case TKC_COMPARISONS:
            case TKC_INTEGER_FUNCTIONS:
            case TKC_REAL_FUNCTIONS:
            case TKC_BIT_PATTERNS:
            case F::where: break;
        }
        return false;
    }

    Expr wrapping(const ir::Call& c, std::vector<Expr> a) const {
        switch (c.function) {
            case F::add: return integer("tk::wrapping_add", std::move(a));
            case F::sub: return integer("tk::wrapping_subtract", std::move(a));
            case F::mul: return integer("tk::wrapping_multiply", std::move(a));
            case F::neg: return integer("tk::wrapping_negate", std::move(a));
            case F::shift_left:
                return integer("tk::wrapping_shift_left", {a[0], places(c.arguments[1], a[1])});
            case F::div:
            case F::min:
            case F::max:
            case F::abs:
            case F::bit_and:
            case F::bit_or:
            case F::bit_xor:
            case F::bit_not:
            case F::shift_right:
            case TKC_LOGIC:
            case TKC_COMPARISONS:
            case TKC_INTEGER_FUNCTIONS:
            case TKC_REAL_FUNCTIONS:
            case TKC_BIT_PATTERNS:
            case F::where: break;
        }
        throw EmitError(fmt::format("`{}` does not wrap", name(c.function)));
    }

    Expr apply(const ir::Call& c, std::vector<Expr> a) const {
        const auto infix = [&](BinaryOp op) { return binary(op, a[0], a[1]); };
        const auto runtime = [&](const char* function) { return call(function, a); };
        const Dtype dtype = c.arguments[0]->dtype;
        switch (c.function) {
            case F::add:
                return is_integer(dtype) && joins(c) ? sum(a[0], a[1]) : infix(BinaryOp::add);
            case F::sub: return infix(BinaryOp::subtract);
            case F::mul: return infix(BinaryOp::multiply);
            case F::div: return divide(c, std::move(a));
            case F::mod:
                return divides_plainly(c) ? infix(BinaryOp::modulo) : integer("tk::remainder", a);
            case F::ceil_div: return integer("tk::divide_up", a);
            case F::neg: return unary(UnaryOp::negate, a[0]);
            case F::bit_and: return infix(BinaryOp::bit_and);
            case F::bit_or: return infix(BinaryOp::bit_or);
            case F::bit_xor: return infix(BinaryOp::bit_xor);
            case F::bit_not: return unary(UnaryOp::bit_not, a[0]);
            case F::shift_left:
                return binary(BinaryOp::shift_left, a[0], places(c.arguments[1], a[1]));
            case F::shift_right:
                return binary(BinaryOp::shift_right, a[0], places(c.arguments[1], a[1]));
            case F::eq: return infix(BinaryOp::equal);
            case F::ne: return infix(BinaryOp::not_equal);
            case F::lt: return compare(BinaryOp::less, BinaryOp::greater, c, a);
            case F::le: return compare(BinaryOp::less_equal, BinaryOp::greater_equal, c, a);
            case F::gt: return compare(BinaryOp::greater, BinaryOp::less, c, a);
            case F::ge: return compare(BinaryOp::greater_equal, BinaryOp::less_equal, c, a);
            case F::logical_and: return infix(BinaryOp::logical_and);
            case F::logical_or: return infix(BinaryOp::logical_or);
            case F::logical_not: return unary(UnaryOp::logical_not, a[0]);
            case F::where: return expr(Conditional{a[0], a[1], a[2]});
            case F::min: return has_min_max(dtype) ? runtime("tk::min") : integer("tk::least", a);
            case F::max:
                return has_min_max(dtype) ? runtime("tk::max") : integer("tk::greatest", a);
            case F::abs:
                return is_integer(dtype) ? integer("tk::magnitude", a) : runtime("tk::abs");
            case F::fma: return runtime("tk::fma");
            case F::exp2: return runtime("tk::exp2");
            case F::exp: return runtime("tk::exp");
            case F::log2: return runtime("tk::log2");
            case F::log: return runtime("tk::log");
            case F::sqrt: return runtime("tk::sqrt");
            case F::rsqrt: return runtime("tk::rsqrt");
            case F::tanh: return runtime("tk::tanh");
            case F::sin: return runtime("tk::sin");
            case F::cos: return runtime("tk::cos");
            case F::erf: return runtime("tk::erf");
            case F::pow: return runtime("tk::pow");
            case F::floor: return runtime("tk::floor");
            case F::ceil: return runtime("tk::ceil");
            case F::round: return runtime("tk::round");
            case F::to_bits: return runtime("tk::to_bits");
            case F::from_bits: return runtime("__int_as_float");
        }
        throw EmitError("a function without a spelling");
    }

    // By how many places: C++ leaves 32 and more undefined.
    static Expr places(const Scalar& s, Expr count) {
        std::int64_t known = 0;
        if (ir::is_constant(s, &known)) return literal(known & 31);
        return binary(BinaryOp::bit_and, std::move(count), literal(31));
    }

    // Whether a + (b + c) may be a + b + c: where a + b wraps no more than the whole.
    bool joins(const ir::Call& sum) const {
        const auto* inner = std::get_if<ir::Call>(&sum.arguments[1]->node);
        if (inner == nullptr || inner->function != F::add) return true;
        const Scalar& b = inner->arguments[0];
        const bool grows = nonnegative(b) && nonnegative(inner->arguments[1]);
        return joins(*inner) && (grows || !may_wrap(ir::add(sum.arguments[0], b)));
    }
    static Expr sum(const Expr& a, const Expr& b) {
        const auto* inner = std::get_if<Binary>(&b->node);
        if (inner == nullptr || inner->op != BinaryOp::add) return binary(BinaryOp::add, a, b);
        return binary(BinaryOp::add, sum(a, inner->left), inner->right);
    }

    // `k > 0` rather than `0 < k`.
    static Expr compare(BinaryOp op, BinaryOp mirrored, const ir::Call& c,
                        const std::vector<Expr>& a) {
        const bool constant_first =
            ir::is_constant(c.arguments[0]) && !ir::is_constant(c.arguments[1]);
        return constant_first ? binary(mirrored, a[1], a[0]) : binary(op, a[0], a[1]);
    }

    static bool has_min_max(Dtype d) { return d == Dtype::i32 || is_real(d); }

    Expr integer(const std::string& function, std::vector<Expr> arguments) const {
        need(integer_header);
        return call(function, std::move(arguments));
    }

    // Where C++ division is floor division: no operand can be negative.
    bool divides_plainly(const ir::Call& c) const {
        const bool natural = info(c.arguments[0]->dtype).kind == DtypeClass::natural;
        return natural || nonnegative(c.arguments[0]);
    }

    Expr divide(const ir::Call& c, std::vector<Expr> a) const {
        if (c.arguments[0]->dtype == Dtype::f64) return binary(BinaryOp::divide, a[0], a[1]);
        if (!is_integer(c.arguments[0]->dtype)) return call("tk::divide", std::move(a));
        if (divides_plainly(c)) return binary(BinaryOp::divide, a[0], a[1]);
        return integer("tk::divide_down", std::move(a));
    }

    void need(const char* header) const {
        if (scope_.includes != nullptr) scope_.includes->insert(header);
    }

    const ScalarScope& scope_;
    mutable ir::RangeFinder ranges_;
    mutable ir::RangeFinder places_;  // where the launch is asked
};

}  // namespace

Expr emit_scalar(const ir::Scalar& s, const ScalarScope& scope) {
    return ScalarEmitter(scope).emit(s);
}

Expr emit_unrounded(const ir::Scalar& s, const ScalarScope& scope) {
    const auto* rounds = std::get_if<ir::Cast>(&s->node);
    if (rounds != nullptr && is_narrow_real(s->dtype) && rounds->argument->dtype == Dtype::f32) {
        return emit_scalar(rounds->argument, scope);
    }
    return emit_scalar(s, scope);
}

bool may_wrap(const ir::Scalar& s, const ScalarScope& scope) {
    return ScalarEmitter(scope).may_wrap(s);
}

bool is_nonnegative(const ir::Scalar& s, const ScalarScope& scope) {
    return ScalarEmitter(scope).nonnegative(s);
}

bool has_dense_rows(const ir::Kernel& kernel, const std::string& name) {
    const ir::Tensor* tensor = ir::find_tensor(kernel, name);
    if (tensor == nullptr || tensor->extents.empty()) return false;
    const ir::Scalar stride = ir::stride_of(name, tensor->extents.size() - 1);
    const ir::Scalar dense = ir::call(F::eq, {stride, ir::integer(1)});
    return std::any_of(kernel.conditions.begin(), kernel.conditions.end(),
                       [&](const ir::Condition& c) { return ir::same(c.holds, dense); });
}

Expr real_literal(double value, Dtype dtype) {
    Expr positive;
    if (std::isfinite(value)) {
        std::array<char, 64> buffer{};
        const double magnitude = std::fabs(value);
        const auto end =
            dtype == Dtype::f64
                ? std::to_chars(buffer.data(), buffer.data() + buffer.size(), magnitude).ptr
                : std::to_chars(buffer.data(), buffer.data() + buffer.size(),
                                static_cast<float>(magnitude))
                      .ptr;
        std::string text(buffer.data(), end);
        if (text.find_first_of(".e") == std::string::npos) text += ".0";
        if (dtype != Dtype::f64) text += 'f';
        positive = atom(text);
    } else {
        positive = atom(std::isnan(value) ? "NAN" : "INFINITY");
        if (dtype == Dtype::f64) positive = call("double", {positive});
    }
    const bool negative = std::signbit(value) && !std::isnan(value);
    const Expr literal = negative ? unary(UnaryOp::negate, positive) : positive;
    // `condition ? x : literal` needs one type on both sides.
    return is_narrow_real(dtype) ? call(element_type(dtype), {literal}) : literal;
}

std::string scalar_type(Dtype dtype) { return element_type(dtype); }

}  // namespace tkc::cuda
