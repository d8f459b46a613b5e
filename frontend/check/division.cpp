// `/` of whole numbers is exact: it is known to leave no rest, or an error that names `//`, the
// quotient rounded down. What is known is what the kernel requires, where its grid and loops walk,
// and the branches around.
#include <fmt/format.h>

#include "base/overloaded.h"
#include "frontend/check/kernel_checker.h"
#include "ir/facts.h"

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

// Whether the form is a multiple of a small divisor whatever its names stand for: n * (n - 1) is
// even.
bool always_divisible(const ir::NormalForm& x, std::int64_t divisor) {
    std::map<std::string, std::int64_t> rests;  // of the atoms, by key
    for (const auto& [monomial, coefficient] : x.terms()) {
        for (const ir::Atom& atom : monomial) rests[atom->key] = 0;
    }
    if (divisor > 12 || rests.size() > 2) return false;
    for (;;) {
        std::int64_t sum = 0;
        for (const auto& [monomial, coefficient] : x.terms()) {
            std::int64_t product = coefficient % divisor;
            for (const ir::Atom& atom : monomial) product = product * rests[atom->key] % divisor;
            sum += product;
        }
        if (sum % divisor != 0) return false;
        auto next = rests.begin();
        while (next != rests.end() && ++next->second == divisor) (next++)->second = 0;
        if (next == rests.end()) return true;
    }
}

std::string enclosed(const std::string& written) {
    return is_simple(written) ? written : "(" + written + ")";
}

}  // namespace

// Where the operator stands between its two operands.
std::optional<Span> KernelChecker::sign_between(const std::vector<Span>& operands,
                                                std::string_view sign) const {
    if (operands.size() != 2 || operands[1].begin < operands[0].end) return std::nullopt;
    const std::size_t found =
        text({operands[0].file, operands[0].end, operands[1].begin}).find(sign);
    if (found == std::string::npos) return std::nullopt;
    const std::uint32_t at = operands[0].end + static_cast<std::uint32_t>(found);
    return Span{operands[0].file, at, at + static_cast<std::uint32_t>(sign.size())};
}

// What holds of every launch that gets here.
ir::Facts KernelChecker::facts_here() const {
    ir::Kernel known;
    static_cast<ir::Signature&>(known) = kernel_;
    for (const ir::GridAxis& axis : kernel_.grid) {
        if (axis.begin && axis.end) known.grid.push_back(axis);
    }
    ir::Facts facts = ir::facts_of(known, {});
    const auto form = [&](const ir::Scalar& s) { return ir::normal_form(without_lets(s)); };
    for (const FactRead& fact : facts_read_) facts.assume(form(fact.holds));
    for (const KnownHere& here : known_here_) {
        std::visit(Overloaded{
                       [&](const std::pair<std::string, LoopRange>& loop) {
                           const LoopRange& range = loop.second;
                           facts.assume_range(loop.first, form(range.begin), form(range.end),
                                              range.step);
                       },
                       [&](const std::pair<ir::Scalar, bool>& branch) {
                           const ir::NormalForm holds = form(branch.first);
                           facts.assume(branch.second ? holds : ir::NormalForm(1) - holds);
                       },
                   },
                   here);
    }
    return facts;
}

bool KernelChecker::is_exact(const ir::Scalar& dividend, const ir::Scalar& divisor) const {
    const ir::NormalForm whole = ir::normal_form(without_lets(dividend));
    const ir::NormalForm rest = ir::remainder(whole, ir::normal_form(without_lets(divisor)));
    if (rest.is_unknown()) return false;
    std::int64_t constant = 0;
    if (ir::is_constant(divisor, &constant) && constant > 0 && always_divisible(whole, constant))
        return true;
    return rest.is_zero() || facts_here().prove_equal(rest, ir::NormalForm(0));
}

void KernelChecker::report_inexact(const ir::Scalar& dividend, const ir::Scalar& divisor, Span span,
                                   const std::vector<Span>& operands) {
    std::int64_t above = 0, below = 0;
    const bool counted = ir::is_constant(dividend, &above);
    const bool constant = ir::is_constant(divisor, &below);
    const auto shown = [&](std::size_t i, const ir::Scalar& s) {
        const std::string written = operand_text(operands, i);
        const bool is_short = written != ".." && written.size() <= 32;
        return is_short ? written : ir::to_string(s);
    };
    const std::string left = shown(0, dividend);
    const std::string right = shown(1, divisor);
    const std::string reason =
        counted && constant ? fmt::format("{} does not divide {}", below, above)
                            : fmt::format("nothing says that `{}` divides `{}`", right, left);
    DiagnosticBuilder message = error(span, msg::inexact_division, bare(text(span)), reason);
    const bool known = operands.size() == 2 && !(operands[0] == Span{});
    if (!known) {
        message.help("write `x = x // {}` for the quotient rounded down", right);
        return;
    }
    // 1 / C is 0 rounded down, and nobody means that.
    const bool literal = left.find_first_not_of("0123456789") == std::string::npos;
    const bool fraction = literal && (!constant || above < below);
    if (fraction) {
        message.help("write `{}.0 / {}` for the real quotient", above,
                     constant ? enclosed(right) : fmt::format("f32({})", right));
        return;
    }
    message.help("write `//` for the quotient rounded down");
    if (const std::optional<Span> sign = sign_between(operands, "/")) message.fix(*sign, "//");
    const bool at_launch = is_known_at_launch(without_lets(dividend)) &&
                           is_known_at_launch(without_lets(divisor)) && inlining_.empty();
    if (at_launch && !(counted && constant))
        message.help("or state `requires {} % {} == 0`", enclosed(left), enclosed(right));
}

void KernelChecker::report_floor_of_reals(Dtype dtype, Span span,
                                          const std::vector<Span>& operands) {
    DiagnosticBuilder message =
        error(span, msg::operand_kind, "`//`", "whole numbers", name(dtype));
    message.help("write `/` for the quotient of real numbers");
    if (const std::optional<Span> sign = sign_between(operands, "//")) message.fix(*sign, "/");
}

// In the extent of a tensor `/` states that it is exact: the launch checks it.
bool KernelChecker::check_exact(const ir::Scalar& dividend, const ir::Scalar& divisor, Span span,
                                const std::vector<Span>& operands) {
    std::int64_t above = 0, below = 0;
    const bool constants =
        ir::is_constant(dividend, &above) && ir::is_constant(divisor, &below) && below > 0;
    if (constants && above % below == 0) return true;
    if (!constants && extent_quotients_ != nullptr) {
        extent_quotients_->emplace_back(dividend, divisor);
        return true;
    }
    if (!constants && is_exact(dividend, divisor)) return true;
    report_inexact(dividend, divisor, span, operands);
    return false;
}

}  // namespace tkc::checker
