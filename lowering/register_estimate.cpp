// Live ranges of register tiles, counted in registers a thread.
#include "lowering/register_estimate.h"

#include <algorithm>
#include <vector>

#include "ir/walk.h"

namespace tkc::lowering {

using namespace ir;

std::int64_t registers_of(const Role& role, const ValueInfo& value) {
    const auto* tile = std::get_if<TileType>(&value.type);
    if (tile == nullptr || tile->space != Space::registers) return 0;
    if (value.split == Split::stripes) {
        const std::int64_t groups = role.stripe_threads() / role.row_lanes;
        const std::int64_t held = (tile->rows + groups - 1) / groups;  // rows of a thread
        const std::int64_t share = role.row_lanes * role.row_vector;
        const std::int64_t cells =
            tile->cols == 1 ? 1 : (tile->cols + share - 1) / share * role.row_vector;
        return (held * cells * (is_narrow_real(tile->dtype) ? bytes(tile->dtype) : 4) + 3) / 4;
    }
    // A lane holds a cell of every 8 rows of its warpgroup's part of a column, and two of every 8
    // columns of a row, 4 bytes each.
    if (tile->cols == 1) return tile->rows / (32 * std::max<std::int64_t>(role.warpgroups(), 1));
    if (tile->rows == 1) return tile->cols / 4;
    return tile->rows * tile->cols * std::max(bytes(tile->dtype), 2) / 4 / (32 * role.warps());
}

namespace {

// Goes backwards through a role with the set of values that are read later, and keeps the most
// registers that they take at once.
class Pressure {
public:
    explicit Pressure(const Role& role) : role_(role) {
        for (const ValueInfo& value : role.values) sizes_.push_back(registers_of(role, value));
        before(role.body, std::vector<bool>(role.values.size()));
    }
    std::int64_t most() const { return most_; }

private:
    using Live = std::vector<bool>;

    static void join(Live& into, const Live& other) {
        for (std::size_t i = 0; i < into.size(); ++i) into[i] = into[i] || other[i];
    }
    void note(const Live& live) {
        std::int64_t sum = 0;
        for (std::size_t i = 0; i < live.size(); ++i) sum += live[i] ? sizes_[i] : 0;
        most_ = std::max(most_, sum);
    }

    Live before(const Block& block, Live live) {
        for (auto op = block.rbegin(); op != block.rend(); ++op)
            live = before(*op, std::move(live));
        return live;
    }

    Live before(const Op& op, Live live) {
        if (const For* loop = as<For>(op)) {
            // What a step reads first, the step before leaves behind; or what was before the loop.
            Live again = live;
            for (int i = 0; i < 2; ++i) join(again, before(loop->body, again));
            return again;
        }
        if (const If* branch = as<If>(op)) {
            Live either = before(branch->then_body, live);
            join(either, before(branch->else_body, std::move(live)));
            return either;
        }
        // A result takes the place of an operand that dies with the operation.
        for_each_result(op, [&](Value v) {
            if (v) live[v.id] = true;
        });
        note(live);
        for_each_result(op, [&](Value v) {
            if (v) live[v.id] = reads(op, v);
        });
        for_each_operand(op, [&](Value v) { live[v.id] = true; });
        note(live);
        return live;
    }

    const Role& role_;
    std::vector<std::int64_t> sizes_;  // by value
    std::int64_t most_ = 0;
};

}  // namespace

std::int64_t tile_registers(const Role& role) { return Pressure(role).most(); }

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
