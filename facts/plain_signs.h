// What is plain from the text of an integer: whether it can be negative, and whether memory decides
// on it.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "facts/value_range.h"
#include "ir/module.h"

namespace tkc::ir {

// The names of a kernel whose values depend on what it reads, or loops whose ends do.
std::set<std::string> names_of_data(const Kernel& kernel);

// Whether a position depends on what the kernel reads, by itself or by one of these names. What
// the launcher knows of extents and parameters says nothing about it.
bool is_from_data(const std::set<std::string>& names, const Scalar& s);

// Sums, products and the like of extents, constants and variables that begin at 0 or later.
class PlainSigns {
public:
    // `names`: the ranges of what is in the role.
    PlainSigns(const Kernel& kernel, const Role& role, const Ranges& names);

    // False where it may be so, but does not show.
    bool never_negative(const Scalar& s) const;
    // The same of the number on paper, which may wrap in the machine's: for what a launch refuses
    // then, or the emulator reports. `otherwise` is asked of parts whose text does not tell.
    bool never_negative_on_paper(const Scalar& s,
                                 const std::function<bool(const Scalar&)>& otherwise) const;

private:
    struct Question {
        bool as_integers;
        const std::function<bool(const Scalar&)>* otherwise;  // null: nobody
    };
    bool shows(const Scalar& s, const Question& question, int depth) const;
    bool shows(const Scalar& s, const Call& called, const Question& question, int depth) const;
    bool is_of_data(const Scalar& s) const;

    const Kernel& kernel_;
    Ranges names_;
    std::map<std::string, std::vector<Scalar>> values_;  // the least ones, by name
    mutable std::optional<std::set<std::string>> data_;  // names, once somebody asks
};

}  // namespace tkc::ir
