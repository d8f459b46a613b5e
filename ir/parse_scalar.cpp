// Parses expressions: operator precedence from the table of functions, as to_string prints them.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "ir/parse_tokens.h"

namespace tkc::ir {

namespace {

// A tree and its height, which is limited: everything that walks trees recurses.
struct Term {
    Scalar scalar;
    int height = 1;
};

constexpr int height_limit = 400;
constexpr int nesting_limit = 200;
constexpr int of_comparison = info(Function::lt).precedence;
constexpr int of_product = info(Function::mul).precedence;

std::optional<Function> infix(const Token& t) {
    for (const FunctionInfo& row : function_table) {
        if (row.precedence > 0 && row.arity == 2 && t.is(row.name)) return row.function;
    }
    return std::nullopt;
}

bool is_word_of_real(const Token& t) { return t.is("inf") || t.is("nan"); }

class ExpressionParser {
public:
    explicit ExpressionParser(Tokens& tokens) : tokens_(tokens) {}

    // An expression of operators that bind at least as tightly as `least`.
    Term parse(int least = 0) {
        const Nesting nesting(*this);
        Term left = prefix(least);
        while (!tokens_.failed()) {
            const std::optional<Function> f = infix(tokens_.token());
            if (!f || info(*f).precedence < least) break;
            const int precedence = info(*f).precedence;
            tokens_.advance();
            const Term right = parse(precedence + 1);
            left = apply(*f, {left, right});
            const std::optional<Function> next = infix(tokens_.token());
            if (precedence == of_comparison && next && info(*next).precedence == of_comparison) {
                tokens_.fail("comparisons cannot be chained: one of them needs parentheses");
            }
        }
        return left;
    }

private:
    struct Nesting {
        explicit Nesting(ExpressionParser& parser) : p(parser) {
            if (++p.nesting_ > nesting_limit) p.tokens_.fail("the expression is nested too deeply");
        }
        ~Nesting() { --p.nesting_; }
        Nesting(const Nesting&) = delete;
        Nesting& operator=(const Nesting&) = delete;
        ExpressionParser& p;
    };

    Term poison() const { return {integer(0)}; }

    Term limited(Scalar scalar, int height) {
        if (height > height_limit) tokens_.fail("the expression is too deep");
        return {std::move(scalar), height};
    }

    Term apply(Function f, const std::vector<Term>& terms) {
        if (tokens_.failed()) return poison();
        std::vector<Scalar> arguments;
        int height = 0;
        for (const Term& t : terms) {
            arguments.push_back(t.scalar);
            height = std::max(height, t.height);
        }
        if (static_cast<int>(arguments.size()) != info(f).arity) {
            tokens_.fail(fmt::format("`{}` takes {} arguments, not {}", name(f), info(f).arity,
                                     arguments.size()));
            return poison();
        }
        return limited(call(f, std::move(arguments)), height + 1);
    }

    Term prefix(int least) {
        const Nesting nesting(*this);
        if (tokens_.failed()) return poison();
        if (tokens_.accept("not")) {
            return apply(Function::logical_not, {parse(info(Function::logical_not).precedence)});
        }
        if (tokens_.accept("~"))
            return apply(Function::bit_not, {parse(info(Function::bit_not).precedence)});
        if (!tokens_.token().is("-")) return operand();
        const Token after = tokens_.peek();
        if (after.kind == Token::Kind::integer) return {number()};
        if (after.kind != Token::Kind::real && !is_word_of_real(after)) {
            tokens_.advance();
            return apply(Function::neg, {parse(info(Function::neg).precedence)});
        }
        // A negative number is printed in parentheses where a product could take it, so here
        // `-1.5*x` negates, and `-1.5 + x` does not.
        Scalar negative = number();
        const std::optional<Function> next = infix(tokens_.token());
        const bool in_product =
            least >= of_product || (next && info(*next).precedence >= of_product);
        if (!in_product || tokens_.failed()) return {std::move(negative)};
        const double value = std::get<Real>(negative->node).value;
        return apply(Function::neg, {Term{real(-value, negative->dtype)}});
    }

    // A number with its sign, if any, and its type.
    Scalar number() {
        const bool negative = tokens_.token().is("-");
        const Token digits = negative ? tokens_.peek() : tokens_.token();
        if (digits.kind == Token::Kind::integer) {
            const std::int64_t value = tokens_.integer();
            const Dtype dtype = suffix(Dtype::i32);
            if (is_real(dtype)) return real(static_cast<double>(value), dtype);
            if (is_boolean(dtype)) tokens_.fail("a number is not a bool: use `true` or `false`");
            return integer(value, dtype);
        }
        double value = 0;
        if (digits.is("inf")) {
            value = std::numeric_limits<double>::infinity();
        } else if (digits.is("nan")) {
            value = std::numeric_limits<double>::quiet_NaN();
        } else {
            const char* const end = digits.text.data() + digits.text.size();
            if (std::from_chars(digits.text.data(), end, value).ec != std::errc{}) {
                tokens_.fail(fmt::format("{} is outside f64", digits.text));
            }
        }
        if (negative) tokens_.advance();
        tokens_.advance();
        const Dtype dtype = suffix(Dtype::f32);
        if (!is_real(dtype)) tokens_.fail(fmt::format("{} holds no fractions", name(dtype)));
        return real(negative ? -value : value, is_real(dtype) ? dtype : Dtype::f32);
    }

