// Syntax of Python and NumPy that a kernel has in other words.
#pragma once

#include <cstdint>

#include "base/diagnose.h"
#include "frontend/parse/tokens.h"

namespace tkc {

// Adds what is written instead, if the token `found` cannot be because of such a habit. `open`:
// the bracket of the subscript that it is in; no_token: it is in none.
bool help_with_habit(const TokenList& list, std::size_t found, std::uint32_t open,
                     DiagnosticBuilder& message);

}  // namespace tkc
