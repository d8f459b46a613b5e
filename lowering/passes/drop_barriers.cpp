// Leaves out barriers of shared tiles that others make needless.
//
//     barrier; write_tile s; barrier; read s       // of every `share` (plan-shared-memory)
//
// The first one says that all have read what was in the tile, the second that all have written. Any
// meeting of the role's warps says as much, if it stands on every way from those reads to the
// write, or from the write to the reads: the barriers of another tile, or what a reduction over
// warps has by itself. Every write of the role keeps both, whichever operation gives them.
//
// Of roles of warps: the accesses of warpgroups' products are asynchronous, and have waits and
// fences beside these.
#include <algorithm>
#include <set>

#include "ir/reduction.h"
#include "ir/walk.h"
#include "lowering/passes.h"

namespace tkc::lowering {

namespace {

using namespace ir;

using Dropped = std::set<const Op*>;

// A block, and the place in it that holds the next one, from the body of the role on.
struct Inside {
    const Block* block;
    std::size_t place;
};
using Place = std::vector<Inside>;

class Ways {
public:
    Ways(const Role& role, bool again) : role_(role), windows_(role), again_(again) {
        Place place;
        find_writes(role.body, place);
    }

    // Whether all writes have their meetings without these barriers.
    bool hold(const Dropped& dropped) const {
        return std::all_of(writes_.begin(), writes_.end(), [&](const Place& place) {
            const Op& op = (*place.back().block)[place.back().place];
            const Value v = std::get<WriteTile>(op.node).target;
            return meets(place, v, false, dropped) && meets(place, v, true, dropped);
        });
    }

private:
    enum class Found : std::uint8_t { meeting, access, nothing };

    void find_writes(const Block& block, Place& place) {
        place.push_back({&block, 0});
        for (std::size_t i = 0; i < block.size(); ++i) {
            place.back().place = i;
            if (as<WriteTile>(block[i]) != nullptr) writes_.push_back(place);
            for_each_block(block[i], [&](const Block& inner) { find_writes(inner, place); });
        }
        place.pop_back();
    }

    // What comes first among operations of the block, `from` to before `to`, or backwards.
    Found first_of(const Block& block, std::size_t from, std::size_t to, Value v, bool forward,
                   const Dropped& dropped) const {
        for (std::size_t i = from; i < to; ++i) {
            const Op& op = block[forward ? i : from + to - 1 - i];
            if (dropped.contains(&op)) continue;
            if (warps_meet(role_, op)) return Found::meeting;
            bool accesses = false;
            walk_op(op, [&](const Op& inner) {
                const WriteTile* write = as<WriteTile>(inner);
                accesses = accesses || windows_.reads(inner, v) ||
                           (write != nullptr && write->target == v);
            });
            if (accesses) return Found::access;
        }
        return Found::nothing;
    }

    template <class F>
    static void walk_op(const Op& op, F&& f) {
        f(op);
        for_each_block(op, [&](const Block& inner) { walk(inner, f); });
    }

    // Whether a meeting stands on every way from the write to another access of its tile, ahead of
    // it or back.
    bool meets(const Place& write, Value v, bool forward, const Dropped& dropped) const {
        for (std::size_t depth = write.size(); depth-- > 0;) {
            const Block& block = *write[depth].block;
            const std::size_t here = write[depth].place;
            const Found ahead = forward ? first_of(block, here + 1, block.size(), v, true, dropped)
                                        : first_of(block, 0, here, v, false, dropped);
            if (ahead != Found::nothing) return ahead == Found::meeting;
            const bool outermost = depth == 0;
            const bool turns =
                outermost ? again_
                          : as<For>((*write[depth - 1].block)[write[depth - 1].place]) != nullptr;
            if (!turns) continue;
            // The next round, or the one before, up to this place.
            const Found round = forward
                                    ? first_of(block, 0, here, v, true, dropped)
                                    : first_of(block, here + 1, block.size(), v, false, dropped);
            if (round == Found::access) return false;
            // The place itself: in the tile's own block the write, further out what holds it.
            if (round == Found::nothing && depth + 1 < write.size()) return false;
        }
        return true;
    }

    const Role& role_;
    const Windows windows_;
    bool again_;  // the role does further programs
    std::vector<Place> writes_;
};

void drop(Block& block, const Dropped& dropped) {
    for (Op& op : block) for_each_block(op, [&](Block& inner) { drop(inner, dropped); });
    std::erase_if(block, [&](const Op& op) { return dropped.contains(&op); });
}

}  // namespace

void drop_barriers(PassContext&, Module& module) {
    for (Kernel& kernel : module.kernels) {
        for (Role& role : kernel.roles) {
            if (role.unit != Unit::warp) continue;
            const Ways ways(role, kernel.persistent);
            Dropped dropped;
            walk(role.body, [&](const Op& op) {
                if (as<Barrier>(op) == nullptr) return;
                dropped.insert(&op);
                if (!ways.hold(dropped)) dropped.erase(&op);
            });
            drop(role.body, dropped);
        }
    }
}

}  // namespace tkc::lowering
