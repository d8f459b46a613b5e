// Three rounds. First the tests run on the program as it is. Then every mutant, in a process of its
// own, is compiled and runs the tests until one of them fails. At last those that no test noticed
// run on probes: tests that the file does not have, and that the program as it is passes. Where one
// of them fails, the mutant means something else, and a test is missing.
#include "driver/mutate/mutate.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <map>
#include <memory>
#include <new>
#include <set>
#include <utility>

#include "base/read_text.h"
#include "compiler/parallel.h"
#include "driver/forked.h"
#include "driver/memory_limit.h"
#include "driver/mutate/experience.h"
#include "driver/mutate/missing_tests.h"
#include "driver/mutate/report.h"
#include "driver/mutate/tested_program.h"
#include "driver/report.h"
#include "frontend/mutate/mutations.h"
#include "frontend/parse/parse.h"

namespace tkc {

namespace {

using emulator::Instance;
using emulator::Limits;
using emulator::Probe;
using emulator::TestCase;
using mutation::Mutation;

using Clock = std::chrono::steady_clock;

// A mutant may take so many times as long as the program as it is, and these seconds to compile.
constexpr double times_as_long = 10;
constexpr double seconds_to_compile = 60;
// It may take so many times the memory that all tests of the program as it is took together, and
// these bytes: no more than that, since many may run at once.
constexpr std::size_t times_as_large = 2;
constexpr std::size_t bytes_to_compile = std::size_t{1} << 30;

// With `--fix`, a file is tried again so often where tests were written into it.
constexpr int most_rounds = 4;
// Probes that tell a mutant apart, of which one becomes a test: those of few others do as well.
constexpr std::size_t enough_seen = 8;

// What a child process says of a mutant, in its first line.
constexpr const char* word_refused = "refused";
constexpr const char* word_broken = "broken";
constexpr const char* word_same = "same";
constexpr const char* word_unnoticed = "unnoticed";  // and no kernel has what was changed
constexpr const char* word_noticed = "noticed";
constexpr const char* word_memory = "memory";  // it needs more than it may
constexpr const char* word_left = "left";      // then a subject a line

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::size_t from = 0;
    while (from < text.size()) {
        const std::size_t end = std::min(text.find('\n', from), text.size());
        lines.push_back(text.substr(from, end - from));
        from = end + 1;
    }
    return lines;
}

// Changes to one file, tried on the tests of some.
class Campaign {
public:
    // `path`: the file that is changed.
    Campaign(std::vector<const TestPlan*> plans, const TestCommand& command, std::string path,
             Clock::time_point start)
        : command_(command), path_(std::move(path)), start_(start) {
        for (const TestPlan* plan : plans) {
            programs_.emplace_back();
            programs_.back().plan = plan;
        }
    }

    MutateCounts run() {
        for (TestedProgram& program : programs_) run_tests(program, jobs_at_once(command_.jobs));
        for (const TestedProgram& program : programs_) {
            for (const std::string& name : program.failed) {
                fmt::print("FAIL {}: it fails on the program as it is\n", name);
                ++counts_.failed;
            }
        }
        if (counts_.failed > 0 || !find_mutations()) return counts_;
        for (const TestedProgram& program : programs_) {
            for (const std::string& name : program.left_out)
                fmt::print("  test `{}` is skipped: its data is too large to keep\n", name);
        }
        report_untested();
        if (command_.mutate.tolerances) {
            for (const TestedProgram& program : programs_)
                counts_.wide += report_wide(program.runs);
        }
        try_tests();
        if (any_left()) {
            const std::set<std::string> names = subjects_left();
            for (TestedProgram& program : programs_)
                run_probes(program, names, jobs_at_once(command_.jobs));
            try_probes();
        }
        const MissingTests missing = choose_tests(results_, programs_);
        if (command_.mutate.fix) write(missing);
        counts_.add(results_);
        fmt::print("{}", render(results_, *source_));
        for (const std::string& path : changed_since())
            fmt::print("  {} has changed in the meantime: this refers to the old text\n", path);
        std::fflush(stdout);
        return counts_;
    }

