// Which kernels an entry calls, and compiling them with the constants that it gives. The arguments
// of its calls are in entry_call.cpp.
#include "frontend/check/entry_checker.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/overloaded.h"
#include "frontend/check/calls.h"
#include "frontend/check/kernel_checker.h"
#include "frontend/derive/derive.h"

namespace tkc::checker {

namespace {

std::string_view words_for(const ast::Stmt& stmt) {
    return std::visit(Overloaded{
                          [](const ast::Let& n) { return n.is_var ? "a `var`" : "a `let`"; },
                          [](const ast::SharedVar&) { return "a `shared` tile"; },
                          [](const ast::Assign&) { return "an assignment"; },
                          [](const ast::CallStmt&) { return "a call"; },
                          [](const ast::For&) { return "a loop"; },
                          [](const ast::ForSpace&) { return "a loop"; },
                          [](const ast::If&) { return "an `if`"; },
                          [](const ast::Produce&) { return "a `produce`"; },
                          [](const ast::ConsumeBlock&) { return "a `consume`"; },
                          [](const ast::Return&) { return "a `return`"; },
                      },
                      stmt.node);
}

// The kernels and instances of a file, as what a slip may have meant.
std::vector<std::string> kernel_names(const Unit& unit) {
    std::vector<std::string> names;
    for (const auto& [name, decl] : unit.decls) {
        if (std::holds_alternative<ast::Kernel>(decl->node) ||
            std::holds_alternative<ast::Instance>(decl->node)) {
            names.push_back(name);
        }
    }
    return names;
}

// `BM_64`, `CAUSAL_true`: a part of a name.
std::string name_part(const ast::ConstParam& param, const Operand& value) {
    std::string text;
    if (const auto* dtype = std::get_if<DtypeName>(&value)) text = name(dtype->dtype);
    if (is_scalar(value)) text = ir::to_string(scalar(value));
    if (const auto* function = std::get_if<FunctionName>(&value)) text = function->text;
    std::replace(text.begin(), text.end(), '-', 'm');
    std::replace(text.begin(), text.end(), '.', '_');
    return param.name.text + "_" + text;
}

// What the instance that a call makes is called: `first_BM_64`, `softmax_rows_D_128`.
std::string instance_name(const Unit& unit, const CalledKernel& called, const ir::Module& module) {
    std::string wanted = called.module.empty() ? "" : called.module + "_";
    wanted += called.instance != nullptr ? called.instance->name.text : called.kernel->name.text;
    for (const ast::ConstParam& param : called.kernel->consts) {
        const auto value = called.given.constants.find(param.name.text);
        if (value != called.given.constants.end()) wanted += "_" + name_part(param, value->second);
    }
    std::string name = wanted;
    for (int n = 2; unit.decls.contains(name) || ir::find_kernel(module, name) != nullptr; ++n) {
        name = fmt::format("{}_{}", wanted, n);
    }
    return name;
}

bool same_constants(const std::vector<ir::Constant>& a, const std::vector<ir::Constant>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const ir::Constant& x, const ir::Constant& y) {
                          return x.name == y.name && ir::same(x.value, y.value);
                      });
}

}  // namespace

void EntryChecker::report_callee(const ast::Expr& callee, std::string_view what) {
    context_.error(callee.span, msg::entry_callee, context_.text(callee.span), what);
}

const ast::Decl* EntryChecker::find_in_module(const ast::Member& callee, CalledKernel& made) {
    const auto* base = std::get_if<ast::NameRef>(&callee.base->node);
    const std::string name = base != nullptr ? base->text : context_.text(callee.base->span);
    const auto module = context_.unit->modules.find(name);
    if (module == context_.unit->modules.end()) {
        parts_.names.report_unknown_module(callee.base->span, name);
        return nullptr;
    }
    made.unit = module->second;
    made.module = name;
    context_.failed = context_.failed || made.unit == nullptr;  // the import was told
    if (made.unit == nullptr) return nullptr;
    const auto found = made.unit->decls.find(callee.member.text);
    if (found != made.unit->decls.end()) return found->second;
    DiagnosticBuilder message =
        context_.error(callee.member.span, msg::unknown_kernel, callee.member.text);
    suggest(message, callee.member.span, callee.member.text, kernel_names(*made.unit), name + ".");
    return nullptr;
}

