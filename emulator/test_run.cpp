// Running a case, and what its outcome means.
#include "emulator/test_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "emulator/candidates_agree.h"
#include "emulator/fill.h"
#include "ir/walk.h"

namespace tkc::emulator {

namespace {

using Status = CaseResult::Status;
using End = Outcome::End;

// Outcomes other than `finished` and `refused`, as messages.
void report_outcome(const TestCase& test, const ir::Signature& subject, const Outcome& outcome,
                    const EvaluationContext& context) {
    const Span span = outcome.places.empty() ? test.test->name.span : outcome.places[0].span;
    const auto report = [&](const auto& message) {
        DiagnosticBuilder builder =
            context.diag.error(span, message, subject.name, context.test, outcome.text);
        if (outcome.places.empty()) return;
        if (!outcome.places[0].text.empty()) builder.primary(outcome.places[0].text);
        for (std::size_t i = 1; i < outcome.places.size(); ++i) {
            builder.label(outcome.places[i].span, outcome.places[i].text);
        }
    };
    switch (outcome.end) {
        case End::finished:
        case End::refused:
        case End::unfinished: return;
        case End::deadlock: report(msg::run_deadlock); return;
        case End::hazard: report(msg::run_hazard); return;
        case End::assertion: report(msg::run_assertion); return;
        case End::fault: report(msg::run_fault); return;
    }
}

// Nothing but the elements of outputs may have changed.
bool check_memory(const ir::Signature& subject, const Arguments& arguments_before,
                  const Arguments& arguments_after, const EvaluationContext& context) {
    bool good = true;
    for (const ir::Tensor& tensor : subject.tensors) {
        const Tensor& before = arguments_before.tensors.at(tensor.name);
        const Tensor& after = arguments_after.tensors.at(tensor.name);
        std::string what;
        if (tensor.mode == ir::Mode::in) {
            if (before.storage != after.storage) what = fmt::format("its input `{}`", tensor.name);
        } else if (const auto place = overwritten_guard(before, after)) {
            what = fmt::format(
                "outside of `{}`: the element {} {} its first one, which is not part of it",
                tensor.name, *place < 0 ? -*place : *place, *place < 0 ? "before" : "after");
        }
        if (what.empty()) continue;
        context.diag.error(tensor.span, msg::written_outside, subject.name, what, context.test);
        good = false;
    }
    return good;
}

bool check_expectation(const Instance& instance, const ir::Signature& subject,
                       const Arguments& after, const ast::Expect& expect, const Standard& standard,
                       const EvaluationContext& context) {
    bool good = true;
    for (const ast::Name& name : expect.names) {
        const Tensor& output = after.tensors.at(name.text);
        const std::optional<Limits> limits = standard.limits(expect, output);
        if (!limits) return false;
        const Comparison comparison = compare(output, standard.expected->at(name.text), *limits);
        if (comparison.good()) continue;
        good = false;
        const TileSize tile = tile_of_output(instance, name.text);
        DiagnosticBuilder message = context.diag.error(name.span, msg::output_differs, name.text,
                                                       subject.name, context.test);
        message.note(measures_text(comparison));
        message.note(worst_text(comparison, output.extents));
        if (comparison.wrong == 0) continue;  // the norm is too large, and no cell to blame
        message.note(picture(comparison, output.extents, tile.rows, tile.cols));
    }
    return good;
}

// One run of a case. What is made for it, `made` keeps for the next one.
class CaseRun {
public:
    CaseRun(const TestCase& test, const Instance& instance, const CaseRunner::Made* alike,
            CaseRunner::Made& made, std::optional<Arguments>& left,
            const EvaluationContext& context)
        : test_(test),
          instance_(instance),
          alike_(alike),
          made_(made),
          prepared_(made.prepared),
          expected_(made.expected),
          left_(left),
          context_(context) {}

