// What the names of a sequential kernel are, as far as the syntax shows: which of them every role
// can compute for itself, and which tensors a view is of. Blocks that are side by side may
// declare one name each; what a name is changes as the walk over the kernel goes on.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/source.h"
#include "frontend/parse/ast.h"
#include "language/operation.h"

namespace tkc::derive {

// A tensor, or a view of one: the extents of the axes that are left, as they are written.
struct View {
    const ast::KernelParam* tensor = nullptr;
    std::vector<std::string> extents;
};

// The words of an expression, with the parentheses that its place leaves out: that of `(a) - (b)`
// goes from a to b.
std::string words_of(const SourceManager& sources, Span span);

class Names {
public:
    Names(const ast::Kernel& kernel, const SourceManager& sources);

    // A loop's variable, which every role can compute if it can compute the bounds.
    void add_iter(const ast::Iter& iter);
    // The variables of a loop over a space; false: its ranges are not such that every role can
    // compute them.
    bool add_space(const ast::ForSpace& loop);
    // A declaration; false: it is not a number, a view or a list that every role can compute.
    bool add_let(const ast::Let& let);
    bool is_list(const std::string& name) const { return lists_.contains(name); }

    // Whether every role can compute the expression: it is made of the grid, extents, parameters,
    // numbers, and elements of tensors that nobody writes.
    bool is_common(const ast::Expr& expr) const;
    bool is_common(const ast::Iter& iter) const;
    // The length, as it is written, of a list of positions that every role can make: of loads, and
    // of what is computed of each of their cells. Nothing where it is none.
    std::optional<std::string> length_of_list(const ast::Expr& expr) const;
    // The tensor or view that the expression names; null: it names none.
    const View* view(const ast::Expr& expr) const;
    // The extents of a slice, as they are written: those of its ranges. Nothing where they do not
    // show.
    std::optional<std::vector<std::string>> extents_of(const ast::Index& slice) const;
    // A name that the kernel does not have, which it has from now on.
    std::string fresh(const std::string& wanted);

    std::string text(Span span) const { return words_of(sources_, span); }

private:
    void forget(const std::string& name);
    // `list`: the length of the lists that it is made of is put there; null: none is common.
    bool is_common(const ast::Expr& expr, std::string* list) const;
    std::string length_of_call(const ast::Call& call, Operation operation) const;
    std::optional<View> view_of(const ast::Index& index) const;

    const ast::Kernel& kernel_;
    const SourceManager& sources_;
    std::set<std::string> taken_;
    std::set<std::string> numbers_;
    std::map<std::string, std::string> steps_;  // of variables of tiles, as they are written
    std::map<std::string, View> views_;
    std::set<std::string> positions_;           // names that subscripts have
    std::map<std::string, std::string> lists_;  // and their lengths, as they are written
};

}  // namespace tkc::derive
