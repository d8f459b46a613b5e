// Source files, and spans of their text. Nothing else keeps a copy of the text or counts lines.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/span.h"

namespace tkc {

// The number of a file in its SourceManager, from 1. A span of file 0 is not a position at all
// (messages of the driver).
using FileId = std::uint32_t;
constexpr bool is_known(Span span) { return span.file != 0; }

// A line and a column, both from 1; the column counts bytes.
struct LineColumn {
    std::uint32_t line = 1;
    std::uint32_t column = 1;
};

struct SourceFile {
    std::string path;  // as the user wrote it; shown in messages
    std::string text;
    std::vector<std::uint32_t> line_starts;  // offset of the first byte of every line

    LineColumn line_column(std::uint32_t offset) const;
    std::string_view line(std::uint32_t number) const;  // from 1, without its newline
    std::uint32_t line_count() const { return static_cast<std::uint32_t>(line_starts.size()); }
};

class SourceManager {
public:
    // Reads a file; a path that was read before gives the same id. Empty where it cannot be read.
    std::optional<FileId> read(const std::string& path);
    // A file that was read or added before.
    std::optional<FileId> find(std::string_view path) const;
    // A file that exists only in memory: the embedded library, a test, standard input.
    FileId add(std::string path, std::string text);

    const SourceFile& file(FileId id) const { return files_[id - 1]; }
    // All files but those that exist only in memory, whose paths are in <>: `<std.softmax>`.
    std::vector<std::string> paths_on_disk() const;
    FileId count() const { return static_cast<FileId>(files_.size()); }
    std::string_view text(Span span) const;
    LineColumn begin(Span span) const { return file(span.file).line_column(span.begin); }
    LineColumn end(Span span) const { return file(span.file).line_column(span.end); }
    std::string describe(Span span) const;  // file.tk:12:9

private:
    std::deque<SourceFile> files_;  // a deque: references to files stay good
};

}  // namespace tkc
