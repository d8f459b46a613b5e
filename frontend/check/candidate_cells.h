// What two candidates of a launcher know of one number or of the cells of one tile, side by side:
// in how far both compute the same.
//
// CandidatePair cut the same axes into tiles of other widths. So a number is the same in both if it
// speaks of places in the tensors: `m.start + row_index(x)` is one where the rows of x are those of
// `m`, and `m.start` alone is none.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/span.h"
#include "ir/module.h"

namespace tkc::checker {

// How much is known against a value; what is worse comes later.
enum class Doubt : std::uint8_t {
    none,
    undecided,  // it may be the same by arithmetic that is not followed
    place,      // it is read at a place that the schedule decides
    certain,    // the schedule decides it
};

struct Cause {
    Span span{};
    std::string what = {};  // "decides where the tiles of `m` begin, .."
};

// What a value holds of the tiles along which a loop, or the grid, is cut, and of a variable that a
// loop changes. Of these sums and extremes, all tiles together give what the axis has, whatever
// their widths.
enum class Fold : std::uint8_t {
    nothing,
    itself,    // the variable, as the step before left it
    sum,       // of one tile, perhaps added to the variable
    largest,   // of one tile, perhaps next to the variable
    smallest,  // likewise
    other,
};

// One axis of a tile, in both candidates.
struct CutAxis {
    std::int64_t extent = 1;
    std::int64_t other = 1;
    // The range whose tiles lie along the axis; "": places that are the same in both; none: not
    // known yet, as of a tile that holds one number.
    std::optional<std::string> over = {};
    bool in_tile = false;  // cells are known by their place in the tile alone

    bool differs() const { return extent != other; }
    bool is_long() const { return extent > 1 || other > 1; }
};
using CutAxes = std::array<CutAxis, 2>;  // rows, columns

struct CutCells {
    // The value is a sum of these and of something that is the same in both: multiples of where
    // the tiles of ranges begin, of the row and the column in the tile, and the difference of
    // constants.
    std::map<std::string, double> starts = {};
    std::array<double, 2> places = {0, 0};
    double difference = 0;
    std::optional<double> literal = {};  // of the first candidate: nothing else is in it

    std::array<bool, 2> along = {false, false};  // cells of several rows, or columns, differ
    CutAxes axes = {};
    std::set<std::size_t> steps = {};         // depths of the loops on whose steps it depends
    std::set<std::uint32_t> itself = {};      // variables whose value of the step before is in it,
    bool moves = false;                       // and not only as one of several that are chosen from
    std::set<std::string> loops = {};         // ranges of loops in `starts`, now or before
    std::set<std::string> ranges = {};        // that it depends on
    std::map<std::string, Cause> parts = {};  // ranges of which it sums up one tile alone
    // The last tile of a range goes on past its end. There, some cells are what they would be
    // anywhere, as places are; if all are zero, no sum takes in how many they are.
    std::set<std::string> past = {};      // ranges past whose ends something is
    std::set<std::string> vanishes = {};  // ranges past whose ends all is zero
    Fold fold = Fold::nothing;
    bool and_a_number = false;  // one of the text is added to that, the same in every step
    // Something but where tiles begin, places in them and constants: data, extents, parameters.
    bool has_other = false;
    // A doubt in it is not about how a place compares with an extent, a parameter, data or the
    // beginning of an axis: such conditions ask for the first or last tile, or for what is masked.
    bool crude = false;
    // What a loop carries on from tile to tile is in it: together they may be the same.
    bool carried = false;
    // It is taken for the same, and nothing here shows that it is.
    std::optional<Cause> assumed = {};
    Doubt doubt = Doubt::none;
    Cause cause = {};
    Span span = {};  // that made it

    void suspect(Doubt how, Cause why);
    // May be the same by arithmetic that is not followed, and mostly is.
    void assume(Cause why);
    // Multiplied by `factor`: zero where that is.
    void vanish_with(const CutCells& factor);
};

// `into` is made of `part`, too.
void depend(CutCells& into, const CutCells& part);
// Ranges past whose ends both are zero.
std::set<std::string> both_vanish(const CutCells& a, const CutCells& b);
// What is along the axis in one tile is along `into`, where the other tile's cells are
// `cells`.
void join_axis(CutAxis& into, const CutAxis& from, bool varies, CutCells& cells, Span span);

// What is known of names, and of what an expression is about.
struct CutNames {
    const std::map<std::string, CutCells>& names;  // all others are the same in both
    const std::set<std::string>& first_tiles;      // names of ranges that begin with 0
    const std::set<std::string>& edges;            // of `pad`, counted from where tiles begin
    const std::array<std::string, 2>& candidates;  // their names, for people
};

// What `a + sign * b` holds of tiles and variables.
Fold added(const CutCells& a, const CutCells& b, double sign);

// Gives the value as a function of places in tensors, if it is one; else it is suspected.
void settle(CutCells& x, CutAxes& axes, Doubt otherwise, Span span);

// The value of the expressions of both candidates that are at the same place, with `inputs` for
// `#0`, `#1`, .. and the axes of the tile whose cells it is.
CutCells both(const ir::Scalar& first, const ir::Scalar& other, const CutNames& names,
              const std::vector<const CutCells*>& inputs, CutAxes& axes, Span span);

}  // namespace tkc::checker
