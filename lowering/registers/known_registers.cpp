// What ptxas can work out of an operand of wgmma in registers, cell by cell.
#include "lowering/registers/known_registers.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "language/arithmetic.h"

namespace tkc::lowering {

namespace {

using namespace ir;

// The value of a cell, as far as its place decides it.
class KnownCell {
public:
    KnownCell(std::int64_t row, std::int64_t col)
        : row_(static_cast<double>(row)), col_(static_cast<double>(col)) {}

    std::optional<double> of(const Scalar& s) const {
        if (const auto* n = std::get_if<Integer>(&s->node)) return static_cast<double>(n->value);
        if (const auto* n = std::get_if<Real>(&s->node)) return n->value;
        if (const auto* n = std::get_if<Boolean>(&s->node)) return n->value ? 1 : 0;
        if (std::holds_alternative<Row>(s->node)) return row_;
        if (std::holds_alternative<Column>(s->node)) return col_;
        if (const auto* n = std::get_if<Cast>(&s->node)) return of(n->argument);
        if (const auto* n = std::get_if<Call>(&s->node)) return of(*n, s->dtype);
        return std::nullopt;
    }

private:
    std::optional<double> of(const Call& call, Dtype dtype) const {
        const Function f = call.function;
        const std::optional<double> first = of(call.arguments[0]);
        if (f == Function::where) {
            if (first) return of(call.arguments[*first != 0 ? 1 : 2]);
            const std::optional<double> yes = of(call.arguments[1]);
            return yes == of(call.arguments[2]) ? yes : std::nullopt;
        }
        std::vector<std::optional<double>> x{first};
        for (std::size_t i = 1; i < call.arguments.size(); ++i) x.push_back(of(call.arguments[i]));
        if (f == Function::logical_and || f == Function::logical_or) {
            const double decides = f == Function::logical_or ? 1 : 0;
            if (x[0] == decides || x[1] == decides) return decides;
        }
        if (std::find(x.begin(), x.end(), std::nullopt) != x.end()) return std::nullopt;
        x.resize(3, 0.0);
        if (info(f).kind == FunctionKind::compare) return arithmetic::compare(f, *x[0], *x[1]);
        if (is_real(call.arguments[0]->dtype) != is_real(dtype)) return std::nullopt;
        if (is_real(dtype)) return arithmetic::apply_in(dtype, f, *x[0], *x[1], *x[2]);
        const auto whole = [](double v) { return static_cast<std::int64_t>(v); };
        if (arithmetic::divides(f) && whole(*x[1]) < 1) return std::nullopt;
        return static_cast<double>(
            wrap_to(dtype, arithmetic::apply(f, whole(*x[0]), whole(*x[1]), whole(*x[2]))));
    }

    double row_;
    double col_;
};

bool mentions(const Scalar& s, const std::set<std::string>& names) {
    const std::set<std::string> found = symbols_of(s);
    return std::any_of(found.begin(), found.end(),
                       [&](const std::string& name) { return names.contains(name); });
}

bool mentions_places(const Scalar& s) {
    bool found = false;
    visit_nodes(s, [&](const ScalarNode& node) {
        found = found || std::holds_alternative<Row>(node.node) ||
                std::holds_alternative<Column>(node.node);
    });
    return found;
}

// Rows 0 to 7 of each warp's 16 are in other registers than rows 8 to 15. A register holds 4 bytes
// of each of 4 places next to each other.
bool is_constant_register(const TileType& type, const Scalar& cell, std::int64_t first_row,
                          std::int64_t first_col, std::int64_t columns) {
    std::optional<double> all;
    for (std::int64_t warp = 0; warp < 4; ++warp) {
        for (std::int64_t row = 0; row < 8; ++row) {
            for (std::int64_t col = 0; col < columns; ++col) {
                const std::optional<double> one =
                    KnownCell(first_row + 16 * warp + row, first_col + col).of(cell);
                if (!one || (all && *all != *one)) return false;
                all = one;
            }
        }
    }
    return first_row < type.rows && first_col < type.cols;
}

// Whether a condition of which a variable of a loop is a part chooses a number.
bool chooses_by(const Scalar& cell, const std::set<std::string>& loops) {
    bool found = false;
    visit_nodes(cell, [&](const ScalarNode& node) {
        const auto* call = std::get_if<Call>(&node.node);
        if (call == nullptr || call->function != Function::where) return;
        const KnownCell anywhere(0, 0);
        const bool number = anywhere.of(call->arguments[1]) || anywhere.of(call->arguments[2]);
        found = found || (number && mentions(call->arguments[0], loops));
    });
    return found;
}

}  // namespace

bool has_constant_register(const TileType& type, const Scalar& cell,
                           const std::set<std::string>& loops) {
    // Written out, what shares its parts may be without end.
    constexpr std::size_t most_nodes = 1000;
    if (cell->size > most_nodes || chooses_by(cell, loops)) return true;
    if (!mentions_places(cell)) return KnownCell(0, 0).of(cell).has_value();
    const std::int64_t columns = 4 * 4 / bytes(type.dtype);
    for (std::int64_t row = 0; row < type.rows; row += row % 64 == 0 ? 8 : 56) {
        for (std::int64_t col = 0; col < type.cols; col += columns) {
            if (is_constant_register(type, cell, row, col, columns)) return true;
        }
    }
    return false;
}

}  // namespace tkc::lowering
