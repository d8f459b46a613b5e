// Where the roles of a kernel touch the tensors that its programs write: positions over the numbers
// of grid and loop iterations.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "facts/facts.h"
#include "ir/module.h"

namespace tkc::checks {

// A number that runs over 0 .. trips - 1: of a grid axis or a loop.
struct CountedLoop {
    std::string index;
    ir::NormalForm trips;
    bool of_grid = false;
    std::string var;  // the variable and its first value and step, for people
    ir::NormalForm begin;
    std::int64_t step = 1;
    bool reversed = false;  // runs from its last number to its first
};

// How often a loop runs that runs at all: without the bound of 0, which proofs would have to tell
// apart.
ir::NormalForm trips_of_running(const ir::NormalForm& trips);

struct AccessAxis {
    ir::NormalForm base;  // over the counters' numbers; not known of a gather, which lies anywhere
    std::int64_t length = 1;
    ir::NormalForm extent;
    bool whole = false;
    std::optional<ir::NormalForm> loops = {};  // length, where loops that are no longer counters
                                               // store slices side by side

    std::optional<ir::NormalForm> edge = {};  // of a view that ends there: nothing after is touched

    ir::NormalForm size() const { return loops ? *loops : ir::NormalForm(length); }
};

// A load or store of a slice of a tensor that is not only read.
struct Access {
    Span span;
    const ir::Tensor* tensor = nullptr;
    const ir::Role* role = nullptr;
    bool writes = false;
    std::vector<AccessAxis> axes;
    std::vector<CountedLoop> counters;  // grid, then loops from outside in
    ir::NormalForm condition = ir::NormalForm(1);
    std::vector<ir::NormalForm> branches = {};  // its factors: of each `if` around, from outside in
    std::string pipeline = {};                  // a load that fills an element of it
    const ir::Op* op = nullptr;                 // the operation
    std::size_t place = 0;                      // in the text of the kernel, counted
};

// All of them, role by role in the order of the text.
std::vector<Access> find_accesses(const ir::Kernel& kernel);

// Whether the two are in the same loops.
bool same_loops(const Access& a, const Access& b);

// A `signal` or `await`. Its axes are those of the counter; that they have no tensor is of no
// matter to proofs about positions.
struct Counting : Access {
    const ir::Counter* counter = nullptr;
    bool waits = false;
    ir::NormalForm count;  // what it waits for
};

// The same, with what signals and waits. Numbers of loops have the same names in both.
struct AccessesInOrder {
    std::vector<Access> accesses;
    std::vector<Counting> countings;
};
AccessesInOrder find_accesses_in_order(const ir::Kernel& kernel);

}  // namespace tkc::checks
