// What fills the padding of a tile: zeros at first, then whatever arithmetic makes of them.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "ir/real_bounds.h"
#include "ir/scalar.h"

namespace tkc::ir::padding {

// What is known of a set of cells.
struct FillValue {
    enum class Kind : std::uint8_t {
        constant,  // all are `value`; bools are 0 and 1
        finite,
        any,      // perhaps not even a number
        foreign,  // elements of a neighbour
    };
    Kind kind = Kind::any;
    double value = 0;
    RealBounds bounds = {};   // of finite numbers
    bool above_zero = false;  // finite numbers: greater than 0
    // Whether it holds for infinite data and NaN, too: a `pad` that would change nothing for finite
    // data only is not left out.
    bool for_all_data = false;
    // Whether it holds only where a number is finite that the kernel itself may make infinite: the
    // maximum of a row that is masked wholly, say. No comparison is decided by such a number.
    bool assumes_finite = false;

    friend bool operator==(const FillValue&, const FillValue&) = default;
};

FillValue constant_fill(double value);
FillValue finite_fill();  // data, as far as nothing else is known of them
FillValue finite_fill(const RealBounds& bounds);
FillValue positive_fill();
// Cells of which some are `a` and some `b`.
FillValue join(const FillValue& a, const FillValue& b);
bool is_constant(const FillValue& x, double value);
bool is_finite(const FillValue& x);
bool is_positive(const FillValue& x);  // and finite
// Between which numbers all of them lie, if they are no NaN.
RealBounds bounds_of(const FillValue& x);
// `now`, which was `before` one step of a loop earlier, with such bounds that steps come to an end.
FillValue widened(const FillValue& before, FillValue now);
// Data that are not padding: assumed to be finite where nothing else is known of them.
FillValue as_data(const FillValue& x);
// The same, of which nobody knows that it is finite.
FillValue assumed_finite(FillValue x);
// What changes nothing in a sum, a maximum or a minimum of these numbers; empty for any other
// function. -inf is no number of an integer tile: its least one serves `max`.
std::optional<double> neutral_of(Function function, Dtype dtype);
// "0", "-inf", "some number", ..
std::string text(const FillValue& x);

FillValue apply(Function function, const std::vector<FillValue>& arguments);

// What an expression over cells is evaluated with.
struct FillContext {
    std::function<FillValue(std::int64_t input)> element;
    // Whether a number of the kernel is known to be positive.
    std::function<bool(const std::string& symbol)> positive;
    // What is known of a number that a role reads from a tile, or makes of one; nothing: it is
    // none. Null: there are none.
    std::function<std::optional<FillValue>(const std::string& symbol)> number;
    // Between which values an integer lies that no tile holds: a name, or the place of a cell.
    std::function<RealBounds(const ir::Scalar& integer)> between;
    // Whether one operand of a sum, maximum or minimum may have cells where the other has ended:
    // these are its own. Null: none has.
    std::function<bool(const ir::Scalar& operand, const ir::Scalar& other)> alone;
    // Whether a condition holds in the cells looked at: 1, 0, or -1 where that is not known.
    std::function<int(const ir::Scalar& condition)> decide;
};
FillValue evaluate(const ir::Scalar& expression, const FillContext& context);

}  // namespace tkc::ir::padding