// Null: told.
const ast::Decl* EntryChecker::find_callee(const ast::Call& call, CalledKernel& made) {
    if (const auto* member = std::get_if<ast::Member>(&call.callee->node)) {
        return find_in_module(*member, made);
    }
    const std::string name = context_.text(call.callee->span);
    if (find_operation(name) || find_function(name) || find_dtype(name)) {
        report_callee(*call.callee, find_operation(name) ? "an operation" : "a function");
        return nullptr;
    }
    const auto found = context_.unit->decls.find(name);
    if (found != context_.unit->decls.end()) return found->second;
    DiagnosticBuilder message = context_.error(call.callee->span, msg::unknown_kernel, name);
    suggest(message, call.callee->span, name, kernel_names(*context_.unit));
    return nullptr;
}

// The constants in <>, by place or by name.
bool EntryChecker::bind_given(CalledKernel& made) {
    const std::vector<ast::ConstParam>& consts = made.kernel->consts;
    const std::vector<ast::GenericArg>& generics = made.call->generics;
    for (std::size_t i = 0; i < generics.size(); ++i) {
        const ast::GenericArg& arg = generics[i];
        const Span span = arg.name ? arg.name->span : arg.span;
        if (made.instance != nullptr) {
            context_
                .error(span, msg::unknown_constant, "instance `" + made.instance->name.text + "`",
                       context_.text(span))
                .help("the instance has fixed them all; call kernel `{}`", made.kernel->name.text);
            return false;
        }
        const auto param = std::find_if(consts.begin(), consts.end(), [&](const auto& c) {
            return arg.name ? c.name.text == arg.name->text : &c == &consts[0] + i;
        });
        if (param == consts.end()) {
            DiagnosticBuilder message =
                context_.error(span, msg::unknown_constant,
                               "kernel `" + made.kernel->name.text + "`", context_.text(span));
            std::vector<std::string> known;
            for (const ast::ConstParam& c : consts) known.push_back(c.name.text);
            suggest(message, span, context_.text(span), known);
            return false;
        }
        Operand value = parts_.expressions.check_value(*arg.value);
        if (is_poison(value)) return false;
        if (!is_constant_of(value, param->kind)) {
            context_.error(arg.value->span, msg::constant_kind, param->name.text,
                           kind_text(param->kind), describe(value));
            return false;
        }
        if (!made.given.constants.emplace(param->name.text, std::move(value)).second) {
            context_.error(span, msg::declared_twice, param->name.text, "a constant");
            return false;
        }
    }
    if (!made.call->forwards) return true;
    if (made.instance != nullptr) {
        context_
            .error(*made.call->forwards, msg::unknown_constant,
                   "instance `" + made.instance->name.text + "`", "..")
            .help("the instance has fixed them all; call kernel `{}`", made.kernel->name.text);
        return false;
    }
    bool any = false;
    for (const ast::ConstParam& param : consts) {
        Entity* own = parts_.names.scope.find(param.name.text);
        if (own == nullptr || own->kind != EntityKind::constant) continue;
        any = true;
        if (made.given.constants.contains(param.name.text)) continue;
        own->used = true;
        if (is_poison(own->value)) return false;
        if (!is_constant_of(own->value, param.kind)) {
            context_.error(*made.call->forwards, msg::constant_kind, param.name.text,
                           kind_text(param.kind), describe(own->value));
            return false;
        }
        made.given.constants.emplace(param.name.text, own->value);
    }
    if (!any)
        context_
            .error(*made.call->forwards, msg::unknown_constant,
                   "kernel `" + made.kernel->name.text + "`", "..")
            .help("the entry has no constant of a name that the kernel has");
    return any;
}

void EntryChecker::resolve_call(const ast::Call& call, Span span) {
    CalledKernel made;
    made.call = &call;
    made.span = made.given.call = span;
    made.unit = context_.unit;
    const ast::Decl* found = find_callee(call, made);
    if (found == nullptr) return;
    made.instance = std::get_if<ast::Instance>(&found->node);
    if (made.instance != nullptr) {
        const auto kernel = made.unit->decls.find(made.instance->kernel.text);
        if (kernel == made.unit->decls.end()) {  // told, if it is an instance of this file
            context_.failed = true;
            if (made.unit != context_.unit) {
                context_.error(call.callee->span, msg::unknown_kernel, made.instance->kernel.text);
            }
            return;
        }
        found = kernel->second;
    }
    made.kernel = std::get_if<ast::Kernel>(&found->node);
    if (made.kernel == nullptr) {
        report_callee(*call.callee, kind_of(*found));
    } else if (made.unit != context_.unit && report_not_yet(context_.file, *found)) {
        context_.failed = true;
    } else if (bind_given(made)) {
        calls_.push_back(std::move(made));
    }
}

