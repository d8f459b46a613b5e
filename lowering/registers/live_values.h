// What nvcc holds of the cells of a role of warps, where that is not what the operations say.
// docs/performance/compiler.md ("How many blocks share a multiprocessor") has the experiments.
//
// - What several maps compute alike, it computes once (conversions of a bf16 tile, random numbers),
//   and holds it where cells meet between the maps. What it is made of need not be held for that.
// - The result of a map that only a sum or a store reads is never there as a whole.
// - Narrow cells of rows whose end is known at the launch only have a register each.
// - What is loaded after a reduction, for the next map alone, comes a vector at a time.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ir/module.h"

namespace tkc::lowering {

inline constexpr std::int64_t registers_of_vector = 4;  // of 16 bytes

// The values of a role of warps, as nvcc's elimination of common subexpressions leaves them. Those
// after the role's own are parts of the expressions of several maps.
class LiveValues {
public:
    // `open`: where rows end is known at the launch only.
    LiveValues(const ir::Role& role, bool open);

    // Registers a thread, by value.
    const std::vector<std::int64_t>& registers() const { return registers_; }
    // What an operation makes and reads.
    std::vector<std::uint32_t> results(const ir::Op& op) const;
    std::vector<std::uint32_t> operands(const ir::Op& op) const;

private:
    // What is computed of a cell, of whatever map: the same number for the same.
    struct Term {
        std::int64_t cells = 0;      // of a thread; 0: it is the same for all
        bool linear = false;         // a place, times or plus what is the same for all
        std::int64_t registers = 0;  // of all cells
        const ir::Op* first = nullptr;
        int phase = 0;  // of the first map that computes it
        bool shared = false;
        std::int64_t holder = -1;  // the value that it is
        std::vector<std::size_t> parts;
    };
    using Scope = std::map<std::string, std::size_t>;

    void number(const ir::Block& block);
    void number_map(const ir::Op& op, const ir::Map& map);
    std::size_t number_scalar(const ir::Op& op, const ir::Map& map, const ir::Scalar& s);
    std::size_t term_of(const std::string& key, Term term);
    void renew(const ir::Block& block);
    void renew(const ir::Op& op);
    void read(const ir::Op& op, std::size_t term, bool for_shared);
    void sink(const ir::Block& block);
    void take_by_vectors(const ir::Block& block);
    void unpack();
    bool read_by_cells(ir::Value value) const;

    const ir::Role& role_;
    std::vector<std::int64_t> registers_;
    std::vector<Term> terms_;
    std::vector<Scope> scopes_;
    std::vector<std::size_t> now_;                       // by value: the term that its cells are
    std::map<const ir::ScalarNode*, std::size_t> seen_;  // of one map
    std::map<const ir::Op*, std::size_t> top_;           // by map: its whole expression
    std::map<const ir::Op*, std::vector<std::uint32_t>> made_;
    std::map<const ir::Op*, std::vector<std::uint32_t>> read_;
    // What a map reads for its result, what it makes for others as it is.
    std::map<const ir::Op*, std::vector<std::uint32_t>> kept_;
    std::map<std::uint32_t, std::vector<const ir::Op*>> readers_;
    std::map<std::uint32_t, int> makers_;
    // Operations that need all cells of a tile, and loops, divide a role into phases.
    int phase_ = 0;
    std::map<const ir::Op*, int> phases_;
};

}  // namespace tkc::lowering
