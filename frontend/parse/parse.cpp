// Text to syntax tree: the only file that sees ANTLR.
//
// Three steps a file: lex and look at the tokens (tokens.h); let ANTLR read one declaration after
// the other, stopping at the first token that cannot be; build the nodes of ast.h from ANTLR's
// tree, one typed function a rule.
#include "frontend/parse/parse.h"

#include <algorithm>
#include <utility>

#include "TkParser.h"
#include "frontend/parse/ast_builder.h"
#include "frontend/parse/lex.h"
#include "frontend/parse/syntax_error.h"
#include "frontend/parse/tokens.h"

namespace tkc {
namespace {

using antlr4::ParserRuleContext;
using antlr4::tree::TerminalNode;
using P = TkParser;

// ---- the first error ends a declaration ----

// Thrown through ANTLR's functions to parse_declaration, and no further.
struct Stop {
    SyntaxError error;
};

class StopAtFirstError : public antlr4::DefaultErrorStrategy {
public:
    void sync(antlr4::Parser*) override {}
    void reportError(antlr4::Parser*, const antlr4::RecognitionException&) override {}
    void recover(antlr4::Parser* parser, std::exception_ptr) override { stop(parser); }
    antlr4::Token* recoverInline(antlr4::Parser* parser) override { stop(parser); }

private:
    [[noreturn]] static void stop(antlr4::Parser* parser) {
        Stop stop;
        stop.error.found = parser->getTokenStream()->index();
        const antlr4::dfa::Vocabulary& words = parser->getVocabulary();
        for (ssize_t type : parser->getExpectedTokens().toList()) {
            if (type <= 0) continue;  // the end of the file
            std::string word = words.getDisplayName(static_cast<std::size_t>(type));
            if (word.front() == '\'') word = word.substr(1, word.size() - 2);
            stop.error.expected.push_back(word);
        }
        for (auto* rule = parser->getContext(); rule;
             rule = static_cast<ParserRuleContext*>(rule->parent)) {
            std::size_t first = rule->getStart()->getTokenIndex();
            stop.error.rules.push_back({parser->getRuleNames()[rule->getRuleIndex()], first});
        }
        std::reverse(stop.error.rules.begin(), stop.error.rules.end());
        throw stop;
    }
};

// ---- from ANTLR's tree to ours ----

// One `build` a rule; what the grammar leaves open is decided by AstBuilder.
class Builder {
public:
    Builder(const TokenList& list, Diagnostics& diag)
        : list_(list), make_(list, diag), diag_(diag) {}

    ast::Import build(P::ImportDeclContext* c) { return {span(c), build(c->path())}; }

    ast::Decl build(P::DeclContext* c) {
        Span s = span(c);
        if (auto* x = c->kernel()) return {s, build(x)};
        if (auto* x = c->entry()) return {s, build(x)};
        if (auto* x = c->function()) return {s, build(x)};
        if (auto* x = c->structDecl()) return {s, build(x)};
        if (auto* x = c->instance()) return {s, build(x)};
        if (auto* x = c->reference()) return {s, build(x)};
        if (auto* x = c->test()) return {s, build(x)};
        if (auto* x = c->externFn()) return {s, build(x)};
        return {s, build(c->megakernel())};
    }

private:
    // ---- tokens ----

    static std::size_t at(TerminalNode* t) { return t->getSymbol()->getTokenIndex(); }
    static std::size_t at(ParserRuleContext* c) { return c->getStart()->getTokenIndex(); }
    Span span(TerminalNode* t) const { return list_.span(at(t)); }
    Span span(ParserRuleContext* c) const {
        return list_.span(at(c), c->getStop()->getTokenIndex());
    }
    ast::Name name(TerminalNode* t) const { return make_.name(at(t)); }
    // The n-th child, which is a token.
    static std::size_t token(ParserRuleContext* c, std::size_t n) {
        return at(static_cast<TerminalNode*>(c->children[n]));
    }

    // Every element of a list, by the `build` of its type.
    template <typename Context>
    auto all(const std::vector<Context*>& contexts) {
        std::vector<decltype(build(contexts[0]))> out;
        out.reserve(contexts.size());
        for (Context* c : contexts) out.push_back(build(c));
        return out;
    }
    template <typename Context>
    ast::ExprPtr maybe(Context* c) {
        return c ? build(c) : nullptr;
    }
    ast::Name build(TerminalNode* t) const { return name(t); }
    std::vector<ast::Name> names(P::NamesContext* c) { return all(c->NAME()); }

