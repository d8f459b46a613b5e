// Parses modules, by reflection: the members of a struct say what may follow its kind.
#include "ir/parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "ir/parse_tokens.h"
#include "ir/reflect.h"

namespace tkc::ir {

namespace {

constexpr int brace_limit = 200;

class Parser {
public:
    Parser(std::string_view text, std::uint32_t file) : tokens_(text, file) {}

    std::optional<Module> module(ParseError& error) {
        Module m;
        tokens_.expect(Module::kind);
        parse_struct(any_struct(m), 0);
        if (!tokens_.at_end()) tokens_.fail_expected("the end of the text");
        if (!tokens_.failed()) return m;
        error = tokens_.error();
        return std::nullopt;
    }

private:
    // What follows the kind: members, then lists and blocks in braces. Returns the span of the
    // line, from `begin` to its last member.
    Span parse_struct(AnyStruct s, std::uint32_t begin) {
        if (s.as<Role>() != nullptr) values_.clear();
        parse_members(s);
        const Span line = tokens_.span_from(begin);
        if (Span* const span = s.span()) *span = line;
        if (++nesting_ > brace_limit) tokens_.fail("braces are nested too deeply");
        if (tokens_.token().is("{")) {
            const bool nests = s.info->has(MemberType::block) || s.info->has(MemberType::list);
            if (!nests) tokens_.fail(fmt::format("nothing is nested in `{}`", s.info->kind));
            parse_braces(s);
            while (parse_later_block(s)) {}
        }
        --nesting_;
        return line;
    }

    template <class T>
    static constexpr bool is_nested = std::is_same_v<T, Block> || std::is_same_v<T, AnyList>;

    // The members that are on the line, for messages.
    static std::string member_names(const StructInfo& info) {
        std::string names;
        for (const MemberInfo& m : info.members) {
            if (m.type == MemberType::block || m.type == MemberType::list) continue;
            names += fmt::format("{}`{}`", names.empty() ? "" : ", ", m.name);
        }
        return names.empty() ? "none" : names;
    }

    void parse_members(AnyStruct s) {
        std::set<std::string_view> seen;
        while (tokens_.token().kind == Token::Kind::identifier && tokens_.peek().is("=")) {
            const std::string_view wanted = tokens_.token().text;
            bool known = false;
            for_each_member(s, [&](std::string_view name, auto& member) {
                if constexpr (!is_nested<std::decay_t<decltype(member)>>) {
                    if (known || name != wanted) return;
                    known = true;
                    if (!seen.insert(name).second) {
                        tokens_.fail(fmt::format("`{}` is given twice", name));
                    }
                    tokens_.advance();
                    tokens_.advance();
                    parse_value(member);
                }
            });
            if (!known) {
                tokens_.fail(fmt::format("`{}` has no member `{}`; its members are: {}",
                                         s.info->kind, wanted, member_names(*s.info)));
            }
        }
    }

    // Lists and the first block.
    void parse_braces(AnyStruct s) {
        tokens_.expect("{");
        while (!tokens_.at_end() && !tokens_.token().is("}")) {
            bool taken = false;
            bool block_seen = false;
            for_each_member(s, [&](std::string_view, auto& member) {
                using T = std::decay_t<decltype(member)>;
                if (taken) return;
                if constexpr (std::is_same_v<T, Block>) {
                    if (!block_seen) taken = parse_op(member);
                    block_seen = true;
                } else if constexpr (std::is_same_v<T, AnyList>) {
                    taken = parse_item(member);
                }
            });
            if (!taken) tokens_.fail_expected(nested_names(*s.info) + " or `}`");
        }
        tokens_.expect("}");
    }

    static std::string nested_names(const StructInfo& info) {
        std::string names;
        const auto add = [&](std::string text) { names += (names.empty() ? "" : ", ") + text; };
        bool block_seen = false;
        for (const MemberInfo& m : info.members) {
            if (m.type == MemberType::block && !std::exchange(block_seen, true)) {
                add("an operation");
            } else if (m.type == MemberType::list) {
                add(fmt::format("`{}`", m.list->item->kind));
            }
        }
        return names;
    }

    // `name { .. }` after the first braces.
    bool parse_later_block(AnyStruct s) {
        if (tokens_.token().kind != Token::Kind::identifier || !tokens_.peek().is("{"))
            return false;
        bool taken = false;
        bool first = true;
        for_each_member(s, [&](std::string_view name, auto& member) {
            if constexpr (std::is_same_v<std::decay_t<decltype(member)>, Block>) {
                if (std::exchange(first, false) || taken || name != tokens_.token().text) return;
                taken = true;
                if (!member.empty()) tokens_.fail(fmt::format("`{}` is given twice", name));
                tokens_.advance();
                tokens_.expect("{");
                while (!tokens_.at_end() && !tokens_.token().is("}")) {
                    if (!parse_op(member)) tokens_.fail_expected("an operation or `}`");
                }
                tokens_.expect("}");
            }
        });
        return taken;
    }

    bool parse_item(const AnyList& list) {
        if (!tokens_.token().is(list.info->item->kind)) return false;
        const std::uint32_t begin = tokens_.token().begin;
        tokens_.advance();
        const auto id = static_cast<std::uint32_t>(list.size());
        const AnyStruct item = list.append();
        parse_struct(item, begin);
        if (const auto* value = item.as<ValueInfo>()) {
            if (!values_.emplace(value->name, Value{id}).second) {
                tokens_.fail(fmt::format("the role has two values `%{}`", value->name));
            }
        }
        return true;
    }

