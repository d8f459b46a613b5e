// Extents, the launch contract and the grid of a call.
#include "emulator/launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "ir/contract.h"
#include "ir/reflect.h"
#include "language/arithmetic.h"
#include "language/function_cases.h"

namespace tkc::emulator {

using namespace arithmetic;

namespace {

// Strides that matter are as given; the others as the launcher settles them: those of axes of one
// element, and all of an empty tensor, follow from the axes after, rows at multiples of 16 bytes.
ir::TensorValues contract_values(const Tensor& tensor) {
    ir::TensorValues values{tensor.extents, tensor.strides, 0};
    const bool empty = tensor.elements() == 0;
    if (!empty) values.address = tensor.origin * bytes(tensor.dtype);
    const std::int64_t row = std::max(16 / bytes(tensor.dtype), 1);
    std::int64_t dense = 1;
    for (std::size_t axis = tensor.extents.size(); axis-- > 0;) {
        const bool last = axis + 1 == tensor.extents.size();
        if (empty || tensor.extents[axis] == 1) {
            values.stride[axis] = last ? 1 : -floor_quotient(-dense, row) * row;
        }
        dense = values.stride[axis] * (empty ? 1 : tensor.extents[axis]);
    }
    return values;
}

// Whether no two elements share a place, as the launcher asks (runtime/tk/host/arguments.h): axes
// that nest; others count as interleaved.
bool has_distinct_elements(const Tensor& tensor) {
    std::vector<std::pair<std::int64_t, std::int64_t>> axes;  // stride, extent
    for (std::size_t axis = 0; axis < tensor.extents.size(); ++axis) {
        if (tensor.extents[axis] == 0) return true;
        if (tensor.extents[axis] > 1) axes.emplace_back(tensor.strides[axis], tensor.extents[axis]);
    }
    std::sort(axes.begin(), axes.end());
    std::int64_t reach = 0;
    for (const auto& [stride, extent] : axes) {
        if (stride <= reach) return false;
        reach += stride * (extent - 1);
    }
    return true;
}

bool is_dense(const Tensor& tensor) {
    std::int64_t reach = 1;
    for (std::size_t axis = 0; axis < tensor.extents.size(); ++axis)
        reach += tensor.strides[axis] * std::max<std::int64_t>(tensor.extents[axis] - 1, 0);
    return tensor.elements() == 0 || tensor.elements() == reach;
}

// Memory that is written is reached in one way only; what the launcher clears is one piece.
std::optional<std::string> memory_refusal(const ir::Tensor& declared, const Tensor& given) {
    if (declared.mode == ir::Mode::accumulate && !is_dense(given))
        return fmt::format("`{}` is cleared before the launch, so it must be dense", declared.name);
    if (declared.mode != ir::Mode::in && !has_distinct_elements(given)) {
        return fmt::format("`{}` is written, but some of its elements overlap or interleave",
                           declared.name);
    }
    return std::nullopt;
}

// Division by less than 1 gives 0: a condition before this one refuses it.
std::int64_t apply_at_launch(Function f, std::int64_t a, std::int64_t b, std::int64_t c) {
    __extension__ using Wide = __int128;
    constexpr std::int64_t limit = std::int64_t{1} << 62;
    const auto saturated = [](Wide x) {
        return static_cast<std::int64_t>(std::clamp<Wide>(x, -limit, limit));
    };
    if (divides(f) && b < 1) return 0;
    switch (f) {
        case Function::add: return saturated(Wide{a} + b);
        case Function::sub: return saturated(Wide{a} - b);
        case Function::mul: return saturated(Wide{a} * b);
        case Function::neg: return saturated(-Wide{a});
        case Function::abs: return saturated(a < 0 ? -Wide{a} : Wide{a});
        case Function::shift_left: return saturated(Wide{a} * (Wide{1} << (b & 31)));
        case Function::div:
        case Function::min:
        case Function::max:
        case Function::bit_and:
        case Function::bit_or:
        case Function::bit_xor:
        case Function::bit_not:
        case Function::shift_right:
        case TKC_LOGIC:
        case TKC_COMPARISONS:
        case TKC_INTEGER_FUNCTIONS:
        case TKC_REAL_FUNCTIONS:
        case TKC_BIT_PATTERNS:
        case Function::where: break;
    }
    return arithmetic::apply(f, a, b, c);
}

// The value as the launcher computes it (runtime/tk/host/integers.h): integers have 64 bits and
// saturate, whatever the dtype of a node says.
Number at_launch(const Environment& env, const ir::Scalar& s) {
    const auto constant = [&](const ir::Scalar& x) {
        const Number value = at_launch(env, x);
        if (const auto* real = std::get_if<double>(&value)) return ir::real(*real, x->dtype);
        const std::int64_t whole = std::get<std::int64_t>(value);
        return is_boolean(x->dtype) ? ir::boolean(whole != 0) : ir::integer(whole, x->dtype);
    };
    if (const auto* k = std::get_if<ir::Cast>(&s->node)) {
        const bool whole = is_integer(s->dtype) && !is_real(k->argument->dtype);
        if (whole) return at_launch(env, k->argument);
        return env.evaluate(ir::cast(s->dtype, constant(k->argument)));
    }
    const auto* c = std::get_if<ir::Call>(&s->node);
    if (c == nullptr) return env.evaluate(s);
    std::vector<ir::Scalar> arguments;
    for (const ir::Scalar& x : c->arguments) arguments.push_back(constant(x));
    if (!is_integer(s->dtype)) return env.evaluate(ir::call(c->function, std::move(arguments)));
    const auto operand = [&](std::size_t i) {
        std::int64_t value = 0;
        if (i < arguments.size()) ir::is_constant(arguments[i], &value);
        return value;
    };
    return apply_at_launch(c->function, operand(0), operand(1), operand(2));
}

}  // namespace

std::optional<Refusal> refusal(const ir::Signature& called, const Arguments& arguments) {
    for (const ir::Tensor& t : called.tensors) {
        if (auto sentence = memory_refusal(t, arguments.tensors.at(t.name)))
            return Refusal{std::move(*sentence), t.span};
    }
    std::map<std::string, ir::TensorValues> tensors;
    for (const ir::Tensor& t : called.tensors) {
        tensors[t.name] = contract_values(arguments.tensors.at(t.name));
    }
    ir::Values values = ir::values_of(called, tensors);
    Environment env(&arguments.tensors);
    for (const auto& [name, value] : values) env.set(name, value);
    for (const auto& [name, value] : arguments.scalars) {
        env.set(name, value);
        if (const auto* whole = std::get_if<std::int64_t>(&value)) values[name] = *whole;
    }
    const auto value_of = [&](const ir::Scalar& s) -> std::optional<std::int64_t> {
        std::int64_t value = 0;
        if (ir::evaluate(s, values, &value)) return value;
        // Integers have 64 bits here, as the launcher's; so have those next to floats, and those
        // that leave 64 bits saturate.
        try {
            return std::get<std::int64_t>(at_launch(env, ir::with_constants(called, s)));
        } catch (const Fault&) {
            return std::nullopt;
        }
    };
    for (const ir::Condition& condition : called.conditions) {
        if (value_of(condition.holds).value_or(0) == 0)
            return Refusal{ir::render(condition, value_of), condition.span};
    }
    return std::nullopt;
}

Environment environment_of(const ir::Signature& called, const Arguments& arguments) {
    Environment env(&arguments.tensors);
    std::map<std::string, ir::TensorValues> tensors;
    for (const ir::Tensor& t : called.tensors) {
        tensors[t.name] = contract_values(arguments.tensors.at(t.name));
    }
    for (const auto& [name, value] : ir::values_of(called, tensors)) env.set(name, value);
    for (const ir::Constant& c : called.constants) {
        const auto* word = std::get_if<ir::Symbol>(&c.value->node);
        if (word != nullptr) continue;  // a data type or a function is not a number
        env.set(c.name, env.evaluate(c.value));
    }
    for (const auto& [name, value] : arguments.scalars) env.set(name, value);
    return env;
}

Grid::Grid(const ir::Kernel& kernel, ir::Level level, const Environment& env) : kernel_(kernel) {
    const bool fills_up = level == ir::Level::scheduled;
    for (const ir::GridAxis& axis : kernel.grid) {
        begins_.push_back(env.integer(axis.begin));
        const std::int64_t length = env.integer(axis.end) - begins_.back();
        const std::int64_t together = axis.partial_cluster || !fills_up ? 1 : axis.cluster;
        const std::int64_t clusters = -floor_quotient(-length, axis.step * together);
        lengths_.push_back(length);
        counts_.push_back(std::max<std::int64_t>(clusters, 0) * together);
        programs_ *= counts_.back();
    }
    together_ = programs_;
    const ir::GridAxis* axis = ir::cluster_axis(kernel);
    if (axis != nullptr && axis->partial_cluster) {
        const std::int64_t rows = counts_[static_cast<std::size_t>(axis - kernel.grid.data())];
        if (rows > 0) together_ = programs_ / rows * (rows - rows % axis->cluster);
        if (fills_up) programs_ = -floor_quotient(-programs_, axis->cluster) * axis->cluster;
    }
    if (!kernel.raster_axis.empty()) band_ = env.integer(kernel.raster_width);
}

namespace {

// Row and column, as tk::raster.
std::pair<std::int64_t, std::int64_t> in_bands(std::int64_t number, std::int64_t rows,
                                               std::int64_t cols, std::int64_t band) {
    const std::int64_t first = number / (band * cols) * band;
    const std::int64_t height = std::min(rows - first, band);
    const std::int64_t within = number % (band * cols);
    return {first + within % height, within / height};
}

}  // namespace

// As tk::raster_clusters (runtime/tk/operations/grid.cuh), of a grid with two axes.
std::vector<std::int64_t> Grid::tiles_of_loose(std::int64_t number, std::size_t axis,
                                               std::int64_t band) const {
    std::vector<std::int64_t> tiles(2);
    const std::int64_t cols = counts_[1 - axis];
    const std::int64_t rows = counts_[axis];
    const std::int64_t whole = rows - rows % kernel_.grid[axis].cluster;
    if (number < together_) {
        std::tie(tiles[axis], tiles[1 - axis]) = in_bands(number, whole, cols, band);
    } else {
        tiles[axis] = whole + (number - together_) % (rows - whole);
        tiles[1 - axis] = (number - together_) / (rows - whole);
    }
    return tiles;
}

std::vector<std::int64_t> Grid::tiles_of(std::int64_t number) const {
    std::vector<std::int64_t> tiles(counts_.size());
    std::vector<std::size_t> order;
    std::size_t raster = counts_.size();
    for (std::size_t i = 0; i < counts_.size(); ++i) {
        if (kernel_.grid[i].var == kernel_.raster_axis) raster = i;
    }
    const ir::GridAxis* clusters = ir::cluster_axis(kernel_);
    if (clusters != nullptr && clusters->partial_cluster) {
        const auto axis = static_cast<std::size_t>(clusters - kernel_.grid.data());
        return tiles_of_loose(number, axis, raster < counts_.size() ? band_ : counts_[axis]);
    }
    if (raster < counts_.size() && counts_.size() > 1) {
        const std::size_t neighbour = raster + 1 < counts_.size() ? raster + 1 : raster - 1;
        const std::int64_t rows = counts_[raster];
        const std::int64_t cols = counts_[neighbour];
        const std::int64_t point = number % (rows * cols);
        number /= rows * cols;
        std::tie(tiles[raster], tiles[neighbour]) = in_bands(point, rows, cols, band_);
        for (std::size_t i = 0; i < counts_.size(); ++i) {
            if (i != raster && i != neighbour) order.push_back(i);
        }
    } else {
        for (std::size_t i = 0; i < counts_.size(); ++i) order.push_back(i);
    }
    for (const std::size_t i : order) {
        tiles[i] = number % counts_[i];
        number /= counts_[i];
    }
    for (std::size_t i = 0; i < counts_.size(); ++i) {
        if (kernel_.grid[i].reversed) tiles[i] = counts_[i] - 1 - tiles[i];
    }
    return tiles;
}

void Grid::enter(std::int64_t number, Environment& env) const {
    const std::vector<std::int64_t> tiles = tiles_of(number);
    for (std::size_t i = 0; i < tiles.size(); ++i) {
        env.set(kernel_.grid[i].var, begins_[i] + tiles[i] * kernel_.grid[i].step);
    }
    for (const ir::Op& op : kernel_.lets) {
        if (const auto* let = ir::as<ir::Let>(op)) env.set(let->name, env.evaluate(let->value));
    }
}

bool Grid::fills_up(std::int64_t number) const {
    if (ir::cluster_axis(kernel_) == nullptr) return false;
    const std::vector<std::int64_t> tiles = tiles_of(number);
    for (std::size_t i = 0; i < tiles.size(); ++i) {
        if (tiles[i] * kernel_.grid[i].step >= lengths_[i]) return true;
    }
    return false;
}

std::string Grid::describe(std::int64_t number) const {
    const std::vector<std::int64_t> tiles = tiles_of(number);
    std::string text = "program";
    for (std::size_t i = 0; i < tiles.size(); ++i) {
        text += fmt::format("{} {} = {}", i == 0 ? "" : ",", kernel_.grid[i].var,
                            begins_[i] + tiles[i] * kernel_.grid[i].step);
    }
    return text;
}

}  // namespace tkc::emulator
