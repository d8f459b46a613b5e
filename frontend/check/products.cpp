// Products: which operand may come from where, and which extents the tensor cores take.
#include "frontend/check/products.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontend/check/axes.h"
#include "frontend/check/builder.h"
#include "frontend/check/context.h"
#include "frontend/check/expressions.h"
#include "frontend/check/limits.h"
#include "frontend/check/tile_slices.h"
#include "frontend/check/tiles.h"
#include "frontend/parse/ast_walk.h"
#include "frontend/parse/operand_uses.h"
#include "ir/warp_products.h"

namespace tkc::checker {

namespace {

// The multiples of `of` below and above `value`; `64`, `64 or 128`.
std::string nearest_multiples(std::int64_t value, std::int64_t of) {
    const std::int64_t below = value / of * of;
    return below == 0 ? fmt::format("{}", of) : fmt::format("{} or {}", below, below + of);
}

// Which inner extents work, and how tensors that have no more cells get to one.
std::string inner_extents_beside(std::int64_t value, std::int64_t of) {
    return fmt::format(
        "an inner extent of {}; if the tensors have only {} cells along it, load `0 +: {}`: cells "
        "past their edge are zeros, which add nothing",
        nearest_multiples(value, of), value, (value + of - 1) / of * of);
}

}  // namespace

// A load in place of an operand goes to shared memory, without the keyword.
Operand Products::loaded_operand(const ast::Expr& expr) {
    const auto* index = std::get_if<ast::Index>(&expr.node);
    if (index != nullptr && is_load(*index->base)) {
        const Operand loaded = loaded_operand(*index->base);
        return is_poison(loaded) ? loaded : tile_slices_.slice_of(*index, loaded, expr.span);
    }
    const Operand value = expressions_.check_value(expr);
    if (!is_load(expr) || !std::holds_alternative<Tile>(value)) return value;
    return tiles_.share(std::get<Tile>(value));
}

// A transpose of what is in registers would move it through shared memory unseen.
Operand Products::operand_value(const ast::Expr& expr, bool* refused) {
    const auto* member = std::get_if<ast::Member>(&expr.node);
    if (member == nullptr || member->member.text != "T") return loaded_operand(expr);
    Operand base = loaded_operand(*member->base);
    if (by_warps() && std::holds_alternative<Tile>(base)) base = tiles_.share(std::get<Tile>(base));
    if (std::holds_alternative<Tile>(base)) {
        context_.error(expr.span, msg::transposed_registers, "a tile in registers")
            .help("for an operand of `mma`, write `shared({}).T`",
                  context_.text(member->base->span));
        *refused = true;
        base = tiles_.share(std::get<Tile>(base));
    }
    return expressions_.member_of(std::move(base), *member);
}

// Warps read operands from shared memory as they need them: a tile goes there without the word.
bool Products::by_warps() const { return builder_.role->unit == ir::Unit::warp; }

// Warpgroups that divide columns share all rows of it, which none of them holds.
bool Products::takes_from_registers(const Tile& a) const {
    const std::int64_t groups = std::max<std::int64_t>(builder_.role->warpgroups(), 1);
    const bool by_rows = a.rows % (context_.target().products.rows * groups) == 0;
    return by_warps() || (by_rows && ir::stays_in_registers(a.cell->dtype));
}

std::optional<Products::MmaOperand> Products::check_mma_operand(const ast::Expr& expr, char which) {
    MmaOperand made;
    made.span = expr.span;
    const ast::Expr& tile_expr = without_rounding(expr);
    made.tile_span = tile_expr.span;
    made.tf32 = &tile_expr != &expr;
    Operand value = operand_value(tile_expr, &made.refused);
    if (which == 'b' && by_warps() && std::holds_alternative<Tile>(value))
        value = tiles_.share(std::get<Tile>(value));
    if (const auto* shared = std::get_if<SharedTile>(&value)) {
        if (shared->part) made.part = *shared;  // a window once both operands are there
        else made.value = shared->value;
        made.dtype = shared->dtype;
        made.rows = shared->rows;
        made.cols = shared->cols;
        made.transposed = shared->transposed;
        made.shared = true;
        return made;
    }
    const std::optional<Tile> tile = tiles_.as_tile(value, tile_expr.span, "`mma`");
    if (!tile) return std::nullopt;
    made.dtype = tile->cell->dtype;
    made.rows = tile->rows;
    made.cols = tile->cols;
    if (which == 'b') {
        context_.error(expr.span, msg::mma_operand_place, "b", describe(value))
            .help("write `shared({})`", context_.text(tile_expr.span))
            .fix(tile_expr.span, fmt::format("shared({})", context_.text(tile_expr.span)));
        made.refused = true;
        return made;
    }
    made.value = tiles_.materialize(*tile, "");
    return made;
}

std::optional<Dtype> Products::sums_of(const MmaOperand& a, const MmaOperand& b) const {
    if (a.tf32 != b.tf32) return std::nullopt;
    return ir::sums_of(a.dtype, b.dtype, a.tf32, by_warps());
}

Operand Products::refuse_tf32(const ast::Call& call, Span span) {
    for (const ast::Arg& arg : call.args) expressions_.check_value(*arg.value);
    context_.error(span, msg::tf32_place, "")
        .help("write it there, around the operands: `mma(tf32(a), tf32(b.T))`");
    return Poison{};
}

void Products::report_extents(const MmaOperand& a, const MmaOperand& b, Span span,
                              const std::string& problem, const std::string& instead) {
    DiagnosticBuilder message =
        context_.error(span, msg::mma_extent, tile_text(a.dtype, a.rows, a.cols),
                       tile_text(b.dtype, b.rows, b.cols), problem);
    message.label(a.span, "{} rows, {} columns", a.rows, a.cols)
        .label(b.span, "{} rows, {} columns", b.rows, b.cols)
        .help("use {}", instead);
    const TargetProducts& shapes =
        by_warps() ? context_.target().warp_products : context_.target().products;
    const std::int64_t depth = shapes.depth_bytes / bytes(a.dtype);
    if (a.cols % depth == 0) return;
    message.help(
        "a slice may be longer than its tensor: `0 +: {}` loads zeros past the edge, which add "
        "nothing, and a store skips those cells",
        (a.cols + depth - 1) / depth * depth);
}

// Of mma.sync.
bool Products::check_warp_extents(const MmaOperand& a, const MmaOperand& b, Span span) {
    const TargetProducts& shapes = context_.target().warp_products;
    const std::int64_t depth = shapes.depth_bytes / bytes(a.dtype);
    const auto refuse = [&](const std::string& problem, const std::string& instead) {
        report_extents(a, b, span, problem, instead);
        return false;
    };
    if (a.cols % depth != 0)
        return refuse(fmt::format("the inner extent {} must be a multiple of {}", a.cols, depth),
                      inner_extents_beside(a.cols, depth));
    if (a.rows % shapes.rows != 0)
        return refuse(fmt::format("the {} rows must be a multiple of {}", a.rows, shapes.rows),
                      nearest_multiples(a.rows, shapes.rows) + " rows");
    if (b.cols % shapes.column_step != 0)
        return refuse(
            fmt::format("the {} columns must be a multiple of {}", b.cols, shapes.column_step),
            nearest_multiples(b.cols, shapes.column_step) + " columns");
    const std::int64_t warps = builder_.role->width;
    const std::int64_t fitting = ir::warps_with(warps, warp_limit, [&](std::int64_t count) {
        return ir::grids_for(shapes, count, a.rows, b.cols);
    });
    if (fitting == warps || (fitting != 0 && context_.width_follows)) return true;
    return refuse(fmt::format("{} rows and {} columns cannot be divided among {} warp{}: each "
                              "needs a multiple of {} rows and of {} columns, at most {}",
                              a.rows, b.cols, warps, warps == 1 ? "" : "s", shapes.rows,
                              shapes.column_step, shapes.most_columns),
                  fitting == 0 ? "fewer columns"
                               : fmt::format("{} warp{}", fitting, fitting == 1 ? "" : "s"));
}

bool Products::check_mma_extents(const MmaOperand& a, const MmaOperand& b, Span span) {
    if (by_warps()) return check_warp_extents(a, b, span);
    const std::int64_t groups = std::max<std::int64_t>(builder_.role->warpgroups(), 1);
    const TargetProducts& shapes = context_.target().products;
    const std::int64_t depth = shapes.depth_bytes / bytes(a.dtype);
    const bool by_rows = a.rows % (shapes.rows * groups) == 0;
    const std::int64_t columns = by_rows ? b.cols : b.cols / groups;
    const std::int64_t step = ir::column_step(shapes, b.dtype, columns);
    std::string problem;
    std::string instead;
    if (a.cols % depth != 0) {
        problem = fmt::format("the inner extent {} must be a multiple of {}", a.cols, depth);
        instead = inner_extents_beside(a.cols, depth);
    } else if (a.rows % shapes.rows != 0) {
        problem = fmt::format("the {} rows must be a multiple of {}", a.rows, shapes.rows);
        instead = nearest_multiples(a.rows, shapes.rows) + " rows";
        // Where the columns can be rows, and the rows columns.
        if (b.cols % shapes.rows == 0 && a.rows % shapes.column_step == 0 &&
            a.rows <= shapes.most_columns && a.shared && b.shared)
            instead += fmt::format(", or swap the operands: `mma({}, {})`", transposed_text(b),
                                   transposed_text(a));
    } else if (!by_rows && b.cols % (shapes.column_step * groups) != 0) {
        problem = fmt::format(
            "{} warpgroups can divide neither {} rows ({} each) nor {} columns ({} each)", groups,
            a.rows, shapes.rows, b.cols, shapes.column_step);
        instead =
            fmt::format("{} rows or {} columns", nearest_multiples(a.rows, shapes.rows * groups),
                        nearest_multiples(b.cols, shapes.column_step * groups));
        for (std::int64_t fewer = groups - 1; fewer > 0; --fewer) {
            if (a.rows % (shapes.rows * fewer) != 0) continue;
            instead += fmt::format(", or {} warpgroup{}", fewer, fewer == 1 ? "" : "s");
            break;
        }
    } else if (columns % step != 0) {
        problem = fmt::format("the {} columns must be a multiple of {}", columns, step);
        if (step != shapes.column_step)
            problem += fmt::format(", as more than {} columns of 8-bit integers must be",
                                   shapes.integer_columns);
        instead = nearest_multiples(columns, step) + " columns";
    } else if (columns > shapes.most_columns) {
        problem = fmt::format("{} columns exceed the limit of {}{}", columns, shapes.most_columns,
                              by_rows ? "" : " per warpgroup");
        instead = fmt::format("use at most {} columns, or multiply by parts of `{}`",
                              shapes.most_columns * (by_rows ? 1 : groups), context_.text(b.span));
    }
    if (problem.empty() && !by_rows && !a.shared) {
        context_
            .error(a.span, msg::mma_operand_place, "a",
                   "a tile in registers, but the warpgroups divide the columns")
            .help("write `shared({})`, or use {} rows", context_.text(a.tile_span),
                  shapes.rows * groups);
        return false;
    }
    if (problem.empty() && !a.shared && !ir::stays_in_registers(a.dtype)) {
        const std::string written = context_.text(a.tile_span);
        context_
            .error(a.tile_span, msg::mma_operand_place, "a",
                   fmt::format("{} in registers", a.tf32 ? "f32" : "8-bit elements"))
            .note("they have the register layout of results, not of product operands")
            .help("write `shared({})`", written)
            .fix(a.tile_span, fmt::format("shared({})", written));
        return false;
    }
    if (problem.empty()) return true;
    report_extents(a, b, span, problem, instead);
    return false;
}

// Of a kernel without roles: whether warpgroups cannot divide the product, or do not take its
// operands as they lie, so that warps have to. Warps take 8-bit integers and tf32 from registers,
// too, and tf32 in any order.
bool Products::is_for_warps(const MmaOperand& a, const MmaOperand& b) const {
    if (context_.role_syntax != nullptr || by_warps()) return false;
    const bool integers = is_integer(a.dtype);
    if ((integers || a.tf32) && (!a.shared || !b.shared || a.refused || b.refused)) return true;
    if (a.tf32 && (a.transposed || !b.transposed)) return true;
    const std::int64_t groups = std::max<std::int64_t>(builder_.role->warpgroups(), 1);
    const TargetProducts& shapes = context_.target().products;
    const bool by_rows = a.rows % (shapes.rows * groups) == 0;
    const std::int64_t columns = by_rows ? b.cols : b.cols / groups;
    if (integers && columns % ir::column_step(shapes, b.dtype, columns) != 0) return true;
    // What the kernel itself loads passes through registers, which warpgroups share by blocks of
    // rows.
    const auto divides = [&](const MmaOperand& x) {
        return !x.shared || x.part || (x.transposed ? x.cols : x.rows) % shapes.rows == 0;
    };
    if (!is_fp8(a.dtype) && !context_.needs_derived_roles && !(divides(a) && divides(b)))
        return true;
    return a.rows % (shapes.rows * groups) != 0 &&
           (a.rows % shapes.rows != 0 || b.cols % (shapes.column_step * groups) != 0);
}

bool Products::has_products() const {
    const TargetFeatures& has = context_.target().features;
    return by_warps() ? has.warp_products : has.products;
}

// What the products add up in, as `sums` says or as is usual.
std::optional<Dtype> Products::check_sums(const ast::Call& call, const MmaOperand& a,
                                          const MmaOperand& b, Span span) {
    if (call.args.size() == 2) return sums_of(a, b).value_or(Dtype::f32);
    const ast::Expr& written = *call.args.back().value;
    const Operand value = expressions_.check_value(written);
    if (is_poison(value)) return std::nullopt;
    const auto* dtype = std::get_if<DtypeName>(&value);
    if (dtype == nullptr) {
        context_.error(written.span, msg::operand_kind, "`sums`", "a dtype", describe(value));
        return std::nullopt;
    }
    if (ir::adds_up_in(dtype->dtype, a.dtype, b.dtype, a.tf32, by_warps())) return dtype->dtype;
    context_
        .error(span, msg::mma_sums, tile_text(a.dtype, a.rows, a.cols),
               tile_text(b.dtype, b.rows, b.cols), name(dtype->dtype))
        .help("remove `sums`: they accumulate in {}", name(sums_of(a, b).value_or(Dtype::f32)));
    return std::nullopt;
}

Operand Products::check_mma(const ast::Call& call, Span span, const Tile* target, bool accumulate) {
    if (!context_.check_arguments(call, "mma", 2, span, "sums")) return Poison{};
    std::optional<MmaOperand> a = check_mma_operand(*call.args[0].value, 'a');
    const std::size_t since = context_.changed.size();
    std::optional<MmaOperand> b = check_mma_operand(*call.args[1].value, 'b');
    if (a && !a->shared)
        expressions_.check_unchanged(tiles_.tile_of(a->value), *call.args[0].value, since);
    if (!a || !b) return Poison{};
    if (is_for_warps(*a, *b)) {  // the kernel is checked again
        context_.needs_warps = true;
        return Poison{};
    }
    if (a->refused || b->refused || !context_.on_target(has_products(), span, "a product") ||
        !check_mma_types(*a, *b, span) || !check_mma_order(*a, *b) ||
        !check_mma_extents(*a, *b, span))
        return Poison{};
    if (a->part && !tile_slices_.check_operand(*a->part, 'a', a->span)) return Poison{};
    if (b->part && !tile_slices_.check_operand(*b->part, 'b', b->span)) return Poison{};
    for (MmaOperand* operand : {&*a, &*b})
        if (operand->part) operand->value = tiles_.value_of(*operand->part);
    const std::optional<Dtype> asked = check_sums(call, *a, *b, span);
    if (!asked) return Poison{};
    const Dtype sums = *asked;
    if (target != nullptr) {
        const Tile made{a->rows, b->cols, ir::real(0), {}};
        if (target->cell->dtype != sums) {
            DiagnosticBuilder message =
                context_.error(span, msg::narrowing, "the variable", name(target->cell->dtype),
                               name(sums), name(target->cell->dtype));
            message.help("products of {} accumulate in {}: declare the variable as {}",
                         a->tf32 ? "tf32" : name(a->dtype), name(sums), name(sums));
            if (target->cell->dtype == Dtype::f16 && a->dtype == Dtype::f16)
                message.help("or round after every 16 products: `mma({}, {}, sums = f16)`",
                             context_.text(a->span), context_.text(b->span));
            return Poison{};
        }
        if (target->rows != made.rows || target->cols != made.cols) {
            context_.error(span, msg::shape_of_place, "the variable",
                           tile_text(sums, target->rows, target->cols),
                           tile_text(sums, made.rows, made.cols));
            return Poison{};
        }
    }
    const ir::Value result =
        target != nullptr
            ? target->inputs.front()
            : builder_.new_value("", ir::TileType{sums, a->rows, b->cols, ir::Space::registers});
    ProductSite site{{a->span, context_.text(a->span), a->shared},
                     {b->span, context_.text(b->span), b->shared},
                     {}};
    for (const Inlining& inlined : context_.inlining)
        site.calls.push_back({inlined.call, inlined.function->name.text});
    builder_.padding_sites.products[{builder_.role->name, a->value.id, b->value.id}] =
        std::move(site);
    builder_.emit(ir::Mma{result, accumulate, a->value, a->transposed, b->value, b->transposed,
                          by_warps(), a->tf32});
    const Origins left = axes_.origins_of(a->value);
    const Origins right = axes_.origins_of(b->value);
    axes_.add_origins(
        result, {a->transposed ? left.cols : left.rows, b->transposed ? right.rows : right.cols});
    return tiles_.tile_of(result);
}

}  // namespace tkc::checker
