// Which products a loop may leave unfinished at the end of a step: insert_waits.cpp carries them
// over the back edge.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/function_ref.h"
#include "ir/completion.h"
#include "ir/module.h"
#include "ir/walk.h"

namespace tkc::lowering {

// Whether a release after a product that reads the stage waits for it, or is deferred.
enum class Releases : std::uint8_t { wait, owed };

// Whether the operation only computes with registers, or is a branch round such ones: ptxas takes a
// branch that all lanes of a warpgroup take alike.
bool computes_in_registers(const ir::Op& op);

// Whether one of the operations, which are releases, releases the element.
bool releases_element(const std::vector<ir::Op>& releases, ir::Value element);

class CarriedProducts {
public:
    // Counts in the role, which the pass takes apart later.
    CarriedProducts(const ir::Kernel& kernel, const ir::Role& role);

    // Whether steps of the loop are so simple that products may go over its back edge.
    static bool is_plain(const ir::For& loop);

    // The loops around the one that is asked about: what is in front of the loop, and its body
    // as it was.
    void enter(const ir::Block& before, const ir::Block& body) {
        around_.push_back({&before, &body});
    }
    void leave() { around_.pop_back(); }

    // A step of a loop with its own waits, and what it leaves: products, and the releases that they
    // hold up.
    struct Step {
        const std::vector<ir::InFlight>& left;
        const std::vector<ir::Op>& owed;
        const ir::For& loop;
        const ir::Block& placed;  // the body, with the waits of a step alone
        const ir::Block& before;  // what is in front of the loop in its block
    };
    // Whether what it leaves may go into the next step. `operands`: products with register
    // operands, too. `element_of`: the element whose field a shared tile is, or none.
    bool allowed(const Step& step, Releases releases, bool operands,
                 FunctionRef<ir::Value(ir::Value)> element_of) const;

private:
    bool starts_at_zero(ir::Value v, const ir::For& loop, const ir::Block& before) const;
    bool only_adds(ir::Value accumulator, const ir::For& loop, const ir::Block& before) const;
    bool stages_suffice(const ir::Block& body, const std::string& pipeline,
                        std::int64_t each) const;
    bool may_stay(ir::Value operand, const ir::Block& placed) const;

    struct Around {
        const ir::Block* before;
        const ir::Block* body;
    };
    const ir::Kernel& kernel_;
    const ir::Role& role_;
    std::vector<std::size_t> products_;  // onto each value of the role
    std::vector<ir::Uses> uses_;         // of each value of the role
    std::vector<Around> around_;         // the outermost first
};

}  // namespace tkc::lowering
