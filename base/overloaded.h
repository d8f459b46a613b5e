// Exhaustive std::visit: a set of lambdas, one per alternative, so that a new alternative is a
// build error.
#pragma once

namespace tkc {

template <class... F>
struct Overloaded : F... {
    using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

}  // namespace tkc
