// From scheduled IR to abstract processes, and the alignment of their loops.
#include "checks/scheduled/protocol.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "ir/completion.h"
#include "ir/walk.h"

namespace tkc::checks {

namespace {

using namespace ir;

constexpr std::int64_t unrolled_at_most = 64;  // constant trip counts up to this are counted out
constexpr std::int64_t peeled_at_most = 4;
constexpr std::int64_t factor_at_most = 4;
constexpr std::int64_t turn_at_most = 16;

// The channels in which a role issues what can read stages until it completes: products, and bulk
// stores whose buffer lies over stages.
class CountedChannels {
public:
    explicit CountedChannels(const Role& role) {
        walk_only<TmaStore>(role.body, [&](const TmaStore& store) {
            stores_ = stores_ || static_cast<bool>(store.held);
        });
    }
    bool contain(Channel channel) const {
        return channel == Channel::products || (channel == Channel::store_reads && stores_);
    }

private:
    bool stores_ = false;
};

// The channel in which the wait is for what may read stages.
Channel waited_channel(const Wait& wait) {
    return completes_before(wait.channel).value_or(wait.channel);
}

bool concerns_pipelines(const Op& op, const CountedChannels& counted) {
    const Wait* wait = as<Wait>(op);
    bool found = as<Acquire>(op) || as<Publish>(op) || as<Take>(op) || as<Release>(op) ||
                 (wait != nullptr && counted.contain(waited_channel(*wait)));
    for (const Channel channel : channels_of(op)) found = found || counted.contain(channel);
    for_each_block(op, [&](const Block& inner) {
        for (const Op& x : inner) found = found || concerns_pipelines(x, counted);
    });
    return found;
}

// Streams by the order in which they are met; the second pass knows what the first learned of
// each.
struct Streams {
    // How the trips of a stream's first user follow from those of the one that runs least: factor
    // * trips + excess.
    struct Relation {
        std::int64_t excess = 0;
        std::int64_t factor = 1;
        std::optional<NormalForm> fewest = {};  // the trips of that one, where they are known
    };
    bool last = false;  // the pass: what is learned now comes too late
    std::vector<Stream> list;
    std::vector<Relation> found;
    std::vector<Relation> learned;

    int add(Stream stream) {
        list.push_back(std::move(stream));
        found.push_back(list.size() <= learned.size() ? learned[list.size() - 1] : Relation{});
        return static_cast<int>(list.size()) - 1;
    }
    bool all_plain() const {
        return std::all_of(found.begin(), found.end(),
                           [](const Relation& r) { return r.excess == 0 && r.factor == 1; });
    }
};

class Abstraction {
public:
    Abstraction(const Kernel& kernel, const Role& role, int number, const Facts& facts,
                Streams& streams)
        : kernel_(kernel),
          role_(role),
          number_(number),
          facts_(facts),
          streams_(streams),
          counted_(role) {
        process_.role = &role;
    }

    Process run(const Bindings& bindings) {
        slots_.assign(role_.values.size(), -1);
        walk(role_.body, [&](const Op& op) { find_slots(op); });
        block(role_.body, bindings, "");
        emit(Step{Step::Kind::end}, role_.span);
        return std::move(process_);
    }

private:
    void find_slots(const Op& op) {
        const auto add = [&](Value v) {
            if (v && slots_[v.id] < 0) slots_[v.id] = process_.slots++;
        };
        if (const auto* field = as<Field>(op)) add(field->result);
        if (const auto* window = as<ir::Window>(op); window && slot(window->source) >= 0)
            add(window->result);
        for_each_value(op, [&](Value v) {
            if (v && std::holds_alternative<ElementType>(role_[v].type)) add(v);
        });
    }

    int slot(Value v) const { return v ? slots_[v.id] : -1; }

    int pipeline(const std::string& name) const {
        for (std::size_t i = 0; i < kernel_.pipelines.size(); ++i) {
            if (kernel_.pipelines[i].name == name) return static_cast<int>(i);
        }
        return -1;
    }

    int emit(Step step, Span span) {
        step.span = span;
        process_.code.push_back(std::move(step));
        return static_cast<int>(process_.code.size()) - 1;
    }
    Step& at_step(int place) { return process_.code[static_cast<std::size_t>(place)]; }
    int here() const { return static_cast<int>(process_.code.size()); }

