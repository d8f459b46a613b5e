// From "token 17 cannot be here" to a message that says what is wrong, in the language's words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "frontend/parse/tokens.h"

namespace tkc {

// Where the parser stopped. It knows no ANTLR types: rules and tokens by their spelling in the
// grammar.
struct SyntaxError {
    struct Rule {
        std::string_view name;    // as in Tk.g4: let, grid, suffix
        std::size_t first_token;  // where it began
    };
    std::size_t found;                  // index of the token that cannot be
    std::vector<std::string> expected;  // what could: `;` `NAME` `INT` .. without quotes
    std::vector<Rule> rules;            // those being read, the outermost first
};

// Reports exactly one error.
void report_syntax_error(const TokenList& list, const SyntaxError& error, Diagnostics& diag);

}  // namespace tkc
