// The special cases that make a syntax error readable, most telling first, the general one last.
#include "frontend/parse/syntax_error.h"

#include <algorithm>

#include "base/spelling.h"
#include "frontend/parse/syntax_habits.h"
#include "frontend/parse/syntax_words.h"

namespace tkc {
namespace {

using namespace syntax;

class Reporter {
public:
    Reporter(const TokenList& list, const SyntaxError& error, Diagnostics& diag)
        : list_(list), error_(error), diag_(diag), found_(error.found) {}

    void run() {
        if (comment()) return;
        if (stray_word()) return;
        if (unmatched_closer() || unclosed() || misplaced_item() || wrong_first_word() ||
            reserved_word() || bare_consume() || condition_operator() || assignment_inside() ||
            expression_statement() || semicolon()) {
            return;
        }
        general();
    }

private:
    // ---- small questions ----

    bool expects(std::string_view token) const {
        return std::find(error_.expected.begin(), error_.expected.end(), token) !=
               error_.expected.end();
    }
    std::string_view text() const { return list_.text(found_); }
    std::string_view previous() const { return found_ == 0 ? "" : list_.text(found_ - 1); }
    TokenKind kind() const { return list_.tokens[found_].kind; }
    bool at_end() const { return kind() == TokenKind::End; }
    std::string_view rule(std::size_t up = 0) const {
        return up < error_.rules.size() ? error_.rules[error_.rules.size() - 1 - up].name : "";
    }
    bool inside(std::string_view name) const {
        return std::any_of(error_.rules.begin(), error_.rules.end(),
                           [&](auto& r) { return r.name == name; });
    }
    bool is_word() const {
        return kind() == TokenKind::Keyword || (kind() != TokenKind::Sign && is_letter(text()));
    }

    // The caret for a missing token is after the token before it.
    Span after_previous() const {
        if (found_ == 0) return list_.span(found_);
        std::uint32_t end = list_.tokens[found_ - 1].end;
        return {list_.file, end, end};
    }
    Span place() const { return at_end() ? after_previous() : list_.span(found_); }

    std::string found_words() const {
        if (at_end()) return "the end of the file";
        if (kind() == TokenKind::Keyword) return fmt::format("the reserved word `{}`", text());
        if (text().size() > 24) return fmt::format("`{}..`", text().substr(0, 24));
        return fmt::format("`{}`", text());
    }

    // The innermost bracket that is open before the token found; no_token if there is none.
    std::uint32_t open_bracket() const {
        for (std::size_t i = found_; i-- > 0;) {
            if (list_.starts_declaration(i)) break;
            std::uint32_t partner = list_.partner[i];
            bool opens =
                list_.tokens[i].kind == TokenKind::Sign && one_of(list_.text(i), {"(", "[", "{"});
            if (opens && (partner == no_token || partner >= found_))
                return static_cast<std::uint32_t>(i);
        }
        return no_token;
    }

    // ---- comments ----

    // `role a(1 warp) // text`: `//` cannot be here, or two words follow it without an operator.
    bool comment() {
        const bool itself = text() == "//";
        const std::uint32_t sign =
            itself ? static_cast<std::uint32_t>(found_) : floor_sign_before(list_, found_);
        if (sign == no_token) return false;
        const bool words = is_word() && is_letter(previous());
        const bool starts = found_ == sign + 1 && !list_.starts_line(found_);
        if (!itself && !words && !starts) return false;
        report_comment(list_, sign, diag_);
        return true;
    }

    // ---- brackets ----

    bool unmatched_closer() {
        if (kind() != TokenKind::Sign || !one_of(text(), {")", "]", "}"}) ||
            list_.partner[found_] != no_token)
            return false;
        std::uint32_t open = open_bracket();
        const bool closed = open != no_token && list_.partner[open] != no_token;
        if (open != no_token && !list_.is(open, "{") && !closed)
            return false;  // `f(x]`: the other one is missing
        auto error = diag_.error(list_.span(found_), msg::unmatched_closer, text());
        if (error_.rules.empty() && text() == "}") label_early_closer(error);
        return true;
    }

