// The plan of a kernel, kept by several passes: shared-memory buffers and tensor maps.
#pragma once

#include <string>

#include "base/diagnose.h"
#include "ir/module.h"

namespace tkc::lowering {

// Adds a buffer after those that are there, at the next multiple of what the tile's swizzle asks
// for (ir/swizzle.h).
void add_buffer(ir::Kernel& kernel, std::string name, std::string purpose, const ir::TileType& type,
                std::int64_t copies);

// Adds a buffer over the stages of `base`, whose panels are as wide as `type`: in each stage its
// copies lie down the first panel, then down the next.
void add_buffer_over(ir::Kernel& kernel, std::string name, std::string purpose,
                     const ir::TileType& type, const std::string& base);

// The kernel in a message: its author knows no name for the general variant.
std::string words_for(const ir::Kernel& kernel);

// Bytes that the buffers take so far, up to where any tile may follow, and those that the
// pipelines' barriers will take.
std::int64_t buffer_bytes(const ir::Kernel& kernel);
std::int64_t barrier_bytes(const ir::Kernel& kernel);

// Puts the barriers after the buffers that there are.
void settle_shared_memory(ir::Kernel& kernel);

// What is left of a CTA's shared memory for further buffers.
std::int64_t bytes_left(const ir::Kernel& kernel);

// Who takes what, a line each: for messages and `tkc explain`.
std::string memory_table(const ir::Kernel& kernel);

// Threads of a block of a planned kernel.
std::int64_t block_threads(const ir::Kernel& kernel);

// What a planned kernel takes of a block, next to what there is: for `tkc explain`.
std::string capacity_text(const ir::Kernel& kernel);

// The tensor map whose box is one panel of `tile`'s rows, for slices of the shape of `slice`; made
// if there is none. `clipped`: of views, whose rows end where these do.
std::string tensor_map_for(ir::Kernel& kernel, const ir::Slice& slice, const ir::TileType& tile,
                           bool clipped = false);
// The map that is like this one, under its name or one like it; made if there is none.
std::string tensor_map_for(ir::Kernel& kernel, ir::TensorMap map);

}  // namespace tkc::lowering
