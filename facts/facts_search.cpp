// The search for a witness: small values of names and loads for which facts and goals hold.
#include <fmt/format.h>

#include <algorithm>
#include <bitset>
#include <mutex>
#include <unordered_set>

#include "facts/facts.h"
#include "facts/value_range.h"

namespace tkc::ir {

namespace {

constexpr int visit_budget = 20000;
// Of values of names, in the conditions of all visits together: where conditions are long, there
// are fewer visits.
constexpr int value_budget = 30 * visit_budget;
constexpr int example_budget = 100;

// What a form depends on: symbols, tensors that it loads from, opaque texts.
std::set<std::string> leaves_of(const NormalForm& x) {
    std::set<std::string> names;
    visit_atoms(x, [&](const Atom& a) {
        const bool leaf =
            a->kind == AtomKind::symbol || a->kind == AtomKind::load || a->kind == AtomKind::opaque;
        if (leaf && a->name[0] != '%') names.insert(a->name);
    });
    return names;
}

// Constants that matter to a value: tile extents and other divisors and offsets.
void collect_constants(const NormalForm& x, std::set<std::int64_t>* out) {
    for (const auto& [monomial, coefficient] : x.terms()) {
        // 63 of ceil_div(x, 64) = (x + 63)/64, 65 of x > 64: the size meant is 64
        std::int64_t c = std::abs(coefficient);
        if (c % 8 == 1 || c % 8 == 7) c += c % 8 == 1 ? -1 : 1;
        if (c > 4 && c < (1 << 20)) out->insert(c);
        for (const Atom& a : monomial) {
            for (const NormalForm& p : a->parts) collect_constants(p, out);
        }
    }
}

// The constants that `collect_constants` leaves out, since small numbers are tried anyway.
void collect_small_constants(const NormalForm& x, std::set<std::int64_t>* out) {
    for (const auto& [monomial, coefficient] : x.terms()) {
        for (const std::int64_t c : {std::abs(coefficient), std::abs(coefficient) + 1}) {
            if (c >= 2 && c < 8) out->insert(c);
        }
        for (const Atom& a : monomial) {
            for (const NormalForm& p : a->parts) collect_small_constants(p, out);
        }
    }
}

// The name and its value, where the truth is that a name is this number.
std::optional<std::pair<std::string, std::int64_t>> fixed_name(const NormalForm& truth) {
    if (truth.terms().size() != 1 || truth.terms()[0].second != 1) return std::nullopt;
    const Monomial& factors = truth.terms()[0].first;
    if (factors.size() != 1 || factors[0]->kind != AtomKind::zero) return std::nullopt;
    const NormalForm& x = factors[0]->parts[0];
    if (x.terms().empty()) return std::nullopt;
    const auto& [monomial, coefficient] = x.terms()[0];
    const NormalForm rest = x - NormalForm(x.constant());
    const bool is_name = monomial.size() == 1 && monomial[0]->kind == AtomKind::symbol &&
                         !monomial[0]->truth && coefficient == 1 && rest.terms().size() == 1;
    if (!is_name || x.is_unknown()) return std::nullopt;
    return std::pair(monomial[0]->name, -x.constant());
}

bool loads_from(const Atom& a, const std::string& tensor) {
    bool found = false;
    for (const NormalForm& p : a->parts) {
        visit_atoms(p, [&](const Atom& x) {
            found = found || (x->kind == AtomKind::load && x->name == tensor);
        });
    }
    return found;
}

}  // namespace

// A truth that must hold, and what it depends on.
struct Facts::Asked {
    explicit Asked(NormalForm c) : holds(std::move(c)), leaves(leaves_of(holds)) {
        visit_atoms(holds, [&](const Atom& a) { loads = loads || a->kind == AtomKind::load; });
    }

