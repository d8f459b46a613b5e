// The syntax tree as text, for people and tests: a line for each declaration, item and statement,
// indented by depth, with its position at the end. Expressions are on the line of their
// statement, with parentheses around every operation, so that one sees how they were read.
#include <fmt/format.h>

#include "base/overloaded.h"
#include "frontend/parse/ast.h"

namespace tkc::ast {
namespace {

// ---- expressions ----

std::string_view spelling(UnaryOp op) {
    switch (op) {
        case UnaryOp::negate: return "-";
        case UnaryOp::logical_not: return "not ";
        case UnaryOp::bit_not: return "~";
    }
    return "?";
}

std::string_view spelling(BinaryOp op) {
    static constexpr std::string_view words[] = {"or", "and", "==", "!=", "<",  "<=", ">",
                                                 ">=", "|",   "^",  "&",  "<<", ">>", "+",
                                                 "-",  "*",   "/",  "//", "%",  "@"};
    return words[static_cast<std::size_t>(op)];
}

std::string_view spelling(AssignOp op) {
    static constexpr std::string_view words[] = {"=", "+=", "-=", "*=", "/="};
    return words[static_cast<std::size_t>(op)];
}

std::string_view spelling(HintKind kind) {
    static constexpr std::string_view words[] = {"multicast", "allow_foreign", "evict_first",
                                                 "evict_last"};
    return words[static_cast<std::size_t>(kind)];
}

// A float as the language writes it: with a point and digits on both sides, or an exponent.
std::string decimal(double value) {
    std::string text = fmt::format("{}", value);
    return text.find_first_of(".e") == text.npos ? text + ".0" : text;
}

// Declared here, because the template `list` finds only what is before it.
std::string show(const Expr& e);
std::string show(const GenericArg& arg);
std::string show(const Arg& arg);
std::string show(const FieldValue& field);
std::string show(const Subscript& sub);
std::string show(const ConstParam& param);
std::string show(const FnParam& param);
std::string show(const Iter& iter);
std::string show(const ExprPtr& e) { return e ? show(*e) : ""; }
std::string show(const Name& n) { return n.text; }
std::string show(const std::optional<Pipelined>& word) {
    if (!word) return "";
    return word->depth ? fmt::format(" pipelined({})", show(word->depth)) : " pipelined";
}
std::string show(const Path& path) {
    std::string out;
    for (const Name& part : path.parts) out += (out.empty() ? "" : ".") + part.text;
    return out;
}

template <typename T>
std::string list(const std::vector<T>& items) {
    std::string out;
    for (const T& item : items) out += (out.empty() ? "" : ", ") + show(item);
    return out;
}
template <typename T>
std::string list(std::string_view open, const std::vector<T>& items, std::string_view close) {
    return items.empty() ? "" : fmt::format("{}{}{}", open, list(items), close);
}

std::string show(const PipeRef& pipe) {
    return pipe.instance ? fmt::format("{}[{}]", pipe.name.text, show(pipe.instance))
                         : pipe.name.text;
}
std::string show(const GenericArg& arg) {
    return arg.name ? fmt::format("{} = {}", arg.name->text, show(arg.value)) : show(arg.value);
}
std::string show(const Arg& arg) {
    if (arg.name) return fmt::format("{} = {}", arg.name->text, show(arg.value));
    return (arg.is_inout ? "inout " : "") + show(arg.value);
}
std::string show(const Hint& hint) {
    return fmt::format(" {}{}", spelling(hint.kind), hint.axis ? "(" + hint.axis->text + ")" : "");
}
std::string show(const FieldValue& field) {
    return fmt::format("{} = {}", field.name.text, show(field.value));
}
std::string show(const Subscript& sub) {
    return std::visit(
        Overloaded{
            [](const WholeAxis&) { return std::string(":"); },
            [](const Position& p) { return show(p.value); },
            [](const Slice& s) {
                std::string out = fmt::format("{} +: {}", show(s.base), show(s.length));
                return s.step ? fmt::format("{} step {}", out, show(s.step)) : out;
            },
            [](const Range& r) { return fmt::format("{}..{}", show(r.begin), show(r.end)); }},
        sub.node);
}

std::string show(const Call& call) {
    std::string hints;
    for (const Hint& hint : call.hints) hints += show(hint);
    std::string constants = list(call.generics);
    if (call.forwards) constants += constants.empty() ? ".." : ", ..";
    if (!constants.empty()) constants = "<" + constants + ">";
    return fmt::format("{}{}({}){}", show(call.callee), constants, list(call.args), hints);
}

std::string show(const Expr& e) {
    return std::visit(
        Overloaded{
            [](const NameRef& n) { return n.text; },
            [](const IntLiteral& n) { return fmt::format("{}", n.value); },
            [](const FloatLiteral& n) { return decimal(n.value); },
            [](const StringLiteral& n) { return fmt::format("\"{}\"", n.value); },
            [](const BoolLiteral& n) { return std::string(n.value ? "true" : "false"); },
            [](const Infinity&) { return std::string("inf"); },
            [](const Unary& n) { return fmt::format("({}{})", spelling(n.op), show(n.operand)); },
            [](const Binary& n) {
                return fmt::format("({} {} {})", show(n.left), spelling(n.op), show(n.right));
            },
            [](const Consume& n) { return fmt::format("(consume {})", show(n.pipe)); },
            [](const Member& n) { return fmt::format("{}.{}", show(n.base), n.member.text); },
            [](const Index& n) { return fmt::format("{}[{}]", show(n.base), list(n.subscripts)); },
            [](const Call& n) { return show(n); },
            [](const IfExpr& n) {
                return fmt::format("(if {} {{ {} }} else {{ {} }})", show(n.condition),
                                   show(n.then_value), show(n.else_value));
            },
            [](const StructValue& n) { return fmt::format("{{ {} }}", list(n.fields)); },
            [](const ListValue& n) { return fmt::format("[{}]", list(n.items)); }},
        e.node);
}

// ---- types, parameters, iterations ----

std::string show(const Binding& b) { return fmt::format("{} = {}", b.name.text, show(b.value)); }
std::string show(const Sweep& s) {
    return fmt::format("for {} in [{}]", s.name.text, list(s.values));
}
std::string show(const Expect& e) {
    std::string norm = e.norm ? " norm " + show(e.norm) : "";
    return fmt::format("expect {} ~ reference within {}{}", list(e.names), show(e.tolerance), norm);
}
std::string show(const ExpectError& e) { return fmt::format("expect error \"{}\"", e.text); }
std::string show(const ExpectThat& e) { return "expect " + show(e.condition); }
std::string show(const Type& type) {
    std::string packed = type.packed ? fmt::format(" packed({})", type.packed->text) : "";
    return show(type.path) + list("<", type.generics, ">") + list("[", type.extents, "]") + packed;
}
std::string show(const ConstParam& param) {
    static constexpr std::string_view kinds[] = {"int", "bool", "dtype", "fn"};
    std::string out = fmt::format("{}{}: {}", param.schedule ? "schedule " : "", param.name.text,
                                  kinds[static_cast<std::size_t>(param.kind)]);
    return param.default_value ? fmt::format("{} = {}", out, show(param.default_value)) : out;
}
std::string show(const KernelParam& param) {
    static constexpr std::string_view modes[] = {"",         "out ", "inout ", "accumulate ",
                                                 "scratch ", ""};
    return fmt::format("{}{}{}: {}", param.is_ranks ? "ranks " : "",
                       modes[static_cast<std::size_t>(param.mode)], param.name.text,
                       show(param.type));
}
std::string show(const FnParam& param) {
    static constexpr std::string_view modes[] = {"", "const ", "inout "};
    return fmt::format("{}{}: {}", modes[static_cast<std::size_t>(param.mode)], param.name.text,
                       show(param.type));
}
std::string show(const Iter& iter) {
    return fmt::format("{} in {}{}{}{}{}", iter.name.text, iter.reversed ? "reversed " : "",
                       show(iter.begin), iter.begin ? ".." : "", show(iter.end),
                       iter.step ? " by " + show(iter.step) : "");
}
std::string show(const Instances& instances) {
    return fmt::format("{} in {}", instances.name.text, show(instances.count));
}
std::string show(const GridWord& word) {
    return std::visit(
        Overloaded{
            [](const Persistent&) { return std::string(" persistent"); },
            [](const Dynamic& w) {
                return w.when ? fmt::format(" dynamic({})", show(w.when)) : " dynamic";
            },
            [](const Raster& w) {
                return fmt::format(" raster({}, {})", w.axis.text, show(w.band));
            },
            [](const HeaviestFirst& w) {
                return fmt::format(" heaviest_first({})", show(w.weight));
            },
            [](const Warps& w) { return fmt::format(" warps({})", show(w.count)); },
            [](const BlocksPerSm& w) { return fmt::format(" blocks_per_sm({})", show(w.count)); },
            [](const Spills& w) { return fmt::format(" spills({})", show(w.bytes)); },
            [](const Cluster& w) { return fmt::format(" cluster({})", list(w.sizes)); },
            [](const Pingpong&) { return std::string(" pingpong"); }},
        word.node);
}
std::string show(const RoleWord& word) {
    return std::visit(
        Overloaded{[](const Pingpong&) { return std::string(" pingpong"); },
                   [](const Alternate& w) {
                       return w.when ? fmt::format(" alternate({})", show(w.when)) : " alternate";
                   },
                   [](const Registers& w) { return fmt::format(" registers({})", show(w.count)); }},
        word.node);
}

// ---- lines ----

class Printer {
public:
    explicit Printer(const SourceManager& sources) : sources_(sources) {}

