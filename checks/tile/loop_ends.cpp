// Slices stop at the edges of tensors and views, and not where a loop ends. That makes no
// difference if the end is the edge, and often meant elsewhere. It is not meant where one part
// begins at the end of another, as in `for k in K * s // S..K * (s + 1) // S by 64`: the last tile
// of a part then holds what the next part reads too, and a sum has it twice. Nothing is said where
// the kernel looks at the positions of what it reads: it masks what is not its own.
#include "checks/tile/loop_ends.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "arithmetic/number_names.h"
#include "checks/padding/padding.h"
#include "facts/facts.h"
#include "ir/walk.h"

namespace tkc::checks {

namespace {

using namespace ir;

// A variable around a loop, of the grid or of another loop.
struct Outer {
    std::string var;
    std::int64_t step;
};

bool has_loops_of_tiles(const Kernel& kernel) {
    bool found = false;
    for (const Role& role : kernel.roles) {
        walk_only<For>(role.body, [&](const For& loop) { found = found || loop.step > 1; });
    }
    return found;
}

class LoopEnds {
public:
    LoopEnds(const Kernel& kernel, Diagnostics& diag)
        : kernel_(kernel), diag_(diag), bindings_(bindings_of(kernel)) {
        for (const Op& op : kernel.lets) {
            if (const auto* let = as<Let>(op)) {
                kernel_lets_[let->name] = substitute(let->value, kernel_lets_);
            }
        }
    }

    void run() {
        for (const Role& role : kernel_.roles) {
            enter(role);
            find_masks(role.body, {});
        }
        std::vector<Outer> grid;
        for (const GridAxis& axis : kernel_.grid) grid.push_back({axis.var, axis.step});
        const Facts facts = facts_of(kernel_, bindings_);
        for (const Role& role : kernel_.roles) {
            enter(role);
            look_in(role.body, facts, grid);
        }
    }

private:
    void enter(const Role& role) {
        lets_ = kernel_lets_;
        for (const auto& [name, value] : padding::expanded_lets(role))
            lets_[name] = substitute(value, kernel_lets_);
    }
    Scalar expanded(const Scalar& s) const { return substitute(s, lets_); }
    NormalForm form(const Scalar& s) const { return normal_form(expanded(s), bindings_); }

    // The ends of loops of which the kernel compares positions, or computes with them.
    void find_masks(const Block& block, std::vector<const For*> loops) {
        for (const Op& op : block) {
            if (const auto* loop = as<For>(op)) {
                loops.push_back(loop);
                find_masks(loop->body, loops);
                loops.pop_back();
                continue;
            }
            if (const auto* map = as<Map>(op)) {
                bool places = false;
                const Scalar cell = expanded(map->expression);
                visit_nodes(cell, [&](const ScalarNode& n) {
                    places = places || std::holds_alternative<Row>(n.node) ||
                             std::holds_alternative<Column>(n.node);
                });
                const std::set<std::string> used = symbols_of(cell);
                for (const For* loop : loops) {
                    if (places && used.contains(loop->var)) masked_.insert(form(loop->end).key());
                }
            }
            for_each_block(op, [&](const Block& inner) { find_masks(inner, loops); });
        }
    }

    void look_in(const Block& block, const Facts& facts, std::vector<Outer>& outer) {
        for (const Op& op : block) {
            if (const auto* loop = as<For>(op)) {
                const NormalForm begin = form(loop->begin);
                const NormalForm end = form(loop->end);
                if (begin.is_unknown() || end.is_unknown()) continue;
                if (loop->step > 1) look_at(*loop, facts, outer);
                Facts inside = facts;
                inside.assume_range(loop->var, begin, end, loop->step);
                outer.push_back({loop->var, loop->step});
                look_in(loop->body, inside, outer);
                outer.pop_back();
                continue;
            }
            for_each_block(op, [&](const Block& inner) { look_in(inner, facts, outer); });
        }
    }

    void look_at(const For& loop, const Facts& facts, const std::vector<Outer>& outer) {
        const Scalar length = sub(expanded(loop.end), expanded(loop.begin));
        const NormalForm rest =
            normal_form(call(Function::mod, {length, integer(loop.step)}), bindings_);
        if (facts.prove_equal(rest, 0) || masked_.contains(form(loop.end).key())) return;
        const auto next = std::find_if(outer.rbegin(), outer.rend(),
                                       [&](const Outer& x) { return begins_after(loop, x); });
        if (next == outer.rend()) return;
        bool told = false;
        walk(loop.body, [&](const Op& op) {
            const auto* load = as<Load>(op);
            const auto* fill = as<Fill>(op);
            if (told || (load == nullptr && fill == nullptr)) return;
            const Slice& slice = load != nullptr ? load->source : fill->source;
            told = look_at(slice, op.span, loop, rest, facts, *next);
        });
    }

