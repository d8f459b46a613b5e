// Which loads can run ahead: those whose place every role can compute, of tensors that the kernel
// does not write.
#include "frontend/derive/loads.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <span>

#include "frontend/parse/ast_walk.h"
#include "frontend/parse/operand_uses.h"
#include "frontend/parse/parse.h"
#include "language/dtype.h"

namespace tkc::derive {

namespace {

using checker::call_of;
using checker::is_load;
using checker::tile_of_operand;

// The load that is shared, or that is a statement by itself; null: neither.
const ast::Expr* load_in(const ast::Expr& expr) {
    if (is_load(expr)) return &expr;
    const ast::Call* shared = call_of(expr, "shared");
    const bool shares = shared != nullptr && (shared->args.size() == 1 || shared->args.size() == 2);
    return shares && is_load(*shared->args[0].value) ? shared->args[0].value.get() : nullptr;
}

// The stages of `shared(load(..), n)`.
const ast::Expr* stages_in(const ast::Expr& expr) {
    const ast::Call* shared = call_of(expr, "shared");
    return shared != nullptr && shared->args.size() == 2 ? shared->args[1].value.get() : nullptr;
}

const ast::Index* slice_of(const ast::Expr& load) {
    const auto& call = std::get<ast::Call>(load.node);
    return call.args.size() == 1 ? std::get_if<ast::Index>(&call.args[0].value->node) : nullptr;
}

std::string lower(std::string text) {
    for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
}

class Finder {
public:
    // `every_loop` counts as pipelined.
    Finder(const ast::Kernel& kernel, Names& names, Reach reach, bool every_loop)
        : kernel_(kernel),
          names_(names),
          reach_(reach),
          every_loop_(every_loop),
          uses_(kernel.items) {}

    Loads run() {
        for (const ast::KernelItem& item : kernel_.items) {
            if (const auto* stmt = std::get_if<ast::Stmt>(&item.node)) visit(*stmt);
        }
        name_pipes();
        return std::move(loads_);
    }

private:
    void visit(const ast::Block& block) {
        for (const ast::Stmt& stmt : block.stmts) visit(stmt);
    }

    void visit(const ast::Stmt& stmt) {
        if (const auto* let = std::get_if<ast::Let>(&stmt.node)) {
            declare(let->name.text);
            if (names_.add_let(*let)) {
                loads_.common.insert(let);
                if (names_.is_list(let->name.text)) loads_.lists.insert(let);
                return;
            }
            if (const ast::Expr* load = load_in(*let->value); load != nullptr && may_move(*let)) {
                const bool read = !uses_.only_operand(let->name.text);
                const bool only_a = !read && !uses_.needs_shared(let->name.text);
                add(stmt, {{.operand = let->value.get(),
                            .load = load,
                            .stages = stages_in(*let->value),
                            .let = let,
                            .only_a = only_a,
                            .read = read}});
                return;
            }
        }
        add(stmt, loads_in(stmt));
        if (const auto* loop = std::get_if<ast::For>(&stmt.node)) {
            std::string why;
            loops_.push_back({&stmt, {}, branches_});
            for (const ast::Iter& iter : loop->iters) {
                if (!names_.is_common(iter)) why = bound_of_tiles;
                names_.add_iter(iter);
                declare(iter.name.text);
            }
            inside(loop->body, loop->pipelined, why);
            loops_.pop_back();
        } else if (const auto* walk = std::get_if<ast::ForSpace>(&stmt.node)) {
            loops_.push_back({&stmt, {}, branches_});
            for (const ast::Name& name : walk->names) declare(name.text);
            inside(walk->body, walk->pipelined, names_.add_space(*walk) ? "" : bound_of_tiles);
            loops_.pop_back();
        } else if (const auto* branch = std::get_if<ast::If>(&stmt.node)) {
            const std::string why =
                names_.is_common(*branch->condition) ? "" : "its condition depends on tiles";
            const bool constant = is_constant(*branch->condition);
            const std::string words = "(" + names_.text(branch->condition->span) + ")";
            ++branches_;
            if (constant) constants_.push_back(words);
            inside(branch->then_block, std::nullopt, why);
            if (constant) constants_.back() = "not " + words;
            if (branch->else_block) inside(*branch->else_block, std::nullopt, why);
            if (constant) constants_.pop_back();
            --branches_;
        }
    }

    // Whether the kernel's constants decide it, so that one of both sides is not there at all.
    bool is_constant(const ast::Expr& condition) const {
        bool constant = true;
        checker::Walk hooks;
        hooks.expr = [&](const ast::Expr& e) {
            const auto* name = std::get_if<ast::NameRef>(&e.node);
            if (name == nullptr) return;
            constant = constant && std::any_of(kernel_.consts.begin(), kernel_.consts.end(),
                                               [&](const ast::ConstParam& c) {
                                                   return c.name.text == name->text;
                                               });
        };
        checker::walk(condition, hooks);
        return constant;
    }