    CaseResult run(const Execute& execute, const RunOptions& options) {
        if (!prepared_) {
            const bool any_alike = alike_ != nullptr && alike_->prepared;
            prepared_ = prepare(test_, *instance_.signature, options.seed, context_,
                                any_alike ? &*alike_->prepared : nullptr);
        }
        if (!prepared_) return failed("");
        if (instance_.stating && !made_.stated) {
            if (!check_facts(*instance_.stating, options)) return result_;
            made_.stated = true;
        }
        bool any = false;
        for (const Variant& variant : instance_.variants) {
            Arguments arguments = prepared_->arguments;
            const Outcome outcome = execute(variant, arguments, options);
            result_.printed.insert(result_.printed.end(), outcome.printed.begin(),
                                   outcome.printed.end());
            if (outcome.end == End::refused) {
                result_.text = outcome.text;  // of the last one: that of the fewest conditions
                result_.refusing = &variant.signature();
                result_.refused_at = outcome.places.empty() ? Span{} : outcome.places[0].span;
                continue;
            }
            any = true;
            if (outcome.end != End::finished) {
                report_outcome(test_, variant.signature(), outcome, context_);
                return failed(variant.name);
            }
            if (!judge_outputs(variant.signature(), arguments)) return failed(variant.name);
            if (!keep_or_compare(variant, std::move(arguments))) return failed(variant.name);
        }
        if (!any) result_.status = Status::refused;
        return result_;
    }

private:
    CaseResult failed(const std::string& variant) {
        result_.status = Status::failed;
        result_.variant = variant;
        left_.reset();
        return result_;
    }

    // The lowered code relies on what was stated, and says nothing where it does not hold.
    bool check_facts(const Variant& stating, const RunOptions& options) {
        Arguments arguments = prepared_->arguments;
        const Outcome outcome = emulate(stating, arguments, options);
        if (outcome.end != End::assertion) return true;
        report_outcome(test_, stating.signature(), outcome, context_);
        failed(stating.name);
        return false;
    }

    // Of an entry, each candidate that a call may launch gives the same; variants of a kernel are
    // compared with the reference alone.
    bool keep_or_compare(const Variant& variant, Arguments after) {
        if (!left_) {
            left_name_ = variant.name;
            left_ = std::move(after);
            return true;
        }
        if (variant.choice.first == 0) return true;
        const CandidateRun other{variant.name, &variant.signature(), std::move(after)};
        CandidateRun first{left_name_, &variant.signature(), std::move(*left_)};
        const bool agree = candidates_agree(test_, *prepared_, first, other, context_);
        left_ = std::move(first.after);
        return agree;
    }

    bool judge_outputs(const ir::Signature& subject, const Arguments& arguments) {
        const auto& items = test_.test->items;
        const bool compares = std::any_of(items.begin(), items.end(), [](const auto& item) {
            return std::holds_alternative<ast::Expect>(item.node);
        });
        const Arrays* const expected = compares ? reference() : nullptr;
        if (compares && expected == nullptr) return false;
        const auto limits = [&](const ast::Expect& expect, const Tensor&) {
            return limits_of(expect, *prepared_, context_);
        };
        return judge(test_, instance_, subject, prepared_->arguments, arguments, {expected, limits},
                     context_);
    }

    // Null: reported.
    const Arrays* reference() {
        const bool known = alike_ != nullptr && alike_->prepared && alike_->expected;
        if (!expected_ && known && same_for_reference(test_, *prepared_, *alike_->prepared)) {
            expected_ = alike_->expected;
        }
        if (!expected_) expected_ = expected_results(test_, *prepared_, context_);
        return expected_ ? &*expected_ : nullptr;
    }

