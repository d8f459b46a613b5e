// Statements of the sequential program as they are in the two roles, in the steps of a loop.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "base/derived_text.h"
#include "frontend/parse/ast.h"

namespace tkc::derive {

// Which step of a rotated loop a statement is written for.
enum class Step : std::uint8_t { own, first, previous, last };

// How a copy of a statement differs from what is in the source.
struct Copy {
    const ast::Iter* loop = nullptr;  // whose variable is not itself; null: none
    Step step = Step::own;
    std::map<std::string, std::string> renamed;
    std::set<std::string> variables;  // declared here, to be assigned by later steps
    std::set<std::string> assigned;   // declared by the first step
};

struct Edit {
    Span at;
    std::string words;
};

// What both roles make of a piece of the program.
struct Roles {
    DerivedText consumer;
    DerivedText producer;
};

// `statement`, which defines `name`, and the text after it if that reads it.
inline DerivedText before(DerivedText statement, const std::string& name, const DerivedText& text) {
    if (text.text().find(name) == std::string::npos) return text;
    statement.add(text);
    return statement;
}

}  // namespace tkc::derive
