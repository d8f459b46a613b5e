// Gives every stage of every pipeline and every `shared` tile its place in shared memory.
//
// The staging buffers of stores come after (lower-stores): they take what is left.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "ir/walk.h"
#include "lowering/passes.h"
#include "lowering/shared_memory_plan.h"
#include "lowering/transfer.h"

namespace tkc::lowering {

namespace {

using namespace ir;

void report_overflow(PassContext& context, const Kernel& kernel) {
    if (!kernel.general_of.empty() && context.diag.has_errors()) return;  // the fast one was told
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
    if (largest == nullptr) return;
    const std::int64_t fewer = largest->stages - (excess + largest_stage - 1) / largest_stage;
    if (fewer >= 2) {
        report.help("{} stages of `{}` would fit: `pipeline {}[{}]`", fewer, largest->name,
                    largest->name, fewer);
    } else {
        report.help("make the tiles of `{}` smaller: a stage takes {} B", largest->name,
                    largest_stage);
    }
}

// `share t = x` becomes: all have read what was there, write, make visible, all have written.
void lower_shares(Kernel& kernel, Role& role) {
    rebuild(role.body, [&](Op op, Block& out) {
        const Share* share = as<Share>(op);
        if (share == nullptr) {
            out.push_back(std::move(op));
            return;
        }
        const std::string buffer = role.name + "." + role[share->result].name;
        if (find_buffer(kernel, buffer) == nullptr) {  // a variable may be shared more than once
            add_buffer(kernel, buffer,
                       fmt::format("`{}` of role {}", role[share->result].name, role.name),
                       role.tile(share->result), 1);
        }
        out.push_back(at(op.span, BufferTile{share->result, buffer, integer(0)}));
        out.push_back(at(op.span, Barrier{Scope::role}));
        out.push_back(at(op.span, WriteTile{share->result, share->source}));
        // Products read it through the asynchronous proxy; warps, which make none, as it is.
        if (role.unit == Unit::warpgroup) out.push_back(at(op.span, FenceAsync{}));
        out.push_back(at(op.span, Barrier{Scope::role}));
    });
}

// Reductions along a row that lies over a cluster: words for each of its warps, and two barriers
// (row_exchange.cuh).
void add_row_exchange(Kernel& kernel, const Role& role) {
    bool reduces = false;
    walk_only<Reduce>(role.body, [&](const Reduce&) { reduces = true; });
    if (!reduces) return;
    const std::int64_t words = 2 * role.warps() * blocks_of(role) + 4;
    add_buffer(kernel, row_exchange_buffer(role), "what the warps of the cluster made of rows",
               TileType{Dtype::i32, 1, words, Space::shared}, 1);
}

// Reductions along rows that lie over several warps: a place for each warp and row of a thread.
void add_row_parts(Kernel& kernel, const Role& role) {
    std::map<std::string, TileType> parts;
    const auto add = [&](Value result) {
        const TileType& column = role.tile(result);
        const std::int64_t passes = cells_of_thread(role[result].layout);
        const auto [place, _] =
            parts.try_emplace(row_parts_buffer(role, column),
                              TileType{column.dtype, passes, role.warps(), Space::shared});
        place->second.rows = std::max(place->second.rows, passes);
    };
    walk_only<Reduce>(role.body, [&](const Reduce& reduce) {
        if (reduce.axis == 1) add(reduce.result);
    });
    walk_only<Complete>(role.body, [&](const Complete& complete) { add(complete.result); });
    for (const auto& [buffer, type] : parts)
        add_buffer(kernel, buffer, "what the warps of " + role.name + " made of rows", type, 1);
}

// Reductions over rows need a row for each warp, to exchange what each made of its own.
void add_exchanges(Kernel& kernel, const Role& role) {
    walk_only<Reduce>(role.body, [&](const Reduce& reduce) {
        if (reduce.axis != 0) return;
        TileType rows = role.tile(reduce.result);
        const std::string buffer = exchange_buffer(role, rows);
        if (find_buffer(kernel, buffer) != nullptr) return;
        rows.rows = role.warps();
        add_buffer(kernel, buffer, "rows that the warps of role " + role.name + " exchange", rows,
                   1);
    });
}

// A tile on its way to its transpose: its rows in words of 4 bytes, one more than they fill, so
// that neighbours in a column lie in different banks.
void add_turns(Kernel& kernel, const Role& role) {
    std::int64_t words = 0;
    walk_only<Transpose>(role.body, [&](const Transpose& t) {
        words = std::max(words, role.tile(t.source).rows * turned_pitch(role, t.source));
    });
    if (words == 0) return;
    const TileType type{Dtype::i32, 1, words, Space::shared};
    add_buffer(kernel, turned_buffer(role), "a tile that role " + role.name + " transposes", type,
               1);
}

// Running sums of rows that lie over several warps: what each warp made of each of its vectors.
void add_scan_parts(Kernel& kernel, const Role& role) {
    std::map<std::string, TileType> parts;
    walk_only<Scan>(role.body, [&](const Scan& scan) {
        const TileType& tile = role.tile(scan.result);
        const Layout& layout = role[scan.result].layout;
        const std::int64_t vectors = cells_of_thread(layout) / vector_of(layout);
        const auto [place, made] = parts.try_emplace(
            scan_buffer(role, tile), TileType{tile.dtype, vectors, role.warps(), Space::shared});
        place->second.rows = std::max(place->second.rows, vectors);
    });
    for (const auto& [buffer, type] : parts)
        add_buffer(kernel, buffer, "running sums of the warps of " + role.name, type, 1);
}

}  // namespace

void plan_shared_memory(PassContext& context, Module& module) {
    for (Kernel& kernel : module.kernels) {
        for (Pipeline& p : kernel.pipelines) {
            for (PipelineField& f : p.fields_) {
                f.buffer = f.name.empty() ? p.name : p.name + "." + f.name;
                add_buffer(kernel, f.buffer, "stages of " + f.buffer, f.type, p.stages);
            }
        }
        for (Role& role : kernel.roles) {
            lower_shares(kernel, role);
            add_exchanges(kernel, role);
            add_turns(kernel, role);
            if (!meets_in_rows(role)) continue;
            if (blocks_of(role) > 1) add_row_exchange(kernel, role);
            else add_row_parts(kernel, role);
            add_scan_parts(kernel, role);
        }
        if (bytes_left(kernel) < 0) report_overflow(context, kernel);
    }
}

}  // namespace tkc::lowering
