// A limit for the memory of this process.
#pragma once

#include <cstddef>

namespace tkc {

// The most memory that this process had, in bytes.
std::size_t most_memory_so_far();

// From now on it may get so many bytes more than it has: what asks for more throws std::bad_alloc.
void limit_memory(std::size_t bytes);

}  // namespace tkc
