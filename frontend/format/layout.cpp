// Lines begin where brackets and items say; within a line tokens are a space apart or none, but
// for those that the author put under each other:
//
//     let g     = h // (H / HKV);
//     let first = m.start;          // `=` has a partner above, and stays under it
#include "frontend/format/layout.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

namespace tkc::format {

namespace {

constexpr std::uint32_t step = 4;
constexpr std::uint32_t tokens_to_align = 100;  // of a line; those after them are in no column
constexpr std::uint32_t near_comment = 2;       // spaces before a comment that is at no column

class LayoutMaker {
public:
    explicit LayoutMaker(const Lines& file) : file_(file) {
        layout_.columns.resize(file.list.tokens.size());
        layout_.comments.resize(file.lines.size());
        group_of_.resize(file.list.tokens.size(), no_token);
    }

    // Where a line begins depends on lines before it, and where tokens under each other appear
    // depends on all their lines. Neither depends on itself: the rounds come to an end.
    Layout run() {
        find_groups();
        for (bool changed = true; changed;) {
            for (const Line& line : file_.lines) place_tokens(line);
            changed = move_groups();
        }
        place_comments();
        return std::move(layout_);
    }

private:
    struct Group {
        std::vector<std::uint32_t> members;
        std::uint32_t column = 0;
    };

    // ---- tokens under each other

    std::uint32_t old_end(std::size_t i) const {
        return file_.places[i].old_column + file_.places[i].width;
    }
    std::uint32_t new_end(std::size_t i) const {
        return layout_.columns[i] + file_.places[i].width;
    }
    bool is_sign(std::size_t i) const {
        const TokenKind kind = file_.list.tokens[i].kind;
        return kind == TokenKind::Sign || kind == TokenKind::Generic;
    }

    // Assignments are under each other by their `=`, `+=` reaching one further to the left.
    bool is_assignment(std::size_t i) const {
        static constexpr std::string_view signs[] = {"=", "+=", "-=", "*=", "/="};
        return std::any_of(std::begin(signs), std::end(signs),
                           [&](std::string_view sign) { return file_.list.is(i, sign); });
    }
    std::uint32_t before_equals(std::size_t i) const {
        return is_assignment(i) ? file_.places[i].width - 1 : 0;
    }

    // Where in its line a token is: how many brackets of the line are open around it, and which
    // item it belongs to of what the innermost one holds.
    using Role = std::pair<std::size_t, int>;
    std::vector<Role> roles_on(const Line& line) const {
        std::vector<Role> roles;
        std::vector<int> items{0};
        for (std::uint32_t i = line.first; i < line.end; ++i) {
            if (file_.closes(i) && items.size() > 1) items.pop_back();
            if (file_.starts_item(i)) ++items.back();
            roles.emplace_back(items.size(), items.back());
            if (file_.opens(i)) items.push_back(0);
        }
        return roles;
    }

    // Lines of one block, or of one list, with no blank line between. Tokens with the same role
    // are in one column: the same sign, or words after the same sign or keyword. One of them
    // is further away from the token before than it need be.
    void find_groups() {
        using Key =
            std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, Role, bool, std::string_view>;
        std::map<Key, Group> found;
        for (const Line& line : file_.lines) {
            if (!line.has_code() || !file_.starts_item(line.first)) continue;
            const std::vector<Role> roles = roles_on(line);
            const std::uint32_t end = std::min(line.end, line.first + tokens_to_align);
            for (std::uint32_t i = line.first + 1; i < end; ++i) {
                if (file_.places[i].blanks == 0) continue;  // it touches what is before it
                const std::size_t named = is_sign(i) ? i : i - 1;
                const bool fixed = file_.list.tokens[named].kind != TokenKind::Name;
                std::string_view text = fixed ? file_.list.text(named) : "";
                if (is_assignment(named)) text = "=";
                const Key key{file_.places[line.first].inside,
                              line.paragraph,
                              file_.places[i].old_column + before_equals(i),
                              roles[i - line.first],
                              is_sign(i),
                              text};
                found[key].members.push_back(i);
            }
        }
        for (auto& [key, group] : found) {
            const bool meant =
                std::any_of(group.members.begin(), group.members.end(), [&](std::uint32_t i) {
                    return file_.places[i].old_column > old_end(i - 1) + file_.places[i].blanks;
                });
            if (group.members.size() < 2 || !meant) continue;
            for (std::uint32_t i : group.members)
                group_of_[i] = static_cast<std::uint32_t>(groups_.size());
            groups_.push_back(std::move(group));
        }
    }

    // True: something moved.
    bool move_groups() {
        bool moved = false;
        for (Group& group : groups_) {
            std::uint32_t column = 0;
            for (std::uint32_t i : group.members) {
                column =
                    std::max(column, new_end(i - 1) + file_.places[i].blanks + before_equals(i));
            }
            moved |= column != group.column;
            group.column = column;
        }
        return moved;
    }

    void place_tokens(const Line& line) {
        for (std::uint32_t i = line.first; i < line.end; ++i) {
            std::uint32_t column = 0;
            if (i == line.first) column = start_of(line);
            else column = new_end(i - 1) + file_.places[i].blanks;
            if (const std::uint32_t group = group_of_[i]; group != no_token) {
                const std::uint32_t shared = groups_[group].column;
                if (shared > before_equals(i)) column = std::max(column, shared - before_equals(i));
            }
            layout_.columns[i] = column;
        }
    }

    // ---- where lines begin

