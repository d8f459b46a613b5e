// An operand in registers that products of a loop read again in every step is copied before each:
//
//     for .. { s = mma(q, k); p = f(s); o += mma(p, v); }
//     for .. { q2 = renew(q); s = mma(q2, k); p = f(s); o += mma(p, v); }
//
// ptxas (CUDA 13.0) gives q and p the same registers where p is computed and multiplied in the
// step, so that q is gone in the next one: docs/hopper.md. It cannot see that a renewed copy is the
// same value. Where p is in flight or kept over the back edge, the two meet, and ptxas tells them
// apart.
#include <algorithm>
#include <vector>

#include "ir/walk.h"
#include "lowering/passes.h"

namespace tkc::lowering {

namespace {

using namespace ir;

bool in_registers(const Role& role, Value v) {
    const auto* tile = std::get_if<TileType>(&role[v].type);
    return tile != nullptr && tile->space == Space::registers;
}

// Whether the first operation of the block that touches `v` reads it.
bool is_carried(const Block& block, Value v) {
    bool read = false;
    bool written = false;
    walk(block, [&](const Op& op) {
        read = read || (!written && reads(op, v));
        for_each_result(op, [&](const Value& result) { written = written || result == v; });
    });
    return read;
}

// A product of the body, other than with `a`, whose operand in registers is made in each step.
bool has_partner(const Role& role, const Block& body, Value a) {
    bool found = false;
    walk_only<Mma>(body, [&](const Mma& other) {
        found = found || (other.a != a && in_registers(role, other.a) &&
                          !writes_of(body, other.a).empty() && !is_carried(body, other.a));
    });
    return found;
}

Value copy_of(Role& role, Value v) {
    ValueInfo info = role[v];
    const std::string stem = info.name + "_again";
    const auto taken = [&] {
        return std::any_of(role.values.begin(), role.values.end(),
                           [&](const ValueInfo& other) { return other.name == info.name; });
    };
    info.name = stem;
    for (int n = 2; taken(); ++n) info.name = stem + "_" + std::to_string(n);
    info.variable = false;
    role.values.push_back(std::move(info));
    return Value{static_cast<std::uint32_t>(role.values.size() - 1)};
}

// `loops`: the bodies of those around the block, the innermost last.
void renew(Role& role, Block& block, std::vector<const Block*>& loops) {
    for (std::size_t i = 0; i < block.size(); ++i) {
        const bool loop = as<For>(block[i]) != nullptr;
        for_each_block(block[i], [&](Block& inner) {
            if (loop) loops.push_back(&inner);
            renew(role, inner, loops);
            if (loop) loops.pop_back();
        });
        auto* product = as<Mma>(block[i]);
        if (product == nullptr || !in_registers(role, product->a)) continue;
        const Value source = product->a;
        const bool shares = std::any_of(loops.begin(), loops.end(), [&](const Block* body) {
            return writes_of(*body, source).empty() && has_partner(role, *body, source);
        });
        if (!shares) continue;
        const Value made = copy_of(role, source);
        product->a = made;
        const Span span = block[i].span;
        block.insert(block.begin() + static_cast<std::ptrdiff_t>(i),
                     at(span, Copy{made, source, true}));
        ++i;
    }
}

}  // namespace

void renew_operands(PassContext&, Module& module) {
    for (Kernel& kernel : module.kernels) {
        for (Role& role : kernel.roles) {
            std::vector<const Block*> loops;
            if (role.unit == Unit::warpgroup) renew(role, role.body, loops);
        }
    }
}

}  // namespace tkc::lowering
