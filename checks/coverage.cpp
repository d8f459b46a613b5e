// Every element of an output is written, and by one program only.
//
// Proved from the form of a store: its position along an axis is a sum of strides times the numbers
// of grid or loop iterations, and sorted by stride each is the length of what the ones before it
// fill together (tiles, chunks, mixed radix). Refuted by small extents for which the boxes written
// by all programs are listed and compared. Else undecided, which is no error.
#include <fmt/format.h>

#include <algorithm>

#include "checks/check.h"
#include "ir/walk.h"

namespace tkc::checks {

namespace {

using namespace ir;

constexpr std::size_t boxes_at_most = 400;
constexpr std::size_t steps_at_most = 100000;  // of the loops that are walked to list them

/// A number that runs over 0 .. trips - 1: of a grid axis or a loop.
struct CountedLoop {
    std::string index;
    NormalForm trips;
    bool of_grid = false;
    std::string var;  // the variable and its first value and step, for people
    NormalForm begin;
    std::int64_t step = 1;
};

struct Axis {
    NormalForm base;  // over the counters' numbers
    std::int64_t length = 1;
    NormalForm extent;
    bool whole = false;
};

struct StoreSite {
    Span span;
    const Tensor* tensor = nullptr;
    std::vector<Axis> axes;
    std::vector<CountedLoop> counters;  // grid, then loops from outside in
    NormalForm condition = NormalForm(1);
};

/// Finds the stores of a kernel to tensors that a program owns.
class Finder {
public:
    explicit Finder(const Kernel& kernel) : kernel_(kernel) {}

    std::vector<StoreSite> run() {
        Bindings bindings = bindings_of(kernel_);
        for (const GridAxis& axis : kernel_.grid) {
            enter(axis.var, axis.begin, axis.end, axis.step, true, bindings);
        }
        bindings = bindings_of(kernel_.lets, bindings);  // again: now over the numbers of the grid
        for (const Role& role : kernel_.roles) block(role.body, bindings, NormalForm(1));
        return std::move(sites_);
    }

private:
    void enter(const std::string& var, const Scalar& begin, const Scalar& end, std::int64_t step,
               bool of_grid, Bindings& bindings) {
        const NormalForm first = normal_form(begin, bindings);
        const std::string index = fmt::format("{}#{}", var, ++fresh_);
        counters_.push_back({index, trip_count(first, normal_form(end, bindings), step), of_grid,
                             var, first, step});
        bindings[var] = first + NormalForm(step) * symbol_form(index);
    }

    void block(const Block& ops, Bindings bindings, const NormalForm& condition) {
        for (const Op& op : ops) {
            if (as<Let>(op)) {
                bindings = bindings_of({op}, std::move(bindings));
            } else if (const For* loop = as<For>(op)) {
                Bindings inside = bindings;
                enter(loop->var, loop->begin, loop->end, loop->step, false, inside);
                block(loop->body, inside, condition);
                counters_.pop_back();
            } else if (const If* branch = as<If>(op)) {
                const NormalForm truth = normal_form(branch->condition, bindings);
                block(branch->then_body, bindings, condition * truth);
                block(branch->else_body, bindings, condition * negation(truth));
            } else if (const auto* store = as<Store>(op)) {
                add(*store, op.span, bindings, condition);
            }
        }
    }

    void add(const Store& store, Span span, const Bindings& bindings, const NormalForm& condition) {
        const Tensor* tensor = find_tensor(kernel_, store.target.tensor);
        if (tensor == nullptr || (tensor->mode != Mode::out && tensor->mode != Mode::inout)) return;
        StoreSite site{span, tensor, {}, counters_, condition};
        for (std::size_t i = 0; i < store.target.ranges.size(); ++i) {
            const Range& r = store.target.ranges[i];
            const bool whole = r.kind == Range::Kind::whole;
            site.axes.push_back({whole ? NormalForm(0) : normal_form(r.base, bindings), r.length,
                                 normal_form(tensor->extents[i], bindings), whole});
        }
        sites_.push_back(std::move(site));
    }

