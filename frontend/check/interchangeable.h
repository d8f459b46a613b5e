// Whether a launcher may take either of two instances of a kernel.
#pragma once

#include "frontend/check/file_context.h"
#include "ir/module.h"

namespace tkc::checker {

bool same_constants(const std::vector<ir::Constant>& a, const std::vector<ir::Constant>& b);

// Whether both, made of `kernel`, differ only in constants that it marks as a schedule and in those
// that the arguments fix: for arguments that both take they give the same results.
bool interchangeable(const ast::Kernel& kernel, const ir::Kernel& a, const ir::Kernel& b);

// The same of constants that the arguments fix, too: some arguments fit both.
bool differ_in_schedule_alone(const ast::Kernel& kernel, const ir::Kernel& a, const ir::Kernel& b);

// Reports where a function makes a number of the extent of a tile, and the number differs between
// two kernels that differ in their schedule alone. False: it did.
bool check_extents(FileContext& file_context, const ast::Kernel& kernel, const CheckedFile& file,
                   const ir::Kernel& first, const ir::Kernel& other);

// Whether the instance gives values to constants that are marked as a schedule, and to no other.
bool gives_schedule_only(const ast::Kernel& kernel, const ast::Instance& instance);

// Says of an instance, named at `span`, that it would be a candidate next to `first` if the kernel
// marked as a schedule what is one.
void note_schedule_not_marked(FileContext& file_context, const Unit& unit,
                              const ast::Kernel& kernel, const ir::Kernel& first,
                              const ir::Kernel& other, Span span);

}  // namespace tkc::checker
