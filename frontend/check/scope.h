// The names that can be seen at one place of a kernel.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/check/values.h"
#include "frontend/parse/ast.h"

namespace tkc::checker {

enum class EntityKind : std::uint8_t {
    constant,
    extent,
    tensor,
    counter,
    parameter,
    grid_index,
    pipeline,
    space,
    role,
    let,
    variable,
    loop_index,
    element,
    argument,
};

struct Entity {
    EntityKind kind = EntityKind::let;
    std::string name;
    Span span;  // of the name in its declaration
    Operand value;
    std::size_t depth = 0;  // of the blocks of the IR, where it was declared
    bool used = false;
    const ast::Let* pending = nullptr;  // a `let` of the kernel that was not looked at yet
    bool busy = false;                  // it is being looked at
    bool guess = false;                 // unknown and reported: here to be reported once
    Span origin = {};                   // of a variable: where it was declared, by whatever name
    std::size_t bound = 0;              // when it got its value, as SharedNames counts
};

// "a constant", "a `let`", ..
std::string_view kind_text(EntityKind kind);

// A stack of names. A frame is what one body sees: a kernel with one of its roles, or a function.
class Scope {
public:
    struct Mark {
        std::size_t size;
        std::size_t frame;
        std::size_t block;
    };

    Entity& add(Entity entity);
    Entity* find(std::string_view name);
    // The same, if it was declared in the innermost open block.
    Entity* find_here(std::string_view name);
    Mark open();
    // What follows belongs to the block around, although it ends at the mark.
    void join(Mark mark) { block_ = mark.block; }
    Mark open_frame();
    void close(Mark mark);
    // Those added since `mark`, in order.
    std::vector<Entity*> since(Mark mark);
    std::vector<std::string> names() const;

private:
    std::deque<Entity> entities_;  // a deque: references to entities stay good
    std::map<std::string, std::vector<std::size_t>, std::less<>> places_;  // of each name
    std::size_t frame_ = 0;
    std::size_t block_ = 0;  // where the innermost one begins
};

}  // namespace tkc::checker
