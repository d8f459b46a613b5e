// The parameters of a kernel: tensors with their extents, numbers, and `requires`.
#include "frontend/check/kernel_checker.h"
#include "frontend/parse/ast_walk.h"
#include "ir/contract.h"

namespace tkc::checker {

namespace {

ir::Mode mode_of(ast::ParamMode mode) {
    switch (mode) {
        case ast::ParamMode::In:
        case ast::ParamMode::Counter: return ir::Mode::in;
        case ast::ParamMode::Out: return ir::Mode::out;
        case ast::ParamMode::Inout: return ir::Mode::inout;
        case ast::ParamMode::Accumulate: return ir::Mode::accumulate;
        case ast::ParamMode::Scratch: return ir::Mode::scratch;
    }
    return ir::Mode::in;
}

bool is_free(const std::string& name) {
    return !find_dtype(name) && !find_operation(name) && !find_function(name) && name != "LOG2E" &&
           name != "LN2";
}

}  // namespace

// A name in an extent that nothing else declares is a run-time extent.
void KernelChecker::declare_extents(const ast::Expr& extent) {
    Walk hooks;
    hooks.expr = [&](const ast::Expr& e) {
        const auto* name = std::get_if<ast::NameRef>(&e.node);
        if (name == nullptr || !is_free(name->text) || scope_.find(name->text) != nullptr) return;
        declare(EntityKind::extent, ast::Name{e.span, name->text}, ir::symbol(name->text));
        launch_symbols_.insert(name->text);
    };
    walk(extent, hooks);
}

// Null: told. Its quotients are exact, which the launch checks.
ir::Scalar KernelChecker::check_tensor_extent(const ast::Expr& extent) {
    std::vector<std::pair<ir::Scalar, ir::Scalar>> quotients;
    extent_quotients_ = &quotients;
    ir::Scalar made = check_control(extent, "the extent of a tensor");
    extent_quotients_ = nullptr;
    for (const auto& [dividend, divisor] : quotients) {
        ir::Condition exact;
        exact.holds =
            ir::call(Function::eq, {ir::call(Function::mod, {dividend, divisor}), ir::integer(0)});
        exact.text = "`" + ir::to_string(dividend) + "` is a multiple of " + ir::to_string(divisor);
        exact.span = extent.span;
        if (made) kernel_.conditions.push_back(std::move(exact));
    }
    return made;
}

bool KernelChecker::declare_tensor(const ast::KernelParam& param, Dtype dtype) {
    bool known = true;
    ir::Tensor tensor;
    tensor.name = param.name.text;
    tensor.mode = mode_of(param.mode);
    tensor.dtype = dtype;
    tensor.span = param.name.span;
    const std::size_t rank = param.type.extents.size();
    if (rank > 5) {
        error(param.type.span, msg::tensor_rank, rank)
            .help("axes without gaps between them can be one: hand over {} of them as one axis",
                  rank - 4);
    }
    for (const ast::ExprPtr& e : param.type.extents) {
        const ir::Scalar extent = check_tensor_extent(*e);
        if (!extent) {
            known = false;
            continue;
        }
        std::int64_t value = 0;
        if (ir::is_constant(extent, &value) && value < 1) {
            error(e->span, msg::positive_number, "the extent of a tensor", 1, value);
        }
        tensor.extents.push_back(extent);
    }
    kernel_.tensors.push_back(std::move(tensor));
    return known;
}

void KernelChecker::declare_parameter(const ast::KernelParam& param) {
    if (!param.type.extents.empty()) {
        declare(EntityKind::tensor, param.name, TensorName{param.name.text});
        return;
    }
    const std::optional<Dtype> dtype = check_dtype(param.type);
    if (param.mode != ast::ParamMode::In) {
        error(param.span, msg::operand_kind, "a mode", "a tensor", "a number");
    }
    if (dtype && is_real(*dtype) && bytes(*dtype) < 4) {
        not_yet(param.type.span, NotYet::small_reals);
        declare(EntityKind::parameter, param.name, Poison{});
        return;
    }
    if (!dtype) {
        declare(EntityKind::parameter, param.name, Poison{});
        return;
    }
    declare(EntityKind::parameter, param.name, ir::symbol(param.name.text, *dtype));
    kernel_.parameters.push_back({param.name.text, *dtype, param.name.span});
    if (is_integer(*dtype)) launch_symbols_.insert(param.name.text);
}

void KernelChecker::check_extents_bound() {
    std::set<std::string> bound;
    std::map<std::string, Span> seen;
    for (const ir::Binding& b : ir::bindings(kernel_)) bound.insert(b.name);
    for (const ast::KernelParam& param : syntax_.params) {
        const bool binds =
            param.mode != ast::ParamMode::Scratch && param.mode != ast::ParamMode::Counter;
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
        const Entity* entity = scope_.find(name);
        const bool extent = entity != nullptr && entity->kind == EntityKind::extent;
        if (extent && bound.count(name) == 0) error(span, msg::extent_not_bound, name);
    }
}

void KernelChecker::declare_parameters() {
    for (const ast::KernelParam& param : syntax_.params) declare_parameter(param);
    for (const ast::KernelParam& param : syntax_.params) {
        for (const ast::ExprPtr& extent : param.type.extents) declare_extents(*extent);
    }
    for (const ast::KernelParam& param : syntax_.params) {
        if (param.type.extents.empty()) continue;
        const std::optional<Dtype> dtype = check_dtype(param.type);
        const bool known = declare_tensor(param, dtype.value_or(Dtype::f32)) && dtype;
        Entity* entity = scope_.find(param.name.text);
        if (!known && entity != nullptr) entity->value = Poison{};
    }
    check_extents_bound();
}

bool KernelChecker::is_known_at_launch(const ir::Scalar& s) const {
    bool at_launch = true;
    for (const std::string& name : ir::symbols_of(s)) {
        at_launch = at_launch && launch_symbols_.count(name) != 0;
    }
    ir::visit_nodes(s, [&](const ir::ScalarNode& n) {
        at_launch = at_launch && !std::holds_alternative<ir::ElementLoad>(n.node);
    });
    return at_launch;
}

// Floor division needs a positive divisor; one that is known at launch is checked there.
void KernelChecker::add_divisor_conditions() {
    std::set<std::string> seen;
    for (const auto& [divisor, span] : divisors_) {
        const ir::Scalar known = without_lets(divisor);
        const std::string written = ir::to_string(known);
        if (!is_known_at_launch(known) || !seen.insert(written).second) continue;
        ir::Condition positive;
        positive.holds = ir::less(ir::integer(0), known);
        positive.text =
            "`" + written + "` is at least 1, because `" + syntax_.name.text + "` divides by it";
        positive.span = span;
        kernel_.conditions.push_back(std::move(positive));
    }
}

}  // namespace tkc::checker
