// The functions of the language that references call: those of their file, and of what it imports.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "frontend/check/check.h"

namespace tkc {

namespace checker {
struct Unit;
struct FileContext;
}  // namespace checker

class FunctionScope {
public:
    struct Callee {
        const checker::Unit* scope = nullptr;  // whose names its body sees
        const ast::Function* function = nullptr;
    };

    // Of a file that was checked; `tree` and `sources` outlive it.
    FunctionScope(const ast::File& tree, SourceManager& sources, const CheckOptions& options);
    ~FunctionScope();

    // `gelu`, `activation.gelu`; as written in `scope`, or in the file itself.
    std::optional<Callee> find(std::string_view text, const checker::Unit* scope = nullptr) const;
    // The value of a constant, by the name that all files know it by.
    std::optional<Callee> find_value(std::string_view text) const;

private:
    struct Content;
    std::unique_ptr<Content> content_;
};

}  // namespace tkc
