// What fills the padding of a tile: zeros at first, then whatever arithmetic makes of them.
//
// It is followed as the machine computes it, in the dtype of each step: between which numbers it
// lies, infinite ones among them, and whether it may be NaN. The reductions and products that take
// padding in need cells that change nothing. But 0 times a number of the row is NaN if that number
// is infinite, and then the row's own cells are infinite or NaN as well. So it is known of NaN what
// it comes from (`Cause`).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "arithmetic/scalar.h"
#include "facts/real_bounds.h"

namespace tkc::ir::padding {

// Where cells of padding are NaN or infinite, in this order: the later, the worse. The line of a
// cell is its row or column along the axis, and a number is of the line if all of its cells have
// it, those with data too: a cell of a column next to a tile, a parameter, a number that a role
// reads.
enum class Cause : std::uint8_t {
    none,   // nowhere
    same,   // where a number of the line is NaN: then all that is made of that is NaN
    own,    // where a number of the line is infinite: then the line's own cells are infinite or NaN
    large,  // where what is made of data overflows in the padding: the line's own cells need not
    any,    // perhaps whatever the data are
};

struct Infinities {
    bool least = false;  // -inf
    bool most = false;   // inf

    explicit operator bool() const { return least || most; }
    friend bool operator==(const Infinities&, const Infinities&) = default;
};
inline Infinities either(const Infinities& a, const Infinities& b) {
    return {a.least || b.least, a.most || b.most};
}

// What is known of a set of cells.
struct FillValue {
    enum class Kind : std::uint8_t {
        constant,  // all are `value`, infinite or not; bools are 0 and 1
        number,    // between `bounds`
        any,       // perhaps NaN, and nothing else is known
        foreign,   // elements of a neighbor
    };
    Kind kind = Kind::any;
    double value = 0;
    RealBounds bounds = {};
    Cause nan = Cause::none;  // of constants and numbers: they may be NaN instead; never `any`
    Cause infinite = Cause::large;  // what infinite numbers among them come from
    bool of_line = false;           // the same in all cells of the line
    // Whether it holds for infinite and NaN elements of tensors, too: a `pad` that would change
    // nothing for finite ones only is not left out.
    bool for_all_data = false;
    // Data that may be NaN where, without padding, they are infinite: a sum took such padding in.
    // It is the number of that sum, from 1 on; 0: none did.
    std::uint32_t mixed = 0;
    bool mixed_finite = false;  // without padding, they may be finite as well
    // Data: infinities that places put into some cells of a line, and that the others need not
    // have.
    Infinities placed = {};
    // Infinities that the author has written, so that they are there whatever the data are, and
    // whether NaN comes of these. Of NaN that is a number of the line, nobody asks.
    Infinities written = {};
    bool nan_written = false;

    friend bool operator==(const FillValue&, const FillValue&) = default;
};

FillValue constant_fill(double value);
// Elements of tensors, which are taken to be finite.
FillValue finite_fill();
// Numbers between bounds.
FillValue number_fill(const RealBounds& bounds);
// Anything, as a number of the line: of infinite and NaN ones among them, the line has its own.
FillValue any_of_line();
// Cells of which some are `a` and some `b`.
FillValue join(const FillValue& a, const FillValue& b);
// All cells are that number, but for NaN that the line makes itself.
bool is_constant(const FillValue& x, double value);
// Never NaN where the line has no such number of its own.
bool is_number(const FillValue& x);
bool is_positive(const FillValue& x);
// Between which numbers all of them lie that are not NaN.
RealBounds bounds_of(const FillValue& x);
// `now`, which was `before` one step of a loop earlier, with such bounds that steps come to an end.
FillValue widened(const FillValue& before, FillValue now);
// Data that are not padding. What is infinite or NaN among them is so without padding.
FillValue as_data(const FillValue& x);
// The same in cells where their line has no data of its own.
FillValue elsewhere(const FillValue& x);
// A number that all cells of the line have.
FillValue of_line(const FillValue& x);
// What a tile of that dtype can hold of it.
FillValue as_cells(FillValue x, Dtype dtype);
// What a product takes of it as tf32.
FillValue as_tf32(const FillValue& x);
// What changes nothing in a sum, a maximum or a minimum of these numbers; empty for any other
// function. -inf is not a number of an integer tile: its least one serves `max`.
std::optional<double> neutral_of(Function function, Dtype dtype);
// "0", "-inf", "some number", ..
std::string text(const FillValue& x);

// A function of numbers of `dtype`.
FillValue apply(Function function, Dtype dtype, const std::vector<FillValue>& arguments);

// What an expression over cells is evaluated with.
struct FillContext {
    std::function<FillValue(std::int64_t input)> element;
    // Whether an integer of the kernel is known to be positive.
    std::function<bool(const std::string& symbol)> positive;
    // Between which numbers a parameter of a real dtype lies; nothing: it may be any. Null: each
    // may.
    std::function<std::optional<RealBounds>(const std::string& symbol, Dtype dtype)> parameter;
    // What is known of a number that a role reads from a tile, or makes of one; nothing: it is
    // none. Null: there are none.
    std::function<std::optional<FillValue>(const std::string& symbol)> number;
    // What the elements of a tensor are. Null: finite.
    std::function<FillValue(const std::string& tensor)> loaded;
    // Between which values an integer lies that no tile holds: a name, or the place of a cell.
    std::function<RealBounds(const ir::Scalar& integer)> between;
    // Whether one operand of a sum, maximum or minimum may have cells where the other has ended:
    // these are its own. Null: none has.
    std::function<bool(const ir::Scalar& operand, const ir::Scalar& other)> alone;
    // Whether a condition holds in the cells looked at: 1, 0, or -1 where that is not known.
    std::function<int(const ir::Scalar& condition)> decide;
    // These are a line's own cells. In others, what a condition chooses by their places is none of
    // its line's numbers.
    bool data = false;
    // Called with data that are mixed where NaN would decide otherwise than what they are without
    // it (FillValue::mixed). Null: nobody asks.
    std::function<void(const FillValue& mixed)> hides;
};
FillValue evaluate(const ir::Scalar& expression, const FillContext& context);

}  // namespace tkc::ir::padding
