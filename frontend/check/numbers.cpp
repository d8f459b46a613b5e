// What follows from the `let`s, loops and conditions around a place.
#include "frontend/check/numbers.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/overloaded.h"
#include "facts/value_range.h"
#include "frontend/check/builder.h"
#include "frontend/check/context.h"
#include "frontend/check/limits.h"
#include "language/function_cases.h"

namespace tkc::checker {

namespace {

// Whether the form is a multiple of a small divisor whatever its names stand for: n * (n - 1) is
// even.
bool always_divisible(const ir::NormalForm& x, std::int64_t divisor) {
    std::map<std::string, std::int64_t> rests;  // of the atoms, by key
    for (const auto& [monomial, coefficient] : x.terms()) {
        for (const ir::Atom& atom : monomial) rests[atom->key] = 0;
    }
    if (divisor > 12 || rests.size() > 2) return false;
    for (;;) {
        std::int64_t sum = 0;
        for (const auto& [monomial, coefficient] : x.terms()) {
            std::int64_t product = coefficient % divisor;
            for (const ir::Atom& atom : monomial) product = product * rests[atom->key] % divisor;
            sum += product;
        }
        if (sum % divisor != 0) return false;
        auto next = rests.begin();
        while (next != rests.end() && ++next->second == divisor) (next++)->second = 0;
        if (next == rests.end()) return true;
    }
}

}  // namespace

Numbers::Numbers(Context& context, Builder& builder) : context_(context), builder_(builder) {}
Numbers::~Numbers() = default;

// What holds of every launch that gets here.
ir::Facts Numbers::facts_here() const {
    ir::Kernel known;
    static_cast<ir::Signature&>(known) = builder_.kernel;
    for (const ir::GridAxis& axis : builder_.kernel.grid) {
        if (axis.begin && axis.end) known.grid.push_back(axis);
    }
    ir::Facts facts = ir::facts_of(known, {});
    const auto form = [&](const ir::Scalar& s) { return ir::normal_form(without_lets(s)); };
    for (const FactRead& fact : facts_read) facts.assume(form(fact.holds));
    for (const KnownHere& here : known_here) {
        std::visit(
            Overloaded{
                [&](const std::pair<std::string, LoopRange>& loop) {
                    const LoopRange& range = loop.second;
                    facts.assume_range(loop.first, form(range.begin), form(range.end), range.step);
                },
                [&](const std::pair<ir::Scalar, bool>& branch) {
                    for (const ir::Guard& part : ir::parts_of({branch.first, branch.second})) {
                        const ir::NormalForm truth = form(part.condition);
                        facts.assume(part.holds ? truth : ir::negation(truth));
                    }
                },
            },
            here);
    }
    // Of `G == 0 or N % G == 0`, the second where the first is known not to hold.
    for (const ir::Condition& condition : known.conditions) {
        for (const ir::Guard& part : ir::parts_of({condition.holds, true})) {
            const auto* either = std::get_if<ir::Call>(&part.condition->node);
            if (either == nullptr || either->function != Function::logical_or) continue;
            if (facts.prove(ir::negation(form(either->arguments[0]))))
                facts.assume(form(either->arguments[1]));
        }
    }
    return facts;
}

bool Numbers::is_exact(const ir::Scalar& dividend, const ir::Scalar& divisor) const {
    const ir::NormalForm whole = ir::normal_form(without_lets(dividend));
    const ir::NormalForm rest = ir::remainder(whole, ir::normal_form(without_lets(divisor)));
    if (rest.is_unknown()) return false;
    std::int64_t constant = 0;
    if (ir::is_constant(divisor, &constant) && constant > 0 && always_divisible(whole, constant))
        return true;
    return rest.is_zero() || facts_here().prove_equal(rest, ir::NormalForm(0));
}

bool Numbers::is_multiple(const ir::Scalar& s, std::int64_t of) const {
    std::int64_t value = 0;
    if (of == 1) return true;
    if (ir::is_constant(s, &value)) return value % of == 0;
    if (const auto* symbol = std::get_if<ir::Symbol>(&s->node)) {
        const auto known = multiples.find(symbol->name);
        if (known != multiples.end() && known->second % of == 0) return true;
        const auto let = lets_.values.find(symbol->name);
        return let != lets_.values.end() && is_multiple(let->second, of);
    }
    const auto* call = std::get_if<ir::Call>(&s->node);
    if (call == nullptr || call->arguments.size() != 2) return false;
    const bool left = is_multiple(call->arguments[0], of);
    const bool right = is_multiple(call->arguments[1], of);
    switch (call->function) {
        case Function::mul: return left || right;
        case Function::add:
        case Function::sub:
        case Function::min:
        case Function::max: return left && right;
        case Function::div:
        case Function::neg:
        case Function::abs:
        case TKC_LOGIC:
        case TKC_COMPARISONS:
        case TKC_BIT_FUNCTIONS:
        case TKC_INTEGER_FUNCTIONS:
        case TKC_REAL_FUNCTIONS:
        case TKC_BIT_PATTERNS:
        case Function::where: break;
    }
    return false;
}

Numbers::Choosing::Choosing(Numbers& numbers, const ir::Scalar& condition, bool holds)
    : numbers_(condition ? &numbers : nullptr) {
    if (numbers_ == nullptr) return;
    numbers_->known_here.emplace_back(std::pair(condition, holds));
    numbers_->guards.push_back({condition, holds});
}
Numbers::Choosing::~Choosing() {
    if (numbers_ == nullptr) return;
    numbers_->known_here.pop_back();
    numbers_->guards.pop_back();
}

// A function has its `let`s before the statement that calls it. There the condition of
// `if n > 0 { f(n) } else { 0 }` guards nothing, so it is repeated for what needs it.
ir::Scalar Numbers::where_chosen(const ir::Scalar& s) const {
    const ir::Scalar chosen = ir::condition_of(guards);
    if (!chosen || !ir::needs_its_condition(s)) return s;
    const ir::Scalar nothing = is_boolean(s->dtype) ? ir::boolean(false)
                               : is_real(s->dtype)  ? ir::real(0, s->dtype)
                                                    : ir::integer(0, s->dtype);
    return ir::call(Function::where, {chosen, s, nothing});
}

ir::Scalar Numbers::emit_let(const std::string& symbol, const ir::Scalar& s, Span span) {
    std::size_t size = s->size;
    ir::visit_nodes(s, [&](const ir::ScalarNode& node) {
        const auto* name = std::get_if<ir::Symbol>(&node.node);
        const auto let = name == nullptr ? lets_.sizes.end() : lets_.sizes.find(name->name);
        if (let != lets_.sizes.end()) size += let->second;
    });
    if (size > formula_limit) {
        context_.error(span, msg::formula_too_large, fmt::format("`{}`", symbol), formula_limit)
            .help("a value that depends only on the sizes of a launch can be a parameter");
    } else {
        lets_.values[symbol] = s;
        lets_.sizes[symbol] = size;
    }
    builder_.emit(ir::Let{symbol, where_chosen(s)});
    return ir::symbol(symbol, s->dtype);
}

ir::Scalar Numbers::read(ir::Value tile, const std::string& wanted) {
    ir::ReadNumber made{builder_.number_name(wanted), tile, {}};
    for (const ir::GridAxis& axis : builder_.kernel.grid)
        made.place.push_back(ir::symbol(axis.var));
    for (const KnownHere& here : known_here) {
        const auto* loop = std::get_if<std::pair<std::string, LoopRange>>(&here);
        if (loop != nullptr) made.place.push_back(ir::symbol(loop->first));
    }
    ir::Scalar number = ir::symbol(made.name, builder_.role->tile(tile).dtype);
    builder_.emit(std::move(made));
    return number;
}

void Numbers::assign(const NumberVariable& variable, const ir::Scalar& value) {
    builder_.emit(ir::Splat{variable.value, where_chosen(value)});
    forget_reads();
}

std::optional<ir::Value> Numbers::variable_of(const std::string& symbol) const {
    const auto found = variables_.find(symbol);
    return found == variables_.end() ? std::nullopt : std::optional(found->second);
}

Operand Numbers::read(Operand x) {
    if (const auto* number = std::get_if<NumberVariable>(&x)) {
        for (const Builder::OpenBlock& block : builder_.blocks) {
            const auto known = block.reads.find(number->value.id);
            if (known != block.reads.end() && known->second.second == changes_)
                return known->second.first;
        }
        ir::Scalar made = read(number->value, (*builder_.role)[number->value].name);
        variables_.insert_or_assign(std::get<ir::Symbol>(made->node).name, number->value);
        builder_.blocks.back().reads.insert_or_assign(number->value.id, std::pair(made, changes_));
        return made;
    }
    if (auto* instance = std::get_if<StructInstance>(&x)) {
        for (StructField& field : instance->fields) field.value = read(std::move(field.value));
    }
    return x;
}

ir::Scalar Numbers::without_lets(const ir::Scalar& s) const {
    ir::Scalar found = s;
    for (bool again = true; again;) {
        again = false;
        for (const std::string& name : ir::symbols_of(found))
            again = again || lets_.values.count(name) != 0;
        if (again) found = ir::substitute(found, lets_.values);
    }
    return found;
}

bool Numbers::is_known_at_launch(const ir::Scalar& s) const {
    bool at_launch = true;
    for (const std::string& name : ir::symbols_of(s)) {
        at_launch = at_launch && launch_symbols.count(name) != 0;
    }
    ir::visit_nodes(s, [&](const ir::ScalarNode& n) {
        at_launch = at_launch && !std::holds_alternative<ir::ElementLoad>(n.node);
    });
    return at_launch;
}

// Floor division needs a positive divisor; one that is known at launch is checked there. A launch
// in which nobody divides by it may have another.
void Numbers::divide_by(const ir::Scalar& divisor, Span span) {
    const ir::Scalar number = without_lets(divisor);
    if (!is_known_at_launch(number)) return;
    ir::Ranges names = ir::ranges_of(static_cast<const ir::Signature&>(builder_.kernel));
    const auto variable = [&](const std::string& name, const ir::Scalar& begin,
                              const ir::Scalar& end) {
        if (!begin || !end) return;
        names[name] = ir::variable_range(ir::range_of(without_lets(begin), names),
                                         ir::range_of(without_lets(end), names));
    };
    for (const ir::GridAxis& axis : builder_.kernel.grid) variable(axis.var, axis.begin, axis.end);
    ir::Scalar reached;
    const auto under = [&](const ir::Scalar& condition, bool holds) {
        const ir::Guard guard{without_lets(condition), holds};
        const ir::Scalar one = ir::RangeFinder(names).reached(guard);
        if (one) reached = reached ? ir::call(Function::logical_and, {reached, one}) : one;
        ir::narrow(names, guard);
    };
    for (const KnownHere& here : known_here) {
        if (const auto* branch = std::get_if<std::pair<ir::Scalar, bool>>(&here)) {
            under(branch->first, branch->second);
            continue;
        }
        const auto& [name, range] = std::get<std::pair<std::string, LoopRange>>(here);
        under(ir::less(range.begin, range.end), true);
        variable(name, range.begin, range.end);
    }
    if (ir::range_of(number, names).least >= 1) return;
    divisors_.push_back({number, span, reached});
}

void Numbers::add_divisor_conditions() {
    std::set<std::string> seen;
    for (const bool always : {true, false}) {
        for (const Divisor& d : divisors_) {
            const std::string written = ir::to_string(d.number);
            if (always == (d.reached != nullptr) || seen.contains(written)) continue;
            ir::Condition positive;
            positive.holds = ir::less(ir::integer(0), d.number);
            if (d.reached)
                positive.holds =
                    ir::call(Function::logical_or, {ir::opposite(d.reached), positive.holds});
            if (!seen.insert(ir::to_string(positive.holds)).second) continue;
            if (always) seen.insert(written);
            positive.text = "`" + written + "` is at least 1, because `" +
                            context_.syntax.name.text + "` divides by it";
            positive.span = d.span;
            builder_.kernel.conditions.push_back(std::move(positive));
        }
    }
}

void Numbers::open_role() {
    kernel_lets_ = lets_;
    variables_.clear();
    forget_reads();
}

void Numbers::close_role() { lets_ = kernel_lets_; }

}  // namespace tkc::checker
