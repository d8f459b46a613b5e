// Making normal forms: the arithmetic of polynomials, and one simplifying constructor per kind of
// atom.
#include "arithmetic/normal_form.h"

#include <algorithm>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

#include "arithmetic/divisor.h"
#include "arithmetic/normal_form_atoms.h"

namespace tkc::ir {

namespace {

std::int64_t floor_of(std::int64_t a, std::int64_t b) {
    const std::int64_t q = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

void mix(std::size_t& hash, std::size_t value) {
    hash ^= value + 0x9e3779b97f4a7c15 + (hash << 6) + (hash >> 2);
}

// What makes an atom this one: all that its key says.
struct HashOfAtom {
    std::size_t operator()(const AtomNode& a) const {
        std::size_t hash = std::hash<std::string>()(a.name);
        mix(hash, static_cast<std::size_t>(a.kind) * 2 + (a.truth ? 1 : 0));
        for (const NormalForm& p : a.parts) mix(hash, p.hash());
        return hash;
    }
};
struct SameAtom {
    bool operator()(const AtomNode& a, const AtomNode& b) const {
        return a.kind == b.kind && a.truth == b.truth && a.name == b.name && a.parts == b.parts;
    }
};

struct AtomsHash {
    std::size_t operator()(const std::vector<Atom>& atoms) const {
        std::size_t hash = atoms.size();
        for (const Atom a : atoms) hash = hash * 31 + std::hash<Atom>()(a);
        return hash;
    }
};

// The name, with control characters written as two others: in keys, these have a meaning.
std::string plain(const std::string& name) {
    const auto special = [](char c) { return static_cast<unsigned char>(c) < 0x20; };
    if (std::none_of(name.begin(), name.end(), special)) return name;
    std::string text;
    for (const char c : name) {
        if (special(c)) text += '\x1f';
        text += special(c) ? static_cast<char>(c + 0x40) : c;
    }
    return text;
}

// What an atom is called in keys. Names can be any text and hold whatever a key holds, so the name
// ends with a control character, which says of what kind the atom is: no name has one. A tensor
// `div` at [t, 7] and the quotient t / 7 differ there.
std::string head_of(AtomKind kind, const std::string& name, bool truth) {
    static constexpr const char* words[] = {"",   "",    "div",  "min", "max", "ge",
                                            "eq", "sum", "wrap", "?",   "and", "pow"};
    std::string head = words[static_cast<std::size_t>(kind)] + plain(name);
    head += static_cast<char>(static_cast<int>(kind) + 1);
    if (truth) head += '?';
    return head;
}

std::string key_of(const AtomNode& a) {
    std::string key = head_of(a.kind, a.name, a.truth);
    if (!a.parts.empty()) key += '[';
    for (const NormalForm& p : a.parts) key += p.key() + ',';
    if (!a.parts.empty()) key += ']';
    return key;
}

// Greatest common divisor of the coefficients; of those with atoms only, unless `with_constant`.
std::int64_t content(const NormalForm& x, bool with_constant) {
    std::int64_t g = 0;
    for (const auto& [monomial, coefficient] : x.terms()) {
        if (with_constant || !monomial.empty()) g = common_divisor(g, coefficient);
    }
    return g;
}

// x / g with coefficients rounded down (only the constant can be inexact where g divides the
// rest).
NormalForm divided(const NormalForm& x, std::int64_t g) {
    NormalForm result;
    for (const auto& [monomial, coefficient] : x.terms()) {
        result.add_term(monomial, floor_of(coefficient, g));
    }
    return result;
}

std::size_t weight_of(const std::vector<NormalForm>& parts) {
    std::size_t weight = 1;
    for (const NormalForm& p : parts) {
        for (const auto& [monomial, coefficient] : p.terms()) {
            for (const Atom& a : monomial) weight = std::min(heavy, weight + a->weight);
        }
    }
    return weight;
}

// The one atom of this kind, name and parts. Tests are run in threads, so the table has a lock.
Atom interned(AtomNode node) {
    static std::mutex lock;
    static std::unordered_set<AtomNode, HashOfAtom, SameAtom> table;
    const std::scoped_lock guard(lock);
    if (const auto known = table.find(node); known != table.end()) return &*known;
    node.key = key_of(node);
    node.weight = weight_of(node.parts);
    const AtomNode& made = *table.insert(std::move(node)).first;
    made.alone = {&made};
    return &made;
}

}  // namespace

NormalForm atom_form(AtomKind kind, std::string name, std::vector<NormalForm> parts, bool truth) {
    for (const NormalForm& p : parts) {
        if (p.is_unknown()) return NormalForm::unknown();
    }
    return NormalForm(interned({kind, std::move(name), std::move(parts), truth, {}}));
}

NormalForm by_cases(const std::vector<NormalForm>& parts,
                    const std::function<NormalForm(const std::vector<NormalForm>&)>& make,
                    int depth) {
    Atom truth = nullptr;
    for (const NormalForm& p : parts) truth = truth ? truth : first_truth(p);
    if (!truth) return make(parts);
    if (depth == 8) return NormalForm::unknown();  // 256 cases are nobody's program
    const auto side = [&](bool value) {
        std::vector<NormalForm> chosen;
        for (const NormalForm& p : parts) chosen.push_back(with_truth(p, truth, value));
        return by_cases(chosen, make, depth + 1);
    };
    return choose(NormalForm(truth), side(true), side(false));
}

Monomial::Monomial(Atom atom) : atoms_(&atom->alone) {}

Monomial::Monomial(const std::vector<Atom>& atoms) {
    static std::mutex lock;
    static std::unordered_set<std::vector<Atom>, AtomsHash> table;
    if (atoms.empty()) return;
    if (atoms.size() == 1) {
        atoms_ = &atoms[0]->alone;
        return;
    }
    const std::scoped_lock guard(lock);
    atoms_ = &*table.insert(atoms).first;
}

Monomial operator*(const Monomial& a, const Monomial& b) {
    if (a.empty()) return b;
    if (b.empty()) return a;
    std::vector<Atom> product;
    product.reserve(a.size() + b.size());
    std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(product),
               [](Atom x, Atom y) { return x->key < y->key; });
    // A truth is its own square.
    product.erase(std::unique(product.begin(), product.end(),
                              [](Atom x, Atom y) { return x->truth && x == y; }),
                  product.end());
    return Monomial(product);
}

int compare(const Monomial& a, const Monomial& b) {
    if (a == b) return 0;
    if (a.size() != b.size()) return a.size() > b.size() ? -1 : 1;
    std::size_t i = 0;
    while (a[i] == b[i]) ++i;  // different products of one length differ somewhere
    return a[i]->key.compare(b[i]->key);
}

Bindings::Bindings(std::initializer_list<value_type> values) : map(values) {}
Bindings::Bindings() = default;
Bindings::Bindings(const Bindings&) = default;
Bindings::Bindings(Bindings&&) noexcept = default;
Bindings& Bindings::operator=(const Bindings&) = default;
Bindings& Bindings::operator=(Bindings&&) noexcept = default;
Bindings::~Bindings() = default;

NormalForm::NormalForm(std::int64_t constant) {
    if (constant != 0) terms_.emplace_back(Monomial(), constant);
}

NormalForm NormalForm::unknown() {
    NormalForm x;
    x.unknown_ = true;
    return x;
}

bool NormalForm::is_constant(std::int64_t* value) const {
    if (unknown_ || terms_.size() > 1) return false;
    if (!terms_.empty() && !terms_.begin()->first.empty()) return false;
    if (value != nullptr) *value = constant();
    return true;
}

std::int64_t NormalForm::constant() const {
    return terms_.empty() || !terms_.back().first.empty() ? 0 : terms_.back().second;
}

void NormalForm::add_term(const Monomial& monomial, std::int64_t coefficient) {
    if (coefficient == 0) return;
    const auto place = std::lower_bound(
        terms_.begin(), terms_.end(), monomial,
        [](const Term& term, const Monomial& m) { return compare(term.first, m) < 0; });
    if (place == terms_.end() || !(place->first == monomial)) {
        terms_.emplace(place, monomial, coefficient);
        return;
    }
    if (__builtin_add_overflow(place->second, coefficient, &place->second)) unknown_ = true;
    if (place->second == 0) terms_.erase(place);
}

void NormalForm::add_multiple(const NormalForm& other, std::int64_t factor) {
    if (other.terms_.size() == 1 && factor != 0) {
        const Term only = other.terms_[0];  // `other` may be this form
        std::int64_t product = 0;
        const bool lost = __builtin_mul_overflow(only.second, factor, &product);
        unknown_ = unknown_ || other.unknown_ || lost;
        return add_term(only.first, product);
    }
    *this = with_multiple(other, factor);
}

NormalForm NormalForm::with_multiple(const NormalForm& other, std::int64_t factor) const {
    NormalForm made;
    made.become_sum(*this, other, factor);
    return made;
}

void NormalForm::become_sum(const NormalForm& x, const NormalForm& y, std::int64_t factor) {
    unknown_ = x.unknown_ || y.unknown_;
    const auto scaled = [&](std::int64_t coefficient) {
        std::int64_t product = 0;
        if (__builtin_mul_overflow(coefficient, factor, &product)) unknown_ = true;
        return product;
    };
    terms_.clear();
    if (factor == 0) {
        terms_ = x.terms_;
        return;
    }
    terms_.reserve(x.terms_.size() + y.terms_.size());
    auto a = x.terms_.begin();
    auto b = y.terms_.begin();
    while (a != x.terms_.end() && b != y.terms_.end()) {
        const int order = compare(a->first, b->first);
        if (order < 0) terms_.push_back(*a++);
        if (order > 0) terms_.emplace_back(b->first, scaled(b->second)), ++b;
        if (order != 0) continue;
        std::int64_t both = 0;
        if (__builtin_add_overflow(a->second, scaled(b->second), &both)) unknown_ = true;
        if (both != 0) terms_.emplace_back(a->first, both);
        ++a, ++b;
    }
    terms_.insert(terms_.end(), a, x.terms_.end());
    for (; b != y.terms_.end(); ++b) terms_.emplace_back(b->first, scaled(b->second));
}

NormalForm operator-(const NormalForm& a) { return a * NormalForm(-1); }

NormalForm operator*(const NormalForm& a, const NormalForm& b) {
    // The first monomial is the longest one.
    const auto degree = [](const NormalForm& x) {
        return x.terms_.empty() ? 0 : x.terms_.front().first.size();
    };
    NormalForm result;
    result.unknown_ = a.unknown_ || b.unknown_ || a.terms_.size() * b.terms_.size() > term_limit ||
                      degree(a) + degree(b) > degree_limit;
    if (result.unknown_) return result;
    std::int64_t factor = 0;
    const bool scales = b.is_constant(&factor) && factor != 0;
    if (scales) result.terms_.reserve(a.terms_.size());
    for (const auto& [m, c] : a.terms_) {
        for (const auto& [n, d] : b.terms_) {
            std::int64_t coefficient = 0;
            if (__builtin_mul_overflow(c, d, &coefficient)) result.unknown_ = true;
            if (scales) result.terms_.emplace_back(m, coefficient);  // in order as they were
            else result.add_term(m * n, coefficient);
        }
    }
    return result;
}

bool operator==(const NormalForm& a, const NormalForm& b) {
    return !a.unknown_ && !b.unknown_ && a.terms_ == b.terms_;
}

std::string NormalForm::key() const {
    std::string text;
    for (const auto& [monomial, coefficient] : terms_) {
        text += (text.empty() ? "" : "+") + std::to_string(coefficient);
        for (const Atom& a : monomial) text += '*' + a->key;
    }
    return text.empty() ? "0" : text;
}

std::size_t NormalForm::hash() const {
    std::size_t hash = terms_.size();
    for (const auto& [monomial, coefficient] : terms_) {
        mix(hash, monomial.hash());
        mix(hash, static_cast<std::size_t>(coefficient));
    }
    return hash;
}

NormalForm symbol_form(const std::string& name, bool truth) {
    return atom_form(AtomKind::symbol, name, {}, truth);
}

NormalForm load_form(const std::string& tensor, const std::vector<NormalForm>& position,
                     bool truth) {
    return by_cases(position, [&](const std::vector<NormalForm>& p) {
        return atom_form(AtomKind::load, tensor, p, truth);
    });
}

NormalForm opaque_form(const std::string& text, bool truth) {
    return atom_form(AtomKind::opaque, text, {}, truth);
}

NormalForm choose(const NormalForm& truth, const NormalForm& yes, const NormalForm& no) {
    return no + truth * (yes - no);
}

namespace {

NormalForm raw_quotient(const NormalForm& x, const NormalForm& d);

// floor((floor(y/a) + z) / d) = floor((y + a*z) / (a*d)), where x is that numerator.
std::optional<NormalForm> nested_quotient(const NormalForm& x, const NormalForm& d) {
    Atom inner = nullptr;
    for (const auto& [monomial, coefficient] : x.terms()) {
        if (monomial.size() != 1 || monomial[0]->kind != AtomKind::quotient) continue;
        if (inner || coefficient != 1) return std::nullopt;
        inner = monomial[0];
    }
    if (!inner) return std::nullopt;
    const NormalForm& a = inner->parts[1];
    return raw_quotient(inner->parts[0] + a * (x - NormalForm(inner)), a * d);
}

// floor((a*z + y - a*floor(y/a)) / d) = floor(z / (d/a)), where x is that numerator and a divides
// d: what is added to a multiple of a is a remainder, and reaches no multiple of d.
std::optional<NormalForm> without_remainder(const NormalForm& x, std::int64_t d) {
    for (const auto& [monomial, coefficient] : x.terms()) {
        if (monomial.size() != 1 || monomial[0]->kind != AtomKind::quotient) continue;
        std::int64_t a = 0;
        if (!monomial[0]->parts[1].is_constant(&a) || a <= 1 || d % a != 0) continue;
        const NormalForm z = x - monomial[0]->parts[0] + NormalForm(a) * NormalForm(monomial[0]);
        const bool multiple = std::all_of(z.terms().begin(), z.terms().end(),
                                          [&](const Term& term) { return term.second % a == 0; });
        if (multiple) return raw_quotient(divided(z, a), NormalForm(d / a));
    }
    return std::nullopt;
}

// Coefficients become their remainders nearest to zero (the constant: in 0..d-1), the rest is the
// exact part.
NormalForm constant_quotient(const NormalForm& x, std::int64_t d) {
    NormalForm whole;
    NormalForm rest;
    for (const auto& [monomial, coefficient] : x.terms()) {
        std::int64_t q = floor_of(coefficient, d);
        if (!monomial.empty() && 2 * (coefficient - q * d) > d) ++q;
        whole.add_term(monomial, q);
        rest.add_term(monomial, coefficient - q * d);
    }
    if (rest.is_constant()) return whole;
    const std::int64_t g = common_divisor(content(rest, false), d);
    rest = divided(rest, g);
    d /= g;
    if (d == 1) return whole + rest;
    if (const auto multiple = without_remainder(rest, d)) return whole + *multiple;
    if (const auto nested = nested_quotient(rest, NormalForm(d))) return whole + *nested;
    return whole + atom_form(AtomKind::quotient, "", {rest, NormalForm(d)}, false);
}

// Division by a polynomial: multiples of its leading monomial are taken out, as in long division.
NormalForm symbolic_quotient(NormalForm x, const NormalForm& d) {
    const auto& [lead, scale] = *d.terms().begin();
    const auto less = [](const Atom& a, const Atom& b) { return a->key < b->key; };
    NormalForm whole;
    for (bool changed = true; changed;) {
        changed = false;
        for (const auto& [monomial, coefficient] : x.terms()) {
            if (coefficient / scale == 0) continue;
            if (!std::includes(monomial.begin(), monomial.end(), lead.begin(), lead.end(), less)) {
                continue;
            }
            std::vector<Atom> factor;
            std::set_difference(monomial.begin(), monomial.end(), lead.begin(), lead.end(),
                                std::back_inserter(factor), less);
            NormalForm part;
            part.add_term(Monomial(factor), coefficient / scale);
            whole += part;
            x -= part * d;
            changed = true;
            break;  // x changed under the loop
        }
    }
    if (x.is_zero()) return whole;
    if (const auto nested = nested_quotient(x, d)) return whole + *nested;
    return whole + atom_form(AtomKind::quotient, "", {x, d}, false);
}

NormalForm raw_quotient(const NormalForm& x, const NormalForm& d) {
    std::int64_t divisor = 0;
    if (x.is_unknown() || d.is_unknown() || d.is_zero()) return NormalForm::unknown();
    if (!d.is_constant(&divisor)) return symbolic_quotient(x, d);
    if (divisor <= 0) return NormalForm::unknown();
    return constant_quotient(x, divisor);
}

// Flattens, drops what another part makes needless, and takes out what all parts share.
NormalForm extremum(AtomKind kind, const std::vector<NormalForm>& given) {
    const bool is_max = kind == AtomKind::maximum;
    std::vector<NormalForm> parts;
    const std::function<void(const NormalForm&)> add = [&](const NormalForm& x) {
        const NormalForm rest = x - NormalForm(x.constant());
        if (rest.terms().size() == 1 && rest.terms().begin()->second == 1 &&
            rest.terms().begin()->first.size() == 1 &&
            rest.terms().begin()->first[0]->kind == kind) {
            for (const NormalForm& p : rest.terms().begin()->first[0]->parts) {
                add(p + NormalForm(x.constant()));
            }
            return;
        }
        for (NormalForm& p : parts) {
            std::int64_t above = 0;
            if (!(x - p).is_constant(&above)) continue;
            if ((above > 0) == is_max) p = x;
            return;
        }
        parts.push_back(x);
    };
    for (const NormalForm& x : given) {
        if (x.is_unknown()) return x;
        add(x);
    }
    if (parts.size() == 1) return parts[0];

    NormalForm shared;
    for (const auto& [monomial, coefficient] : Terms(parts[0].terms())) {
        const bool common =
            !monomial.empty() && std::all_of(parts.begin(), parts.end(), [&](const NormalForm& p) {
                return p.coefficient(monomial) == coefficient;
            });
        if (common) shared.add_term(monomial, coefficient);
    }
    std::int64_t lowest = parts[0].constant();
    for (const NormalForm& p : parts) lowest = std::min(lowest, p.constant());
    shared += NormalForm(lowest);
    std::int64_t g = 0;
    for (NormalForm& p : parts) g = common_divisor(g, content(p -= shared, true));
    for (NormalForm& p : parts) p = divided(p, g);
    std::sort(parts.begin(), parts.end(),
              [](const NormalForm& a, const NormalForm& b) { return a.key() < b.key(); });
    return shared + NormalForm(g) * atom_form(kind, "", parts, false);
}

// With the leading coefficient positive; `flipped` says whether the sign was changed.
NormalForm signed_form(const NormalForm& x, bool* flipped) {
    *flipped = x.terms().begin()->second < 0;
    return *flipped ? -x : x;
}

}  // namespace

NormalForm quotient(const NormalForm& x, const NormalForm& d) {
    return by_cases({x, d},
                    [](const std::vector<NormalForm>& p) { return raw_quotient(p[0], p[1]); });
}

NormalForm ceil_quotient(const NormalForm& x, const NormalForm& d) {
    return quotient(x + d - NormalForm(1), d);
}

NormalForm remainder(const NormalForm& x, const NormalForm& d) { return x - d * quotient(x, d); }

NormalForm minimum(std::vector<NormalForm> parts) {
    return by_cases(
        parts, [](const std::vector<NormalForm>& p) { return extremum(AtomKind::minimum, p); });
}

NormalForm maximum(std::vector<NormalForm> parts) {
    return by_cases(
        parts, [](const std::vector<NormalForm>& p) { return extremum(AtomKind::maximum, p); });
}

NormalForm at_least_zero(const NormalForm& x) {
    return by_cases({x}, [](const std::vector<NormalForm>& p) {
        std::int64_t value = 0;
        if (p[0].is_unknown()) return p[0];
        if (p[0].is_constant(&value)) return NormalForm(value >= 0 ? 1 : 0);
        bool flipped = false;
        const NormalForm reduced = divided(p[0], content(p[0], false));
        const NormalForm positive = signed_form(reduced, &flipped);
        if (!flipped) return atom_form(AtomKind::nonnegative, "", {positive}, true);
        // -y >= 0 is not (y - 1 >= 0)
        return negation(atom_form(AtomKind::nonnegative, "", {positive - NormalForm(1)}, true));
    });
}

NormalForm equals_zero(const NormalForm& x) {
    return by_cases({x}, [](const std::vector<NormalForm>& p) {
        std::int64_t value = 0;
        if (p[0].is_unknown()) return p[0];
        if (p[0].is_constant(&value)) return NormalForm(value == 0 ? 1 : 0);
        const std::int64_t g = content(p[0], false);
        if (p[0].constant() % g != 0) return NormalForm(0);
        bool flipped = false;
        return atom_form(AtomKind::zero, "", {signed_form(divided(p[0], g), &flipped)}, true);
    });
}

// x modulo 2^bits: coefficients nearest to zero, and no atom that wraps as much by itself.
NormalForm modular(const NormalForm& x, int bits) {
    NormalForm result;
    for (const auto& [monomial, coefficient] : x.terms()) {
        NormalForm term(coefficient);
        for (const Atom& a : monomial) {
            const bool inner =
                a->kind == AtomKind::wrapped && info(*find_dtype(a->name)).bits >= bits;
            term = term * (inner ? a->parts[0] : NormalForm(a));
        }
        result += term;
    }
    if (bits >= 64 || result.is_unknown()) return result;
    const std::int64_t modulus = std::int64_t{1} << bits;
    NormalForm reduced;
    for (const auto& [monomial, coefficient] : result.terms()) {
        std::int64_t rest = coefficient - floor_of(coefficient, modulus) * modulus;
        if (rest > modulus / 2) rest -= modulus;
        reduced.add_term(monomial, rest);
    }
    return reduced;
}

std::int64_t wrapped_value(Dtype dtype, std::int64_t value) {
    const int width = info(dtype).bits;
    if (!is_integer(dtype) || width >= 64) return value;
    const auto bits = static_cast<std::uint64_t>(value) << (64 - width);
    return info(dtype).kind == DtypeClass::natural
               ? static_cast<std::int64_t>(bits >> (64 - width))
               : static_cast<std::int64_t>(bits) >> (64 - width);
}

NormalForm wrapped(Dtype dtype, const NormalForm& x) {
    return by_cases({x}, [&](const std::vector<NormalForm>& parts) {
        if (parts[0].is_unknown()) return parts[0];
        const NormalForm rest = modular(parts[0], info(dtype).bits);
        std::int64_t value = 0;
        if (rest.is_constant(&value)) return NormalForm(wrapped_value(dtype, value));
        return atom_form(AtomKind::wrapped, std::string(name(dtype)), {rest}, false);
    });
}

NormalForm trip_count(const NormalForm& begin, const NormalForm& end, std::int64_t step) {
    return maximum({NormalForm(0), ceil_quotient(end - begin, NormalForm(step))});
}

}  // namespace tkc::ir
