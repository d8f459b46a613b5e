// Every element that is made is taken: the count of a pipeline's writer equals that of each reader.
//
// A role is a term of `produce`, `consume`, sequence, `if` and `for`. What one statement
// contributes to a count is 1, times the truth of every `if` around it, summed over every `for`
// around it; a count is the sum of its statements'.
#include "checks/tile/counts.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "arithmetic/number_names.h"
#include "checks/check.h"
#include "checks/tile/wraps.h"
#include "ir/walk.h"

namespace tkc::checks {

namespace {

using namespace ir;

// A statement that makes or takes one element.
struct Site {
    Span span;
    NormalForm count;                     // over one program
    std::vector<const For*> loops;        // around it, outermost first
    std::vector<std::string> conditions;  // around it, as text
};

// What one role does with one pipeline.
struct Use {
    const Role* role = nullptr;
    std::vector<Site> sites;

    NormalForm count() const {
        NormalForm total;
        for (const Site& s : sites) total += s.count;
        return total;
    }
};

// Finds the uses of all pipelines in one role.
class Counter {
public:
    explicit Counter(const Role& role) : role_(role) {}

    void run(const Bindings& bindings) { block(role_.body, bindings); }
    std::map<std::string, Use> made;
    std::map<std::string, Use> taken;

private:
    // One enclosing statement; applied to a count from inside out.
    struct Frame {
        const For* loop = nullptr;
        NormalForm trips;   // of the loop
        std::string index;  // its bound name
        NormalForm truth;   // or of the `if`
        std::string text;
    };

    void block(const Block& ops, Bindings bindings) {
        for (const Op& op : ops) {
            if (names_number(op)) {
                bindings = bindings_of({op}, std::move(bindings));
            } else if (const For* loop = as<For>(op)) {
                enter(*loop, bindings);
            } else if (const If* branch = as<If>(op)) {
                enter(*branch, bindings);
            } else if (const auto* produce = as<Produce>(op)) {
                block(produce->body, bindings);
                add(made[produce->pipeline], op.span);
            } else if (const auto* consume = as<Consume>(op)) {
                add(taken[consume->pipeline], op.span);
            } else if (const auto* publish = as<Publish>(op)) {  // the same when it is lowered
                add(made[publish->pipeline], op.span);
            } else if (const auto* take = as<Take>(op)) {
                add(taken[take->pipeline], op.span);
            }
        }
    }

    void enter(const For& loop, const Bindings& bindings) {
        const NormalForm begin = normal_form(loop.begin, bindings);
        const NormalForm trips = trip_count(begin, normal_form(loop.end, bindings), loop.step);
        const std::string index = fmt::format("{}#{}", loop.var, ++loops_);
        Bindings inside = bindings;
        inside[loop.var] = begin + NormalForm(loop.step) * symbol_form(index);
        frames_.push_back({&loop, trips, index, {}, {}});
        block(loop.body, inside);
        frames_.pop_back();
    }

    void enter(const If& branch, const Bindings& bindings) {
        const NormalForm truth = normal_form(branch.condition, bindings);
        const std::string text = to_string_truth(normal_form(branch.condition));
        frames_.push_back({nullptr, {}, {}, truth, text});
        block(branch.then_body, bindings);
        frames_.back().truth = negation(truth);
        frames_.back().text = "not (" + text + ")";
        block(branch.else_body, bindings);
        frames_.pop_back();
    }

    void add(Use& use, Span span) {
        use.role = &role_;
        Site site{span, NormalForm(1), {}, {}};
        for (auto& frame : std::ranges::reverse_view(frames_)) {
            if (frame.loop == nullptr) {
                site.count = frame.truth * site.count;
                site.conditions.insert(site.conditions.begin(), frame.text);
            } else {
                site.count = sum_over(frame.trips, frame.index, site.count);
                site.loops.insert(site.loops.begin(), frame.loop);
            }
        }
        use.sites.push_back(std::move(site));
    }

    const Role& role_;
    std::vector<Frame> frames_;
    int loops_ = 0;
};

std::string header(const For& loop) {
    return fmt::format("for {} in {}{}..{}{}", loop.var, loop.reversed ? "reversed " : "",
                       ir::to_string(as_written(loop.begin)), ir::to_string(as_written(loop.end)),
                       loop.step == 1 ? "" : fmt::format(" by {}", loop.step));
}

std::string around(const Site& site) {
    std::string text;
    const auto add = [&](const std::string& part) {
        text += (text.empty() ? "`" : ", `") + part + "`";
    };
    for (const For* loop : site.loops) add(header(*loop));
    for (const std::string& condition : site.conditions) add("if " + condition);
    return text;
}

// The comparison of one reader with the writer.
class Comparison {
public:
    Comparison(const Pipeline& pipeline, const Use& writer, const Use& reader, const Facts& facts,
               bool stated)
        : stated_(stated),
          pipeline_(pipeline),
          writer_(writer),
          reader_(reader),
          facts_(facts),
          made_(facts.simplify(writer.count())),
          taken_(facts.simplify(reader.count())) {}

