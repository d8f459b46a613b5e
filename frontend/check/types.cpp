// Types as written, constants, and the integers that steer control.
#include "frontend/check/types.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "arithmetic/number_names.h"
#include "frontend/check/builder.h"
#include "frontend/check/context.h"
#include "frontend/check/expressions.h"
#include "frontend/check/limits.h"
#include "frontend/check/names.h"
#include "frontend/check/numbers.h"
#include "frontend/check/structs.h"
#include "frontend/check/tiles.h"
#include "frontend/parse/other_words.h"

namespace tkc::checker {

std::optional<Dtype> Types::check_dtype(const ast::Type& type) {
    const ast::Name& name = type.path.parts.front();
    if (type.packed || name.text == "u4" || name.text == "i4") {
        context_.not_yet(type.span, NotYet::packed);
        return std::nullopt;
    }
    if (structs_.find_struct(type)) {
        context_.error(type.span, msg::operand_kind, "this place", "a data type",
                       "the struct " + context_.quoted(type.path.span));
        return std::nullopt;
    }
    if (type.path.parts.size() != 1 || !type.generics.empty()) {
        // softmax.state<64>: of a module that is not imported, or without its module.
        const bool imported = context_.unit->modules.contains(name.text);
        const std::string help =
            imported ? "" : import_help(context_.file, *context_.unit, name.text, Wanted::type);
        DiagnosticBuilder message =
            context_.error(type.path.span, msg::unknown_type, context_.text(type.path.span));
        const std::string_view meant = other_type(type.path.parts.back().text);
        if (!help.empty()) message.help(help);
        else if (!meant.empty()) message.help("write `{}`", meant);
        return std::nullopt;
    }
    std::optional<Dtype> dtype = find_dtype(name.text);
    if (!dtype) {
        Entity* known = names_.scope.find(name.text);
        if (known != nullptr && is_poison(known->value)) return std::nullopt;
        if (known != nullptr && std::holds_alternative<DtypeName>(known->value)) {
            known->used = true;
            dtype = std::get<DtypeName>(known->value).dtype;
        }
    }
    if (!dtype) {
        std::vector<std::string> names;
        names.reserve(dtype_table.size());
        for (const DtypeInfo& row : dtype_table) names.emplace_back(row.name);
        DiagnosticBuilder message = context_.error(name.span, msg::unknown_type, name.text);
        const std::string_view meant = other_type(name.text);
        if (!meant.empty()) {
            message.help("write `{}`", meant).fix(name.span, std::string(meant));
        } else if (!suggest(message, name.span, name.text, names)) {
            message.help("the types are {}", fmt::join(names, ", "));
        }
        return std::nullopt;
    }
    return dtype;
}

std::optional<WrittenType> Types::check_type(const ast::Type& type) {
    const std::optional<Dtype> dtype = check_dtype(type);
    WrittenType made;
    bool known = dtype.has_value();
    for (const ast::ExprPtr& extent : type.extents) {
        const std::optional<std::int64_t> value =
            check_constant(*extent, "the extent of a tile", 1, tile_extent_limit);
        if (value) made.extents.push_back(*value);
        known = known && value.has_value();
    }
    if (!known) return std::nullopt;
    made.dtype = *dtype;
    return made;
}

std::optional<WrittenType> Types::check_tile_type(const ast::Type& type) {
    std::optional<WrittenType> made = check_type(type);
    if (!made || made->extents.size() == 2) return made;
    DiagnosticBuilder message = context_.error(type.span, msg::tile_extents, made->extents.size());
    if (made->extents.size() == 1) {
        message.help("a row is written `{}`", tile_text(made->dtype, 1, made->extents[0]));
    }
    return std::nullopt;
}

std::optional<WrittenType> Types::check_any_type(const ast::Type& type) {
    const std::optional<DeclaredStruct> declared = structs_.find_struct(type);
    if (!declared) return type.extents.empty() ? check_type(type) : check_tile_type(type);
    WrittenType made;
    made.structure = structs_.check_struct_type(*declared, type);
    return made.structure ? std::optional(made) : std::nullopt;
}

void Types::help_with_extent(DiagnosticBuilder& message) {
    message.help("use a narrower tile, and loop over the axis: `for n in N by 64`");
}

std::optional<std::int64_t> Types::check_constant(const ast::Expr& expr, std::string_view what,
                                                  std::int64_t least, std::int64_t most,
                                                  std::string_view help_below) {
    const Operand value = expressions_.check_value(expr);
    if (is_poison(value)) return std::nullopt;
    std::int64_t found = 0;
    if (!is_scalar(value) || !is_integer(scalar(value)->dtype)) {
        context_.error(expr.span, msg::operand_kind, what, "an integer", describe(value));
        return std::nullopt;
    }
    if (!ir::is_constant(scalar(value), &found)) {
        DiagnosticBuilder message = context_.error(expr.span, msg::not_constant, what);
        const auto* name = std::get_if<ast::NameRef>(&expr.node);
        const Entity* known = name == nullptr ? nullptr : names_.scope.find(name->text);
        if (known != nullptr &&
            (known->kind == EntityKind::extent || known->kind == EntityKind::parameter)) {
            message.help("make `{}` a constant of the kernel: `<{}: int = 128>`", name->text,
                         name->text);
        }
        return std::nullopt;
    }
    if (found < least) {
        DiagnosticBuilder message =
            context_.error(expr.span, msg::positive_number, what, least, found);
        if (found < 0 && !help_below.empty()) message.help("{}", help_below);
        return std::nullopt;
    }
    if (found > most) {
        DiagnosticBuilder message =
            context_.error(expr.span, msg::above_maximum, what, most, found);
        if (most == tile_extent_limit) help_with_extent(message);
        else if (most == warp_limit || most == warp_limit / warps_of_warpgroup)
            message.help("a block has at most {} warps, which its roles share", warp_limit);
        else if (most == stage_limit)
            message.help(
                "a few stages hide the latency of a load; all of them are in shared memory");
        return std::nullopt;
    }
    return found;
}

ir::Scalar Types::as_control(const Operand& given, Span span, std::string_view what) {
    const Operand value = tiles_.as_number(given, span);
    if (is_poison(value)) return nullptr;
    if (const auto* index = std::get_if<TileIndex>(&value)) {
        DiagnosticBuilder message =
            context_.error(span, msg::operand_kind, what, "a scalar", describe(value));
        tiles_.help_with_value(message, value, context_.text(span));
        return index->start;
    }
    if (!is_scalar(value) || is_boolean(scalar(value)->dtype)) {
        DiagnosticBuilder message =
            context_.error(span, msg::operand_kind, what, "an integer", describe(value));
        if (std::holds_alternative<SpaceName>(value))
            message.help("a loop over a space has parentheses: `for (j) in {}`",
                         context_.text(span));
        else if (extents_of(value) == std::vector<std::int64_t>{1, 1})
            message.help("write `scalar({})`", context_.text(span));
        else if (std::holds_alternative<Tile>(value))
            message.help(
                "a tile is processed as a whole, without a loop over its cells; its extents are "
                "constants");
        else tiles_.help_with_value(message, value, context_.text(span));
        return nullptr;
    }
    if (!check_without_floats(scalar(value), span, what)) return nullptr;
    return check_without_externals(scalar(value), span, what) ? scalar(value) : nullptr;
}

// What a function of CUDA computes is believed, and so it steers nothing.
bool Types::check_without_externals(const ir::Scalar& s, Span span, std::string_view what) {
    const ir::External* found = nullptr;
    const ir::Scalar whole = numbers_.without_lets(s);
    ir::visit_nodes(whole, [&](const ir::ScalarNode& n) {
        const auto* external = std::get_if<ir::External>(&n.node);
        if (external != nullptr) found = external;
    });
    if (found == nullptr) return true;
    context_.error(span, msg::operand_kind, what, "a condition that the compiler can track",
                   "the result of the external function `" + found->name + "`");
    return false;
}

// Through `let`s, conversions and choices; what a function gives is made of its arguments here.
bool Types::check_without_floats(const ir::Scalar& s, Span span, std::string_view what) {
    bool floats = false;
    bool of_role = false;  // a number that its role computes
    std::string source;    // a parameter or an element
    ir::visit_nodes(numbers_.without_lets(s), [&](const ir::ScalarNode& n) {
        if (!is_real(n.dtype)) return;
        floats = true;
        const auto* symbol = std::get_if<ir::Symbol>(&n.node);
        const auto* load = std::get_if<ir::ElementLoad>(&n.node);
        const bool own = symbol != nullptr && ir::written_name(symbol->name) != symbol->name;
        of_role = of_role || own;
        if (source.empty() && symbol != nullptr && !own) source = symbol->name;
        if (source.empty() && load != nullptr) source = load->tensor;
    });
    if (!floats) return true;
    DiagnosticBuilder message = context_.error(span, msg::float_control, what);
    if (!source.empty() && context_.text(span).find(source) == std::string::npos)
        message.help("it depends on `{}`, which is floating-point", source);
    if (of_role && is_boolean(s->dtype))
        message.help(
            "a role can branch on a cell: `scalar(where(x > 0, 1, 0)) != 0`, where `x` is a tile "
            "of one cell");
    return false;
}

ir::Scalar Types::check_control(const ast::Expr& expr, std::string_view what) {
    const ir::Scalar value = as_control(expressions_.check_value(expr), expr.span, what);
    return value ? tiles_.fitted(value, Dtype::i32, expr.span, what) : nullptr;
}

// What can be in place of a condition that is not a bool.
void Types::help_with_condition(DiagnosticBuilder& message, const Operand& value,
                                const std::string& written) const {
    const auto* tile = std::get_if<Tile>(&value);
    const bool bools = tile != nullptr && is_boolean(tile->cell->dtype);
    if (tile == nullptr) {
        const bool number = is_scalar(value) && !is_poison(value);
        if (number) message.help("compare it: `{} != 0`", written);
        else tiles_.help_with_value(message, value, written);
    } else if (!bools) {
        message.help("compare it, and select elementwise: `where({} != 0, a, b)`", written);
    } else if (tile->rows == 1 && tile->cols == 1) {
        message.help("to branch on the cell, write `scalar(where({}, 1, 0)) != 0`", written);
    } else {
        message.help("`where({}, a, b)` selects elementwise", written);
        message.help(
            "all threads of a role take the same branch: to test whether the condition holds in "
            "any cell, write `scalar(max(max(where({}, 1, 0), axis = 1), axis = 0)) != 0`",
            written);
    }
}

ir::Scalar Types::check_condition(const ast::Expr& expr) {
    const Operand value = expressions_.check_value(expr);
    if (is_poison(value)) return nullptr;
    if (!is_scalar(value) || !is_boolean(scalar(value)->dtype)) {
        DiagnosticBuilder message =
            context_.error(expr.span, msg::operand_kind, "a condition", "a bool", describe(value));
        help_with_condition(message, value, context_.text(expr.span));
        return nullptr;
    }
    // Outside of roles it is a condition of the launch, or chooses a value, which is followed.
    if (builder_.role != nullptr &&
        !(check_without_floats(scalar(value), expr.span, "this condition") &&
          check_without_externals(scalar(value), expr.span, "a condition")))
        return nullptr;
    return scalar(value);
}

}  // namespace tkc::checker
