// Elementwise operations on whole tiles and on windows of them.
#include "lowering/cuda/emit_map.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/overloaded.h"
#include "ir/walk.h"
#include "lowering/cuda/emit_memory.h"
#include "lowering/cuda/emit_pairs.h"
#include "lowering/cuda/shared_terms.h"

namespace tkc::cuda {

using namespace ir;

namespace {

bool is_vector(const TileType& t) { return t.rows == 1 || t.cols == 1; }

// The columns of a tile that an operation is done on; a width of 0 means all of them.
struct Window {
    std::int64_t width = 0;
    Expr column;  // the first one; null: 0
};

// ---- the function of a cell --------------------------------------------------------------------

// What an expression reads of its place.
struct Uses {
    bool row = false;
    bool column = false;
    bool outside = false;  // names of the role
    std::vector<bool> cells;
};

Uses uses_of(const Map& op) {
    Uses uses;
    uses.cells.resize(op.inputs.size());
    visit_nodes(op.expression, [&](const ScalarNode& n) {
        std::visit(
            Overloaded{
                [](const Integer&) {},
                [](const Real&) {},
                [](const Boolean&) {},
                [&](const Symbol&) { uses.outside = true; },
                [&](const Element& e) { uses.cells[static_cast<std::size_t>(e.input)] = true; },
                [&](const Row&) { uses.row = true; },
                [&](const Column&) { uses.column = true; },
                [&](const ElementLoad&) { uses.outside = true; },
                [](const ir::Call&) {},
                [](const Cast&) {},
                [](const External&) {},
            },
            n.node);
    });
    return uses;
}

// Whether the function takes cells of the input as f32, and not as the 8 bits that they are: they
// lie in twos, which the runtime widens together, and nothing else is done with them.
bool takes_widened(const RoleContext& c, const Map& op, std::size_t input) {
    const Value v = op.inputs[input];
    if (!is_8_bit_number(c.role.tile(v).dtype) || vector_of(c.role[v].layout) != 2) return false;
    const auto is_cell = [&](const Scalar& s) {
        const auto* element = std::get_if<Element>(&s->node);
        return element != nullptr && static_cast<std::size_t>(element->input) == input;
    };
    std::size_t uses = 0;
    std::size_t widened = 0;
    visit_nodes(op.expression, [&](const ScalarNode& n) {
        const auto* cast = std::get_if<Cast>(&n.node);
        const auto* element = std::get_if<Element>(&n.node);
        if (element != nullptr && static_cast<std::size_t>(element->input) == input) ++uses;
        if (cast != nullptr && n.dtype == Dtype::f32 && is_cell(cast->argument)) ++widened;
    });
    return uses != 0 && uses == widened;
}

// The function's parameter for an axis of the tile, named if it is read; `to` is the position in
// the role's whole tile.
Parameter axis_parameter(RoleContext& c, bool used, const char* wanted, const Expr& offset,
                         Uses* uses, Expr* to) {
    if (!used) return {"int", ""};
    const std::string name = c.names.invent(wanted);
    uses->outside = uses->outside || offset != nullptr;
    *to = plus(offset, atom(name));
    return {"int", name};
}

// Parameters and body of the function, in a scope of names of its own.
Lambda cell_function(RoleContext& c, const Map& op, const Window& window) {
    const TileType part = part_of(c, op.result);
    const std::optional<ir::Axis> divided = divided_axis(c.role, op.result);
    ScalarScope scope = c.scope;
    scope.asked = Asked::no;
    scope.places = compared_places(op.expression);
    Uses uses = uses_of(op);
    Lambda function;
    c.names.begin_scope();
    scope.row = scope.column = literal(0);
    const bool striped = is_striped(c.role, op.result);
    const bool own_rows = uses.row && divided == ir::Axis::row;
    const bool own_cols = uses.column && divided == ir::Axis::col;
    const Expr row_offset = own_rows ? part_offset(c, part.rows) : nullptr;
    const Expr col_offset = own_cols ? part_offset(c, part.cols) : window.column;
    if (uses.row || uses.column) {
        function.parameters.push_back(
            axis_parameter(c, uses.row, "row", row_offset, &uses, &scope.row));
        function.parameters.push_back(
            axis_parameter(c, uses.column, "col", col_offset, &uses, &scope.column));
    }
    std::set<std::uint32_t> seen;
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
        // A parameter may hide the tile that it is a cell of: the function sees no whole tiles.
        const std::string tile = c.values.at(op.inputs[i].id);
        const bool first = seen.insert(op.inputs[i].id).second;
        const std::string name = !uses.cells[i] ? "" : first ? tile : c.names.invent(tile);
        const TileType input = part_of(c, op.inputs[i]);
        const bool widened = takes_widened(c, op, i);
        function.parameters.push_back({widened   ? "float"
                                       : striped ? element_type(input.dtype)
                                                 : element_of_fragment(input),
                                       name});
        scope.cells.push_back(uses.cells[i] ? atom(name) : nullptr);
        if (widened)
            scope.known.emplace_back(
                ir::cast(Dtype::f32, element(static_cast<std::int64_t>(i), input.dtype)),
                atom(name));
    }
    name_shared_terms(c, op.expression, scope, function.body);
    const bool widened =
        !striped && is_vector(part) && is_narrow_real(part.dtype);  // kept rounded, in f32
    const Expr cell = widened ? call("float", {emit_scalar(op.expression, scope)})
                              : emit_unrounded(op.expression, scope);
    function.body.push_back(stmt(Return{cell}));
    function.capture = uses.outside ? "&" : "";
    c.names.end_scope();
    return function;
}

// ---- calls -------------------------------------------------------------------------------------

Expr input_of(RoleContext& c, Value input, const Window& window) {
    const TileType part = part_of(c, input);
    if (window.width == 0 || part.cols == 1) return value_name(c, input);
    const Expr column = window.column ? window.column : literal(0);
    return call(fmt::format("tk::subtile<{}, {}>", part.rows, window.width),
                {value_name(c, input), literal(0), column});
}

Expr conversion(RoleContext& c, const Map& op, const Window& window) {
    const std::string to = element_type(c.role.tile(op.result).dtype);
    return call(fmt::format("tk::convert<{}>", to), {input_of(c, op.inputs[0], window)});
}

Stmt map_call(RoleContext& c, const Map& op, Expr result, const Window& window) {
    std::vector<Expr> arguments{std::move(result)};
    if (std::optional<Lambda> pairs = function_of_pairs(c, op)) {
        arguments.push_back(expr(std::move(*pairs)));
        for (const Value input : op.inputs) arguments.push_back(input_of(c, input, window));
        return run(call("tk::map_pairs", std::move(arguments)));
    }
    const Uses uses = uses_of(op);
    if (uses.row || uses.column) arguments.push_back(use(c.thread));
    arguments.push_back(expr(cell_function(c, op, window)));
    for (const Value input : op.inputs) arguments.push_back(input_of(c, input, window));
    return run(call("tk::map", std::move(arguments)));
}

// ---- tiles that are written away by columns ----------------------------------------------------

bool writes_any(const Op& op, const std::vector<Value>& values) {
    bool found = false;
    const auto look = [&](const Op& o) {
        for (const Value v : values) found = found || writes(o, v);
    };
    look(op);
    for_each_block(op, [&](const ir::Block& inner) { walk(inner, look); });
    return found;
}

// Whether the operation is a loop that does nothing with `v` but write its columns away.
bool writes_away(const Op& op, Value v) {
    const auto* loop = as<ir::For>(op);
    if (loop == nullptr) return false;
    bool only = true;
    walk(loop->body, [&](const Op& inner) {
        bool names = false;
        for_each_value(inner, [&](const Value& x) { names = names || x == v; });
        const auto* write = as<WriteShared>(inner);
        only = only && (!names || (write != nullptr && !write->transposed));
    });
    return only;
}

// Whether the map can be done on any columns of its tile alone.
bool works_by_columns(const Role& role, const Map& map) {
    const auto is_tile = [&](Value v, bool or_column) {
        const TileType& t = role.tile(v);
        return !is_striped(role, v) && ir::divided_axis(role, v) != ir::Axis::col && t.rows != 1 &&
               (or_column || t.cols != 1);
    };
    const bool inputs = std::all_of(map.inputs.begin(), map.inputs.end(),
                                    [&](Value v) { return v != map.result && is_tile(v, true); });
    return inputs && !role[map.result].variable && is_tile(map.result, false);
}

// The result of `block[at]`, if it is a map whose result only the next loop that names it uses, to
// write it away, and whose inputs last until then.
bool can_wait(const Role& role, const ir::Block& block, std::size_t at) {
    const auto* map = as<Map>(block[at]);
    if (map == nullptr || !works_by_columns(role, *map)) return false;
    std::size_t uses = 0;
    bool fits = true;
    for (std::size_t i = at + 1; i < block.size(); ++i) {
        const bool names = mentions(block[i], map->result);
        if (uses == 0 || names) fits = fits && !writes_any(block[i], map->inputs);
        if (!names) continue;
        ++uses;
        fits = fits && writes_away(block[i], map->result);
    }
    return fits && uses == 1;
}

}  // namespace

