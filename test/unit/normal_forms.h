// Short names for writing normal forms down.
#pragma once

#include <cstdint>

#include "arithmetic/normal_form.h"

namespace tkc::ir {

inline NormalForm sym(const char* name) { return symbol_form(name); }
inline NormalForm n(std::int64_t value) { return NormalForm(value); }

}  // namespace tkc::ir
