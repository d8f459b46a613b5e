// Tensors cut by subscripts: elements, slices to move, and views.
#pragma once

#include "frontend/check/forward.h"
#include "frontend/check/values.h"

namespace tkc::checker {

class Views {
public:
    explicit Views(Parts& parts);

    // The slice that `index` names, also where it is one element or not to be read; its last axis
    // has one element then.
    Operand check_part(const ast::Index& index, Span span);
    Operand check_index(const ast::Index& index, Span span);
    void report_view_moved(const ast::Index& index, const View& view, Span span);
    // The view of a `let`: its places get names.
    Operand name_view(const std::string& name, View view, Span span);

private:
    struct Cut {  // an axis after a subscript
        View::Axis axis;
        std::int64_t length = 0;         // where it is known now
        bool whole = false;              // all of the axis that it is cut from
        bool single = false;             // an index of width 1
        ir::Scalar positions = nullptr;  // of a list: those of its cells, and how many have one
        ir::Scalar count = nullptr;
    };
    Operand check_index(const ast::Index& index, Span span, bool moved);
    static void drop_single_axes(std::vector<Cut>& cuts);
    View whole_view(const std::string& tensor) const;
    View view_of(const std::string& tensor, const std::vector<Cut>& cuts) const;
    Operand check_tensor_index(const ast::Index& index, const View& base, Span span, bool moved);
    std::optional<Cut> check_subscript(const ast::Subscript& sub, const View::Axis& axis);
    std::optional<Cut> check_list(const Operand& value, const View::Axis& axis, Span span);
    // False if an error was reported.
    bool check_lists(const ast::Index& index, const std::vector<Span>& lists, bool is_slice,
                     Span span);
    void report_subscripts(const ast::Index& index, const View& view, Span span);

    Builder& builder_;
    Context& context_;
    Expressions& expressions_;
    Gathers& gathers_;
    Numbers& numbers_;
    TileSlices& tile_slices_;
    Tiles& tiles_;
    Types& types_;
};

}  // namespace tkc::checker