    void block(const Block& ops, Bindings bindings, const std::string& surroundings) {
        for (const Op& op : ops) {
            if (names_number(op)) {
                bindings = bindings_of({op}, std::move(bindings));
            } else if (const For* loop = as<For>(op)) {
                if (concerns_pipelines(op, counted_))
                    add_loop(*loop, op.span, bindings, surroundings);
            } else if (const If* branch = as<If>(op)) {
                if (concerns_pipelines(op, counted_))
                    add_choice(*branch, op.span, bindings, surroundings);
            } else {
                add_plain(op);
            }
        }
    }

    void add_plain(const Op& op) {
        if (const auto* a = as<Acquire>(op)) {
            emit({.kind = Step::Kind::acquire,
                  .pipeline = pipeline(a->pipeline),
                  .slot = slot(a->result)},
                 op.span);
        } else if (const auto* p = as<Publish>(op)) {
            emit({.kind = Step::Kind::publish, .pipeline = pipeline(p->pipeline)}, op.span);
        } else if (const Take* t = as<Take>(op)) {
            emit({.kind = Step::Kind::take,
                  .pipeline = pipeline(t->pipeline),
                  .slot = slot(t->result)},
                 op.span);
        } else if (const auto* r = as<Release>(op)) {
            emit({.kind = Step::Kind::release, .slot = slot(r->element)}, op.span);
        } else if (const auto* f = as<Field>(op)) {
            emit({.kind = Step::Kind::alias, .slot = slot(f->result), .other = slot(f->element)},
                 op.span);
        } else if (const auto* view = as<ir::Window>(op)) {
            if (slot(view->source) < 0) return;
            emit({.kind = Step::Kind::alias,
                  .slot = slot(view->result),
                  .other = slot(view->source)},
                 op.span);
        } else if (const Copy* c = as<Copy>(op); c && slot(c->result) >= 0) {
            emit({.kind = Step::Kind::alias, .slot = slot(c->result), .other = slot(c->source)},
                 op.span);
        } else if (const Wait* w = as<Wait>(op)) {
            const Channel channel = waited_channel(*w);
            if (!counted_.contain(channel)) return;
            emit({.kind = Step::Kind::wait, .channel = channel, .count = w->pending}, op.span);
        } else {
            std::vector<int> used;
            for_each_operand(op, [&](Value v) {
                if (slot(v) >= 0) used.push_back(slot(v));
            });
            bool issued = false;
            for (const Channel channel : channels_of(op)) {
                if (!counted_.contain(channel)) continue;
                // An ordinary store is over; the group that it closes holds nothing.
                const bool holds = as<CopyStore>(op) == nullptr;
                emit({.kind = Step::Kind::issue,
                      .channel = channel,
                      .slots = holds ? used : std::vector<int>{}},
                     op.span);
                issued = holds;
            }
            if (!issued && !used.empty()) {
                emit({.kind = Step::Kind::use, .slots = std::move(used)}, op.span);
            }
        }
    }

    // ---- loops ----

    void add_loop(const For& loop, Span span, const Bindings& bindings,
                  const std::string& surroundings) {
        const NormalForm begin = normal_form(loop.begin, bindings);
        const NormalForm end = normal_form(loop.end, bindings);
        AbstractLoop abstract;
        abstract.name = loop.var;
        abstract.trips = facts_.simplify(trip_count(begin, end, loop.step));
        abstract.outer = around_;
        std::int64_t constant = 0;
        if (abstract.trips.is_constant(&constant) && constant <= unrolled_at_most) {
            if (constant <= 0) return;
            abstract.fixed = abstract.cap = constant;
        } else if (facts_.prove_at_least(begin - end, 0)) {
            return;  // it takes no step
        } else {
            align(abstract, surroundings);
        }
        const int id = static_cast<int>(process_.loops.size());
        // Iterations have a name that other roles share, if the loop is the same in them.
        abstract.index = abstract.fixed < 0 && abstract.factor == 1
                             ? fmt::format("@{}", abstract.stream)
                             : fmt::format("@{}.{}", number_, id);
        const NormalForm number = symbol_form(abstract.index) + NormalForm(abstract.skip);
        const NormalForm forward = loop.reversed ? abstract.trips - NormalForm(1) - number : number;
        Bindings inside = bindings;
        inside[loop.var] = begin + NormalForm(loop.step) * forward;
        const std::string inner =
            surroundings + (abstract.fixed >= 0 ? fmt::format("/{}x", constant)
                                                : fmt::format("/{}+{}*{}", abstract.stream,
                                                              abstract.skip, abstract.factor));
        process_.loops.push_back(std::move(abstract));

        around_.push_back(id);
        emit({.kind = Step::Kind::enter, .loop = id}, span);
        const int head = emit({.kind = Step::Kind::head, .loop = id}, span);
        block(loop.body, inside, inner);
        emit({.kind = Step::Kind::jump, .target = head}, span);
        at_step(head).target = here();
        around_.pop_back();
    }

