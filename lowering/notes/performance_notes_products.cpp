// Notes on products next to which nothing runs, though something could.
//
// Two orders of a loop's body cause that. A product whose result is used in the next step first is
// waited for at the end of its own: ptxas serializes an accumulator that ordinary arithmetic
// touches and that is in flight over the back edge (docs/hopper.md). And a product that is used at
// once is waited for at once, also where what follows does not need it.
//
// Neither is told of `pingpong` roles, where the products of one warpgroup run next to the
// arithmetic of another.
//
// And on sums of fp8, of which the tensor cores keep fewer bits than f32 has.
#include <algorithm>
#include <set>

#include "ir/walk.h"
#include "lowering/notes/performance_notes.h"

namespace tkc::lowering {

namespace {

using namespace ir;

class ProductNotes {
public:
    ProductNotes(const Role& role, Diagnostics& diag) : role_(role), diag_(diag) {}

    void look_at_loops(const Block& block) {
        for (const Op& op : block) {
            if (const For* loop = as<For>(op); loop != nullptr && !loop->unrolled) {
                look_at_steps(loop->body);
            }
            for_each_block(op, [&](const Block& inner) { look_at_loops(inner); });
        }
    }

private:
    using Place = std::size_t;  // in a loop's body

    void look_at_steps(const Block& body) {
        std::vector<Place> pending;
        for (Place i = 0; i < body.size(); ++i) {
            const Mma* mma = as<Mma>(body[i]);
            if (mma != nullptr && !mma->synchronous) pending.push_back(i);
            const Wait* wait = as<Wait>(body[i]);
            if (wait == nullptr || wait->channel != Channel::products) continue;
            const Place left = std::min(pending.size(), static_cast<Place>(wait->pending));
            const std::vector<Place> over(pending.begin(),
                                          pending.end() - static_cast<std::ptrdiff_t>(left));
            pending.erase(pending.begin(), pending.end() - static_cast<std::ptrdiff_t>(left));
            const bool last = is_last(body, i);
            for (const Place product : over) {
                if (last) note_next_step(body, product);
                else if (pending.empty()) note_order(body, product, i);
            }
        }
    }

    // Whether only releases follow.
    static bool is_last(const Block& body, Place wait) {
        return std::all_of(body.begin() + static_cast<std::ptrdiff_t>(wait) + 1, body.end(),
                           [](const Op& op) { return as<Release>(op) != nullptr; });
    }

    // ---- a result that is used in the next step ------------------------------------------------

    // Whether `op` cannot run while the product is in flight.
    bool touches(const Op& op, const Mma& product) const {
        const Mma* other = as<Mma>(op);
        const bool chained =
            other != nullptr && other->accumulate && other->result == product.result;
        if (!chained && mentions(op, product.result)) return true;
        const auto writes_operand = [&](const Op& x) {
            return writes(x, product.a) || writes(x, product.b);
        };
        bool found =
            writes_operand(op) && as<Field>(op) == nullptr && as<ir::Window>(op) == nullptr;
        for_each_block(op, [&](const Block& inner) {
            walk(inner, [&](const Op& x) { found = found || writes_operand(x); });
        });
        return found;
    }

    void note_next_step(const Block& body, Place place) {
        const Mma& product = *as<Mma>(body[place]);
        bool other_product = false;
        bool arithmetic = false;
        for (Place i = 0; i < place; ++i) {
            const Mma* mma = as<Mma>(body[i]);
            const bool chained = mma != nullptr && mma->result == product.result;
            if (!chained && !touches(body[i], product)) {
                other_product = other_product || mma != nullptr;
                arithmetic = arithmetic || is_tile_arithmetic(role_, body[i]);
                continue;
            }
            if (other_product && arithmetic) report_next_step(body, place, i);
            return;
        }
        if (other_product && arithmetic) report_next_step(body, place, place);
    }

    void report_next_step(const Block& body, Place product, Place use) {
        auto note = diag_.note(body[product].span, msg::product_overlaps_nothing,
                               "the wait is at the end of the iteration, but the next iteration "
                               "does not need the result at once");
        if (use != product) note.label(body[use].span, "its result is first used here");
        note.note(
                "products that a loop computes with cannot stay in flight from one iteration to "
                "the next")
            .help(
                "issue it in the next iteration, after the first product there and before the "
                "arithmetic on that: move the first iteration before the loop, and the last of "
                "these products after it, as in examples/attention/attention.tk");
    }

    // ---- a result that is used at once ---------------------------------------------------------

    // What is between `first` and `last` writes these values, and names those. Elements can
    // be taken earlier.
    void names_between(const Block& body, Place first, Place last, std::set<std::uint32_t>& written,
                       std::set<std::uint32_t>& named) const {
        for (Place i = first + 1; i < last; ++i) {
            const bool moves_along =
                as<Take>(body[i]) != nullptr || as<ir::Field>(body[i]) != nullptr ||
                as<ir::Window>(body[i]) != nullptr || as<ReadShared>(body[i]) != nullptr;
            const auto add = [&](const Op& op) {
                for_each_value(op, [&](Value v) {
                    if (v) named.insert(v.id);
                });
                if (moves_along) return;
                for_each_result(op, [&](Value v) {
                    if (v) written.insert(v.id);
                });
            };
            add(body[i]);
            for_each_block(body[i], [&](const Block& inner) { walk(inner, add); });
        }
    }