    // ---- declarations ----
    ast::LaunchHead head(auto* c) {
        return {name(c->NAME()), consts(c->consts()), params(c->kparams()),
                conditions(c->conditions()), conditions(c->beliefs())};
    }
    ast::Kernel build(P::KernelContext* c) { return {head(c), all(c->kitem())}; }
    // A `scratch` of the body is a parameter after the others.
    ast::Entry build(P::EntryContext* c) {
        ast::Entry entry{head(c), {}};
        entry.consts = make_.without_schedule(std::move(entry.consts), "an entry");
        for (P::EntryItemContext* item : c->entryItem()) {
            if (item->stmt()) {
                entry.body.stmts.push_back(build(item->stmt()));
                continue;
            }
            P::ScratchDeclContext* own = item->scratchDecl();
            entry.params.push_back(
                {span(own), ast::ParamMode::scratch, false, name(own->NAME()), build(own->type())});
        }
        return entry;
    }
    ast::Function build(P::FunctionContext* c) {
        return {name(c->NAME()), make_.without_schedule(consts(c->consts()), "a function"),
                params(c->fparams()), result(c->result()), build(c->block())};
    }
    ast::Struct build(P::StructDeclContext* c) {
        return {name(c->NAME()), make_.without_schedule(consts(c->consts()), "a struct"),
                all(c->field())};
    }
    ast::Instance build(P::InstanceContext* c) {
        ast::Path path = build(c->path());
        ast::Instance made{std::move(path.parts.back()), constants(c->cargs()), name(c->NAME())};
        path.parts.pop_back();
        for (const ast::Name& part : path.parts) {
            if (!made.module) made.module = part;
            else made.module->text += "." + part.text;
            made.module->span.end = part.span.end;
        }
        return made;
    }
    ast::Reference build(P::ReferenceContext* c) {
        std::vector<ast::Name> params;
        if (c->names().size() == 2) params = names(c->names(0));
        return {name(c->NAME()), std::move(params), names(c->names().back()), build(c->block())};
    }
    ast::Function build(P::ExternFnContext* c) {
        make_.word(at(c->NAME(0)), "kind of `extern`", "cuda");
        ast::Function::External external;
        if (c->STRING() != nullptr) {
            const std::string_view file = list_.text(at(c->STRING()));
            external = {std::string(file.substr(1, file.size() - 2)), span(c->STRING())};
        }
        return {name(c->NAME(1)),  {},      params(c->fparams()), result(c->result()),
                build(c->block()), external};
    }
    ast::Test build(P::TestContext* c) {
        ast::Test test{name(c->NAME(0)), {}, all(c->testItem())};
        if (c->NAME().size() == 3) {
            make_.word(at(c->NAME(1)), "keyword after the test name", "of");
            test.subject = name(c->NAME(2));
        }
        return test;
    }
    ast::Megakernel build(P::MegakernelContext* c) {
        ast::Megakernel mega{head(c)};
        for (P::MegaItemContext* item : c->megaItem()) {
            if (auto* op = item->op()) mega.ops.push_back(build(op));
            else mega.schedules.push_back(build(item->schedule()->block()));
        }
        return mega;
    }
    ast::Op build(P::OpContext* c) {
        return {span(c), name(c->NAME()), params(c->fparams()), all(c->kitem())};
    }

    std::optional<ast::Type> result(P::ResultContext* c) {
        if (!c) return std::nullopt;
        return build(c->type());
    }
    std::vector<ast::ConstParam> consts(P::ConstsContext* c) {
        return c ? all(c->constParam()) : std::vector<ast::ConstParam>();
    }
    std::vector<ast::KernelParam> params(P::KparamsContext* c) {
        return c ? all(c->kparam()) : std::vector<ast::KernelParam>();
    }
    std::vector<ast::FnParam> params(P::FparamsContext* c) {
        return c ? all(c->fparam()) : std::vector<ast::FnParam>();
    }
    std::vector<ast::ExprPtr> conditions(auto* c) {
        return c ? all(c->expr()) : std::vector<ast::ExprPtr>();
    }

