// Which kernels an entry calls. They are compiled in called_kernels.cpp, and the arguments of the
// calls are in entry_call.cpp.
#include "frontend/check/entry_checker.h"

#include <algorithm>

#include "base/overloaded.h"
#include "frontend/check/calls.h"
#include "frontend/check/kernel_checker.h"
#include "frontend/parse/ast_walk.h"

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

// Whether an extent of the parameter has the name.
bool is_extent(const ast::KernelParam& param, const std::string& name) {
    bool found = false;
    Walk hooks;
    hooks.expr = [&](const ast::Expr& e) {
        const auto* named = std::get_if<ast::NameRef>(&e.node);
        found = found || (named != nullptr && named->text == name);
    };
    walk(param.type, hooks);
    return found;
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

}  // namespace

void EntryChecker::report_callee(const ast::Expr& callee, std::string_view what) {
    context_.error(callee.span, msg::entry_callee, context_.text(callee.span), what);
}

const ast::Decl* EntryChecker::find_in_module(const ast::Name& module, const ast::Name& kernel,
                                              CalledKernel& made) {
    const auto found_module = context_.unit->modules.find(module.text);
    if (found_module == context_.unit->modules.end()) {
        parts_.names.report_unknown_module(module.span, module.text);
        return nullptr;
    }
    made.unit = found_module->second;
    made.module = module.text;
    context_.failed = context_.failed || made.unit == nullptr;  // the import was told
    if (made.unit == nullptr) return nullptr;
    const auto found = made.unit->decls.find(kernel.text);
    if (found != made.unit->decls.end()) return found->second;
    DiagnosticBuilder message = context_.error(kernel.span, msg::unknown_kernel, kernel.text);
    suggest(message, kernel.span, kernel.text, kernel_names(*made.unit), module.text + ".");
    return nullptr;
}