    // Which `}` closed the declaration that was over too early: one that is indented otherwise than
    // what it closes, else the last one.
    void label_early_closer(DiagnosticBuilder& error) {
        for (std::size_t i = first_of_declaration(); i < found_; ++i) {
            if (!closes_a_line(i)) continue;
            std::uint32_t opener = list_.partner[i];
            if (list_.indent(i) == list_.indent(opener_start(opener))) continue;
            error.label(list_.span(i), "this closes {}, which is indented differently",
                        opener_words(opener));
            return;
        }
        if (previous() != "}" || list_.partner[found_ - 1] == no_token) return;
        error.label(list_.span(found_ - 1), "this closes {}",
                    opener_words(list_.partner[found_ - 1]));
    }

    bool unclosed() {
        std::uint32_t open = open_bracket();
        if (open == no_token) return false;
        bool brace = list_.is(open, "{");
        bool ends = at_end() || list_.starts_declaration(found_);
        if (!brace) {
            std::string_view closer = list_.is(open, "(") ? ")" : "]";
            bool stops = ends || one_of(text(), {";", "{", "}", ")", "]", "->"});
            if (!stops || !expects(closer)) return false;
            auto error = diag_.error(place(), msg::unclosed_bracket, closer, found_words());
            error.label(list_.span(open), "`{}` is opened here", list_.text(open));
            // `f(x];` lacks more than one.
            bool lone = one_of(text(), {")", "]", "}"}) && list_.partner[found_] == no_token;
            if (!lone && !ends) error.fix(after_previous(), std::string(closer));
            return true;
        }
        bool kernel_item =
            kind() == TokenKind::Keyword && one_of(text(), {"role", "grid", "pipeline", "space"});
        bool lost_else = text() == "else" && list_.is(opener_start(open), "if");
        bool in_block = inside("block") && expects("}");
        if (!ends && !(in_block && (kernel_item || lost_else))) return false;
        if (!ends && kernel_item && balanced()) {
            bool chosen = list_.is(opener_start(open), "if") && !inside("role");
            diag_.error(list_.span(found_), msg::unknown_statement, text())
                .help(chosen ? "write the `if` inside the roles: an instance drops roles without "
                               "statements, and pipelines that no role uses"
                             : "it belongs to the kernel, outside its roles");
            return true;
        }
        if (std::uint32_t culprit = badly_indented(); culprit != no_token) open = culprit;
        auto line = fmt::format("{}", line_of(open));
        auto error = diag_.error(place(), msg::unclosed_brace, opener_words(open), line);
        error.label(list_.span(open), "this `{` is not closed");
        if (ends && expects("}") && is_last_brace(open)) error.fix(after_previous(), "\n}");
        return true;
    }

    // Whether every brace of the declaration has its partner.
    bool balanced() const {
        std::size_t i = first_of_declaration();
        const std::size_t end = list_.next_declaration(std::max(i + 1, std::size_t{found_}));
        for (; i < end; ++i) {
            if (list_.is(i, "{") && list_.partner[i] == no_token) return false;
        }
        return true;
    }

    // A `}` that is first on its line and closes something that began on another.
    bool closes_a_line(std::size_t i) const {
        if (!list_.is(i, "}") || list_.partner[i] == no_token || !list_.starts_line(i))
            return false;
        return line_of(list_.partner[i]) != line_of(i);
    }

    // The first block that was closed by a brace indented less than what opened it: that brace was
    // meant for something else.
    std::uint32_t badly_indented() const {
        for (std::size_t i = first_of_declaration(); i < found_; ++i) {
            if (!closes_a_line(i)) continue;
            std::uint32_t opener = list_.partner[i];
            if (list_.indent(i) < list_.indent(opener_start(opener))) return opener;
        }
        return no_token;
    }

