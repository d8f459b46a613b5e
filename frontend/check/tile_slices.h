// Tiles by subscripts: some of their rows and columns.
#pragma once

#include "frontend/check/forward.h"
#include "frontend/check/values.h"

namespace tkc::checker {

class TileSlices {
public:
    explicit TileSlices(Parts& parts);

    // Of `base`, a tile in registers or in shared memory, what `index` names.
    Operand slice_of(const ast::Index& index, const Operand& base, Span span);
    // Whether a product can read the part of a shared tile from where it lies, as operand `which`;
    // false if an error was reported.
    bool check_operand(const SharedTile& tile, char which, Span span);

private:
    struct Cut {
        std::int64_t first = 0;
        std::int64_t length = 0;
    };
    std::optional<Cut> check_subscript(const ast::Subscript& sub, const Operand& base, int axis);
    std::optional<std::int64_t> check_constant(const ast::Expr& expr, std::string_view what,
                                               std::int64_t least);
    std::optional<Cut> check_position(const ast::Position& position, const ast::Subscript& sub,
                                      const Operand& base, int axis);

    Builder& builder_;
    Context& context_;
    Expressions& expressions_;
    Tiles& tiles_;
};

}  // namespace tkc::checker
