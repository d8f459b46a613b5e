// Tensors by subscripts: elements, slices that loads and stores move, and views.
//
// A view is a tensor, or part of one, with edges of its own: `K[k0 +: length]` is the axis from
// `k0` on, for as long as `length` says. Subscripts of a view count from its start, and a slice of
// it ends where it ends. The IR knows no views: a range carries the edge.
#include "frontend/check/views.h"

#include <fmt/format.h>

#include <algorithm>

#include "arithmetic/number_names.h"
#include "frontend/check/builder.h"
#include "frontend/check/context.h"
#include "frontend/check/expressions.h"
#include "frontend/check/gathers.h"
#include "frontend/check/numbers.h"
#include "frontend/check/tile_slices.h"
#include "frontend/check/tiles.h"
#include "frontend/check/types.h"

namespace tkc::checker {

namespace {

// When a number is known that is not a constant.
std::string_view time_of(const ir::Scalar& s) {
    bool runs = false;  // numbers of roles, elements of memory
    ir::visit_nodes(s, [&](const ir::ScalarNode& n) {
        const auto* symbol = std::get_if<ir::Symbol>(&n.node);
        runs = runs || std::holds_alternative<ir::ElementLoad>(n.node) ||
               (symbol != nullptr && ir::written_name(symbol->name) != symbol->name);
    });
    return runs ? "when the kernel runs" : "at launch";
}

std::string axes_text(std::size_t n, const char* one, const char* many) {
    return fmt::format("{} {}", n, n == 1 ? one : many);
}

ir::Scalar moved(const ir::Scalar& start, const ir::Scalar& by) {
    return start ? ir::add(start, by) : by;
}

bool has_edges(const View::Axis& axis) { return axis.start || axis.end; }

// Whether a position of the view lies in it; null where that is known, or the view is a tensor.
ir::Scalar inside(const ir::Scalar& position, const View::Axis& axis) {
    if (!has_edges(axis)) return nullptr;
    const ir::Scalar holds = ir::call(
        Function::logical_and,
        {ir::call(Function::ge, {position, ir::integer(0)}), ir::less(position, axis.extent)});
    std::int64_t known = 0;
    return ir::is_constant(holds, &known) && known != 0 ? nullptr : holds;
}

std::size_t open_axes(const View& view) {
    return static_cast<std::size_t>(std::count_if(view.axes.begin(), view.axes.end(),
                                                  [](const View::Axis& a) { return !a.fixed; }));
}

}  // namespace

View Views::whole_view(const std::string& tensor) const {
    View view{tensor, {}};
    for (const ir::Scalar& extent : ir::find_tensor(builder_.kernel, tensor)->extents)
        view.axes.push_back({nullptr, nullptr, extent, nullptr});
    return view;
}

Operand Views::check_part(const ast::Index& index, Span span) {
    return check_index(index, span, true);
}

Operand Views::check_index(const ast::Index& index, Span span) {
    return check_index(index, span, false);
}

Operand Views::check_index(const ast::Index& index, Span span, bool moved) {
    const Operand base = expressions_.check_value(*index.base);
    if (is_poison(base)) return Poison{};
    if (const auto* tensor = std::get_if<TensorName>(&base))
        return check_tensor_index(index, whole_view(tensor->name), span, moved);
    if (const auto* view = std::get_if<View>(&base))
        return check_tensor_index(index, *view, span, moved);
    if (std::holds_alternative<Tile>(base) || std::holds_alternative<SharedTile>(base)) {
        return tile_slices_.slice_of(index, base, span);
    }
    context_.error(index.base->span, msg::operand_kind, "`[..]`", "a tensor", describe(base));
    return Poison{};
}

std::optional<Views::Cut> Views::check_subscript(const ast::Subscript& sub,
                                                 const View::Axis& axis) {
    Cut cut{axis, 0, false};
    if (std::holds_alternative<ast::WholeAxis>(sub.node)) {
        cut.whole = true;
        ir::is_constant(axis.extent, &cut.length);
        return cut;
    }
    const auto cut_to = [&](const ir::Scalar& base, std::int64_t length) {
        cut.axis.start = moved(axis.start, base);
        cut.axis.position = moved(axis.position, base);
        cut.axis.extent = ir::integer(length);
        cut.length = length;
    };
    const auto fix = [&](const ir::Scalar& position) {
        cut.axis.fixed = moved(axis.start, position);
        cut.axis.within = inside(position, axis);
    };
    if (const auto* position = std::get_if<ast::Position>(&sub.node)) {
        const Operand value = expressions_.check_value(*position->value);
        if (is_poison(value)) return std::nullopt;
        if (const auto* index = std::get_if<TileIndex>(&value)) {
            cut_to(index->start, index->width);
            cut.single = index->width == 1;
            if (cut.single) cut.axis.within = inside(index->start, axis);
            return cut;
        }
        if (std::holds_alternative<Tile>(value) || std::holds_alternative<SharedTile>(value)) {
            return check_list(value, axis, sub.span);
        }
        const auto* part = std::get_if<TensorPart>(&value);
        if (part != nullptr && part->single) {  // L[m], for `m in M by 1`
            const ir::Scalar element = tiles_.element_of(*part, sub.span);
            if (!element) return std::nullopt;
            const ir::Scalar place = tiles_.fitted(element, Dtype::i32, sub.span, "a position");
            if (!place) return std::nullopt;
            fix(place);
            return cut;
        }
        if (part != nullptr) {
            context_.error(sub.span, msg::operand_kind, "a position", "an integer", describe(value))
                .help(
                    "for a list of positions, write `load({})`; to read one element, use a scalar "
                    "position: `{}[r]`, for `r in M` in the grid",
                    context_.text(sub.span), part->slice.tensor);
            return std::nullopt;
        }
        ir::Scalar base = types_.as_control(value, sub.span, "a position");
        if (base) base = tiles_.fitted(base, Dtype::i32, sub.span, "a position");
        if (!base) return std::nullopt;
        fix(base);
        return cut;
    }
    const auto* slice = std::get_if<ast::Slice>(&sub.node);
    if (slice == nullptr) {
        context_.error(sub.span, msg::operand_kind, "a slice", "`base +: length`",
                       context_.quoted(sub.span));
        return std::nullopt;
    }
    if (slice->step) {
        context_.not_yet(
            sub.span, NotYet::boxes,
            fmt::format("write a list of positions: `{} + {} * range({})`",
                        context_.text(slice->base->span), context_.text(slice->step->span),
                        context_.text(slice->length->span)));
        return std::nullopt;
    }
    const ir::Scalar base = types_.check_control(*slice->base, "the base of a slice");
    const ir::Scalar length = types_.check_control(*slice->length, "the length of a slice");
    if (!base || !length) return std::nullopt;
    std::int64_t constant = 0;
    if (!ir::is_constant(length, &constant)) {
        // `0 +: H` of an axis of H elements is all of it, and has no edge of its own.
        std::int64_t first = 0;
        const bool from_0 = ir::is_constant(base, &first) && first == 0;
        cut.whole = from_0 && ir::same(length, axis.extent);
        if (cut.whole) return cut;
        cut.axis.start = moved(axis.start, base);
        cut.axis.position = nullptr;
        cut.axis.extent = length;
        cut.axis.end = ir::add(cut.axis.start, length);
        return cut;
    }
    cut_to(base, constant);
    if (constant >= 1) return cut;
    context_.error(slice->length->span, msg::positive_number, "the length of a slice", 1, constant);
    return std::nullopt;
}

// Positions of a view count from its start, and those outside of it name nothing.
std::optional<Views::Cut> Views::check_list(const Operand& value, const View::Axis& axis,
                                            Span span) {
    const std::optional<Gathers::List> list = gathers_.list_of(value, span);
    if (!list) return std::nullopt;
    Cut cut{axis, list->length, false};
    cut.positions = list->positions;
    cut.count = list->count;
    if (!has_edges(axis)) return cut;
    const ir::Scalar& at = list->positions;
    const ir::Scalar place = moved(axis.start, at);
    const ir::Scalar holds = inside(at, axis);
    cut.positions = holds ? ir::call(Function::where, {holds, place, ir::integer(-1)}) : place;
    return cut;
}

bool Views::check_lists(const ast::Index& index, const std::vector<Span>& lists, bool is_slice,
                        Span span) {
    if (lists.empty() || (lists.size() == 1 && is_slice)) return true;
    DiagnosticBuilder message =
        context_.error(span, msg::list_of_positions, context_.quoted(span),
                       lists.size() > 1 ? "has two lists, but a slice can have only one"
                                        : "is a view, which cannot have a list");
    if (lists.size() == 1) {
        message.help("a list selects cells, not views: write a subscript for each axis of `{}`",
                     context_.text(index.base->span));
        return false;
    }
    // `load(idx[m])` of the rows of a tile is `idx[m]` of a row.
    std::string list = context_.text(lists[0]);
    const bool loaded = list.starts_with("load(") && list.ends_with(')');
    list = loaded ? list.substr(5, list.size() - 6) : "idx[r]";
    message.help(
        "let each program use one position of the first list: with a grid variable without `by`, "
        "`{}` is a scalar, not a list",
        list);
    return false;
}

Operand Views::check_tensor_index(const ast::Index& index, const View& base, Span span,
                                  bool moved) {
    const ir::Tensor& tensor = *ir::find_tensor(builder_.kernel, base.tensor);
    const std::size_t open = open_axes(base);
    if (index.subscripts.size() > open) {
        report_subscripts(index, base, span);
        return Poison{};
    }
    View view{base.tensor, {}};
    std::vector<Cut> cuts;
    std::vector<Span> lists;
    bool known = true;
    bool is_slice = index.subscripts.size() == open;
    std::size_t next = 0;
    for (const View::Axis& axis : base.axes) {
        Cut cut{axis, 0, true};
        if (!axis.fixed && next < index.subscripts.size()) {
            const std::optional<Cut> found = check_subscript(index.subscripts[next++], axis);
            known = known && found.has_value();
            if (found) cut = *found;
            if (cut.positions) lists.push_back(index.subscripts[next - 1].span);
        }
        is_slice = is_slice && (cut.axis.fixed || cut.length > 0);
        cuts.push_back(std::move(cut));
    }
    if (!known || !check_lists(index, lists, is_slice, span)) return Poison{};
    if (!is_slice) return view_of(base.tensor, cuts);
    drop_single_axes(cuts);
    TensorPart part;
    part.slice.tensor = base.tensor;
    part.dtype = tensor.dtype;
    for (const Cut& cut : cuts) {
        using Kind = ir::Range::Kind;
        if (cut.axis.fixed) {
            part.slice.ranges.push_back({Kind::index, cut.axis.fixed, 1});
            part.within.resize(part.slice.ranges.size());
            part.within.back() = cut.axis.within;
            continue;
        }
        part.extents.push_back(cut.length);
        part.single = part.single && cut.single;
        if (cut.positions) {
            part.slice.ranges.push_back({Kind::gather, cut.positions, cut.length, cut.count});
            continue;
        }
        const ir::Scalar start = cut.axis.start ? cut.axis.start : ir::integer(0);
        if (cut.whole && !cut.axis.start && !cut.axis.end) {
            part.slice.ranges.push_back({Kind::whole, start, cut.length});
        } else {
            part.slice.ranges.push_back({Kind::span, start, cut.length, cut.axis.end});
            if (cut.axis.end)
                part.places_in_view.push_back(cut.axis.position ? cut.axis.position
                                                                : ir::integer(0));
        }
    }
    if (!part.extents.empty()) return part;
    if (moved) {
        ir::Range& last = part.slice.ranges.back();
        last = {ir::Range::Kind::span, last.base, 1, cuts.back().axis.end};
        part.extents.push_back(1);
        part.element = true;
        return part;
    }
    const ir::Scalar element = tiles_.element_of(part, span);
    return element ? Operand(element) : Operand(Poison{});
}

// An index of width 1 is a position, where more ranges are left than a tile has.
void Views::drop_single_axes(std::vector<Cut>& cuts) {
    const auto ranges = [&] {
        return std::count_if(cuts.begin(), cuts.end(),
                             [](const Cut& cut) { return !cut.axis.fixed; });
    };
    for (Cut& cut : cuts) {
        if (ranges() <= 2) return;
        if (cut.single && !cut.axis.fixed) cut.axis.fixed = cut.axis.start;
    }
}

// A slice of known length is a view that ends with it, or earlier, where the tensor or the view
// that it is cut from ends.
View Views::view_of(const std::string& tensor, const std::vector<Cut>& cuts) const {
    View view{tensor, {}};
    const std::vector<ir::Scalar>& extents = ir::find_tensor(builder_.kernel, tensor)->extents;
    for (const Cut& cut : cuts) {
        view.axes.push_back(cut.axis);
        View::Axis& axis = view.axes.back();
        if (axis.fixed || cut.whole || cut.length == 0) continue;
        const ir::Scalar outer = axis.end ? axis.end : extents[view.axes.size() - 1];
        axis.end = ir::call(Function::min, {ir::add(axis.start, axis.extent), outer});
    }
    return view;
}

void Views::report_subscripts(const ast::Index& index, const View& view, Span span) {
    const std::size_t open = open_axes(view);
    const ir::Tensor& tensor = *ir::find_tensor(builder_.kernel, view.tensor);
    const std::string base = context_.text(index.base->span);
    DiagnosticBuilder message =
        context_.error(span, msg::subscript_count, base, axes_text(open, "axis", "axes"),
                       axes_text(index.subscripts.size(), "subscript", "subscripts"));
    message.label(tensor.span, "declared here");
    // X[m][n], as lists of lists have it.
    const auto* inner = std::get_if<ast::Index>(&index.base->node);
    const std::string written = context_.text(span);
    if (inner == nullptr || !written.starts_with(base + "[") ||
        inner->subscripts.size() + index.subscripts.size() != tensor.extents.size())
        return;
    message.help("the subscripts of all axes go in one pair of brackets: `{}, {}`",
                 base.substr(0, base.size() - 1), written.substr(base.size() + 1));
}

// A load or a store moves tiles, and this is none.
void Views::report_view_moved(const ast::Index& index, const View& view, Span span) {
    const Operand base = expressions_.check_value(*index.base);
    const auto* tensor = std::get_if<TensorName>(&base);
    const View from = tensor != nullptr ? whole_view(tensor->name) : std::get<View>(base);
    if (index.subscripts.size() < open_axes(from)) {
        report_subscripts(index, from, span);
        return;
    }
    std::size_t next = 0;
    for (std::size_t i = 0; i < from.axes.size(); ++i) {
        if (from.axes[i].fixed) continue;
        const ast::Subscript& sub = index.subscripts[next++];
        if (view.axes[i].fixed || ir::is_constant(view.axes[i].extent)) continue;
        const std::string extent = ir::to_string(ir::as_written(view.axes[i].extent));
        const std::string_view known = time_of(numbers_.without_lets(view.axes[i].extent));
        if (std::holds_alternative<ast::WholeAxis>(sub.node)) {
            DiagnosticBuilder message =
                context_.error(sub.span, msg::whole_axis_extent, extent, known);
            if (known == "at launch")
                message.help(
                    "write `{}: int` among the constants of the kernel, or a loop over tiles of "
                    "the axis; `0 +: 1024` is all of it if the kernel `requires {} <= 1024`",
                    extent, extent);
            else message.help("write a loop over tiles of the axis, or a slice `base +: length`");
        } else {
            const auto* slice = std::get_if<ast::Slice>(&sub.node);
            const bool own = ir::to_string(view.axes[i].extent) != extent;  // a field, a `var`
            const std::string length =
                own && slice != nullptr ? context_.text(slice->length->span) : extent;
            context_.error(sub.span, msg::slice_length_varies, length, known)
                .help(
                    "name the part, `let part = {}[.. +: {}];`, and load tiles of it: they end "
                    "where it ends",
                    context_.text(index.base->span), length);
        }
        return;
    }
}

Operand Views::name_view(const std::string& name, View view, Span span) {
    const std::vector<ir::Scalar>& extents = ir::find_tensor(builder_.kernel, view.tensor)->extents;
    std::size_t parts = 0;
    for (const View::Axis& axis : view.axes) parts += axis.start || axis.end ? 1U : 0U;
    for (std::size_t i = 0; i < view.axes.size(); ++i) {
        View::Axis& axis = view.axes[i];
        const std::string number = parts > 1 ? std::to_string(i) : "";
        const auto let = [&](ir::Scalar& s, const char* part) {
            if (!s || ir::is_constant(s) || std::holds_alternative<ir::Symbol>(s->node)) return;
            s = numbers_.emit_let(builder_.unique_name(name + "_" + part + number), s, span);
        };
        const bool cut = axis.end != nullptr;
        let(axis.fixed, "at");
        let(axis.within, "holds");
        let(axis.start, "start");
        let(axis.end, "end");
        if (!cut || axis.fixed) continue;
        // What nobody can know before: checked in the emulator and in debug builds.
        const ir::Scalar start = axis.start ? axis.start : ir::integer(0);
        const ir::Scalar inside =
            ir::call(Function::logical_and, {ir::call(Function::ge, {start, ir::integer(0)}),
                                             ir::call(Function::le, {axis.end, extents[i]})});
        const std::string words =
            fmt::format("view {} is within the bounds of {}", name, view.tensor);
        if (builder_.role != nullptr) builder_.emit(ir::Assert{inside, {}, words});
        else numbers_.facts_read.push_back({inside, span, words});
    }
    return view;
}

}  // namespace tkc::checker