    ast::ConstParam build(P::ConstParamContext* c) {
        ast::ConstParam param = make_.const_param(span(c), words(c->word()), maybe(c->add()));
        if (c->NAME() != nullptr) param.kind = make_.const_kind(at(c->NAME()));
        else if (c->isFunction != nullptr) param.kind = ast::ConstKind::function;
        return param;
    }
    static std::vector<std::size_t> words(const std::vector<P::WordContext*>& contexts) {
        std::vector<std::size_t> tokens;
        for (P::WordContext* c : contexts) tokens.push_back(at(c));
        return tokens;
    }
    ast::KernelParam build(P::KparamContext* c) {
        std::optional<ast::Type> type;
        std::vector<ast::ExprPtr> extents;
        if (c->type()) type = build(c->type());
        else extents = all(c->extents()->add());
        return make_.kernel_param(span(c), words(c->word()), std::move(type), std::move(extents));
    }
    ast::FnParam build(P::FparamContext* c) {
        return make_.fn_param(span(c), words(c->word()), build(c->type()));
    }

    ast::Path build(P::PathContext* c) {
        ast::Path path{span(c), {}};
        for (TerminalNode* t : c->NAME()) path.parts.push_back(name(t));
        return path;
    }
    ast::Field build(P::FieldContext* c) { return {span(c), name(c->NAME()), build(c->type())}; }
    ast::Type build(P::TypeContext* c) {
        ast::Type type{span(c), build(c->path()), {}, {}, {}};
        if (c->cargs()) type.generics = constants(c->cargs());
        if (c->extents()) type.extents = all(c->extents()->add());
        if (auto* packed = c->packed()) {
            make_.word(at(packed->NAME(0)), "keyword after a type", "packed");
            type.packed = name(packed->NAME(1));
        }
        return type;
    }
    // `forwards` receives the position of `..`; null: it is not allowed.
    std::vector<ast::GenericArg> constants(P::CargsContext* c,
                                           std::optional<Span>* forwards = nullptr) {
        std::vector<ast::GenericArg> made;
        for (P::CargContext* arg : c->carg()) {
            if (!arg->add().empty()) made.push_back(build(arg));
            else if (forwards != nullptr && !*forwards) *forwards = span(arg);
            else make_.misplaced_forward(span(arg));
        }
        return made;
    }
    ast::GenericArg build(P::CargContext* c) {
        ast::GenericArg arg{span(c), {}, build(c->add().back())};
        if (c->add().size() == 2) arg.name = make_.left_name(build(c->add(0)), "`<>`");
        return arg;
    }

    ast::TestItem build(P::TestItemContext* c) {
        Span s = span(c);
        if (c->list()) return {s, ast::Sweep{name(c->NAME(0)), all(c->list()->expr())}};
        if (c->EXPECT_THAT()) return {s, ast::ExpectThat{build(c->expr())}};
        if (!c->EXPECT()) return {s, ast::Binding{name(c->NAME(0)), build(c->expr())}};
        if (auto* text = c->STRING()) return {s, make_.expect_error(at(c->names()), at(text))};
        make_.word(at(c->NAME(0)), "keyword of an `expect`", "within");
        if (c->NAME(1)) make_.word(at(c->NAME(1)), "second keyword of an `expect`", "norm");
        return {s, ast::Expect{names(c->names()), build(c->add(0)), maybe(c->add(1))}};
    }
    ast::ExprPtr build(P::ListContext* c) {
        return make_.expr(span(c), ast::ListValue{all(c->expr())});
    }

    // ---- what is in a kernel ----

