// Running an entry on the CPU: its kernels one after the other, as its launcher does it.
#pragma once

#include "emulator/run.h"
#include "ir/module.h"

namespace tkc::emulator {

// Where a launcher has a choice: the first kernel that suits, and a general one only where no
// other does; or general ones wherever there are any, so that tests reach them.
enum class Preference : std::uint8_t { fast, general };

// Runs the calls of `entry`, whose kernels are in `module`. Refused as a whole, before anything is
// run, where the entry's conditions or those of a call do not hold.
Outcome run(const ir::Module& module, const ir::Entry& entry, Preference preference,
            Arguments& arguments, const RunOptions& options);

}  // namespace tkc::emulator
