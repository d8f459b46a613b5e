// What a proof could not use because the machine may wrap it, for people.
#pragma once

#include "arithmetic/normal_form.h"
#include "base/diagnose.h"

namespace tkc::checks {

// Adds a note and a help for the first number in `x` that may leave its dtype.
void report_wraps(DiagnosticBuilder& builder, const ir::NormalForm& x);

}  // namespace tkc::checks
