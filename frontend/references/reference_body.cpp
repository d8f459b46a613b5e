// The body of a reference, and the expressions of tests: names, calls and statements. Shapes are
// known only when a test runs.
#include <fmt/format.h>

#include <map>
#include <ranges>

#include "base/overloaded.h"
#include "frontend/parse/other_words.h"
#include "frontend/references/subject.h"
#include "language/dtype.h"
#include "language/operation.h"
#include "language/reference.h"

namespace tkc::checker {

namespace {

struct Known {
    std::string_view what;  // "a `let`", ..
    bool assignable = false;
    bool tile = false;
    Span span = {};         // unknown: not of this reference
    bool dtype = false;     // a constant that names a data type
    bool function = false;  // .. or a function
    bool generic = false;   // a type that follows from arguments
};

class BodyChecker {
public:
    BodyChecker(FileContext& file_context, const Unit& unit, std::string_view place,
                std::string_view where, const BodyChecker* caller = nullptr)
        : file_(file_context), unit_(unit), place_(place), where_(where), caller_(caller) {
        scopes_.emplace_back();
    }

    // Lists of numbers are values.
    void take_lists() { takes_lists_ = true; }

    void declare(const std::string& name, const Known& known) {
        scopes_.back().insert_or_assign(name, known);
    }

    void check(const ast::Block& block) {
        scopes_.emplace_back();
        for (const ast::Stmt& stmt : block.stmts) check(stmt);
        scopes_.pop_back();
    }

    void check(const ast::Expr& expr) {
        std::visit(Overloaded{
                       [&](const ast::NameRef& n) { lookup(expr.span, n.text); },
                       [&](const ast::IntLiteral&) {},
                       [&](const ast::FloatLiteral&) {},
                       [&](const ast::BoolLiteral&) {},
                       [&](const ast::Infinity&) {},
                       [&](const ast::StringLiteral&) { refuse(expr.span, "a string"); },
                       [&](const ast::StructValue&) { refuse(expr.span, "a struct value"); },
                       [&](const ast::ListValue& n) {
                           if (!takes_lists_) refuse(expr.span, "a list");
                           for (const ast::ExprPtr& item : n.items) check(*item);
                       },
                       [&](const ast::Consume&) { refuse(expr.span, "`consume`"); },
                       [&](const ast::Unary& n) { check(*n.operand); },
                       [&](const ast::Binary& n) {
                           check(*n.left);
                           check(*n.right);
                       },
                       [&](const ast::Member& n) { check_member(n); },
                       [&](const ast::Index& n) {
                           check(*n.base);
                           for (const ast::Subscript& sub : n.subscripts) check(sub);
                       },
                       [&](const ast::Call& n) { check_call(n, expr.span); },
                       [&](const ast::IfExpr& n) {
                           check(*n.condition);
                           check(*n.then_value);
                           check(*n.else_value);
                       },
                   },
                   expr.node);
    }

private:
    void refuse(Span span, std::string_view what) {
        file_.error(span, msg::not_in_reference, what, place_);
    }

    const Known* find(const std::string& name) const {
        for (const auto& scope : std::views::reverse(scopes_)) {
            const auto found = scope.find(name);
            if (found != scope.end()) return &found->second;
        }
        return nullptr;
    }

    const Known* lookup(Span span, const std::string& name) {
        const Known* known = find(name);
        if (known != nullptr || is_number_name(name)) return known;
        DiagnosticBuilder message = file_.error(span, msg::unknown_name, "name", name);
        std::vector<std::string> names{"LOG2E", "LN2"};
        for (const auto& scope : scopes_) {
            for (const auto& [other, info] : scope) names.push_back(other);
        }
        if (!suggest(message, span, name, names) && !where_.empty()) message.help("{}", where_);
        declare(name, {});  // once is enough
        return nullptr;
    }

