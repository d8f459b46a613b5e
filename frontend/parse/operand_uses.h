// Which names of a kernel stand in the places of operands of products, and nowhere else. What is
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

    // Whether the name is an operand wherever it stands, and stands somewhere.
    bool only_operand(const std::string& name) const;
    // Whether it is operand `b` somewhere, or turned (`x.T`), which shared memory alone can be.
    bool needs_shared(const std::string& name) const { return shared_.contains(name); }

private:
    std::map<std::string, int> all_;
    std::map<std::string, int> operands_;
    std::set<std::string> shared_;
};

// `x` of `tf32(x)`; else the expression itself.
const ast::Expr& without_rounding(const ast::Expr& operand);
// `x` of an operand `x.T`, `tf32(x)`, `tf32(x.T)` or of parts of these, `x[:, 0 +: 64].T`; else the
// expression itself.
const ast::Expr& tile_of_operand(const ast::Expr& operand, bool& turned);

}  // namespace tkc::checker
