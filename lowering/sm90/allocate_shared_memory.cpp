// Assigns shared memory to every stage of every pipeline and to every `shared` tile.
//
// The staging buffers of stores come later (lower-stores): they use the remaining memory.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "ir/swizzle.h"
#include "ir/walk.h"
#include "lowering/passes.h"
#include "lowering/shared_memory_plan.h"
#include "lowering/shared_panels.h"
#include "lowering/transfer.h"
#include "tiles/reduction.h"

namespace tkc::lowering {

namespace {

using namespace ir;

void report_overflow(PassContext& context, const Kernel& kernel) {
    if (!kernel.general_of.empty() && context.has_errors()) return;  // the fast one was told
    const Pipeline* largest = nullptr;
    std::int64_t largest_stage = 0;
    for (const Pipeline& p : kernel.pipelines) {
        std::int64_t stage = 0;
        for (const PipelineField& f : p.fields_)
            stage += f.type.rows * f.type.cols * bytes(f.type.dtype);
        if (stage >= largest_stage) {
            largest_stage = stage;
            largest = &p;
        }
    }
    const std::int64_t excess = -bytes_left(kernel);
    const std::int64_t limit = target_of(kernel).limits.shared_of_block;
    auto report =
        context.diag.error(largest != nullptr ? largest->span : kernel.span,
                           msg::shared_memory_overflow, words_for(kernel), limit + excess, limit);
    report.note("{}", memory_table(kernel));
    if (largest == nullptr) {
        report.help("make the tiles that use the largest of these smaller");
        return;
    }
    const std::int64_t fewer = largest->stages - (excess + largest_stage - 1) / largest_stage;
    if (fewer >= 2) {
        report.help("{} stages of `{}` would fit: `pipeline {}[{}]`", fewer, largest->name,
                    largest->name, fewer);
    } else {
        report.help("make the tiles of `{}` smaller: a stage needs {} B", largest->name,
                    largest_stage);
    }
}

// Shared memory that the staging of stores cannot do without (lower-stores).
std::int64_t least_staging(const Role& role) {
    std::int64_t most = 0;
    walk_only<Store>(role.body, [&](const Store& store) {
        if (store.transfer != Transfer::tma || role.tile(store.source).space != Space::registers)
            return;
        const TileType panel = panel_of_store(role, store).type;
        most = std::max(most, role.all_warpgroups() * panel.rows * panel.cols * bytes(panel.dtype));
    });
    return most;
}

// Shares of a loop's own block that have two buffers in turn: the number of the one that a step
// takes.
//
// One meeting a step is enough then. A warpgroup writes the buffer of the step before the last when
// all have met in the last step; and a warpgroup came there when it had read what it read in the
// step before. At the begin of a loop that comes anew all meet once more, since it may begin with
// the buffer that it ended with.
class Alternating {
public:
    Alternating(const Kernel& kernel, const Role& role) {
        if (role.unit != Unit::warpgroup) return;
        std::int64_t left = bytes_left(kernel);
        // Tiles of roles that are lowered already are buffers.
        for (const Role& each : kernel.roles) {
            left -= least_staging(each);
            walk_only<Share>(each.body, [&](const Share& s) {
                left -= each.copies * bytes_of(each.tile(s.result));
            });
        }
        walk_only<For>(role.body, [&](const For& loop) {
            for (std::size_t i = 0; i < loop.body.size(); ++i) {
                const Share* share = as<Share>(loop.body[i]);
                if (share == nullptr || !is_of_step(role, loop, i, share->result)) continue;
                const std::int64_t more = role.copies * bytes_of(role.tile(share->result));
                if (left < more) continue;
                left -= more;
                const Scalar step = floor_div(symbol(loop.var), integer(loop.step));
                turns_[share->result.id] = call(Function::mod, {step, integer(2)});
            }
        });
        if (kernel.persistent) return;
        for (const Op& op : role.body) {
            const For* loop = as<For>(op);
            if (loop == nullptr) continue;
            for (const Op& inner : loop->body) {
                if (const Share* share = as<Share>(inner)) once_.insert(share->result.id);
            }
        }
    }

