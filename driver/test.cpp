// `tkc test`: runs the tests of files, several at once, and tells in their order how they went.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <exception>
#include <utility>

#include "compiler/files.h"
#include "compiler/parallel.h"
#include "driver/commands.h"
#include "driver/gpu.h"
#include "driver/mutate/mutate.h"
#include "driver/replay.h"
#include "driver/report.h"
#include "driver/test_plan.h"
#include "driver/test_report.h"
#include "driver/test_runs.h"
#include "driver/weaken.h"

namespace tkc {

namespace {

using emulator::Execute;
using Clock = std::chrono::steady_clock;

// Runs everything and prints it.
std::vector<TestLine> run_all(const std::vector<Work>& work, const TestCommand& command,
                              const Execute& execute, int& code) {
    std::vector<TestLine> lines;
    const TestPlan* plan = nullptr;
    RepeatedMessages repeated;
    const RunsEnd end =
        run_work(work, command, execute, [&](const Work& of, std::vector<TestLine> ended) {
            for (TestLine& line : ended) {
                if (command.source.files.size() > 1 && of.plan != plan)
                    fmt::print("{}:\n", of.plan->path());
                plan = of.plan;
                fmt::print("{}", render_line(repeated.shortened(line), want_color(STDOUT_FILENO)));
                std::fflush(stdout);
                lines.push_back(std::move(line));
            }
        });
    if (end.crashed) code = std::max(code, exit_internal);
    return lines;
}

// Before a command that runs tests in this process: prints those that are wrong or do not end by
// themselves, and leaves them out.
void leave_out_broken(std::deque<TestPlan>& plans, const std::vector<Work>& work,
                      const TestCommand& command, int& code) {
    std::vector<std::pair<const Work*, std::vector<TestLine>>> all;
    const RunsEnd end = run_work(work, command, emulator::emulate,
                                 [&](const Work& of, std::vector<TestLine> ended) {
                                     all.emplace_back(&of, std::move(ended));
                                 });
    for (const auto& [of, lines] : all) {
        const bool left_out =
            of->broken != nullptr || !of->job->compiles || end.killed.contains(of->job);
        if (!left_out) continue;
        code = std::max(code, exit_program);
        for (const TestLine& line : lines)
            fmt::print("{}", render_line(line, want_color(STDOUT_FILENO)));
    }
    if (end.crashed) code = std::max(code, exit_internal);
    for (TestPlan& plan : plans) plan.leave_out(end.killed);
}

// One call of nvcc: the kernels for one set of constants.
struct GpuBuild {
    const ir::Module* module = nullptr;
    Session session;
};

// Builds all kernels, as many at once as tests run at once, and reports what nvcc refuses. Returns
// the worst exit code.
int build_all(const std::deque<TestPlan>& plans, const TestCommand& command, GpuMachine& machine) {
    std::deque<GpuBuild> builds;
    for (const TestPlan& plan : plans) {
        if (plan.jobs().empty()) continue;
        for (const CompiledSet& set : plan.sets()) {
            if (set.stages.scheduled.kernels.empty()) continue;
            GpuBuild& build = builds.emplace_back();
            build.module = &set.stages.scheduled;
            build.session.sources = plan.session().sources;
        }
    }
    std::atomic<std::size_t> done = 0;
    const bool terminal = ::isatty(STDERR_FILENO) != 0;
    in_parallel(builds.size(), jobs_at_once(command.jobs), [&](std::size_t n) {
        try {
            machine.build(*builds[n].module, builds[n].session);
        } catch (const std::exception& error) {  // lack of memory, or a bug
            builds[n]
                .session.diag.error(Span{}, msg::nvcc_failed, "a test")
                .note("{}", error.what());
        }
        ++done;
        if (terminal) fmt::print(stderr, "\r\x1b[Knvcc: {} of {}", done.load(), builds.size());
    });
    if (terminal) fmt::print(stderr, "\r\x1b[K");
    int code = exit_good;
    for (GpuBuild& build : builds) code = std::max(code, finish(build.session));
    return code;
}

// Builds what the tests need, and runs them by the worker. Those whose kernels are not built fail.
std::vector<TestLine> run_on_gpu(const std::deque<TestPlan>& plans, const std::vector<Work>& work,
                                 const TestCommand& command, int& code) {
    GpuMachine machine(command);
    Session session;
    const std::string reason = machine.unavailable(session.diag);
    if (session.diag.has_errors()) {
        code = std::max(code, finish(session));
        return {};
    }
    if (!reason.empty()) {
        std::vector<Work> skipped = work;
        for (Work& one : skipped) one.skipped = reason;
        return run_all(skipped, command, emulator::emulate, code);
    }
    code = std::max(code, build_all(plans, command, machine));
    const Execute execute = [&](const emulator::Variant& variant, emulator::Arguments& arguments,
                                const emulator::RunOptions&) {
        return machine.run(variant, arguments);
    };
    return run_all(work, command, execute, code);
}

// Seeds without which a fault may hide: each style of scheduling with each number of programs.
constexpr int seeds_to_weaken = 16;

int weaken_all(const std::deque<TestPlan>& plans, const TestCommand& command, int code) {
    WeakenCounts counts;
    for (const TestPlan& plan : plans) {
        if (command.source.files.size() > 1 && !plan.jobs().empty())
            fmt::print("{}:\n", plan.path());
        counts.add(
            weaken(plan, std::max(command.seeds, seeds_to_weaken), jobs_at_once(command.jobs)));
    }
    const bool left_out = std::any_of(plans.begin(), plans.end(),
                                      [](const TestPlan& plan) { return plan.has_left_out(); });
    if (left_out) fmt::print("tests of entries are skipped: select them with --filter\n");
    fmt::print("{}\n", counts.text());
    return counts.all_noticed() ? code : std::max(code, exit_program);
}

// Files without tests are not a mistake if others have some.
int report_nothing(const TestCommand& command, bool any_tests) {
    Session session;
    std::string what = command.source.files.size() == 1 ? "the file has no `test`"
                                                        : "none of the files has a `test`";
    if (any_tests && command.filters.empty()) {
        what = "the tests are of functions, which `--weaken` does not change";
    } else if (any_tests) {
        what = fmt::format("no test is named `{}`", fmt::join(command.filters, "` or `"));
    }
    session.diag.error(Span{}, msg::nothing_to_test, what);
    return finish(session);
}

}  // namespace

int run(const TestCommand& command) {
    if (command.replay) return replay(command);
    const auto start = Clock::now();
    int code = exit_good;
    bool any_tests = false;
    bool left_out = false;
    std::deque<TestPlan> plans;
    std::vector<Work> work;
    for (const std::string& path : command.source.files) {
        TestPlan& plan = plans.emplace_back(path, command);
        plan.make();
        const bool failed = plan.session().diag.has_errors();
        code = std::max(code, finish(plan.session()));
        any_tests = any_tests || plan.has_tests();
        left_out = left_out || plan.has_left_out();
        if (!failed && !plan.has_tests() && command.source.files.size() > 1) {
            fmt::print("{}: no tests\n", path);
        }
        add_work(work, plan);
    }
    if (work.empty() && !left_out)
        return code != exit_good ? code : report_nothing(command, any_tests);

    if (command.weaken || command.mutate.wanted) {
        const int of_files = code;
        leave_out_broken(plans, work, command, code);
        if (command.weaken) return weaken_all(plans, command, code);
        return of_files == exit_good ? std::max(code, mutate(plans, command)) : code;
    }

    const std::vector<TestLine> lines = command.machine == Machine::gpu
                                            ? run_on_gpu(plans, work, command, code)
                                            : run_all(work, command, emulator::emulate, code);
    if (lines.empty() && !work.empty()) return code;  // none could be run, which was reported
    TestCounts counts;
    for (const TestLine& line : lines) counts.add(line);
    fmt::print("{}", render_summary(counts, seconds_since(start), want_color(STDOUT_FILENO)));
    if (counts.failed > 0) code = std::max(code, exit_program);
    if (command.xml.empty()) return code;
    Session session;
    return std::max(code, finish_with(session, command.xml, render_junit(lines), false));
}

}  // namespace tkc