    // Whether all blocks inside of a declaration are closed where they should be, so that only the
    // brace of the declaration itself can be what is missing.
    bool is_last_brace(std::size_t open) const {
        if (!list_.starts_declaration(opener_start(open)) || previous() == "{") return false;
        for (std::size_t i = open + 1; i < found_; ++i) {
            if (list_.is(i, "{") && list_.partner[i] == no_token) return false;
            if (!closes_a_line(i)) continue;
            if (list_.indent(i) != list_.indent(opener_start(list_.partner[i]))) return false;
            if (list_.indent(i) == 0) return false;
        }
        return true;
    }

    std::size_t first_of_declaration() const {
        std::size_t i = found_ == 0 ? 0 : found_ - 1;
        while (i > 0 && !list_.starts_declaration(i)) --i;
        return i;
    }

    std::size_t line_of(std::size_t i) const {
        auto end = list_.source.begin() + list_.tokens[i].begin;
        return static_cast<std::size_t>(std::count(list_.source.begin(), end, '\n')) + 1;
    }

    // The first token of what a `{` belongs to.
    std::size_t opener_start(std::size_t brace) const {
        std::size_t first = brace;
        while (first > 0 && !list_.starts_declaration(first)) {
            std::size_t before = first - 1;
            if (one_of(list_.text(before), {";", "{", "}"})) break;
            bool closer =
                one_of(list_.text(before), {")", "]"}) && list_.partner[before] != no_token;
            first = closer ? list_.partner[before] : before;
        }
        return first;
    }

    // "`role producer`", "`for`": the words that a block belongs to.
    std::string opener_words(std::size_t brace) const {
        std::size_t first = opener_start(brace);
        if (first == brace) return "the block";
        bool named = one_of(list_.text(first),
                            {"kernel", "fn", "struct", "entry", "reference", "test", "megakernel",
                             "op", "partition", "role", "pipeline", "produce", "consume"});
        if (named && first + 1 < brace) {
            return fmt::format("`{} {}`", list_.text(first), list_.text(first + 1));
        }
        return fmt::format("`{}`", list_.text(first));
    }

    // ---- wrong words ----

    bool misplaced_item() {
        if (!error_.rules.empty()) return false;  // inside of a declaration
        bool item = kind() == TokenKind::Partition || kind() == TokenKind::Shared ||
                    kind() == TokenKind::Scratch;
        item |= kind() == TokenKind::Keyword &&
                std::find(suggested_declarations.begin(), suggested_declarations.end(), text()) ==
                    suggested_declarations.end();
        if (!item) return false;
        auto error = diag_.error(list_.span(found_), msg::misplaced_item, text());
        if (one_of(text(), {"let", "var"})) error.help(std::string(constants_help));
        label_early_closer(error);
        return true;
    }

    bool wrong_first_word() {
        if (error_.rules.empty()) {
            auto error =
                is_word()
                    ? diag_.error(list_.span(found_), msg::unknown_declaration, text())
                    : diag_.error(place(), msg::expected_token, "a declaration", found_words());
            suggest(error, found_, suggested_declarations);
            return true;
        }
        bool start = rule() == "stmt" || rule() == "kitem" || rule() == "block" ||
                     rule() == "kernel" || rule() == "simple";
        if (!start) return false;
        std::size_t first = rule() == "simple" ? error_.rules.back().first_token : found_;
        std::string_view word = list_.text(first);
        bool two_words =
            rule() == "simple" && found_ == first + 1 && is_word() && !list_.starts_line(found_);
        bool foreign = rule() == "simple" && !habit(word).empty();
        if (!is_letter(word) || !(two_words || foreign)) return false;
        auto error = diag_.error(list_.span(first), msg::unknown_statement, word);
        Words words = statement_words;
        words.insert(words.end(), kernel_words.begin(), kernel_words.end());
        suggest(error, first, words);
        return true;
    }

