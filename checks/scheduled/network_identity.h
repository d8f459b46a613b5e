// What two searches of networks have in common that is equivalent.
#pragma once

#include <string>
#include <vector>

#include "checks/scheduled/exploration.h"

namespace tkc::checks {

// Text of all that `explore` depends on: not the places in the source, nor what decides beyond what
// the network says of it.
std::string identity_of(const Network& network, const std::vector<std::int64_t>& stages,
                        const Forced& forced, std::size_t states);

}  // namespace tkc::checks
