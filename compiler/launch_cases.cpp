// The conditions of a kernel that a launch decides, and launches that decide them.
#include "compiler/launch_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "arithmetic/normal_form.h"
#include "emulator/environment.h"
#include "emulator/launch.h"
#include "facts/facts.h"
#include "ir/walk.h"

namespace tkc {

namespace {

constexpr std::size_t most_choices = 4096;  // of values that are evaluated for one case
constexpr std::size_t most_launches = 8;    // that are tried for one
constexpr std::size_t most_cases = 64;      // of a kernel
constexpr std::int64_t largest_value = 1
                                       << 20;  // of values: extents must be those of small launches

class CaseFinder {
public:
    explicit CaseFinder(const ir::Kernel& kernel)
        : bindings_(ir::bindings_of(kernel)), facts_(ir::facts_of(kernel, bindings_)) {
        names_ = ir::names_in_extents(kernel);
        for (const ir::Parameter& p : kernel.parameters) names_.insert(p.name);
        for (const ir::Constant& constant : kernel.constants) constants_.insert(constant.name);
        see_lets(kernel.lets);
        const std::map<std::string, ir::Scalar> of_kernel = lets_;
        for (const ir::GridAxis& axis : kernel.grid) gap_ = std::max(gap_, 2 * axis.step);
        for (const ir::Role& role : kernel.roles) {
            ir::walk_only<ir::For>(
                role.body, [&](const ir::For& loop) { gap_ = std::max(gap_, 2 * loop.step); });
            lets_ = of_kernel;
            see(role.body, {});
        }
    }
    std::vector<LaunchCase> found;

private:
    using Path = std::vector<std::pair<ir::Scalar, bool>>;

    void see_lets(const ir::Block& block) {
        for (const ir::Op& op : block) {
            if (const auto* let = ir::as<ir::Let>(op)) lets_[let->name] = expanded(let->value);
        }
    }
    ir::Scalar expanded(const ir::Scalar& s) const { return ir::substitute(s, lets_); }

    // Whether the launch decides it, and not a constant.
    bool is_of_launch(const ir::Scalar& s) const {
        bool all = true;
        bool any = false;
        ir::visit_nodes(s, [&](const ir::ScalarNode& n) {
            const auto* symbol = std::get_if<ir::Symbol>(&n.node);
            const bool known = symbol != nullptr && names_.contains(symbol->name);
            any = any || known;
            all = all && (known || std::holds_alternative<ir::Integer>(n.node) ||
                          std::holds_alternative<ir::Real>(n.node) ||
                          std::holds_alternative<ir::Call>(n.node) ||
                          std::holds_alternative<ir::Cast>(n.node) ||
                          (symbol != nullptr && constants_.contains(symbol->name)));
        });
        return all && any;
    }

    void see(const ir::Block& block, const Path& path) {
        for (const ir::Op& op : block) {
            if (const auto* let = ir::as<ir::Let>(op)) lets_[let->name] = expanded(let->value);
            ir::for_each_scalar(op, [&](const ir::Scalar& s) { see_choices(s, path); });
            const auto* branch = ir::as<ir::If>(op);
            if (branch == nullptr) {
                ir::for_each_block(op, [&](const ir::Block& inner) { see(inner, path); });
                continue;
            }
            const ir::Scalar condition = expanded(branch->condition);
            if (!is_of_launch(condition)) {
                see(branch->then_body, path);
                see(branch->else_body, path);
                continue;
            }
            see(branch->then_body, with(path, condition, true));
            see(branch->else_body, with(path, condition, false));
        }
    }

    // `where(c, ..)`, and which of two numbers is the smaller one.
    void see_choices(const ir::Scalar& s, const Path& path) {
        const ir::Scalar whole = expanded(s);
        ir::visit_nodes(whole, [&](const ir::ScalarNode& n) {
            const auto* call = std::get_if<ir::Call>(&n.node);
            if (call == nullptr) return;
            const std::vector<ir::Scalar>& x = call->arguments;
            if (call->function == Function::min || call->function == Function::max) {
                const ir::Scalar gap = ir::integer(gap_);
                for (const ir::Scalar& less :
                     {ir::less(ir::add(x[0], gap), x[1]), ir::less(ir::add(x[1], gap), x[0])}) {
                    if (is_of_launch(less)) with(path, less, true, true);
                }
            }
            if (call->function != Function::where || !is_of_launch(x[0])) return;
            with(path, x[0], true);
            with(path, x[0], false);
        });
    }

    Path with(Path path, const ir::Scalar& condition, bool holds, bool optional = false) {
        path.emplace_back(condition, holds);
        const bool known = std::any_of(found.begin(), found.end(), [&](const LaunchCase& other) {
            return std::equal(path.begin(), path.end(), other.conditions.begin(),
                              other.conditions.end(), [](const auto& a, const auto& b) {
                                  return a.second == b.second && ir::same(a.first, b.first);
                              });
        });
        if (!known && found.size() < most_cases && may_be(path)) found.push_back({path, optional});
        return path;
    }

