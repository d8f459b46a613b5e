// Tests and probes on the program as it is.
#include "driver/mutate/tested_program.h"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <chrono>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "compiler/parallel.h"
#include "driver/isolated.h"
#include "driver/mutate/report.h"
#include "emulator/function_test.h"
#include "emulator/tensor_view.h"

namespace tkc {

namespace {

using emulator::Instance;
using emulator::Limits;
using emulator::Probe;

// Tests of a kernel in whose likeness probes are made: so many, with tensors of so many elements.
constexpr std::size_t most_models = 3;
constexpr std::int64_t most_elements = 1 << 15;
// The data of larger tests are not kept, so that mutants are tried without them.
constexpr std::int64_t most_kept = 1 << 23;
// Where the probes of a kernel take longer than this in all, those left are not run.
constexpr double most_seconds = 20;

const CompiledSet* set_with(const TestPlan& plan, const Instance& instance) {
    for (const CompiledSet& set : plan.sets()) {
        if (instance.module == &set.stages.tile) return &set;
    }
    return nullptr;
}

// Those of the runs that come to an end. Probes have other numbers than the tests, and a loop that
// one of them goes round may be far too long: nothing of this process may wait for that.
std::vector<std::size_t> safe_runs(std::size_t count, int jobs,
                                   const std::function<void(std::size_t)>& run) {
    std::vector<std::size_t> safe;
    IsolatedWork work;
    work.count = count;
    work.at_once = jobs;
    work.limit = std::chrono::seconds(static_cast<int>(most_seconds));
    work.run = [&](std::size_t n) {
        run(n);
        return std::string();
    };
    work.done = [&](std::size_t n, const ForkedResult& result) {
        if (result.end == ForkedResult::End::finished) safe.push_back(n);
    };
    if (count > 0) run_isolated(work);
    std::sort(safe.begin(), safe.end());
    return safe;
}

std::int64_t elements_of(const OriginalRun& run) {
    std::int64_t all = 0;
    for (const auto& [name, tensor] : run.made.prepared->arguments.tensors)
        all += tensor.elements();
    return all;
}

// Of each set of constants the largest test that is not too large, since it goes round loops more
// than once; where all are too large, the smallest. And the smallest of all.
std::vector<const OriginalRun*> models(const TestedProgram& program, const std::string& name) {
    std::vector<const OriginalRun*> runs;
    for (const OriginalRun& run : program.runs) {
        if (run.test().subject == name && run.made.expected) runs.push_back(&run);
    }
    if (runs.empty()) return runs;
    std::stable_sort(runs.begin(), runs.end(), [](const OriginalRun* a, const OriginalRun* b) {
        return std::pair(elements_of(*a), a->number) < std::pair(elements_of(*b), b->number);
    });
    std::map<const CompiledSet*, const OriginalRun*> of_sets;
    std::vector<const CompiledSet*> order;
    for (const OriginalRun* run : runs) {
        const auto [place, is_new] = of_sets.try_emplace(run->set, run);
        if (is_new) order.push_back(run->set);
        else if (elements_of(*run) <= most_elements) place->second = run;
    }
    std::vector<const OriginalRun*> chosen;
    for (const CompiledSet* set : order) {
        if (chosen.size() < most_models) chosen.push_back(of_sets.at(set));
    }
    if (std::find(chosen.begin(), chosen.end(), runs.front()) == chosen.end())
        chosen.push_back(runs.front());
    return chosen;
}

std::set<std::int64_t> steps_of(const OriginalRun& run) {
    std::set<std::int64_t> steps;
    for (const ir::Kernel* kernel : kernels_of(run)) steps.merge(emulator::tile_steps(*kernel));
    return steps;
}

std::set<std::string> names_of_tests(const ast::File& tree) {
    std::set<std::string> names;
    for (const ast::Decl& decl : tree.decls) {
        if (const auto* test = std::get_if<ast::Test>(&decl.node)) names.insert(test->name.text);
    }
    return names;
}

// The widest tolerance of each output in the tests of its kernel.
using Accepted = std::map<std::pair<std::string, std::string>, double>;

Accepted accepted_errors(const TestedProgram& program) {
    Accepted accepted;
    for (const OriginalRun& run : program.runs) {
        for (const OutputError& error : output_errors(run)) {
            double& widest = accepted[{run.test().subject, error.output}];
            widest = std::max(widest, error.allowed.cell);
        }
    }
    return accepted;
}

// Of kernels all of whose tests want equality, a probe may be off by so many times the least
// tolerance.
constexpr double few_roundings = 4;

// Whether a probe that fails by the tolerance of its own test is within that of another one: data
// that are summed exactly want equality, and others cannot have it.
bool is_accepted(const OriginalRun& run, const Accepted& accepted) {
    const std::vector<OutputError> errors = output_errors(run);
    return std::all_of(errors.begin(), errors.end(), [&](const OutputError& error) {
        const double widest = accepted.at({run.test().subject, error.output});
        return error.needed <= std::max(widest, few_roundings * error.floor);
    });
}

// `passed`: by the tolerance of the test that the probe is like, which then stays the widest; but
// where that test wants equality, other data cannot have it.
void set_narrow(OriginalRun& run, bool passed, bool same_data) {
    for (const OutputError& error : output_errors(run)) {
        Limits& limits = run.narrow[error.expect];
        const double wanted = rounded_up(std::max(2 * error.needed, error.floor));
        const bool keep = passed && (same_data || error.allowed.cell > 0);
        limits.cell = std::max(limits.cell, keep ? std::min(wanted, error.allowed.cell) : wanted);
        limits.norm = limits.cell;
    }
}

// Whether an output that the test compares has a NaN.
bool has_nan(const OriginalRun& run) {
    for (const ast::TestItem& item : run.test().test->items) {
        const auto* expect = std::get_if<ast::Expect>(&item.node);
        if (expect == nullptr) continue;
        for (const ast::Name& name : expect->names) {
            const emulator::Array output = emulator::to_array(run.after.tensors.at(name.text));
            if (!output.is_real()) continue;
            const std::vector<double>& cells = output.of<double>();
            if (std::any_of(cells.begin(), cells.end(), [](double x) { return std::isnan(x); }))
                return true;
        }
    }
    return false;
}

void run_function_test(TestedProgram& program, std::size_t number) {
    const emulator::TestCase& test = program.file.cases[number];
    Diagnostics diag;
    if (emulator::run_function_test(
            test, {diag, program.file.session.sources, test.describe(), &*program.file.functions}))
        program.of_functions.push_back(number);
    else program.failed.push_back(test.name);
}

// Names and words of a text.
std::set<std::string> words_of(std::string_view text) {
    std::set<std::string> words;
    std::string word;
    for (const char c : text) {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
            word += c;
        } else if (!word.empty()) {
            words.insert(std::exchange(word, ""));
        }
    }
    return words;
}

// With what the functions among the names name, and so on.
std::set<std::string> reached(std::set<std::string> names,
                              const std::map<std::string, std::set<std::string>>& named_by) {
    std::vector<std::string> open(names.begin(), names.end());
    while (!open.empty()) {
        const auto found = named_by.find(open.back());
        open.pop_back();
        if (found == named_by.end()) continue;
        for (const std::string& name : found->second) {
            if (names.insert(name).second) open.push_back(name);
        }
    }
    return names;
}

// What the tolerance of a probe should be follows from what the program as it is needs. Instances
// that differ in the schedule mean the same, so one is enough.
void run_like(TestedProgram& program, const std::vector<const OriginalRun*>& like, int jobs) {
    const std::size_t before = program.file.cases.size();
    if (program.probed.cases.size() != before + like.size()) return;
    std::vector<OriginalRun> all;
    for (std::size_t n = 0; n < like.size(); ++n) {
        all.push_back({program.plan, &program.probed, before + n, like[n]->instance, like[n]->set,
                       like[n]->seed});
    }
    std::vector<OriginalEnd> ends(all.size(), OriginalEnd::no_run);
    std::map<std::string, std::atomic<double>> spent;
    for (const OriginalRun* run : like) spent[run->test().subject] = 0;
    const auto run_one = [&](std::size_t n) {
        std::atomic<double>& seconds = spent.at(all[n].test().subject);
        if (seconds > most_seconds) return;
        ends[n] = run_original(all[n]);
        seconds += all[n].seconds;
    };
    const std::vector<std::size_t> safe = safe_runs(all.size(), jobs, run_one);
    in_parallel(safe.size(), jobs, [&](std::size_t n) { run_one(safe[n]); });
    const Accepted accepted = accepted_errors(program);
    for (std::size_t n = 0; n < all.size(); ++n) {
        OriginalRun& run = all[n];
        const Probe& probe = program.probes[run.number - before];
        // Which NaN results from infinite data is not part of a kernel's meaning.
        const bool ran = ends[n] == OriginalEnd::passed || ends[n] == OriginalEnd::differs;
        if (!ran || has_nan(run) || !run.made.expected) continue;
        const bool passed = ends[n] == OriginalEnd::passed;
        if (passed || is_accepted(run, accepted)) set_narrow(run, passed, probe.same_data);
        else if (probe.plain) run.beyond_reference = true;
        else continue;
        program.tried.push_back(std::move(run));
    }
}

}  // namespace

