// Names of the numbers that roles read from tiles: `consumer.n.v2`, which no user's name can be and
// no other role has.
#pragma once

#include <string>

#include "arithmetic/scalar.h"

namespace tkc::ir {

std::string number_name(const std::string& role, const std::string& written, int count);
// What the author called it: `n`. Any other name is left as it is.
std::string written_name(const std::string& name);
// The expression in the author's names, for people.
Scalar as_written(const Scalar& s);

}  // namespace tkc::ir
