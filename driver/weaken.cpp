// `tkc test --weaken`: whether the tests of a file would notice a fault in the lowering. Every
// synchronising operation of every lowered kernel is weakened in turn, and the tests run until one
// of them fails.
//
// If none does, there is a reason: the kernel has the order that the operation gives from something
// else (emulator/redundancy.cpp); or the tests do not come to what it is for: to this variant, to
// this operation, or to so many steps of a loop. If none of these is known, the fault is not
// noticed: a test is too weak, or the operation is not needed.
#include "driver/weaken.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <set>

#include "driver/larger_launches.h"
#include "emulator/weakenings.h"
#include "ir/walk.h"

namespace tkc {

namespace {

using emulator::Instance;
using emulator::Variant;
using emulator::Weakening;
using Status = emulator::CaseResult::Status;

using Clock = std::chrono::steady_clock;

// A case of a test on an instance of its kernel.
struct Run {
    const TestJob* job = nullptr;
    const Instance* instance = nullptr;
    Clock::duration taken{};                                 // without any fault
    std::unique_ptr<emulator::CaseRunner> runner = nullptr;  // while its kernel's faults are tried
    bool reaches = false;                                    // a program of the kernel runs
};

// A run that no test makes, and how it differs from one.
struct LargerRun {
    std::string text;
    Run run;
};

// What was made for a run of each test: kernels of one source have the same data.
using Kept = std::map<const TestJob*, emulator::CaseRunner::Made>;

// A lowered kernel, and the runs of it, or of an entry that launches it.
struct Subject {
    const Variant* variant = nullptr;
    const ir::Kernel* kernel = nullptr;
    std::vector<Run> runs;
    std::set<const ir::Op*> executed{};  // in all runs
};

// What larger launches are made of, until the plan has been weakened.
struct Larger {
    std::deque<ast::Expr> extents;
    std::deque<emulator::TestCase> tests;
    std::deque<TestJob> jobs;
};

// Whether the run fails under a seed, with a fault or without.
bool fails(const TestPlan& plan, const Run& run, int seed,
           const std::optional<Weakening>& weakening,
           std::vector<const ir::Kernel*>* launched = nullptr,
           std::set<const ir::Op*>* executed = nullptr) {
    Diagnostics diag;
    const auto execute = [&](const Variant& variant, emulator::Arguments& arguments,
                             const emulator::RunOptions& options) {
        emulator::RunOptions weakened = options;
        weakened.seed = static_cast<std::uint64_t>(seed);
        weakened.weakening = weakening;
        weakened.launched = launched;
        weakened.executed = executed;
        return emulator::emulate(variant, arguments, weakened);
    };
    const emulator::CaseResult result = run.runner->run(
        execute, {diag, plan.session().sources, run.job->test->describe(), plan.functions()});
    return result.status == Status::failed;
}

std::unique_ptr<emulator::CaseRunner> runner_of(const Run& run, const Variant& variant,
                                                emulator::CaseRunner::Made* made) {
    Instance alone = *run.instance;
    alone.variants = {variant};
    return std::make_unique<emulator::CaseRunner>(*run.job->test, std::move(alone),
                                                  emulator::RunOptions{run.job->seed}, made);
}

// What a variant runs: itself, or what it launches if it is an entry.
std::vector<const ir::Kernel*> kernels_of(const TestPlan& plan, Run run, const Variant& variant,
                                          emulator::CaseRunner::Made* made) {
    if (variant.kernel != nullptr) return {variant.kernel};
    std::vector<const ir::Kernel*> launched;
    run.runner = runner_of(run, variant, made);
    fails(plan, run, 0, std::nullopt, &launched);
    return launched;
}

std::vector<Subject> subjects_of(const TestPlan& plan, Kept& kept) {
    std::vector<Subject> subjects;
    for (const TestJob& job : plan.jobs()) {
        if (job.instances == nullptr) continue;
        for (const Instance& instance : *job.instances) {
            for (const Variant& variant : instance.variants) {
                for (const ir::Kernel* kernel :
                     kernels_of(plan, {&job, &instance}, variant, &kept[&job])) {
                    auto at = std::find_if(subjects.begin(), subjects.end(),
                                           [&](const Subject& s) { return s.kernel == kernel; });
                    if (at == subjects.end())
                        at = subjects.insert(at, Subject{&variant, kernel, {}});
                    at->runs.push_back({&job, &instance});
                }
            }
        }
    }
    return subjects;
}

bool holds_any(const ir::Kernel& kernel, const std::set<const ir::Op*>& executed) {
    bool found = false;
    for (const ir::Role& role : kernel.roles) {
        ir::walk(role.body, [&](const ir::Op& op) { found = found || executed.contains(&op); });
    }
    return found;
}

// Whether all runs pass without a fault. The longest come first from here on: they go round the
// rings most often, and few faults need another.
bool passes(const TestPlan& plan, Subject& subject, Kept& kept) {
    for (Run& run : subject.runs) {
        emulator::CaseRunner::Made& alike = kept[run.job];
        run.runner = runner_of(run, *subject.variant, &alike);
        const auto start = Clock::now();
        std::set<const ir::Op*> executed;
        if (fails(plan, run, 0, std::nullopt, nullptr, &executed)) return false;
        run.taken = Clock::now() - start;
        run.reaches = holds_any(*subject.kernel, executed);
        subject.executed.merge(executed);
        if (!alike.expected) alike = run.runner->made();
    }
    std::stable_sort(subject.runs.begin(), subject.runs.end(),
                     [](const Run& a, const Run& b) { return a.taken > b.taken; });
    return true;
}

bool is_noticed(const TestPlan& plan, const Subject& subject, const Weakening& weakening,
                int seeds) {
    for (const Run& run : subject.runs) {
        for (int seed = 0; seed < seeds; ++seed) {
            if (fails(plan, run, seed, weakening)) return true;
        }
    }
    return false;
}

// Those larger launches of the subject's shortest test that pass as they are.
std::vector<LargerRun> larger_runs(const TestPlan& plan, const Subject& subject, Larger& larger) {
    std::vector<LargerRun> all;
    const auto base = std::find_if(subject.runs.rbegin(), subject.runs.rend(),
                                   [](const Run& run) { return run.reaches; });
    if (base == subject.runs.rend()) return all;
    for (LargerLaunch& launch : larger_launches(*base->job->test, *base->instance->signature,
                                                *subject.kernel, larger.extents)) {
        larger.tests.push_back(std::move(launch.test));
        larger.jobs.push_back(*base->job);
        larger.jobs.back().test = &larger.tests.back();
        Run run{&larger.jobs.back(), base->instance};
        run.runner = runner_of(run, *subject.variant, nullptr);
        if (!fails(plan, run, 0, std::nullopt))
            all.push_back({std::move(launch.text), std::move(run)});
    }
    return all;
}

// The faults of one kernel, and what becomes of them.
class Trial {
public:
    Trial(const TestPlan& plan, const Subject& subject, Larger& larger, int seeds)
        : plan_(plan), subject_(subject), larger_(larger), seeds_(seeds) {}

