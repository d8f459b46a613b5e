// Inserts the waits for products, and moves releases to where a wait covers their readers.
//
// Products complete in the order of issue, and `wait products N` waits until at most the newest N
// are unfinished. The pass walks a role with the list of products that may be unfinished. Before an
// operation that touches a result, overwrites a register operand or a shared tile that a product
// reads, or releases a stage that it reads, it inserts the wait that leaves as many products in
// flight as possible.
//
// A release waits for nothing: after a product that reads the stage it is deferred until a wait
// that something else needs covers the product, or the block ends. So
//
//     take k; mma s ..; release k; take v; mma o ..; release v; map t = .. s; map p = .. t
//
// (p the register operand of o) becomes
//
//     take k; mma s ..; take v; mma o ..
//     wait products 1; release k; map t = .. s        // o is in flight meanwhile
//     wait products 0; release v; map p = .. t
//
// A release that is deferred past a sync point of the role's warpgroups does not block them: they
// take and fill the stages that this one has taken and filled before it came, in the same order.
//
// This holds a stage longer. If the roles would then deadlock, and would not if every release
// waited (checks/scheduled/waits.cpp decides), every release waits.
//
// The rest depends on what ptxas accepts without serializing every product (measured, see
// docs/hopper.md): an accumulator that ordinary arithmetic accesses in a loop must not be in flight
// over the back edge; one that only products access may be; a wait that leaves products pending
// completes only those of the same iteration; a pending tile is never copied. So:
//
//   * the list is empty where a loop begins and at its back edge, except for
//   * the panels of a store after the last product of a block, which are an unrolled loop, and for
//   * products that are carried over the back edge: they end an iteration, and add to accumulators
//     that start at zero and that nothing else in the loop accesses. The stages that they read are
//     released one iteration late:
//
//       take s; mma acc += ..; release s      becomes      take s; mma acc += ..
//                                                          wait products 1  // not for this step's
//                                                          if begin < k { release previous }
//                                                          previous = s
//     and after the loop `wait products 0; if begin < end { release previous }`. The tensor cores
//     then never run dry between steps. It holds one stage more, so it is done where a pipeline has
//     at least three stages for each element that a step takes (one in use, one late, one on its
//     way). Two are enough where a step waits for products of its own after those that it issues
//     first: that wait covers the carried ones too, and comes early in the step.
//   A register operand of theirs lives as long, so it becomes a variable. Where the role's
//   registers do not suffice for it, products that have one are not carried.
#include <algorithm>

#include "checks/check.h"
#include "ir/completion.h"
#include "ir/walk.h"
#include "lowering/passes.h"
#include "lowering/registers/register_estimate.h"
#include "lowering/sm90/carried_products.h"
#include "lowering/sm90/release_fences.h"
#include "tiles/reduction.h"

namespace tkc::lowering {

namespace {

using namespace ir;

struct Form {
    Releases releases = Releases::owed;
    bool carries_operands = false;  // products with register operands go over back edges, too
};

class Waits {
public:
    Waits(Kernel& kernel, Role& role, Form form)
        : kernel_(kernel), role_(role), form_(form), windows_(role), carrying_(kernel, role) {}

    // Whether a product with a register operand was carried.
    bool carried_operands() const { return carried_operands_; }

    void run() {
        walk(role_.body, [&](const Op& op) {
            if (const Field* f = as<Field>(op)) element_of_.emplace_back(f->result, f->element);
            const ir::Window* window = as<ir::Window>(op);
            if (window == nullptr) return;
            if (const Value element = element_of(window->source))
                element_of_.emplace_back(window->result, element);
        });
        place(role_.body);
        drain(role_.body, role_.span);
    }

private:
    // The element whose field the shared tile is, or none.
    Value element_of(Value tile) const {
        for (const auto& [field, element] : element_of_) {
            if (field == tile) return element;
        }
        return {};
    }

    bool reads_element(const InFlight& g, Value element) const {
        return std::any_of(g.shared.begin(), g.shared.end(),
                           [&](Value v) { return element_of(v) == element; });
    }