    // Whether this is about a text that `--fix` wrote, and nothing else of the program changed
    // since `earlier` wrote it.
    bool follows(const Campaign& earlier) const {
        const SourceManager& now = programs_.front().plan->session().sources;
        for (const TestedProgram& program : earlier.programs_) {
            const SourceManager& then = program.plan->session().sources;
            for (const std::string& path : then.paths_on_disk()) {
                const auto written = earlier.written_.find(path);
                const std::optional<FileId> id = now.find(path);
                const std::string& text = written != earlier.written_.end()
                                              ? written->second
                                              : then.file(*then.find(path)).text;
                if (!id || now.file(*id).text != text) return false;
            }
        }
        return true;
    }

    // Mutants that `earlier` found noticed on the same program, when it had fewer tests, are not
    // tried again.
    void go_on(const Campaign& earlier) {
        if (follows(earlier)) before_ = earlier.results_;
    }

private:
    void write(const MissingTests& missing) {
        for (const auto& [plan, tests] : missing) {
            std::optional<std::string> text = write_tests(*plan, tests);
            if (!text) continue;
            written_[plan->path()] = std::move(*text);
            counts_.written += tests.size();
        }
    }

    // Files of the programs whose texts are not those that were tried, or that this wrote.
    std::set<std::string> changed_since() const {
        std::set<std::string> changed;
        for (const TestedProgram& program : programs_) {
            const SourceManager& sources = program.plan->session().sources;
            for (const std::string& path : sources.paths_on_disk()) {
                std::string reason;
                const std::optional<std::string> now = read_text(path, reason);
                const auto written = written_.find(path);
                const std::string& text = written != written_.end()
                                              ? written->second
                                              : sources.file(*sources.find(path)).text;
                if (now != text) changed.insert(path);
            }
        }
        return changed;
    }

    // ---- mutations

    bool find_mutations() {
        const Session& session = programs_.front().plan->session();
        source_ = &session.sources;
        const std::optional<FileId> id = source_->find(path_);
        Diagnostics diag;
        const std::optional<ast::File> tree = parse(*id, *source_, diag);
        if (!tree) return false;
        const auto part =
            command_.mutate.references ? mutation::Part::references : mutation::Part::kernels;
        for (Mutation& mutation : mutation::mutations_of(*tree, *source_, part)) {
            if (!is_wanted(mutation)) continue;
            const bool silenced = mutation.silenced;
            results_.push_back({std::move(mutation)});
            if (silenced) results_.back().verdict = MutantVerdict::silenced;
        }
        // Tests have no part in the mutations of a program, so these are the same as before.
        for (std::size_t n = 0; n < before_.size() && n < results_.size(); ++n) {
            if (before_[n].verdict == MutantVerdict::gap) continue;
            results_[n].verdict = before_[n].verdict;
            results_[n].test = before_[n].test;
        }
        text_ = source_->file(*id).text;
        return true;
    }

    // What a module offers to programs that do not use it says nothing of their tests.
    bool is_wanted(const Mutation& mutation) const {
        if (!command_.mutate.in.empty() && mutation.owner != command_.mutate.in) return false;
        return command_.mutate.module.empty() || mutation.in_function;
    }

    // Kernels that no test runs, and outputs that none compares: mutants would say it a hundred
    // times.
    void report_untested() {
        if (!command_.mutate.module.empty() || !command_.mutate.in.empty()) return;
        for (const TestedProgram& program : programs_) {
            for (const std::string& sentence : untested(*program.plan, program.runs)) {
                fmt::print("  {}\n", sentence);
                ++counts_.untested;
            }
        }
    }

    std::string mutated(const Mutation& mutation) const {
        std::string text = text_;
        const Span span = mutation.edit.span;
        text.replace(span.begin, span.end - span.begin, mutation.edit.text);
        return text;
    }