    const Kernel& kernel_;
    std::vector<CountedLoop> counters_;
    std::vector<StoreSite> sites_;
    int fresh_ = 0;
};

/// The factor of the number in a form linear in it, if it is.
std::optional<NormalForm> stride_of(const NormalForm& x, const std::string& index) {
    const NormalForm at_zero = substitute(x, {{index, NormalForm(0)}});
    const NormalForm stride = substitute(x, {{index, NormalForm(1)}}) - at_zero;
    if (!(at_zero + stride * symbol_form(index) == x)) return std::nullopt;
    return stride;
}

/// What is missing for a proof: truths under which a refutation is likely.
struct Attempt {
    bool proved = true;
    std::vector<NormalForm> doubts;
};

/// One axis: the counters in it, from the smallest stride, fill it without a gap. Uses up those it
/// finds.
void prove_axis(const StoreSite& site, const Axis& axis, const Facts& facts,
                std::vector<bool>& used, Attempt& attempt) {
    if (axis.whole) return;
    NormalForm filled(axis.length);
    NormalForm rest = axis.base;
    for (bool grown = true; grown;) {
        grown = false;
        for (std::size_t i = 0; i < site.counters.size(); ++i) {
            const CountedLoop& c = site.counters[i];
            if (!mentions(rest, c.index)) continue;
            const auto stride = stride_of(rest, c.index);
            if (!stride || !facts.prove_equal(*stride, filled)) continue;
            if (used[i]) attempt.proved = false;
            used[i] = grown = true;
            filled = filled * c.trips;
            rest = substitute(rest, {{c.index, NormalForm(0)}});
        }
    }
    if (!rest.is_zero()) attempt.proved = false;
    if (facts.prove_at_least(filled - axis.extent, 0)) return;
    attempt.proved = false;
    attempt.doubts.push_back(at_least_zero(axis.extent - filled - NormalForm(1)));
}

Attempt prove(const StoreSite& site, const Facts& facts) {
    Attempt attempt;
    std::vector<bool> used(site.counters.size(), false);
    for (const Axis& axis : site.axes) prove_axis(site, axis, facts, used, attempt);
    for (std::size_t i = 0; i < used.size(); ++i) {
        const CountedLoop& c = site.counters[i];
        if (used[i]) continue;
        // A loop that stores to one place again and again overwrites in order; but it must run.
        if (!c.of_grid && facts.prove_at_least(c.trips, 1)) continue;
        if (c.of_grid && facts.prove_at_least(-c.trips, -1)) continue;
        attempt.proved = false;
        attempt.doubts.push_back(c.of_grid ? at_least_zero(c.trips - NormalForm(2))
                                           : negation(at_least_zero(c.trips - NormalForm(1))));
    }
    if (!facts.prove(site.condition)) attempt.proved = false;
    return attempt;
}

// ---- refutation ----

struct Box {
    std::vector<std::int64_t> low, high;  // [low, high) by axis
    std::string program;
};

/// All boxes that the stores to one tensor write, for given extents.
class Listing {
public:
    explicit Listing(const Assignment& values) : values_(values) {}

    bool list(const StoreSite& site) { return walk(site, 0, ""); }
    std::vector<Box> boxes;

private:
    std::optional<std::int64_t> value(const NormalForm& x) const {
        return evaluate(x, [&](const std::string& name) -> std::optional<std::int64_t> {
            const auto found = values_.find(name);
            return found == values_.end() ? std::nullopt : std::optional(found->second);
        });
    }

    bool walk(const StoreSite& site, std::size_t depth, const std::string& program) {
        if (depth == site.counters.size()) return write(site, program);
        const CountedLoop& c = site.counters[depth];
        const auto trips = value(c.trips);
        if (!trips) return false;
        for (std::int64_t i = 0; i < *trips; ++i) {
            if (++steps_ > steps_at_most) return false;
            values_[c.index] = i;
            std::string name = program;
            if (c.of_grid) {
                const std::int64_t at = value(c.begin).value_or(0) + c.step * i;
                name += fmt::format("{}{} = {}", name.empty() ? "" : ", ", c.var, at);
            }
            if (!walk(site, depth + 1, name)) return false;
        }
        values_.erase(c.index);
        return true;
    }

    bool write(const StoreSite& site, const std::string& program) {
        const auto holds = value(site.condition);
        if (!holds) return false;
        if (*holds == 0) return true;
        Box box{{}, {}, program};
        for (const Axis& axis : site.axes) {
            const auto base = value(axis.base);
            const auto extent = value(axis.extent);
            if (!base || !extent) return false;
            box.low.push_back(std::max<std::int64_t>(*base, 0));
            box.high.push_back(std::min(*base + axis.length, *extent));
            if (box.low.back() >= box.high.back()) return true;  // all outside
        }
        boxes.push_back(std::move(box));
        return boxes.size() <= boxes_at_most;
    }

