// The parameters of a kernel and the extents of its tensors.
#pragma once

#include "frontend/check/forward.h"
#include "frontend/parse/ast.h"
#include "ir/module.h"

namespace tkc::checker {

class Parameters {
public:
    explicit Parameters(Parts& parts);

    void declare_parameters();

private:
    void declare_parameter(const ast::KernelParam& param);
    bool declare_counter(const ast::KernelParam& param);
    bool declare_tensor(const ast::KernelParam& param,
                        Dtype dtype);  // false if an error was reported
    void declare_extents(const ast::Expr& extent);
    void check_extents_bound();
    ir::Scalar check_tensor_extent(const ast::Expr& extent);

    Builder& builder_;
    Context& context_;
    Names& names_;
    Numbers& numbers_;
    Types& types_;
};

}  // namespace tkc::checker
