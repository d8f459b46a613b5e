// Text from files, bounded: a device that never ends, or a pipe that nobody writes to, is not an
// input.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace tkc {

// The most that a source may have, in bytes.
inline constexpr std::size_t source_size_limit = 1 << 20;

// The text of a file, of which more than `source_size_limit` bytes are not read: one more tells
// that there are more. Nothing and the reason where it cannot be read, or is not a file. Pipes are
// read where they are handed over as open: `/dev/stdin`, `/dev/fd/3`.
std::optional<std::string> read_text(const std::string& path, std::string& reason);

}  // namespace tkc
