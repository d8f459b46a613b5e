// Each read and each divisor is looked at under the ranges of the loops and the conditions around
// it. A read that only extents and parameters steer is proved or refuted; one that data steer is
// proved from what the kernel states of them (`within`), or not decided.
#include "checks/tile/elements.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "arithmetic/guards.h"
#include "arithmetic/number_names.h"
#include "facts/plain_signs.h"
#include "facts/value_range.h"
#include "ir/contract.h"
#include "ir/walk.h"

namespace tkc::checks {

namespace {

using namespace ir;

bool divides(const Call& c) {
    return c.function == Function::div || c.function == Function::mod ||
           c.function == Function::ceil_div;
}

// A slice of a view that is loaded or stored to, and where its spans begin in the view.
struct SliceInView {
    const Slice* slice = nullptr;
    const std::vector<Scalar>* places = nullptr;  // null: there is none, or it may begin anywhere
    bool writes = false;
};
SliceInView slice_in_view(const Op& op) {
    SliceInView made;
    if (const auto* load = as<Load>(op)) {
        made = {&load->source, &load->places_in_view};
    } else if (const auto* fill = as<Fill>(op); fill != nullptr && !fill->allow_foreign) {
        made = {&fill->source, &fill->places_in_view};
    } else if (const auto* store = as<Store>(op)) {
        made = {&store->target, &store->places_in_view, true};
    }
    return made.places != nullptr && !made.places->empty() ? made : SliceInView{};
}

// Whether it has reads and divisions that may need a proof.
bool has_sites(const Op& op) {
    const auto* load = as<Load>(op);
    bool found = (load != nullptr && load->element) || slice_in_view(op).places != nullptr;
    for_each_scalar(op, [&](const Scalar& s) { found = found || (s && needs_its_condition(s)); });
    for_each_block(op, [&](const Block& inner) {
        for (const Op& x : inner) found = found || has_sites(x);
    });
    return found;
}

// Whether data, or what is not known, steer a value: then small numbers refute nothing.
bool needs_data(const NormalForm& x) {
    bool found = x.is_unknown();
    visit_atoms(x, [&](const Atom& a) {
        found = found || a->kind == AtomKind::load || a->kind == AtomKind::opaque ||
                a->kind == AtomKind::wrapped;
    });
    return found;
}

const std::string clamp_it = "clamp the index with `min` and `max`, or read under a condition";

class ElementCheck {
public:
    // Without diagnostics nothing is told.
    ElementCheck(const Kernel& kernel, Diagnostics* diag, std::vector<Obligation>* obligations,
                 const TryWitness& trial)
        : kernel_(kernel), diag_(diag), obligations_(obligations), trial_(trial) {}

    bool run() {
        const Bindings bindings = bindings_of(kernel_);
        ranges_ = bindings.ranges;
        const Facts facts = facts_of(kernel_, bindings);
        block(kernel_.lets, bindings, facts, {});
        for (const Role& role : kernel_.roles) {
            signs_.emplace(kernel_, role, ranges_of(kernel_, role));
            block(role.body, bindings, facts, {});
        }
        return good_;
    }

    std::vector<Condition> conditions;

private:
    // Who says whether we come here.
    struct Place {
        bool by_data = false;
        std::set<std::string> guards = {};  // names in the conditions around
        Scalar reached = nullptr;  // what holds of the launches that come here; null: nothing
    };

