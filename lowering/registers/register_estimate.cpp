// Live ranges of register tiles, counted in registers per thread.
#include "lowering/registers/register_estimate.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "ir/layout.h"
#include "ir/walk.h"
#include "lowering/registers/live_values.h"
#include "tiles/tile_function.h"

namespace tkc::lowering {

using namespace ir;

std::int64_t registers_of(const Role& role, Value value) {
    const auto* tile = std::get_if<TileType>(&role[value].type);
    if (tile == nullptr || tile->space != Space::registers) return 0;
    // Narrow floats share registers, as do narrow numbers of warpgroups; 8-bit cells that lie in
    // twos, as next to products, do so in twos. A bool has a register.
    const Layout layout = layout_of(role, value);
    const bool in_twos = is_8_bit_number(tile->dtype) && vector_of(layout) == 2;
    const bool alone = is_boolean(tile->dtype) || (role.unit == Unit::warp && !in_twos);
    const std::int64_t whole = alone && !is_narrow_real(tile->dtype) ? 4 : 0;
    const std::int64_t least = alone ? 1 : 2;
    const std::int64_t cell = std::max<std::int64_t>({bytes(tile->dtype), whole, least});
    return (cells_of_thread(layout) * cell + 3) / 4;
}

namespace {

// Goes backwards through a role with the set of values that are read later, and keeps the most
// registers that they take at once.
class Pressure {
public:
    Pressure(const Role& role, bool with_functions, const LiveValues* held = nullptr,
             bool with_addresses = false)
        : role_(role),
          uses_(uses_of(role.body, role.values.size())),
          with_functions_(with_functions),
          with_addresses_(with_addresses),
          held_(held) {
        for (std::uint32_t id = 0; id < role.values.size(); ++id)
            sizes_.push_back(registers_of(role, Value{id}));
        // What nvcc holds was measured with what nothing reads.
        if (held != nullptr) sizes_ = held->registers();
        else leave_out_unread();
        look_for_passing(role.body);
        before(role.body, {std::vector<bool>(sizes_.size()), 0});
    }
    std::int64_t most() const { return most_; }
    // Where tiles are loaded or stored.
    std::int64_t most_at_accesses() const { return most_at_accesses_; }

private:
    // By value, and the registers of all of them.
    struct Live {
        std::vector<bool> values;
        std::int64_t registers = 0;
    };

    void set(Live& live, std::uint32_t value, bool lives) const {
        if (live.values[value] == lives) return;
        live.values[value] = lives;
        live.registers += lives ? sizes_[value] : -sizes_[value];
    }
    void join(Live& into, const Live& other) const {
        for (std::uint32_t i = 0; i < into.values.size(); ++i) {
            if (other.values[i]) set(into, i, true);
        }
    }
    void note(const Live& live, std::int64_t beside, bool access) {
        const std::int64_t sum = beside + live.registers;
        most_ = std::max(most_, sum);
        if (access) most_at_accesses_ = std::max(most_at_accesses_, sum);
    }

    // nvcc leaves out what nothing reads, and what that alone is made of; but no product.
    void leave_out_unread() {
        std::vector<bool> needed(role_.values.size());
        bool grown = true;
        const auto need = [&](Value v) {
            if (!v || needed[v.id]) return;
            needed[v.id] = true;
            grown = true;
        };
        while (std::exchange(grown, false)) {
            walk(role_.body, [&](const Op& op) {
                bool makes = false;
                bool kept = as<Mma>(op) != nullptr;
                for_each_result(op, [&](Value v) {
                    makes = makes || v;
                    kept = kept || (v && needed[v.id]);
                });
                if (makes && !kept) return;
                for_each_result(op, need);
                for_each_operand(op, need);
            });
        }
        for (std::size_t id = 0; id < needed.size(); ++id)
            if (!needed[id]) sizes_[id] = 0;
    }

    // Rows and columns that arithmetic takes straight from shared memory: ptxas reads a few of
    // their cells at a time.
    void look_for_passing(const Block& block) {
        for (std::size_t i = 0; i < block.size(); ++i) {
            for_each_block(block[i], [&](const Block& inner) { look_for_passing(inner); });
            const ReadShared* read = as<ReadShared>(block[i]);
            if (read == nullptr) continue;
            const TileType& tile = role_.tile(read->result);
            if (tile.rows != 1 && tile.cols != 1) continue;
            std::int64_t& size = sizes_[read->result.id];
            if (read->in_place) size = std::min<std::int64_t>(size, passing_cells);
            std::size_t next = i + 1;
            while (next < block.size() &&
                   (as<ReadShared>(block[next]) != nullptr || as<Wait>(block[next]) != nullptr ||
                    as<Release>(block[next]) != nullptr))
                ++next;
            const Uses& uses = uses_[read->result.id];
            if (next == block.size() || uses.writes != 1) continue;
            if (readers_in(block[next], read->result) != uses.reads) continue;
            size = std::min<std::int64_t>(size, passing_cells);
        }
    }

    static std::size_t readers_in(const Op& op, Value v) {
        std::size_t count = reads(op, v) ? 1 : 0;
        for_each_block(op, [&](const Block& inner) { count += reads_of(inner, v).size(); });
        return count;
    }

    Live before(const Block& block, Live live) {
        const std::vector<const Op*> order = order_of(block);
        for (auto op = order.rbegin(); op != order.rend(); ++op)
            live = before(**op, std::move(live));
        return live;
    }