    // The type after a colon, or the usual one.
    Dtype suffix(Dtype usual) {
        if (!tokens_.accept(":")) return usual;
        const std::optional<Dtype> found = find_dtype(tokens_.token().text);
        if (!found) {
            tokens_.fail_expected("a data type");
            return usual;
        }
        tokens_.advance();
        return *found;
    }

    std::vector<Term> list(std::string_view close) {
        std::vector<Term> terms;
        if (tokens_.accept(close)) return terms;
        do {
            terms.push_back(parse());
        } while (tokens_.accept(","));
        tokens_.expect(close);
        return terms;
    }

    Term operand() {
        const Token t = tokens_.token();
        switch (t.kind) {
            case Token::Kind::integer:
            case Token::Kind::real: return {number()};
            case Token::Kind::identifier: return word();
            case Token::Kind::end:
            case Token::Kind::string:
            case Token::Kind::sign:
            case Token::Kind::unknown: break;
        }
        if (tokens_.accept("(")) {
            Term inner = parse();
            tokens_.expect(")");
            return inner;
        }
        if (tokens_.accept("$")) {
            std::string name = tokens_.identifier("a name");
            return {symbol(std::move(name), suffix(Dtype::i32))};
        }
        if (tokens_.accept("#")) {
            const std::int64_t input = tokens_.integer();
            return {element(input, suffix(Dtype::f32))};
        }
        tokens_.fail_expected("an expression");
        return poison();
    }

    Term word() {
        const Token after = tokens_.peek();
        if (after.is("(")) return call_or_cast();
        if (after.is("[")) return load();
        if (!after.is(":")) {
            if (tokens_.accept("true")) return {boolean(true)};
            if (tokens_.accept("false")) return {boolean(false)};
            if (tokens_.accept("row")) return {row()};
            if (tokens_.accept("col")) return {column()};
        }
        if (is_word_of_real(tokens_.token())) return {number()};
        if (infix(tokens_.token())) {
            tokens_.fail_expected("an expression");
            return poison();
        }
        std::string name = tokens_.identifier("a name");
        return {symbol(std::move(name), suffix(Dtype::i32))};
    }

    Term call_or_cast() {
        const std::string_view callee = tokens_.token().text;
        if (callee == "extern") return external_call();
        const std::optional<Dtype> dtype = find_dtype(callee);
        const std::optional<Function> function = find_function(callee);
        if (!dtype && !function) {
            tokens_.fail(fmt::format("there is no function or data type called `{}`", callee));
            return poison();
        }
        tokens_.advance();
        tokens_.advance();
        const std::vector<Term> arguments = list(")");
        if (function) return apply(*function, arguments);
        if (tokens_.failed()) return poison();
        if (arguments.size() != 1) {
            tokens_.fail(fmt::format("the conversion to {} takes one argument", name(*dtype)));
            return poison();
        }
        return limited(cast(*dtype, arguments[0].scalar), arguments[0].height + 1);
    }

    // extern("name", "header", meaning, arguments..)
    Term external_call() {
        tokens_.advance();
        tokens_.advance();
        std::string function = tokens_.quoted();
        tokens_.expect(",");
        std::string header = tokens_.quoted();
        tokens_.expect(",");
        Term meaning = parse();
        std::vector<Scalar> arguments;
        int height = meaning.height;
        if (tokens_.accept(",")) {
            for (Term& t : list(")")) {
                arguments.push_back(std::move(t.scalar));
                height = std::max(height, t.height);
            }
        } else {
            tokens_.expect(")");
        }
        if (tokens_.failed()) return poison();
        return limited(external(std::move(function), std::move(header), std::move(arguments),
                                std::move(meaning.scalar)),
                       height + 1);
    }

    Term load() {
        std::string tensor = tokens_.identifier("a tensor");
        tokens_.expect("[");
        std::vector<Scalar> position;
        int height = 0;
        for (Term& t : list("]")) {
            position.push_back(std::move(t.scalar));
            height = std::max(height, t.height);
        }
        const bool zero_outside = tokens_.accept("?");
        const Dtype dtype = suffix(Dtype::i32);
        return limited(element_load(std::move(tensor), std::move(position), zero_outside, dtype),
                       height + 1);
    }

    Tokens& tokens_;
    int nesting_ = 0;
};

}  // namespace

Scalar parse_expression(Tokens& tokens) { return ExpressionParser(tokens).parse().scalar; }

Scalar parse_scalar(std::string_view text, ParseError& error) {
    Tokens tokens(text, 0);
    Scalar parsed = parse_expression(tokens);
    if (!tokens.at_end()) tokens.fail_expected("an operator or the end of the text");
    if (!tokens.failed()) return parsed;
    error = tokens.error();
    return nullptr;
}

}  // namespace tkc::ir