    // Whether `op` must wait for `g` to finish.
    bool conflicts(const Op& op, const InFlight& g) const {
        if (const Release* release = as<Release>(op)) return reads_element(g, release->element);
        // A shared tile is about to be overwritten: `buffer_tile` is before the barrier that
        // all warpgroups meet at.
        if (const BufferTile* tile = as<BufferTile>(op)) {
            const auto is_part = [&](Value v) { return windows_.whole(v) == tile->result; };
            if (std::any_of(g.shared.begin(), g.shared.end(), is_part)) return true;
        }
        // A buffer in the memory of a stage that a product may still read.
        if (const WriteShared* write = as<WriteShared>(op)) {
            if (lies_over_operand(write->buffer, g)) return true;
        }
        const Mma* mma = as<Mma>(op);
        // A further product onto the same accumulator follows the earlier one in the tensor core
        // itself.
        const bool chained = mma != nullptr && mma->accumulate && mma->result == g.result;
        if (!chained && (reads(op, g.result) || writes(op, g.result))) return true;
        if (mma != nullptr && (mma->a == g.result || mma->b == g.result)) return true;
        return g.register_operand && writes(op, g.register_operand);
    }

    bool lies_over_operand(const std::string& name, const InFlight& g) const {
        const Buffer* buffer = find_buffer(kernel_, name);
        if (buffer == nullptr || buffer->over.empty()) return false;
        return std::any_of(g.shared.begin(), g.shared.end(), [&](Value v) {
            const Value element = element_of(v);
            if (!element) return false;
            const auto& type = std::get<ElementType>(role_[element].type);
            return holds_stages(kernel_, buffer->over, type.pipeline);
        });
    }

    // Waits for the first `count` products of the list.
    void wait(std::size_t count, Span span, Block& out) {
        Wait wait{Channel::products, static_cast<std::int64_t>(pending_.size() - count), {}};
        for (std::size_t i = 0; i < count; ++i) {
            for (const Value v : {pending_[i].result, pending_[i].register_operand}) {
                const bool listed = std::find(wait.completes.begin(), wait.completes.end(), v) !=
                                    wait.completes.end();
                if (v && !listed && !in_flight_from(count, v)) wait.completes.push_back(v);
            }
        }
        pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(count));
        out.push_back(at(span, std::move(wait)));
        emit_deferred_releases(out);
    }

    // Executes the releases that no product in flight prevents.
    void emit_deferred_releases(Block& out) {
        std::vector<Op> left;
        for (Op& op : deferred_) {
            const Value element = as<Release>(op)->element;
            const bool busy = std::any_of(pending_.begin(), pending_.end(), [&](const InFlight& g) {
                return reads_element(g, element);
            });
            if (busy) {
                left.push_back(std::move(op));
            } else if (const Scalar late = late_condition(element)) {
                const Span span = op.span;
                If not_first{late, {}, {}};
                not_first.then_body.push_back(std::move(op));
                out.push_back(at(span, std::move(not_first)));
            } else {
                out.push_back(std::move(op));
            }
        }
        deferred_ = std::move(left);
    }

    // Whether the release can be deferred.
    bool owe(Op& op) {
        const Release* release = as<Release>(op);
        if (release == nullptr || form_.releases == Releases::wait) return false;
        const bool busy = std::any_of(pending_.begin(), pending_.end(), [&](const InFlight& g) {
            return reads_element(g, release->element);
        });
        if (busy) deferred_.push_back(std::move(op));
        return busy;
    }

    bool in_flight_from(std::size_t first, Value v) const {
        for (std::size_t i = first; i < pending_.size(); ++i) {
            if (pending_[i].result == v || pending_[i].register_operand == v) return true;
        }
        return false;
    }

    void drain(Block& out, Span span) {
        if (!pending_.empty()) wait(pending_.size(), span, out);
    }

    // A store of what a product in flight takes from registers waits for it, too: PTX forbids to
    // touch these registers before (wgmma.mma_async).
    bool conflicts_within(const Op& op, const InFlight& g) const {
        bool found = conflicts(op, g) || (as<WriteShared>(op) != nullptr && g.register_operand &&
                                          reads(op, g.register_operand));
        for_each_block(op, [&](const Block& inner) {
            for (const Op& x : inner) found = found || conflicts_within(x, g);
        });
        return found;
    }

