// Which constants of a kernel change how it works, and nothing of what it means.
#include "frontend/check/interchangeable.h"

#include <algorithm>

#include "frontend/parse/ast_walk.h"

namespace tkc::checker {

namespace {

// Whether a slice of `name` elements from `base` on is a tile of a loop or grid that steps by them,
// or all of an axis that the kernel requires to be no longer. Else how much it reads is what the
// kernel means: `sum(load(X[r, 0 +: W]))`.
bool is_whole_slice(const ast::Kernel& kernel, const ast::Expr& base, const std::string& name) {
    const auto mentions = [](const ast::ExprPtr& e, const std::string& wanted) {
        bool found = false;
        Walk look;
        look.expr = [&](const ast::Expr& x) {
            const auto* ref = std::get_if<ast::NameRef>(&x.node);
            found = found || (ref != nullptr && ref->text == wanted);
        };
        if (e) walk(*e, look);
        return found;
    };
    bool whole = false;
    for (const ast::ExprPtr& condition : kernel.conditions) {
        const auto* c = std::get_if<ast::Binary>(&condition->node);
        if (c == nullptr) continue;
        const auto is_name = [&](const ast::ExprPtr& e) {
            const auto* ref = std::get_if<ast::NameRef>(&e->node);
            return ref != nullptr && ref->text == name;
        };
        whole = whole || (c->op == ast::BinaryOp::less_equal && is_name(c->right)) ||
                (c->op == ast::BinaryOp::greater_equal && is_name(c->left));
    }
    Walk steps;
    steps.iter = [&](const ast::Iter& iter) {
        if (!mentions(iter.step, name)) return;
        Walk look;
        look.expr = [&](const ast::Expr& x) {
            const auto* ref = std::get_if<ast::NameRef>(&x.node);
            whole = whole || (ref != nullptr && ref->text == iter.name.text);
        };
        walk(base, look);
    };
    for (const ast::KernelItem& item : kernel.items) walk(item, steps);
    return whole;
}

// Whether two instances of a kernel mean the same, so that a launcher may take either: `name` is
// used as a width or an extent only, or is the extent of a tensor, which the launcher compares.
bool is_schedule_only(const ast::Kernel& kernel, const std::string& name) {
    std::size_t all = 0;
    std::size_t harmless = 0;
    std::size_t* counter = &all;
    Walk count;
    count.expr = [&](const ast::Expr& e) {
        const auto* ref = std::get_if<ast::NameRef>(&e.node);
        if (ref != nullptr && ref->text == name) ++*counter;
    };
    walk(kernel, count);
    counter = &harmless;
    const auto add = [&](const ast::ExprPtr& e) {
        if (e) walk(*e, count);
    };
    // Extents of parameters do not count: they are compared with the argument, or made of what is.
    for (const ast::KernelParam& p : kernel.params) {
        for (const ast::ExprPtr& extent : p.type.extents) {
            const auto* ref = std::get_if<ast::NameRef>(&extent->node);
            const bool binds =
                p.mode != ast::ParamMode::scratch && p.mode != ast::ParamMode::counter;
            if (ref != nullptr && ref->text == name && binds) return true;
        }
    }
    for (const ast::ExprPtr& condition : kernel.conditions) add(condition);
    // What other constants are by default made of: those are looked at by themselves.
    for (const ast::ConstParam& c : kernel.consts) add(c.default_value);
    Walk places;
    bool in_item = false;
    places.type = [&](const ast::Type& type) {
        if (!in_item) return;
        for (const ast::ExprPtr& extent : type.extents) add(extent);
    };
    places.iter = [&](const ast::Iter& iter) { add(iter.step); };
    places.expr = [&](const ast::Expr& e) {
        const auto* index = std::get_if<ast::Index>(&e.node);
        if (index == nullptr) return;
        for (const ast::Subscript& sub : index->subscripts) {
            const auto* slice = std::get_if<ast::Slice>(&sub.node);
            if (slice != nullptr && is_whole_slice(kernel, *slice->base, name)) add(slice->length);
        }
    };
    places.item = [&](const ast::KernelItem& item) {
        if (const auto* p = std::get_if<ast::Pipeline>(&item.node)) add(p->stages);
        if (const auto* role = std::get_if<ast::Role>(&item.node)) {
            add(role->count);
            for (const ast::RoleWord& word : role->words) {
                if (const auto* r = std::get_if<ast::Registers>(&word.node)) add(r->count);
            }
        }
        const auto* grid = std::get_if<ast::Grid>(&item.node);
        for (std::size_t i = 0; grid != nullptr && i < grid->words.size(); ++i) {
            const auto& word = grid->words[i].node;
            if (const auto* r = std::get_if<ast::Raster>(&word)) add(r->band);
            if (const auto* c = std::get_if<ast::Cluster>(&word)) {
                for (const ast::GenericArg& size : c->sizes) add(size.value);
            }
        }
    };
    in_item = true;
    for (const ast::KernelItem& item : kernel.items) walk(item, places);
    return all == harmless;
}

}  // namespace

bool interchangeable(const ast::Kernel& kernel, const ir::Kernel& a, const ir::Kernel& b) {
    for (std::size_t i = 0; i < a.constants.size(); ++i) {
        const bool equal = ir::same(a.constants[i].value, b.constants[i].value);
        if (!equal && !is_schedule_only(kernel, a.constants[i].name)) return false;
    }
    // A dtype may be a constant of the kernel: what takes others is another function.
    const auto alike = [](const auto& x, const auto& y) {
        return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                          [](const auto& p, const auto& q) { return p.dtype == q.dtype; });
    };
    return alike(a.tensors, b.tensors) && alike(a.parameters, b.parameters);
}

}  // namespace tkc::checker