std::set<std::uint32_t> computed_by_columns(const Role& role) {
    std::set<std::uint32_t> result;
    walk_blocks(role.body, [&](const ir::Block& block) {
        for (std::size_t i = 0; i < block.size(); ++i) {
            if (!can_wait(role, block, i)) continue;
            const Value v = as<Map>(block[i])->result;
            const bool once = writes_of(role.body, v).size() == 1 && !mentions(role.finish, v);
            if (once) result.insert(v.id);
        }
    });
    return result;
}

Expr columns_of(RoleContext& c, Value v, std::int64_t width, const Scalar& column, Block& out) {
    const TileType part = part_of(c, v);
    const bool whole = part.cols == width;
    const Window window{whole ? 0 : width, whole ? nullptr : scalar(c, column)};
    const auto found = c.postponed.find(v.id);
    if (found == c.postponed.end()) return input_of(c, v, window);
    const Map& map = *found->second;
    if (is_conversion(c, map)) return conversion(c, map, window);
    TileType type = part;
    type.cols = width;
    const std::string name = c.names.fresh(c.role[v].name);
    out.push_back(declare(fragment_type(type), name));
    out.push_back(map_call(c, map, atom(name), window));
    return atom(name);
}

void name_shared_terms(RoleContext& c, const Scalar& expression, ScalarScope& scope, Block& out) {
    for (const Scalar& term : shared_terms(expression)) {
        const auto has_name = [&](const auto& known) { return same(known.first, term); };
        if (std::any_of(scope.known.begin(), scope.known.end(), has_name)) continue;
        const std::string name = c.names.invent("x");
        const Expr value = emit_scalar(term, scope);
        out.push_back(declare("const " + scalar_type(term->dtype), name, value));
        scope.known.emplace_back(term, atom(name));
    }
}

