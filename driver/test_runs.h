// Running the tests of plans, in a process of their own: the lines of each, in order.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "driver/test_plan.h"
#include "driver/test_report.h"

namespace tkc {

// One job of one file, with everything that runs it; or a test that cannot run.
struct Work {
    const TestPlan* plan = nullptr;
    const TestJob* job = nullptr;
    const BrokenJob* broken = nullptr;
    std::string skipped = {};  // why it does not run here; tests of functions always do
};

// The tests of a file in its order.
void add_work(std::vector<Work>& work, const TestPlan& plan);

struct RunsEnd {
    std::set<const TestJob*> killed;  // did not end by themselves
    bool crashed = false;             // tkc itself failed
};

// `ended` gets the lines of each piece of work, in order. `execute` is called in the other process,
// by several threads.
RunsEnd run_work(const std::vector<Work>& work, const TestCommand& command,
                 const emulator::Execute& execute,
                 const std::function<void(const Work&, std::vector<TestLine>)>& ended);

}  // namespace tkc
