// SARIF 2.1.0: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
#include "driver/sarif.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "compiler/embedded.h"

namespace tkc {

namespace {

using Json = nlohmann::ordered_json;

std::string_view level_of(Severity severity) {
    switch (severity) {
        case Severity::error: return "error";
        case Severity::warning: return "warning";
        case Severity::note: return "note";
    }
    return "error";
}

// A path as a URI: relative to where tkc ran, unless the path was absolute. The library's files,
// `<std.softmax>`, are on no disk.
std::string uri_of(std::string_view path) {
    std::string uri;
    if (path.starts_with("<") && path.ends_with(">")) {
        uri = "tkc:";
        path = path.substr(1, path.size() - 2);
    } else if (path.starts_with("/")) {
        uri = "file://";
    }
    for (const char c : path) {
        const auto byte = static_cast<unsigned char>(c);
        const bool plain = (byte < 0x80 && std::isalnum(byte) != 0) ||
                           std::string_view("-._~/").find(c) != std::string_view::npos;
        uri += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
    }
    return uri;
}

// A column counts UTF-16 code units, as editors do; ours count bytes.
std::size_t utf16_column(const SourceFile& file, LineColumn at) {
    const std::string_view line =
        std::string_view(file.text).substr(file.line_starts[at.line - 1], at.column - 1);
    std::size_t units = 0;
    for (const char c : line) {
        const auto byte = static_cast<unsigned char>(c);
        if ((byte & 0xc0) != 0x80) units += byte >= 0xf0 ? 2 : 1;
    }
    return units + 1;
}

class Log {
public:
    Log() : results_(Json::array()), rules_(Json::array()) {}

    void rules_of(const std::vector<const Session*>& sessions) {
        std::set<int> codes;
        for (const Session* session : sessions) {
            for (const Diagnostic& d : session->diag.all()) codes.insert(d.code);
        }
        for (const int code : codes) {
            index_[code] = rules_.size();
            rules_.push_back(rule(*find_message(code)));
        }
    }

    void add(const Session& session) {
        sources_ = &session.sources;
        for (const Diagnostic* d : session.diag.in_order()) results_.push_back(result(*d));
    }

    std::string text(bool good) const {
        Json driver{{"name", "tkc"},
                    {"version", TKC_VERSION},
                    {"semanticVersion", TKC_VERSION},
                    {"rules", rules_}};
        Json run{{"tool", {{"driver", std::move(driver)}}},
                 {"invocations", Json::array({{{"executionSuccessful", good}}})},
                 {"columnKind", "utf16CodeUnits"},
                 {"results", results_}};
        const Json document{
            {"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
            {"version", "2.1.0"},
            {"runs", Json::array({std::move(run)})},
        };
        return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
    }

private:
    static Json rule(const CatalogueRow& row) {
        const std::string page{find_page(row.code).value_or("")};
        const std::string first = page.substr(0, page.find("\n\n"));  // a page opens with prose
        Json made{{"id", code_word(row.code)},
                  {"name", row.name},
                  {"shortDescription", {{"text", text_of(row)}}}};
        if (!page.empty()) {
            made["fullDescription"] = {{"text", first}};
            made["help"] = {{"text", page}, {"markdown", page}};
        }
        made["defaultConfiguration"] = {{"level", level_of(row.severity)}};
        return made;
    }

    Json region(Span span) const {
        const SourceFile& file = sources_->file(span.file);
        const LineColumn begin = file.line_column(span.begin);
        const LineColumn end = file.line_column(span.end);
        return {{"startLine", begin.line},
                {"startColumn", utf16_column(file, begin)},
                {"endLine", end.line},
                {"endColumn", utf16_column(file, end)}};
    }
    Json artifact(FileId file) const { return {{"uri", uri_of(sources_->file(file).path)}}; }
    Json location(Span span) const {
        return {{"physicalLocation",
                 {{"artifactLocation", artifact(span.file)}, {"region", region(span)}}}};
    }

    Json result(const Diagnostic& d) const {
        std::string message = d.message;
        if (!d.primary_label.empty()) message += "\n" + d.primary_label;
        for (const Remark& remark : d.remarks) {
            message += remark.kind == Remark::Kind::help ? "\nhelp: " : "\nnote: ";
            message += remark.text;
        }
        Json made{{"ruleId", code_word(d.code)},
                  {"ruleIndex", index_.at(d.code)},
                  {"level", level_of(d.severity)},
                  {"message", {{"text", message}}}};
        made["locations"] = Json::array();
        if (is_known(d.span)) made["locations"].push_back(location(d.span));
        if (!d.labels.empty()) made["relatedLocations"] = Json::array();
        for (const Label& label : d.labels) {
            Json place = location(label.span);
            place["id"] = made["relatedLocations"].size() + 1;
            if (!label.text.empty()) place["message"] = {{"text", label.text}};
            made["relatedLocations"].push_back(std::move(place));
        }
        if (!d.fix.empty()) made["fixes"] = Json::array({fix(d)});
        return made;
    }

    Json fix(const Diagnostic& d) const {
        Json replacements = Json::array();
        for (const Edit& edit : d.fix) {
            replacements.push_back(
                {{"deletedRegion", region(edit.span)}, {"insertedContent", {{"text", edit.text}}}});
        }
        // All edits of a fix are in the file of its message.
        Json made{{"artifactChanges",
                   Json::array({{{"artifactLocation", artifact(d.fix.front().span.file)},
                                 {"replacements", std::move(replacements)}}})}};
        for (const Remark& remark : d.remarks) {
            if (remark.kind != Remark::Kind::help) continue;
            made["description"] = {{"text", remark.text}};
            break;
        }
        return made;
    }

    Json results_, rules_;
    std::map<int, std::size_t> index_;
    const SourceManager* sources_ = nullptr;
};

}  // namespace

std::string render_sarif(const std::vector<const Session*>& sessions) {
    Log log;
    log.rules_of(sessions);
    bool good = true;
    for (const Session* session : sessions) {
        log.add(*session);
        const auto& all = session->diag.all();
        good =
            good && std::none_of(all.begin(), all.end(), [](const Diagnostic& d) {
                return d.code == msg::internal_error.code || d.code == msg::cannot_read_file.code;
            });
    }
    return log.text(good);
}

}  // namespace tkc