    std::unique_ptr<Mutant> mutant_of(const TestedProgram& program, const Mutation& mutation,
                                      const std::string& more) const {
        return std::make_unique<Mutant>(*program.plan, program.texts, path_, mutated(mutation),
                                        more, mutation.in_function);
    }

    // ---- the tests

    bool in_time() const {
        return command_.mutate.seconds == 0 || seconds_since(start_) < command_.mutate.seconds;
    }

    void show_progress(const char* what, std::size_t done, std::size_t of) const {
        if (::isatty(STDERR_FILENO) == 0) return;
        fmt::print(stderr, "\r\x1b[K{} of {} {}  {:.0f} s", done, of, what, seconds_since(start_));
        std::fflush(stderr);
    }

    void hide_progress() const {
        if (::isatty(STDERR_FILENO) != 0) fmt::print(stderr, "\r\x1b[K");
    }

    template <class Run, class Done>
    void fork_over(const std::vector<std::size_t>& numbers, double seconds, const char* what,
                   const Run& run, const Done& done) {
        std::size_t ended = 0;
        ForkedWork work;
        work.count = numbers.size();
        work.at_once = jobs_at_once(command_.jobs);
        if (command_.mutate.seconds > 0) {
            const double left = command_.mutate.seconds - seconds_since(start_);
            cut_short_ = left < seconds;
            seconds = std::max(0.001, std::min(seconds, left));
        }
        work.limit = std::chrono::milliseconds(static_cast<std::int64_t>(1000 * seconds));
        const std::size_t memory = bytes_to_compile + times_as_large * most_memory_so_far();
        work.run = [&, memory](std::size_t n, const SendOutput& send) {
            limit_memory(memory);
            try {
                send(run(results_[numbers[n]]));
            } catch (const std::bad_alloc&) {
                send(word_memory);
            }
        };

        work.may_start = [&] { return in_time(); };
        work.done = [&](std::size_t n, ForkedResult result) {
            ++ended;
            done(results_[numbers[n]], std::move(result));
        };
        work.waiting = [&] { show_progress(what, ended, numbers.size()); };
        run_forked(work);
        hide_progress();
    }

    std::vector<std::size_t> numbers_of(MutantVerdict verdict) const {
        std::vector<std::size_t> numbers;
        for (std::size_t n = 0; n < results_.size(); ++n) {
            if (results_[n].verdict == verdict) numbers.push_back(n);
        }
        return numbers;
    }

    static double seconds_of(const std::vector<OriginalRun>& runs) {
        double all = 0;
        for (const OriginalRun& run : runs) all += run.seconds;
        return all;
    }

    void try_tests() {
        for (std::size_t p = 0; p < programs_.size(); ++p) {
            for (const OriginalRun& run : programs_[p].runs)
                runs_.push_back({runs_.size(), p, &run});
        }
        const std::vector<std::size_t> numbers = numbers_of(MutantVerdict::not_run);
        double seconds = seconds_to_compile;
        for (const TestedProgram& program : programs_) {
            seconds += times_as_long * seconds_of(program.runs);
        }
        fork_over(
            numbers, seconds, "mutants",
            [&](const MutantResult& result) { return try_tests_on(result.mutation); },
            [&](MutantResult& result, ForkedResult forked) {
                take_tests(result, std::move(forked));
            });
    }