    std::string print(const File& file) {
        for (const Import& import : file.imports) line(import.span, "import " + show(import.path));
        for (const Decl& decl : file.decls) {
            std::visit([&](const auto& node) { print(decl.span, node); }, decl.node);
        }
        return std::move(out_);
    }

private:
    void line(Span span, std::string_view text) {
        LineColumn at = sources_.begin(span);
        out_ += fmt::format("{:{}}{}  @{}:{}\n", "", 2 * depth_, text, at.line, at.column);
    }

    // Everything that `body` prints is one level deeper.
    template <typename Body>
    void nested(Body body) {
        ++depth_;
        body();
        --depth_;
    }
    void nested(const Block& block) {
        nested([&] {
            for (const Stmt& stmt : block.stmts) print(stmt);
        });
    }
    void nested(const std::vector<KernelItem>& items) {
        nested([&] {
            for (const KernelItem& item : items) print(item);
        });
    }
    void nested(const std::vector<Field>& fields) {
        nested([&] {
            for (const Field& field : fields) {
                line(field.span, (field.name ? field.name->text + ": " : "") + show(field.type));
            }
        });
    }
    void nested(const std::vector<FieldValue>& fields) {
        nested([&] {
            for (const FieldValue& field : fields) line(field.span, show(field));
        });
    }

