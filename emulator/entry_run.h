// Running an entry on the CPU: its kernels one after the other, as its launcher does it.
#pragma once

#include <vector>

#include "emulator/run.h"
#include "ir/module.h"

namespace tkc::emulator {

// Where a launcher has a choice: the first kernel that suits, and a general one only where no
// other does; or general ones wherever there are any, so that tests reach them.
enum class Preference : std::uint8_t { fast, general };

// Which kernels of an entry run.
struct Choice {
    Preference preference = Preference::fast;
    std::size_t first = 0;  // of each call, the candidate that is asked first; past the last one
                            // it begins anew
};

// Of the candidates of a call, those that are asked first.
std::vector<const ir::Kernel*> preferred(const ir::Module& module, const ir::EntryCall& call,
                                         Preference preference);

// Runs the calls of `entry`, whose kernels are in `module`. Refused as a whole, before anything is
// run, where the entry's conditions or those of a call do not hold.
Outcome run(const ir::Module& module, const ir::Entry& entry, Choice choice, Arguments& arguments,
            const RunOptions& options);

}  // namespace tkc::emulator
