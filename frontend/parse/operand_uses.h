// Which names of a kernel are operands of products, and which of them are nothing else. What is
// loaded under such a name need not be in registers.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>

#include "frontend/parse/ast.h"

namespace tkc::checker {

class OperandUses {
public:
    explicit OperandUses(std::span<const ast::KernelItem> items);

    // Whether the name is an operand wherever it is, and is somewhere.
    bool only_operand(const std::string& name) const;
    // Whether some product reads the tile, under this name or another: after `let y = x.T;`, `y`
    // is a name of `x`.
    bool is_operand(const std::string& name) const { return multiplied_.contains(name); }
    // Whether it is read so without a copy, as of `mma(shared(x), ..)`.
    bool is_operand_itself(const std::string& name) const { return uncopied_.contains(name); }
    // Whether a product reads it as operand `b`, or transposed, which only shared memory can be.
    bool needs_shared(const std::string& name) const { return shared_.contains(name); }

private:
    // What a product reads: `x` of `x`, `x.T`, `x[:, 0 +: 64]`, `shared(x)`.
    void add_operand(const ast::Expr& operand, bool as_b);

    std::map<std::string, const ast::Expr*> meaning_;  // of the names that a `let` defines
    std::map<std::string, int> all_;
    std::map<std::string, int> operands_;
    std::set<std::string> multiplied_;
    std::set<std::string> uncopied_;
    std::set<std::string> shared_;
};

// `x` of `tf32(x)`; else the expression itself.
const ast::Expr& without_rounding(const ast::Expr& operand);
// `x` of an operand `x.T`, `tf32(x)`, `tf32(x.T)` or of parts of these, `x[:, 0 +: 64].T`; else the
// expression itself.
const ast::Expr& tile_of_operand(const ast::Expr& operand, bool& turned);

}  // namespace tkc::checker
