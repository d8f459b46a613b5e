// `column`: a row as a column.
#pragma once

#include <map>

#include "frontend/check/forward.h"
#include "frontend/check/values.h"

namespace tkc::checker {

class Columns {
public:
    explicit Columns(Parts& parts);

    // The load that is the argument of `column`, if `call` is such a one.
    const ast::Call* loaded_column(const ast::Call& call) const;
    std::optional<TensorPart> check_column_source(const ast::Call& load, Span span,
                                                  ir::Transfer* transfer);
    Operand check_column(const ast::Call& call, Span span);
    void drop_unused_rows();
    void open_role() { turned_.clear(); }

private:
    // A row as a column, as a tile and as a value; empty where lanes would exchange data.
    std::optional<Tile> upright(const Tile& row);
    std::optional<ir::Value> upright(ir::Value row);

    Axes& axes_;
    Builder& builder_;
    Context& context_;
    Expressions& expressions_;
    Memory& memory_;
    Tiles& tiles_;

    std::map<std::uint32_t, ir::Value> turned_;  // of rows of this role, made by `column`
};

}  // namespace tkc::checker
