// Products of matrices: `mma`.
#pragma once

#include "base/diagnose.h"
#include "frontend/check/forward.h"
#include "frontend/check/values.h"

namespace tkc::checker {

class Products {
public:
    explicit Products(Parts& parts);

    // The product as a new value, or into `target`, which it is added to with `accumulate`.
    Operand check_mma(const ast::Call& call, Span span, const Tile* target, bool accumulate);

    // Whether the role's products take such a tile from registers as operand `a`.
    bool takes_from_registers(const Tile& a) const;

    // `tf32(x)` in any other place than an operand's.
    Operand refuse_tf32(const ast::Call& call, Span span);

private:
    struct MmaOperand {
        ir::Value value;
        Dtype dtype = Dtype::bf16;
        std::int64_t rows = 0;
        std::int64_t cols = 0;
        bool transposed = false;
        bool tf32 = false;  // f32 that is rounded to it
        bool shared = false;
        bool refused = false;            // told; its shape is known
        std::optional<SharedTile> part;  // of a part of a shared tile
        Span span;
        Span tile_span;  // without `tf32(..)`
    };
    bool by_warps() const;
    bool has_products() const;
    bool is_for_warps(const MmaOperand& a, const MmaOperand& b) const;
    Operand operand_value(const ast::Expr& expr, bool* refused);
    Operand loaded_operand(const ast::Expr& expr);
    std::optional<MmaOperand> check_mma_operand(const ast::Expr& expr, char which);
    std::string converted_text(const MmaOperand& operand, char which, Dtype to) const;
    std::string transposed_text(const MmaOperand& operand) const;
    void suggest_transposed(const MmaOperand& operand, DiagnosticBuilder& message, bool only) const;
    std::optional<Dtype> sums_of(const MmaOperand& a, const MmaOperand& b) const;
    std::optional<Dtype> check_sums(const ast::Call& call, const MmaOperand& a, const MmaOperand& b,
                                    Span span);
    bool check_mma_order(const MmaOperand& a, const MmaOperand& b);
    void refuse_fp8_of_warps(const MmaOperand& a, const MmaOperand& b, Span span);
    bool check_mma_types(const MmaOperand& a, const MmaOperand& b, Span span);
    bool check_mma_extents(const MmaOperand& a, const MmaOperand& b, Span span);
    bool check_warp_extents(const MmaOperand& a, const MmaOperand& b, Span span);
    void report_extents(const MmaOperand& a, const MmaOperand& b, Span span,
                        const std::string& problem, const std::string& instead);

    Axes& axes_;
    Builder& builder_;
    Context& context_;
    Expressions& expressions_;
    TileSlices& tile_slices_;
    Tiles& tiles_;
};

}  // namespace tkc::checker
