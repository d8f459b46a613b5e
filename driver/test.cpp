// `tkc test`: runs the tests of files, several at once, and tells in their order how they went.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <exception>
#include <mutex>
#include <thread>

#include "driver/commands.h"
#include "driver/files.h"
#include "driver/gpu.h"
#include "driver/mutate/mutate.h"
#include "driver/parallel.h"
#include "driver/replay.h"
#include "driver/report.h"
#include "driver/test_plan.h"
#include "driver/test_report.h"
#include "driver/weaken.h"
#include "emulator/function_test.h"

namespace tkc {

namespace {

using emulator::CaseResult;
using emulator::EvaluationContext;
using emulator::Execute;
using emulator::Instance;
using Status = CaseResult::Status;
using Clock = std::chrono::steady_clock;

// One job of one file, with everything that runs it.
struct Work {
    const TestPlan* plan = nullptr;
    const TestJob* job = nullptr;
};

std::string line_name(const TestJob& job, const TestCommand& command) {
    std::string name = job.test->name;
    if (command.seeds > 1 && job.test->function == nullptr)
        name += fmt::format(" seed {}", job.seed);
    return name;
}

// The lines of a job: one for each instance.
class JobRun {
public:
    JobRun(const Work& work, const TestCommand& command, const Execute& execute, int threads)
        : work_(work), command_(command), execute_(execute), threads_(threads) {}

    std::vector<TestLine> run() {
        if (work_.job->test->function != nullptr) {
            run_function();
            return std::move(lines_);
        }
        if (work_.job->instances == nullptr) {
            add("", Status::failed);
            lines_.back().messages =
                fmt::format("the kernel does not compile for {}\n", work_.job->constants);
            return std::move(lines_);
        }
        for (const Instance& instance : *work_.job->instances) run(instance);
        judge_refusals();
        return std::move(lines_);
    }

private:
    void add(const std::string& instance, Status status) {
        TestLine line;
        line.file = work_.plan->path();
        line.name = line_name(*work_.job, command_);
        if (!instance.empty()) line.name += fmt::format(" [{}]", instance);
        line.status = status;
        lines_.push_back(std::move(line));
    }

    std::string rendered(const Diagnostics& diag) const {
        return render_text(diag, work_.plan->session().sources,
                           {.color = want_color(STDOUT_FILENO)});
    }

    EvaluationContext context(Diagnostics& diag) const {
        std::string words = work_.job->test->describe();
        return {diag, work_.plan->session().sources, std::move(words), work_.plan->functions()};
    }

    // The same on every machine, since it runs no kernel.
    void run_function() {
        Diagnostics diag;
        const auto start = Clock::now();
        const bool good = emulator::run_function_test(*work_.job->test, context(diag));
        add("", good ? Status::passed : Status::failed);
        lines_.back().milliseconds = 1000 * seconds_since(start);
        if (!good) lines_.back().messages = rendered(diag);
    }

    void run(const Instance& instance) {
        Diagnostics diag;
        const auto start = Clock::now();
        const emulator::RunOptions options{work_.job->seed, threads_};
        emulator::CaseRunner runner(*work_.job->test, instance, options, &made_);
        results_.push_back(runner.run(execute_, context(diag)));
        if (!made_.prepared || runner.made().expected) made_ = std::move(runner.made());
        const CaseResult& result = results_.back();
        std::string name = instance.name;
        const bool told = result.variant.empty() || instance.variants.size() < 2;
        if (!told) name = result.variant;
        add(name, result.status);
        TestLine& line = lines_.back();
        line.milliseconds = 1000 * seconds_since(start);
        line.reason = result.text;
        for (const emulator::Outcome::Place& said : result.printed) {
            line.printed.push_back(work_.plan->session().sources.describe(said.span) + " " +
                                   said.text);
        }
        if (result.status == Status::failed) line.messages = rendered(diag);
    }

    // A launcher takes what accepts the arguments, so a refusal matters where nobody does.
    void judge_refusals() {
        const bool all = std::all_of(results_.begin(), results_.end(), [](const CaseResult& r) {
            return r.status == Status::refused;
        });
        if (!all || results_.empty()) return;
        Diagnostics diag;
        report_refusal(*work_.job->test, results_.front(), context(diag));
        lines_.front().status = Status::failed;
        lines_.front().messages = rendered(diag);
    }

    const Work& work_;
    const TestCommand& command_;
    const Execute& execute_;
    int threads_;
    std::vector<TestLine> lines_;
    std::vector<CaseResult> results_;
    emulator::CaseRunner::Made made_;  // for an instance before
};

// Runs all work on some threads and gives the lines out in order.
class Pool {
public:
    Pool(const std::vector<Work>& work, const TestCommand& command, const Execute& execute)
        : work_(work), command_(command), execute_(execute), done_(work.size()) {
        const int jobs = jobs_at_once(command.jobs);
        const auto count = static_cast<int>(std::min<std::size_t>(work.size(), 4096));
        threads_each_ = std::max(1, jobs / std::max(1, count));
        for (int i = 0; i < std::min(jobs, count); ++i) threads_.emplace_back([this] { serve(); });
    }
    ~Pool() {
        for (std::thread& thread : threads_) thread.join();
    }
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

