// What a launch settles before any program runs: extents, the contract, the grid.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/span.h"
#include "emulator/environment.h"
#include "ir/module.h"

namespace tkc::emulator {

// The sentence that the launcher returns, and what in the text it is about.
struct Refusal {
    std::string sentence;
    Span span;
};
// Of these arguments; nothing if it launches.
std::optional<Refusal> refusal(const ir::Signature& called, const Arguments& arguments);

// The programs of a grid, numbered as the device does it: the leftmost axis varies fastest, or in
// bands along the raster's axis.
class Grid {
public:
    // At the scheduled level, with those past the end of an axis that only fill up its last
    // cluster. A kernel does not mean them: lowering makes them and keeps them from having an
    // effect.
    Grid(const ir::Kernel& kernel, ir::Level level, const Environment& env);
    std::int64_t programs() const { return programs_; }
    // Whether the programs of its cluster are neighbors along the cluster's axis.
    bool together(std::int64_t number) const { return number < together_; }
    // Whether it lies past the end of an axis and only fills up a cluster. What it reads matters to
    // no program, so that is not a race.
    bool fills_up(std::int64_t number) const;
    // Sets the grid variables of program `number`, and then the kernel's lets.
    void enter(std::int64_t number, Environment& env) const;
    // For people: "program m = 128, n = 0".
    std::string describe(std::int64_t number) const;

private:
    std::vector<std::int64_t> tiles_of(std::int64_t number) const;
    std::vector<std::int64_t> tiles_of_loose(std::int64_t number, std::size_t axis,
                                             std::int64_t band) const;

    const ir::Kernel& kernel_;
    std::vector<std::int64_t> begins_;
    std::vector<std::int64_t> lengths_;
    std::vector<std::int64_t> counts_;
    std::int64_t programs_ = 1;
    std::int64_t together_ = 0;  // before those of a partial cluster
    std::int64_t band_ = 1;      // of the raster
};

// Constants, extents and parameters.
Environment environment_of(const ir::Signature& called, const Arguments& arguments);

}  // namespace tkc::emulator