    Assignment values_;
    std::size_t steps_ = 0;
};

/// A cell of the grid that the boxes' edges make, in none of the boxes.
std::optional<Box> find_gap(const std::vector<Box>& boxes,
                            const std::vector<std::int64_t>& extents) {
    std::vector<std::vector<std::int64_t>> cuts;
    for (std::size_t a = 0; a < extents.size(); ++a) {
        if (extents[a] <= 0) return std::nullopt;
        cuts.push_back({0, extents[a]});
        for (const Box& b : boxes) {
            cuts[a].push_back(b.low[a]);
            cuts[a].push_back(b.high[a]);
        }
        std::sort(cuts[a].begin(), cuts[a].end());
        cuts[a].erase(std::unique(cuts[a].begin(), cuts[a].end()), cuts[a].end());
    }
    std::vector<std::size_t> at(extents.size(), 0);
    for (int budget = 4000; budget > 0; --budget) {
        Box cell{{}, {}, {}};
        for (std::size_t a = 0; a < at.size(); ++a) {
            cell.low.push_back(cuts[a][at[a]]);
            cell.high.push_back(cuts[a][at[a] + 1]);
        }
        const bool written = std::any_of(boxes.begin(), boxes.end(), [&](const Box& b) {
            for (std::size_t a = 0; a < at.size(); ++a) {
                if (cell.low[a] < b.low[a] || cell.high[a] > b.high[a]) return false;
            }
            return true;
        });
        if (!written) return cell;
        std::size_t a = 0;
        while (a < at.size() && at[a] + 2 == cuts[a].size()) at[a++] = 0;
        if (a == at.size()) return std::nullopt;
        ++at[a];
    }
    return std::nullopt;
}

struct Overlap {
    Box part;
    std::string first, second;
};
std::optional<Overlap> find_overlap(const std::vector<Box>& boxes) {
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        for (std::size_t j = i + 1; j < boxes.size(); ++j) {
            const Box& x = boxes[i];
            const Box& y = boxes[j];
            if (x.program == y.program) continue;
            Box part{{}, {}, {}};
            bool apart = false;
            for (std::size_t a = 0; a < x.low.size(); ++a) {
                part.low.push_back(std::max(x.low[a], y.low[a]));
                part.high.push_back(std::min(x.high[a], y.high[a]));
                apart = apart || part.low[a] >= part.high[a];
            }
            if (!apart) return Overlap{part, x.program, y.program};
        }
    }
    return std::nullopt;
}

std::string text_of(const Box& box, const std::vector<std::int64_t>& extents) {
    std::string text;
    for (std::size_t a = 0; a < extents.size(); ++a) {
        text += text.empty() ? "" : ", ";
        if (box.high[a] - box.low[a] == 1 && extents[a] > 1) {
            text += std::to_string(box.low[a]);
        } else if (box.low[a] == 0 && box.high[a] == extents[a]) {
            text += ":";
        } else {
            text += fmt::format("{} +: {}", box.low[a], box.high[a] - box.low[a]);
        }
    }
    if (text.find_first_not_of(":, ") == std::string::npos) return "all";
    return "part `[" + text + "]`";
}

/// One tensor's stores.
class Output {
public:
    Output(const Tensor& tensor, std::vector<const StoreSite*> sites, const Facts& facts)
        : tensor_(tensor), sites_(std::move(sites)), facts_(facts) {}

