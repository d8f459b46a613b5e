// From the text of a file to its syntax tree. The only door to the parser generator.
#pragma once

#include <optional>
#include <string_view>

#include "base/derived_text.h"
#include "base/diagnose.h"
#include "frontend/parse/ast.h"

namespace tkc {

// Parses a whole file. Empty where anything was wrong; then at least one error was reported: one a
// declaration at most, so that one slip of the pen gives one message.
std::optional<ast::File> parse(FileId file, const SourceManager& sources, Diagnostics& diag);

// The same of a text that was derived from the file: the places are those that it came from.
std::optional<ast::File> parse(FileId file, const DerivedText& text, Diagnostics& diag);

// Whether something can be called so: a name, and no word of the grammar.
bool is_name(std::string_view text);

}  // namespace tkc
