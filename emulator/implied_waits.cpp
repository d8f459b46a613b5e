// Pipelines whose waits imply each other, as far as the text of the roles shows it.
#include "emulator/implied_waits.h"

#include <algorithm>
#include <optional>

#include "base/overloaded.h"
#include "ir/completion.h"
#include "ir/walk.h"
#include "ir/ways.h"

namespace tkc::emulator {

namespace {

using ir::can_follow;
using ir::Inside;
using ir::Way;
using ir::way_to;

// Whether `is` is true of an operation of the role's body.
template <class F>
bool any_op(const ir::Role& role, F&& is) {
    bool found = false;
    ir::walk(role.body, [&](const ir::Op& op) { found = found || is(op); });
    return found;
}

}  // namespace

const std::string& pipeline_of(const ir::Role& role, const ir::Release& release) {
    return std::get<ir::ElementType>(role[release.element].type).pipeline;
}

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

// ---- the first and the last round of a ring

bool is_behind_all_takes(const ir::Role& role, const ir::Op* op, const std::string& pipeline) {
    const Way here = way_to(role.body, op);
    return !any_op(role, [&](const ir::Op& other) {
        return is_of<ir::Take>(other, pipeline) && can_follow(here, way_to(role.body, &other));
    });
}

namespace {

bool is_in_loop(const Way& way) {
    return std::any_of(way.begin(), way.end(),
                       [](const Inside& at) { return ir::as<ir::For>(at.op()) != nullptr; });
}

// How many acquires of the pipeline come before this one in a program, at the most; nothing: any
// number.
std::optional<std::int64_t> acquires_before(const ir::Role& writer, const ir::Op* acquire) {
    const Way here = way_to(writer.body, acquire);
    const std::string& pipeline = ir::as<ir::Acquire>(*acquire)->pipeline;
    if (is_in_loop(here)) return std::nullopt;
    std::int64_t before = 0;
    bool looped = false;
    ir::walk(writer.body, [&](const ir::Op& op) {
        if (&op == acquire || !is_of<ir::Acquire>(op, pipeline)) return;
        const Way way = way_to(writer.body, &op);
        if (!can_follow(way, here)) return;
        looped = looped || is_in_loop(way);
        ++before;
    });
    return looped ? std::nullopt : std::optional(before);
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
bool is_plain(const ir::Pipeline& p) { return p.parts == 1 && !ir::holds_program_numbers(p); }

bool all_publish(const ir::Role& role, const std::string& pipeline, bool with_fence) {
    return !any_op(role, [&](const ir::Op& op) {
        const auto* publish = ir::as<ir::Publish>(op);
        return publish != nullptr && publish->pipeline == pipeline &&
               (!publish->arrives || publish->copies || (with_fence && !publish->fence));
    });
}

}  // namespace

bool is_first_round(const ir::Kernel& kernel, const ir::Role& writer, const ir::Op* acquire) {
    const std::string& name = ir::as<ir::Acquire>(*acquire)->pipeline;
    const std::optional<std::int64_t> before = acquires_before(writer, acquire);
    return before && *before < ir::find_pipeline(kernel, name)->stages;
}

// The i-th publication of p comes before the i-th of q, by the same warps, and whoever takes the
// i-th of p takes the i-th of q before it touches anything. So who waits for q has waited for p.
const ir::Op* take_that_implies(const ir::Kernel& kernel, const ir::Role& reader,
                                const ir::Pipeline& p, bool with_fence) {
    const ir::Role* writer = writer_of(kernel, p.name);
    if (writer == nullptr || writer == &reader || !is_plain(p) || !is_plain(*writer) ||
        !is_plain(reader) || !all_publish(*writer, p.name, false))
        return nullptr;
    for (const ir::Pipeline& q : kernel.pipelines) {
        if (&q == &p || !is_plain(q) || writer_of(kernel, q.name) != writer) continue;
        if (!all_publish(*writer, q.name, with_fence)) continue;
        const auto made = pairs_of<ir::Publish>(*writer, p.name, q.name);
        const auto taken = pairs_of<ir::Take>(reader, p.name, q.name);
        if (!made || !taken || !waits_in_time(*taken)) continue;
        const bool in_order = std::all_of(made->begin(), made->end(),
                                          [](const Pair& pair) { return pair.p < pair.q; });
        if (in_order) return taken->front().of_q;
    }
    return nullptr;
}

namespace {

// The only operation of the role's body of which `is` is true, if no loop or branch is around it.
template <class F>
const ir::Op* only_op(const ir::Role& role, F&& is) {
    const ir::Op* found = nullptr;
    std::size_t all = 0;
    ir::walk(role.body, [&](const ir::Op& op) { all += is(op) ? 1U : 0U; });
    for (const ir::Op& op : role.body) found = is(op) ? &op : found;
    return all == 1 ? found : nullptr;
}

// Whether the operation reads or writes a stage of p, itself.
bool touches_stage(const ir::Role& reader, const ir::Op& op, const std::string& p) {
    if (ir::as<ir::Field>(op) != nullptr || ir::as<ir::Window>(op) != nullptr ||
        ir::as<ir::Take>(op) != nullptr || ir::as<ir::Release>(op) != nullptr)
        return false;
    bool found = false;
    const ir::Windows windows(reader);
    ir::for_each_operand(op, [&](const ir::Value& v) {
        const auto* element = std::get_if<ir::ElementType>(&reader[v].type);
        found = found || (element != nullptr && element->pipeline == p);
        ir::walk_only<ir::Field>(reader.body, [&](const ir::Field& field) {
            const auto& type = std::get<ir::ElementType>(reader[field.element].type);
            found = found || (type.pipeline == p && field.result == windows.whole(v));
        });
    });
    return found;
}

// The operation of which `is` is true that comes before the end of the way, whatever branch is
// taken; null: none does.
template <class F>
const ir::Op* op_before(const Way& way, F&& is) {
    for (const Inside& at : way) {
        for (std::size_t i = 0; i < at.place; ++i) {
            if (is((*at.block)[i])) return &(*at.block)[i];
        }
    }
    return nullptr;
}

}  // namespace

const ir::Op* take_behind_that_implies(const ir::Kernel& kernel, const ir::Role& reader,
                                       const ir::Pipeline& p, bool with_fence) {
    const ir::Role* writer = writer_of(kernel, p.name);
    if (writer == nullptr || writer == &reader || !is_plain(p) || !is_plain(*writer) ||
        !is_plain(reader))
        return nullptr;
    const ir::Op* made =
        only_op(*writer, [&](const ir::Op& op) { return is_of<ir::Publish>(op, p.name); });
    const ir::Op* taken =
        only_op(reader, [&](const ir::Op& op) { return is_of<ir::Take>(op, p.name); });
    if (made == nullptr || taken == nullptr) return nullptr;
    // Without any take, the stage must not be filled again before it has been filled once: there
    // is one element in a launch, and its arrivals are what it consists of.
    if (!with_fence && (kernel.persistent || !all_publish(*writer, p.name, false))) return nullptr;
    for (const ir::Pipeline& q : kernel.pipelines) {
        if (&q == &p || !is_plain(q) || writer_of(kernel, q.name) != writer ||
            !all_publish(*writer, q.name, with_fence))
            continue;
        const bool later = !any_op(*writer, [&](const ir::Op& op) {
            return is_of<ir::Publish>(op, q.name) &&
                   !can_follow(way_to(writer->body, made), way_to(writer->body, &op));
        });
        const ir::Op* by = nullptr;
        const bool behind = !any_op(reader, [&](const ir::Op& op) {
            const bool is_async =
                ir::as<ir::Mma>(op) != nullptr || ir::as<ir::TmaStore>(op) != nullptr;
            if (with_fence && !is_async) return false;
            if (!touches_stage(reader, op, p.name)) return false;
            const ir::Op* take = op_before(way_to(reader.body, &op), [&](const ir::Op& other) {
                return is_of<ir::Take>(other, q.name);
            });
            if (take != nullptr) by = take;
            return take == nullptr;
        });
        if (later && behind && by != nullptr) return by;
    }
    return nullptr;
}

namespace {

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

bool fences_all(const ir::Role& reader, const std::string& pipeline) {
    return !any_op(reader, [&](const ir::Op& op) {
        const auto* release = ir::as<ir::Release>(op);
        return release != nullptr && pipeline_of(reader, *release) == pipeline && !release->fence;
    });
}

// Whether every element of p is given back in the step in which it is taken, or in the next one, or
// after the loop before another one is taken. Of each block, one element is taken at the most.
bool releases_within_a_step(const ir::Role& reader, const std::string& p) {
    const auto is_take = [&](const ir::Op& op) { return is_of<ir::Take>(op, p); };
    const auto takes_in = [&](const ir::Block& block, std::size_t begin, std::size_t end) {
        std::int64_t takes = 0;
        for (std::size_t i = begin; i < end; ++i) {
            takes += is_take(block[i]) ? 1 : 0;
            ir::for_each_block(block[i], [&](const ir::Block& inner) {
                ir::walk(inner, [&](const ir::Op& op) { takes += is_take(op) ? 1 : 0; });
            });
        }
        return takes;
    };
    return !any_op(reader, [&](const ir::Op& op) {
        const auto* release = ir::as<ir::Release>(op);
        if (release == nullptr || pipeline_of(reader, *release) != p) return false;
        const Origin origin = origin_of(reader, release->element);
        if (origin.take == nullptr) return true;
        const Way take = way_to(reader.body, origin.take);
        const Way here = way_to(reader.body, &op);
        const std::size_t last = take.size() - 1;
        const ir::Block& block = *take[last].block;
        if (takes_in(block, 0, block.size()) != 1) return true;
        if (here.size() > last && here[last].block == &block)
            return !origin.kept && here[last].place < take[last].place;
        // After the loop that the take is in.
        return last == 0 || here.size() < last || here[last - 1].block != take[last - 1].block ||
               here[last - 1].place <= take[last - 1].place ||
               takes_in(*here[last - 1].block, take[last - 1].place + 1, here[last - 1].place) != 0;
    });
}

}  // namespace

// All readers of p give the i-th of p back before the i-th of q, and the writer acquires q in time.
// With no more stages, q waits for an element at least as new: what p would wait for is over. With
// two stages less, it waits for one that is two newer, so that p's may be given back a step late.
const ir::Op* acquire_that_implies(const ir::Kernel& kernel, const ir::Role& writer,
                                   const ir::Pipeline& p, bool with_fence) {
    if (!is_plain(p) || !is_plain(writer)) return nullptr;
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
            if (!taken) return false;
            const bool newer = q.stages + 2 <= p.stages &&
                               releases_within_a_step(*reader, p.name) &&
                               (!with_fence || fences_all(*reader, q.name));
            return newer || releases_later(*reader, *taken, p.name, q.name, with_fence);
        });
        if (as_many && all) return acquired->front().of_q;
    }
    return nullptr;
}

