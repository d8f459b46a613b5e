// Each probe differs from its test in one respect, or in the data and one extent. What finds most
// faults comes first: data that are large, negative, rising, or the same everywhere. Nothing here
// depends on how long something takes, so that the same file always gives the same probes.
#include "emulator/probes.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "ir/walk.h"

namespace tkc::emulator {

namespace {

// Tensors have so many elements in all, or four times as many as those of the test: larger ones
// take too long for what they show.
constexpr std::int64_t most_elements = 1 << 16;

// So many are made of one test, those that find most first.
constexpr std::size_t most_probes = 64;

using Values = std::map<std::string, std::string>;  // what is bound, as text

struct Data {
    const char* name;
    // The fill for a tensor of so many elements.
    std::function<std::string(std::int64_t elements)> fill;
};

std::function<std::string(std::int64_t)> always(std::string text) {
    return [text = std::move(text)](std::int64_t) { return text; };
}

// From `low` to `high` over the whole tensor.
std::function<std::string(std::int64_t)> rising(double low, double high) {
    return [=](std::int64_t elements) {
        const double step = (high - low) / static_cast<double>(std::max<std::int64_t>(1, elements));
        return fmt::format("range({:g}, {:.3g})", low, step);
    };
}

const std::vector<Data>& real_data() {
    static const std::vector<Data> all{
        {"large", always("normal(0, 60)")},
        {"negative", always("uniform(-2, -1)")},
        {"rising", rising(-15, 15)},
        {"falling", rising(15, -15)},
        {"zero", always("0")},
        {"three", always("3")},
        {"plain", always("normal()")},
        {"small", always("normal(0, 0.01)")},
        {"positive", always("uniform(1, 2)")},
        {"whole", always("ints(-4, 4)")},
        {"some_infinite", always("special(-inf)")},
        {"all_infinite", always("-inf")},
        {"not_finite", always("special(nan, inf)")},
    };
    return all;
}

const std::vector<Data>& whole_data() {
    static const std::vector<Data> all{
        {"zero", always("0")},
        {"one", always("1")},
        {"bits", always("ints(0, 1)")},
        {"rising", always("range()")},
    };
    return all;
}

class Prober {
public:
    Prober(const TestCase& test, const PreparedCase& prepared, const ir::Signature& subject,
           const std::set<std::int64_t>& steps, const SourceManager& sources,
           std::set<std::string>& names)
        : test_(test),
          prepared_(prepared),
          subject_(subject),
          steps_(steps),
          sources_(sources),
          names_(names) {
        for (const auto& [name, value] : test.values)
            plain_[name] = std::string(sources.text(value->span));
    }

    std::vector<Probe> run() {
        same_data();
        other_data();
        other_numbers();
        other_extents();
        data_of_one();
        return std::move(made_);
    }

private:
    // ---- what varies

    // The test itself: what it accepts by a wide tolerance is told apart by a narrow one.
    void same_data() { add("close", plain_, true); }

    bool is_filled(const ir::Tensor& tensor) const {
        return tensor.mode != ir::Mode::out && test_.values.contains(tensor.name);
    }

    const std::vector<Data>& data_for(const ir::Tensor& tensor) const {
        return is_integer(tensor.dtype) || is_boolean(tensor.dtype) ? whole_data() : real_data();
    }

    // The fill with the layout that the test asks for.
    std::string fill(const ir::Tensor& tensor, const Data& data) const {
        const std::int64_t elements = prepared_.arguments.tensors.at(tensor.name).elements();
        std::string text = data.fill(elements);
        std::string layout;
        const auto* call = std::get_if<ast::Call>(&test_.values.at(tensor.name)->node);
        if (call != nullptr) {
            for (const ast::Arg& arg : call->args) {
                if (arg.name) layout += ", " + std::string(sources_.text(arg.span));
            }
        }
        if (layout.empty()) return text;
        if (!text.ends_with(')')) return "value(" + text + layout + ")";
        text.pop_back();
        if (text.ends_with('(')) layout = layout.substr(2);
        return text + layout + ")";
    }

    // A list gives extents, so other data would need other ones.
    bool may_change(const ir::Tensor& tensor) const {
        return is_filled(tensor) &&
               !std::holds_alternative<ast::ListValue>(test_.values.at(tensor.name)->node);
    }

    // The tensors of real or of whole numbers that may have other data.
    std::vector<const ir::Tensor*> tensors_with(const std::vector<Data>& data) const {
        std::vector<const ir::Tensor*> found;
        for (const ir::Tensor& tensor : subject_.tensors) {
            if (may_change(tensor) && &data_for(tensor) == &data) found.push_back(&tensor);
        }
        return found;
    }

    void set_all(Values& values, const Data& data) const {
        for (const ir::Tensor* tensor : tensors_with(real_data()))
            values[tensor->name] = fill(*tensor, data);
    }

    void other_data() {
        if (tensors_with(real_data()).size() < 2) {
            data_of_one();
            return;
        }
        for (const Data& data : real_data()) {
            Values values = plain_;
            set_all(values, data);
            add(data.name, values);
        }
    }

    void data_of_one() {
        for (const std::vector<Data>* all : {&real_data(), &whole_data()}) {
            const std::vector<const ir::Tensor*> tensors = tensors_with(*all);
            for (const Data& data : *all) {
                for (const ir::Tensor* tensor : tensors) {
                    Values values = plain_;
                    values[tensor->name] = fill(*tensor, data);
                    add(fmt::format("{}_{}", data.name, tensor->name), values);
                }
            }
        }
    }

