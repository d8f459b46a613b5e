// Operands in registers for which ptxas (CUDA 13.0) makes wrong code are copied by instructions
// that it cannot see through (docs/hopper.md). There are two kinds.
//
// What products of a loop read again in every step is copied before each:
//
//     for .. { s = mma(q, k); p = f(s); o += mma(p, v); }
//     for .. { q2 = renew(q); s = mma(q2, k); p = f(s); o += mma(p, v); }
//
// ptxas gives q and p the same registers where p is computed and multiplied in the step, so that q
// is gone in the next one. Where p is in flight or kept over the back edge, the two meet, and ptxas
// tells them apart.
//
// A mask that several products in flight read is copied where it is made:
//
//     m = where(row >= col, 1, 0); d += mma(m, s); d += mma(m, r);
//     m = where(row >= col, 1, 0); m2 = renew(m); d += mma(m2, s); d += mma(m2, r);
//
// Some of its cells are constants: here those of columns that no row of a warp reaches. ptxas makes
// a constant anew for each product, and loses the first one where both products have the operand in
// the same registers: the constant is written while the first product is in flight.
#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ir/walk.h"
#include "lowering/passes.h"
#include "lowering/registers/known_registers.h"

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

// Whether the operation makes cells of which ptxas may know some.
bool knows_cells(const Role& role, const Op& op, const std::set<std::string>& loops) {
    const auto* map = as<Map>(op);
    if (map == nullptr) return false;
    const auto* type = std::get_if<TileType>(&role[map->result].type);
    return type != nullptr && has_constant_register(*type, map->expression, loops);
}

std::set<std::string> loop_variables(const Role& role) {
    std::set<std::string> names;
    walk_only<For>(role.body, [&](const For& loop) { names.insert(loop.var); });
    return names;
}

// Whether several products that may be in flight at once read `a`: nothing between them reads what
// the first of them makes, but for products that add to it.
bool is_shared_in_flight(const Block& block, Value a) {
    std::optional<Value> flying;
    for (const Op& op : block) {
        bool shared = false;
        for_each_block(
            op, [&](const Block& inner) { shared = shared || is_shared_in_flight(inner, a); });
        if (shared) return true;
        const auto* product = as<Mma>(op);
        if (product != nullptr && product->a == a) {
            if (flying) return true;
            flying = product->result;
        } else if (flying && reads(op, *flying) &&
                   (product == nullptr || product->result != *flying)) {
            flying.reset();
        }
    }
    return false;
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

// Whether each product needs a copy of its own of `v`: a tile of one number, or what several
// operations write of which one makes a mask. A number that a variable begins with is none: what
// products of a loop read comes from two places.
bool is_constant(const Role& role, Value v) {
    if (!is_shared_in_flight(role.body, v)) return false;
    const std::vector<const Op*> writes = writes_of(role.body, v);
    if (writes.size() == 1) return as<Splat>(*writes[0]) != nullptr;
    const std::set<std::string> loops = loop_variables(role);
    return std::any_of(writes.begin(), writes.end(),
                       [&](const Op* op) { return knows_cells(role, *op, loops); });
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
        if (!shares && !is_constant(role, source)) continue;
        const Value made = copy_of(role, source);
        product->a = made;
        const Span span = block[i].span;
        block.insert(block.begin() + static_cast<std::ptrdiff_t>(i),
                     at(span, Copy{made, source, true}));
        ++i;
    }
}

// A mask is copied once, where it is made.
void renew_masks(Role& role, Block& block, const std::set<std::string>& loops) {
    for (std::size_t i = 0; i < block.size(); ++i) {
        for_each_block(block[i], [&](Block& inner) { renew_masks(role, inner, loops); });
        auto* map = as<Map>(block[i]);
        if (map == nullptr || !knows_cells(role, block[i], loops)) continue;
        const Value mask = map->result;
        if (!in_registers(role, mask) || writes_of(role.body, mask).size() > 1) continue;
        if (!is_shared_in_flight(role.body, mask)) continue;
        const Value made = copy_of(role, mask);
        walk_only<Mma>(role.body, [&](Mma& op) {
            if (op.a == mask) op.a = made;
        });
        block.insert(block.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                     at(block[i].span, Copy{made, mask, true}));
        ++i;
    }
}

}  // namespace

void copy_loop_operands(PassContext&, Module& module) {
    for (Kernel& kernel : module.kernels) {
        for (Role& role : kernel.roles) {
            std::vector<const Block*> loops;
            if (role.unit != Unit::warpgroup) continue;
            renew(role, role.body, loops);
            renew_masks(role, role.body, loop_variables(role));
        }
    }
}

}  // namespace tkc::lowering
