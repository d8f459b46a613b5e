// Describing and converting what expressions are while they are checked.
#include "frontend/check/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/overloaded.h"

namespace tkc::checker {

Operand::Operand() = default;
Operand::Operand(std::size_t kind, void* value)
    : AnyOperand(variant_from<AnyOperand>(kind, value)) {}
Operand::Operand(const Operand&) = default;
Operand::Operand(Operand&&) noexcept = default;
Operand& Operand::operator=(const Operand&) = default;
Operand& Operand::operator=(Operand&&) noexcept = default;
Operand::~Operand() = default;

std::optional<Dtype> common_dtype(Dtype a, Dtype b) {
    if (a == b) return a;
    const bool reals = is_real(a) && is_real(b);
    for (const Dtype wide : {Dtype::f64, Dtype::f32})
        if (reals && (a == wide || b == wide)) return wide;
    if (info(a).kind == info(b).kind && is_integer(a)) return info(a).bits > info(b).bits ? a : b;
    return std::nullopt;
}

bool widens(Dtype from, Dtype to) { return from == to || common_dtype(from, to) == to; }

std::optional<double> written_number(const ir::Scalar& s) {
    if (const auto* real = std::get_if<ir::Real>(&s->node)) return real->value;
    std::int64_t whole = 0;
    if (is_integer(s->dtype) && ir::is_constant(s, &whole)) return static_cast<double>(whole);
    const auto* call = std::get_if<ir::Call>(&s->node);
    if (call == nullptr || call->function != Function::neg) return std::nullopt;
    const std::optional<double> number = written_number(call->arguments[0]);
    return number ? std::optional(-*number) : std::nullopt;
}

bool adapts(const ir::Scalar& s) {
    if (is_integer(s->dtype)) return ir::is_constant(s);
    if (const auto* real = std::get_if<ir::Real>(&s->node); real && std::isinf(real->value))
        return true;
    // A literal is f64 if f32 does not reach it. What it meets says whether it may be.
    const std::optional<double> number = written_number(s);
    return s->dtype == Dtype::f64 && number && std::isfinite(*number) &&
           std::abs(*number) > std::numeric_limits<float>::max();
}

bool is_exact_in_f64(Function function) {
    return function == Function::fma || function == Function::sqrt || function == Function::floor ||
           function == Function::ceil || function == Function::round;
}

namespace {

// `1 / 3.0` in f64: a formula of literals is as exact as what it meets. Null if there is more in it
// than these. What `where` chooses by may be anything.
ir::Scalar written_in_f64(const ir::Scalar& s) {
    if (const auto* real = std::get_if<ir::Real>(&s->node))
        return ir::real(real->value, Dtype::f64);
    if (const auto* cast = std::get_if<ir::Cast>(&s->node); cast && ir::is_constant(cast->argument))
        return is_integer(cast->argument->dtype) ? ir::cast(Dtype::f64, cast->argument) : nullptr;
    const auto* call = std::get_if<ir::Call>(&s->node);
    if (call == nullptr || s->dtype != Dtype::f32) return nullptr;
    const FunctionKind kind = info(call->function).kind;
    if (kind != FunctionKind::arithmetic && kind != FunctionKind::select &&
        !is_exact_in_f64(call->function))
        return nullptr;
    std::vector<ir::Scalar> arguments = call->arguments;
    for (std::size_t i = kind == FunctionKind::select ? 1 : 0; i < arguments.size(); ++i) {
        arguments[i] = written_in_f64(arguments[i]);
        if (!arguments[i]) return nullptr;
    }
    return ir::call(call->function, std::move(arguments));
}

}  // namespace

bool is_written(const ir::Scalar& s) {
    return s->dtype == Dtype::f32 && written_in_f64(s) != nullptr;
}

ir::Scalar converted(const ir::Scalar& s, Dtype dtype) {
    if (s->dtype == dtype) return s;
    if (const auto* r = std::get_if<ir::Real>(&s->node);
        r != nullptr && std::isinf(r->value) && is_real(dtype)) {
        return ir::real(r->value, dtype);
    }
    // A literal is the number that is written, and not what f32 makes of it.
    if (dtype == Dtype::f64 && s->dtype == Dtype::f32) {
        if (const ir::Scalar written = written_in_f64(s)) return written;
    }
    std::int64_t value = 0;
    // 8 bits of mantissa hold these exactly in every dtype that arithmetic is done in.
    if (is_16_bit_real(dtype) && is_integer(s->dtype) && ir::is_constant(s, &value) &&
        std::abs(value) <= 256) {
        return ir::real(static_cast<double>(value), dtype);
    }
    return ir::cast(dtype, s);
}

std::string shape_text(std::int64_t rows, std::int64_t cols) {
    return fmt::format("[{}, {}]", rows, cols);
}

std::string tile_text(Dtype dtype, std::int64_t rows, std::int64_t cols) {
    return std::string(name(dtype)) + shape_text(rows, cols);
}

ShapeDiagram shape_diagram(std::string name, Dtype dtype, std::int64_t rows, std::int64_t cols,
                           std::size_t axis) {
    return {std::move(name),
            std::string(tkc::name(dtype)),
            {std::to_string(rows), std::to_string(cols)},
            axis};
}

std::string shape_diagrams(const std::vector<ShapeDiagram>& shapes, std::string_view words) {
    std::size_t widest = 0;
    for (const ShapeDiagram& s : shapes) widest = std::max(widest, s.name.size());
    const std::size_t indent = widest == 0 ? 0 : widest + 2;
    std::string out;
    for (std::size_t k = 0; k < shapes.size(); ++k) {
        const ShapeDiagram& s = shapes[k];
        std::string line = s.name.empty() ? "" : s.name + ": ";
        line.resize(indent, ' ');
        line += s.dtype + "[";
        std::size_t from = 0, length = 0;
        for (std::size_t i = 0; i < s.extents.size(); ++i) {
            if (i != 0) line += ", ";
            if (i == s.axis) from = line.size(), length = s.extents[i].size();
            line += s.extents[i];
        }
        out +=
            (k == 0 ? "" : "\n") + line + "]\n" + std::string(from, ' ') + std::string(length, '^');
    }
    return out + " " + std::string(words);
}

std::string scalar_text(Dtype dtype) {
    const std::string_view type = name(dtype);
    const bool vowel = type[0] == 'f' || type[0] == 'i' || type[0] == 'e';  // as it is spoken
    return fmt::format("{} {} scalar", vowel ? "an" : "a", type);
}

std::string type_text(const WrittenType& type) {
    if (type.structure) return "a struct `" + type.structure->text + "`";
    if (type.extents.size() == 2)
        return "a tile " + tile_text(type.dtype, type.extents[0], type.extents[1]);
    return scalar_text(type.dtype);
}

bool same_type(const StructType& a, const StructType& b) {
    return a.declared == b.declared && a.text == b.text;
}

StructField* find_field(StructInstance& x, const std::string& name) {
    for (std::size_t i = 0; i < x.fields.size(); ++i) {
        if (x.type->members[i].name == name) return &x.fields[i];
    }
    return nullptr;
}

std::vector<std::string> field_names(const StructType& type) {
    std::vector<std::string> names;
    for (const StructType::Member& member : type.members) names.push_back(member.name);
    return names;
}

std::vector<ir::Value> values_of(const Operand& x) {
    if (const auto* tile = std::get_if<Tile>(&x)) return tile->inputs;
    if (const auto* shared = std::get_if<SharedTile>(&x)) return {shared->value};
    if (const auto* number = std::get_if<NumberVariable>(&x)) return {number->value};
    std::vector<ir::Value> all;
    if (const auto* instance = std::get_if<StructInstance>(&x)) {
        for (const StructField& field : instance->fields) {
            const std::vector<ir::Value> more = values_of(field.value);
            all.insert(all.end(), more.begin(), more.end());
        }
    }
    return all;
}

std::vector<std::int64_t> extents_of(const Operand& x) {
    if (const auto* tile = std::get_if<Tile>(&x)) return {tile->rows, tile->cols};
    if (const auto* shared = std::get_if<SharedTile>(&x)) return {shared->rows, shared->cols};
    return {};
}

std::string_view mode_text(ir::Mode mode) {
    switch (mode) {
        case ir::Mode::in: return "read-only";
        case ir::Mode::out: return "`out`";
        case ir::Mode::inout: return "`inout`";
        case ir::Mode::accumulate: return "`accumulate`";
        case ir::Mode::scratch: return "`scratch`";
    }
    return "";
}

std::string describe(const Operand& x) {
    return std::visit(
        Overloaded{
            [](const Poison&) { return std::string("nothing"); },
            [](const Nothing&) { return std::string("no value"); },
            [](const ir::Scalar& s) {
                if (is_boolean(s->dtype)) return std::string("a bool");
                if (ir::is_constant(s)) return "the number " + ir::to_string(s);
                return scalar_text(s->dtype);
            },
            [](const TileIndex& t) { return fmt::format("a tile index of width {}", t.width); },
            [](const NumberVariable& n) { return scalar_text(n.dtype); },
            [](const Tile& t) { return "a tile " + tile_text(t.cell->dtype, t.rows, t.cols); },
            [](const SharedTile& t) {
                return "a shared tile " + tile_text(t.dtype, t.rows, t.cols);
            },
            [](const Record& r) { return "an element of pipeline `" + r.pipeline + "`"; },
            [](const TensorName& t) { return "the tensor `" + t.name + "`"; },
            [](const View& v) { return "a view of tensor `" + v.tensor + "`"; },
            [](const TensorPart& t) { return "a slice of tensor `" + t.slice.tensor + "`"; },
            [](const PipelineName& p) { return "the pipeline `" + p.name + "`"; },
            [](const CounterName& c) { return "the counter `" + c.name + "`"; },
            [](const SpaceName& s) { return "the space `" + s.name + "`"; },
            [](const RoleName& r) { return "the role `" + r.name + "`"; },
            [](const DtypeName& d) { return "the data type " + std::string(name(d.dtype)); },
            [](const FunctionName& f) { return "the function `" + f.text + "`"; },
            [](const StructInstance& s) { return "a struct `" + s.type->text + "`"; },
        },
        x);
}

std::optional<Dtype> dtype_of(const Operand& x) {
    if (const auto* s = std::get_if<ir::Scalar>(&x)) return (*s)->dtype;
    if (const auto* n = std::get_if<NumberVariable>(&x)) return n->dtype;
    if (const auto* t = std::get_if<Tile>(&x)) return t->cell->dtype;
    if (const auto* t = std::get_if<SharedTile>(&x)) return t->dtype;
    return std::nullopt;
}

}  // namespace tkc::checker