    // In a process of its own: a line for each run that was tried, with the seconds to compile what
    // it needs; a word for the end, which the last of the runs decided unless all of them passed;
    // and then a line for each subject.
    std::string try_tests_on(const Mutation& mutation) {
        const Experience& experience = experience_[mutation.owner];
        std::set<std::string> changed;
        std::deque<std::unique_ptr<Mutant>> mutants(programs_.size());
        std::vector<NumberedRun> open = runs_;
        std::set<const CompiledSet*> compiled;
        std::string tried;
        for (std::size_t p = 0; mutation.in_function && p < programs_.size(); ++p) {
            if (programs_[p].of_functions.empty()) continue;
            mutants[p] = mutant_of(programs_[p], mutation, "");
            switch (mutants[p]->state_of_functions(programs_[p].of_functions)) {
                case Mutant::State::refused: return word_refused;
                case Mutant::State::broken: return word_broken;
                case Mutant::State::same: break;
                case Mutant::State::changed: return word_noticed;
            }
        }
        while (!open.empty()) {
            const auto next = std::max_element(
                open.begin(), open.end(), [&](const NumberedRun& a, const NumberedRun& b) {
                    return experience.promise(a, compiled, set_costs_) <
                           experience.promise(b, compiled, set_costs_);
                });
            const auto [number, program, run] = *next;
            open.erase(next);
            std::unique_ptr<Mutant>& mutant = mutants[program];
            if (!mutant) mutant = mutant_of(programs_[program], mutation, "");
            if (command_.mutate.references) {
                tried += fmt::format("{}\n", number);
                if (!mutant->agrees(*run, false)) return tried + word_noticed;
                changed.insert(run->test().subject);
                continue;
            }
            const Mutant::State state = mutant->state(*run);
            const bool is_new = compiled.insert(run->set).second;
            tried += is_new ? fmt::format("{} {}\n", number, mutant->seconds_to_compile(*run))
                            : fmt::format("{}\n", number);
            switch (state) {
                case Mutant::State::refused: return tried + word_refused;
                case Mutant::State::broken: return tried + word_broken;
                case Mutant::State::same: break;
                case Mutant::State::changed:
                    if (!mutant->passes(*run)) return tried + word_noticed;
                    changed.insert(run->test().subject);
                    break;
            }
        }
        if (changed.empty()) {
            const bool own = mutation.in_function && command_.mutate.module.empty() &&
                             only_own_tests(programs_.front(), mutation.owner);
            return tried + (own ? word_unnoticed : word_same);
        }
        return fmt::format("{}{}\n{}", tried, word_left, fmt::join(changed, "\n"));
    }

    void take_tests(MutantResult& result, ForkedResult forked) {
        if (forked.end == ForkedResult::End::overtime) {
            result.verdict = cut_short_ ? MutantVerdict::not_run : MutantVerdict::noticed;
            return;
        }
        std::vector<std::string> lines = lines_of(forked.output);
        auto line = lines.begin();
        std::vector<std::size_t> tried;
        for (; line != lines.end() && std::isdigit(line->front()) != 0; ++line) {
            tried.push_back(std::stoul(*line));
            const std::size_t blank = line->find(' ');
            if (blank != line->npos)
                set_costs_.add(runs_[tried.back()].run->set, std::stod(line->substr(blank)));
        }
        const std::string word = line == lines.end() ? word_broken : *line++;
        if (forked.end == ForkedResult::End::crashed) result.verdict = MutantVerdict::broken;
        else if (word == word_refused) result.verdict = MutantVerdict::refused;
        else if (word == word_same) result.verdict = MutantVerdict::same;
        else if (word == word_unnoticed) result.verdict = MutantVerdict::unnoticed;
        else if (word == word_noticed || word == word_memory)
            result.verdict = MutantVerdict::noticed;
        else if (word == word_left) result.verdict = MutantVerdict::left;
        else result.verdict = MutantVerdict::broken;
        experience_[result.mutation.owner].add(tried, word == word_refused || word == word_noticed);
        if (result.verdict != MutantVerdict::left) return;
        result.subjects.insert(line, lines.end());
    }

    bool any_left() const { return !numbers_of(MutantVerdict::left).empty(); }

    // ---- probes

    std::set<std::string> subjects_left() const {
        std::set<std::string> names;
        for (const MutantResult& result : results_) {
            if (result.verdict == MutantVerdict::left)
                names.insert(result.subjects.begin(), result.subjects.end());
        }
        return names;
    }

