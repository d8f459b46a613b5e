// Ways to operations, by the blocks that they are in.
#include "ir/ways.h"

#include <algorithm>

#include "ir/reflect.h"

namespace tkc::ir {

Way way_to(const Block& block, const Op* op) {
    for (std::size_t i = 0; i < block.size(); ++i) {
        Way way{{&block, i}};
        if (&block[i] == op) return way;
        for_each_block(block[i], [&](const Block& inner) {
            if (way.size() > 1) return;
            const Way rest = way_to(inner, op);
            way.insert(way.end(), rest.begin(), rest.end());
        });
        if (way.size() > 1) return way;
    }
    return {};
}

bool can_follow(const Way& first, const Way& then) {
    for (std::size_t depth = 0; depth < std::min(first.size(), then.size()); ++depth) {
        if (first[depth].block != then[depth].block) return false;  // two branches
        if (first[depth].place != then[depth].place) return first[depth].place < then[depth].place;
        if (as<For>(first[depth].op()) != nullptr) return true;
    }
    return false;
}

bool surely_runs(const Op& op) {
    const auto* loop = as<For>(op);
    std::int64_t begin = 0;
    std::int64_t end = 0;
    return loop != nullptr && is_constant(loop->begin, &begin) && is_constant(loop->end, &end) &&
           begin < end;
}

}  // namespace tkc::ir