    ast::KernelItem build(P::KitemContext* c) {
        Span s = span(c);
        if (auto* x = c->grid()) {
            each_once(x->gridWord());
            return {s, ast::Grid{all(x->iters()->iter()), all(x->gridWord())}};
        }
        if (auto* x = c->pipeline()) return {s, build(x)};
        if (auto* x = c->space()) return {s, ast::Space{name(x->NAME()), all(x->iters()->iter())}};
        if (auto* x = c->role()) return {s, build(x)};
        if (auto* x = c->partition()) return {s, build(x)};
        return {s, build(c->stmt())};
    }
    ast::Partition build(P::PartitionContext* c) {
        return {name(c->NAME()), make_.partition_size(build(c->add())), all(c->kitem())};
    }
    template <class Words>
    void each_once(const Words& words) {
        std::vector<std::size_t> tokens;
        for (auto* word : words) tokens.push_back(at(word->NAME()));
        make_.each_once(tokens);
    }
    ast::GridWord build(P::GridWordContext* c) {
        return make_.grid_word(span(c), at(c->NAME()), all(c->arg()));
    }
    ast::Pipeline build(P::PipelineContext* c) {
        ast::Pipeline pipeline{name(c->NAME()), build(c->add()), {}, all(c->field())};
        if (auto* per = c->per()) {
            make_.word(at(per->NAME(0)), "keyword after the stages of a pipeline", "per");
            pipeline.per = ast::Instances{span(per), name(per->NAME(1)), build(per->add())};
        }
        if (c->type()) pipeline.fields.push_back({span(c->type()), {}, build(c->type())});
        return pipeline;
    }
    ast::Role build(P::RoleContext* c) {
        std::size_t unit = at(c->NAME(1));
        each_once(c->roleWord());
        ast::Role role{name(c->NAME(0)),
                       {},
                       build(c->add()),
                       make_.role_unit(unit),
                       join(span(c->add()), list_.span(unit)),
                       all(c->roleWord()),
                       build(c->block())};
        if (auto* i = c->instances()) {
            role.instances = ast::Instances{span(i), name(i->NAME()), build(i->add())};
        }
        return role;
    }
    ast::RoleWord build(P::RoleWordContext* c) {
        return make_.role_word(span(c), at(c->NAME()), maybe(c->add()));
    }
    ast::Iter build(P::IterContext* c) {
        ast::Iter iter{span(c), name(c->NAME()), c->REVERSED() != nullptr,
                       nullptr, nullptr,         nullptr};
        std::vector<P::BitOrContext*> bounds = c->bitOr();
        std::size_t behind_first = iter.reversed ? 4 : 3;
        bool is_range = c->children.size() > behind_first && list_.is(token(c, behind_first), "..");
        if (is_range) iter.begin = build(bounds[0]);
        iter.end = build(bounds[is_range ? 1 : 0]);
        std::size_t taken = is_range ? 2 : 1;
        if (bounds.size() > taken) iter.step = build(bounds[taken]);
        return iter;
    }

    // ---- statements ----

    ast::Block build(P::BlockContext* c) { return {span(c), all(c->stmt())}; }

    ast::Stmt build(P::StmtContext* c) {
        Span s = span(c);
        if (auto* x = c->let()) return {s, build(x)};
        if (auto* x = c->sharedVar()) return {s, build(x)};
        if (auto* x = c->forStmt()) return build(x);
        if (auto* x = c->ifStmt()) return {s, build(x)};
        if (auto* x = c->produce()) return {s, build(x)};
        if (auto* x = c->consumeStmt()) return {s, build(x)};
        if (auto* x = c->returnStmt()) return {s, ast::Return{maybe(x->rhs())}};
        return build(c->simple());
    }
    ast::Let build(P::LetContext* c) {
        ast::Let let{list_.is(at(c), "var"), name(c->NAME()), {}, build(c->rhs())};
        if (c->type()) let.type = build(c->type());
        return let;
    }
    ast::SharedVar build(P::SharedVarContext* c) {
        return {name(c->NAME()), build(c->type()), maybe(c->expr())};
    }
    ast::Stmt build(P::ForStmtContext* c) {
        std::optional<ast::Pipelined> depth;
        if (auto* w = c->forWord()) {
            make_.word(at(w->NAME()), "loop attribute", "pipelined");
            depth = ast::Pipelined{span(w), maybe(w->add())};
        }
        if (auto* x = c->iters()) {
            return {span(c), ast::For{all(x->iter()), std::move(depth), build(c->block())}};
        }
        return {span(c), ast::ForSpace{names(c->names()), name(c->NAME()), std::move(depth),
                                       build(c->block())}};
    }
    ast::If build(P::IfStmtContext* c) {
        std::vector<P::ElsePartContext*> parts = c->elsePart();
        for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
            if (!parts[i]->orExpr())
                diag_.error(list_.span(at(parts[i + 1])), msg::else_after_else);
        }
        std::optional<ast::Block> rest;  // built from the last part to the first
        bool rest_is_if = false;
        for (; !parts.empty(); parts.pop_back()) {
            P::ElsePartContext* part = parts.back();
            ast::Block block = build(part->block());
            if (auto* condition = part->orExpr()) {
                Span s = {list_.file, list_.tokens[at(part) + 1].begin, span(c).end};  // from `if`
                ast::If inner{build(condition), std::move(block), std::move(rest), rest_is_if};
                block = {s, {}};
                block.stmts.push_back({s, std::move(inner)});
            }
            rest = std::move(block);
            rest_is_if = part->orExpr() != nullptr;
        }
        return {build(c->orExpr()), build(c->block()), std::move(rest), rest_is_if};
    }
    ast::Produce build(P::ProduceContext* c) {
        return {build(c->pipe()), maybe(c->expr()), all(c->fieldValue())};
    }
    ast::ConsumeBlock build(P::ConsumeStmtContext* c) {
        return {build(c->pipe()), name(c->NAME()), build(c->block())};
    }
    ast::FieldValue build(P::FieldValueContext* c) {
        return {span(c), name(c->NAME()), build(c->expr())};
    }
    ast::Stmt build(P::SimpleContext* c) {
        std::size_t op = c->rhs() ? token(c, 1) : no_token;
        return make_.simple(span(c), build(c->postfix()), op, maybe(c->rhs()));
    }
    ast::ExprPtr build(P::RhsContext* c) {
        if (c->expr()) return build(c->expr());
        return make_.expr(span(c), ast::StructValue{all(c->structValue()->fieldValue())});
    }
    ast::PipeRef build(P::PipeContext* c) { return {span(c), name(c->NAME()), maybe(c->expr())}; }

