// Counting the elements that a role takes, loop by loop.
#include "facts/elements_taken.h"

#include <map>

#include "ir/print.h"
#include "ir/walk.h"

namespace tkc::ir {

namespace {

class Counting {
public:
    Counting(const Kernel& kernel, const Role& role, const std::string& pipeline)
        : pipeline_(pipeline) {
        for (const Constant& c : kernel.constants) names_[c.name] = c.value;
        for (const GridAxis& axis : kernel.grid) varying_.insert(axis.var);
        walk_only<For>(role.body, [&](const For& loop) { varying_.insert(loop.var); });
        walk_only<ReadNumber>(role.body,
                              [&](const ReadNumber& read) { varying_.insert(read.name); });
        for (const Op& op : kernel.lets) name(op);
    }

    Scalar run(const Block& block) {
        const Scalar count = count_of(block);
        bool same = true;
        visit_nodes(count, [&](const ScalarNode& n) {
            same = same && !std::holds_alternative<ElementLoad>(n.node);
        });
        for (const std::string& symbol : symbols_of(count))
            same = same && !varying_.contains(symbol);
        return same ? count : nullptr;
    }

private:
    void name(const Op& op) {
        if (const auto* let = as<Let>(op)) names_[let->name] = resolve(let->value);
    }
    Scalar resolve(const Scalar& s) const { return substitute(s, names_); }

    static bool is_none(const Scalar& count) {
        std::int64_t value = 0;
        return is_constant(count, &value) && value == 0;
    }

    Scalar count_of(const Block& block) {
        Scalar total = integer(0);
        for (const Op& op : block) {
            name(op);
            const auto* consume = as<Consume>(op);
            const auto* take = as<Take>(op);
            if ((consume != nullptr && consume->pipeline == pipeline_) ||
                (take != nullptr && take->pipeline == pipeline_)) {
                total = add(total, integer(1));
            } else if (const auto* loop = as<For>(op)) {
                const Scalar each = count_of(loop->body);
                if (!is_none(each)) total = add(total, mul(trips(*loop), each));
            } else if (const auto* branch = as<If>(op)) {
                const Scalar yes = count_of(branch->then_body);
                const Scalar no = count_of(branch->else_body);
                const bool same = to_string(yes) == to_string(no);
                total =
                    add(total,
                        same ? yes : call(Function::where, {resolve(branch->condition), yes, no}));
            }
        }
        return total;
    }

    Scalar trips(const For& loop) const {
        const Scalar begin = resolve(loop.begin);
        const Scalar count = ceil_div(sub(resolve(loop.end), begin), integer(loop.step));
        const bool from_zero = is_none(begin);
        return from_zero && std::holds_alternative<Symbol>(resolve(loop.end)->node)
                   ? count
                   : call(Function::max, {count, integer(0)});
    }

    const std::string& pipeline_;
    std::map<std::string, Scalar> names_;
    std::set<std::string> varying_;
};

}  // namespace

Scalar elements_taken(const Kernel& kernel, const Role& role, const std::string& pipeline) {
    return Counting(kernel, role, pipeline).run(role.body);
}

bool moves_elements(const Block& block) {
    bool found = false;
    walk(block, [&](const Op& op) {
        found = found || as<Produce>(op) != nullptr || as<Consume>(op) != nullptr;
    });
    return found;
}

std::set<std::string> pipelines_read(const Role& role) {
    std::set<std::string> pipelines;
    walk_only<Consume>(role.body, [&](const Consume& c) { pipelines.insert(c.pipeline); });
    walk_only<Take>(role.body, [&](const Take& t) { pipelines.insert(t.pipeline); });
    return pipelines;
}

}  // namespace tkc::ir