    template <typename Declaration>
    void launch_header(Span span, std::string_view keyword, const Declaration& d) {
        line(span, fmt::format("{} {}{}", keyword, d.name.text, list("<", d.consts, ">")));
        nested([&] {
            for (const KernelParam& param : d.params) line(param.span, "parameter " + show(param));
            for (const ExprPtr& condition : d.conditions)
                line(condition->span, "requires " + show(condition));
            for (const ExprPtr& belief : d.beliefs) line(belief->span, "trusts " + show(belief));
        });
    }
    void print(Span span, const Kernel& d) {
        launch_header(span, "kernel", d);
        nested(d.items);
    }
    void print(Span span, const Entry& d) {
        launch_header(span, "entry", d);
        nested(d.body);
    }
    void print(Span span, const Megakernel& d) {
        launch_header(span, "megakernel", d);
        nested([&] {
            for (const Op& op : d.ops) {
                line(op.span, fmt::format("op {}({})", op.name.text, list(op.params)));
                nested(op.items);
            }
            for (const Block& schedule : d.schedules) {
                line(schedule.span, "schedule");
                nested(schedule);
            }
        });
    }
    void print(Span span, const Function& d) {
        std::string result = d.result ? " -> " + show(*d.result) : "";
        if (d.external && !d.external->header.empty())
            result += fmt::format(" from \"{}\"", d.external->header);
        line(span, fmt::format("{}fn {}{}({}){}", d.external ? "extern cuda " : "", d.name.text,
                               list("<", d.consts, ">"), list(d.params), result));
        nested(d.body);
    }
    void print(Span span, const Struct& d) {
        line(span, fmt::format("struct {}{}", d.name.text, list("<", d.consts, ">")));
        nested(d.fields);
    }
    void print(Span span, const Instance& d) {
        const std::string of = d.module ? d.module->text + "." : "";
        line(span,
             fmt::format("instance {}{}<{}> as {}", of, d.kernel.text, list(d.args), d.name.text));
    }
    void print(Span span, const Reference& d) {
        line(span,
             fmt::format("reference {}({}) -> ({})", d.name.text, list(d.params), list(d.results)));
        nested(d.body);
    }
    void print(Span span, const Test& d) {
        line(span,
             fmt::format("test {}{}", d.name.text, d.subject ? " of " + d.subject->text : ""));
        nested([&] {
            for (const TestItem& item : d.items) {
                line(item.span, std::visit([](const auto& node) { return show(node); }, item.node));
            }
        });
    }