    void define(const ast::Name& name, Known known) {
        const Known* old = find(name.text);
        if (find_dtype(name.text) || is_number_name(name.text)) {
            file_.error(name.span, msg::predeclared_name, name.text, "a built-in name");
        } else if (old != nullptr && !old->what.empty()) {
            DiagnosticBuilder message =
                file_.error(name.span, msg::declared_twice, name.text, old->what);
            if (is_known(old->span)) message.label(old->span, "declared here");
        }
        known.span = name.span;
        declare(name.text, known);
    }

    // ---- statements

    void check(const ast::Stmt& stmt) {
        std::visit(Overloaded{
                       [&](const ast::Let& s) { check_let(s); },
                       [&](const ast::Assign& s) { check_assign(s); },
                       [&](const ast::For& s) { check_for(s); },
                       [&](const ast::If& s) {
                           check(*s.condition);
                           check(s.then_block);
                           if (s.else_block) check(*s.else_block);
                       },
                       [&](const ast::SharedVar& s) {
                           refuse(stmt.span, "`shared`");
                           define(s.name, {"a shared tile", true});
                       },
                       [&](const ast::CallStmt&) {
                           refuse(stmt.span, "a call whose result is not assigned");
                       },
                       [&](const ast::ForSpace&) { refuse(stmt.span, "a loop over a `space`"); },
                       [&](const ast::Produce&) { refuse(stmt.span, "`produce`"); },
                       [&](const ast::ConsumeBlock&) { refuse(stmt.span, "`consume`"); },
                       [&](const ast::Return& s) {
                           if (caller_ == nullptr) refuse(stmt.span, "`return`");
                           else if (s.value) check(*s.value);
                       },
                   },
                   stmt.node);
    }

    void check_let(const ast::Let& let) {
        check(*let.value);
        if (let.type) {
            const bool plain = let.type->generics.empty() && !let.type->packed;
            const Known* type = find(let.type->path.parts.front().text);
            const bool generic = type != nullptr && (type->generic || (caller_ && type->dtype));
            if (!plain || (!generic && !written_dtype(*let.type))) {
                DiagnosticBuilder message = file_.error(let.type->span, msg::unknown_type,
                                                        file_.sources.text(let.type->span));
                const std::string_view meant = other_type(let.type->path.parts.back().text);
                if (!meant.empty()) message.help("write `{}`", meant);
            }
            for (const ast::ExprPtr& extent : let.type->extents) check(*extent);
        }
        define(let.name, {let.is_var ? "a variable" : "a `let`", let.is_var, false, {}});
    }

    // `Y[r][c]` as `Y[r, c]`; empty where a slice among them keeps its axis.
    std::string joined_part(const ast::Expr& part) const {
        const auto* index = std::get_if<ast::Index>(&part.node);
        if (index == nullptr) {
            const bool name = std::holds_alternative<ast::NameRef>(part.node);
            return name ? std::string(file_.sources.text(part.span)) : "";
        }
        std::string all = joined_part(*index->base);
        if (all.empty()) return "";
        if (all.back() == ']') {
            all.back() = ',';
            all += ' ';
        } else {
            all += '[';
        }
        for (const ast::Subscript& sub : index->subscripts) {
            if (!std::holds_alternative<ast::Position>(sub.node)) return "";
            if (&sub != &index->subscripts.front()) all += ", ";
            all += file_.sources.text(sub.span);
        }
        return all + "]";
    }

    void check_assign(const ast::Assign& assign) {
        check(*assign.value);
        const ast::Expr* root = assign.target.get();
        if (const auto* index = std::get_if<ast::Index>(&root->node)) {
            for (const ast::Subscript& sub : index->subscripts) check(sub);
            root = index->base.get();
        }
        const auto* name = std::get_if<ast::NameRef>(&root->node);
        if (name == nullptr) {
            DiagnosticBuilder message = file_.error(assign.target->span, msg::not_in_reference,
                                                    "an assignment to a part of a part", place_);
            if (const std::string whole = joined_part(*assign.target); !whole.empty())
                message.help("write `{}`", whole);
            return;
        }
        const Known* known = lookup(root->span, name->text);
        if (known == nullptr || known->what.empty() || known->assignable) return;
        file_.error(root->span, msg::assignment_to_constant, name->text, known->what);
    }

