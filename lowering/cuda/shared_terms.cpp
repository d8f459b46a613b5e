// Numbering the distinct terms of an expression and counting what refers to each.
#include "lowering/cuda/shared_terms.h"

#include "base/overloaded.h"

namespace tkc::cuda {

namespace {

using namespace ir;

struct Term {
    Scalar value;
    int references = 0;
};

class Terms {
public:
    // Counts one more reference to the term; what it is made of is counted when it is first met.
    void refer(const Scalar& s) {
        for (Term& term : terms_) {
            if (term.value == s || same(term.value, s)) {
                ++term.references;
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
                    for (const Scalar& a : c.arguments) refer(a);
                },
                [&](const Cast& c) { refer(c.argument); },
                [&](const External& e) {
                    for (const Scalar& a : e.arguments) refer(a);
                },
            },
            s->node);
        terms_.push_back({s, 1});
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
        if (term.references > 1 && is_worth_a_name(term.value)) result.push_back(term.value);
    }
    return result;
}

}  // namespace tkc::cuda
