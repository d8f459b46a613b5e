// Expressions, except elementwise arithmetic, calls and slices, which have files of their own.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/overloaded.h"
#include "frontend/check/kernel_checker.h"

namespace tkc::checker {

namespace {

std::optional<Function> function_of(ast::BinaryOp op) {
    switch (op) {
        case ast::BinaryOp::Or: return Function::logical_or;
        case ast::BinaryOp::And: return Function::logical_and;
        case ast::BinaryOp::Equal: return Function::eq;
        case ast::BinaryOp::NotEqual: return Function::ne;
        case ast::BinaryOp::Less: return Function::lt;
        case ast::BinaryOp::LessEqual: return Function::le;
        case ast::BinaryOp::Greater: return Function::gt;
        case ast::BinaryOp::GreaterEqual: return Function::ge;
        case ast::BinaryOp::Add: return Function::add;
        case ast::BinaryOp::Subtract: return Function::sub;
        case ast::BinaryOp::Multiply: return Function::mul;
        case ast::BinaryOp::Divide:
        case ast::BinaryOp::FloorDivide: return Function::div;
        case ast::BinaryOp::Remainder: return Function::mod;
        case ast::BinaryOp::BitOr: return Function::bit_or;
        case ast::BinaryOp::BitXor: return Function::bit_xor;
        case ast::BinaryOp::BitAnd: return Function::bit_and;
        case ast::BinaryOp::ShiftLeft: return Function::shift_left;
        case ast::BinaryOp::ShiftRight: return Function::shift_right;
        case ast::BinaryOp::MatMul: return std::nullopt;
    }
    return std::nullopt;
}

// Whether the language has nothing of that name.
bool is_undeclared(const std::string& name) {
    return name != "LOG2E" && name != "LN2" && !find_dtype(name) && !find_operation(name) &&
           !find_function(name);
}

}  // namespace

Operand KernelChecker::check(const ast::Expr& expr) {
    Operand value = check_any(expr);
    const auto* s = std::get_if<ir::Scalar>(&value);
    const auto* tile = std::get_if<Tile>(&value);
    const std::size_t size = s != nullptr ? (*s)->size : tile != nullptr ? tile->cell->size : 0;
    if (size <= formula_limit) return value;
    DiagnosticBuilder message =
        error(expr.span, msg::formula_too_large, "this expression", formula_limit);
    if (tile != nullptr) message.help("give a part of it a name by `let`: a tile is computed once");
    return Poison{};
}

Operand KernelChecker::check_any(const ast::Expr& expr) {
    return std::visit(
        Overloaded{
            [&](const ast::NameRef& n) { return check_name_ref(n, expr.span); },
            [&](const ast::IntLiteral& n) -> Operand {
                const auto value = static_cast<std::int64_t>(n.value);
                return ir::integer(value, value > 2147483647 ? Dtype::i64 : Dtype::i32);
            },
            [&](const ast::FloatLiteral& n) -> Operand {
                constexpr double most = std::numeric_limits<float>::max();
                if (n.value <= most) return ir::real(n.value);
                error(expr.span, msg::constant_range, text(expr.span), "f32",
                      fmt::format("{:.8g}", -most), fmt::format("{:.8g}", most))
                    .help("infinity is written `inf`");
                return Poison{};
            },
            [&](const ast::StringLiteral&) -> Operand {
                error(expr.span, msg::operand_kind, "an expression", "a number or a tile", "text");
                return Poison{};
            },
            [&](const ast::BoolLiteral& n) -> Operand { return ir::boolean(n.value); },
            [&](const ast::Infinity&) -> Operand {
                return ir::real(std::numeric_limits<double>::infinity());
            },
            [&](const ast::Unary& n) { return check_unary(n, expr.span); },
            [&](const ast::Binary& n) { return check_binary(n, expr.span); },
            [&](const ast::Consume& n) { return consume(n.pipe, "", expr.span); },
            [&](const ast::Member& n) { return check_member(n, expr.span); },
            [&](const ast::Index& n) { return check_index(n, expr.span); },
            [&](const ast::Call& n) { return check_call(n, expr.span); },
            [&](const ast::IfExpr& n) { return check_if_expr(n, expr.span); },
            [&](const ast::StructValue&) { return check_right_side(expr, nullptr); },
            [&](const ast::ListValue&) -> Operand {
                error(expr.span, msg::operand_kind, "an expression", "a number or a tile",
                      "a list");
                return Poison{};
            },
        },
        expr.node);
}

Operand KernelChecker::check_value(const ast::Expr& expr) {
    Operand value = check(expr);
    if (!std::holds_alternative<Nothing>(value)) return value;
    const auto* call = std::get_if<ast::Call>(&expr.node);
    error(expr.span, msg::no_value, text(call != nullptr ? call->callee->span : expr.span));
    return Poison{};
}

std::vector<Operand> KernelChecker::check_in_order(const std::vector<const ast::Expr*>& exprs) {
    std::vector<Operand> values;
    for (const ast::Expr* expr : exprs) {
        const std::size_t since = changed_.size();
        values.push_back(check_value(*expr));
        if (changed_.size() == since) continue;
        for (std::size_t i = 0; i + 1 < values.size(); ++i)
            check_unchanged(values[i], *exprs[i], since);
    }
    return values;
}

void KernelChecker::check_unchanged(const Operand& value, const ast::Expr& expr,
                                    std::size_t since) {
    for (const ir::Value read : values_of(value)) {
        const auto first = changed_.begin() + static_cast<std::ptrdiff_t>(since);
        if (std::find(first, changed_.end(), read) == changed_.end()) continue;
        error(expr.span, msg::changed_in_expression, (*role_)[read].name);
        return;
    }
}

Operand KernelChecker::check_name_ref(const ast::NameRef& name, Span span) {
    if (name.text == "LOG2E") return ir::real(1.4426950408889634);
    if (name.text == "LN2") return ir::real(0.6931471805599453);
    if (const std::optional<Dtype> dtype = find_dtype(name.text)) return DtypeName{*dtype};
    const bool builtin = find_operation(name.text) || find_function(name.text);
    if (builtin && scope_.find(name.text) == nullptr) {
        error(span, msg::operand_kind, "an expression", "a value",
              "the operation `" + name.text + "`")
            .help("call it: `{}(..)`", name.text);
        return Poison{};
    }
    const Entity* entity = lookup(span, name.text, "name");
    return entity == nullptr ? Operand(Poison{}) : entity->value;
}

Operand KernelChecker::check_unary(const ast::Unary& unary, Span span) {
    const Operand operand = check_value(*unary.operand);
    if (is_poison(operand)) return Poison{};
    switch (unary.op) {
        case ast::UnaryOp::BitNot:
            return apply(Function::bit_not, "~", span, {operand}, {unary.operand->span});
        case ast::UnaryOp::Not:
            return apply(Function::logical_not, "not", span, {operand}, {unary.operand->span});
        case ast::UnaryOp::Negate: break;
    }
    if (is_scalar(operand)) {
        if (const auto* real = std::get_if<ir::Real>(&scalar(operand)->node)) {
            return ir::real(-real->value, scalar(operand)->dtype);
        }
    }
    return apply(Function::neg, "-", span, {operand}, {unary.operand->span});
}

Operand KernelChecker::check_binary(const ast::Binary& binary, Span span) {
    const std::optional<Function> function = function_of(binary.op);
    if (!function) {  // `@`
        error(binary.op_span, msg::operand_kind, "`@`", "the whole tensors of a reference",
              "tiles of a kernel")
            .help("write `mma({}, {})`", text(binary.left->span), text(binary.right->span));
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
            check_names(*binary.right);
            return left;
        }
        const Operand right = check_value(*binary.right);
        if (is_poison(left) || is_poison(right)) return Poison{};
        return apply(*function, text(binary.op_span), span, {left, right},
                     {binary.left->span, binary.right->span});
    }
    const auto* word = std::get_if<ast::NameRef>(&binary.right->node);
    if (binary.op == ast::BinaryOp::FloorDivide && word != nullptr &&
        scope_.find(word->text) == nullptr && is_undeclared(word->text)) {
        // `n in N by 64 // rows`
        error(binary.op_span, msg::comment_after_operand)
            .help("put the comment on its own line or behind `;`, `{{`, `,`; no name is `{}` here",
                  word->text);
        return Poison{};
    }
    const std::vector<Operand> both = check_in_order({binary.left.get(), binary.right.get()});
    if (is_poison(both[0]) || is_poison(both[1])) return Poison{};
    return apply(*function, text(binary.op_span), span, both,
                 {binary.left->span, binary.right->span});
}

