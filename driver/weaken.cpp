// `tkc test --weaken`: whether the tests of a file would notice a fault in the lowering. Every
// synchronizing operation of every lowered kernel is weakened in turn, and the tests run until one
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
#include <cstdio>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>

#include "compiler/parallel.h"
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
    Clock::duration taken{};  // without any fault
    bool reaches = false;     // a program of the kernel runs
};

// A run that no test makes, and how it differs from one.
struct LargerRun {
    std::string text;
    Run run;
    std::unique_ptr<emulator::CaseRunner::Made> made;
};

// What was made for a run of each test: kernels of one source have the same data.
using Kept = std::map<const TestJob*, emulator::CaseRunner::Made>;

// A lowered kernel, and the runs of it, or of an entry that launches it.
struct Subject {
    const Variant* variant = nullptr;
    const ir::Kernel* kernel = nullptr;
    std::vector<Run> runs;
    std::set<const ir::Op*> executed{};  // in all runs
    bool passes = false;                 // without any fault
};

// What larger launches are made of, until the plan has been weakened.
struct Larger {
    std::deque<ast::Expr> extents;
    std::deque<emulator::TestCase> tests;
    std::deque<TestJob> jobs;
};

// Whether the run fails under a seed, with a fault or without.
bool fails(const TestPlan& plan, const Run& run, emulator::CaseRunner& runner, int seed,
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
    const emulator::CaseResult result = runner.run(
        execute, {diag, plan.session().sources, run.job->test->describe(), plan.functions()});
    return result.status == Status::failed;
}

// `made`: null, or what was made for the same test. Threads may share that, but no runner.
emulator::CaseRunner runner_of(const Run& run, const Variant& variant,
                               const emulator::CaseRunner::Made* made) {
    Instance alone = *run.instance;
    alone.variants = {variant};
    return {*run.job->test, std::move(alone), emulator::RunOptions{run.job->seed}, made};
}

// What a variant runs: itself, or what it launches if it is an entry.
std::vector<const ir::Kernel*> kernels_of(const TestPlan& plan, const Run& run,
                                          const Variant& variant,
                                          const emulator::CaseRunner::Made* made) {
    if (variant.kernel != nullptr) return {variant.kernel};
    std::vector<const ir::Kernel*> launched;
    emulator::CaseRunner runner = runner_of(run, variant, made);
    fails(plan, run, runner, 0, std::nullopt, &launched);
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
        emulator::CaseRunner runner = runner_of(run, *subject.variant, &alike);
        const auto start = Clock::now();
        std::set<const ir::Op*> executed;
        if (fails(plan, run, runner, 0, std::nullopt, nullptr, &executed)) return false;
        run.taken = Clock::now() - start;
        run.reaches = holds_any(*subject.kernel, executed);
        subject.executed.merge(executed);
        if (!alike.expected) alike = std::move(runner.made());
    }
    std::stable_sort(subject.runs.begin(), subject.runs.end(),
                     [](const Run& a, const Run& b) { return a.taken > b.taken; });
    return true;
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
        const Run run{&larger.jobs.back(), base->instance};
        emulator::CaseRunner runner = runner_of(run, *subject.variant, nullptr);
        if (!fails(plan, run, runner, 0, std::nullopt)) {
            all.push_back({std::move(launch.text), run,
                           std::make_unique<emulator::CaseRunner::Made>(std::move(runner.made()))});
        }
    }
    return all;
}

// The faults of one kernel, and what becomes of them. Several threads may try them at once.
class Trial {
public:
    // `all`: of the plan, the subject among them.
    Trial(const TestPlan& plan, const std::vector<Subject>& all, const Subject& subject,
          const Kept& kept, Larger& larger, int seeds)
        : plan_(plan), all_(all), subject_(subject), kept_(kept), larger_(larger), seeds_(seeds) {
        const bool reached = std::any_of(subject.runs.begin(), subject.runs.end(),
                                         [](const Run& run) { return run.reaches; });
        faults_ = emulator::weakenings_of(*subject_.kernel);
        tried_ = reached ? faults_.size() : 0;
        fates_.resize(tried_);
    }

    // How many there are to try: none of a kernel that no test runs.
    std::size_t size() const { return tried_; }

    void try_fault(std::size_t n) {
        if (noticing(subject_, faults_[n]) == nullptr) fates_[n] = explain(faults_[n]);
    }

    // Prints what became of them, once all have been tried.
    WeakenCounts report() const {
        WeakenCounts counts;
        counts.tried = faults_.size();
        const std::string& name = subject_.kernel->name;
        if (tried_ < faults_.size()) {
            counts.not_reached = faults_.size();
            fmt::print("FAIL {}: {} faults in a variant that no test runs\n", name, faults_.size());
            return counts;
        }
        std::string lines;
        for (const Fate& fate : fates_) {
            if (fate.count == nullptr) continue;
            ++(counts.*fate.count);
            lines += fate.line;
        }
        const std::size_t noticed =
            counts.tried - counts.redundant - counts.not_reached - counts.survivors;
        fmt::print(
            "{} {}: {} faults, {} detected, {} redundant{}\n{}",
            counts.all_noticed() ? "pass" : "FAIL", name, counts.tried, noticed, counts.redundant,
            counts.not_reached == 0 ? "" : fmt::format(", {} not reached", counts.not_reached),
            lines);
        return counts;
    }

private:
    struct Fate {
        std::size_t WeakenCounts::*count = nullptr;  // null: a test notices it
        std::string line{};
    };

