// Inserts the compiler's own assertions.
#include "frontend/check/asserted.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "ir/walk.h"

namespace tkc::checker {

namespace {

// What tells an assertion from others. Names are those of one value wherever they are seen, and
// the tensors that numbers are read from are never written.
std::string key_of(const ir::Op& op) {
    const auto* a = ir::as<ir::Assert>(op);
    if (a == nullptr || a->tile) return "";
    return fmt::format("{} {} {}", a->rows, a->cols, ir::to_string(a->condition));
}

std::set<std::string> names_of(const ir::Block& block) {
    std::set<std::string> names;
    ir::walk(block, [&](const ir::Op& op) {
        if (const auto* let = ir::as<ir::Let>(op)) names.insert(let->name);
        if (const auto* read = ir::as<ir::ReadNumber>(op)) names.insert(read->name);
        if (const auto* loop = ir::as<ir::For>(op)) names.insert(loop->var);
    });
    return names;
}

class Asserting {
public:
    explicit Asserting(ChecksOfOperation checks) : checks_(checks) {}

    // `before`: what is before the `produce` of `pipeline` whose body this is.
    void block(ir::Block& ops, std::set<std::string> seen, const std::string& pipeline = "",
               ir::Block* before = nullptr) {
        const std::set<std::string> inner_names =
            before != nullptr ? names_of(ops) : std::set<std::string>{};
        ir::Block made;
        for (ir::Op& op : ops) {
            ir::Block added;
            checks_(op, pipeline, added);
            for (ir::Op& check : added) {
                const std::string key = key_of(check);
                if (!key.empty() && !seen.insert(key).second) continue;
                const bool moves = before != nullptr && ir::as<ir::Fill>(op) != nullptr &&
                                   names_nothing(check, inner_names);
                (moves ? *before : made).push_back(std::move(check));
            }
            const auto* produce = ir::as<ir::Produce>(op);
            ir::for_each_block(op, [&](ir::Block& inner) {
                if (produce != nullptr) block(inner, seen, produce->pipeline, &made);
                else block(inner, seen, pipeline);
            });
            made.push_back(std::move(op));
        }
        ops = std::move(made);
    }

private:
    static bool names_nothing(const ir::Op& check, const std::set<std::string>& names) {
        bool free = true;
        ir::for_each_scalar(check, [&](const ir::Scalar& s) {
            for (const std::string& name : ir::symbols_of(s)) free = free && !names.contains(name);
        });
        return free;
    }

    ChecksOfOperation checks_;
};

}  // namespace

void assert_before_operations(ir::Role& role, ChecksOfOperation checks) {
    Asserting(checks).block(role.body, {});
}

void assert_first(ir::Role& role, ir::Block first) {
    std::set<std::string> seen;
    std::erase_if(first, [&](const ir::Op& op) { return !seen.insert(key_of(op)).second; });
    role.body.insert(role.body.begin(), std::make_move_iterator(first.begin()),
                     std::make_move_iterator(first.end()));
}

ir::Scalar both_hold(const ir::Scalar& a, const ir::Scalar& b) {
    return a && b ? ir::call(Function::logical_and, {a, b}) : a ? a : b;
}

bool differs_by_cell(const ir::Scalar& s) {
    bool found = false;
    ir::visit_nodes(s, [&](const ir::ScalarNode& n) {
        found = found || std::holds_alternative<ir::Row>(n.node) ||
                std::holds_alternative<ir::Column>(n.node);
    });
    return found;
}

CellOfSlice cell_of(const ir::Slice& slice, const ir::Tensor& tensor, const ir::TileType& tile) {
    const auto kept =
        std::count_if(slice.ranges.begin(), slice.ranges.end(),
                      [](const ir::Range& r) { return r.kind != ir::Range::Kind::index; });
    bool rows_next = kept == 2 || (tile.cols == 1 && tile.rows != 1);
    CellOfSlice cell{{}, ir::boolean(true)};
    for (std::size_t axis = 0; axis < slice.ranges.size(); ++axis) {
        const ir::Range& r = slice.ranges[axis];
        ir::Scalar at = r.base ? r.base : ir::integer(0);
        if (r.kind != ir::Range::Kind::index) {
            const ir::Scalar number = rows_next ? ir::row() : ir::column();
            rows_next = false;
            if (r.kind == ir::Range::Kind::gather) {
                at = ir::rewrite(at, [&](const ir::Scalar& s) {
                    return std::holds_alternative<ir::Row>(s->node) ? number : nullptr;
                });
            } else {
                at = ir::is_zero(at) ? number : ir::add(at, number);
            }
            const bool listed = r.kind == ir::Range::Kind::gather;
            if (r.edge)
                cell.is_element =
                    both_hold(cell.is_element, ir::less(listed ? number : at, r.edge));
        }
        const ir::Scalar inside = both_hold(ir::call(Function::ge, {at, ir::integer(0)}),
                                            ir::less(at, tensor.extents[axis]));
        cell.is_element = both_hold(cell.is_element, inside);
        cell.position.push_back(at);
    }
    return cell;
}

}  // namespace tkc::checker