bool KernelChecker::is_multiple(const ir::Scalar& s, std::int64_t of) const {
    std::int64_t value = 0;
    if (of == 1) return true;
    if (ir::is_constant(s, &value)) return value % of == 0;
    if (const auto* symbol = std::get_if<ir::Symbol>(&s->node)) {
        const auto known = multiples_.find(symbol->name);
        if (known != multiples_.end() && known->second % of == 0) return true;
        const auto let = let_values_.find(symbol->name);
        return let != let_values_.end() && is_multiple(let->second, of);
    }
    const auto* call = std::get_if<ir::Call>(&s->node);
    if (call == nullptr || call->arguments.size() != 2) return false;
    const bool left = is_multiple(call->arguments[0], of);
    const bool right = is_multiple(call->arguments[1], of);
    switch (call->function) {
        case Function::mul: return left || right;
        case Function::add:
        case Function::sub:
        case Function::min:
        case Function::max: return left && right;
        default: return false;
    }
}

Operand KernelChecker::index_member(const TileIndex& index, const ast::Name& member) {
    const ir::Scalar width = ir::integer(index.width);
    if (member.text == "start") return index.start;
    if (member.text == "end") return ir::add(index.start, width);
    if (member.text == "prev")
        return TileIndex{ir::sub(index.start, width), index.width, index.aligned};
    if (member.text == "next")
        return TileIndex{ir::add(index.start, width), index.width, index.aligned};
    if (member.text != "index") {
        DiagnosticBuilder message =
            error(member.span, msg::unknown_member, "a tile index", member.text);
        const bool guessed = suggest(message, member.span, member.text,
                                     {"start", "end", "prev", "next", "index"}, ".");
        if (!guessed) message.help("it has `.start`, `.end`, `.prev`, `.next` and `.index`");
        return Poison{};
    }
    if (!index.aligned) {
        std::string start = ir::to_string(index.start);
        for (const std::string& symbol : ir::symbols_of(without_lets(index.start))) {
            const auto begin = range_begins_.find(symbol);
            if (begin != range_begins_.end()) start = ir::to_string(begin->second);
        }
        error(member.span, msg::unaligned_index, index.width, start);
        return Poison{};
    }
    return ir::floor_div(index.start, width);
}

