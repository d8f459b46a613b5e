// Messages as a SARIF 2.1.0 document, which code scanners and editors read.
#pragma once

#include <string>
#include <vector>

#include "compiler/outputs.h"

namespace tkc {

// One document of what several sessions said.
std::string render_sarif(const std::vector<const Session*>& sessions);

}  // namespace tkc
