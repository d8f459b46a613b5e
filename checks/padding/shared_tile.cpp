// Joining tiles, with as little work as possible for the same one twice.
#include "checks/padding/shared_tile.h"

namespace tkc::checks::padding {

const ir::padding::TilePadding& SharedTile::operator*() const {
    static const ir::padding::TilePadding nothing;
    return made_ == nullptr ? nothing : made_->tile;
}

SharedTile join(const SharedTile& a, const SharedTile& b) {
    if (a.made_ == b.made_ && a.made_->settled) return a;
    SharedTile made(ir::padding::join(*a, *b));
    if (a.made_ == b.made_ && a.made_->joined && *made == *a) {
        a.made_->settled = true;
        return a;
    }
    made.made_->joined = true;
    return made;
}

}  // namespace tkc::checks::padding
