// Each probe differs from its test in one respect, or in the data and one extent. What finds most
// faults comes first: data that are large, negative, rising, or the same everywhere. Nothing here
// depends on how long something takes, so that the same file always gives the same probes.
#include "emulator/probes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "emulator/tensor_view.h"
#include "ir/walk.h"

namespace tkc::emulator {

namespace {

// Tensors have so many elements in all, or four times as many as those of the test: larger ones
// take too long for what they show.
constexpr std::int64_t most_elements = 1 << 16;

// Where an extent reaches past a constant of the kernel, as that of a window, tensors may be
// larger.
constexpr std::int64_t most_with_constant = 1 << 19;
// A constant that is larger is not a number of rows or columns.
constexpr std::int64_t most_width = 1 << 14;
// So many are made of one test, those that find most first; fewer of a large one, whose data are
// all kept.
constexpr std::int64_t most_probes = 80;
constexpr std::int64_t least_probes = 8;
// So many of real_data() are tried with another extent, too.
constexpr std::size_t most_with_extent = 6;
constexpr std::int64_t most_elements_of_all = 1 << 21;

using Values = std::map<std::string, std::string>;  // what is bound, as text

constexpr double infinity = std::numeric_limits<double>::infinity();
// Data may be so many times as large as those of the tests, and count as like them.
constexpr double most_times_larger = 4;

struct Data {
    const char* name;
    Domain range;  // of its numbers, nearly all of them
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
        {"plain", {-4, 4}, always("normal()")},
        {"large", {-240, 240}, always("normal(0, 60)")},
        {"far_below", {-300, -200}, always("uniform(-300, -200)")},
        {"far_above", {200, 300}, always("uniform(200, 300)")},
        {"negative", {-2, -1}, always("uniform(-2, -1)")},
        {"positive", {1, 2}, always("uniform(1, 2)")},
        {"small", {-0.04, 0.04}, always("normal(0, 0.01)")},
        {"whole", {-4, 4}, always("ints(-4, 4)")},
        {"rising", {-15, 15}, rising(-15, 15)},
        {"falling", {-15, 15}, rising(15, -15)},
        {"zero", {0, 0}, always("0")},
        {"three", {3, 3}, always("3")},
        {"some_infinite", {-infinity, 4}, always("special(-inf)")},
        {"all_infinite", {-infinity, -infinity}, always("-inf")},
        {"not_finite", {-infinity, infinity}, always("special(nan, inf)")},
    };
    return all;
}

const std::vector<Data>& whole_data() {
    static const std::vector<Data> all{
        {"zero", {0, 0}, always("0")},
        {"one", {1, 1}, always("1")},
        {"bits", {0, 1}, always("ints(0, 1)")},
        {"rising", {0, infinity}, always("range()")},
    };
    return all;
}

class Prober {
public:
    Prober(const TestCase& test, const PreparedCase& prepared, const ir::Signature& subject,
           const Domains& domains, const std::set<std::int64_t>& steps,
           const SourceManager& sources, std::set<std::string>& names)
        : test_(test),
          prepared_(prepared),
          subject_(subject),
          domains_(domains),
          steps_(steps),
          sources_(sources),
          names_(names) {
        for (const auto& [name, value] : test.values)
            plain_[name] = std::string(sources.text(value->span));
    }

    std::vector<Probe> run() {
        same_data();
        other_data();
        data_of_one(whole_data());
        other_numbers();
        other_extents();
        data_of_one(real_data());
        return std::move(made_);
    }

private:
    // ---- what varies

    // The test itself: a narrow tolerance notices what a wide one accepts.
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

    bool is_list(const ir::Tensor& tensor) const {
        return std::holds_alternative<ast::ListValue>(test_.values.at(tensor.name)->node);
    }

    // A list of integers says where something is: others would not fit together.
    bool may_change(const ir::Tensor& tensor) const {
        return is_filled(tensor) && (!is_list(tensor) || &data_for(tensor) == &real_data());
    }

