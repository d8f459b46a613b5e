// From the witness of a refutation to the arguments of a launch, and what that comes to.
#include "compiler/witness.h"

#include <algorithm>
#include <set>

#include "emulator/run.h"
#include "facts/facts.h"
#include "lowering/pass_order.h"

namespace tkc {

namespace {

// Of one trial: a second at most.
constexpr std::int64_t elements_of_trial = std::int64_t{1} << 20;
constexpr std::int64_t steps_of_trial = 100000;
// One for each way in which the emulator plays the machine (emulator/scheduled/cluster.cpp).
constexpr std::uint64_t seeds_of_trial = 4;

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
                                          const ir::Witness& values,
                                          std::int64_t elements_at_most) {
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

}  // namespace

LaunchMaker::LaunchMaker(const ir::Kernel& kernel)
    : kernel_(kernel),
      bindings_(ir::bindings_of(kernel)),
      facts_(ir::facts_of(kernel, bindings_)) {}

// Values for every name of the launch: those of the witness, and others that go with them.
std::optional<ir::Assignment> LaunchMaker::completed(const ir::Assignment& witness,
                                                     std::int64_t least) const {
    std::set<std::string> names = ir::names_in_extents(kernel_);
    for (const ir::Parameter& parameter : kernel_.parameters) names.insert(parameter.name);
    std::vector<ir::NormalForm> goals;
    for (const std::string& name : names) {
        const ir::NormalForm value = ir::symbol_form(name);
        const auto found = witness.find(name);
        goals.push_back(found != witness.end()
                            ? ir::equals_zero(value - ir::NormalForm(found->second))
                            : ir::at_least_zero(value - ir::NormalForm(least)));
    }
    const auto all = facts_.find(goals, 16);
    if (!all) return std::nullopt;
    ir::Assignment values = all->values;
    values.insert(witness.begin(), witness.end());
    return values;
}

std::optional<emulator::Arguments> LaunchMaker::arguments(const ir::Assignment& witness,
                                                          std::int64_t elements_at_most,
                                                          std::int64_t least) const {
    const auto values = completed(witness, least);
    if (!values) return std::nullopt;
    emulator::Arguments made;
    for (const ir::Tensor& tensor : kernel_.tensors) {
        auto memory = tensor_of(tensor, bindings_, {*values, {}}, elements_at_most);
        if (!memory) return std::nullopt;
        set_elements(*values, tensor.name, *memory);
        made.tensors[tensor.name] = std::move(*memory);
    }
    for (const ir::Parameter& parameter : kernel_.parameters) {
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

std::optional<emulator::Arguments> arguments_of(const ir::Kernel& kernel,
                                                const ir::Assignment& witness,
                                                std::int64_t elements_at_most) {
    return LaunchMaker(kernel).arguments(witness, elements_at_most);
}

namespace {

checks::Trial trial_of(const emulator::Outcome& outcome) {
    using End = emulator::Outcome::End;
    switch (outcome.end) {
        case End::finished: return checks::Trial::ends_well;
        case End::deadlock:
        case End::hazard:
        case End::fault: return checks::Trial::fails;
        // What is stated of data does not hold of those that were made up.
        case End::assertion:
        case End::refused:
        case End::unfinished: return checks::Trial::unknown;
    }
    return checks::Trial::unknown;
}

}  // namespace

static checks::Trial try_scheduled(const std::vector<ir::Kernel>& variants,
                                   const emulator::Arguments& arguments) {
    using checks::Trial;
    for (const ir::Kernel& kernel : variants) {
        for (std::uint64_t seed = 0; seed < seeds_of_trial; ++seed) {
            emulator::Arguments fresh = arguments;
            const emulator::Outcome outcome =
                emulator::run(kernel, ir::Level::scheduled, fresh,
                              {.seed = seed, .steps_at_most = steps_of_trial, .whole = true});
            if (outcome.end == emulator::Outcome::End::refused) break;  // perhaps another variant
            const Trial trial = trial_of(outcome);
            if (trial != Trial::ends_well || seed + 1 == seeds_of_trial) return trial;
        }
    }
    return Trial::ends_well;  // no variant takes it: there is no such launch
}

std::optional<emulator::Arguments> arguments_of(const ir::Kernel& kernel,
                                                const std::vector<ir::Kernel>& variants,
                                                const ir::Assignment& witness,
                                                std::int64_t elements_at_most) {
    // The last variant asks least of a launch: what the witness leaves open has to be right for it.
    if (!variants.empty()) {
        if (auto made = arguments_of(variants.back(), witness, elements_at_most)) return made;
    }
    return arguments_of(kernel, witness, elements_at_most);
}

checks::TryWitness trial_of_tile(const ir::Kernel& kernel, bool debug) {
    // Lowered for the first witness.
    auto lowered = std::make_shared<std::optional<ir::Module>>();
    return [&kernel, debug, lowered](const ir::Assignment& witness) {
        using checks::Trial;
        if (!*lowered) {
            lowered->emplace();
            (*lowered)->kernels.push_back(kernel);
            Diagnostics unheard;
            lowering::PassOptions options;
            options.debug = debug;
            if (!lowering::run_passes(lowering::pipeline(), **lowered, unheard, options))
                (*lowered)->kernels.clear();
        }
        const std::vector<ir::Kernel>& variants = (*lowered)->kernels;
        const auto arguments = arguments_of(kernel, variants, witness, elements_of_trial);
        if (!arguments) return Trial::unknown;
        emulator::Arguments meant = *arguments;
        const Trial trial = trial_of(emulator::run(
            kernel, ir::Level::tile, meant, {.steps_at_most = steps_of_trial, .whole = true}));
        if (trial == Trial::fails) return trial;
        return variants.empty() ? Trial::unknown : try_scheduled(variants, *arguments);
    };
}

checks::TryWitness trial_of_scheduled(const ir::Kernel& kernel) {
    return [&kernel](const ir::Assignment& witness) {
        const auto arguments = arguments_of(kernel, witness, elements_of_trial);
        return arguments ? try_scheduled({kernel}, *arguments) : checks::Trial::unknown;
    };
}

}  // namespace tkc
