// Mutants as lines of text, with carets; tolerances.
#include "driver/mutate/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/overloaded.h"
#include "emulator/test_run.h"

namespace tkc {

namespace {

// A tolerance may be so many times as wide as what the kernel needs on the data of its test.
constexpr double times_as_wide = 16;
// And this many times are proposed: a GPU adds in another order, and its functions approximate.
constexpr double times_as_needed = 4;

std::string carets(const SourceManager& sources, Span span) {
    const SourceFile& file = sources.file(span.file);
    const LineColumn at = file.line_column(span.begin);
    const std::string_view line = file.line(at.line);
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    const std::size_t left = line.size() - std::min<std::size_t>(line.size(), at.column - 1);
    const std::size_t width =
        std::max<std::size_t>(1, std::min<std::size_t>(span.end - span.begin, left));
    return fmt::format(
        "      {}\n      {}{}\n", line.substr(indent),
        std::string(at.column - 1 - std::min<std::size_t>(indent, at.column - 1), ' '),
        std::string(width, '^'));
}

std::string missing_test(const std::string& test, std::set<std::string>& shown) {
    if (shown.insert(test).second) return fmt::format("      this one would:\n      {}\n", test);
    const std::size_t name = test.find(' ') + 1;
    return fmt::format("      `{}` would, as above\n",
                       test.substr(name, test.find(' ', name) - name));
}

// `shown`: the tests that a message before has in full.
std::string describe(const MutantResult& result, const SourceManager& sources,
                     std::set<std::string>& shown) {
    const mutation::Mutation& mutation = result.mutation;
    const std::string head =
        fmt::format("  {}: {}", sources.describe(mutation.edit.span), mutation.what);
    switch (result.verdict) {
        case MutantVerdict::gap:
            return fmt::format("{}: no test detects it\n{}{}", head,
                               carets(sources, mutation.edit.span),
                               missing_test(result.test, shown));
        case MutantVerdict::beyond:
            return fmt::format(
                "{}: no test detects it\n"
                "{}      results differ for {}\n"
                "      for these the reference differs from the kernel, so no test can be written "
                "yet\n",
                head, carets(sources, mutation.edit.span), result.test);
        case MutantVerdict::unnoticed:
            return fmt::format(
                "{}: no test detects it\n"
                "{}      expect more of `{}` in a test of it\n",
                head, carets(sources, mutation.edit.span), mutation.owner);
        case MutantVerdict::hidden:
            return fmt::format(
                "{0}: no test can detect it, since the reference calls `{2}` as well\n"
                "{1}      write out its computation in the reference, or test it separately: `test "
                "NAME of {2} {{ expect {2}(..) == ..; }}`\n",
                head, carets(sources, mutation.edit.span), mutation.owner);
        case MutantVerdict::broken:
            return fmt::format("{}: tkc fails on it, which is a bug in tkc\n{}", head,
                               carets(sources, mutation.edit.span));
        case MutantVerdict::costs_more:
            return fmt::format(
                "{}: possibly equivalent, at a higher cost: no input was found that shows a "
                "difference\n",
                head);
        case MutantVerdict::perhaps_same:
            return fmt::format(
                "{}: possibly equivalent: no input was found that shows a difference\n", head);
        case MutantVerdict::not_run:
        case MutantVerdict::silenced:
        case MutantVerdict::same:
        case MutantVerdict::refused:
        case MutantVerdict::noticed:
        case MutantVerdict::left: return "";
    }
    return "";
}

void count(MutateCounts& counts, MutantVerdict verdict) {
    ++counts.mutants;
    switch (verdict) {
        case MutantVerdict::not_run:
        case MutantVerdict::left: ++counts.not_run; return;
        case MutantVerdict::silenced: ++counts.silenced; return;
        case MutantVerdict::same: --counts.mutants; return;
        case MutantVerdict::refused: ++counts.refused; return;
        case MutantVerdict::noticed: ++counts.noticed; return;
        case MutantVerdict::gap:
        case MutantVerdict::beyond:
        case MutantVerdict::unnoticed:
        case MutantVerdict::hidden: ++counts.gaps; return;
        case MutantVerdict::costs_more:
        case MutantVerdict::perhaps_same: ++counts.perhaps_same; return;
        case MutantVerdict::broken: ++counts.broken; return;
    }
}

std::string counted(const MutateCounts& counts) {
    std::string text = fmt::format("{} mutants: {} rejected by the checks, {} detected by tests",
                                   counts.mutants, counts.refused, counts.noticed);
    const std::pair<std::size_t, const char*> others[] = {
        {counts.gaps, "not detected"}, {counts.perhaps_same, "possibly equivalent"},
        {counts.silenced, "silenced"}, {counts.broken, "on which tkc failed"},
        {counts.not_run, "not run"},
    };
    for (const auto& [number, words] : others) {
        if (number > 0) text += fmt::format(", {} {}", number, words);
    }
    return text;
}

bool is_tested(const std::vector<OriginalRun>& runs, const std::string& name) {
    return std::any_of(runs.begin(), runs.end(), [&](const OriginalRun& run) {
        if (run.test().subject == name) return true;
        const ir::Entry* const entry =
            ir::find_entry(*run.instance->module, run.instance->signature->name);
        if (entry == nullptr) return false;
        return std::any_of(
            entry->calls.begin(), entry->calls.end(), [&](const ir::EntryCall& call) {
                return std::any_of(call.candidates.begin(), call.candidates.end(),
                                   [&](const std::string& candidate) {
                                       const ir::Kernel* kernel =
                                           ir::find_kernel(*run.instance->module, candidate);
                                       return kernel != nullptr && kernel->source == name;
                                   });
            });
    });
}

// A bool that every test leaves as it is: half of the kernel is not run.
void add_constants_of_one_value(const ast::LaunchHead& head, const std::vector<OriginalRun>& runs,
                                const SourceManager& sources, std::vector<std::string>& sentences) {
    for (const ast::ConstParam& c : head.consts) {
        if (c.kind != ast::ConstKind::boolean || c.schedule) continue;
        std::set<std::string> values;
        for (const OriginalRun& run : runs) {
            for (const ir::Constant& constant : run.instance->signature->constants) {
                if (run.test().subject == head.name.text && constant.name == c.name.text)
                    values.insert(ir::to_string(constant.value));
            }
        }
        if (values.size() != 1) continue;
        sentences.push_back(fmt::format("{}: no test of `{}` has `{} = {}`",
                                        sources.describe(c.name.span), head.name.text, c.name.text,
                                        values.contains("true") ? "false" : "true"));
    }
}

std::set<std::string> compared(const std::vector<OriginalRun>& runs, const std::string& name) {
    std::set<std::string> outputs;
    for (const OriginalRun& run : runs) {
        if (run.test().subject != name) continue;
        for (const OutputError& error : output_errors(run)) {
            if (run.after.tensors.at(error.output).elements() > 0) outputs.insert(error.output);
        }
    }
    return outputs;
}

}  // namespace

void MutateCounts::add(const std::vector<MutantResult>& results) {
    for (const MutantResult& result : results) count(*this, result.verdict);
}

MutateCounts& MutateCounts::operator+=(const MutateCounts& other) {
    for (const auto count :
         {&MutateCounts::mutants, &MutateCounts::refused, &MutateCounts::noticed,
          &MutateCounts::gaps, &MutateCounts::perhaps_same, &MutateCounts::silenced,
          &MutateCounts::not_run, &MutateCounts::broken, &MutateCounts::failed,
          &MutateCounts::untested, &MutateCounts::wide, &MutateCounts::written})
        this->*count += other.*count;
    return *this;
}

std::string render(const std::vector<MutantResult>& results, const SourceManager& sources) {
    std::vector<std::string> owners;  // in the order of the text
    for (const MutantResult& result : results) {
        const std::string& owner = result.mutation.owner;
        if (std::find(owners.begin(), owners.end(), owner) == owners.end()) owners.push_back(owner);
    }
    std::string text;
    std::set<std::string> shown;
    for (const std::string& owner : owners) {
        MutateCounts counts;
        std::string lines;
        for (const MutantResult& result : results) {
            if (result.mutation.owner != owner) continue;
            count(counts, result.verdict);
            lines += describe(result, sources, shown);
        }
        const char* word = !counts.good() ? "FAIL" : counts.not_run > 0 ? "part" : "pass";
        text += fmt::format("{} {}: {}\n{}", word, owner, counted(counts), lines);
    }
    return text;
}

std::string render_summary(const MutateCounts& counts, double seconds) {
    std::string text = counted(counts);
    const std::pair<std::size_t, const char*> others[] = {
        {counts.failed, "tests failed on the program as it is"},
        {counts.untested, "kernels or outputs without a test"},
        {counts.wide, "tolerances too wide"},
        {counts.written, "tests written"},
    };
    for (const auto& [number, words] : others) {
        if (number > 0) text += fmt::format("; {} {}", number, words);
    }
    return fmt::format("{}  ({:.1f} s)\n", text, seconds);
}

std::vector<std::string> untested(const TestPlan& plan, const std::vector<OriginalRun>& runs) {
    std::vector<std::string> sentences;
    for (const ast::Decl& decl : plan.tree()->decls) {
        const ast::LaunchHead* const head = ast::launch_head(decl);
        if (head == nullptr) continue;
        const std::string& name = head->name.text;
        const std::string place = plan.session().sources.describe(head->name.span);
        if (!is_tested(runs, name)) {
            sentences.push_back(fmt::format("{}: no test runs `{}`", place, name));
            continue;
        }
        const bool own = std::any_of(runs.begin(), runs.end(), [&](const OriginalRun& run) {
            return run.test().subject == name;
        });
        if (!own) continue;  // an entry launches it
        add_constants_of_one_value(*head, runs, plan.session().sources, sentences);
        const std::set<std::string> seen = compared(runs, name);
        for (const ast::KernelParam& param : head->params) {
            const bool output = param.mode == ast::ParamMode::out ||
                                param.mode == ast::ParamMode::inout ||
                                param.mode == ast::ParamMode::accumulate;
            if (output && !seen.contains(param.name.text)) {
                sentences.push_back(fmt::format("{}: no test of `{}` compares `{}`",
                                                plan.session().sources.describe(param.name.span),
                                                name, param.name.text));
            }
        }
    }
    return sentences;
}

std::size_t report_wide(const std::vector<OriginalRun>& runs) {
    struct Widest {
        double allowed = 0;
        double needed = 0;
        double floor = 0;
        Span place;
    };
    // By test and output, over all of its cases: one that needs its tolerance is enough.
    std::map<std::pair<const ast::Test*, std::string>, Widest> found;
    for (const OriginalRun& run : runs) {
        for (const OutputError& error : output_errors(run)) {
            Widest& widest = found[{run.test().test, error.output}];
            widest.allowed = std::max(widest.allowed, error.allowed.cell);
            widest.needed = std::max(widest.needed, error.needed);
            widest.floor = std::max(widest.floor, error.floor);
            widest.place = error.expect->tolerance->span;
        }
    }
    std::size_t wide = 0;
    for (const auto& [of, widest] : found) {
        const double least = std::max(widest.needed, widest.floor);
        if (widest.allowed <= times_as_wide * least) continue;
        ++wide;
        fmt::print("  {}: `{}` of test `{}` may be wrong by {}, and needs {}: write `within {}`\n",
                   runs.front().file->session.sources.describe(widest.place), of.second,
                   of.first->name.text, tolerance_text(widest.allowed),
                   widest.needed == 0 ? "0" : fmt::format("{:.1e}", widest.needed),
                   tolerance_text(rounded_up(times_as_needed * least)));
    }
    return wide;
}

double rounded_up(double x) {
    if (!(x > 0)) return 0;
    const double power = std::pow(10, std::floor(std::log10(x)));
    for (const double digit : {1.0, 2.0, 5.0, 10.0}) {
        if (digit * power >= x * (1 - 1e-9)) return digit * power;
    }
    return 10 * power;
}

std::string tolerance_text(double tolerance) {
    if (tolerance == 0 || !std::isfinite(tolerance)) return fmt::format("{}", tolerance);
    const int power = static_cast<int>(std::floor(std::log10(tolerance) + 1e-9));
    const double digits = tolerance / std::pow(10, power);
    return fmt::format("{:.3g}e{}", digits, power);
}

}  // namespace tkc