// The path by which the sources of a plan know a module; empty: it is not imported.
std::string path_of_module(const TestPlan& plan, const std::string& module) {
    const SourceManager& sources = plan.session().sources;
    if (sources.find("<" + module + ">")) return "<" + module + ">";
    std::string path = module;
    std::replace(path.begin(), path.end(), '.', '/');
    path += ".tk";
    for (FileId id = 1; id <= sources.count(); ++id) {
        const std::string& known = sources.file(id).path;
        if (known == path || known.ends_with("/" + path)) return known;
    }
    return "";
}

bool only_own_tests(const TestedProgram& program, const std::string& function) {
    const SourceManager& sources = program.file.session.sources;
    std::map<std::string, std::set<std::string>> named_by;  // functions
    std::set<std::string> by_tests;                         // of functions
    std::set<std::string> by_others;
    for (const ast::Decl& decl : program.file.tree->decls) {
        if (std::holds_alternative<ast::Reference>(decl.node)) continue;
        const auto* own = std::get_if<ast::Function>(&decl.node);
        const auto* test = std::get_if<ast::Test>(&decl.node);
        const bool of_function = std::any_of(
            program.of_functions.begin(), program.of_functions.end(),
            [&](std::size_t number) { return program.file.cases[number].test == test; });
        std::set<std::string>& names = own != nullptr ? named_by[own->name.text]
                                       : of_function  ? by_tests
                                                      : by_others;
        names.merge(words_of(sources.text(decl.span)));
    }
    return reached(std::move(by_tests), named_by).contains(function) &&
           !reached(std::move(by_others), named_by).contains(function);
}

