// Measures, the worst cells, and a picture of the wrong tiles.
#include "emulator/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "emulator/reference_functions.h"
#include "emulator/tensor_view.h"

namespace tkc::emulator {

namespace {

constexpr std::size_t most_listed = 5;
constexpr std::int64_t most_rows = 24;
constexpr std::int64_t most_columns = 64;

// In what the cells are measured before they are squared: 1, or their largest magnitude where its
// square would be no number of f64, or 0.
double unit_of(const std::vector<double>& cells) {
    double largest = 0;
    for (const double cell : cells)
        if (std::isfinite(cell)) largest = std::max(largest, std::fabs(cell));
    return largest == 0 || (largest > 1e-140 && largest < 1e140) ? 1 : largest;
}

// Root of the mean square of the finite cells.
double root_mean_square(const std::vector<double>& cells, double unit) {
    double sum = 0;
    std::size_t count = 0;
    for (const double cell : cells) {
        if (!std::isfinite(cell)) continue;
        sum += (cell / unit) * (cell / unit);
        ++count;
    }
    return count == 0 ? 0 : unit * std::sqrt(sum / static_cast<double>(count));
}

// Whether both are not finite numbers and mean the same.
bool same_special(double a, double b) {
    return (std::isnan(a) && std::isnan(b)) || (std::isinf(a) && a == b);
}

void keep_worst(std::vector<Comparison::Cell>& worst, const Comparison::Cell& cell) {
    if (worst.size() == most_listed && worst.back().error >= cell.error) return;
    const auto place = std::find_if(worst.begin(), worst.end(), [&](const Comparison::Cell& c) {
        return c.error < cell.error;
    });
    if (place == worst.end() && worst.size() == most_listed) return;
    worst.insert(place, cell);
    if (worst.size() > most_listed) worst.pop_back();
}

std::string position(std::int64_t number, const Shape& extents) {
    std::string out;
    for (std::size_t axis = extents.size(); axis-- > 0;) {
        out = fmt::format("{}{}{}", number % extents[axis], out.empty() ? "" : ", ", out);
        number /= extents[axis];
    }
    return "[" + out + "]";
}

// NaN has no sign here. Integers have all of their digits: one too many is one too many.
std::string cell_text(const Array& x, std::size_t at) {
    if (!x.is_real()) return fmt::format("{}", x.whole_at(at));
    return std::isnan(x.real_at(at)) ? "NaN" : fmt::format("{:.7g}", x.real_at(at));
}

// As far as they are apart, even where their doubles are equal.
std::uint64_t distance(std::int64_t a, std::int64_t b) {
    return static_cast<std::uint64_t>(std::max(a, b)) - static_cast<std::uint64_t>(std::min(a, b));
}

// Cells of one character, and how many of them are wrong.
struct Share {
    std::int64_t cells = 0;
    std::int64_t wrong = 0;
    bool nan = false;
    char character() const {
        if (nan) return '?';
        if (wrong == 0) return '.';
        return 2 * wrong >= cells ? '#' : '+';
    }
};
constexpr std::pair<char, const char*> meanings[] = {
    {'+', "some wrong"}, {'#', "half wrong or more"}, {'?', "NaN among them"}};

// `unit` or the smallest multiple of it that divides `extent` into at most `most` parts.
std::int64_t merged(std::int64_t unit, std::int64_t extent, std::int64_t most) {
    const std::int64_t parts = (extent + unit - 1) / unit;
    return unit * std::max<std::int64_t>(1, (parts + most - 1) / most);
}

}  // namespace

Comparison compare(const Tensor& output, const Array& reference, Limits limits) {
    Comparison result;
    result.limits = limits;
    result.whole = is_integer(output.dtype);
    result.cells.resize(reference.size(), CellState::good);
    const Array expected = convert(output.dtype, reference);
    const Array found = to_array(output);
    std::vector<double> expected_room;
    std::vector<double> found_room;
    const std::vector<double>& expected_reals = cells_as(expected, expected_room);
    const std::vector<double>& found_reals = cells_as(found, found_room);
    const double unit = unit_of(expected_reals);
    const double typical = root_mean_square(expected_reals, unit);
    const bool all_zero = typical == 0;
    double difference = 0;
    double norm = 0;
    for (std::size_t at = 0; at < expected_reals.size(); ++at) {
        const double r = expected_reals[at];
        const double x = found_reals[at];
        if (same_special(x, r)) continue;
        Comparison::Cell cell;
        cell.number = static_cast<std::int64_t>(at);
        double apart = std::fabs(x - r);
        if (!expected.is_real()) {
            const std::uint64_t exact = distance(expected.whole_at(at), found.whole_at(at));
            result.difference = std::max(result.difference, exact);
            apart = static_cast<double>(exact);
        }
        difference += (apart / unit) * (apart / unit);
        if (std::isfinite(r)) norm += (r / unit) * (r / unit);
        if (std::isfinite(x) && std::isfinite(r)) {
            const double scale = all_zero ? 1 : std::fabs(r) + typical;
            cell.error = apart / scale;
        } else {
            cell.error = std::numeric_limits<double>::infinity();
        }
        const bool nan = std::isnan(x) || std::isnan(r);
        if (nan) result.cell_error = std::numeric_limits<double>::quiet_NaN();
        else if (cell.error > result.cell_error) result.cell_error = cell.error;
        if (cell.error > 0) keep_worst(result.worst, cell);
        if (cell.error <= limits.cell) continue;
        ++result.wrong;
        if (std::isnan(x)) ++result.nan;
        result.cells[at] = std::isnan(x) ? CellState::nan : CellState::wrong;
    }
    const double count = std::max(1.0, static_cast<double>(expected.size()));
    result.norm_error = std::sqrt(difference / (norm == 0 ? count : norm));
    for (Comparison::Cell& cell : result.worst) {
        cell.expected = cell_text(expected, static_cast<std::size_t>(cell.number));
        cell.found = cell_text(found, static_cast<std::size_t>(cell.number));
    }
    return result;
}

std::string measures_text(const Comparison& c) {
    const auto measure = [](double x) { return std::isnan(x) ? "NaN" : fmt::format("{:.3g}", x); };
    const std::string nan = c.nan == 0 ? "" : fmt::format(", {} of them NaN", c.nan);
    if (c.whole && c.limits.cell == 0)  // then any difference is one, and its size says most
        return fmt::format("{} of {} cells are wrong, by up to {}", c.wrong, c.cells.size(),
                           c.difference);
    if (c.wrong == 0)  // small errors that add up, as those of a wrong constant do
        return fmt::format(
            "the norm of x - r is {} of that of r, at most {:.3g} is allowed; each of the {} cells "
            "alone is within the limit: |x - r| is up to {} of |r| + rms(r), at most {:.3g} is "
            "allowed",
            measure(c.norm_error), c.limits.norm, c.cells.size(), measure(c.cell_error),
            c.limits.cell);
    return fmt::format(
        "{} of {} cells are wrong{}: |x - r| is up to {} of |r| + rms(r), at most {:.3g} is "
        "allowed; the norm of x - r is {} of that of r, at most {:.3g} is allowed",
        c.wrong, c.cells.size(), nan, measure(c.cell_error), c.limits.cell, measure(c.norm_error),
        c.limits.norm);
}

std::string worst_text(const Comparison& c, const Shape& extents) {
    std::string out;
    for (const Comparison::Cell& cell : c.worst) {
        out += fmt::format("{}{}: expected {}, got {}", out.empty() ? "" : "\n",
                           position(cell.number, extents), cell.expected, cell.found);
    }
    return out;
}

std::string differences_text(const Comparison& c, const Shape& extents, const std::string& a,
                             const std::string& b) {
    std::string out = fmt::format("{} of {} cells differ", c.wrong, c.cells.size());
    if (c.wrong == 0)
        out = fmt::format("the norm of the difference is {:.3g}, at most {:.3g} is allowed",
                          c.norm_error, c.limits.norm);
    else if (!c.whole)
        out += fmt::format(": by up to {:.3g} of |x| + rms(x), at most {:.3g} is allowed",
                           c.cell_error, c.limits.cell);
    for (const Comparison::Cell& cell : c.worst) {
        out += fmt::format("\n{}: {} by `{}`, {} by `{}`", position(cell.number, extents),
                           cell.expected, a, cell.found, b);
    }
    return out;
}

std::string picture(const Comparison& comparison, const Shape& extents, std::int64_t rows,
                    std::int64_t cols) {
    const std::int64_t width = extents.empty() ? 1 : extents.back();
    const std::int64_t height = extents.size() < 2 ? 1 : extents[extents.size() - 2];
    if (width == 0 || height == 0) return "";
    rows = merged(std::min(rows, height), height, most_rows);
    cols = merged(std::min(cols, width), width, most_columns);
    const std::int64_t down = (height + rows - 1) / rows;
    const std::int64_t across = (width + cols - 1) / cols;
    std::vector<Share> shares(static_cast<std::size_t>(down * across));
    for (std::size_t i = 0; i < comparison.cells.size(); ++i) {
        const auto number = static_cast<std::int64_t>(i);
        const std::int64_t row = number / width % height / rows;
        const std::int64_t col = number % width / cols;
        Share& share = shares[static_cast<std::size_t>(row * across + col)];
        ++share.cells;
        if (comparison.cells[i] != CellState::good) ++share.wrong;
        share.nan = share.nan || comparison.cells[i] == CellState::nan;
    }
    std::string out = fmt::format("one character for {} x {} cells{}: `.` right", rows, cols,
                                  extents.size() > 2 ? " of the last two axes" : "");
    for (const auto& [character, meaning] : meanings) {
        if (std::any_of(shares.begin(), shares.end(),
                        [&](const Share& s) { return s.character() == character; }))
            out += fmt::format(", `{}` {}", character, meaning);
    }
    const std::size_t digits = std::to_string((down - 1) * rows).size();
    for (std::int64_t row = 0; row < down; ++row) {
        out += down == 1 ? "\n" : fmt::format("\n{:>{}}  ", row * rows, digits);
        for (std::int64_t col = 0; col < across; ++col) {
            out += shares[static_cast<std::size_t>(row * across + col)].character();
        }
    }
    return out;
}

}  // namespace tkc::emulator
