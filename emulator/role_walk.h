// Where a role is in its code: the stack of loops and branches of one process.
#pragma once

#include <vector>

#include "emulator/environment.h"
#include "ir/operations.h"

namespace tkc::emulator {

// Steps through a block and the blocks inside it. `let`, `for` and `if` are done on the way; every
// other operation is the caller's, who asks for op() and says next() when it is done.
class Walk {
public:
    explicit Walk(Environment& env) : env_(&env) {}

    void start(const ir::Block& block) { frames_.assign(1, Frame{&block}); }
    // The operation to be done; null at the end. A body that was entered ends with its owner once
    // more, and then is_leaving().
    const ir::Op* op();
    bool is_leaving() const { return leaving_; }
    // The one that was looked at last; a `let`, `for` or `if` while it is being done.
    const ir::Op* doing() const { return doing_; }
    void next();
    // Goes through `body`, the region of `owner`, which must be op().
    void enter(const ir::Block& body, const ir::Op& owner);
    // The innermost operation whose body was entered; null outside of all.
    const ir::Op* owner() const;

private:
    struct Frame {
        const ir::Block* block = nullptr;
        std::size_t index = 0;
        const ir::For* loop = nullptr;
        std::int64_t value = 0, begin = 0, end = 0;
        const ir::Op* owner = nullptr;
    };
    void begin_loop(const ir::For& loop);
    // At the end of a block: again from its start, or one frame less. False: there is an owner.
    bool end_of_block();

    Environment* env_;
    std::vector<Frame> frames_;
    const ir::Op* doing_ = nullptr;
    bool leaving_ = false;
};

}  // namespace tkc::emulator
