// Circles of calls by the algorithm of Tarjan (1972), with a stack of its own.
#include "frontend/check/call_circles.h"

#include <algorithm>
#include <set>

#include "frontend/check/file_context.h"
#include "frontend/parse/ast_walk.h"

namespace tkc::checker {

CallCircles::CallCircles(const Unit& unit) {
    for (const ast::Decl& decl : unit.file->decls) {
        const auto* function = std::get_if<ast::Function>(&decl.node);
        if (function == nullptr) continue;
        std::vector<Call>& calls = calls_[function];
        Walk hooks;
        hooks.expr = [&](const ast::Expr& e) {
            const auto* call = std::get_if<ast::Call>(&e.node);
            const auto* name =
                call == nullptr ? nullptr : std::get_if<ast::NameRef>(&call->callee->node);
            const auto found = name == nullptr ? unit.decls.end() : unit.decls.find(name->text);
            if (found == unit.decls.end()) return;
            if (const auto* called = std::get_if<ast::Function>(&found->second->node))
                calls.push_back({called, e.span});
        };
        walk(function->body, hooks);
    }
    for (const auto& [function, calls] : calls_) {
        if (!met_.contains(function)) find_circles(*function);
    }
}

void CallCircles::find_circles(const ast::Function& first) {
    struct Visit {
        const ast::Function* function;
        std::size_t next = 0;  // of its calls
        std::size_t earliest;  // function that was met and can be come back to
    };
    std::vector<Visit> stack;
    const auto begin = [&](const ast::Function* function) {
        const std::size_t number = met_.size();
        met_[function] = number;
        open_.push_back(function);
        stack.push_back({function, 0, number});
    };
    begin(&first);
    while (!stack.empty()) {
        Visit& top = stack.back();
        const std::vector<Call>& calls = calls_[top.function];
        if (top.next < calls.size()) {
            const ast::Function* const called = calls[top.next++].function;
            const auto met = met_.find(called);
            if (met == met_.end()) begin(called);
            else if (!circles_.contains(called)) top.earliest = std::min(top.earliest, met->second);
            continue;
        }
        const Visit done = top;
        stack.pop_back();
        if (!stack.empty()) stack.back().earliest = std::min(stack.back().earliest, done.earliest);
        if (done.earliest != met_[done.function]) continue;
        while (!circles_.contains(done.function)) {
            circles_[open_.back()] = found_;
            open_.pop_back();
        }
        ++found_;
    }
}

std::vector<const ast::Function*> CallCircles::circle_of(const ast::Function& function) const {
    std::vector<const ast::Function*> members;
    const auto circle = circles_.find(&function);
    if (circle == circles_.end() || !way_back(function)) return members;
    for (const auto& [member, number] : circles_) {
        if (number == circle->second) members.push_back(member);
    }
    return members;
}

std::optional<Span> CallCircles::way_back(const ast::Function& function) const {
    const auto circle = circles_.find(&function);
    if (circle == circles_.end()) return std::nullopt;
    struct Visit {
        const ast::Function* function;
        std::size_t next = 0;
    };
    std::set<const ast::Function*> seen;
    std::vector<Visit> stack{{&function}};
    while (!stack.empty()) {
        Visit& top = stack.back();
        const std::vector<Call>& calls = calls_.at(top.function);
        if (top.next == calls.size()) {
            stack.pop_back();
            continue;
        }
        const Call& call = calls[top.next++];
        if (call.function == &function) return call.span;
        if (circles_.at(call.function) == circle->second && seen.insert(call.function).second)
            stack.push_back({call.function});
    }
    return std::nullopt;
}

}  // namespace tkc::checker
