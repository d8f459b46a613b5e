// One walk over the syntax tree, with a rule for each kind of node.
//
// Mutants are edits of the text, so that a message can show them and that they go through the
// compiler like any program. An operator is replaced by one that binds as tightly, so the tree
// changes nowhere else.
#include "frontend/mutate/mutations.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/overloaded.h"
#include "frontend/parse/ast_walk.h"
#include "language/dtype.h"
#include "language/function.h"
#include "language/operation.h"
#include "language/tile_function.h"

namespace tkc::mutation {

namespace {

// The operator that is most easily written instead of this one. Empty: none.
std::string_view other_operator(ast::BinaryOp op) {
    switch (op) {
        case ast::BinaryOp::logical_or: return "and";
        case ast::BinaryOp::logical_and: return "or";
        case ast::BinaryOp::equal: return "!=";
        case ast::BinaryOp::not_equal: return "==";
        case ast::BinaryOp::less: return "<=";
        case ast::BinaryOp::less_equal: return "<";
        case ast::BinaryOp::greater: return ">=";
        case ast::BinaryOp::greater_equal: return ">";
        case ast::BinaryOp::bit_or: return "&";
        case ast::BinaryOp::bit_xor: return "&";
        case ast::BinaryOp::bit_and: return "|";
        case ast::BinaryOp::shift_left: return ">>";
        case ast::BinaryOp::shift_right: return "<<";
        case ast::BinaryOp::add: return "-";
        case ast::BinaryOp::subtract: return "+";
        case ast::BinaryOp::multiply: return "/";
        case ast::BinaryOp::divide: return "*";
        case ast::BinaryOp::floor_divide: return "%";
        case ast::BinaryOp::remainder: return "//";
        case ast::BinaryOp::matmul: return "";
    }
    return "";
}

std::string_view other_update(ast::AssignOp op) {
    switch (op) {
        case ast::AssignOp::set: return "";
        case ast::AssignOp::add: return "-=";
        case ast::AssignOp::subtract: return "+=";
        case ast::AssignOp::multiply: return "/=";
        case ast::AssignOp::divide: return "*=";
    }
    return "";
}

// Functions that are mistaken for each other, or of which one is the likely slip for the other.
constexpr std::pair<std::string_view, std::string_view> other_functions[] = {
    {"min", "max"},
    {"max", "min"},
    {"exp", "exp2"},
    {"exp2", "exp"},
    {"log", "log2"},
    {"log2", "log"},
    {"sqrt", "rsqrt"},
    {"rsqrt", "sqrt"},
    {"sin", "cos"},
    {"cos", "sin"},
    {"floor", "ceil"},
    {"ceil", "floor"},
    {"round", "floor"},
    {"argmax", "argmin"},
    {"argmin", "argmax"},
    {"sum", "max"},
    {"row_index", "col_index"},
    {"col_index", "row_index"},
    {"reduce_add", "store"},
};

constexpr std::pair<std::string_view, std::string_view> other_members[] = {
    {"start", "end"}, {"end", "start"}, {"prev", "next"}, {"next", "prev"}};

// Functions of several arguments of which the first alone is the same without their effect: a
// clamp, padding, a rounding.
constexpr std::string_view droppable[] = {"abs", "pad", "min", "max", "cumsum", "floor", "round"};

// Statements about the program that compute nothing.
constexpr std::string_view without_effect[] = {"assert", "assume", "print"};

template <std::size_t N>
bool is_one_of(std::string_view name, const std::string_view (&names)[N]) {
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

template <std::size_t N>
std::string_view partner(std::string_view name,
                         const std::pair<std::string_view, std::string_view> (&pairs)[N]) {
    for (const auto& [from, to] : pairs) {
        if (from == name) return to;
    }
    return "";
}

bool is_tile_function(std::string_view text) {
    return std::any_of(tile_function_table.begin(), tile_function_table.end(),
                       [&](const TileFunctionInfo& f) { return f.name == text; });
}

// Whether the language has a function or an operation of this name: of others it is not known
// which of their arguments may change places.
bool is_built_in(std::string_view name) {
    return find_function(name) || find_operation(name) || is_tile_function(name) ||
           find_dtype(name);
}

class Mutator {
public:
    Mutator(const ast::File& file, const SourceManager& sources) : sources_(sources) {
        for (const ast::Comment& comment : file.comments) {
            if (sources.text(comment.span).find("mutate: same meaning") == std::string_view::npos)
                continue;
            const std::uint32_t line = sources.begin(comment.span).line;
            silenced_.insert(comment.is_trailing ? line : line + 1);
        }
    }

    void visit(const ast::LaunchHead& head) {
        owner_ = head.name.text;
        add_names(head);
    }

    void visit(const ast::Kernel& kernel) {
        visit(static_cast<const ast::LaunchHead&>(kernel));
        for (const ast::KernelItem& item : kernel.items) visit(item);
    }

    void visit(const ast::Entry& entry) {
        visit(static_cast<const ast::LaunchHead&>(entry));
        visit(entry.body);
    }

    void visit(const ast::Function& function) {
        owner_ = function.name.text;
        in_function_ = true;
        visit(function.body);
    }

    // `subject`: what it is the reference of, if that is known.
    void visit(const ast::Reference& reference, const ast::LaunchHead* subject) {
        if (subject != nullptr) add_names(*subject);
        owner_ = reference.name.text;
        visit(reference.body);
    }

    std::vector<Mutation> take() {
        std::stable_sort(made_.begin(), made_.end(), [](const Mutation& a, const Mutation& b) {
            return a.edit.span.begin < b.edit.span.begin;
        });
        return std::move(made_);
    }

private:
    // ---- making them

    std::string text(Span span) const { return std::string(sources_.text(span)); }

    // A leaf in parentheses has its span without them, and what it begins may be cut there.
    bool is_whole(Span span) const {
        int depth = 0;
        for (const char c : sources_.text(span)) {
            if (c == '(') ++depth;
            if (c == ')' && --depth < 0) return false;
        }
        return depth == 0;
    }

    void add(Span span, std::string replacement, std::string what) {
        if (!is_whole(span) || text(span) == replacement) return;
        if (!seen_.insert({span.begin, span.end, replacement}).second) return;
        const bool silenced = silenced_.contains(sources_.begin(span).line);
        made_.push_back(
            {{span, std::move(replacement)}, owner_, in_function_, silenced, std::move(what)});
    }

    // The text in one line, cut where it is long.
    std::string shown(Span span) const {
        std::string line;
        for (const char c : sources_.text(span)) {
            const bool blank = c == ' ' || c == '\n' || c == '\r' || c == '\t';
            if (!blank) line += c;
            else if (!line.empty() && line.back() != ' ') line += ' ';
        }
        constexpr std::size_t most = 40;
        if (line.size() > most) line = line.substr(0, most - 2) + "..";
        return line;
    }

    void replace(Span span, std::string replacement) {
        std::string what = fmt::format("`{}` becomes `{}`", shown(span), replacement);
        add(span, std::move(replacement), std::move(what));
    }

    void leave_out(Span span, Span named) {
        add(span, "", fmt::format("`{}` is removed", shown(named)));
    }

    // The whole expression becomes one of its parts.
    void keep_only(const ast::Expr& expr, Span part) {
        if (!is_whole(part)) return;
        add(expr.span, "(" + text(part) + ")",
            fmt::format("`{}` becomes `{}`", shown(expr.span), shown(part)));
    }

    void decide(const ast::Expr& condition) {
        if (is_of_schedule(condition)) return;
        for (const char* value : {"true", "false"}) {
            add(condition.span, value,
                fmt::format("the condition `{}` is always {}", shown(condition.span), value));
        }
    }

    // ---- names

    void add_names(const ast::LaunchHead& head) {
        std::set<std::string> constants;
        for (const ast::ConstParam& c : head.consts) {
            constants.insert(c.name.text);
            if (c.schedule) schedule_.insert(c.name.text);
        }
        for (const ast::KernelParam& param : head.params) {
            for (const ast::ExprPtr& extent : param.type.extents) {
                const auto* name = std::get_if<ast::NameRef>(&extent->node);
                if (name == nullptr || constants.contains(name->text)) continue;
                if (std::find(extents_.begin(), extents_.end(), name->text) == extents_.end())
                    extents_.push_back(name->text);
            }
        }
    }

    // Whether constants of the schedule decide it, and nothing else.
    bool is_of_schedule(const ast::Expr& expr) const {
        bool any = false;
        bool others = false;
        checker::Walk hooks;
        hooks.expr = [&](const ast::Expr& part) {
            const auto* name = std::get_if<ast::NameRef>(&part.node);
            if (name == nullptr) return;
            (schedule_.contains(name->text) ? any : others) = true;
        };
        checker::walk(expr, hooks);
        return any && !others;
    }

    // ---- expressions

    void visit(const ast::ExprPtr& expr) {
        if (expr) visit(*expr);
    }

    void visit(const ast::Expr& expr) {
        std::visit([&](const auto& node) { change(expr, node); }, expr.node);
    }

    // An extent for the next one: of a matrix, the other.
    void change(const ast::Expr& expr, const ast::NameRef& name) {
        const auto at = std::find(extents_.begin(), extents_.end(), name.text);
        if (at == extents_.end() || extents_.size() < 2) return;
        replace(expr.span, at + 1 == extents_.end() ? extents_.front() : *(at + 1));
    }

    void change(const ast::Expr& expr, const ast::IntLiteral& number) {
        replace(expr.span, fmt::format("{}", number.value + 1));
    }

    void change(const ast::Expr& expr, const ast::FloatLiteral& number) {
        if (number.value == 0) replace(expr.span, "1.0");
        else replace(expr.span, fmt::format("({} * 1.5)", text(expr.span)));
    }

    void change(const ast::Expr&, const ast::StringLiteral&) {}

    void change(const ast::Expr& expr, const ast::BoolLiteral& constant) {
        replace(expr.span, constant.value ? "false" : "true");
    }

    void change(const ast::Expr& expr, const ast::Infinity&) { replace(expr.span, "0"); }

    void change(const ast::Expr& expr, const ast::Unary& unary) {
        if (std::holds_alternative<ast::Infinity>(unary.operand->node)) {
            replace(expr.span, "0");
            return;
        }
        leave_out(unary.op_span, unary.op_span);
        visit(unary.operand);
    }

    void change(const ast::Expr&, const ast::Binary& binary) {
        const std::string_view other = other_operator(binary.op);
        if (!other.empty()) replace(binary.op_span, std::string(other));
        visit(binary.left);
        visit(binary.right);
    }

    void change(const ast::Expr&, const ast::Consume&) {}

    void change(const ast::Expr&, const ast::Member& member) {
        const std::string& name = member.member.text;
        const std::string_view other = partner(name, other_members);
        if (!other.empty()) replace(member.member.span, std::string(other));
        if (name == "T") {
            Span with_dot = member.member.span;
            --with_dot.begin;  // no space may be there
            if (text(with_dot) == ".T") leave_out(with_dot, with_dot);
        }
        if (!std::holds_alternative<ast::NameRef>(member.base->node)) visit(member.base);
    }

    void change(const ast::Expr&, const ast::Index& index) {
        if (!std::holds_alternative<ast::NameRef>(index.base->node)) visit(index.base);
        for (const ast::Subscript& sub : index.subscripts) visit(sub);
    }

    // A place that the program computes or reads becomes the first one. Those of tiles are the
    // variables of grids and loops.
    void visit_position(const ast::Expr& place) {
        const auto* name = std::get_if<ast::NameRef>(&place.node);
        const bool of_tile = name != nullptr && tiles_.contains(name->text);
        if (!of_tile && !std::holds_alternative<ast::IntLiteral>(place.node))
            replace(place.span, "0");
        visit(place);
    }

    // The length of a slice is the shape of a tile.
    void visit(const ast::Subscript& sub) {
        std::visit(Overloaded{
                       [](const ast::WholeAxis&) {},
                       [&](const ast::Position& p) { visit_position(*p.value); },
                       [&](const ast::Slice& s) { visit(s.base); },
                       [&](const ast::Range& r) {
                           visit(r.begin);
                           visit(r.end);
                       },
                   },
                   sub.node);
    }

    void change(const ast::Expr& expr, const ast::Call& call) {
        const auto* name = std::get_if<ast::NameRef>(&call.callee->node);
        const std::string_view callee = name == nullptr ? std::string_view() : name->text;
        if (is_one_of(callee, without_effect)) return;
        std::vector<const ast::Arg*> plain;
        for (const ast::Arg& arg : call.args) {
            if (!arg.name) plain.push_back(&arg);
        }
        // Of a tile along an axis, `max` and `min` are not clamps.
        const bool along_axis = plain.size() != call.args.size();
        const std::string_view other = partner(callee, other_functions);
        if (!other.empty()) replace(call.callee->span, std::string(other));
        const bool clamp = (callee == "min" || callee == "max") && along_axis;
        const bool cast = find_dtype(callee).has_value() && plain.size() == 1;
        if (!plain.empty() && (cast || (is_one_of(callee, droppable) && !clamp)))
            keep_only(expr, plain[0]->span);
        if (callee == "where" && plain.size() == 3) {
            keep_only(expr, plain[1]->span);
            keep_only(expr, plain[2]->span);
        }
        if (callee == "where" || !is_built_in(callee)) swap_neighbors(plain);
        for (const ast::Arg& arg : call.args) {
            const auto* number = std::get_if<ast::IntLiteral>(&arg.value->node);
            if (arg.name && arg.name->text == "axis" && number != nullptr) {
                replace(arg.value->span, number->value == 0 ? "1" : "0");
            } else {
                visit(arg.value);
            }
        }
    }

    // Types that do not fit are refused.
    void swap_neighbors(const std::vector<const ast::Arg*>& args) {
        for (std::size_t i = 0; i + 1 < args.size(); ++i) {
            const Span a = args[i]->span;
            const Span b = args[i + 1]->span;
            const Span both{a.file, a.begin, b.end};
            const std::string between = text({a.file, a.end, b.begin});
            if (!is_whole(a) || !is_whole(b) || args[i]->is_inout || args[i + 1]->is_inout)
                continue;
            add(both, text(b) + between + text(a),
                fmt::format("`{}` and `{}` are swapped", shown(a), shown(b)));
        }
    }

    void change(const ast::Expr&, const ast::IfExpr& choice) {
        decide(*choice.condition);
        visit(choice.condition);
        visit(choice.then_value);
        visit(choice.else_value);
    }

    void change(const ast::Expr&, const ast::StructValue& value) {
        for (const ast::FieldValue& field : value.fields) visit(field.value);
    }

    void change(const ast::Expr&, const ast::ListValue& list) {
        for (const ast::ExprPtr& item : list.items) visit(item);
    }

    // ---- statements

    void visit(const ast::Block& block) {
        for (const ast::Stmt& stmt : block.stmts) {
            std::visit([&](const auto& node) { change(stmt, node); }, stmt.node);
        }
    }

    void change(const ast::Stmt&, const ast::Let& let) {
        if (let.is_var && let.type && let.type->path.parts.back().text == "f32")
            sums_.insert(let.name.text);
        visit(let.value);
    }

    void change(const ast::Stmt&, const ast::SharedVar& shared) { visit(shared.value); }

    void change(const ast::Stmt& stmt, const ast::Assign& assign) {
        leave_out(stmt.span, stmt.span);
        const std::string_view other = other_update(assign.op);
        if (!other.empty()) {
            replace(assign.op_span, std::string(other));
            replace(assign.op_span, "=");
        }
        round_sum(stmt, assign);
        if (!std::holds_alternative<ast::NameRef>(assign.target->node)) visit(assign.target);
        visit(assign.value);
    }

    // A sum in f32 that is rounded at every step, as it is where its type is too narrow.
    void round_sum(const ast::Stmt& stmt, const ast::Assign& assign) {
        const auto* name = std::get_if<ast::NameRef>(&assign.target->node);
        if (name == nullptr || assign.op != ast::AssignOp::add || !sums_.contains(name->text))
            return;
        const Span value = assign.value->span;
        if (!is_whole(value)) return;
        add(stmt.span, fmt::format("{0} = f32(bf16({0} + ({1})));", name->text, text(value)),
            fmt::format("`{}` is rounded to bf16 in every iteration", name->text));
    }

    void change(const ast::Stmt& stmt, const ast::CallStmt& statement) {
        const auto& call = std::get<ast::Call>(statement.call->node);
        const auto* name = std::get_if<ast::NameRef>(&call.callee->node);
        if (name != nullptr && is_one_of(name->text, without_effect)) return;
        leave_out(stmt.span, stmt.span);
        visit(statement.call);
    }

    void visit(const ast::Iter& iter) {
        tiles_.insert(iter.name.text);
        const std::string all = text(iter.span);
        const std::size_t word = all.find("reversed");
        if (iter.reversed && word != std::string::npos) {
            Span span = iter.span;
            span.begin += static_cast<std::uint32_t>(word);
            span.end = span.begin + 8;
            leave_out(span, span);
        }
        visit(iter.begin);
        visit(iter.end);
    }

    void change(const ast::Stmt&, const ast::For& loop) {
        for (const ast::Iter& iter : loop.iters) visit(iter);
        visit(loop.body);
    }

    void change(const ast::Stmt&, const ast::ForSpace& loop) {
        for (const ast::Name& name : loop.names) tiles_.insert(name.text);
        visit(loop.body);
    }

    void change(const ast::Stmt&, const ast::If& choice) {
        decide(*choice.condition);
        visit(choice.condition);
        visit(choice.then_block);
        if (choice.else_block) visit(*choice.else_block);
    }

    void change(const ast::Stmt&, const ast::Produce& produce) {
        visit(produce.value);
        for (const ast::FieldValue& field : produce.fields) visit(field.value);
    }

    void change(const ast::Stmt&, const ast::ConsumeBlock& consume) { visit(consume.body); }

    void change(const ast::Stmt&, const ast::Return& statement) { visit(statement.value); }

    // ---- the items of a kernel

    void visit(const ast::KernelItem& item) {
        std::visit(Overloaded{
                       [&](const ast::Grid& grid) {
                           for (const ast::Iter& iter : grid.iters) tiles_.insert(iter.name.text);
                       },
                       [](const ast::Pipeline&) {},
                       [&](const ast::Space& space) {
                           for (const ast::Iter& iter : space.iters) visit(iter);
                       },
                       [&](const ast::Role& role) { visit(role.body); },
                       [&](const ast::Partition& partition) {
                           for (const ast::KernelItem& inner : partition.items) visit(inner);
                       },
                       [&](const ast::Stmt& stmt) {
                           std::visit([&](const auto& node) { change(stmt, node); }, stmt.node);
                       },
                   },
                   item.node);
    }

    const SourceManager& sources_;
    std::set<std::uint32_t> silenced_;  // lines
    std::string owner_;
    bool in_function_ = false;
    std::vector<std::string> extents_;  // of the subject's tensors, in their order
    std::set<std::string> schedule_;    // constants that change no result
    std::set<std::string> sums_;        // variables in f32
    std::set<std::string> tiles_;       // variables of grids and loops
    std::set<std::tuple<std::uint32_t, std::uint32_t, std::string>> seen_;
    std::vector<Mutation> made_;
};

const ast::LaunchHead* find_head(const ast::File& file, const std::string& name) {
    for (const ast::Decl& decl : file.decls) {
        const ast::LaunchHead* const head = ast::launch_head(decl);
        if (head != nullptr && head->name.text == name) return head;
    }
    return nullptr;
}

}  // namespace

std::vector<Mutation> mutations_of(const ast::File& file, const SourceManager& sources, Part part) {
    std::vector<Mutation> all;
    const bool kernels = part == Part::kernels;
    for (const ast::Decl& decl : file.decls) {
        Mutator mutator(file, sources);
        std::visit(Overloaded{
                       [&](const ast::Kernel& kernel) {
                           if (kernels) mutator.visit(kernel);
                       },
                       [&](const ast::Entry& entry) {
                           if (kernels) mutator.visit(entry);
                       },
                       [&](const ast::Function& function) {
                           if (kernels && !function.external) mutator.visit(function);
                       },
                       [&](const ast::Reference& reference) {
                           if (!kernels)
                               mutator.visit(reference, find_head(file, reference.name.text));
                       },
                       [](const ast::Struct&) {}, [](const ast::Instance&) {},
                       [](const ast::Test&) {}, [](const ast::Megakernel&) {},  // not compiled yet
                   },
                   decl.node);
        std::vector<Mutation> made = mutator.take();
        std::move(made.begin(), made.end(), std::back_inserter(all));
    }
    return all;
}

}  // namespace tkc::mutation
