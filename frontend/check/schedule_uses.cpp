// Which uses of a constant of a kernel change how it works, and nothing of what it means.
//
//     kernel sums<schedule BM: int = 64, schedule W: int = 4>(X: f32[M, 64], out Y: f32[M])
//     {
//         grid (m in M by BM) warps(W);                   // a stride, and a schedule attribute
//         store(Y[m], sum(load(X[m, :]), axis = 1));
//     }
//
// The uses that decide no result are listed here; any other use is one that may. Nothing is
// followed through the numbers that a kernel computes, but for `m.start + BM`, where a tile ends.
// What functions make of the extents of their arguments is found where they are inlined
// (numbers_of_extents.h).
#include "frontend/check/schedule_uses.h"

#include <algorithm>

#include "frontend/parse/ast_walk.h"

namespace tkc::checker {

bool is_name(const ast::ExprPtr& e, const std::string& name) {
    const auto* ref = e ? std::get_if<ast::NameRef>(&e->node) : nullptr;
    return ref != nullptr && ref->text == name;
}

namespace {

bool is_zero(const ast::Expr& e) {
    const auto* number = std::get_if<ast::IntLiteral>(&e.node);
    return number != nullptr && number->value == 0;
}

void for_each_name(const ast::Expr& e, const std::function<void(const ast::Expr&)>& visit) {
    Walk look;
    look.expr = [&](const ast::Expr& x) {
        if (std::holds_alternative<ast::NameRef>(x.node)) visit(x);
    };
    walk(e, look);
}

bool mentions(const ast::ExprPtr& e, const std::string& name) {
    bool found = false;
    if (e) {
        for_each_name(*e, [&](const ast::Expr& x) {
            found = found || std::get<ast::NameRef>(x.node).text == name;
        });
    }
    return found;
}

const char* const places_help =
    "`m.start` and `m.end` of a range `m` are positions in elements, whatever its step";

// The function that a call names, and the file where it is.
struct Called {
    const Unit* unit = nullptr;
    const ast::Function* function = nullptr;
};

Called called_function(const Unit& unit, const ast::Expr& callee) {
    const Unit* in = &unit;
    const std::string* name = nullptr;
    if (const auto* own = std::get_if<ast::NameRef>(&callee.node)) {
        name = &own->text;
    } else if (const auto* member = std::get_if<ast::Member>(&callee.node)) {
        const auto* module = std::get_if<ast::NameRef>(&member->base->node);
        const auto found = module == nullptr ? unit.modules.end() : unit.modules.find(module->text);
        in = found == unit.modules.end() ? nullptr : found->second;
        name = &member->member.text;
    }
    if (in == nullptr || name == nullptr) return {};
    const auto decl = in->decls.find(*name);
    if (decl == in->decls.end()) return {};
    return {in, std::get_if<ast::Function>(&decl->second->node)};
}

// The constant of the function that argument `i` of `<>` is for; null if an error is reported
// elsewhere.
const ast::ConstParam* parameter_of(const ast::Function& function, const ast::Call& call,
                                    std::size_t i) {
    const ast::GenericArg& arg = call.generics[i];
    if (!arg.name) return i < function.consts.size() ? &function.consts[i] : nullptr;
    const auto found =
        std::find_if(function.consts.begin(), function.consts.end(),
                     [&](const ast::ConstParam& c) { return c.name.text == arg.name->text; });
    return found == function.consts.end() ? nullptr : &*found;
}

// The uses of one name in a kernel or a function.
class Uses {
public:
    Uses(const Unit& unit, std::string name, std::set<const ast::Function*>& inside)
        : unit_(unit), name_(std::move(name)), inside_(inside) {}

    std::optional<OtherUse> first_other(const ast::Kernel& kernel) {
        kernel_ = &kernel;
        // Twice: a `let` may be used above its line.
        for (const ast::KernelItem& item : kernel.items) walk(item, ranges_);
        for (const ast::KernelItem& item : kernel.items) walk(item, ranges_);
        // Where a candidate may run, and what other constants are by default made of: those are
        // looked at by themselves.
        for (const ast::ExprPtr& condition : kernel.conditions) allow(condition);
        for (const ast::ConstParam& c : kernel.consts) allow(c.default_value);
        for (const ast::KernelParam& p : kernel.params) {
            for (const ast::ExprPtr& extent : p.type.extents) {
                if (p.mode == ast::ParamMode::counter) allow(extent);
                else because(extent, "is part of the shape of `" + p.name.text + "`", "");
            }
        }
        for (const ast::KernelItem& item : kernel.items) walk(item, places_);
        walk(kernel, all_);
        return first_;
    }

