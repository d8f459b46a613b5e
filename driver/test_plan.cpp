// Compiling what the tests of a file run.
#include "driver/test_plan.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "frontend/references/broken_tests.h"
#include "ir/contract.h"

namespace tkc {

namespace {

using emulator::Instance;
using emulator::TestCase;

bool matches(const std::string& name, const std::string& filter) {
    if (filter.find_first_of("*?") == std::string::npos) {
        return name.find(filter) != std::string::npos;
    }
    return ::fnmatch(filter.c_str(), name.c_str(), 0) == 0;
}

std::string constants_text(const std::vector<Define>& constants) {
    std::string out;
    for (const Define& d : constants) {
        out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", d.name, d.value);
    }
    return out;
}

std::string value_text(const ir::Scalar& value) {
    std::string text = ir::to_string(value);
    return text;
}

// Whether the kernel has all of these constants already.
bool has_constants(const ir::Signature& kernel, const std::vector<Define>& constants) {
    return std::all_of(constants.begin(), constants.end(), [&](const Define& d) {
        return std::any_of(kernel.constants.begin(), kernel.constants.end(),
                           [&](const ir::Constant& c) {
                               return c.name == d.name && value_text(c.value) == d.value;
                           });
    });
}

// Whether a test with these constants is one of the instance as well: a candidate next to the
// kernel itself, for the same shapes, that leaves the constants as they are.
bool is_tried_too(const ir::Module& module, const ir::Kernel& standard, const ir::Kernel& instance,
                  const std::vector<Define>& constants) {
    const bool candidate = std::any_of(
        module.launchers.begin(), module.launchers.end(), [&](const ir::Launcher& launcher) {
            return launcher.name == standard.name &&
                   std::count(launcher.candidates.begin(), launcher.candidates.end(),
                              instance.name) != 0;
        });
    const auto value = [](const ir::Kernel& kernel, const std::string& name) {
        const auto found = std::find_if(kernel.constants.begin(), kernel.constants.end(),
                                        [&](const ir::Constant& c) { return c.name == name; });
        return found == kernel.constants.end() ? "" : value_text(found->value);
    };
    const auto shapes = [](const ir::Kernel& kernel) {
        std::string text;
        for (const ir::Tensor& tensor : kernel.tensors) {
            for (const ir::Scalar& extent : tensor.extents)
                text += value_text(ir::with_constants(kernel, extent)) + ", ";
        }
        return text;
    };
    return candidate && shapes(standard) == shapes(instance) &&
           std::all_of(constants.begin(), constants.end(), [&](const Define& d) {
               return value(standard, d.name) == value(instance, d.name);
           });
}

const ir::Signature* find_subject(const ir::Module& module, const std::string& name) {
    if (const ir::Kernel* kernel = ir::find_kernel(module, name)) return kernel;
    return ir::find_entry(module, name);
}

bool is_entry(const ast::File& file, const std::string& name) {
    return std::any_of(file.decls.begin(), file.decls.end(), [&](const ast::Decl& decl) {
        const auto* entry = std::get_if<ast::Entry>(&decl.node);
        return entry != nullptr && entry->name.text == name;
    });
}

}  // namespace

TestPlan::TestPlan(std::string path, const TestCommand& command)
    : path_(std::move(path)), command_(command) {}

void TestPlan::make() {
    tree_ = parse_file(path_, session_);
    if (!tree_) return;
    find_cases();
    const bool any_wanted = std::any_of(cases_.begin(), cases_.end(),
                                        [&](const TestCase& test) { return is_wanted(test); });
    // Without compiling anything: nothing of it would run.
    if (!any_wanted && (command_.weaken ? has_left_out_ : !broken_.empty())) return;
    base_ = compile(command_.source, {}, "");
    for (const TestCase& test : cases_) {
        if (is_wanted(test)) add_jobs(test);
    }
}

void TestPlan::find_cases() {
    const CheckOptions options = check_options(command_.source);
    BrokenTests broken = take_out_broken_tests(*tree_, session_.sources, options);
    session_.diag.take(broken.others);
    functions_.emplace(*tree_, session_.sources, options);
    for (BrokenTest& test : broken.tests)
        add_broken(test.name.text, test.name.span, std::move(test.diag));
    for (const ast::Decl& decl : tree_->decls) {
        const auto* test = std::get_if<ast::Test>(&decl.node);
        if (test == nullptr) continue;
        Diagnostics diag;
        std::vector<TestCase> cases =
            emulator::test_cases(*tree_, *test, {diag, session_.sources, "", functions()});
        std::move(cases.begin(), cases.end(), std::back_inserter(cases_));
        if (diag.has_errors()) add_broken(test->name.text, test->name.span, std::move(diag));
    }
    std::stable_sort(broken_.begin(), broken_.end(), [](const BrokenJob& a, const BrokenJob& b) {
        return a.span.begin < b.span.begin;
    });
    has_tests_ = has_tests_ || !cases_.empty();
}

void TestPlan::add_broken(const std::string& name, Span span, Diagnostics diag) {
    has_tests_ = true;
    if (is_named(name, name)) broken_.push_back({name, span, std::move(diag)});
}

void TestPlan::add_jobs(const TestCase& test) {
    if (test.function != nullptr) {
        if (!command_.weaken)
            jobs_.push_back({&test, compiles(*test.function), nullptr, "", command_.seed});
        return;
    }
    for (int i = 0; i < command_.seeds; ++i) {
        const std::uint64_t seed = command_.seed + static_cast<std::uint64_t>(i);
        const std::vector<Instance>* const instances = instances_for(test);
        jobs_.push_back(
            {&test, instances != nullptr, instances, constants_text(test.constants), seed});
    }
}

void TestPlan::leave_out(const std::set<const TestJob*>& jobs) {
    std::vector<TestJob> left;
    for (TestJob& job : jobs_) {
        if (jobs.contains(&job)) left_out_.insert(job.test->name);
        else left.push_back(std::move(job));
    }
    jobs_ = std::move(left);
}

void TestPlan::leave_out_like(const TestPlan& other) {
    std::set<const TestJob*> jobs;
    for (const TestJob& job : jobs_) {
        if (other.left_out_.contains(job.test->name)) jobs.insert(&job);
    }
    leave_out(jobs);
}

// A test with several cases is wanted for all of them if it is named, or if some of them are.
bool TestPlan::is_named(const std::string& name, const std::string& short_name) const {
    return command_.filters.empty() || std::any_of(command_.filters.begin(), command_.filters.end(),
                                                   [&](const std::string& filter) {
                                                       return matches(name, filter) ||
                                                              matches(short_name, filter);
                                                   });
}

bool TestPlan::is_wanted(const TestCase& test) {
    const bool named = is_named(test.name, test.test->name.text);
    // Runs of an entry are long, for each fault of each kernel that it launches.
    const bool left_out =
        named && command_.weaken && command_.filters.empty() && is_entry(*tree_, test.subject);
    has_left_out_ = has_left_out_ || left_out;
    return named && !left_out;
}

// Where something in the file is wrong, it may be elsewhere.
bool TestPlan::compiles(const ast::Function& function) {
    if (base_ != nullptr) return true;
    const auto [found, is_new] = compiles_.try_emplace(&function, false);
    if (is_new) found->second = compile(command_.source, {function.name.text}, "") != nullptr;
    return found->second;
}

// What is wrong with the kernel for some constants says nothing of it for others: each compilation
// begins without errors, and its messages say for which constants they hold.
const Stages* TestPlan::compile(const SourceOptions& options, const Wanted& wanted,
                                const std::string& constants) {
    Diagnostics before = std::exchange(session_.diag, Diagnostics());
    std::optional<Stages> made = compile_stages(*tree_, options, wanted, command_.proofs, session_);
    before.take(session_.diag, constants.empty() ? "" : "with " + constants);
    session_.diag = std::move(before);
    if (!made) return nullptr;
    sets_.push_back({options, wanted, std::move(*made)});
    return &sets_.back().stages;
}

const std::vector<Instance>* TestPlan::instances_for(const TestCase& test) {
    const std::string key = test.subject + ": " + constants_text(test.constants);
    auto [found, is_new] = instances_.try_emplace(key);
    if (!is_new) return found->second ? &*found->second : nullptr;
    const ir::Signature* standard =
        base_ == nullptr ? nullptr : find_subject(base_->tile, test.subject);
    std::vector<Instance> made;
    const Stages* stages = base_;
    if (base_ == nullptr && test.constants.empty()) {  // something else may be wrong, not this
        stages = compile(command_.source, {test.subject, true}, "");
        if (stages == nullptr) return nullptr;
    }
    if (!test.constants.empty() &&
        (standard == nullptr || !has_constants(*standard, test.constants))) {
        SourceOptions options = command_.source;
        for (const Define& constant : test.constants) {
            std::erase_if(options.defines,
                          [&](const Define& d) { return d.name == constant.name; });
            options.defines.push_back(constant);
        }
        stages = compile(options, {test.subject}, constants_text(test.constants));
        if (stages == nullptr) return nullptr;
    }
    add_instances(*stages, test.subject, made);
    if (!test.constants.empty()) {
        const ir::Kernel* kernel = ir::find_kernel(stages->tile, test.subject);
        std::erase_if(made, [&](const Instance& instance) {
            return !instance.name.empty() && kernel != nullptr &&
                   !is_tried_too(stages->tile, *kernel,
                                 *ir::find_kernel(stages->tile, instance.name), test.constants);
        });
    }
    found->second = std::move(made);
    return &*found->second;
}

// An entry has one instance; on a GPU its launcher chooses among kernels.
void TestPlan::add_entry(const Stages& stages, const ir::Entry& entry,
                         std::vector<Instance>& instances) const {
    using emulator::Preference;
    Instance instance{"", &entry, &stages.tile, {}, {}};
    const bool gpu = command_.machine == Machine::gpu;
    const bool lowered = command_.scheduled || gpu;
    const ir::Module& module = lowered ? stages.scheduled : stages.tile;
    const ir::Entry* own = ir::find_entry(module, entry.name);
    if (command_.scheduled && !gpu && emulator::states_facts(stages.tile, entry)) {
        instance.stating = emulator::Variant{"", nullptr, stages.tile.level, &entry, &stages.tile};
    }
    instance.variants.push_back({own->name, nullptr, module.level, own, &module, {}});
    if (!gpu) add_candidates(module, *own, instance);
    const bool general =
        std::any_of(own->calls.begin(), own->calls.end(), [&](const ir::EntryCall& call) {
            return std::any_of(call.candidates.begin(), call.candidates.end(),
                               [&](const std::string& name) {
                                   const ir::Kernel* kernel = ir::find_kernel(module, name);
                                   return kernel != nullptr && !kernel->general_of.empty();
                               });
        });
    if (general && !gpu) {
        instance.variants.push_back({own->name + "_general",
                                     nullptr,
                                     module.level,
                                     own,
                                     &module,
                                     {Preference::general, 0}});
    }
    instances.push_back(std::move(instance));
}

// The entry once more for each kernel that a call of it may launch in place of the first.
void TestPlan::add_candidates(const ir::Module& module, const ir::Entry& entry,
                              emulator::Instance& instance) const {
    using emulator::Preference;
    std::size_t most = 0;
    for (const ir::EntryCall& call : entry.calls)
        most = std::max(most, preferred(module, call, Preference::fast).size());
    for (std::size_t n = 1; n < most; ++n) {
        std::string kernels;
        for (const ir::EntryCall& call : entry.calls) {
            const auto list = preferred(module, call, Preference::fast);
            if (list.size() < 2) continue;
            kernels += (kernels.empty() ? "" : ", ") + list[n % list.size()]->name;
        }
        instance.variants.push_back({fmt::format("{} by {}", entry.name, kernels),
                                     nullptr,
                                     module.level,
                                     &entry,
                                     &module,
                                     {Preference::fast, n}});
    }
}

// The kernel itself first, then its instances in the order of the file.
void TestPlan::add_instances(const Stages& stages, const std::string& subject,
                             std::vector<Instance>& instances) const {
    const ir::Entry* entry = ir::find_entry(stages.tile, subject);
    if (entry != nullptr) add_entry(stages, *entry, instances);
    for (const ir::Kernel& kernel : stages.tile.kernels) {
        if (kernel.source != subject) continue;
        Instance instance;
        if (kernel.name != subject) instance.name = kernel.name;
        instance.signature = &kernel;
        instance.module = &stages.tile;
        const bool lowered = command_.scheduled || command_.machine == Machine::gpu;
        if (!lowered) instance.variants.push_back({"", &kernel, ir::Level::tile});
        const bool emulated = lowered && command_.machine != Machine::gpu;
        if (emulated && emulator::states_facts(kernel)) {
            instance.stating = emulator::Variant{"", &kernel, ir::Level::tile};
        }
        for (const ir::Kernel& variant : stages.scheduled.kernels) {
            const bool own = variant.name == kernel.name;
            const bool general = variant.general_of == kernel.name;
            if (lowered && (own || general)) {
                instance.variants.push_back({variant.name, &variant, ir::Level::scheduled});
            }
        }
        instances.push_back(std::move(instance));
    }
}

}  // namespace tkc