    void suggest(DiagnosticBuilder& error, std::size_t token, const Words& words) {
        std::string_view word = list_.text(token);
        if (error_.rules.empty() && one_of(word, {"const", "constexpr", "define"})) {
            error.help(std::string(constants_help));
        } else if (error_.rules.empty() && one_of(word, {"export", "public", "pub", "static"})) {
            error.help("remove the keyword: every kernel and entry has a launcher");
        } else if (std::string_view hint = habit(word); !hint.empty()) {
            error.help(std::string(hint));
        } else if (std::string_view near = nearest(word, words); !near.empty()) {
            error.help("did you mean `{}`?", near);
            if (near == only_slip(word, words)) error.fix(list_.span(token), std::string(near));
        } else if (dtype_like(word)) {
            error.help("declare a variable with `let x: {} = ..;`, or `var` if it changes", word);
        } else if (error_.rules.empty()) {
            error.help("a file holds {}", list_words(words));
        }
    }

    static bool dtype_like(std::string_view word) {
        return one_of(
            word, {"f16", "bf16", "f32", "f64", "i8", "i16", "i32", "i64", "u8", "u32", "bool"});
    }

    static std::string list_words(const Words& words) {
        std::string out;
        for (std::size_t i = 0; i < words.size(); ++i) {
            out += i == 0 ? "" : i + 1 == words.size() ? " and " : ", ";
            out += fmt::format("`{}`", words[i]);
        }
        return out;
    }

    // In `for k in K BK {` and `a: bf16[M] b: ..` the grammar takes a name for a word with
    // arguments and stops after it; the name is what is wrong.
    bool stray_word() {
        std::string_view name = rule();
        bool second = !error_.rules.empty() && found_ == error_.rules.back().first_token + 1;
        if (!second || !one_of(name, {"forWord", "packed", "per"})) return false;
        std::string_view word = previous();
        if (one_of(word, {"pipelined", "packed", "per"})) return false;
        SyntaxError again = error_;
        --again.found;
        again.rules.pop_back();
        if (name == "packed") again.rules.pop_back();
        std::string_view owner = again.rules.empty() ? "" : again.rules.back().name;
        if (name == "forWord") again.expected = {"by", "pipelined", "{"};
        else if (name == "per") again.expected = {"per", ":", "{"};
        else if (owner == "let" || owner == "sharedVar") again.expected = {"="};
        else if (one_of(owner, {"kparam", "fparam"})) again.expected = {",", ")"};
        else if (owner == "result") again.expected = {"{"};
        else again.expected = {";"};
        Reporter(list_, again, diag_).run();
        return true;
    }

    bool reserved_word() {
        bool wants_name = expects("NAME") && !expects("INT") && !expects(text());
        bool is_parameter = found_ + 1 < list_.tokens.size() && list_.is(found_ + 1, ":") &&
                            one_of(previous(), {"(", ","});
        if (kind() != TokenKind::Keyword || !(wants_name || is_parameter)) return false;
        if (list_.starts_line(found_) && !is_parameter) return false;
        if (rule() == "kitem" || rule() == "block" || rule() == "stmt") return false;
        bool needs_more = found_ + 1 < list_.tokens.size() &&
                          one_of(list_.text(found_ + 1),
                                 {":", "=", "(", "[", ",", ")", "in", "{", ".", "<", ";"});
        if (!needs_more) return false;
        std::string_view what = one_of(rule(), {"suffix"}) ? "the name of a member" : "a name";
        diag_.error(list_.span(found_), msg::reserved_word, text(), what);
        return true;
    }

    bool bare_consume() {
        if (rule() != "consumeStmt" || text() != ";") return false;
        std::size_t first = error_.rules.back().first_token;
        std::string_view pipe = list_.text(first + 1);
        diag_.error(list_.span(first, found_ - 1), msg::bare_consume, pipe)
            .help(
                "give it a name, `let x = consume {};`, or open a block, `consume {} as x {{ .. "
                "}}`",
                pipe, pipe);
        return true;
    }

    // ---- operators ----

