// Finds and reads the files that a file imports.
#include <fmt/format.h>

#include <algorithm>

#include "frontend/check/file_context.h"
#include "frontend/parse/parse.h"

namespace tkc::checker {

namespace {

std::string module_name(const ast::Path& path) {
    std::string name;
    for (const ast::Name& part : path.parts) name += (name.empty() ? "" : ".") + part.text;
    return name;
}

// `a.b` is the file a/b.tk, next to the importing file or in a folder of the command line.
std::optional<FileId> find_file(FileContext& file_context, const std::string& module,
                                FileId importing) {
    std::string path = module;
    std::replace(path.begin(), path.end(), '.', '/');
    path += ".tk";
    const std::string& from = file_context.sources.file(importing).path;
    const std::size_t slash = from.rfind('/');
    std::vector<std::string> folders{slash == std::string::npos ? "" : from.substr(0, slash + 1)};
    for (const std::string& folder : file_context.options.include_dirs)
        folders.push_back(folder + "/");
    for (const std::string& folder : folders) {
        if (std::optional<FileId> id = file_context.sources.read(folder + path)) return id;
    }
    return std::nullopt;
}

std::optional<FileId> find_module(FileContext& file_context, const std::string& module,
                                  FileId importing) {
    if (file_context.options.embedded) {
        if (std::optional<std::string> text = file_context.options.embedded(module)) {
            const std::string path = "<" + module + ">";
            if (std::optional<FileId> known = file_context.sources.find(path)) return known;
            return file_context.sources.add(path, std::move(*text));
        }
    }
    return find_file(file_context, module, importing);
}

// `masks` of `FOLDER/masks.tk` and of `<std.masks>`; `masks_2` where another file is called so.
std::string unit_name(const FileContext& file_context, FileId id) {
    std::string stem = file_context.sources.file(id).path;
    stem = stem.substr(stem.rfind('/') + 1);
    stem = stem.ends_with('>') ? stem.substr(1, stem.size() - 2) : stem.substr(0, stem.rfind('.'));
    stem = stem.substr(stem.rfind('.') + 1);
    std::string name = stem;
    const auto is_taken = [&](const auto& other) {
        return other.second != nullptr && other.second->name == name;
    };
    for (int n = 2;
         std::any_of(file_context.imported.begin(), file_context.imported.end(), is_taken); ++n)
        name = fmt::format("{}_{}", stem, n);
    return name;
}

// The tree of an imported file; null where it is wrong. Parsing reports errors alone, so a file
// that was read without one needs no second look.
std::shared_ptr<const ast::File> read_file(const FileContext& file_context, FileId id) {
    const CheckOptions& options = file_context.options;
    const auto derived = options.derived.find(id);
    const bool kept = derived == options.derived.end() && options.read != nullptr;
    if (kept) {
        const auto known = options.read->find(id);
        if (known != options.read->end()) return known->second;
    }
    std::optional<ast::File> file = derived == options.derived.end()
                                        ? parse(id, file_context.sources, file_context.diag)
                                        : parse(id, derived->second, file_context.diag);
    if (!file) return nullptr;
    auto made = std::make_shared<const ast::File>(std::move(*file));
    if (kept) options.read->emplace(id, made);
    return made;
}

const Unit* read_unit(FileContext& file_context, FileId id) {
    const auto [known, added] = file_context.imported.emplace(id, nullptr);
    if (!added) return known->second.get();
    std::shared_ptr<const ast::File> file = read_file(file_context, id);
    if (file == nullptr) return nullptr;
    auto unit = std::make_unique<Unit>();
    unit->owned = std::move(file);
    unit->file = unit->owned.get();
    unit->name = unit_name(file_context, id);
    collect_declarations(file_context, *unit);
    read_imports(file_context, *unit);
    known->second = std::move(unit);
    return known->second.get();
}

// Names that the library had before, and their new ones. Uses of the old ones are errors that
// `--fix` corrects.
struct Renamed {
    std::string_view module;
    std::string_view name;  // of a function; empty: the module itself
    std::string_view now;
};
constexpr Renamed renamed_names[] = {
    {"std.activation", "gelu_slope", "gelu_grad"},
    {"std.activation", "silu_slope", "silu_grad"},
    {"std.quantise", "", "quantize"},
    {"std.rope", "back", "rotate_back"},
    {"std.rope", "back_pairs", "rotate_back_pairs"},
    {"std.rope", "turn", "rotate"},
    {"std.rope", "turn_pairs", "rotate_pairs"},
};

// The last part of the new name; empty if the module was not renamed.
std::string new_module_name(std::string_view module) {
    for (const Renamed& r : renamed_names) {
        if (r.module == module && r.name.empty()) return std::string(r.now);
    }
    return "";
}

// The new name of a library function; empty if it was not renamed.
std::string new_function_name(const FileContext& file_context, const Unit& module,
                              std::string_view name) {
    const std::string& path = file_context.sources.file(module.file->id).path;
    for (const Renamed& r : renamed_names) {
        if (r.name == name && path == fmt::format("<{}>", r.module)) return std::string(r.now);
    }
    return "";
}

const Unit* read_module(FileContext& file_context, const ast::Import& import) {
    const std::string module = module_name(import.path);
    const std::optional<FileId> id = find_module(file_context, module, import.span.file);
    if (!id) {
        DiagnosticBuilder message =
            file_context.error(import.path.span, msg::import_not_found, module);
        if (const std::string renamed = new_module_name(module); !renamed.empty())
            message.help("`std.{}` is now `std.{}`", import.path.parts.back().text, renamed)
                .fix(import.path.parts.back().span, renamed);
        else if (find_module(file_context, "std." + module, import.span.file))
            message.help("write `import std.{};`", module);
        else
            message.help(
                "`std.` is the library; other modules are files next to this one, or in a folder "
                "given with `-I`");
        return nullptr;
    }
    const auto& chain = file_context.importing;
    if (std::find(chain.begin(), chain.end(), *id) != chain.end()) {
        file_context.error(import.path.span, msg::import_cycle, module);
        return nullptr;
    }
    return read_unit(file_context, *id);
}

std::string last_part(const std::string& module) { return module.substr(module.rfind('.') + 1); }

bool holds(const Unit& unit, const std::string& name, bool type) {
    const auto found = unit.decls.find(name);
    if (found == unit.decls.end()) return false;
    return type ? std::holds_alternative<ast::Struct>(found->second->node)
                : std::holds_alternative<ast::Function>(found->second->node);
}

// The text in one line: one space for each run of them, and none at its ends.
std::string in_one_line(std::string_view text) {
    std::string line;
    for (const char c : text) {
        const bool space = c == ' ' || c == '\n' || c == '\t' || c == '\r';
        if (!space) line += c;
        else if (!line.empty() && line.back() != ' ') line += ' ';
    }
    if (line.ends_with(' ')) line.pop_back();
    return line;
}

// `softmax.start<BM>(scale: f32) -> state<BM>`, ..: the functions of a module as their heads are
// in the file.
std::string functions_text(const FileContext& file_context, const Unit& unit,
                           const std::string& module) {
    std::string list;
    for (const ast::Decl& decl : unit.file->decls) {
        const auto* function = std::get_if<ast::Function>(&decl.node);
        if (function == nullptr) continue;
        Span head = function->name.span;
        head.end = function->body.span.begin;
        list += fmt::format("{}`{}.{}`", list.empty() ? "" : ", ", module,
                            in_one_line(file_context.sources.text(head)));
    }
    return list;
}

// A module that tkc carries, whether the file imports it or not.
const Unit* library_module(FileContext& file_context, const std::string& module) {
    const std::optional<FileId> id = find_module(file_context, module, {});
    return id ? read_unit(file_context, *id) : nullptr;
}

}  // namespace

void read_imports(FileContext& file_context, Unit& unit) {
    file_context.importing.push_back(unit.file->id);
    for (const ast::Import& import : unit.file->imports) {
        const Unit* module = read_module(file_context, import);
        const ast::Name& name = import.path.parts.back();
        const auto [known, added] = unit.modules.emplace(name.text, module);
        // A null stands for one that was told, so that its uses are not.
        if (!added && known->second != module && known->second != nullptr && module != nullptr)
            file_context.error(name.span, msg::declared_twice, name.text,
                               "another imported module");
    }
    file_context.importing.pop_back();
}

std::optional<FunctionName> find_function_name(const Unit& unit, std::string_view text) {
    const std::size_t dot = text.find('.');
    const Unit* of = &unit;
    if (dot != text.npos) {
        const auto module = unit.modules.find(text.substr(0, dot));
        of = module == unit.modules.end() ? nullptr : module->second;
    }
    if (of == nullptr) return std::nullopt;
    const auto found = of->decls.find(dot == text.npos ? text : text.substr(dot + 1));
    if (found == of->decls.end()) return std::nullopt;
    const auto* function = std::get_if<ast::Function>(&found->second->node);
    if (function == nullptr) return std::nullopt;
    const std::string& name = function->name.text;
    return FunctionName{of, function, of->owned ? of->name + "." + name : name};
}

std::optional<FunctionName> find_known_function(const FileContext& file_context, const Unit& unit,
                                                std::string_view text) {
    const std::size_t dot = text.find('.');
    if (dot == text.npos) return find_function_name(unit, text);
    for (const auto& [id, other] : file_context.imported) {
        if (other != nullptr && other->name == text.substr(0, dot))
            return find_function_name(*other, text.substr(dot + 1));
    }
    return std::nullopt;
}

std::string import_help(FileContext& file_context, const Unit& unit, const std::string& name,
                        Wanted wanted) {
    const auto imported = unit.modules.find(name);
    if (imported != unit.modules.end() && imported->second != nullptr) {
        return fmt::format("`{}` is a module; it has {}", name,
                           functions_text(file_context, *imported->second, name));
    }
    const bool type = wanted == Wanted::type;
    const bool inside = type || wanted == Wanted::function;
    for (const auto& [module, held] : unit.modules) {
        if (inside && held != nullptr && holds(*held, name, type))
            return fmt::format("write `{}.{}`", module, name);
    }
    for (const std::string& module : file_context.options.library) {
        const std::string last = last_part(module);
        if (name != last) continue;
        if (wanted == Wanted::module || type)
            return fmt::format("write `import {};` at the top of the file", module);
        const Unit* held = library_module(file_context, module);
        if (held == nullptr) continue;
        return fmt::format("write `import {};` at the top of the file: it has {}", module,
                           functions_text(file_context, *held, last));
    }
    for (const std::string& module : file_context.options.library) {
        const Unit* held = inside ? library_module(file_context, module) : nullptr;
        if (held == nullptr || !holds(*held, name, type)) continue;
        return fmt::format("write `import {};` at the top of the file, and `{}.{}` here", module,
                           last_part(module), name);
    }
    if (wanted != Wanted::module) return "";
    return fmt::format(
        "write `import {};` at the top of the file, where {}.tk is next to it or in a folder given "
        "with `-I`",
        name, name);
}

void suggest_function_of(const FileContext& file_context, DiagnosticBuilder& message,
                         const Unit& module, const std::string& module_name,
                         const ast::Name& wanted) {
    const std::string now = new_function_name(file_context, module, wanted.text);
    if (!now.empty()) {
        message.help("`{0}.{1}` is now `{0}.{2}`", module_name, wanted.text, now)
            .fix(wanted.span, now);
        return;
    }
    std::vector<std::string> known;
    for (const ast::Decl& decl : module.file->decls) {
        const auto* function = std::get_if<ast::Function>(&decl.node);
        if (function != nullptr) known.push_back(function->name.text);
    }
    if (suggest(message, wanted.span, wanted.text, known)) return;
    message.help("it has {}", functions_text(file_context, module, module_name));
}

}  // namespace tkc::checker