    void check_for(const ast::For& loop) {
        if (loop.pipelined) refuse(loop.pipelined->span, "`pipelined`");
        scopes_.emplace_back();
        for (const ast::Iter& iter : loop.iters) {
            if (iter.begin) check(*iter.begin);
            check(*iter.end);
            if (iter.step) check(*iter.step);
            define(iter.name, {"a loop variable", false, iter.step != nullptr, {}});
        }
        check(loop.body);
        scopes_.pop_back();
    }

    // ---- expressions

    void check(const ast::Subscript& sub) {
        std::visit(Overloaded{
                       [&](const ast::WholeAxis&) {},
                       [&](const ast::Position& p) { check(*p.value); },
                       [&](const ast::Slice& s) {
                           check(*s.base);
                           check(*s.length);
                           if (s.step) check(*s.step);
                       },
                       [&](const ast::Range& r) {
                           check(*r.begin);
                           check(*r.end);
                       },
                   },
                   sub.node);
    }

    // `k`, `k.prev` of a loop with `by`.
    bool is_tile(const ast::Expr& expr) const {
        if (const auto* name = std::get_if<ast::NameRef>(&expr.node)) {
            const Known* known = find(name->text);
            return known != nullptr && known->tile;
        }
        const auto* member = std::get_if<ast::Member>(&expr.node);
        return member != nullptr &&
               (member->member.text == "prev" || member->member.text == "next") &&
               is_tile(*member->base);
    }

    void check_member(const ast::Member& member) {
        check(*member.base);
        static const std::vector<std::string> of_tiles{"start", "end", "prev", "next", "index"};
        const bool tile = is_tile(*member.base);
        const std::vector<std::string> known = tile ? of_tiles : std::vector<std::string>{"T"};
        for (const std::string& k : known) {
            if (k == member.member.text) return;
        }
        DiagnosticBuilder message =
            file_.error(member.member.span, msg::unknown_member,
                        tile ? "a tile index" : "a value of a reference", member.member.text);
        suggest(message, member.member.span, member.member.text, known);
    }

    void check_call(const ast::Call& call, Span span) {
        for (const ast::Arg& arg : call.args) {
            if (arg.is_inout) refuse(arg.span, "`inout`");
            check(*arg.value);
        }
        if (!call.hints.empty()) refuse(call.hints.front().span, "a hint of a load");
        const auto* callee = std::get_if<ast::NameRef>(&call.callee->node);
        const Known* known = callee == nullptr ? nullptr : find(callee->text);
        if (known != nullptr && known->function) return;  // a test says which
        const bool own_name = callee != nullptr && (known != nullptr || is_language_name(*callee));
        if (!own_name) {
            const auto function = find_function_name(unit_, file_.sources.text(call.callee->span));
            if (function) {
                check_declared(*function, call, span);
                return;
            }
        }
        if (callee == nullptr) {
            const auto* member = std::get_if<ast::Member>(&call.callee->node);
            const auto* module =
                member == nullptr ? nullptr : std::get_if<ast::NameRef>(&member->base->node);
            if (module == nullptr) {
                refuse(call.callee->span, "a call of this");
                return;
            }
            DiagnosticBuilder message =
                file_.error(call.callee->span, msg::unknown_name, "function",
                            module->text + "." + member->member.text);
            const auto imported = unit_.modules.find(module->text);
            if (imported != unit_.modules.end() && imported->second != nullptr)
                suggest_function_of(file_, message, *imported->second, module->text,
                                    member->member);
            return;
        }
        if (!call.generics.empty() || call.forwards) refuse(span, "an argument in `<>`");
        if (caller_ != nullptr && is_identity(*callee)) return;
        if (find_dtype(callee->text) || (known != nullptr && known->dtype)) {
            check_argument_count(file_, span, callee->text, 1, 1, call.args.size());
            return;
        }
        const ReferenceFunctionInfo* info = find_reference_function(callee->text);
        if (info == nullptr) {
            report_unknown_function(*callee, call.callee->span);
            return;
        }
        std::size_t places = 0;
        bool has_axis = false;
        bool has_number = false;
        const std::optional<TileFunction> tiles = tile_function_of(info->function);
        const std::string_view number = tiles ? tkc::info(*tiles).number : std::string_view();
        for (const ast::Arg& arg : call.args) {
            if (!arg.name) {
                ++places;
                continue;
            }
            const bool is_axis = arg.name->text == "axis";
            const bool is_number = !number.empty() && arg.name->text == number;
            bool& has = is_axis ? has_axis : has_number;
            const bool takes = is_number || (is_axis && info->axis == AxisArgument::named);
            if (!takes || has) {
                file_.error(arg.name->span, msg::unknown_argument, info->name, arg.name->text);
                return;
            }
            has = true;
        }
        if (!number.empty() && !has_number) {
            file_.error(span, msg::argument_count, info->name,
                        fmt::format("a value, `axis` and `{}`", number), call.args.size());
            return;
        }
        const std::size_t most = has_axis ? 1 : info->most;  // max(a, b) has no axis
        check_argument_count(file_, span, info->name, info->least, most, places);
    }

