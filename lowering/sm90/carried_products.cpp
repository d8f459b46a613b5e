// Accumulators, stages and operands of products that go over the back edge of a loop.
#include "lowering/sm90/carried_products.h"

#include <algorithm>

#include "facts/facts.h"
#include "ir/walk.h"

namespace tkc::lowering {

using namespace ir;

namespace {

std::size_t namings(const Block& block, Value v) {
    std::size_t count = 0;
    walk(block,
         [&](const Op& op) { for_each_value(op, [&](Value x) { count += x == v ? 1U : 0U; }); });
    return count;
}

// A product after the loop would find its accumulator in flight or, where the loop took no
// step, made by moves: at such a join ptxas serializes (C7515).
std::size_t products_onto(const Block& block, Value v) {
    std::size_t count = 0;
    walk_only<Mma>(block, [&](const Mma& mma) { count += mma.result == v ? 1U : 0U; });
    return count;
}

const Take* take_of(const Block& body, Value element) {
    for (const Op& op : body) {
        const Take* take = as<Take>(op);
        if (take != nullptr && take->result == element) return take;
    }
    return nullptr;
}

}  // namespace

bool computes_in_registers(const Op& op) {
    if (const If* branch = as<If>(op)) {
        const auto all = [](const Block& b) {
            return std::all_of(b.begin(), b.end(), computes_in_registers);
        };
        return all(branch->then_body) && all(branch->else_body);
    }
    return as<Map>(op) != nullptr || as<Splat>(op) != nullptr || names_number(op);
}

bool releases_element(const std::vector<Op>& releases, Value element) {
    return std::any_of(releases.begin(), releases.end(),
                       [&](const Op& op) { return as<Release>(op)->element == element; });
}

CarriedProducts::CarriedProducts(const Kernel& kernel, const Role& role)
    : kernel_(kernel),
      role_(role),
      products_(role.values.size()),
      uses_(uses_of(role.body, role.values.size())) {
    walk_only<Mma>(role.body, [&](const Mma& mma) { ++products_.at(mma.result.id); });
}

bool CarriedProducts::is_plain(const For& loop) {
    if (loop.reversed) return false;
    return std::none_of(loop.body.begin(), loop.body.end(), [](const Op& op) {
        // A shared tile that a step writes would be read by the product of the step before.
        return as<For>(op) != nullptr || as<BufferTile>(op) != nullptr ||
               (as<If>(op) != nullptr && !computes_in_registers(op));
    });
}

// Whether the last operation before the loop that names `v` makes it zero: of any other start
// ptxas says that it defines an accumulator in flight (C7515), and serializes. Where the loop
// lies in others, these name it nowhere else. `before`: what is in front in its block.
bool CarriedProducts::starts_at_zero(Value v, const For& loop, const Block& before) const {
    const Block* block = &before;
    for (std::size_t outside = around_.size();; --outside) {
        for (std::size_t i = block->size(); i-- > 0;) {
            if (!mentions((*block)[i], v)) continue;
            const Splat* splat = as<Splat>((*block)[i]);
            return splat != nullptr && is_zero(splat->value);
        }
        if (outside == 0) return false;
        const Around& around = around_[outside - 1];
        if (namings(*around.body, v) != namings(loop.body, v)) return false;
        block = around.before;
    }
}
// Whether the loop does nothing with the accumulator but to add products to it.
bool CarriedProducts::only_adds(Value accumulator, const For& loop, const Block& before) const {
    if (!starts_at_zero(accumulator, loop, before)) return false;
    if (products_[accumulator.id] != products_onto(loop.body, accumulator)) return false;
    return std::all_of(loop.body.begin(), loop.body.end(), [&](const Op& op) {
        const Mma* mma = as<Mma>(op);
        const bool adds = mma != nullptr && mma->accumulate && !mma->synchronous &&
                          mma->result == accumulator && mma->a != accumulator &&
                          mma->b != accumulator;
        return adds || !mentions(op, accumulator);
    });
}

bool CarriedProducts::stages_suffice(const Block& body, const std::string& pipeline,
                                     std::int64_t each) const {
    const std::int64_t taken = std::count_if(body.begin(), body.end(), [&](const Op& op) {
        const Take* take = as<Take>(op);
        return take != nullptr && take->pipeline == pipeline;
    });
    return find_pipeline(kernel_, pipeline)->stages >= each * taken;
}

// Whether arithmetic makes the value, once, in a step, after a wait for all products: what a
// wait that leaves some of them covers, ptxas takes to be in flight from the step before.
bool CarriedProducts::may_stay(Value operand, const Block& placed) const {
    if (role_[operand].variable || uses_[operand.id].writes != 1) return false;
    bool all_done = false;
    for (const Op& op : placed) {
        const Wait* wait = as<Wait>(op);
        all_done = all_done ||
                   (wait != nullptr && wait->channel == Channel::products && wait->pending == 0);
        if (writes(op, operand)) return all_done && as<Map>(op) != nullptr;
    }
    return false;
}

bool CarriedProducts::allowed(const Step& step, Releases releases, bool operands,
                              FunctionRef<Value(Value)> element_of) const {
    for (const InFlight& g : step.left) {
        if (!only_adds(g.result, step.loop, step.before)) return false;
        if (g.register_operand && !(operands && may_stay(g.register_operand, step.placed)))
            return false;
        for (const Value v : g.shared) {
            const Value element = element_of(v);
            const bool late = releases_element(step.owed, element);
            if (!element || late != (take_of(step.loop.body, element) != nullptr)) return false;
        }
    }
    const auto waits = std::find_if(step.placed.begin(), step.placed.end(),
                                    [](const Op& op) { return as<Wait>(op) != nullptr; });
    const bool covered = waits != step.placed.end();  // by a wait for the step's own products
    // What the step issues before that takes its operands from shared memory: ptxas serializes
    // where a register operand is made while a product is in flight (C7513).
    const auto is_product = [](const Op& op) { return as<Mma>(op) != nullptr; };
    const auto takes_registers = [&](const Op& op) {
        return is_product(op) && role_.tile(as<Mma>(op)->a).space == Space::registers;
    };
    const bool issues = std::any_of(step.placed.begin(), waits, is_product) &&
                        std::none_of(step.placed.begin(), waits, takes_registers);
    if (!issues || (covered && releases == Releases::wait)) return false;
    return std::all_of(step.loop.body.begin(), step.loop.body.end(), [&](const Op& op) {
        const Take* take = as<Take>(op);
        if (take == nullptr) return true;
        if (!covered) return stages_suffice(step.loop.body, take->pipeline, 3);
        return !releases_element(step.owed, take->result) ||
               stages_suffice(step.loop.body, take->pipeline, 2);
    });
}

}  // namespace tkc::lowering
