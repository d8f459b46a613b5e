// Bits of bytes become 16-bit reals two at a time:
//
//     map bf16((i32(#0) & 15) + 128) - #1 [w, z]     becomes
//     tk::map_pairs(t, [](uint32_t w, uint32_t z) {
//         return tk::subtract_pairs<tk::bf16>(tk::number_pair<tk::bf16, 0, 15>(w), z);
//     }, w, z);
//
// An integer below 128 is the last bits of the bf16 128, one below 1024 those of the f16 1024:
// one instruction makes two reals, where conversions would make one each, in f32. What is rounded
// to 16 bits after every operation may be computed in 16 bits: f32 has more than twice their
// digits and two, so that its rounding before changes nothing.
#include "lowering/cuda/emit_pairs.h"

#include <fmt/format.h>

#include <cstdlib>

#include "ir/layout.h"
#include "ir/walk.h"
#include "language/function_cases.h"
#include "lowering/cuda/kernel_parameters.h"

namespace tkc::cuda {

namespace {

using namespace ir;

const char* const pairs_header = "tk/operations/pairs.cuh";

// (byte >> shift) & mask of the cell of an input.
struct BitsOfByte {
    std::int64_t input = 0;
    std::int64_t shift = 0;
    std::int64_t mask = 255;
};

// field + offset.
struct WholePair {
    BitsOfByte field;
    std::int64_t offset = 0;
};

class PairFunction {
public:
    PairFunction(RoleContext& c, const Map& op)
        : c_(c), op_(op), type_(c.role.tile(op.result).dtype) {}

    bool works() {
        const Value result = op_.result;
        const TileType& tile = c_.role.tile(result);
        if (!is_16_bit_real(type_) || tile.rows == 1 || tile.cols == 1) return false;
        if (vector_of(c_.role[result].layout) != 2) return false;
        return takes(op_.expression) && takes_fields_;
    }

    Lambda function() {
        Lambda made;
        c_.names.begin_scope();
        std::set<std::uint32_t> seen;
        for (std::size_t i = 0; i < op_.inputs.size(); ++i) {
            const std::string tile = c_.values.at(op_.inputs[i].id);
            const bool first = seen.insert(op_.inputs[i].id).second;
            names_.push_back(first ? tile : c_.names.invent(tile));
            made.parameters.push_back({"uint32_t", names_.back()});
        }
        made.body.push_back(stmt(Return{emit(op_.expression)}));
        c_.names.end_scope();
        c_.kernel.includes.insert(pairs_header);
        return made;
    }

private:
    // The number that the lowest bits of the type's numbers from there on count from 0.
    std::int64_t base() const { return type_ == Dtype::bf16 ? 128 : 1024; }

    bool is_cell_of_result(Value v) const {
        const TileType& tile = c_.role.tile(v);
        const TileType& result = c_.role.tile(op_.result);
        return tile.rows == result.rows && tile.cols == result.cols &&
               c_.role[v].layout == c_.role[op_.result].layout;
    }

    std::optional<BitsOfByte> field_of(const Scalar& s) const {
        if (const auto* cast = std::get_if<Cast>(&s->node)) {
            const auto* cell = std::get_if<Element>(&cast->argument->node);
            if (s->dtype != Dtype::i32 || cell == nullptr) return std::nullopt;
            const Value v = op_.inputs[static_cast<std::size_t>(cell->input)];
            if (c_.role.tile(v).dtype != Dtype::u8 || !is_cell_of_result(v)) return std::nullopt;
            return BitsOfByte{cell->input};
        }
        const auto* call = std::get_if<ir::Call>(&s->node);
        if (call == nullptr || call->arguments.size() != 2) return std::nullopt;
        std::optional<BitsOfByte> field = field_of(call->arguments[0]);
        std::int64_t number = 0;
        if (!field || !is_constant(call->arguments[1], &number) || number < 0) return std::nullopt;
        if (call->function == tkc::Function::bit_and) {
            field->mask &= number;
        } else if (call->function == tkc::Function::shift_right && number < 8) {
            field->shift += number;
            field->mask >>= number;
        } else {
            return std::nullopt;
        }
        return field->shift < 8 ? field : std::nullopt;
    }