    std::uint32_t start_of(const Line& line) const {
        const std::uint32_t first = line.first;
        const Place& place = file_.places[first];
        if (file_.closes(first)) {
            std::uint32_t last = first;
            while (last + 1 < line.end && file_.closes(last + 1)) ++last;
            return layout_.columns[base_of_bracket(file_.partner[last])];
        }
        if (file_.starts_item(first)) {
            if (place.inside == no_token) return 0;
            return file_.is_last(place.inside)
                       ? layout_.columns[base_of_bracket(place.inside)] + step
                       : start_behind_bracket(first);
        }
        const auto is = [&](std::string_view text) { return file_.list.is(first, text); };
        const bool clause = place.inside == no_token && (is("requires") || is("trusts"));
        const bool otherwise = is("else") && file_.list.is(place.item, "if");
        if (is("{") || clause || otherwise) return layout_.columns[place.item];
        return start_of_rest(line, place.item);
    }

    // Of an item in a bracket with another item after it on its line: under that one or further in
    // than the line, whatever is nearer to where it was.
    std::uint32_t start_behind_bracket(std::uint32_t first) const {
        const std::uint32_t bracket = file_.places[first].inside;
        const auto old_column = [&](std::uint32_t i) {
            return static_cast<std::int64_t>(file_.places[i].old_column);
        };
        const std::uint32_t base = base_of_bracket(bracket);
        const std::int64_t to_step = std::abs(old_column(first) - old_column(base) - step);
        const std::int64_t to_first = std::abs(old_column(first) - old_column(bracket + 1));
        return to_step < to_first ? layout_.columns[base] + step : layout_.columns[bracket + 1];
    }

    // The first token of the line to which what a bracket holds belongs. A block belongs to its
    // statement, whose parameters may have lines of their own.
    std::uint32_t base_of_bracket(std::uint32_t bracket) const {
        return base_of(file_.list.is(bracket, "{") ? file_.places[bracket].item : bracket);
    }

    // The first token of the line of a token, or where that begins in a bracket that ends before
    // the token, of the line of that bracket.
    std::uint32_t base_of(std::uint32_t token) const {
        std::uint32_t number = file_.places[token].line;
        while (true) {
            const Line& line = file_.lines[number];
            std::uint32_t bracket = file_.places[line.first].inside;
            if (file_.closes(line.first)) {
                std::uint32_t last = line.first;
                while (last + 1 < line.end && file_.closes(last + 1)) ++last;
                bracket = file_.partner[last];
            } else if (bracket == no_token || (bracket < token && file_.partner[bracket] > token)) {
                return line.first;
            }
            number = file_.places[bracket].line;
        }
    }

    // Of what goes on with an item: where the author put it, under a token of the line before or
    // at some distance from the line of the item, but further in than that.
    std::uint32_t start_of_rest(const Line& line, std::uint32_t item) const {
        const std::uint32_t base_first = base_of(item);
        const std::uint32_t base = layout_.columns[base_first];
        const std::uint32_t old = file_.places[line.first].old_column;
        const Line& before = file_.lines[file_.places[line.first - 1].line];
        for (std::uint32_t i = before.first; i < before.end; ++i) {
            if (file_.places[i].old_column == old && layout_.columns[i] > base)
                return layout_.columns[i];
        }
        const std::uint32_t moved = old + base;
        const std::uint32_t old_base = file_.places[base_first].old_column;
        return moved > old_base + base ? moved - old_base : base + step;
    }

    // ---- comments

    void place_comments() {
        std::uint32_t column = 0;  // what a comment that is alone gets
        for (std::size_t i = file_.lines.size(); i-- > 0;) {
            if (file_.lines[i].has_code()) column = column_before(file_.lines[i].first);
            else layout_.comments[i] = column;
        }
        for (std::size_t i = 0; i < file_.lines.size();) {
            std::size_t end = i + 1;
            if (file_.lines[i].comment && file_.lines[i].has_code()) {
                while (end < file_.lines.size() && goes_with(file_.lines[i], file_.lines[end]))
                    ++end;
                place_column(i, end);
            }
            i = end;
        }
    }

    // A comment on a line of its own is as what follows it does, or as what a bracket holds
    // that ends there.
    std::uint32_t column_before(std::uint32_t first) const {
        if (!file_.closes(first)) return layout_.columns[first];
        const std::uint32_t bracket = file_.partner[first];
        return file_.is_last(bracket) ? layout_.columns[base_of_bracket(bracket)] + step
                                      : layout_.columns[bracket + 1];
    }

    static bool goes_with(const Line& a, const Line& b) {
        return b.comment && b.paragraph == a.paragraph && b.comment_column == a.comment_column;
    }

    // Comments under each other, the first one after code.
    void place_column(std::size_t begin, std::size_t end) {
        std::uint32_t column = 0;
        std::uint32_t gap = no_token;  // the smallest one
        for (std::size_t i = begin; i < end; ++i) {
            const Line& line = file_.lines[i];
            if (!line.has_code()) continue;
            column = std::max(column, new_end(line.end - 1));
            gap = std::min(gap, line.comment_column - old_end(line.end - 1));
        }
        const std::uint32_t old = file_.lines[begin].comment_column;
        if (gap > near_comment && column < old) column = old;
        else column += std::clamp(gap, 1U, near_comment);
        std::fill(layout_.comments.begin() + static_cast<std::ptrdiff_t>(begin),
                  layout_.comments.begin() + static_cast<std::ptrdiff_t>(end), column);
    }

    const Lines& file_;
    Layout layout_;
    std::vector<std::uint32_t> group_of_;  // of each token, or no_token
    std::vector<Group> groups_;
};

}  // namespace

Layout lay_out(const Lines& file) { return LayoutMaker(file).run(); }

}  // namespace tkc::format