    bool condition_operator() {
        bool doubled = list_.touches(found_) && previous() == text() && one_of(text(), {"&", "|"});
        if (!doubled) return false;
        std::string both = fmt::format("{}{}", text(), text());
        std::string word = text() == "&" ? "and" : "or";
        Span span = list_.span(found_ - 1, found_);
        auto error = diag_.error(span, msg::condition_operator, both, word);
        if (list_.touches(found_ - 1)) word = " " + word;
        if (found_ + 1 < list_.tokens.size() && list_.touches(found_ + 1)) word += " ";
        error.fix(span, word);
        return true;
    }

    bool assignment_inside() {
        if (text() != "=" || expects("=") || error_.rules.empty()) return false;
        if (expects("NAME") && !expects("INT")) return false;
        if (!one_of(rule(), {"block", "expr", "ifExpr", "primary", "kernel", "entry", "let",
                             "simple", "produce", "elsePart", "fieldValue", "returnStmt",
                             "structValue", "ifStmt", "suffix"})) {
            return false;
        }
        auto error = diag_.error(list_.span(found_), msg::assign_in_expression);
        if (rule() == "simple" || rule() == "let") error.help("assign to one variable at a time");
        else error.help("write `==` to compare");
        if (one_of(rule(), {"ifStmt", "elsePart"})) error.fix(list_.span(found_), "==");
        return true;
    }

    bool expression_statement() {
        static const Words operators{"+",  "-",  "*",  "/", "//", "%", "@",  "<",  "<=",  ">",
                                     ">=", "==", "!=", "&", "|",  "^", "<<", ">>", "and", "or"};
        if (rule() != "simple" || !one_of(text(), operators)) return false;
        std::size_t first = error_.rules.back().first_token;
        std::string target(list_.source.substr(
            list_.tokens[first].begin, list_.tokens[found_ - 1].end - list_.tokens[first].begin));
        std::string_view next = list_.text(std::min(found_ + 1, list_.tokens.size() - 1));
        std::size_t last = found_;  // to the end of the statement
        while (last + 1 < list_.tokens.size() && !list_.starts_line(last + 1) &&
               !one_of(list_.text(last + 1), {";", "}", "{", ""})) {
            ++last;
        }
        auto error = diag_.error(list_.span(first, last), msg::expression_statement);
        if (text() == "==") error.help("write `{} = ..;` to assign", target);
        else if (next == text() && one_of(text(), {"+", "-"})) {
            error.help("write `{} {}= 1;`", target, text());
            if (last == found_ + 1)
                error.fix(list_.span(found_, last), fmt::format(" {}= 1", text()));
        } else if (next == "=") {
            error.help("write `{} = {} {} ..;`", target, target, text());
        } else if (one_of(text(), {"+", "-", "*", "/"})) {
            error.help("write `{} {}= ..;` to change `{}`", target, text(), target);
        }
        return true;
    }

    // ---- what is missing ----

    std::string statement_words_of(std::string_view name) const {
        if (name == "let")
            return fmt::format("the `{}`", list_.text(error_.rules.back().first_token));
        if (name == "sharedVar") return "the `shared` tile";
        if (name == "returnStmt") return "the `return`";
        if (name == "grid") return "the `grid`";
        if (name == "space") return "the `space`";
        if (name == "pipeline") return "the `pipeline`";
        if (name == "instance") return "the `instance`";
        if (name == "importDecl") return "the `import`";
        if (name == "externFn") return "the `extern` function";
        std::uint32_t open = open_bracket();
        bool in_braces = open != no_token && open > error_.rules.back().first_token;
        if (name == "field" || (name == "produce" && in_braces)) return "the field";
        if (name == "produce") return "the `produce`";
        if (name == "testItem")
            return list_.is(error_.rules.back().first_token, "expect") ? "the `expect`"
                                                                       : "the binding";
        return "the statement";
    }

