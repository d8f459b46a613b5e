// Where the axes of tiles come from: `load(X[m, :])` has rows that stand for the positions of `m`.
// A row over `m` that meets such a tile scales its columns, which nobody means; on a tile with as
// many rows as columns nothing else would show it.
//
// An origin goes with its axis through elementwise work, products, reductions, `.T`, `column` and
// pipelines. What is not known is never refused.
#include <fmt/format.h>

#include <algorithm>

#include "frontend/check/kernel_checker.h"

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

Origins common_origins(const Origins& a, const Origins& b) {
    return {common_origin(a.rows, b.rows), common_origin(a.cols, b.cols)};
}

Origins KernelChecker::origins_of(const TensorPart& part, bool upright) const {
    std::vector<Origin> axes;
    for (const ir::Range& range : part.slice.ranges) {
        if (range.kind == ir::Range::Kind::index) continue;
        Origin made;
        made.start =
            range.kind == ir::Range::Kind::whole ? ir::integer(0) : without_lets(range.base);
        const std::size_t axis = axes.size();
        made.length = axis < part.extents.size() ? part.extents[axis] : 0;
        for (const std::string& name : ir::symbols_of(made.start)) {
            const bool walks = range_begins_.contains(name);
            if (walks) made.variables.insert(name);
        }
        axes.push_back(std::move(made));
    }
    if (axes.size() == 2) return {axes[0], axes[1]};
    if (axes.size() != 1) return {};
    return upright ? Origins{axes[0], {}} : Origins{{}, axes[0]};
}

// Loops of two roles are no more than called the same.
Origins KernelChecker::seen_elsewhere(Origins origins) const {
    for (Origin* axis : {&origins.rows, &origins.cols}) {
        const bool of_grid = std::all_of(
            axis->variables.begin(), axis->variables.end(), [&](const std::string& name) {
                return std::any_of(kernel_.grid.begin(), kernel_.grid.end(),
                                   [&](const ir::GridAxis& g) { return g.var == name; });
            });
        if (of_grid || !axis->known()) continue;
        axis->owner = role_->name;
        axis->variables.clear();
    }
    return origins;
}

void KernelChecker::add_origins(ir::Value value, const Origins& origins) {
    const auto [known, added] = origins_.emplace(value.id, origins);
    if (!added) known->second = common_origins(known->second, origins);
}

Origins KernelChecker::origins_of(ir::Value value) const {
    const auto known = origins_.find(value.id);
    return known == origins_.end() ? Origins{} : known->second;
}

// Of the result of an operation on tiles, of which rows and columns are repeated.
Origins KernelChecker::joined_origins(const std::vector<Tile>& tiles) {
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
bool KernelChecker::lies_wrong(const Origin& vector, const Origin& along,
                               const Origin& across) const {
    if (vector.variables.empty() || !vector.same_as(across) || !along.known()) return false;
    if (along.same_as(across) || meet(along.variables, vector.variables)) return false;
    if (!along.owner.empty()) return true;
    return !facts_here().prove_equal(ir::normal_form(without_lets(along.start)),
                                     ir::normal_form(without_lets(vector.start)));
}

std::string KernelChecker::turned_text(const std::string& written) const {
    const bool whole = written.ends_with(")") && written.find(')') + 1 == written.size();
    const bool column = written.starts_with("column(") && written.ends_with("))") &&
                        written.find(')') + 2 == written.size();
    if (column) return written.substr(7, written.size() - 8);
    const bool wrapped = whole && written.front() == '(';
    return wrapped ? "column" + written : fmt::format("column({})", written);
}

// Who writes the same slice as a column, too, knows that it is a row here.
bool KernelChecker::writes_column_too(const std::string& written) const {
    if (!written.starts_with("load(") || items_.empty()) return false;
    const Span name = syntax_.name.span;
    const std::string whole = text({name.file, name.begin, items_.back().span.end});
    return whole.find("column(" + written + ")") != std::string::npos;
}

// False: told.
bool KernelChecker::check_axes(std::string_view written, Span span, const std::vector<Tile>& tiles,
                               const std::vector<Span>& spans,
                               const std::vector<std::size_t>& places) {
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
            if (row && writes_column_too(operand_text(spans, places[v]))) continue;
            const std::string name = *own.variables.begin();
            DiagnosticBuilder message =
                error(span, msg::vector_along_wrong_axis, fmt::format("`{}`", written),
                      row ? "row" : "column", name, row ? "rows" : "columns");
            const std::string operand = operand_text(spans, places[v]);
            if (operand == "..") return false;
            message.label(spans[places[v]], "this {} goes along the other axis",
                          row ? "row" : "column");
            const std::string turned = turned_text(operand);
            const bool drops = !turned.starts_with("column(");
            if (row || drops) message.help("write `{}`", turned).fix(spans[places[v]], turned);
            else message.help("load it as a row: leave out `column`");
            return false;
        }
    }
    return true;
}

// A row where a column is meant shows in the extents, too.
void KernelChecker::help_with_column(DiagnosticBuilder& message, const Cells& cells,
                                     const Tile& tile) const {
    const bool second = tile.rows == 1 && tile.cols == cells.rows && cells.cols != 1;
    const bool first = cells.rows == 1 && cells.cols == tile.rows && tile.cols != 1;
    if (!second && !first) return;
    const std::string written =
        operand_text(cells.spans, second ? cells.cells.size() : cells.widest);
    if (written == ".." || written.size() > 64 || written.starts_with("column(")) return;
    message.help("a slice with one range is a row: write `{}` for one number for each row",
                 turned_text(written));
}

// Whether the slice, which lacks its `load`, is meant to be a column beside the other operands.
bool KernelChecker::means_column(const TensorPart& part,
                                 const std::vector<Operand>& operands) const {
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

}  // namespace tkc::checker
