// By the names in an integer: what each of them can be.
#include "facts/plain_signs.h"

#include <algorithm>

#include "ir/walk.h"
#include "language/function_cases.h"

namespace tkc::ir {

namespace {

constexpr int deepest = 16;  // of `let`s in one another

// The names that memory decides on.
struct Data {
    std::set<std::string> names;

    bool from(const Scalar& s) const {
        if (!s) return false;
        bool found = false;
        visit_nodes(s, [&](const ScalarNode& n) {
            const auto* symbol = std::get_if<Symbol>(&n.node);
            found = found || std::holds_alternative<ElementLoad>(n.node) ||
                    (symbol != nullptr && names.contains(symbol->name));
        });
        return found;
    }
};

}  // namespace

std::set<std::string> names_of_data(const Kernel& kernel) {
    Data data;
    const auto look = [&](const Block& block) {
        walk(block, [&](const Op& op) {
            const auto* let = as<Let>(op);
            const auto* loop = as<For>(op);
            const auto* read = as<ReadNumber>(op);
            if (let != nullptr && data.from(let->value)) data.names.insert(let->name);
            if (read != nullptr) data.names.insert(read->name);
            if (loop != nullptr && (data.from(loop->begin) || data.from(loop->end)))
                data.names.insert(loop->var);
        });
    };
    // A name is defined before it is used, and names of the kernel before those of a role.
    look(kernel.lets);
    for (const Role& role : kernel.roles) look(role.body);
    return data.names;
}

bool is_from_data(const std::set<std::string>& names, const Scalar& s) {
    return Data{names}.from(s);
}

PlainSigns::PlainSigns(const Kernel& kernel, const Role& role, const Ranges& names)
    : kernel_(kernel), names_(names) {
    for (const GridAxis& axis : kernel.grid) values_[axis.var].push_back(axis.begin);
    for (const Constant& c : kernel.constants) {
        if (c.value) values_[c.name].push_back(c.value);
    }
    for (const Block* block : {&kernel.lets, &role.body}) {
        walk_only<For>(*block, [&](const For& f) { values_[f.var].push_back(f.begin); });
        walk_only<Let>(*block, [&](const Let& let) { values_[let.name].push_back(let.value); });
    }
}

bool PlainSigns::never_negative(const Scalar& s) const { return shows(s, {false, nullptr}, 0); }

bool PlainSigns::never_negative_on_paper(
    const Scalar& s, const std::function<bool(const Scalar&)>& otherwise) const {
    return shows(s, {true, &otherwise}, 0);
}

bool PlainSigns::shows(const Scalar& s, const Question& question, int depth) const {
    if (!s) return true;  // where nothing is written, 0 is meant
    std::int64_t value = 0;
    if (is_constant(s, &value)) return value >= 0;
    if (depth > deepest) return false;
    // What is stated of data may be wrong where it runs, and no text relies on it.
    const bool by_range = range_of(s, names_).least >= 0;
    if (by_range && (question.as_integers || !is_of_data(s))) return true;
    if (const auto* name = std::get_if<Symbol>(&s->node)) {
        const auto found = values_.find(name->name);
        const auto one = [&](const Scalar& x) { return shows(x, question, depth + 1); };
        if (found != values_.end() && std::all_of(found->second.begin(), found->second.end(), one))
            return true;
    }
    const auto* called = std::get_if<Call>(&s->node);
    if (called != nullptr && shows(s, *called, question, depth + 1)) return true;
    return question.otherwise != nullptr && (*question.otherwise)(s);
}

bool PlainSigns::shows(const Scalar& s, const Call& called, const Question& question,
                       int depth) const {
    const std::vector<Scalar>& of = called.arguments;
    const auto one = [&](const Scalar& x) { return shows(x, question, depth); };
    switch (called.function) {
        case Function::add:
        case Function::mul:
            if (!question.as_integers && RangeFinder(names_).step_of(s).fit == Fit::never)
                return false;
            return std::all_of(of.begin(), of.end(), one);
        case Function::div:
        case Function::ceil_div:
        case Function::min: return std::all_of(of.begin(), of.end(), one);
        case Function::max: return std::any_of(of.begin(), of.end(), one);
        // Of floor division, by something positive: that the launcher sees to, but not of what the
        // kernel reads.
        case Function::mod: return is_constant(of[1]) || !is_of_data(of[1]);
        case Function::sub:
        case Function::neg:
        case Function::abs:
        case TKC_LOGIC:
        case TKC_COMPARISONS:
        case TKC_BIT_FUNCTIONS:
        case TKC_REAL_FUNCTIONS:
        case TKC_BIT_PATTERNS:
        case Function::where: return false;
    }
    return false;
}

bool PlainSigns::is_of_data(const Scalar& s) const {
    if (!data_) data_ = names_of_data(kernel_);
    return is_from_data(*data_, s);
}

}  // namespace tkc::ir