    // Whether `body[place]` could be right after `body[product]`.
    bool could_follow(const Block& body, Place product, Place place) const {
        std::set<std::uint32_t> written;
        std::set<std::uint32_t> named;
        names_between(body, product, place, written, named);
        const Op& op = body[place];
        const Value result = as<Mma>(body[product])->result;
        bool free = !mentions(op, result);
        for_each_operand(op, [&](Value v) { free = free && written.count(v.id) == 0; });
        for_each_result(op, [&](Value v) { free = free && named.count(v.id) == 0; });
        return free;
    }

    // The first operation after the wait that is not about stages alone.
    static Place user_of(const Block& body, Place wait) {
        Place use = wait + 1;
        while (use < body.size() &&
               (as<Release>(body[use]) != nullptr || as<Take>(body[use]) != nullptr ||
                as<ir::Field>(body[use]) != nullptr || as<ir::Window>(body[use]) != nullptr)) {
            ++use;
        }
        return use;
    }

    void note_order(const Block& body, Place place, Place wait) {
        const Mma& product = *as<Mma>(body[place]);
        for (Place i = place + 1; i < wait; ++i) {
            if (as<Mma>(body[i]) != nullptr || is_tile_arithmetic(role_, body[i])) return;
        }
        const Place use = user_of(body, wait);
        if (use == body.size() || !mentions(body[use], product.result)) return;
        for (Place i = use + 1; i < body.size(); ++i) {
            const bool is_product = as<Mma>(body[i]) != nullptr;
            if (!is_product && !is_tile_arithmetic(role_, body[i])) continue;
            // The same product of another element is a loop written out.
            if (!could_follow(body, place, i)) continue;
            diag_
                .note(body[place].span, msg::product_overlaps_nothing,
                      "its result is used at once, before code that does not need it")
                .label(body[use].span, "waits for it here")
                .label(body[i].span, "does not need it")
                .help(
                    "move code that does not need the product between it and the first use of its "
                    "result");
            return;
        }
    }

    const Role& role_;
    Diagnostics& diag_;
};

// ---- sums of fp8 -------------------------------------------------------------------------------

// Sums of fp8 that grow beyond what others add in the tensor cores before they go on in f32.
class Fp8Sums {
public:
    Fp8Sums(const Role& role, Diagnostics& diag) : role_(role), diag_(diag) { look_at(role.body); }

private:
    static constexpr std::int64_t products_of_short_sum = 128;

    void look_at(const Block& block) {
        for (const Op& op : block) {
            const Mma* mma = as<Mma>(op);
            const For* loop = as<For>(op);
            if (mma != nullptr && is_fp8(role_.tile(mma->a).dtype) && is_long(*mma)) note(op, *mma);
            if (loop != nullptr) loops_.push_back(loop);
            for_each_block(op, [&](const Block& inner) { look_at(inner); });
            if (loop != nullptr) loops_.pop_back();
        }
    }

    bool is_long(const Mma& mma) const {
        const TileType& a = role_.tile(mma.a);
        std::int64_t products = mma.a_transposed ? a.rows : a.cols;
        for (auto at = loops_.rbegin(); mma.accumulate && at != loops_.rend(); ++at) {
            if (begins_anew((*at)->body, mma.result)) break;
            std::int64_t begin = 0;
            std::int64_t end = 0;
            if (!is_constant((*at)->begin, &begin) || !is_constant((*at)->end, &end)) return true;
            products *= std::max<std::int64_t>((end - begin + (*at)->step - 1) / (*at)->step, 0);
        }
        return products > products_of_short_sum;
    }

    static bool begins_anew(const Block& body, Value sum) {
        bool found = false;
        walk(body, [&](const Op& op) {
            const Mma* mma = as<Mma>(op);
            const bool adds = mma != nullptr && mma->accumulate;
            const bool moves =
                as<Wait>(op) != nullptr || as<For>(op) != nullptr || as<If>(op) != nullptr;
            found = found || (!adds && !moves && writes(op, sum));
        });
        return found;
    }

    void note(const Op& op, const Mma& mma) {
        if (!reported_.insert(mma.result.id).second) return;
        const std::string& sum = role_[mma.result].name;
        diag_
            .note(op.span, msg::long_fp8_sum, sum.empty() ? "this" : "`" + sum + "`",
                  products_of_short_sum)
            .note("it has 13 fraction bits; the rest is truncated, not rounded")
            .help(
                "if that is too few, sum {} products at a time, and add them in f32: `let t = "
                "mma(..); {} += t;`",
                products_of_short_sum, sum.empty() ? "sum" : sum);
    }

    const Role& role_;
    Diagnostics& diag_;
    std::vector<const For*> loops_;
    std::set<std::uint32_t> reported_;
};

}  // namespace

void note_products(const Role& role, Diagnostics& diag) {
    if (!role.pingpong && role.copies == 1) ProductNotes(role, diag).look_at_loops(role.body);
    Fp8Sums(role, diag);
}

}  // namespace tkc::lowering
