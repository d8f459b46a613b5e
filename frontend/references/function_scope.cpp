// The functions that references call, by the names that their file and its imports give them.
#include "frontend/references/function_scope.h"

#include "frontend/check/file_context.h"

namespace tkc {

struct FunctionScope::Content {
    CheckOptions options;
    Diagnostics told;  // before: the file was checked
    checker::FileContext files;
    checker::Unit unit;

    Content(SourceManager& sources, const CheckOptions& its_options)
        : options(its_options), files{sources, told, options, {}, {}, {}, {}, false} {}
};

FunctionScope::FunctionScope(const ast::File& tree, SourceManager& sources,
                             const CheckOptions& options)
    : content_(std::make_unique<Content>(sources, options)) {
    content_->unit.file = &tree;
    checker::collect_declarations(content_->files, content_->unit);
    checker::read_imports(content_->files, content_->unit);
}

FunctionScope::~FunctionScope() = default;

std::optional<FunctionScope::Callee> FunctionScope::find(std::string_view text,
                                                         const checker::Unit* scope) const {
    const auto found =
        checker::find_function_name(scope == nullptr ? content_->unit : *scope, text);
    if (!found) return std::nullopt;
    return Callee{found->unit, found->function};
}

std::optional<FunctionScope::Callee> FunctionScope::find_value(std::string_view text) const {
    const auto found = checker::find_known_function(content_->files, content_->unit, text);
    if (!found) return std::nullopt;
    return Callee{found->unit, found->function};
}

}  // namespace tkc
