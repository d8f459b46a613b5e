// Conditions that exclude each other: proved like everything else, and told by those that it takes.
#include "checks/tile/requirements.h"

#include <fmt/format.h>

#include "facts/launch_facts.h"

namespace tkc::checks {

namespace {

using namespace ir;

constexpr int case_depth = 6;

// Whether the facts exclude each other, in each case of those conditions that are not simple.
bool impossible(const Facts& facts, const std::vector<NormalForm>& conditions, int depth) {
    if (facts.contradictory()) return true;
    for (const NormalForm& condition : conditions) {
        const NormalForm left = facts.simplify(condition);
        if (left.is_zero()) return true;
        const Atom truth = first_truth(left);
        if (truth == nullptr) continue;
        if (depth == 0) return false;
        for (const bool value : {true, false}) {
            Facts with = facts;
            with.assume(value ? NormalForm(truth) : negation(NormalForm(truth)));
            if (!impossible(with, conditions, depth - 1)) return false;
        }
        return true;
    }
    return false;
}

// The kernel's signature with some of its conditions.
Kernel with_conditions(const Kernel& kernel, std::vector<Condition> conditions) {
    Kernel part;
    part.tensors = kernel.tensors;
    part.constants = kernel.constants;
    part.parameters = kernel.parameters;
    part.lets = kernel.lets;
    part.conditions = std::move(conditions);
    return part;
}

// As the launch computes them: in 64 bits.
std::vector<NormalForm> forms_of(const Kernel& kernel, Bindings bindings) {
    bindings.ranges = nullptr;
    std::vector<NormalForm> forms;
    for (const Condition& c : kernel.conditions) {
        bool of_argument = false;  // strides and addresses, which exclude nothing
        for (const std::string& name : symbols_of(c.holds)) {
            of_argument = of_argument || name.find('.') != std::string::npos;
        }
        const NormalForm form = normal_form(c.holds, bindings);
        if (!of_argument && !form.is_unknown()) forms.push_back(form);
    }
    return forms;
}

bool excluded(const Kernel& kernel) {
    const Bindings bindings = bindings_of(kernel);
    return impossible(facts_of_launch(kernel, bindings), forms_of(kernel, bindings), case_depth);
}

}  // namespace

bool check_requirements(const Kernel& kernel, Diagnostics& diag) {
    if (kernel.conditions.empty()) return true;
    const Bindings bindings = bindings_of(kernel);
    std::vector<NormalForm> goals = forms_of(kernel, bindings);
    for (const Tensor& t : kernel.tensors) {
        for (const Scalar& extent : t.extents) {
            goals.push_back(at_least_zero(normal_form(extent, bindings)));
        }
    }
    if (Facts().find(goals)) return true;  // mostly a launch that keeps them all is found at once
    if (!excluded(with_conditions(kernel, kernel.conditions))) return true;
    // Those without which there would be launches.
    std::vector<Condition> needed = kernel.conditions;
    for (std::size_t i = needed.size(); i-- > 0;) {
        std::vector<Condition> others = needed;
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
        if (excluded(with_conditions(kernel, others))) needed = std::move(others);
    }
    std::string text;
    for (std::size_t i = 0; i < needed.size(); ++i) {
        text += fmt::format("{}`{}`",
                            i == 0                   ? ""
                            : i + 1 == needed.size() ? " and "
                                                     : ", ",
                            to_string(needed[i].holds));
    }
    if (needed.empty()) return true;
    auto builder = diag.error(needed.back().span, msg::requires_contradict,
                              needed.size() == 2 ? "both " + text : text);
    for (std::size_t i = 0; i + 1 < needed.size(); ++i) {
        builder.label(needed[i].span, "this conflicts with another condition");
    }
    builder.help(needed.size() == 1
                     ? "extents are at least 0, so this never holds"
                     : "remove one of the conditions, or change them so that both can hold");
    return false;
}

}  // namespace tkc::checks