    NormalForm holds;
    std::set<std::string> leaves;
    bool loads = false;  // of which elements, hangs on other values
};

// Every assumption, with the names that were solved for replaced.
const std::vector<Facts::Asked>& Facts::asked() const {
    if (asked_ == nullptr) {
        auto all = std::make_shared<std::vector<Asked>>();
        // Each once: that an extent is not negative is said by every tensor that has it.
        std::unordered_set<NormalForm, HashOfForm> known;
        for (const NormalForm& c : conditions_) {
            const NormalForm holds = solved_.empty() ? c : substitute(c, solved_);
            if (!known.insert(holds).second) continue;
            if (holds.is_constant() && holds.constant() == 1) continue;
            all->emplace_back(holds);
        }
        asked_ = std::move(all);
    }
    return *asked_;
}

struct Facts::Search {
    const Facts& facts;
    std::vector<Asked> conditions;  // all must be true; goals first
    std::set<std::string> truth_leaves;
    int reach;
    int budget = visit_budget;
    Assignment values;
    int values_left = value_budget;
    std::map<std::string, std::vector<std::int64_t>> tried = {};  // candidates by name
    std::map<std::string, std::vector<std::pair<NormalForm, NormalForm>>> bounds_of =
        {};  // by tensor

    // The conditions of the goals, and the facts that share a leaf with them, directly or not.
    void gather(const std::vector<NormalForm>& goals) {
        std::set<std::string> reached;
        const auto add = [&](Asked c) {
            reached.insert(c.leaves.begin(), c.leaves.end());
            conditions.push_back(std::move(c));
        };
        for (const NormalForm& g : goals) add(Asked(facts.apply(g)));
        std::vector<const Asked*> others;
        for (const Asked& c : facts.asked()) others.push_back(&c);
        for (bool grown = true; grown;) {
            grown = false;
            for (const Asked*& c : others) {
                if (c == nullptr) continue;
                const bool near =
                    std::any_of(c->leaves.begin(), c->leaves.end(),
                                [&](const auto& name) { return reached.count(name) != 0; });
                if (!near) continue;
                add(*c);
                c = nullptr;
                grown = true;
            }
        }
        find_truth_leaves();
        fix_names(goals.size());
    }

    // Names of which a goal says what they are: the others are not tried in vain.
    void fix_names(std::size_t goals) {
        for (std::size_t i = 0; i < goals; ++i) {
            const auto fixed = fixed_name(conditions[i].holds);
            if (!fixed) continue;
            const std::vector<std::int64_t>& list = candidates(fixed->first);
            if (std::find(list.begin(), list.end(), fixed->second) != list.end())
                values.emplace(fixed->first, fixed->second);
        }
    }

    void gather_all() {
        conditions = facts.asked();
        find_truth_leaves();
    }

    void find_truth_leaves() {
        for (const Asked& c : conditions) {
            visit_atoms(c.holds, [&](const Atom& a) {
                if (a->truth && a->parts.empty()) truth_leaves.insert(a->name);
            });
        }
    }

    const std::vector<std::int64_t>& candidates(const std::string& leaf) {
        const std::string name = leaf.substr(0, leaf.find('['));
        const auto [place, fresh] = tried.try_emplace(name);
        if (fresh) place->second = find_candidates(name);
        return place->second;
    }

