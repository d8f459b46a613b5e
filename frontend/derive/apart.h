// Products inside of expressions, as statements of their own: a loop is rotated statement by
// statement, and `o += mma(bf16(f(mma(q, k))), v)` holds two products with arithmetic between them.
#pragma once

#include <optional>

#include "base/source.h"
#include "frontend/derive/loads.h"
#include "frontend/parse/ast.h"

namespace tkc::derive {

// The file of the kernel, read again. In the bodies of some loops,
//
//     o += mma(bf16(f(mma(q, k))), v);
//
// has become
//
//     let product = mma(q, k);  let operand = bf16(f(product));  o += mma(operand, v);
//
// All spans are those of the file: a new name is in place of what it is a name of.
struct Apart {
    ast::File file;
    const ast::Kernel* kernel;
};

// Of the loops that can be rotated so, and cannot as they are written; nothing where there is none.
std::optional<Apart> products_apart(const ast::Kernel& kernel, const SourceManager& sources,
                                    const Loads& loads, Reach reach);

// Whether it is such a new `let`. It is nowhere in the file: its span is that of its value.
bool is_new(const ast::Stmt& stmt);

}  // namespace tkc::derive
