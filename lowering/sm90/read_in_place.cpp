// Reads long rows of stages where arithmetic needs their cells, instead of into registers first:
//
//     t0 = read_shared s.l                             t0 = read_shared s.l in_place
//     p = map exp2(#0 - #1) [x, t0]     becomes        p = map exp2(#0 - #1) [x, t0]
//
// A thread of a warpgroup holds a quarter of a row next to a fragment: 32 registers for 128
// columns, as many as a tile of 64 columns. Shorter rows are better read at once, because their
// cells then wait for shared memory together. Nothing between the read and the map may change the
// row.
#include "ir/layout.h"
#include "ir/walk.h"
#include "lowering/passes.h"

namespace tkc::lowering {

namespace {

using namespace ir;

constexpr std::int64_t long_row = 128;  // columns; measured with 64 and 128 (decision 35)

bool is_long_row(const Role& role, const ReadShared& read) {
    const TileType& tile = role.tile(read.result);
    return tile.rows == 1 && tile.cols >= long_row && bits_of(tile.dtype) == 32 &&
           !divided_axis(role, read.result);
}

// Whether nothing but `op` reads what the read gives.
bool only_read_by(const Role& role, const Op& op, Value v) {
    return as<Map>(op) != nullptr && reads(op, v) && reads_of(role.body, v).size() == 1 &&
           writes_of(role.body, v).size() == 1;
}

void mark(const Role& role, Block& block) {
    for (std::size_t i = 0; i < block.size(); ++i) {
        ReadShared* read = as<ReadShared>(block[i]);
        if (read == nullptr || !is_long_row(role, *read)) continue;
        std::size_t next = i + 1;
        while (next < block.size() && as<ReadShared>(block[next]) != nullptr) ++next;
        read->in_place = next < block.size() && only_read_by(role, block[next], read->result);
    }
}

}  // namespace

void read_in_place(PassContext&, Module& module) {
    for (Kernel& kernel : module.kernels) {
        for (Role& role : kernel.roles) {
            if (role.unit != Unit::warpgroup) continue;
            walk_blocks(role.body, [&](Block& block) { mark(role, block); });
        }
    }
}

}  // namespace tkc::lowering
