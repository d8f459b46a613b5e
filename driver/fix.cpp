// Edits of one file, put in from its end to its start.
#include "driver/fix.h"

#include <algorithm>
#include <vector>

namespace tkc {

namespace {

// Two insertions at one place touch, too: which comes first is not said.
bool touch(const Edit& a, const Edit& b) {
    const bool apart = a.span.end < b.span.begin || b.span.end < a.span.begin;
    const bool neighbours = (a.span.end == b.span.begin || b.span.end == a.span.begin) &&
                            a.span.begin != a.span.end && b.span.begin != b.span.end;
    return !apart && !neighbours;
}

}  // namespace

FixedText apply_fixes(const Diagnostics& diag, const SourceManager& sources, FileId file) {
    std::vector<const Edit*> chosen;
    for (const Diagnostic* d : diag.in_order()) {
        const bool fits = std::all_of(d->fix.begin(), d->fix.end(), [&](const Edit& edit) {
            return edit.span.file == file &&
                   std::none_of(chosen.begin(), chosen.end(),
                                [&](const Edit* other) { return touch(*other, edit); });
        });
        if (!fits) continue;
        for (const Edit& edit : d->fix) chosen.push_back(&edit);
    }
    std::sort(chosen.begin(), chosen.end(),
              [](const Edit* a, const Edit* b) { return a->span.begin > b->span.begin; });
    FixedText fixed{sources.file(file).text, static_cast<int>(chosen.size())};
    for (const Edit* edit : chosen) {
        fixed.text.replace(edit->span.begin, edit->span.end - edit->span.begin, edit->text);
    }
    return fixed;
}

}  // namespace tkc
