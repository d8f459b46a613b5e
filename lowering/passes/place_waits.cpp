// Inserts the waits for products, and moves releases to where a wait covers their readers.
//
// Products complete in the order of issue, and `wait products N` waits until at most the newest N
// are unfinished. The pass walks a role with the list of products that may be unfinished. Before an
// operation that touches a result, overwrites a register operand or a shared tile that a product
// reads, or releases a stage that it reads, it inserts the wait that leaves as many products in
// flight as possible.
//
// A release waits for nothing: behind a product that reads the stage it is owed until a wait that
// something else needs covers the product, or the block ends. So
//
//     take k; mma s ..; release k; take v; mma o ..; release v; map t = .. s; map p = .. t
//
// (p the register operand of o) becomes
//
//     take k; mma s ..; take v; mma o ..
//     wait products 1; release k; map t = .. s        // o is in flight meanwhile
//     wait products 0; release v; map p = .. t
//
// What is owed where warpgroups of the role meet keeps none of them from coming there: they take
// and fill the stages that this one has taken and filled before it came, in the same order.
//
// A stage is held longer so. Where the roles would then wait for each other for ever, and would not
// if every release waited (checks/waits.cpp tells), every release waits.
//
// What ptxas accepts without serialising every product decides the rest (measured, see
// docs/hopper.md): an accumulator that ordinary arithmetic touches in a loop must not be in flight
// over the back edge; one that only products touch may be; a wait that leaves products
// pending completes those of the same iteration only; a pending tile is never copied. So:
//
//   * the list is empty where a loop begins and at its back edge, but for
//   * late release, in loops whose products all add to accumulators that start at zero and that
//   nothing else in the loop touches:
//
//       take s; mma acc += ..; release s      becomes      take s; mma acc += ..
//                                                          wait products 1  // not for this step's
//                                                          if begin < k { release previous }
//                                                          previous = s
//     and behind the loop `wait products 0; if begin < end { release previous }`. The tensor cores
//     then never run dry between steps. It holds one stage more, so it is done where a pipeline has
//     at least three stages for each element that a step takes (one in use, one late, one on its
//     way).
#include <algorithm>

#include "checks/check.h"
#include "ir/completion.h"
#include "ir/reduction.h"
#include "ir/walk.h"
#include "lowering/passes.h"

namespace tkc::lowering {

namespace {

using namespace ir;

enum class Releases : std::uint8_t { wait, owed };

class Waits {
public:
    Waits(Kernel& kernel, Role& role, Releases releases)
        : kernel_(kernel), role_(role), releases_(releases), windows_(role) {}

    void run() {
        walk(role_.body, [&](const Op& op) {
            if (const Field* f = as<Field>(op)) element_of_.emplace_back(f->result, f->element);
            const ir::Window* window = as<ir::Window>(op);
            if (window == nullptr) return;
            if (const Value element = element_of(window->source))
                element_of_.emplace_back(window->result, element);
        });
        // Counted now: blocks are taken apart on the way.
        for (std::uint32_t id = 0; id < role_.values.size(); ++id) {
            products_.push_back(products_onto(role_.body, Value{id}));
        }
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
        // A shared tile is about to be overwritten: `buffer_tile` stands before the barrier that
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
        pay_releases(out);
    }

    // Executes the releases that no product in flight stands against.
    void pay_releases(Block& out) {
        std::vector<Op> left;
        for (Op& op : owed_) {
            const Value element = as<Release>(op)->element;
            const bool busy = std::any_of(pending_.begin(), pending_.end(), [&](const InFlight& g) {
                return reads_element(g, element);
            });
            (busy ? left : out).push_back(std::move(op));
        }
        owed_ = std::move(left);
    }

    // Whether the release can be owed.
    bool owe(Op& op) {
        const Release* release = as<Release>(op);
        if (release == nullptr || releases_ == Releases::wait) return false;
        const bool busy = std::any_of(pending_.begin(), pending_.end(), [&](const InFlight& g) {
            return reads_element(g, release->element);
        });
        if (busy) owed_.push_back(std::move(op));
        return busy;
    }

