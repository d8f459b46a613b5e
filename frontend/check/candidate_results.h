// Whether two candidates of a launcher compute the same, as far as one can see.
#pragma once

#include "frontend/check/file_context.h"
#include "ir/module.h"

namespace tkc::checker {

// Reports what `first` and `other`, instances of `kernel` that differ in constants of the schedule
// alone, store and what depends on those constants: an error where it certainly does. What is not
// seen is left to `file.open_candidates`.
void check_results(FileContext& file_context, const Unit& unit, const ast::Kernel& kernel,
                   CheckedFile& file, const ir::Kernel& first, const ir::Kernel& other);

}  // namespace tkc::checker
