// Between which values an integer expression lies on the machine, and whether it wraps there: as
// numbers for every launch, and as expressions over extents and parameters for one.
//
// A node of dtype D is computed in D: what leaves D's numbers wraps. Whether a step can leave them
// is decided here, once: the normal forms of the proofs and the conditions of the launch both use
// `step_of`, so that what a proof takes to be exact is exact in every launch that is admitted.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "arithmetic/guards.h"
#include "arithmetic/normal_form.h"
#include "arithmetic/scalar.h"
#include "ir/module.h"

namespace tkc::ir {

// Both ends included. The expressions are null where nothing better than the numbers is known.
struct ValueRange {
    std::int64_t least = 0;
    std::int64_t most = 0;
    Scalar low;
    Scalar high;
};

// Ranges of the names in scope; of the elements of a tensor by `elements_of`.
using Ranges = std::map<std::string, ValueRange>;
std::string elements_of(const std::string& tensor);

// All values of a dtype of integers or bools.
ValueRange range_of_dtype(Dtype dtype);
// An extent: 0 up to the limit of extents, and as an expression itself.
ValueRange extent_range(const std::string& name);
// A scalar parameter: all of its dtype, and as an expression itself.
ValueRange parameter_range(const std::string& name, Dtype dtype);
// What a variable takes from `begin` up to `end` - 1.
ValueRange variable_range(const ValueRange& begin, const ValueRange& end);

// How a step of integer arithmetic comes out.
enum class Fit : std::uint8_t {
    always,     // as on paper: no values of its names lead out of the dtype
    at_launch,  // as on paper wherever `low` and `high` lie in the dtype, which a launch can tell
    never,      // it may wrap, and no launch can tell
};
struct Step {
    Fit fit = Fit::always;
    ValueRange range;  // of what the machine has
    Scalar low, high;  // `at_launch`: what must be in range; null where there is no need to ask
};
// Whether the launch is asked for what an expression needs to come out as on paper. It is for what
// steers: bounds, positions, conditions, `let`s. For what tiles and changing numbers hold it is
// not, so that no step of theirs fits `at_launch`; but it is for places that their cells compare.
enum class Asked : std::uint8_t { yes, no };
// What comparisons of a cell compare, of type i32, where it is made of places and of numbers that
// steer: `m + row <= N - M + col` has two. Masks are made of them.
std::vector<Scalar> compared_places(const Scalar& cell);

// Ranges and steps of expressions. Each part is looked at once, so that all steps of a long
// expression take time in proportion to it. `names` must outlive this, and so must the expressions
// that it is asked about.
class RangeFinder {
public:
    explicit RangeFinder(const Ranges& names, Asked asked = Asked::yes)
        : names_(names), asked_(asked) {}

    Step step_of(const Scalar& s);
    // The range of an integer expression as the machine has it.
    ValueRange range_of(const Scalar& s);
    // Whether no step of the expression can wrap.
    bool always_fits(const Scalar& s);

    // What is known where the guard holds: names that it compares lie closer together.
    RangeFinder& inside(const Guard& guard);
    // The condition over extents and parameters alone; null where it is not made of them.
    Scalar at_launch(const Scalar& condition);
    // What holds of a launch in which the guard holds somewhere, in a program or a step of a loop;
    // null where nothing is known.
    Scalar reached(const Guard& guard);

private:
    friend void narrow(Ranges& names, const Guard& guard);

    ValueRange find(const Scalar& s);
    ValueRange range_of_name(const std::string& name, Dtype dtype) const;
    // Of a call's argument, under the condition under which it is evaluated.
    ValueRange range_of_argument(const Call& c, std::size_t argument);
    Ranges closer(const Guard& guard);
    Scalar reached_part(const Guard& part);

    const Ranges& names_;
    Asked asked_;
    Ranges closer_;  // what `names_` has wider
    int depth_ = 0;  // of finders that know more
    std::unordered_map<const ScalarNode*, ValueRange> found_;
    std::map<std::pair<const ScalarNode*, bool>, std::shared_ptr<RangeFinder>> inside_;
};
// The ranges where the guard holds.
void narrow(Ranges& names, const Guard& guard);
// The same by numbers alone, where those of the operands are known: false if they do not suffice.
bool fits(const Scalar& s, const std::vector<ValueRange>& operands, ValueRange* range);
// Whether a form, which may be simpler than what it was made from (`a + (b - a)` is b), is a
// number of the dtype.
bool fits(const NormalForm& x, Dtype dtype, const Ranges& names);
// Between which numbers a form lies, both ends included; empty where that is not known of one of
// its names, or the ends have more than 64 bits.
std::optional<std::pair<std::int64_t, std::int64_t>> numbers_of(const NormalForm& x,
                                                                const Ranges& names);
// What `low` and `high` of a step must keep, of which a launch can tell: both ends included.
std::int64_t least_at_launch(Dtype dtype);
std::int64_t most_at_launch(Dtype dtype);

inline ValueRange range_of(const Scalar& s, const Ranges& names) {
    return RangeFinder(names).range_of(s);
}

// What a kernel states of the elements of a tensor of integers: from `least` up to `end` - 1.
struct ElementRange {
    std::string tensor;
    Scalar least;
    Scalar end;
};
// Among what the kernel states, `Kernel::trusted`, as text: `0 <= elements < N` of a tensor.
std::vector<ElementRange> element_ranges(const Kernel& kernel);
Trusted element_range(const ElementRange& range, Span span);

// Extents and parameters.
Ranges ranges_of(const Signature& called);
// Those, and elements of tensors by what is stated of them.
Ranges ranges_at_launch(const Kernel& kernel);
// Those, grid variables, `let`s and loop variables of all roles (where two have one of the same
// name: of both).
Ranges ranges_of(const Kernel& kernel);
// The same of one role, and of its warpgroup's number.
Ranges ranges_of(const Kernel& kernel, const Role& role);

}  // namespace tkc::ir