    void block(const Block& ops, Bindings bindings, const Facts& outer, Place place) {
        std::optional<Facts> stated;
        for (const Op& op : ops) {
            const Facts& facts = stated ? *stated : outer;
            if (const auto* report = as<Assert>(op)) {  // checked where it runs
                if (!is_assumed(*report)) continue;
                const NormalForm holds = normal_form(report->condition, bindings);
                if (holds.is_unknown()) continue;
                if (!stated) stated = outer;
                stated->assume(holds);
                continue;
            }
            if (has_sites(op)) {
                for_each_scalar(op, [&](const Scalar& s) {
                    if (s) look_at(s, op, bindings, facts, place);
                });
                if (const auto* load = as<Load>(op); load != nullptr && load->element)
                    read({load->source.tensor, position_of(*load), false}, op.span, bindings, facts,
                         place);
                if (const SliceInView of_view = slice_in_view(op); of_view.places != nullptr)
                    starts(of_view, op.span, bindings, facts, place);
                inner_blocks(op, bindings, facts, place);
            }
            if (names_number(op)) bindings = bindings_of({op}, std::move(bindings));
            if (const auto* let = as<Let>(op)) lets_[let->name] = substitute(let->value, lets_);
        }
    }

    // The tensor of integers whose elements the number is made of; empty where it is of none.
    std::string tensor_behind(const Scalar& number) const {
        std::string found;
        visit_nodes(substitute(number, lets_), [&](const ScalarNode& n) {
            const auto* inner = std::get_if<ElementLoad>(&n.node);
            if (inner != nullptr && is_integer(n.dtype)) found = inner->tensor;
        });
        return found;
    }

    // `assume` of data, and facts about elements: taken for granted, unlike `assert`.
    bool is_assumed(const Assert& report) const {
        return report.condition &&
               std::any_of(kernel_.trusted.begin(), kernel_.trusted.end(), [&](const Trusted& t) {
                   return t.tensor.empty() && t.fact == report.text;
               });
    }

    void inner_blocks(const Op& op, const Bindings& bindings, const Facts& facts, Place place) {
        if (const auto* loop = as<For>(op)) {
            Facts inside = facts;
            const NormalForm begin = normal_form(loop->begin, bindings);
            const NormalForm end = normal_form(loop->end, bindings);
            if (begin.is_unknown() || end.is_unknown()) {
                place.by_data = true;
                return block(loop->body, bindings, facts, place);
            }
            inside.assume_range(loop->var, begin, end, loop->step);
            reach({less(loop->begin, loop->end), true}, place);
            place.by_data = place.by_data || needs_data(begin) || needs_data(end);
            return block(loop->body, bindings, inside, place);
        }
        if (const auto* branch = as<If>(op)) {
            for (const bool holds : {true, false}) {
                const Block& body = holds ? branch->then_body : branch->else_body;
                if (body.empty()) continue;
                Facts inside = facts;
                Place here = place;
                assume({branch->condition, holds}, bindings, inside, here);
                block(body, bindings, inside, here);
            }
            return;
        }
        for_each_block(op, [&](const Block& inner) { block(inner, bindings, facts, place); });
    }

    void assume(const Guard& guard, const Bindings& bindings, Facts& facts, Place& place) const {
        place.guards.merge(symbols_of(with_constants(kernel_, guard.condition)));
        reach(guard, place);
        for (const Guard& part : parts_of(guard)) {
            // A condition before it may say that a divisor in it is positive.
            const NormalForm truth = facts.simplify(normal_form(part.condition, bindings));
            place.by_data = place.by_data || needs_data(truth);
            if (!truth.is_unknown()) facts.assume(part.holds ? truth : negation(truth));
        }
    }

    void reach(const Guard& guard, Place& place) const {
        const Scalar condition = with_constants(kernel_, guard.condition);
        const Scalar holds = RangeFinder(*ranges_).reached({condition, guard.holds});
        if (!holds) return;
        place.reached = place.reached ? call(Function::logical_and, {place.reached, holds}) : holds;
    }

    void look_at(const Scalar& s, const Op& op, const Bindings& bindings, const Facts& facts,
                 Place place) {
        Guards guards;
        visit_evaluated(s, guards, [&](const Scalar& node, const Guards& around) {
            const auto* load = std::get_if<ElementLoad>(&node->node);
            const auto* c = std::get_if<Call>(&node->node);
            const bool reads = load != nullptr && !load->zero_outside;
            const bool divided = c != nullptr && divides(*c) && is_integer(node->dtype);
            if (!reads && !divided) return;
            Facts inside = facts;
            Place here = place;
            for (const Guard& guard : around) assume(guard, bindings, inside, here);
            if (reads) read(*load, op.span, bindings, inside, here);
            else divisor(*c, op, bindings, inside);
        });
    }

