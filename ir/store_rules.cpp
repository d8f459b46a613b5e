// The ways to store: to replace what is there.
#include "ir/store_rules.h"

namespace tkc::ir {

namespace {

constexpr StoreRules replace{
    .operation = "store",
    .takes = [](Dtype) { return true; },
    .types = "any",
    .joined = [](double, double cell) { return cell; },
    .ordered = true,
    .in_bulk = true,
    .vectors = "tk::store_vectors",
    .cells = "tk::store_global",
    .header = "",
};

}  // namespace

const StoreRules& rules_of_stores(Mode mode) {
    switch (mode) {
        case Mode::in:
        case Mode::out:
        case Mode::inout:
        case Mode::accumulate:
        case Mode::scratch: return replace;
    }
    return replace;
}

}  // namespace tkc::ir
