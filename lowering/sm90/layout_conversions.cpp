// mma.sync leaves its results so that an access of a warp touches 8 rows, 8 columns of each
// (ir/layout.h, warp_fragment_layout): of 16-bit cells 16 bytes a row, half a sector. Stripes touch
// whole lines. On an H100, 1,000 products of 64 x 64 x 64 in tiles of 32 x 64 took 9.7 us with
// stores from the layout of products, and 6.2 us with stores from stripes (bench/warps.py).
#include "lowering/sm90/layout_conversions.h"

#include "ir/walk.h"

namespace tkc::lowering {

namespace {

using namespace ir;

constexpr std::int64_t line = 128;           // bytes, of memory and of the banks of shared memory
constexpr std::int64_t barrier_cycles = 40;  // of the role

std::int64_t lines_of(std::int64_t bytes) { return (bytes + line - 1) / line; }

// Cycles in which the accesses of all warps pass: one for each line that one of them touches.
std::int64_t direct_cycles(const TileType& tile) {
    constexpr std::int64_t width = 8;  // columns that an access touches of a row
    return tile.rows * ((tile.cols + width - 1) / width);
}

// Whole rows, and all cells into shared memory and out of it.
std::int64_t converted_cycles(const TileType& tile) {
    const std::int64_t row = tile.cols * bytes(tile.dtype);
    return tile.rows * lines_of(row) + 2 * lines_of(tile.rows * row) + 2 * barrier_cycles;
}

bool pays(const TileType& tile) {
    // Whole vectors of 16 bytes, which is what stripes are for.
    return tile.rows > 1 && tile.cols * bytes(tile.dtype) % 16 == 0 &&
           converted_cycles(tile) < direct_cycles(tile);
}

}  // namespace

bool passes_through(const Role& role, Value v) {
    bool loaded = false;
    bool shared = false;
    bool other = false;
    walk(role.body, [&](const Op& op) {
        if (const Load* load = as<Load>(op); load != nullptr && load->result == v) loaded = true;
        else if (const Share* share = as<Share>(op); share != nullptr && share->source == v)
            shared = true;
        else other = other || (reads(op, v) || writes(op, v));
    });
    return loaded && shared && !other;
}

std::vector<Value> convert_accesses(const Kernel& kernel, Role& role) {
    std::vector<Value> made;
    // General variants access single cells, of which stripes touch no fewer lines.
    if (!kernel.general_of.empty()) return made;
    const auto next_to_memory = [&](Value v) {
        TileType type = role.tile(v);
        const Value other = add_value(role, role[v].name + "_rows", type);
        made.push_back(other);
        return other;
    };
    rebuild(role.body, [&](Op op, Block& out) {
        Load* load = as<Load>(op);
        Store* store = as<Store>(op);
        const Span span = op.span;
        if (store != nullptr && role.tile(store->source).space == Space::registers &&
            pays(role.tile(store->source))) {
            const Value rows = next_to_memory(store->source);
            out.push_back(at(span, Apply{TileFunction::convert_layout, rows, store->source, 1, 0}));
            store->source = rows;
            out.push_back(std::move(op));
        } else if (load != nullptr && role.tile(load->result).space == Space::registers &&
                   pays(role.tile(load->result)) && !passes_through(role, load->result)) {
            const Value tile = load->result;
            const Value rows = next_to_memory(tile);
            load->result = rows;
            out.push_back(std::move(op));
            out.push_back(at(span, Apply{TileFunction::convert_layout, tile, rows, 1, 0}));
        } else {
            out.push_back(std::move(op));
        }
    });
    return made;
}

}  // namespace tkc::lowering
