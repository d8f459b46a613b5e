// The words of a grid, and those that a derived kernel gets where its author said nothing.
#pragma once

#include <string>

#include "frontend/derive/loads.h"
#include "frontend/parse/ast.h"

namespace tkc::derive {

// The first attribute of this kind, and where it is; null: there is none.
template <class Word>
const Word* grid_word(const ast::Kernel& kernel, Span* span = nullptr) {
    for (const ast::KernelItem& item : kernel.items) {
        const auto* grid = std::get_if<ast::Grid>(&item.node);
        if (grid == nullptr) continue;
        for (const ast::GridWord& word : grid->words) {
            const auto* found = std::get_if<Word>(&word.node);
            if (found == nullptr) continue;
            if (span != nullptr) *span = word.span;
            return found;
        }
    }
    return nullptr;
}

// `warps(auto)`, or no such word.
bool is_auto(const ast::Warps* warps);

// An expression as text for places where a comparison is not allowed.
std::string sum_of(const ast::Expr& e, const SourceManager& sources);
// A quarter of it: `W / 4`, `W` of `4 * W`, and `BM / 64` of `BM / 16`.
std::string quarter_of(const ast::Expr& count, const SourceManager& sources);

// The order of programs: attributes to add to the grid, with a space before each.
std::string order_of(const ast::Kernel& kernel, const Loads& loads);

}  // namespace tkc::derive
