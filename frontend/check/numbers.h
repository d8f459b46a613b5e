// What is known of the numbers at one place of a kernel: the `let`s, loops and conditions around
// it.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "arithmetic/guards.h"
#include "facts/facts.h"
#include "frontend/check/builder.h"
#include "frontend/check/context.h"

namespace tkc::checker {

struct LoopRange {  // a bound that was wrong is 0, and told
    ir::Scalar begin, end;
    std::int64_t step = 1;
    bool reversed = false;
    bool tiles = false;  // `by` makes its variable a tile index ..
    bool known = true;   // .. of this width
};

// What holds of the statements at hand: a loop around them, or a condition and which way it went.
using KnownHere = std::variant<std::pair<std::string, LoopRange>, std::pair<ir::Scalar, bool>>;

struct FactRead {  // with loaded numbers
    ir::Scalar holds;
    Span span;
    std::string text;
};

class Numbers {
public:
    Numbers(Context& context, Builder& builder);
    Numbers(const Numbers&) = delete;
    Numbers& operator=(const Numbers&) = delete;
    ~Numbers();

    // Defines `symbol` as `s`; returns the symbol.
    ir::Scalar emit_let(const std::string& symbol, const ir::Scalar& s, Span span);
    // The value of a tile of one cell as it is now, under a name like `wanted`.
    ir::Scalar read(ir::Value tile, const std::string& wanted);
    // The value of an operand: what changes in it, read. What nothing may have changed since it was
    // read has the name that it got then.
    Operand read(Operand x);
    void assign(const NumberVariable& variable, const ir::Scalar& value);
    // After it any variable may have another value: a loop begins.
    void forget_reads() { ++changes_; }
    // The variable that the number was read from; null: from none.
    std::optional<ir::Value> variable_of(const std::string& symbol) const;
    ir::Scalar without_lets(const ir::Scalar& s) const;
    bool is_multiple(const ir::Scalar& s, std::int64_t of) const;
    bool is_exact(const ir::Scalar& dividend, const ir::Scalar& divisor) const;
    bool is_known_at_launch(const ir::Scalar& s) const;
    ir::Facts facts_here() const;
    // To be shown positive; under what is known here.
    void divide_by(const ir::Scalar& divisor, Span span);
    // Conditions of the kernel: what it divides by is positive.
    void add_divisor_conditions();
    // The `let`s of a role are forgotten after it.
    void open_role();
    void close_role();

    std::map<std::string, std::int64_t> multiples;   // of symbols: facts for `.index`
    std::map<std::string, ir::Scalar> range_begins;  // of grid and loop variables
    std::set<std::string> launch_symbols;            // extents and integer parameters
    std::vector<KnownHere> known_here;
    // Of these, the conditions under which the expression at hand is evaluated: what it has
    // computed before its statement is computed where they hold alone.
    ir::Guards guards;
    // Both, while it lives; null: nothing is known.
    class Choosing {
    public:
        Choosing(Numbers& numbers, const ir::Scalar& condition, bool holds);
        Choosing(const Choosing&) = delete;
        Choosing& operator=(const Choosing&) = delete;
        ~Choosing();

    private:
        Numbers* numbers_;
    };
    std::vector<FactRead> facts_read;  // of `requires`, and of the kernel's views
    // Of the extent that is being looked at: what its `/`s divide by what; null outside of extents.
    std::vector<std::pair<ir::Scalar, ir::Scalar>>* extent_quotients = nullptr;

private:
    struct Divisor {
        ir::Scalar number;
        Span span;
        ir::Scalar reached;  // what holds of the launches that divide by it; null: nothing
    };

    ir::Scalar where_chosen(const ir::Scalar& s) const;

    struct Lets {
        std::map<std::string, ir::Scalar> values;  // what their symbols stand for
        std::map<std::string, std::size_t> sizes;  // of those, with no `let` left in them
    };

    std::vector<Divisor> divisors_;
    Context& context_;
    Builder& builder_;
    std::size_t changes_ = 0;                     // so far
    std::map<std::string, ir::Value> variables_;  // that numbers were read from
    Lets lets_;
    Lets kernel_lets_;  // outside of roles
};

}  // namespace tkc::checker