    const TestCase& test_;
    const Instance& instance_;
    const CaseRunner::Made* alike_;
    CaseRunner::Made& made_;
    std::optional<PreparedCase>& prepared_;
    std::optional<Arrays>& expected_;
    std::optional<Arguments>& left_;
    std::string left_name_;
    const EvaluationContext& context_;
    CaseResult result_;
};

}  // namespace

bool judge(const TestCase& test, const Instance& instance, const ir::Signature& subject,
           const Arguments& before, const Arguments& after, const Standard& standard,
           const EvaluationContext& context) {
    bool good = check_memory(subject, before, after, context);
    for (const ast::TestItem& item : test.test->items) {
        const auto* expect = std::get_if<ast::Expect>(&item.node);
        if (expect == nullptr) continue;
        good = check_expectation(instance, subject, after, *expect, standard, context) && good;
    }
    return good;
}

std::optional<Limits> limits_of(const ast::Expect& expect, const PreparedCase& prepared,
                                const EvaluationContext& context) {
    const std::optional<Array> cell =
        evaluate_expression(*expect.tolerance, prepared.numbers, context);
    const std::optional<Array> norm =
        expect.norm ? evaluate_expression(*expect.norm, prepared.numbers, context) : cell;
    if (!cell || !norm) return std::nullopt;
    return Limits{cell->real_at(0), norm->real_at(0)};
}

const ast::ExpectError* expected_error(const TestCase& test) {
    for (const ast::TestItem& item : test.test->items) {
        if (const auto* e = std::get_if<ast::ExpectError>(&item.node)) return e;
    }
    return nullptr;
}

bool states_facts(const ir::Kernel& kernel) {
    return std::any_of(kernel.roles.begin(), kernel.roles.end(), [](const ir::Role& role) {
        bool found = false;
        ir::walk_only<ir::Assert>(role.body, [&](const ir::Assert&) { found = true; });
        return found;
    });
}

bool states_facts(const ir::Module& module, const ir::Entry& entry) {
    return std::any_of(entry.calls.begin(), entry.calls.end(), [&](const ir::EntryCall& call) {
        return std::any_of(call.candidates.begin(), call.candidates.end(),
                           [&](const std::string& name) {
                               const ir::Kernel* kernel = ir::find_kernel(module, name);
                               return kernel != nullptr && states_facts(*kernel);
                           });
    });
}

Outcome emulate(const Variant& variant, Arguments& arguments, const RunOptions& options) {
    if (variant.entry == nullptr) return run(*variant.kernel, variant.level, arguments, options);
    return run(*variant.module, *variant.entry, variant.choice, arguments, options);
}

CaseRunner::CaseRunner(const TestCase& test, Instance instance, const RunOptions& options,
                       const Made* alike)
    : test_(test), instance_(std::move(instance)), options_(options), alike_(alike) {}

CaseResult CaseRunner::run(const Execute& execute, const EvaluationContext& context) {
    CaseResult result =
        CaseRun(test_, instance_, alike_, made_, left_, context).run(execute, options_);
    const ast::ExpectError* error = expected_error(test_);
    if (error == nullptr || result.status == Status::failed || result.status == Status::skipped) {
        return result;
    }
    const bool refused = result.status == Status::refused;
    result.status = Status::passed;
    if (refused && result.text.find(error->text) != std::string::npos) return result;
    result.status = Status::failed;
    const std::string found =
        refused ? fmt::format("the launch is rejected with another message: {}", result.text)
                : fmt::format("kernel `{}` accepts the launch", instance_.signature->name);
    context.diag.error(error->text_span, msg::refusal_missing, context.test, error->text, found);
    return result;
}

void report_refusal(const TestCase& test, const CaseResult& result,
                    const EvaluationContext& context) {
    DiagnosticBuilder message =
        context.diag.error(test.test->name.span, msg::launch_refused,
                           result.refusing != nullptr ? result.refusing->name : test.subject,
                           context.test, result.text);
    if (is_known(result.refused_at))
        message.label(result.refused_at, "this test is about that condition");
}

TileSize tile_of_output(const ir::Kernel& kernel, const std::string& output) {
    TileSize tile;
    const auto look = [&](const ir::Slice& slice) {
        if (slice.tensor != output) return;
        const std::size_t rank = slice.ranges.size();
        for (std::size_t axis = rank < 2 ? 0 : rank - 2; axis < rank; ++axis) {
            const ir::Range& range = slice.ranges[axis];
            if (!range.base) continue;
            std::int64_t& size = axis + 1 == rank ? tile.cols : tile.rows;
            for (const ir::GridAxis& grid : kernel.grid) {
                const bool indexes = ir::symbols_of(range.base).contains(grid.var);
                if (indexes && grid.step > 1) size = grid.step;
            }
        }
    };
    for (const ir::Role& role : kernel.roles) {
        ir::walk_only<ir::Store>(role.body, [&](const ir::Store& op) { look(op.target); });
    }
    return tile;
}

TileSize tile_of_output(const Instance& instance, const std::string& output) {
    const std::string& name = instance.signature->name;
    if (const ir::Kernel* kernel = ir::find_kernel(*instance.module, name)) {
        return tile_of_output(*kernel, output);
    }
    TileSize tile;
    for (const ir::EntryCall& call : ir::find_entry(*instance.module, name)->calls) {
        const ir::Kernel* kernel = ir::find_kernel(*instance.module, call.candidates.front());
        for (std::size_t i = 0; i < call.tensors.size(); ++i) {
            const ir::Tensor& taken = kernel->tensors[i];
            const bool writes = call.tensors[i] == output && taken.mode != ir::Mode::in;
            if (writes) tile = tile_of_output(*kernel, taken.name);
        }
    }
    return tile;
}

}  // namespace tkc::emulator
