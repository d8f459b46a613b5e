// `tkc test --weaken`: whether the tests of a file would notice a fault in the lowering. Every
// synchronising operation of every lowered kernel is weakened in turn, and the tests run until one
// of them fails.
#include <fmt/format.h>

#include <algorithm>

#include "driver/commands.h"
#include "driver/report.h"
#include "driver/weaken.h"
#include "emulator/weakenings.h"

namespace tkc {

namespace {

using emulator::Instance;
using emulator::Variant;
using emulator::Weakening;
using Status = emulator::CaseResult::Status;

// A lowered kernel, and the tests that run it.
struct Subject {
    const Variant* variant = nullptr;
    std::vector<std::pair<const TestJob*, const Instance*>> runs;
};

std::vector<Subject> subjects_of(const TestPlan& plan) {
    std::vector<Subject> subjects;
    for (const TestJob& job : plan.jobs()) {
        if (job.instances == nullptr) continue;
        for (const Instance& instance : *job.instances) {
            for (const Variant& variant : instance.variants) {
                auto at = std::find_if(
                    subjects.begin(), subjects.end(),
                    [&](const Subject& s) { return s.variant->kernel == variant.kernel; });
                if (at == subjects.end()) at = subjects.insert(at, Subject{&variant, {}});
                at->runs.emplace_back(&job, &instance);
            }
        }
    }
    return subjects;
}

bool is_noticed(const TestPlan& plan, const Subject& subject,
                const std::optional<Weakening>& weakening, int seeds) {
    for (int seed = 0; seed < seeds; ++seed) {
        for (const auto& [job, instance] : subject.runs) {
            Instance alone = *instance;
            alone.variants = {*subject.variant};
            Diagnostics diag;
            const auto execute = [&](const Variant& variant, emulator::Arguments& arguments,
                                     const emulator::RunOptions& options) {
                emulator::RunOptions weakened = options;
                weakened.seed = static_cast<std::uint64_t>(seed);
                weakened.weakening = weakening;
                return emulator::run(*variant.kernel, variant.level, arguments, weakened);
            };
            const emulator::CaseResult result =
                run_case(*job->test, alone, execute, {job->seed, 1, {}},
                         {diag, plan.session().sources, job->test->describe()});
            if (result.status == Status::failed) return true;
        }
    }
    return false;
}

}  // namespace

WeakenCounts weaken(const TestPlan& plan, int seeds) {
    WeakenCounts counts;
    for (const Subject& subject : subjects_of(plan)) {
        const ir::Kernel& kernel = *subject.variant->kernel;
        if (is_noticed(plan, subject, std::nullopt, seeds)) {
            fmt::print("FAIL {}: its tests fail as it is; run `tkc test --scheduled --seeds {}`\n",
                       kernel.name, seeds);
            ++counts.survivors;
            continue;
        }
        std::vector<Weakening> survivors;
        const std::vector<Weakening> all = emulator::weakenings_of(kernel);
        for (const Weakening& weakening : all) {
            if (!is_noticed(plan, subject, weakening, seeds)) survivors.push_back(weakening);
        }
        counts.tried += all.size();
        counts.survivors += survivors.size();
        fmt::print("{} {}: {} faults, {} noticed\n", survivors.empty() ? "pass" : "FAIL",
                   kernel.name, all.size(), all.size() - survivors.size());
        for (const Weakening& weakening : survivors) {
            fmt::print("     {} {}\n", plan.session().sources.describe(weakening.op->span),
                       describe(weakening));
        }
    }
    return counts;
}

}  // namespace tkc
