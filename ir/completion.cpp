// Which operations are asynchronous, and what they keep busy until they complete.
#include "ir/completion.h"

#include "ir/module.h"
#include "ir/reflect.h"

namespace tkc::ir {

std::span<const Channel> channels_of(const Op& op) {
    static constexpr std::array products{Channel::products};
    static constexpr std::array stores{Channel::store_reads, Channel::store_writes};
    if (const Mma* mma = as<Mma>(op); mma != nullptr && !mma->synchronous) return products;
    // A copy_store closes a group without a store.
    if (as<TmaStore>(op) != nullptr || as<CopyStore>(op) != nullptr) return stores;
    return {};
}

std::optional<InFlight> in_flight(const Role& role, const Op& op) {
    const Mma* mma = as<Mma>(op);
    if (mma == nullptr || mma->synchronous) return std::nullopt;
    InFlight busy{mma->result, {}, {mma->b}};
    if (role.tile(mma->a).space == Space::registers) {
        busy.register_operand = mma->a;
    } else {
        busy.shared.push_back(mma->a);
    }
    return busy;
}

std::optional<BarrierWait> barrier_wait(const Op& op) {
    if (const auto* acquire = as<Acquire>(op)) {
        return BarrierWait{acquire->pipeline, false, acquire->elected, false};
    }
    if (const auto* take = as<Take>(op)) return BarrierWait{take->pipeline, true, false, false};
    if (const auto* copies = as<AwaitCopies>(op)) {
        return BarrierWait{copies->pipeline, true, true, true};
    }
    return std::nullopt;
}

}  // namespace tkc::ir
