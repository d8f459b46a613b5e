// The files that tkc carries inside itself: the runtime's headers, the standard library, the pages
// of messages and the kernel that `tkc new` writes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tkc {

struct EmbeddedFile {
    std::string_view
        path;  // from the root of the source tree: runtime/tk/tk.cuh, stdlib/softmax.tk
    std::string_view text;
};

const std::vector<EmbeddedFile>& embedded_files();

// The text of stdlib/NAME.tk, for `import std.NAME;`.
std::optional<std::string_view> find_library(std::string_view name);
// Every NAME that it takes.
std::vector<std::string> library_names();

// The text of language/messages/TKnnnn.md, for `--explain` and SARIF.
std::optional<std::string_view> find_page(int code);

// The text of driver/first_kernel.tk.
std::string_view first_kernel();

// Writes the runtime's headers below `folder`, as tk/tk.cuh and so on: what -I names for nvcc.
// Files that hold the right text already stay as they are. Empty if all went well, else the reason.
std::string write_runtime(const std::string& folder);

}  // namespace tkc
