// Text to tokens, for us and for ANTLR's parser.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "TkLexer.h"
#include "frontend/parse/ast.h"
#include "frontend/parse/tokens.h"

namespace tkc {

// The tokens for us and for ANTLR, the same ones in the same order.
struct Lexed {
    antlr4::ANTLRInputStream input;
    std::unique_ptr<TkLexer> lexer;
    std::vector<std::unique_ptr<antlr4::Token>> antlr_tokens;
    TokenList list;
    std::vector<ast::Comment> comments;
};

void lex(FileId file, std::string_view source, Lexed& out);
// Tells ANTLR's tokens what was found out about ours.
void retype(Lexed& lexed);

}  // namespace tkc
