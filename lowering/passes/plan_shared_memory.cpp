// Gives every stage of every pipeline and every `shared` tile its place in shared memory.
//
// The staging buffers of stores come after (lower-stores): they take what is left.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "ir/reduction.h"
#include "ir/walk.h"
#include "lowering/passes.h"
#include "lowering/shared_memory_plan.h"
#include "lowering/transfer.h"

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
        report.help("make the tiles smaller that go through the largest of these");
        return;
    }
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

// Functions of tiles whose warps exchange cells do so through buffers, which those of a name share.
void add_scratch(Kernel& kernel, const Role& role) {
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
    for (const Scratch& s : all) add_buffer(kernel, s.name, s.purpose, s.type, 1);
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
            add_scratch(kernel, role);
        }
        if (bytes_left(kernel) < 0) report_overflow(context, kernel);
    }
}

}  // namespace tkc::lowering
