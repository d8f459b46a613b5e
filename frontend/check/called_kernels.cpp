// Compiling kernels that are named elsewhere than where they are: those that entries call, with
// the constants of the call, and instances of kernels of other files.
#include <fmt/format.h>

#include <algorithm>

#include "frontend/check/candidate_results.h"
#include "frontend/check/entry_checker.h"
#include "frontend/check/interchangeable.h"
#include "frontend/check/kernel_checker.h"
#include "frontend/derive/derive.h"

namespace tkc::checker {

namespace {

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
    std::replace(wanted.begin(), wanted.end(), '.', '_');
    wanted += called.instance != nullptr ? called.instance->name.text : called.kernel->name.text;
    for (const ast::ConstParam& param : called.kernel->consts) {
        if (called.instance != nullptr) break;
        const auto value = called.given.constants.find(param.name.text);
        if (value != called.given.constants.end()) wanted += "_" + name_part(param, value->second);
    }
    std::string name = wanted;
    for (int n = 2; unit.decls.contains(name) || ir::find_kernel(module, name) != nullptr; ++n) {
        name = fmt::format("{}_{}", wanted, n);
    }
    return name;
}

// Compiles what `called` names, unless the module has it, and gives its name there. None if an
// error was reported.
std::optional<std::string> compile(FileContext& file_context, CalledKernel& called,
                                   CheckedFile& file) {
    ir::Module& module = file.module;
    const bool elsewhere = called.instance != nullptr && called.instance->module;
    const CalledInstance* given = called.instance == nullptr || elsewhere ? &called.given : nullptr;
    const ast::Instance* instance = given == nullptr ? called.instance : nullptr;
    KernelChecker constants(file_context, *called.unit, *called.kernel, instance, given);
    if (const ast::ConstParam* missing = constants.constants().constant_without_value()) {
        file_context
            .error(called.span, msg::constant_without_value, missing->name.text,
                   called.kernel->name.text)
            .help("write `{}<{} = ..>`", called.kernel->name.text, missing->name.text);
        return std::nullopt;
    }
    const int before = file_context.diag.error_count();
    const std::vector<ir::Constant> values = constants.constants().constants();
    if (file_context.diag.error_count() != before) return std::nullopt;
    for (const ir::Kernel& kernel : module.kernels) {
        if (kernel.source == called.source && same_constants(kernel.constants, values))
            return kernel.name;
    }
    std::optional<CheckedKernel> made =
        check_kernel(file_context, *called.unit, *called.kernel, instance, given);
    if (!made) return std::nullopt;
    if (called.unit->owned && derive::needs_derived_roles(*called.kernel)) {
        const KernelPlace place{called.unit->file->id, called.kernel->name.text};
        file.asking_elsewhere[place].insert(called.source);
    }
    made->kernel.source = called.source;
    made->kernel.name = called.given.name;
    module.kernels.push_back(kept(file, std::move(*made)));
    return called.given.name;
}

}  // namespace

void compile_called(FileContext& file_context, const Unit& unit, CalledKernel& called,
                    CheckedFile& file) {
    const bool own = called.module.empty();
    const bool as_launched = called.instance != nullptr || called.given.constants.empty();
    if (own && as_launched) {
        const std::string& name =
            called.instance != nullptr ? called.instance->name.text : called.kernel->name.text;
        for (const ir::Launcher& launcher : file.module.launchers) {
            if (launcher.name == name) called.candidates = launcher.candidates;
        }
        if (!called.candidates.empty() || file_context.failed()) return;
    }
    called.given.name = instance_name(unit, called, file.module);
    if (std::optional<std::string> name = compile(file_context, called, file))
        called.candidates = {*name};
}

void check_imported_instances(FileContext& file_context, const Unit& unit,
                              const std::function<bool(const ast::Instance&)>& wanted,
                              CheckedFile& file) {
    struct Made {
        const ast::Kernel* of;
        std::string name;
    };
    std::vector<Made> before;
    const ast::Entry nobody;  // calls them
    for (const ast::Decl& decl : unit.file->decls) {
        const auto* instance = std::get_if<ast::Instance>(&decl.node);
        if (instance == nullptr || !instance->module || !wanted(*instance)) continue;
        EntryChecker names(file_context, unit, nobody);
        std::optional<CalledKernel> called = names.resolve_instance(*instance);
        if (!called || called->entry != nullptr) continue;  // entries come last
        called->given.name = instance->name.text;
        const std::optional<std::string> kernel = compile(file_context, *called, file);
        if (!kernel) continue;
        file.module.launchers.push_back({instance->name.text, {*kernel}});
        if (*kernel != instance->name.text) continue;  // another name, by which it runs alone
        // The first of its like chooses among them.
        const ir::Kernel& made = file.module.kernels.back();
        const auto like = std::find_if(before.begin(), before.end(), [&](const Made& other) {
            return other.of == called->kernel &&
                   interchangeable(*called->kernel, *ir::find_kernel(file.module, other.name),
                                   made);
        });
        const auto beside = std::find_if(before.begin(), before.end(), [&](const Made& other) {
            return other.of == called->kernel &&
                   differ_in_schedule_alone(*called->kernel,
                                            *ir::find_kernel(file.module, other.name), made);
        });
        if (beside != before.end()) {
            const ir::Kernel& first = *ir::find_kernel(file.module, beside->name);
            if (check_extents(file_context, *called->kernel, file, first, made))
                check_results(file_context, *called->unit, *called->kernel, file, first, made);
        }
        for (ir::Launcher& launcher : file.module.launchers) {
            if (like != before.end() && launcher.name == like->name)
                launcher.candidates.push_back(made.name);
        }
        before.push_back({called->kernel, made.name});
    }
}

}  // namespace tkc::checker
