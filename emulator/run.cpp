// From a call to its programs: refusal, tile IR or scheduled IR, threads.
#include "emulator/run.h"

#include <fmt/format.h>

#include <memory>

#include "emulator/global_access.h"
#include "emulator/launch.h"
#include "emulator/run_tile.h"
#include "emulator/scheduled/cluster.h"
#include "emulator/tile_operations.h"
#include "facts/program_order.h"
#include "ir/module.h"

namespace tkc::emulator {

namespace {

// With `whole`, outputs are written whole.
void check_outputs(const ir::Kernel& kernel, const Arguments& arguments, const AccessLog& log,
                   Outcome& outcome) {
    for (const ir::Tensor& tensor : kernel.tensors) {
        const ElementLog* const elements = log.find(tensor.name);
        if (tensor.mode != ir::Mode::out || elements == nullptr) continue;
        const Tensor& memory = arguments.tensors.at(tensor.name);
        const std::int64_t missing = first_unwritten(memory, *elements);
        if (missing < 0) continue;
        outcome.end = Outcome::End::hazard;
        outcome.text = fmt::format("nothing writes {}", element_text(tensor.name, memory, missing));
        outcome.places = {{tensor.span, ""}};
        return;
    }
}

// What `covers` states: the programs together write every element.
void check_coverage(const ir::Kernel& kernel, const Arguments& arguments, const AccessLog& log,
                    const RunOptions& options, Outcome& outcome) {
    if (outcome.end != Outcome::End::finished) return;
    if (options.whole) return check_outputs(kernel, arguments, log, outcome);
    for (const ir::Trusted& fact : kernel.trusted) {
        const ElementLog* const elements = log.find(fact.tensor);
        if (fact.fact != "covers" || elements == nullptr) continue;
        const std::int64_t missing = first_unwritten(arguments.tensors.at(fact.tensor), *elements);
        if (missing < 0) continue;
        outcome.end = Outcome::End::assertion;
        outcome.text =
            fmt::format("does not hold: covers({}); nothing writes {}", fact.tensor,
                        element_text(fact.tensor, arguments.tensors.at(fact.tensor), missing));
        outcome.places = {{fact.span, ""}};
        return;
    }
}

// Null: it has none.
std::unique_ptr<Counters> counters_of(const ir::Kernel& kernel, const Environment& env,
                                      const Grid& grid) {
    if (kernel.counters.empty()) return nullptr;
    return std::make_unique<Counters>(kernel, env, grid.programs());
}

// The kernel with its axes in the order of its programs, which lowering has yet to lay out.
ir::Kernel in_order_of_programs(ir::Kernel kernel) {
    auto [free, weighted, unclear] = ir::weighted_axes(kernel);
    if (!kernel.weight || !unclear.empty()) return kernel;
    kernel.weight = nullptr;
    kernel.grid = std::move(free);
    kernel.grid.insert(kernel.grid.end(), weighted.begin(), weighted.end());
    return kernel;
}

Outcome run_tile(const ir::Kernel& kernel, Arguments& arguments, const RunOptions& options,
                 int threads) {
    try {
        const Environment env = environment_of(kernel, arguments);
        const Grid grid(kernel, ir::Level::tile, env);
        const auto counters = counters_of(kernel, env, grid);
        AccessLog log(kernel, arguments, threads == 1, counters.get());
        StepLimit steps(options.steps_at_most);
        TileLaunch launch{kernel, arguments, env, grid, log, counters.get(), steps};
        constexpr std::size_t resident = 24;
        Outcome outcome =
            counters ? run_in_turns(grid.programs(), resident, std::nullopt,
                                    [&](std::int64_t number, Outcome& all) {
                                        return begin_tile_program(launch, number, all);
                                    })
                     : run_all(grid.programs(), threads, [&](std::int64_t number, Outcome& one) {
                           run_tile_program(launch, number, one);
                       });
        check_coverage(kernel, arguments, log, options, outcome);
        return outcome;
    } catch (const Fault& fault) {  // in what the launch settles
        return {Outcome::End::fault, fault.what(), {{kernel.span, ""}}, {}};
    }
}

// What each block of a resident cluster runs: persistent kernels have fewer clusters than programs,
// and each runs every n-th, or draws what is after the first. Blocks that a program's rows lie
// over run it together.
std::vector<std::vector<std::int64_t>> programs_of(const ir::Kernel& kernel, std::int64_t programs,
                                                   std::int64_t clusters, std::int64_t cluster) {
    const std::int64_t size = ir::cluster_size(kernel);
    const std::int64_t blocks = ir::blocks_of_program(kernel);
    std::vector<std::vector<std::int64_t>> result(static_cast<std::size_t>(size * blocks));
    const std::int64_t end = kernel.dynamic ? (cluster + 1) * size : programs;
    for (std::int64_t c = cluster; c * size < end; c += clusters) {
        for (std::int64_t b = 0; b < size * blocks; ++b) {
            result[static_cast<std::size_t>(b)].push_back(c * size + b / blocks);
        }
    }
    return result;
}

Outcome run_scheduled(const ir::Kernel& kernel, Arguments& arguments, const RunOptions& options,
                      int threads) {
    try {
        const Environment env = environment_of(kernel, arguments);
        const Grid grid(kernel, ir::Level::scheduled, env);
        const auto counters = counters_of(kernel, env, grid);
        AccessLog log(kernel, arguments, threads == 1, counters.get());
        GlobalUnits units(kernel, log);
        const TileParts parts(kernel);
        StepLimit steps(options.steps_at_most);
        ScheduledLaunch launch{
            kernel,         arguments,        env,  grid, log, units, parts, options.weakening,
            counters.get(), options.executed, steps};
        const std::int64_t groups = grid.programs() / ir::cluster_size(kernel);
        // One to four programs each, as the seed has it: a role runs ahead into the next one.
        const auto each = static_cast<std::int64_t>(1 + options.seed / 4 % 4);
        const std::int64_t resident = kernel.persistent ? (groups + each - 1) / each : groups;
        launch.fetch_next_program = resident;
        const auto begin = [&](std::int64_t number, Outcome& one) -> std::unique_ptr<Suspendable> {
            return std::make_unique<Cluster>(launch,
                                             programs_of(kernel, grid.programs(), resident, number),
                                             options.seed, number, one.printed);
        };
        // One to six blocks at once.
        const auto at_once = static_cast<std::size_t>(1 + options.seed / 4 % 6);
        Outcome outcome = launch.in_turns()
                              ? run_in_turns(resident, at_once, options.seed, begin)
                              : run_all(resident, threads, [&](std::int64_t number, Outcome& one) {
                                    try {
                                        begin(number, one)->advance();
                                    } catch (const Stop& stop) {
                                        one.end = stop.end;
                                        one.text = stop.text;
                                        one.places = stop.places;
                                    }
                                });
        check_coverage(kernel, arguments, log, options, outcome);
        return outcome;
    } catch (const Fault& fault) {
        return {Outcome::End::fault, fault.what(), {{kernel.span, ""}}, {}};
    }
}

// Programs that pass something on to each other run in order.
bool programs_are_independent(const ir::Kernel& kernel) {
    for (const ir::Tensor& t : kernel.tensors) {
        if (t.mode != ir::Mode::in && t.mode != ir::Mode::out) return false;
    }
    return kernel.counters.empty();
}

}  // namespace

Outcome run(const ir::Kernel& kernel, ir::Level level, Arguments& arguments,
            const RunOptions& options) {
    if (const auto refused = refusal(kernel, arguments)) {
        return {Outcome::End::refused, refused->sentence, {{refused->span, ""}}, {}};
    }
    if (level == ir::Level::tile && !kernel.counters.empty() && kernel.weight)
        return run(in_order_of_programs(kernel), level, arguments, options);
    const auto run_with = [&](int threads) {
        return level == ir::Level::tile ? run_tile(kernel, arguments, options, threads)
                                        : run_scheduled(kernel, arguments, options, threads);
    };
    const int threads = programs_are_independent(kernel) ? options.threads : 1;
    if (threads == 1) return run_with(1);
    const Arguments before = arguments;
    Outcome outcome = run_with(threads);
    if (outcome.end != Outcome::End::finished) {  // which of two was first: in order it is certain
        arguments = before;
        outcome = run_with(1);
    }
    return outcome;
}

}  // namespace tkc::emulator