    Obligation decide(Diagnostics& diag, const TryWitness& trial) {
        Obligation result{fmt::format("`{2}` consumes the elements of `{0}` that `{1}` produces",
                                      pipeline_.name, writer_.role->name, reader_.role->name),
                          Verdict::proved,
                          reader_.sites[0].span,
                          {}};
        if (facts_.prove_equal(made_, taken_)) {
            result.text = made_ == taken_
                              ? to_string(made_) + " on both sides"
                              : fmt::format("{} = {}", to_string(made_), to_string(taken_));
            return result;
        }
        auto witness =
            facts_.find({negation(equals_zero(made_ - taken_))},
                        static_cast<int>(std::min<std::int64_t>(2 * pipeline_.stages, 8)));
        if (witness && !is_refuted(trial, witness->values)) witness.reset();
        if (!witness && stated_) {
            result.verdict = Verdict::trusted;
            result.text = fmt::format("{} against {}, stated; checked when emulated",
                                      to_string(made_), to_string(taken_));
            return result;
        }
        result.verdict = witness ? Verdict::refuted : Verdict::undecided;
        result.text = witness ? refute(*witness, diag) : give_up(diag);
        if (witness) result.witness = witness->values;
        return result;
    }

private:
    std::string refute(const Witness& point, Diagnostics& diag) {
        const auto shown = [&](const NormalForm& x) {
            const auto value = evaluate(x, point.leaves());
            return value ? std::to_string(*value) : to_string(x);
        };
        const std::string where = point.text.empty() ? "in every program" : "when " + point.text;
        const std::string made = shown(made_);
        auto builder =
            diag.error(reader_.sites[0].span, msg::counts_differ, where, writer_.role->name,
                       made + (made == "1" ? " element" : " elements"), pipeline_.name,
                       reader_.role->name, shown(taken_));
        label(builder);
        report_wraps(builder, facts_.apply(made_ - taken_));
        advise(builder);
        return fmt::format("{}: {} produced, {} consumed", where, shown(made_), shown(taken_));
    }

    std::string give_up(Diagnostics& diag) {
        const std::string stopped = obstacle();
        auto builder = diag.error(reader_.sites[0].span, msg::counts_not_shown, writer_.role->name,
                                  pipeline_.name, reader_.role->name, stopped);
        label(builder);
        builder.note("in every program, the producer produces {} and the consumer consumes {}",
                     to_string(made_), to_string(taken_));
        report_wraps(builder, facts_.apply(made_ - taken_));
        advise(builder);
        builder.help(
            "if they are equal for a reason that tkc cannot see, write `trusts balanced({})`",
            pipeline_.name);
        return fmt::format("{} against {}: the proof stopped at `{}`", to_string(made_),
                           to_string(taken_), stopped);
    }

    // The first atom that is in the difference, the sums and loads before plain names.
    std::string obstacle() const {
        for (const Use* use : {&writer_, &reader_}) {
            for (const Site& site : use->sites) {
                if (site.count.is_unknown() && !site.loops.empty()) return header(*site.loops[0]);
            }
        }
        const NormalForm difference = facts_.apply(made_ - taken_);
        std::string best = to_string(difference);
        int rank = -1;
        for (const auto& [monomial, coefficient] : difference.terms()) {
            for (const Atom& a : monomial) {
                const int here = a->kind == AtomKind::sum                                      ? 3
                                 : a->kind == AtomKind::opaque || a->kind == AtomKind::wrapped ? 2
                                 : a->kind == AtomKind::symbol                                 ? 0
                                                                                               : 1;
                if (here > rank) {
                    rank = here;
                    best = a->truth ? to_string_truth(NormalForm(a)) : to_string(NormalForm(a));
                }
            }
        }
        return best;
    }

    void label(DiagnosticBuilder& builder) const {
        for (const Use* use : {&writer_, &reader_}) {
            for (std::size_t i = 0; i < use->sites.size() && i < 4; ++i) {
                const Site& site = use->sites[i];
                const std::string text = fmt::format("`{}` {} {} here", use->role->name,
                                                     use == &writer_ ? "produces" : "consumes",
                                                     to_string(facts_.simplify(site.count)));
                if (use == &reader_ && i == 0) {
                    builder.primary(text);
                } else {
                    builder.label(site.span, text);
                }
            }
        }
    }

    // The first number among what the counts are made of that a role computes for itself.
    std::pair<std::string, std::string> own_number() const {  // the role and the number
        std::pair<std::string, std::string> found;
        visit_atoms(made_ - taken_, [&](const Atom& a) {
            const bool own = a->kind == AtomKind::load && a->name[0] == unknown_number_mark;
            const std::string name = own ? a->name.substr(1) : "";
            if (own && found.second.empty())
                found = {name.substr(0, name.find('.')), written_name(name)};
        });
        return found;
    }

