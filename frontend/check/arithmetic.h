// Elementwise arithmetic on numbers and tiles: dtypes, shapes and exact divisions.
#pragma once

#include "base/diagnose.h"
#include "base/function_ref.h"
#include "frontend/check/forward.h"
#include "frontend/check/values.h"
#include "language/function.h"

namespace tkc::checker {

// The operands of one elementwise operation, over one list of inputs.
struct Cells {
    bool tile = false;
    std::int64_t rows = 1;
    std::int64_t cols = 1;
    std::vector<ir::Scalar> cells;
    std::vector<ir::Value> inputs;
    std::vector<Span> spans;  // of the operands; empty where they are not written one by one
    std::size_t widest = 0;   // the operand that the extents are from
    Origins origins = {};
};

class Arithmetic {
public:
    Arithmetic(Context& context, Numbers& numbers, Axes& axes, Tiles& tiles);

    Operand apply(Function function, std::string_view written, Span span,
                  const std::vector<Operand>& operands, std::vector<Span> spans = {});
    // A function of numbers, cell by cell; `types` are those of its parameters, and `meaning` makes
    // of cells of these types what it computes, null where it was told.
    Operand apply_cells(std::string_view name, Span span, const std::vector<Operand>& operands,
                        const std::vector<Span>& spans,
                        const std::vector<const ast::FnParam*>& params,
                        const std::vector<Dtype>& types,
                        FunctionRef<ir::Scalar(const std::vector<ir::Scalar>&)> meaning);
    Operand convert(Dtype dtype, const Operand& x, Span span, Span argument);

private:
    std::string operand_name(const Cells& cells, std::size_t operand) const;
    void help_with_column(DiagnosticBuilder& message, const Cells& cells, const Tile& tile) const;
    bool broadcast(Cells& cells, std::string_view written, Span span, const Tile& tile);
    std::optional<Cells> to_cells(std::string_view written, Span span,
                                  const std::vector<Operand>& operands, std::vector<Span> spans);
    bool unify_numbers(std::string_view written, Span span, Cells& operands, std::size_t from);
    bool to_reals(Function function, std::string_view written, Span span, Cells& cells);
    bool to_bools(std::string_view written, Span span, const std::vector<ir::Scalar>& cells,
                  const std::vector<Span>& spans);
    bool unify(Function function, std::string_view written, Span span, Cells& cells);
    std::optional<Span> sign_between(const std::vector<Span>& operands,
                                     std::string_view sign) const;
    void report_inexact(const ir::Scalar& dividend, const ir::Scalar& divisor, Span span,
                        const std::vector<Span>& operands);
    // False if an error was reported.
    bool check_exact(const ir::Scalar& dividend, const ir::Scalar& divisor, Span span,
                     const std::vector<Span>& operands);
    void report_floor_of_reals(Dtype dtype, Span span, const std::vector<Span>& operands);

    Context& context_;
    Numbers& numbers_;
    Axes& axes_;
    Tiles& tiles_;
};

}  // namespace tkc::checker
