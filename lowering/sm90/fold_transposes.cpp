// Folds transposes into writes and reads of shared memory:
//
//     t0 = apply transpose [x]           put v t0               put v x transposed
//     t0 = apply transpose [x]           share s t0             share s x transposed
//     t0 = apply transpose [x]           store O[..] t0 tma     store O[..] x tma transposed
//     x = read_shared s                  t0 = apply transpose [x]
//                                                               t0 = read_shared s transposed
//
// A map of only this tile may be between the two: bf16(x.T) is (bf16(x)).T. So the map changes
// sides.
//
// Elsewhere a transpose needs its own shared tile, with a barrier before and after it. Blocks of
// 8 x 8 16-bit cells are written and read transposed at no cost (PTX ISA, "stmatrix", "ldmatrix",
// .trans); other cells one by one. In fragments neither has bank conflicts: eight rows of 4 lanes
// are 8 neighboring cells of every second row of the stage, which swizzles put in different banks.
#include <set>

#include "ir/walk.h"
#include "lowering/passes.h"

namespace tkc::lowering {

namespace {

using namespace ir;

class Folder {
public:
    Folder(const Kernel& kernel, Role& role) : kernel_(kernel), role_(role) {}

    void fold_all() {
        std::vector<Apply*> transposes;
        walk_only<Apply>(role_.body, [&](Apply& apply) {
            if (apply.function == TileFunction::transpose) transposes.push_back(&apply);
        });
        std::set<std::uint32_t> gone;  // results of folded ones
        for (Apply* transpose : transposes) {
            const Value result = transpose->result;
            if (fold_into_read(*transpose) || fold_into_write(*transpose)) gone.insert(result.id);
        }
        if (gone.empty()) return;
        walk_blocks(role_.body, [&](Block& block) {
            std::erase_if(block, [&](const Op& op) {
                const auto* apply = as<Apply>(op);
                return apply != nullptr && apply->function == TileFunction::transpose &&
                       gone.contains(apply->result.id);
            });
        });
    }

private:
    // The operation that makes `v`, if there is one alone and nothing makes it anew.
    template <class Node>
    Node* made_by(Value v) {
        Op* made = nullptr;
        walk(role_.body, [&](Op& op) { made = writes(op, v) ? &op : made; });
        return made != nullptr && is_kept(v) ? as<Node>(*made) : nullptr;
    }
    // The one that takes it, if nothing else does.
    template <class Node>
    Node* taken_by(Value v) {
        Op* taken = nullptr;
        std::size_t reads_of_it = 0;
        walk(role_.body, [&](Op& op) {
            if (!reads(op, v)) return;
            taken = &op;
            ++reads_of_it;
        });
        return reads_of_it == 1 && !mentions(role_.finish, v) ? as<Node>(*taken) : nullptr;
    }
    bool is_kept(Value v) const {
        return !role_[v].variable && writes_of(role_.body, v).size() == 1;
    }

    // Whether the map makes the same of a cell wherever it lies: of `tile` and numbers.
    bool keeps_places(const Map& map, Value tile) const {
        bool same = role_.tile(map.result).rows == role_.tile(tile).rows &&
                    role_.tile(map.result).cols == role_.tile(tile).cols;
        for (const Value input : map.inputs)
            same = same && (input == tile || is_number(role_, input));
        visit_nodes(map.expression, [&](const ScalarNode& n) {
            same = same && !std::holds_alternative<Row>(n.node) &&
                   !std::holds_alternative<Column>(n.node);
        });
        return same;
    }

    // Whether warpgroups can share the register tile by rows, as they do what they take from or to
    // a transpose in shared memory.
    bool divides(const TileType& tile) const {
        if (tile.rows == 1 || tile.cols == 1) return false;
        if (role_.unit != Unit::warpgroup) return true;
        const std::int64_t rows = target_of(kernel_).products.rows * role_.warpgroups();
        return tile.rows % rows == 0 && tile.cols % 8 == 0;
    }

    bool fold_into_read(const Apply& transpose) {
        const Value result = transpose.result;
        if (!is_kept(result) || !divides(role_.tile(result))) return false;
        if (taken_by<Apply>(transpose.source) == nullptr) return false;
        if (auto* read = made_by<ReadShared>(transpose.source)) {
            read->result = result;
            read->transposed = true;
            return true;
        }
        auto* map = made_by<Map>(transpose.source);
        if (map == nullptr) return false;
        for (const Value input : map->inputs) {
            auto* read = made_by<ReadShared>(input);
            if (read == nullptr || taken_by<Map>(input) != map || !keeps_places(*map, input))
                continue;
            map->result = result;
            read->transposed = true;
            role_[input].type = transposed(role_.tile(input));
            return true;
        }
        return false;
    }

    // Roles of warps write what they hold as it is: stmatrix takes fragments.
    bool fold_into_write(const Apply& transpose) {
        if (role_.unit != Unit::warpgroup || !divides(role_.tile(transpose.source)) ||
            !is_kept(transpose.source) || !is_kept(transpose.result))
            return false;
        if (write_instead(transpose.result, transpose.source)) return true;
        auto* map = taken_by<Map>(transpose.result);
        if (map == nullptr || !is_kept(map->result) || !keeps_places(*map, transpose.result))
            return false;
        if (!write_instead(map->result, map->result)) return false;
        for (Value& input : map->inputs) {
            if (input == transpose.result) input = transpose.source;
        }
        role_[map->result].type = transposed(role_.tile(map->result));
        return true;
    }

    // What alone takes `v` and writes it to shared memory takes `source` transposed.
    bool write_instead(Value v, Value source) {
        const auto take = [&](auto* node) {
            node->source = source;
            node->transposed = true;
            return true;
        };
        if (auto* put = taken_by<Put>(v)) return take(put);
        if (auto* share = taken_by<Share>(v)) return take(share);
        auto* store = taken_by<Store>(v);
        const bool panels = bits_of(role_.tile(v).dtype) == 16;  // as wide as a fragment is high
        return store != nullptr && store->transfer == Transfer::tma && panels && take(store);
    }

    const Kernel& kernel_;
    Role& role_;
};

}  // namespace

void fold_transposes(PassContext&, Module& module) {
    for (Kernel& kernel : module.kernels) {
        for (Role& role : kernel.roles) Folder(kernel, role).fold_all();
    }
}

}  // namespace tkc::lowering
