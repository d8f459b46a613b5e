// Why a fault makes no difference: something else in the kernel gives the order that the operation
// gives, or nothing needs it. Each argument holds for every launch and every order, by what stands
// in the text of the roles; none goes by what a run showed.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "base/overloaded.h"
#include "checks/memory_order.h"
#include "checks/tile_order.h"
#include "emulator/weakenings.h"
#include "ir/completion.h"
#include "ir/reflect.h"
#include "ir/walk.h"

namespace tkc::emulator {

namespace {

using Kind = Weakening::Kind;

// A block, and the place in it that holds the next one, from the body of the role on.
struct Inside {
    const ir::Block* block;
    std::size_t place;
};
using Way = std::vector<Inside>;

// Empty: it is not in the block.
Way way_to(const ir::Block& block, const ir::Op* op) {
    for (std::size_t i = 0; i < block.size(); ++i) {
        Way way{{&block, i}};
        if (&block[i] == op) return way;
        ir::for_each_block(block[i], [&](const ir::Block& inner) {
            if (way.size() > 1) return;
            const Way rest = way_to(inner, op);
            way.insert(way.end(), rest.begin(), rest.end());
        });
        if (way.size() > 1) return way;
    }
    return {};
}

// Whether `then` can come after `first` in one program.
bool can_follow(const Way& first, const Way& then) {
    for (std::size_t depth = 0; depth < std::min(first.size(), then.size()); ++depth) {
        if (first[depth].block != then[depth].block) return false;  // two branches
        if (first[depth].place != then[depth].place) return first[depth].place < then[depth].place;
        const ir::Op& around = (*first[depth].block)[first[depth].place];
        if (ir::as<ir::For>(around) != nullptr) return true;
    }
    return false;
}

const ir::Role* role_of(const ir::Kernel& kernel, const ir::Op* op) {
    for (const ir::Role& role : kernel.roles) {
        if (!way_to(role.body, op).empty() || !way_to(role.finish, op).empty()) return &role;
    }
    return nullptr;
}

// Whether `is` is true of an operation of the role's body.
template <class F>
bool any_op(const ir::Role& role, F&& is) {
    bool found = false;
    ir::walk(role.body, [&](const ir::Op& op) { found = found || is(op); });
    return found;
}

template <class T>
bool is_of(const ir::Op& op, const std::string& pipeline) {
    const T* node = ir::as<T>(op);
    return node != nullptr && node->pipeline == pipeline;
}

const std::string& pipeline_of(const ir::Role& role, const ir::Release& release) {
    return std::get<ir::ElementType>(role[release.element].type).pipeline;
}

// ---- the first and the last round of a ring

// Whether every acquire of the pipeline is one of the first round: none in a loop, no more than
// stages.
bool goes_round_once(const ir::Role& role, const ir::Pipeline& pipeline) {
    std::int64_t outside = 0;
    std::int64_t all = 0;
    for (const ir::Op& op : role.body) outside += is_of<ir::Acquire>(op, pipeline.name) ? 1 : 0;
    ir::walk(role.body,
             [&](const ir::Op& op) { all += is_of<ir::Acquire>(op, pipeline.name) ? 1 : 0; });
    return all == outside && all <= pipeline.stages;
}

// Whether the role has taken all elements of the pipeline when it reaches `op`: they have all been
// made then, so no acquire of this program is still to come.
bool is_behind_all_takes(const ir::Role& role, const ir::Op* op, const std::string& pipeline) {
    const Way here = way_to(role.body, op);
    return !any_op(role, [&](const ir::Op& other) {
        return is_of<ir::Take>(other, pipeline) && can_follow(here, way_to(role.body, &other));
    });
}

// ---- two pipelines whose elements go together

// The i-th element of one and the i-th of the other, where the role touches them in one block.
struct Pair {
    const ir::Op* of_p = nullptr;
    const ir::Op* of_q = nullptr;
    const ir::Block* block = nullptr;
    std::size_t p = 0;  // places in the block
    std::size_t q = 0;
};

// Nothing: in some block there are more of the one than of the other. Else the numbers of the two
// are equal wherever a block ends, so the i-th of a block are the same elements of their pipelines.
template <class T>
std::optional<std::vector<Pair>> pairs_of(const ir::Role& role, const std::string& p,
                                          const std::string& q) {
    std::vector<Pair> all;
    bool even = true;
    const auto look = [&](const ir::Block& block) {
        std::vector<std::size_t> of_p;
        std::vector<std::size_t> of_q;
        for (std::size_t i = 0; i < block.size(); ++i) {
            if (is_of<T>(block[i], p)) of_p.push_back(i);
            if (is_of<T>(block[i], q)) of_q.push_back(i);
        }
        even = even && of_p.size() == of_q.size();
        for (std::size_t i = 0; even && i < of_p.size(); ++i)
            all.push_back({&block[of_p[i]], &block[of_q[i]], &block, of_p[i], of_q[i]});
    };
    ir::walk_blocks(role.body, look);
    if (!even || all.empty()) return std::nullopt;
    return all;
}

// Operations that touch no memory and pass nothing on.
bool is_quiet(const ir::Op& op) {
    return std::visit(
        Overloaded{[](const ir::Take&) { return true; }, [](const ir::Acquire&) { return true; },
                   [](const ir::Field&) { return true; }, [](const ir::Window&) { return true; },
                   [](const ir::BufferTile&) { return true; },
                   [](const ir::Splat&) { return true; }, [](const auto&) { return false; }},
        op.node);
}

// Whether, in every pair, the wait for q comes first, or nothing that could need the other one
// is between them.
bool waits_in_time(const std::vector<Pair>& pairs) {
    return std::all_of(pairs.begin(), pairs.end(), [](const Pair& pair) {
        for (std::size_t i = pair.p + 1; i < pair.q; ++i) {
            if (!is_quiet((*pair.block)[i])) return false;
        }
        return true;
    });
}

bool is_plain(const ir::Role& role) { return role.copies == 1; }
bool is_plain(const ir::Pipeline& p) { return p.parts == 1 && !ir::holds_tickets(p); }

// The role that fills the pipeline; null: none does.
const ir::Role* writer_of(const ir::Kernel& kernel, const std::string& pipeline) {
    for (const ir::Role& role : kernel.roles) {
        if (any_op(role, [&](const ir::Op& op) { return is_of<ir::Acquire>(op, pipeline); }))
            return &role;
    }
    return nullptr;
}
std::vector<const ir::Role*> readers_of(const ir::Kernel& kernel, const std::string& pipeline) {
    std::vector<const ir::Role*> readers;
    for (const ir::Role& role : kernel.roles) {
        if (any_op(role, [&](const ir::Op& op) { return is_of<ir::Take>(op, pipeline); }))
            readers.push_back(&role);
    }
    return readers;
}

bool all_publish(const ir::Role& role, const std::string& pipeline, bool with_fence) {
    return !any_op(role, [&](const ir::Op& op) {
        const auto* publish = ir::as<ir::Publish>(op);
        return publish != nullptr && publish->pipeline == pipeline &&
               (!publish->arrives || publish->copies || (with_fence && !publish->fence));
    });
}

// The i-th publication of p comes before the i-th of q, by the same warps, and whoever takes the
// i-th of p takes the i-th of q before it touches anything. So who waits for q has waited for p.
std::optional<Pair> take_that_implies(const ir::Kernel& kernel, const ir::Role& reader,
                                      const ir::Pipeline& p, bool with_fence) {
    const ir::Role* writer = writer_of(kernel, p.name);
    if (writer == nullptr || writer == &reader || !is_plain(p) || !is_plain(*writer) ||
        !is_plain(reader) || !all_publish(*writer, p.name, false))
        return std::nullopt;
    for (const ir::Pipeline& q : kernel.pipelines) {
        if (&q == &p || !is_plain(q) || writer_of(kernel, q.name) != writer) continue;
        if (!all_publish(*writer, q.name, with_fence)) continue;
        const auto made = pairs_of<ir::Publish>(*writer, p.name, q.name);
        const auto taken = pairs_of<ir::Take>(reader, p.name, q.name);
        if (!made || !taken || !waits_in_time(*taken)) continue;
        const bool in_order = std::all_of(made->begin(), made->end(),
                                          [](const Pair& pair) { return pair.p < pair.q; });
        if (in_order) return taken->front();
    }
    return std::nullopt;
}

// p is published once in a program, before everything that is published of q, and taken once; and
// products that read its stage do so after a take of q, so after all that came before
// the publication of q.
const ir::Op* take_behind_that_implies(const ir::Kernel& kernel, const ir::Role& reader,
                                       const ir::Pipeline& p) {
    const ir::Role* writer = writer_of(kernel, p.name);
    if (writer == nullptr || writer == &reader || !is_plain(p) || !is_plain(*writer) ||
        !is_plain(reader))
        return nullptr;
    const auto once = [](const ir::Role& role, const auto& is) -> const ir::Op* {
        const ir::Op* found = nullptr;
        std::size_t all = 0;
        ir::walk(role.body, [&](const ir::Op& op) { all += is(op) ? 1U : 0U; });
        for (const ir::Op& op : role.body) found = is(op) ? &op : found;
        return all == 1 ? found : nullptr;
    };
    const ir::Op* made =
        once(*writer, [&](const ir::Op& op) { return is_of<ir::Publish>(op, p.name); });
    const ir::Op* taken =
        once(reader, [&](const ir::Op& op) { return is_of<ir::Take>(op, p.name); });
    if (made == nullptr || taken == nullptr) return nullptr;
    for (const ir::Pipeline& q : kernel.pipelines) {
        if (&q == &p || !is_plain(q) || writer_of(kernel, q.name) != writer ||
            !all_publish(*writer, q.name, true))
            continue;
        const bool later = !any_op(*writer, [&](const ir::Op& op) {
            return is_of<ir::Publish>(op, q.name) &&
                   !can_follow(way_to(writer->body, made), way_to(writer->body, &op));
        });
        const ir::Op* by = nullptr;
        const bool behind = !any_op(reader, [&](const ir::Op& op) {
            const bool is_async =
                ir::as<ir::Mma>(op) != nullptr || ir::as<ir::TmaStore>(op) != nullptr;
            if (!is_async) return false;
            const Way way = way_to(reader.body, &op);
            for (const Inside& at : way) {
                for (std::size_t i = 0; i < at.place; ++i) {
                    if (!is_of<ir::Take>((*at.block)[i], q.name)) continue;
                    by = &(*at.block)[i];
                    return false;
                }
            }
            // There is no take before it: it has to read another tile.
            bool reads_p = false;
            const ir::Windows windows(reader);
            ir::for_each_operand(op, [&](const ir::Value& v) {
                ir::walk_only<ir::Field>(reader.body, [&](const ir::Field& field) {
                    const auto& type = std::get<ir::ElementType>(reader[field.element].type);
                    reads_p =
                        reads_p || (type.pipeline == p.name && field.result == windows.whole(v));
                });
            });
            const auto* store = ir::as<ir::TmaStore>(op);
            return reads_p || (store != nullptr && store->held);
        });
        if (later && behind && by != nullptr) return by;
    }
    return nullptr;
}

// The take whose element that is, and whether a variable has kept it since.
struct Origin {
    const ir::Op* take = nullptr;
    bool kept = false;
    friend bool operator==(const Origin&, const Origin&) = default;
};
Origin origin_of(const ir::Role& role, ir::Value element) {
    std::vector<ir::Value> sources;
    ir::walk_only<ir::Copy>(role.body, [&](const ir::Copy& copy) {
        if (copy.result == element) sources.push_back(copy.source);
    });
    if (sources.size() > 1) return {};
    Origin origin{nullptr, !sources.empty()};
    const ir::Value taken = sources.empty() ? element : sources.front();
    ir::walk(role.body, [&](const ir::Op& op) {
        const auto* take = ir::as<ir::Take>(op);
        if (take != nullptr && take->result == taken) origin.take = &op;
    });
    return origin;
}

// Whether every release of an element of p is followed, in its block, by that of the element of q
// that was taken with it.
bool releases_later(const ir::Role& reader, const std::vector<Pair>& taken, const std::string& p,
                    const std::string& q, bool with_fence) {
    bool later = true;
    const auto look = [&](const ir::Block& block) {
        for (std::size_t i = 0; i < block.size(); ++i) {
            const auto* release = ir::as<ir::Release>(block[i]);
            if (release == nullptr || pipeline_of(reader, *release) != p) continue;
            const Origin of_p = origin_of(reader, release->element);
            bool found = false;
            for (std::size_t j = i + 1; j < block.size(); ++j) {
                const auto* other = ir::as<ir::Release>(block[j]);
                if (other == nullptr || pipeline_of(reader, *other) != q) continue;
                if (with_fence && !other->fence) continue;
                const Origin of_q = origin_of(reader, other->element);
                found = found || (of_p.take != nullptr && of_p.kept == of_q.kept &&
                                  std::any_of(taken.begin(), taken.end(), [&](const Pair& pair) {
                                      return pair.of_p == of_p.take && pair.of_q == of_q.take;
                                  }));
            }
            later = later && found;
        }
    };
    ir::walk_blocks(reader.body, look);
    return later;
}

// All readers of p give the i-th of p back before the i-th of q, and the writer acquires q in time.
// With no more stages, q waits for an element at least as new: what p would wait for is over.
std::optional<Pair> acquire_that_implies(const ir::Kernel& kernel, const ir::Role& writer,
                                         const ir::Pipeline& p, bool with_fence) {
    if (!is_plain(p) || !is_plain(writer)) return std::nullopt;
    for (const ir::Pipeline& q : kernel.pipelines) {
        if (&q == &p || !is_plain(q) || q.stages > p.stages || q.cluster != p.cluster) continue;
        const auto acquired = pairs_of<ir::Acquire>(writer, p.name, q.name);
        if (!acquired || !waits_in_time(*acquired)) continue;
        const bool as_many = std::all_of(acquired->begin(), acquired->end(), [](const Pair& pair) {
            return !ir::barrier_wait(*pair.of_q)->elected || ir::barrier_wait(*pair.of_p)->elected;
        });
        const std::vector<const ir::Role*> readers = readers_of(kernel, p.name);
        const bool all = std::all_of(readers.begin(), readers.end(), [&](const ir::Role* reader) {
            if (!is_plain(*reader)) return false;
            const auto taken = pairs_of<ir::Take>(*reader, p.name, q.name);
            return taken && releases_later(*reader, *taken, p.name, q.name, with_fence);
        });
        if (as_many && all) return acquired->front();
    }
    return std::nullopt;
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

    static bool is_constant_loop(const ir::For& loop) {
        std::int64_t begin = 0;
        std::int64_t end = 0;
        return ir::is_constant(loop.begin, &begin) && ir::is_constant(loop.end, &end) &&
               begin < end;
    }
    static bool runs(const ir::For& loop, const Loops& around) {
        return is_constant_loop(loop) ||
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
            if (loop != nullptr && runs(*loop, around) && waits(loop->body, 0, around)) return true;
        }
        return false;
    }

