// What went wrong when a network was run, as messages.
#include "checks/scheduled/waits_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "checks/check.h"
#include "checks/scheduled/exploration.h"

namespace tkc::checks {

namespace {

// An operation of the channel, for people.
const char* name_of(ir::Channel channel) {
    return channel == ir::Channel::products ? "product" : "bulk store";
}

using namespace ir;

constexpr std::size_t events_shown = 8;

// Tells one outcome that is not `complete`.
class Report {
public:
    Report(const Network& network, const std::vector<std::int64_t>& stages, const Outcome& outcome,
           const Case& holds, Diagnostics& diag)
        : network_(network), stages_(stages), outcome_(outcome), case_(holds), diag_(diag) {}

    // Extents that lead there; without them the outcome may be impossible.
    bool find_counterexample() {
        std::vector<NormalForm> path;
        for (const Decision& d : outcome_.decisions) path.push_back(d.means);
        auto witness = case_.facts.find(path, 16);
        if (witness && !case_.assumed.empty()) {
            // A condition that was assumed is part of what leads there, and is to be named.
            path.insert(path.end(), case_.assumed.begin(), case_.assumed.end());
            if (auto named = case_.known->find(path, 16)) witness = std::move(named);
        }
        if (witness) {
            counterexample_ = witness->values;
            where_ = witness->text.empty() ? "in every program" : "when " + witness->text;
        }
        return witness.has_value();
    }

    const Assignment& witness() const { return counterexample_; }

    Obligation tell() {
        Obligation result{"waits", Verdict::refuted, network_.kernel->span, {}, counterexample_};
        switch (outcome_.kind) {
            case Outcome::Kind::deadlock: result.text = report_deadlock(); break;
            case Outcome::Kind::fault: result.text = report_fault(); break;
            case Outcome::Kind::unbalanced:
            case Outcome::Kind::complete:
            case Outcome::Kind::too_many: result.text = tell_remains(); break;
        }
        return result;
    }

    Obligation give_up() {
        Obligation result{"waits", Verdict::undecided, network_.kernel->span, {}};
        if (outcome_.kind == Outcome::Kind::too_many) {
            result.text = fmt::format("more than {} states", outcome_.states);
            diag_.error(result.span, msg::waits_not_shown, result.text)
                .help("iterate over the same ranges in all roles that share a pipeline");
            return result;
        }
        if (outcome_.kind == Outcome::Kind::deadlock) {
            if (const auto span = find_span()) {
                where_ = "for trip counts for which no extents were found";
                result.text = report_span(*span);
                return result;
            }
            result.text = "found a state in which " + standstill();
        } else {
            result.text = "found a state that breaks the protocol of a pipeline";
        }
        std::string reached;
        for (const Decision& d : outcome_.decisions) {
            const std::string one = to_string_truth(d.means);
            if (reached.find("`" + one + "`") == std::string::npos) {
                reached += (reached.empty() ? "`" : ", `") + one + "`";
            }
        }
        result.text += ", but no extents that lead to it";
        auto builder = diag_.error(result.span, msg::waits_not_shown, result.text);
        for (std::size_t p = 0; p < outcome_.halts.size(); ++p) {
            builder.label(span_of(p), "`{}` is here", role(p));
        }
        builder.note("this requires {}", reached);
        const std::string apart = loops_apart();
        if (!apart.empty()) builder.note("not proved equal: {}", apart);
        builder.help(
            "iterate over the same ranges in all roles that share a pipeline: define each bound "
            "once, in a `let` before the roles, as simply as possible; or, if the counts match for "
            "a reason that tkc cannot see, write `trusts balanced({})`",
            stopped_pipeline());
        return result;
    }

