// Statements, declarations and files of the CUDA tree as text.
#include "lowering/cuda/print.h"

#include <fmt/format.h>

#include "base/overloaded.h"
#include "lowering/cuda/print_expr.h"

namespace tkc::cuda {

namespace {

class Printer {
public:
    std::string print(const File& file) {
        items(file.items);
        return std::move(out_);
    }

    void print_lines(const Block& block, std::size_t indent) {
        indent_ = indent;
        statements(block);
    }

    const std::string& text() const { return out_; }

private:
    // ---- lines ---------------------------------------------------------------------------------

    void line(const std::string& text) {
        out_.append(indent_, ' ');
        out_ += text;
        out_ += '\n';
    }

    void blank_line() {
        const bool after_brace = out_.ends_with("{\n");
        if (!out_.empty() && !out_.ends_with("\n\n") && !after_brace) out_ += '\n';
    }

    // Lays out `build(flat_lambdas, line)`: with lambdas on the line if that fits, else spread
    // out.
    template <class F>
    void code(F build, const std::string& note = {}) {
        Line line;
        build(true, line);
        if (has_block(line) ||
            (indent_ + flat(line).size() > line_width && !breaks_behind_lambda(line))) {
            line.clear();
            build(false, line);
        }
        if (!note.empty()) {
            const std::string tail = "  // " + note;
            if (!has_block(line) && indent_ + flat(line).size() + tail.size() <= line_width) {
                add_text(line, tail);
            } else {
                comment(note);
            }
        }
        lay_out(line, indent_, out_, [&](const Block& block, std::string& out) {
            Printer inner;
            inner.print_lines(block, indent_ + indent_width);
            out += inner.text();
        });
    }

    // Whether two lines are enough, of which the first has the lambdas whole.
    bool breaks_behind_lambda(const Line& line) const {
        std::string text;
        lay_out(line, indent_, text, [](const Block&, std::string&) {});
        const std::size_t first = text.find('\n');
        return text.find('\n', first + 1) + 1 == text.size() && text.rfind('}') < first;
    }

    static bool has_block(const Line& line) {
        for (const Piece& piece : line) {
            if (piece.kind == Piece::Kind::block) return true;
        }
        return false;
    }

    void comment(const std::string& text) {
        std::size_t begin = 0;
        while (begin <= text.size()) {
            const std::size_t end = std::min(text.find('\n', begin), text.size());
            comment_line(text.substr(begin, end - begin));
            begin = end + 1;
        }
    }

    void comment_line(std::string text) {
        const std::size_t room = line_width - std::min(line_width - 20, indent_ + 3);
        while (text.size() > room) {
            const std::size_t cut = text.rfind(' ', room);
            if (cut == std::string::npos || cut == 0) break;
            line("// " + text.substr(0, cut));
            text.erase(0, cut + 1);
        }
        line(text.empty() ? "//" : "// " + text);
    }

    // ---- statements ----------------------------------------------------------------------------

    void statements(const Block& block) {
        for (const Stmt& s : block) {
            std::visit([&](const auto& node) { statement(node, s.note); }, s.node);
        }
    }

    void body(const Block& block) {
        indent_ += indent_width;
        statements(block);
        while (out_.ends_with("\n\n")) out_.pop_back();
        indent_ -= indent_width;
    }

    void statement(const ExprStmt& s, const std::string& note) {
        code(
            [&](bool flat_lambdas, Line& line) {
                add_expression(s.value, flat_lambdas, line);
                add_text(line, ";");
            },
            note);
    }

    void statement(const Declaration& d, const std::string& note) {
        code(
            [&](bool flat_lambdas, Line& line) {
                add_declaration(d, flat_lambdas, line);
                add_text(line, ";");
            },
            note);
    }

    void statement(const Comment& c, const std::string&) {
        const std::size_t room = line_width - std::min(line_width - 20, indent_ + 3);
        const std::size_t end = c.cut && c.text.size() > room ? c.text.rfind(' ', room - 3) : 0;
        const bool shorter = end != 0 && end != std::string::npos;
        comment(shorter ? c.text.substr(0, end) + " .." : c.text);
    }
    void statement(const Blank&, const std::string&) { blank_line(); }

    // Adds the one simple statement of a branch, if that is all it has.
    static bool add_simple(const Block& block, Line& line) {
        if (block.size() != 1 || !block[0].note.empty()) return false;
        const auto* runs = std::get_if<ExprStmt>(&block[0].node);
        const auto* returns = std::get_if<Return>(&block[0].node);
        if (runs == nullptr && returns == nullptr) return false;
        if (returns != nullptr) add_text(line, returns->value ? "return " : "return");
        const Expr& value = returns != nullptr ? returns->value : runs->value;
        if (value) add_expression(value, true, line);
        add_text(line, ";");
        return true;
    }

    // `if (condition) statement;`, if that is all and fits in a line.
    bool short_if(const If& s) {
        if (!s.else_body.empty()) return false;
        Line line;
        add_text(line, "if (");
        add_expression(s.condition, true, line);
        add_text(line, ") ");
        if (!add_simple(s.then_body, line)) return false;
        if (has_block(line) || indent_ + flat(line).size() > line_width) return false;
        this->line(flat(line));
        return true;
    }

    void statement(const If& s, const std::string& note) {
        if (note.empty() && short_if(s)) return;
        if_chain(s, "", note);
    }

