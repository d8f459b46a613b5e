// Why a fault makes no difference: something else in the kernel gives the order that the operation
// gives, or nothing needs it. Each argument holds for every launch and every order, by what is
// in the text of the roles; none uses what a run showed.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "base/overloaded.h"
#include "checks/scheduled/memory_order.h"
#include "checks/scheduled/tile_order.h"
#include "emulator/implied_waits.h"
#include "emulator/weakenings.h"
#include "ir/completion.h"
#include "ir/reflect.h"
#include "ir/walk.h"
#include "ir/ways.h"

namespace tkc::emulator {

namespace {

using Kind = Weakening::Kind;

using ir::Inside;
using ir::Way;
using ir::way_to;

const ir::Role* role_of(const ir::Kernel& kernel, const ir::Op* op) {
    for (const ir::Role& role : kernel.roles) {
        if (!way_to(role.body, op).empty() || !way_to(role.finish, op).empty()) return &role;
    }
    return nullptr;
}

// ---- waits for bulk stores at the end

// Whether all bulk stores of a role have been waited for when it ends, by waits in its body: on
// every way from a store on there is one. A loop with the bounds of a loop around the store takes a
// step, since that one did.
class StoresDone {
public:
    explicit StoresDone(const ir::Role& role) : role_(role) {}

    // The last of the waits; null: some store is not waited for.
    const ir::Op* wait() {
        bool all = true;
        ir::walk(role_.body, [&](const ir::Op& op) {
            if (ir::channels_of(op).empty() || ir::as<ir::Mma>(op) != nullptr) return;
            all = all && is_waited_for(way_to(role_.body, &op));
        });
        return all ? found_ : nullptr;
    }

private:
    using Loops = std::vector<const ir::For*>;

    static bool runs(const ir::Op& op, const ir::For& loop, const Loops& around) {
        return ir::surely_runs(op) ||
               std::any_of(around.begin(), around.end(), [&](const ir::For* other) {
                   return ir::same(other->begin, loop.begin) && ir::same(other->end, loop.end);
               });
    }

    bool waits(const ir::Block& block, std::size_t from, const Loops& around) {
        for (std::size_t i = from; i < block.size(); ++i) {
            const auto* wait = ir::as<ir::Wait>(block[i]);
            const auto* loop = ir::as<ir::For>(block[i]);
            if (wait != nullptr && wait->channel != ir::Channel::products && wait->pending == 0) {
                found_ = &block[i];
                return true;
            }
            if (loop != nullptr && runs(block[i], *loop, around) && waits(loop->body, 0, around))
                return true;
        }
        return false;
    }

    bool is_waited_for(const Way& way) {
        Loops around;
        for (const Inside& at : way) {
            if (const auto* loop = ir::as<ir::For>(at.op())) around.push_back(loop);
        }
        for (std::size_t depth = way.size(); depth-- > 0;) {
            if (waits(*way[depth].block, way[depth].place + 1, around)) return true;
        }
        return false;
    }

