// Integer normal forms: the polynomials in which counts, bounds and conditions are compared.
//
// A form is a sum of products of atoms with integer coefficients. Atoms are names, elements of
// tensors, floor quotients, min and max of forms, bits that two forms share, powers of two, sums
// over a range, and truths: comparisons and bools, which are 0 or 1. Everything else is made of
// these: x % c is x - c*(x/c), ceil_div(x, c) is (x + c - 1)/c, `not c` is 1 - c, `a and b` is a*b,
// and where(c, a, b) is b + c*(a - b). Truths are pulled out of the other atoms, so a form is a
// case distinction outside and a polynomial inside. What may not fit its dtype on the machine is
// `wrapped`, an atom of its own. Two forms that print alike are equal; facts.h proves more.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "arithmetic/scalar.h"

namespace tkc::ir {

struct AtomNode;
// Atoms and monomials are interned and live as long as the process: equal ones are one pointer,
// and copying a form copies a flat array.
using Atom = const AtomNode*;

// A product of atoms, sorted by key; powers are repetitions. Empty: 1.
class Monomial {
public:
    Monomial() = default;
    explicit Monomial(Atom atom);
    explicit Monomial(const std::vector<Atom>& atoms);  // sorted

    std::size_t size() const { return atoms_ == nullptr ? 0 : atoms_->size(); }
    bool empty() const { return atoms_ == nullptr; }
    Atom operator[](std::size_t i) const { return (*atoms_)[i]; }
    const Atom* begin() const { return atoms_ == nullptr ? nullptr : atoms_->data(); }
    const Atom* end() const { return begin() + size(); }
    friend Monomial operator*(const Monomial& a, const Monomial& b);
    friend bool operator==(const Monomial& a, const Monomial& b) { return a.atoms_ == b.atoms_; }
    std::size_t hash() const { return std::hash<const void*>()(atoms_); }

private:
    const std::vector<Atom>* atoms_ = nullptr;
};

// Larger degree first, then by key: the first monomial of a form is its leading one. Negative,
// zero or positive.
int compare(const Monomial& a, const Monomial& b);

// Monomials in order, each once, with what they are multiplied by (never 0).
using Term = std::pair<Monomial, std::int64_t>;
using Terms = std::vector<Term>;

// Products of sums grow as powers do; what is longer than this helps no proof.
inline constexpr std::size_t term_limit = 1024;
// Atoms of a product, powers repeated. A kernel multiplies a handful of extents; chains of products
// make more.
inline constexpr std::size_t degree_limit = 64;

class NormalForm {
public:
    NormalForm() = default;
    NormalForm(std::int64_t constant);  // implicit on purpose: forms are numbers
    template <std::same_as<Atom> A>
    explicit NormalForm(A atom) : terms_{{Monomial(atom), 1}} {}  // no literal 0 is an atom
    // A value about which nothing can be said (a coefficient beyond 64 bits): equal to nothing.
    static NormalForm unknown();

    const Terms& terms() const { return terms_; }
    bool is_unknown() const { return unknown_; }
    bool is_constant(std::int64_t* value = nullptr) const;
    bool is_zero() const { return !unknown_ && terms_.empty(); }
    // What the monomial is multiplied by; 0 where it does not occur.
    std::int64_t coefficient(const Monomial& monomial) const {
        for (const Term& term : terms_) {
            if (term.first == monomial) return term.second;
        }
        return 0;
    }
    // The term without atoms.
    std::int64_t constant() const;
    // Adds coefficient * monomial.
    void add_term(const Monomial& monomial, std::int64_t coefficient);

    // Adds factor * other.
    void add_multiple(const NormalForm& other, std::int64_t factor);
    // This form and factor * other.
    NormalForm with_multiple(const NormalForm& other, std::int64_t factor) const;
    // Becomes a + factor * b, in the memory that it has. This form is neither of them.
    void become_sum(const NormalForm& a, const NormalForm& b, std::int64_t factor);

    NormalForm& operator+=(const NormalForm& other) { return add_multiple(other, 1), *this; }
    NormalForm& operator-=(const NormalForm& other) { return add_multiple(other, -1), *this; }
    friend NormalForm operator+(NormalForm a, const NormalForm& b) { return a += b; }
    friend NormalForm operator-(NormalForm a, const NormalForm& b) { return a -= b; }
    friend NormalForm operator-(const NormalForm& a);
    // Unknown where it would have more than `term_limit` terms, or one of more than `degree_limit`
    // atoms.
    friend NormalForm operator*(const NormalForm& a, const NormalForm& b);
    friend bool operator==(const NormalForm& a, const NormalForm& b);

