// Products: the types of their operands and the order in which they lie, and what is written where
// they do not fit.
#include <fmt/format.h>

#include "frontend/check/builder.h"
#include "frontend/check/context.h"
#include "frontend/check/products.h"
#include "ir/warp_products.h"

namespace tkc::checker {

namespace {

bool is_short(Dtype dtype) { return is_integer(dtype) && bits_of(dtype) == 16; }

}  // namespace

// As it is written: `s.b.T` for `s.b`, and `s.b` for `s.b.T`.
std::string Products::transposed_text(const MmaOperand& operand) const {
    const std::string written = context_.text(operand.span);
    if (operand.transposed && written.ends_with(".T")) return written.substr(0, written.size() - 2);
    return written.starts_with("consume ") ? fmt::format("({}).T", written) : written + ".T";
}

// The operand in 16 bits, which products take: `bf16(f32(s.w))`. Only `a` may be in registers, and
// only as it lies.
std::string Products::converted_text(const MmaOperand& operand, char which, Dtype to) const {
    std::string written = context_.text(operand.tile_span);
    if (operand.dtype == to) return written;
    const bool turned = operand.transposed && written.ends_with(".T");
    if (turned) written = written.substr(0, written.size() - 2);
    const bool is_wide = is_real(operand.dtype) && bits_of(operand.dtype) >= 32 && !operand.shared;
    if (!is_wide) written = fmt::format("f32({})", written);
    std::string converted = fmt::format("{}({})", name(to), written);
    if (!by_warps() && (which == 'b' || turned)) converted = fmt::format("shared({})", converted);
    return turned ? converted + ".T" : converted;
}

// The operand with its axes exchanged. With `only`, nothing else makes the product fit.
void Products::suggest_transposed(const MmaOperand& operand, DiagnosticBuilder& message,
                                  bool only) const {
    const std::string written = context_.text(operand.span);
    const bool drops = operand.transposed && written.ends_with(".T");
    if (operand.transposed && !drops) {
        message.help("did you mean the tile without `.T`?");
        return;
    }
    const std::string meant = transposed_text(operand);
    message.help("did you mean `{}`?", meant);
    if (only) message.fix(operand.span, meant);
}

void Products::refuse_fp8_of_warps(const MmaOperand& a, const MmaOperand& b, Span span) {
    // The conversion around the tile, or around all of the operand.
    const auto converted = [&](const MmaOperand& x) {
        const std::string text = context_.text(x.span);
        const bool turned = x.transposed && text.ends_with(".T");
        return fmt::format("f16({}){}", turned ? text.substr(0, text.size() - 2) : text,
                           turned ? ".T" : "");
    };
    context_
        .error(span, msg::mma_of_fp8, tile_text(a.dtype, a.rows, a.cols),
               tile_text(b.dtype, b.rows, b.cols))
        .note("`mma.sync` of {} would convert fp8 to f16", context_.target().name)
        .help("{}",
              context_.role_syntax == nullptr
                  ? "warpgroups can multiply them, 64 rows each: `warps(8)` after the grid"
                  : "warpgroups can multiply them, 64 rows each: `role consumer(2 warpgroups)`")
        .help("or convert them: `mma({}, {})`", converted(a), converted(b));
}

bool Products::check_mma_types(const MmaOperand& a, const MmaOperand& b, Span span) {
    const std::string left = tile_text(a.dtype, a.rows, a.cols);
    const std::string right = tile_text(b.dtype, b.rows, b.cols);
    if (a.cols != b.rows) {
        DiagnosticBuilder message =
            context_.error(span, msg::mma_inner_extents, left, right, a.cols, b.rows);
        message.label(a.span, "{} columns", a.cols).label(b.span, "{} rows", b.rows);
        const bool is_short =
            context_.text(a.span).size() <= 24 && context_.text(b.span).size() <= 24;
        message.note(
            "{}",
            shape_diagrams(
                {shape_diagram(is_short ? context_.text(a.span) : "a", a.dtype, a.rows, a.cols, 1),
                 shape_diagram(is_short ? context_.text(b.span) : "b", b.dtype, b.rows, b.cols, 0)},
                "the inner extents"));
        const bool exchange_b = a.cols == b.cols && b.shared;
        const bool exchange_a = a.rows == b.rows && a.shared;
        if (exchange_b) suggest_transposed(b, message, !exchange_a);
        else if (exchange_a) suggest_transposed(a, message, true);
        return false;
    }
    if (sums_of(a, b)) return true;
    if (is_fp8(a.dtype) && is_fp8(b.dtype)) {
        refuse_fp8_of_warps(a, b, span);
        return false;
    }
    for (const MmaOperand& operand : {a, b}) {
        if (!operand.tf32 || operand.dtype == Dtype::f32) continue;
        context_.error(operand.span, msg::tf32_place,
                       fmt::format(" of f32, found {}", name(operand.dtype)));
        return false;
    }
    DiagnosticBuilder message = context_.error(span, msg::mma_dtypes, left, right);
    const auto type = [](const MmaOperand& x) {
        return fmt::format("{}{}", name(x.dtype), x.tf32 ? ", rounded to tf32" : "");
    };
    message.label(a.span, "{}", type(a)).label(b.span, "{}", type(b));
    const auto rounded = [&](const MmaOperand& x) {
        const std::string text = context_.text(x.span);
        return x.tf32 ? text : fmt::format("tf32({})", text);
    };
    if (a.dtype == Dtype::f32 && b.dtype == Dtype::f32) {
        message.help("round them to 11 bits, with f32's range: `mma({}, {})`", rounded(a),
                     rounded(b));
        return false;
    }
    // They are converted in registers.
    const bool is_i16 = is_short(a.dtype) || is_short(b.dtype);
    if (is_i16 && !by_warps() && context_.role_syntax != nullptr) {
        message.note("warpgroups cannot hold i16 in registers, but warps can")
            .help("use a role of warps, `role {}(8 warps)`, and convert them there",
                  builder_.role->name);
        return false;
    }
    if (is_16_bit_real(a.dtype) || is_16_bit_real(b.dtype)) {
        // bf16 holds all that f16 does but for digits.
        const bool keeps_a = is_16_bit_real(a.dtype) && b.dtype != Dtype::bf16;
        const MmaOperand& other = keeps_a ? b : a;
        const std::string converted =
            converted_text(other, keeps_a ? 'b' : 'a', keeps_a ? a.dtype : b.dtype);
        message.help("write `{}`", converted);
        if (is_8_bit_number(other.dtype) || (is_real(other.dtype) && !other.shared))
            message.fix(other.span, converted);
        return false;
    }
    // f16 has more digits than bf16, and not the range of reals.
    const bool integers = is_integer(a.dtype) && is_integer(b.dtype);
    const Dtype to = integers ? Dtype::f16 : Dtype::bf16;
    if (integers) message.note("f16 holds integers up to 2048 exactly");
    message.help("convert both: `mma({}, {})`", converted_text(a, 'a', to),
                 converted_text(b, 'b', to));
    return false;
}

// Nothing turns 8-bit numbers on their way from shared memory to the tensor cores, nor f32 on that
// of warpgroups.
bool Products::check_mma_order(const MmaOperand& a, const MmaOperand& b) {
    if (!ir::lies_along_shared_extent(a.dtype, by_warps())) return true;
    const auto refuse = [&](const MmaOperand& x, char which, const char* tensor,
                            const char* turned) {
        const std::string tile = x.transposed ? tile_text(x.dtype, x.cols, x.rows) + ".T"
                                              : tile_text(x.dtype, x.rows, x.cols);
        DiagnosticBuilder message =
            context_.error(x.span, msg::mma_order, which, x.tf32 ? "tf32" : "8-bit elements", tile);
        message.note("{}", by_warps() ? "no load from shared memory transposes 8-bit elements"
                           : x.tf32   ? "`wgmma` transposes 16-bit operands, but not tf32"
                                      : "`wgmma` transposes 16-bit operands, but not 8-bit ones");
        message.help("load it from a tensor {}", tensor);
        if (x.tf32)
            message.help(
                "or use a role of warps, which transposes it at half the rate: `role {}(8 warps)`",
                builder_.role->name);
        if (context_.role_syntax == nullptr || by_warps()) {
            message.help("or transpose it in registers first: {}", turned);
            return false;
        }
        if (x.tf32) return false;
        std::string written = context_.text(x.span);
        if (x.transposed && written.ends_with(".T")) written.resize(written.size() - 2);
        message.help(
            "or transpose it in registers first: `let t = {}(f32({})).T;`, and `shared(t){}`",
            name(x.dtype), written, which == 'a' ? "" : ".T");
        return false;
    };
    if (a.transposed)
        return refuse(a, 'a', "[M, K], and write it without `.T`",
                      "`let t = load(A[k, m]).T;`, and `t` as the operand");
    if (!b.transposed)
        return refuse(b, 'b', "[N, K], and write `.T` after it",
                      "`let t = load(B[k, n]).T;`, and `t.T` as the operand");
    return true;
}

}  // namespace tkc::checker
