// Precedence, parentheses and break places of expressions.
#include "lowering/cuda/print_expr.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/overloaded.h"

namespace tkc::cuda {

namespace {

// Larger binds tighter.
constexpr int primary = 16;
constexpr int prefix = 14;
constexpr int conditional = 2;
constexpr int assignment = 1;

struct OpInfo {
    BinaryOp op;
    std::string_view spelling;
    int precedence;
};
constexpr std::array op_table{
    OpInfo{BinaryOp::multiply, "*", 13},
    OpInfo{BinaryOp::divide, "/", 13},
    OpInfo{BinaryOp::modulo, "%", 13},
    OpInfo{BinaryOp::add, "+", 12},
    OpInfo{BinaryOp::subtract, "-", 12},
    OpInfo{BinaryOp::shift_left, "<<", 11},
    OpInfo{BinaryOp::shift_right, ">>", 11},
    OpInfo{BinaryOp::less, "<", 9},
    OpInfo{BinaryOp::less_equal, "<=", 9},
    OpInfo{BinaryOp::greater, ">", 9},
    OpInfo{BinaryOp::greater_equal, ">=", 9},
    OpInfo{BinaryOp::equal, "==", 8},
    OpInfo{BinaryOp::not_equal, "!=", 8},
    OpInfo{BinaryOp::bit_and, "&", 7},
    OpInfo{BinaryOp::bit_xor, "^", 6},
    OpInfo{BinaryOp::bit_or, "|", 5},
    OpInfo{BinaryOp::logical_and, "&&", 4},
    OpInfo{BinaryOp::logical_or, "||", 3},
    OpInfo{BinaryOp::assign, "=", assignment},
    OpInfo{BinaryOp::add_assign, "+=", assignment},
    OpInfo{BinaryOp::subtract_assign, "-=", assignment},
};
constexpr const OpInfo& info(BinaryOp op) { return op_table[static_cast<std::size_t>(op)]; }
static_assert([] {
    for (std::size_t i = 0; i < op_table.size(); ++i) {
        if (op_table[i].op != static_cast<BinaryOp>(i)) return false;
    }
    return true;
}());

std::string_view spelling(UnaryOp op) {
    switch (op) {
        case UnaryOp::negate: return "-";
        case UnaryOp::logical_not: return "!";
        case UnaryOp::bit_not: return "~";
        case UnaryOp::address_of: return "&";
        case UnaryOp::dereference: return "*";
    }
    return "";
}

int precedence(const Expr& e) {
    return std::visit(Overloaded{
                          [](const Atom&) { return primary; },
                          [](const Unary&) { return prefix; },
                          [](const Binary& b) { return info(b.op).precedence; },
                          [](const Conditional&) { return conditional; },
                          [](const CallExpr&) { return primary; },
                          [](const MemberExpr&) { return primary; },
                          [](const IndexExpr&) { return primary; },
                          [](const Braced&) { return primary; },
                          [](const Lambda&) { return primary; },
                      },
                      e->node);
}

class ExpressionWriter {
public:
    ExpressionWriter(bool flat_lambdas, Line& line) : flat_lambdas_(flat_lambdas), line_(line) {}

    void write(const Expr& e) {
        std::visit([&](const auto& node) { add(node); }, e->node);
    }

private:
    void text(std::string t) { add_text(line_, std::move(t)); }
    void may_break(std::string t, std::size_t cost) {
        line_.push_back({Piece::Kind::may_break, std::move(t), cost, nullptr});
    }
    void open(std::string t) { line_.push_back({Piece::Kind::open, std::move(t), 0, nullptr}); }
    void close(std::string t) { line_.push_back({Piece::Kind::close, std::move(t), 0, nullptr}); }

    void write(const Expr& e, bool parenthesised) {
        if (parenthesised) open("(");
        write(e);
        if (parenthesised) close(")");
    }

    void list(const std::vector<Expr>& items, const char* left, const char* right) {
        const auto is_lambda = [](const Expr& e) {
            return std::holds_alternative<Lambda>(e->node);
        };
        const bool lambdas = std::any_of(items.begin(), items.end(), is_lambda);
        open(left);
        if (!items.empty()) may_break("", break_open);
        for (std::size_t i = 0; i < items.size(); ++i) {
            if (i != 0) {
                text(",");
                // What a function is applied to stays together.
                may_break(" ", break_comma + (lambdas && !is_lambda(items[i - 1]) ? 1 : 0));
            }
            write(items[i]);
        }
        close(right);
    }

    void add(const Atom& a) { text(a.text); }

    void add(const Unary& u) {
        const auto* inner = std::get_if<Unary>(&u.operand->node);
        text(std::string(spelling(u.op)));
        write(u.operand, precedence(u.operand) < prefix || (inner != nullptr && inner->op == u.op));
    }