    void read(const ElementLoad& load, Span span, const Bindings& bindings, const Facts& facts,
              Place place) {
        const Tensor* tensor = find_tensor(kernel_, load.tensor);
        if (tensor == nullptr) return;
        const std::string text =
            to_string(as_written(element_load(load.tensor, load.position, false, Dtype::i32)));
        Obligation result{fmt::format("`{}` is within the bounds of `{}`", text, load.tensor),
                          Verdict::proved, span, "its index is less than the extent"};
        Bindings launch = bindings;
        launch.ranges = nullptr;
        // Of a position that is clamped to the last element, which there is none of.
        std::optional<std::string> help;
        for (std::size_t axis = 0; axis < load.position.size(); ++axis) {
            const NormalForm at = normal_form(load.position[axis], bindings);
            const NormalForm extent = normal_form(tensor->extents[axis], launch);
            const NormalForm left = extent - at - NormalForm(1);
            if (!at.is_unknown() && facts.prove_at_least(at, 0) && facts.prove_at_least(left, 0))
                continue;
            if (asks_launch(load, axis, text, span, place)) {
                result.text = "a condition of the launch";
                continue;
            }
            const bool refutable = !place.by_data && !needs_data(at);
            auto witness = refutable
                               ? facts.find({negation(at_least_zero(at) * at_least_zero(left))})
                               : std::nullopt;
            if (witness && !is_refuted(trial_, witness->values)) witness.reset();
            Facts some = facts;
            if (!extent.is_unknown()) some.assume_at_least_zero(extent - NormalForm(1));
            const bool clamped =
                !left.is_unknown() && some.prove_at_least(at, 0) && some.prove_at_least(left, 0);
            const std::string here =
                clamped ? fmt::format(
                              "write `requires {} >= 1`: an empty tensor has no element to read",
                              to_string(tensor->extents[axis]))
                        : "";
            if (witness)
                return refute(load, axis, text, *witness, clamped ? here : clamp_it, result);
            if (!help || !clamped) help = here;
            result.verdict = Verdict::undecided;
        }
        if (!fresh(result)) return;
        if (result.verdict == Verdict::undecided) {
            result.text = "not stated; checked when emulated and in debug builds";
            auto builder = diag_->warning(span, msg::not_decided, result.what);
            const std::string from = tensor_behind(load.position.back());
            const std::string end = to_string(tensor->extents.back());
            if (help && !help->empty()) {
                builder.help("{}", *help);
            } else if (!from.empty() && load.position.size() == 1) {
                builder.help(
                    "state the range of the data, `trusts within({}, 0, {})`, or clamp the index "
                    "with `min` and `max`",
                    from, end);
            } else {
                builder.help("{}", clamp_it);
            }
        }
        list(result);
    }

    // What lies before the start of a view is another's, and no edge keeps it out. Where data say
    // where a slice begins, that is as they say.
    void starts(const SliceInView& of_view, Span span, const Bindings& bindings, const Facts& facts,
                const Place& place) {
        const auto is_proved = [&](const Scalar& s) {
            return facts.prove_at_least(normal_form(s, bindings), 0);
        };
        for (const Scalar& scalar : *of_view.places) {
            if (signs_->never_negative_on_paper(scalar, is_proved)) continue;
            const NormalForm at = normal_form(scalar, bindings);
            if (needs_data(at)) continue;
            const auto witness =
                place.by_data ? std::nullopt : facts.find({negation(at_least_zero(at))});
            const std::string text = to_string(as_written(scalar));
            Obligation result{
                fmt::format("a slice of `{}` begins in its view", of_view.slice->tensor),
                Verdict::undecided, span, fmt::format("it begins at `{}` there", text)};
            if (!fresh(result)) return;
            diag_
                ->warning(span, msg::before_view, of_view.slice->tensor,
                          of_view.writes ? "written" : "read",
                          !witness                ? ""
                          : witness->text.empty() ? ": always"
                                                  : ": when " + witness->text)
                .note("it begins at `{}`, counted from the start of the view", text)
                .help(
                    "write a list, `{} + range({})`, instead of the range: its positions outside "
                    "of the view are ignored",
                    text, length_of(*of_view.slice));
            list(result);
            return;
        }
    }