    // ---- expressions ----

    ast::ExprPtr build(P::ExprContext* c) {
        return c->orExpr() ? build(c->orExpr()) : build(c->ifExpr());
    }
    ast::ExprPtr build(P::IfExprContext* c) {
        ast::ExprPtr other = c->ifExpr() ? build(c->ifExpr()) : build(c->expr(1));
        return make_.expr(span(c),
                          ast::IfExpr{build(c->orExpr()), build(c->expr(0)), std::move(other)});
    }
    ast::ExprPtr build(P::OrExprContext* c) { return chain<P::AndExprContext>(c); }
    ast::ExprPtr build(P::AndExprContext* c) { return chain<P::NotExprContext>(c); }
    ast::ExprPtr build(P::NotExprContext* c) {
        if (c->cmp()) return build(c->cmp());
        return make_.unary(span(c), at(c), build(c->notExpr()));
    }
    ast::ExprPtr build(P::CmpContext* c) {
        if (c->bitOr().size() > 2) make_.chained_comparison(token(c, 1), token(c, 3));
        return chain<P::BitOrContext>(c);
    }
    ast::ExprPtr build(P::BitOrContext* c) { return chain<P::BitXorContext>(c); }
    ast::ExprPtr build(P::BitXorContext* c) { return chain<P::BitAndContext>(c); }
    ast::ExprPtr build(P::BitAndContext* c) { return chain<P::ShiftContext>(c); }
    ast::ExprPtr build(P::ShiftContext* c) { return chain<P::AddContext>(c); }
    ast::ExprPtr build(P::AddContext* c) { return chain<P::MulContext>(c); }
    ast::ExprPtr build(P::MulContext* c) { return chain<P::UnaryContext>(c); }

    // operand {operator operand}, from left to right
    template <typename Operand>
    ast::ExprPtr chain(ParserRuleContext* c) {
        ast::ExprPtr left = build(static_cast<Operand*>(c->children[0]));
        for (std::size_t i = 1; i + 1 < c->children.size(); i += 2) {
            ast::ExprPtr right = build(static_cast<Operand*>(c->children[i + 1]));
            left = make_.binary(std::move(left), token(c, i), std::move(right));
        }
        return left;
    }

