// Statements: definitions, assignments and branches. Loops are in loops.cpp, pipelines in
// pipelines.cpp, stores in memory.cpp.
#include "frontend/check/statements.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "base/overloaded.h"
#include "frontend/check/arithmetic.h"
#include "frontend/check/axes.h"
#include "frontend/check/builder.h"
#include "frontend/check/calls.h"
#include "frontend/check/context.h"
#include "frontend/check/expressions.h"
#include "frontend/check/functions.h"
#include "frontend/check/limits.h"
#include "frontend/check/loops.h"
#include "frontend/check/names.h"
#include "frontend/check/numbers.h"
#include "frontend/check/pipelines.h"
#include "frontend/check/products.h"
#include "frontend/check/structs.h"
#include "frontend/check/tiles.h"
#include "frontend/check/types.h"
#include "frontend/check/views.h"
#include "frontend/parse/ast_walk.h"

namespace tkc::checker {

void Statements::resolve_let(Entity& entity) {
    const ast::Let& let = *entity.pending;
    const Span outer = context_.statement;
    context_.statement = join(let.name.span, let.value->span);
    entity.busy = true;
    // It is outside the statement that needs it first.
    const auto known = std::exchange(numbers_.known_here, {});
    const auto guards = std::exchange(numbers_.guards, {});
    Operand value = check_definition(let);
    entity.busy = false;
    entity.pending = nullptr;
    const auto named = [&](const ir::Scalar& s) {
        return ir::is_constant(s) ? s : numbers_.emit_let(entity.name, s, let.value->span);
    };
    if (const auto* view = std::get_if<View>(&value)) {
        entity.value = views_.name_view(entity.name, *view, context_.statement);
    } else if (std::holds_alternative<TensorPart>(value)) {
        entity.value = value;
    } else if (auto* s = std::get_if<ir::Scalar>(&value)) {
        entity.value = named(*s);
    } else if (auto* index = std::get_if<TileIndex>(&value)) {
        entity.value = TileIndex{named(index->start), index->width, index->aligned};
    } else if (std::holds_alternative<DtypeName>(value)) {
        entity.value = value;
    } else if (!is_poison(value)) {
        context_.impure(let.value->span, describe(value));
    }
    numbers_.known_here = known;
    numbers_.guards = guards;
    context_.statement = outer;
}

namespace {

// What only a role can do; empty where the statement may be one that defines or chooses numbers.
std::string_view work_of_roles(const ast::Stmt& stmt) {
    return std::visit(Overloaded{
                          [](const ast::SharedVar&) { return std::string_view("a shared tile"); },
                          [](const ast::For&) { return std::string_view("a loop"); },
                          [](const ast::ForSpace&) { return std::string_view("a loop"); },
                          [](const auto&) { return std::string_view(); },
                      },
                      stmt.node);
}

}  // namespace

void Statements::check_block(const ast::Block& block) {
    const Scope::Mark mark = names_.scope.open();
    check_body(block);
    names_.close_scope(mark);
}

void Statements::check_body(const ast::Block& block) {
    for (const ast::Stmt& stmt : block.stmts) {
        check_stmt(stmt);
        const bool returned = !context_.inlining.empty() && context_.inlining.back().result;
        if (returned || context_.file.stopped) break;
    }
}

void Statements::check_stmt(const ast::Stmt& stmt) {
    if (builder_.role == nullptr) {  // in a function that is called there
        const std::string_view work = work_of_roles(stmt);
        if (!work.empty()) {
            context_.impure(stmt.span, std::string(work), "call the function in a role");
            return;
        }
    }
    if (!context_.counts(statement_count_, statement_limit, "statements", stmt.span)) return;
    const Span outer = context_.statement;
    context_.statement = own_part(stmt);
    std::visit(
        Overloaded{
            [&](const ast::Let& s) { s.is_var ? check_var(s) : check_let(s); },
            [&](const ast::SharedVar& s) { check_shared_var(s); },
            [&](const ast::Assign& s) { check_assign(s); },
            [&](const ast::CallStmt& s) { check_call_stmt(s); },
            [&](const ast::For& s) { loops_.check_for(s); },
            [&](const ast::ForSpace& s) { loops_.check_for_space(s); },
            [&](const ast::If& s) { check_if(s); },
            [&](const ast::Produce& s) { pipelines_.check_produce(s, stmt.span); },
            [&](const ast::ConsumeBlock& s) { pipelines_.check_consume_block(s, stmt.span); },
            [&](const ast::Return& s) { check_return(s, stmt.span); },
        },
        stmt.node);
    context_.statement = outer;
}

// Warps take operands from registers: what arithmetic reads, too, is there.
bool Statements::goes_to_shared(const std::string& name, const Tile& tile) {
    if (!operand_uses_) operand_uses_.emplace(context_.items);
    if (builder_.role->unit == ir::Unit::warp && !operand_uses_->only_operand(name)) return false;
    return operand_uses_->needs_shared(name) ||
           (operand_uses_->is_operand_itself(name) && !products_.takes_from_registers(tile));
}

Operand Statements::check_definition(const ast::Let& let) {
    const std::optional<WrittenType> wanted =
        let.type ? types_.check_any_type(*let.type) : std::nullopt;
    if (let.type && !wanted) return Poison{};
    const auto* consumed = std::get_if<ast::Consume>(&let.value->node);
    const Operand value = consumed != nullptr && !let.is_var
                              ? pipelines_.consume(consumed->pipe, let.name.text, let.value->span)
                              : structs_.check_right_side(*let.value, wanted ? &*wanted : nullptr);
    // A load under a name that products read goes where they can read it.
    const bool loaded = context_.inlining.empty() && !wanted && !let.is_var && is_load(*let.value);
    const auto* tile = std::get_if<Tile>(&value);
    if (loaded && tile && goes_to_shared(let.name.text, *tile)) return tiles_.share(*tile);
    if (!wanted) return value;
    return structs_.fitted_value(value, *wanted, let.value->span, "`" + let.name.text + "`");
}

void Statements::check_let(const ast::Let& let) {
    first_new_value_ = builder_.role == nullptr ? 0 : builder_.role->values.size();
    Operand value = named(let.name.text, check_definition(let), let.value->span);
    const bool element = std::holds_alternative<Record>(value);
    names_.declare(element ? EntityKind::element : EntityKind::let, let.name, std::move(value));
}

// A value made by this very statement, which has no name yet, takes that of its definition.
bool Statements::adopt(ir::Value value, const std::string& name) {
    if (value.id < first_new_value_) return false;
    ir::ValueInfo& info = (*builder_.role)[value];
    if (info.name.front() != 't' || !std::all_of(info.name.begin() + 1, info.name.end(),
                                                 [](char c) { return c >= '0' && c <= '9'; })) {
        return false;
    }
    info.name = builder_.unique_name(name);
    return true;
}

Operand Statements::named(const std::string& name, Operand value, Span span) {
    // Outside of roles a definition is in a function, and what it says is put in its place.
    const auto let = [&](const ir::Scalar& s) {
        if (builder_.role == nullptr) return s;
        return numbers_.emit_let(builder_.unique_name(name), s, span);
    };
    if (auto* s = std::get_if<ir::Scalar>(&value)) {
        if (!ir::is_constant(*s)) *s = let(*s);
    } else if (auto* index = std::get_if<TileIndex>(&value)) {
        index->start = let(index->start);
    } else if (auto* tile = std::get_if<Tile>(&value)) {
        const bool fixed = tiles_.is_fixed(*tile);
        const std::optional<ir::Value> same = tiles_.plain(*tile);
        // Indices are as cheap as masks.
        const bool virtual_tile = tiles_.is_mask(*tile) || (fixed && tile->inputs.empty());
        if (same && fixed) {
            adopt(*same, name);
        } else if (!virtual_tile) {
            *tile = tiles_.tile_of(tiles_.materialize(*tile, builder_.unique_name(name)));
        }
    } else if (auto* shared = std::get_if<SharedTile>(&value)) {
        if (!shared->transposed && !shared->part) adopt(shared->value, name);
    } else if (auto* instance = std::get_if<StructInstance>(&value)) {
        for (std::size_t i = 0; i < instance->fields.size(); ++i) {
            Operand& field = instance->fields[i].value;
            field = named(name + "_" + instance->type->members[i].name, std::move(field), span);
        }
    } else if (const auto* view = std::get_if<View>(&value)) {
        return views_.name_view(name, *view, span);
    } else if (std::holds_alternative<TensorPart>(value)) {
        return value;
    } else if (std::holds_alternative<TensorName>(value) ||
               std::holds_alternative<CounterName>(value) ||
               std::holds_alternative<PipelineName>(value) ||
               std::holds_alternative<SpaceName>(value) ||
               std::holds_alternative<RoleName>(value)) {
        context_.error(span, msg::operand_kind, "`let`", "a scalar or a tile", describe(value));
        value = Poison{};
    }
    return value;
}

Operand Statements::make_number_variable(const std::string& name, const ir::Scalar& value) {
    const ir::Value made = builder_.new_value(
        builder_.unique_name(name), ir::TileType{value->dtype, 1, 1, ir::Space::registers}, true);
    const NumberVariable variable{made, value->dtype};
    numbers_.assign(variable, value);
    return variable;
}

Operand Statements::make_variable(const std::string& name, const Operand& value, Span span,
                                  bool changing) {
    if (const auto* instance = std::get_if<StructInstance>(&value)) {
        StructInstance made = *instance;
        for (std::size_t i = 0; i < made.fields.size(); ++i) {
            const std::string field = name + "_" + made.type->members[i].name;
            Operand& place = made.fields[i].value;
            place = is_scalar(place) && !changing ? named(field, place, span)
                                                  : make_variable(field, place, span, changing);
        }
        return made;
    }
    if (is_scalar(value)) return make_number_variable(name, scalar(value));
    const std::optional<Tile> tile = tiles_.as_tile(value, span, "`var`");
    if (!tile) return Poison{};
    const std::optional<ir::Value> same = tiles_.plain(*tile);
    ir::Value made;
    if (same && adopt(*same, name)) {
        made = *same;
    } else {
        made = builder_.new_value(
            builder_.unique_name(name),
            ir::TileType{tile->cell->dtype, tile->rows, tile->cols, ir::Space::registers});
        tiles_.compute(made, *tile);
    }
    (*builder_.role)[made].variable = true;
    return tiles_.tile_of(made);
}

void Statements::check_var(const ast::Let& var) {
    first_new_value_ = builder_.role == nullptr ? 0 : builder_.role->values.size();
    Operand value = check_definition(var);
    const Span& place = var.name.span;
    const bool changing =
        builder_.role != nullptr && context_.changing.contains({place.file, place.begin});
    if (builder_.role == nullptr && !is_scalar(value)) {
        if (!is_poison(value)) context_.impure(var.name.span, describe(value));
        value = Poison{};
    } else if (is_scalar(value) && !changing) {
        value = named(var.name.text, std::move(value), var.value->span);
    } else {
        value = make_variable(var.name.text, value, var.value->span, changing);
    }
    names_.declare(EntityKind::variable, var.name, std::move(value))->origin = place;
}

Operand* Statements::assignable(const ast::Expr& target) {
    if (const auto* member = std::get_if<ast::Member>(&target.node)) {
        const ast::Expr* root = member->base.get();
        while (const auto* inner = std::get_if<ast::Member>(&root->node)) root = inner->base.get();
        const auto* name = std::get_if<ast::NameRef>(&root->node);
        const Entity* entity = name == nullptr ? nullptr : names_.scope.find(name->text);
        if (entity != nullptr && is_struct(entity->value)) {
            Operand* base = assignable(*member->base);
            auto* instance = base == nullptr ? nullptr : std::get_if<StructInstance>(base);
            if (base == nullptr || is_poison(*base)) return nullptr;
            if (instance != nullptr) {
                if (StructField* field = find_field(*instance, member->member.text))
                    return &field->value;
                structs_.struct_member(*instance, member->member);
                return nullptr;
            }
        }
    }
    const auto* name = std::get_if<ast::NameRef>(&target.node);
    if (name == nullptr) {
        const bool member = std::holds_alternative<ast::Member>(target.node);
        const Operand found = expressions_.check_value(target);
        if (is_poison(found)) return nullptr;
        if (member) {
            context_.error(target.span, msg::assignment_to_constant, context_.text(target.span),
                           describe(found));
        } else {
            const bool tile =
                std::holds_alternative<Tile>(found) || std::holds_alternative<SharedTile>(found);
            const auto* part = std::get_if<TensorPart>(&found);
            const bool adds =
                part != nullptr &&
                ir::find_tensor(builder_.kernel, part->slice.tensor)->mode == ir::Mode::accumulate;
            context_
                .error(target.span, msg::operand_kind, "an assignment", "a variable",
                       tile && std::holds_alternative<ast::Index>(target.node) ? "a slice of a tile"
                                                                               : describe(found))
                .help("{}", tile ? "slices of tiles can only be read: use a separate variable for "
                                   "each part that changes"
                            : adds ? "to add to memory, write `reduce_add(slice, value)`"
                                   : "to write memory, use `store(slice, value)`");
        }
        return nullptr;
    }
    Entity* entity = names_.scope.find(name->text);
    if (entity == nullptr) {
        names_.report_unknown(target.span, name->text, "variable");
        return nullptr;
    }
    if (entity->kind != EntityKind::variable && !entity->guess) {
        DiagnosticBuilder message = context_.error(target.span, msg::assignment_to_constant,
                                                   name->text, kind_text(entity->kind));
        message.label(entity->span, "declared here");
        if (entity->kind == EntityKind::let)
            message.help("declare it with `var`, or give the new value a new name");
        return nullptr;
    }
    return &entity->value;
}

Span Statements::origin_of(const ast::Expr& target) {
    const ast::Expr* root = &target;
    while (const auto* member = std::get_if<ast::Member>(&root->node)) root = member->base.get();
    const auto* name = std::get_if<ast::NameRef>(&root->node);
    const Entity* entity = name == nullptr ? nullptr : names_.scope.find(name->text);
    return entity == nullptr ? Span{} : entity->origin;
}

void Statements::let_change(const ast::Expr& target) {
    const Span origin = origin_of(target);
    context_.found_changing.insert({origin.file, origin.begin});
}

void Statements::check_assign(const ast::Assign& assign) {
    Operand* place = assignable(*assign.target);
    if (place == nullptr) return;
    if (const auto* shared = std::get_if<SharedTile>(place)) {
        assign_shared(assign, *shared);
    } else if (auto* instance = std::get_if<StructInstance>(place)) {
        if (structs_.assign_struct(assign, *instance)) let_change(*assign.target);
    } else if (const auto* target = std::get_if<Tile>(place)) {
        // What does not fit is told here once, and not again wherever the variable is used.
        if (!assign_tile(assign, Tile(*target))) *place = Poison{};
    } else if (is_scalar(*place) || std::holds_alternative<NumberVariable>(*place)) {
        assign_number(assign, *place);
    } else {
        expressions_.check_value(*assign.value);
    }
}

namespace {

std::optional<Function> function_of(ast::AssignOp op) {
    switch (op) {
        case ast::AssignOp::set: return std::nullopt;
        case ast::AssignOp::add: return Function::add;
        case ast::AssignOp::subtract: return Function::sub;
        case ast::AssignOp::multiply: return Function::mul;
        case ast::AssignOp::divide: return Function::div;
    }
    return std::nullopt;
}

}  // namespace

void Statements::assign_shared(const ast::Assign& assign, const SharedTile& target) {
    const std::optional<Function> function = function_of(assign.op);
    const std::size_t since = context_.changed.size();
    Operand value = expressions_.check_value(*assign.value);
    if (function) expressions_.check_unchanged(target, *assign.target, since);
    if (function)
        value = arithmetic_.apply(*function, context_.text(assign.op_span), context_.statement,
                                  {target, value},
                                  {Span{}, assign.value->span});  // the target is not to be edited
    const std::optional<Tile> tile =
        tiles_.fitted_tile(value, {target.dtype, target.rows, target.cols}, assign.value->span,
                           context_.quoted(assign.target->span));
    if (!tile) return;
    builder_.emit(ir::Share{target.value, tiles_.materialize(*tile, "")});
    builder_.shared_names.assigned(target.value, assign.target->span);
    axes_.add_origins(target.value, tile->origins);
}

namespace {

// A constant as it is written; 0 for what is none.
std::string first_value(const ir::Scalar& s) {
    const auto* real = std::get_if<ir::Real>(&s->node);
    std::int64_t whole = 0;
    if (real != nullptr && std::isinf(real->value)) return real->value < 0 ? "-inf" : "inf";
    if (real != nullptr) return fmt::format("{}", real->value);
    return ir::is_constant(s, &whole) ? std::to_string(whole) : "0";
}

}  // namespace

// What is assigned where statements run one after the other as they are written gets a name of its
// own, and the variable stands for the newest: such numbers steer whatever numbers can. Elsewhere
// the variable is a tile of one cell.
void Statements::assign_number(const ast::Assign& assign, Operand& target) {
    const auto* variable = std::get_if<NumberVariable>(&target);
    const auto* name = std::get_if<ast::NameRef>(&assign.target->node);
    const Entity* entity = name == nullptr ? nullptr : names_.scope.find(name->text);
    const bool in_turn = entity != nullptr && entity->depth == builder_.blocks.size() &&
                         entity->origin == entity->span;
    const WrittenType type{*dtype_of(target), {}, nullptr};
    const std::optional<Function> function = function_of(assign.op);
    const std::size_t since = context_.changed.size();
    Operand value = expressions_.check_value(*assign.value);
    if (is_poison(value)) return;
    if (function) expressions_.check_unchanged(target, *assign.target, since);
    if (const auto* tile = std::get_if<Tile>(&value); tile != nullptr && !in_turn) {
        auto message = context_.error(assign.value->span, msg::operand_kind,
                                      context_.quoted(assign.target->span),
                                      "a scalar, as it is declared", describe(value));
        if (tile->rows == 1 && tile->cols == 1) {
            message.help("write `scalar({})`", context_.text(assign.value->span));
        } else if (entity != nullptr) {
            const std::string first =
                is_scalar(target) ? first_value(numbers_.without_lets(scalar(target))) : "0";
            message.label(entity->span, "declare the tile: `var {}: {}[{}, {}] = {};`", name->text,
                          tkc::name(tile->cell->dtype), tile->rows, tile->cols, first);
        }
        if (variable == nullptr) target = Poison{};  // what uses it as a tile is right
        return;
    }
    const bool number = is_scalar(value) && !adapts(scalar(value));
    if (entity != nullptr && number && is_integer(type.dtype) && is_real(scalar(value)->dtype)) {
        // `var s = 0;` for a sum of reals: what is to be changed is its declaration.
        const std::string_view given = tkc::name(scalar(value)->dtype);
        context_
            .error(assign.value->span, msg::narrowing, context_.quoted(assign.target->span),
                   tkc::name(type.dtype), given, tkc::name(type.dtype))
            .label(entity->span, "declare it as `var {}: {} = ..;`", name->text, given)
            .help("or truncate it: `{}({})`", tkc::name(type.dtype),
                  context_.text(assign.value->span));
        value = Poison{};
    } else if (function) {
        value = arithmetic_.apply(*function, context_.text(assign.op_span), context_.statement,
                                  {numbers_.read(target), value},
                                  {Span{}, assign.value->span});  // the target is not to be edited
    }
    value = structs_.fitted_value(value, type, assign.value->span,
                                  context_.quoted(assign.target->span));
    if (variable != nullptr) {
        if (is_scalar(value)) numbers_.assign(*variable, scalar(value));
    } else if (in_turn) {
        target = named(name->text, std::move(value), assign.value->span);
    } else {
        let_change(*assign.target);
    }
}

bool Statements::assign_tile(const ast::Assign& assign, const Tile& target) {
    const std::optional<Function> function = function_of(assign.op);
    const auto* call = std::get_if<ast::Call>(&assign.value->node);
    const bool product = call != nullptr && called_operation(*call->callee) == Operation::mma;
    if (product && (assign.op == ast::AssignOp::set || assign.op == ast::AssignOp::add)) {
        return !is_poison(products_.check_mma(*call, assign.value->span, &target,
                                              assign.op == ast::AssignOp::add));
    }
    const std::size_t since = context_.changed.size();
    Operand value = expressions_.check_value(*assign.value);
    if (function) expressions_.check_unchanged(target, *assign.target, since);
    if (function)
        value = arithmetic_.apply(*function, context_.text(assign.op_span), context_.statement,
                                  {target, value},
                                  {Span{}, assign.value->span});  // the target is not to be edited
    const std::optional<Tile> tile =
        tiles_.fitted_tile(value, {target.cell->dtype, target.rows, target.cols},
                           assign.value->span, context_.quoted(assign.target->span));
    if (tile) tiles_.compute(target.inputs.front(), *tile);
    return tile.has_value();
}

namespace {

bool only_returns(const ast::If& branch);

// Whether the block gives a value and does nothing else.
bool only_returns(const ast::Block& block) {
    for (const ast::Stmt& stmt : block.stmts) {
        const bool last = &stmt == &block.stmts.back();
        const auto* let = std::get_if<ast::Let>(&stmt.node);
        const auto* ret = std::get_if<ast::Return>(&stmt.node);
        const auto* branch = std::get_if<ast::If>(&stmt.node);
        if (!last && (let == nullptr || let->is_var)) return false;
        if (!last) continue;
        return (ret != nullptr && ret->value) || (branch != nullptr && only_returns(*branch));
    }
    return false;
}

bool only_returns(const ast::If& branch) {
    return branch.else_block && only_returns(branch.then_block) && only_returns(*branch.else_block);
}

}  // namespace

// What a block that only returns gives. It is under a condition, and is computed in any case.
Operand Statements::returned_by(const ast::Block& block) {
    check_block(block);
    return std::exchange(context_.inlining.back().result, std::nullopt).value_or(Poison{});
}

void Statements::check_if(const ast::If& branch) {
    const Span whole = context_.statement;
    const ir::Scalar condition = types_.check_condition(*branch.condition);
    std::int64_t known = 0;
    if (condition && ir::is_constant(condition, &known)) {
        const ast::Block* taken = known != 0 ? &branch.then_block : nullptr;
        const ast::Block* other = known != 0 ? nullptr : &branch.then_block;
        if (branch.else_block) (known != 0 ? other : taken) = &*branch.else_block;
        if (other != nullptr) names_.check_names(*other);
        if (taken != nullptr) check_block(*taken);
        return;
    }
    if (!context_.inlining.empty() && builder_.blocks.size() == context_.inlining.back().depth &&
        only_returns(branch)) {
        const bool outer = std::exchange(context_.consume_refused, true);
        const auto returned_where = [&](bool holds, const ast::Block& block) {
            const Numbers::Choosing chosen(numbers_, condition, holds);
            return returned_by(block);
        };
        const Operand yes = returned_where(true, branch.then_block);
        const Operand no = returned_where(false, *branch.else_block);
        context_.consume_refused = outer;
        context_.statement = whole;
        context_.inlining.back().result =
            condition ? arithmetic_.apply(Function::where, "if", branch.condition->span,
                                          {condition, yes, no})
                      : Operand(Poison{});
        return;
    }
    if (builder_.role == nullptr) {
        Walk hooks;
        std::optional<Span> ret;
        hooks.stmt = [&](const ast::Stmt& stmt) {
            if (!ret && std::holds_alternative<ast::Return>(stmt.node)) ret = stmt.span;
        };
        walk(branch.then_block, hooks);
        if (branch.else_block) walk(*branch.else_block, hooks);
        if (ret) report_return_on_condition(*ret);
        else if (condition)
            context_.impure(branch.condition->span, "a branch on a run-time condition")
                .help("write a value: `if c { a } else { b }`");
        context_.inlining.back().result = Poison{};
        return;
    }
    ir::If made;
    made.condition = condition;
    builder_.open_block();
    SharedNames::Branches branches = builder_.shared_names.open_branch();
    if (condition) numbers_.known_here.emplace_back(std::pair(condition, true));
    check_block(branch.then_block);
    if (condition) numbers_.known_here.back() = std::pair(condition, false);
    made.then_body = builder_.close_block();
    builder_.open_block();
    builder_.shared_names.open_other(branches);
    if (branch.else_block) check_block(*branch.else_block);
    builder_.shared_names.close_other();
    if (condition) numbers_.known_here.pop_back();
    made.else_body = builder_.close_block();
    context_.statement = whole;
    if (condition) builder_.emit(std::move(made));
}

void Statements::check_call_stmt(const ast::CallStmt& stmt) {
    const Operand value = expressions_.check(*stmt.call);
    if (is_poison(value) || std::holds_alternative<Nothing>(value)) return;
    const auto& call = std::get<ast::Call>(stmt.call->node);
    context_.error(stmt.call->span, msg::value_ignored, context_.text(call.callee->span));
}

}  // namespace tkc::checker