    // Whether an operand gets parentheses that C++ could do without, for people.
    static bool clearer_with_parentheses(BinaryOp op, const Expr& operand) {
        const auto* inner = std::get_if<Binary>(&operand->node);
        if (inner == nullptr) return false;
        if (op == BinaryOp::logical_or) return inner->op == BinaryOp::logical_and;
        const int outer = info(op).precedence;
        const bool bits = outer == info(BinaryOp::shift_left).precedence ||
                          (outer <= info(BinaryOp::bit_and).precedence &&
                           outer >= info(BinaryOp::bit_or).precedence);
        return bits && inner->op != op;
    }

    void add(const Binary& b) {
        const OpInfo& op = info(b.op);
        const bool assigns = op.precedence == assignment;
        const int left = precedence(b.left);
        const int right = precedence(b.right);
        write(b.left, left < op.precedence || (assigns && left == assignment) ||
                          clearer_with_parentheses(b.op, b.left));
        text(fmt::format(" {}", op.spelling));
        // Looser operators are the better places to end a line.
        may_break(" ", assigns ? break_assign
                               : break_operator + static_cast<std::size_t>(op.precedence) / 4);
        write(b.right, right < op.precedence || (!assigns && right == op.precedence) ||
                           clearer_with_parentheses(b.op, b.right));
    }

    void add(const Conditional& c) {
        write(c.condition, precedence(c.condition) <= conditional);
        may_break(" ", break_operator);
        text("? ");
        write(c.yes, precedence(c.yes) <= conditional);
        may_break(" ", break_operator);
        text(": ");
        write(c.no, precedence(c.no) < conditional);
    }

    void add(const CallExpr& c) {
        write(c.callee, precedence(c.callee) < primary);
        list(c.arguments, "(", ")");
    }
    void add(const MemberExpr& m) {
        write(m.object, precedence(m.object) < primary);
        text((m.arrow ? "->" : ".") + m.name);
    }
    void add(const IndexExpr& i) {
        write(i.object, precedence(i.object) < primary);
        open("[");
        write(i.index);
        close("]");
    }
    void add(const Braced& b) {
        text(b.type);
        list(b.items, "{", "}");
    }

    void add(const Lambda& l) {
        text(fmt::format("[{}]", l.capture));
        add_parameters(l.parameters, line_);
        text(" ");
        if (!flat_lambdas_ || !add_flat_body(l.body)) {
            line_.push_back({Piece::Kind::block, "", 0, &l.body});
        }
    }

    // `{ return value; }`, if the body is that simple.
    bool add_flat_body(const Block& body) {
        if (body.size() != 1 || !body[0].note.empty()) return false;
        const auto* returns = std::get_if<Return>(&body[0].node);
        const auto* runs = std::get_if<ExprStmt>(&body[0].node);
        if (runs == nullptr && (returns == nullptr || !returns->value)) return false;
        text(returns != nullptr ? "{ return " : "{ ");
        write(returns != nullptr ? returns->value : runs->value);
        text("; }");
        return true;
    }

    bool flat_lambdas_;
    Line& line_;
};

}  // namespace

void add_text(Line& line, std::string text) {
    if (!text.empty()) line.push_back({Piece::Kind::text, std::move(text), 0, nullptr});
}

void add_expression(const Expr& expression, bool flat_lambdas, Line& line) {
    ExpressionWriter(flat_lambdas, line).write(expression);
}

void add_parameters(const std::vector<Parameter>& parameters, Line& line) {
    line.push_back({Piece::Kind::open, "(", 0, nullptr});
    if (!parameters.empty()) line.push_back({Piece::Kind::may_break, "", break_open, nullptr});
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const Parameter& p = parameters[i];
        if (i != 0) {
            add_text(line, ",");
            line.push_back({Piece::Kind::may_break, " ", break_comma, nullptr});
        }
        add_text(line, p.name.empty() ? p.type : fmt::format("{} {}", p.type, p.name));
    }
    line.push_back({Piece::Kind::close, ")", 0, nullptr});
}

void add_declaration(const Declaration& d, bool flat_lambdas, Line& line) {
    add_text(line, fmt::format("{} {}{}", d.type, d.name, d.suffix));
    if (!d.value) return;
    const auto* braced = std::get_if<Braced>(&d.value->node);
    if (braced == nullptr || !braced->type.empty()) {
        add_text(line, " =");
        line.push_back({Piece::Kind::may_break, " ", break_assign, nullptr});
    }
    add_expression(d.value, flat_lambdas, line);
}

}  // namespace tkc::cuda
