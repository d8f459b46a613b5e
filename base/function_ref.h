// A borrowed callable, so that a walk over a large structure is compiled once and not once for
// every caller.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace tkc {

template <class Signature>
class FunctionRef;

// Calls what it was made of, which must live as long as the reference: for parameters only.
template <class Result, class... Arguments>
class FunctionRef<Result(Arguments...)> {
public:
    template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef>)
        FunctionRef(F&& f)  // NOLINT(google-explicit-constructor): a lambda is passed as it is
        : object_(const_cast<void*>(static_cast<const void*>(std::addressof(f)))),
          call_([](void* object, Arguments... arguments) -> Result {
              return (*static_cast<std::remove_reference_t<F>*>(object))(
                  std::forward<Arguments>(arguments)...);
          }) {}

    Result operator()(Arguments... arguments) const {
        return call_(object_, std::forward<Arguments>(arguments)...);
    }

private:
    void* object_;
    Result (*call_)(void*, Arguments...);
};

}  // namespace tkc
