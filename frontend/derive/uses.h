// Which names each of the derived roles needs.
#pragma once

#include <set>
#include <string>

#include "frontend/derive/loads.h"
#include "frontend/parse/ast.h"

namespace tkc::derive {

// A number or a view that both roles can compute is only in the roles that name it.
struct Uses {
    std::set<std::string> produced;
    std::set<std::string> consumed;
};
Uses uses_of(const ast::Kernel& kernel, const Loads& loads);

}  // namespace tkc::derive
