// Names of emitted code: the user's where possible, with a number appended where C++, the runtime
// or another name of the scope is in the way.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tkc::cuda {

class Names {
public:
    /// Says that the user has this name somewhere, so that no invented one takes it.
    void claim(std::string_view name);
    /// A name that nothing visible has, as close to the user's as possible; taken until its scope
    /// ends.
    std::string fresh(std::string_view wanted);
    /// The same for a name that the user did not choose.
    std::string invent(std::string_view wanted);
    void begin_scope() { marks_.push_back(taken_.size()); }
    void end_scope();

private:
    bool is_taken(std::string_view name) const;
    std::string take(std::string_view wanted, bool invented);

    std::set<std::string, std::less<>> claimed_;
    std::vector<std::string> taken_;
    std::vector<std::size_t> marks_;
};

/// `text` as a C++ identifier: anything else becomes `_`.
std::string identifier(std::string_view text);

}  // namespace tkc::cuda
