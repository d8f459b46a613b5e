// Numbers that are made up, and tables of sequences.
#include "compiler/trial_data.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <numeric>
#include <optional>
#include <set>
#include <vector>

#include "arithmetic/normal_form.h"
#include "compiler/stated_elements.h"
#include "emulator/tensor_view.h"
#include "facts/facts.h"
#include "ir/walk.h"

namespace tkc {

namespace {

using emulator::Arguments;
using Steps = std::array<std::int64_t, 2>;

// Bits that follow from a number alone (splitmix64).
inline std::uint64_t mixed(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

// Calls `f` on every node of what cells are made of, and of what decides.
void look_at_text(const ir::Kernel& kernel, const std::function<void(const ir::ScalarNode&)>& f) {
    for (const ir::Role& role : kernel.roles) {
        ir::walk_only<ir::Map>(role.body,
                               [&](const ir::Map& op) { ir::visit_nodes(op.expression, f); });
        ir::walk_only<ir::Splat>(role.body,
                                 [&](const ir::Splat& op) { ir::visit_nodes(op.value, f); });
        ir::walk_only<ir::If>(role.body,
                              [&](const ir::If& op) { ir::visit_nodes(op.condition, f); });
        ir::walk_only<ir::Let>(role.body, [&](const ir::Let& op) { ir::visit_nodes(op.value, f); });
    }
}

// What data are made of.
struct Drawn {
    std::vector<double> scales{1};  // by one of them, a number up to 2 is multiplied
    std::vector<double> numbers;    // of the text, that are taken as they are
    std::vector<std::int64_t> whole_numbers;
};

// Reals of one tensor: multiples of 1/64 up to 4, added to `least`, times `sign`.
struct Side {
    double sign = 1;
    double least = 0;
};

// Integers: small ones, or all the places of a tensor.
enum class Places : std::uint8_t { any, growing, falling };

Drawn wide_numbers_of(const ir::Kernel& kernel) {
    if (!takes_large_numbers(kernel)) return {{1, 2}, {}, {}};
    constexpr double largest = 1e5;  // beyond, sums of f32 lose what is small
    constexpr std::int64_t largest_whole = 1'000'000;
    std::set<double> scales{1, 4, 32};
    std::set<double> numbers;
    std::set<std::int64_t> whole_numbers;
    look_at_text(kernel, [&](const ir::ScalarNode& node) {
        if (const auto* call = std::get_if<ir::Call>(&node.node)) {
            if (info(call->function).kind != FunctionKind::compare) return;
            for (const ir::Scalar& x : call->arguments) {
                const auto* asked = std::get_if<ir::Integer>(&x->node);
                if (asked != nullptr && std::abs(asked->value) <= largest_whole)
                    whole_numbers.insert(asked->value);
            }
            return;
        }
        const auto* real = std::get_if<ir::Real>(&node.node);
        const auto* whole = std::get_if<ir::Integer>(&node.node);
        if (real == nullptr && whole == nullptr) return;
        const double number = real != nullptr ? real->value : static_cast<double>(whole->value);
        if (!(std::fabs(number) <= largest)) return;
        numbers.insert(number);
        if (std::fabs(number) > 32) scales.insert(std::ceil(std::fabs(number)));
    });
    return {{scales.begin(), scales.end()},
            {numbers.begin(), numbers.end()},
            {whole_numbers.begin(), whole_numbers.end()}};
}

// Reals are multiples of 1/64 up to 2, times a scale, so that sums of some thousand are exact in
// f32 in any order. Integers may be places: some of them are small.
void fill(emulator::Tensor& tensor, const Drawn& from, const std::optional<Side>& side,
          Places places, std::uint64_t seed) {
    const auto picked = [](const auto& list, std::uint64_t bits) {
        return list[static_cast<std::uint32_t>(bits >> 32) %
                    static_cast<std::uint32_t>(list.size())];
    };
    const auto random_bits = [&](std::int64_t number) {
        return mixed(seed + mixed(static_cast<std::uint64_t>(number)));
    };
    const auto real = [&](std::int64_t number) {
        const std::uint64_t bits = random_bits(number);
        const double first = static_cast<double>(bits % 257) / 64;
        if (side) return side->sign * (side->least + first);
        const bool of_text = (bits >> 16) % 8 == 0;
        if (of_text && !from.numbers.empty()) return picked(from.numbers, bits);
        return picked(from.scales, bits) * (first == 2 ? 0.25 : first - 2);
    };
    const auto large = static_cast<std::int64_t>(from.scales.back());
    const bool negative = info(tensor.dtype).kind == DtypeClass::integer;
    const std::int64_t last = tensor.elements() - 1;
    const auto whole = [&](std::int64_t number) {
        if (is_integer(tensor.dtype) && places == Places::growing) return number;
        if (is_integer(tensor.dtype) && places == Places::falling) return last - number;
        const std::uint64_t bits = random_bits(number);
        if (is_boolean(tensor.dtype)) return static_cast<std::int64_t>(bits % 2);
        auto value = static_cast<std::int64_t>(bits % 5);
        if (large > 2 && (bits >> 20) % 4 != 0) value *= large;
        if (large > 2 && (bits >> 20) % 4 == 1 && negative) value = -value;
        // Few of them decide much: half of these.
        if ((bits >> 16) % 2 == 0 && !from.whole_numbers.empty())
            value = picked(from.whole_numbers, bits);
        return value;
    };
    const auto fill_with = [&]<class Number>(Number, const auto& made) {
        std::vector<Number> line;
        emulator::for_each_line(tensor, [&](std::int64_t first, std::int64_t element,
                                            std::int64_t step, std::int64_t count) {
            line.resize(static_cast<std::size_t>(count));
            for (std::int64_t i = 0; i < count; ++i)
                line[static_cast<std::size_t>(i)] = static_cast<Number>(made(first + i));
            emulator::write_numbers(tensor.dtype, line.data(), tensor.at(element), line.size(),
                                    step);
        });
    };
    if (!is_real(tensor.dtype)) fill_with(std::int64_t{}, whole);
    else if (tensor.dtype == Dtype::f64 || bits_of(tensor.dtype) == 8) fill_with(double{}, real);
    else fill_with(float{}, real);
}

// Of the tensor with that number, of `count`.
std::optional<Side> side_of(const ir::Kernel& kernel, TrialReals reals, std::size_t number,
                            std::size_t count) {
    double least = 1;
    for (const double x : wide_numbers_of(kernel).numbers) least = std::max(least, std::fabs(x));
    // What powers are made of stays small.
    const double step = takes_large_numbers(kernel) ? std::ceil(least) : 0;
    const auto rising = static_cast<double>(number);
    switch (reals) {
        case TrialReals::small:
        case TrialReals::wide: return std::nullopt;
        case TrialReals::above: return Side{1, step * rising};
        case TrialReals::above_in_turn: return Side{1, step * static_cast<double>(count - number)};
        case TrialReals::below: return Side{-1, step * rising};
        case TrialReals::on_both_sides: return Side{number % 2 == 0 ? 1.0 : -1.0, step * rising};
    }
    return std::nullopt;
}

// Values of the names that are extents, or extents and a number, and of whole parameters.
ir::Assignment names_of(const ir::Kernel& kernel, const Arguments& arguments) {
    ir::Assignment made;
    const ir::Bindings bindings = ir::bindings_of(kernel);
    for (const ir::Tensor& tensor : kernel.tensors) {
        const std::vector<std::int64_t>& extents = arguments.tensors.at(tensor.name).extents;
        for (std::size_t i = 0; i < extents.size(); ++i) {
            const std::set<std::string> names = ir::symbols_of(tensor.extents[i]);
            if (names.size() != 1) continue;
            const ir::Scalar beside = ir::sub(tensor.extents[i], ir::symbol(*names.begin()));
            const auto number = ir::evaluate(ir::normal_form(beside, bindings), {});
            if (number) made[*names.begin()] = extents[i] - *number;
        }
    }
    for (const ir::Parameter& p : kernel.parameters) {
        const auto* whole = std::get_if<std::int64_t>(&arguments.scalars.at(p.name));
        if (whole != nullptr) made[p.name] = *whole;
    }
    return made;
}

// Where sequence `number` of `count` begins, of those that share `length` elements.
std::int64_t begin_of(std::int64_t number, std::int64_t count, std::int64_t length,
                      TrialTable table, const Steps& steps) {
    const std::int64_t growing = length * number * (number + 1) / (count * (count + 1));
    switch (table) {
        case TrialTable::uneven: {
            const std::int64_t shortest = std::max<std::int64_t>(steps[0] - 1, 1);
            if (number >= count) return length;
            if (number == 0) return 0;
            return std::min(length, number == 1 ? shortest : shortest + steps[1]);
        }
        case TrialTable::growing: return growing;
        case TrialTable::whole: {
            const std::int64_t tile = std::lcm(steps[0], steps[1]);
            return number >= count ? length : growing / tile * tile;
        }
        case TrialTable::alone: return number == 0 ? 0 : length;
    }
    return growing;
}

// Tables that begin and end as the kernel states.
void make_tables(const ir::Kernel& kernel, TrialTable table,
                 const std::map<std::string, Steps>& steps, Arguments& arguments) {
    const std::vector<StatedElement> stated = stated_elements(kernel);
    if (stated.empty()) return;
    const ir::Witness names{names_of(kernel, arguments), {}};
    const ir::Bindings bindings = ir::bindings_of(kernel);
    std::map<std::string, std::map<std::int64_t, std::int64_t>> tables;
    for (const StatedElement& element : stated) {
        const auto at = ir::evaluate(ir::normal_form(element.position, bindings), names.leaves());
        const auto is = ir::evaluate(ir::normal_form(element.value, bindings), names.leaves());
        if (at && is) tables[element.tensor][*at] = *is;
    }
    for (const auto& [name, known] : tables) {
        emulator::Tensor& tensor = arguments.tensors.at(name);
        const auto own = steps.find(name);
        const Steps tile = own == steps.end() ? Steps{1, 1} : own->second;
        emulator::for_each_element(tensor, [&](std::int64_t number, std::int64_t element) {
            const auto next = known.lower_bound(number);
            if (next == known.end() || (next == known.begin() && next->first != number)) return;
            if (next->first == number) {
                emulator::write_cell(tensor, element, next->second);
                return;
            }
            const auto& [from, first] = *std::prev(next);
            emulator::write_cell(tensor, element,
                                 first + begin_of(number - from, next->first - from,
                                                  next->second - first, table, tile));
        });
    }
}

}  // namespace

bool takes_large_numbers(const ir::Kernel& kernel) {
    bool takes = true;
    look_at_text(kernel, [&](const ir::ScalarNode& node) {
        if (const auto* call = std::get_if<ir::Call>(&node.node))
            takes = takes &&
                    (info(call->function).digits != FunctionDigits::steep || !is_real(node.dtype));
        else if (std::holds_alternative<ir::External>(node.node)) takes = false;
    });
    return takes;
}

bool is_exact(const ir::Kernel& kernel) {
    bool exact = takes_large_numbers(kernel);
    look_at_text(kernel, [&](const ir::ScalarNode& node) {
        const auto* call = std::get_if<ir::Call>(&node.node);
        exact = exact && (call == nullptr || !is_real(node.dtype) ||
                          info(call->function).digits == FunctionDigits::exact);
    });
    const auto is_wide = [](Dtype dtype) { return !is_real(dtype) || bits_of(dtype) > 16; };
    for (const ir::Tensor& tensor : kernel.tensors) exact = exact && is_wide(tensor.dtype);
    for (const ir::Role& role : kernel.roles) {
        for (const ir::ValueInfo& value : role.values) {
            const auto* tile = std::get_if<ir::TileType>(&value.type);
            exact = exact && (tile == nullptr || is_wide(tile->dtype));
        }
        ir::walk_only<ir::Mma>(role.body, [&](const ir::Mma&) { exact = false; });
    }
    return exact;
}

bool has_tables(const ir::Kernel& kernel) { return !stated_elements(kernel).empty(); }

void make_trial_data(const ir::Kernel& kernel, const TrialData& data,
                     const std::map<std::string, Steps>& steps, Arguments& arguments) {
    // Integers next to reals of one side stay small: as places, they name something.
    const Drawn from = data.reals == TrialReals::wide ? wide_numbers_of(kernel) : Drawn{};
    Places places = Places::any;
    // Falling ones are not as `increasing` wants them, but the first place is asked for something.
    if (data.places_apart) places = data.launch % 2 == 0 ? Places::falling : Places::growing;
    std::uint64_t number = 0;
    for (const ir::Tensor& tensor : kernel.tensors) {
        const std::uint64_t launch = mixed(data.launch * 64 + ++number);
        const std::uint64_t own = is_real(tensor.dtype) ? mixed(launch + data.again) : launch;
        const bool given = tensor.mode == ir::Mode::in || tensor.mode == ir::Mode::inout;
        if (given) {
            const std::optional<Side> side =
                side_of(kernel, data.reals, number, kernel.tensors.size());
            fill(arguments.tensors.at(tensor.name), from, side, places, own);
        }
    }
    for (const ir::Parameter& p : kernel.parameters) {
        if (is_real(p.dtype)) arguments.scalars[p.name] = 0.5;
    }
    make_tables(kernel, data.table, steps, arguments);
}

}  // namespace tkc
