// Loops, and the spaces that name them.
#pragma once

#include "frontend/check/forward.h"
#include "frontend/check/numbers.h"

namespace tkc::checker {

struct Space {
    std::vector<LoopRange> ranges;  // a variable of the space is in them as its symbol here
    std::vector<std::string> symbols;
};

class Loops {
public:
    explicit Loops(Parts& parts);

    void check_for(const ast::For& loop);
    void check_for_space(const ast::ForSpace& loop);
    void check_space(const ast::Space& space);
    const Space& space(const std::string& name) const { return spaces_.at(name); }
    // How many points the space has; null where that is not known, which is told.
    ir::Scalar points(const Space& space, Span span);

private:
    LoopRange check_iter(const ast::Iter& iter);
    void declare_loop_index(const ast::Name& name, const std::string& symbol,
                            const LoopRange& range);
    std::string symbol_for(const std::string& name);
    ir::For open_loop(const ast::Name& name, const LoopRange& range);
    void close_loops(std::vector<ir::For> nest, Span whole);
    std::int64_t check_depth(const std::optional<ast::Pipelined>& word);  // loads in flight
    const Space* find_space(const ast::ForSpace& loop);  // null if an error was reported

    Builder& builder_;
    Context& context_;
    Names& names_;
    Numbers& numbers_;
    Statements& statements_;
    Types& types_;

    std::size_t open_loops_ = 0;
    std::vector<std::string> open_symbols_;  // of the loops around, in the IR
    std::set<std::string> inner_symbols_;    // of loops whose names mean something else around them
    std::map<std::string, Space> spaces_;
};

}  // namespace tkc::checker
