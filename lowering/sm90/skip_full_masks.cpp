// Evaluates a condition on the positions of cells once per tile if it holds for every cell of most
// tiles:
//
//     t = map where(col < N - j, #0, -inf) [s]
//     .. t ..
//
// becomes
//
//     if not j + 128 <= N { s = map where(col < N - j, #0, -inf) [s] }
//     .. s ..
//
// A comparison that is linear in row and col, and does not wrap on the way, holds for all cells of
// a warpgroup's part if it holds in one corner. A map that then changes nothing is done in place,
// under the condition that some cell differs; any other map of a loop is done in one of two forms,
// with the comparisons and without. Results stay the same. The branch is the same for all lanes of
// a warpgroup and has no products, so those in flight stay in flight.
#include <algorithm>
#include <functional>
#include <optional>

#include "arithmetic/guards.h"
#include "arithmetic/normal_form.h"
#include "facts/value_range.h"
#include "ir/walk.h"
#include "language/function_cases.h"
#include "lowering/passes.h"

namespace tkc::lowering {

namespace {

using namespace ir;

// Names that no user's can be.
constexpr const char* row_name = "cell.row";
constexpr const char* col_name = "cell.col";

// Collects the terms of a sum; constants are added up.
void collect(const Scalar& s, bool negative, std::vector<std::pair<Scalar, bool>>& terms,
             std::int64_t& constant) {
    std::int64_t value = 0;
    const auto* c = std::get_if<Call>(&s->node);
    if (is_constant(s, &value)) {
        constant += negative ? -value : value;
    } else if (c != nullptr && (c->function == Function::add || c->function == Function::sub)) {
        collect(c->arguments[0], negative, terms, constant);
        collect(c->arguments[1], negative != (c->function == Function::sub), terms, constant);
    } else if (c != nullptr && c->function == Function::neg) {
        collect(c->arguments[0], !negative, terms, constant);
    } else {
        terms.emplace_back(s, negative);
    }
}

// `x >= 0` with every term on the side where it is added.
Scalar at_least_zero(const Scalar& x) {
    std::vector<std::pair<Scalar, bool>> terms;
    std::int64_t constant = 0;
    collect(x, false, terms, constant);
    Scalar larger = integer(0);
    Scalar smaller = integer(0);
    for (const auto& [term, negative] : terms) {
        Scalar& side = negative ? smaller : larger;
        side = add(side, term);
    }
    Scalar& side = constant < 0 ? smaller : larger;
    side = add(side, integer(constant < 0 ? -constant : constant));
    return call(Function::le, {smaller, larger});
}

// The factor of `name` where the form is linear in it.
bool factor_of(const NormalForm& form, const std::string& name, std::int64_t* factor) {
    *factor = 0;
    for (const auto& [monomial, coefficient] : form.terms()) {
        NormalForm term;
        term.add_term(monomial, 1);
        if (!ir::mentions(term, name)) continue;
        if (monomial.size() != 1 || monomial[0]->kind != AtomKind::symbol) return false;
        *factor += coefficient;
    }
    return !form.is_unknown();
}

// The comparisons of a map, and when they hold for all cells.
class Comparisons {
public:
    Comparisons(const Role& role, const Map& map, const Ranges& names)
        : role_(role), map_(map), ranges_(names, Asked::no), places_(names) {
        search(map.expression);
    }

    bool any() const { return !found_.empty(); }
    // All of them hold for all cells.
    Scalar all() const {
        Scalar result;
        for (const auto& [comparison, holds] : found_) {
            result = result ? call(Function::logical_and, {result, holds}) : holds;
        }
        return result;
    }
    // The cell where they do.
    Scalar without() const {
        return simplified(rewrite(map_.expression, [&](const Scalar& x) -> Scalar {
            const bool known = std::any_of(found_.begin(), found_.end(),
                                           [&](const auto& f) { return same(f.first, x); });
            return known ? boolean(true) : nullptr;
        }));
    }

private:
    void search(const Scalar& s) {
        if (const auto* c = std::get_if<Call>(&s->node)) {
            if (info(c->function).kind == FunctionKind::compare) consider(s, *c);
            for (std::size_t i = 0; i < c->arguments.size(); ++i) {
                const Scalar& a = c->arguments[i];
                if (!guard_of_argument(*c, i) || !needs_its_condition(a)) search(a);
            }
        } else if (const auto* k = std::get_if<Cast>(&s->node)) {
            search(k->argument);
        }
    }

    static bool names_places(const Scalar& s) {
        bool found = false;
        visit_nodes(s, [&](const ScalarNode& n) {
            found = found || std::holds_alternative<Row>(n.node) ||
                    std::holds_alternative<Column>(n.node);
        });
        return found;
    }

    // Whether places are in sums and products alone: what other functions make of them need not
    // be linear, and a normal form does not look into all of them.
    static bool is_polynomial(const Scalar& s) {
        bool result = true;
        visit_nodes(s, [&](const ScalarNode& n) {
            const auto* c = std::get_if<Call>(&n.node);
            if (c == nullptr) return;
            const bool polynomial = c->function == Function::add || c->function == Function::sub ||
                                    c->function == Function::mul || c->function == Function::neg;
            result = result && (polynomial || std::none_of(c->arguments.begin(), c->arguments.end(),
                                                           names_places));
        });
        return result;
    }

