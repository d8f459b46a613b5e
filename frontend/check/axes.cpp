// Where the axes of tiles come from: `load(X[m, :])` has rows that stand for the positions of `m`.
// A row over `m` that meets such a tile scales its columns, which nobody means; on a tile with as
// many rows as columns nothing else would show it.
//
// An origin goes with its axis through elementwise work, products, reductions, `.T`, `column` and
// pipelines. What is not known is never refused.
#include "frontend/check/axes.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontend/check/builder.h"
#include "frontend/check/context.h"
#include "frontend/check/numbers.h"

namespace tkc::checker {

namespace {

bool meet(const std::set<std::string>& a, const std::set<std::string>& b) {
    return std::any_of(a.begin(), a.end(), [&](const std::string& x) { return b.contains(x); });
}

Origin unknown_for_good() {
    Origin mixed;
    mixed.mixed = true;
    return mixed;
}

}  // namespace

bool Origin::same_as(const Origin& other) const {
    return known() && other.known() && length == other.length && owner == other.owner &&
           ir::same(start, other.start);
}

Origin common_origin(const Origin& a, const Origin& b) {
    if (a.mixed || b.mixed) return unknown_for_good();
    if (!a.known()) return b;
    if (!b.known() || a.same_as(b)) return a;
    return unknown_for_good();
}

Origin part_of(Origin whole, std::int64_t first, std::int64_t length) {
    if (whole.start) whole.start = ir::add(whole.start, ir::integer(first));
    whole.length = length;
    return whole;
}

Origins common_origins(const Origins& a, const Origins& b) {
    return {common_origin(a.rows, b.rows), common_origin(a.cols, b.cols)};
}

Axes::Axes(Context& context, Builder& builder, Numbers& numbers)
    : context_(context), builder_(builder), numbers_(numbers) {}

Origins Axes::origins_of(const TensorPart& part, bool upright) const {
    std::vector<Origin> axes;
    for (const ir::Range& range : part.slice.ranges) {
        if (range.kind == ir::Range::Kind::index) continue;
        Origin made;
        if (range.kind == ir::Range::Kind::gather) {  // not known
            axes.push_back(std::move(made));
            continue;
        }
        made.start = range.kind == ir::Range::Kind::whole ? ir::integer(0)
                                                          : numbers_.without_lets(range.base);
        const std::size_t axis = axes.size();
        made.length = axis < part.extents.size() ? part.extents[axis] : 0;
        for (const std::string& name : ir::symbols_of(made.start)) {
            const bool walks = numbers_.range_begins.contains(name);
            if (walks) made.variables.insert(name);
        }
        axes.push_back(std::move(made));
    }
    if (axes.size() == 2) return {axes[0], axes[1]};
    if (axes.size() != 1) return {};
    return upright ? Origins{axes[0], {}} : Origins{{}, axes[0]};
}

// Loops of two roles are no more than called the same.
Origins Axes::seen_elsewhere(Origins origins) const {
    for (Origin* axis : {&origins.rows, &origins.cols}) {
        const bool of_grid = std::all_of(
            axis->variables.begin(), axis->variables.end(), [&](const std::string& name) {
                return std::any_of(builder_.kernel.grid.begin(), builder_.kernel.grid.end(),
                                   [&](const ir::GridAxis& g) { return g.var == name; });
            });
        if (of_grid || !axis->known()) continue;
        axis->owner = builder_.role->name;
        axis->variables.clear();
    }
    return origins;
}

void Axes::add_origins(ir::Value value, const Origins& origins) {
    const auto [known, added] = origins_.emplace(value.id, origins);
    if (!added) known->second = common_origins(known->second, origins);
}

Origins Axes::origins_of(ir::Value value) const {
    const auto known = origins_.find(value.id);
    return known == origins_.end() ? Origins{} : known->second;
}

// Of the result of an operation on tiles, of which rows and columns are repeated.
Origins Axes::joined_origins(const std::vector<Tile>& tiles) {
    Origins made;
    std::int64_t rows = 1, cols = 1;
    for (const Tile& tile : tiles) {
        rows = std::max(rows, tile.rows);
        cols = std::max(cols, tile.cols);
    }
    for (const Tile& tile : tiles) {
        if (tile.rows == rows) made.rows = common_origin(made.rows, tile.origins.rows);
        if (tile.cols == cols) made.cols = common_origin(made.cols, tile.origins.cols);
    }
    return made;
}

// Whether what lies along one axis of the tile comes from where its other axis does.
bool Axes::lies_wrong(const Origin& vector, const Origin& along, const Origin& across) const {
    if (vector.variables.empty() || !vector.same_as(across) || !along.known()) return false;
    if (along.same_as(across) || meet(along.variables, vector.variables)) return false;
    if (!along.owner.empty()) return true;
    return !numbers_.facts_here().prove_equal(ir::normal_form(numbers_.without_lets(along.start)),
                                              ir::normal_form(numbers_.without_lets(vector.start)));
}

std::string Axes::turned_text(const std::string& written) const {
    const bool whole = written.ends_with(")") && written.find(')') + 1 == written.size();
    const bool column = written.starts_with("column(") && written.ends_with("))") &&
                        written.find(')') + 2 == written.size();
    if (column) return written.substr(7, written.size() - 8);
    const bool wrapped = whole && written.front() == '(';
    return wrapped ? "column" + written : fmt::format("column({})", written);
}

// Who writes the same slice as a column, too, knows that it is a row here.
bool Axes::writes_column_too(const std::string& written) const {
    if (!written.starts_with("load(") || context_.items.empty()) return false;
    const Span name = context_.syntax.name.span;
    const std::string whole =
        context_.text({name.file, name.begin, context_.items.back().span.end});
    return whole.find("column(" + written + ")") != std::string::npos;
}

// False if an error was reported.
bool Axes::check_axes(std::string_view written, Span span, const std::vector<Tile>& tiles,
                      const std::vector<Span>& spans, const std::vector<std::size_t>& places) {
    for (std::size_t v = 0; v < tiles.size(); ++v) {
        const Tile& vector = tiles[v];
        if ((vector.rows == 1) == (vector.cols == 1)) continue;
        const bool row = vector.rows == 1;
        const Origin& own = row ? vector.origins.cols : vector.origins.rows;
        for (const Tile& tile : tiles) {
            if (tile.rows == 1 || tile.cols == 1) continue;
            const Origin& along = row ? tile.origins.cols : tile.origins.rows;
            const Origin& across = row ? tile.origins.rows : tile.origins.cols;
            if (!lies_wrong(own, along, across)) continue;
            if (row && writes_column_too(context_.operand_text(spans, places[v]))) continue;
            const std::string name = *own.variables.begin();
            DiagnosticBuilder message =
                context_.error(span, msg::vector_along_wrong_axis, fmt::format("`{}`", written),
                               row ? "row" : "column", name, row ? "rows" : "columns");
            const std::string operand = context_.operand_text(spans, places[v]);
            if (operand == "..") return false;
            message.label(spans[places[v]], "this {} runs along the other axis",
                          row ? "row" : "column");
            const std::string turned = turned_text(operand);
            const bool drops = !turned.starts_with("column(");
            if (row || drops) message.help("write `{}`", turned).fix(spans[places[v]], turned);
            else message.help("load it as a row: remove `column`");
            return false;
        }
    }
    return true;
}

// Whether the slice, which lacks its `load`, is meant to be a column next to the other operands.
bool Axes::means_column(const TensorPart& part, const std::vector<Operand>& operands) const {
    if (part.extents.size() != 1) return false;
    const Origin own = origins_of(part, false).cols;
    return std::any_of(operands.begin(), operands.end(), [&](const Operand& x) {
        Origins origins;
        if (const auto* tile = std::get_if<Tile>(&x)) origins = tile->origins;
        else if (const auto* shared = std::get_if<SharedTile>(&x)) {
            origins = origins_of(shared->value);
            if (shared->transposed) std::swap(origins.rows, origins.cols);
        }
        const std::vector<std::int64_t> extents = extents_of(x);
        if (extents.size() != 2 || extents[0] != part.extents[0] || extents[1] == 1) return false;
        return lies_wrong(own, origins.cols, origins.rows) || extents[1] != part.extents[0];
    });
}

void Axes::add_field_origins(const ir::Pipeline& pipeline, const ir::PipelineField& field,
                             const Origins& origins) {
    const Origins seen = seen_elsewhere(origins);
    const auto [known, added] = field_origins_.emplace(std::pair(pipeline.name, field.name), seen);
    if (!added) known->second = common_origins(known->second, seen);
}

void Axes::enter_field(ir::Value value, const std::string& pipeline, const std::string& field) {
    const auto known = field_origins_.find({pipeline, field});
    if (known != field_origins_.end()) add_origins(value, known->second);
}

}  // namespace tkc::checker
