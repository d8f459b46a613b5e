// Names that stand for a `shared` variable, or a part of one, and not for a copy: `let old = t;`.
// They are read before the variable is assigned to again, so that a name always means one value.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/span.h"
#include "frontend/check/forward.h"
#include "frontend/check/values.h"

namespace tkc::checker {

class SharedNames {
public:
    explicit SharedNames(Context& context) : context_(context) {}

    void open_role();
    // When a name is declared; later ones are larger.
    std::size_t now() { return ++clock_; }
    // The variable gets a new value.
    void assigned(ir::Value variable, Span span);
    // What a `let`, or a parameter of a function, got at `bound` under this name is read.
    void read(const std::string& name, const Operand& value, std::size_t bound, bool is_argument,
              Span span);
    void open_loop();
    void close_loop();
    // What the first branch assigns, the other one does not see.
    struct Branches {
        std::size_t begin = 0;
        std::size_t middle = 0;
    };
    Branches open_branch() { return {now(), 0}; }
    void open_other(Branches& branches);
    void close_other() { not_seen_.pop_back(); }

private:
    struct Assigned {
        std::size_t when;
        Span span;
    };
    struct Read {
        std::size_t when;
        std::size_t bound;
        std::uint32_t variable;
        std::string name;
        Operand value;
        bool is_argument;
        Span span;
        bool reported = false;
    };
    void report(Read& read, const Assigned& assigned);

    Context& context_;
    std::size_t clock_ = 0;
    std::map<std::uint32_t, std::vector<Assigned>> assigned_;  // by variable
    std::vector<Read> reads_;
    std::vector<std::size_t> loops_;  // when the open ones began
    std::vector<Branches> not_seen_;  // of the open second branches: when the first one ran
};

}  // namespace tkc::checker