    std::string place_of(const ir::Op& op) const {
        return plan_.session().sources.describe(op.span);
    }

    std::string text_of(const Weakening& weakening) const {
        return fmt::format("{} {}", place_of(*weakening.op), describe(weakening));
    }

    // The run that fails with the fault; null: none does.
    const Run* noticing(const Subject& subject, const Weakening& weakening) const {
        for (const Run& run : subject.runs) {
            emulator::CaseRunner runner = runner_of(run, *subject.variant, &kept_.at(run.job));
            for (int seed = 0; seed < seeds_; ++seed) {
                if (fails(plan_, run, runner, seed, weakening)) return &run;
            }
        }
        return nullptr;
    }

    Fate explain(const Weakening& weakening) {
        const emulator::Redundancy redundancy = why_redundant(*subject_.kernel, weakening);
        std::string why = redundancy.reason;
        if (redundancy.by != nullptr)
            why += fmt::format(" (`{}` at {})", ir::kind(*redundancy.by), place_of(*redundancy.by));
        Fate fate{&WeakenCounts::redundant};
        if (why.empty()) {
            fate.count = &WeakenCounts::not_reached;
            why = why_not_reached(*subject_.kernel, weakening, subject_.executed);
        }
        if (why.empty()) {
            const std::string launch = launch_that_notices(weakening);
            if (!launch.empty())
                why = fmt::format("no test detects it, but a launch with {} would", launch);
        }
        if (why.empty()) {
            const std::string test = test_of_another(weakening);
            if (!test.empty()) why = fmt::format("detected with other constants, by {}", test);
        }
        if (why.empty()) {
            fate.count = &WeakenCounts::survivors;
            why = "not detected";
        }
        fate.line = fmt::format("     {}: {}\n", text_of(weakening), why);
        return fate;
    }

    std::string launch_that_notices(const Weakening& weakening) {
        // Each style of scheduling, each number of programs of a block (emulator/run.cpp).
        constexpr std::array seeds{15, 10, 5, 0};
        std::call_once(larger_made_, [&] { runs_ = larger_runs(plan_, subject_, larger_); });
        for (const LargerRun& larger : runs_) {
            emulator::CaseRunner runner =
                runner_of(larger.run, *subject_.variant, larger.made.get());
            for (const int seed : seeds) {
                if (fails(plan_, larger.run, runner, seed, weakening)) return larger.text;
            }
        }
        return "";
    }

    // A test that notices the same fault in a kernel of the same source: one with the same text, as
    // far along among these.
    std::string test_of_another(const Weakening& weakening) const {
        const std::string text = text_of(weakening);
        const std::vector<Weakening> own = of_text(faults_, text);
        for (const Subject& other : all_) {
            const bool alike =
                &other != &subject_ && other.passes &&
                other.kernel->source == subject_.kernel->source &&
                other.kernel->general_of.empty() == subject_.kernel->general_of.empty();
            if (!alike) continue;
            const std::vector<Weakening> others =
                of_text(emulator::weakenings_of(*other.kernel), text);
            if (others.size() != own.size()) continue;
            const auto place = std::find(own.begin(), own.end(), weakening) - own.begin();
            const Run* run = noticing(other, others[static_cast<std::size_t>(place)]);
            if (run != nullptr) return run->job->test->describe();
        }
        return "";
    }
    std::vector<Weakening> of_text(const std::vector<Weakening>& faults,
                                   const std::string& text) const {
        std::vector<Weakening> found;
        std::copy_if(faults.begin(), faults.end(), std::back_inserter(found),
                     [&](const Weakening& fault) { return text_of(fault) == text; });
        return found;
    }

    const TestPlan& plan_;
    const std::vector<Subject>& all_;
    const Subject& subject_;
    const Kept& kept_;
    Larger& larger_;
    int seeds_;
    std::vector<Weakening> faults_;
    std::size_t tried_ = 0;
    std::vector<Fate> fates_;
    std::once_flag larger_made_;
    std::vector<LargerRun> runs_;
};

}  // namespace

void WeakenCounts::add(const WeakenCounts& other) {
    tried += other.tried;
    redundant += other.redundant;
    not_reached += other.not_reached;
    survivors += other.survivors;
}

std::string WeakenCounts::text() const {
    return fmt::format("{} faults, {} redundant, {} not reached, {} not detected", tried, redundant,
                       not_reached, survivors);
}

WeakenCounts weaken(const TestPlan& plan, int seeds, int jobs) {
    WeakenCounts counts;
    Kept kept;
    std::vector<Subject> subjects = subjects_of(plan, kept);
    for (Subject& subject : subjects) subject.passes = passes(plan, subject, kept);
    for (const Subject& subject : subjects) {
        if (!subject.passes) {
            fmt::print("FAIL {}: its tests fail as it is; see `tkc test --scheduled`\n",
                       subject.kernel->name);
            ++counts.survivors;
            continue;
        }
        Larger larger;
        Trial trial(plan, subjects, subject, kept, larger, seeds);
        in_parallel(trial.size(), jobs, [&](std::size_t fault) { trial.try_fault(fault); });
        counts.add(trial.report());
        std::fflush(stdout);
    }
    return counts;
}

}  // namespace tkc
