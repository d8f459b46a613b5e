// Each read and each divisor is looked at under the ranges of the loops and the conditions around
// it. A read that only extents and parameters steer is proved or refuted; one that data steer is
// proved from what the kernel states of them (`within`), or not decided.
#include "checks/elements.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "ir/value_range.h"
#include "ir/walk.h"

namespace tkc::checks {

namespace {

using namespace ir;

bool divides(const Call& c) {
    return c.function == Function::div || c.function == Function::mod ||
           c.function == Function::ceil_div;
}

/// Reads and divisions that may need a proof.
bool has_sites(const Scalar& s) {
    bool found = false;
    visit_nodes(s, [&](const ScalarNode& n) {
        const auto* load = std::get_if<ElementLoad>(&n.node);
        const auto* c = std::get_if<Call>(&n.node);
        found = found || (load != nullptr && !load->zero_outside) ||
                (c != nullptr && divides(*c) && is_integer(n.dtype) && !is_constant(c->arguments[1]));
    });
    return found;
}

bool has_sites(const Op& op) {
    bool found = false;
    for_each_scalar(op, [&](const Scalar& s) { found = found || (s && has_sites(s)); });
    for_each_block(op, [&](const Block& inner) {
        for (const Op& x : inner) found = found || has_sites(x);
    });
    return found;
}

/// Whether data, or what is not known, steer a value: then small numbers refute nothing.
bool needs_data(const NormalForm& x) {
    bool found = x.is_unknown();
    visit_atoms(x, [&](const Atom& a) {
        found = found || a->kind == AtomKind::load || a->kind == AtomKind::opaque ||
                a->kind == AtomKind::wrapped;
    });
    return found;
}

class ElementCheck {
public:
    ElementCheck(const Kernel& kernel, Diagnostics& diag, std::vector<Obligation>* obligations)
        : kernel_(kernel), diag_(diag), obligations_(obligations) {}

    bool run() {
        const Bindings bindings = bindings_of(kernel_);
        ranges_ = bindings.ranges;
        const Facts facts = facts_of(kernel_, bindings);
        block(kernel_.lets, bindings, facts, false);
        for (const Role& role : kernel_.roles) block(role.body, bindings, facts, false);
        return good_;
    }

private:
    /// `by_data`: whether we come here is for data to say.
    void block(const Block& ops, Bindings bindings, const Facts& facts, bool by_data) {
        for (const Op& op : ops) {
            const bool reports = as<Assert>(op) != nullptr;  // checked where it runs
            if (!reports && has_sites(op)) {
                for_each_scalar(op, [&](const Scalar& s) {
                    if (s) look_at(s, op, bindings, facts, by_data);
                });
                inner_blocks(op, bindings, facts, by_data);
            }
            if (as<Let>(op) != nullptr) bindings = bindings_of({op}, std::move(bindings));
        }
    }

    void inner_blocks(const Op& op, const Bindings& bindings, const Facts& facts, bool by_data) {
        if (const auto* loop = as<For>(op)) {
            Facts inside = facts;
            const NormalForm begin = normal_form(loop->begin, bindings);
            const NormalForm end = normal_form(loop->end, bindings);
            if (begin.is_unknown() || end.is_unknown()) {
                return block(loop->body, bindings, facts, true);
            }
            inside.assume_range(loop->var, begin, end, loop->step);
            return block(loop->body, bindings, inside,
                         by_data || needs_data(begin) || needs_data(end));
        }
        if (const auto* branch = as<If>(op)) {
            const NormalForm truth = normal_form(branch->condition, bindings);
            const bool data = by_data || needs_data(truth);
            const auto with = [&](const NormalForm& holds, const Block& body) {
                if (body.empty()) return;
                Facts inside = facts;
                if (!holds.is_unknown()) inside.assume(holds);
                block(body, bindings, inside, data);
            };
            with(truth, branch->then_body);
            with(negation(truth), branch->else_body);
            return;
        }
        for_each_block(
            op, [&](const Block& inner) { block(inner, bindings, facts, by_data); });
    }

    void look_at(const Scalar& s, const Op& op, const Bindings& bindings, const Facts& facts,
                 bool by_data) {
        visit_nodes(s, [&](const ScalarNode& n) {
            if (const auto* load = std::get_if<ElementLoad>(&n.node)) {
                if (!load->zero_outside) read(*load, op.span, bindings, facts, by_data);
            } else if (const auto* c = std::get_if<Call>(&n.node)) {
                if (divides(*c) && is_integer(n.dtype)) divisor(*c, op, bindings, facts);
            }
        });
    }

