// Tests and probes on the program as it is.
#include "driver/mutate/tested_program.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>
#include <utility>

namespace tkc {

namespace {

using emulator::Instance;
using emulator::Limits;
using emulator::Probe;

// Tests of a kernel in whose likeness probes are made: so many, and none that takes longer.
constexpr std::size_t most_models = 3;
constexpr double seconds_of_model = 0.02;

// Calls `work` with 0 .. count-1 on several threads, and waits for all.
template <class Work>
void in_parallel(std::size_t count, int jobs, const Work& work) {
    std::atomic<std::size_t> next = 0;
    std::vector<std::thread> threads;
    const auto serve = [&] {
        const SignalStack stack;
        for (std::size_t n = next++; n < count; n = next++) work(n);
    };
    for (int i = 0; i < jobs && static_cast<std::size_t>(i) < count; ++i)
        threads.emplace_back(serve);
    for (std::thread& thread : threads) thread.join();
}

const CompiledSet* set_with(const TestPlan& plan, const Instance& instance) {
    for (const CompiledSet& set : plan.sets()) {
        if (instance.module == &set.stages.tile) return &set;
    }
    return nullptr;
}

// The smallest of 1, 2, 5, 10, .. times a power of ten that is not less.
double rounded_up(double x) {
    if (!(x > 0)) return 0;
    const double power = std::pow(10, std::floor(std::log10(x)));
    for (const double digit : {1.0, 2.0, 5.0, 10.0}) {
        if (digit * power >= x * (1 - 1e-9)) return digit * power;
    }
    return 10 * power;
}

// Of each set of constants the longest test that is still short: it goes round loops more than
// once. And the shortest one.
std::vector<const OriginalRun*> models(const TestedProgram& program, const std::string& name) {
    std::vector<const OriginalRun*> chosen;
    std::set<const CompiledSet*> sets;
    const OriginalRun* shortest = nullptr;
    for (auto run = program.runs.rbegin(); run != program.runs.rend(); ++run) {
        if (run->test().subject != name || !run->made.expected) continue;
        shortest = &*run;
        const bool fits = run->seconds < seconds_of_model && chosen.size() < most_models;
        if (fits && sets.insert(run->set).second) chosen.push_back(&*run);
    }
    const bool is_new = std::find(chosen.begin(), chosen.end(), shortest) == chosen.end();
    if (shortest != nullptr && is_new) chosen.push_back(shortest);
    return chosen;
}

std::set<std::int64_t> steps_of(const OriginalRun& run) {
    std::set<std::int64_t> steps;
    for (const ir::Kernel& kernel : run.set->stages.tile.kernels) {
        const bool own = kernel.name == run.instance->signature->name;
        const bool launched = ir::find_entry(run.set->stages.tile, run.test().subject) != nullptr;
        if (own || launched) steps.merge(emulator::tile_steps(kernel));
    }
    return steps;
}

std::set<std::string> names_of_tests(const ast::File& tree) {
    std::set<std::string> names;
    for (const ast::Decl& decl : tree.decls) {
        if (const auto* test = std::get_if<ast::Test>(&decl.node)) names.insert(test->name.text);
    }
    return names;
}

void set_narrow(OriginalRun& run) {
    const ast::Expect* last = nullptr;
    for (const OutputError& error : output_errors(run)) {
        if (error.expect != last) run.narrow.push_back({0, 0});
        last = error.expect;
        Limits& limits = run.narrow.back();
        const double wanted = rounded_up(std::max(2 * error.needed, tolerance_floor(error.dtype)));
        limits.cell = std::max(limits.cell, std::min(wanted, error.allowed.cell));
        limits.norm = limits.cell;
    }
}

// On all instances of the test that it is like; what its tolerance should be follows from what
// the program as it is needs.
void run_like(TestedProgram& program, const std::vector<const OriginalRun*>& like, int jobs) {
    const std::size_t before = program.file.cases.size();
    if (program.probed.cases.size() != before + like.size()) return;
    std::vector<OriginalRun> all;
    for (std::size_t n = 0; n < like.size(); ++n) {
        for (const OriginalRun& run : program.runs) {
            if (run.number != like[n]->number) continue;
            all.push_back(
                {program.plan, &program.probed, before + n, run.instance, run.set, run.seed});
        }
    }
    std::vector<OriginalEnd> ends(all.size(), OriginalEnd::no_run);
    in_parallel(all.size(), jobs, [&](std::size_t n) { ends[n] = run_original(all[n]); });
    for (std::size_t n = 0; n < all.size(); ++n) {
        const bool beyond =
            ends[n] == OriginalEnd::differs && program.probes[all[n].number - before].same_kind;
        if (!beyond && (ends[n] != OriginalEnd::passed || !all[n].made.expected)) continue;
        all[n].beyond_reference = beyond;
        if (!beyond) set_narrow(all[n]);
        program.tried.push_back(std::move(all[n]));
    }
}

}  // namespace

void run_tests(TestedProgram& program, int jobs) {
    program.texts = kernel_texts(*program.plan);
    if (!program.file.read(*program.plan, "", "")) return;
    std::vector<OriginalRun> all;
    for (const TestJob& job : program.plan->jobs()) {
        if (job.instances == nullptr) continue;
        const auto& cases = program.plan->cases();
        const auto number = static_cast<std::size_t>(job.test - cases.data());
        for (const Instance& instance : *job.instances) {
            const CompiledSet* const set = set_with(*program.plan, instance);
            all.push_back({program.plan, &program.file, number, &instance, set, job.seed});
        }
    }
    std::vector<OriginalEnd> ends(all.size());
    in_parallel(all.size(), jobs, [&](std::size_t n) { ends[n] = run_original(all[n]); });
    for (std::size_t n = 0; n < all.size(); ++n) {
        if (ends[n] == OriginalEnd::failed || ends[n] == OriginalEnd::differs)
            program.failed.push_back(all[n].test().name);
        if (ends[n] == OriginalEnd::passed) program.runs.push_back(std::move(all[n]));
    }
    std::stable_sort(
        program.runs.begin(), program.runs.end(),
        [](const OriginalRun& a, const OriginalRun& b) { return a.seconds < b.seconds; });
}

void run_probes(TestedProgram& program, const std::set<std::string>& wanted, int jobs) {
    std::vector<const OriginalRun*> like;  // of each probe
    std::set<std::string> names = names_of_tests(*program.file.tree);
    for (const std::string& name : wanted) {
        for (const OriginalRun* run : models(program, name)) {
            std::vector<Probe> made =
                emulator::probes(run->test(), *run->made.prepared, *run->instance->signature,
                                 steps_of(*run), program.file.session.sources, names);
            for (Probe& probe : made) {
                program.probes.push_back(std::move(probe));
                like.push_back(run);
            }
        }
    }
    for (const Probe& probe : program.probes) program.probed.more += "\n" + probe.text();
    if (!program.probed.read(*program.plan, "", "")) return;
    run_like(program, like, jobs);
}

}  // namespace tkc