    static bool is_language_name(const ast::NameRef& name) {
        return find_dtype(name.text) || find_reference_function(name.text) != nullptr;
    }

    // What a function of the language may call, and does nothing on whole tensors; and a type that
    // follows from its arguments.
    bool is_identity(const ast::NameRef& callee) const {
        const std::optional<Operation> operation = find_operation(callee.text);
        if (operation == Operation::pad || operation == Operation::shared) return true;
        const Known* known = find(callee.text);
        return known != nullptr && known->generic;
    }

    static bool is_struct(const Unit& unit, const ast::Type& type) {
        const std::vector<ast::Name>& path = type.path.parts;
        const auto found = unit.decls.find(path.front().text);
        return path.size() > 1 || (found != unit.decls.end() &&
                                   std::holds_alternative<ast::Struct>(found->second->node));
    }

    // A function of the language works cell by cell, or along axes, on tensors as on tiles.
    void check_declared(const FunctionName& called, const ast::Call& call, Span span) {
        const ast::Function& function = *called.function;
        file_.used.insert(&function);
        const std::size_t count = function.params.size();
        if (!check_argument_count(file_, span, called.text, count, count, call.args.size())) return;
        for (const ast::FnParam& param : function.params) {
            const bool inout = param.mode == ast::FnParamMode::inout;
            if (!inout && !is_struct(*called.unit, param.type)) continue;
            file_
                .error(span, msg::not_in_reference,
                       inout ? "a function with `inout`" : "a function of structs", place_)
                .label(param.name.span, "the parameter");
            return;
        }
        for (const BodyChecker* c = this; c != nullptr; c = c->caller_) {
            if (c->inside_ != &function) continue;
            file_.error(span, msg::recursion, called.text);
            return;
        }
        BodyChecker body(file_, *called.unit, place_, "", this);
        body.inside_ = &function;
        for (const ast::ConstParam& c : function.consts) {
            body.declare(c.name.text,
                         {"a constant", false, false, c.name.span, c.kind == ast::ConstKind::dtype,
                          c.kind == ast::ConstKind::function});
        }
        for (const ast::FnParam& param : function.params) {
            const std::string& type = param.type.path.parts.front().text;
            if (!find_dtype(type))
                body.declare(type, {"a type", false, false, {}, false, false, true});
            for (const ast::ExprPtr& extent : param.type.extents) {
                const auto* name = std::get_if<ast::NameRef>(&extent->node);
                if (name != nullptr) body.declare(name->text, {"an extent", false, false, {}});
            }
        }
        for (const ast::FnParam& param : function.params)
            body.declare(param.name.text, {"an argument", false, false, param.name.span});
        const int before = file_.diag.error_count();
        body.check(function.body);
        if (file_.diag.error_count() == before) return;
        file_.error(span, msg::not_in_reference, "a function that only applies to tiles", place_)
            .label(function.name.span, "this one");
    }