    // The loops of roles that no loop of another role could be put next to, with how often they
    // run.
    std::string loops_apart() const {
        std::string text;
        std::size_t found = 0;
        for (const Stream& stream : network_.streams) {
            if (!stream.is_loop || stream.readers.size() != 1 || ++found > 4) continue;
            text += fmt::format("{}`{}` in `{}`", text.empty() ? "" : ", ", to_string(stream.value),
                                role(index(stream.readers[0])));
        }
        return found < 2 ? "" : text;
    }

    std::string stopped_pipeline() const {
        for (const Halt& h : outcome_.halts) {
            if (h.pipeline >= 0) return pipeline(h.pipeline);
        }
        return network_.kernel->pipelines[0].name;
    }

private:
    const Process& process(std::size_t p) const { return network_.processes[p]; }
    const std::string& role(std::size_t p) const { return process(p).role->name; }
    const std::string& pipeline(int p) const { return network_.kernel->pipelines[index(p)].name; }
    Span span_of(std::size_t p) const {
        return process(p).code[outcome_.state.processes[p].at].span;
    }

    // Where the process took or made that element.
    const Event* event(std::size_t p, Step::Kind kind, int which, std::int64_t element) const {
        for (const Event& e : outcome_.events) {
            if (index(e.process) == p && e.kind == kind && e.pipeline == which &&
                e.element == element) {
                return &e;
            }
        }
        return nullptr;
    }
    Span span_of(const Event& e) const { return process(index(e.process)).code[e.step].span; }

    // `iteration 3 of `for k``, by the innermost loop that the process is in; empty outside loops.
    std::string iteration(std::size_t p) const {
        const ProcessState& state = outcome_.state.processes[p];
        std::string text;
        for (std::size_t i = 0; i < state.loops.size(); ++i) {
            if (state.loops[i].iteration < 0) continue;
            text = fmt::format("iteration {} of `for {}`", state.loops[i].iteration,
                               process(p).loops[i].name);
        }
        return text;
    }

    // ---- nobody can go on ----

    std::string wait_of(std::size_t p) const {
        const Halt& h = outcome_.halts[p];
        if (h.reason == Halt::Reason::full) {
            return fmt::format("`{}` waits to fill `{}`", role(p), pipeline(h.pipeline));
        }
        if (h.reason == Halt::Reason::empty) {
            return fmt::format("`{}` waits for element {} of `{}`", role(p), h.element,
                               pipeline(h.pipeline));
        }
        return fmt::format("`{}` is done", role(p));
    }

    std::string standstill() const {
        std::string text;
        for (std::size_t p = 0; p < outcome_.halts.size(); ++p) {
            if (outcome_.halts[p].reason == Halt::Reason::done) continue;
            text += (text.empty() ? "" : ", ") + wait_of(p);
        }
        return text;
    }

    // A role that waits for the element whose stage it holds itself, under an older element.
    struct Kept {
        std::size_t reader, writer;
        int pipeline;
        std::int64_t kept, wanted;
    };
    std::optional<Kept> find_span() const {
        for (std::size_t p = 0; p < outcome_.halts.size(); ++p) {
            const Halt& h = outcome_.halts[p];
            if (h.reason != Halt::Reason::empty) continue;
            const int writer = network_.writer[index(h.pipeline)];
            if (writer < 0) continue;
            const Halt& w = outcome_.halts[index(writer)];
            if (w.reason != Halt::Reason::full || w.pipeline != h.pipeline) continue;
            const auto& readers = network_.readers[index(h.pipeline)];
            for (std::size_t r = 0; r < readers.size(); ++r) {
                if (index(readers[r]) != p) continue;
                const auto& held = outcome_.state.pipelines[index(h.pipeline)].readers[r].held;
                const std::int64_t kept = w.element - stages_[index(h.pipeline)];
                if (std::count(held.begin(), held.end(), kept) != 0) {
                    return Kept{p, index(writer), h.pipeline, kept, h.element};
                }
            }
        }
        return std::nullopt;
    }

