// Pipelines: declared, filled by `produce`, read by `consume`.
#pragma once

#include <map>
#include <set>

#include "frontend/check/forward.h"
#include "frontend/check/values.h"

namespace tkc::checker {

// Who fills and who reads a pipeline.
struct PipelineUse {
    std::string writer;
    Span written;
    std::set<std::string> readers;
    Span read;
};

class Pipelines {
public:
    explicit Pipelines(Parts& parts);

    void check_produce(const ast::Produce& produce, Span span);
    Operand field_of(const Record& element, const ir::PipelineField& field,
                     const std::string& name);
    Operand consume(const ast::PipeRef& pipe, const std::string& name, Span span);
    void check_consume_block(const ast::ConsumeBlock& block, Span span);
    void check_pipeline(const ast::Pipeline& pipeline);
    void check_pipeline_uses();

private:
    std::optional<Dtype> number_type(const ast::Field& field);
    Operand number_of(const Record& element, const ir::PipelineField& field,
                      const std::string& name);
    const ir::Pipeline* find_pipeline(const ast::PipeRef& pipe, std::string_view word);
    bool put_field(const ir::Pipeline& pipeline, const ir::PipelineField& field,
                   const std::string& place, const ast::Expr& value);
    bool check_multicast(const ast::Hint& hint);
    bool fill_field(const ir::Pipeline& pipeline, const ir::PipelineField& field,
                    const ast::Expr& value);  // false if an error was reported
    void emit_before(ir::Block& filling);     // of a `produce`

    Axes& axes_;
    Builder& builder_;
    Columns& columns_;
    Context& context_;
    Expressions& expressions_;
    Memory& memory_;
    Names& names_;
    Numbers& numbers_;
    Statements& statements_;
    Tiles& tiles_;
    Types& types_;
    std::set<std::string> unused_here() const;

    std::map<std::string, PipelineUse> uses_;
    std::set<std::pair<std::string, std::string>> poisoned_fields_;  // pipeline, field
    std::set<std::pair<std::string, std::string>> number_fields_;    // likewise
};

}  // namespace tkc::checker