    void report_unknown_function(const ast::NameRef& callee, Span span) {
        DiagnosticBuilder message = file_.error(span, msg::unknown_reference_function, callee.text);
        std::vector<std::string> known;
        known.reserve(reference_function_table.size() + dtype_table.size());
        for (const ReferenceFunctionInfo& row : reference_function_table) {
            known.emplace_back(row.name);
        }
        for (const DtypeInfo& row : dtype_table) known.emplace_back(row.name);
        for (const auto& [other, decl] : unit_.decls) {
            if (std::holds_alternative<ast::Function>(decl->node)) known.push_back(other);
        }
        if (suggest(message, span, callee.text, known)) return;
        if (callee.text == "mma") {
            message.help("a matrix product is written `a @ b`");
        } else if (takes_lists_ && find_fill(callee.text) != nullptr) {
            message.help(
                "a test of a function fills no tensors: write a list, or compute it from "
                "`range(n)`");
        }
    }

    FileContext& file_;
    const Unit& unit_;
    std::string_view place_;     // "a reference", "a test"
    std::string_view where_;     // help for unknown names
    const BodyChecker* caller_;  // of a function; null: a reference or a test
    const ast::Function* inside_ = nullptr;
    bool takes_lists_ = false;
    std::vector<std::map<std::string, Known>> scopes_;
};

void declare_numbers(BodyChecker& checker, const Subject& subject) {
    for (const ast::ConstParam& c : *subject.constants) {
        const bool dtype = c.kind == ast::ConstKind::dtype;
        const bool function = c.kind == ast::ConstKind::function;
        checker.declare(c.name.text, {"a constant", false, false, c.name.span, dtype, function});
    }
    for (const std::string& extent : subject.extents) {
        checker.declare(extent, {"an extent", false, false, {}});
    }
}

}  // namespace

bool check_argument_count(FileContext& file_context, Span span, std::string_view name,
                          std::size_t least, std::size_t most, std::size_t found) {
    if (least <= found && found <= most) return true;
    const std::string takes = least == most
                                  ? fmt::format("{} argument{}", least, least == 1 ? "" : "s")
                                  : fmt::format("{} to {} arguments", least, most);
    file_context.error(span, msg::argument_count, name, takes, found);
    return false;
}

void check_reference_body(FileContext& file_context, const Unit& unit, const Subject& subject,
                          const ast::Reference& reference) {
    BodyChecker checker(file_context, unit, "a reference",
                        "a reference can use the constants and extents of its kernel, and the "
                        "parameters that it lists");
    declare_numbers(checker, subject);
    for (const ast::Name& name : reference.params) {
        checker.declare(name.text, {"an input", false, false, name.span});
    }
    for (const ast::Name& name : reference.results) {
        checker.declare(name.text, {"a result", true, false, name.span});
    }
    checker.check(reference.body);
}

void check_test_expression(FileContext& file_context, const Unit& unit, const Subject& subject,
                           const ast::Expr& expr) {
    BodyChecker checker(
        file_context, unit, "a test",
        "a test can use the constants, extents and scalar parameters of its kernel");
    declare_numbers(checker, subject);
    for (const ast::KernelParam& p : *subject.parameters) {
        if (!is_tensor(p)) checker.declare(p.name.text, {"a parameter", false, false, p.name.span});
    }
    checker.check(expr);
}

void check_function_expression(FileContext& file_context, const Unit& unit,
                               const std::map<std::string, Span>& names, const ast::Expr& expr) {
    BodyChecker checker(file_context, unit, "a test",
                        "a test of a function can use the names that it sets above");
    checker.take_lists();
    for (const auto& [name, span] : names) checker.declare(name, {"a name", false, false, span});
    checker.check(expr);
}

}  // namespace tkc::checker