    // An integer that the type holds exactly, and so does what is subtracted from the base.
    std::optional<WholePair> whole_of(const Scalar& s) const {
        std::optional<BitsOfByte> field = field_of(s);
        std::int64_t offset = 0;
        if (const auto* call = std::get_if<ir::Call>(&s->node); !field && call != nullptr) {
            const bool sum = call->function == tkc::Function::add;
            if (!sum && call->function != tkc::Function::sub) return std::nullopt;
            if (!is_constant(call->arguments[1], &offset)) return std::nullopt;
            field = field_of(call->arguments[0]);
            if (!sum) offset = -offset;
        }
        if (!field || field->mask >= base() || std::abs(offset) > base()) return std::nullopt;
        return WholePair{*field, offset};
    }

    // bf16(i), f32 between or not.
    std::optional<WholePair> converted(const Scalar& s) const {
        const auto* cast = std::get_if<Cast>(&s->node);
        if (cast == nullptr || s->dtype != type_) return std::nullopt;
        const auto* wide = std::get_if<Cast>(&cast->argument->node);
        const bool by_f32 = wide != nullptr && cast->argument->dtype == Dtype::f32;
        return whole_of(by_f32 ? wide->argument : cast->argument);
    }

    static const char* function_on_pairs(tkc::Function f) {
        switch (f) {
            case tkc::Function::add: return "tk::add_pairs";
            case tkc::Function::sub: return "tk::subtract_pairs";
            case tkc::Function::mul: return "tk::multiply_pairs";
            case tkc::Function::div:
            case tkc::Function::neg:
            case tkc::Function::min:
            case tkc::Function::max:
            case tkc::Function::abs:
            case TKC_LOGIC:
            case TKC_COMPARISONS:
            case TKC_BIT_FUNCTIONS:
            case TKC_INTEGER_FUNCTIONS:
            case TKC_REAL_FUNCTIONS:
            case TKC_BIT_PATTERNS:
            case tkc::Function::where: break;
        }
        return nullptr;
    }

    bool takes(const Scalar& s) {
        if (s->dtype != type_) return false;
        if (converted(s)) {
            takes_fields_ = true;
            return true;
        }
        if (const auto* cell = std::get_if<Element>(&s->node)) {
            const Value v = op_.inputs[static_cast<std::size_t>(cell->input)];
            const TileType& tile = c_.role.tile(v);
            return is_cell_of_result(v) || (tile.cols == 1 && tile.rows > 1);
        }
        const auto* call = std::get_if<ir::Call>(&s->node);
        return call != nullptr && function_on_pairs(call->function) != nullptr &&
               takes(call->arguments[0]) && takes(call->arguments[1]);
    }

    Expr emit(const Scalar& s) const {
        const std::string type = element_type(type_);
        const auto name = [&](std::int64_t input) {
            return atom(names_[static_cast<std::size_t>(input)]);
        };
        if (const std::optional<WholePair> whole = converted(s)) {
            const BitsOfByte& f = whole->field;
            const Expr number = call(
                fmt::format("tk::number_pair<{}, {}, {}>", type, f.shift, f.mask), {name(f.input)});
            if (whole->offset == base()) return number;
            return call(fmt::format("tk::add_to_pair<{}, {}>", type, whole->offset - base()),
                        {number});
        }
        if (const auto* cell = std::get_if<Element>(&s->node)) return name(cell->input);
        const auto& called = std::get<ir::Call>(s->node);
        return call(fmt::format("{}<{}>", function_on_pairs(called.function), type),
                    {emit(called.arguments[0]), emit(called.arguments[1])});
    }

    RoleContext& c_;
    const Map& op_;
    Dtype type_;
    bool takes_fields_ = false;
    std::vector<std::string> names_;
};

}  // namespace

std::optional<Lambda> function_of_pairs(RoleContext& c, const Map& op) {
    PairFunction pairs(c, op);
    if (!pairs.works()) return std::nullopt;
    return pairs.function();
}

}  // namespace tkc::cuda
