// Finds and reads the files that a file imports.
#include <algorithm>

#include "frontend/check_session.h"
#include "frontend/parse.h"

namespace tkc::checker {

namespace {

std::string module_name(const ast::Path& path) {
    std::string name;
    for (const ast::Name& part : path.parts) name += (name.empty() ? "" : ".") + part.text;
    return name;
}

// `a.b` is the file a/b.tk, beside the importing file or in a folder of the command line.
std::optional<FileId> find_file(Session& session, const std::string& module, FileId importing) {
    std::string path = module;
    std::replace(path.begin(), path.end(), '.', '/');
    path += ".tk";
    const std::string& from = session.sources.file(importing).path;
    const std::size_t slash = from.rfind('/');
    std::vector<std::string> folders{slash == std::string::npos ? "" : from.substr(0, slash + 1)};
    for (const std::string& folder : session.options.include_dirs) folders.push_back(folder + "/");
    for (const std::string& folder : folders) {
        if (std::optional<FileId> id = session.sources.read(folder + path)) return id;
    }
    return std::nullopt;
}

std::optional<FileId> find_module(Session& session, const std::string& module, FileId importing) {
    if (session.options.embedded) {
        if (std::optional<std::string> text = session.options.embedded(module)) {
            const std::string path = "<" + module + ">";
            if (std::optional<FileId> known = session.sources.find(path)) return known;
            return session.sources.add(path, std::move(*text));
        }
    }
    return find_file(session, module, importing);
}

const Unit* read_module(Session& session, const ast::Import& import) {
    const std::string module = module_name(import.path);
    const std::optional<FileId> id = find_module(session, module, import.span.file);
    if (!id) {
        DiagnosticBuilder message = session.error(import.path.span, msg::import_not_found, module);
        if (find_module(session, "std." + module, import.span.file))
            message.help("write `import std.{};`", module);
        else
            message.help(
                "`std.` is the library; other modules are files beside this one, or in a folder "
                "given by `-I`");
        return nullptr;
    }
    const auto& chain = session.importing;
    if (std::find(chain.begin(), chain.end(), *id) != chain.end()) {
        session.error(import.path.span, msg::import_cycle, module);
        return nullptr;
    }
    const auto [known, added] = session.imported.emplace(*id, nullptr);
    if (!added) return known->second.get();
    std::optional<ast::File> file = parse(*id, session.sources, session.diag);
    if (!file) return nullptr;
    auto unit = std::make_unique<Unit>();
    unit->owned = std::make_unique<ast::File>(std::move(*file));
    unit->file = unit->owned.get();
    collect_declarations(session, *unit);
    read_imports(session, *unit);
    known->second = std::move(unit);
    return known->second.get();
}

}  // namespace

void read_imports(Session& session, Unit& unit) {
    session.importing.push_back(unit.file->id);
    for (const ast::Import& import : unit.file->imports) {
        const Unit* module = read_module(session, import);
        const ast::Name& name = import.path.parts.back();
        const auto [known, added] = unit.modules.emplace(name.text, module);
        // A null stands for one that was told, so that its uses are not.
        if (!added && known->second != module && known->second != nullptr && module != nullptr)
            session.error(name.span, msg::declared_twice, name.text, "another imported module");
    }
    session.importing.pop_back();
}

}  // namespace tkc::checker
