// `/` of integers is exact: it is known to leave no rest, or an error that names `//`, the
// quotient rounded down. What is known is what the kernel requires, where its grid and loops walk,
// and the branches around.
#include <fmt/format.h>

#include "arithmetic/number_names.h"
#include "base/overloaded.h"
#include "facts/facts.h"
#include "frontend/check/arithmetic.h"
#include "frontend/check/context.h"
#include "frontend/check/numbers.h"

namespace tkc::checker {

namespace {

// Whether an expression is one name, number, call or the like, so that it needs no parentheses.
bool is_simple(const std::string& written) {
    return written.find_first_of(" +-*/%?\n") == std::string::npos;
}

// Without the parentheses around it and the end of its statement.
std::string bare(std::string written) {
    if (written.ends_with(";")) written.pop_back();
    const bool whole = written.front() == '(' && written.find(')') + 1 == written.size();
    if (whole) written = written.substr(1, written.size() - 2);
    return written.size() > 60 ? "this quotient" : "`" + written + "`";
}

std::string enclosed(const std::string& written) {
    return is_simple(written) ? written : "(" + written + ")";
}

}  // namespace

// Where the operator is between its two operands.
std::optional<Span> Arithmetic::sign_between(const std::vector<Span>& operands,
                                             std::string_view sign) const {
    if (operands.size() != 2 || operands[1].begin < operands[0].end) return std::nullopt;
    const std::size_t found =
        context_.text({operands[0].file, operands[0].end, operands[1].begin}).find(sign);
    if (found == std::string::npos) return std::nullopt;
    const std::uint32_t at = operands[0].end + static_cast<std::uint32_t>(found);
    return Span{operands[0].file, at, at + static_cast<std::uint32_t>(sign.size())};
}

void Arithmetic::report_inexact(const ir::Scalar& dividend, const ir::Scalar& divisor, Span span,
                                const std::vector<Span>& operands) {
    std::int64_t above = 0, below = 0;
    const bool counted = ir::is_constant(dividend, &above);
    const bool constant = ir::is_constant(divisor, &below);
    const auto shown = [&](std::size_t i, const ir::Scalar& s) {
        const std::string written = context_.operand_text(operands, i);
        const bool is_short = written != ".." && written.size() <= 32;
        return is_short ? written : ir::to_string(ir::as_written(s));
    };
    const std::string left = shown(0, dividend);
    const std::string right = shown(1, divisor);
    const std::string reason =
        counted && constant ? fmt::format("{} does not divide {}", below, above)
                            : fmt::format("cannot prove that `{}` divides `{}`", right, left);
    DiagnosticBuilder message =
        context_.error(span, msg::inexact_division, bare(context_.text(span)), reason);
    const bool known = operands.size() == 2 && !(operands[0] == Span{});
    if (!known) {
        message.help("write `x = x // {}` for the quotient rounded down", right);
        return;
    }
    // 1 / C is 0 rounded down, and nobody means that.
    const bool literal = left.find_first_not_of("0123456789") == std::string::npos;
    const bool fraction = literal && (!constant || above < below);
    if (fraction) {
        message.help("write `{}.0 / {}` for the floating-point quotient", above,
                     constant ? enclosed(right) : fmt::format("f32({})", right));
        return;
    }
    message.help("write `//` for the quotient rounded down");
    if (const std::optional<Span> sign = sign_between(operands, "/")) message.fix(*sign, "//");
    const bool at_launch = numbers_.is_known_at_launch(numbers_.without_lets(dividend)) &&
                           numbers_.is_known_at_launch(numbers_.without_lets(divisor)) &&
                           context_.inlining.empty();
    if (at_launch && !(counted && constant))
        message.help("or state `requires {} % {} == 0`", enclosed(left), enclosed(right));
}

void Arithmetic::report_floor_of_reals(Dtype dtype, Span span, const std::vector<Span>& operands) {
    DiagnosticBuilder message =
        context_.error(span, msg::operand_kind, "`//`", "integers", name(dtype));
    message.help("write `/` for the quotient of floating-point values");
    if (const std::optional<Span> sign = sign_between(operands, "//")) message.fix(*sign, "/");
}

// In the extent of a tensor `/` states that it is exact: the launch checks it.
bool Arithmetic::check_exact(const ir::Scalar& dividend, const ir::Scalar& divisor, Span span,
                             const std::vector<Span>& operands) {
    std::int64_t above = 0, below = 0;
    const bool constants =
        ir::is_constant(dividend, &above) && ir::is_constant(divisor, &below) && below > 0;
    if (constants && above % below == 0) return true;
    if (!constants && numbers_.extent_quotients != nullptr) {
        numbers_.extent_quotients->emplace_back(dividend, divisor);
        return true;
    }
    if (!constants && numbers_.is_exact(dividend, divisor)) return true;
    report_inexact(dividend, divisor, span, operands);
    return false;
}

}  // namespace tkc::checker
