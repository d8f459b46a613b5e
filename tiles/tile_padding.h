// What is known of the padding of a tile: where it begins along each axis, and what it holds.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "arithmetic/scalar.h"
#include "base/span.h"
#include "facts/fill_value.h"

namespace tkc::ir::padding {

// Whether each cell past the edge is what the last cell of the data is, as a running sum that went
// on over zeros: a maximum may take that in. The threads of a row add up numbers in another order
// for each cell, so of real numbers it is the same but for rounding, and no place may use it.
enum class Repeats : std::uint8_t { no, nearly, exactly };

// Of one axis of a tile: the cells from `edge` on are padding.
struct AxisPadding {
    bool padded = false;
    Scalar edge;      // over symbols of the kernel and loop variables; null: nobody knows where
    std::string key;  // of the edge's normal form
    // Tiles of several places are joined, so that `edge` is null: none of them has padding before
    // this. Null: nobody knows.
    Scalar first;
    std::string first_key;
    // A slice that may begin before its axis has padding at both ends, so that `edge` is null. A
    // cell is none of it where all of these hold, over symbols, loop variables and `row`, the
    // cell's place along the axis. Empty: nobody knows.
    std::vector<Scalar> inside;
    std::string inside_key;  // of their normal forms
    FillValue fill;          // of the padding, where the other axis has none
    // The tile holds what another one had there before, all of which is `fill`: what the first step
    // of a loop left out may stay left out. A hint; whoever takes it proves it.
    bool kept = false;
    // A number that the author put there, by `pad` or by a choice of places, as it is.
    bool stated = false;
    // The author means what lies there: data of another tile that goes on, joined with zeros as
    // `load` gives them; or what a choice puts there that compares places with the edge.
    bool meant = false;
    // The cells hold what the last cell of the data holds: a running sum that went on over zeros.
    bool total = false;
    Repeats repeats = Repeats::no;
    // A neighbor's data as they are, of which the author says `allow_foreign`: they may be read.
    bool allowed = false;
    // The tile is that of another step of a loop, with its edge in the words of this one.
    bool earlier = false;
    // Its cells are among those of the data, in the order of `fragments`, in which they are stored.
    bool among_data = false;
    // Padding has changed data of another step, as 0 does in `p * x`. It does no harm to what this
    // step makes of the tile: `sum(p * x)` is that of the cells that x has.
    bool changes = false;
    // The loop has gone on with such a tile: what the data were is lost.
    bool changed = false;
    std::string tensor;
    Span origin;       // the first slice that reached past an edge
    std::string lost;  // why the edge is not known

    friend bool operator==(const AxisPadding& a, const AxisPadding& b) {
        return a.padded == b.padded && a.key == b.key && a.first_key == b.first_key &&
               a.inside_key == b.inside_key && a.fill == b.fill && a.stated == b.stated &&
               a.meant == b.meant && a.total == b.total && a.repeats == b.repeats &&
               a.allowed == b.allowed && a.earlier == b.earlier && a.changes == b.changes &&
               a.changed == b.changed && a.among_data == b.among_data;
    }
};

// Of one axis of a slice by a computed list: cells whose positions lie outside of the tensor. They
// are followed as long as nothing else is in them: where they meet another tile, as at the edge of
// an image, they are data that the author wants to be 0. So whatever is not known of them is left
// out, and `TilePadding::data` is of these cells, too.
struct Holes {
    // A cell has a position where all of these hold: over symbols of the kernel, loop variables and
    // `row`, the cell's place along the axis, whichever that is. Empty: there are no such cells.
    std::vector<Scalar> inside;
    std::string key;  // of their normal forms
    FillValue fill;
    FillValue data = finite_fill();  // of the cells that have a position
    bool stated = false;             // a number that the author put there, as it is
    bool total =
        false;  // running sums, which zeros have left as they were, or what is made of these
    std::string tensor;
    Span origin;

    friend bool operator==(const Holes& a, const Holes& b) {
        return a.key == b.key && a.fill == b.fill && a.data == b.data && a.stated == b.stated &&
               a.total == b.total;
    }
};

// Of one axis of a tile: the loops whose iterations put other cells of a tensor there.
struct Iterations {
    std::set<std::string> current;  // variables of loops: the cells are of the current iteration
    std::set<std::string> earlier;  // ... of an earlier one
    bool combined = false;          // each cell is computed from those of several iterations

    friend bool operator==(const Iterations&, const Iterations&) = default;
};

struct TilePadding {
    std::array<AxisPadding, 2> axis;
    std::array<Iterations, 2> iterations;
    // Along the axis, what is in its cells comes from no tensor: numbers, and what is made of
    // places. Where another tile has ended, such cells are not data.
    std::array<bool, 2> made_up{};
    // Along the axis, what is in its cells if the tile is one that is made up, as before the first
    // step of a loop that puts data there. Nothing: it is none.
    std::array<std::optional<FillValue>, 2> begun{};
    std::array<Holes, 2> holes;
    FillValue data = finite_fill();       // of the cells that are none
    FillValue corner = constant_fill(0);  // of the padding along both axes

    friend bool operator==(const TilePadding&, const TilePadding&) = default;
};

// Calls f with all that is known of its cells.
template <class F>
void for_each_fill(TilePadding& x, const F& f) {
    for (AxisPadding& axis : x.axis) f(axis.fill);
    for (Holes& holes : x.holes) {
        f(holes.fill);
        f(holes.data);
    }
    for (std::optional<FillValue>& begun : x.begun) {
        if (begun) f(*begun);
    }
    f(x.data);
    f(x.corner);
}
// What a tile of that dtype can hold of it.
TilePadding as_cells(TilePadding x, Dtype dtype);

// What is where the padding of a tile along both axes would be.
FillValue corner_of(const TilePadding& x);
// Adds what holds of the other one.
void add(Iterations& x, const Iterations& other);
// Of a tile that is one or the other.
TilePadding join(const TilePadding& a, const TilePadding& b);
void lose_edge(AxisPadding& x, const std::string& why);
// No cell before this is padding; null: nobody knows.
const Scalar& begin_of(const AxisPadding& x);
const std::string& begin_key(const AxisPadding& x);
// The same padding, if all cells from there on are.
AxisPadding from_begin(AxisPadding x);

// Of the rows (columns) from `first` on. The edge moves; its key is for who asks to renew.
TilePadding sliced(TilePadding tile, std::size_t axis, std::int64_t first);

// The sum of some of these numbers. It may overflow, and what has both signs may be NaN then.
FillValue summed(const FillValue& x);

}  // namespace tkc::ir::padding
