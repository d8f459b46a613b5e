// Looking for divisions under conditions. Most kernels have none, so forms are made only where one
// is found.
#include "facts/guarded_divisors.h"

#include "arithmetic/guards.h"
#include "facts/facts.h"
#include "facts/launch_facts.h"
#include "facts/value_range.h"
#include "ir/walk.h"

namespace tkc::ir {

namespace {

class Divisors {
public:
    explicit Divisors(const Ranges& ranges) : ranges_(ranges) {}

    // Whether some divisor is under a condition.
    bool any(const Block& ops, bool guarded) const {
        bool found = false;
        for (const Op& op : ops) {
            each(op, [&](const Scalar&, bool inside) { found = found || guarded || inside; });
            for_each_block(op, [&](const Block& inner) {
                found = found || any(inner, guarded || is_conditional(op));
            });
            if (found) return true;
        }
        return false;
    }

    void list(const Block& ops, Bindings bindings, bool guarded) {
        for (const Op& op : ops) {
            each(op, [&](const Scalar& divisor, bool inside) {
                const NormalForm form = normal_form(divisor, bindings);
                if (form.is_unknown() || form.is_constant()) return;
                (guarded || inside ? under : always).emplace(form.key(), form);
            });
            for_each_block(op, [&](const Block& inner) {
                list(inner, bindings, guarded || is_conditional(op));
            });
            if (names_number(op)) bindings = bindings_of({op}, std::move(bindings));
        }
    }

    std::map<std::string, NormalForm> under;
    std::map<std::string, NormalForm> always;

private:
    static bool is_conditional(const Op& op) {
        return as<If>(op) != nullptr || as<For>(op) != nullptr;
    }

    void each(const Op& op, FunctionRef<void(const Scalar&, bool)> f) const {
        for_each_scalar(op, [&](const Scalar& s) {
            if (!s || !needs_its_condition(s)) return;
            Guards guards;
            visit_evaluated(s, guards, [&](const Scalar& node, const Guards& around) {
                const auto* c = std::get_if<Call>(&node->node);
                const bool divides =
                    c != nullptr && is_integer(node->dtype) &&
                    (c->function == Function::div || c->function == Function::mod ||
                     c->function == Function::ceil_div);
                if (divides && range_of(c->arguments[1], ranges_).least < 1)
                    f(c->arguments[1], !around.empty());
            });
        });
    }

    const Ranges& ranges_;
};

}  // namespace

std::shared_ptr<const std::set<std::string>> guarded_divisors(const Kernel& kernel,
                                                              const Bindings& bindings) {
    Divisors divisors(*bindings.ranges);
    bool any = divisors.any(kernel.lets, false);
    for (const Role& role : kernel.roles) any = any || divisors.any(role.body, false);
    if (!any) return nullptr;
    Bindings known = bindings;
    const Facts facts = facts_of_launch(kernel, bindings);
    // A divisor may be made of quotients by others.
    for (int round = 0; round < 2; ++round) {
        const Bindings of_kernel = bindings_of(kernel.lets, known);
        divisors.list(kernel.lets, known, false);
        for (const Role& role : kernel.roles) divisors.list(role.body, of_kernel, false);
        auto found = std::make_shared<std::set<std::string>>();
        for (const auto& [key, form] : divisors.under) {
            if (!divisors.always.contains(key) && !facts.prove_at_least(form, 1))
                found->insert(key);
        }
        known.guarded = std::move(found);
    }
    return known.guarded->empty() ? nullptr : known.guarded;
}

}  // namespace tkc::ir
