// Launches of witnesses: what the proofs say goes wrong, run in the emulator.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "checks/check.h"
#include "emulator/tensor.h"
#include "ir/module.h"

namespace tkc {

// Arguments with the extents, parameters and elements that the witness names, others of at least
// `least`, and zeros elsewhere. Nothing: other values do not go with them, or a tensor has more
// elements than that.
std::optional<emulator::Arguments> arguments_of(const ir::Kernel& kernel,
                                                const ir::Assignment& witness,
                                                std::int64_t elements_at_most,
                                                std::int64_t least = 0);

// The same, with what no variant of the lowered kernel refuses where the witness leaves it open: a
// table that is long enough. Of no variants, as above.
std::optional<emulator::Arguments> arguments_of(const ir::Kernel& kernel,
                                                const std::vector<ir::Kernel>& variants,
                                                const ir::Assignment& witness,
                                                std::int64_t elements_at_most);

// What witnesses of the kernel come to: of tile IR, as it is meant and then as it is lowered; of
// scheduled IR, as that. Bounded in elements and steps. The kernel must live as long.
checks::TryWitness trial_of_tile(const ir::Kernel& kernel, bool debug);
checks::TryWitness trial_of_scheduled(const ir::Kernel& kernel);

}  // namespace tkc