    Obligation decide(Diagnostics& diag) {
        Obligation result{
            fmt::format("`{}`: every element is written, by one program", tensor_.name),
            Verdict::undecided,
            sites_[0]->span,
            {}};
        std::vector<NormalForm> doubts;
        bool proved = sites_.size() == 1;
        for (const StoreSite* site : sites_) {
            const Attempt attempt = prove(*site, facts_);
            proved = proved && attempt.proved;
            doubts.insert(doubts.end(), attempt.doubts.begin(), attempt.doubts.end());
        }
        if (proved) {
            result.verdict = Verdict::proved;
            result.text = "the tiles fill it without a gap";
            return result;
        }
        for (const StoreSite* site : sites_) {
            for (const CountedLoop& c : site->counters) {
                if (c.of_grid) doubts.push_back(at_least_zero(c.trips - NormalForm(2)));
            }
        }
        doubts.emplace_back(1);
        for (const NormalForm& doubt : doubts) {
            if (refute(doubt, diag, &result)) return result;
        }
        result.text = "neither shown nor refuted by small extents; checked when emulated";
        return result;
    }

private:
    bool refute(const NormalForm& doubt, Diagnostics& diag, Obligation* result) const {
        std::vector<NormalForm> goals{doubt};
        for (const Axis& axis : sites_[0]->axes) {
            goals.push_back(at_least_zero(axis.extent - NormalForm(1)));
        }
        for (const CountedLoop& c : sites_[0]->counters) {
            if (c.of_grid) goals.push_back(at_least_zero(c.trips - NormalForm(1)));
        }
        for (const StoreSite* site : sites_) {  // so that every name they use has a value
            for (const NormalForm& truth : names_in(*site)) goals.push_back(truth);
        }
        const auto values = facts_.find(goals);
        if (!values) return false;
        Listing listing(values->values);
        for (const StoreSite* site : sites_) {
            if (!listing.list(*site)) return false;
        }
        std::vector<std::int64_t> extents;
        for (const Axis& axis : sites_[0]->axes) {
            const auto extent = evaluate(axis.extent, values->leaves());
            if (!extent) return false;
            extents.push_back(*extent);
        }
        const std::string where = values->text.empty() ? "in every launch" : "with " + values->text;
        return report(listing.boxes, extents, where, diag, result);
    }

    /// Truths that always hold and mention the names in conditions and loops of the site.
    static std::vector<NormalForm> names_in(const StoreSite& site) {
        std::set<std::string> names;
        const auto add = [&](const NormalForm& x) {
            visit_atoms(x, [&](const Atom& a) {
                const bool number = a->name.find('#') != std::string::npos;
                if (a->kind == AtomKind::symbol && !a->truth && !number) names.insert(a->name);
            });
        };
        add(site.condition);
        for (const Axis& axis : site.axes) add(axis.base);
        for (const CountedLoop& c : site.counters) add(c.trips);
        std::vector<NormalForm> truths;
        for (const std::string& name : names) {
            const NormalForm x = symbol_form(name);
            truths.push_back(negation(equals_zero(x * x + NormalForm(1))));
        }
        return truths;
    }

    bool report(const std::vector<Box>& boxes, const std::vector<std::int64_t>& extents,
                const std::string& where, Diagnostics& diag, Obligation* result) const {
        if (const auto overlap = find_overlap(boxes)) {
            const std::string part = text_of(overlap->part, extents);
            diag.error(sites_[0]->span, msg::written_by_two, part, tensor_.name, where)
                .note("by the program of {} and by the one of {}", overlap->first, overlap->second)
                .help("let every grid variable choose its own part of `{}`", tensor_.name);
            result->text = where + ": two programs write " + part;
            result->verdict = Verdict::refuted;
            return true;
        }
        if (tensor_.mode != Mode::out) return false;
        if (const auto gap = find_gap(boxes, extents)) {
            const std::string part = text_of(*gap, extents);
            diag.error(sites_[0]->span, msg::not_covered, part, tensor_.name, where)
                .label(tensor_.span, "an `out` tensor is written whole")
                .help(
                    "let the grid or a loop around the store cover all of `{}`, and store under "
                    "no condition",
                    tensor_.name);
            result->text = where + ": nobody writes " + part;
            result->verdict = Verdict::refuted;
            return true;
        }
        return false;
    }

    const Tensor& tensor_;
    std::vector<const StoreSite*> sites_;
    const Facts& facts_;
};

}  // namespace

bool check_coverage(const Kernel& kernel, Diagnostics& diag, std::vector<Obligation>* obligations) {
    const Facts facts = facts_of(kernel, bindings_of(kernel));
    const std::vector<StoreSite> sites = Finder(kernel).run();
    bool good = true;
    for (const Tensor& tensor : kernel.tensors) {
        std::vector<const StoreSite*> mine;
        for (const StoreSite& site : sites) {
            if (site.tensor == &tensor) mine.push_back(&site);
        }
        if (mine.empty()) continue;
        const Obligation decided = Output(tensor, mine, facts).decide(diag);
        good = good && decided.verdict != Verdict::refuted;
        if (obligations != nullptr) obligations->push_back(decided);
    }
    return good;
}

}  // namespace tkc::checks
