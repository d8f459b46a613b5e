// What extents and parameters have to do with ranges, and values that follow from the steps.
#include "compiler/trial_sizes.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "arithmetic/normal_form.h"
#include "compiler/stated_elements.h"
#include "ir/walk.h"

namespace tkc {

namespace {

constexpr std::int64_t sequences = 4;     // of a table
constexpr std::size_t asked_at_most = 4;  // values of parameters that are tried next to others

// The steps of the ranges that end with a name.
struct StepsOfRange {
    std::int64_t low = 0;
    std::int64_t high = 0;
    bool loop = false;       // of a loop; else of the grid
    bool neighbors = false;  // tiles next to the one that a step is about are read, too
    bool differ() const { return low != high; }
};

class SizesOfTrial {
public:
    SizesOfTrial(const ir::Kernel& first, const ir::Kernel& other) : first_(first) {
        extents_ = ir::names_in_extents(first);
        for (const StatedElement& element : stated_elements(first)) {
            if (const auto* name = std::get_if<ir::Symbol>(&element.value->node))
                totals_[element.tensor] = name->name;
            for (const std::string& name : ir::symbols_of(element.position)) tables_.insert(name);
        }
        for (const ir::Constant& constant : first.constants) extents_.erase(constant.name);
        for (const ir::Parameter& p : first.parameters) {
            if (is_integer(p.dtype)) parameters_.insert(p.name);
            if (is_boolean(p.dtype)) flags_.insert(p.name);
        }
        for (const ir::Role& role : first.roles) {
            ir::walk_only<ir::Load>(role.body, [&](const ir::Load& op) { see_places(op.source); });
            ir::walk_only<ir::Fill>(role.body, [&](const ir::Fill& op) { see_places(op.source); });
        }
        for (std::size_t i = 0; i < std::min(first.grid.size(), other.grid.size()); ++i)
            see_range(first.grid[i].var, first.grid[i].end, ir::bindings_of(first),
                      first.grid[i].step, other.grid[i].step, false);
        for (std::size_t i = 0; i < std::min(first.roles.size(), other.roles.size()); ++i) {
            const ir::Bindings bindings =
                ir::bindings_of(first.roles[i].body, ir::bindings_of(first));
            see_loops(first.roles[i].body, other.roles[i].body, bindings);
        }
        for (const auto& [name, steps] : steps_) {
            if (!steps.differ()) continue;
            low_ = low_ == 0 ? steps.low : std::min(low_, steps.low);
            high_ = std::max(high_, steps.high);
        }
        see_numbers();
    }

    TrialLaunches all() const {
        TrialLaunches made;
        made.steps_of_tables = steps_of_tables_;
        const auto add = [&](const Launch& launch) { made.sizes.push_back(sizes(launch)); };
        // Several tiles and a part of one, with numbers of data and parameters among them; one tile
        // of the one and two of the other, next to all else, which is longer; whole tiles of both;
        // one whole tile of the one alone, next to what is longer; several of them next to several
        // of all others; one cell past a tile of each; where numbers and flags are asked for,
        // others of them; and past a number of the text.
        add({[](const StepsOfRange& s) { return 2 * s.high + s.low / 2 + 1; }, 40, 17});
        add({[](const StepsOfRange& s) { return (s.low + s.high) / 2 + 1; }, 5, 2 * high_ + 3, true,
             1});
        add({[](const StepsOfRange& s) { return 3 * s.high; }, 100, 64});
        add({[](const StepsOfRange& s) { return s.low; }, 70, 2 * high_ + 3, true, -1});
        add({[](const StepsOfRange& s) { return 2 * s.high + s.low; }, 70, 2 * high_ + 3, true});
        add({[](const StepsOfRange& s) { return s.high + s.low + 1; }, 40, 17});
        if (!parameters_.empty() || !flags_.empty()) {
            for (const std::int64_t parameter : asked_for_)
                add({[](const StepsOfRange& s) { return s.high + s.low / 2 + 1; }, parameter, 17});
        }
        if (number_ > 0) {
            const std::int64_t number = number_;
            add({[number](const StepsOfRange& s) { return number + s.low / 2 + 1; }, 40, 17});
            // Past it by a tile of the other: `min(C, 98)` ends inside of one.
            add({[number](const StepsOfRange& s) { return number + s.high + s.low; }, 40, 17});
        }
        return made;
    }

private:
    struct Launch {
        std::function<std::int64_t(const StepsOfRange&)> cut;  // of axes that are cut in two ways
        std::int64_t parameter = 0;
        std::int64_t rest = 0;     // of extents that no range ends with
        bool others_long = false;  // ranges that both step by the same have two tiles
        // Of several names of which axes that are cut end, whether each is more than the one before
        // (1), less (-1), or as much: `for c in min(n, C)` ends with either.
        int order = 0;
    };