    void declare(const std::string& name) {
        for (Loop& loop : loops_) loop.declared.insert(name);
    }

    // The outermost loop in which the load is the same in every step; null: in none. Under a
    // condition, and at places that are read from memory, it might not be loaded at all.
    const ast::Stmt* loop_without(const Load& load) const {
        if (load.let != nullptr || loop_ == nullptr || !why_.empty()) return nullptr;
        std::set<std::string> names;
        int reads = 0;
        checker::Walk hooks;
        hooks.expr = [&](const ast::Expr& e) {
            if (const auto* name = std::get_if<ast::NameRef>(&e.node)) names.insert(name->text);
            reads += std::holds_alternative<ast::Index>(e.node) ? 1 : 0;
        };
        checker::walk(*load.load, hooks);
        if (reads != 1) return nullptr;
        const ast::Stmt* found = nullptr;
        for (auto loop = loops_.rbegin(); loop != loops_.rend(); ++loop) {
            const bool changes = std::any_of(names.begin(), names.end(), [&](const auto& name) {
                return loop->declared.contains(name);
            });
            if (changes || loop->branches != branches_) break;
            found = loop->stmt;
        }
        return found;
    }

    void inside(const ast::Block& body, const std::optional<ast::Pipelined>& word,
                const std::string& why) {
        const std::string before = why_;
        const ast::Pipelined* loop = loop_;
        if (why_.empty()) why_ = why;
        if (word) loop_ = &*word;
        if (every_loop_ && !loops_.empty() && loop_ == nullptr) loop_ = &any_;
        visit(body);
        why_ = before;
        loop_ = loop;
    }

    // Whether the tile of the load that is given a name may be an element of a pipeline. Outside of
    // loops, what products read from registers is loaded there.
    bool may_move(const ast::Let& let) const {
        const std::string& name = let.name.text;
        if (let.is_var) return false;
        if (uses_.only_operand(name)) return true;
        if (let.type) return false;
        if (loop_ != nullptr) return true;
        return uses_.is_operand(name) && (uses_.needs_shared(name) || !is_load(*let.value));
    }

    // The loads of a statement that are not the value of a `let`: operands, in the order of the
    // text, and then what else the loop's arithmetic reads.
    std::vector<Load> loads_in(const ast::Stmt& stmt) {
        std::vector<Load> found = operands_in(stmt);
        const bool computes = std::holds_alternative<ast::Let>(stmt.node) ||
                              std::holds_alternative<ast::SharedVar>(stmt.node) ||
                              std::holds_alternative<ast::Assign>(stmt.node) ||
                              std::holds_alternative<ast::CallStmt>(stmt.node);
        if (loop_ == nullptr || !computes) return found;
        std::set<const ast::Expr*> left_out;  // and lists in them, and what may not be computed
        checker::Walk below;
        below.expr = [&](const ast::Expr& e) { left_out.insert(&e); };
        for (const Load& load : found) checker::walk(*load.load, below);
        checker::Walk side;
        side.expr = [&](const ast::Expr& e) {
            if (is_load(e) && left_out.insert(&e).second)
                loads_.stay.push_back({e.span, "a branch of an `if` reads it"});
        };
        checker::Walk hooks;
        hooks.expr = [&](const ast::Expr& e) {
            if (const auto* choice = std::get_if<ast::IfExpr>(&e.node)) {
                checker::walk(*choice->then_value, side);
                checker::walk(*choice->else_value, side);
            }
            if (!is_load(e) || left_out.contains(&e)) return;
            found.push_back({.operand = &e, .load = &e, .only_a = false, .read = true});
            checker::walk(e, below);
        };
        checker::walk_own(stmt, hooks);
        return found;
    }

    // The loads in the places of operands, in the order of the text.
    static std::vector<Load> operands_in(const ast::Stmt& stmt) {
        std::vector<Load> found;
        checker::Walk hooks;
        hooks.expr = [&](const ast::Expr& e) {
            const ast::Call* mma = call_of(e, "mma");
            if (mma == nullptr || mma->args.size() < 2) return;
            for (const ast::Arg& arg : std::span(mma->args).first(2)) {
                bool turned = false;
                const ast::Expr& base = tile_of_operand(*arg.value, turned);
                const bool is_a = &arg == &mma->args.front() && !turned;
                if (const ast::Expr* load = load_in(base); load && !stages_in(base))
                    found.push_back(
                        {.operand = &base, .load = load, .only_a = is_a, .turned = turned});
            }
        };
        checker::walk_own(stmt, hooks);
        return found;
    }

