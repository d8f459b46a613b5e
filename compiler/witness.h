// Launches of witnesses: what the proofs say goes wrong, run in the emulator.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "checks/check.h"
#include "emulator/tensor.h"
#include "facts/facts.h"
#include "ir/module.h"

namespace tkc {

// Makes launches of one kernel, which must live as long: what is known of them is gathered once.
class LaunchMaker {
public:
    explicit LaunchMaker(const ir::Kernel& kernel);

    // Arguments with the extents, parameters and elements that the witness names, others of at
    // least `least`, and zeros elsewhere. Nothing: other values do not go with them, or a tensor
    // has more elements than that.
    std::optional<emulator::Arguments> arguments(const ir::Assignment& witness,
                                                 std::int64_t elements_at_most,
                                                 std::int64_t least = 0) const;

private:
    std::optional<ir::Assignment> completed(const ir::Assignment& witness,
                                            std::int64_t least) const;

    const ir::Kernel& kernel_;
    ir::Bindings bindings_;
    ir::Facts facts_;
};

// The same, of one launch.
std::optional<emulator::Arguments> arguments_of(const ir::Kernel& kernel,
                                                const ir::Assignment& witness,
                                                std::int64_t elements_at_most);

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