    std::vector<std::int64_t> find_candidates(const std::string& name) const {
        if (truth_leaves.count(name) != 0) return {1, 0};
        std::set<std::int64_t> constants;
        std::set<std::int64_t> edges;  // where wrapping shows
        for (const Asked& c : conditions) {
            if (c.leaves.count(name) == 0) continue;
            collect_constants(c.holds, &constants);
            visit_atoms(c.holds, [&](const Atom& a) {
                if (a->kind != AtomKind::wrapped || !loads_from(a, name)) return;
                const ValueRange range = range_of_dtype(*find_dtype(a->name));
                edges.insert(range.most);
                if (range.most < INT64_MAX) edges.insert(range.most + 1);
                if (range.most < INT64_MAX) edges.insert(2 * range.most + 3);
            });
        }
        std::vector<std::int64_t> list;
        std::bitset<4096> listed;  // most of them are small
        const auto add = [&](std::int64_t v) {
            if (v >= 0 && v < static_cast<std::int64_t>(listed.size())) {
                const auto place = static_cast<std::size_t>(v);
                if (!listed[place]) list.push_back(v);
                listed.set(place);
            } else if (std::find(list.begin(), list.end(), v) == list.end()) {
                list.push_back(v);
            }
        };
        if (facts.counted_.count(name) != 0) {
            for (std::int64_t i = 0; i <= reach; ++i) add(i);
        }
        for (const std::int64_t c : constants) add(c);
        for (const std::int64_t c : constants) add(2 * c);
        for (const std::int64_t v : {1, 0, 2, 3}) add(v);
        for (const std::int64_t c : constants) {
            for (const std::int64_t v : {c - 1, c + 1, 2 * c + 1}) add(v);
        }
        for (std::int64_t i = 3; i <= reach; ++i) {
            for (const std::int64_t c : constants) add(i * c);
            add(i);
        }
        add(-1);
        // Tiles of 2 to 4, and a few more of each: where nothing before was enough.
        std::set<std::int64_t> small;
        for (const Asked& c : conditions) {
            if (c.leaves.count(name) != 0) collect_small_constants(c.holds, &small);
        }
        for (const std::int64_t c : small) {
            for (std::int64_t i = 1; i <= reach; ++i) {
                add(i * c);
                add(i * c + 1);
            }
        }
        for (const std::int64_t c : constants) {
            for (const std::int64_t v : {3 * c, 3 * c + 1, c - 2, c + 2}) add(v);
        }
        for (const std::int64_t edge : edges) add(edge);
        if (facts.numbers_ == nullptr) return list;
        const auto range = facts.numbers_->find(name);
        if (range == facts.numbers_->end()) return list;
        std::erase_if(list, [&](std::int64_t v) {
            return v < range->second.least || v > range->second.most;
        });
        return list;
    }

    // What the elements of a tensor are between, by the names that are left.
    const std::vector<std::pair<NormalForm, NormalForm>>& bounds(const std::string& tensor) {
        const auto [place, fresh] = bounds_of.try_emplace(tensor);
        const auto found = facts.elements_.find(tensor);
        if (!fresh || found == facts.elements_.end()) return place->second;
        for (const auto& [least, most] : found->second) {
            place->second.emplace_back(least.is_unknown() ? least : facts.apply(least),
                                       most.is_unknown() ? most : facts.apply(most));
        }
        return place->second;
    }

    // Whether the elements chosen so far are what tensors can hold, as far as the values of other
    // names say; `lookup` is asked for what that needs.
    bool elements_in_range(const Leaves& lookup) {
        for (const auto& [leaf, value] : values) {
            const std::size_t bracket = leaf.find('[');
            if (bracket == std::string::npos) continue;
            for (const auto& [least, most] : bounds(leaf.substr(0, bracket))) {
                const auto from = least.is_unknown() ? std::nullopt : evaluate(least, lookup);
                const auto to = most.is_unknown() ? std::nullopt : evaluate(most, lookup);
                if ((from && value < *from) || (to && value > *to)) return false;
            }
        }
        return true;
    }

    // A condition, and what it asks for first.
    struct Open {
        const Asked* condition = nullptr;
        std::string missing = {};
        // `name`: of the leaf, without the place of an element.
        bool depends_on(const std::string& leaf, const std::string& name) const {
            const auto& leaves = condition->leaves;
            return missing.empty() || leaf[0] == '%' || leaves.contains(leaf) ||
                   (name.size() != leaf.size() && leaves.contains(name));
        }
    };

    bool run() {
        std::vector<Open> open;
        for (const Asked& c : conditions) open.push_back({&c});
        chosen_names.clear();
        Blamed blamed = 0;
        return run(open, "", blamed);
    }

    // Which of the leaves that have got a value, in the order in which they did, are to blame where
    // there are no values for the others.
    using Blamed = std::uint64_t;
    static constexpr Blamed everything = ~Blamed{0};
    std::vector<std::string> chosen_names = {};

