// Reading files, and from byte offsets to lines and columns.
#include "base/source.h"

#include <algorithm>
#include <utility>

#include "base/read_text.h"

namespace tkc {

LineColumn SourceFile::line_column(std::uint32_t offset) const {
    auto after = std::upper_bound(line_starts.begin(), line_starts.end(), offset);
    auto line =
        static_cast<std::uint32_t>(after - line_starts.begin());  // line_starts[0] is 0: at least 1
    return {line, offset - line_starts[line - 1] + 1};
}

std::string_view SourceFile::line(std::uint32_t number) const {
    std::size_t begin = line_starts[number - 1];
    std::size_t end = number < line_starts.size() ? line_starts[number] : text.size();
    std::string_view line = std::string_view(text).substr(begin, end - begin);
    while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.remove_suffix(1);
    return line;
}

std::optional<FileId> SourceManager::find(std::string_view path) const {
    for (std::size_t i = 0; i < files_.size(); ++i) {
        if (files_[i].path == path) return static_cast<FileId>(i + 1);
    }
    return std::nullopt;
}

std::optional<FileId> SourceManager::read(const std::string& path) {
    if (const std::optional<FileId> known = find(path)) return known;
    std::string reason;
    std::optional<std::string> text = read_text(path, reason);
    if (!text) return std::nullopt;
    return add(path, std::move(*text));
}

FileId SourceManager::add(std::string path, std::string text) {
    SourceFile& file = files_.emplace_back();
    file.path = std::move(path);
    file.text = std::move(text);
    file.line_starts.push_back(0);
    for (std::size_t i = 0; i < file.text.size(); ++i) {
        if (file.text[i] == '\n') file.line_starts.push_back(static_cast<std::uint32_t>(i + 1));
    }
    return static_cast<FileId>(files_.size());
}

std::vector<std::string> SourceManager::paths_on_disk() const {
    std::vector<std::string> paths;
    for (const SourceFile& file : files_) {
        if (!file.path.starts_with("<")) paths.push_back(file.path);
    }
    return paths;
}

std::string_view SourceManager::text(Span span) const {
    return std::string_view(file(span.file).text).substr(span.begin, span.end - span.begin);
}

std::string SourceManager::describe(Span span) const {
    LineColumn at = begin(span);
    return file(span.file).path + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
}

}  // namespace tkc
