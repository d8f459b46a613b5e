// Calls: conversions, scalar functions and the operations that are not about memory or products.
#include "frontend/check/calls.h"
#include "frontend/check/signatures.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontend/check/arithmetic.h"
#include "frontend/check/axes.h"
#include "frontend/check/builder.h"
#include "frontend/check/columns.h"
#include "frontend/check/context.h"
#include "frontend/check/expressions.h"
#include "frontend/check/functions.h"
#include "frontend/check/limits.h"
#include "frontend/check/memory.h"
#include "frontend/check/names.h"
#include "frontend/check/numbers.h"
#include "frontend/check/products.h"
#include "frontend/check/tile_functions.h"
#include "frontend/check/tiles.h"
#include "frontend/check/types.h"
#include "frontend/parse/other_words.h"

namespace tkc::checker {

namespace {

// What is in `trusts` and nowhere else.
bool is_fact(Operation operation) { return info(operation).effect == Effect::states; }

}  // namespace

void report_misplaced_hint(Context& context, const ast::Hint& hint, const ast::Expr& callee) {
    context
        .error(hint.span, msg::misplaced_hint, context.text(hint.span),
               fmt::format("is not allowed after `{}`, which is not a load or store",
                           context.text(callee.span)))
        .help("write it after the `)` of the load or store: `load(..) {}`",
              context.text(hint.span));
}

bool is_called_name(const ast::Expr& expr, std::string* name) {
    const auto* ref = std::get_if<ast::NameRef>(&expr.node);
    if (ref != nullptr) *name = ref->text;
    return ref != nullptr;
}

std::optional<Operation> called_operation(const ast::Expr& expr) {
    std::string name;
    return is_called_name(expr, &name) ? find_operation(name) : std::nullopt;
}

Operand Calls::check_call(const ast::Call& call, Span span) {
    if (call.forwards) {
        context_.error(*call.forwards, msg::operand_kind, "a call", "constants", "`..`")
            .help("`..` passes the constants of an entry to a kernel that it calls");
        return Poison{};
    }
    const std::optional<Operation> loads = called_operation(*call.callee);
    const bool load = loads == Operation::load || loads == Operation::tma_load;
    const bool moves = load || loads == Operation::store || loads == Operation::tma_store ||
                       loads == Operation::reduce_add;
    // Where the load is in its sequential program; a producer that is made of it has the words,
    // too.
    const auto may_stand = [&](const ast::Hint& hint) {
        if (ast::is_cache_hint(hint)) return moves;
        return context_.needs_derived_roles && load;
    };
    const auto wrong = std::find_if_not(call.hints.begin(), call.hints.end(), may_stand);
    if (wrong != call.hints.end()) {
        const ast::Hint& hint = *wrong;
        if (ast::is_cache_hint(hint)) {
            report_misplaced_hint(context_, hint, *call.callee);
            return Poison{};
        }
        if (hint.kind == ast::HintKind::allow_foreign) {
            context_.error(hint.span, msg::allow_foreign_place,
                           "is only allowed on loads inside `produce`");
            return Poison{};
        }
        context_
            .error(hint.span, msg::cluster_form, "multicast",
                   "is only allowed on loads inside `produce`")
            .help(
                "to share a load, fill the stages of a pipeline: `produce p = tma_load(..) "
                "multicast(m);`");
        return Poison{};
    }
    std::string name;
    if (!is_called_name(*call.callee, &name)) return check_module_call(call, span);
    if (const std::optional<Dtype> dtype = find_dtype(name))
        return check_conversion(*dtype, call, span);
    // A name of the language that is declared again is told there, and goes on to mean the
    // language's.
    const bool predeclared = find_operation(name) || find_function(name);
    if (Entity* entity = names_.scope.find(name);
        entity != nullptr && !entity->guess && !predeclared) {
        if (is_poison(entity->value)) return Poison{};
        if (const auto* f = std::get_if<FunctionName>(&entity->value)) {
            entity->used = true;
            const FunctionName callee = *f;
            return functions_.inline_call(*callee.unit, *callee.function, call, span);
        }
        if (const auto* dtype = std::get_if<DtypeName>(&entity->value))
            return check_conversion(dtype->dtype, call, span);
        context_
            .error(call.callee->span, msg::operand_kind, "a call", "a function",
                   kind_text(entity->kind))
            .label(entity->span, "declared here");
        return Poison{};
    }
    if (const std::optional<Operation> operation = find_operation(name))
        return check_operation(*operation, call, span);
    if (const std::optional<Function> function = find_function(name))
        return check_function_call(*function, call, span);
    const auto declared = context_.unit->decls.find(name);
    if (declared != context_.unit->decls.end()) {
        if (const auto* function = std::get_if<ast::Function>(&declared->second->node)) {
            return functions_.inline_call(*context_.unit, *function, call, span);
        }
        context_.error(call.callee->span, msg::operand_kind, "a call", "a function",
                       "another declaration");
        return Poison{};
    }
    std::vector<std::string> known;
    known.reserve(operation_table.size() + function_table.size());
    for (const OperationInfo& row : operation_table) known.emplace_back(row.name);
    for (const FunctionInfo& row : function_table) {
        if (row.precedence == 0) known.emplace_back(row.name);
    }
    for (const auto& [other, decl] : context_.unit->decls) {
        if (std::holds_alternative<ast::Function>(decl->node)) known.push_back(other);
    }
    const std::string help = import_help(context_.file, *context_.unit, name, Wanted::function);
    DiagnosticBuilder message =
        context_.error(call.callee->span, msg::unknown_name, "function", name);
    const std::string other = other_word_help(name);
    if (!help.empty()) message.help(help);
    else if (!other.empty()) message.help("{}", other);
    else suggest(message, call.callee->span, name, known);
    return Poison{};
}

// softmax.step(..): a function of an imported file.
Operand Calls::check_module_call(const ast::Call& call, Span span) {
    const auto* member = std::get_if<ast::Member>(&call.callee->node);
    const auto* base = member == nullptr ? nullptr : std::get_if<ast::NameRef>(&member->base->node);
    if (base == nullptr) {
        context_.error(call.callee->span, msg::operand_kind, "a call", "a function",
                       context_.quoted(call.callee->span));
        return Poison{};
    }
    const auto module = context_.unit->modules.find(base->text);
    const std::string& word = member->member.text;
    const Entity* value = names_.scope.find(base->text);
    const bool foreign = base->text == "tl" || base->text == "torch" || base->text == "np";
    if (module == context_.unit->modules.end() &&
        ((value != nullptr && !value->guess) || foreign)) {
        DiagnosticBuilder message =
            context_.error(call.callee->span, msg::operand_kind, "a call", "a function",
                           context_.quoted(call.callee->span));
        const std::string other = other_word_help(word);
        const std::string more = call.args.empty() ? "" : ", ..";
        if (!other.empty()) message.help("{}", other);
        else if (find_dtype(word)) message.help("write `{}({})`", word, base->text);
        else if (foreign) message.help("functions have no prefix: `{}(..)`", word);
        else
            message.help("functions take the value as an argument: `{}({}{})`", word, base->text,
                         more);
        return Poison{};
    }
    if (module == context_.unit->modules.end()) {
        names_.report_unknown_module(member->base->span, base->text);
        return Poison{};
    }
    if (module->second == nullptr) {
        context_.failed = true;  // the import was told
        return Poison{};
    }
    const Unit& unit = *module->second;
    const auto declared = unit.decls.find(member->member.text);
    const auto* function = declared == unit.decls.end()
                               ? nullptr
                               : std::get_if<ast::Function>(&declared->second->node);
    if (function != nullptr) return functions_.inline_call(unit, *function, call, span);
    DiagnosticBuilder message = context_.error(member->member.span, msg::unknown_name, "function",
                                               base->text + "." + member->member.text);
    suggest_function_of(context_.file, message, unit, base->text, member->member);
    return Poison{};
}

Operand Calls::check_conversion(Dtype dtype, const ast::Call& call, Span span) {
    if (!context_.check_arguments(call, name(dtype), 1, span)) return Poison{};
    const ast::Expr& argument = *call.args[0].value;
    const Operand value = expressions_.check_value(argument);
    note_rounded_before_widening(dtype, argument, value, span);
    return arithmetic_.convert(dtype, value, span, argument.span);
}

Operand Calls::check_function_call(Function function, const ast::Call& call, Span span) {
    const FunctionInfo& row = info(function);
    const bool both = function == Function::max || function == Function::min;
    if (both && has_axis(call) && builder_.role != nullptr)
        return tile_functions_.check_call(
            function == Function::max ? TileFunction::max : TileFunction::min, call, span);
    if (both && call.args.size() == 1 && !call.args[0].name) {
        context_.error(span, msg::argument_count, row.name, arguments_text(2), 1)
            .help("its signature is `{}{}`; along an axis of a tile it is `{}({}, axis = 1)`",
                  row.name, signature_text(function), row.name,
                  context_.text(call.args[0].value->span));
        return Poison{};
    }
    if (!context_.check_arguments(call, row.name, static_cast<std::size_t>(row.arity), span))
        return Poison{};
    const bool outer = context_.consume_refused;
    if (function == Function::where) context_.consume_refused = true;
    std::vector<const ast::Expr*> exprs;
    for (const ast::Arg& arg : call.args) exprs.push_back(arg.value.get());
    const std::vector<Operand> operands = expressions_.check_in_order(exprs);
    context_.consume_refused = outer;
    std::int64_t value = 0;
    if (function == Function::log2 && is_scalar(operands[0]) &&
        is_integer(scalar(operands[0])->dtype) && ir::is_constant(scalar(operands[0]), &value)) {
        std::int64_t log = 0;
        while (log < 62 && (std::int64_t{1} << log) < value) ++log;
        if ((std::int64_t{1} << log) == value) return ir::integer(log);
        context_.error(span, msg::operand_kind, "`log2` of a constant", "a power of two",
                       describe(operands[0]));
        return Poison{};
    }
    std::vector<Span> spans;
    for (const ast::Expr* expr : exprs) spans.push_back(expr->span);
    if (function == Function::pow && is_scalar(operands[1])) {
        const ir::Scalar written = numbers_.without_lets(scalar(operands[1]));
        const std::optional<std::int64_t> exponent = whole_exponent(operands[0], written);
        if (exponent) return check_power(operands[0], *exponent, span, spans[0]);
    }
    note_extreme_of_cells(function, exprs, operands, span);
    return arithmetic_.apply(function, row.name, span, operands, std::move(spans));
}

Operand Calls::check_operation(Operation operation, const ast::Call& call, Span span) {
    const std::string_view spelling = name(operation);
    if (operation != Operation::last_tile && !is_fact(operation) && builder_.role == nullptr) {
        context_.impure(span, "`" + std::string(spelling) + "`",
                        "move it into the role that needs it");
        return Poison{};
    }
    switch (operation) {
        case Operation::mma: return products_.check_mma(call, span, nullptr, false);
        case Operation::tf32: return products_.refuse_tf32(call, span);
        case Operation::load:
        case Operation::tma_load: return memory_.check_load(call, span);
        case Operation::store:
        case Operation::reduce_add:
        case Operation::tma_store: return memory_.check_store(operation, call, span);
        case Operation::shared: return check_shared(call, span);
        case Operation::row_index:
        case Operation::col_index: return check_cell_index(operation, call, span);
        case Operation::range: return check_range(call, span);
        case Operation::last_tile: return check_last_tile(call, span);
        case Operation::column: return columns_.check_column(call, span);
        case Operation::pad: return tile_functions_.check_pad(call, span);
#define TK_TILE_FUNCTION(id, spelling, number, signature, doc) \
    case Operation::id:                                        \
        return tile_functions_.check_call(TileFunction::id, call, span);
#include "language/tile_functions.def"
#undef TK_TILE_FUNCTION
        case Operation::fragments:
            return tile_functions_.check_fragments(TileFunction::fragments, call, span);
        case Operation::from_fragments:
            return tile_functions_.check_fragments(TileFunction::from_fragments, call, span);
        case Operation::scalar: return check_scalar(call, span);
        case Operation::signal:
        case Operation::await: return check_counting(operation, call, span);
        case Operation::barrier: return context_.not_yet(span, NotYet::barriers);
        case Operation::fill: return context_.not_yet(span, NotYet::fills);
        case Operation::print: return check_print(call, span);
        case Operation::assertion: return check_assert(call, span);
        case Operation::assume: return check_assume(call, span);
        case Operation::within:
        case Operation::increasing:
        case Operation::disjoint:
        case Operation::covers:
        case Operation::reads_own:
        case Operation::balanced:
            context_.error(span, msg::operand_kind, "this place", "a value",
                           "a fact, which belongs in `trusts`");
            return Poison{};
    }
    return Poison{};
}

Operand Calls::check_shared(const ast::Call& call, Span span) {
    const bool stages = call.args.size() == 2;
    if (stages && !context_.needs_derived_roles) {
        context_.error(span, msg::argument_count, "shared", arguments_text(1), 2)
            .help(
                "only a load that `pipelined` prefetches has stages: `let q = shared(load(Q[m, "
                ":]), 2);`");
        return Poison{};
    }
    if (!context_.check_arguments(call, "shared", stages ? 2 : 1, span)) return Poison{};
    if (stages) types_.check_constant(*call.args[1].value, "the number of stages", 1);
    const ast::Expr& argument = *call.args[0].value;
    Operand value = expressions_.check_value(argument);
    // A part is copied: it lies in a tile of its own then.
    if (const auto* shared = std::get_if<SharedTile>(&value); shared != nullptr && !shared->part)
        return value;
    const std::optional<Tile> tile = tiles_.as_tile(value, argument.span, "`shared`");
    if (!tile) return Poison{};
    return tiles_.share(*tile);
}

Operand Calls::check_scalar(const ast::Call& call, Span span) {
    if (!context_.check_arguments(call, "scalar", 1, span)) return Poison{};
    const ast::Expr& argument = *call.args[0].value;
    const Operand value = expressions_.check_value(argument);
    const std::optional<Tile> tile = tiles_.as_tile(value, argument.span, "`scalar`");
    if (!tile) return Poison{};
    if (tile->rows != 1 || tile->cols != 1) {
        context_
            .error(argument.span, msg::operand_kind, "`scalar`", "a tile of one cell",
                   describe(value))
            .help(
                "`sum`, `max` and `min` along both axes leave one cell: `max(max({}, axis = 1), "
                "axis = 0)`",
                context_.text(argument.span));
        return Poison{};
    }
    if (is_boolean(tile->cell->dtype)) {
        context_
            .error(argument.span, msg::operand_kind, "`scalar`", "a tile of scalars",
                   describe(value))
            .help("write `scalar(where({}, 1, 0)) != 0`", context_.text(argument.span));
        return Poison{};
    }
    return numbers_.read(tiles_.materialize(*tile, ""), "number");
}

Operand Calls::check_cell_index(Operation operation, const ast::Call& call, Span span) {
    if (!context_.check_arguments(call, name(operation), 1, span)) return Poison{};
    const Operand value = expressions_.check_value(*call.args[0].value);
    std::int64_t rows = 0;
    std::int64_t cols = 0;
    if (const auto* tile = std::get_if<Tile>(&value)) {
        rows = tile->rows;
        cols = tile->cols;
    } else if (const auto* shared = std::get_if<SharedTile>(&value)) {
        rows = shared->rows;
        cols = shared->cols;
    } else {
        tiles_.as_tile(value, call.args[0].value->span, fmt::format("`{}`", name(operation)));
        return Poison{};
    }
    // Along an axis of one element the index stays 0, also where the tile is broadcast along it.
    const bool by_row = operation == Operation::row_index;
    const ir::Scalar place = by_row ? ir::row() : ir::column();
    return Tile{rows, cols, (by_row ? rows : cols) == 1 ? ir::integer(0) : place, {}};
}

Operand Calls::check_range(const ast::Call& call, Span span) {
    if (!context_.check_arguments(call, "range", 1, span)) return Poison{};
    const std::optional<std::int64_t> length =
        types_.check_constant(*call.args[0].value, "the length of a range", 1, tile_extent_limit);
    if (!length) return Poison{};
    return Tile{1, *length, *length == 1 ? ir::integer(0) : ir::column(), {}};
}

Operand Calls::check_last_tile(const ast::Call& call, Span span) {
    if (!context_.check_arguments(call, "last_tile", 2, span)) return Poison{};
    const ir::Scalar end = types_.check_control(*call.args[0].value, "the end of a range");
    const std::optional<std::int64_t> width =
        types_.check_constant(*call.args[1].value, "the width of a tile", 1);
    if (!end || !width) return Poison{};
    const ir::Scalar number = ir::sub(ir::ceil_div(end, ir::integer(*width)), ir::integer(1));
    const ir::Scalar first = ir::call(Function::max, {number, ir::integer(0)});
    return TileIndex{ir::mul(first, ir::integer(*width)), *width, true};
}

}  // namespace tkc::checker
