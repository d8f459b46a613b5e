// Greedy line breaking: a line that grows too long ends at the cheapest break seen in it, where
// breaks outside brackets are cheaper than those inside, and the last of equals is taken. A long
// call is also laid out with all its arguments on lines of their own, if these are fewer.
#include "lowering/cuda/print_line.h"

#include <algorithm>
#include <optional>

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
    // `opens`: a line ends behind the first bracket.
    Layout(const Line& line, std::size_t indent, bool opens, std::string& out)
        : line_(line), indent_(indent), opens_(opens), out_(out) {}

    void run(const std::function<void(const Block&, std::string&)>& print_block) {
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
    }

private:
    void append(const Piece& piece) {
        const bool after_open =
            state_.next >= 2 && line_[state_.next - 2].kind == Piece::Kind::open;
        if (piece.kind == Piece::Kind::may_break) {
            const Candidate here = candidate(piece, after_open);
            if (opens_ && after_open && state_.align.size() == 2) {
                opens_ = false;
                best_ = here;
                return break_line();
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
    bool opens_;
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

void lay_out(const Line& line, std::size_t indent, std::string& out,
             const std::function<void(const Block&, std::string&)>& print_block) {
    std::string aligned;
    Layout(line, indent, false, aligned).run(print_block);
    const bool plain = std::none_of(line.begin(), line.end(), [](const Piece& piece) {
        return piece.kind == Piece::Kind::block;
    });
    if (plain) {
        std::string opened;
        Layout(line, indent, true, opened).run(print_block);
        const auto lines = [](const std::string& text) {
            return std::count(text.begin(), text.end(), '\n');
        };
        if (lines(opened) < lines(aligned)) aligned = std::move(opened);
    }
    out += aligned;
}

}  // namespace tkc::cuda
