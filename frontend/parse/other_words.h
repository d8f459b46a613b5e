// What people write who come from other languages, and what it is called here.
#pragma once

#include <string>
#include <string_view>

namespace tkc {

// What to write in place of a name that the language does not have, `pow` or `range`; empty if
// nothing is known of it.
std::string other_word_help(std::string_view name);

// The data type that is called `name` elsewhere; empty if none is.
std::string_view other_type(std::string_view name);

}  // namespace tkc