    bool semicolon() {
        bool statement = kind() == TokenKind::Keyword || list_.starts_line(found_) || at_end() ||
                         text() == "}" || kind() == TokenKind::Shared ||
                         kind() == TokenKind::Scratch || text() == "expect";
        if (!expects(";") || !statement) return false;
        if (rule() == "simple" && one_of(text(), {"else", "in", "by", "as"})) return false;
        auto error =
            diag_.error(after_previous(), msg::missing_semicolon, statement_words_of(rule()));
        if (help_with_habit(list_, found_, no_token, error)) return true;
        // `let x = a // text`
        const std::uint32_t sign = floor_sign_before(list_, found_ == 0 ? 0 : found_ - 1);
        if (sign == no_token || !list_.starts_line(found_)) error.fix(after_previous(), ";");
        else error.help("`//` after an operand divides; put a comment after the `;`");
        return true;
    }

    // ---- the general case ----

    std::string expected_words() const {
        std::vector<std::string> words;
        bool expression = expects("INT") && expects("NAME");
        bool statement = expects("let") && expects("return");
        bool items = error_.expected.size() == 1 && expects("}");
        if (items && one_of(rule(), {"block"})) words.emplace_back("a statement");
        else if (items && one_of(rule(), {"kernel", "partition", "op"})) {
            words.emplace_back("an item of the kernel");
        } else if (items && one_of(rule(), {"structDecl", "pipeline", "produce"})) {
            words.emplace_back("a field");
        } else if (items && rule() == "test") {
            words.emplace_back("a binding, `for`, `expect`");
        } else if (expects(")") && !expression && previous() == "(") {
            words.emplace_back("a parameter");
        }
        if (statement) words.emplace_back("a statement");
        else if (expression && rule() == "sub") words.emplace_back("a position or a slice");
        else if (expression) words.emplace_back("an expression");
        static const Words starts{
            "NAME",     "INT",   "FLOAT",   "STRING", "true",   "false",     "inf",
            "(",        "-",     "~",       "not",    "if",     "consume",   "let",
            "var",      "for",   "produce", "return", "SHARED", "PARTITION", "grid",
            "pipeline", "space", "role",    "INOUT",  ":",      "REVERSED",  "["};
        static const Words unsaid{"INOUT",   "REVERSED", "HINT",    "HINT_OF",
                                  "GENERIC", "SHARED",   "SCRATCH", "EXPECT_THAT"};
        bool arguments = expression && expects("INOUT");
        for (const std::string& token : error_.expected) {
            if ((expression || statement) && one_of(token, starts)) continue;
            if (expression && token == "{") continue;  // a struct value, which nobody misses
            if (rule() == "kparam" && token == "[") continue;  // counters only
            if (rule() == "let" && token == "=" && found_ == error_.rules.back().first_token + 2) {
                words.emplace_back("`:`");
            }
            if (token == "NAME") words.emplace_back("a name");
            else if (token == "STRING") words.emplace_back("a string");
            else if (token == "SCHEDULE") words.emplace_back("`schedule`");
            else if (token == "OP") words.emplace_back("`op`");
            else if (token == "EXPECT") words.emplace_back("`expect`");
            else if (token == "FROM") words.emplace_back("`from \"file.cuh\"`");
            else if (!one_of(token, unsaid)) words.push_back(fmt::format("`{}`", token));
        }
        bool listing =
            (expects(")") && one_of(rule(), {"suffix", "kernel", "entry", "function", "grid",
                                             "space", "reference", "forStmt", "externFn", "op"})) ||
            (expects("]") && one_of(rule(), {"suffix", "type", "kparam", "list"})) ||
            (expects(">") && one_of(rule(), {"consts", "suffix", "type", "instance"}));
        if (listing && !expression && !arguments && !expects(",") && previous() != "(")
            words.insert(words.begin(), "`,`");
        std::string out;
        for (std::size_t i = 0; i < words.size(); ++i) {
            out += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
        }
        return out.empty() ? "something else" : out;
    }

    void general() {
        std::string expected = expected_words();
        if (after_reference()) expected = "`within`";
        if (expected == "`;`") expected = "`;` after " + statement_words_of(rule());
        auto error = diag_.error(place(), msg::expected_token, expected, found_words());
        if (!help_with_habit(list_, found_, inside("suffix") ? open_bracket() : no_token, error))
            help(error);
    }

