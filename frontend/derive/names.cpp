// Numbers, variables of tiles and views, by the syntax alone.
#include "frontend/derive/names.h"

#include <algorithm>

#include "frontend/parse/ast_walk.h"
#include "frontend/parse/parse.h"
#include "language/dtype.h"
#include "language/function.h"
#include "language/operation.h"

namespace tkc::derive {

std::string words_of(const SourceManager& sources, Span span) {
    std::string text(sources.text(span));
    int depth = 0;
    int least = 0;
    for (const char c : text) {
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
        least = std::min(least, depth);
    }
    const auto missing = [](int count) { return static_cast<std::size_t>(count); };
    text.insert(0, missing(-least), '(');
    return text + std::string(missing(depth - least), ')');
}

Names::Names(const ast::Kernel& kernel, const SourceManager& sources)
    : kernel_(kernel), sources_(sources) {
    for (const ast::ConstParam& c : kernel.consts) numbers_.insert(c.name.text);
    for (const ast::KernelParam& p : kernel.params) {
        taken_.insert(p.name.text);
        if (p.type.extents.empty()) {
            numbers_.insert(p.name.text);
            continue;
        }
        View view{&p, {}};
        for (const ast::ExprPtr& extent : p.type.extents) {
            view.extents.push_back(text(extent->span));
            checker::Walk parts;
            parts.expr = [&](const ast::Expr& e) {
                if (const auto* name = std::get_if<ast::NameRef>(&e.node))
                    numbers_.insert(name->text);
            };
            checker::walk(*extent, parts);
        }
        views_[p.name.text] = std::move(view);
    }
    checker::Walk hooks;
    hooks.expr = [&](const ast::Expr& e) {
        if (const auto* name = std::get_if<ast::NameRef>(&e.node)) taken_.insert(name->text);
        const auto* index = std::get_if<ast::Index>(&e.node);
        if (index == nullptr) return;
        checker::Walk parts;
        parts.expr = [&](const ast::Expr& part) {
            if (const auto* name = std::get_if<ast::NameRef>(&part.node))
                positions_.insert(name->text);
        };
        for (const ast::Subscript& sub : index->subscripts) {
            if (const auto* at = std::get_if<ast::Position>(&sub.node))
                checker::walk(*at->value, parts);
        }
    };
    hooks.iter = [&](const ast::Iter& iter) { taken_.insert(iter.name.text); };
    hooks.stmt = [&](const ast::Stmt& s) {
        if (const auto* let = std::get_if<ast::Let>(&s.node)) taken_.insert(let->name.text);
        if (const auto* own = std::get_if<ast::SharedVar>(&s.node)) taken_.insert(own->name.text);
        if (const auto* loop = std::get_if<ast::ForSpace>(&s.node)) {
            for (const ast::Name& name : loop->names) taken_.insert(name.text);
        }
    };
    hooks.item = [&](const ast::KernelItem& item) {
        if (const auto* space = std::get_if<ast::Space>(&item.node))
            taken_.insert(space->name.text);
    };
    checker::walk(kernel, hooks);
    taken_.insert(numbers_.begin(), numbers_.end());
    for (const ast::KernelItem& item : kernel.items) {
        const auto* grid = std::get_if<ast::Grid>(&item.node);
        if (grid == nullptr) continue;
        for (const ast::Iter& iter : grid->iters) add_iter(iter);
    }
}

// What a name was before, in a block that is closed.
void Names::forget(const std::string& name) {
    numbers_.erase(name);
    steps_.erase(name);
    views_.erase(name);
    lists_.erase(name);
}

void Names::add_iter(const ast::Iter& iter) {
    const bool common = is_common(iter);
    forget(iter.name.text);
    if (!common) return;
    numbers_.insert(iter.name.text);
    if (iter.step) steps_[iter.name.text] = text(iter.step->span);
}

bool Names::add_space(const ast::ForSpace& loop) {
    for (const ast::KernelItem& item : kernel_.items) {
        const auto* space = std::get_if<ast::Space>(&item.node);
        if (space == nullptr || space->name.text != loop.space.text) continue;
        for (std::size_t i = 0; i < space->iters.size() && i < loop.names.size(); ++i) {
            const ast::Iter& iter = space->iters[i];
            if (!is_common(iter)) return false;
            add_iter(iter);  // a later range may name it
            forget(loop.names[i].text);
            numbers_.insert(loop.names[i].text);
            if (iter.step) steps_[loop.names[i].text] = text(iter.step->span);
        }
        return true;
    }
    return false;
}

bool Names::add_let(const ast::Let& let) {
    const bool tile = let.type && !let.type->extents.empty();
    const bool common = !let.is_var && !tile && is_common(*let.value);
    std::optional<std::string> length;
    if (!common && !let.is_var && !tile && positions_.contains(let.name.text))
        length = length_of_list(*let.value);
    forget(let.name.text);
    if (length) lists_[let.name.text] = *length;
    if (!common) return length.has_value();
    const auto* index = std::get_if<ast::Index>(&let.value->node);
    if (index != nullptr && view(*index->base) != nullptr) {
        const std::optional<View> made = view_of(*index);
        if (!made) return false;
        if (!made->extents.empty()) {
            views_[let.name.text] = *made;
            return true;
        }
    }
    numbers_.insert(let.name.text);
    return true;
}

const View* Names::view(const ast::Expr& expr) const {
    const auto* name = std::get_if<ast::NameRef>(&expr.node);
    const auto found = name == nullptr ? views_.end() : views_.find(name->text);
    return found == views_.end() ? nullptr : &found->second;
}

bool Names::is_common(const ast::Iter& iter) const {
    return (!iter.begin || is_common(*iter.begin)) && is_common(*iter.end) &&
           (!iter.step || is_common(*iter.step));
}

bool Names::is_common(const ast::Expr& expr) const { return is_common(expr, nullptr); }

std::optional<std::string> Names::length_of_list(const ast::Expr& expr) const {
    std::string length;
    if (!is_common(expr, &length) || length.empty()) return std::nullopt;
    return length;
}

// Empty: it makes no list.
std::string Names::length_of_call(const ast::Call& call, Operation operation) const {
    if (call.args.size() != 1) return "";
    const ast::Expr& argument = *call.args[0].value;
    if (operation == Operation::range) return text(argument.span);
    const auto* slice = std::get_if<ast::Index>(&argument.node);
    if (operation != Operation::load || slice == nullptr) return "";
    const auto extents = extents_of(*slice);
    return extents && extents->size() == 1 ? extents->front() : "";
}

bool Names::is_common(const ast::Expr& expr, std::string* list) const {
    bool common = true;
    std::set<const ast::Expr*> called;
    checker::Walk hooks;
    hooks.expr = [&](const ast::Expr& e) {
        if (std::holds_alternative<ast::Consume>(e.node) ||
            std::holds_alternative<ast::StructValue>(e.node))
            common = false;
        if (const auto* call = std::get_if<ast::Call>(&e.node)) {
            const auto* name = std::get_if<ast::NameRef>(&call->callee->node);
            if (name == nullptr) return void(common = false);
            called.insert(call->callee.get());
            const auto operation = find_operation(name->text);
            if (list != nullptr && operation) {
                if (std::string length = length_of_call(*call, *operation); !length.empty()) {
                    if (list->empty() || length != "1") *list = std::move(length);  // one for all
                    return;
                }
            }
            common =
                common && (operation == Operation::last_tile ||
                           (!operation && (find_function(name->text) || find_dtype(name->text))));
        }
        const auto* name = std::get_if<ast::NameRef>(&e.node);
        if (name == nullptr || called.contains(&e) || numbers_.contains(name->text)) return;
        if (const auto found = lists_.find(name->text); list != nullptr && found != lists_.end()) {
            if (list->empty() || found->second != "1") *list = found->second;
            return;
        }
        const View* of = view(e);
        common = common && of != nullptr && of->tensor->mode == ast::ParamMode::in;
    };
    checker::walk(expr, hooks);
    return common;
}

std::optional<std::vector<std::string>> Names::extents_of(const ast::Index& slice) const {
    const std::optional<View> made = view_of(slice);
    return made ? std::optional(made->extents) : std::nullopt;
}

std::optional<View> Names::view_of(const ast::Index& index) const {
    const View* base = view(*index.base);
    if (base == nullptr || index.subscripts.size() > base->extents.size()) return std::nullopt;
    View made{base->tensor, {}};
    for (std::size_t i = 0; i < base->extents.size(); ++i) {
        const ast::Subscript* sub = i < index.subscripts.size() ? &index.subscripts[i] : nullptr;
        if (sub == nullptr || std::holds_alternative<ast::WholeAxis>(sub->node)) {
            made.extents.push_back(base->extents[i]);
            continue;
        }
        if (const auto* slice = std::get_if<ast::Slice>(&sub->node)) {
            if (slice->step) return std::nullopt;
            made.extents.push_back(text(slice->length->span));
            continue;
        }
        const auto* position = std::get_if<ast::Position>(&sub->node);
        if (position == nullptr) return std::nullopt;
        const ast::Expr* at = position->value.get();
        if (checker::call_of(*at, "last_tile") != nullptr) {
            const auto& args = std::get<ast::Call>(at->node).args;
            if (args.size() != 2) return std::nullopt;
            made.extents.push_back(text(args[1].value->span));
            continue;
        }
        if (const auto* member = std::get_if<ast::Member>(&at->node)) {
            if (member->member.text == "prev" || member->member.text == "next")
                at = member->base.get();
        }
        if (const auto length = length_of_list(*at)) {
            made.extents.push_back(*length);
            continue;
        }
        const auto* name = std::get_if<ast::NameRef>(&at->node);
        const auto step = name == nullptr ? steps_.end() : steps_.find(name->text);
        if (step != steps_.end()) made.extents.push_back(step->second);
    }
    return made;
}

std::string Names::fresh(const std::string& wanted) {
    const auto is_taken = [&](const std::string& name) {
        return taken_.contains(name) || find_operation(name) || find_function(name) ||
               find_dtype(name) || !is_name(name);
    };
    std::string name = wanted;
    for (int i = 2; is_taken(name); ++i) name = wanted + "_" + std::to_string(i);
    taken_.insert(name);
    return name;
}

}  // namespace tkc::derive
