// Rounds stages and shared tiles of f32 that only products of warpgroups read, as tf32, when they
// are written:
//
//     tma_load ab.a A_map ..          map A_map tf32: the copy engine rounds
//     write_tile t x                  buffer of t tf32: threads round what they write
//     mma acc += s.a t tf32
//
// wgmma truncates the last 13 bits of its operands in shared memory, so operands that are already
// rounded are multiplied unchanged (docs/decisions/0044-tf32-by-warpgroups.md). A tile that
// anything else reads too keeps all of its bits, and so does one that asynchronous copies of lanes
// fill, which move bytes.
#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "ir/walk.h"
#include "lowering/passes.h"
#include "lowering/shared_memory_plan.h"

namespace tkc::lowering {

namespace {

using namespace ir;

// What the operations of a kernel do with its buffers.
class OperandUses {
public:
    explicit OperandUses(const Kernel& kernel) : kernel_(kernel) {
        for (const Buffer& b : kernel.buffers) {
            if (b.over.empty()) continue;
            others_.insert(b.name);
            others_.insert(b.over);
        }
        for (const Role& role : kernel.roles) look_at(role);
    }

    // Whether all that the buffer holds is multiplied as tf32 and nothing else.
    bool is_multiplied(const std::string& buffer) const {
        return multiplied_.contains(buffer) && !others_.contains(buffer);
    }

private:
    void look_at(const Role& role) {
        std::map<std::uint32_t, std::string> views;
        walk(role.body, [&](const Op& op) {
            if (const Field* field = as<Field>(op)) {
                views[field->result.id] =
                    buffer_of_field(kernel_, pipeline_of(role, field->element), field->field);
            } else if (const BufferTile* tile = as<BufferTile>(op)) {
                views[tile->result.id] = tile->buffer;
            }
        });
        const Windows windows(role);
        const auto buffer_of = [&](Value v) {
            const auto found = views.find(windows.whole(v).id);
            return found == views.end() ? std::string() : found->second;
        };
        walk(role.body, [&](const Op& op) { look_at(role, op, buffer_of); });
        walk(role.finish, [&](const Op& op) { look_at(role, op, buffer_of); });
    }

    template <class BufferOf>
    void look_at(const Role& role, const Op& op, const BufferOf& buffer_of) {
        if (const Mma* mma = as<Mma>(op); mma != nullptr && mma->tf32 && !mma->synchronous) {
            for (const Value v : {mma->a, mma->b})
                if (role.tile(v).space == Space::shared) multiplied_.insert(buffer_of(v));
            return;
        }
        if (as<Field>(op) != nullptr || as<BufferTile>(op) != nullptr ||
            as<ir::Window>(op) != nullptr || as<WriteTile>(op) != nullptr)
            return;
        if (const CopyLoad* copy = as<CopyLoad>(op); copy != nullptr && copy->asynchronous)
            others_.insert(buffer_of_field(kernel_, copy->pipeline, copy->field));
        if (const auto* write = as<WriteShared>(op)) others_.insert(write->buffer);
        if (const auto* store = as<TmaStore>(op)) others_.insert(store->buffer);
        if (const auto* store = as<CopyStore>(op)) others_.insert(store->buffer);
        for_each_operand(op, [&](Value v) { others_.insert(buffer_of(v)); });
    }

    static const std::string& pipeline_of(const Role& role, Value element) {
        return std::get<ElementType>(role[element].type).pipeline;
    }

    const Kernel& kernel_;
    std::set<std::string> multiplied_;
    std::set<std::string> others_;  // that anything else touches
};

// The map that rounds, for what uses `own`: that one, unless something else uses it, too.
std::string rounding_map(Kernel& kernel, const std::string& own,
                         const std::set<std::string>& kept) {
    const auto map = std::find_if(kernel.maps.begin(), kernel.maps.end(),
                                  [&](const TensorMap& m) { return m.name == own; });
    TensorMap made = *map;
    made.tf32 = true;
    if (kept.contains(own)) return tensor_map_for(kernel, made);
    *map = made;
    return own;
}

void round_in(Kernel& kernel) {
    const OperandUses uses(kernel);
    bool any = false;
    for (Buffer& b : kernel.buffers) {
        b.tf32 = b.type.dtype == Dtype::f32 && uses.is_multiplied(b.name);
        any = any || b.tf32;
    }
    if (!any) return;
    const auto rounds = [&](const TmaLoad& load) {
        return find_buffer(kernel, buffer_of_field(kernel, load.pipeline, load.field))->tf32;
    };
    std::set<std::string> kept;  // maps by which something moves that keeps its bits
    for (const Role& role : kernel.roles) {
        for (const Block* block : {&role.body, &role.finish}) {
            walk(*block, [&](const Op& op) {
                const auto* load = as<TmaLoad>(op);
                if (load != nullptr && !rounds(*load)) kept.insert({load->map, load->outside});
                if (const auto* store = as<TmaStore>(op)) kept.insert(store->map);
            });
        }
    }
    for (Role& role : kernel.roles) {
        walk_only<TmaLoad>(role.body, [&](TmaLoad& load) {
            if (!rounds(load)) return;
            load.map = rounding_map(kernel, load.map, kept);
            if (load.clipped) load.outside = rounding_map(kernel, load.outside, kept);
        });
    }
}

}  // namespace

void round_operands(PassContext&, Module& module) {
    for (Kernel& kernel : module.kernels) round_in(kernel);
}

}  // namespace tkc::lowering