    // A list gives extents that other data do not.
    void set(Values& values, const ir::Tensor& tensor, const Data& data) const {
        values[tensor.name] = fill(tensor, data);
        if (!is_list(tensor)) return;
        const Shape& shape = prepared_.arguments.tensors.at(tensor.name).extents;
        for (std::size_t axis = 0; axis < shape.size(); ++axis) {
            const auto* name = std::get_if<ir::Symbol>(&tensor.extents[axis]->node);
            if (name != nullptr && !test_.values.contains(name->name))
                values[name->name] = fmt::format("{}", shape[axis]);
        }
    }

    Domain domain_of(const ir::Tensor& tensor) const {
        const auto found = domains_.find(tensor.name);
        return found == domains_.end() ? Domain{} : found->second;
    }

    // Whether the tensor may hold such data: gates that are at most 0 and scales above it stay so.
    // Of what is 0 in all tests, nothing is known.
    bool suits(const ir::Tensor& tensor, const Data& data) const {
        const Domain domain = domain_of(tensor);
        if (domain.low == 0 && domain.high == 0) return true;
        return (domain.low < 0 || data.range.low >= 0) && (domain.high > 0 || data.range.high <= 0);
    }

    // Whether such data are also of the size of those that tests have.
    bool is_plain(const ir::Tensor& tensor, const Data& data) const {
        const Domain domain = domain_of(tensor);
        double largest = std::max(std::abs(domain.low), std::abs(domain.high));
        if (largest == 0) largest = 1;
        const double here = std::max(std::abs(data.range.low), std::abs(data.range.high));
        return suits(tensor, data) && here <= most_times_larger * largest;
    }

    // The tensors of real or of integers that may have other data.
    std::vector<const ir::Tensor*> tensors_with(const std::vector<Data>& data) const {
        std::vector<const ir::Tensor*> found;
        for (const ir::Tensor& tensor : subject_.tensors) {
            if (may_change(tensor) && &data_for(tensor) == &data) found.push_back(&tensor);
        }
        return found;
    }

    // `suiting`: only tensors that may hold such data, as far as the tests show. Whether all that
    // were set are plain.
    bool set_all(Values& values, const Data& data, bool suiting) const {
        bool plain = true;
        for (const ir::Tensor* tensor : tensors_with(real_data())) {
            if (suiting && !suits(*tensor, data)) continue;
            set(values, *tensor, data);
            plain = plain && is_plain(*tensor, data);
        }
        return plain;
    }

    void other_data() {
        if (tensors_with(real_data()).size() < 2) {
            data_of_one(real_data());
            return;
        }
        for (const bool suiting : {true, false}) {
            for (const Data& data : real_data()) {
                Values values = plain_;
                const bool plain = set_all(values, data, suiting);
                add(data.name, values, plain);
            }
        }
    }

    void data_of_one(const std::vector<Data>& all) {
        const std::vector<const ir::Tensor*> tensors = tensors_with(all);
        for (const bool suiting : {true, false}) {
            for (const Data& data : all) {
                for (const ir::Tensor* tensor : tensors) {
                    if (suits(*tensor, data) != suiting) continue;
                    Values values = plain_;
                    set(values, *tensor, data);
                    add(fmt::format("{}_{}", data.name, tensor->name), values,
                        is_plain(*tensor, data));
                }
            }
        }
    }