    // Prints what it says of the kernel.
    WeakenCounts run() {
        const std::vector<Weakening> all = emulator::weakenings_of(*subject_.kernel);
        counts_.tried = all.size();
        const std::string& name = subject_.kernel->name;
        const bool runs = std::any_of(subject_.runs.begin(), subject_.runs.end(),
                                      [](const Run& run) { return run.reaches; });
        if (!all.empty() && !runs) {
            counts_.not_reached = all.size();
            fmt::print("FAIL {}: {} faults in a variant that no test runs\n", name, all.size());
            return counts_;
        }
        for (const Weakening& weakening : all) {
            if (!is_noticed(plan_, subject_, weakening, seeds_)) explain(weakening);
        }
        const std::size_t noticed =
            counts_.tried - counts_.redundant - counts_.not_reached - counts_.survivors;
        fmt::print(
            "{} {}: {} faults, {} noticed, {} redundant{}\n{}",
            counts_.all_noticed() ? "pass" : "FAIL", name, counts_.tried, noticed,
            counts_.redundant,
            counts_.not_reached == 0 ? "" : fmt::format(", {} not reached", counts_.not_reached),
            lines_);
        return counts_;
    }

private:
    std::string place_of(const ir::Op& op) const {
        return plan_.session().sources.describe(op.span);
    }

    void explain(const Weakening& weakening) {
        const emulator::Redundancy redundancy = why_redundant(*subject_.kernel, weakening);
        std::string why = redundancy.reason;
        if (redundancy.by != nullptr)
            why += fmt::format(" (`{}` at {})", ir::kind(*redundancy.by), place_of(*redundancy.by));
        std::size_t* count = &counts_.redundant;
        if (why.empty()) {
            count = &counts_.not_reached;
            why = why_not_reached(*subject_.kernel, weakening, subject_.executed);
        }
        if (why.empty()) {
            const std::string launch = launch_that_notices(weakening);
            if (!launch.empty())
                why = fmt::format("no test notices it, but a launch with {} would", launch);
        }
        if (why.empty()) {
            count = &counts_.survivors;
            why = "not noticed";
        }
        ++*count;
        lines_ +=
            fmt::format("     {} {}: {}\n", place_of(*weakening.op), describe(weakening), why);
    }

    std::string launch_that_notices(const Weakening& weakening) {
        // Each style of scheduling, each number of programs of a block (emulator/run.cpp).
        constexpr std::array seeds{15, 10, 5, 0};
        if (!runs_) runs_ = larger_runs(plan_, subject_, larger_);
        for (const LargerRun& larger : *runs_) {
            for (const int seed : seeds) {
                if (fails(plan_, larger.run, seed, weakening)) return larger.text;
            }
        }
        return "";
    }

    const TestPlan& plan_;
    const Subject& subject_;
    Larger& larger_;
    int seeds_;
    WeakenCounts counts_;
    std::string lines_;  // of those that are not noticed
    std::optional<std::vector<LargerRun>> runs_;
};

}  // namespace

void WeakenCounts::add(const WeakenCounts& other) {
    tried += other.tried;
    redundant += other.redundant;
    not_reached += other.not_reached;
    survivors += other.survivors;
}

std::string WeakenCounts::text() const {
    return fmt::format("{} faults, {} redundant, {} not reached, {} not noticed", tried, redundant,
                       not_reached, survivors);
}

WeakenCounts weaken(const TestPlan& plan, int seeds) {
    WeakenCounts counts;
    Kept kept;
    Larger larger;
    for (Subject& subject : subjects_of(plan, kept)) {
        if (passes(plan, subject, kept)) {
            counts.add(Trial(plan, subject, larger, seeds).run());
        } else {
            fmt::print("FAIL {}: its tests fail as it is; see `tkc test --scheduled`\n",
                       subject.kernel->name);
            ++counts.survivors;
        }
        subject.runs.clear();
    }
    return counts;
}

}  // namespace tkc
