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
// and every running maximum. That is not followed: of a variable that a loop changes, only what
// counts steps is refused, since nothing but the number of tiles is in it.
#include "frontend/check/candidate_results.h"

#include "frontend/check/candidate_walk.h"
#include "frontend/check/schedule_constants.h"

namespace tkc::checker {

void check_results(FileContext& file_context, const Unit& unit, const ast::Kernel& kernel,
                   const CheckedFile& file, const ir::Kernel& first, const ir::Kernel& other) {
    if (file_context.stopped) return;
    std::string schedule;
    for (std::size_t i = 0; i < kernel.consts.size(); ++i) {
        if (ir::same(first.constants[i].value, other.constants[i].value)) continue;
        if (!kernel.consts[i].schedule) return;                           // the arguments fix it
        if (use_beyond_schedule(unit, kernel, kernel.consts[i])) return;  // told
        schedule += (schedule.empty() ? "" : "`, `") + kernel.consts[i].name.text;
    }
    std::set<std::string> edges;
    for (const ir::Kernel* k : {&first, &other}) {
        for (const auto& [edge, site] : file.padding.at(k->name).pads) edges.insert(edge);
    }
    for (const DoubtfulStore& found : CandidatePair(first, other, std::move(edges)).run()) {
        const Span at = found.cause.span;
        if (!file_context.noted.insert({at.file, at.begin}).second) continue;
        const auto explain = [&](DiagnosticBuilder message) {
            if (found.store.begin != at.begin || found.store.file != at.file)
                message.label(found.store, "stored here");
            message.note("`{}` and `{}` are candidates of one launcher, which chooses by the sizes",
                         first.name, other.name);
            message.help(
                "write what is meant by places in the tensors, as `m.start + row_index(x)`, by a "
                "sum over all steps of a loop, or by a constant without `schedule`");
        };
        if (found.doubt == Doubt::undecided)
            explain(file_context.warning(at, msg::schedule_in_result, schedule, found.cause.what));
        else explain(file_context.error(at, msg::more_than_schedule, schedule, found.cause.what));
    }
}

}  // namespace tkc::checker