    void other_numbers() {
        for (const ir::Parameter& parameter : subject_.parameters) {
            if (!plain_.contains(parameter.name)) continue;
            // Of 32 bits, a number may be an extent of scratch memory.
            std::vector<std::string> numbers{"0", "1", "2", "7"};
            if (info(parameter.dtype).bits == 64) numbers.push_back("1000003");
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

    std::set<std::int64_t> widths() const {
        std::set<std::int64_t> found;
        for (const ir::Constant& constant : subject_.constants) {
            std::int64_t value = 0;
            if (ir::is_constant(constant.value, &value) && value > 1 && value <= most_width)
                found.insert(value);
        }
        return found;
    }

    // About a tile and several, and the smallest. Tensors grow with the extent at most.
    std::vector<std::int64_t> other_values(std::int64_t extent) const {
        std::set<std::int64_t> found{1, 2, 3, extent + 1, extent - 1};
        for (const std::int64_t step : steps_) {
            for (const std::int64_t value : {step - 1, step, step + 1, 2 * step + 1, 3 * step})
                found.insert(value);
        }
        const auto grown = [&](std::int64_t value) {
            return elements() / std::max<std::int64_t>(1, extent) * value;
        };
        const std::int64_t most = std::max(most_elements, 2 * elements());
        std::set<std::int64_t> kept;
        for (const std::int64_t value : found) {
            if (value >= 1 && value != extent && grown(value) <= most) kept.insert(value);
        }
        for (const std::int64_t width : widths()) {
            for (const std::int64_t value : {width - 1, width + 1, 2 * width + 1}) {
                const bool small = grown(value) <= std::min(most_with_constant, 8 * elements());
                if (value != extent && small) kept.insert(value);
            }
        }
        return {kept.begin(), kept.end()};
    }

    void other_extents() {
        for (const std::string& name : extents()) {
            const auto number = prepared_.numbers.find(name);
            if (number == prepared_.numbers.end() || !number->second.is_number()) continue;
            const std::int64_t extent = number->second.whole_at(0);
            const std::vector<std::int64_t> others = other_values(extent);
            for (const std::int64_t value : others) {
                Values values = plain_;
                values[name] = fmt::format("{}", value);
                add(fmt::format("{}_is_{}", name, value), values, true);
            }
            // Large data once more where loops run several times.
            if (others.empty() || others.back() <= extent) continue;
            for (std::size_t i = 0; i < most_with_extent; ++i) {
                const Data& data = real_data()[i];
                Values values = plain_;
                values[name] = fmt::format("{}", others.back());
                const bool plain = set_all(values, data, true);
                add(fmt::format("{}_{}_{}", data.name, name, others.back()), values, plain);
            }
        }
    }

    // ---- as text

    std::string fresh_name(const std::string& wanted) {
        std::string name = wanted;
        for (int n = 2; !names_.insert(name).second; ++n) name = fmt::format("{}_{}", wanted, n);
        return name;
    }

    void add(const std::string& name, const Values& values, bool plain) {
        const std::int64_t most =
            std::clamp(most_elements_of_all / std::max<std::int64_t>(1, elements()), least_probes,
                       most_probes);
        if (static_cast<std::int64_t>(made_.size()) == most) return;
        std::string bound;
        std::string expect;
        for (const auto& [extent, value] : values) {
            if (!plain_.contains(extent)) bound += fmt::format(" {} = {};", extent, value);
        }
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
        probe.plain = plain;
        probe.same_data = std::all_of(
            subject_.tensors.begin(), subject_.tensors.end(), [&](const ir::Tensor& tensor) {
                const auto before = plain_.find(tensor.name);
                return before == plain_.end() || values.at(tensor.name) == before->second;
            });
        probe.head = fmt::format("test {} of {} {{{}", probe.name, test_.subject, bound);
        probe.expect = std::move(expect);
        made_.push_back(std::move(probe));
    }

    const TestCase& test_;
    const PreparedCase& prepared_;
    const ir::Signature& subject_;
    const Domains& domains_;
    const std::set<std::int64_t>& steps_;
    const SourceManager& sources_;
    std::set<std::string>& names_;
    Values plain_;
    std::set<std::string> seen_;
    std::vector<Probe> made_;
};

}  // namespace

void widen(Domains& domains, const TestCase& test, const PreparedCase& prepared,
           const SourceManager& sources) {
    for (const auto& [name, tensor] : prepared.arguments.tensors) {
        const auto value = test.values.find(name);
        if (value == test.values.end()) continue;
        Domain& domain = domains[name];
        const Array data = as_kind(to_array(tensor), NumberKind::real);
        for (const double number : data.of<double>()) {
            if (!std::isfinite(number)) continue;
            domain.low = std::min(domain.low, number);
            domain.high = std::max(domain.high, number);
        }
        const auto* call = std::get_if<ast::Call>(&value->second->node);
        if (call == nullptr || sources.text(call->callee->span) != "normal") continue;
        domain.high = std::max(domain.high, -domain.low);
        domain.low = -domain.high;
    }
}

std::vector<Probe> probes(const TestCase& test, const PreparedCase& prepared,
                          const ir::Signature& subject, const Domains& domains,
                          const std::set<std::int64_t>& steps, const SourceManager& sources,
                          std::set<std::string>& names) {
    return Prober(test, prepared, subject, domains, steps, sources, names).run();
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
