// Finding the pipelines of which a role takes elements in turn.
#include "lowering/cuda/shared_cursors.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "ir/walk.h"

namespace tkc::cuda {

namespace {

using namespace ir;

using Pairs = std::vector<std::pair<Value, Value>>;  // of elements: the first one's, the second's

bool takes(const Op& op, const std::string& pipeline) {
    const Take* take = as<Take>(op);
    return take != nullptr && take->pipeline == pipeline;
}

bool takes_inside(const Op& op, const std::string& first, const std::string& second) {
    bool found = false;
    for_each_block(op, [&](const ir::Block& block) {
        walk(block, [&](const Op& inner) {
            found = found || takes(inner, first) || takes(inner, second);
        });
    });
    return found;
}

// Adds the pairs of one block; false where elements are not taken in turn.
bool add_pairs(const ir::Block& block, const std::string& first, const std::string& second,
               Pairs& pairs) {
    Value open;
    for (const Op& op : block) {
        if (open && takes_inside(op, first, second)) return false;
        if (takes(op, first)) {
            if (open) return false;
            open = as<Take>(op)->result;
        } else if (takes(op, second)) {
            if (!open) return false;
            pairs.emplace_back(open, as<Take>(op)->result);
            open = {};
        }
    }
    return !open;
}

std::optional<Pairs> in_turn(const Role& role, const std::string& first,
                             const std::string& second) {
    Pairs pairs;
    bool good = true;
    for (const ir::Block* body : {&role.body, &role.finish}) {
        good = good && add_pairs(*body, first, second, pairs);
        walk(*body, [&](const Op& op) {
            for_each_block(op, [&](const ir::Block& inner) {
                good = good && add_pairs(inner, first, second, pairs);
            });
        });
    }
    if (!good || pairs.empty()) return std::nullopt;
    return pairs;
}

}  // namespace

SharedCursors share_cursors(const Kernel& kernel, const Role& role) {
    SharedCursors shared;
    std::vector<std::string> leaders;
    std::set<std::string> seen;
    walk_only<Take>(role.body, [&](const Take& take) {
        if (!seen.insert(take.pipeline).second) return;
        const std::int64_t stages = find_pipeline(kernel, take.pipeline)->stages;
        for (const std::string& leader : leaders) {
            if (find_pipeline(kernel, leader)->stages != stages) continue;
            const std::optional<Pairs> pairs = in_turn(role, leader, take.pipeline);
            if (!pairs) continue;
            for (const auto& [first, second] : *pairs) shared.leaders.emplace(second.id, first);
            shared.followers.insert(take.pipeline);
            return;
        }
        leaders.push_back(take.pipeline);
    });
    return shared;
}

}  // namespace tkc::cuda
