// Greedy line breaking: a line that grows too long ends at the cheapest break seen in it, where
// breaks outside brackets are cheaper than those inside, and the last of equals is taken. A long
// call is also laid out with all its arguments on lines of their own, if these are fewer; so is a
// call that is the only argument of another.
#include "lowering/cuda/print_line.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace tkc::cuda {

namespace {

constexpr std::size_t cost_per_depth = 8;

// State of the line under construction, copied where a break is possible.
struct State {
    std::size_t next = 0;            // the piece that follows
    std::vector<std::size_t> align;  // columns where lines inside each open bracket continue
};

struct Candidate {
    std::size_t length = 0;  // of the line if it ends here
    std::size_t rank = 0;
    bool after_open = false;
    State state;
};

class Layout {
public:
    // `opens`: at which depths a line ends after the first bracket.
    Layout(const Line& line, std::size_t indent, std::vector<std::size_t> opens, std::string& out)
        : line_(line), indent_(indent), opens_(std::move(opens)), out_(out) {}

    // Whether it ended the lines that it was asked to end, before it had to end others.
    bool run(const std::function<void(const Block&, std::string&)>& print_block) {
        current_.assign(indent_, ' ');
        state_.align = {indent_ + indent_width};
        while (state_.next < line_.size()) {
            const Piece& piece = line_[state_.next];
            ++state_.next;
            if (piece.kind == Piece::Kind::block) {
                end_line(current_ + "{");
                print_block(*piece.block, out_);
                restart(std::string(indent_, ' ') + "}");
                for (std::size_t& a : state_.align) a = indent_ + indent_width;
            } else {
                append(piece);
            }
        }
        end_line(current_);
        return fits_;
    }

private:
    void append(const Piece& piece) {
        const bool after_open =
            state_.next >= 2 && line_[state_.next - 2].kind == Piece::Kind::open;
        if (piece.kind == Piece::Kind::may_break) {
            const Candidate here = candidate(piece, after_open);
            if (!opens_.empty() && after_open && state_.align.size() == opens_.front() + 1) {
                opens_.erase(opens_.begin());
                return open_here(here);
            }
            if (!best_ || here.rank <= best_->rank) best_ = here;
        }
        current_ += piece.text;
        if (piece.kind == Piece::Kind::open) state_.align.push_back(current_.size());
        if (piece.kind == Piece::Kind::close) state_.align.pop_back();
        if (current_.size() > line_width) break_line();
    }

    Candidate candidate(const Piece& piece, bool after_open) const {
        const std::size_t depth = state_.align.size() - 1;
        return {current_.size(), depth * cost_per_depth + piece.cost, after_open, state_};
    }

    void break_line() {
        fits_ = fits_ && opens_.empty();
        if (!best_) return;  // one word that is too long
        const Candidate at = *best_;
        end_line(current_.substr(0, at.length));
        state_ = at.state;
        if (at.after_open) {
            // One step further in than what is around the bracket.
            const std::size_t outer = state_.align.size() - 2;
            state_.align.back() = state_.align[outer] + (outer == 0 ? 0 : indent_width);
        }
        restart(std::string(state_.align.back(), ' '));
    }

    // Ends the line: one step further in than the line itself.
    void open_here(const Candidate& at) {
        end_line(current_.substr(0, at.length));
        state_ = at.state;
        std::fill(state_.align.begin() + 1, state_.align.end(), indent_ + ++opened_ * indent_width);
        restart(std::string(state_.align.back(), ' '));
    }

    void end_line(const std::string& text) {
        const std::size_t last = text.find_last_not_of(' ');
        out_.append(text, 0, last == std::string::npos ? 0 : last + 1);
        out_ += '\n';
    }

    void restart(std::string text) {
        current_ = std::move(text);
        best_.reset();
    }

    const Line& line_;
    std::size_t indent_;
    std::vector<std::size_t> opens_;
    std::size_t opened_ = 0;
    bool fits_ = true;
    std::string& out_;
    std::string current_;
    State state_;
    std::optional<Candidate> best_;
};

}  // namespace

std::string flat(const Line& line) {
    std::string text;
    for (const Piece& piece : line) text += piece.text;
    return text;
}

namespace {

// How many calls lie around the arguments, each the only argument of the one before: at least one.
std::size_t nested_calls(const Line& line) {
    std::vector<std::size_t> opens, match(line.size(), 0);
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i].kind == Piece::Kind::open) opens.push_back(i);
        if (line[i].kind != Piece::Kind::close) continue;
        match[opens.back()] = i;
        opens.pop_back();
    }
    std::size_t depth = 0, end = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i].kind == Piece::Kind::close) break;
        if (line[i].kind != Piece::Kind::open) continue;
        if (depth > 0 && match[i] + 1 != end) break;
        end = match[i];
        ++depth;
    }
    return std::max<std::size_t>(depth, 1);
}

// The lines of a layout, and how many of them are too long.
std::pair<std::size_t, std::size_t> lines_of(const std::string& text) {
    std::size_t lines = 0, too_long = 0;
    for (std::size_t begin = 0; begin < text.size(); ++lines) {
        const std::size_t end = text.find('\n', begin);
        if (end - begin > line_width) ++too_long;
        begin = end + 1;
    }
    return {too_long, lines};
}

}  // namespace

void lay_out(const Line& line, std::size_t indent, std::string& out,
             const std::function<void(const Block&, std::string&)>& print_block) {
    std::string best;
    Layout(line, indent, {}, best).run(print_block);
    const bool plain = std::none_of(line.begin(), line.end(), [](const Piece& piece) {
        return piece.kind == Piece::Kind::block;
    });
    if (plain && lines_of(best).second > 1) {
        std::vector<std::vector<std::size_t>> ways{{1}};
        if (nested_calls(line) > 1) ways.insert(ways.end(), {{2}, {1, 2}});
        for (std::vector<std::size_t>& opens : ways) {
            std::string next;
            const bool fits = Layout(line, indent, std::move(opens), next).run(print_block);
            if (fits && lines_of(next) < lines_of(best)) best = std::move(next);
        }
    }
    out += best;
}

}  // namespace tkc::cuda