    // Finds the stream of a loop that runs as often, or a few times more or less often, or a
    // multiple of that.
    void align(AbstractLoop& loop, const std::string& surroundings) {
        for (std::size_t s = 0; s < streams_.list.size(); ++s) {
            Stream& stream = streams_.list[s];
            const bool taken =
                std::count(stream.readers.begin(), stream.readers.end(), number_) != 0;
            if (!stream.is_loop || taken || stream.surroundings != surroundings) continue;
            if (!fits(loop, stream, s)) continue;
            loop.stream = static_cast<int>(s);
            stream.readers.push_back(number_);
            return;
        }
        loop.stream = streams_.add({true, loop.trips, surroundings, {number_}, false});
        Stream& stream = streams_.list.back();
        const auto [excess, factor, known] = streams_.found.back();
        const NormalForm fewest =
            known ? *known
                  : facts_.simplify(quotient(loop.trips - NormalForm(excess), NormalForm(factor)));
        const bool holds =
            facts_.prove_at_least(fewest, 0) &&
            facts_.prove_equal(loop.trips, NormalForm(factor) * fewest + NormalForm(excess));
        if (holds) {
            stream.value = fewest;
            loop.skip = excess;
            loop.factor = factor;
        }
        stream.never_empty = facts_.prove_at_least(stream.value, 1);
        for (std::int64_t most = peeled_at_most; most > 0; --most) {
            if (!facts_.prove_at_least(NormalForm(most) - stream.value, 0)) break;
            stream.at_most = most;
        }
    }

    bool fits(AbstractLoop& loop, const Stream& stream, std::size_t s) {
        if (facts_.prove_equal(loop.trips, stream.value)) return true;
        std::int64_t more = 0;
        const NormalForm difference = loop.trips - stream.value;
        // Equal but for a constant, perhaps only by the facts (max(1, n) - 1 against n, where n >=
        // 1).
        for (std::int64_t k = 1; k <= peeled_at_most; ++k) {
            for (const std::int64_t d : {k, -k}) {
                if (difference.is_constant(&more)
                        ? more != d
                        : !facts_.prove_equal(difference, NormalForm(d))) {
                    continue;
                }
                if (d > 0) {
                    loop.skip = d;
                } else if (streams_.last) {
                    return false;
                } else {
                    streams_.found[s].excess =
                        std::max(streams_.found[s].excess, -d);  // for the second pass
                }
                return true;
            }
        }
        for (std::int64_t f = 2; f <= factor_at_most; ++f) {
            if (facts_.prove_equal(loop.trips, NormalForm(f) * stream.value)) {
                loop.factor = f;
                return true;
            }
            if (!streams_.last && facts_.prove_equal(NormalForm(f) * loop.trips, stream.value)) {
                streams_.found[s].factor = std::max(streams_.found[s].factor, f);
                return true;
            }
        }
        // Both: an odd number of steps, two at a time.
        for (std::int64_t f = 2; f <= factor_at_most; ++f) {
            for (std::int64_t d = 1; d < f; ++d) {
                const NormalForm scale(f);
                if (facts_.prove_equal(loop.trips, scale * stream.value + NormalForm(d))) {
                    loop.factor = f;
                    loop.skip = d;
                    return true;
                }
                if (!streams_.last &&
                    facts_.prove_equal(scale * loop.trips + NormalForm(d), stream.value)) {
                    streams_.found[s] = {d, f, loop.trips};
                    return true;
                }
            }
        }
        return false;
    }

