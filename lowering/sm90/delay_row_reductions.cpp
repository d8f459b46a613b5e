// Keeps row sums as per-lane partials as long as only operations that commute with the sum over
// lanes use them (tiles/partial.h):
//
//     splat sum 0                               splat sum 0               // partial, all of them
//     for j in ..                               for j in ..
//         t = reduce s sum                          t = reduce s sum
//         sum = map #0*#1 + #2 [sum, c, t]          sum = map #0*#1 + #2 [sum, c, t]
//     r = map #0 / #1 [o, sum]                  t0 = complete sum
//                                               r = map #0 / #1 [o, t0]
//
// A row of a tile belongs to four lanes, so a sum costs two exchanges and two additions each time;
// here it costs them once, after the loop. It is done only for that reason: if a loop that computes
// sums needs them complete itself, they are completed there.
#include <algorithm>

#include "ir/walk.h"
#include "lowering/passes.h"
#include "tiles/partial.h"

namespace tkc::lowering {

namespace {

using namespace ir;

class PartialSums {
public:
    explicit PartialSums(Role& role) : role_(role), partial_(role.values.size()) {}

    void run() {
        reach();
        while (drop_one()) {}
        for (std::uint32_t id = 0; id < partial_.size(); ++id) {
            if (partial_[id] && !pays(Value{id})) drop_family(Value{id});
        }
        // What is left may have lost what it was made of.
        while (drop_one()) {}
        for (std::uint32_t id = 0; id < partial_.size(); ++id) {
            role_.values[id].partial = partial_[id];
        }
        complete(role_.body);
    }

private:
    bool is_column(Value v) const {
        const auto* tile = std::get_if<TileType>(&role_[v].type);
        return tile != nullptr && tile->space == Space::registers && tile->cols == 1 &&
               tile->dtype == Dtype::f32;
    }
    static bool is_sum(const Op& op) {
        const Apply* apply = as<Apply>(op);
        return apply != nullptr && apply->function == TileFunction::sum && apply->axis == 1;
    }
    bool reads_partial(const Op& op) const {
        bool found = false;
        for_each_operand(op, [&](Value v) { found = found || partial_[v.id]; });
        return found;
    }

    // Everything that a row sum may reach.
    void reach() {
        for (bool grown = true; grown;) {
            grown = false;
            walk(role_.body, [&](const Op& op) {
                const bool flows =
                    (as<Map>(op) != nullptr || as<Copy>(op) != nullptr) && reads_partial(op);
                if (!flows && !is_sum(op)) return;
                for_each_result(op, [&](Value v) {
                    if (!is_column(v) || partial_[v.id]) return;
                    partial_[v.id] = true;
                    grown = true;
                });
            });
        }
    }

    // Whether the operation makes a partial sum of what is one, if its result is one.
    bool makes_partial(const Op& op) const {
        if (is_sum(op)) return true;
        if (const Copy* copy = as<Copy>(op)) return partial_[copy->source.id];
        if (const Splat* splat = as<Splat>(op)) {
            const auto* number = std::get_if<Real>(&splat->value->node);
            return number != nullptr && number->value == 0;
        }
        const Map* map = as<Map>(op);
        return map != nullptr && is_linear(map->expression, [&](std::int64_t input) {
                   return bool{partial_[map->inputs[static_cast<std::size_t>(input)].id]};
               });
    }

    // Gives up a value that one of its writers makes complete. False: there is none.
    bool drop_one() {
        bool dropped = false;
        walk(role_.body, [&](const Op& op) {
            for_each_result(op, [&](Value v) {
                if (!v || !partial_[v.id] || makes_partial(op)) return;
                partial_[v.id] = false;
                dropped = true;
            });
        });
        return dropped;
    }

    // The partial values that are made of each other, `v` among them.
    std::vector<bool> family(Value v) const {
        std::vector<bool> members(partial_.size());
        members[v.id] = true;
        for (bool grown = true; grown;) {
            grown = false;
            walk(role_.body, [&](const Op& op) {
                if (as<Map>(op) == nullptr && as<Copy>(op) == nullptr) return;
                std::vector<Value> linked;
                for_each_value(op, [&](Value x) {
                    if (partial_[x.id]) linked.push_back(x);
                });
                bool result = false;
                for_each_result(op, [&](Value x) { result = partial_[x.id]; });
                const bool any = std::any_of(linked.begin(), linked.end(),
                                             [&](Value x) { return bool{members[x.id]}; });
                if (!result || !any) return;
                for (const Value x : linked) {
                    grown = grown || !members[x.id];
                    members[x.id] = true;
                }
            });
        }
        return members;
    }

    // Whether some loop makes sums of the family and needs none of them complete.
    bool pays(Value v) const {
        const std::vector<bool> members = family(v);
        bool found = false;
        walk_only<For>(role_.body, [&](const For& loop) {
            bool makes = false;
            bool needs = false;
            walk(loop.body, [&](const Op& op) {
                for_each_result(op,
                                [&](Value x) { makes = makes || (is_sum(op) && members[x.id]); });
                if (!needs_complete(op)) return;
                for_each_operand(op, [&](Value x) { needs = needs || members[x.id]; });
            });
            found = found || (makes && !needs);
        });
        return found;
    }

    void drop_family(Value v) {
        const std::vector<bool> members = family(v);
        for (std::size_t i = 0; i < members.size(); ++i) {
            if (members[i]) partial_[i] = false;
        }
    }

    // Whether the operation needs the sums that it reads themselves.
    bool needs_complete(const Op& op) const {
        if (!reads_partial(op)) return false;
        if (as<Map>(op) == nullptr && as<Copy>(op) == nullptr) return true;
        bool partial = false;
        for_each_result(op, [&](Value v) { partial = partial_[v.id]; });
        return !partial;
    }

    // Puts `complete` before each use that needs it; once for several in a row.
    void complete(Block& block) {
        std::vector<std::pair<Value, Value>> known;  // partial, and complete since it was written
        Block out;
        for (Op& op : block) {
            for_each_block(op, [&](Block& inner) { complete(inner); });
            if (needs_complete(op)) {
                for_each_operand(op, [&](Value& v) {
                    if (!partial_[v.id]) return;
                    auto found = std::find_if(known.begin(), known.end(),
                                              [&](const auto& k) { return k.first == v; });
                    if (found == known.end()) {
                        ValueInfo info = role_[v];
                        const Value whole = add_value(role_, "", info.type);
                        role_[whole].layout = info.layout;
                        partial_.push_back(false);
                        out.push_back(at(op.span, Complete{whole, v}));
                        found = known.insert(known.end(), {v, whole});
                    }
                    v = found->second;
                });
            }
            std::erase_if(known, [&](const auto& k) {
                bool written = writes(op, k.first);
                for_each_block(op, [&](const Block& inner) {
                    written = written || !writes_of(inner, k.first).empty();
                });
                return written;
            });
            out.push_back(std::move(op));
        }
        block = std::move(out);
    }

    Role& role_;
    std::vector<bool> partial_;  // by value
};

}  // namespace

void delay_row_reductions(PassContext&, Module& module) {
    module.level = Level::mixed;
    for (Kernel& kernel : module.kernels) {
        for (Role& role : kernel.roles) PartialSums(role).run();
    }
}

}  // namespace tkc::lowering
