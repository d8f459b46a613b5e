// Jobs on the threads of another process, and what becomes of those that end it.
#include "driver/test_runs.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <new>
#include <optional>
#include <utility>

#include "compiler/crash.h"
#include "compiler/parallel.h"
#include "driver/gpu_protocol.h"
#include "driver/isolated.h"
#include "driver/report.h"
#include "emulator/candidates_agree.h"
#include "emulator/function_test.h"

namespace tkc {

namespace {

using emulator::CaseResult;
using emulator::EvaluationContext;
using emulator::Execute;
using emulator::Instance;
using Status = CaseResult::Status;
using Clock = std::chrono::steady_clock;

std::string line_name(const TestJob& job, const TestCommand& command) {
    std::string name = job.test->name;
    if (command.seeds > 1 && job.test->function == nullptr)
        name += fmt::format(" seed {}", job.seed);
    return name;
}

std::string rendered(const Diagnostics& diag, const Work& work) {
    return render_text(diag, work.plan->session().sources, {.color = want_color(STDOUT_FILENO)});
}

// The lines of a job: one for each instance.
class JobRun {
public:
    JobRun(const Work& work, const TestCommand& command, const Execute& execute, int threads)
        : work_(work), command_(command), execute_(execute), threads_(threads) {}

    std::vector<TestLine> run() {
        const TestJob& job = *work_.job;
        if (!job.compiles) {
            add("", Status::failed);
            lines_.back().messages =
                fmt::format("`{}` does not compile{}{}: see its errors above\n", job.test->subject,
                            job.constants.empty() ? "" : " with ", job.constants);
            return std::move(lines_);
        }
        if (job.test->function != nullptr) {
            run_function();
            return std::move(lines_);
        }
        for (const Instance& instance : *job.instances) run(instance);
        judge_refusals();
        return std::move(lines_);
    }

private:
    void add(const std::string& instance, Status status) {
        TestLine line;
        line.file = work_.plan->path();
        line.name = line_name(*work_.job, command_);
        line.test = work_.job->test->describe();
        if (!instance.empty()) line.name += fmt::format(" [{}]", instance);
        line.status = status;
        lines_.push_back(std::move(line));
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
        if (!good) lines_.back().messages = rendered(diag, work_);
    }

    void run(const Instance& instance) {
        Diagnostics diag;
        const auto start = Clock::now();
        const emulator::RunOptions options{work_.job->seed, threads_};
        emulator::CaseRunner runner(*work_.job->test, instance, options, &made_);
        results_.push_back(runner.run(execute_, context(diag)));
        CaseResult& result = results_.back();
        if (result.status == Status::passed && runner.left() &&
            !agrees(instance, runner, context(diag)))
            result.status = Status::failed;
        if (!made_.prepared || runner.made().expected) made_ = std::move(runner.made());
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
        if (result.status == Status::failed) line.messages = rendered(diag, work_);
    }

    // Whether a candidate of a launcher gives what the first one gave that took the arguments.
    bool agrees(const Instance& instance, emulator::CaseRunner& runner,
                const EvaluationContext& context) {
        const ir::Launcher* const launcher =
            emulator::launcher_of(*instance.module, instance.signature->name);
        if (launcher == nullptr) return true;
        emulator::CandidateRun run{instance.signature->name, instance.signature,
                                   std::move(*runner.left())};
        std::vector<emulator::CandidateRun>& before = candidates_[launcher];
        const auto first = std::find_if(before.begin(), before.end(), [&](const auto& other) {
            return emulator::take_the_same(other.after, run.after);
        });
        if (first == before.end()) {
            before.push_back(std::move(run));
            return true;
        }
        return emulator::candidates_agree(*work_.job->test, *runner.made().prepared, *first, run,
                                          context);
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
        lines_.front().messages = rendered(diag, work_);
    }

