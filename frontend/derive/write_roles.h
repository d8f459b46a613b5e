// The derived kernel as text.
#pragma once

#include <optional>

#include "frontend/derive/derive.h"
#include "frontend/derive/loads.h"

namespace tkc::derive {

// Nothing where the text cannot say it: the variable of a rotated loop stands where its other steps
// have no words for it. `story` learns what was done beside the splitting.
std::optional<DerivedText> write_roles(const ast::Kernel& kernel, Span whole, const Choice& choice,
                                       const SourceManager& sources, Names& names,
                                       const Loads& loads, std::vector<std::string>& story);

}  // namespace tkc::derive