    const ir::Role& role_;
    const ir::Op* found_ = nullptr;
};

// ---- meetings

ir::Block without(const ir::Block& block, const ir::Op* op) {
    ir::Block left;
    for (const ir::Op& other : block) {
        if (&other == op) continue;
        ir::Op made = other;
        if (auto* loop = ir::as<ir::For>(made)) {
            loop->body = without(ir::as<ir::For>(other)->body, op);
        } else if (auto* branch = ir::as<ir::If>(made)) {
            branch->then_body = without(ir::as<ir::If>(other)->then_body, op);
            branch->else_body = without(ir::as<ir::If>(other)->else_body, op);
        }
        left.push_back(std::move(made));
    }
    return left;
}

// Barriers of a role order its accesses to shared tiles and to global memory; staged stores have
// barriers of their own. Both are in order without this one.
Redundancy of_barrier(const ir::Kernel& kernel, const ir::Role& role, const ir::Op* op) {
    if (std::get<ir::Barrier>(op->node).scope != ir::Scope::role) return {};
    const checks::TileOrder order(role, kernel.persistent);
    if (!order.holds_without({}) || !order.holds_without({op})) return {};
    ir::Role left = role;
    left.body = without(role.body, op);
    if (!checks::find_memory_order(kernel, left).complete()) return {};
    const std::vector<const ir::Op*> others = order.in_place_of(op);
    if (!others.empty())
        return {"the warps synchronize again before anything needs it", others.front()};
    return {"there is another barrier on every path that needs one", nullptr};
}

// Whether the operation, or one inside of it, goes to shared memory through the async proxy.
bool uses_async_proxy(const ir::Op& op) {
    const auto* mma = ir::as<ir::Mma>(op);
    bool found = (mma != nullptr && !mma->synchronous) || ir::as<ir::TmaStore>(op) != nullptr ||
                 ir::as<ir::TmaLoad>(op) != nullptr;
    ir::for_each_block(op, [&](const ir::Block& inner) {
        ir::walk(inner, [&](const ir::Op& x) { found = found || uses_async_proxy(x); });
    });
    return found;
}

// The fence that follows every wait of the role for a stage of the pipeline (T: acquire or
// take), before anything goes through the async proxy; null: some wait has none. It orders
// what the wait has made known, too.
template <class T>
const ir::Op* fence_behind(const ir::Role& role, const std::string& pipeline) {
    const ir::Op* fence = nullptr;
    bool all = true;
    const auto look = [&](const ir::Block& block) {
        for (std::size_t i = 0; i < block.size(); ++i) {
            if (!is_of<T>(block[i], pipeline)) continue;
            std::size_t next = i + 1;
            while (next < block.size() && ir::as<ir::FenceAsync>(block[next]) == nullptr &&
                   !uses_async_proxy(block[next]))
                ++next;
            const bool found =
                next < block.size() && ir::as<ir::FenceAsync>(block[next]) != nullptr;
            if (found) fence = &block[next];
            all = all && found;
        }
    };
    ir::walk_blocks(role.body, look);
    return all ? fence : nullptr;
}

Redundancy of_release(const ir::Kernel& kernel, const ir::Role& role, const Weakening& weakening) {
    const std::string& name = pipeline_of(role, std::get<ir::Release>(weakening.op->node));
    if (!kernel.persistent && weakening.kind != Kind::extra_arrival &&
        is_behind_all_takes(role, weakening.op, name))
        return {"the block ends, and no writer waits for its last releases", nullptr};
    if (weakening.kind != Kind::no_fence) return {};
    const ir::Role* writer = writer_of(kernel, name);
    if (writer == nullptr) return {};
    if (const ir::Op* other =
            acquire_that_implies(kernel, *writer, *ir::find_pipeline(kernel, name), true))
        return {"implied by the fence of a later release", other};
    if (const ir::Op* fence = fence_behind<ir::Acquire>(*writer, name))
        return {"the role that fills the stage has its own fence first", fence};
    return {};
}

Redundancy of_publish(const ir::Kernel& kernel, const Weakening& weakening) {
    if (weakening.kind != Kind::no_fence) return {};
    const auto& publish = std::get<ir::Publish>(weakening.op->node);
    const ir::Pipeline& pipeline = *ir::find_pipeline(kernel, publish.pipeline);
    const ir::Op* by = nullptr;
    for (const ir::Role* reader : readers_of(kernel, publish.pipeline)) {
        if (const ir::Op* fence = fence_behind<ir::Take>(*reader, publish.pipeline)) {
            by = fence;
            continue;
        }
        by = take_that_implies(kernel, *reader, pipeline, true);
        if (by == nullptr) by = take_behind_that_implies(kernel, *reader, pipeline, true);
        if (by == nullptr) return {};
    }
    if (by == nullptr) return {};
    if (ir::as<ir::FenceAsync>(*by) != nullptr)
        return {"the role that consumes the stage has its own fence before products", by};
    return {"implied by the fence of a later publication", by};
}

Redundancy of_wait(const ir::Role& role, const ir::Op* op) {
    const auto& wait = std::get<ir::Wait>(op->node);
    const bool ends = !way_to(role.finish, op).empty();
    if (!ends || wait.channel == ir::Channel::products) return {};
    if (const ir::Op* by = StoresDone(role).wait())
        return {"the role has already waited for all its bulk stores", by};
    return {};
}

}  // namespace

Redundancy why_redundant(const ir::Kernel& kernel, const Weakening& weakening) {
    const ir::Role* role = role_of(kernel, weakening.op);
    if (role == nullptr) return {};
    const auto pipeline = [&](const std::string& name) -> const ir::Pipeline& {
        return *ir::find_pipeline(kernel, name);
    };
    return std::visit(
        Overloaded{
            [&](const ir::Barrier&) { return of_barrier(kernel, *role, weakening.op); },
            [&](const ir::Acquire& acquire) -> Redundancy {
                const ir::Pipeline& p = pipeline(acquire.pipeline);
                if (!kernel.persistent && is_first_round(kernel, *role, weakening.op))
                    return {"in the first round every stage is empty", nullptr};
                if (const ir::Op* other = acquire_that_implies(kernel, *role, p, false))
                    return {"implied by an acquire that waits for a later release", other};
                if (const ir::Op* other = acquire_of_next_program(kernel, *role, weakening.op))
                    return {"implied by an acquire that waits until an earlier program is done",
                            other};
                return {};
            },
            [&](const ir::Take& take) -> Redundancy {
                const ir::Pipeline& p = pipeline(take.pipeline);
                const ir::Op* other = take_that_implies(kernel, *role, p, false);
                if (other == nullptr) other = take_behind_that_implies(kernel, *role, p, false);
                if (other == nullptr) return {};
                return {"implied by a consume that waits for a later publication", other};
            },
            [&](const ir::Release&) { return of_release(kernel, *role, weakening); },
            [&](const ir::Publish&) { return of_publish(kernel, weakening); },
            [&](const ir::Wait&) { return of_wait(*role, weakening.op); },
            [](const auto&) { return Redundancy{}; },
        },
        weakening.op->node);
}

namespace {

// Whether the operation reads the element's stage by ordinary loads.
bool reads_stage(const ir::Role& role, const ir::Op& op, ir::Value element) {
    if (const auto* copy = ir::as<ir::CopyStore>(op)) return copy->held == element;
    if (ir::as<ir::ReadShared>(op) == nullptr) return false;
    bool found = false;
    const ir::Windows windows(role);
    ir::for_each_operand(op, [&](const ir::Value& v) {
        ir::walk_only<ir::Field>(role.body, [&](const ir::Field& field) {
            found = found || (field.element == element && field.result == windows.whole(v));
        });
    });
    return found;
}

}  // namespace

std::string why_not_reached(const ir::Kernel& kernel, const Weakening& weakening,
                            const std::set<const ir::Op*>& executed) {
    if (!executed.contains(weakening.op)) return "no test reaches this operation";
    const auto* release = ir::as<ir::Release>(*weakening.op);
    if (release == nullptr || weakening.kind != Kind::no_fence) return "";
    // The fence is for ordinary loads from the stage.
    const ir::Role& role = *role_of(kernel, weakening.op);
    const ir::Op* load = nullptr;
    bool done = false;
    ir::walk(role.body, [&](const ir::Op& op) {
        if (!reads_stage(role, op, release->element)) return;
        load = &op;
        done = done || executed.contains(&op);
    });
    if (load == nullptr || done) return "";
    return fmt::format("no test reaches the `{}` that it fences", ir::kind(*load));
}

}  // namespace tkc::emulator
