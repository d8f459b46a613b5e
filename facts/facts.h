// What is known of the values of a kernel, and what follows from it.
//
// Facts are forms that are >= 0, truths that hold, and names solved for. A proof combines facts
// linearly, turns quotients into their numerators (floor(x/c) + y >= 0 iff x + c*y >= 0), and
// distinguishes the cases of min, max and truths; nothing else, so it is quick and sometimes fails
// on what is true. `find` searches small values that satisfy the facts and a goal: a failed proof
// with a witness is a refutation, without one it is undecided.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "arithmetic/normal_form.h"
#include "base/function_ref.h"
#include "ir/module.h"

namespace tkc::ir {

// Values of names and loads: `K`, `table[3, 0]`.
using Assignment = std::map<std::string, std::int64_t>;

// Asks for values in `values`, which must live as long.
Leaves leaves_in(const Assignment& values);

// Small values for which facts and goals hold, and their text: `K = 64, CAUSAL = false`. No
// values: they always do.
struct Witness {
    Assignment values;
    std::string text;

    Leaves leaves() const { return leaves_in(values); }
};

class Facts {
public:
    Facts();
    Facts(const Facts&);
    Facts(Facts&&) noexcept;
    Facts& operator=(const Facts&);
    Facts& operator=(Facts&&) noexcept;
    ~Facts();

    void assume(const NormalForm& truth);
    void assume_at_least_zero(const NormalForm& x);
    void assume_zero(const NormalForm& x);
    // `name` is one of begin, begin + step, .. below end.
    void assume_range(const std::string& name, const NormalForm& begin, const NormalForm& end,
                      std::int64_t step);

    // Every element of the tensor is at least the one and at most the other; unknown: not said.
    void assume_elements(const std::string& tensor, const NormalForm& least,
                         const NormalForm& most);

    // Between which numbers parameters and elements of tensors lie (`Ranges` of value_range.h).
    void assume_numbers(std::shared_ptr<const std::map<std::string, ValueRange>> ranges);

    bool prove_at_least(const NormalForm& x, std::int64_t k) const;
    bool prove_equal(const NormalForm& a, const NormalForm& b) const;
    bool prove(const NormalForm& truth) const;
    // The facts exclude each other: no such launch, or no such case.
    bool contradictory() const;

    // Values for which the facts and all of `goals` (truths) hold, small ones and those near
    // `reach` multiples of the constants first. None found does not mean that there are none.
    std::optional<Witness> find(const std::vector<NormalForm>& goals, int reach = 4) const;

    // Finds launches of several sizes for which all that was assumed so far holds: what fails in
    // one of them is not proved, and need not be tried.
    void seek_examples();

    // The form with names and truths replaced by what is known of them.
    NormalForm apply(const NormalForm& x) const;
    // The same, without the min and max that the facts decide: max(0, K) is K for an extent.
    NormalForm simplify(const NormalForm& x) const;

private:
    struct Search;
    struct Asked;
    struct History;
    class Combination;
    struct Bounded;
    // Forms that are >= 0 next to the facts, in the order in which they are tried: of a question
    // and of the facts, which keep theirs.
    struct Bounds {
        std::vector<NormalForm> own;
        std::shared_ptr<const std::vector<Bounded>> of_facts;
        std::vector<const NormalForm*> all;
    };
    Assignment with_solved(Assignment values) const;
    std::optional<Assignment> find_example(bool first, bool second) const;
    std::vector<Assignment> extended_examples() const;
    void remember(const std::string& assumption);
    template <class Answers, class Key>
    bool once(Answers History::*answers, const Key& question, FunctionRef<bool()> prove) const;
    const std::vector<Assignment>& kept(std::optional<std::vector<Assignment>> History::*place,
                                        FunctionRef<std::vector<Assignment>()> find) const;
    std::vector<Assignment> find_examples() const;
    const std::vector<Assignment>& examples() const;
    bool fails_in_example(const NormalForm& x) const;
    Facts in_case(const NormalForm& holds, std::int64_t least) const;
    const std::vector<Asked>& asked() const;
    bool prove(const NormalForm& x, int depth, int* budget) const;
    bool prove_by_quotient(const NormalForm& x, int depth, int* budget) const;
    bool prove_by_cases(const NormalForm& x, int depth, int* budget) const;
    bool combine(const NormalForm& x, const std::vector<const NormalForm*>& more, int depth,
                 int* budget) const;
    bool never_negative(const Atom& a) const;
    bool never_negative(const Monomial& monomial) const;
    Bounds bounds_with(const NormalForm& x) const;
    static bool is_bounded(const Atom& a);
    std::vector<NormalForm> bounds_around(const Atom& a) const;
    void forget_answers();
    // What an element of a tensor, or a number that wraps, is by itself: each >= 0.
    std::vector<NormalForm> bounds_of(const Atom& a) const;
    // Of a quotient, where that is a small number: the first bits of a number of its dtype.
    void bound_numbers(const Atom& quotient, std::vector<NormalForm>* bounds) const;
    NormalForm simplified(const NormalForm& x) const;
    void solve(const NormalForm& x);
    void define(const std::string& name, const NormalForm& value);
    void know(const Atom& truth, bool value);
    void add_fact(NormalForm x);

    History* history_;                                // what was assumed, in order
    const std::vector<Assignment>* seeds_ = nullptr;  // examples of the first `seeded_` conditions
    std::size_t seeded_ = 0;
    Bindings solved_;  // names in terms of others
    std::unordered_map<Atom, bool> truths_;
    std::vector<NormalForm> facts_;       // each >= 0, applied
    std::vector<NormalForm> conditions_;  // every assumption as a truth, as it was given
    std::map<std::string, std::vector<std::pair<NormalForm, NormalForm>>>
        elements_;  // of tensors: least and most
    std::shared_ptr<const std::map<std::string, ValueRange>> numbers_;  // null: none are known
    std::set<std::string> made_up_;                 // names that only stand for parts of others
    std::set<std::string> counted_;                 // names of ranges: small witnesses begin with 0
    mutable std::unordered_map<Atom, bool> signs_;  // never_negative
    std::optional<std::vector<const Assignment*>> examples_of_case_;  // inside a proof by cases
    std::string case_;                                                // and what was chosen there
    mutable std::shared_ptr<const std::vector<Asked>> asked_;         // until the next fact
    mutable std::optional<bool> excluded_;  // contradictory(), until the next fact
    mutable std::shared_ptr<const std::vector<Bounded>> bounded_;  // atoms of facts, likewise
};

// Whether the operation names a number: a `let`, or what is read from a tile.
bool names_number(const Op& op);
// What a number that is read from a tile stands for in expressions and proofs: an element of a
// tensor that is not there, at the place where the number is read. So nothing is known of it but
// that it is the same wherever the place is the same.
Scalar unknown_number(const ReadNumber& read);
// The numbers that the operations of a block name (not those of blocks inside), as bindings in
// terms of what `outer` says.
Bindings bindings_of(const Block& lets, Bindings outer);
// Constants and `let`s of the kernel.
Bindings bindings_of(const Kernel& kernel);
// Which conditions of the launch count: all, or those that the author requires, which are the same
// before and after the contract is derived.
enum class Conditions : std::uint8_t { all, required };
// Extents are never negative, `requires` holds, grid variables lie in their ranges.
Facts facts_of(const Kernel& kernel, const Bindings& bindings,
               Conditions conditions = Conditions::all);

}  // namespace tkc::ir
