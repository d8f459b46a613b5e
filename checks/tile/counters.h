// Counters: that every `await` ends, and what the order that they make between programs is good
// for.
//
// Programs start in the order of their numbers (facts/program_order.h), so a program may wait for
// those before it and no others: the first program that has not ended never waits forever. Three
// forms of waiting are known. All signals of the counter are in one place of the text, each
// program comes there at most once for an element, and those that signal one element differ in one
// axis x of the grid alone.
//
//   one       await(done[x - 1], 1)       x of the program that signals follows from the element
//   all       await(done[i], k)           programs 0 .. k - 1 along x signal, and nobody else
//   in turn   await(done[i], k); ..; signal(done[i]);    each waits for those before it: k is
//                                         the distance along x from the first that signals
//
// From `all` and `one` follows that whoever signals has done so when the wait is over; from `in
// turn` that programs come between their await and their signal one after the other, in the same
// order in every launch. docs/proofs.md has the arguments.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "checks/check.h"
#include "checks/tile/accesses.h"

namespace tkc::checks {

inline constexpr const char* other_program = "#other";  // along x, one of those that signal

// What is proved of an await.
struct Awaited {
    enum class Form : std::uint8_t { one, all, in_turn };
    Form form = Form::one;
    const Counting* await = nullptr;
    const Counting* signal = nullptr;
    ir::Bindings signaller;       // the numbers of the signal; of `other_program` along x
    std::string axis;             // the number of x
    ir::NormalForm first, count;  // so many along x from the first on; `one`: of one
};

class CounterOrder {
public:
    explicit CounterOrder(const ir::Kernel& kernel);

    // Reports what is not proved; false if there is anything.
    bool check(Diagnostics& diag, std::vector<Obligation>* obligations) const;

    // Whether the two accesses, wherever they meet in different programs, come in an order that
    // counters keep.
    bool in_order(const Access& a, const Access& b) const;
    // The same in the same order in every launch, and so for one program.
    bool in_turn(const Access& a, const Access& b) const;
    // Whether the access runs once in each turn.
    bool is_alone(const Access& a) const;
    // Whether no element is one of both, in one program or in two.
    bool never_conflict(const Access& a, const Access& b) const;
    // Whether the load is after an await for a signal that is after the store, of
    // whatever elements: where data decide these, the author knows which.
    bool waits_for(const Access& load, const Access& store) const;
    // Whether what the load reads has been written by another program when it is over waiting.
    bool is_written(const Access& load, const std::vector<const Access*>& stores) const;

    const std::vector<Access>& accesses() const { return found_.accesses; }

private:
    struct Failure {
        const Counting* at = nullptr;
        std::string reason;
        std::string help;
    };
    void prove(const Counting& await);
    std::optional<std::string> prove_with(Awaited& made, const ir::Facts& here) const;
    ir::Facts simplify(Access& access) const;
    void check_places(const Counting& c);
    bool happens(const Awaited& made, const ir::NormalForm& other, ir::Facts facts) const;
    bool solve(const Counting& signal, const Counting& await, const std::set<std::string>& equal,
               const ir::NormalForm* other, Awaited& made) const;
    bool guards(const Counting& await, const Access& access) const;
    bool releases(const Counting& signal, const Access& access) const;
    bool same_element(Access a, const Counting& of_a, Access b, const Counting& of_b) const;
    bool before(const Access& store, const Access& later) const;
    ir::Facts facts_at(const Access& access) const;

    const ir::Kernel& kernel_;
    ir::Facts facts_;
    AccessesInOrder found_;
    std::vector<Awaited> awaited_;
    std::vector<Failure> failures_;
};

// Notes in the kernel which sums come in the same order in every launch (Tensor::in_order).
void settle_sums(ir::Kernel& kernel);

}  // namespace tkc::checks