    // Nothing waits for a store, which may be under a condition: ptxas lets what else its phase
    // computes go before it, the sum that ends the phase, too, and then holds it next to what is
    // stored (`add_layernorm`: 32 f32 cells, and the 16 registers that they were rounded to).
    std::vector<const Op*> order_of(const Block& block) const {
        std::vector<const Op*> order;
        std::vector<const Op*> stores;
        const auto put_stores = [&] {
            order.insert(order.end(), stores.begin(), stores.end());
            stores.clear();
        };
        for (const Op& op : block) {
            if (held_ != nullptr && as<StoreCells>(op) != nullptr) {
                stores.push_back(&op);
                continue;
            }
            bool inner = false;
            for_each_block(op, [&](const Block&) { inner = true; });
            if (inner) put_stores();
            order.push_back(&op);
            if (as<Apply>(op) != nullptr) put_stores();
        }
        put_stores();
        return order;
    }

    Live before(const Op& op, Live live) {
        if (const For* loop = as<For>(op)) {
            // What a step reads first, the step before leaves after; or what was before the loop.
            Live again = live;
            for (int i = 0; i < 2; ++i) join(again, before(loop->body, again));
            return again;
        }
        if (const If* branch = as<If>(op)) {
            Live either = before(branch->then_body, live);
            join(either, before(branch->else_body, std::move(live)));
            return either;
        }
        std::int64_t beside = 0;
        if (const Apply* apply = as<Apply>(op); apply != nullptr && with_functions_)
            beside = rules_of(*apply).needs(*apply, role_).registers;
        if (const Mma* mma = as<Mma>(op); mma != nullptr && mma->synchronous && with_functions_)
            beside = operand_registers(*mma);
        const bool access = as<LoadCells>(op) != nullptr || as<StoreCells>(op) != nullptr;
        if (with_addresses_) beside += address_registers(op);
        // A result takes the place of an operand that dies with the operation.
        const std::vector<std::uint32_t> results = results_of(op);
        for (const std::uint32_t v : results) {
            if (v < role_.values.size()) set(live, v, true);
        }
        note(live, beside, access);
        for (const std::uint32_t v : results) set(live, v, false);
        for (const std::uint32_t v : operands_of(op)) set(live, v, true);
        note(live, beside, access);
        return live;
    }

    std::vector<std::uint32_t> results_of(const Op& op) const {
        if (held_ != nullptr) return held_->results(op);
        std::vector<std::uint32_t> all;
        for_each_result(op, [&](Value v) {
            if (v) all.push_back(v.id);
        });
        return all;
    }
    std::vector<std::uint32_t> operands_of(const Op& op) const {
        if (held_ != nullptr) return held_->operands(op);
        std::vector<std::uint32_t> all;
        for_each_result(op, [&](Value v) {
            if (v && reads(op, v)) all.push_back(v.id);
        });
        for_each_operand(op, [&](Value v) { all.push_back(v.id); });
        return all;
    }

    // nvcc computes the places of a thread's columns once for all its rows.
    std::int64_t address_registers(const Op& op) const {
        const LoadCells* load = as<LoadCells>(op);
        const StoreCells* store = as<StoreCells>(op);
        if ((load == nullptr || load->vectors) && (store == nullptr || store->vectors)) return 0;
        const Layout layout = layout_of(role_, load != nullptr ? load->result : store->source);
        std::int64_t columns = 1;
        for (const LayoutMode& mode : layout.registers)
            columns *= mode.axis == Axis::col ? mode.extent : 1;
        return columns;
    }

    // Of the fragments of both operands, each twice (runtime/tk/operations/mma_sync.cuh): 4 for 16
    // rows of `a`, 2 for 8 columns of `b`, of which at most 64 are held, 32 of tf32. What of tf32
    // lies across the shared extent is read by loads of 4 bytes, two for 8 rows or columns, with an
    // address each.
    std::int64_t operand_registers(const Mma& mma) const {
        const TileType& result = role_.tile(mma.result);
        const auto warps = warp_grid_of(role_[mma.result].layout, result.rows, result.cols);
        if (!warps) return 0;
        const std::int64_t rows = result.rows / warps->rows;
        const std::int64_t cols = result.cols / warps->cols;
        const std::int64_t held = std::min<std::int64_t>(cols, mma.tf32 ? 32 : 64);
        const std::int64_t addresses =
            (mma.a_transposed ? rows / 4 : 0) + (mma.b_transposed ? 0 : cols / 4);
        return 2 * (4 * rows / 16 + 2 * held / 8) + (mma.tf32 ? addresses : 0);
    }

    static constexpr std::int64_t passing_cells = 4;

    const Role& role_;
    const std::vector<Uses> uses_;
    bool with_functions_;
    bool with_addresses_;
    const LiveValues* held_;
    std::vector<std::int64_t> sizes_;  // by value
    std::int64_t most_ = 0;
    std::int64_t most_at_accesses_ = 0;
};

}  // namespace

std::int64_t tile_registers(const Role& role) { return Pressure(role, false).most(); }

std::int64_t live_registers(const Role& role) { return Pressure(role, true).most(); }

std::int64_t addressed_registers(const Role& role) {
    return Pressure(role, false, nullptr, role.unit == Unit::warpgroup).most();
}

NvccRegisters nvcc_registers(const Role& role, bool open) {
    const LiveValues held(role, open);
    const Pressure pressure(role, true, &held);
    return {pressure.most(), pressure.most_at_accesses()};
}

}  // namespace tkc::lowering