    static Scalar at_cell(const Scalar& s, const Scalar& row, const Scalar& col) {
        return rewrite(s, [&](const Scalar& x) -> Scalar {
            if (std::holds_alternative<Row>(x->node)) return row;
            return std::holds_alternative<Column>(x->node) ? col : nullptr;
        });
    }

    // The first or last row (or column) of a warpgroup's part.
    Scalar corner(std::int64_t extent, bool divided, bool last) const {
        if (!divided) return integer(last ? extent - 1 : 0);
        const std::int64_t part = extent / role_.warpgroups();
        const Scalar first =
            role_.warpgroups() == 1 ? integer(0) : mul(integer(part), symbol(warpgroup_symbol));
        return add(first, integer(last ? part - 1 : 0));
    }

    void consider(const Scalar& comparison, const Call& c) {
        const Scalar& a = c.arguments[0];
        const Scalar& b = c.arguments[1];
        if (a->dtype != Dtype::i32) return;
        Scalar d;  // it is d >= 0
        switch (c.function) {
            case Function::lt: d = sub(sub(b, a), integer(1)); break;
            case Function::le: d = sub(b, a); break;
            case Function::gt: d = sub(sub(a, b), integer(1)); break;
            case Function::ge: d = sub(a, b); break;
            case Function::eq:
            case Function::ne:
            case TKC_ARITHMETIC:
            case TKC_LOGIC:
            case TKC_BIT_FUNCTIONS:
            case TKC_INTEGER_FUNCTIONS:
            case TKC_REAL_FUNCTIONS:
            case TKC_BIT_PATTERNS:
            case Function::where: return;
        }
        bool cells = false;
        visit_nodes(d, [&](const ScalarNode& n) {
            cells = cells || std::holds_alternative<Element>(n.node);
        });
        if (cells || !names_places(d) || !is_polynomial(d)) return;
        const NormalForm form = normal_form(at_cell(d, symbol(row_name), symbol(col_name)));
        std::int64_t by_row = 0;
        std::int64_t by_col = 0;
        if (!factor_of(form, row_name, &by_row) || !factor_of(form, col_name, &by_col)) return;
        const TileType& tile = role_.tile(map_.result);
        const std::optional<Axis> divided = divided_axis(role_, map_.result);
        const auto at_worst = [&](const Scalar& x) {
            return at_cell(x, corner(tile.rows, divided == Axis::row, by_row < 0),
                           corner(tile.cols, divided == Axis::col, by_col < 0));
        };
        if (fits(a) && fits(b)) {
            found_.emplace_back(comparison, at_least_zero(at_worst(d)));
        } else if (cells_fit(a) && cells_fit(b)) {
            // What is the same in all cells may wrap, and does so in the corner too.
            found_.emplace_back(comparison, call(c.function, {at_worst(a), at_worst(b)}));
        }
    }

    // Whether every step comes out as on paper, or each that differs between cells does.
    bool fits(const Scalar& s) {
        return steps_fit(s, [](const Scalar&) { return true; });
    }
    bool cells_fit(const Scalar& s) { return steps_fit(s, names_places); }
    template <class Which>
    bool steps_fit(const Scalar& s, Which&& which) {
        const bool asked = !compared_places(less(s, s)).empty();
        bool fit = true;
        rewrite(s, [&](const Scalar& x) -> Scalar {
            fit = fit && (!which(x) || (asked ? places_ : ranges_).step_of(x).fit != Fit::never);
            return nullptr;
        });
        return fit;
    }

    const Role& role_;
    const Map& map_;
    RangeFinder ranges_;
    RangeFinder places_;  // where the launch is asked
    std::vector<std::pair<Scalar, Scalar>> found_;
};

enum class Next : std::uint8_t { unused, read, overwritten };

// What happens to the value first in block[from, to).
Next next_use(const Block& block, std::size_t from, std::size_t to, Value v) {
    for (std::size_t i = from; i < to; ++i) {
        const Op& op = block[i];
        if (!mentions(op, v)) continue;
        if (reads(op, v)) return Next::read;
        if (writes(op, v)) return Next::overwritten;
        // A branch or loop may leave it as it is, and what follows decides too.
        bool is_read = false;
        for_each_block(op, [&](const Block& inner) {
            is_read = is_read || next_use(inner, 0, inner.size(), v) == Next::read;
        });
        if (is_read) return Next::read;
    }
    return Next::unused;
}

// A block, the operation in it that is looked at, and whether it is a loop's body.
struct Around {
    const Block* block;
    std::size_t at;
    bool loop;
};

class Masks {
public:
    Masks(const Kernel& kernel, Role& role) : role_(role), ranges_(ranges_of(kernel, role)) {}

