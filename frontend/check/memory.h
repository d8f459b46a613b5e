// Loads and stores.
#pragma once

#include "frontend/check/forward.h"
#include "frontend/check/values.h"
#include "language/operation.h"

namespace tkc::checker {

class Memory {
public:
    explicit Memory(Parts& parts);

    std::optional<TensorPart> check_load_source(const ast::Call& call, Span span,
                                                ir::Transfer* transfer);
    Operand check_load(const ast::Call& call, Span span);
    Operand load_tile(const TensorPart& part, ir::Transfer transfer, ir::CacheHint cache,
                      bool upright);
    // What a load or store asks of the L2 cache.
    ir::CacheHint check_cache_hint(const ast::Call& call);
    Operand check_store(Operation operation, const ast::Call& call, Span span);

private:
    std::optional<TensorPart> check_slice(const ast::Expr& expr, std::string_view operation);

    Axes& axes_;
    Builder& builder_;
    Context& context_;
    Expressions& expressions_;
    Names& names_;
    Tiles& tiles_;
    Views& views_;
};

}  // namespace tkc::checker