    void try_probes() {
        const std::vector<std::size_t> numbers = numbers_of(MutantVerdict::left);
        double seconds = seconds_to_compile;
        for (const TestedProgram& program : programs_)
            seconds += times_as_long * seconds_of(program.tried);
        fork_over(
            numbers, seconds, "mutants on other data",
            [&](const MutantResult& result) { return try_probes_on(result); },
            [&](MutantResult& result, ForkedResult forked) {
                take_probes(result, std::move(forked));
            });
    }

    // In a process of its own: a line for each probe that distinguishes the mutant from the program
    // as it is, or what else can be said of it.
    std::string try_probes_on(const MutantResult& result) {
        std::string lines;
        std::size_t seen = 0;
        bool beyond = false;
        std::size_t number = 0;
        const OriginalRun* cheap = nullptr;
        std::unique_ptr<Mutant> costed;
        for (const TestedProgram& program : programs_) {
            const std::size_t first = number;
            number += program.tried.size();
            std::unique_ptr<Mutant> mutant =
                mutant_of(program, result.mutation, program.probed.more);
            for (std::size_t n = 0; n < program.tried.size(); ++n) {
                const OriginalRun& probe = program.tried[n];
                const bool changed = result.subjects.contains(probe.test().subject);
                if (!changed || seen == enough_seen || (beyond && probe.beyond_reference)) continue;
                if (command_.mutate.references) {
                    if (!probe.beyond_reference && !mutant->agrees(probe, true)) {
                        lines += fmt::format("seen {}\n", first + n);
                        ++seen;
                    }
                    continue;
                }
                if (mutant->state(probe) != Mutant::State::changed) continue;
                if (cheap == nullptr) cheap = &probe;
                switch (mutant->difference(probe)) {
                    case Mutant::Difference::none: break;
                    case Mutant::Difference::noticed:
                        lines += fmt::format("seen {}\n", first + n);
                        ++seen;
                        break;
                    case Mutant::Difference::hidden: lines += "hidden\n"; break;
                    case Mutant::Difference::beyond:
                        lines += fmt::format("beyond {}\n", first + n);
                        beyond = true;
                        break;
                }
            }
            if (cheap != nullptr && !costed) costed = std::move(mutant);
        }
        if (!lines.empty() || cheap == nullptr) return lines;
        switch (costed->cost(*cheap)) {
            case Mutant::Cost::refused: return "refused\n";
            case Mutant::Cost::more: return "more\n";
            case Mutant::Cost::no_more: return "";
        }
        return "";
    }

    void take_probes(MutantResult& result, ForkedResult forked) {
        result.verdict = MutantVerdict::perhaps_same;
        if (forked.end == ForkedResult::End::crashed) result.verdict = MutantVerdict::broken;
        if (forked.end == ForkedResult::End::overtime)
            result.verdict = cut_short_ ? MutantVerdict::not_run : MutantVerdict::noticed;
        if (forked.end != ForkedResult::End::finished) return;
        bool hidden = false;
        std::optional<std::size_t> beyond;
        for (const std::string& line : lines_of(forked.output)) {
            if (line.starts_with("seen ")) result.probes.push_back(std::stoul(line.substr(5)));
            if (line == "refused") result.verdict = MutantVerdict::refused;
            if (line == "more") result.verdict = MutantVerdict::costs_more;
            if (line == word_memory) result.verdict = MutantVerdict::noticed;
            if (line.starts_with("beyond ") && !beyond) beyond = std::stoul(line.substr(7));
            hidden = hidden || line == "hidden";
        }
        // A test may see a rounding of what both do wrong in the same way: that is none to write.
        if (hidden) {
            result.verdict = MutantVerdict::hidden;
            result.probes.clear();
        } else if (!result.probes.empty()) {
            result.verdict = MutantVerdict::gap;
        } else if (beyond) {
            result.verdict = MutantVerdict::beyond;
            result.test = bound_text(probe_at(programs_, *beyond));
        }
    }

