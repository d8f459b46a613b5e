// Functions of a file that call themselves, directly or through others.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "base/span.h"
#include "frontend/parse/ast.h"

namespace tkc::checker {

struct Unit;

// All calls of a file, looked at once: in steps that grow as they do, and in a stack that does not
// grow, however long the chains of calls are.
class CallCircles {
public:
    explicit CallCircles(const Unit& unit);

    // The functions that `function` calls and that call it, each through others, and itself; empty
    // where it never comes back to itself.
    std::vector<const ast::Function*> circle_of(const ast::Function& function) const;
    // The first call by which such a function comes back to itself, each call followed in turn.
    std::optional<Span> way_back(const ast::Function& function) const;

private:
    struct Call {
        const ast::Function* function = nullptr;
        Span span;
    };
    void find_circles(const ast::Function& first);

    std::map<const ast::Function*, std::vector<Call>> calls_;
    std::map<const ast::Function*, int> circles_;  // by number; one function alone has one, too
    int found_ = 0;
    // Of the walk: when each function was met, and the ones that are in no circle yet.
    std::map<const ast::Function*, std::size_t> met_;
    std::vector<const ast::Function*> open_;
};

}  // namespace tkc::checker
