// A file: its declarations, every kernel once for each instance, the launchers and the entries.
#include <algorithm>
#include <deque>

#include "base/cpp_words.h"
#include "base/overloaded.h"
#include "frontend/check/call_circles.h"
#include "frontend/check/candidate_results.h"
#include "frontend/check/entry_checker.h"
#include "frontend/check/interchangeable.h"
#include "frontend/check/kernel_checker.h"
#include "frontend/parse/ast_walk.h"

namespace tkc {

namespace checker {

namespace {

// References are named after kernels, and tests have names of their own.
bool is_global(const ast::Decl& decl) {
    return !std::holds_alternative<ast::Reference>(decl.node) &&
           !std::holds_alternative<ast::Test>(decl.node);
}

bool is_predeclared(const std::string& name) {
    return find_dtype(name) || find_operation(name) || find_function(name) || name == "LOG2E" ||
           name == "LN2";
}

// One kernel with all of its instances.
struct KernelSet {
    const ast::Kernel* kernel = nullptr;
    std::vector<const ast::Instance*> instances;
};

// Whether the instance is one of an entry, of this file or of another.
bool names_entry(const Unit& unit, const ast::Instance& instance) {
    const Unit* of = &unit;
    if (instance.module) {
        const auto module = unit.modules.find(instance.module->text);
        of = module == unit.modules.end() ? nullptr : module->second;
    }
    if (of == nullptr) return false;
    const auto found = of->decls.find(instance.kernel.text);
    return found != of->decls.end() && std::holds_alternative<ast::Entry>(found->second->node);
}

std::vector<KernelSet> kernel_sets(FileContext& file_context, const Unit& unit) {
    std::vector<KernelSet> sets;
    std::vector<std::string> known;
    for (const ast::Decl& decl : unit.file->decls) {
        if (const auto* kernel = std::get_if<ast::Kernel>(&decl.node)) {
            sets.push_back({kernel, {}});
            known.push_back(kernel->name.text);
        }
    }
    for (const ast::Decl& decl : unit.file->decls) {
        const auto* instance = std::get_if<ast::Instance>(&decl.node);
        if (instance == nullptr || instance->module || names_entry(unit, *instance)) continue;
        const auto found = std::find_if(sets.begin(), sets.end(), [&](const KernelSet& set) {
            return set.kernel->name.text == instance->kernel.text;
        });
        if (found != sets.end()) {
            found->instances.push_back(instance);
            continue;
        }
        DiagnosticBuilder message =
            file_context.error(instance->kernel.span, msg::unknown_kernel, instance->kernel.text);
        const auto other = unit.decls.find(instance->kernel.text);
        if (!suggest(message, instance->kernel.span, instance->kernel.text, known) &&
            other != unit.decls.end()) {
            message.label(declared_name(*other->second).span, "this is {}",
                          kind_of(*other->second));
        }
    }
    return sets;
}

void check_defines(FileContext& file_context, const Unit& unit) {
    std::vector<std::string> known;
    for (const ast::Decl& decl : unit.file->decls) {
        const ast::LaunchHead* head = ast::launch_head(decl);
        if (head == nullptr) continue;
        for (const ast::ConstParam& c : head->consts) known.push_back(c.name.text);
    }
    for (const Define& define : file_context.options.defines) {
        if (std::find(known.begin(), known.end(), define.name) != known.end()) continue;
        DiagnosticBuilder message = file_context.error(Span{}, msg::unknown_define, define.name);
        const std::string guess = nearest(define.name, known);
        if (!guess.empty()) message.help("did you mean `-D {}`?", guess);
    }
}

// The launcher of `k` comes with functions k_error and k_workspace.
void check_launcher_names(FileContext& file_context, const Unit& unit) {
    const auto is_launched = [](const ast::Decl& decl) {
        return ast::launch_head(decl) != nullptr ||
               std::holds_alternative<ast::Instance>(decl.node);
    };
    for (const ast::Decl& decl : unit.file->decls) {
        const std::string& name = declared_name(decl).text;
        for (const char* suffix : {"_error", "_workspace"}) {
            const auto other = unit.decls.find(name + suffix);
            if (!is_launched(decl) || other == unit.decls.end() || !is_launched(*other->second))
                continue;
            file_context
                .error(declared_name(*other->second).span, msg::declared_twice, other->first,
                       "a function next to the launcher of `" + name + "`")
                .label(declared_name(decl).span, "declared here");
        }
    }
}

// `called`: an entry calls the kernel, perhaps with constants of its own.
void check_kernel_set(FileContext& file_context, const Unit& unit, const KernelSet& set,
                      bool called, CheckedFile& file) {
    std::vector<ir::Kernel> kernels;      // the kernel itself, where it is one, and its instances
    std::vector<ir::Launcher> launchers;  // by the same names
    KernelChecker checker(file_context, unit, *set.kernel, nullptr);
    const ast::ConstParam* missing = checker.constants().constant_without_value();
    if (missing == nullptr) {
        std::optional<CheckedKernel> made = check_kernel(file_context, unit, *set.kernel, nullptr);
        if (!made) return;  // its instances would only repeat the errors
        launchers.push_back({made->kernel.name, {made->kernel.name}});
        kernels.push_back(kept(file, std::move(*made)));
    } else if (set.instances.empty() && !called) {
        file_context
            .error(missing->span, msg::constant_without_value, missing->name.text,
                   set.kernel->name.text)
            .help(
                "give it one with `tkc -D {}=..`, with a default, or with `instance {}<{} = ..> as "
                "NAME;`",
                missing->name.text, set.kernel->name.text, missing->name.text);
        return;
    }
    for (const ast::Instance* instance : set.instances) {
        KernelChecker instance_checker(file_context, unit, *set.kernel, instance);
        if (const ast::ConstParam* open = instance_checker.constants().constant_without_value()) {
            file_context
                .error(instance->name.span, msg::constant_without_value, open->name.text,
                       instance->name.text)
                .help("write `{}<{} = ..>`", set.kernel->name.text, open->name.text);
            continue;
        }
        std::optional<CheckedKernel> checked =
            check_kernel(file_context, unit, *set.kernel, instance);
        if (!checked) continue;
        const ir::Kernel& made = checked->kernel;
        launchers.push_back({made.name, {made.name}});
        const auto same = std::find_if(kernels.begin(), kernels.end(), [&](const ir::Kernel& k) {
            return same_constants(k.constants, made.constants);
        });
        if (same != kernels.end()) {  // another name, by which the kernel runs alone
            launchers.back().candidates = {same->name};
            continue;
        }
        const auto like = std::find_if(kernels.begin(), kernels.end(), [&](const ir::Kernel& k) {
            return interchangeable(*set.kernel, k, made);
        });
        if (like != kernels.end()) {  // the first of its like chooses among them
            std::find_if(launchers.begin(), launchers.end(), [&](const ir::Launcher& launcher) {
                return launcher.name == like->name;
            })->candidates.push_back(made.name);
        } else if (!kernels.empty()) {
            note_schedule_not_marked(file_context, unit, *set.kernel, kernels.front(), made,
                                     instance->name.span);
        }
        const auto beside = std::find_if(kernels.begin(), kernels.end(), [&](const ir::Kernel& k) {
            return differ_in_schedule_alone(*set.kernel, k, made);
        });
        const auto first = static_cast<std::size_t>(beside - kernels.begin());
        kernels.push_back(kept(file, std::move(*checked)));
        if (first + 1 < kernels.size() &&
            check_extents(file_context, *set.kernel, file, kernels[first], kernels.back()))
            check_results(file_context, unit, *set.kernel, file, kernels[first], kernels.back());
    }
    ir::Module& module = file.module;
    std::move(kernels.begin(), kernels.end(), std::back_inserter(module.kernels));
    std::move(launchers.begin(), launchers.end(), std::back_inserter(module.launchers));
}

// The entries of the file, and its instances of others'; one only, if the call is about it.
std::deque<EntryChecker> entry_checkers(FileContext& file_context, const Unit& unit) {
    std::deque<EntryChecker> entries;
    const ast::Entry nobody;  // calls what an instance names
    const std::string& only = file_context.options.only_kernel;
    for (const ast::Decl& decl : unit.file->decls) {
        const std::string& name = declared_name(decl).text;
        if (!only.empty() && name != only) continue;
        const auto* instance = std::get_if<ast::Instance>(&decl.node);
        if (instance != nullptr && names_entry(unit, *instance)) {
            EntryChecker names(file_context, unit, nobody);
            if (std::optional<CalledKernel> named = names.resolve_instance(*instance))
                entries.emplace_back(file_context, unit, std::move(*named)).resolve();
        }
        if (const auto* entry = std::get_if<ast::Entry>(&decl.node))
            entries.emplace_back(file_context, unit, *entry).resolve();
    }
    return entries;
}

bool calls(std::deque<EntryChecker>& entries,
           const std::function<bool(const CalledKernel&)>& is_meant) {
    return std::any_of(entries.begin(), entries.end(), [&](EntryChecker& entry) {
        return std::any_of(entry.calls().begin(), entry.calls().end(), is_meant);
    });
}
bool calls(std::deque<EntryChecker>& entries, const ast::Kernel& kernel) {
    return calls(entries, [&](const CalledKernel& called) { return called.kernel == &kernel; });
}
bool calls(std::deque<EntryChecker>& entries, const ast::Instance& instance) {
    return calls(entries, [&](const CalledKernel& called) { return called.instance == &instance; });
}

void check_entries(FileContext& file_context, const Unit& unit, std::deque<EntryChecker>& entries,
                   CheckedFile& file) {
    for (EntryChecker& entry : entries) {
        for (CalledKernel& called : entry.calls()) compile_called(file_context, unit, called, file);
    }
    for (EntryChecker& entry : entries) {
        std::optional<ir::Entry> made = entry.run(file.module);
        if (made) file.module.entries.push_back(std::move(*made));
    }
}

void check_unused(FileContext& file_context, const Unit& unit) {
    const ast::Kernel nobody;  // uses them
    const CallCircles circles(unit);
    const std::string& only = file_context.options.only_kernel;
    for (const ast::Decl& decl : unit.file->decls) {
        if (!only.empty() && declared_name(decl).text != only) continue;
        const auto* function = std::get_if<ast::Function>(&decl.node);
        const auto* declared = std::get_if<ast::Struct>(&decl.node);
        KernelChecker checker(file_context, unit, nobody, nullptr);
        if (function != nullptr && !file_context.used.contains(function))
            checker.check_unused(*function, circles);
        if (declared != nullptr && !file_context.used.contains(declared))
            checker.check_unused(*declared);
    }
}

}  // namespace

ir::Kernel kept(CheckedFile& file, CheckedKernel made) {
    file.padding.insert_or_assign(made.kernel.name, std::move(made.padding));
    file.extents.insert_or_assign(made.kernel.name, std::move(made.extents));
    return std::move(made.kernel);
}

const ast::Name& declared_name(const ast::Decl& decl) {
    return std::visit([](const auto& d) -> const ast::Name& { return d.name; }, decl.node);
}

std::string_view kind_of(const ast::Decl& decl) {
    return std::visit(Overloaded{
                          [](const ast::Kernel&) { return "a kernel"; },
                          [](const ast::Entry&) { return "an entry"; },
                          [](const ast::Function&) { return "a function"; },
                          [](const ast::Struct&) { return "a struct"; },
                          [](const ast::Instance&) { return "an instance"; },
                          [](const ast::Reference&) { return "a reference"; },
                          [](const ast::Test&) { return "a test"; },
                          [](const ast::Megakernel&) { return "a megakernel"; },
                      },
                      decl.node);
}

void collect_declarations(FileContext& file_context, Unit& unit) {
    for (const ast::Decl& decl : unit.file->decls) {
        if (!is_global(decl)) continue;
        const ast::Name& name = declared_name(decl);
        if (is_predeclared(name.text)) {
            // What speaks of it further on finds it: the name alone is wrong.
            file_context.error(name.span, msg::predeclared_name, name.text, "a built-in name");
        }
        const auto* function = std::get_if<ast::Function>(&decl.node);
        if (function != nullptr && function->external && is_cpp_word(name.text))
            file_context.error(name.span, msg::operand_kind, "an external function",
                               "the name of a CUDA function", "a C++ keyword");
        const auto [old, added] = unit.decls.emplace(name.text, &decl);
        if (added) continue;
        file_context.error(name.span, msg::declared_twice, name.text, kind_of(*old->second))
            .label(declared_name(*old->second).span, "declared here");
    }
}

}  // namespace checker

CheckedFile check(const ast::File& file, SourceManager& sources, Diagnostics& diag,
                  const CheckOptions& options) {
    checker::FileContext file_context{sources, diag, options, {}, {}, {}, {}, false};
    CheckedFile checked;
    if (checker::report_not_yet(file_context, file)) return checked;
    const int before = diag.error_count();
    checker::Unit unit;
    unit.file = &file;
    checker::collect_declarations(file_context, unit);
    checker::read_imports(file_context, unit);
    checker::check_references(file_context, unit);
    std::vector<checker::KernelSet> sets = checker::kernel_sets(file_context, unit);
    checker::check_launcher_names(file_context, unit);
    checker::check_defines(file_context, unit);
    std::deque<checker::EntryChecker> entries = checker::entry_checkers(file_context, unit);
    if (!options.only_kernel.empty()) {
        std::erase_if(sets, [&](const checker::KernelSet& set) {
            return set.kernel->name.text != options.only_kernel &&
                   !checker::calls(entries, *set.kernel);
        });
        for (checker::KernelSet& set : sets) {
            if (options.every_instance || checker::calls(entries, *set.kernel)) continue;
            std::erase_if(set.instances, [&](const ast::Instance* instance) {
                return !checker::gives_schedule_only(*set.kernel, *instance);
            });
        }
    }
    const bool elsewhere = std::any_of(file.decls.begin(), file.decls.end(), [](const auto& decl) {
        const auto* instance = std::get_if<ast::Instance>(&decl.node);
        return instance != nullptr && instance->module;
    });
    if (sets.empty() && entries.empty() && !elsewhere && !checker::tests_functions(unit))
        file_context.error(Span{}, msg::no_kernel);
    for (const checker::KernelSet& set : sets) {
        checker::check_kernel_set(file_context, unit, set, checker::calls(entries, *set.kernel),
                                  checked);
    }
    const auto wanted = [&](const ast::Instance& instance) {
        return options.only_kernel.empty() || checker::calls(entries, instance);
    };
    checker::check_imported_instances(file_context, unit, wanted, checked);
    if (!file_context.stopped) checker::check_unused(file_context, unit);
    if (!file_context.failed()) checker::check_entries(file_context, unit, entries, checked);
    checked.good = !file_context.stopped && diag.error_count() == before;
    return checked;
}

}  // namespace tkc
