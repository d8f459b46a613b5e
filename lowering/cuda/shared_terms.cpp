// Numbering the distinct terms of an expression and counting what refers to each.
#include "lowering/cuda/shared_terms.h"

#include "arithmetic/guards.h"
#include "base/overloaded.h"

namespace tkc::cuda {

namespace {

using namespace ir;

struct Term {
    Scalar value;
    int references = 0;
    bool always = false;  // evaluated wherever the expression is
};

class Terms {
public:
    // Counts one more reference to the term; what it is made of is counted when it is first met.
    void refer(const Scalar& s, bool always = true) {
        for (Term& term : terms_) {
            if (term.value == s || same(term.value, s)) {
                ++term.references;
                term.always = term.always || always;
                return;
            }
        }
        std::visit(
            Overloaded{
                [](const Integer&) {},
                [](const Real&) {},
                [](const Boolean&) {},
                [](const Symbol&) {},
                [](const Element&) {},
                [](const Row&) {},
                [](const Column&) {},
                [](const ElementLoad&) {},  // its position is index arithmetic, left in place
                [&](const Call& c) {
                    for (std::size_t i = 0; i < c.arguments.size(); ++i)
                        refer(c.arguments[i], always && !guard_of_argument(c, i));
                },
                [&](const Cast& c) { refer(c.argument, always); },
                [&](const External& e) {
                    for (const Scalar& a : e.arguments) refer(a, always);
                },
            },
            s->node);
        terms_.push_back({s, 1, always});
    }

    const std::vector<Term>& all() const { return terms_; }

private:
    std::vector<Term> terms_;
};

bool is_worth_a_name(const Scalar& s) {
    return std::holds_alternative<Call>(s->node) || std::holds_alternative<Cast>(s->node) ||
           std::holds_alternative<ElementLoad>(s->node) ||
           std::holds_alternative<External>(s->node);
}

}  // namespace

std::vector<Scalar> shared_terms(const Scalar& s) {
    Terms terms;
    terms.refer(s);
    std::vector<Scalar> result;
    for (const Term& term : terms.all()) {
        // Before the expression, no condition keeps an element inside of its tensor.
        const bool here = term.always || !needs_its_condition(term.value);
        if (term.references > 1 && here && is_worth_a_name(term.value))
            result.push_back(term.value);
    }
    return result;
}

}  // namespace tkc::cuda
