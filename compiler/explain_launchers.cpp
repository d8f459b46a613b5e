// What `tkc explain` says of launchers. How they choose is `tk::selection` of the runtime.
#include "compiler/explain_launchers.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <vector>

#include "ir/contract.h"
#include "lowering/cuda/launcher.h"
#include "target/target.h"

namespace tkc {

namespace {

using namespace ir;

using Kernels = std::vector<const Kernel*>;

// As the launcher multiplies: what does not fit stays at the largest number.
std::int64_t product(std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    return __builtin_mul_overflow(a, b, &result) ? std::numeric_limits<std::int64_t>::max()
                                                 : result;
}

using Tensors = std::map<std::string, TensorValues>;

// Of kernels that take different arguments, the first that takes what is given: an extent may be a
// constant of theirs.
const Kernel& kernel_for(const Kernels& kernels, const Extents& extents) {
    const auto suits = [&](const Kernel* kernel) {
        return std::all_of(kernel->constants.begin(), kernel->constants.end(),
                           [&](const Constant& c) {
                               const auto given = extents.find(c.name);
                               std::int64_t value = 0;
                               return given == extents.end() ||
                                      (is_constant(c.value, &value) && value == given->second);
                           });
    };
    const auto found = std::find_if(kernels.begin(), kernels.end(), suits);
    return found == kernels.end() ? *kernels.front() : **found;
}

// Dense tensors of these extents, at addresses that suit TMA. Adds to `missing` what is open.
Tensors tensors_for(const Kernel& kernel, const Extents& extents, std::string& missing) {
    Tensors tensors;
    for (const Tensor& tensor : kernel.tensors) {
        TensorValues& made = tensors[tensor.name];
        for (const Scalar& extent : tensor.extents) {
            std::int64_t value = 0;
            const std::string text = fmt::format("`{}`", to_string(extent));
            if (!evaluate(with_constants(kernel, extent), extents, &value) &&
                missing.find(text) == missing.npos)
                missing += (missing.empty() ? "" : ", ") + text;
            made.shape.push_back(value);
        }
        made.stride.assign(made.shape.size(), 1);
        for (std::size_t axis = made.shape.size(); axis-- > 1;)
            made.stride[axis - 1] = product(made.stride[axis], made.shape[axis]);
    }
    return tensors;
}

Values values_for(const Kernel& kernel, const Tensors& tensors, const Extents& extents) {
    Values values = values_of(kernel, tensors);
    for (const auto& [name, value] : extents) values.try_emplace(name, value);
    return values;
}

struct Offer {
    const Kernel* kernel;
    std::optional<std::string> refusal;
    std::int64_t programs = 0;
    std::int64_t waves = 0;
    std::int64_t cycles = 0;  // of a program
};

Offer offer_of(const Kernel& kernel, const Values& values) {
    Offer offer{&kernel, first_failure(kernel, values)};
    evaluate(with_constants(kernel, programs_of(kernel)), values, &offer.programs);
    if (kernel.program_cost)
        evaluate(with_constants(kernel, kernel.program_cost), values, &offer.cycles);
    const std::int64_t places = target_of(kernel).rates.multiprocessors;
    offer.waves = (offer.programs + places - 1) / places;
    return offer;
}

bool is_better(const Offer& offer, const Offer& than) {
    const bool general = !offer.kernel->general_of.empty();
    if (general != !than.kernel->general_of.empty()) return !general;
    return product(offer.waves, offer.cycles) < product(than.waves, than.cycles);
}

std::string choice_for(const Kernels& kernels, const Extents& extents, std::size_t width) {
    std::string given;
    for (const auto& [name, value] : extents)
        given += fmt::format("{}{} = {}", given.empty() ? "" : ", ", name, value);
    std::string missing;
    const Tensors tensors = tensors_for(kernel_for(kernels, extents), extents, missing);
    if (!missing.empty()) return fmt::format("\n  for {}: also give {}\n", given, missing);
    std::vector<Offer> offers;
    for (const Kernel* kernel : kernels)
        offers.push_back(offer_of(*kernel, values_for(*kernel, tensors, extents)));
    const Offer* best = nullptr;
    for (const Offer& offer : offers) {
        if (!offer.refusal && (best == nullptr || is_better(offer, *best))) best = &offer;
    }
    std::string text = fmt::format("\n  for {}, dense tensors, {} multiprocessors:\n", given,
                                   target_of(*kernels.front()).rates.multiprocessors);
    for (const Offer& offer : offers) {
        text += fmt::format("  {:<{}} ", offer.kernel->name, width);
        if (offer.refusal) {
            text += *offer.refusal + "\n";
            continue;
        }
        text += fmt::format("{} program{} in {} wave{} of {} cycles: {}{}\n", offer.programs,
                            offer.programs == 1 ? "" : "s", offer.waves,
                            offer.waves == 1 ? "" : "s", offer.cycles,
                            product(offer.waves, offer.cycles), &offer == best ? ", runs" : "");
    }
    return text;
}

// Of its extents, constants and parameters.
std::set<std::string> names_of(const Kernel& kernel) {
    std::set<std::string> names = names_in_extents(kernel);
    for (const Constant& c : kernel.constants) names.insert(c.name);
    for (const Parameter& p : kernel.parameters) names.insert(p.name);
    return names;
}

}  // namespace

std::string explain_launchers(const Module& module, const Extents& extents) {
    std::string text;
    Extents unknown = extents;
    for (const Launcher& launcher : module.launchers) {
        Kernels kernels;
        for (const std::string& name : launcher.candidates)
            if (const Kernel* kernel = find_kernel(module, name)) kernels.push_back(kernel);
        if (!cuda::compares_costs(kernels)) continue;
        text += fmt::format(
            "{}launcher {}\n\nchooses the cheapest kernel that accepts the arguments: waves of "
            "programs over the multiprocessors, times cycles:\n",
            text.empty() ? "" : "\n", launcher.name);
        std::size_t width = 0;
        for (const Kernel* kernel : kernels) width = std::max(width, kernel->name.size());
        for (const Kernel* kernel : kernels) {
            text += fmt::format("  {:<{}} {}{}\n  {:<{}} {}\n", kernel->name, width,
                                cuda::constants_text(*kernel),
                                kernel->general_of.empty() ? "" : "; fallback", "", width,
                                cuda::cost_text(*kernel));
        }
        if (!extents.empty()) text += choice_for(kernels, extents, width);
        for (const Kernel* kernel : kernels) {
            for (const std::string& name : names_of(*kernel)) unknown.erase(name);
        }
    }
    for (const auto& [name, value] : unknown) {
        text += fmt::format("{}`{}` is not an extent or parameter of a launcher with a choice\n",
                            text.empty() ? "" : "\n", name);
    }
    return text;
}

}  // namespace tkc
