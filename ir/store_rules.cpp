// The ways to store: to replace what is there, and to add to it.
#include "ir/store_rules.h"

namespace tkc::ir {

namespace {

constexpr StoreRules replaced{
    .operation = "store",
    .takes = [](Dtype) { return true; },
    .types = "any",
    .joined = [](double, double cell) { return cell; },
    .joined_integers = [](std::int64_t, std::int64_t cell) { return cell; },
    .ordered = true,
    .vectors = "tk::store_vectors",
    .cells = "tk::store_global",
    .chosen = "tk::store_slice",
    .bulk = "tk::tma_store",
    .copied = "tk::copy_to_global",
    .header = "",
};

// Sums of several programs come in any order: the last bits of sums of f32 are open.
constexpr StoreRules added{
    .operation = "reduce_add",
    .takes = [](Dtype dtype) { return dtype == Dtype::f32 || dtype == Dtype::i32; },
    .types = "f32 or i32",
    .joined = [](double there, double cell) { return there + cell; },
    .joined_integers =
        [](std::int64_t there, std::int64_t cell) {
            return static_cast<std::int64_t>(static_cast<std::uint64_t>(there) +
                                             static_cast<std::uint64_t>(cell));
        },
    .ordered = false,
    .vectors = "tk::add_vectors",
    .cells = "tk::add_global",
    .chosen = "tk::add_slice",
    .bulk = "tk::tma_reduce_add",
    .copied = "tk::add_to_global",
    .header = "tk/operations/add.cuh",
};

}  // namespace

std::span<const StoreRules* const> all_store_rules() {
    static constexpr const StoreRules* all[] = {&replaced, &added};
    return all;
}

const StoreRules& rules_of_stores(Mode mode) {
    switch (mode) {
        case Mode::in:
        case Mode::out:
        case Mode::inout:
        case Mode::scratch: return replaced;
        case Mode::accumulate: return added;
    }
    return replaced;
}

}  // namespace tkc::ir
