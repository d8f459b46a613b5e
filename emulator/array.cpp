// Broadcasting, transposes and products of arrays.
#include "emulator/array.h"

#include <algorithm>
#include <cmath>

#include "emulator/number.h"
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

// Of integers, which wrap.
void add_product(const std::int64_t* a, const std::int64_t* b, std::int64_t* c, std::int64_t rows,
                 std::int64_t cols, std::int64_t depth) {
    using U = std::uint64_t;
    for (std::int64_t i = 0; i < rows; ++i) {
        std::int64_t* const out = c + i * cols;
        for (std::int64_t k = 0; k < depth; ++k) {
            const auto x = static_cast<U>(a[i * depth + k]);
            const std::int64_t* const row = b + k * cols;
            for (std::int64_t j = 0; j < cols; ++j)
                out[j] =
                    static_cast<std::int64_t>(static_cast<U>(out[j]) + x * static_cast<U>(row[j]));
        }
    }
}

}  // namespace

Array Array::zeros(Shape shape, NumberKind kind) {
    const auto count = static_cast<std::size_t>(element_count(shape));
    if (kind == NumberKind::real) return {kind, std::move(shape), std::vector<double>(count)};
    return {kind, std::move(shape), std::vector<std::int64_t>(count)};
}

double Array::real_at(std::size_t i) const {
    return std::visit([i](const auto& all) { return static_cast<double>(all[i]); }, cells);
}

Array Array::cell(std::size_t i) const {
    return std::visit(
        [&](const auto& all) {
            return Array{kind, {}, std::vector{all[i]}, wraps};
        },
        cells);
}

template <class T>
const std::vector<T>& cells_as(const Array& a, std::vector<T>& room) {
    if (const auto* same = std::get_if<std::vector<T>>(&a.cells)) return *same;
    room.reserve(a.size());
    if constexpr (std::is_integral_v<T>) {
        for (const double cell : a.of<double>()) room.push_back(truncate_to(Dtype::i64, cell));
    } else {
        for (const std::int64_t cell : a.of<std::int64_t>()) room.push_back(static_cast<T>(cell));
    }
    return room;
}
template const std::vector<double>& cells_as(const Array&, std::vector<double>&);
template const std::vector<std::int64_t>& cells_as(const Array&, std::vector<std::int64_t>&);

Array as_kind(Array a, NumberKind kind) {
    const bool real = kind == NumberKind::real;
    const auto converted = [&]<class T>(std::vector<T> room) {
        cells_as(a, room);
        a.cells = std::move(room);
    };
    if (real && !a.is_real()) converted(std::vector<double>{});
    if (!real && a.is_real()) converted(std::vector<std::int64_t>{});
    a.kind = kind;
    if (kind != NumberKind::integer) a.wraps.reset();
    return a;
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
    Array result = Array::zeros(shape, a.kind);
    result.wraps = a.wraps;
    if (result.size() == 0) return result;
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
    const auto fill_lines = [&]<class T>(std::vector<T>& made) {
        for (auto to = made.begin(); to != made.end(); to += length) {
            const auto line = a.of<T>().begin() + at;
            if (repeats) std::fill_n(to, length, *line);
            else std::copy_n(line, length, to);
            for (std::size_t axis = index.size(); axis-- > 0;) {
                at += strides[axis];
                if (++index[axis] < shape[axis]) break;
                at -= strides[axis] * shape[axis];
                index[axis] = 0;
            }
        }
    };
    std::visit(fill_lines, result.cells);
    return result;
}

Array transpose(const Array& a) {
    if (a.rank() == 0) return a;
    if (a.rank() == 1) return {a.kind, {a.shape[0], 1}, a.cells, a.wraps};
    Array result = Array::zeros(a.shape, a.kind);
    result.wraps = a.wraps;
    std::swap(result.shape[a.rank() - 1], result.shape[a.rank() - 2]);
    const auto rows = static_cast<std::size_t>(a.shape[a.rank() - 2]);
    const auto cols = static_cast<std::size_t>(a.shape[a.rank() - 1]);
    const auto turn = [&]<class T>(std::vector<T>& made) {
        // Eight rows at once fill a line of the cache.
        constexpr std::size_t step = 8;
        for (std::size_t base = 0; base < made.size(); base += rows * cols) {
            const T* const from = a.of<T>().data() + base;
            T* const to = made.data() + base;
            for (std::size_t first = 0; first < rows; first += step) {
                const std::size_t end = std::min(first + step, rows);
                for (std::size_t j = 0; j < cols; ++j)
                    for (std::size_t i = first; i < end; ++i) to[j * rows + i] = from[i * cols + j];
            }
        }
    };
    std::visit(turn, result.cells);
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

    const bool reals = a.is_real() || b.is_real();
    Shape shape = *lead;
    shape.insert(shape.end(), {rows, cols});
    Array result = Array::zeros(shape, reals ? NumberKind::real : NumberKind::integer);
    const std::int64_t batches = element_count(*lead);
    const auto full = [&](const Array& x, std::int64_t m, std::int64_t n) {
        Array matrices = as_kind(x, result.kind);
        matrices.shape = with_rank(x.shape, std::max<std::size_t>(x.rank(), 2));
        Shape all = *lead;
        all.insert(all.end(), {m, n});
        return element_count(all) == static_cast<std::int64_t>(x.size()) ? matrices
                                                                         : expand(matrices, all);
    };
    const auto add = [&]<class T>(std::vector<T>& made) {
        std::vector<T> left_room;
        std::vector<T> right_room;
        const bool single = lead->empty();
        const Array left_full = single ? Array{} : full(a, rows, depth);
        const Array right_full = single ? Array{} : full(b, depth, cols);
        const T* const x = cells_as(single ? a : left_full, left_room).data();
        const T* const y = cells_as(single ? b : right_full, right_room).data();
        for (std::int64_t i = 0; i < batches; ++i)
            add_product(x + i * rows * depth, y + i * depth * cols, made.data() + i * rows * cols,
                        rows, cols, depth);
    };
    std::visit(add, result.cells);
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
