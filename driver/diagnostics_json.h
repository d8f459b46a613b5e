// Messages as JSON, for editors and scripts (`--json`).
#pragma once

#include <string>

#include "base/diagnose.h"

namespace tkc {

// One JSON object a line and diagnostic, in the order in which text would show them.
std::string render_json(const Diagnostics& diag, const SourceManager& sources);

}  // namespace tkc