    std::string report_deadlock() {
        if (const auto span = find_span()) return report_span(*span);
        std::size_t first = 0;
        while (outcome_.halts[first].reason == Halt::Reason::done) ++first;
        for (std::size_t p = first; p < outcome_.halts.size(); ++p) {
            if (outcome_.halts[p].reason == Halt::Reason::empty) first = p;
        }
        const std::string text = standstill();
        auto builder = diag_.error(span_of(first), msg::deadlock, where_, text);
        builder.primary("{}{}", wait_of(first), in_iteration(first));
        for (std::size_t p = 0; p < outcome_.halts.size(); ++p) {
            if (p == first || outcome_.halts[p].reason == Halt::Reason::done) continue;
            builder.label(span_of(p), "{}{}", wait_of(p), in_iteration(p));
        }
        for (std::size_t p = 0; p < outcome_.halts.size(); ++p) label_kept(p, builder);
        add_timeline(builder);
        help_with_stages(builder, "use the pipelines in the same order in both roles");
        return fmt::format("{}: {}", where_, text);
    }

    std::string in_iteration(std::size_t p) const {
        const std::string text = iteration(p);
        return text.empty() ? "" : ", in " + text;
    }

    // Shows who holds the stage that a writer waits for.
    void label_kept(std::size_t p, DiagnosticBuilder& builder) const {
        const Halt& h = outcome_.halts[p];
        if (h.reason != Halt::Reason::full) return;
        const std::int64_t wanted = h.element - stages_[index(h.pipeline)];
        const auto& readers = network_.readers[index(h.pipeline)];
        for (std::size_t r = 0; r < readers.size(); ++r) {
            const int reader = readers[r];
            const auto& held = outcome_.state.pipelines[index(h.pipeline)].readers[r].held;
            if (std::count(held.begin(), held.end(), wanted) == 0) continue;
            const Event* taken = event(index(reader), Step::Kind::take, h.pipeline, wanted);
            if (taken == nullptr) continue;
            builder.label(span_of(*taken), "`{}` holds element {} of `{}` from here on",
                          role(index(reader)), wanted, pipeline(h.pipeline));
        }
    }

    std::string report_span(const Kept& s) {
        const std::int64_t stages = stages_[index(s.pipeline)];
        const std::int64_t span = s.wanted - s.kept + 1;
        auto builder =
            diag_.error(span_of(s.reader), msg::span_too_long, role(s.reader), s.kept,
                        pipeline(s.pipeline), s.wanted, span, pipeline(s.pipeline), stages);
        builder.primary("element {} is consumed here{}", s.wanted, in_iteration(s.reader));
        if (const Event* e = event(s.reader, Step::Kind::take, s.pipeline, s.kept)) {
            builder.label(span_of(*e), "element {} is consumed here and kept", s.kept);
        }
        builder.label(span_of(s.writer), "`{}` waits here for the stage of element {}",
                      role(s.writer), s.kept);
        builder.note("this happens {}", where_);
        add_timeline(builder);
        help_with_stages(builder, fmt::format("put the element that is kept in a separate "
                                              "pipeline, such as `pipeline kept[1]` next to `{}`",
                                              pipeline(s.pipeline)));
        return fmt::format("{}: `{}` holds {} elements of `{}[{}]` at once", where_, role(s.reader),
                           span, pipeline(s.pipeline), stages);
    }

    // Tries the pipelines that somebody waits for with more stages.
    void help_with_stages(DiagnosticBuilder& builder, const std::string& otherwise) const {
        if (std::none_of(outcome_.halts.begin(), outcome_.halts.end(),
                         [](const Halt& h) { return h.reason == Halt::Reason::full; })) {
            const bool circle =
                std::none_of(outcome_.halts.begin(), outcome_.halts.end(),
                             [](const Halt& h) { return h.reason == Halt::Reason::done; });
            builder.help(
                circle ? "each role waits for an element that another produces only later: let one "
                         "of them produce its element before it consumes one"
                       : "produce as many elements as are consumed, under the same conditions");
            return;
        }
        for (const auto& h : outcome_.halts) {
            if (h.reason != Halt::Reason::full) continue;
            std::vector<std::int64_t> more = stages_;
            for (int extra = 1; extra <= 4; ++extra) {
                ++more[index(h.pipeline)];
                if (explore(network_, more).kind != Outcome::Kind::complete) continue;
                builder.help("`{}` needs {}; or {}", pipeline(h.pipeline),
                             counted(more[index(h.pipeline)], "stage"), otherwise);
                return;
            }
        }
        builder.help("a few more stages would not help: {}", otherwise);
    }