    Blamed blamed_for(const Asked& condition) const {
        if (condition.loads) return everything;
        Blamed blamed = 0;
        for (std::size_t i = 0; i < chosen_names.size(); ++i) {
            if (!condition.leaves.contains(chosen_names[i])) continue;
            if (i >= 64) return everything;
            blamed |= Blamed{1} << i;
        }
        return blamed;
    }

    // Everything that `run` looks at: conditions, bounds of elements, names of ranges, and how far.
    std::string text() {
        std::string all = std::to_string(reach);
        std::set<std::string> leaves;
        for (const Asked& c : conditions) {
            all += "\n" + c.holds.key();
            leaves.insert(c.leaves.begin(), c.leaves.end());
        }
        for (const std::string& name : leaves) {
            if (facts.counted_.contains(name)) all += "\ncounted " + name;
            for (const auto& [least, most] : bounds(name)) {
                all += fmt::format("\n{}[] from {} to {}", name, least.key(), most.key());
            }
        }
        return all;
    }

    const std::optional<Assignment>& run_once();

    // Values for what `open` still asks for, when `chosen` has got one; the other conditions hold.
    // If there are none, `blamed` says why: for other values of what it does not name, neither.
    bool run(const std::vector<Open>& open, const std::string& chosen, Blamed& blamed) {
        blamed = everything;
        if (--budget < 0 || values_left < 0) return false;
        std::string missing;  // what the first open condition asks for first
        const Leaves lookup = [&](const std::string& leaf) -> std::optional<std::int64_t> {
            --values_left;
            const auto found = values.find(leaf);
            if (found != values.end()) return found->second;
            if (missing.empty()) missing = leaf;
            return std::nullopt;
        };
        std::vector<Open> left;
        left.reserve(open.size());
        const std::string name = chosen.substr(0, chosen.find('['));
        for (const Open& c : open) {
            if (!c.depends_on(chosen, name)) {
                left.push_back(c);
                if (missing.empty()) missing = c.missing;
                continue;
            }
            const std::string before = missing;
            missing.clear();
            const auto value = evaluate(c.condition->holds, lookup);
            if (value == 0 || (!value && missing.empty())) {  // not defined: a divisor of 0
                blamed = blamed_for(*c.condition);
                return false;
            }
            if (!value) left.push_back({c.condition, missing});
            if (!before.empty() || value) missing = before;
        }
        if (!elements_in_range(lookup)) return false;
        if (missing.empty()) return true;
        const std::string leaf = missing;
        const std::size_t place = chosen_names.size();
        const Blamed mine = place < 64 ? Blamed{1} << place : 0;
        chosen_names.push_back(leaf);
        blamed = 0;
        for (const std::int64_t v : candidates(leaf)) {
            values[leaf] = v;
            Blamed there = 0;
            if (run(left, leaf, there)) return true;
            blamed |= there;
            if (mine != 0 && (there & mine) == 0) {
                blamed = there;
                break;
            }
        }
        blamed &= ~mine;
        chosen_names.pop_back();
        values.erase(leaf);
        return false;
    }
};

// With the names that were solved for, which follow from the others.
Assignment Facts::with_solved(Assignment values) const {
    for (const auto& [name, form] : solved_) {
        const auto value = evaluate(form, leaves_in(values));
        if (value) values[name] = *value;
    }
    return values;
}

Leaves leaves_in(const Assignment& values) {
    return [&values](const std::string& name) -> std::optional<std::int64_t> {
        const auto found = values.find(name);
        return found == values.end() ? std::nullopt : std::optional(found->second);
    };
}

// A launch in which every other name, from the first or the second on, is large, and the rest
// small.
std::optional<Assignment> Facts::find_example(bool first, bool second) const {
    Search search{*this, {}, {}, 16, 0, {}};
    search.gather_all();
    std::set<std::string> names;
    for (const Asked& c : search.conditions) names.insert(c.leaves.begin(), c.leaves.end());
    bool large = first;
    const auto runs = [&] {
        search.budget = example_budget;
        search.values.clear();
        return search.run();
    };
    if (!runs()) return std::nullopt;
    std::optional<Assignment> best;
    Assignment known = search.values;
    // What was found for the other names mostly does with the next one, too, and a number that the
    // new condition names.
    const auto runs_on = [&](const std::string& name) {
        search.budget = example_budget / 8;
        search.values = known;
        search.values.erase(name);
        return search.run();
    };
    for (const std::string& name : names) {
        const bool extent = name.find_first_of(".[") == std::string::npos &&
                            counted_.count(name) == 0 && search.truth_leaves.count(name) == 0;
        if (!extent) continue;
        const NormalForm value = symbol_form(name);
        search.conditions.emplace_back(
            at_least_zero(large ? value - NormalForm(1000) : NormalForm(1) - value));
        large = large == first ? second : first;
        search.tried.erase(name);  // the condition brings a constant of its own
        if (runs_on(name)) {
            best = known = search.values;
        } else {
            search.conditions.pop_back();
            search.tried.erase(name);
        }
    }
    if (!best) return std::nullopt;
    return with_solved(std::move(*best));
}

std::vector<Assignment> Facts::find_examples() const {
    std::vector<Assignment> all;
    for (const bool first : {false, true}) {
        for (const bool second : {false, true}) {
            if (auto found = find_example(first, second)) all.push_back(std::move(*found));
        }
    }
    return all;
}

// The seeds that the conditions since then allow, with values of the names that came with them.
std::vector<Assignment> Facts::extended_examples() const {
    std::vector<Assignment> found;
    if (seeds_ == nullptr) return found;
    for (const Assignment& seed : *seeds_) {
        Search search{*this, {}, {}, 4, example_budget, seed};
        // Names that the seed has a value for keep it: it may not be what they were solved for
        // since.
        Bindings fresh = solved_;
        for (const auto& [name, value] : seed) fresh.erase(name);
        for (std::size_t i = seeded_; i < conditions_.size(); ++i) {
            search.conditions.emplace_back(substitute(conditions_[i], fresh));
        }
        if (search.run()) found.push_back(with_solved(std::move(search.values)));
    }
    return found;
}

// Values for which the search's conditions hold. The same ones are searched again and again, for
// facts that differ in what has nothing to do with them: instances, other constants, mutants.
const std::optional<Assignment>& Facts::Search::run_once() {
    static std::map<std::string, std::optional<Assignment>> found;
    static std::mutex lock;
    const std::string question = text();
    {
        const std::scoped_lock guard(lock);
        const auto known = found.find(question);
        if (known != found.end()) return known->second;
    }
    const bool any = run();
    const std::scoped_lock guard(lock);
    return found.try_emplace(question, any ? std::optional(values) : std::nullopt).first->second;
}

std::optional<Witness> Facts::find(const std::vector<NormalForm>& goals, int reach) const {
    Search search{*this, {}, {}, reach, visit_budget, {}};
    search.gather(goals);
    for (const Asked& c : search.conditions) {
        const bool known = !c.holds.is_unknown() &&
                           std::none_of(c.leaves.begin(), c.leaves.end(), [](const auto& name) {
                               return name[0] == unknown_number_mark;
                           });
        if (!known) return std::nullopt;
    }
    const std::optional<Assignment>& values = search.run_once();
    if (!values) return std::nullopt;

    Witness witness{with_solved(*values), {}};
    for (const auto& [name, value] : witness.values) {
        if (made_up_.count(name) != 0) continue;
        const bool truth = search.truth_leaves.count(name) != 0;
        witness.text +=
            fmt::format("{}{} = {}", witness.text.empty() ? "" : ", ", name,
                        truth ? (value != 0 ? "true" : "false") : std::to_string(value));
    }
    return witness;
}

}  // namespace tkc::ir
