// Bindings in the order of the test, then what is expected of them.
#include "emulator/function_test.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "base/overloaded.h"

namespace tkc::emulator {

namespace {

// A message quotes so much of a condition; its place shows the rest.
constexpr std::size_t longest_text = 80;

// Code on one line.
std::string shown(std::string_view code) {
    std::string text;
    for (const char c : code) {
        const bool blank = std::isspace(static_cast<unsigned char>(c)) != 0;
        if (!blank) text += c;
        else if (!text.empty() && text.back() != ' ') text += ' ';
    }
    if (text.size() <= longest_text) return text;
    return text.substr(0, longest_text - 3) + " ..";
}

std::string number_text(const Array& array, std::size_t cell) {
    const double value = array.real_at(cell);
    switch (array.kind) {
        case NumberKind::boolean: return value != 0 ? "true" : "false";
        case NumberKind::integer: return fmt::format("{}", array.whole_at(cell));
        case NumberKind::real:
            return std::isnan(value) ? "nan" : fmt::format("{:.9g}", value);  // without its sign
    }
    return "";
}

std::string kind_text(const Array& array) {
    const char* kind = array.kind == NumberKind::real ? "real" : "whole";
    if (array.shape.empty()) return fmt::format("a {} scalar", kind);
    return fmt::format("{} values of shape {}", kind, to_string(array.shape));
}

std::vector<std::int64_t> position_of(std::size_t cell, const Shape& shape) {
    std::vector<std::int64_t> position(shape.size());
    auto rest = static_cast<std::int64_t>(cell);
    for (std::size_t axis = shape.size(); axis-- > 0;) {
        position[axis] = rest % shape[axis];
        rest /= shape[axis];
    }
    return position;
}

bool compares(ast::BinaryOp op) {
    return op == ast::BinaryOp::equal || op == ast::BinaryOp::not_equal ||
           op == ast::BinaryOp::less || op == ast::BinaryOp::less_equal ||
           op == ast::BinaryOp::greater || op == ast::BinaryOp::greater_equal;
}

class FunctionTest {
public:
    FunctionTest(const TestCase& test, const EvaluationContext& context)
        : test_(test), context_(context) {}

    bool run() {
        bool good = true;
        for (const ast::TestItem& item : test_.test->items) {
            const bool item_good =
                std::visit(Overloaded{
                               [&](const ast::Binding& b) { return bind(b.name.text); },
                               [&](const ast::Sweep& s) { return bind(s.name.text); },
                               [&](const ast::ExpectThat& e) { return holds(*e.condition); },
                               // The checker refuses them.
                               [](const ast::Expect&) { return false; },
                               [](const ast::ExpectError&) { return false; },
                           },
                           item.node);
            const bool binds = !std::holds_alternative<ast::ExpectThat>(item.node);
            if (binds && !item_good) return false;  // nothing further on makes sense
            good = good && item_good;
        }
        return good;
    }

private:
    bool bind(const std::string& name) {
        std::optional<Array> value = evaluate_expression(*test_.values.at(name), names_, context_);
        if (!value) return false;
        names_.insert_or_assign(name, *std::move(value));
        return true;
    }

    // Of `a and b`, the side that is false is reported.
    bool holds(const ast::Expr& condition) {
        const auto* both = std::get_if<ast::Binary>(&condition.node);
        if (both != nullptr && both->op == ast::BinaryOp::logical_and)
            return holds(*both->left) && holds(*both->right);
        const std::optional<Array> value = evaluate_expression(condition, names_, context_);
        if (!value) return false;
        if (value->kind != NumberKind::boolean) {
            context_.diag
                .error(condition.span, msg::reference_value,
                       fmt::format("`expect` needs a condition, found {}", kind_text(*value)),
                       context_.test)
                .help("compare it: `expect .. == ..;`");
            return false;
        }
        const std::vector<std::int64_t>& cells = value->of<std::int64_t>();
        const auto wrong = std::find(cells.begin(), cells.end(), 0);
        if (wrong == cells.end()) return true;
        report(condition, *value, static_cast<std::size_t>(wrong - cells.begin()));
        return false;
    }

    void report(const ast::Expr& condition, const Array& value, std::size_t cell) {
        const std::vector<std::int64_t> position = position_of(cell, value.shape);
        const std::string place = fmt::format("[{}]", fmt::join(position, ", "));
        const bool single = position.empty();
        DiagnosticBuilder message = context_.diag.error(
            condition.span, msg::condition_fails, shown(context_.sources.text(condition.span)),
            single ? "" : " at " + place, context_.test);
        const auto* comparison = std::get_if<ast::Binary>(&condition.node);
        if (comparison != nullptr && compares(comparison->op)) {
            const std::string left = side(*comparison->left, value.shape, cell);
            const std::string right = side(*comparison->right, value.shape, cell);
            message.note("{}the left side is {}, the right side {}", single ? "" : place + ": ",
                         left, right);
        }
        const std::vector<std::int64_t>& cells = value.of<std::int64_t>();
        const auto count = std::count(cells.begin(), cells.end(), 0);
        if (cells.size() > 1) message.note("it is false in {} of {} cells", count, cells.size());
    }

    // One side of a comparison that was evaluated before.
    std::string side(const ast::Expr& expr, const Shape& shape, std::size_t cell) {
        const std::optional<Array> value = evaluate_expression(expr, names_, context_);
        return value ? number_text(expand(*value, shape), cell) : "";
    }

    const TestCase& test_;
    const EvaluationContext& context_;
    Arrays names_;
};

}  // namespace

bool run_function_test(const TestCase& test, const EvaluationContext& context) {
    return FunctionTest(test, context).run();
}

}  // namespace tkc::emulator