    void read(const ElementLoad& load, Span span, const Bindings& bindings, const Facts& facts,
              bool by_data) {
        const Tensor* tensor = find_tensor(kernel_, load.tensor);
        if (tensor == nullptr) return;
        const std::string text =
            to_string(element_load(load.tensor, load.position, false, Dtype::i32));
        Obligation result{fmt::format("`{}` lies inside of `{}`", text, load.tensor),
                          Verdict::proved,
                          span,
                          "its position is less than the extent"};
        Bindings launch = bindings;
        launch.ranges = nullptr;
        for (std::size_t axis = 0; axis < load.position.size(); ++axis) {
            const NormalForm at = normal_form(load.position[axis], bindings);
            const NormalForm extent = normal_form(tensor->extents[axis], launch);
            const NormalForm left = extent - at - NormalForm(1);
            if (!at.is_unknown() && facts.prove_at_least(at, 0) && facts.prove_at_least(left, 0))
                continue;
            const bool refutable = !by_data && !needs_data(at);
            const auto witness =
                refutable ? facts.find({negation(at_least_zero(at) * at_least_zero(left))})
                          : std::nullopt;
            if (witness) return refute(load, axis, text, *witness, result);
            result.verdict = Verdict::undecided;
        }
        if (!fresh(result)) return;
        if (result.verdict == Verdict::undecided) {
            result.text = "nothing states it; checked when emulated and in debug builds";
            auto builder = diag_.warning(span, msg::not_decided, result.what);
            std::string from;
            for (const Scalar& p : load.position) {
                visit_nodes(p, [&](const ScalarNode& n) {
                    const auto* inner = std::get_if<ElementLoad>(&n.node);
                    if (inner != nullptr && is_integer(n.dtype)) from = inner->tensor;
                });
            }
            const std::string end = to_string(tensor->extents.back());
            if (!from.empty() && load.position.size() == 1) {
                builder.help("state what is known of the data, `trusts within({}, 0, {})`, or clamp "
                             "the position with `min` and `max`",
                             from, end);
            } else {
                builder.help("clamp the position with `min` and `max`, or read under a condition");
            }
        }
        list(result);
    }

    void refute(const ElementLoad& load, std::size_t axis, const std::string& text,
                const Witness& witness, Obligation result) {
        result.verdict = Verdict::refuted;
        result.witness = witness.values;
        result.text = witness.text;
        good_ = false;
        if (!fresh(result)) return;
        const std::string where = witness.text.empty() ? "always" : "with " + witness.text;
        diag_.error(result.span, msg::element_outside, text, load.tensor, where)
            .note("position {} of axis {} must be from 0 up to {}",
                  to_string(load.position[axis]), axis,
                  to_string(sub(find_tensor(kernel_, load.tensor)->extents[axis], integer(1))))
            .help("clamp the position with `min` and `max`, or read under a condition");
        list(result);
    }

    void divisor(const Call& c, const Op& op, const Bindings& bindings, const Facts& facts) {
        const Scalar& d = c.arguments[1];
        const ValueRange range = range_of(d, *ranges_);
        if (range.least >= 1) return;
        const bool cells = as<Map>(op) != nullptr || as<Splat>(op) != nullptr;
        if (range.low && !cells) return;  // a condition of the launch
        bool of_cells = false;            // looked at where it runs
        visit_nodes(d, [&](const ScalarNode& n) {
            of_cells = of_cells || std::holds_alternative<Element>(n.node);
        });
        if (of_cells) return;
        const NormalForm form = normal_form(d, bindings);
        Obligation result{fmt::format("`{}` is at least 1, which divides", to_string(d)),
                          Verdict::proved,
                          op.span,
                          "by what is known of it"};
        if (form.is_unknown() || !facts.prove_at_least(form, 1)) {
            result.verdict = Verdict::undecided;
            result.text = "nothing states it; checked when emulated and in debug builds";
        }
        if (!fresh(result)) return;
        if (result.verdict == Verdict::undecided) {
            auto builder = diag_.warning(op.span, msg::not_decided, result.what);
            if (const auto* load = std::get_if<ElementLoad>(&d->node)) {
                builder.help("state it, `trusts within({}, 1, N)` with an N that is larger, or "
                             "divide by `max({}, 1)`",
                             load->tensor, to_string(d));
            } else {
                builder.help("divide by `max({}, 1)`", to_string(d));
            }
        }
        list(result);
    }

    /// Roles and branches read the same again.
    bool fresh(const Obligation& o) {
        return seen_.insert(std::to_string(static_cast<int>(o.verdict)) + o.what).second;
    }
    void list(const Obligation& o) {
        if (obligations_ != nullptr) obligations_->push_back(o);
    }

    const Kernel& kernel_;
    Diagnostics& diag_;
    std::vector<Obligation>* obligations_;
    std::shared_ptr<const Ranges> ranges_;
    std::set<std::string> seen_;
    bool good_ = true;
};

}  // namespace

bool check_elements(const Kernel& kernel, Diagnostics& diag,
                    std::vector<Obligation>* obligations) {
    const auto needed = [](const Block& ops) {
        return std::any_of(ops.begin(), ops.end(), [](const Op& op) { return has_sites(op); });
    };
    const bool any = needed(kernel.lets) ||
                     std::any_of(kernel.roles.begin(), kernel.roles.end(),
                                 [&](const Role& role) { return needed(role.body); });
    return !any || ElementCheck(kernel, diag, obligations).run();
}

}  // namespace tkc::checks
