// What messages say of the arguments that the language's own functions and operations take.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "language/function.h"

namespace tkc::checker {

// "1 argument", "2 arguments"
std::string arguments_text(std::size_t count);
// (a: T, b: T) -> T
std::string signature_text(Function function);
// Of what the language itself calls `name`.
std::string signature_text(std::string_view name);

}  // namespace tkc::checker
