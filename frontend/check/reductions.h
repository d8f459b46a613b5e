// Operations along an axis: sums, extremes, scans, exchanges, and padding written as an operation.
#pragma once

#include "frontend/check/forward.h"
#include "frontend/check/padding_sites.h"
#include "frontend/check/values.h"

namespace tkc::checker {

// Whether `axis = ..` stands among the arguments.
bool has_axis(const ast::Call& call);

class Reductions {
public:
    explicit Reductions(Parts& parts);

    Operand check_reduction(std::string_view name, const ast::Call& call, Span span);
    Operand check_scan(const ast::Call& call, Span span);
    Operand check_swap(const ast::Call& call, Span span);
    Operand check_pad(const ast::Call& call, Span span);

private:
    struct AlongAxis {
        const ast::Expr* argument = nullptr;
        const ast::Expr* with = nullptr;  // of `pad`
        int axis = 1;
    };
    std::optional<AlongAxis> check_along_axis(const ast::Call& call, std::string_view name,
                                              bool has_with, Span span);
    PaddingSite padding_site(const ast::Expr& argument, int axis, Span span) const;
    // Whether the cells are of a dtype that sums and extremes are made of; told if not.
    bool is_summed(const Tile& tile, std::string_view name, Span span);

    Axes& axes_;
    Builder& builder_;
    Context& context_;
    Expressions& expressions_;
    Tiles& tiles_;
};

}  // namespace tkc::checker
