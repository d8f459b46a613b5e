// Describing and converting what expressions are while they are checked.
#include "frontend/check_values.h"

#include <fmt/format.h>

#include <cmath>

#include "ir/overloaded.h"

namespace tkc::checker {

bool adapts(const ir::Scalar& s) {
    if (const auto* real = std::get_if<ir::Real>(&s->node)) return std::isinf(real->value);
    return is_integer(s->dtype) && ir::is_constant(s);
}

ir::Scalar converted(const ir::Scalar& s, Dtype dtype) {
    if (s->dtype == dtype) return s;
    if (const auto* r = std::get_if<ir::Real>(&s->node);
        r != nullptr && std::isinf(r->value) && is_real(dtype)) {
        return ir::real(r->value, dtype);
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

std::string describe(const Operand& x) {
    return std::visit(
        Overloaded{
            [](const Poison&) { return std::string("nothing"); },
            [](const Nothing&) { return std::string("no value"); },
            [](const ir::Scalar& s) {
                if (is_boolean(s->dtype)) return std::string("a bool");
                if (ir::is_constant(s)) return "the number " + ir::to_string(s);
                return "a number of type " + std::string(name(s->dtype));
            },
            [](const TileIndex& t) { return fmt::format("a tile index of width {}", t.width); },
            [](const Tile& t) { return "a tile " + tile_text(t.cell->dtype, t.rows, t.cols); },
            [](const SharedTile& t) {
                return "a shared tile " + tile_text(t.dtype, t.rows, t.cols);
            },
            [](const Record& r) { return "an element of pipeline `" + r.pipeline + "`"; },
            [](const TensorName& t) { return "the tensor `" + t.name + "`"; },
            [](const TensorPart& t) { return "a slice of tensor `" + t.slice.tensor + "`"; },
            [](const PipelineName& p) { return "the pipeline `" + p.name + "`"; },
            [](const RoleName& r) { return "the role `" + r.name + "`"; },
            [](const DtypeName& d) { return "the data type " + std::string(name(d.dtype)); },
        },
        x);
}

std::optional<Dtype> dtype_of(const Operand& x) {
    if (const auto* s = std::get_if<ir::Scalar>(&x)) return (*s)->dtype;
    if (const auto* t = std::get_if<Tile>(&x)) return t->cell->dtype;
    if (const auto* t = std::get_if<SharedTile>(&x)) return t->dtype;
    return std::nullopt;
}

}  // namespace tkc::checker