    // `m.prev`, `m.next` and the like: a name and a number.
    void see_places(const ir::Slice& slice) {
        for (const ir::Range& range : slice.ranges) {
            ir::visit_nodes(range.base, [&](const ir::ScalarNode& node) {
                const auto* call = std::get_if<ir::Call>(&node.node);
                if (call == nullptr || call->arguments.size() != 2) return;
                const auto* name = std::get_if<ir::Symbol>(&call->arguments[0]->node);
                const auto* number = std::get_if<ir::Integer>(&call->arguments[1]->node);
                if (name == nullptr || number == nullptr) return;
                const std::int64_t sign = call->function == Function::sub ? -1 : 1;
                if (call->function != Function::add && sign > 0) return;
                places_beside_.insert({name->name, sign * number->value});
            });
        }
    }
    // Whether it is read before a tile of the range, or after the tile.
    bool has_neighbors(const std::string& var, std::int64_t step) const {
        return std::any_of(places_beside_.begin(), places_beside_.end(), [&](const auto& place) {
            return place.first == var && (place.second < 0 || place.second >= step);
        });
    }
    void see_range(const std::string& var, const ir::Scalar& end, const ir::Bindings& bindings,
                   std::int64_t a, std::int64_t b, bool loop) {
        ir::visit_atoms(ir::normal_form(end, bindings), [&](const ir::Atom& atom) {
            // What a table says how long it is, is part of what the table ends with.
            const auto total = totals_.find(atom->name);
            const bool of_table = atom->kind == ir::AtomKind::load && total != totals_.end();
            if (atom->kind != ir::AtomKind::symbol && !of_table) return;
            StepsOfRange steps{std::min(a, b), std::max(a, b), loop,
                               has_neighbors(var, std::max(a, b))};
            if (of_table) {
                std::array<std::int64_t, 2>& own =
                    steps_of_tables_.emplace(atom->name, std::array{steps.low, steps.high})
                        .first->second;
                own = {std::min(own[0], steps.low), std::max(own[1], steps.high)};
            }
            const auto [known, added] =
                steps_.emplace(of_table ? total->second : atom->name, steps);
            if (added) return;
            steps.neighbors = steps.neighbors || known->second.neighbors;
            known->second.neighbors = steps.neighbors;
            if (known->second.differ() && !steps.differ()) return;
            const bool replaces = steps.differ() && !known->second.differ();
            if (replaces || steps.high > known->second.high) known->second = steps;
        });
    }
    void see_loops(const ir::Block& a, const ir::Block& b, const ir::Bindings& bindings) {
        for (std::size_t i = 0; i < a.size(); ++i) {
            // Of operations that differ, the first kernel's are the ones that are looked at.
            const bool alike = i < b.size() && a[i].node.index() == b[i].node.index();
            if (const auto* loop = std::get_if<ir::For>(&a[i].node)) {
                const ir::For& matching = alike ? std::get<ir::For>(b[i].node) : *loop;
                const ir::Bindings inside = ir::bindings_of(loop->body, bindings);
                see_range(loop->var, loop->end, bindings, loop->step, matching.step, true);
                see_loops(loop->body, matching.body, inside);
            } else if (const auto* branch = std::get_if<ir::If>(&a[i].node)) {
                const ir::If& matching = alike ? std::get<ir::If>(b[i].node) : *branch;
                see_loops(branch->then_body, matching.then_body, bindings);
                see_loops(branch->else_body, matching.else_body, bindings);
            } else if (const auto* produce = std::get_if<ir::Produce>(&a[i].node)) {
                const ir::Produce& matching = alike ? std::get<ir::Produce>(b[i].node) : *produce;
                see_loops(produce->body, matching.body, bindings);
            }
        }
    }

    // `mode == 2`, of a parameter.
    void see_asked(const ir::ScalarNode& node) {
        const auto* call = std::get_if<ir::Call>(&node.node);
        if (call == nullptr || call->arguments.size() != 2 || asked_for_.size() == asked_at_most)
            return;
        if (call->function != Function::eq && call->function != Function::ne) return;
        for (std::size_t i = 0; i < 2; ++i) {
            const auto* name = std::get_if<ir::Symbol>(&call->arguments[i]->node);
            const auto* number = std::get_if<ir::Integer>(&call->arguments[1 - i]->node);
            if (name != nullptr && number != nullptr && parameters_.contains(name->name))
                asked_for_.insert(number->value);
        }
    }

