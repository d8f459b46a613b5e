// Data of the launches in which two candidates of a launcher can show that they differ.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "emulator/tensor.h"
#include "ir/module.h"

namespace tkc {

// How long the sequences of a table like `start` are.
enum class TrialTable : std::uint8_t {
    uneven,   // less than a tile, as long as one, empty, the rest
    growing,  // each longer than the one before
    whole,    // whole tiles, but for the last
    alone,    // one sequence has all
};

enum class TrialReals : std::uint8_t {
    small,  // at most 2
    wide,   // far beyond the numbers of the text and beyond places, in kernels that take these
    // Those of a tensor have one sign, and are as large as the numbers of the text or larger, so
    // that what is clamped or compared goes one way in all cells.
    above,          // positive, those of later tensors larger
    above_in_turn,  // positive, those of earlier tensors larger
    below,          // negative, those of later tensors smaller
    on_both_sides,  // positive in every other tensor
};

struct TrialData {
    TrialReals reals = TrialReals::small;
    TrialTable table = TrialTable::uneven;
    // Integers that are places apart (0, 1, 2, .. or, in every other launch, the other way
    // round), as kernels state of their data in one way or another; else small ones.
    bool places_apart = false;
    // Integers follow from this, and reals from the other one, too: what some decide, others
    // show again.
    std::uint64_t launch = 0;
    std::uint64_t again = 0;
};

// Whether the kernel makes good numbers of large ones: powers of them overflow, and quotients lose
// their digits next to others.
bool takes_large_numbers(const ir::Kernel& kernel);
// Whether sums of small data are exact in any order: no function rounds, and no dtype has few bits.
bool is_exact(const ir::Kernel& kernel);
// Whether the kernel states how a table of sequences begins and ends.
bool has_tables(const ir::Kernel& kernel);

// Fills what the kernel is given; of a table that it states the ends of, what lies between.
// `steps`: of the loops over what each table lists, in both candidates, the smaller one first.
void make_trial_data(const ir::Kernel& kernel, const TrialData& data,
                     const std::map<std::string, std::array<std::int64_t, 2>>& steps,
                     emulator::Arguments& arguments);

}  // namespace tkc
