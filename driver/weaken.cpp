// `tkc test --weaken`: whether the tests of a file would notice a fault in the lowering. Every
// synchronising operation of every lowered kernel is weakened in turn, and the tests run until one
// of them fails.
#include "driver/weaken.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>

#include "emulator/weakenings.h"

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
};

// What was made for a run of each test: kernels of one source have the same data.
using Kept = std::map<const TestJob*, emulator::CaseRunner::Made>;

// A lowered kernel, and the runs of it, or of an entry that launches it.
struct Subject {
    const Variant* variant = nullptr;
    const ir::Kernel* kernel = nullptr;
    std::vector<Run> runs;
};

// Whether the run fails under a seed, with a fault or without.
bool fails(const TestPlan& plan, const Run& run, int seed,
           const std::optional<Weakening>& weakening,
           std::vector<const ir::Kernel*>* launched = nullptr) {
    Diagnostics diag;
    const auto execute = [&](const Variant& variant, emulator::Arguments& arguments,
                             const emulator::RunOptions& options) {
        emulator::RunOptions weakened = options;
        weakened.seed = static_cast<std::uint64_t>(seed);
        weakened.weakening = weakening;
        weakened.launched = launched;
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

// Whether all runs pass without a fault. The longest come first from here on: they go round the
// rings most often, and few faults need another.
bool passes(const TestPlan& plan, Subject& subject, Kept& kept) {
    for (Run& run : subject.runs) {
        emulator::CaseRunner::Made& alike = kept[run.job];
        run.runner = runner_of(run, *subject.variant, &alike);
        const auto start = Clock::now();
        if (fails(plan, run, 0, std::nullopt)) return false;
        run.taken = Clock::now() - start;
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

}  // namespace

WeakenCounts weaken(const TestPlan& plan, int seeds) {
    WeakenCounts counts;
    Kept kept;
    for (Subject& subject : subjects_of(plan, kept)) {
        const ir::Kernel& kernel = *subject.kernel;
        if (!passes(plan, subject, kept)) {
            fmt::print("FAIL {}: its tests fail as it is; see `tkc test --scheduled`\n",
                       kernel.name);
            ++counts.survivors;
            continue;
        }
        std::string lines;  // of those that are not noticed
        std::size_t redundant = 0;
        std::size_t survivors = 0;
        const std::vector<Weakening> all = emulator::weakenings_of(kernel);
        for (const Weakening& weakening : all) {
            const std::string reason = why_redundant(kernel, weakening);
            if (reason.empty() && is_noticed(plan, subject, weakening, seeds)) continue;
            ++(reason.empty() ? survivors : redundant);
            lines +=
                fmt::format("     {} {}: {}\n", plan.session().sources.describe(weakening.op->span),
                            describe(weakening), reason.empty() ? "not noticed" : reason);
        }
        counts.tried += all.size();
        counts.redundant += redundant;
        counts.survivors += survivors;
        fmt::print("{} {}: {} faults, {} noticed, {} redundant\n{}",
                   survivors == 0 ? "pass" : "FAIL", kernel.name, all.size(),
                   all.size() - survivors - redundant, redundant, lines);
        subject.runs.clear();
    }
    return counts;
}

}  // namespace tkc
