// What a role does in global memory happens in the order of its text: nothing that orders it is
// missing in what will be emitted.
#include <fmt/format.h>

#include <algorithm>

#include "checks/check.h"
#include "checks/scheduled/memory_order.h"

namespace tkc::checks {

namespace {

using namespace ir;

// How often each way of ordering occurs, in words.
std::string summary(const std::vector<OrderedPair>& pairs) {
    constexpr const char* words[] = {"by the same threads", "after a barrier of the role",
                                     "after a proxy fence and a barrier",
                                     "after the completion of bulk copies"};
    std::size_t counts[std::size(words)] = {};
    for (const OrderedPair& pair : pairs) {
        ++counts[pair.by.copies ? 3 : pair.by.fence ? 2 : pair.by.barrier ? 1 : 0];
    }
    std::string text;
    for (std::size_t i = 0; i < std::size(words); ++i) {
        if (counts[i] == 0) continue;
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", counts[i], words[i]);
    }
    return fmt::format("pairs of accesses that may conflict: {}", text);
}

}  // namespace

bool check_memory_order(const Kernel& kernel, Diagnostics& diag,
                        std::vector<Obligation>* obligations) {
    bool good = true;
    for (const Role& role : kernel.roles) {
        const MemoryOrder order = find_memory_order(kernel, role);
        for (const Tensor& tensor : kernel.tensors) {
            std::vector<OrderedPair> pairs;
            std::copy_if(order.pairs.begin(), order.pairs.end(), std::back_inserter(pairs),
                         [&](const OrderedPair& pair) { return pair.tensor == tensor.name; });
            if (pairs.empty() || obligations == nullptr) continue;
            obligations->push_back(
                {fmt::format("`{}` keeps its accesses to `{}` in order", role.name, tensor.name),
                 Verdict::proved, pairs[0].later, summary(pairs)});
        }
        if (order.complete()) continue;
        const Op* op = order.before.empty() ? *order.landed.begin() : order.before.begin()->first;
        diag.error(
            op->span, msg::internal_error,
            fmt::format("nothing orders the global memory accesses of role `{}`", role.name));
        good = false;
    }
    return good;
}

}  // namespace tkc::checks
