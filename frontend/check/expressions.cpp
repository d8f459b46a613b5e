// Expressions, except elementwise arithmetic, calls and slices, which have files of their own.
#include "frontend/check/expressions.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/overloaded.h"
#include "frontend/check/arithmetic.h"
#include "frontend/check/builder.h"
#include "frontend/check/calls.h"
#include "frontend/check/context.h"
#include "frontend/check/limits.h"
#include "frontend/check/names.h"
#include "frontend/check/numbers.h"
#include "frontend/check/pipelines.h"
#include "frontend/check/structs.h"
#include "frontend/check/tiles.h"
#include "frontend/check/types.h"
#include "frontend/check/views.h"

namespace tkc::checker {

namespace {

std::optional<Function> function_of(ast::BinaryOp op) {
    switch (op) {
        case ast::BinaryOp::logical_or: return Function::logical_or;
        case ast::BinaryOp::logical_and: return Function::logical_and;
        case ast::BinaryOp::equal: return Function::eq;
        case ast::BinaryOp::not_equal: return Function::ne;
        case ast::BinaryOp::less: return Function::lt;
        case ast::BinaryOp::less_equal: return Function::le;
        case ast::BinaryOp::greater: return Function::gt;
        case ast::BinaryOp::greater_equal: return Function::ge;
        case ast::BinaryOp::add: return Function::add;
        case ast::BinaryOp::subtract: return Function::sub;
        case ast::BinaryOp::multiply: return Function::mul;
        case ast::BinaryOp::divide:
        case ast::BinaryOp::floor_divide: return Function::div;
        case ast::BinaryOp::remainder: return Function::mod;
        case ast::BinaryOp::bit_or: return Function::bit_or;
        case ast::BinaryOp::bit_xor: return Function::bit_xor;
        case ast::BinaryOp::bit_and: return Function::bit_and;
        case ast::BinaryOp::shift_left: return Function::shift_left;
        case ast::BinaryOp::shift_right: return Function::shift_right;
        case ast::BinaryOp::matmul: return std::nullopt;
    }
    return std::nullopt;
}

// Whether the language has nothing of that name.
bool is_undeclared(const std::string& name) {
    return name != "LOG2E" && name != "LN2" && !find_dtype(name) && !find_operation(name) &&
           !find_function(name);
}

}  // namespace

Operand Expressions::check(const ast::Expr& expr) {
    Operand value = check_any(expr);
    const auto* s = std::get_if<ir::Scalar>(&value);
    const auto* tile = std::get_if<Tile>(&value);
    const std::size_t size = s != nullptr ? (*s)->size : tile != nullptr ? tile->cell->size : 0;
    if (size <= formula_limit) return value;
    DiagnosticBuilder message =
        context_.error(expr.span, msg::formula_too_large, "this expression", formula_limit);
    if (tile != nullptr) message.help("name a part of it with `let`: a tile is computed once");
    return Poison{};
}

Operand Expressions::check_any(const ast::Expr& expr) {
    return std::visit(
        Overloaded{
            [&](const ast::NameRef& n) { return numbers_.read(check_name_ref(n, expr.span)); },
            [&](const ast::IntLiteral& n) -> Operand {
                const auto value = static_cast<std::int64_t>(n.value);
                return ir::integer(value, value > 2147483647 ? Dtype::i64 : Dtype::i32);
            },
            [&](const ast::FloatLiteral& n) -> Operand {
                const bool wide = n.value > std::numeric_limits<float>::max();
                return ir::real(n.value, wide ? Dtype::f64 : Dtype::f32);
            },
            [&](const ast::StringLiteral&) -> Operand {
                context_.error(expr.span, msg::operand_kind, "an expression", "a scalar or a tile",
                               "text");
                return Poison{};
            },
            [&](const ast::BoolLiteral& n) -> Operand { return ir::boolean(n.value); },
            [&](const ast::Infinity&) -> Operand {
                return ir::real(std::numeric_limits<double>::infinity());
            },
            [&](const ast::Unary& n) { return check_unary(n, expr.span); },
            [&](const ast::Binary& n) { return check_binary(n, expr.span); },
            [&](const ast::Consume& n) { return pipelines_.consume(n.pipe, "", expr.span); },
            [&](const ast::Member& n) { return check_member(n); },
            [&](const ast::Index& n) { return views_.check_index(n, expr.span); },
            [&](const ast::Call& n) { return calls_.check_call(n, expr.span); },
            [&](const ast::IfExpr& n) { return check_if_expr(n, expr.span); },
            [&](const ast::StructValue&) { return structs_.check_right_side(expr, nullptr); },
            [&](const ast::ListValue&) -> Operand {
                context_.error(expr.span, msg::operand_kind, "an expression", "a scalar or a tile",
                               "a list");
                return Poison{};
            },
        },
        expr.node);
}

Operand Expressions::check_value(const ast::Expr& expr) {
    Operand value = check(expr);
    if (!std::holds_alternative<Nothing>(value)) return value;
    const auto* call = std::get_if<ast::Call>(&expr.node);
    context_.error(expr.span, msg::no_value,
                   context_.text(call != nullptr ? call->callee->span : expr.span));
    return Poison{};
}

std::vector<Operand> Expressions::check_in_order(const std::vector<const ast::Expr*>& exprs) {
    std::vector<Operand> values;
    for (const ast::Expr* expr : exprs) {
        const std::size_t since = context_.changed.size();
        values.push_back(check_value(*expr));
        if (context_.changed.size() == since) continue;
        for (std::size_t i = 0; i + 1 < values.size(); ++i)
            check_unchanged(values[i], *exprs[i], since);
    }
    return values;
}

void Expressions::check_unchanged(const Operand& value, const ast::Expr& expr, std::size_t since) {
    std::vector<ir::Value> values = values_of(value);
    if (is_scalar(value)) {
        for (const std::string& symbol : ir::symbols_of(scalar(value))) {
            if (const auto variable = numbers_.variable_of(symbol)) values.push_back(*variable);
        }
    }
    for (const ir::Value read : values) {
        const auto first = context_.changed.begin() + static_cast<std::ptrdiff_t>(since);
        if (std::find(first, context_.changed.end(), read) == context_.changed.end()) continue;
        context_.error(expr.span, msg::changed_in_expression, (*builder_.role)[read].name);
        return;
    }
}

Operand Expressions::check_name_ref(const ast::NameRef& name, Span span) {
    if (name.text == "LOG2E") return ir::real(1.4426950408889634);
    if (name.text == "LN2") return ir::real(0.6931471805599453);
    if (const std::optional<Dtype> dtype = find_dtype(name.text)) return DtypeName{*dtype};
    const bool builtin = find_operation(name.text) || find_function(name.text);
    if (builtin && names_.scope.find(name.text) == nullptr) {
        context_
            .error(span, msg::operand_kind, "an expression", "a value",
                   "the operation `" + name.text + "`")
            .help("call it: `{}(..)`", name.text);
        return Poison{};
    }
    if (names_.scope.find(name.text) == nullptr) {
        if (std::optional<FunctionName> f = find_function_name(*context_.unit, name.text))
            return *std::move(f);
    }
    const Entity* entity = names_.lookup(span, name.text, "name");
    if (entity == nullptr) return Poison{};
    const bool argument = entity->kind == EntityKind::argument;
    if (argument || entity->kind == EntityKind::let)
        builder_.shared_names.read(name.text, entity->value, entity->bound, argument, span);
    return entity->value;
}

Operand Expressions::check_unary(const ast::Unary& unary, Span span) {
    const Operand operand = check_value(*unary.operand);
    if (is_poison(operand)) return Poison{};
    switch (unary.op) {
        case ast::UnaryOp::bit_not:
            return arithmetic_.apply(Function::bit_not, "~", span, {operand},
                                     {unary.operand->span});
        case ast::UnaryOp::logical_not:
            return arithmetic_.apply(Function::logical_not, "not", span, {operand},
                                     {unary.operand->span});
        case ast::UnaryOp::negate: break;
    }
    if (is_scalar(operand)) {
        if (const auto* real = std::get_if<ir::Real>(&scalar(operand)->node)) {
            return ir::real(-real->value, scalar(operand)->dtype);
        }
    }
    return arithmetic_.apply(Function::neg, "-", span, {operand}, {unary.operand->span});
}

Operand Expressions::check_binary(const ast::Binary& binary, Span span) {
    const std::optional<Function> function = function_of(binary.op);
    if (!function) {  // `@`
        context_
            .error(binary.op_span, msg::operand_kind, "`@`", "the whole tensors of a reference",
                   "tiles of a kernel")
            .help("write `mma({}, {})`", context_.text(binary.left->span),
                  context_.text(binary.right->span));
        return Poison{};
    }
    if (info(*function).kind == FunctionKind::logic) {
        // Where the left side is known and decides, the right side need not make sense.
        const Operand left = check_value(*binary.left);
        std::int64_t known = 0;
        const bool decides = is_scalar(left) && is_boolean(scalar(left)->dtype) &&
                             ir::is_constant(scalar(left), &known) &&
                             (known != 0) == (*function == Function::logical_or);
        if (decides) {
            names_.check_names(*binary.right);
            return left;
        }
        const bool chooses = is_scalar(left) && is_boolean(scalar(left)->dtype);
        const Numbers::Choosing chosen(numbers_, chooses ? scalar(left) : nullptr,
                                       *function == Function::logical_and);
        const Operand right = check_value(*binary.right);
        if (is_poison(left) || is_poison(right)) return Poison{};
        return arithmetic_.apply(*function, context_.text(binary.op_span), span, {left, right},
                                 {binary.left->span, binary.right->span});
    }
    const auto* word = std::get_if<ast::NameRef>(&binary.right->node);
    if (binary.op == ast::BinaryOp::floor_divide && word != nullptr &&
        names_.scope.find(word->text) == nullptr && is_undeclared(word->text)) {
        // `n in N by 64 // rows`
        context_.error(binary.op_span, msg::comment_after_operand)
            .help(
                "put the comment on its own line or after `;`, `{{`, `,`; the name `{}` is unknown "
                "here",
                word->text);
        return Poison{};
    }
    const std::vector<Operand> both = check_in_order({binary.left.get(), binary.right.get()});
    if (is_poison(both[0]) || is_poison(both[1])) return Poison{};
    return arithmetic_.apply(*function, context_.text(binary.op_span), span, both,
                             {binary.left->span, binary.right->span});
}

Operand Expressions::index_member(const TileIndex& index, const ast::Name& member) {
    const ir::Scalar width = ir::integer(index.width);
    if (member.text == "start") return index.start;
    if (member.text == "end") return ir::add(index.start, width);
    if (member.text == "prev")
        return TileIndex{ir::sub(index.start, width), index.width, index.aligned};
    if (member.text == "next")
        return TileIndex{ir::add(index.start, width), index.width, index.aligned};
    if (member.text != "index") {
        DiagnosticBuilder message =
            context_.error(member.span, msg::unknown_member, "a tile index", member.text);
        const bool guessed = suggest(message, member.span, member.text,
                                     {"start", "end", "prev", "next", "index"}, ".");
        if (!guessed) message.help("it has `.start`, `.end`, `.prev`, `.next` and `.index`");
        return Poison{};
    }
    if (!index.aligned) {
        std::string start = ir::to_string(index.start);
        for (const std::string& symbol : ir::symbols_of(numbers_.without_lets(index.start))) {
            const auto begin = numbers_.range_begins.find(symbol);
            if (begin != numbers_.range_begins.end()) start = ir::to_string(begin->second);
        }
        context_.error(member.span, msg::unaligned_index, index.width, start);
        return Poison{};
    }
    return ir::floor_div(index.start, width);
}

Operand Expressions::check_member(const ast::Member& member) {
    const auto* module = std::get_if<ast::NameRef>(&member.base->node);
    if (module != nullptr && names_.scope.find(module->text) == nullptr) {
        const std::string path = module->text + "." + member.member.text;
        if (std::optional<FunctionName> f = find_function_name(*context_.unit, path))
            return *std::move(f);
    }
    return numbers_.read(member_of(unread(*member.base), member));
}

// So that a field of a struct is read without its neighbors.
Operand Expressions::unread(const ast::Expr& expr) {
    if (const auto* name = std::get_if<ast::NameRef>(&expr.node))
        return check_name_ref(*name, expr.span);
    const auto* member = std::get_if<ast::Member>(&expr.node);
    const auto* base = member == nullptr ? nullptr : std::get_if<ast::NameRef>(&member->base->node);
    const Entity* entity = base == nullptr ? nullptr : names_.scope.find(base->text);
    if (entity != nullptr && is_struct(entity->value))
        return member_of(unread(*member->base), *member);
    return check_value(expr);
}

Operand Expressions::member_of(Operand base, const ast::Member& member) {
    if (is_poison(base)) return Poison{};
    if (auto* instance = std::get_if<StructInstance>(&base))
        return structs_.struct_member(*instance, member.member);
    if (const auto* index = std::get_if<TileIndex>(&base))
        return index_member(*index, member.member);
    if (const auto* record = std::get_if<Record>(&base)) {
        const ir::Pipeline* pipeline = ir::find_pipeline(builder_.kernel, record->pipeline);
        std::vector<std::string> known;
        for (const ir::PipelineField& field : pipeline->fields_) {
            if (field.name == member.member.text) return pipelines_.field_of(*record, field, "");
            known.push_back(field.name);
        }
        DiagnosticBuilder message = context_.error(member.member.span, msg::unknown_field,
                                                   record->pipeline, member.member.text);
        suggest(message, member.member.span, member.member.text, known);
        return Poison{};
    }
    if (member.member.text == "T") {
        if (const auto* shared = std::get_if<SharedTile>(&base)) {
            SharedTile turned = *shared;
            std::swap(turned.rows, turned.cols);
            turned.transposed = !shared->transposed;
            return turned;
        }
        if (const auto* tile = std::get_if<Tile>(&base)) return tiles_.transposed(*tile);
    }
    DiagnosticBuilder message =
        context_.error(member.member.span, msg::unknown_member, describe(base), member.member.text);
    const bool tensor =
        std::holds_alternative<TensorName>(base) || std::holds_alternative<View>(base);
    if (tensor) message.help("its extents have the names in its declaration");
    return Poison{};
}

Operand Expressions::check_if_expr(const ast::IfExpr& choice, Span span) {
    const ir::Scalar condition = types_.check_condition(*choice.condition);
    std::int64_t known = 0;
    if (condition && ir::is_constant(condition, &known)) {
        names_.check_names(known != 0 ? *choice.else_value : *choice.then_value);
        return check_value(known != 0 ? *choice.then_value : *choice.else_value);
    }
    const bool outer = std::exchange(context_.consume_refused, true);
    std::vector<Operand> both;
    for (const ast::Expr* value : {choice.then_value.get(), choice.else_value.get()}) {
        const std::size_t since = context_.changed.size();
        {
            const Numbers::Choosing chosen(numbers_, condition, both.empty());
            both.push_back(check_value(*value));
        }
        if (both.size() == 2) check_unchanged(both[0], *choice.then_value, since);
    }
    context_.consume_refused = outer;
    if (!condition || is_poison(both[0]) || is_poison(both[1])) return Poison{};
    return arithmetic_.apply(
        Function::where, "if", span, {condition, both[0], both[1]},
        {choice.condition->span, choice.then_value->span, choice.else_value->span});
}

}  // namespace tkc::checker
