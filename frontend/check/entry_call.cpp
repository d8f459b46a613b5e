// The arguments of an entry's calls: types, extents, who writes what and when.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "arithmetic/normal_form.h"
#include "base/overloaded.h"
#include "frontend/check/entry_checker.h"
#include "ir/contract.h"
#include "ir/entry.h"
#include "language/function_cases.h"

namespace tkc::checker {

namespace {

// With its article: "a tensor bf16[M, 2*K]".
std::string tensor_text(const ir::Tensor& tensor) {
    std::string extents;
    for (const ir::Scalar& e : tensor.extents) {
        extents += (extents.empty() ? "" : ", ") + ir::to_string(e);
    }
    return fmt::format("a tensor {}[{}]", name(tensor.dtype), extents);
}

ShapeDiagram drawn(std::string_view what, const ir::Tensor& tensor, std::size_t axis) {
    ShapeDiagram shape{std::string(what), std::string(name(tensor.dtype)), {}, axis};
    for (const ir::Scalar& e : tensor.extents) shape.extents.push_back(ir::to_string(e));
    return shape;
}

std::string_view mode_words(ir::Mode mode) {
    switch (mode) {
        case ir::Mode::in: return "read-only";
        case ir::Mode::out: return "`out`";
        case ir::Mode::inout: return "`inout`";
        case ir::Mode::accumulate: return "`accumulate`";
        case ir::Mode::scratch: return "`scratch`";
    }
    return "";
}

bool writes(ir::Mode mode) { return mode != ir::Mode::in; }

// Whether a tensor of an entry may be passed to a parameter, as far as the modes alone tell.
bool suits(ir::Mode given, ir::Mode taken) {
    switch (taken) {
        case ir::Mode::in: return true;
        case ir::Mode::accumulate:
            return given == ir::Mode::accumulate || given == ir::Mode::scratch;
        case ir::Mode::out: return given != ir::Mode::in && given != ir::Mode::accumulate;
        case ir::Mode::inout: return given == ir::Mode::inout || given == ir::Mode::scratch;
        case ir::Mode::scratch: return given == ir::Mode::scratch;
    }
    return false;
}

// Whether a launcher can compute the function: it has no use for the others.
bool is_launch_arithmetic(Function function, bool real) {
    switch (function) {
        case Function::add:
        case Function::sub:
        case Function::mul:
        case Function::div:
        case Function::neg:
        case Function::where:
        case TKC_COMPARISONS:
        case TKC_LOGIC: return true;
        case Function::min:
        case Function::max:
        case Function::abs:
        case TKC_BIT_FUNCTIONS:
        case TKC_INTEGER_FUNCTIONS: return !real;
        case TKC_REAL_FUNCTIONS:
        case TKC_BIT_PATTERNS: return false;
    }
    return false;
}

}  // namespace

const ir::Tensor* EntryChecker::pass_tensor(const ast::Expr& value, const ir::Tensor& taken,
                                            const ir::Kernel& kernel) {
    if (std::holds_alternative<ast::Index>(value.node)) {
        context_.not_yet(value.span, NotYet::parts_of_tensors);
        return nullptr;
    }
    const std::string place = fmt::format("`{}` of kernel `{}`", taken.name, kernel.name);
    const Operand operand = parts_.expressions.check_value(value);
    if (is_poison(operand)) return nullptr;
    const auto* name = std::get_if<TensorName>(&operand);
    if (name == nullptr) {
        context_.error(value.span, msg::operand_kind, place, tensor_text(taken), describe(operand));
        return nullptr;
    }
    const ir::Tensor* given = ir::find_tensor(builder_.kernel, name->name);
    if (given->dtype != taken.dtype || given->extents.size() != taken.extents.size()) {
        context_.error(value.span, msg::operand_kind, place, tensor_text(taken),
                       tensor_text(*given));
        return nullptr;
    }
    return given;
}

// Numbers are computed by the launcher before anything runs.
bool EntryChecker::check_computable(const ir::Scalar& s, Span span, const std::string& place) {
    bool loads = false;
    bool good = true;
    ir::visit_nodes(s, [&](const ir::ScalarNode& n) {
        loads = loads || std::holds_alternative<ir::ElementLoad>(n.node);
        if (const auto* call = std::get_if<ir::Call>(&n.node)) {
            good = good && is_launch_arithmetic(call->function, is_real(n.dtype));
        } else if (const auto* cast = std::get_if<ir::Cast>(&n.node)) {
            good = good && (is_real(n.dtype) || !is_real(cast->argument->dtype));
        }
    });
    if (loads) context_.error(span, msg::not_known_at_launch, place, context_.text(span));
    else if (!good)
        context_.error(span, msg::operand_kind, place, "plain arithmetic", context_.quoted(span));
    return good && !loads;
}

ir::Scalar EntryChecker::pass_number(const ast::Expr& value, const ir::Parameter& taken,
                                     const ir::Kernel& kernel) {
    const std::string place = fmt::format("`{}` of kernel `{}`", taken.name, kernel.name);
    const Operand operand = parts_.expressions.check_value(value);
    if (is_poison(operand)) return nullptr;
    if (!is_scalar(operand)) {
        context_.error(value.span, msg::operand_kind, place,
                       fmt::format("a scalar {}", name(taken.dtype)), describe(operand));
        return nullptr;
    }
    const ir::Scalar number = parts_.tiles.fitted(scalar(operand), taken.dtype, value.span, place);
    return number && check_computable(number, value.span, place) ? number : nullptr;
}

// The tensors bind the kernel's extents; what can be told now to differ from them is an error, and
// the rest is among the conditions of the launch.
void EntryChecker::check_extents(const ir::EntryCall& call, const std::vector<Passed>& passed,
                                 const ir::Kernel& kernel) {
    const std::map<std::string, ir::Scalar> names =
        ir::names_of_call(builder_.kernel, call, kernel);
    const std::vector<ir::Binding> bindings = ir::bindings(kernel);
    for (const Passed& p : passed) {
        bool told = false;  // one message for each argument
        for (std::size_t axis = 0; axis < p.taken->extents.size(); ++axis) {
            const ir::Scalar& taken = p.taken->extents[axis];
            const ir::Scalar wanted = ir::substitute(ir::with_constants(kernel, taken), names);
            const ir::Scalar& given = p.given->extents[axis];
            std::int64_t apart = 0;
            const ir::NormalForm difference = ir::normal_form(wanted) - ir::normal_form(given);
            if (told || !difference.is_constant(&apart) || apart == 0) continue;
            told = true;
            std::string words = fmt::format("`{}`", ir::to_string(taken));
            if (!ir::same(taken, wanted)) words += " = " + ir::to_string(wanted);
            DiagnosticBuilder message =
                context_.error(p.span, msg::entry_extent, axis, p.given->name, ir::to_string(given),
                               kernel.name, words);
            const std::set<std::string> symbols = ir::symbols_of(taken);
            for (const ir::Binding& b : bindings) {
                const auto from = std::find_if(passed.begin(), passed.end(), [&](const Passed& q) {
                    return q.taken->name == b.tensor;
                });
                const bool other = from != passed.end() && !(from->span == p.span);
                if (!other || !symbols.contains(b.name)) continue;
                message.label(from->span, "axis {} binds `{}`", b.axis, b.name);
            }
            message.note("{}", shape_diagrams(
                                   {drawn("given", *p.given, axis), drawn("taken", *p.taken, axis)},
                                   fmt::format("axis {}", axis)));
        }
    }
}

// In the order of the calls: what is read was written, an output once.
void EntryChecker::check_modes(const std::vector<Passed>& passed, const ir::Kernel& kernel) {
    const auto is_own = [](ir::Mode mode) {  // holds anything before the first call
        return mode == ir::Mode::out || mode == ir::Mode::scratch || mode == ir::Mode::accumulate;
    };
    for (const Passed& p : passed) {
        if (!suits(p.given->mode, p.taken->mode)) {
            context_
                .error(p.span, msg::entry_mode, p.given->name, mode_words(p.given->mode),
                       kernel.name, mode_words(p.taken->mode))
                .label(p.given->span, "declared here");
            continue;
        }
        const bool reads = p.taken->mode == ir::Mode::in || p.taken->mode == ir::Mode::inout;
        if (reads) unread_sums_.erase(p.given->name);
        if (reads && is_own(p.given->mode) && !written_.contains(p.given->name)) {
            DiagnosticBuilder message =
                context_.error(p.span, msg::entry_reads_unwritten, p.given->name);
            help_with_unwritten(message, *p.given, p.span);
        }
    }
    for (const Passed& p : passed) {
        if (!writes(p.taken->mode) || !is_own(p.given->mode)) continue;
        if (p.taken->mode == ir::Mode::scratch) {
            written_.erase(p.given->name);
            continue;
        }
        check_sums_read(p);
        const auto [before, first] = written_.emplace(p.given->name, p.span);
        const bool once = p.given->mode == ir::Mode::out || p.given->mode == ir::Mode::accumulate;
        if (first || !once) continue;
        context_.error(p.span, msg::entry_out_twice, p.given->name)
            .label(before->second, "already written here");
    }
}

// Every call clears what it adds to, so that sums of two calls to one `scratch` tensor are never
// those of both.
void EntryChecker::check_sums_read(const Passed& p) {
    if (p.given->mode != ir::Mode::scratch) return;
    const auto before = unread_sums_.find(p.given->name);
    const bool adds = p.taken->mode == ir::Mode::accumulate;
    if (adds && before != unread_sums_.end()) {
        context_.error(p.span, msg::entry_out_twice, p.given->name)
            .label(before->second, "already added to here, and no call has read it since")
            .note(
                "a launch clears the tensor that it adds to: the sums of the earlier call are lost")
            .help("give each call its own tensor, and read both");
    }
    if (adds) unread_sums_[p.given->name] = p.span;
    else unread_sums_.erase(p.given->name);
}

// Which call would write it, or that none does.
void EntryChecker::help_with_unwritten(DiagnosticBuilder& message, const ir::Tensor& tensor,
                                       Span read) const {
    for (const CalledKernel& called : calls_) {
        const std::vector<ast::Arg>& args = called.call->args;
        for (std::size_t i = 0; i < args.size() && i < called.kernel->params.size(); ++i) {
            const auto* name = std::get_if<ast::NameRef>(&args[i].value->node);
            const ast::ParamMode mode = called.kernel->params[i].mode;
            const bool writes_it =
                mode == ast::ParamMode::out || mode == ast::ParamMode::accumulate;
            const bool behind = called.span.begin > read.end;
            if (name == nullptr || name->text != tensor.name || !writes_it || !behind) continue;
            message.label(args[i].value->span, "written here, by a later call");
            message.help("call `{}` before this one", called.kernel->name.text);
            return;
        }
    }
    const std::string_view word = mode_words(tensor.mode);
    message.help(
        "first call a kernel that has `{}` as `out`, or remove the keyword {}, so that callers "
        "pass its data",
        tensor.name, word);
}

void EntryChecker::check_overlap(const std::vector<Passed>& passed, const ir::Kernel& kernel) {
    for (std::size_t i = 0; i < passed.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            if (passed[i].given != passed[j].given) continue;
            if (!writes(passed[i].taken->mode) && !writes(passed[j].taken->mode)) continue;
            context_.error(passed[i].span, msg::entry_overlap, passed[i].given->name, kernel.name)
                .label(passed[j].span, "here too");
        }
    }
}

