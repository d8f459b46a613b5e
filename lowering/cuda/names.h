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
    // Says that the user has this name somewhere, so that no invented one takes it.
    void claim(std::string_view name);
    // A name that nothing visible has, as close to the user's as possible; taken until its scope
    // ends.
    std::string fresh(std::string_view wanted);
    // The same for a name that the user did not choose.
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

// Whether C++, the toolkit's or the runtime's headers have the name, so that emitted code may not.
bool is_reserved(std::string_view name);

// A name of the user as it is in a launcher, which has words of its own. Different names stay
// different.
std::string host_name(const std::string& name);

// What the C function is called that launches `name`.
std::string launcher_name(const std::string& name);

// `text` as a C++ identifier: anything else becomes `_`.
std::string identifier(std::string_view text);

}  // namespace tkc::cuda