    void wait_for_conflicts(const Op& op, Block& out) {
        std::size_t count = 0;
        for (std::size_t i = 0; i < pending_.size(); ++i) {
            if (conflicts_within(op, pending_[i])) count = i + 1;
        }
        if (count == 0) return;
        // Rows and columns that the operation takes from shared memory are read after the wait:
        // before it they would take registers next to all that products hold. What is given back
        // once they are read goes along.
        std::size_t first = out.size();
        for (std::size_t i = out.size(); i-- > 0;) {
            if (reads_vector(out[i])) first = i;
            else if (as<Release>(out[i]) == nullptr) break;
        }
        Block vectors(std::make_move_iterator(out.begin() + static_cast<std::ptrdiff_t>(first)),
                      std::make_move_iterator(out.end()));
        out.erase(out.begin() + static_cast<std::ptrdiff_t>(first), out.end());
        wait(count, op.span, out);
        for (Op& read : vectors) out.push_back(std::move(read));
    }

    bool reads_vector(const Op& op) const {
        const ReadShared* read = as<ReadShared>(op);
        if (read == nullptr) return false;
        const TileType& tile = role_.tile(read->result);
        return tile.rows == 1 || tile.cols == 1;
    }

    static bool has_products(const Op& op) {
        bool found = as<Mma>(op) != nullptr;
        for_each_block(op, [&](const Block& inner) {
            walk(inner, [&](const Op& x) { found = found || as<Mma>(x) != nullptr; });
        });
        return found;
    }

    // Whether products may be in flight over all of the loop: no loop is left of it in the end, and
    // it issues none and gives no stage back. The panels of a store are such.
    static bool overlaps_products(const For& loop) {
        bool plain = loop.unrolled;
        walk(loop.body, [&](const Op& op) {
            plain = plain && as<Mma>(op) == nullptr && as<Release>(op) == nullptr &&
                    as<For>(op) == nullptr;
        });
        return plain;
    }

    void place(Block& block) {
        Block out;
        std::size_t left = 0;  // operations with products in them
        for (const Op& op : block) left += has_products(op);
        for (Op& op : block) {
            left -= has_products(op);
            For* loop = as<For>(op);
            if (loop != nullptr && (left > 0 || !overlaps_products(*loop))) {
                drain(out, op.span);
                place_loop(std::move(*loop), op.span, out);
                continue;
            }
            if (If* branch = as<If>(op); branch != nullptr && !computes_in_registers(op)) {
                drain(out, op.span);
                for (Block* body : {&branch->then_body, &branch->else_body}) {
                    place(*body);
                    drain(*body, op.span);
                }
                out.push_back(std::move(op));
                continue;
            }
            if (!owe(op)) {
                wait_for_conflicts(op, out);
                if (auto busy = in_flight(role_, op)) pending_.push_back(std::move(*busy));
                out.push_back(std::move(op));
            }
        }
        block = std::move(out);
    }

    void place_loop(For loop, Span span, Block& out) {
        if (carry(loop, span, out)) return;
        const Block body = loop.body;
        carrying_.enter(out, body);
        place(loop.body);
        carrying_.leave();
        drain(loop.body, span);
        out.push_back(at(span, std::move(loop)));
    }

    // The place after the last product of an iteration.
    static std::size_t behind_products(const Block& body) {
        std::size_t place = 0;
        for (std::size_t i = 0; i < body.size(); ++i) {
            if (as<Mma>(body[i]) != nullptr) place = i + 1;
        }
        return place;
    }