namespace {

// How many programs ago the element was made, at the least, whose release the acquire waits for.
std::int64_t programs_ago(const ir::Kernel& kernel, const ir::Role& writer, const ir::Op* acquire) {
    const std::string& name = ir::as<ir::Acquire>(*acquire)->pipeline;
    if (!is_first_round(kernel, writer, acquire)) return 0;
    const auto is_acquire = [&](const ir::Op& op) { return is_of<ir::Acquire>(op, name); };
    // Of one that every program makes once, the ring goes round in as many programs as it has
    // stages.
    return only_op(writer, is_acquire) == nullptr ? 1 : ir::find_pipeline(kernel, name)->stages;
}

}  // namespace

const ir::Op* acquire_of_next_program(const ir::Kernel& kernel, const ir::Role& writer,
                                      const ir::Op* acquire) {
    const std::string& name = ir::as<ir::Acquire>(*acquire)->pipeline;
    const ir::Pipeline& p = *ir::find_pipeline(kernel, name);
    const std::int64_t ago = programs_ago(kernel, writer, acquire);
    if (!is_plain(p) || !is_plain(writer) || ago == 0) return nullptr;
    const std::vector<const ir::Role*> readers = readers_of(kernel, name);
    for (const ir::Pipeline& q : kernel.pipelines) {
        if (&q == &p || q.parts != 1 || q.cluster != p.cluster) continue;
        const auto acquires_q = [&](const ir::Op& op) { return is_of<ir::Acquire>(op, q.name); };
        const ir::Op* other = only_op(writer, acquires_q);
        if (other == nullptr ||
            (ir::barrier_wait(*other)->elected && !ir::barrier_wait(*acquire)->elected &&
             !ir::runs_in_one_lane(writer)))
            continue;
        // In this program, or in the one before.
        const bool is_before = op_before(way_to(writer.body, acquire), acquires_q) == other;
        if (ago < q.stages + (is_before ? 0 : 1)) continue;
        const bool all = std::all_of(readers.begin(), readers.end(), [&](const ir::Role* reader) {
            const auto releases = [&](const ir::Op& op, const std::string& pipeline) {
                const auto* release = ir::as<ir::Release>(op);
                return release != nullptr && pipeline_of(*reader, *release) == pipeline;
            };
            const ir::Op* last =
                only_op(*reader, [&](const ir::Op& op) { return releases(op, q.name); });
            return is_plain(*reader) && last != nullptr && !any_op(*reader, [&](const ir::Op& op) {
                       return releases(op, name) &&
                              can_follow(way_to(reader->body, last), way_to(reader->body, &op));
                   });
        });
        if (all) return other;
    }
    return nullptr;
}

}  // namespace tkc::emulator