    void other_numbers() {
        for (const ir::Parameter& parameter : subject_.parameters) {
            if (!plain_.contains(parameter.name)) continue;
            std::vector<std::string> numbers{"0", "1", "2", "7", "1000003"};
            if (is_boolean(parameter.dtype)) numbers = {"true", "false"};
            else if (is_real(parameter.dtype)) numbers = {"0.37", "-1.5", "0.0", "1.0", "3.0"};
            for (std::size_t i = 0; i < numbers.size(); ++i) {
                Values values = plain_;
                values[parameter.name] = numbers[i];
                add(fmt::format("other_{}", parameter.name), values, true);
            }
        }
    }

    // Names of the test that are neither constants, nor parameters, nor tensors.
    std::vector<std::string> extents() const {
        std::vector<std::string> found;
        for (const auto& [name, value] : test_.values) {
            const auto is_it = [&](const auto& item) { return item.name == name; };
            const auto any = [&](const auto& list) {
                return std::any_of(list.begin(), list.end(), is_it);
            };
            if (!any(subject_.constants) && !any(subject_.parameters) && !any(subject_.tensors))
                found.push_back(name);
        }
        return found;
    }

    std::int64_t elements() const {
        std::int64_t all = 0;
        for (const auto& [name, tensor] : prepared_.arguments.tensors) all += tensor.elements();
        return all;
    }

    // About a tile and several, and the smallest. Tensors grow with the extent at most.
    std::vector<std::int64_t> other_values(std::int64_t extent) const {
        std::set<std::int64_t> found{1, 2, 3, extent + 1, extent - 1};
        for (const std::int64_t step : steps_) {
            for (const std::int64_t value : {step - 1, step, step + 1, 2 * step + 1, 3 * step})
                found.insert(value);
        }
        std::vector<std::int64_t> kept;
        for (const std::int64_t value : found) {
            const std::int64_t grown = elements() / std::max<std::int64_t>(1, extent) * value;
            const bool small = grown <= std::max(most_elements, 2 * elements());
            if (value >= 1 && value != extent && small) kept.push_back(value);
        }
        return kept;
    }

    void other_extents() {
        for (const std::string& name : extents()) {
            const auto number = prepared_.numbers.find(name);
            if (number == prepared_.numbers.end() || !number->second.is_number()) continue;
            const auto extent = static_cast<std::int64_t>(number->second.cells[0]);
            const std::vector<std::int64_t> others = other_values(extent);
            for (const std::int64_t value : others) {
                Values values = plain_;
                values[name] = fmt::format("{}", value);
                add(fmt::format("{}_is_{}", name, value), values, true);
            }
            // Large data once more where loops run several times.
            if (others.empty() || others.back() <= extent) continue;
            for (const Data& data : real_data()) {
                Values values = plain_;
                values[name] = fmt::format("{}", others.back());
                set_all(values, data);
                add(fmt::format("{}_{}_{}", data.name, name, others.back()), values);
            }
        }
    }

    // ---- as text

    std::string fresh_name(const std::string& wanted) {
        std::string name = wanted;
        for (int n = 2; !names_.insert(name).second; ++n) name = fmt::format("{}_{}", wanted, n);
        return name;
    }

    void add(const std::string& name, const Values& values, bool same_kind = false) {
        if (made_.size() == most_probes) return;
        std::string bound;
        std::string expect;
        for (const ast::TestItem& item : test_.test->items) {
            const auto* binding = std::get_if<ast::Binding>(&item.node);
            const auto* sweep = std::get_if<ast::Sweep>(&item.node);
            if (binding != nullptr) {
                bound +=
                    fmt::format(" {} = {};", binding->name.text, values.at(binding->name.text));
            } else if (sweep != nullptr) {
                bound += fmt::format(" {} = {};", sweep->name.text, values.at(sweep->name.text));
            } else if (std::holds_alternative<ast::Expect>(item.node)) {
                expect += (expect.empty() ? "" : " ") + std::string(sources_.text(item.span));
            }
        }
        if (!seen_.insert(bound).second) return;
        Probe probe;
        probe.name = fresh_name(name);
        probe.same_kind = same_kind;
        probe.head = fmt::format("test {} of {} {{{}", probe.name, test_.subject, bound);
        probe.expect = std::move(expect);
        made_.push_back(std::move(probe));
    }

    const TestCase& test_;
    const PreparedCase& prepared_;
    const ir::Signature& subject_;
    const std::set<std::int64_t>& steps_;
    const SourceManager& sources_;
    std::set<std::string>& names_;
    Values plain_;
    std::set<std::string> seen_;
    std::vector<Probe> made_;
};

}  // namespace

std::vector<Probe> probes(const TestCase& test, const PreparedCase& prepared,
                          const ir::Signature& subject, const std::set<std::int64_t>& steps,
                          const SourceManager& sources, std::set<std::string>& names) {
    return Prober(test, prepared, subject, steps, sources, names).run();
}

std::set<std::int64_t> tile_steps(const ir::Kernel& kernel) {
    std::set<std::int64_t> steps;
    const auto keep = [&](std::int64_t step) {
        if (step > 1) steps.insert(step);
    };
    for (const ir::GridAxis& axis : kernel.grid) keep(axis.step);
    for (const ir::Role& role : kernel.roles)
        ir::walk_only<ir::For>(role.body, [&](const ir::For& loop) { keep(loop.step); });
    return steps;
}

}  // namespace tkc::emulator