    void run() {
        std::vector<Around> around;
        while (place(role_.body, around, false)) {}
    }

private:
    // Whether nothing reads the value after the innermost operation of `around`.
    bool is_dead_behind(const std::vector<Around>& around, Value v) const {
        for (std::size_t i = around.size(); i-- > 0;) {
            const Around& level = around[i];
            const Next behind = next_use(*level.block, level.at + 1, level.block->size(), v);
            if (behind != Next::unused) return behind == Next::overwritten;
            if (!level.loop) continue;
            const Next before = next_use(*level.block, 0, level.at, v);
            if (before == Next::read) return false;
        }
        return true;
    }

    static bool names_warpgroup(const Scalar& s) {
        return symbols_of(s).contains(warpgroup_symbol);
    }

    // Places one branch. False: there is none left to place.
    bool place(Block& block, std::vector<Around>& around, bool in_loop) {
        for (std::size_t i = 0; i < block.size(); ++i) {
            const bool loop = as<For>(block[i]) != nullptr;
            bool placed = false;
            around.push_back({&block, i, in_loop});
            for_each_block(block[i],
                           [&](Block& inner) { placed = placed || place(inner, around, loop); });
            if (!placed && as<Map>(block[i]) != nullptr) placed = place_at(block, i, around);
            around.pop_back();
            if (placed) return true;
        }
        return false;
    }

    bool place_at(Block& block, std::size_t i, const std::vector<Around>& around) {
        const Map map = *as<Map>(block[i]);
        const TileType& tile = role_.tile(map.result);
        if (tile.rows == 1 || tile.cols == 1 || is_done(map)) return false;
        const Comparisons comparisons(role_, map, ranges_);
        const Scalar cell = comparisons.any() ? comparisons.without() : nullptr;
        if (!cell) return false;
        const Scalar all = comparisons.all();
        if (is_constant(all)) return false;
        const auto* element = std::get_if<Element>(&cell->node);
        const Span span = block[i].span;
        if (element != nullptr) {
            const Value input = map.inputs[static_cast<std::size_t>(element->input)];
            if (role_.tile(input) == tile && becomes(block, i, around, map.result, input)) {
                Map masked = map;
                if (input != map.result) {
                    masked.result = input;
                    role_[input].variable = true;
                    rename_values(role_.body, [&](Value v) { return v == map.result ? input : v; });
                    for (Value& v : masked.inputs) v = v == map.result ? input : v;
                }
                If branch{call(Function::logical_not, {all}), {}, {}};
                branch.then_body.push_back(at(span, std::move(masked)));
                done_.push_back(*as<Map>(branch.then_body[0]));
                block[i] = at(span, std::move(branch));
                return true;
            }
        }
        const bool in_loop =
            std::any_of(around.begin(), around.end(), [](const Around& l) { return l.loop; });
        if (!in_loop) return false;
        Map plain = map;
        plain.expression = cell;
        role_[map.result].variable = true;
        If branch{all, {}, {}};
        branch.then_body.push_back(at(span, std::move(plain)));
        branch.else_body.push_back(at(span, map));
        done_.push_back(map);
        block[i] = at(span, std::move(branch));
        return true;
    }

    // Maps that are in a branch already.
    bool is_done(const Map& map) const {
        return std::any_of(done_.begin(), done_.end(), [&](const Map& m) {
            return m.result == map.result && same(m.expression, map.expression);
        });
    }

    // Whether the result can take the place of the input: nobody needs the input any more, and the
    // result is a name for this one tile.
    bool becomes(const Block& block, std::size_t i, const std::vector<Around>& around, Value result,
                 Value input) const {
        if (result == input) return true;
        if (role_[result].variable || role_[result].partial != role_[input].partial) return false;
        if (!is_dead_behind(around, input)) return false;
        // Every use of the result is after it in its block, and before the input is made anew.
        std::size_t found = 0;
        for (std::size_t k = i + 1; k < block.size(); ++k) {
            if (found == reads_of(role_.body, result).size()) break;
            std::size_t here = 0;
            const auto count = [&](const Op& op) {
                for_each_operand(op, [&](const Value& v) { here += v == result ? 1U : 0U; });
            };
            bool remade = writes(block[k], input);
            count(block[k]);
            for_each_block(block[k], [&](const Block& inner) {
                walk(inner, count);
                remade = remade || !writes_of(inner, input).empty();
            });
            if (here != 0) found += reads_in(block[k], result);
            if (remade) break;
        }
        return found == reads_of(role_.body, result).size();
    }

    static std::size_t reads_in(const Op& op, Value v) {
        std::size_t count = reads(op, v) ? 1 : 0;
        for_each_block(op, [&](const Block& inner) { count += reads_of(inner, v).size(); });
        return count;
    }

    Role& role_;
    const Ranges ranges_;
    std::vector<Map> done_;
};

}  // namespace

void skip_full_masks(PassContext&, Module& module) {
    module.level = Level::mixed;
    for (Kernel& kernel : module.kernels) {
        for (Role& role : kernel.roles) {
            if (role.unit == Unit::warpgroup) Masks(kernel, role).run();
        }
    }
}

}  // namespace tkc::lowering