    // ---- conditions ----

    void add_choice(const If& branch, Span span, const Bindings& bindings,
                    const std::string& surroundings) {
        const NormalForm condition =
            facts_.apply(facts_.simplify(normal_form(branch.condition, bindings)));
        std::int64_t constant = 0;
        if (condition.is_constant(&constant)) {
            block(constant != 0 ? branch.then_body : branch.else_body, bindings, surroundings);
            return;
        }
        Choice choice{condition, -1, false, around_};
        if (!decided_by_numbers(condition)) align(choice, surroundings);
        const std::string place = choice.stream < 0
                                      ? fmt::format("/{}?{}", number_, process_.choices.size())
                                      : fmt::format("/{}", choice.stream);
        const std::string yes = surroundings + place + (choice.inverted ? "-" : "+");
        const std::string no = surroundings + place + (choice.inverted ? "+" : "-");
        const int id = static_cast<int>(process_.choices.size());
        process_.choices.push_back(std::move(choice));

        const int test = emit({.kind = Step::Kind::branch, .choice = id}, span);
        block(branch.then_body, bindings, yes);
        const int skip = emit({.kind = Step::Kind::jump}, span);
        at_step(test).target = here();
        block(branch.else_body, bindings, no);
        at_step(skip).target = here();
    }

    void align(Choice& choice, const std::string& surroundings) {
        for (std::size_t s = 0; s < streams_.list.size(); ++s) {
            Stream& stream = streams_.list[s];
            const bool taken =
                std::count(stream.readers.begin(), stream.readers.end(), number_) != 0;
            if (stream.is_loop || taken || stream.surroundings != surroundings) continue;
            const bool same = choice.condition == stream.value;
            if (!same && !(choice.condition == negation(stream.value))) continue;
            choice.inverted = !same;
            choice.stream = static_cast<int>(s);
            stream.readers.push_back(number_);
            return;
        }
        choice.stream = streams_.add({false, choice.condition, surroundings, {number_}, false});
    }

    // Whether every comparison is of one iteration number with a constant. Then the loops need
    // count only as far as the comparisons can change.
    bool decided_by_numbers(const NormalForm& condition) {
        std::vector<std::pair<AbstractLoop*, std::int64_t>> caps;
        for (const auto& [monomial, coefficient] : condition.terms()) {
            for (const Atom& a : monomial) {
                if (a->kind != AtomKind::nonnegative && a->kind != AtomKind::zero) return false;
                const NormalForm& x = a->parts[0];
                if (AbstractLoop* turning = repeats(x)) {
                    caps.emplace_back(turning, turning->skip);
                    continue;
                }
                const Atom number = x.terms().begin()->first[0];
                const std::int64_t scale = x.terms().begin()->second;
                const bool linear = x.terms().begin()->first.size() == 1 &&
                                    x.terms().size() <= (x.constant() != 0 ? 2U : 1U);
                AbstractLoop* loop = linear ? loop_of(number) : nullptr;
                if (loop == nullptr) return false;
                const std::int64_t turn = std::abs(x.constant()) / scale + 2 + loop->skip;
                if (turn > unrolled_at_most) return false;
                caps.emplace_back(loop, turn);
            }
        }
        for (const auto& [loop, turn] : caps) loop->cap = std::max(loop->cap, turn);
        return true;
    }

    // The loop of whose iteration number x is the remainder, up to constants: it says the same
    // every few iterations.
    AbstractLoop* repeats(const NormalForm& x) {
        Atom number = nullptr;
        Atom part = nullptr;
        std::int64_t scale = 0;
        std::int64_t of_part = 0;
        for (const auto& [monomial, coefficient] : x.terms()) {
            if (monomial.empty()) continue;
            const bool quotient = monomial.size() == 1 && monomial[0]->kind == AtomKind::quotient;
            if (monomial.size() != 1 || (quotient ? part : number) != nullptr) return nullptr;
            (quotient ? part : number) = monomial[0];
            (quotient ? of_part : scale) = coefficient;
        }
        std::int64_t turn = 0;
        if (number == nullptr || part == nullptr || !part->parts[1].is_constant(&turn) ||
            turn > turn_at_most) {
            return nullptr;
        }
        const std::int64_t inside = part->parts[0].coefficient(Monomial({number}));
        const NormalForm shift = part->parts[0] - NormalForm(inside) * NormalForm(number);
        if (!shift.is_constant() || scale * turn + of_part * inside != 0) return nullptr;
        AbstractLoop* loop = loop_of(number);
        if (loop != nullptr) loop->turn = std::lcm(loop->turn, turn);
        return loop;
    }

