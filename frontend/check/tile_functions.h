// Functions of whole tiles (language/tile_functions.def), and padding written as a function.
#pragma once

#include "frontend/check/forward.h"
#include "frontend/check/padding_sites.h"
#include "frontend/check/values.h"

namespace tkc::checker {

// Whether `axis = ..` is among the arguments.
bool has_axis(const ast::Call& call);

class TileFunctions {
public:
    explicit TileFunctions(Parts& parts);

    Operand check_call(TileFunction function, const ast::Call& call, Span span);
    // `fragments(x)` and `from_fragments(x, columns)`.
    Operand check_fragments(TileFunction function, const ast::Call& call, Span span);
    Operand check_pad(const ast::Call& call, Span span);

private:
    struct AlongAxis {
        const ast::Expr* argument = nullptr;
        const ast::Expr* further = nullptr;
        int axis = 1;
    };
    // The arguments: a tile, `axis`, and where the function has one a further argument by name.
    // `form`: how the named ones may be written.
    std::optional<AlongAxis> check_along_axis(const ast::Call& call, std::string_view name,
                                              std::string_view further, std::string_view form,
                                              Span span);
    PaddingSite padding_site(const ast::Expr& argument, int axis, Span span) const;
    std::optional<std::int64_t> check_number(TileFunction function, const ast::Expr& expr);

    Axes& axes_;
    Builder& builder_;
    Context& context_;
    Expressions& expressions_;
    Tiles& tiles_;
};

}  // namespace tkc::checker
