// By the names in a position: what each of them can be.
#include "lowering/cuda/inside.h"

#include <algorithm>
#include <set>

#include "ir/walk.h"

namespace tkc::cuda {

namespace {

constexpr int deepest = 16;  // of `let`s in one another

/// Names that stand in extents: they are never negative.
std::set<std::string> extents_of(const ir::Kernel& kernel) {
    std::set<std::string> names;
    for (const ir::Tensor& tensor : kernel.tensors) {
        for (const ir::Scalar& extent : tensor.extents) names.merge(ir::symbols_of(extent));
    }
    return names;
}

class Signs {
public:
    Signs(const ir::Kernel& kernel, const ir::Role& role) : extents_(extents_of(kernel)) {
        for (const ir::GridAxis& axis : kernel.grid) values_[axis.var].push_back(axis.begin);
        for (const ir::Constant& c : kernel.constants) {
            if (c.value) values_[c.name].push_back(c.value);
        }
        const auto add = [&](const ir::Block& block) {
            ir::walk_only<ir::For>(block,
                                   [&](const ir::For& f) { values_[f.var].push_back(f.begin); });
            ir::walk_only<ir::Let>(
                block, [&](const ir::Let& let) { values_[let.name].push_back(let.value); });
        };
        add(kernel.lets);
        add(role.body);
    }

    bool never_negative(const ir::Scalar& s, int depth = 0) const {
        if (!s) return true;
        std::int64_t value = 0;
        if (ir::is_constant(s, &value)) return value >= 0;
        if (depth > deepest) return false;
        const auto all = [&](const std::vector<ir::Scalar>& list) {
            return std::all_of(list.begin(), list.end(),
                               [&](const ir::Scalar& x) { return never_negative(x, depth + 1); });
        };
        if (const auto* name = std::get_if<ir::Symbol>(&s->node)) {
            if (name->name == ir::warpgroup_symbol || extents_.count(name->name) != 0) return true;
            const auto found = values_.find(name->name);
            return found != values_.end() && all(found->second);
        }
        const auto* called = std::get_if<ir::Call>(&s->node);
        if (called == nullptr) return false;
        switch (called->function) {
            case tkc::Function::add:
            case tkc::Function::mul:
            case tkc::Function::div:
            case tkc::Function::ceil_div:
            case tkc::Function::min: return all(called->arguments);
            case tkc::Function::mod: return true;  // floor division, by something positive
            case tkc::Function::max:
                return std::any_of(
                    called->arguments.begin(), called->arguments.end(),
                    [&](const ir::Scalar& x) { return never_negative(x, depth + 1); });
            default: return false;
        }
    }

private:
    std::set<std::string> extents_;
    std::map<std::string, std::vector<ir::Scalar>> values_;  // the least ones, by name
};

}  // namespace

bool never_negative(const ir::Kernel& kernel, const ir::Role& role, const ir::Scalar& s) {
    return Signs(kernel, role).never_negative(s);
}

bool stays_inside(const ir::Kernel& kernel, const ir::Role& role, const ir::Scalar& position,
                  const ir::Scalar& extent) {
    std::int64_t at = 0;
    std::int64_t end = 0;
    if (ir::is_constant(position, &at) && ir::is_constant(extent, &end)) return at >= 0 && at < end;
    const auto* name = std::get_if<ir::Symbol>(&position->node);
    if (name == nullptr) return false;
    const std::string written = ir::to_string(extent);
    bool inside = false;
    const auto look = [&](const ir::Scalar& begin, const ir::Scalar& last) {
        inside = never_negative(kernel, role, begin) && ir::to_string(last) == written;
    };
    for (const ir::GridAxis& axis : kernel.grid) {
        if (axis.var == name->name && axis.cluster == 1) look(axis.begin, axis.end);
    }
    ir::walk_only<ir::For>(role.body, [&](const ir::For& f) {
        if (f.var == name->name) look(f.begin, f.end);
    });
    return inside;
}

}  // namespace tkc::cuda