void EntryChecker::check_outputs() {
    for (const ir::Tensor& tensor : builder_.kernel.tensors) {
        const bool made = tensor.mode == ir::Mode::out || tensor.mode == ir::Mode::accumulate;
        if (!made || written_.contains(tensor.name)) continue;
        context_.error(tensor.span, msg::entry_out_unwritten, tensor.name, builder_.kernel.name);
    }
}

std::optional<ir::EntryCall> EntryChecker::pass_arguments(const CalledKernel& called,
                                                          const ir::Kernel& kernel) {
    std::vector<const ast::KernelParam*> params;
    for (const ast::KernelParam& param : called.kernel->params) {
        if (param.mode != ast::ParamMode::counter) params.push_back(&param);  // the launcher's
    }
    const std::string callee = context_.text(called.call->callee->span);
    if (called.call->args.size() != params.size()) {
        std::vector<std::string> places;
        for (const ast::KernelParam* param : params) places.push_back(context_.text(param->span));
        context_
            .error(called.span, msg::argument_count, callee,
                   fmt::format("{} argument{}", params.size(), params.size() == 1 ? "" : "s"),
                   called.call->args.size())
            .label(called.kernel->name.span, "declared here")
            .help("its signature is `{}({})`", callee, fmt::join(places, ", "));
        return std::nullopt;
    }
    if (!context_.check_arguments(*called.call, callee, params.size(), called.span))
        return std::nullopt;
    ir::EntryCall made;
    made.callee = callee;
    made.candidates = called.candidates;
    made.span = called.span;
    std::vector<Passed> passed;
    bool good = true;
    for (std::size_t i = 0; i < params.size(); ++i) {
        const ast::Expr& value = *called.call->args[i].value;
        if (params[i]->type.extents.empty()) {
            made.scalars.push_back(
                pass_number(value, kernel.parameters[made.scalars.size()], kernel));
            good = good && made.scalars.back() != nullptr;
            continue;
        }
        const ir::Tensor& taken = kernel.tensors[made.tensors.size()];
        const ir::Tensor* given = pass_tensor(value, taken, kernel);
        good = good && given != nullptr;
        made.tensors.push_back(given != nullptr ? given->name : "");
        passed.push_back({given, &taken, value.span});
    }
    if (!good) {
        context_.failed = true;
        return std::nullopt;
    }
    check_extents(made, passed, kernel);
    check_overlap(passed, kernel);
    check_modes(passed, kernel);
    return made;
}

}  // namespace tkc::checker
