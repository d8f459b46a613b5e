// A text with its spaces in order: for `tkc fmt`.
#pragma once

#include <string>
#include <string_view>

#include "base/source.h"

namespace tkc::format {

// The text, which parses, with indentation by its brackets, spaces as the language is written, and
// one blank line at most between others. Lines end where the author ended them. What is formatted
// already stays as it is.
std::string format(FileId file, std::string_view source);

// Whether two texts are the same tokens and comments, in the same order.
bool differ_in_blanks_only(std::string_view a, std::string_view b);

}  // namespace tkc::format