Operand KernelChecker::check_member(const ast::Member& member, Span span) {
    Operand base = check_value(*member.base);
    if (is_poison(base)) return Poison{};
    if (auto* instance = std::get_if<StructInstance>(&base))
        return struct_member(*instance, member.member);
    if (const auto* index = std::get_if<TileIndex>(&base))
        return index_member(*index, member.member);
    if (const auto* record = std::get_if<Record>(&base)) {
        const ir::Pipeline* pipeline = ir::find_pipeline(kernel_, record->pipeline);
        std::vector<std::string> known;
        for (const ir::PipelineField& field : pipeline->fields_) {
            if (field.name == member.member.text) return field_of(*record, field, "");
            known.push_back(field.name);
        }
        DiagnosticBuilder message =
            error(member.member.span, msg::unknown_field, record->pipeline, member.member.text);
        suggest(message, member.member.span, member.member.text, known);
        return Poison{};
    }
    if (member.member.text == "T") {
        if (const auto* shared = std::get_if<SharedTile>(&base)) {
            return SharedTile{shared->value, shared->dtype, shared->cols, shared->rows,
                              !shared->transposed};
        }
        if (const auto* tile = std::get_if<Tile>(&base)) {
            if (role_ != nullptr && role_->unit == ir::Unit::warp) return transposed(*tile);
            error(span, msg::transposed_registers, "a tile in registers")
                .help("as an operand of `mma` write `shared({}).T`", text(member.base->span));
            return Poison{};
        }
    }
    DiagnosticBuilder message =
        error(member.member.span, msg::unknown_member, describe(base), member.member.text);
    const bool tensor =
        std::holds_alternative<TensorName>(base) || std::holds_alternative<View>(base);
    if (tensor) message.help("its extents have the names that stand in its declaration");
    return Poison{};
}

Operand KernelChecker::check_if_expr(const ast::IfExpr& choice, Span span) {
    const ir::Scalar condition = check_condition(*choice.condition);
    std::int64_t known = 0;
    if (condition && ir::is_constant(condition, &known)) {
        check_names(known != 0 ? *choice.else_value : *choice.then_value);
        return check_value(known != 0 ? *choice.then_value : *choice.else_value);
    }
    const bool outer = std::exchange(consume_refused_, true);
    std::vector<Operand> both;
    for (const ast::Expr* value : {choice.then_value.get(), choice.else_value.get()}) {
        const std::size_t since = changed_.size();
        if (condition) known_here_.emplace_back(std::pair(condition, both.empty()));
        both.push_back(check_value(*value));
        if (condition) known_here_.pop_back();
        if (both.size() == 2) check_unchanged(both[0], *choice.then_value, since);
    }
    consume_refused_ = outer;
    if (!condition || is_poison(both[0]) || is_poison(both[1])) return Poison{};
    return apply(Function::where, "if", span, {condition, both[0], both[1]},
                 {choice.condition->span, choice.then_value->span, choice.else_value->span});
}

}  // namespace tkc::checker