    // Of the first span that ends with a view.
    static std::int64_t length_of(const Slice& slice) {
        const auto range = std::find_if(
            slice.ranges.begin(), slice.ranges.end(),
            [](const Range& r) { return r.edge != nullptr && r.kind == Range::Kind::span; });
        return range == slice.ranges.end() ? 1 : range->length;
    }

    // Whether the launch can tell: it knows the position, or how far positions reach along an axis
    // whose extent has nothing to do with them. (`T[m + 1]` of a `T[M]` is for the author to
    // mend.)
    bool asks_launch(const ElementLoad& load, std::size_t axis, const std::string& text, Span span,
                     const Place& place) {
        const ValueRange at = range_of(load.position[axis], *ranges_);
        if (!at.low || !at.high) return false;
        const Scalar extent =
            with_constants(kernel_, find_tensor(kernel_, load.tensor)->extents[axis]);
        if (same(at.low, at.high)) {
            if (is_constant(extent) && is_constant(at.low)) return false;
        } else {
            const std::set<std::string> reach = symbols_of(at.high);
            const std::set<std::string> names = symbols_of(extent);
            const bool related = std::any_of(names.begin(), names.end(), [&](const auto& name) {
                return reach.count(name) != 0;
            });
            if (related || names.empty() || cluster_axis(kernel_) != nullptr) return false;
        }
        // A condition about the position was meant to keep it inside; data may say anything.
        std::set<std::string> compared = symbols_of(load.position[axis]);
        compared.merge(symbols_of(extent));
        const bool about_it =
            std::any_of(place.guards.begin(), place.guards.end(),
                        [&](const auto& name) { return compared.count(name) != 0; });
        if (about_it || (place.by_data && !place.guards.empty())) return false;
        Scalar none = less(programs_of(kernel_), integer(1));  // nobody reads it
        if (place.reached) none = call(Function::logical_or, {none, opposite(place.reached)});
        const std::string why =
            fmt::format("`{}` is read up to position {}, but axis {} of `{}` has {} elements", text,
                        hole(at.high), axis, load.tensor, hole(extent));
        const auto require = [&](const Scalar& holds) {
            std::int64_t known = 0;
            if (is_constant(holds, &known) && known != 0) return;
            conditions.push_back({call(Function::logical_or, {holds, none}), why, false, span});
        };
        require(call(Function::le, {integer(0), at.low}));
        require(less(at.high, extent));
        return true;
    }

    void refute(const ElementLoad& load, std::size_t axis, const std::string& text,
                const Witness& witness, const std::string& help, Obligation result) {
        result.verdict = Verdict::refuted;
        result.witness = witness.values;
        result.text = witness.text;
        good_ = false;
        if (!fresh(result)) return;
        const std::string where = witness.text.empty() ? "always" : "when " + witness.text;
        diag_->error(result.span, msg::element_outside, text, where)
            .note("the index {} of axis {} must be at least 0 and less than {}",
                  to_string(as_written(load.position[axis])), axis,
                  to_string(find_tensor(kernel_, load.tensor)->extents[axis]))
            .help("{}", help);
        list(result);
    }

