// Broadcasting, transposes and products of arrays.
#include "emulator/array.h"

#include <algorithm>
#include <cmath>

#include "emulator/vectorised.h"

namespace tkc::emulator {

namespace {

// The shape with leading axes of extent 1, up to `rank` axes.
Shape with_rank(const Shape& shape, std::size_t rank) {
    Shape out(rank - shape.size(), 1);
    out.insert(out.end(), shape.begin(), shape.end());
    return out;
}

// c += a b of dense matrices. Four rows of `b` a step, so that the inner loop has work to hide its
// loads; panels of `b` that stay in the cache.
TKC_VECTORISED
void add_product(const double* a, const double* b, double* c, std::int64_t rows, std::int64_t cols,
                 std::int64_t depth) {
    constexpr std::int64_t panel_cols = 512;
    constexpr std::int64_t panel_depth = 128;
    for (std::int64_t j0 = 0; j0 < cols; j0 += panel_cols) {
        const std::int64_t width = std::min(panel_cols, cols - j0);
        for (std::int64_t k0 = 0; k0 < depth; k0 += panel_depth) {
            const std::int64_t k1 = std::min(k0 + panel_depth, depth);
            for (std::int64_t i = 0; i < rows; ++i) {
                double* const out = c + i * cols + j0;
                const double* const row = a + i * depth;
                std::int64_t k = k0;
                for (; k + 3 < k1; k += 4) {
                    const double* const b0 = b + k * cols + j0;
                    const double* const b1 = b0 + cols;
                    const double* const b2 = b1 + cols;
                    const double* const b3 = b2 + cols;
                    const double x0 = row[k];
                    const double x1 = row[k + 1];
                    const double x2 = row[k + 2];
                    const double x3 = row[k + 3];
                    for (std::int64_t j = 0; j < width; ++j) {
                        out[j] += (x0 * b0[j] + x1 * b1[j]) + (x2 * b2[j] + x3 * b3[j]);
                    }
                }
                for (; k < k1; ++k) {
                    const double* const b0 = b + k * cols + j0;
                    const double x0 = row[k];
                    for (std::int64_t j = 0; j < width; ++j) out[j] += x0 * b0[j];
                }
            }
        }
    }
}

}  // namespace

Array Array::filled(Shape shape, double value, NumberKind kind) {
    const auto count = static_cast<std::size_t>(element_count(shape));
    return {kind, std::move(shape), std::vector<double>(count, value)};
}

std::int64_t element_count(const Shape& shape) {
    std::int64_t product = 1;
    for (const std::int64_t extent : shape) product *= extent;
    return product;
}

std::string to_string(const Shape& shape) {
    if (shape.empty()) return "a number";
    std::string out = "[";
    for (const std::int64_t extent : shape) {
        out += (out.size() > 1 ? ", " : "") + std::to_string(extent);
    }
    return out + "]";
}

std::optional<Shape> broadcast(const Shape& a, const Shape& b) {
    const std::size_t rank = std::max(a.size(), b.size());
    Shape shape = with_rank(a, rank);
    const Shape other = with_rank(b, rank);
    for (std::size_t axis = 0; axis < rank; ++axis) {
        if (shape[axis] == other[axis] || other[axis] == 1) continue;
        if (shape[axis] != 1) return std::nullopt;
        shape[axis] = other[axis];
    }
    return shape;
}

Array expand(const Array& a, const Shape& shape) {
    if (a.shape == shape) return a;
    Array result = Array::filled(shape, 0, a.kind);
    result.wraps = a.wraps;
    if (result.cells.empty()) return result;
    const Shape from = with_rank(a.shape, shape.size());
    // Strides of `a`, 0 along what is repeated.
    Shape strides(shape.size(), 0);
    std::int64_t stride = 1;
    for (std::size_t axis = shape.size(); axis-- > 0;) {
        strides[axis] = from[axis] == 1 ? 0 : stride;
        stride *= from[axis];
    }
    // Line by line along the last axis.
    const std::int64_t length = shape.back();
    const bool repeats = strides.back() == 0;
    Shape index(shape.size() - 1, 0);
    std::int64_t at = 0;
    for (auto to = result.cells.begin(); to != result.cells.end(); to += length) {
        const auto line = a.cells.begin() + at;
        if (repeats) std::fill_n(to, length, *line);
        else std::copy_n(line, length, to);
        for (std::size_t axis = index.size(); axis-- > 0;) {
            at += strides[axis];
            if (++index[axis] < shape[axis]) break;
            at -= strides[axis] * shape[axis];
            index[axis] = 0;
        }
    }
    return result;
}

Array transpose(const Array& a) {
    if (a.rank() == 0) return a;
    if (a.rank() == 1) return {a.kind, {a.shape[0], 1}, a.cells};
    Array result{a.kind, a.shape, std::vector<double>(a.cells.size()), a.wraps};
    std::swap(result.shape[a.rank() - 1], result.shape[a.rank() - 2]);
    const auto rows = static_cast<std::size_t>(a.shape[a.rank() - 2]);
    const auto cols = static_cast<std::size_t>(a.shape[a.rank() - 1]);
    if (a.cells.empty()) return result;
    // Eight rows at once fill a line of the cache.
    constexpr std::size_t step = 8;
    for (std::size_t base = 0; base < a.cells.size(); base += rows * cols) {
        const double* const from = a.cells.data() + base;
        double* const to = result.cells.data() + base;
        for (std::size_t first = 0; first < rows; first += step) {
            const std::size_t end = std::min(first + step, rows);
            for (std::size_t j = 0; j < cols; ++j)
                for (std::size_t i = first; i < end; ++i) to[j * rows + i] = from[i * cols + j];
        }
    }
    return result;
}

std::optional<Array> multiply(const Array& a, const Array& b) {
    if (a.rank() == 0 || b.rank() == 0) return std::nullopt;
    const Shape left = with_rank(a.shape, std::max<std::size_t>(a.rank(), 2));
    const Shape right = with_rank(b.shape, std::max<std::size_t>(b.rank(), 2));
    const std::int64_t rows = left[left.size() - 2];
    const std::int64_t depth = left.back();
    const std::int64_t cols = right.back();
    if (right[right.size() - 2] != depth) return std::nullopt;
    const Shape left_lead(left.begin(), left.end() - 2);
    const Shape right_lead(right.begin(), right.end() - 2);
    const std::optional<Shape> lead = broadcast(left_lead, right_lead);
    if (!lead) return std::nullopt;

    const auto full = [&](const Array& x, std::int64_t m, std::int64_t n) {
        Shape shape = *lead;
        shape.insert(shape.end(), {m, n});
        return element_count(shape) == static_cast<std::int64_t>(x.cells.size())
                   ? x
                   : expand(
                         {x.kind, with_rank(x.shape, std::max<std::size_t>(x.rank(), 2)), x.cells},
                         shape);
    };
    const bool reals = a.kind == NumberKind::real || b.kind == NumberKind::real;
    Shape shape = *lead;
    shape.insert(shape.end(), {rows, cols});
    Array result = Array::filled(shape, 0, reals ? NumberKind::real : NumberKind::integer);
    const std::int64_t batches = element_count(*lead);
    if (lead->empty()) {
        add_product(a.cells.data(), b.cells.data(), result.cells.data(), rows, cols, depth);
        return result;
    }
    const Array x = full(a, rows, depth);
    const Array y = full(b, depth, cols);
    for (std::int64_t i = 0; i < batches; ++i) {
        add_product(x.cells.data() + i * rows * depth, y.cells.data() + i * depth * cols,
                    result.cells.data() + i * rows * cols, rows, cols, depth);
    }
    return result;
}

AxisView along(const Shape& shape, std::size_t axis) {
    AxisView view;
    for (std::size_t i = 0; i < axis; ++i) view.outer *= shape[i];
    view.length = shape[axis];
    for (std::size_t i = axis + 1; i < shape.size(); ++i) view.inner *= shape[i];
    return view;
}

}  // namespace tkc::emulator
