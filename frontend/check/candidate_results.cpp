// Walks the tile IR of two candidates side by side and follows what differs into what they store.
//
//     grid (m in M by BM)                     steps 64 and 32: `m` is where a tile begins
//     let x = load(X[m, :]);                  rows of `m`: each is the same in both
//     let s = sum(x, axis = 0);               a part of `m`: the sum of one tile
//     store(Y[m, :], x - s);                  refused
//
// Whatever differs between the two is made of the constants that differ, by whichever way: numbers
// of the IR are all that the kernel is. Where operations differ in kind, nothing is said.
//
// What a loop carries from tile to tile may make up for their width, as in every sum over an axis
// and every running maximum. Sums and extremes are shown to do so; of all else, and of conditions
// that ask for a tile, it is left open (open_candidates.h).
#include "frontend/check/candidate_results.h"

#include "frontend/check/candidate_walk.h"
#include "frontend/check/schedule_constants.h"

namespace tkc {

namespace checker {

void check_results(FileContext& file_context, const Unit& unit, const ast::Kernel& kernel,
                   CheckedFile& file, const ir::Kernel& first, const ir::Kernel& other) {
    if (file_context.stopped) return;
    std::string schedule;
    for (std::size_t i = 0; i < kernel.consts.size(); ++i) {
        if (ir::same(first.constants[i].value, other.constants[i].value)) continue;
        if (!kernel.consts[i].schedule) return;                           // the arguments fix it
        if (use_beyond_schedule(unit, kernel, kernel.consts[i])) return;  // reported
        schedule += (schedule.empty() ? "" : "`, `") + kernel.consts[i].name.text;
    }
    std::set<std::string> edges;
    for (const ir::Kernel* k : {&first, &other}) {
        for (const auto& [edge, site] : file.padding.at(k->name).pads) edges.insert(edge);
    }
    OpenCandidates open{first.name, other.name, schedule, {}};
    for (const DoubtfulStore& found : CandidatePair(first, other, std::move(edges)).run()) {
        const Span at = found.cause.span;
        const OpenResult result{at, found.store, found.tensor, found.cause.what,
                                found.doubt == Doubt::undecided};
        switch (found.doubt) {
            case Doubt::none:
            case Doubt::undecided: open.results.push_back(result); break;
            case Doubt::place:
            case Doubt::certain:
                if (file_context.noted.insert({at.file, at.begin}).second)
                    report_difference(open, result, "", file_context.diag);
        }
    }
    if (!open.results.empty()) file.open_candidates.push_back(std::move(open));
}

}  // namespace checker

namespace {

void explain(DiagnosticBuilder message, const OpenCandidates& candidates, const OpenResult& result,
             const std::string& note) {
    if (result.store.begin != result.span.begin || result.store.file != result.span.file)
        message.label(result.store, "stored here");
    if (!note.empty()) message.note("{}", note);
    message.note("`{}` and `{}` are candidates of one launcher, which chooses between them by size",
                 candidates.first, candidates.other);
    message.help(
        "express it with positions in the tensors, as in `m.start + row_index(x)`, with a sum over "
        "all iterations of a loop, or with a constant without `schedule`");
}

}  // namespace

void report_difference(const OpenCandidates& candidates, const OpenResult& result,
                       const std::string& seen, Diagnostics& diag) {
    explain(diag.error(result.span, msg::more_than_schedule, candidates.schedule, result.what),
            candidates, result, seen);
}

void report_undecided(const OpenCandidates& candidates, const OpenResult& result,
                      const std::string& why, Diagnostics& diag) {
    explain(diag.warning(result.span, msg::schedule_in_result, candidates.schedule, result.what),
            candidates, result, why);
}

}  // namespace tkc