    // Empty: it can run ahead; and what the pipeline has to know of it.
    std::string why_it_stays(Load& load) const {
        const ast::Index* slice = slice_of(*load.load);
        if (slice == nullptr) return "it has no slice";
        const View* view = names_.view(*slice->base);
        if (view == nullptr)
            return "the start or end of its view is computed in the kernel; compute it in an "
                   "earlier kernel, and read it from a tensor";
        if (view->tensor->mode != ast::ParamMode::in) return "the kernel writes the tensor";
        if (!why_.empty()) return why_;
        for (const ast::Subscript& sub : slice->subscripts) {
            bool common = true;
            if (const auto* p = std::get_if<ast::Position>(&sub.node)) {
                const bool list = names_.length_of_list(*p->value).has_value();
                common = list || names_.is_common(*p->value);
                load.listed = load.listed || list;
            }
            if (const auto* s = std::get_if<ast::Slice>(&sub.node))
                common = names_.is_common(*s->base) && names_.is_common(*s->length);
            if (!common)
                return "its position depends on tiles, or on numbers that change; compute these in "
                       "an earlier kernel, and read them from a tensor";
        }
        const auto extents = names_.extents_of(*slice);
        if (load.read && extents && is_vector(*extents))
            return "rows and columns stay with the products";
        const std::optional<Dtype> dtype = find_dtype(names_.text(view->tensor->type.path.span));
        if (load.read && dtype && bits_of(*dtype) == 64) return "TMA does not move 8-byte elements";
        if (!extents || extents->size() != 2) return "the shape of its tile is unknown";
        load.type = names_.text(view->tensor->type.path.span) + "[" + (*extents)[0] + ", " +
                    (*extents)[1] + "]";
        if (load.read && reach_ == Reach::products)
            return "its stages do not fit: use fewer stages or smaller tiles";
        load.field = lower(view->tensor->name.text);
        if (!is_name(load.field)) load.field += "_";
        return "";
    }

    static bool is_vector(const std::vector<std::string>& extents) {
        return extents.size() < 2 ||
               std::find(extents.begin(), extents.end(), "1") != extents.end();
    }

    void add(const ast::Stmt& stmt, std::vector<Load> found) {
        Pipe pipe{"", {}, loop_};
        for (Load& load : found) {
            if (std::string why = why_it_stays(load); !why.empty()) {
                if (loop_ != nullptr) loads_.stay.push_back({load.load->span, std::move(why)});
                continue;
            }
            load.only_where = fmt::format("{}", fmt::join(constants_, " and "));
            if (const ast::Stmt* loop = loop_without(load)) {
                load.name = names_.fresh(load.field);
                loads_.before[loop].push_back(loads_.pipes.size());
                loads_.pipes.push_back({"", {loads_.moved.size()}, nullptr});
                loads_.moved.push_back(std::move(load));
                continue;
            }
            if (load.let != nullptr) load.name = load.let->name.text;
            pipe.loads.push_back(loads_.moved.size());
            loads_.moved.push_back(std::move(load));
        }
        if (pipe.loads.empty()) return;
        loads_.of[&stmt].push_back(loads_.pipes.size());
        loads_.pipes.push_back(std::move(pipe));
    }

    void name_pipes() {
        for (Pipe& pipe : loads_.pipes) {
            std::string name;
            std::set<std::string> fields;
            for (const std::size_t i : pipe.loads) {
                Load& load = loads_.moved[i];
                const std::string wanted = load.field;
                for (int n = 2; !fields.insert(load.field).second; ++n)
                    load.field = wanted + "_" + std::to_string(n);
                name += load.field + "_";
            }
            pipe.name = names_.fresh(name + "tiles");
        }
    }

    static constexpr const char* bound_of_tiles = "a bound of its loop depends on tiles";

    const ast::Kernel& kernel_;
    Names& names_;
    Reach reach_;
    bool every_loop_;
    Loads loads_;
    checker::OperandUses uses_;
    struct Loop {
        const ast::Stmt* stmt;
        std::set<std::string> declared;  // its variables, and what is declared in it
        int branches;                    // round it
    };
    std::vector<Loop> loops_;  // that are open, the outermost first
    int branches_ = 0;
    std::vector<std::string> constants_;    // enclosing conditions that consist of constants
    std::string why_;                       // all loads here stay; empty: they may move
    const ast::Pipelined* loop_ = nullptr;  // the innermost such word
    ast::Pipelined any_;                    // as if it were written
};

}  // namespace

Loads find_loads(const ast::Kernel& kernel, Names& names, Reach reach) {
    return Finder(kernel, names, reach, false).run();
}

std::vector<Stays> find_staying(const ast::Kernel& kernel, Names& names, Reach reach) {
    return Finder(kernel, names, reach, true).run().stay;
}

}  // namespace tkc::derive