    const TestCommand& command_;
    std::string path_;
    Clock::time_point start_;
    std::vector<MutantResult> before_;  // of the same mutants: only the gaps are tried again
    std::string text_;
    const SourceManager* source_ = nullptr;
    std::deque<TestedProgram> programs_;
    std::vector<NumberedRun> runs_;
    SetCosts set_costs_;
    std::vector<MutantResult> results_;
    std::map<std::string, std::string> written_;    // texts, by their paths
    std::map<std::string, Experience> experience_;  // by the owner of a mutation
    MutateCounts counts_;
    bool cut_short_ = false;  // by the seconds of the call
};

// Nothing: no file imports the module.
std::optional<MutateCounts> mutate_module(const std::deque<TestPlan>& plans,
                                          const TestCommand& command, Clock::time_point start) {
    std::vector<const TestPlan*> users;
    std::string path;
    for (const TestPlan& plan : plans) {
        const std::string here = path_of_module(plan, command.mutate.module);
        if (here.empty() || plan.jobs().empty()) continue;
        path = here;
        users.push_back(&plan);
    }
    if (users.empty()) return std::nullopt;
    return Campaign(users, command, path, start).run();
}

// One file, and with `--fix` once more as long as tests were written into it: a mutant that one of
// them was written for may need another.
MutateCounts mutate_file(const TestPlan& plan, const TestCommand& command,
                         Clock::time_point start) {
    std::deque<TestPlan> plans;  // the texts of each round
    std::deque<Campaign> rounds;
    rounds.emplace_back(std::vector<const TestPlan*>{&plan}, command, plan.path(), start);
    MutateCounts counts = rounds.back().run();
    std::size_t written = 0;
    for (int round = 1; counts.written > 0 && round < most_rounds; ++round) {
        fmt::print("{} tests written to {}; running again:\n", counts.written, plan.path());
        written += std::exchange(counts.written, 0);
        TestPlan& again = plans.emplace_back(plan.path(), command);
        again.make();
        again.leave_out_like(plan);
        if (finish(again.session()) != exit_good) {
            ++counts.failed;
            break;
        }
        Campaign& next =
            rounds.emplace_back(std::vector<const TestPlan*>{&again}, command, plan.path(), start);
        next.go_on(rounds[rounds.size() - 2]);
        counts = next.run();
    }
    counts.written += written;
    return counts;
}

}  // namespace

int mutate(const std::deque<TestPlan>& plans, const TestCommand& command) {
    const auto start = Clock::now();
    MutateCounts counts;
    const auto nothing = [](const std::string& why) {
        Session session;
        session.diag.error(Span{}, msg::nothing_to_test, why);
        return finish(session);
    };
    const std::string& module = command.mutate.module;
    if (!module.empty()) {
        const std::optional<MutateCounts> found = mutate_module(plans, command, start);
        if (!found) return nothing(fmt::format("none of the files imports `{}`", module));
        if (found->mutants == 0 && found->failed == 0 && command.mutate.in.empty())
            return nothing(fmt::format("`{}` has no functions that these tests use", module));
        counts = *found;
    } else {
        std::set<std::string> seen;  // a file may be named twice
        for (const TestPlan& plan : plans) {
            if (plan.jobs().empty() || !seen.insert(plan.path()).second) continue;
            if (plans.size() > 1) fmt::print("{}:\n", plan.path());
            counts += mutate_file(plan, command, start);
        }
    }
    if (!command.mutate.in.empty() && counts.mutants == 0 && counts.failed == 0)
        return nothing(fmt::format("`{}` has nothing to change", command.mutate.in));
    fmt::print("{}", render_summary(counts, seconds_since(start)));
    return counts.good() ? exit_good : exit_program;
}

}  // namespace tkc
