// Which positions of a tensor's axes the rows and columns of a tile stand for, so that a row that
// meets a column by accident is found.
#pragma once

#include <map>

#include "frontend/check/forward.h"
#include "frontend/check/values.h"

namespace tkc::checker {

class Axes {
public:
    Axes(Context& context, Builder& builder, Numbers& numbers);

    Origins origins_of(const TensorPart& part, bool upright) const;
    Origins origins_of(ir::Value value) const;
    void add_origins(ir::Value value, const Origins& origins);
    static Origins joined_origins(const std::vector<Tile>& tiles);
    // `places`: which operands the tiles are. False if an error was reported.
    bool check_axes(std::string_view written, Span span, const std::vector<Tile>& tiles,
                    const std::vector<Span>& spans, const std::vector<std::size_t>& places);
    bool means_column(const TensorPart& part, const std::vector<Operand>& operands) const;
    // `x` as `column(x)`, and the other way round.
    std::string turned_text(const std::string& written) const;
    // Of what is in a field of a pipeline, when it is filled and where it is read.
    void add_field_origins(const ir::Pipeline& pipeline, const ir::PipelineField& field,
                           const Origins& origins);
    void enter_field(ir::Value value, const std::string& pipeline, const std::string& field);
    void open_role() { origins_.clear(); }

private:
    Origins seen_elsewhere(Origins origins) const;
    bool lies_wrong(const Origin& vector, const Origin& along, const Origin& across) const;
    bool writes_column_too(const std::string& written) const;

    Context& context_;
    Builder& builder_;
    Numbers& numbers_;

    std::map<std::uint32_t, Origins> origins_;  // of the tiles of this role
    std::map<std::pair<std::string, std::string>, Origins> field_origins_;  // pipeline, field
};

}  // namespace tkc::checker