    void divisor(const Call& c, const Op& op, const Bindings& bindings, const Facts& facts) {
        const Scalar& d = c.arguments[1];
        const bool cells = as<Map>(op) != nullptr;
        // Steps of what cells and changing numbers hold may wrap.
        const Asked steps = cells || as<Splat>(op) != nullptr ? Asked::no : Asked::yes;
        const ValueRange range = RangeFinder(*ranges_, steps).range_of(d);
        if (range.least >= 1) return;
        if (range.low && !cells) return;  // a condition of the launch
        bool of_cells = false;            // looked at where it runs
        visit_nodes(d, [&](const ScalarNode& n) {
            of_cells = of_cells || std::holds_alternative<Element>(n.node);
        });
        if (of_cells) return;
        const NormalForm form = normal_form(d, bindings);
        Obligation result{fmt::format("the divisor `{}` is at least 1", to_string(as_written(d))),
                          Verdict::proved, op.span, "from its known range"};
        if (form.is_unknown() || !facts.prove_at_least(form, 1)) {
            result.verdict = Verdict::undecided;
            result.text = "not stated; checked when emulated and in debug builds";
        }
        if (!fresh(result)) return;
        if (result.verdict == Verdict::undecided) {
            auto builder = diag_->warning(op.span, msg::not_decided, result.what);
            if (const auto* load = std::get_if<ElementLoad>(&d->node)) {
                builder.help(
                    "write `trusts within({}, 1, N)` with a sufficiently large N, or divide by "
                    "`max({}, 1)`",
                    load->tensor, to_string(as_written(d)));
            } else if (is_known_at_launch(as_written(d))) {
                builder.help("write `requires {0} >= 1`, or divide by `max({0}, 1)`",
                             to_string(as_written(d)));
            } else {
                builder.help("divide by `max({}, 1)`", to_string(as_written(d)));
            }
        }
        list(result);
    }

    // Whether `requires` can speak of it: it is made of extents and parameters.
    bool is_known_at_launch(const Scalar& s) const {
        std::set<std::string> names = names_in_extents(kernel_);
        for (const Parameter& parameter : kernel_.parameters) names.insert(parameter.name);
        bool known = true;
        visit_nodes(s, [&](const ScalarNode& n) {
            const auto* symbol = std::get_if<Symbol>(&n.node);
            known = known && (symbol == nullptr || names.contains(symbol->name)) &&
                    !std::holds_alternative<ElementLoad>(n.node);
        });
        return known;
    }

    // Roles and branches read the same again.
    bool fresh(const Obligation& o) {
        return diag_ != nullptr &&
               seen_.insert(std::to_string(static_cast<int>(o.verdict)) + o.what).second;
    }
    void list(const Obligation& o) {
        if (obligations_ != nullptr) obligations_->push_back(o);
    }

    const Kernel& kernel_;
    Diagnostics* diag_;
    std::vector<Obligation>* obligations_;
    const TryWitness& trial_;
    std::optional<PlainSigns> signs_;  // of the role
    std::shared_ptr<const Ranges> ranges_;
    std::map<std::string, Scalar> lets_;  // as they are in what was looked at
    std::set<std::string> seen_;
    bool good_ = true;
};

}  // namespace

static bool needs_check(const Kernel& kernel) {
    const auto needed = [](const Block& ops) {
        return std::any_of(ops.begin(), ops.end(), [](const Op& op) { return has_sites(op); });
    };
    return needed(kernel.lets) || std::any_of(kernel.roles.begin(), kernel.roles.end(),
                                              [&](const Role& r) { return needed(r.body); });
}

bool check_elements(const Kernel& kernel, Diagnostics& diag, std::vector<Obligation>* obligations,
                    const TryWitness& trial) {
    return !needs_check(kernel) || ElementCheck(kernel, &diag, obligations, trial).run();
}

std::vector<Condition> conditions_of_elements(const Kernel& kernel) {
    if (!needs_check(kernel)) return {};
    const TryWitness nobody;
    ElementCheck check(kernel, nullptr, nullptr, nobody);
    check.run();
    return std::move(check.conditions);
}

}  // namespace tkc::checks
