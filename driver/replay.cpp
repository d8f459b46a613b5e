// From the witness of a refuted obligation to the arguments of a launch, and running it.
#include "driver/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "checks/check.h"
#include "driver/outputs.h"
#include "driver/report.h"
#include "emulator/run.h"
#include "ir/facts.h"

namespace tkc {

namespace {

// A witness has small extents; what follows from them may still be too large to emulate.
constexpr std::int64_t elements_at_most = std::int64_t{1} << 24;

// Values for every name of the launch: those of the witness, and others that go with them.
std::optional<ir::Assignment> completed(const ir::Kernel& kernel, const ir::Assignment& witness) {
    const ir::Facts facts = ir::facts_of(kernel, ir::bindings_of(kernel));
    std::set<std::string> names;
    for (const ir::Tensor& tensor : kernel.tensors) {
        for (const ir::Scalar& extent : tensor.extents) names.merge(ir::symbols_of(extent));
    }
    for (const ir::Parameter& parameter : kernel.parameters) names.insert(parameter.name);
    std::vector<ir::NormalForm> goals;
    for (const std::string& name : names) {
        const ir::NormalForm value = ir::symbol_form(name);
        const auto found = witness.find(name);
        goals.push_back(found != witness.end()
                            ? ir::equals_zero(value - ir::NormalForm(found->second))
                            : ir::at_least_zero(value));
    }
    const auto all = facts.find(goals, 16);
    if (!all) return std::nullopt;
    ir::Assignment values = all->values;
    values.insert(witness.begin(), witness.end());
    return values;
}

// `table[3]` = 7: elements of tensors that the witness speaks of.
void set_elements(const ir::Assignment& values, const std::string& name, emulator::Tensor& tensor) {
    for (const auto& [leaf, value] : values) {
        const std::size_t bracket = leaf.find('[');
        if (bracket == leaf.npos || leaf.substr(0, bracket) != name) continue;
        std::int64_t element = tensor.origin;
        std::size_t at = bracket + 1;
        for (const std::int64_t stride : tensor.strides) {
            element += std::stoll(leaf.substr(at)) * stride;
            at = leaf.find_first_of(",]", at) + 1;
        }
        const std::int64_t size = bytes(tensor.dtype);
        const auto end = static_cast<std::int64_t>(tensor.storage.size());
        if (element < 0 || (element + 1) * size > end) continue;
        for (std::int64_t i = 0; i < size && i < 8; ++i) {  // little-endian, as the device
            tensor.at(element)[i] = static_cast<std::byte>(value >> (8 * i) & 0xff);
        }
    }
}

// Zeros, with rows at multiples of 16 bytes, so that extents of any size can be moved by TMA.
std::optional<emulator::Tensor> tensor_of(const ir::Tensor& tensor, const ir::Bindings& bindings,
                                          const ir::Witness& values) {
    emulator::Tensor made;
    made.dtype = tensor.dtype;
    for (const ir::Scalar& extent : tensor.extents) {
        const auto value = ir::evaluate(ir::normal_form(extent, bindings), values.leaves());
        if (!value || *value < 0) return std::nullopt;
        made.extents.push_back(*value);
    }
    const std::int64_t unit = std::max<std::int64_t>(1, 16 / bytes(tensor.dtype));
    std::int64_t stride = 1;
    made.strides.resize(made.extents.size());
    for (std::size_t i = made.extents.size(); i-- > 0;) {
        made.strides[i] = stride;
        stride *= std::max<std::int64_t>(made.extents[i], 1);
        if (i + 1 == made.extents.size()) stride = (stride + unit - 1) / unit * unit;
        if (stride > elements_at_most) return std::nullopt;
    }
    made.storage.resize(static_cast<std::size_t>(stride * bytes(tensor.dtype)));
    return made;
}

std::optional<emulator::Arguments> arguments_of(const ir::Kernel& kernel,
                                                const ir::Assignment& witness) {
    const auto values = completed(kernel, witness);
    if (!values) return std::nullopt;
    const ir::Bindings bindings = ir::bindings_of(kernel);
    emulator::Arguments made;
    for (const ir::Tensor& tensor : kernel.tensors) {
        auto memory = tensor_of(tensor, bindings, {*values, {}});
        if (!memory) return std::nullopt;
        set_elements(*values, tensor.name, *memory);
        made.tensors[tensor.name] = std::move(*memory);
    }
    for (const ir::Parameter& parameter : kernel.parameters) {
        const auto found = values->find(parameter.name);
        const std::int64_t value = found == values->end() ? 1 : found->second;
        if (is_integer(parameter.dtype) || is_boolean(parameter.dtype)) {
            made.scalars[parameter.name] = value;
        } else {
            made.scalars[parameter.name] = static_cast<double>(value);
        }
    }
    return made;
}

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
        case End::refused: fmt::print("{}: the launch is refused: {}\n", test, outcome.text); break;
        case End::finished:
            fmt::print("kernel `{}`, {}: it runs to its end\n", kernel.name, test);
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
            const auto arguments = arguments_of(kernel, *o.witness);
            if (arguments) run_one(*lowered, *arguments, command.seed, session);
            else
                fmt::print("kernel `{}`: its counterexample is no launch that can be emulated\n",
                           kernel.name);
        }
    }
    if (!any) fmt::print("{}: nothing to replay: no kernel is refuted with extents\n", path);
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
