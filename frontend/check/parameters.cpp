// The parameters of a kernel: tensors with their extents, numbers, and `requires`.
#include "frontend/check/parameters.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontend/check/builder.h"
#include "frontend/check/context.h"
#include "frontend/check/names.h"
#include "frontend/check/numbers.h"
#include "frontend/check/types.h"
#include "frontend/parse/ast_walk.h"
#include "ir/contract.h"

#include "language/operation.h"

namespace tkc::checker {

namespace {

ir::Mode mode_of(ast::ParamMode mode) {
    switch (mode) {
        case ast::ParamMode::in:
        case ast::ParamMode::counter: return ir::Mode::in;  // no tensor
        case ast::ParamMode::out: return ir::Mode::out;
        case ast::ParamMode::inout: return ir::Mode::inout;
        case ast::ParamMode::accumulate: return ir::Mode::accumulate;
        case ast::ParamMode::scratch: return ir::Mode::scratch;
    }
    return ir::Mode::in;
}

bool is_free(const std::string& name) {
    return !find_dtype(name) && !find_operation(name) && !find_function(name) && name != "LOG2E" &&
           name != "LN2";
}

}  // namespace

// A name in an extent that nothing else declares is a run-time extent.
void Parameters::declare_extents(const ast::Expr& extent) {
    Walk hooks;
    hooks.expr = [&](const ast::Expr& e) {
        const auto* name = std::get_if<ast::NameRef>(&e.node);
        if (name == nullptr || !is_free(name->text) || names_.scope.find(name->text) != nullptr)
            return;
        names_.declare(EntityKind::extent, ast::Name{e.span, name->text}, ir::symbol(name->text));
        numbers_.launch_symbols.insert(name->text);
    };
    walk(extent, hooks);
}

// Null if an error was reported. Where it says `/` nothing is left, which the launch checks; `//`
// rounds down.
ir::Scalar Parameters::check_tensor_extent(const ast::Expr& extent) {
    std::vector<std::pair<ir::Scalar, ir::Scalar>> quotients;
    numbers_.extent_quotients = &quotients;
    ir::Scalar made = types_.check_control(extent, "the extent of a tensor");
    numbers_.extent_quotients = nullptr;
    for (const auto& [dividend, divisor] : quotients) {
        ir::Condition exact;
        exact.holds =
            ir::call(Function::eq, {ir::call(Function::mod, {dividend, divisor}), ir::integer(0)});
        exact.text = fmt::format("`{}` is an extent, but {} is not a multiple of {}",
                                 ir::to_string(ir::floor_div(dividend, divisor)),
                                 ir::hole(dividend), ir::hole(divisor));
        exact.span = extent.span;
        if (made) builder_.kernel.conditions.push_back(std::move(exact));
    }
    return made;
}

bool Parameters::declare_tensor(const ast::KernelParam& param, Dtype dtype) {
    bool known = true;
    ir::Tensor tensor;
    tensor.name = param.name.text;
    tensor.mode = mode_of(param.mode);
    tensor.dtype = dtype;
    tensor.span = param.name.span;
    const std::size_t rank = param.type.extents.size();
    if (rank > 5) {
        context_.error(param.type.span, msg::tensor_rank, rank)
            .help("contiguous axes can be merged: pass {} of them as one axis", rank - 4);
    }
    for (const ast::ExprPtr& e : param.type.extents) {
        const ir::Scalar extent = check_tensor_extent(*e);
        if (!extent) {
            known = false;
            continue;
        }
        std::int64_t value = 0;
        if (ir::is_constant(extent, &value) && value < 1) {
            context_.error(e->span, msg::positive_number, "the extent of a tensor", 1, value);
        }
        tensor.extents.push_back(extent);
    }
    builder_.kernel.tensors.push_back(std::move(tensor));
    return known;
}

bool Parameters::declare_counter(const ast::KernelParam& param) {
    bool known = true;
    ir::Counter counter{param.name.text, {}, param.name.span};
    for (const ast::ExprPtr& e : param.type.extents) {
        const ir::Scalar extent = check_tensor_extent(*e);
        if (extent) counter.extents.push_back(extent);
        else known = false;
    }
    builder_.kernel.counters.push_back(std::move(counter));
    return known;
}

void Parameters::declare_parameter(const ast::KernelParam& param) {
    if (param.mode == ast::ParamMode::counter) {
        names_.declare(EntityKind::counter, param.name, CounterName{param.name.text});
        return;
    }
    if (!param.type.extents.empty()) {
        names_.declare(EntityKind::tensor, param.name, TensorName{param.name.text});
        return;
    }
    const std::optional<Dtype> dtype = types_.check_dtype(param.type);
    if (param.mode != ast::ParamMode::in) {
        context_.error(param.span, msg::operand_kind, "a mode", "a tensor", "a scalar")
            .help("a scalar in memory is a tensor of one element: `{}: {}[1]`", param.name.text,
                  context_.text(param.type.span));
    }
    if (dtype && is_real(*dtype) && bits_of(*dtype) < 32) {
        context_.not_yet(param.type.span, NotYet::small_reals);
        names_.declare(EntityKind::parameter, param.name, Poison{});
        return;
    }
    if (!dtype) {
        names_.declare(EntityKind::parameter, param.name, Poison{});
        return;
    }
    names_.declare(EntityKind::parameter, param.name, ir::symbol(param.name.text, *dtype));
    builder_.kernel.parameters.push_back({param.name.text, *dtype, param.name.span});
    if (is_integer(*dtype)) numbers_.launch_symbols.insert(param.name.text);
}

void Parameters::check_extents_bound() {
    std::set<std::string> bound;
    std::map<std::string, Span> seen;
    for (const ir::Binding& b : ir::bindings(builder_.kernel)) bound.insert(b.name);
    for (const ast::KernelParam& param : context_.syntax.params) {
        const bool binds =
            param.mode != ast::ParamMode::scratch && param.mode != ast::ParamMode::counter;
        for (const ast::ExprPtr& extent : param.type.extents) {
            const auto* plain = std::get_if<ast::NameRef>(&extent->node);
            if (plain != nullptr && binds) bound.insert(plain->text);
            Walk hooks;
            hooks.expr = [&](const ast::Expr& e) {
                const auto* name = std::get_if<ast::NameRef>(&e.node);
                if (name != nullptr) seen.emplace(name->text, e.span);
            };
            walk(*extent, hooks);
        }
    }
    for (const auto& [name, span] : seen) {
        const Entity* entity = names_.scope.find(name);
        const bool extent = entity != nullptr && entity->kind == EntityKind::extent;
        if (extent && bound.count(name) == 0) context_.error(span, msg::extent_not_bound, name);
    }
}

void Parameters::declare_parameters() {
    for (const ast::KernelParam& param : context_.syntax.params) declare_parameter(param);
    for (const ast::KernelParam& param : context_.syntax.params) {
        for (const ast::ExprPtr& extent : param.type.extents) declare_extents(*extent);
    }
    for (const ast::KernelParam& param : context_.syntax.params) {
        if (param.type.extents.empty()) continue;
        if (param.mode == ast::ParamMode::counter) {
            Entity* entity = names_.scope.find(param.name.text);
            if (!declare_counter(param) && entity != nullptr) entity->value = Poison{};
            continue;
        }
        const std::optional<Dtype> dtype = types_.check_dtype(param.type);
        const bool known = declare_tensor(param, dtype.value_or(Dtype::f32)) && dtype;
        Entity* entity = names_.scope.find(param.name.text);
        if (!known && entity != nullptr) entity->value = Poison{};
    }
    check_extents_bound();
}

}  // namespace tkc::checker
