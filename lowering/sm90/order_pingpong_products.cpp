// Orders the products of the warpgroups of a `pingpong` role: in each innermost loop
//
//     take k; mma s ..; take v; mma o ..; wait products 1; ..      becomes
//     take k; wait_order; mma s ..; take v; mma o ..; arrive_order; wait products 1; ..
//
// so that the products of one warpgroup run while another computes with the results of its own,
// instead of all products at once, followed by all waits.
//
// The turn ends after the last product before the first wait for one. It also ends where another
// warpgroup could be needed: at a release, which may have to follow another warpgroup's before a
// writer can continue, and at a barrier of the role. So between the two nothing waits for work that
// a warpgroup without the turn has still to do (docs/proofs.md).
//
// Copies of a role (`alternate`) have turns of another kind, one for each program, from its first
// element to its last:
//
//     for k { take s; mma ..; release }; wait products 0; store ..      becomes
//     wait_order; for k { take s; mma ..; release }; arrive_order; wait products 0; store ..
//
// so that the work of a copy after its elements overlaps the products of the next program.
#include <algorithm>

#include "ir/walk.h"
#include "lowering/passes.h"
#include "tiles/reduction.h"

namespace tkc::lowering {

namespace {

using namespace ir;

bool ends_turn(const Role& role, const Op& op) {
    if (synchronizes_warps(role, op)) return true;
    return as<Wait>(op) != nullptr || as<Release>(op) != nullptr || as<Barrier>(op) != nullptr ||
           as<Acquire>(op) != nullptr || as<Publish>(op) != nullptr || as<If>(op) != nullptr;
}

void place(const Role& role, Block& body) {
    std::size_t first = 0;
    while (first < body.size() && as<Mma>(body[first]) == nullptr) ++first;
    if (first == body.size()) return;
    std::size_t last = first;
    for (std::size_t i = first; i < body.size() && !ends_turn(role, body[i]); ++i) {
        if (as<Mma>(body[i]) != nullptr) last = i;
    }
    const auto place_of = [&](std::size_t i) {
        return body.begin() + static_cast<std::ptrdiff_t>(i);
    };
    const Span end = body[last].span;
    body.insert(place_of(last + 1), at(end, ArriveOrder{}));
    const Span begin = body[first].span;
    body.insert(place_of(first), at(begin, WaitOrder{}));
}

bool takes_elements(const Op& op) {
    bool found = as<Take>(op) != nullptr;
    for_each_block(op, [&](const Block& inner) {
        walk_only<Take>(inner, [&](const Take&) { found = true; });
    });
    return found;
}

// From the first element of the program to the last one.
void place_round_elements(Role& role) {
    Block& body = role.body;
    const auto first = std::find_if(body.begin(), body.end(), takes_elements);
    if (first == body.end()) return;
    const auto last = std::find_if(body.rbegin(), body.rend(), takes_elements);
    const Span begin = first->span;
    const Span end = last->span;
    const auto before = first - body.begin();
    body.insert(last.base(), at(end, ArriveOrder{}));
    body.insert(body.begin() + before, at(begin, WaitOrder{}));
}

bool has_loop(const Block& block) {
    bool found = false;
    walk_only<For>(block, [&](const For&) { found = true; });
    return found;
}

}  // namespace

void order_pingpong_products(PassContext&, Module& module) {
    for (Kernel& kernel : module.kernels) {
        for (Role& role : kernel.roles) {
            if (role.copies > 1) place_round_elements(role);
            if (!role.pingpong || role.warpgroups() < 2) continue;
            walk_only<For>(role.body, [&](For& loop) {
                if (!has_loop(loop.body)) place(role, loop.body);
            });
        }
    }
}

}  // namespace tkc::lowering