    // Carries what a step of the loop leaves unfinished into the next one. False: it may not be.
    bool carry(For& loop, Span span, Block& out) {
        if (!CarriedProducts::is_plain(loop)) return false;
        Block placed = loop.body;
        const Releases releases = std::exchange(form_.releases, Releases::owed);
        place(placed);
        const std::vector<InFlight> left = std::exchange(pending_, {});
        const std::vector<Op> owed = std::exchange(deferred_, {});
        const CarriedProducts::Step step{left, owed, loop, placed, out};
        const auto of = [&](Value tile) { return element_of(tile); };
        if (left.empty() || !carrying_.allowed(step, releases, form_.carries_operands, of)) {
            form_.releases = releases;
            return false;
        }

        struct Late {
            Value element;
            Value kept;  // the variable that keeps it for a step
        };
        std::vector<Late> late;
        If not_empty{less(loop.begin, loop.end), {}, {}};
        for (const Op& op : owed) {
            Release release = *as<Release>(op);
            const Value element = release.element;
            const auto& type = std::get<ElementType>(role_[element].type);
            release.element = add_value(role_, "previous_" + type.pipeline, type, true);
            late.push_back({element, release.element});
            element_of_.emplace_back(release.element, release.element);
            late_.push_back({release.element, less(loop.begin, symbol(loop.var))});
            not_empty.then_body.push_back(at(span, release));
            deferred_.push_back(at(span, release));
        }
        Wait done{Channel::products, 0, {}};
        for (InFlight g : left) {
            for (const Value v : {g.result, g.register_operand}) {
                if (v && std::find(done.completes.begin(), done.completes.end(), v) ==
                             done.completes.end())
                    done.completes.push_back(v);
            }
            if (g.register_operand) {
                const TileType& tile = role_.tile(g.register_operand);
                out.push_back(at(span, Splat{g.register_operand, real(0, tile.dtype)}));
                role_[g.register_operand].variable = true;
                carried_operands_ = true;
            }
            for (Value& v : g.shared) {
                for (const Late& l : late) {
                    if (element_of(v) == l.element) v = l.kept;
                }
            }
            pending_.push_back(std::move(g));
        }

        place(loop.body);
        form_.releases = releases;
        Block tail;
        std::size_t place_of_tail = loop.body.size();
        if (pending_.size() > left.size()) {
            place_of_tail = behind_products(loop.body);
            deferred_.erase(
                std::remove_if(
                    deferred_.begin(), deferred_.end(),
                    [&](const Op& op) { return releases_element(owed, as<Release>(op)->element); }),
                deferred_.end());
            wait(pending_.size() - left.size(), span, tail);
        }
        for (const Late& l : late) tail.push_back(at(span, Copy{l.kept, l.element}));
        loop.body.insert(loop.body.begin() + static_cast<std::ptrdiff_t>(place_of_tail),
                         std::make_move_iterator(tail.begin()),
                         std::make_move_iterator(tail.end()));
        pending_.clear();
        deferred_.clear();
        late_.clear();
        out.push_back(at(span, std::move(loop)));
        out.push_back(at(span, std::move(done)));
        if (!late.empty()) out.push_back(at(span, std::move(not_empty)));
        return true;
    }

    // The condition of a release that is late by one iteration; none for others.
    Scalar late_condition(Value element) const {
        for (const auto& [kept, condition] : late_) {
            if (kept == element) return condition;
        }
        return {};
    }

    Kernel& kernel_;
    Role& role_;
    Form form_;
    bool carried_operands_ = false;
    const Windows windows_;
    std::vector<Op> deferred_;       // releases of elements that products in flight read
    std::vector<InFlight> pending_;  // in the order of issue
    std::vector<std::pair<Value, Value>> element_of_;
    std::vector<std::pair<Value, Scalar>> late_;  // elements kept for a step, see late_condition
    CarriedProducts carrying_;
};

// Whether products with register operands were carried.
bool place(Kernel& kernel, Form form) {
    bool carried = false;
    for (Role& role : kernel.roles) {
        Waits waits(kernel, role, form);
        waits.run();
        carried = carried || waits.carried_operands();
    }
    return carried;
}

bool completes(const Kernel& kernel) {
    Diagnostics unheard;
    return checks::check_waits(kernel, unheard, nullptr);
}

// Whether every role will have the registers that it needs. The estimate says up to 8 more than
// ptxas takes.
bool fits(const Kernel& kernel) {
    constexpr std::int64_t too_many = 8;
    Diagnostics unheard;
    PassContext context{unheard};
    Module planned;
    planned.kernels.push_back(kernel);
    assign_threads(context, planned);
    const Kernel& with = planned.kernels.front();
    return !context.has_errors() &&
           std::all_of(with.roles.begin(), with.roles.end(), [&](const Role& role) {
               const std::int64_t has = role.registers != 0 ? role.registers : with.entry_registers;
               return all_registers(with, role) <= has + too_many;
           });
}

void place_best(Kernel& kernel) {
    const Kernel plain = kernel;
    // General variants hold what they copy by, which the estimate does not know well.
    const bool operands = kernel.general_of.empty();
    if (place(kernel, {Releases::owed, operands})) {
        if (completes(kernel) && fits(kernel)) return;
        kernel = plain;
        place(kernel, {Releases::owed, false});
    }
    if (completes(kernel)) return;
    Kernel waiting = plain;
    place(waiting, {Releases::wait, false});
    if (completes(waiting)) kernel = std::move(waiting);
}

}  // namespace

void insert_waits(PassContext&, Module& module) {
    for (Kernel& kernel : module.kernels) {
        place_best(kernel);
        for (Role& role : kernel.roles) drop_release_fences(role);
    }
}

}  // namespace tkc::lowering