    std::optional<OtherUse> first_other(const ast::Function& function) {
        for (const ast::FnParam& p : function.params) walk(p.type, places_);
        if (function.result) walk(*function.result, places_);
        for (const ast::Stmt& stmt : function.body.stmts) walk(stmt, ranges_);
        for (const ast::Stmt& stmt : function.body.stmts) walk(stmt, places_);
        for (const ast::Stmt& stmt : function.body.stmts) walk(stmt, all_);
        return first_;
    }

private:
    // ---- what is found

    void allow(const ast::ExprPtr& e) {
        if (e) for_each_name(*e, [&](const ast::Expr& x) { harmless_.insert(&x); });
    }
    // What is told of a use in there, unless it is allowed.
    void because(const ast::ExprPtr& e, const std::string& what, const std::string& help) {
        if (!e) return;
        for_each_name(
            *e, [&](const ast::Expr& x) { reasons_.insert_or_assign(&x, std::pair(what, help)); });
    }
    void found(const ast::Expr& use) {
        if (first_ && first_->span.begin <= use.span.begin) return;
        const auto reason = reasons_.find(&use);
        first_ = reason != reasons_.end()
                     ? OtherUse{use.span, reason->second.first, reason->second.second}
                     : OtherUse{use.span, "is a number here, from which results are computed", ""};
    }

    // ---- ranges that step by the name

    void see_range(const ast::Iter& iter) {
        if (!mentions(iter.step, name_)) return;
        stepping_.insert(iter.name.text);
        // `for j in BN..end by BN` goes on after a first tile that is written out.
        if (is_name(iter.begin, name_)) goes_on_ = true;
    }
    void see_walk(const ast::ForSpace& loop) {
        if (kernel_ == nullptr) return;
        for (const ast::KernelItem& item : kernel_->items) {
            const auto* space = std::get_if<ast::Space>(&item.node);
            if (space == nullptr || space->name.text != loop.space.text) continue;
            for (std::size_t i = 0; i < std::min(space->iters.size(), loop.names.size()); ++i) {
                if (mentions(space->iters[i].step, name_)) stepping_.insert(loop.names[i].text);
            }
        }
    }
    void see_slice(const ast::Index& index) {
        for (const ast::Subscript& sub : index.subscripts) {
            const auto* slice = std::get_if<ast::Slice>(&sub.node);
            if (slice != nullptr && is_zero(*slice->base) && is_name(slice->length, name_))
                first_tile_ = true;
        }
    }

    // Whether it is a place that begins with a tile of that width: `m.start + (N - M)`. The name
    // added to it is where the tile ends, as `m.end` says without the name.
    bool is_start(const ast::Expr& e) const {
        if (const auto* name = std::get_if<ast::NameRef>(&e.node))
            return starts_.contains(name->text);
        if (const auto* member = std::get_if<ast::Member>(&e.node)) {
            const auto* range = std::get_if<ast::NameRef>(&member->base->node);
            return member->member.text == "start" && range != nullptr &&
                   stepping_.contains(range->text);
        }
        const auto* sum = std::get_if<ast::Binary>(&e.node);
        if (sum == nullptr) return false;
        return (sum->op == ast::BinaryOp::add && is_start(*sum->left) != is_start(*sum->right)) ||
               (sum->op == ast::BinaryOp::subtract && is_start(*sum->left) &&
                !is_start(*sum->right));
    }
    void see_sum(const ast::Binary& sum) {
        if (sum.op != ast::BinaryOp::add) return;
        if (is_name(sum.right, name_) && is_start(*sum.left)) allow(sum.right);
        if (is_name(sum.left, name_) && is_start(*sum.right)) allow(sum.left);
    }

    // ---- places where the name may be

