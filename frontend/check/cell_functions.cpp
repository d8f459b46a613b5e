// Functions of numbers that are called with tiles: they work cell by cell. So do external ones.
#include <utility>

#include "frontend/check/arithmetic.h"
#include "frontend/check/builder.h"
#include "frontend/check/context.h"
#include "frontend/check/expressions.h"
#include "frontend/check/functions.h"
#include "frontend/check/names.h"
#include "frontend/check/structs.h"
#include "frontend/check/tiles.h"
#include "frontend/check/types.h"

namespace tkc::checker {

// fn near(row: i32, col: i32) -> bool: numbers in, a number out.
bool Functions::works_on_cells(const ast::Function& function,
                               const std::vector<Operand>& arguments) const {
    if (builder_.role == nullptr || !function.result || !function.result->extents.empty())
        return false;
    bool tiles = false;
    for (std::size_t i = 0; i < function.params.size(); ++i) {
        const ast::FnParam& param = function.params[i];
        if (param.mode == ast::FnParamMode::constant) continue;
        const bool number = param.type.extents.empty() && !structs_.find_struct(param.type);
        if (param.mode == ast::FnParamMode::inout || !number) return false;
        const bool tile = std::holds_alternative<Tile>(arguments[i]) ||
                          std::holds_alternative<SharedTile>(arguments[i]);
        tiles = tiles || tile;
    }
    return tiles;
}

// Its body on the cells of the arguments: nothing of it becomes an operation of its own.
Operand Functions::call_on_cells(const Unit& unit, const ast::Function& function,
                                 const ast::Call& call, std::vector<Operand> arguments,
                                 const std::map<std::string, Operand>& known, Span span) {
    std::vector<Operand> numbers;
    std::vector<Span> spans;
    std::vector<const ast::FnParam*> params;
    const Unit* const caller = std::exchange(context_.unit, &unit);
    const Scope::Mark mark = names_.scope.open_frame();
    bool bound = declare_generics(function, known, span);
    for (std::size_t i = 0; bound && i < arguments.size(); ++i) {
        const ast::FnParam& param = function.params[i];
        const Span place = call.args[i].value->span;
        if (param.mode == ast::FnParamMode::constant) {
            bound = bind_parameter(function, param, std::move(arguments[i]), place, {});
            continue;
        }
        numbers.push_back(computed_once(function, param, std::move(arguments[i])));
        spans.push_back(place);
        params.push_back(&param);
    }
    std::vector<Dtype> types;
    for (const ast::FnParam* param : params) {
        const std::optional<Dtype> dtype = types_.check_dtype(param->type);
        bound = bound && dtype;
        types.push_back(dtype.value_or(Dtype::f32));
    }
    Operand result = Poison{};
    if (bound) {
        const auto body = [&](const std::vector<ir::Scalar>& cells) {
            const ast::Function* const outer = std::exchange(context_.on_cells, &function);
            const ir::Scalar made =
                meaning_of(function, params, cells, span, called_as(function, call));
            context_.on_cells = outer;
            return made;
        };
        result =
            arithmetic_.apply_cells(function.name.text, span, numbers, spans, params, types, body);
    }
    names_.close_scope(mark);
    context_.unit = caller;
    return result;
}

// Its parameters and its result are numbers, and it works cell by cell. What its body says is
// in the IR next to the call, for the proofs of cells and the emulator.
Operand Functions::call_external(const Unit& unit, const ast::Function& function,
                                 const ast::Call& call, Span span) {
    if (builder_.role == nullptr && context_.on_cells == nullptr) {
        context_.impure(span, "an external function", "call it in the role that needs it");
        return Poison{};
    }
    const std::optional<std::vector<Operand>> arguments =
        check_call_arguments(function, call, span);
    if (!arguments) return Poison{};
    const Unit* const caller = std::exchange(context_.unit, &unit);
    std::vector<const ast::FnParam*> params;
    std::vector<Dtype> types;
    bool known = true;
    const auto number = [&](const ast::Type& type) {
        const std::optional<Dtype> dtype =
            type.extents.empty() ? types_.check_dtype(type) : std::nullopt;
        const bool fits = dtype && (*dtype == Dtype::f32 || *dtype == Dtype::i32 ||
                                    *dtype == Dtype::u32 || *dtype == Dtype::i64);
        if (!fits && (dtype || !type.extents.empty()))
            context_
                .error(type.span, msg::operand_kind, "an external function",
                       "scalars of type f32, i32, u32 or i64", context_.quoted(type.span))
                .help("it is applied elementwise, so its arguments can still be tiles");
        known = known && fits;
        return dtype.value_or(Dtype::f32);
    };
    for (const ast::FnParam& param : function.params) {
        params.push_back(&param);
        types.push_back(number(param.type));
        if (param.mode == ast::FnParamMode::value) continue;
        context_.error(param.span, msg::operand_kind, "an external function", "values",
                       context_.quoted(param.span));
        known = false;
    }
    number(*function.result);
    Operand result = Poison{};
    if (known) {
        std::vector<Span> spans;
        for (const ast::Arg& arg : call.args) spans.push_back(arg.value->span);
        const auto made = [&](const std::vector<ir::Scalar>& cells) -> ir::Scalar {
            const Scope::Mark mark = names_.scope.open_frame();
            const ir::Scalar meaning =
                meaning_of(function, params, cells, span, called_as(function, call));
            names_.close_scope(mark);
            return meaning
                       ? ir::external(function.name.text, function.external->header, cells, meaning)
                       : nullptr;
        };
        result = arithmetic_.apply_cells(function.name.text, span, *arguments, spans, params, types,
                                         made);
    }
    context_.unit = caller;
    return result;
}

// The body on the arguments, which may be cells: nothing of it becomes an operation.
ir::Scalar Functions::meaning_of(const ast::Function& function,
                                 const std::vector<const ast::FnParam*>& params,
                                 const std::vector<ir::Scalar>& arguments, Span span,
                                 const std::string& constant) {
    ir::Role* const role = std::exchange(builder_.role, nullptr);
    context_.inlining.push_back(
        {&function, span, std::nullopt, builder_.blocks.size(), std::nullopt, constant});
    for (std::size_t i = 0; i < arguments.size(); ++i)
        names_.declare(EntityKind::argument, params[i]->name, arguments[i])->used = true;
    const Operand result = inline_body(function);
    context_.inlining.pop_back();
    builder_.role = role;
    return is_scalar(result) ? scalar(result) : nullptr;
}

}  // namespace tkc::checker