    void print(const KernelItem& item) {
        std::visit(Overloaded{[&](const Stmt& node) { print(node); },
                              [&](const auto& node) { print(item.span, node); }},
                   item.node);
    }
    void print(Span span, const Grid& g) {
        std::string words;
        for (const GridWord& word : g.words) words += show(word);
        line(span, fmt::format("grid ({}){}", list(g.iters), words));
    }
    void print(Span span, const Pipeline& p) {
        std::string per = p.per ? " per " + show(*p.per) : "";
        line(span, fmt::format("pipeline {}[{}]{}", p.name.text, show(p.stages), per));
        nested(p.fields);
    }
    void print(Span span, const Space& s) {
        line(span, fmt::format("space {} = ({})", s.name.text, list(s.iters)));
    }
    void print(Span span, const Role& r) {
        std::string copies = r.instances ? fmt::format("[{}]", show(*r.instances)) : "";
        std::string words;
        for (const RoleWord& word : r.words) words += show(word);
        std::string_view unit = r.unit == RoleUnit::warp ? "warps" : "warpgroups";
        line(span,
             fmt::format("role {}{}({} {}){}", r.name.text, copies, show(r.count), unit, words));
        nested(r.body);
    }
    void print(Span span, const Partition& p) {
        line(span,
             fmt::format("partition {}({})", p.name.text, p.programs ? show(p.programs) : "rest"));
        nested(p.items);
    }

    void print(const Stmt& stmt) {
        std::visit([&](const auto& node) { print(stmt.span, node); }, stmt.node);
    }
    void print(Span span, const Let& s) {
        std::string type = s.type ? ": " + show(*s.type) : "";
        line(span, fmt::format("{} {}{} = {}", s.is_var ? "var" : "let", s.name.text, type,
                               show(s.value)));
    }
    void print(Span span, const SharedVar& s) {
        std::string value = s.value ? " = " + show(s.value) : "";
        line(span, fmt::format("shared {}: {}{}", s.name.text, show(s.type), value));
    }
    void print(Span span, const Assign& s) {
        line(span, fmt::format("{} {} {}", show(s.target), spelling(s.op), show(s.value)));
    }
    void print(Span span, const CallStmt& s) { line(span, show(s.call)); }
    void print(Span span, const For& s) {
        line(span, fmt::format("for {}{}", list(s.iters), show(s.pipelined)));
        nested(s.body);
    }
    void print(Span span, const ForSpace& s) {
        line(span, fmt::format("for ({}) in {}{}", list(s.names), s.space.text, show(s.pipelined)));
        nested(s.body);
    }
    void print(Span span, const If& s) {
        line(span, "if " + show(s.condition));
        nested(s.then_block);
        if (!s.else_block) return;
        line(s.else_block->span, "else");
        nested(*s.else_block);
    }
    void print(Span span, const Produce& s) {
        std::string value = s.value ? " = " + show(s.value) : "";
        line(span, fmt::format("produce {}{}", show(s.pipe), value));
        nested(s.fields);
    }
    void print(Span span, const ConsumeBlock& s) {
        line(span, fmt::format("consume {} as {}", show(s.pipe), s.name.text));
        nested(s.body);
    }
    void print(Span span, const Return& s) {
        line(span, s.value ? "return " + show(s.value) : "return");
    }

    const SourceManager& sources_;
    int depth_ = 0;
    std::string out_;
};

}  // namespace

std::string print(const File& file, const SourceManager& sources) {
    return Printer(sources).print(file);
}

}  // namespace tkc::ast