    ast::ExprPtr build(P::UnaryContext* c) {
        if (c->postfix()) return build(c->postfix());
        if (c->pipe()) return make_.expr(span(c), ast::Consume{build(c->pipe())});
        return make_.unary(span(c), at(c), build(c->unary()));
    }
    ast::ExprPtr build(P::PostfixContext* c) {
        ast::ExprPtr base = build(c->primary());
        for (P::SuffixContext* x : c->suffix()) {
            Span s = join(span(c->primary()), span(x));
            if (!x->sub().empty()) {
                base = make_.expr(s, ast::Index{std::move(base), all(x->sub())});
            } else if (x->NAME()) {
                base = make_.expr(s, ast::Member{std::move(base), name(x->NAME())});
            } else {
                ast::Call call{std::move(base), {}, all(x->arg()), all(x->hint())};
                if (x->cargs()) call.generics = constants(x->cargs(), &call.forwards);
                base = make_.call(s, std::move(call));
            }
        }
        return base;
    }
    ast::Hint build(P::HintContext* c) {
        std::optional<ast::Name> axis;
        if (c->NAME()) axis = name(c->NAME());
        return make_.hint(span(c), at(c), std::move(axis));
    }
    ast::Arg build(P::ArgContext* c) {
        if (c->postfix()) return {span(c), {}, true, build(c->postfix())};
        if (c->expr().size() == 1) return {span(c), {}, false, build(c->expr(0))};
        return {span(c), make_.left_name(build(c->expr(0)), "an argument"), false,
                build(c->expr(1))};
    }
    ast::Subscript build(P::SubContext* c) {
        if (c->ifExpr()) return {span(c), ast::Position{build(c->ifExpr())}};
        std::vector<P::BitOrContext*> parts = c->bitOr();
        if (parts.empty()) return {span(c), ast::WholeAxis{}};
        if (parts.size() == 1) return {span(c), ast::Position{build(parts[0])}};
        bool is_range = list_.is(token(c, 1), "..");
        if (is_range) return {span(c), ast::Range{build(parts[0]), build(parts[1])}};
        if (c->NAME()) make_.word(at(c->NAME()), "slice keyword", "step");
        ast::ExprPtr step = parts.size() == 3 ? build(parts[2]) : nullptr;
        return {span(c), ast::Slice{build(parts[0]), build(parts[1]), std::move(step)}};
    }
    ast::ExprPtr build(P::PrimaryContext* c) {
        if (c->list()) return build(c->list());
        return c->expr() ? make_.in_parentheses(span(c), build(c->expr())) : make_.literal(at(c));
    }

    const TokenList& list_;
    AstBuilder make_;
    Diagnostics& diag_;
};

// ---- a file ----

class FileParser {
public:
    FileParser(Lexed& lexed, Diagnostics& diag)
        : list_(lexed.list),
          diag_(diag),
          source_(std::move(lexed.antlr_tokens)),
          stream_(&source_),
          parser_(&stream_),
          builder_(list_, diag) {
        parser_.removeErrorListeners();
        parser_.setErrorHandler(std::make_shared<StopAtFirstError>());
        stream_.fill();
    }

    void run(ast::File& file) {
        while (list_.tokens[stream_.index()].kind != TokenKind::End) {
            std::size_t first = stream_.index();
            try {
                declaration(file);
            } catch (const Stop& stop) {
                report_syntax_error(list_, stop.error, diag_);
                stream_.seek(list_.next_declaration(std::max(first + 1, stop.error.found)));
            }
        }
    }

private:
    void declaration(ast::File& file) {
        std::size_t at = stream_.index();
        if (!list_.is_declaration(at)) throw Stop{{at, {}, {}}};
        if (list_.is(at, "import")) {
            if (!file.decls.empty()) diag_.error(list_.span(at), msg::import_after_declaration);
            file.imports.push_back(builder_.build(parser_.importDecl()));
            return;
        }
        file.decls.push_back(builder_.build(parser_.decl()));
    }

    const TokenList& list_;
    Diagnostics& diag_;
    antlr4::ListTokenSource source_;
    antlr4::CommonTokenStream stream_;
    TkParser parser_;
    Builder builder_;
};

}  // namespace

namespace {

// `origins`: of a derived text; else null.
std::optional<ast::File> parse_text(FileId id, const std::string& text, const DerivedText* origins,
                                    Diagnostics& diag) {
    int errors_before = diag.error_count();
    if (!check_text(id, text, diag)) return std::nullopt;
    Lexed lexed;
    lex(id, text, lexed);
    lexed.list.origins = origins;
    mark_words(lexed.list);
    pair_brackets(lexed.list);
    if (!check_tokens(lexed.list, diag)) return std::nullopt;
    retype(lexed);
    ast::File file;
    file.id = id;
    file.comments = std::move(lexed.comments);
    FileParser(lexed, diag).run(file);
    if (diag.error_count() > errors_before) return std::nullopt;
    return file;
}

}  // namespace

std::optional<ast::File> parse(FileId id, const SourceManager& sources, Diagnostics& diag) {
    return parse_text(id, sources.file(id).text, nullptr, diag);
}

std::optional<ast::File> parse(FileId id, const DerivedText& text, Diagnostics& diag) {
    return parse_text(id, text.text(), &text, diag);
}

bool is_name(std::string_view text) {
    Lexed lexed;
    lex(0, text, lexed);
    const std::vector<Token>& tokens = lexed.list.tokens;  // the last one is the end
    return tokens.size() == 2 && tokens.front().kind == TokenKind::Name &&
           tokens.front().end == text.size();
}

}  // namespace tkc