    // Unambiguous text: the identity of an atom made from this form.
    std::string key() const;
    // Of what `==` compares.
    std::size_t hash() const;

private:
    Terms terms_;
    bool unknown_ = false;
};

struct HashOfForm {
    std::size_t operator()(const NormalForm& x) const { return x.hash(); }
};

enum class AtomKind : std::uint8_t {
    symbol,       // `name`
    load,         // `name`[parts..]
    quotient,     // floor(parts[0] / parts[1]), the divisor positive
    minimum,      // of two parts or more, sorted
    maximum,      //
    nonnegative,  // truth: parts[0] >= 0
    zero,         // truth: parts[0] == 0
    sum,          // of parts[1] over `name` = 0 .. parts[0] - 1 (nothing where parts[0] <= 0)
    wrapped,      // parts[0] as the machine has it in the dtype `name`: modulo 2^bits
    opaque,       // any other expression; `name` is its text
    common_bits,  // parts[0] & parts[1], sorted
    power,        // 2^(parts[0] modulo 32), by which a shift multiplies or divides
};

struct AtomNode {
    AtomKind kind;
    std::string name;
    std::vector<NormalForm> parts;
    bool truth = false;      // is 0 or 1
    std::string key;         // identity and order
    std::size_t weight = 1;  // atoms in it, each as often as it occurs; `heavy` at most
    mutable std::vector<Atom> alone =
        {};  // this one: the monomial of no other; of an interned atom
};

// Atoms share their parts, so what is written once may occur in a form very often: a count of bits
// that is made of itself. Walks look once at each atom of more parts than this.
inline constexpr std::size_t heavy = 64;

// ---- making forms (all simplify) ----

NormalForm symbol_form(const std::string& name, bool truth = false);
NormalForm load_form(const std::string& tensor, const std::vector<NormalForm>& position,
                     bool truth);
NormalForm opaque_form(const std::string& text, bool truth);
// floor(x / d), for a positive d. The part of x that d divides is taken out.
NormalForm quotient(const NormalForm& x, const NormalForm& d);
NormalForm ceil_quotient(const NormalForm& x, const NormalForm& d);
NormalForm remainder(const NormalForm& x, const NormalForm& d);
NormalForm minimum(std::vector<NormalForm> parts);
NormalForm maximum(std::vector<NormalForm> parts);
// The truth of x >= 0, of x == 0.
NormalForm at_least_zero(const NormalForm& x);
NormalForm equals_zero(const NormalForm& x);
inline NormalForm negation(const NormalForm& truth) { return NormalForm(1) - truth; }
// x & y. All else is made of it: x | y is x + y - (x & y), and x ^ y is x + y - 2*(x & y). With a
// constant, it is made of quotients: x & 6 is 2*(x/2) - 8*(x/8).
NormalForm common_bits(const NormalForm& x, const NormalForm& y);
// 2^(places modulo 32).
NormalForm power_of_two(const NormalForm& places);
NormalForm choose(const NormalForm& truth, const NormalForm& yes, const NormalForm& no);
// Sum of `body` over `variable` = 0 .. count - 1. What does not contain the variable, or is affine
// in it, is summed in closed form; every other monomial becomes an atom of its own, so sums of
// equal bodies are equal.
NormalForm sum_over(const NormalForm& count, const std::string& variable, const NormalForm& body);
// How often `for v in begin..end by step` runs: max(0, ceil_div(end - begin, step)).
NormalForm trip_count(const NormalForm& begin, const NormalForm& end, std::int64_t step);

// x in an integer dtype, of whose numbers it may be none: sums and products of wrapped parts wrap
// once, as a whole.
NormalForm wrapped(Dtype dtype, const NormalForm& x);
// The same modulo 2^bits, with what wraps inside of it taken as a whole.
NormalForm modular(const NormalForm& x, int bits);

// The number that is left of `value` in an integer dtype: modulo 2^bits.
std::int64_t wrapped_value(Dtype dtype, std::int64_t value);

struct ValueRange;
// What stands for a name, and between which values names lie (`Ranges` of value_range.h).
struct Bindings : std::map<std::string, NormalForm> {
    std::shared_ptr<const std::map<std::string, ValueRange>> ranges;
    // Divisors that are positive only where they divide, by key (guarded_divisors.h).
    std::shared_ptr<const std::set<std::string>> guarded;
    bool uses_launch_facts = true;  // not for what cells are made of (`Asked` of value_range.h)

    Bindings(std::initializer_list<value_type> values);
    Bindings();
    Bindings(const Bindings&);
    Bindings(Bindings&&) noexcept;
    Bindings& operator=(const Bindings&);
    Bindings& operator=(Bindings&&) noexcept;
    ~Bindings();
};
// The form of an integer or boolean expression (a bool is 0 or 1). Names are replaced as
// `bindings` say. With ranges it is the machine's: a step that may wrap is `wrapped`, and any
// other holds as on paper. Without, it is that of the launch contract, whose integers have no
// bounds.
NormalForm normal_form(const Scalar& s, const Bindings& bindings = {});

// ---- looking into forms ----

// The form with every atom (inner ones first) for which `f` returns something replaced by that.
NormalForm replace_atoms(const NormalForm& x,
                         const std::function<std::optional<NormalForm>(const Atom&)>& f);
NormalForm substitute(const NormalForm& x, const Bindings& values);
// Calls `f` on every atom of the form and inside its atoms, outer ones first.
void visit_atoms(const NormalForm& x, const std::function<void(const Atom&)>& f);
bool mentions(const NormalForm& x, const std::string& symbol);
// A truth among the factors of the form's monomials, if there is one; and the form where it is
// `value`.
Atom first_truth(const NormalForm& x);
NormalForm with_truth(const NormalForm& x, const Atom& truth, bool value);

// What the name of a tensor begins with that stands for a number of which nothing is known
// (facts.h): no value that it is given is a counterexample.
inline constexpr char unknown_number_mark = '?';

// Where values of names and loads come from: asked by text (`K`, `table[3, 0]`); empty: not known.
using Leaves = std::function<std::optional<std::int64_t>(const std::string&)>;
// The value; empty where a leaf is not known, a divisor is not positive, or a sum has more than
// 4096 terms.
std::optional<std::int64_t> evaluate(const NormalForm& x, const Leaves& leaves);

// For people, in the language's spelling: ceil_div, min, where and comparisons reappear.
std::string to_string(const NormalForm& x);
// The same for a truth: `K > 0 and not CAUSAL`.
std::string to_string_truth(const NormalForm& x);

}  // namespace tkc::ir
