// What a kernel does with a constant, besides scheduling.
#pragma once

#include <optional>
#include <string>

#include "frontend/check/file_context.h"

namespace tkc::checker {

// Whether the expression, which may be null, is this name and nothing else.
bool is_name(const ast::ExprPtr& e, const std::string& name);

// A use of a constant that decides more than a schedule.
struct OtherUse {
    Span span;
    std::string what;  // "is in the shape of `A`"
    std::string help;
};

// The first such use in the head or the body of the kernel, in the order of the text.
std::optional<OtherUse> other_use(const Unit& unit, const ast::Kernel& kernel,
                                  const std::string& constant);

// The same in the body of a function, of a constant or of a name in the types of its parameters.
std::optional<OtherUse> other_use(const Unit& unit, const ast::Function& function,
                                  const std::string& name);

}  // namespace tkc::checker