    bool is_waited_for(const Way& way) {
        Loops around;
        for (const Inside& at : way) {
            if (const auto* loop = ir::as<ir::For>((*at.block)[at.place])) around.push_back(loop);
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
    if (!others.empty()) return {"the warps meet again before anything needs it", others.front()};
    return {"there is another meeting on every path that needs one", nullptr};
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
    if (const auto other =
            acquire_that_implies(kernel, *writer, *ir::find_pipeline(kernel, name), true))
        return {"implied by the fence of a later release", other->of_q};
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
        if (const auto other = take_that_implies(kernel, *reader, pipeline, true)) {
            by = other->of_q;
            continue;
        }
        by = take_behind_that_implies(kernel, *reader, pipeline);
        if (by == nullptr) return {};
    }
    if (by == nullptr) return {};
    if (ir::as<ir::FenceAsync>(*by) != nullptr)
        return {"the role that takes the stage has its own fence before products", by};
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
                if (!kernel.persistent && goes_round_once(*role, p))
                    return {"in the first round every stage is empty", nullptr};
                if (const auto other = acquire_that_implies(kernel, *role, p, false))
                    return {"implied by an acquire that waits for a later release", other->of_q};
                return {};
            },
            [&](const ir::Take& take) -> Redundancy {
                if (const auto other =
                        take_that_implies(kernel, *role, pipeline(take.pipeline), false))
                    return {"implied by a take that waits for a later publication", other->of_q};
                return {};
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
