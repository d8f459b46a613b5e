// Puts what the order of global memory needs between the accesses of a role: barriers, proxy
// fences, and waits for bulk copies (checks/scheduled/memory_order.h says where and why).
//
//     store V[m +: 64] t0              store V[m +: 64] t0          // a row, by the first threads
//     load t1 V[m +: 64]               barrier role
//                                      load t1 V[m +: 64]           // a column, by others
//
//     store S[m +: 64, :64] t0         store S[m +: 64, :64] t0     // ordinary stores
//     tma_load p S[m +: 64, :64]       fence_async global
//                                      barrier role
//                                      tma_load p S[m +: 64, :64]   // through the async proxy
//
//     store Y[m +: 64, n +: 64] t0 tma                              // bulk stores of one thread
//     store Y[m +: 64, n +: 64] t1 tma       ..                     // are done in any order
//                                      wait store_writes 0
//                                      store Y[m +: 64, n +: 64] t1 tma
//
// It runs before stores are lowered, so that what is put in is before the loop over the panels
// of a staged store, and not in each of its steps.
#include <set>

#include "checks/scheduled/memory_order.h"
#include "ir/walk.h"
#include "lowering/passes.h"

namespace tkc::lowering {

namespace {

using namespace ir;

// Tensors that another role than this stores by bulk copies.
std::set<std::string> stored_in_bulk(const Kernel& kernel, const Role& role) {
    std::set<std::string> tensors;
    for (const Role& other : kernel.roles) {
        if (&other == &role) continue;
        walk_only<Store>(other.body, [&](const Store& store) {
            if (store.transfer == Transfer::tma) tensors.insert(store.target.tensor);
        });
    }
    return tensors;
}

// What a role copies into a stage by ordinary loads, another may store by bulk copies once it has
// consumed the stage: those loads are fenced before the stage is published.
void fence_copies(Block& block, const std::set<std::string>& tensors) {
    Block out;
    bool copied = false;
    for (Op& op : block) {
        for_each_block(op, [&](Block& inner) { fence_copies(inner, tensors); });
        const auto* copy = as<CopyLoad>(op);
        copied = copied || (copy != nullptr && tensors.contains(copy->source.tensor));
        if (copied && as<Publish>(op) != nullptr) {
            out.push_back(at(op.span, FenceAsync{true}));
            copied = false;
        }
        out.push_back(std::move(op));
    }
    block = std::move(out);
}

// A copy of the block with everything in its place.
Block ordered(const Block& block, const checks::MemoryOrder& order) {
    Block out;
    std::set<std::string> landing;  // pipelines whose element in making has to land
    for (const Op& op : block) {
        if (const auto place = order.before.find(&op); place != order.before.end()) {
            const checks::Synchronisation& missing = place->second;
            if (missing.copies) out.push_back(at(op.span, Wait{Channel::store_writes, 0, {}}));
            if (missing.fence) out.push_back(at(op.span, FenceAsync{true}));
            if (missing.barrier) out.push_back(at(op.span, Barrier{Scope::role}));
        }
        const auto* load = as<TmaLoad>(op);
        if (load != nullptr && order.landed.contains(&op)) landing.insert(load->pipeline);
        Op made = op;
        if (auto* loop = as<For>(made)) {
            loop->body = ordered(as<For>(op)->body, order);
        } else if (auto* branch = as<If>(made)) {
            branch->then_body = ordered(as<If>(op)->then_body, order);
            branch->else_body = ordered(as<If>(op)->else_body, order);
        }
        const auto* publish = as<Publish>(op);
        out.push_back(std::move(made));
        if (publish == nullptr || landing.erase(publish->pipeline) == 0) continue;
        out.push_back(at(op.span, AwaitCopies{publish->pipeline}));
        out.push_back(at(op.span, Barrier{Scope::role}));
    }
    return out;
}

// A fence for shared memory alone does nothing in front of one for all memory, if nothing that the
// two are for is between them.
void drop_covered_fences(Block& block) {
    const auto is_quiet = [](const Op& op) {
        return as<Take>(op) != nullptr || as<Field>(op) != nullptr ||
               as<ir::Window>(op) != nullptr || as<BufferTile>(op) != nullptr;
    };
    Block out;
    for (Op& op : block) {
        for_each_block(op, [&](Block& inner) { drop_covered_fences(inner); });
        const auto* fence = as<FenceAsync>(op);
        if (fence != nullptr && fence->global) {
            std::size_t i = out.size();
            while (i > 0 && is_quiet(out[i - 1])) --i;
            if (i > 0 && as<FenceAsync>(out[i - 1]) != nullptr)
                out.erase(out.begin() + static_cast<std::ptrdiff_t>(i - 1));
        }
        out.push_back(std::move(op));
    }
    block = std::move(out);
}

// The part of a tile that another block fetches is out of this role's hands.
void refuse_multicast(PassContext& context, const Kernel& kernel, const Role& role) {
    walk(role.body, [&](const Op& op) {
        const auto* load = as<TmaLoad>(op);
        if (load == nullptr || load->multicast == Split::none) return;
        if (find_tensor(kernel, load->source.tensor)->mode == Mode::in) return;
        context.diag.error(op.span, msg::not_yet, "`multicast` of a tensor that the kernel writes")
            .help("remove `multicast`");
    });
}

}  // namespace

void fence_global_memory(PassContext& context, Module& module) {
    for (Kernel& kernel : module.kernels) {
        for (Role& role : kernel.roles) {
            refuse_multicast(context, kernel, role);
            const checks::MemoryOrder order = checks::find_memory_order(kernel, role);
            if (!order.complete()) role.body = ordered(role.body, order);
            const std::set<std::string> tensors = stored_in_bulk(kernel, role);
            if (!tensors.empty()) fence_copies(role.body, tensors);
            drop_covered_fences(role.body);
        }
    }
}

}  // namespace tkc::lowering
