// What is to be known of a function of tiles, in one place for each of them (functions/*.cpp):
// the checker, the check of padding, the verifier, both emulators, the references, the passes and
// the emitter ask its rules. A rule that is missing does not compile.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "ir/module.h"
#include "tiles/tile_padding.h"

namespace tkc::ir {

// Why a function does not take a tile.
struct TypeProblem {
    std::string wanted;      // "cells of f32 or i32"
    std::string found;       // "bf16"
    std::string help;        // what to write instead, `{}` for the argument; or empty
    bool of_number = false;  // the further constant is wrong, and not the tile
};

// The cells of a tile or a part of one, row by row.
template <class Number>
struct CellsOf {
    std::int64_t rows = 0;
    std::int64_t cols = 0;
    std::vector<Number> values;

    Number& at(std::int64_t row, std::int64_t col) {
        return values[static_cast<std::size_t>(row * cols + col)];
    }
    Number at(std::int64_t row, std::int64_t col) const {
        return values[static_cast<std::size_t>(row * cols + col)];
    }
};
using Reals = CellsOf<double>;
using Integers = CellsOf<std::int64_t>;
// Where the rows and columns of a part lie in the whole; empty: they are the whole.
struct CellPlaces {
    std::span<const std::int64_t> rows{};
    std::span<const std::int64_t> cols{};
};

// Shared memory through which the threads of a role exchange cells. What asks for the same name
// shares it, at the largest extents.
struct Scratch {
    std::string name;
    std::string purpose;  // for people
    TileType type;
};

// What an operation needs of the machine, once its tiles have layouts.
struct Needs {
    bool meets = false;  // the warps of the role meet at its named barrier, or those of its cluster
    std::optional<Scratch> scratch{};
    std::int64_t registers = 0;  // of a thread, next to its tiles, while it is done
    double arithmetic = 0;       // instructions on single cells
    double shared_bytes = 0;     // through shared memory
};

// How CUDA calls it: a function of the runtime and what is between its parentheses.
enum class RuntimeOperand : std::uint8_t {
    result,
    source,
    scratch,
    thread,          // number among the threads of the tile's layout
    thread_of_role,  // number in the role
    barrier,         // the named barrier of the role
    meetings,        // how often the cluster has met
};
struct RuntimeCall {
    std::string function;
    std::vector<std::variant<RuntimeOperand, std::string>> arguments;
    std::string header;  // that declares it, where tk.cuh does not
};

class TileFunctionRules {
public:
    virtual ~TileFunctionRules() = default;

    // ---- types
    // The type of the result.
    virtual std::variant<TileType, TypeProblem> type(const Apply& apply,
                                                     const TileType& source) const = 0;
    // The result of a tile that has one cell along the axis: an expression over that.
    virtual Scalar of_one_cell(const Scalar& cell) const = 0;
    // Whether axis 0 is done as axis 1 of the transpose.
    virtual bool goes_along_rows_only() const = 0;

    // ---- padding
    // Of cells that get into results of other places of the axis: the value that changes none of
    // these. Empty: no cell does.
    virtual std::optional<double> neutral(Dtype dtype) const = 0;
    virtual padding::TilePadding pad(const Apply& apply,
                                     const padding::TilePadding& source) const = 0;

    // ---- values
    // `to` has the extents of the result. A part of a tile holds all that its results need. Sums of
    // integers wrap at 64 bits.
    virtual void evaluate(const Apply& apply, const Reals& from, Reals& to,
                          const CellPlaces& places) const = 0;
    virtual void evaluate(const Apply& apply, const Integers& from, Integers& to,
                          const CellPlaces& places) const = 0;

    // ---- the machine
    // What is wrong with the layouts of the tiles for it; empty: nothing.
    virtual std::string problem_of_layouts(const Apply&, const Role&) const { return ""; }
    virtual Needs needs(const Apply& apply, const Role& role) const = 0;
    virtual std::vector<RuntimeCall> calls(const Apply& apply, const Role& role) const = 0;
    // Whether it is done where the only row of a role lies over a cluster of blocks.
    virtual bool works_over_cluster(const Apply& apply) const = 0;
};

// A function that makes lines along an axis of lines: rows for axis 1, columns for axis 0.
class LineFunctionRules : public TileFunctionRules {
public:
    // Whether a line becomes one cell, and not a line of as many.
    virtual bool gives_one_cell() const = 0;
    // `places`: of the cells of `from` in the line. What is rounded, is rounded once, by who calls.
    virtual void line(std::span<const double> from, std::span<double> to,
                      std::span<const std::int64_t> places, std::int64_t number) const = 0;
    virtual void line(std::span<const std::int64_t> from, std::span<std::int64_t> to,
                      std::span<const std::int64_t> places, std::int64_t number) const = 0;
    void evaluate(const Apply& apply, const Reals& from, Reals& to,
                  const CellPlaces& places) const final;
    void evaluate(const Apply& apply, const Integers& from, Integers& to,
                  const CellPlaces& places) const final;
};

const TileFunctionRules& rules_of(TileFunction function);
inline const TileFunctionRules& rules_of(const Apply& apply) { return rules_of(apply.function); }
// Null for the transpose.
const LineFunctionRules* line_rules_of(TileFunction function);

// `name`: unique in the role.
std::string scratch_name(const Role& role, std::string_view name);

// ---- for the rules

// Sums, and what compares cells, takes signed numbers of 32 or 64 bits, to which whatever else
// there is converts. Of u32, i32 keeps sums, which wrap as well, and i64 the order of the cells.
enum class CellUse : std::uint8_t { added, compared };
std::optional<TypeProblem> needs_wide_cells(const TileType& source, CellUse use);
// The sum of two cells as the machine has it before it is rounded or narrowed.
inline double sum_of_cells(double x, double y) { return x + y; }
inline std::int64_t sum_of_cells(std::int64_t x, std::int64_t y) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(x) + static_cast<std::uint64_t>(y));
}
inline std::size_t axis_index(const Apply& apply) { return static_cast<std::size_t>(apply.axis); }
std::int64_t cells_of(const TileType& type);

}  // namespace tkc::ir