    // Whether the loop begins where it ended for the value of `x` before: at the end, or a step
    // after it, where the first step is written out before the loop.
    bool begins_after(const For& loop, const Outer& x) const {
        const Scalar begin = expanded(loop.begin);
        if (!symbols_of(begin).contains(x.var)) return false;
        const NormalForm next = normal_form(
            substitute(begin, {{x.var, add(symbol(x.var), integer(x.step))}}), bindings_);
        const NormalForm between = next - form(loop.end);
        return between.is_zero() || (between - NormalForm(loop.step)).is_zero();
    }

    // Whether it was told.
    bool look_at(const Slice& slice, Span span, const For& loop, const NormalForm& rest,
                 const Facts& facts, const Outer& next) {
        const Tensor* tensor = find_tensor(kernel_, slice.tensor);
        int tile_axis = -1;
        for (std::size_t i = 0; tensor != nullptr && i < slice.ranges.size(); ++i) {
            const Range& range = slice.ranges[i];
            if (range.kind != Range::Kind::index) ++tile_axis;
            if (range.kind != Range::Kind::span || range.length != loop.step) continue;
            if (!(form(range.base) - symbol_form(loop.var)).is_zero()) continue;
            const Scalar edge = range.edge ? range.edge : tensor->extents[i];
            const NormalForm behind = form(edge) - form(loop.end) - NormalForm(1);
            const NormalForm steps = form(loop.end) - form(loop.begin) - NormalForm(1);
            const auto witness = facts.find(
                {negation(equals_zero(rest)), at_least_zero(behind), at_least_zero(steps)});
            if (!witness) continue;
            tell(slice, span, loop, next, tile_axis, witness->text);
            return true;
        }
        return false;
    }

    void tell(const Slice& slice, Span span, const For& loop, const Outer& next, int tile_axis,
              const std::string& sizes) {
        const std::string end = written(loop.end);
        DiagnosticBuilder message =
            diag_.warning(span, msg::reads_next_part, loop.var, slice.tensor, end,
                          sizes.empty() ? "always" : "when " + sizes);
        message.note(
            "slices stop at the edges of tensors, not at the end of a loop; the next `{}` begins "
            "at `{}`",
            next.var, end);
        bool by_data = false;
        visit_nodes(expanded(loop.end), [&](const ScalarNode& n) {
            by_data = by_data || std::holds_alternative<ElementLoad>(n.node);
        });
        if (by_data) {
            message.help(
                "name each part, `let own = {}[begin +: end - begin];`, and loop over it, `for {} "
                "in end - begin by {}`: a named part has its own end",
                slice.tensor, loop.var, loop.step);
            return;
        }
        const auto spans =
            std::count_if(slice.ranges.begin(), slice.ranges.end(),
                          [](const Range& range) { return range.kind != Range::Kind::index; });
        message.help(
            "let the parts begin at multiples of {0}: `ceil_div(K, {0}) * s // S * {0}` for "
            "`K * s // S`",
            loop.step);
        message.help(
            "or mask the loaded tile with the loop's end: `where({}.start + {}(x) < end, x, 0)`",
            loop.var, tile_axis == 0 && spans == 2 ? "row_index" : "col_index");
    }

    // Integers are divided by `//` in the language.
    static std::string written(const Scalar& s) {
        std::string text = to_string(as_written(s));
        for (std::size_t at = text.find('/'); at != std::string::npos; at = text.find('/', at + 4))
            text.replace(at, 1, " // ");
        return text;
    }

    const Kernel& kernel_;
    Diagnostics& diag_;
    const Bindings bindings_;
    std::map<std::string, Scalar> kernel_lets_;
    std::map<std::string, Scalar> lets_;  // of the role, too
    std::set<std::string> masked_;
};

}  // namespace

void warn_of_loop_ends(const Kernel& kernel, Diagnostics& diag) {
    if (has_loops_of_tiles(kernel)) LoopEnds(kernel, diag).run();
}

}  // namespace tkc::checks
