// The choice among the kernels of each call, and passing the entry's arguments on.
#include "emulator/entry_run.h"

#include <algorithm>
#include <utility>

#include "emulator/launch.h"
#include "emulator/tensor_view.h"
#include "ir/entry.h"

namespace tkc::emulator {

namespace {

// The candidates of a call that are general, or those that are not.
std::vector<const ir::Kernel*> candidates_of(const ir::Module& module, const ir::EntryCall& call,
                                             bool general) {
    std::vector<const ir::Kernel*> list;
    for (const std::string& name : call.candidates) {
        const ir::Kernel* kernel = ir::find_kernel(module, name);
        if (kernel != nullptr && kernel->general_of.empty() != general) list.push_back(kernel);
    }
    return list;
}

// The kernel of a call that runs; null, with the reason, where none accepts the arguments.
const ir::Kernel* choose(const ir::Module& module, const ir::Entry& entry,
                         const ir::EntryCall& call, Choice choice, const Arguments& arguments,
                         Refusal& refused) {
    const bool general = choice.preference == Preference::general;
    std::vector<const ir::Kernel*> order = candidates_of(module, call, general);
    if (!order.empty())
        std::rotate(order.begin(),
                    order.begin() + static_cast<std::ptrdiff_t>(choice.first % order.size()),
                    order.end());
    for (const ir::Kernel* other : candidates_of(module, call, !general)) order.push_back(other);
    for (const ir::Kernel* kernel : order) {
        // The last sentence stays: where fast kernels are tried first, that of the fewest
        // conditions.
        auto found = refusal(ir::called_kernel(entry, call, *kernel), arguments);
        if (!found) return kernel;
        refused = std::move(*found);
    }
    return nullptr;
}

// One launch. Tensors are lent to the kernel under its own names; one that is read twice is
// copied.
Outcome launch(const ir::Module& module, const ir::Entry& entry, const ir::EntryCall& call,
               const ir::Kernel& kernel, Arguments& arguments, const RunOptions& options) {
    const Environment env = environment_of(entry, arguments);
    Arguments passed;
    for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
        passed.scalars[kernel.parameters[i].name] = env.evaluate(call.scalars[i]);
    }
    std::vector<std::pair<std::string, std::string>> lent;  // the kernel's name, the entry's
    for (std::size_t i = 0; i < kernel.tensors.size(); ++i) {
        const std::string& own = kernel.tensors[i].name;
        const auto before = std::find_if(lent.begin(), lent.end(), [&](const auto& pair) {
            return pair.second == call.tensors[i];
        });
        if (before != lent.end()) {
            passed.tensors[own] = passed.tensors.at(before->first);
        } else {
            passed.tensors[own] = std::move(arguments.tensors.at(call.tensors[i]));
            lent.emplace_back(own, call.tensors[i]);
        }
        if (kernel.tensors[i].mode == ir::Mode::accumulate)  // as the launcher does
            clear(passed.tensors[own]);
    }
    if (options.launched != nullptr) options.launched->push_back(&kernel);
    Outcome outcome = run(kernel, module.level, passed, options);
    for (const auto& [own, name] : lent) {
        arguments.tensors.at(name) = std::move(passed.tensors.at(own));
    }
    return outcome;
}

}  // namespace

std::vector<const ir::Kernel*> preferred(const ir::Module& module, const ir::EntryCall& call,
                                         Preference preference) {
    return candidates_of(module, call, preference == Preference::general);
}

Outcome run(const ir::Module& module, const ir::Entry& entry, Choice choice, Arguments& arguments,
            const RunOptions& options) {
    const auto refused = [](const Refusal& r) {
        return Outcome{Outcome::End::refused, r.sentence, {{r.span, ""}}, {}};
    };
    if (const auto refusal_of_all = refusal(entry, arguments)) return refused(*refusal_of_all);
    std::vector<const ir::Kernel*> chosen;
    for (const ir::EntryCall& call : entry.calls) {
        Refusal last;
        chosen.push_back(choose(module, entry, call, choice, arguments, last));
        if (chosen.back() == nullptr) return refused(last);
    }
    std::vector<Outcome::Place> printed;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        Outcome outcome = launch(module, entry, entry.calls[i], *chosen[i], arguments, options);
        printed.insert(printed.end(), outcome.printed.begin(), outcome.printed.end());
        if (outcome.end == Outcome::End::finished) continue;
        outcome.printed = std::move(printed);
        return outcome;
    }
    return {Outcome::End::finished, "", {}, std::move(printed)};
}

}  // namespace tkc::emulator
