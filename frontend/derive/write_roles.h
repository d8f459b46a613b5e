// The derived kernel as text.
#pragma once

#include <optional>

#include "frontend/derive/derive.h"
#include "frontend/derive/loads.h"

namespace tkc::derive {

// Nothing where the text cannot say it: the variable of a rotated loop is where its other steps
// cannot express it. `story` receives what was done besides the splitting.
std::optional<DerivedText> write_roles(const ast::Kernel& kernel, Span whole, const Choice& choice,
                                       const SourceManager& sources, Names& names,
                                       const Loads& loads, std::vector<std::string>& story);

}  // namespace tkc::derive
