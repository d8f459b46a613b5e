// Runs the launches of which the proofs say that they go wrong, and reports what comes of it.
#include "driver/replay.h"

#include <fmt/format.h>

#include <algorithm>

#include "checks/check.h"
#include "compiler/outputs.h"
#include "compiler/witness.h"
#include "driver/report.h"
#include "emulator/run.h"

namespace tkc {

namespace {

// A witness has small extents; what follows from them may still be too large to emulate.
constexpr std::int64_t elements_of_replay = std::int64_t{1} << 24;

std::string launch_text(const emulator::Arguments& arguments) {
    std::string text;
    for (const auto& [name, tensor] : arguments.tensors) {
        text += fmt::format("{}{}[{}]", text.empty() ? "" : ", ", name,
                            fmt::join(tensor.extents, ", "));
    }
    return text;
}

// Reports what came of one launch. True if it is what the proof says: no good end.
bool run_one(const ir::Kernel& kernel, emulator::Arguments arguments, std::uint64_t seed,
             Session& session) {
    const std::string test = fmt::format("the replay with {}", launch_text(arguments));
    const emulator::Outcome outcome =
        emulator::run(kernel, ir::Level::scheduled, arguments, {.seed = seed});
    using End = emulator::Outcome::End;
    const Span span = outcome.places.empty() ? kernel.span : outcome.places[0].span;
    const auto report = [&](const auto& message) {
        DiagnosticBuilder builder =
            session.diag.error(span, message, kernel.name, test, outcome.text);
        for (std::size_t i = 0; i < outcome.places.size(); ++i) {
            const auto& place = outcome.places[i];
            if (i == 0) builder.primary(place.text);
            else builder.label(place.span, place.text);
        }
    };
    switch (outcome.end) {
        case End::deadlock: report(msg::run_deadlock); return true;
        case End::hazard: report(msg::run_hazard); return true;
        case End::assertion: report(msg::run_assertion); return true;
        case End::fault: report(msg::run_fault); return true;
        case End::refused:
            fmt::print("{}: the launch is rejected: {}\n", test, outcome.text);
            break;
        case End::unfinished:
        case End::finished:
            fmt::print("kernel `{}`, {}: it runs to completion\n", kernel.name, test);
            break;
    }
    return false;
}

int replay_file(const std::string& path, const TestCommand& command) {
    Session session;
    std::optional<ast::File> tree = parse_file(path, session);
    if (!tree) return finish(session);
    const std::optional<Stages> stages = compile_stages(*tree, command.source, {}, false, session);
    if (!stages) return finish(session);
    bool any = false;
    for (const ir::Kernel& kernel : stages->tile.kernels) {
        const ir::Kernel* lowered = ir::find_kernel(stages->scheduled, kernel.name);
        std::vector<checks::Obligation> list;
        if (checks::check_tile(kernel, session.diag, &list)) {
            checks::check_scheduled(*lowered, session.diag, &list);
        }
        for (const checks::Obligation& o : list) {
            if (o.verdict != checks::Verdict::refuted || !o.witness) continue;
            any = true;
            const auto arguments = arguments_of(kernel, {*lowered}, *o.witness, elements_of_replay);
            if (arguments) run_one(*lowered, *arguments, command.seed, session);
            else
                fmt::print("kernel `{}`: its counterexample cannot be emulated as a launch\n",
                           kernel.name);
        }
    }
    if (!any)
        fmt::print("{}: nothing to replay: no kernel is refuted with concrete extents\n", path);
    return finish(session);
}

}  // namespace

int replay(const TestCommand& command) {
    int code = exit_good;
    for (const std::string& path : command.source.files) {
        code = std::max(code, replay_file(path, command));
    }
    return code;
}

}  // namespace tkc