    // What the roles did last, and what each waits for now.
    void add_timeline(DiagnosticBuilder& builder) const {
        std::vector<const Event*> shown;
        for (const Event& e : outcome_.events) {
            if (!verb(e.kind).empty()) shown.push_back(&e);
        }
        const std::size_t skipped = shown.size() > events_shown ? shown.size() - events_shown : 0;
        for (std::size_t i = skipped; i < shown.size(); ++i) {
            const Event& e = *shown[i];
            const auto p = index(e.process);
            const std::int64_t stages = stages_[index(e.pipeline)];
            builder.moment(
                span_of(e), role(p),
                fmt::format("{}{} element {} of `{}`{}", at_iteration(p, e), verb(e.kind),
                            e.element, pipeline(e.pipeline),
                            stages == 1 ? "" : fmt::format(" (stage {})", e.element % stages)));
        }
        for (std::size_t p = 0; p < outcome_.halts.size(); ++p) {
            if (outcome_.halts[p].reason == Halt::Reason::done) continue;
            builder.moment(span_of(p), role(p), now(p));
        }
    }

    static std::string_view verb(Step::Kind kind) {
        switch (kind) {
            case Step::Kind::publish: return "fills";
            case Step::Kind::take: return "consumes";
            case Step::Kind::release: return "releases";
            case Step::Kind::acquire:
            case Step::Kind::alias:
            case Step::Kind::use:
            case Step::Kind::issue:
            case Step::Kind::wait:
            case Step::Kind::enter:
            case Step::Kind::head:
            case Step::Kind::branch:
            case Step::Kind::jump:
            case Step::Kind::end: break;
        }
        return "";
    }

    std::string at_iteration(std::size_t p, const Event& e) const {
        if (e.loop < 0) return "";
        return fmt::format("iteration {} of `for {}`: ", e.iteration,
                           process(p).loops[index(e.loop)].name);
    }

    // What a role that cannot go on waits for, and who has it.
    std::string now(std::size_t p) const {
        const Halt& h = outcome_.halts[p];
        const std::string place = iteration(p);
        std::string text = place.empty() ? "" : place + ": ";
        if (h.reason == Halt::Reason::empty) {
            return text + fmt::format("waits for element {} of `{}`, forever", h.element,
                                      pipeline(h.pipeline));
        }
        const std::int64_t stages = stages_[index(h.pipeline)];
        const std::int64_t kept = h.element - stages;
        std::string keepers;
        const auto& readers = network_.readers[index(h.pipeline)];
        for (std::size_t r = 0; r < readers.size(); ++r) {
            const ReaderState& state = outcome_.state.pipelines[index(h.pipeline)].readers[r];
            const bool holds = std::count(state.held.begin(), state.held.end(), kept) != 0;
            if (!holds && state.taken > kept) continue;  // this one gave it back
            keepers +=
                fmt::format("{}`{}` {}", keepers.empty() ? "" : ", ", role(index(readers[r])),
                            holds ? "still holds it" : "has not consumed it yet");
        }
        return text + fmt::format("waits for stage {} of `{}`, which holds element {}: {}",
                                  h.element % stages, pipeline(h.pipeline), kept, keepers);
    }

    // ---- what only handwritten IR or a bug of the lowering shows ----

