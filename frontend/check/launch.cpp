// The grid: its axes, in which order programs run, which of them form a cluster.
#include "frontend/check/launch.h"
#include "base/overloaded.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontend/check/builder.h"
#include "frontend/check/constants.h"
#include "frontend/check/context.h"
#include "frontend/check/expressions.h"
#include "frontend/check/loops.h"
#include "frontend/check/names.h"
#include "frontend/check/numbers.h"
#include "frontend/check/roles.h"
#include "frontend/check/types.h"

namespace tkc::checker {

namespace {

constexpr std::string_view bound_of_grid = "the bound of a grid";

}  // namespace

// False where it is not, which is reported.
bool Launch::is_known_at_launch(const ir::Scalar& value, std::string_view what, Span span) {
    bool loads = false;
    ir::visit_nodes(value, [&](const ir::ScalarNode& n) {
        loads = loads || std::holds_alternative<ir::ElementLoad>(n.node);
    });
    if (loads) {
        context_.error(span, msg::not_known_at_launch, what, context_.text(span));
        return false;
    }
    for (const std::string& name : ir::symbols_of(value)) {
        if (numbers_.launch_symbols.count(name) != 0) continue;
        DiagnosticBuilder message = context_.error(span, msg::not_known_at_launch, what, name);
        const bool of_grid =
            what == bound_of_grid &&
            std::any_of(builder_.kernel.grid.begin(), builder_.kernel.grid.end(),
                        [&](const ir::GridAxis& axis) { return axis.var == name; });
        if (of_grid)
            message.help(
                "a grid is a box: let it cover all programs, and do the work under `if i.start <= "
                "j.start { .. }`; or loop over this axis in the roles");
        return false;
    }
    return true;
}

void Launch::check_grid(const ast::Grid& grid) {
    std::vector<Entity*> indices;
    for (const ast::Iter& iter : grid.iters) {
        ir::GridAxis axis;
        axis.var = iter.name.text;
        Operand value = ir::symbol(axis.var);
        if (iter.reversed)
            context_.error(iter.span, msg::operand_kind, "a grid", "ascending ranges",
                           "`reversed`");
        if (iter.step) {
            const std::optional<std::int64_t> step =
                types_.check_width(*iter.step,
                                   "the programs of a grid have no order: write a positive width; "
                                   "`reversed` is only for loops");
            axis.step = step.value_or(1);
            value =
                step ? Operand(TileIndex{ir::symbol(axis.var), *step, false}) : Operand(Poison{});
        }
        indices.push_back(names_.declare(EntityKind::grid_index, iter.name, value));
        builder_.kernel.grid.push_back(std::move(axis));
    }
    for (std::size_t i = 0; i < grid.iters.size(); ++i) {
        const ast::Iter& iter = grid.iters[i];
        ir::GridAxis& axis = builder_.kernel.grid[i];
        const ir::Scalar begin =
            iter.begin ? types_.check_control(*iter.begin, bound_of_grid) : ir::integer(0);
        const ir::Scalar end = types_.check_control(*iter.end, bound_of_grid);
        if (!begin || !end) continue;
        axis.begin = numbers_.without_lets(begin);
        numbers_.range_begins[axis.var] = axis.begin;
        axis.end = numbers_.without_lets(end);
        is_known_at_launch(axis.begin, bound_of_grid, iter.begin ? iter.begin->span : iter.span);
        is_known_at_launch(axis.end, bound_of_grid, iter.end->span);
        if (auto* index = std::get_if<TileIndex>(&indices[i]->value);
            numbers_.is_multiple(begin, axis.step)) {
            if (index != nullptr) index->aligned = true;
            numbers_.multiples[axis.var] = axis.step;
        }
    }
    for (const ast::GridWord& word : grid.words) check_grid_word(word);
    for (const ast::GridWord& word : grid.words) {
        if (!std::holds_alternative<ast::Cluster>(word.node) || ir::walks_clusters(builder_.kernel))
            continue;
        // The axis along which consecutive programs lie.
        const std::string& axis = builder_.kernel.raster_axis.empty()
                                      ? builder_.kernel.grid.front().var
                                      : builder_.kernel.raster_axis;
        const std::int64_t size = ir::cluster_size(builder_.kernel);
        DiagnosticBuilder message = context_.error(word.span, msg::cluster_form, "cluster",
                                                   "groups programs that are not consecutive");
        if (context_.cluster != axis) {
            message.help("consecutive programs are along `{}`: write `cluster({} = {})`", axis,
                         axis, size);
            if (builder_.kernel.raster_axis.empty())
                message.help("or order programs along `{}`: write `raster({}, {})`",
                             *context_.cluster, *context_.cluster, size);
        } else {
            std::int64_t width = 0;
            ir::is_constant(builder_.kernel.raster_width, &width);
            message.help("a band holds whole clusters: write `raster({}, {})`", axis,
                         std::max((width + size - 1) / size, std::int64_t{1}) * size);
        }
    }
    for (Entity* index : indices) index->used = false;  // an order of programs makes none differ
}

void Launch::check_cluster(const ast::Cluster& cluster, Span span) {
    if (cluster.sizes.size() != 1 || !cluster.sizes[0].name || !cluster.sizes[0].value) {
        context_.error(
            span, msg::cluster_form, "cluster",
            fmt::format("has one argument, as in `cluster({} = 2)`",
                        builder_.kernel.grid.empty() ? "m" : builder_.kernel.grid.front().var));
        return;
    }
    const ast::GenericArg& size = cluster.sizes[0];
    const auto axis = std::find_if(builder_.kernel.grid.begin(), builder_.kernel.grid.end(),
                                   [&](const auto& a) { return a.var == size.name->text; });
    const Entity* named = names_.lookup(size.name->span, size.name->text, "grid variable");
    const std::optional<std::int64_t> blocks =
        types_.check_constant(*size.value, "the number of programs in a cluster", 1);
    if (named == nullptr || !blocks) return;
    if (named->kind != EntityKind::grid_index || axis == builder_.kernel.grid.end()) {
        context_.error(size.name->span, msg::operand_kind, "`cluster`", "a grid variable",
                       kind_text(named->kind));
    } else if (const std::int64_t most = context_.limits().blocks_of_cluster; most == 1) {
        context_.on_target(*blocks == 1, size.span, "a cluster");
    } else if (*blocks > most) {
        context_.error(size.span, msg::cluster_form, "cluster",
                       fmt::format("has at most {} programs, found {}", most, *blocks));
    } else {
        axis->cluster = *blocks;
        context_.cluster = axis->var;
    }
}

// A width that only the launch knows stays within the tiles that there are.
ir::Scalar Launch::band_width(const ast::Raster& raster) {
    constexpr const char* what = "the width of a band";
    const ir::Scalar asked = types_.check_control(*raster.band, what);
    if (!asked) return ir::integer(1);
    const ir::Scalar width = numbers_.without_lets(asked);
    std::int64_t value = 0;
    if (ir::is_constant(width, &value)) {
        if (value < 1) context_.error(raster.band->span, msg::positive_number, what, 1, value);
        return ir::integer(std::max(value, std::int64_t{1}));
    }
    const bool known = is_known_at_launch(width, what, raster.band->span);
    const auto axis = std::find_if(builder_.kernel.grid.begin(), builder_.kernel.grid.end(),
                                   [&](const auto& a) { return a.var == raster.axis.text; });
    if (!known || axis == builder_.kernel.grid.end() || !axis->end) return ir::integer(1);
    const ir::Scalar tiles = ir::ceil_div(ir::sub(axis->end, axis->begin), ir::integer(axis->step));
    return ir::call(Function::max, {ir::call(Function::min, {width, tiles}), ir::integer(1)});
}

void Launch::check_dynamic(const ast::Dynamic& dynamic, Span span) {
    if (dynamic.when) {
        const Operand value = expressions_.check_value(*dynamic.when);
        if (is_poison(value)) return;
        if (!is_constant_of(value, ast::ConstKind::boolean)) {
            context_.error(dynamic.when->span, msg::operand_kind, "`dynamic`",
                           "a constant that is true or false", describe(value));
            return;
        }
        if (!std::get<ir::Boolean>(scalar(value)->node).value) return;
    }
    if (context_.needs_derived_roles) return;  // of the kernel with roles it is asked anew
    builder_.kernel.dynamic = true;
    dynamic_ = span;
}

// After the roles.
void Launch::check_dynamic_schedule() {
    const ir::Kernel& kernel = builder_.kernel;
    if (!kernel.dynamic) return;
    const Span before{dynamic_.file, dynamic_.begin, dynamic_.begin};
    if (!kernel.persistent) {
        context_.error(dynamic_, msg::dynamic_form, "needs a `persistent` grid")
            .help(
                "write `persistent dynamic`; without both, the GPU starts a block per program, the "
                "next one when one ends")
            .fix(before, "persistent ");
    } else if (kernel.roles.size() == 1) {
        context_
            .error(
                dynamic_, msg::dynamic_form,
                "passes program numbers from one role to others, but this kernel has only one role")
            .help(
                "remove `persistent` and `dynamic`: the GPU then starts a block per program, the "
                "next one when one ends");
    } else if (ir::cluster_blocks(kernel) > 1) {
        context_
            .error(dynamic_, msg::dynamic_form,
                   "assigns programs to single blocks, but these form clusters")
            .help("remove `cluster` or `dynamic`");
    } else if (std::none_of(kernel.roles.begin(), kernel.roles.end(), [](const ir::Role& role) {
                   return role.unit == ir::Unit::warp && role.width == 1;
               })) {
        context_
            .error(dynamic_, msg::dynamic_form,
                   "needs a role of one warp, which fetches the program numbers")
            .help("let a role `(1 warp)` load the data that the others process");
    }
}

void Launch::check_grid_word(const ast::GridWord& word) {
    std::visit(Overloaded{
                   [&](const ast::Persistent&) { builder_.kernel.persistent = true; },
                   [&](const ast::Dynamic& dynamic) { check_dynamic(dynamic, word.span); },
                   [&](const ast::Raster& raster) {
                       const Entity* axis =
                           names_.lookup(raster.axis.span, raster.axis.text, "grid variable");
                       if (axis != nullptr && axis->kind != EntityKind::grid_index) {
                           context_.error(raster.axis.span, msg::operand_kind, "`raster`",
                                          "a grid variable", kind_text(axis->kind));
                       }
                       builder_.kernel.raster_axis = raster.axis.text;
                       builder_.kernel.raster_width = band_width(raster);
                   },
                   [&](const ast::HeaviestFirst& heaviest) { heaviest_first_ = &heaviest; },
                   [&](const ast::Warps& warps) { roles_.check_warps(warps, word.span); },
                   [&](const ast::BlocksPerSm& blocks) {
                       constexpr const char* what = "the number of blocks per multiprocessor";
                       const std::int64_t most = context_.limits().blocks_of_multiprocessor;
                       builder_.kernel.requested_blocks =
                           types_.check_constant(*blocks.count, what, 1).value_or(0);
                       if (builder_.kernel.requested_blocks > most)
                           context_.error(blocks.count->span, msg::blocks_do_not_fit,
                                          builder_.kernel.requested_blocks,
                                          fmt::format("a multiprocessor holds at most {}", most));
                   },
                   [&](const ast::Spills& spills) {
                       builder_.kernel.spills =
                           types_
                               .check_constant(*spills.bytes, "the number of bytes in `spills`", 0)
                               .value_or(0);
                   },
                   [&](const ast::Cluster& cluster) { check_cluster(cluster, word.span); },
                   [&](const ast::Pingpong&) { roles_.check_pingpong(word.span); },
               },
               word.node);
}

// The weight may name `let`s and spaces below the grid, so it is looked at after them.
void Launch::check_weight() {
    const ast::HeaviestFirst* const word = heaviest_first_;
    if (word == nullptr) return;
    const Operand value = expressions_.check_value(*word->weight);
    const auto* space = std::get_if<SpaceName>(&value);
    const ir::Scalar weight =
        space != nullptr
            ? loops_.points(loops_.space(space->name), word->weight->span)
            : types_.as_control(value, word->weight->span, "the weight of `heaviest_first`");
    if (!weight) return;
    const ir::Scalar known = numbers_.without_lets(weight);
    ir::visit_nodes(known, [&](const ir::ScalarNode& n) {
        const auto* load = std::get_if<ir::ElementLoad>(&n.node);
        if (load == nullptr) return;
        context_.error(word->weight->span, msg::not_known_at_launch,
                       "the weight of `heaviest_first`", load->tensor);
    });
    builder_.kernel.weight = known;
}

}  // namespace tkc::checker
