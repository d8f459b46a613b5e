// Expressions of the CUDA tree as pieces of a line: precedence and parentheses.
#pragma once

#include "lowering/cuda/print_line.h"
#include "lowering/cuda/tree.h"

namespace tkc::cuda {

// Appends the expression. Lambdas of one simple statement stay on the line if `flat_lambdas`.
void add_expression(const Expr& expression, bool flat_lambdas, Line& line);
void add_text(Line& line, std::string text);
// `(type name, ..)`
void add_parameters(const std::vector<Parameter>& parameters, Line& line);
// `type name suffix = value`
void add_declaration(const Declaration& declaration, bool flat_lambdas, Line& line);

}  // namespace tkc::cuda