    // Whether a slice of `name` elements from `base` on is a tile of a loop or grid that steps by
    // them, or all of an axis that the kernel requires to be no longer. Else how much it reads is
    // what the kernel means: `sum(load(X[r, 0 +: W]))`.
    bool is_whole(const ast::Slice& slice) const {
        bool whole = goes_on_ && is_zero(*slice.base);
        for (std::size_t i = 0; kernel_ != nullptr && i < kernel_->conditions.size(); ++i) {
            const auto* c = std::get_if<ast::Binary>(&kernel_->conditions[i]->node);
            if (c == nullptr) continue;
            whole = whole || (c->op == ast::BinaryOp::less_equal && is_name(c->right, name_)) ||
                    (c->op == ast::BinaryOp::greater_equal && is_name(c->left, name_));
        }
        for_each_name(*slice.base, [&](const ast::Expr& x) {
            whole = whole || stepping_.contains(std::get<ast::NameRef>(x.node).text);
        });
        return whole;
    }

    void see_subscripts(const ast::Index& index) {
        for (const ast::Subscript& sub : index.subscripts) {
            if (const auto* at = std::get_if<ast::Position>(&sub.node))
                because(at->value, "decides a memory position", places_help);
            const auto* slice = std::get_if<ast::Slice>(&sub.node);
            if (slice == nullptr) continue;
            because(slice->base, "decides a memory position", places_help);
            because(slice->length, "decides how much is read or written",
                    "use it as the step, `for k in K by " + name_ +
                        "`, or require that it covers a whole axis, `requires C <= " + name_ + "`");
            if (is_whole(*slice)) allow(slice->length);
        }
    }

    void see_iter(const ast::Iter& iter) {
        allow(iter.step);
        because(iter.begin, "decides where a loop begins",
                "this is allowed if the tile before it, `0 +: " + name_ +
                    "`, is written out and the loop uses it as its step");
        because(iter.end, "decides where a loop ends", places_help);
        if (goes_on_ && first_tile_ && is_name(iter.begin, name_)) allow(iter.begin);
    }

    void see_call(const ast::Call& call) {
        const auto* builtin = std::get_if<ast::NameRef>(&call.callee->node);
        const auto is = [&](std::string_view name) {
            return builtin != nullptr && builtin->text == name;
        };
        if ((is("last_tile") && !stepping_.empty()) || is("shared")) {
            for (std::size_t i = 1; i < call.args.size(); ++i) allow(call.args[i].value);
        }
        if (is("range") || is("await") || is("signal")) {
            for (const ast::Arg& arg : call.args) {
                allow(arg.value);
                if (!is("range")) walk(*arg.value, orders_);
            }
        }
        for (std::size_t i = 0; i < call.generics.size(); ++i) see_constant(call, i);
    }

    // `softmax.start<BM>(..)`
    void see_constant(const ast::Call& call, std::size_t i) {
        if (!mentions(call.generics[i].value, name_)) return;
        const Called called = called_function(unit_, *call.callee);
        const ast::ConstParam* param =
            called.function == nullptr ? nullptr : parameter_of(*called.function, call, i);
        if (param == nullptr || !inside_.insert(called.function).second) return;
        const std::optional<OtherUse> other =
            Uses(*called.unit, param->name.text, inside_).first_other(*called.function);
        inside_.erase(called.function);
        if (other) {
            because(call.generics[i].value,
                    "is a constant of `" + called.function->name.text +
                        "`, which uses it for more than the extent of a tile",
                    "");
        } else {
            allow(call.generics[i].value);
        }
    }

    void see_item(const ast::KernelItem& item) {
        if (const auto* p = std::get_if<ast::Pipeline>(&item.node)) allow(p->stages);
        if (const auto* role = std::get_if<ast::Role>(&item.node)) {
            allow(role->count);
            for (const ast::RoleWord& word : role->words) {
                if (const auto* r = std::get_if<ast::Registers>(&word.node)) allow(r->count);
                if (const auto* a = std::get_if<ast::Alternate>(&word.node)) allow(a->when);
            }
        }
        const auto* grid = std::get_if<ast::Grid>(&item.node);
        for (std::size_t i = 0; grid != nullptr && i < grid->words.size(); ++i) {
            const auto& word = grid->words[i].node;
            if (const auto* w = std::get_if<ast::Warps>(&word)) allow(w->count);
            if (const auto* b = std::get_if<ast::BlocksPerSm>(&word)) allow(b->count);
            if (const auto* s = std::get_if<ast::Spills>(&word)) allow(s->bytes);
            if (const auto* h = std::get_if<ast::HeaviestFirst>(&word)) allow(h->weight);
            if (const auto* d = std::get_if<ast::Dynamic>(&word)) allow(d->when);
            if (const auto* r = std::get_if<ast::Raster>(&word)) allow(r->band);
            if (const auto* c = std::get_if<ast::Cluster>(&word)) {
                for (const ast::GenericArg& size : c->sizes) allow(size.value);
            }
        }
    }

