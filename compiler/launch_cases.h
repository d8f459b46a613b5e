// Cases of a launch: which way the conditions of a kernel go that extents, parameters and flags
// alone decide, as in `if causal and not padded`, `where(scale > cap, x, y)` or `min(R * 11, C)`.
// What two candidates have not been compared in is unknown, so each case is met by a trial launch,
// or the user hears of it.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "emulator/tensor.h"
#include "ir/module.h"

namespace tkc {

// A condition and those of the branches around it, with the value that each must have.
struct LaunchCase {
    std::vector<std::pair<ir::Scalar, bool>> conditions;
    // Of two numbers, one that is less than the other by some tiles: not every kernel has such
    // launches.
    bool optional = false;

    // "`C > 20000` and not `padded`".
    std::string text() const;
};

// Those that some launch may have, without two that are the same.
std::vector<LaunchCase> launch_cases(const ir::Kernel& kernel);

// Whether the launch is one of them. False if a condition cannot be evaluated.
bool is_met(const LaunchCase& one, const ir::Kernel& kernel, const emulator::Arguments& launch);

// Values of the names in the conditions with which they hold, near those of `base`: calls `launch`
// with each choice until that returns true. At most some thousands of choices are evaluated, and
// eight are launched.
bool meet(const LaunchCase& one, const ir::Kernel& kernel, const emulator::Arguments& base,
          const std::function<bool(const std::map<std::string, emulator::Number>&)>& launch);

}  // namespace tkc
