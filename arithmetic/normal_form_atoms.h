// For the files that make normal forms: atoms as they are, without the simplifications.
#pragma once

#include "arithmetic/normal_form.h"

namespace tkc::ir {

// The atom of this kind, name and parts; unknown if a part is.
NormalForm atom_form(AtomKind kind, std::string name, std::vector<NormalForm> parts, bool truth);

// make(parts), with the truths in `parts` pulled out as cases: where(c, f(a), f(b)) for f(where(c,
// a, b)).
NormalForm by_cases(const std::vector<NormalForm>& parts,
                    const std::function<NormalForm(const std::vector<NormalForm>&)>& make,
                    int depth = 0);

}  // namespace tkc::ir