    AbstractLoop* loop_of(const Atom& number) {
        for (const int id : around_) {
            AbstractLoop& loop = process_.loops[static_cast<std::size_t>(id)];
            if (number->kind == AtomKind::symbol && number->name == loop.index) return &loop;
        }
        return nullptr;
    }

    const Kernel& kernel_;
    const Role& role_;
    int number_;
    const Facts& facts_;
    Streams& streams_;
    Process process_;
    CountedChannels counted_;
    std::vector<int> slots_;   // by value
    std::vector<int> around_;  // loops
};

void find_ends(Network& network) {
    const std::size_t pipelines = network.kernel->pipelines.size();
    network.writer.assign(pipelines, -1);
    network.readers.assign(pipelines, {});
    for (std::size_t p = 0; p < network.processes.size(); ++p) {
        for (const Step& step : network.processes[p].code) {
            if (step.pipeline < 0) continue;
            const auto pipeline = static_cast<std::size_t>(step.pipeline);
            auto& readers = network.readers[pipeline];
            if (step.kind == Step::Kind::acquire) {
                network.writer[pipeline] = static_cast<int>(p);
            } else if (step.kind == Step::Kind::take &&
                       (readers.empty() || readers.back() != static_cast<int>(p))) {
                readers.push_back(static_cast<int>(p));
            }
        }
    }
}

void truths_in(const Block& ops, Bindings bindings, const Facts& facts,
               const CountedChannels& counted, int* fresh, std::vector<Atom>& out) {
    for (const Op& op : ops) {
        if (names_number(op)) {
            bindings = bindings_of({op}, std::move(bindings));
        } else if (const For* loop = as<For>(op)) {
            Bindings inside = bindings;
            inside[loop->var] = symbol_form("@" + std::to_string(++*fresh));
            if (concerns_pipelines(op, counted))
                truths_in(loop->body, inside, facts, counted, fresh, out);
        } else if (const If* branch = as<If>(op); branch && concerns_pipelines(op, counted)) {
            const NormalForm condition = facts.simplify(normal_form(branch->condition, bindings));
            for (const auto& [monomial, coefficient] : condition.terms()) {
                for (const Atom& a : monomial) {
                    bool of_loop = a->key.find('@') != std::string::npos;
                    for (const Atom& known : out) of_loop = of_loop || known->key == a->key;
                    if (a->truth && !of_loop) out.push_back(a);
                }
            }
            truths_in(branch->then_body, bindings, facts, counted, fresh, out);
            truths_in(branch->else_body, bindings, facts, counted, fresh, out);
        }
    }
}

}  // namespace

Network network_of(const Kernel& kernel, const Bindings& bindings, const Facts& facts) {
    // Once to learn which user of each stream runs least often, once for good.
    Streams streams;
    Network network;
    for (const int pass : {1, 2}) {
        streams = pass == 1 ? Streams{} : Streams{true, {}, {}, streams.found};
        network = Network{&kernel, {}, {}, {}, {}};
        for (std::size_t i = 0; i < kernel.roles.size(); ++i) {
            Abstraction role(kernel, kernel.roles[i], static_cast<int>(i), facts, streams);
            network.processes.push_back(role.run(bindings));
        }
        if (streams.all_plain()) break;
    }
    network.streams = std::move(streams.list);
    find_ends(network);
    return network;
}

std::vector<Atom> constant_truths(const Kernel& kernel, const Bindings& bindings,
                                  const Facts& facts) {
    std::vector<Atom> truths;
    int fresh = 0;
    for (const Role& role : kernel.roles)
        truths_in(role.body, bindings, facts, CountedChannels(role), &fresh, truths);
    return truths;
}

}  // namespace tkc::checks
