// Keeps ptxas from hoisting a wait above the arithmetic that should overlap the product:
//
//     mma s ..; mma o ..; wait products 1             ..; wait products 1
//     t = max of s; p = exp2(s - t)                   t = max of s; pin_waits; p = exp2(s - t)
//     wait products 0 [o]               becomes       wait products 0 [o]
//
// Within a basic block ptxas hoists such a wait as far as it likes (docs/hopper.md): the wait for
// `o` would be where the one for `s` is, and the arithmetic would begin when both products are
// complete. It does not cross `pin_waits`. After that, ptxas may place it as its schedule
// requires; with all of the arithmetic before `pin_waits`, attention was slower than without. So
// it is where the first half of the arithmetic ends, by cost, but after some of it.
//
// It is done in loops, for a wait that has arithmetic on tiles between it and the product, or the
// wait, before it. It is not done if a wait for a stage follows `pin_waits`: that wait is a loop,
// which ends a basic block.
#include <algorithm>
#include <optional>

#include "ir/walk.h"
#include "lowering/passes.h"
#include "lowering/registers/arithmetic_cost.h"

namespace tkc::lowering {

namespace {

using namespace ir;

bool waits_for_products(const Op& op) {
    const Wait* wait = as<Wait>(op);
    return wait != nullptr && wait->channel == Channel::products;
}

// Whether products are in flight after the operation, which issues one or waits for some.
bool leaves_in_flight(const Op& op) {
    const Wait* wait = as<Wait>(op);
    return wait == nullptr || wait->pending > 0;
}

// Whether the operation computes with a tile that is neither a column nor a row.
bool computes_with_tile(const Role& role, const Op& op) {
    const auto is_whole = [&](Value v) { return role.tile(v).rows != 1 && role.tile(v).cols != 1; };
    if (const Map* map = as<Map>(op)) return is_whole(map->result);
    if (const Apply* apply = as<Apply>(op)) return is_whole(apply->source);
    return as<ScaleRows>(op) != nullptr;
}

// Before which operation of the block `pin_waits` is, for the wait at `end` and the arithmetic
// from `first` on; none where there is nothing to hold.
std::optional<std::size_t> place_of_hold(const Kernel& kernel, const Role& role, const Block& block,
                                         std::size_t first, std::size_t end) {
    double all = 0;
    bool tiles = false;
    for (std::size_t i = first; i < end; ++i) {
        all += arithmetic_cycles(kernel, role, block[i]);
        tiles = tiles || computes_with_tile(role, block[i]);
    }
    if (!tiles) return std::nullopt;
    double before = 0;
    std::size_t place = first;
    bool any = false;  // of the tiles before it
    while (place < end) {
        const double next = arithmetic_cycles(kernel, role, block[place]);
        if (any && before + next > all / 2) break;
        before += next;
        any = any || computes_with_tile(role, block[place]);
        ++place;
    }
    const bool stopped = std::any_of(
        block.begin() + static_cast<std::ptrdiff_t>(place),
        block.begin() + static_cast<std::ptrdiff_t>(end),
        [](const Op& op) { return as<Take>(op) != nullptr || as<Acquire>(op) != nullptr; });
    return stopped ? std::nullopt : std::optional(place);
}

void hold(const Kernel& kernel, const Role& role, Block& block) {
    std::optional<std::size_t> first;  // after what left products in flight last
    for (std::size_t i = 0; i < block.size(); ++i) {
        if (waits_for_products(block[i]) && first) {
            if (const auto place = place_of_hold(kernel, role, block, *first, i)) {
                const Span span = block[*place].span;
                block.insert(block.begin() + static_cast<std::ptrdiff_t>(*place),
                             at(span, PinWaits{}));
                ++i;
            }
        }
        if (waits_for_products(block[i]) || as<Mma>(block[i]) != nullptr)
            first = leaves_in_flight(block[i]) ? std::optional(i + 1) : std::nullopt;
    }
}

void hold_in(const Kernel& kernel, const Role& role, Block& block, bool in_loop) {
    for (Op& op : block) {
        const bool loop = in_loop || as<For>(op) != nullptr;
        for_each_block(op, [&](Block& inner) { hold_in(kernel, role, inner, loop); });
    }
    if (in_loop) hold(kernel, role, block);
}

}  // namespace

void pin_waits(PassContext&, Module& module) {
    for (Kernel& kernel : module.kernels) {
        for (Role& role : kernel.roles) {
            if (role.unit == Unit::warpgroup) hold_in(kernel, role, role.body, false);
        }
    }
}

}  // namespace tkc::lowering