void EntryChecker::resolve() {
    builder_.kernel.name = builder_.kernel.source = context_.syntax.name.text;
    builder_.kernel.span = context_.syntax.name.span;
    builder_.open_block();
    if (const ast::ConstParam* missing = parts_.constants.constant_without_value()) {
        context_
            .error(missing->span, msg::constant_without_value, missing->name.text,
                   context_.syntax.name.text)
            .help("give it one by `tkc -D {}=..`, or by a default", missing->name.text);
        return;
    }
    parts_.constants.bind_constants();
    for (const ast::Stmt& stmt : entry_.body.stmts) {
        if (context_.file.stopped) return;
        const auto* call = std::get_if<ast::CallStmt>(&stmt.node);
        if (call == nullptr) {
            context_.error(stmt.span, msg::entry_statement, words_for(stmt))
                .help("write `KERNEL(A, B, C);`");
        } else {
            const auto& called = std::get<ast::Call>(call->call->node);
            if (!called.hints.empty()) {
                report_misplaced_hint(context_, called.hints.front(), *called.callee);
                return;
            }
            resolve_call(called, call->call->span);
        }
    }
    if (entry_.body.stmts.empty()) {
        context_.error(context_.syntax.name.span, msg::entry_without_calls,
                       context_.syntax.name.text);
    }
}

// What a kernel trusts is checked where it runs when emulated and in debug builds; nobody does that
// for an entry.
void EntryChecker::check_without_beliefs() {
    for (const ir::Trusted& belief : builder_.kernel.trusted) {
        context_
            .error(belief.span, msg::not_known_at_launch, "what an entry states",
                   context_.text(belief.span))
            .help("the kernel that reads or writes the tensor may trust it: `trusts {}`",
                  context_.text(belief.span));
    }
}

std::optional<ir::Entry> EntryChecker::run(const ir::Module& module) {
    if (context_.failed) return std::nullopt;
    parts_.parameters.declare_parameters();
    parts_.requirements.check_requires();
    check_without_beliefs();
    ir::Entry made;
    for (const CalledKernel& called : calls_) {
        if (called.candidates.empty()) return std::nullopt;  // told
        const ir::Kernel* kernel = ir::find_kernel(module, called.candidates.front());
        std::optional<ir::EntryCall> call = pass_arguments(called, *kernel);
        if (call) made.calls.push_back(std::move(*call));
    }
    if (!context_.failed) check_outputs();
    builder_.close_block();
    parts_.names.close_scope({});
    parts_.numbers.add_divisor_conditions();
    if (context_.failed || context_.file.stopped) return std::nullopt;
    static_cast<ir::Signature&>(made) = std::move(static_cast<ir::Signature&>(builder_.kernel));
    return made;
}

void compile_called(FileContext& file_context, const Unit& unit, CalledKernel& called,
                    CheckedFile& file) {
    ir::Module& module = file.module;
    const bool own = called.module.empty();
    if (!own && derive::asks_for_roles(*called.kernel))
        return file_context.not_yet(called.span, NotYet::imported_roles);
    if (own && called.given.constants.empty()) {
        const std::string& name =
            called.instance != nullptr ? called.instance->name.text : called.kernel->name.text;
        for (const ir::Launcher& launcher : module.launchers) {
            if (launcher.name == name) called.candidates = launcher.candidates;
        }
        if (!called.candidates.empty() || file_context.failed()) return;
    }
    const std::string source = own ? called.kernel->name.text
                                   : fmt::format("{}.{}", called.module, called.kernel->name.text);
    const CalledInstance* given = called.instance == nullptr ? &called.given : nullptr;
    called.given.name = instance_name(unit, called, module);
    KernelChecker constants(file_context, *called.unit, *called.kernel, called.instance, given);
    if (const ast::ConstParam* missing = constants.constants().constant_without_value()) {
        file_context
            .error(called.span, msg::constant_without_value, missing->name.text,
                   called.kernel->name.text)
            .help("write `{}<{} = ..>(..)`", called.kernel->name.text, missing->name.text);
        return;
    }
    const int before = file_context.diag.error_count();
    const std::vector<ir::Constant> values = constants.constants().constants();
    if (file_context.diag.error_count() != before) return;
    for (const ir::Kernel& kernel : module.kernels) {
        if (kernel.source == source && same_constants(kernel.constants, values)) {
            called.candidates = {kernel.name};
            return;
        }
    }
    std::optional<CheckedKernel> made =
        check_kernel(file_context, *called.unit, *called.kernel, called.instance, given);
    if (!made) return;
    made->kernel.source = source;
    made->kernel.name = called.given.name;
    called.candidates = {called.given.name};
    module.kernels.push_back(kept(file, std::move(*made)));
}

}  // namespace tkc::checker