    // Null: the tile has one buffer.
    Scalar turn_of(Value tile) const {
        const auto found = turns_.find(tile.id);
        return found != turns_.end() ? found->second : nullptr;
    }
    // Whether it begins with a meeting.
    bool meets_before(const For& loop) const {
        return std::any_of(loop.body.begin(), loop.body.end(), [&](const Op& op) {
            const BufferTile* tile = as<BufferTile>(op);
            return tile != nullptr && turns_.contains(tile->result.id) &&
                   !once_.contains(tile->result.id);
        });
    }

private:
    // Whether the tile is written once in a step, at `place` of the loop's block, and read after
    // that in the same step alone: the number of its buffer is the step's.
    static bool is_of_step(const Role& role, const For& loop, std::size_t place, Value tile) {
        std::size_t all = 0;
        std::size_t behind = 0;
        const Windows windows(role);
        const auto touches = [&](const Op& op) {
            return windows.reads(op, tile) || writes(op, tile);
        };
        walk(role.body, [&](const Op& op) { all += touches(op) ? 1U : 0U; });
        for (std::size_t i = place; i < loop.body.size(); ++i) {
            behind += touches(loop.body[i]) ? 1U : 0U;
            for_each_block(loop.body[i], [&](const Block& inner) {
                walk(inner, [&](const Op& op) { behind += touches(op) ? 1U : 0U; });
            });
        }
        return all == behind && writes_of(role.body, tile).size() == 1;
    }

    static std::int64_t bytes_of(const TileType& tile) {
        return tile.rows * tile.cols * bytes(tile.dtype);
    }

    std::map<std::uint32_t, Scalar> turns_;
    std::set<std::uint32_t> once_;  // tiles of loops that the role goes through once
};

// `share t = x` becomes: all have read what was there, write, make visible, all have written.
void lower_shares(Kernel& kernel, Role& role) {
    const Alternating alternating(kernel, role);
    rebuild(role.body, [&](Op op, Block& out) {
        const Share* share = as<Share>(op);
        if (share == nullptr) {
            const For* loop = as<For>(op);
            if (loop != nullptr && alternating.meets_before(*loop))
                out.push_back(at(op.span, Barrier{Scope::role}));
            out.push_back(std::move(op));
            return;
        }
        const Scalar turn = alternating.turn_of(share->result);
        const std::string buffer = role.name + "." + role[share->result].name;
        if (find_buffer(kernel, buffer) == nullptr) {  // a variable may be shared more than once
            add_buffer(kernel, buffer,
                       fmt::format("`{}` of role {}", role[share->result].name, role.name),
                       role.tile(share->result), role.copies * (turn ? 2 : 1));
        }
        Scalar copy = turn ? turn : integer(0);
        if (role.copies > 1) copy = add(mul(symbol(warpgroup_symbol), integer(turn ? 2 : 1)), copy);
        out.push_back(at(op.span, BufferTile{share->result, buffer, copy}));
        if (!turn) out.push_back(at(op.span, Barrier{Scope::role}));
        out.push_back(at(op.span, WriteTile{share->result, share->source, share->transposed}));
        // Products read it through the asynchronous proxy; warps, which make none, as it is.
        if (role.unit == Unit::warpgroup) out.push_back(at(op.span, FenceAsync{}));
        out.push_back(at(op.span, Barrier{Scope::role}));
    });
}

// Functions of tiles whose warps exchange cells do so through buffers, which those of a name share.
void add_scratch(PassContext& context, Kernel& kernel, const Role& role) {
    std::vector<Scratch> all;
    const auto add = [&](const Needs& needs) {
        if (!needs.scratch) return;
        const auto known = std::find_if(all.begin(), all.end(), [&](const Scratch& s) {
            return s.name == needs.scratch->name;
        });
        if (known == all.end()) {
            all.push_back(*needs.scratch);
            return;
        }
        known->type.rows = std::max(known->type.rows, needs.scratch->type.rows);
        known->type.cols = std::max(known->type.cols, needs.scratch->type.cols);
    };
    walk(role.body, [&](const Op& op) {
        if (const auto* apply = as<Apply>(op)) add(rules_of(*apply).needs(*apply, role));
        if (const auto* complete = as<Complete>(op))
            add(needs_of_completion(role, complete->result));
    });
    std::stable_sort(all.begin(), all.end(), [](const Scratch& a, const Scratch& b) {
        return cells_of(a.type) > cells_of(b.type);
    });
    if (!all.empty() && role.copies > 1) {
        context.diag.error(
            role.span, msg::not_yet,
            fmt::format("{} in a role whose warpgroups alternate programs", all.front().purpose));
    }
    for (const Scratch& s : all) add_buffer(kernel, s.name, s.purpose, s.type, 1);
}

}  // namespace

void allocate_shared_memory(PassContext& context, Module& module) {
    for (Kernel& kernel : module.kernels) {
        for (Pipeline& p : kernel.pipelines) {
            for (PipelineField& f : p.fields_) {
                f.buffer = f.name.empty() ? p.name : p.name + "." + f.name;
                add_buffer(kernel, f.buffer, "stages of " + f.buffer, f.type, p.stages);
            }
        }
        for (Role& role : kernel.roles) {
            lower_shares(kernel, role);
            add_scratch(context, kernel, role);
        }
        if (bytes_left(kernel) < 0) report_overflow(context, kernel);
    }
}

}  // namespace tkc::lowering
