// Index tiles in a slice: `X[rows, k]`, positions along an axis that are listed in memory.
#pragma once

#include <set>

#include "frontend/check/forward.h"
#include "frontend/check/values.h"

namespace tkc::checker {

class Gathers {
public:
    explicit Gathers(Parts& parts);

    // The positions that an index tile lists, with `row` for the number of one, and how many of
    // them there are.
    struct List {
        ir::Scalar positions;
        ir::Scalar count = nullptr;  // null: as many as the tile has cells
        std::int64_t length = 0;
    };
    // Empty: told.
    std::optional<List> list_of(const Operand& value, Span span);
    void open_role() { listed_.clear(); }
    // Index tiles that nothing else reads.
    void drop_unread_lists();

private:
    struct Cells {
        ir::Scalar cell;
        ir::Scalar count = nullptr;
        ir::Scalar listed = nullptr;  // whether it is read from inside of its list; null: it is
    };
    std::optional<Cells> cells_of(const Tile& tile);
    std::optional<Cells> cells_of(ir::Value value);
    std::optional<Cells> cells_of(const ir::Load& load, bool column);
    void add_axis(const ir::Range& r, const ir::Scalar& extent, Cells& made) const;
    const ir::Op* maker_of(ir::Value value) const;

    Builder& builder_;
    Context& context_;
    Numbers& numbers_;
    Tiles& tiles_;

    std::string why_not_;               // why the last tile lists no positions
    std::set<std::uint32_t> listed_{};  // tiles of this role that positions are made of
};

}  // namespace tkc::checker