    const Work& work_;
    const TestCommand& command_;
    const Execute& execute_;
    int threads_;
    std::vector<TestLine> lines_;
    std::vector<CaseResult> results_;
    emulator::CaseRunner::Made made_;  // for an instance before
    // By launcher: the first that took arguments of these extents.
    std::map<const ir::Launcher*, std::vector<emulator::CandidateRun>> candidates_;
};

// Lines as bytes, from the process that ran a test to this one.
std::string packed(const std::vector<TestLine>& lines) {
    gpu::Writer out;
    out.number<std::uint64_t>(lines.size());
    for (const TestLine& line : lines) {
        out.text(line.file);
        out.text(line.name);
        out.number(line.status);
        out.number(line.milliseconds);
        out.text(line.reason);
        out.number<std::uint64_t>(line.printed.size());
        for (const std::string& text : line.printed) out.text(text);
        out.text(line.messages);
        out.text(line.test);
    }
    const gpu::Bytes& bytes = out.bytes();
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::vector<TestLine> unpacked(const std::string& text) {
    const auto* const data = reinterpret_cast<const std::byte*>(text.data());
    gpu::Reader in(gpu::Bytes(data, data + text.size()));
    std::vector<TestLine> lines(in.number<std::uint64_t>());
    for (TestLine& line : lines) {
        line.file = in.text();
        line.name = in.text();
        line.status = in.number<Status>();
        line.milliseconds = in.number<double>();
        line.reason = in.text();
        line.printed.resize(in.number<std::uint64_t>());
        for (std::string& printed : line.printed) printed = in.text();
        line.messages = in.text();
        line.test = in.text();
    }
    return lines;
}

class Runs {
public:
    using Ended = std::function<void(const Work&, std::vector<TestLine>)>;

    Runs(const std::vector<Work>& work, const TestCommand& command, const Execute& execute,
         const Ended& ended)
        : work_(work), command_(command), execute_(execute), ended_(ended) {
        for (std::size_t n = 0; n < work.size(); ++n) {
            done_.push_back(line_without_run(work[n]));
            if (!done_.back()) numbers_.push_back(n);
        }
    }

    RunsEnd run() {
        give_out();
        IsolatedWork isolated;
        isolated.count = numbers_.size();
        isolated.at_once = jobs_at_once(command_.jobs);
        isolated.limit = std::chrono::seconds(command_.seconds_of_test());
        const auto count = static_cast<int>(std::min<std::size_t>(numbers_.size(), 4096));
        const int threads_each = std::max(1, isolated.at_once / std::max(1, count));
        isolated.run = [this, threads_each](std::size_t n) {
            return packed(run_job(work_[numbers_[n]], threads_each));
        };
        isolated.done = [this](std::size_t n, const ForkedResult& result) {
            const std::size_t number = numbers_[n];
            done_[number] = result.end == ForkedResult::End::finished
                                ? unpacked(result.output)
                                : std::vector{killed_line(work_[number], result)};
            give_out();
        };
        if (::isatty(STDERR_FILENO) != 0) isolated.waiting = [this] { show_progress(); };
        if (!numbers_.empty()) run_isolated(isolated);
        return std::move(end_);
    }

private:
    // What is thrown is lack of memory, or a bug.
    std::vector<TestLine> run_job(const Work& work, int threads) const {
        try {
            crash_if_requested(work.job->test->name);
            return JobRun(work, command_, execute_, threads).run();
        } catch (const std::bad_alloc&) {
            return {failed_line(work,
                                "no memory left for its data: use smaller extents, or run fewer "
                                "tests at once with `--jobs N`\n")};
        } catch (const std::exception& error) {
            return {failed_line(work, fmt::format("it cannot be run: {}\n", error.what()))};
        }
    }

    TestLine failed_line(const Work& work, std::string messages) const {
        TestLine line;
        line.file = work.plan->path();
        line.name = line_name(*work.job, command_);
        line.status = Status::failed;
        line.messages = std::move(messages);
        return line;
    }

    TestLine killed_line(const Work& work, const ForkedResult& result) {
        end_.killed.insert(work.job);
        Diagnostics diag;
        const emulator::TestCase& test = *work.job->test;
        const Span span = test.test->name.span;
        if (result.end == ForkedResult::End::overtime) {
            diag.error(span, msg::test_overtime, test.describe(), command_.seconds_of_test())
                .help(
                    "use smaller extents or shorter loops, or raise the limit with `--timeout N`");
        } else if (result.signal == SIGKILL) {
            diag.error(span, msg::test_killed, test.describe())
                .help("use smaller extents, or run fewer tests at once with `--jobs N`");
        } else {
            end_.crashed = true;
            const std::string_view what = crash_text(result.signal);
            diag.error(span, msg::internal_error, what).note("it happened in {}", test.describe());
            print_bug_report_hint(what);
        }
        TestLine line = failed_line(work, rendered(diag, work));
        if (result.end == ForkedResult::End::overtime)
            line.milliseconds = 1000.0 * command_.seconds_of_test();
        return line;
    }

    // Nothing: it runs.
    std::optional<std::vector<TestLine>> line_without_run(const Work& work) const {
        if (work.broken != nullptr) {
            TestLine line;
            line.file = work.plan->path();
            line.name = work.broken->name;
            line.status = Status::failed;
            line.messages = rendered(work.broken->diag, work);
            return std::vector{line};
        }
        if (work.skipped.empty() || work.job->test->function != nullptr) return std::nullopt;
        TestLine line = failed_line(work, "");
        line.status = Status::skipped;
        line.reason = work.skipped;
        return std::vector{line};
    }

    // All lines up to the first that has not arrived yet.
    void give_out() {
        const std::size_t before = next_;
        for (; next_ < work_.size(); ++next_) {
            if (!done_[next_]) break;
            if (reported_) fmt::print(stderr, "\r\x1b[K");
            reported_ = false;
            ended_(work_[next_], std::move(*done_[next_]));
        }
        if (next_ != before) since_ = Clock::now();
    }

    // On a terminal: what is taking so long.
    void show_progress() {
        if (next_ >= work_.size() || seconds_since(since_) < 1) return;
        fmt::print(stderr, "\r\x1b[K.... {}  {:.0f} s", line_name(*work_[next_].job, command_),
                   seconds_since(since_));
        std::fflush(stderr);
        reported_ = true;
    }

    const std::vector<Work>& work_;
    const TestCommand& command_;
    const Execute& execute_;
    const Ended& ended_;
    std::vector<std::size_t> numbers_;  // of the work that runs
    std::vector<std::optional<std::vector<TestLine>>> done_;
    std::size_t next_ = 0;  // to be given out
    Clock::time_point since_ = Clock::now();
    bool reported_ = false;
    RunsEnd end_;
};

}  // namespace

// The tests of a file in its order.
void add_work(std::vector<Work>& work, const TestPlan& plan) {
    auto broken = plan.broken().begin();
    for (const TestJob& job : plan.jobs()) {
        for (;
             broken != plan.broken().end() && broken->span.begin < job.test->test->name.span.begin;
             ++broken) {
            work.push_back({&plan, nullptr, &*broken});
        }
        work.push_back({&plan, &job, nullptr});
    }
    for (; broken != plan.broken().end(); ++broken) work.push_back({&plan, nullptr, &*broken});
}

RunsEnd run_work(const std::vector<Work>& work, const TestCommand& command, const Execute& execute,
                 const std::function<void(const Work&, std::vector<TestLine>)>& ended) {
    return Runs(work, command, execute, ended).run();
}

}  // namespace tkc
