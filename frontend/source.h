// Source files, and spans of their text. Nothing else keeps a copy of the text or counts lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tkc {

// The number of a file in its SourceManager.
enum class FileId : std::uint32_t { None = 0xffffffff };

// Bytes begin..end of a file. A default span is no place at all (messages of the driver).
struct Span {
    FileId file = FileId::None;
    std::uint32_t begin = 0;
    std::uint32_t end = 0;

    bool is_known() const { return file != FileId::None; }
    bool operator==(const Span&) const = default;
};

// The smallest span that covers both; the other one if one of them is unknown.
Span cover(Span a, Span b);

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
    // A file that exists only in memory: the embedded library, a test, standard input.
    FileId add(std::string path, std::string text);

    const SourceFile& file(FileId id) const { return files_[static_cast<std::size_t>(id)]; }
    std::string_view text(Span span) const;
    LineColumn begin(Span span) const { return file(span.file).line_column(span.begin); }
    LineColumn end(Span span) const { return file(span.file).line_column(span.end); }
    std::string describe(Span span) const;  // file.tk:12:9

private:
    std::deque<SourceFile> files_;  // a deque: references to files stay good
};

}  // namespace tkc
