// References: evaluating them on whole tensors, in float64.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/diagnose.h"
#include "emulator/array.h"
#include "frontend/parse/ast.h"
#include "frontend/references/function_scope.h"
#include "language/dtype.h"

namespace tkc::emulator {

using Arrays = std::map<std::string, Array>;

// Where messages go, and how they name the test that is being run: "test `odd` (N = 63)".
struct EvaluationContext {
    Diagnostics& diag;
    const SourceManager& sources;
    std::string test;
    const FunctionScope* functions = nullptr;  // that the file's references may call
};

// What a reference sees.
struct ReferenceInputs {
    Arrays inputs;                                 // the parameters that it lists
    Arrays numbers;                                // constants and extents
    std::map<std::string, Dtype> dtypes;           // constants that are data types
    std::map<std::string, std::string> functions;  // constants that are functions
    struct Result {
        Shape shape;
        Dtype dtype;  // of integers: it holds no others
    };
    std::map<std::string, Result> results;  // what it computes; begin as 0, or as the input
};

// The results in float64, not rounded to the types of the outputs. Nothing where something did not
// fit: reported.
std::optional<Arrays> evaluate_reference(const ast::Reference& reference, ReferenceInputs inputs,
                                         const EvaluationContext& context);

// An expression of a test. Nothing: reported.
std::optional<Array> evaluate_expression(const ast::Expr& expr, const Arrays& numbers,
                                         const EvaluationContext& context);

}  // namespace tkc::emulator
