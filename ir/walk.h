// Walks over the operations of a block: visiting, finding what touches a value, rewriting.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ir/reflect.h"

namespace tkc::ir {

enum class Order : std::uint8_t { pre, post };

// Calls f(Op&) for every operation of the block and of the blocks inside it. Parents come first
// (`pre`) or last (`post`). `f` may change the operation, not the block that holds it.
template <class B, class F>
requires std::is_same_v<std::remove_const_t<B>, Block>
void walk(B& block, F&& f, Order order = Order::pre) {
    for (auto& op : block) {
        if (order == Order::pre) f(op);
        for_each_block(op, [&](auto& inner) { walk(inner, f, order); });
        if (order == Order::post) f(op);
    }
}

// As walk, for the operations that are a T: f(T&).
template <class T, class B, class F>
void walk_only(B& block, F&& f, Order order = Order::pre) {
    walk(
        block,
        [&](auto& op) {
            if (auto* node = as<T>(op)) f(*node);
        },
        order);
}

// Calls f(Block&) for every block inside `block`, inner ones first, and for itself last.
template <class B, class F>
requires std::is_same_v<std::remove_const_t<B>, Block>
void walk_blocks(B& block, F&& f) {
    for (auto& op : block) {
        for_each_block(op, [&](auto& inner) { walk_blocks(inner, f); });
    }
    f(block);
}

// Makes the block anew: `f(op, out)` appends to `out` what takes the place of `op`, often itself
// with something before or after it. Inner blocks first, so `op` arrives with its own rebuilt.
void rebuild(Block& block, const std::function<void(Op op, Block& out)>& f);

// Whether the operation or anything inside it names `v`.
bool mentions(const Op& op, Value v);
bool mentions(const Block& block, Value v);

// The windows of a role onto its shared tiles, as they are when this is made.
class Windows {
public:
    explicit Windows(const Role& role);
    // What `v` is a window onto; `v` itself if it is none.
    Value whole(Value v) const;
    const Window* window(Value v) const;
    // Whether the operation reads the tile, itself or through a window. Naming a window does not
    // read it.
    bool reads(const Op& op, Value tile) const;

private:
    std::vector<Window> windows_;
};

// Whether one lane does all of a role of scheduled IR: it starts bulk copies and says things, no
// more. The other lanes and warps of the role then do nothing at all; a warp that only waited
// could be overtaken by two rounds of the ring and would miss its phase.
bool runs_in_one_lane(const Role& role);

// Whether a position or number of `op` names a variable of the grid, and so differs between
// programs.
bool follows_grid(const Kernel& kernel, const Op& op);

// Whether the value is a number of the author's, kept as a tile [1, 1]: nothing but its role's
// arithmetic on numbers touches it.
bool is_number(const Role& role, Value v);

// The operations of `block`, nested ones included, that read or write `v`, in order.
std::vector<const Op*> reads_of(const Block& block, Value v);
std::vector<const Op*> writes_of(const Block& block, Value v);
// How many they are: by value, of a role with so many values.
struct Uses {
    std::size_t reads = 0;
    std::size_t writes = 0;
};
std::vector<Uses> uses_of(const Block& block, std::size_t values);

// Every expression inside the block is replaced by `f` of it.
void rewrite_scalars(Block& block, const std::function<Scalar(const Scalar&)>& f);
// Every expression of the kernel (extents, conditions, grid, lets, roles, plan) likewise.
void rewrite_scalars(Kernel& kernel, const std::function<Scalar(const Scalar&)>& f);
// Symbols replaced throughout by the expressions given for their names; binders are left alone.
void substitute(Block& block, const std::map<std::string, Scalar>& values);
// Every value named inside the block is replaced by `f` of it.
void rename_values(Block& block, const std::function<Value(Value)>& f);

// A new value of the role. Its name is `name`, with a number appended if that is taken; or the
// first free of t0, t1, .. if it is empty.
Value add_value(Role& role, std::string name, Type type, bool variable = false);

}  // namespace tkc::ir
