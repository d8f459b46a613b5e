// The catalogue as a table, and the collection of diagnostics.
#include "base/diagnose.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace tkc {

const std::vector<CatalogueRow>& catalogue() {
    static const std::vector<CatalogueRow> rows{
#define TK_ERROR(code, name, text) {code, Severity::error, #name, text},
#define TK_WARNING(code, name, text) {code, Severity::warning, #name, text},
#define TK_NOTE(code, name, text) {code, Severity::note, #name, text},
#include "language/diagnostics.def"
#undef TK_ERROR
#undef TK_WARNING
#undef TK_NOTE
    };
    return rows;
}

namespace {

// Two rows with one number would make `--explain` lie.
#define TK_ERROR(code, name, text) code,
#define TK_WARNING(code, name, text) code,
#define TK_NOTE(code, name, text) code,
constexpr int codes[] = {
#include "language/diagnostics.def"
};
#undef TK_ERROR
#undef TK_WARNING
#undef TK_NOTE

consteval bool codes_rise() {
    for (std::size_t i = 1; i < std::size(codes); ++i) {
        if (codes[i] <= codes[i - 1]) return false;
    }
    return true;
}
static_assert(codes_rise(),
              "the rows of diagnostics.def must be sorted by number, without duplicates");

}  // namespace

const CatalogueRow* find_message(int code) {
    for (const CatalogueRow& row : catalogue()) {
        if (row.code == code) return &row;
    }
    return nullptr;
}

const CatalogueRow* find_message(std::string_view spelling) {
    for (const CatalogueRow& row : catalogue()) {
        std::string code = code_word(row.code);
        if (spelling == code || spelling == code.substr(2) || spelling == row.name) return &row;
    }
    return nullptr;
}

std::string text_of(const CatalogueRow& row) {
    std::string text;
    for (std::size_t i = 0; i < row.text.size(); ++i) {
        bool pair = i + 1 < row.text.size() && (row.text[i] == '{' || row.text[i] == '}');
        if (!pair) text += row.text[i];
        else if (row.text.substr(i++, 2) == "{}") text += "..";
        else text += row.text[i];
    }
    return text;
}

std::string explain(const CatalogueRow& row, std::string_view page) {
    return fmt::format("{}[{}] {}\n\n    {}\n\n{}", severity_word(row.severity),
                       code_word(row.code), row.name, text_of(row), page);
}

std::string_view severity_word(Severity severity) {
    switch (severity) {
        case Severity::error: return "error";
        case Severity::warning: return "warning";
        case Severity::note: return "performance note";
    }
    return "error";
}

std::string code_word(int code) { return fmt::format("TK{:04}", code); }

namespace {

// Far more than a message needs; names and expressions may be as long as a file.
constexpr std::size_t quoted_at_most = 300;  // bytes between two `
constexpr std::size_t text_at_most = 4000;
constexpr std::size_t labels_at_most = 16;
constexpr std::size_t remarks_at_most = 16;
constexpr std::size_t moments_at_most = 64;

// No character of UTF-8 is cut in two.
std::string_view cut(std::string_view text, std::size_t size) {
    while (size > 0 && size < text.size() &&
           (static_cast<unsigned char>(text[size]) & 0xc0) == 0x80) {
        --size;
    }
    return text.substr(0, size);
}

// Long quotations and long texts lose what is after their first part.
std::string shortened(std::string text) {
    if (text.size() <= quoted_at_most) return text;
    std::string made;
    for (std::size_t i = 0; i < text.size() && made.size() <= text_at_most;) {
        const std::size_t open = text.find('`', i);
        const std::size_t close = open == text.npos ? open : text.find('`', open + 1);
        if (close == text.npos) {
            made.append(text, i);
            break;
        }
        made.append(text, i, open + 1 - i);
        const std::string_view quoted = std::string_view(text).substr(open + 1, close - open - 1);
        made += cut(quoted, quoted_at_most);
        made += quoted.size() > quoted_at_most ? "..`" : "`";
        i = close + 1;
    }
    if (made.size() > text_at_most) made = std::string(cut(made, text_at_most)) + " ..";
    return made;
}

}  // namespace

DiagnosticBuilder& DiagnosticBuilder::primary(std::string text) {
    if (diagnostic_) diagnostic_->primary_label = shortened(std::move(text));
    return *this;
}

DiagnosticBuilder& DiagnosticBuilder::label(Span span, std::string text) {
    if (diagnostic_ && is_known(span) && diagnostic_->labels.size() < labels_at_most)
        diagnostic_->labels.push_back({span, shortened(std::move(text))});
    return *this;
}

DiagnosticBuilder& DiagnosticBuilder::help(std::string text) {
    if (diagnostic_ && diagnostic_->remarks.size() < remarks_at_most)
        diagnostic_->remarks.push_back({Remark::Kind::help, shortened(std::move(text))});
    return *this;
}

DiagnosticBuilder& DiagnosticBuilder::note(std::string text) {
    if (diagnostic_ && diagnostic_->remarks.size() < remarks_at_most)
        diagnostic_->remarks.push_back({Remark::Kind::note, shortened(std::move(text))});
    return *this;
}

DiagnosticBuilder& DiagnosticBuilder::moment(Span span, std::string who, std::string text) {
    if (diagnostic_ && diagnostic_->timeline.size() < moments_at_most) {
        diagnostic_->timeline.push_back(
            {span, shortened(std::move(who)), shortened(std::move(text))});
    }
    return *this;
}

DiagnosticBuilder& DiagnosticBuilder::fix(Span span, std::string text, std::string help_text) {
    if (diagnostic_) diagnostic_->fix.push_back({span, std::move(text)});
    return help_text.empty() ? *this : help(std::move(help_text));
}

std::vector<const Diagnostic*> Diagnostics::in_order() const {
    std::vector<const Diagnostic*> order;
    order.reserve(all_.size());
    for (const Diagnostic& d : all_) order.push_back(&d);
    std::stable_sort(order.begin(), order.end(), [](const Diagnostic* a, const Diagnostic* b) {
        const bool a_known = is_known(a->span), b_known = is_known(b->span);
        if (a_known != b_known) return a_known;
        return std::tie(a->span.file, a->span.begin) < std::tie(b->span.file, b->span.begin);
    });
    return order;
}

void Diagnostics::take(const Diagnostics& other, const std::string& note) {
    for (const Diagnostic& d : other.all_) {
        DiagnosticBuilder made = add(d.severity, d.code, d.name, d.span, d.message);
        if (made.diagnostic_ == nullptr) continue;
        *made.diagnostic_ = d;
        if (!note.empty()) made.note(note);
    }
}

DiagnosticBuilder Diagnostics::add(Severity severity, int code, std::string_view name, Span span,
                                   std::string message) {
    message = shortened(std::move(message));
    if (severity == Severity::error) ++repeated_error_count_;
    if (!known_.emplace(code, span.file, span.begin, span.end, message).second)
        return DiagnosticBuilder(nullptr);
    if (severity == Severity::error && ++error_count_ > error_limit)
        return DiagnosticBuilder(nullptr);
    if (severity == Severity::error) ++kept_errors_;
    all_.push_back({severity, code, name, span, std::move(message), {}, {}, {}, {}, {}});
    return DiagnosticBuilder(&all_.back());
}

}  // namespace tkc
