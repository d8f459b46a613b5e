// `tkc check --fix`: puts in what the messages are certain of.
#pragma once

#include <string>

#include "base/diagnose.h"

namespace tkc {

struct FixedText {
    std::string text;
    int edits = 0;  // 0: nothing to fix
};

// The text of `file` with the fixes that were reported for it. A fix is put in whole or not at all;
// of two that touch the same text the first one is. Nothing changes in other files.
FixedText apply_fixes(const Diagnostics& diag, const SourceManager& sources, FileId file);

}  // namespace tkc