void run_tests(TestedProgram& program, int jobs) {
    program.texts = kernel_texts(*program.plan);
    if (!program.file.read(*program.plan, "", "")) return;
    std::vector<OriginalRun> all;
    for (const TestJob& job : program.plan->jobs()) {
        const auto& cases = program.plan->cases();
        const auto number = static_cast<std::size_t>(job.test - cases.data());
        if (job.test->function != nullptr) run_function_test(program, number);
        if (job.instances == nullptr) continue;
        for (const Instance& instance : *job.instances) {
            const CompiledSet* const set = set_with(*program.plan, instance);
            all.push_back({program.plan, &program.file, number, &instance, set, job.seed});
        }
    }
    std::vector<OriginalEnd> ends(all.size());
    in_parallel(all.size(), jobs, [&](std::size_t n) {
        ends[n] = run_original(all[n]);
        if (all[n].made.prepared && elements_of(all[n]) > most_kept) {
            all[n].made = {};
            all[n].after = {};
        }
    });
    for (std::size_t n = 0; n < all.size(); ++n) {
        if (ends[n] == OriginalEnd::failed || ends[n] == OriginalEnd::differs)
            program.failed.push_back(all[n].test().name);
        if (ends[n] != OriginalEnd::passed) continue;
        if (all[n].made.prepared) program.runs.push_back(std::move(all[n]));
        else program.left_out.insert(all[n].test().name);
    }
}

void run_probes(TestedProgram& program, const std::set<std::string>& wanted, int jobs) {
    std::vector<const OriginalRun*> like;  // of each probe
    std::set<std::string> names = names_of_tests(*program.file.tree);
    for (const std::string& name : wanted) {
        emulator::Domains domains;
        for (const OriginalRun& run : program.runs) {
            if (run.test().subject == name)
                emulator::widen(domains, run.test(), *run.made.prepared,
                                program.file.session.sources);
        }
        for (const OriginalRun* run : models(program, name)) {
            std::vector<Probe> made =
                emulator::probes(run->test(), *run->made.prepared, *run->instance->signature,
                                 domains, steps_of(*run), program.file.session.sources, names);
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
