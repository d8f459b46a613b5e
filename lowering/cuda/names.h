// Names of emitted code: the user's where possible, with a number appended where C++, the runtime
// or another name of the scope is in the way.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tkc::cuda {

class Names {
public:
    /// A name that nothing visible has, as close to `wanted` as possible; taken until its scope
    /// ends.
    std::string fresh(std::string_view wanted);
    void begin_scope() { marks_.push_back(taken_.size()); }
    void end_scope();

private:
    bool is_taken(std::string_view name) const;

    std::vector<std::string> taken_;
    std::vector<std::size_t> marks_;
};

/// `text` as a C++ identifier: anything else becomes `_`.
std::string identifier(std::string_view text);

}  // namespace tkc::cuda