    void advise(DiagnosticBuilder& builder) const {
        if (const auto [role, own] = own_number(); !own.empty()) {
            builder.help(
                "only `{}` knows `{}`, at run time: let both sides depend only on extents, "
                "parameters, loop variables and elements of read-only tensors",
                role, own);
            return;
        }
        const Site& w = writer_.sites[0];
        const Site& r = reader_.sites[0];
        const std::string outer = around(w);
        const std::string inner = around(r);
        if (writer_.sites.size() == 1 && reader_.sites.size() == 1 && outer != inner) {
            builder.help(
                "both sides must iterate over the same range under the same conditions: `{}` is in "
                "{}, `{}` is in {}",
                writer_.role->name, outer.empty() ? "no loop" : outer, reader_.role->name,
                inner.empty() ? "no loop" : inner);
        } else {
            builder.help(
                "consume as many elements of `{}` as are produced, under the same conditions",
                pipeline_.name);
        }
    }

    bool stated_;
    const Pipeline& pipeline_;
    const Use& writer_;
    const Use& reader_;
    const Facts& facts_;
    NormalForm made_;
    NormalForm taken_;
};

// One writer and at least one reader, another role or one of warpgroups: for IR that comes as text,
// since the front end has looked already.
bool check_ends(const Pipeline& pipeline, const std::vector<const Use*>& writers,
                const std::vector<const Use*>& readers, Diagnostics& diag) {
    if (writers.empty()) {
        diag.error(pipeline.span, msg::pipeline_never_filled, pipeline.name)
            .help("write `produce {} = …;` in one role, or remove the pipeline", pipeline.name);
        return false;
    }
    if (writers.size() > 1) {
        diag.error(writers[1]->sites[0].span, msg::pipeline_two_writers, pipeline.name)
            .label(writers[0]->sites[0].span, "`{}` produces it here", writers[0]->role->name)
            .help("give each writing role its own pipeline");
        return false;
    }
    if (readers.empty()) {
        diag.error(pipeline.span, msg::pipeline_never_read, pipeline.name)
            .label(writers[0]->sites[0].span, "produced here")
            .help("consume it in another role, or remove it");
        return false;
    }
    for (const Use* reader : readers) {
        if (reader->role != writers[0]->role || reader->role->reads_own_pipelines()) continue;
        diag.error(reader->sites[0].span, msg::pipeline_read_by_writer, reader->role->name,
                   pipeline.name)
            .label(writers[0]->sites[0].span, "produced here")
            .help(
                "a role keeps its own tiles with `let` and `shared`; a pipeline leads to another "
                "role");
        return false;
    }
    return true;
}

}  // namespace

bool is_balanced(const Kernel& kernel, const Pipeline& pipeline, const Bindings& bindings,
                 const Facts& facts) {
    std::optional<NormalForm> count;
    std::vector<NormalForm> others;
    for (const Role& role : kernel.roles) {
        Counter counter(role);
        counter.run(bindings);
        const auto made = counter.made.find(pipeline.name);
        const auto taken = counter.taken.find(pipeline.name);
        if (made != counter.made.end()) count = made->second.count();
        if (taken != counter.taken.end()) others.push_back(taken->second.count());
    }
    return count && std::all_of(others.begin(), others.end(), [&](const NormalForm& other) {
               return facts.prove_equal(*count, other);
           });
}

bool is_roomy(const Kernel& kernel, const Pipeline& pipeline, const Bindings& bindings,
              const Facts& facts) {
    for (const Role& role : kernel.roles) {
        Counter counter(role);
        counter.run(bindings);
        const auto made = counter.made.find(pipeline.name);
        if (made == counter.made.end()) continue;
        return facts.prove_at_least(NormalForm(pipeline.stages) - made->second.count(), 0);
    }
    return true;
}

bool states_balance(const Kernel& kernel, const Pipeline& pipeline) {
    return std::any_of(kernel.trusted.begin(), kernel.trusted.end(), [&](const Trusted& t) {
        return t.fact == "balanced" && t.tensor == pipeline.name;
    });
}

bool check_counts(const Kernel& kernel, Diagnostics& diag, std::vector<Obligation>* obligations,
                  const TryWitness& trial) {
    if (kernel.pipelines.empty()) return true;
    const Bindings bindings = bindings_of(kernel);
    const Facts facts = facts_of(kernel, bindings);
    std::vector<Counter> counters;
    for (const Role& role : kernel.roles) {
        counters.emplace_back(role);
        counters.back().run(bindings);
    }
    bool good = true;
    for (const Pipeline& pipeline : kernel.pipelines) {
        std::vector<const Use*> writers;
        std::vector<const Use*> readers;
        for (const Counter& c : counters) {
            if (const auto w = c.made.find(pipeline.name); w != c.made.end())
                writers.push_back(&w->second);
            if (const auto r = c.taken.find(pipeline.name); r != c.taken.end())
                readers.push_back(&r->second);
        }
        if (!check_ends(pipeline, writers, readers, diag)) {
            good = false;
            continue;
        }
        for (const Use* reader : readers) {
            const Obligation decided =
                Comparison(pipeline, *writers[0], *reader, facts, states_balance(kernel, pipeline))
                    .decide(diag, trial);
            good =
                good && (decided.verdict == Verdict::proved || decided.verdict == Verdict::trusted);
            if (obligations != nullptr) obligations->push_back(decided);
        }
    }
    return good;
}

}  // namespace tkc::checks
