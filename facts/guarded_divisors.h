// Divisors of which nothing is known where nobody divides by them.
#pragma once

#include <memory>
#include <set>
#include <string>

#include "arithmetic/normal_form.h"
#include "ir/module.h"

namespace tkc::ir {

// The numbers by which a kernel divides under conditions and in loops alone, and which may be less
// than 1 elsewhere, as keys of their forms; null where there are none. `bindings`: of the kernel,
// with its ranges.
std::shared_ptr<const std::set<std::string>> guarded_divisors(const Kernel& kernel,
                                                              const Bindings& bindings);

}  // namespace tkc::ir
