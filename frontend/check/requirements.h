// `requires` and `trusts`: conditions of a launch, and facts that nobody checks there.
#pragma once

#include <map>

#include "frontend/check/forward.h"
#include "frontend/check/values.h"
#include "language/operation.h"

namespace tkc::checker {

class Requirements {
public:
    explicit Requirements(Parts& parts);

    void check_requires();
    void trust(Span fact);
    void check_elements_read();

private:
    enum class Stated : std::uint8_t { nothing, condition, belief };
    struct ElementBounds {
        ir::Scalar least, end;
        std::string text;
    };
    Stated check_stated(const ast::Expr& expr);
    void check_balanced(const ast::Call& call, Span span);
    void report_misplaced(const std::vector<const ast::Expr*>& beliefs,
                          const std::vector<const ast::Expr*>& conditions);
    std::optional<std::pair<Span, std::string>> sorted_clauses(
        const std::vector<const ast::Expr*>& beliefs,
        const std::vector<const ast::Expr*>& conditions) const;
    const ir::Tensor* check_index_tensor(const ast::Expr& argument, std::string_view fact);
    void check_within(const ast::Call& call, Span span);
    void check_increasing(const ast::Call& call, Span span);
    void check_output_fact(const ast::Call& call, Operation operation, Span span);
    // Of what an assertion is about: one number, or so many cells.
    struct AssertCells {
        Span span;
        std::int64_t rows = 0;
        std::int64_t cols = 0;
    };
    void add_element_check(const ir::Tensor& tensor, const std::vector<ir::Scalar>& position,
                           const ir::Scalar& is_element, const AssertCells& cells, ir::Block& out,
                           const ir::Scalar& chosen = nullptr) const;
    void add_element_checks(const ir::Scalar& s, const ir::Range* list, Span span,
                            ir::Block& out) const;
    void add_element_checks(const ir::Role& role, const std::string& pipeline, const ir::Op& op,
                            ir::Block& out) const;

    Builder& builder_;
    Context& context_;
    Expressions& expressions_;
    Numbers& numbers_;
    Types& types_;

    std::map<std::string, std::vector<ElementBounds>> element_bounds_;  // by tensor
    std::map<std::string, std::string> increasing_;  // tensors whose elements rise: the fact's text
};

}  // namespace tkc::checker