// Null if an error was reported.
const ast::Decl* EntryChecker::find_callee(const ast::Call& call, CalledKernel& made) {
    if (const auto* member = std::get_if<ast::Member>(&call.callee->node)) {
        const Span base = member->base->span;
        return find_in_module({base, context_.text(base)}, member->member, made);
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
bool EntryChecker::bind_given(const std::vector<ast::GenericArg>& generics,
                              const std::optional<Span>& forwards, CalledKernel& made) {
    const std::vector<ast::ConstParam>& consts = made.head().consts;
    for (std::size_t i = 0; i < generics.size(); ++i) {
        const ast::GenericArg& arg = generics[i];
        const Span span = arg.name ? arg.name->span : arg.span;
        if (made.instance != nullptr) {
            context_
                .error(span, msg::unknown_constant, "instance `" + made.instance->name.text + "`",
                       context_.text(span))
                .help("the instance fixes all of them; call kernel `{}`", made.kernel->name.text);
            return false;
        }
        const auto param = std::find_if(consts.begin(), consts.end(), [&](const auto& c) {
            return arg.name ? c.name.text == arg.name->text : &c == &consts[0] + i;
        });
        if (param == consts.end()) {
            DiagnosticBuilder message = context_.error(
                span, msg::unknown_constant,
                (made.entry != nullptr ? "entry `" : "kernel `") + made.head().name.text + "`",
                context_.text(span));
            std::vector<std::string> known;
            for (const ast::ConstParam& c : consts) known.push_back(c.name.text);
            suggest(message, span, context_.text(span), known);
            return false;
        }
        Operand value = parts_.constants.value_of(*param, *arg.value);
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
    return !forwards || forward_constants(*forwards, made);
}

// `<..>`: those of the entry that have the same names.
bool EntryChecker::forward_constants(Span forwards, CalledKernel& made) {
    if (made.instance != nullptr) {
        context_
            .error(forwards, msg::unknown_constant, "instance `" + made.instance->name.text + "`",
                   "..")
            .help("the instance fixes all of them; call kernel `{}`", made.kernel->name.text);
        return false;
    }
    bool any = false;
    for (const ast::ConstParam& param : made.kernel->consts) {
        Entity* own = parts_.names.scope.find(param.name.text);
        if (own == nullptr || own->kind != EntityKind::constant) continue;
        any = true;
        if (made.given.constants.contains(param.name.text)) continue;
        own->used = true;
        if (is_poison(own->value)) return false;
        if (!is_constant_of(own->value, param.kind)) {
            context_.error(forwards, msg::constant_kind, param.name.text, kind_text(param.kind),
                           describe(own->value));
            return false;
        }
        made.given.constants.emplace(param.name.text, own->value);
    }
    if (!any)
        context_
            .error(forwards, msg::unknown_constant, "kernel `" + made.kernel->name.text + "`", "..")
            .help("the entry has no constant with the name of a kernel constant");
    return any;
}

// The kernel of an instance that is called. False if an error was reported.
bool EntryChecker::resolve_called_instance(Span callee, CalledKernel& made) {
    const ast::Instance& instance = *made.instance;
    if (instance.module) {
        const ast::Entry nobody;  // calls it; the file of the instance names the kernel
        EntryChecker names(context_.file, *made.unit, nobody);
        std::optional<CalledKernel> named = names.resolve_instance(instance);
        if (named && named->kernel == nullptr)
            context_.error(callee, msg::entry_callee, context_.text(callee),
                           "an instance of an entry");
        if (!named || named->kernel == nullptr) {
            context_.failed = true;
            return false;
        }
        made.unit = named->unit;
        made.kernel = named->kernel;
        made.source = made.module.empty() ? named->source : made.module + "." + named->source;
        made.given.constants = std::move(named->given.constants);
        return true;
    }
    const auto kernel = made.unit->decls.find(instance.kernel.text);
    if (kernel != made.unit->decls.end())
        made.kernel = std::get_if<ast::Kernel>(&kernel->second->node);
    if (made.kernel != nullptr) return true;
    if (kernel != made.unit->decls.end() &&
        std::holds_alternative<ast::Entry>(kernel->second->node))
        context_.error(callee, msg::entry_callee, context_.text(callee), "an instance of an entry");
    context_.failed = true;  // told, if it is an instance of this file
    if (made.unit != context_.unit)
        context_.error(callee, msg::unknown_kernel, instance.kernel.text);
    return false;
}

void EntryChecker::resolve_call(const ast::Call& call, Span span) {
    CalledKernel made;
    made.call = &call;
    made.span = made.given.call = span;
    made.unit = context_.unit;
    const ast::Decl* found = find_callee(call, made);
    if (found == nullptr) return;
    made.instance = std::get_if<ast::Instance>(&found->node);
    made.kernel = std::get_if<ast::Kernel>(&found->node);
    if (made.instance != nullptr && !resolve_called_instance(call.callee->span, made)) return;
    if (made.kernel == nullptr) return report_callee(*call.callee, kind_of(*found));
    if (refuse_not_yet(made) || !bind_given(call.generics, call.forwards, made)) return;
    name_source(made);
    calls_.push_back(std::move(made));
}

// As the file calls it that is compiled: of an entry of another file, by the kernel's file.
void EntryChecker::name_source(CalledKernel& made) const {
    if (given_ && !given_->module.empty()) {
        // Another file of that name may be one that the user imports.
        made.module = made.unit->name;
        const auto known = user_->modules.find(made.module);
        if (known != user_->modules.end() && known->second != made.unit)
            made.module = given_->module + "." + made.module;
    }
    if (made.source.empty()) made.source = made.kernel->name.text;
    else if (!given_ || given_->module.empty()) return;
    if (!made.module.empty()) made.source = made.module + "." + made.source;
}

std::optional<CalledKernel> EntryChecker::resolve_instance(const ast::Instance& instance) {
    builder_.open_block();
    CalledKernel made;
    made.span = made.given.call = instance.name.span;
    made.given.words = "for this instance";
    made.unit = context_.unit;
    const ast::Decl* found = nullptr;
    if (instance.module) found = find_in_module(*instance.module, instance.kernel, made);
    else found = context_.unit->decls.find(instance.kernel.text)->second;  // an entry
    if (found == nullptr) return std::nullopt;
    made.kernel = std::get_if<ast::Kernel>(&found->node);
    made.entry = std::get_if<ast::Entry>(&found->node);
    if (made.entry != nullptr) {
        if (instance.module)
            context_.failed = report_not_yet(context_.file, *found) || context_.failed;
        if (context_.failed || !bind_given(instance.args, std::nullopt, made)) return std::nullopt;
        made.given.name = instance.name.text;
        return made;
    }
    if (made.kernel == nullptr) {
        context_.error(instance.kernel.span, msg::unknown_kernel, instance.kernel.text)
            .label(declared_name(*found).span, "this is {}", kind_of(*found));
        return std::nullopt;
    }
    if (refuse_not_yet(made) || !bind_given(instance.args, std::nullopt, made)) return std::nullopt;
    made.source = made.module + "." + made.kernel->name.text;
    return made;
}

// What cannot be lowered yet is told of this file's kernels first; of others, where they are named.
bool EntryChecker::refuse_not_yet(const CalledKernel& made) {
    const bool elsewhere = given_ && !given_->module.empty();
    if (made.unit == context_.unit && !elsewhere) return false;
    for (const ast::Decl& decl : made.unit->file->decls) {
        if (std::get_if<ast::Kernel>(&decl.node) != made.kernel) continue;
        context_.failed = report_not_yet(context_.file, decl) || context_.failed;
        return context_.failed;
    }
    return false;
}

void EntryChecker::resolve_block(const ast::Block& block) {
    for (const ast::Stmt& stmt : block.stmts) {
        if (context_.file.stopped) return;
        if (const auto* branch = std::get_if<ast::If>(&stmt.node)) {
            const ast::Block* chosen = taken(*branch);
            if (chosen != nullptr) resolve_block(*chosen);
            continue;
        }
        const auto* call = std::get_if<ast::CallStmt>(&stmt.node);
        if (call == nullptr) {
            context_.error(stmt.span, msg::entry_statement, words_for(stmt))
                .help("write `KERNEL(A, B, C);`");
            continue;
        }
        const auto& called = std::get<ast::Call>(call->call->node);
        if (!called.hints.empty()) {
            report_misplaced_hint(context_, called.hints.front(), *called.callee);
            context_.failed = true;
            return;
        }
        resolve_call(called, call->call->span);
    }
}

// The block that the constants choose. Null: none, or told.
const ast::Block* EntryChecker::taken(const ast::If& branch) {
    // Parameters and extents are declared later: calls are resolved before they are checked.
    const auto& params = context_.syntax.params;
    bool at_launch = false;
    Walk hooks;
    hooks.expr = [&](const ast::Expr& e) {
        const auto* name = std::get_if<ast::NameRef>(&e.node);
        if (name == nullptr || parts_.names.scope.find(name->text) != nullptr) return;
        at_launch = at_launch || std::any_of(params.begin(), params.end(), [&](const auto& param) {
                        return param.name.text == name->text || is_extent(param, name->text);
                    });
    };
    walk(*branch.condition, hooks);
    if (at_launch) {
        context_.file.not_yet(branch.condition->span, NotYet::entry_branches);
        return nullptr;
    }
    const ir::Scalar condition = parts_.types.check_condition(*branch.condition);
    std::int64_t known = 0;
    if (!condition || !ir::is_constant(condition, &known)) return nullptr;
    const ast::Block* other = branch.else_block ? &*branch.else_block : nullptr;
    if (known == 0) {
        check_callees(branch.then_block);
        return other;
    }
    if (other != nullptr) check_callees(*other);
    return &branch.then_block;
}

// Of a block that is not taken.
void EntryChecker::check_callees(const ast::Block& block) {
    Walk hooks;
    hooks.stmt = [&](const ast::Stmt& stmt) {
        const auto* call = std::get_if<ast::CallStmt>(&stmt.node);
        CalledKernel made;
        made.unit = context_.unit;
        if (call == nullptr) return;
        const auto& called = std::get<ast::Call>(call->call->node);
        const ast::Decl* found = find_callee(called, made);
        if (found != nullptr && !std::holds_alternative<ast::Kernel>(found->node) &&
            !std::holds_alternative<ast::Instance>(found->node))
            report_callee(*called.callee, kind_of(*found));
    };
    walk(block, hooks);
}

void EntryChecker::resolve() {
    builder_.kernel.name = own_name();
    builder_.kernel.source = context_.syntax.name.text;
    if (given_ && !given_->module.empty())
        builder_.kernel.source = given_->module + "." + builder_.kernel.source;
    builder_.kernel.span = context_.syntax.name.span;
    builder_.open_block();
    if (const ast::ConstParam* missing = parts_.constants.constant_without_value()) {
        context_
            .error(missing->span, msg::constant_without_value, missing->name.text,
                   context_.syntax.name.text)
            .help("give it one with `tkc -D {}=..`, or with a default", missing->name.text);
        return;
    }
    parts_.constants.bind_constants();
    resolve_block(entry_.body);
    if (calls_.empty() && !context_.failed) {
        context_.error(context_.syntax.name.span, msg::entry_without_calls,
                       context_.syntax.name.text);
    }
}

bool EntryChecker::check_without_counters() {
    for (const ast::KernelParam& param : context_.syntax.params) {
        if (param.mode != ast::ParamMode::counter) continue;
        context_
            .error(param.span, msg::operand_kind, "the parameter of an entry",
                   "a tensor or a scalar", "a counter")
            .help("remove it: the launcher allocates the counters of every kernel that is called");
        return false;
    }
    return true;
}

// What a kernel trusts is checked where it runs when emulated and in debug builds; nobody does that
// for an entry.
void EntryChecker::check_without_trusts() {
    for (const ir::Trusted& belief : builder_.kernel.trusted) {
        context_
            .error(belief.span, msg::not_known_at_launch, "a condition of an entry",
                   context_.text(belief.span))
            .help("the kernel that reads or writes the tensor can state it: `trusts {}`",
                  context_.text(belief.span));
    }
}

std::optional<ir::Entry> EntryChecker::run(const ir::Module& module) {
    if (context_.failed) return std::nullopt;
    if (!check_without_counters()) return std::nullopt;
    parts_.parameters.declare_parameters();
    parts_.requirements.check_requires();
    check_without_trusts();
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

}  // namespace tkc::checker