    std::string report_fault() {
        std::size_t p = 0;
        while (outcome_.halts[p].reason != Halt::Reason::fault) ++p;
        const Halt& h = outcome_.halts[p];
        const std::string name = h.pipeline >= 0 ? pipeline(h.pipeline) : "a pipeline";
        std::string text;
        switch (h.fault) {
            case Halt::Fault::late_use:
                diag_.error(span_of(p), msg::element_used_late, role(p), name)
                    .note("this happens {}", where_);
                return where_ + ": an element is used after its release";
            case Halt::Fault::late_release:
                text = "it releases an element that it does not hold";
                break;
            case Halt::Fault::early_release:
                text = fmt::format("element {} is released while a {} may still read it", h.element,
                                   name_of(h.channel));
                break;
            case Halt::Fault::unmatched: text = "acquire and publish do not alternate"; break;
            case Halt::Fault::unwaited:
                text = fmt::format("its {}s are never waited for", name_of(h.channel));
                break;
            case Halt::Fault::none: break;
        }
        diag_.error(span_of(p), msg::stage_protocol, role(p), name, text)
            .note("this happens {}", where_);
        return fmt::format("{}: `{}`: {}", where_, role(p), text);
    }

    // All are done, but a pipeline is not empty.
    std::string tell_remains() {
        for (std::size_t p = 0; p < outcome_.state.pipelines.size(); ++p) {
            const PipelineState& c = outcome_.state.pipelines[p];
            const int which = static_cast<int>(p);
            for (std::size_t r = 0; r < c.readers.size(); ++r) {
                const auto reader = index(network_.readers[p][r]);
                const ReaderState& state = c.readers[r];
                if (!state.held.empty()) {
                    const Event* e = event(reader, Step::Kind::take, which, state.held[0]);
                    diag_
                        .error(e ? span_of(*e) : span_of(reader), msg::element_not_released,
                               role(reader), pipeline(which))
                        .note("this happens {}", where_);
                    return fmt::format("{}: `{}` ends holding an element of `{}`", where_,
                                       role(reader), pipeline(which));
                }
                if (state.taken == c.published) continue;
                const std::string text =
                    fmt::format("{} are produced and {} consumed", c.published, state.taken);
                diag_
                    .error(span_of(reader), msg::stage_protocol, role(reader), pipeline(which),
                           text)
                    .note("this happens {}", where_);
                return fmt::format("{}: `{}`: {}", where_, pipeline(which), text);
            }
        }
        const std::string text = "an element is acquired and not published";
        diag_
            .error(network_.kernel->span, msg::stage_protocol, network_.kernel->name, "a pipeline",
                   text)
            .note("this happens {}", where_);
        return where_ + ": " + text;
    }

    const Network& network_;
    const std::vector<std::int64_t>& stages_;
    const Outcome& outcome_;
    const Case& case_;
    Diagnostics& diag_;
    std::string where_;
    Assignment counterexample_;
};

}  // namespace

std::string counted(std::int64_t n, const char* noun) {
    return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

std::optional<Obligation> report_refuted(const Network& network,
                                         const std::vector<std::int64_t>& stages,
                                         const Outcome& outcome, const Case& holds,
                                         Diagnostics& diag, const TryWitness& trial) {
    Report report(network, stages, outcome, holds, diag);
    if (outcome.kind == Outcome::Kind::too_many || !report.find_counterexample())
        return std::nullopt;
    // A run shows which roles are blocked, and not every stage that is kept or given back too
    // early.
    const bool stands = outcome.kind == Outcome::Kind::deadlock;
    if (stands && !is_refuted(trial, report.witness())) return std::nullopt;
    return report.tell();
}

Obligation report_undecided(const Network& network, const std::vector<std::int64_t>& stages,
                            const Outcome& outcome, const Case& holds, Diagnostics& diag) {
    return Report(network, stages, outcome, holds, diag).give_up();
}

}  // namespace tkc::checks