    // Whether no fact of the kernel excludes it.
    bool may_be(const Path& path) const {
        ir::Facts facts = facts_;
        for (const auto& [condition, holds] : path) {
            const ir::NormalForm form = ir::normal_form(condition, bindings_);
            const ir::NormalForm wanted = holds ? form : ir::negation(form);
            if (facts.prove(ir::negation(wanted))) return false;
            facts.assume(wanted);
        }
        return true;
    }

    ir::Bindings bindings_;
    ir::Facts facts_;
    std::set<std::string> names_;
    std::set<std::string> constants_;
    std::map<std::string, ir::Scalar> lets_;
    std::int64_t gap_ = 1;  // two tiles of any axis
};

std::optional<bool> holds(const ir::Scalar& condition, const emulator::Environment& values) {
    try {
        return std::get<std::int64_t>(values.evaluate(condition)) != 0;
    } catch (const emulator::Fault&) {
        return std::nullopt;  // a division by 0
    }
}

bool all_hold(const LaunchCase& one, const emulator::Environment& values) {
    return std::all_of(one.conditions.begin(), one.conditions.end(), [&](const auto& condition) {
        return holds(condition.first, values) == condition.second;
    });
}

// Values that the conditions tell apart: those at hand, small ones, and numbers of the text and
// those next to them.
std::vector<emulator::Number> choices_for(const emulator::Number& base,
                                          const std::set<double>& numbers, Dtype dtype) {
    std::vector<emulator::Number> made{base};
    const auto add = [&](double value) {
        if (std::fabs(value) > static_cast<double>(largest_value)) return;
        if (is_boolean(dtype) && value != 0 && value != 1) return;
        if (is_real(dtype)) made.emplace_back(value);
        else if (value == std::floor(value)) made.emplace_back(static_cast<std::int64_t>(value));
    };
    for (const double value : {1.0, 0.0, 2.0, 3.0, -1.0, 5.0, 100.0, 1000.0}) add(value);
    for (const double number : numbers) {
        for (const double near : {number, number + 1, number - 1, -number}) add(near);
        if (is_real(dtype)) add(number * 1.5);
    }
    return made;
}

}  // namespace

std::string LaunchCase::text() const {
    std::string made;
    for (const auto& [condition, holds] : conditions)
        made += fmt::format("{}{}`{}`", made.empty() ? "" : " and ", holds ? "" : "not ",
                            ir::to_string(condition));
    return made;
}

std::vector<LaunchCase> launch_cases(const ir::Kernel& kernel) { return CaseFinder(kernel).found; }

bool is_met(const LaunchCase& one, const ir::Kernel& kernel, const emulator::Arguments& launch) {
    return all_hold(one, emulator::environment_of(kernel, launch));
}

bool meet(const LaunchCase& one, const ir::Kernel& kernel, const emulator::Arguments& base,
          const std::function<bool(const std::map<std::string, emulator::Number>&)>& launch) {
    emulator::Environment values = emulator::environment_of(kernel, base);
    std::set<std::string> names;
    std::set<double> numbers;
    for (const auto& [condition, holds] : one.conditions) {
        names.merge(ir::symbols_of(condition));
        ir::visit_nodes(condition, [&](const ir::ScalarNode& n) {
            if (const auto* whole = std::get_if<ir::Integer>(&n.node))
                numbers.insert(static_cast<double>(whole->value));
            if (const auto* real = std::get_if<ir::Real>(&n.node)) numbers.insert(real->value);
        });
    }
    for (const ir::Constant& constant : kernel.constants) names.erase(constant.name);
    std::vector<std::pair<std::string, std::vector<emulator::Number>>> choices;
    std::size_t total = 1;
    for (const std::string& name : names) {
        const auto parameter = std::find_if(kernel.parameters.begin(), kernel.parameters.end(),
                                            [&](const ir::Parameter& p) { return p.name == name; });
        const Dtype dtype = parameter == kernel.parameters.end() ? Dtype::i32 : parameter->dtype;
        choices.emplace_back(name, choices_for(values.get(name), numbers, dtype));
        total = std::min(total * choices.back().second.size(), most_choices);
    }
    std::size_t launched = 0;
    for (std::size_t choice = 0; choice < total; ++choice) {
        std::map<std::string, emulator::Number> chosen;
        std::size_t rest = choice;
        for (const auto& [name, numbers_of_name] : choices) {
            chosen[name] = numbers_of_name[rest % numbers_of_name.size()];
            rest /= numbers_of_name.size();
            values.set(name, chosen[name]);
        }
        if (!all_hold(one, values)) continue;
        if (launch(chosen)) return true;
        if (++launched == most_launches) return false;
    }
    return false;
}

}  // namespace tkc
