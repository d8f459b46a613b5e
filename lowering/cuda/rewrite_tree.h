// Going through the tree of CUDA, with a chance to change every piece of text in it.
#pragma once

#include <functional>
#include <string>

#include "lowering/cuda/tree.h"

namespace tkc::cuda {

// Where a piece of text is.
struct TextPlace {
    std::string what;      // the function that is called, or the name that is declared
    std::size_t part = 0;  // the number of the argument
};

class TreeRewriter {
public:
    virtual ~TreeRewriter() = default;

    Function function(const Function& f);
    Struct structure(const Struct& s);
    Expr expression(const Expr& e, const TextPlace& place);
    Block block(const Block& list);

protected:
    // A name, a type or a literal.
    virtual std::string text(const std::string& s, const TextPlace& place) = 0;
    // What kind of node comes, and how many parts it has.
    virtual void node(const char* kind, std::size_t parts) = 0;

private:
    Stmt statement(const Stmt& s);
    Declaration declaration(const Declaration& d);
    std::vector<Expr> list(const std::vector<Expr>& items, const std::string& what);
    std::vector<Parameter> parameters(const std::vector<Parameter>& list);
};

}  // namespace tkc::cuda
