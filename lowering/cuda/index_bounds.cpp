// By the names in a position: what each of them can be.
#include "lowering/cuda/index_bounds.h"

#include <algorithm>
#include <set>

#include "ir/contract.h"
#include "ir/walk.h"

namespace tkc::cuda {

namespace {

constexpr int deepest = 16;  // of `let`s in one another

// Names that tensors give to their extents: the launcher refuses negative ones. Not the parameters
// that stand in extents beside them: `P * G` may be 0 with P = -1.
std::set<std::string> extents_of(const ir::Kernel& kernel) {
    std::set<std::string> names;
    for (const ir::Binding& b : ir::bindings(kernel)) names.insert(b.name);
    return names;
}

// The names that memory decides on.
struct Data {
    std::set<std::string> names;

    bool from(const ir::Scalar& s) const {
        if (!s) return false;
        bool found = false;
        ir::visit_nodes(s, [&](const ir::ScalarNode& n) {
            const auto* symbol = std::get_if<ir::Symbol>(&n.node);
            found = found || std::holds_alternative<ir::ElementLoad>(n.node) ||
                    (symbol != nullptr && names.contains(symbol->name));
        });
        return found;
    }
};

class Signs {
public:
    Signs(const ir::Kernel& kernel, const ir::Role& role, const ir::Ranges& names)
        : kernel_(kernel), extents_(extents_of(kernel)), ranges_(names) {
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
                return all(called->arguments) && ranges_.step_of(s).fit != ir::Fit::never;
            case tkc::Function::div:
            case tkc::Function::ceil_div:
            case tkc::Function::min: return all(called->arguments);
            // Of floor division, by something positive: that the launcher sees to, but not of what
            // the kernel reads.
            case tkc::Function::mod: return !from_data(called->arguments[1]);
            case tkc::Function::max:
                return std::any_of(
                    called->arguments.begin(), called->arguments.end(),
                    [&](const ir::Scalar& x) { return never_negative(x, depth + 1); });
            default: return false;
        }
    }

private:
    bool from_data(const ir::Scalar& s) const {
        std::int64_t value = 0;
        return !ir::is_constant(s, &value) && Data{names_of_data(kernel_)}.from(s);
    }

    const ir::Kernel& kernel_;
    std::set<std::string> extents_;
    std::map<std::string, std::vector<ir::Scalar>> values_;  // the least ones, by name
    mutable ir::RangeFinder ranges_;
};

}  // namespace

std::set<std::string> names_of_data(const ir::Kernel& kernel) {
    Data data;
    const auto look = [&](const ir::Block& block) {
        ir::walk(block, [&](const ir::Op& op) {
            const auto* let = ir::as<ir::Let>(op);
            const auto* loop = ir::as<ir::For>(op);
            const auto* read = ir::as<ir::ReadNumber>(op);
            if (let != nullptr && data.from(let->value)) data.names.insert(let->name);
            if (read != nullptr) data.names.insert(read->name);
            if (loop != nullptr && (data.from(loop->begin) || data.from(loop->end)))
                data.names.insert(loop->var);
        });
    };
    // A name is defined before it is used, and names of the kernel before those of a role.
    look(kernel.lets);
    for (const ir::Role& role : kernel.roles) look(role.body);
    return data.names;
}

bool is_from_data(const std::set<std::string>& names, const ir::Scalar& s) {
    return Data{names}.from(s);
}

bool never_negative(const ir::Kernel& kernel, const ir::Role& role, const ir::Ranges& names,
                    const ir::Scalar& s) {
    return Signs(kernel, role, names).never_negative(s);
}

bool stays_inside(const ir::Kernel& kernel, const ir::Role& role, const ir::Ranges& names,
                  const ir::Scalar& position, const ir::Scalar& extent) {
    std::int64_t at = 0;
    std::int64_t end = 0;
    if (ir::is_constant(position, &at) && ir::is_constant(extent, &end)) return at >= 0 && at < end;
    const auto* name = std::get_if<ir::Symbol>(&position->node);
    if (name == nullptr) return false;
    const std::string written = ir::to_string(extent);
    bool inside = false;
    const auto look = [&](const ir::Scalar& begin, const ir::Scalar& last) {
        inside = never_negative(kernel, role, names, begin) && ir::to_string(last) == written;
    };
    for (const ir::GridAxis& axis : kernel.grid) {
        if (axis.var == name->name && ir::steps_behind_end(kernel, axis) == 0)
            look(axis.begin, axis.end);
    }
    ir::walk_only<ir::For>(role.body, [&](const ir::For& f) {
        if (f.var == name->name) look(f.begin, f.end);
    });
    return inside;
}

}  // namespace tkc::cuda
