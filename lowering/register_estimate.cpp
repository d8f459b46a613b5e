// Live ranges of register tiles, counted in registers a thread.
#include "lowering/register_estimate.h"

#include <algorithm>
#include <vector>

#include "ir/walk.h"

namespace tkc::lowering {

namespace {

using namespace ir;

struct Range {
    std::int64_t first = -1;
    std::int64_t last = -1;
};

/// First and last operation that touch each value, operations numbered in the order written. What a
/// loop touches and was there before it lives to the loop's end, where the next step begins.
class Liveness {
public:
    explicit Liveness(const Role& role) : ranges_(role.values.size()) { number(role.body); }

    const std::vector<Range>& ranges() const { return ranges_; }
    std::int64_t operations() const { return next_; }

private:
    void touch(Value v, std::int64_t place) {
        Range& r = ranges_[v.id];
        if (r.first < 0) r.first = place;
        r.last = std::max(r.last, place);
    }

    void number(const Block& block) {
        for (const Op& op : block) {
            const std::int64_t place = next_++;
            for_each_value(op, [&](Value v) {
                if (v) touch(v, place);
            });
            for_each_block(op, [&](const Block& inner) { number(inner); });
            if (as<For>(op) != nullptr) {
                for (Range& r : ranges_) {
                    if (r.first >= 0 && r.first < place && r.last > place) r.last = next_;
                }
            }
        }
    }

    std::vector<Range> ranges_;
    std::int64_t next_ = 0;
};

std::int64_t registers_of(const Role& role, const ValueInfo& value) {
    const auto* tile = std::get_if<TileType>(&value.type);
    if (tile == nullptr || tile->space != Space::registers) return 0;
    return tile->rows * tile->cols * std::max(bytes(tile->dtype), 2) / 4 / (32 * role.warps());
}

}  // namespace

std::int64_t tile_registers(const Role& role) {
    const Liveness liveness(role);
    std::int64_t most = 0;
    for (std::int64_t place = 0; place < liveness.operations(); ++place) {
        // A result takes the place of an operand that dies with the operation.
        std::int64_t before = 0;
        std::int64_t after = 0;
        for (std::size_t i = 0; i < role.values.size(); ++i) {
            const Range& r = liveness.ranges()[i];
            const std::int64_t size = registers_of(role, role.values[i]);
            if (r.first < place && place <= r.last) before += size;
            if (r.first >= 0 && r.first <= place && place < r.last) after += size;
        }
        most = std::max({most, before, after});
    }
    return most;
}

std::int64_t other_registers(const Kernel& kernel, const Role& role) {
    std::int64_t pipelines = 0;
    for (const Pipeline& p : kernel.pipelines) {
        bool used = false;
        walk(role.body, [&](const Op& op) {
            const Take* take = as<Take>(op);
            const Acquire* acquire = as<Acquire>(op);
            used = used || (take != nullptr && take->pipeline == p.name) ||
                   (acquire != nullptr && acquire->pipeline == p.name);
        });
        pipelines += used ? 1 : 0;
    }
    return 24 + 2 * pipelines;
}

}  // namespace tkc::lowering
