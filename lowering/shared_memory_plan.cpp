// Shared-memory buffers and tensor maps of a kernel.
#include "lowering/shared_memory_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "ir/swizzle.h"
#include "ir/walk.h"
#include "lowering/transfer.h"
#include "lowering/vector_access.h"
#include "tiles/through_shared.h"

namespace tkc::lowering {

namespace {

using namespace ir;

constexpr std::int64_t alignment = 1024;  // the largest of a tile

std::int64_t round_up(std::int64_t x, std::int64_t to) { return (x + to - 1) / to * to; }

std::int64_t tile_bytes(const TileType& t) { return t.rows * t.cols * bytes(t.dtype); }

std::int64_t end_of(const Buffer& b) { return b.offset + b.copies * pitch_of(b.type); }

std::int64_t end_of_buffers(const Kernel& kernel) {
    std::int64_t end = 0;
    for (const Buffer& b : kernel.buffers) end = std::max(end, end_of(b));
    return end;
}

// What a launcher calls the kernel's arguments.
std::set<std::string> launch_names(const Kernel& kernel) {
    std::set<std::string> names;
    for (const Tensor& t : kernel.tensors) {
        names.insert(t.name);
        for (const Scalar& extent : t.extents) names.merge(symbols_of(extent));
    }
    for (const Parameter& p : kernel.parameters) names.insert(p.name);
    return names;
}

}  // namespace

void add_buffer(Kernel& kernel, std::string name, std::string purpose, const TileType& type,
                std::int64_t copies) {
    const std::int64_t offset = round_up(end_of_buffers(kernel), alignment_of(type));
    Buffer buffer{std::move(name), std::move(purpose), type, copies, offset, {}, false};
    buffer.type.space = Space::shared;
    kernel.buffers.push_back(std::move(buffer));
}

void add_buffer_over(Kernel& kernel, std::string name, std::string purpose, const TileType& type,
                     const std::string& base) {
    const Buffer& held = *find_buffer(kernel, base);
    const std::int64_t copies = tile_bytes(held.type) / tile_bytes(type);
    Buffer buffer{std::move(name), std::move(purpose), type, copies, held.offset, base, false};
    buffer.type.space = Space::shared;
    kernel.buffers.push_back(std::move(buffer));
}

std::int64_t buffer_bytes(const Kernel& kernel) {
    return round_up(end_of_buffers(kernel), alignment);
}

std::int64_t barrier_bytes(const Kernel& kernel) {
    std::int64_t barriers = 0;
    for (const Pipeline& p : kernel.pipelines) barriers += bytes_of_barriers(p);
    return barriers + program_queue_bytes(kernel);
}

void settle_shared_memory(Kernel& kernel) {
    kernel.barrier_offset = buffer_bytes(kernel);
    kernel.shared_bytes = kernel.barrier_offset + barrier_bytes(kernel);
}

std::int64_t bytes_left(const Kernel& kernel) {
    return target_of(kernel).limits.shared_of_block - buffer_bytes(kernel) - barrier_bytes(kernel);
}

std::string words_for(const ir::Kernel& kernel) {
    if (kernel.general_of.empty()) return "kernel `" + kernel.name + "`";
    return "the general version of kernel `" + kernel.general_of +
           "`, for operands that TMA cannot move,";
}

std::int64_t block_threads(const Kernel& kernel) {
    std::int64_t warps = 0;
    for (const Role& role : kernel.roles) warps = std::max(warps, role.end_warp());
    // wgmma and setmaxnreg count in warpgroups.
    const bool groups = std::any_of(kernel.roles.begin(), kernel.roles.end(),
                                    [](const Role& role) { return role.unit == Unit::warpgroup; });
    if (groups) warps = (warps + warps_of_warpgroup - 1) / warps_of_warpgroup * warps_of_warpgroup;
    return lanes_of_warp * warps;
}

std::string capacity_text(const Kernel& kernel) {
    std::int64_t warps = 0;
    std::int64_t barriers = 1;
    for (const Role& role : kernel.roles) {
        warps = std::max(warps, role.end_warp());
        if (role.first_barrier != 0)
            barriers = std::max(barriers, role.first_barrier + role.role_barriers());
        if (role.first_order_barrier != 0)
            barriers = std::max(barriers, role.first_order_barrier + role.ordered_groups());
    }
    const TargetLimits& limits = target_of(kernel).limits;
    const std::int64_t groups = (warps + warps_of_warpgroup - 1) / warps_of_warpgroup;
    std::int64_t registers = 0;  // a lane, of all warpgroups
    for (std::int64_t group = 0; group < groups; ++group) {
        std::int64_t has = 0;
        for (const Role& role : kernel.roles) {
            const bool inside = role.first_warp < warps_of_warpgroup * (group + 1) &&
                                role.end_warp() > warps_of_warpgroup * group;
            if (inside) has = std::max(has, role.registers);
        }
        registers += has != 0 ? has : kernel.entry_registers;
    }
    return fmt::format(
        "{} of {} threads, {} of {} named barriers, {} of {} registers per lane, {} of {} B of "
        "shared memory",
        block_threads(kernel), limits.threads_of_block, barriers, limits.barriers_of_block,
        registers, kernel.entry_registers * groups, buffer_bytes(kernel) + barrier_bytes(kernel),
        limits.shared_of_block);
}

std::string memory_table(const Kernel& kernel) {
    std::string text;
    for (const Buffer& b : kernel.buffers) {
        if (!b.over.empty()) continue;  // it takes no memory of its own
        const std::int64_t size = end_of(b) - b.offset;
        const std::int64_t own = tile_bytes(b.type);
        // Such a buffer is typed as words, whatever the cells of the tiles are that pass through
        // it.
        const std::string type = holds_words(b) ? std::string("words")
                                                : fmt::format("{}[{}, {}]", name(b.type.dtype),
                                                              b.type.rows, b.type.cols);
        text += fmt::format("{:>9} B  {} x {}: {}", size, b.copies, type, b.purpose);
        if (own % alignment_of(b.type) != 0)
            text +=
                fmt::format(" ({} B, rounded up to multiples of {})", own, alignment_of(b.type));
        text += "\n";
    }
    const std::size_t pipelines = kernel.pipelines.size();
    text += fmt::format("{:>9} B  barriers of {} pipeline{}\n", barrier_bytes(kernel), pipelines,
                        pipelines == 1 ? "" : "s");
    return text + fmt::format("{:>9} B  of {} that a block can have",
                              buffer_bytes(kernel) + barrier_bytes(kernel),
                              target_of(kernel).limits.shared_of_block);
}

std::string tensor_map_for(Kernel& kernel, const Slice& slice, const TileType& tile, bool clipped) {
    const bool row = tile.rows == 1 || tile.cols == 1;  // a column lies like one
    TensorMap map{slice.tensor + (clipped ? "_view_map" : "_map"),
                  slice.tensor,
                  {},
                  row ? 0 : swizzle_of(tile)};
    for (std::size_t axis = 0; clipped && map.view_axis < 0; ++axis) {
        if (slice.ranges[axis].kind != Range::Kind::index)
            map.view_axis = static_cast<std::int64_t>(axis);
    }
    bool first = true;
    for (const Range& r : slice.ranges) {
        const bool last = &r == &slice.ranges.back();
        if (r.kind == Range::Kind::index) {
            map.box.push_back(1);
        } else if (row) {
            map.box.push_back(last ? tile.rows * tile.cols : 1);
        } else {
            const std::int64_t most = target_of(kernel).limits.box_extent;
            map.box.push_back(first ? box_rows(tile, most) : panel_columns(tile));
            first = false;
        }
    }
    return tensor_map_for(kernel, std::move(map));
}

std::string tensor_map_for(Kernel& kernel, TensorMap map) {
    std::set<std::string> taken = launch_names(kernel);
    for (const TensorMap& m : kernel.maps) {
        const bool same = m.tensor == map.tensor && m.box == map.box && m.swizzle == map.swizzle &&
                          m.tf32 == map.tf32 && m.view_axis == map.view_axis;
        if (same) return m.name;
        taken.insert(m.name);
    }
    const std::string wanted = map.name;
    for (int i = 2; taken.count(map.name) != 0; ++i) map.name = fmt::format("{}_{}", wanted, i);
    kernel.maps.push_back(map);
    return map.name;
}

}  // namespace tkc::lowering
