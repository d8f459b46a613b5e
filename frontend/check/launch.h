// The grid of a kernel, in which order its programs run, and its clusters.
#pragma once

#include "frontend/check/forward.h"
#include "frontend/parse/ast.h"
#include "ir/module.h"

namespace tkc::checker {

class Launch {
public:
    explicit Launch(Parts& parts);

    void check_grid(const ast::Grid& grid);
    void check_weight();
    void check_dynamic_schedule();

private:
    void check_grid_word(const ast::GridWord& word);
    bool is_known_at_launch(const ir::Scalar& value, std::string_view what, Span span);
    ir::Scalar band_width(const ast::Raster& raster);
    void check_dynamic(const ast::Dynamic& dynamic, Span span);
    void check_cluster(const ast::Cluster& cluster, Span span);

    Builder& builder_;
    Context& context_;
    Expressions& expressions_;
    Loops& loops_;
    Names& names_;
    Numbers& numbers_;
    Roles& roles_;
    Types& types_;

    const ast::HeaviestFirst* heaviest_first_ = nullptr;
    Span dynamic_{};
};

}  // namespace tkc::checker