    bool parse_op(Block& block) {
        if (tokens_.token().kind != Token::Kind::identifier) return false;
        std::optional<Op> op = make_op(tokens_.token().text);
        if (!op) return false;
        const std::uint32_t begin = tokens_.token().begin;
        tokens_.advance();
        op->span = parse_struct(any_struct(*op), begin);
        block.push_back(std::move(*op));
        return true;
    }

    void parse_value(std::string& s) { s = tokens_.quoted(); }
    void parse_value(std::int64_t& n) { n = tokens_.integer(); }
    void parse_value(Scalar& s) { s = parse_expression(tokens_); }
    void parse_value(bool& b) {
        if (tokens_.accept("true")) b = true;
        else if (tokens_.accept("false")) b = false;
        else tokens_.fail_expected("`true` or `false`");
    }
    void parse_value(Dtype& d) {
        const std::optional<Dtype> found = find_dtype(tokens_.token().text);
        if (!found) return tokens_.fail_expected("a data type");
        d = *found;
        tokens_.advance();
    }
    void parse_value(Value& v) {
        Token at = tokens_.token();
        const std::string name = tokens_.value_name();
        const auto found = values_.find(name);
        at.text = "%";
        if (found != values_.end()) v = found->second;
        else tokens_.fail(fmt::format("the role has no value `%{}`", name), at);
    }
    void parse_value(TileType& t) {
        parse_value(t.dtype);
        tokens_.expect("[");
        t.rows = tokens_.integer();
        tokens_.expect(",");
        t.cols = tokens_.integer();
        tokens_.expect("]");
        t.space = tokens_.accept("shared") ? Space::shared : Space::registers;
    }
    void parse_value(Layout& layout) {
        bool any = false;
        while (std::vector<LayoutMode>* const level = level_of(layout, tokens_.token().text)) {
            if (!tokens_.peek().is("(")) break;  // a member of this name follows
            if (!level->empty()) tokens_.fail("the level is given twice");
            any = true;
            tokens_.advance();
            tokens_.expect("(");
            do {
                parse_value(level->emplace_back());
            } while (tokens_.accept(","));
            tokens_.expect(")");
        }
        if (!any) tokens_.fail_expected("a level of a layout, such as `lane(col 4 2, row 8 1)`");
    }
    void parse_value(LayoutMode& mode) {
        if (tokens_.accept("row")) mode.axis = Axis::row;
        else if (tokens_.accept("col")) mode.axis = Axis::col;
        else return tokens_.fail_expected("`row` or `col`");
        mode.extent = tokens_.integer();
        mode.stride = tokens_.integer();
    }
    void parse_value(Type& t) {
        if (tokens_.accept("element")) {
            tokens_.expect("<");
            t = ElementType{tokens_.identifier("the name of a pipeline")};
            tokens_.expect(">");
        } else if (find_dtype(tokens_.token().text)) {
            TileType tile;
            parse_value(tile);
            t = tile;
        } else {
            tokens_.fail_expected("a type");
        }
    }
    void parse_value(Slice& s) {
        s.tensor = tokens_.identifier("a slice, such as `A[m +: 64, k]`");
        tokens_.expect("[");
        parse_list(s.ranges);
    }
    void parse_value(Range& r) {
        if (tokens_.accept(":")) {
            r = Range{Range::Kind::whole, integer(0), tokens_.integer()};
            return;
        }
        const bool gather = tokens_.accept("{");
        Scalar base = parse_expression(tokens_);
        if (gather) tokens_.expect("}");
        if (gather) tokens_.expect("+:");
        if (gather || tokens_.accept("+:")) {
            const Range::Kind kind = gather ? Range::Kind::gather : Range::Kind::span;
            r = Range{kind, std::move(base), tokens_.integer()};
            if (tokens_.accept("before")) r.edge = parse_expression(tokens_);
        } else {
            r = Range{Range::Kind::index, std::move(base), 1};
        }
    }
    void parse_value(const AnyEnum& e) {
        std::string names;
        for (std::uint8_t i = 0; !e.name(i).empty(); ++i) {
            if (tokens_.accept(e.name(i))) {
                *e.place = i;
                return;
            }
            names += fmt::format("{}`{}`", names.empty() ? "" : ", ", e.name(i));
        }
        tokens_.fail_expected("one of " + names);
    }
    template <class T>
    void parse_value(std::vector<T>& list) {
        tokens_.expect("[");
        parse_list(list);
    }
    // Up to the closing bracket; the opening one is taken.
    template <class T>
    void parse_list(std::vector<T>& list) {
        if (tokens_.accept("]")) return;
        do {
            parse_value(list.emplace_back());
        } while (tokens_.accept(","));
        tokens_.expect("]");
    }

    Tokens tokens_;
    std::map<std::string, Value, std::less<>> values_;  // of the role being read
    int nesting_ = 0;
};

}  // namespace

std::optional<Module> parse_module(std::string_view text, ParseError& error, std::uint32_t file) {
    return Parser(text, file).module(error);
}

}  // namespace tkc::ir