void emit(RoleContext& c, const Map& op, Block& out) {
    if (c.by_columns.contains(op.result.id)) {
        c.postponed[op.result.id] = &op;
    } else if (is_conversion(c, op)) {
        define(c, op.result, conversion(c, op, {}), out);
    } else {
        out.push_back(map_call(c, op, value_name(c, op.result), {}));
    }
}

namespace {

// What is given to cells or to a number that changes.
Expr cell_value(RoleContext& c, const Scalar& s) {
    c.scope.asked = Asked::no;
    const Expr value = scalar(c, s);
    c.scope.asked = Asked::yes;
    return value;
}

}  // namespace

void emit(RoleContext& c, const Splat& op, Block& out) {
    const TileType& tile = c.role.tile(op.result);
    const bool sums =
        tile.dtype == Dtype::f32 || (tile.dtype == Dtype::i32 && c.role.unit == Unit::warpgroup);
    if (is_number(c.role, op.result)) {
        define(c, op.result, cell_value(c, op.value), out);
    } else if (!sums) {  // of products, which find their accumulators as ptxas wants them
        emit(c, Map{op.result, {}, op.value}, out);
    } else if (is_zero(op.value)) {
        out.push_back(run(call("tk::zero", {value_name(c, op.result)})));
    } else {
        out.push_back(run(call("tk::fill", {value_name(c, op.result), cell_value(c, op.value)})));
    }
}

bool is_conversion(const RoleContext& c, const Map& op) {
    const auto* rounds = std::get_if<Cast>(&op.expression->node);
    if (rounds == nullptr || op.inputs.size() != 1 || op.result == op.inputs[0]) return false;
    const TileType& from = c.role.tile(op.inputs[0]);
    const TileType& to = c.role.tile(op.result);
    const bool reals = (from.dtype == Dtype::f32 && is_narrow_real(to.dtype)) ||
                       (to.dtype == Dtype::f32 && is_narrow_real(from.dtype));
    return std::holds_alternative<Element>(rounds->argument->node) && reals && !is_vector(to) &&
           from.rows == to.rows && from.cols == to.cols;
}

}  // namespace tkc::cuda
