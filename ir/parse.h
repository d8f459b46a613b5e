// Reads the text form of the IR back (print.h writes it; docs/ir.md describes it).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ir/module.h"

namespace tkc::ir {

// Why a text could not be read. Only the first error is reported.
struct ParseError {
    Span span;  // in the file number that the parser was given
    std::uint32_t line = 0;
    std::uint32_t column = 0;  // in bytes, from 1
    std::string message;       // "expected a type, found `foo`"

    std::string text() const;  // "3:14: expected a type, found `foo`"
};

// The module that `text` describes, or nothing and the reason in `error`. Operations get the spans
// of their own lines in `file`. The result is well-formed text only: verify.h checks the rest.
std::optional<Module> parse_module(std::string_view text, ParseError& error,
                                   std::uint32_t file = 0);

// The expression that `text` describes, as to_string prints it; null and the reason if there is
// none.
Scalar parse_scalar(std::string_view text, ParseError& error);

}  // namespace tkc::ir
