// The padding of a tile as states hold it. States are copied at every branch and in every round of
// a loop, and differ in few tiles: the others are shared, and known to be equal by that.
#pragma once

#include <cstdint>
#include <memory>

#include "tiles/tile_padding.h"

namespace tkc::checks::padding {

class SharedTile {
public:
    SharedTile() = default;  // none
    explicit SharedTile(ir::padding::TilePadding tile)
        : made_(std::make_shared<Made>(std::move(tile))) {}

    explicit operator bool() const { return made_ != nullptr; }
    // Of a tile that is none: nothing of it is padded.
    const ir::padding::TilePadding& operator*() const;
    const ir::padding::TilePadding* operator->() const { return &**this; }

    friend bool operator==(const SharedTile& a, const SharedTile& b) {
        return a.made_ == b.made_ || (a && b && *a == *b);
    }
    // Of a tile that is one or the other, neither of them none.
    friend SharedTile join(const SharedTile& a, const SharedTile& b);

private:
    struct Made {
        explicit Made(ir::padding::TilePadding t) : tile(std::move(t)) {}
        ir::padding::TilePadding tile;
        // A join leaves out what says nothing, so what was joined once stays as it is when it is
        // joined with itself again: that is seen once.
        bool joined = false;
        bool settled = false;
    };
    std::shared_ptr<Made> made_;
};

}  // namespace tkc::checks::padding