    void see_expression(const ast::Expr& e) {
        if (const auto* index = std::get_if<ast::Index>(&e.node)) see_subscripts(*index);
        if (const auto* call = std::get_if<ast::Call>(&e.node)) see_call(*call);
        if (const auto* sum = std::get_if<ast::Binary>(&e.node)) see_sum(*sum);
    }

    // `m.index`, the number of a tile, changes with its width.
    bool counts_tiles(const ast::Expr& e) const {
        const auto* member = std::get_if<ast::Member>(&e.node);
        const auto* range =
            member == nullptr ? nullptr : std::get_if<ast::NameRef>(&member->base->node);
        return range != nullptr && member->member.text == "index" &&
               stepping_.contains(range->text);
    }

    const Unit& unit_;
    const std::string name_;
    std::set<const ast::Function*>& inside_;  // functions that are being looked at
    const ast::Kernel* kernel_ = nullptr;
    std::set<std::string> stepping_;  // ranges that step by the name
    std::set<std::string> starts_;    // what begins with a tile of one of them
    bool goes_on_ = false;            // a loop begins at it ..
    bool first_tile_ = false;         // .. after a tile of it
    std::set<const ast::Expr*> harmless_;
    std::map<const ast::Expr*, std::pair<std::string, std::string>> reasons_;
    std::optional<OtherUse> first_;

    Walk ranges_{
        .expr =
            [this](const ast::Expr& e) {
                if (const auto* index = std::get_if<ast::Index>(&e.node)) see_slice(*index);
            },
        .stmt =
            [this](const ast::Stmt& stmt) {
                if (const auto* loop = std::get_if<ast::ForSpace>(&stmt.node)) see_walk(*loop);
                const auto* loop = std::get_if<ast::For>(&stmt.node);
                if (loop != nullptr && loop->pipelined) allow(loop->pipelined->depth);
                const auto* let = std::get_if<ast::Let>(&stmt.node);
                if (let != nullptr && !let->is_var && is_start(*let->value))
                    starts_.insert(let->name.text);
            },
        .type = {},
        .iter = [this](const ast::Iter& iter) { see_range(iter); },
        .item = {},
    };
    Walk places_{
        .expr = [this](const ast::Expr& e) { see_expression(e); },
        .stmt =
            [this](const ast::Stmt& stmt) {
                const auto* loop = std::get_if<ast::ForSpace>(&stmt.node);
                if (loop != nullptr && loop->pipelined) allow(loop->pipelined->depth);
            },
        .type =
            [this](const ast::Type& type) {
                for (const ast::GenericArg& g : type.generics) allow(g.value);
                for (const ast::ExprPtr& extent : type.extents) allow(extent);
            },
        .iter = [this](const ast::Iter& iter) { see_iter(iter); },
        .item = [this](const ast::KernelItem& item) { see_item(item); },
    };
    // Who waits for whom is schedule.
    Walk orders_{
        .expr =
            [this](const ast::Expr& e) {
                if (counts_tiles(e)) harmless_.insert(&e);
            },
        .stmt = {},
        .type = {},
        .iter = {},
        .item = {},
    };
    Walk all_{
        .expr =
            [this](const ast::Expr& e) {
                if (harmless_.contains(&e)) return;
                const auto* ref = std::get_if<ast::NameRef>(&e.node);
                if (ref != nullptr && ref->text == name_) found(e);
                if (!counts_tiles(e)) return;
                const ast::ExprPtr& range = std::get<ast::Member>(e.node).base;
                reasons_.insert_or_assign(
                    &e, std::pair("is the width of the tiles that `" +
                                      std::get<ast::NameRef>(range->node).text + ".index` counts",
                                  places_help));
                found(e);
            },
        .stmt = {},
        .type = {},
        .iter = {},
        .item = {},
    };
};

}  // namespace

std::optional<OtherUse> other_use(const Unit& unit, const ast::Kernel& kernel,
                                  const std::string& constant) {
    std::set<const ast::Function*> inside;
    return Uses(unit, constant, inside).first_other(kernel);
}

std::optional<OtherUse> other_use(const Unit& unit, const ast::Function& function,
                                  const std::string& name) {
    std::set<const ast::Function*> inside{&function};
    return Uses(unit, name, inside).first_other(function);
}

}  // namespace tkc::checker
