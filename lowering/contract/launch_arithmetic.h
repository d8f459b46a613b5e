// What a launch must keep, as a list under construction, and what arithmetic adds to it: divisors
// are positive and steps fit, wherever some program evaluates them.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/function_ref.h"
#include "facts/value_range.h"
#include "ir/module.h"

namespace tkc::lowering {

// The conditions under construction; those that always hold or are already listed are dropped.
class Contract {
public:
    explicit Contract(const ir::Signature& called) : called_(called) {}
    explicit Contract(const ir::Kernel& kernel);

    // The expression in the author's words: `m.start` for the variable of a range of tiles.
    std::string words_of(const ir::Scalar& s) const;

    void require(ir::Scalar holds, const std::string& text, Span span, bool selects = false);
    // The same, with a sentence that is only made where it is needed. `reached`: what holds of the
    // launches that rely on it; null: nothing.
    void require_with(ir::Scalar holds, FunctionRef<std::string()> text, Span span,
                      bool selects = false, const ir::Scalar& reached = nullptr);
    void append(const std::vector<ir::Condition>& conditions);
    std::vector<ir::Condition> take() { return std::move(list_); }

private:
    bool always_holds(const ir::Scalar& holds) const;

    const ir::Signature& called_;
    std::set<std::string> tiles_;  // variables that stand for ranges
    std::vector<ir::Condition> list_;
    std::unordered_map<std::string, std::vector<std::size_t>> by_text_;  // places in the list
};

// What makes `s` safe to evaluate in 32 bits. `names` has the ranges of its names.
void require_arithmetic(const ir::Scalar& s, const ir::Ranges& names, Span span,
                        Contract& contract);
// The same of the bounds and positions of a kernel: of its `let`s, which are added to `names`, and
// of its roles. `bindings`: of the kernel.
void require_positions(const ir::Kernel& kernel, ir::Ranges names, const ir::Bindings& bindings,
                       Contract& contract);

}  // namespace tkc::lowering
