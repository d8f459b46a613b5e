// Messages as JSON, one object a line.
#include "driver/diagnostics_json.h"

#include <nlohmann/json.hpp>

namespace tkc {

namespace {

using Json = nlohmann::ordered_json;

Json json_span(const SourceManager& sources, Span span) {
    if (!is_known(span)) return nullptr;
    LineColumn begin = sources.begin(span);
    LineColumn end = sources.end(span);
    return {{"file", sources.file(span.file).path},
            {"line", begin.line},
            {"column", begin.column},
            {"end_line", end.line},
            {"end_column", end.column}};
}

}  // namespace

std::string render_json(const Diagnostics& diag, const SourceManager& sources) {
    std::string out;
    for (const Diagnostic* each : diag.in_order()) {
        const Diagnostic& d = *each;
        Json object{{"severity", severity_word(d.severity)},
                    {"code", code_word(d.code)},
                    {"name", d.name},
                    {"message", d.message},
                    {"span", json_span(sources, d.span)},
                    {"label", d.primary_label}};
        object["labels"] = Json::array();
        for (const Label& label : d.labels) {
            object["labels"].push_back(
                {{"span", json_span(sources, label.span)}, {"text", label.text}});
        }
        object["remarks"] = Json::array();
        for (const Remark& remark : all_remarks(d, sources)) {
            std::string_view kind = remark.kind == Remark::Kind::help ? "help" : "note";
            object["remarks"].push_back({{"kind", kind}, {"text", remark.text}});
        }
        if (!d.timeline.empty()) object["timeline"] = Json::array();
        for (const Moment& m : d.timeline) {
            object["timeline"].push_back(
                {{"span", json_span(sources, m.span)}, {"role", m.who}, {"text", m.text}});
        }
        object["fixes"] = Json::array();
        for (const Edit& edit : d.fix) {
            object["fixes"].push_back(
                {{"span", json_span(sources, edit.span)}, {"replacement", edit.text}});
        }
        // Source text may contain bytes that are not UTF-8; they are replaced and never throw.
        out += object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
    }
    return out;
}

}  // namespace tkc
