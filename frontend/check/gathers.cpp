// Index tiles in a slice.
//
// The tile itself is not kept: each lane reads the positions that it needs, from where the tile
// comes from. So positions are expressions, made of what made the tile:
//
//     rows = load idx[s +: 64]; t = load X[rows * 2, k +: 64]
//     t = load X[{idx[s + row]? * 2} +: 64 before S - s, k +: 64]
#include "frontend/check/gathers.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "frontend/check/builder.h"
#include "frontend/check/context.h"
#include "frontend/check/numbers.h"
#include "frontend/check/tiles.h"
#include "ir/walk.h"

namespace tkc::checker {

namespace {

// Both of two truths, of which each may be left open.
ir::Scalar both(const ir::Scalar& a, const ir::Scalar& b) {
    if (!a || !b) return a ? a : b;
    return ir::same(a, b) ? a : ir::call(Function::logical_and, {a, b});
}

// How many of a list there are, of two of which each may end first.
ir::Scalar min_of(const ir::Scalar& a, const ir::Scalar& b) {
    if (!a || !b) return a ? a : b;
    return ir::same(a, b) ? a : ir::call(Function::min, {a, b});
}

}  // namespace

std::optional<Gathers::List> Gathers::list_of(const Operand& value, Span span) {
    const auto refuse = [&](const std::string& why, std::string_view help) {
        context_.error(span, msg::list_of_positions, context_.quoted(span), why)
            .help(std::string(help));
        return std::nullopt;
    };
    const auto* tile = std::get_if<Tile>(&value);
    if (tile == nullptr)
        return refuse("is a tile in shared memory",
                      "load the positions in the same role: `let rows = load(idx[s]);`");
    if (tile->rows != 1 && tile->cols != 1)
        return refuse(fmt::format("is a tile of {} rows and {} columns", tile->rows, tile->cols),
                      "a list is one row of positions for the whole tile; if each row has its own "
                      "list, let each program process one row: `r in R` in the grid, without `by`");
    const ir::Scalar fitted = tiles_.fitted(tile->cell, Dtype::i32, span, "a position");
    if (!fitted) return std::nullopt;
    const std::optional<Cells> cells = cells_of({tile->rows, tile->cols, fitted, tile->inputs});
    if (!cells)
        return refuse(
            why_not_,
            "a list is computed from loads, `range` and elementwise arithmetic; store anything "
            "else, such as running sums, and load it in a second kernel of an `entry`");
    List list{cells->cell, cells->count, std::max(tile->rows, tile->cols)};
    if (cells->listed)
        list.positions = ir::call(Function::where, {cells->listed, cells->cell, ir::integer(-1)});
    if (list.count) {
        const ir::NormalForm count = ir::normal_form(numbers_.without_lets(list.count));
        const ir::NormalForm length(list.length);
        if (numbers_.facts_here().prove_at_least(count - length, 0)) list.count = nullptr;
    }
    return list;
}

std::optional<Gathers::Cells> Gathers::cells_of(const Tile& tile) {
    Cells made;
    std::vector<ir::Scalar> inputs;
    for (const ir::Value input : tile.inputs) {
        std::optional<Cells> cells = cells_of(input);
        if (!cells) return std::nullopt;
        inputs.push_back(cells->cell);
        const ir::TileType& type = builder_.role->tile(input);
        if (cells->count && type.rows * type.cols < tile.rows * tile.cols) {  // one for all
            const ir::Scalar there = ir::less(ir::integer(0), std::exchange(cells->count, nullptr));
            cells->listed = both(cells->listed, there);
        }
        made.count = min_of(made.count, cells->count);
        made.listed = both(made.listed, cells->listed);
    }
    for (const std::string& name : ir::symbols_of(tile.cell)) {
        if (!builder_.padding_sites.pads.contains(name)) continue;
        why_not_ = "is padded, but cells past the end of the list have no position";
        return std::nullopt;
    }
    const bool row = tile.rows == 1;
    made.cell = ir::rewrite(tile.cell, [&](const ir::Scalar& s) -> ir::Scalar {
        if (const auto* element = std::get_if<ir::Element>(&s->node))
            return inputs[static_cast<std::size_t>(element->input)];
        if (std::holds_alternative<ir::Row>(s->node)) return row ? ir::integer(0) : s;
        if (std::holds_alternative<ir::Column>(s->node)) return row ? ir::row() : ir::integer(0);
        return nullptr;
    });
    return made;
}

const ir::Op* Gathers::maker_of(ir::Value value) const {
    for (const Builder::OpenBlock& block : builder_.blocks) {
        for (const ir::Op& op : block.ops) {
            if (ir::writes(op, value)) return &op;
        }
    }
    return nullptr;
}

std::optional<Gathers::Cells> Gathers::cells_of(ir::Value value) {
    const ir::ValueInfo info = (*builder_.role)[value];
    const auto* type = std::get_if<ir::TileType>(&info.type);
    const ir::Op* const op = maker_of(value);
    why_not_ = info.variable ? "changes: positions are loaded again where they are used"
                             : "is computed from more than loads and elementwise arithmetic";
    if (info.variable || type == nullptr || op == nullptr) return std::nullopt;
    std::optional<Cells> made;
    if (const auto* load = ir::as<ir::Load>(*op)) {
        made = cells_of(*load, type->cols == 1);
    } else if (const auto* map = ir::as<ir::Map>(*op)) {
        const ir::Map copy = *map;
        made = cells_of({type->rows, type->cols, copy.expression, copy.inputs});
    } else if (const auto* splat = ir::as<ir::Splat>(*op)) {
        made = Cells{splat->value};
    } else if (const auto* copy = ir::as<ir::Copy>(*op)) {
        made = cells_of(copy->source);
    }
    if (made) listed_.insert(value.id);
    return made;
}

// Where the list lies along an axis: its cells' places there are numbered by `row`. What is read
// from outside of a list names nothing, though it is 0.
void Gathers::add_axis(const ir::Range& r, const ir::Scalar& extent, Cells& made) const {
    if (r.kind == ir::Range::Kind::gather) {
        const ir::Scalar from_start = ir::call(Function::ge, {r.base, ir::integer(0)});
        made.count = min_of(made.count, r.edge);
        made.listed = both(made.listed, both(from_start, ir::less(r.base, extent)));
        return;
    }
    if (r.kind == ir::Range::Kind::whole) return;
    const ir::Scalar end = min_of(r.edge, extent);
    made.count = min_of(made.count, ir::is_zero(r.base) ? end : ir::sub(end, r.base));
    const ir::NormalForm base = ir::normal_form(numbers_.without_lets(r.base));
    if (numbers_.facts_here().prove_at_least(base, 0)) return;
    const ir::Scalar place = ir::add(r.base, ir::row());
    made.listed = both(made.listed, ir::call(Function::ge, {place, ir::integer(0)}));
}

std::optional<Gathers::Cells> Gathers::cells_of(const ir::Load& load, bool column) {
    const ir::Tensor& tensor = *ir::find_tensor(builder_.kernel, load.source.tensor);
    if (tensor.mode != ir::Mode::in) {
        why_not_ = fmt::format("comes from `{}`, which the kernel writes", tensor.name);
        return std::nullopt;
    }
    const std::vector<ir::Range>& ranges = load.source.ranges;
    std::vector<std::size_t> kept;
    for (std::size_t axis = 0; axis < ranges.size(); ++axis) {
        if (ranges[axis].kind != ir::Range::Kind::index) kept.push_back(axis);
    }
    const std::size_t along = kept.empty() ? ranges.size() : column ? kept.front() : kept.back();
    Cells made;
    std::vector<ir::Scalar> position;
    for (std::size_t axis = 0; axis < ranges.size(); ++axis) {
        const ir::Range& r = ranges[axis];
        const bool spread = r.kind != ir::Range::Kind::gather && r.length > 1;
        if (axis == along) add_axis(r, tensor.extents[axis], made);
        position.push_back(!spread               ? r.base
                           : ir::is_zero(r.base) ? ir::row()
                                                 : ir::add(r.base, ir::row()));
    }
    made.cell = ir::element_load(tensor.name, std::move(position), true, tensor.dtype);
    return made;
}

// Later tiles first: they may be made of earlier ones.
void Gathers::drop_unread_lists() {
    for (auto id = listed_.rbegin(); id != listed_.rend(); ++id) {
        const ir::Value value{*id};
        if (!ir::reads_of(builder_.role->body, value).empty()) continue;
        ir::rebuild(builder_.role->body, [&](ir::Op op, ir::Block& out) {
            if (!ir::writes(op, value)) out.push_back(std::move(op));
        });
    }
}

}  // namespace tkc::checker
