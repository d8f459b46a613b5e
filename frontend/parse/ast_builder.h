// Nodes out of parts that the parser has read, with the checks that the grammar leaves open: words
// that mean something only in their place, what may be called or assigned to, how large a number
// is.
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/parse/ast.h"
#include "frontend/parse/tokens.h"

namespace tkc {

// Tokens are named by their index in the list.
class AstBuilder {
public:
    AstBuilder(const TokenList& list, Diagnostics& diag) : list_(list), diag_(diag) {}

    ast::Name name(std::size_t token) const;
    template <AlternativeOf<ast::AnyExpr> T>
    static ast::ExprPtr expr(Span span, T node) {
        return std::make_unique<ast::Expr>(span, std::move(node));
    }

    // A contextual word with one spelling only.
    void word(std::size_t token, std::string_view what, std::string_view spelling);

    // `words`: `schedule`, perhaps, and the name.
    ast::ConstParam const_param(Span span, const std::vector<std::size_t>& words,
                                ast::ExprPtr default_value);
    ast::ConstKind const_kind(std::size_t token);
    // Refuses `schedule` before constants of what is not a kernel.
    std::vector<ast::ConstParam> without_schedule(std::vector<ast::ConstParam> consts,
                                                  std::string_view of);
    // Reports `..` among constants that are not those of a call, or once more.
    void misplaced_forward(Span span);
    // `words` are the modes and then the name; either a type or, for a counter, extents were read.
    ast::KernelParam kernel_param(Span span, const std::vector<std::size_t>& words,
                                  std::optional<ast::Type> type, std::vector<ast::ExprPtr> extents);
    ast::FnParam fn_param(Span span, const std::vector<std::size_t>& words, ast::Type type);

    // Reports words of one line that are there twice.
    void each_once(const std::vector<std::size_t>& words);
    ast::GridWord grid_word(Span span, std::size_t word, std::vector<ast::Arg> args);
    ast::RoleUnit role_unit(std::size_t token);
    ast::RoleWord role_word(Span span, std::size_t word, ast::ExprPtr argument);
    ast::ExprPtr partition_size(ast::ExprPtr size);  // null for `rest`

    // `expect error "text";`, where `word` should be `error`.
    ast::ExpectError expect_error(std::size_t word, std::size_t text);

    // `target op value;`, or a call where `op` is no_token.
    ast::Stmt simple(Span span, ast::ExprPtr target, std::size_t op, ast::ExprPtr value);

    // The name on the left of `name = value` in <> and ().
    ast::Name left_name(ast::ExprPtr left, std::string_view where);
    ast::ExprPtr call(Span span, ast::Call call);
    ast::Hint hint(Span span, std::size_t word, std::optional<ast::Name> axis);
    ast::ExprPtr binary(ast::ExprPtr left, std::size_t op, ast::ExprPtr right);
    ast::ExprPtr unary(Span span, std::size_t op, ast::ExprPtr operand);
    void chained_comparison(std::size_t first, std::size_t second);
    // The span of an operation covers its parentheses, that of a name or literal does not.
    static ast::ExprPtr in_parentheses(Span span, ast::ExprPtr inner);
    ast::ExprPtr literal(std::size_t token);  // NAME, INT, FLOAT, STRING, true, false, inf

private:
    std::string quoted(Span span) const;
    void unknown_word(std::string_view what, std::size_t token,
                      const std::vector<std::string_view>& known);
    bool is_no_mode(std::size_t word) const;
    void wrong_arguments(std::size_t word, std::string_view what);
    ast::ExprPtr only_argument(std::size_t word, std::vector<ast::Arg>& args,
                               std::string_view example);
    ast::GridWord raster(Span span, std::size_t word, std::vector<ast::Arg>& args);

    const TokenList& list_;
    Diagnostics& diag_;
};

}  // namespace tkc