    // `expect Y ~ reference;`
    bool after_reference() const {
        return previous() == "reference" && inside("testItem") && text() == ";";
    }

    void help(DiagnosticBuilder& error) {
        bool is_name = kind() == TokenKind::Name;
        static const Words hints{"multicast", "allow_foreign", "evict_first", "evict_last"};
        const bool constant = inside("consts") || inside("cargs") || inside("instance");
        if (constant && one_of(text(), {"==", "!=", "<", "<=", ">=", "and", "or", "not"})) {
            error.help("between `<` and `>`, a condition needs parentheses: `(a == b)`");
        } else if (previous() == "," && one_of(text(), {")", "]", ">"})) {
            error.help("a list has no `,` after its last item");
            error.fix(list_.span(found_ - 1), "");
        } else if (text() == "else") {
            error.help("`else` follows the `}` of its `if`");
        } else if (text() == "." && previous() == "..") {
            error.help("a range is written `a..b`, its end excluded");
        } else if (is_name && previous() == ")" && !nearest(text(), hints).empty()) {
            error.help("did you mean the hint `{}`?", nearest(text(), hints));
            if (std::string_view slip = only_slip(text(), hints); !slip.empty())
                error.fix(list_.span(found_), std::string(slip));
        } else if (inside("kparam") && previous() == "[" && text() == "]") {
            error.help("a scalar in memory is a tensor of one element: `T[1]`");
        } else if (is_name && one_of(text(), hints)) {
            error.help("`{0}` goes after the `)` of a load or store: `load(..) {0}`", text());
        } else if (is_name && text() == "where" && expects("{")) {
            error.help("conditions of a kernel go after `requires`");
            error.fix(list_.span(found_), "requires");
        } else if (expects("=") && text() == "==") {
            error.help("`==` compares; write `=`");
            error.fix(list_.span(found_), "=");
        } else if (expects("=") && text() == "," && rule() == "let") {
            error.help("a `let` or `var` names one value: write one for each");
        } else if (text() == "[" && previous() == "~" && inside("testItem")) {
            error.help(std::string(expected_values_help));
        } else if (expects("=") && text() == ";" && one_of(rule(), {"let"})) {
            error.help("a variable needs an initial value, for example `= 0`");
        } else if ((expects("in") && text() == "=") ||
                   (rule() == "forStmt" && one_of(text(), {"=", ";"}))) {
            error.help("a loop is written `for k in a..b by n { .. }`");
        } else if (text() == "if" && expects("INT")) {
            error.help("as an operand, an `if` needs parentheses");
        } else if (text() == "in" && rule() == "forStmt") {
            error.help("a loop over a range has no parentheses; `for (i, j) in s` needs a `space`");
        } else if (rule() == "role" && expects("(") && text() == "{") {
            error.help("a role needs a width, for example `(1 warp)` or `(2 warpgroups)`");
        } else if (expects("{") && one_of(rule(), {"block"})) {
            error.help("the body needs braces");
        } else if (after_reference()) {
            error.help("state how far the results may differ: `within 1e-2`, or `within 0`");
        } else if (rule() == "reference" && expects("(") && previous() == "->" && is_name) {
            error.help("results need parentheses: `-> ({})`", text());
        } else if (text() == "*" && previous() == "*") {
            error.help("there is no `**`: write `x * x`, `pow(x, 3)`, or `pow(x, y)` of x >= 0");
        } else if (expects(":") && one_of(rule(), {"kparam", "fparam"})) {
            error.help("a parameter is written `name: type`");
        }
    }

    const TokenList& list_;
    const SyntaxError& error_;
    Diagnostics& diag_;
    std::size_t found_;
};

}  // namespace

void report_syntax_error(const TokenList& list, const SyntaxError& error, Diagnostics& diag) {
    Reporter(list, error, diag).run();
}

}  // namespace tkc
