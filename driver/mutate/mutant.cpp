// Compiling mutants as far as their tests need: to tile IR and its proofs, and only what changed.
#include "driver/mutate/mutant.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "checks/check.h"
#include "emulator/function_test.h"
#include "emulator/tensor_view.h"
#include "frontend/parse/ast_walk.h"
#include "frontend/parse/parse.h"
#include "frontend/references/broken_tests.h"
#include "ir/contract.h"
#include "ir/print.h"
#include "ir/walk.h"
#include "language/real_format.h"

namespace tkc {

double tolerance_floor(Dtype dtype) {
    if (!is_real(dtype)) return 0;
    // Of what is stored and widened, half a unit in the last place.
    return is_narrow_real(dtype) ? exact_power(-format_of(dtype).digits()) : 1e-5;
}

namespace {

using emulator::Arguments;
using emulator::Arrays;
using emulator::CaseResult;
using emulator::CaseRunner;
using emulator::EvaluationContext;
using emulator::Instance;
using emulator::Limits;
using emulator::RunOptions;
using emulator::Standard;
using emulator::Tensor;
using emulator::TestCase;
using emulator::Variant;

using Clock = std::chrono::steady_clock;

const ir::Kernel* find_original(const CompiledSet& set, const std::string& name) {
    return ir::find_kernel(set.stages.tile, name);
}

// Whether an entry, or one of the kernels that it may launch, is not what it was.
bool entry_changed(const ir::Entry& entry, const ir::Module& original,
                   const std::map<std::string, bool>& changed) {
    const ir::Entry* const before = ir::find_entry(original, entry.name);
    ir::Module now_alone;
    now_alone.entries.push_back(entry);
    ir::Module then_alone;
    then_alone.entries.push_back(*before);
    if (ir::print(now_alone) != ir::print(then_alone)) return true;
    return std::any_of(entry.calls.begin(), entry.calls.end(), [&](const ir::EntryCall& call) {
        return std::any_of(call.candidates.begin(), call.candidates.end(),
                           [&](const std::string& name) { return changed.at(name); });
    });
}

// Launches are refused as those of the original are.
void take_conditions(ir::Module& module, const ir::Module& original) {
    for (ir::Kernel& kernel : module.kernels) {
        if (const ir::Kernel* before = ir::find_kernel(original, kernel.name))
            kernel.conditions = before->conditions;
    }
    for (ir::Entry& entry : module.entries) {
        if (const ir::Entry* before = ir::find_entry(original, entry.name))
            entry.conditions = before->conditions;
    }
}

// What docs/numerics.md says of `tanh`. Other functions stay below the floor of every type.
constexpr double tanh_error = 0x1.6ap-11;

bool calls_tanh(const ir::Kernel* kernel) {
    bool found = false;
    for (const ir::Role& role : kernel->roles) {
        ir::walk_only<ir::Map>(role.body, [&](const ir::Map& map) {
            ir::visit_nodes(map.expression, [&](const ir::ScalarNode& node) {
                const auto* call = std::get_if<ir::Call>(&node.node);
                found = found || (call != nullptr && call->function == Function::tanh);
            });
        });
    }
    return found;
}

// Whether what a run made is right by this standard.
bool is_right(const OriginalRun& run, const Instance& instance, const Arguments& after,
              const Standard& standard) {
    Diagnostics diag;
    return emulator::judge(run.test(), instance, *instance.signature, run.made.prepared->arguments,
                           after, standard,
                           {diag, run.file->session.sources, "", &*run.file->functions});
}

// What the test itself allows.
Standard as_tested(const OriginalRun& run, const Arrays& expected) {
    return {&expected, [&run](const ast::Expect& expect, const Tensor&) {
                Diagnostics diag;
                return emulator::limits_of(
                    expect, *run.made.prepared,
                    {diag, run.file->session.sources, "", &*run.file->functions});
            }};
}

// What the program as it is needs.
Standard as_needed(const OriginalRun& run, const Arrays& expected) {
    return {&expected, [&run](const ast::Expect& expect, const Tensor&) {
                return std::optional(run.narrow.at(&expect));
            }};
}

// The outputs of the program as it is, but for roundings.
Standard as_before(const Arrays& outputs) {
    return {&outputs, [](const ast::Expect&, const Tensor& output) {
                const double limit = 2 * tolerance_floor(output.dtype);
                return std::optional(Limits{limit, limit});
            }};
}

Arrays compared_outputs(const OriginalRun& run) {
    Arrays outputs;
    for (const ast::TestItem& item : run.test().test->items) {
        const auto* expect = std::get_if<ast::Expect>(&item.node);
        if (expect == nullptr) continue;
        for (const ast::Name& name : expect->names)
            outputs.emplace(name.text, emulator::to_array(run.after.tensors.at(name.text)));
    }
    return outputs;
}

// Functions of the file, and those of other files, in the reference of a test.
bool calls_functions(const TestCase& test, const ast::File& tree) {
    bool found = false;
    checker::Walk hooks;
    hooks.expr = [&](const ast::Expr& expr) {
        const auto* call = std::get_if<ast::Call>(&expr.node);
        if (call == nullptr) return;
        const auto* name = std::get_if<ast::NameRef>(&call->callee->node);
        if (name == nullptr) {  // of a module
            found = true;
            return;
        }
        // A constant that is a function has a name that no declaration has.
        const ast::LaunchHead* head = nullptr;
        for (const ast::Decl& decl : tree.decls) {
            const auto* function = std::get_if<ast::Function>(&decl.node);
            found = found || (function != nullptr && function->name.text == name->text);
            const ast::LaunchHead* const here = ast::launch_head(decl);
            if (here != nullptr && here->name.text == test.subject) head = here;
        }
        if (head == nullptr) return;
        for (const ast::ConstParam& c : head->consts) {
            if (c.kind == ast::ConstKind::function && c.name.text == name->text) found = true;
        }
    };
    checker::walk(test.reference->body, hooks);
    return found;
}

}  // namespace

// ---- the program as it is

bool TestedFile::read(const TestPlan& plan, const std::string& path, const std::string& text) {
    if (!path.empty()) session.sources.add(path, path == plan.path() ? text + more : text);
    if (path != plan.path()) {
        const FileId original = plan.tree()->id;
        session.sources.add(plan.path(), plan.session().sources.file(original).text + more);
    }
    const std::optional<FileId> id = session.sources.find(plan.path());
    tree = parse(*id, session.sources, session.diag);
    if (!tree) return false;
    const SourceOptions& options = plan.options();
    if (!plan.broken().empty())
        take_out_broken_tests(*tree, session.sources, check_options(options));
    functions.emplace(*tree, session.sources, check_options(options));
    Diagnostics of_tests;  // reported of the plan
    cases = emulator::test_cases(*tree, {of_tests, session.sources, "", &*functions});
    if (plan.broken().empty()) session.diag.take(of_tests);
    return !session.diag.has_errors();
}

OriginalEnd run_original(OriginalRun& run) {
    Diagnostics diag;
    const TestCase& test = run.test();
    const EvaluationContext context{diag, run.file->session.sources, test.describe(),
                                    &*run.file->functions};
    bool finished = false;
    const emulator::Execute execute = [&](const Variant& variant, Arguments& arguments,
                                          const RunOptions& options) {
        const emulator::Outcome outcome = emulator::emulate(variant, arguments, options);
        finished = outcome.end == emulator::Outcome::End::finished;
        if (finished) run.after = arguments;
        return outcome;
    };
    const auto start = Clock::now();
    CaseRunner runner(test, *run.instance, RunOptions{run.seed}, &run.made);
    const CaseResult result = runner.run(execute, context);
    run.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    run.made = std::move(runner.made());
    if (result.status == CaseResult::Status::failed)
        return finished && run.made.expected ? OriginalEnd::differs : OriginalEnd::failed;
    if (result.status != CaseResult::Status::passed || !finished) return OriginalEnd::no_run;
    return emulator::expected_error(test) == nullptr ? OriginalEnd::passed : OriginalEnd::no_run;
}

KernelTexts kernel_texts(const TestPlan& plan) {
    KernelTexts texts;
    for (const CompiledSet& set : plan.sets()) {
        for (const ir::Kernel& kernel : set.stages.tile.kernels)
            texts.emplace(&kernel, ir::print(kernel));
    }
    return texts;
}

std::vector<const ir::Kernel*> kernels_of(const OriginalRun& run) {
    const ir::Module& module = run.set->stages.tile;
    const std::string& name = run.instance->signature->name;
    std::vector<const ir::Kernel*> kernels;
    if (const ir::Kernel* own = ir::find_kernel(module, name)) kernels.push_back(own);
    const ir::Entry* const entry = ir::find_entry(module, name);
    if (entry == nullptr) return kernels;
    std::set<std::string> launched;
    for (const ir::EntryCall& call : entry->calls)
        launched.insert(call.candidates.begin(), call.candidates.end());
    for (const ir::Kernel& kernel : module.kernels) {
        if (launched.contains(kernel.name)) kernels.push_back(&kernel);
    }
    return kernels;
}

std::vector<OutputError> output_errors(const OriginalRun& run) {
    std::vector<OutputError> errors;
    if (!run.made.prepared || !run.made.expected) return errors;
    const std::vector<const ir::Kernel*> kernels = kernels_of(run);
    const double approximate =
        std::any_of(kernels.begin(), kernels.end(), calls_tanh) ? tanh_error : 0;
    Diagnostics diag;
    const EvaluationContext context{diag, run.file->session.sources, "", &*run.file->functions};
    for (const ast::TestItem& item : run.test().test->items) {
        const auto* expect = std::get_if<ast::Expect>(&item.node);
        if (expect == nullptr) continue;
        const std::optional<Limits> allowed =
            emulator::limits_of(*expect, *run.made.prepared, context);
        for (const ast::Name& name : expect->names) {
            const emulator::Tensor& output = run.after.tensors.at(name.text);
            const emulator::Comparison c =
                emulator::compare(output, run.made.expected->at(name.text), Limits{});
            const double least = tolerance_floor(output.dtype);
            errors.push_back({expect, name.text, output.dtype, allowed.value_or(Limits{}),
                              std::max(c.cell_error, c.norm_error),
                              least == 0 ? 0 : std::max(least, approximate)});
        }
    }
    return errors;
}

// ---- mutants

Mutant::Mutant(const TestPlan& plan, const KernelTexts& texts, std::string path, std::string text,
               std::string more, bool in_function)
    : plan_(plan),
      texts_(texts),
      path_(std::move(path)),
      text_(std::move(text)),
      in_function_(in_function) {
    file_.more = std::move(more);
    read_ = file_.read(plan_, path_, text_);
}

Mutant::Set& Mutant::set_of(const CompiledSet& original) {
    auto [place, is_new] = sets_.try_emplace(&original);
    if (is_new) {
        place->second = std::make_unique<Set>();
        const auto start = Clock::now();
        if (read_) compile(original, *place->second);
        place->second->seconds = std::chrono::duration<double>(Clock::now() - start).count();
    }
    return *place->second;
}

void Mutant::compile(const CompiledSet& from, Set& set) {
    SourceOptions options = from.options;
    options.notes = false;
    // A session of its own: places in the file are those of the tree, which is shared.
    set.session.sources = file_.session.sources;
    Compilation compilation(*file_.tree, options, from.wanted.kernel, set.session);
    compilation.settle_roundings();
    const ir::Module* const tile = compilation.tile();
    const auto is_broken = [&] {
        const auto all = set.session.diag.in_order();
        return std::any_of(all.begin(), all.end(),
                           [](const Diagnostic* d) { return d->code == msg::internal_error.code; });
    };
    if (tile == nullptr) {
        set.state = is_broken() ? State::broken : State::refused;
        return;
    }
    set.tile = *tile;
    take_conditions(set.tile, from.stages.tile);
    set.state = State::same;
    for (const ir::Kernel& kernel : set.tile.kernels) {
        const ir::Kernel* const before = find_original(from, kernel.name);
        const bool changed = before == nullptr || ir::print(kernel) != texts_.at(before);
        set.changed[kernel.name] = changed;
        if (!changed) continue;
        set.state = State::changed;
        if (checks::check_tile(kernel, set.session.diag, nullptr)) continue;
        set.state = is_broken() ? State::broken : State::refused;
        return;
    }
    for (const ir::Entry& entry : set.tile.entries) {
        const bool changed = entry_changed(entry, from.stages.tile, set.changed);
        set.changed[entry.name] = changed;
        if (changed) set.state = State::changed;
    }
}

Mutant::State Mutant::state(const OriginalRun& run) {
    const Set& set = set_of(*run.set);
    if (set.state != State::changed) return set.state;
    return set.changed.at(run.instance->signature->name) ? State::changed : State::same;
}

// The checks come first: what they have not seen cannot be evaluated.
Mutant::State Mutant::state_of_functions(const std::vector<std::size_t>& tests) {
    const State state = set_of(plan_.sets().front()).state;
    if (state == State::refused || state == State::broken) return state;
    const bool good = std::all_of(tests.begin(), tests.end(), [&](std::size_t number) {
        const TestCase& test = file_.cases[number];
        Diagnostics diag;
        return emulator::run_function_test(
            test, {diag, file_.session.sources, test.describe(), &*file_.functions});
    });
    return good ? State::same : State::changed;
}

// The instance of the original, of the mutant's kernels.
Instance Mutant::instance_in(const Set& set, const OriginalRun& run) const {
    const std::string& name = run.instance->signature->name;
    Instance made;
    made.name = run.instance->name;
    made.module = &set.tile;
    if (const ir::Kernel* kernel = ir::find_kernel(set.tile, name)) {
        made.signature = kernel;
        made.variants.push_back({"", kernel, ir::Level::tile});
        return made;
    }
    const ir::Entry* const entry = ir::find_entry(set.tile, name);
    made.signature = entry;
    made.variants.push_back({name, nullptr, ir::Level::tile, entry, &set.tile});
    return made;
}

const TestCase& Mutant::test_of(const OriginalRun& run) const {
    return in_function_ ? file_.cases[run.number] : run.test();
}

EvaluationContext Mutant::context(const OriginalRun& run, Diagnostics& diag) const {
    const TestedFile& file = in_function_ ? file_ : *run.file;
    return {diag, file.session.sources, test_of(run).describe(), &*file.functions};
}

bool Mutant::passes(const OriginalRun& run) {
    const TestCase& test = test_of(run);
    CaseRunner::Made alike{run.made.prepared, run.made.expected, false};
    if (in_function_ && calls_functions(test, *file_.tree)) alike.expected.reset();
    CaseRunner runner(test, instance_in(set_of(*run.set), run), RunOptions{run.seed}, &alike);
    Diagnostics diag;
    return runner.run(emulator::emulate, context(run, diag)).status == CaseResult::Status::passed;
}

Mutant::Difference Mutant::difference(const OriginalRun& probe) {
    Arguments after = probe.made.prepared->arguments;
    const Instance instance = instance_in(set_of(*probe.set), probe);
    const emulator::Outcome outcome =
        emulator::emulate(instance.variants[0], after, RunOptions{probe.seed});
    const bool finished = outcome.end == emulator::Outcome::End::finished;
    if (probe.beyond_reference) {
        const Arrays outputs = compared_outputs(probe);
        const bool same = finished && is_right(probe, instance, after, as_before(outputs));
        return same ? Difference::none : Difference::beyond;
    }
    if (!finished) return Difference::noticed;
    if (is_right(probe, instance, after, as_needed(probe, *probe.made.expected)))
        return Difference::none;
    const TestCase& test = test_of(probe);
    if (!in_function_ || !calls_functions(test, *file_.tree)) return Difference::noticed;
    Diagnostics diag;
    const std::optional<Arrays> expected =
        emulator::expected_results(test, *probe.made.prepared, context(probe, diag));
    const bool hidden = expected && is_right(probe, instance, after, as_needed(probe, *expected));
    return hidden ? Difference::hidden : Difference::noticed;
}

bool Mutant::agrees(const OriginalRun& run, bool narrow) {
    Diagnostics diag;
    const TestCase& test = file_.cases[run.number];
    const EvaluationContext with{diag, file_.session.sources, test.describe(), &*file_.functions};
    const std::optional<Arrays> expected =
        emulator::expected_results(test, *run.made.prepared, with);
    if (!expected) return false;
    return is_right(run, *run.instance, run.after,
                    narrow ? as_needed(run, *expected) : as_tested(run, *expected));
}

Mutant::Cost Mutant::cost(const OriginalRun& run) {
    SourceOptions options = run.set->options;
    options.notes = false;
    Session session;
    session.sources = file_.session.sources;
    const std::optional<Stages> stages =
        compile_stages(*file_.tree, options, run.set->wanted, true, session);
    if (!stages) return Cost::refused;
    const auto cycles = [&](const ir::Module& module) {
        const ir::Kernel* const kernel = ir::find_kernel(module, run.instance->signature->name);
        std::int64_t value = 0;
        if (kernel == nullptr || !kernel->program_cost) return value;
        std::map<std::string, ir::TensorValues> tensors;
        for (const auto& [name, tensor] : run.made.prepared->arguments.tensors) {
            tensors[name].shape = tensor.extents;
            tensors[name].stride = tensor.strides;
        }
        ir::Values values = ir::values_of(*kernel, tensors);
        for (const auto& [name, number] : run.made.prepared->arguments.scalars) {
            if (const auto* whole = std::get_if<std::int64_t>(&number)) values[name] = *whole;
        }
        ir::evaluate(ir::with_constants(*kernel, kernel->program_cost), values, &value);
        return value;
    };
    return cycles(stages->scheduled) > cycles(run.set->stages.scheduled) ? Cost::more
                                                                         : Cost::no_more;
}

}  // namespace tkc