    // Whether a fence stands behind all ordinary loads from the element's stage, which the block
    // has taken.
    bool is_fenced(Value element, const Block& before) const {
        for (auto op = before.rbegin(); op != before.rend(); ++op) {
            if (as<FenceAsync>(*op) != nullptr) return true;
            if (const Take* take = as<Take>(*op); take != nullptr && take->result == element)
                return false;
            bool reads_it = false;
            const auto look = [&](const Op& inner) {
                if (as<Mma>(inner) != nullptr || as<Field>(inner) != nullptr ||
                    as<ir::Window>(inner) != nullptr)
                    return;
                for_each_operand(inner, [&](Value v) {
                    reads_it = reads_it || v == element || element_of(v) == element;
                });
            };
            look(*op);
            for_each_block(*op, [&](const Block& inner) { walk(inner, look); });
            if (reads_it) return false;
        }
        return false;
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

    // Whether the operation only computes with registers, or is a branch round such ones: ptxas
    // takes a branch that all lanes of a warpgroup take alike.
    static bool is_arithmetic(const Op& op) {
        if (const If* branch = as<If>(op)) {
            const auto all = [](const Block& b) {
                return std::all_of(b.begin(), b.end(), is_arithmetic);
            };
            return all(branch->then_body) && all(branch->else_body);
        }
        return as<Map>(op) != nullptr || as<Splat>(op) != nullptr || names_number(op);
    }

    bool conflicts_within(const Op& op, const InFlight& g) const {
        bool found = conflicts(op, g);
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
        // Rows and columns that the operation takes from shared memory are read behind the wait:
        // before it they would take registers beside all that products hold. What is given back
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

    void place(Block& block) {
        Block out;
        for (Op& op : block) {
            if (For* loop = as<For>(op)) {
                drain(out, op.span);
                place_loop(std::move(*loop), op.span, out);
                continue;
            }
            if (If* branch = as<If>(op); branch != nullptr && !is_arithmetic(op)) {
                drain(out, op.span);
                for (Block* body : {&branch->then_body, &branch->else_body}) {
                    place(*body);
                    drain(*body, op.span);
                }
                out.push_back(std::move(op));
                continue;
            }
            if (Release* release = as<Release>(op))
                release->fence = release->fence && !is_fenced(release->element, out);
            if (!owe(op)) {
                wait_for_conflicts(op, out);
                // What ordinary loads have read is fenced then, and its release need not do it.
                if (as<FenceAsync>(op) != nullptr) {
                    for (Op& owed : owed_) as<Release>(owed)->fence = false;
                }
                if (auto busy = in_flight(role_, op)) pending_.push_back(std::move(*busy));
                out.push_back(std::move(op));
            }
        }
        block = std::move(out);
    }

    void place_loop(For loop, Span span, Block& out) {
        if (may_release_late(loop, out)) {
            release_late(std::move(loop), span, out);
            return;
        }
        place(loop.body);
        drain(loop.body, span);
        out.push_back(at(span, std::move(loop)));
    }

    // Whether the last operation of the block before the loop that names `v` makes it zero: of any
    // other start ptxas says that it defines an accumulator in flight (C7515), and serialises.
    static bool starts_at_zero(Value v, const Block& before) {
        for (std::size_t i = before.size(); i-- > 0;) {
            if (!mentions(before[i], v)) continue;
            const Splat* splat = as<Splat>(before[i]);
            const auto* number =
                splat == nullptr ? nullptr : std::get_if<Real>(&splat->value->node);
            return number != nullptr && number->value == 0;
        }
        return false;
    }

    // A product behind the loop would find its accumulator in flight or, where the loop took no
    // step, made by moves: at such a join ptxas serialises (C7515).
    static std::size_t products_onto(const Block& block, Value v) {
        std::size_t count = 0;
        walk_only<Mma>(block, [&](const Mma& mma) { count += mma.result == v ? 1U : 0U; });
        return count;
    }

    // The conditions of late release, see the top of the file. `before`: what stands in front of
    // the loop in its block.
    bool may_release_late(const For& loop, const Block& before) const {
        std::size_t products = 0;
        for (const Op& op : loop.body) {
            // A shared tile that a step writes would be read by the product of the step before.
            if (as<For>(op) != nullptr || (as<If>(op) != nullptr && !is_arithmetic(op)) ||
                as<BufferTile>(op) != nullptr) {
                return false;
            }
            const Mma* mma = as<Mma>(op);
            if (mma == nullptr) continue;
            if (mma->synchronous) return false;
            ++products;
            if (!starts_at_zero(mma->result, before)) return false;
            if (products_[mma->result.id] != products_onto(loop.body, mma->result)) return false;
            if (!mma->accumulate || role_.tile(mma->a).space == Space::registers) return false;
            for (const Op& other : loop.body) {
                const Mma* same_kind = as<Mma>(other);
                const bool adds = same_kind != nullptr && same_kind->accumulate &&
                                  same_kind->result == mma->result && same_kind->a != mma->result &&
                                  same_kind->b != mma->result;
                if (!adds && mentions(other, mma->result)) return false;
            }
        }
        if (products == 0 || loop.reversed) return false;
        return std::all_of(loop.body.begin(), loop.body.end(), [&](const Op& op) {
            const Take* take = as<Take>(op);
            return take == nullptr || stages_suffice(loop, take->pipeline);
        });
    }

    bool stages_suffice(const For& loop, const std::string& pipeline) const {
        std::int64_t taken = 0;
        for (const Op& op : loop.body) {
            const Take* take = as<Take>(op);
            if (take != nullptr && take->pipeline == pipeline) ++taken;
        }
        return find_pipeline(kernel_, pipeline)->stages >= 3 * taken;
    }

    void release_late(For loop, Span span, Block& out) {
        struct Late {
            Value element;
            Value kept;  // the variable that keeps it for a step
            bool after_reads;
            bool fence;
        };
        std::vector<Late> late;
        std::vector<Value> accumulators;
        std::size_t last_product = 0;
        std::int64_t products = 0;
        for (const Op& op : loop.body) {
            const Mma* mma = as<Mma>(op);
            if (mma == nullptr) continue;
            ++products;
            if (std::find(accumulators.begin(), accumulators.end(), mma->result) ==
                accumulators.end()) {
                accumulators.push_back(mma->result);
            }
        }
        Block body;
        for (Op& op : loop.body) {
            const Release* release = as<Release>(op);
            if (release != nullptr && read_by_products(loop.body, release->element)) {
                const auto& type = std::get<ElementType>(role_[release->element].type);
                const Value kept = add_value(role_, "previous_" + type.pipeline, type, true);
                late.push_back({release->element, kept, release->after_reads, release->fence});
                continue;
            }
            body.push_back(std::move(op));
            if (as<Mma>(body.back()) != nullptr) last_product = body.size();
        }
        Block tail;
        tail.push_back(at(span, Wait{Channel::products, products, {}}));
        If not_first{less(loop.begin, symbol(loop.var)), {}, {}};
        for (const Late& l : late)
            not_first.then_body.push_back(at(span, Release{l.kept, l.after_reads, l.fence}));
        if (!late.empty()) tail.push_back(at(span, std::move(not_first)));
        for (const Late& l : late) tail.push_back(at(span, Copy{l.kept, l.element}));
        body.insert(body.begin() + static_cast<std::ptrdiff_t>(last_product), tail.begin(),
                    tail.end());

        If not_empty{less(loop.begin, loop.end), {}, {}};
        for (const Late& l : late)
            not_empty.then_body.push_back(at(span, Release{l.kept, l.after_reads, l.fence}));
        loop.body = std::move(body);
        out.push_back(at(span, std::move(loop)));
        out.push_back(at(span, Wait{Channel::products, 0, accumulators}));
        if (!late.empty()) out.push_back(at(span, std::move(not_empty)));
    }

    bool read_by_products(const Block& body, Value element) const {
        return std::any_of(body.begin(), body.end(), [&](const Op& op) {
            const Mma* mma = as<Mma>(op);
            return mma != nullptr &&
                   (element_of(mma->a) == element || element_of(mma->b) == element);
        });
    }

    Kernel& kernel_;
    Role& role_;
    Releases releases_;
    const Windows windows_;
    std::vector<Op> owed_;               // releases of elements that products in flight read
    std::vector<std::size_t> products_;  // onto each value of the role
    std::vector<InFlight> pending_;      // in the order of issue
    std::vector<std::pair<Value, Value>> element_of_;
};

void place(Kernel& kernel, Releases releases) {
    for (Role& role : kernel.roles) Waits(kernel, role, releases).run();
}

bool completes(const Kernel& kernel) {
    Diagnostics unheard;
    return checks::check_waits(kernel, unheard, nullptr);
}

}  // namespace

void place_waits(PassContext&, Module& module) {
    for (Kernel& kernel : module.kernels) {
        Kernel waiting = kernel;
        place(kernel, Releases::owed);
        if (completes(kernel)) continue;
        place(waiting, Releases::wait);
        if (completes(waiting)) kernel = std::move(waiting);
    }
}

}  // namespace tkc::lowering
