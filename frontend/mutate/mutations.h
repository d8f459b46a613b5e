// Mutants: programs that differ from a file in one place, as they would by a slip of the author's.
// A test suite that accepts one would not notice that slip.
#pragma once

#include <string>
#include <vector>

#include "base/diagnose.h"
#include "frontend/parse/ast.h"

namespace tkc::mutation {

// Which declarations are changed.
enum class Part { kernels, references };  // kernels: with entries and functions

struct Mutation {
    Edit edit;          // of the file's text
    std::string owner;  // the kernel, entry, function or reference
    bool in_function = false;
    bool silenced = false;  // by a comment `mutate: same meaning` on its line, or on the one above
    std::string what;       // a sentence without its end: "`max` becomes `min`"
};

// All mutations of a file that passed the checker, in the order of the text. None touches the
// schedule: grids, widths of roles, stages of pipelines, shapes of tiles, and conditions that only
// constants of the schedule decide. What a mutant does may still be refused by the checks, or mean
// the same.
std::vector<Mutation> mutations_of(const ast::File& file, const SourceManager& sources, Part part);

}  // namespace tkc::mutation