    void if_chain(const If& s, const std::string& before, const std::string& note) {
        code(
            [&](bool flat_lambdas, Line& line) {
                add_text(line, before + "if ");
                line.push_back({Piece::Kind::open, "(", 0, nullptr});
                add_expression(s.condition, flat_lambdas, line);
                line.push_back({Piece::Kind::close, ")", 0, nullptr});
                add_text(line, " {");
            },
            note);
        body(s.then_body);
        if (s.else_body.empty()) {
            line("}");
            return;
        }
        const If* next = s.else_body.size() == 1 ? std::get_if<If>(&s.else_body[0].node) : nullptr;
        if (next != nullptr) {
            if_chain(*next, "} else ", s.else_body[0].note);
            return;
        }
        line("} else {");
        body(s.else_body);
        line("}");
    }

    void statement(const For& s, const std::string& note) {
        if (s.unroll) line("#pragma unroll");
        else if (s.unroll_by > 0) line(fmt::format("#pragma unroll {}", s.unroll_by));
        code(
            [&](bool flat_lambdas, Line& line) {
                add_text(line, "for ");
                line.push_back({Piece::Kind::open, "(", 0, nullptr});
                add_declaration(s.start, flat_lambdas, line);
                add_text(line, ";");
                line.push_back({Piece::Kind::may_break, " ", break_comma, nullptr});
                add_expression(s.condition, flat_lambdas, line);
                add_text(line, ";");
                if (s.step) {
                    line.push_back({Piece::Kind::may_break, " ", break_comma, nullptr});
                    add_expression(s.step, flat_lambdas, line);
                }
                line.push_back({Piece::Kind::close, ")", 0, nullptr});
                add_text(line, " {");
            },
            note);
        body(s.body);
        line("}");
    }

    void statement(const While& s, const std::string& note) {
        code(
            [&](bool flat_lambdas, Line& line) {
                add_text(line, "while ");
                line.push_back({Piece::Kind::open, "(", 0, nullptr});
                add_expression(s.condition, flat_lambdas, line);
                line.push_back({Piece::Kind::close, ")", 0, nullptr});
                add_text(line, " {");
            },
            note);
        body(s.body);
        line("}");
    }

    void statement(const Return& s, const std::string& note) {
        code(
            [&](bool flat_lambdas, Line& line) {
                add_text(line, s.value ? "return " : "return");
                if (s.value) add_expression(s.value, flat_lambdas, line);
                add_text(line, ";");
            },
            note);
    }

    void statement(const Scope& s, const std::string& note) {
        line(note.empty() ? "{" : "{  // " + note);
        body(s.body);
        line("}");
    }

    // ---- files ---------------------------------------------------------------------------------

    void items(const std::vector<Item>& list) {
        for (const Item& i : list) {
            std::visit([&](const auto& node) { item(node); }, i.node);
        }
    }

    void item(const Include& i) {
        line(i.system ? fmt::format("#include <{}>", i.path)
                      : fmt::format("#include \"{}\"", i.path));
    }
    void item(const Directive& d) { line(d.text); }
    void item(const Comment& c) { comment(c.text); }
    void item(const Blank&) { blank_line(); }
    void item(const Declaration& d) { statement(d, {}); }
    void item(const ExprStmt& s) {
        code([&](bool flat_lambdas, Line& line) { add_expression(s.value, flat_lambdas, line); });
    }

    void item(const Function& f) {
        code([&](bool, Line& line) {
            add_text(line, f.head.empty() ? "" : f.head + " ");
            add_text(line, f.name);
            add_parameters(f.parameters, line);
            add_text(line, f.declared_only ? ";" : f.body.empty() ? " {}" : " {");
        });
        if (f.declared_only || f.body.empty()) return;
        body(f.body);
        line("}");
    }

    void item(const Struct& s) {
        line(fmt::format("struct {} {{", s.name));
        body(s.members);
        line("};");
    }

    void item(const StaticAssert& s) {
        code([&](bool flat_lambdas, Line& line) {
            add_text(line, "static_assert");
            line.push_back({Piece::Kind::open, "(", 0, nullptr});
            add_expression(s.condition, flat_lambdas, line);
            if (!s.text.empty()) {
                add_text(line, ",");
                line.push_back({Piece::Kind::may_break, " ", break_comma, nullptr});
                add_expression(quoted(s.text), flat_lambdas, line);
            }
            line.push_back({Piece::Kind::close, ")", 0, nullptr});
            add_text(line, ";");
        });
    }

    void item(const Namespace& n) {
        const std::string name = n.name.empty() ? "namespace" : "namespace " + n.name;
        line(name + " {");
        items(n.items);
        line("}  // " + name);
    }

    void item(const ExternC& e) {
        line("extern \"C\" {");
        items(e.items);
        line("}  // extern \"C\"");
    }

    std::string out_;
    std::size_t indent_ = 0;
};

}  // namespace

Expr literal(std::int64_t value) {
    if (value >= 0) return atom(std::to_string(value));
    return unary(UnaryOp::negate, atom(std::to_string(value).substr(1)));
}

Expr quoted(const std::string& text) {
    std::string escaped = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') escaped += '\\';
        if (c == '\n') {
            escaped += "\\n";
        } else {
            escaped += c;
        }
    }
    return atom(escaped + "\"");
}

std::string print(const File& file) { return Printer().print(file); }

std::string print(const Expr& expression) {
    Line line;
    add_expression(expression, true, line);
    return flat(line);
}

}  // namespace tkc::cuda