    // The lines of the n-th job; meanwhile says on a terminal what is taking so long.
    std::vector<TestLine> wait(std::size_t n) {
        std::unique_lock lock(mutex_);
        const auto start = Clock::now();
        const bool terminal = ::isatty(STDERR_FILENO) != 0;
        bool told = false;
        const auto ready = [&] { return done_[n].has_value(); };
        while (!changed_.wait_for(lock, std::chrono::seconds(1), ready)) {
            if (!terminal) continue;
            fmt::print(stderr, "\r\x1b[K.... {}  {:.0f} s", line_name(*work_[n].job, command_),
                       seconds_since(start));
            std::fflush(stderr);
            told = true;
        }
        if (told) fmt::print(stderr, "\r\x1b[K");
        return std::move(*done_[n]);
    }

private:
    // Nothing that goes wrong in one test ends the others; what is thrown is lack of memory, or a
    // bug.
    std::vector<TestLine> run_job(std::size_t n) {
        try {
            return JobRun(work_[n], command_, execute_, threads_each_).run();
        } catch (const std::exception& error) {
            TestLine line;
            line.file = work_[n].plan->path();
            line.name = line_name(*work_[n].job, command_);
            line.status = Status::failed;
            line.messages = fmt::format("it could not be run: {}\n", error.what());
            return {line};
        }
    }

    void serve() {
        const SignalStack stack;
        for (std::size_t n = next_++; n < work_.size(); n = next_++) {
            std::vector<TestLine> lines = run_job(n);
            const std::lock_guard lock(mutex_);
            done_[n] = std::move(lines);
            changed_.notify_all();
        }
    }

    const std::vector<Work>& work_;
    const TestCommand& command_;
    const Execute& execute_;
    int threads_each_ = 1;
    std::atomic<std::size_t> next_ = 0;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<std::optional<std::vector<TestLine>>> done_;
    std::vector<std::thread> threads_;
};

// Runs everything and prints it.
std::vector<TestLine> run_all(const std::vector<Work>& work, const TestCommand& command,
                              const Execute& execute) {
    const bool color = want_color(STDOUT_FILENO);
    std::vector<TestLine> lines;
    Pool pool(work, command, execute);
    const TestPlan* plan = nullptr;
    for (std::size_t n = 0; n < work.size(); ++n) {
        for (TestLine& line : pool.wait(n)) {
            if (command.source.files.size() > 1 && work[n].plan != plan) {
                fmt::print("{}:\n", work[n].plan->path());
            }
            plan = work[n].plan;
            fmt::print("{}", render_line(line, color));
            std::fflush(stdout);
            lines.push_back(std::move(line));
        }
    }
    return lines;
}

// The lines of work that cannot be done here. Tests of functions always can.
std::vector<TestLine> skip_all(const std::vector<Work>& work, const TestCommand& command,
                               const std::string& reason) {
    std::vector<TestLine> lines;
    for (const Work& w : work) {
        TestLine line;
        line.file = w.plan->path();
        line.name = line_name(*w.job, command);
        line.status = Status::skipped;
        line.reason = reason;
        if (w.job->test->function != nullptr)
            line = JobRun(w, command, emulator::emulate, 1).run().front();
        fmt::print("{}", render_line(line, want_color(STDOUT_FILENO)));
        lines.push_back(std::move(line));
    }
    return lines;
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
    if (!reason.empty()) return skip_all(work, command, reason);
    code = std::max(code, build_all(plans, command, machine));
    const Execute execute = [&](const emulator::Variant& variant, emulator::Arguments& arguments,
                                const emulator::RunOptions&) {
        return machine.run(variant, arguments);
    };
    return run_all(work, command, execute);
}

// Seeds without which a fault may hide: each style of scheduling with each number of programs.
constexpr int seeds_to_weaken = 16;

int weaken_all(const std::deque<TestPlan>& plans, const TestCommand& command, int code) {
    WeakenCounts counts;
    for (const TestPlan& plan : plans) {
        if (command.source.files.size() > 1 && !plan.jobs().empty())
            fmt::print("{}:\n", plan.path());
        counts.add(weaken(plan, std::max(command.seeds, seeds_to_weaken)));
    }
    const bool left_out = std::any_of(plans.begin(), plans.end(),
                                      [](const TestPlan& plan) { return plan.has_left_out(); });
    if (left_out) fmt::print("tests of entries are left out: name them by --filter\n");
    fmt::print("{}\n", counts.text());
    return counts.all_noticed() ? code : std::max(code, exit_program);
}

// Files that hold no tests are no mistake where others do.
int report_nothing(const TestCommand& command, bool any_tests) {
    Session session;
    std::string what = command.source.files.size() == 1 ? "the file has no `test`"
                                                        : "none of the files has a `test`";
    if (any_tests && command.filters.empty()) {
        what = "the tests are of functions, which `--weaken` leaves alone";
    } else if (any_tests) {
        what = fmt::format("no test is called `{}`", fmt::join(command.filters, "` or `"));
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
        for (const TestJob& job : plan.jobs()) work.push_back({&plan, &job});
    }
    if (work.empty() && !left_out)
        return code != exit_good ? code : report_nothing(command, any_tests);

    if (command.weaken) return weaken_all(plans, command, code);
    if (command.mutate.wanted) return code == exit_good ? mutate(plans, command) : code;

    const std::vector<TestLine> lines = command.machine == Machine::gpu
                                            ? run_on_gpu(plans, work, command, code)
                                            : run_all(work, command, emulator::emulate);
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
