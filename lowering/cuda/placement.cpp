// Finding the block that each value belongs to.
#include "lowering/cuda/placement.h"

#include "ir/walk.h"

namespace tkc::cuda {

namespace {

bool is_compound(const ir::Op& op) {
    bool found = false;
    ir::for_each_block(op, [&](const ir::Block&) { found = true; });
    return found;
}

// Whether the first mention of `v` in the block gives it a value, whatever it was before.
bool starts_fresh(const ir::Block& block, ir::Value v) {
    for (const ir::Op& op : block) {
        if (!ir::mentions(op, v)) continue;
        return !is_compound(op) && ir::writes(op, v) && !ir::reads(op, v);
    }
    return true;
}

// The operation of `block` before which `v` is declared, or one further inside.
const ir::Op* find_place(const ir::Block& block, ir::Value v, bool variable) {
    const ir::Op* first = nullptr;
    std::size_t mentions = 0;
    for (const ir::Op& op : block) {
        if (!ir::mentions(op, v)) continue;
        if (first == nullptr) first = &op;
        ++mentions;
    }
    if (mentions != 1 || !is_compound(*first)) return first;
    const ir::Block* inside = nullptr;
    std::size_t blocks = 0;
    ir::for_each_block(*first, [&](const ir::Block& inner) {
        if (!ir::mentions(inner, v)) return;
        inside = &inner;
        ++blocks;
    });
    const bool carried =
        variable && ir::as<ir::For>(*first) != nullptr && !starts_fresh(*inside, v);
    return blocks == 1 && !carried ? find_place(*inside, v, variable) : first;
}

}  // namespace

Placement place_values(const ir::Role& role) {
    Placement placement;
    for (std::uint32_t id = 0; id < role.values.size(); ++id) {
        const ir::Value v{id};
        const bool in_body = ir::mentions(role.body, v);
        const bool in_finish = ir::mentions(role.finish, v);
        if (in_body && in_finish) {
            placement[nullptr].push_back(v);
        } else if (in_body || in_finish) {
            const ir::Block& block = in_body ? role.body : role.finish;
            placement[find_place(block, v, role[v].variable)].push_back(v);
        }
    }
    return placement;
}

}  // namespace tkc::cuda
