// Constants that change how a kernel works and nothing of what it means: `schedule BM: int = 128`.
#pragma once

#include <optional>
#include <string>

#include "frontend/check/schedule_uses.h"

namespace tkc::checker {

// The first use of the constant that decides more than a schedule; none: its values are different
// ways to the same results.
std::optional<OtherUse> use_beyond_schedule(const Unit& unit, const ast::Kernel& kernel,
                                            const ast::ConstParam& constant);

// Whether the constant is the extent of a tensor that the caller passes. The launcher compares the
// two, so that instances that differ in it take different arguments.
bool is_fixed_by_arguments(const ast::Kernel& kernel, const std::string& constant);

// Reports what the kernel marks as a schedule and is more; once for each kernel.
void check_schedule_constants(FileContext& file_context, const Unit& unit,
                              const ast::Kernel& kernel);

}  // namespace tkc::checker
