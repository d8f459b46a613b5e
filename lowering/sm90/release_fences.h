// The proxy fences of releases that other fences make unnecessary.
#pragma once

#include "ir/module.h"

namespace tkc::lowering {

// Takes from the releases of the role the fences of which another one does the work: on every way
// from an ordinary access to a stage to the release of its element there is a fence already.
// Releases are where they stay.
void drop_release_fences(ir::Role& role);

}  // namespace tkc::lowering
