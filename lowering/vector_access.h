// Which loads and stores of a role of warps can move 16 bytes at a time.
#pragma once

#include "ir/module.h"

namespace tkc::lowering {

// Bytes of a lane's widest load or store.
inline constexpr std::int64_t widest_access = 16;

// Whether the cells of each of the tile's rows lie side by side from a multiple of 16 bytes on, if
// the tensor's rows and its address do: what the launcher then looks at.
bool has_vectors(const ir::Kernel& kernel, const ir::Role& role, const ir::Slice& slice,
                 const ir::TileType& tile);

// Whether lanes can copy the field of a stage in 16-byte units that complete separately: of rows
// that a list chooses, which TMA cannot, and of a tensor that nobody writes meanwhile.
bool has_copies(const ir::Kernel& kernel, const ir::Role& role, const ir::Slice& slice,
                const ir::TileType& tile);

// Whether each row of the slice begins at a multiple of 16 bytes from the begin of the tensor's.
bool starts_aligned(const ir::Kernel& kernel, const ir::Role& role, const ir::Slice& slice,
                    Dtype dtype);

// Whether the rows of a dense matrix begin at multiples of 16 bytes, whatever its extents are.
bool has_aligned_rows(const ir::Kernel& kernel, const ir::Tensor& tensor);

// Neighboring cells that a thread of a role of warps moves at once, at most; 0: it holds no tiles.
std::int64_t vector_of(const ir::Role& role);

// Whether rows of a tensor, of `extent` elements, end with a vector of the role: constants tell,
// or the launcher asks (derive-contract), which it does of the rows of matrices.
bool ends_with_vector(const ir::Kernel& kernel, const ir::Role& role, const ir::Scalar& extent);

// Whether every vector of the role's tiles lies in the slice with all its cells or with none.
bool has_whole_vectors(const ir::Kernel& kernel, const ir::Role& role, const ir::Slice& slice);

// Whether lanes copy 16 bytes of the tensor at a time into stages.
bool copies_vectors(const ir::Kernel& kernel, const ir::Tensor& tensor);

// Whether lanes move 16 bytes of the tensor at a time between memory and registers.
bool moves_vectors(const ir::Kernel& kernel, const ir::Tensor& tensor);

}  // namespace tkc::lowering