    // The largest number that a place may be compared with, and those of parameters.
    void see_numbers() {
        const auto look = [&](const ir::Scalar& s) {
            ir::visit_nodes(s, [&](const ir::ScalarNode& node) {
                see_asked(node);
                const auto* number = std::get_if<ir::Integer>(&node.node);
                if (number == nullptr || number->value <= 2 * high_ || number->value > 1 << 14)
                    return;
                number_ = std::max(number_, number->value);
            });
        };
        for (const ir::Role& role : first_.roles) {
            ir::walk_only<ir::If>(role.body, [&](const ir::If& op) { look(op.condition); });
            ir::walk_only<ir::Let>(role.body, [&](const ir::Let& op) { look(op.value); });
            ir::walk_only<ir::Map>(role.body, [&](const ir::Map& op) { look(op.expression); });
            ir::walk_only<ir::For>(role.body, [&](const ir::For& op) {
                look(op.begin);
                look(op.end);
            });
        }
    }

    enum class Fixed : std::uint8_t { all, ranges, cut };

    std::vector<TrialSizes> sizes(const Launch& launch) const {
        std::vector<TrialSizes> made;
        for (const std::int64_t other : std::array<std::int64_t, 5>{launch.rest, 2, 1, 16, 64}) {
            for (const bool whole : {false, true})
                made.push_back({values(launch, Fixed::all, whole, other), 0});
        }
        // What the kernels require may tie others to these.
        for (const std::int64_t least : {1, 0}) {
            for (const Fixed fixed : {Fixed::ranges, Fixed::cut}) {
                for (const bool whole : {false, true})
                    made.push_back({values(launch, fixed, whole, 0), least});
            }
        }
        return made;
    }

    // Of a range that both step by the same.
    std::int64_t length_of(const std::string& name, const StepsOfRange& steps,
                           const Launch& launch) const {
        if (steps.high == 1 && tables_.contains(name)) return sequences;
        if (steps.high == 1) return steps.loop ? 3 : 1;
        const bool several = std::any_of(totals_.begin(), totals_.end(),
                                         [&](const auto& total) { return total.second == name; });
        if (several) return launch.cut(steps);
        const std::int64_t part = steps.high / 2 + 1;
        if (!launch.others_long && !steps.neighbors) return part;
        return steps.high + std::min(part, steps.high - 1);  // of two as well, a part at the end
    }

    ir::Assignment values(const Launch& launch, Fixed fixed, bool whole, std::int64_t rest) const {
        ir::Assignment made;
        if (fixed == Fixed::all) {
            for (const std::string& name : extents_) made[name] = rest;
        }
        if (fixed != Fixed::cut) {
            for (const std::string& name : parameters_) made[name] = launch.parameter;
            for (const std::string& name : flags_) made[name] = launch.parameter == 0 ? 0 : 1;
        }
        std::int64_t before = 0;
        std::int64_t names = std::count_if(steps_.begin(), steps_.end(),
                                           [](const auto& x) { return x.second.differ(); });
        for (const auto& [name, steps] : steps_) {
            if (steps.differ()) --names;
            if (!extents_.contains(name) && !parameters_.contains(name)) continue;
            if (fixed == Fixed::cut && !steps.differ()) continue;
            std::int64_t value =
                steps.differ() ? launch.cut(steps) : length_of(name, steps, launch);
            const std::int64_t further = launch.order > 0 ? before : launch.order < 0 ? names : 0;
            if (steps.differ()) {
                value += further * (steps.high + steps.low / 2 + 1);
                ++before;
            }
            if (whole) value = (value + steps.high - 1) / steps.high * steps.high;
            made[name] = value;
        }
        return made;
    }

    const ir::Kernel& first_;
    std::set<std::string> extents_;
    std::set<std::string> parameters_;
    std::set<std::string> flags_;
    std::set<std::int64_t> asked_for_{0, 1};  // values of parameters that choose
    std::map<std::string, StepsOfRange> steps_;
    std::set<std::pair<std::string, std::int64_t>> places_beside_;
    std::map<std::string, std::string> totals_;  // what tables of the data end with
    std::set<std::string> tables_;               // names of how many entries they have
    std::map<std::string, std::array<std::int64_t, 2>> steps_of_tables_;
    std::int64_t low_ = 0;
    std::int64_t high_ = 0;
    std::int64_t number_ = 0;
};

}  // namespace

TrialLaunches trial_launches(const ir::Kernel& first, const ir::Kernel& other) {
    return SizesOfTrial(first, other).all();
}

}  // namespace tkc
