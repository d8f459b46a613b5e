// One program of tile IR: sequential roles with queues between them.
#pragma once

#include "emulator/launch.h"
#include "emulator/programs.h"
#include "emulator/run.h"

namespace tkc::emulator {

// What all programs of a launch share.
struct TileLaunch {
    const ir::Kernel& kernel;
    Arguments& arguments;
    const Environment& environment;  // extents and parameters
    const Grid& grid;
    AccessLog& log;
    Counters* counters;  // null: there are none
    StepLimit& steps;
};

// Runs program `number`; throws nothing.
void run_tile_program(TileLaunch& launch, std::int64_t number, Outcome& outcome);
// The program, which may have to wait for others.
std::unique_ptr<Suspendable> begin_tile_program(TileLaunch& launch, std::int64_t number,
                                                Outcome& outcome);

}  // namespace tkc::emulator
