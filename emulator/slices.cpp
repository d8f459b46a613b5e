// Windows of tensors, clipped at their edges.
#include "emulator/slices.h"

#include <fmt/format.h>

#include <algorithm>

namespace tkc::emulator {

namespace {

// Cells of [0, length) that an axis of `extent` elements has when cell 0 is its element `base`.
void clip(std::int64_t base, std::int64_t extent, std::int64_t length, std::int64_t* begin,
          std::int64_t* end) {
    *begin = std::clamp<std::int64_t>(-base, 0, length);
    *end = std::clamp<std::int64_t>(extent - base, *begin, length);
}

// The positions of a gather along an axis of `extent` elements; -1 for those that lie outside.
std::vector<std::int64_t> listed(const ir::Range& r, std::int64_t extent, const Environment& env) {
    const std::int64_t known =
        r.edge ? std::clamp<std::int64_t>(env.integer(r.edge), 0, r.length) : r.length;
    std::vector<std::int64_t> places(static_cast<std::size_t>(r.length), -1);
    for (std::int64_t i = 0; i < known; ++i) {
        const std::int64_t at = env.integer(r.base, i);
        if (at >= 0 && at < extent) places[static_cast<std::size_t>(i)] = at;
    }
    return places;
}

}  // namespace

Window window_of(const ir::Slice& slice, const Tensor& tensor, std::int64_t rows, std::int64_t cols,
                 const Environment& env, Edges edges) {
    Window w;
    w.corner = tensor.origin;
    w.row_end = rows;
    w.col_end = cols;
    std::size_t spans = 0;
    for (const ir::Range& r : slice.ranges) {
        if (r.kind != ir::Range::Kind::index) ++spans;
    }
    // One range: a row, or a column where the tile is one.
    bool rows_next = spans == 2 || (cols == 1 && rows != 1);
    bool inside = true;
    for (std::size_t axis = 0; axis < slice.ranges.size(); ++axis) {
        const ir::Range& r = slice.ranges[axis];
        std::int64_t extent = tensor.extents[axis];
        if (r.kind == ir::Range::Kind::gather) {
            (rows_next ? w.row_stride : w.col_stride) = tensor.strides[axis];
            (rows_next ? w.rows : w.cols) = listed(r, extent, env);
            rows_next = false;
            continue;
        }
        const std::int64_t base = env.integer(r.base);
        if (r.edge) {
            const std::int64_t edge = env.integer(r.edge);
            if (edge > extent) {
                throw Fault(
                    fmt::format("a view of `{}` ends at {} on axis {}, which has {} elements",
                                slice.tensor, edge, axis, extent));
            }
            if (edges == Edges::named) extent = edge;
        }
        w.corner += base * tensor.strides[axis];
        if (r.kind == ir::Range::Kind::index) {
            inside = inside && base >= 0 && base < extent;
        } else if (rows_next) {
            w.row_stride = tensor.strides[axis];
            clip(base, extent, rows, &w.row_begin, &w.row_end);
            rows_next = false;
        } else {
            w.col_stride = tensor.strides[axis];
            clip(base, extent, cols, &w.col_begin, &w.col_end);
        }
    }
    if (!inside) w.row_begin = w.row_end = 0;
    return w;
}

std::optional<std::int64_t> listed_twice(const Window& window) {
    for (std::vector<std::int64_t> places : {window.rows, window.cols}) {
        std::sort(places.begin(), places.end());
        const auto first = std::lower_bound(places.begin(), places.end(), 0);
        const auto twice = std::adjacent_find(first, places.end());
        if (twice != places.end()) return *twice;
    }
    return std::nullopt;
}

Window shifted(Window w, std::int64_t first_row, std::int64_t first_col) {
    w.corner = w.element(first_row, first_col);
    const auto move = [](std::int64_t& at, std::int64_t by) {
        at = std::max<std::int64_t>(at - by, 0);
    };
    move(w.row_begin, first_row);
    move(w.row_end, first_row);
    move(w.col_begin, first_col);
    move(w.col_end, first_col);
    return w;
}

std::vector<ContiguousRange> contiguous_ranges_of(std::int64_t length,
                                                  const std::vector<std::int64_t>* places,
                                                  std::int64_t begin, std::int64_t end,
                                                  const std::vector<std::int64_t>& listed) {
    std::vector<ContiguousRange> made;
    if (places == nullptr && listed.empty()) {
        begin = std::max<std::int64_t>(begin, 0);
        end = std::min(end, length);
        if (begin < end) made.push_back({begin, begin, end - begin});
        return made;
    }
    for (std::int64_t i = 0; i < length; ++i) {
        std::int64_t place = places == nullptr ? i : (*places)[static_cast<std::size_t>(i)];
        if (place < begin || place >= end) continue;
        if (!listed.empty()) place = listed[static_cast<std::size_t>(place)];
        if (place < 0) continue;
        const bool joins = !made.empty() && made.back().first + made.back().count == i &&
                           made.back().place + made.back().count == place;
        if (joins) ++made.back().count;
        else made.push_back({i, place, 1});
    }
    return made;
}

void read_window(const Tensor& tensor, const Window& window, Tile& tile, const Places& places) {
    tile.with_cells([&]<class Number>(std::vector<Number>& cells) {
        std::fill(cells.begin(), cells.end(), Number{0});
        for_each_contiguous_range(window, tile.rows, tile.cols, places,
                                  [&](std::int64_t element, std::int64_t step, std::int64_t row,
                                      std::int64_t col, std::int64_t count) {
                                      read_numbers(tensor.dtype, tensor.at(element),
                                                   cells.data() + tile.at(row, col),
                                                   static_cast<std::size_t>(count), step);
                                  });
    });
}

void write_window(Tensor& tensor, const Window& window, const Tile& tile, const Places& places,
                  const ir::StoreRules& rules) {
    const bool replaces = &rules == &ir::rules_of_stores(ir::Mode::out);
    tile.with_cells([&]<class Number>(const std::vector<Number>& cells) {
        if (replaces) {
            for_each_contiguous_range(
                window, tile.rows, tile.cols, places,
                [&](std::int64_t element, std::int64_t step, std::int64_t row, std::int64_t col,
                    std::int64_t count) {
                    write_numbers(tensor.dtype, cells.data() + tile.at(row, col),
                                  tensor.at(element), static_cast<std::size_t>(count), step);
                });
            return;
        }
        for_each_inside(window, tile.rows, tile.cols, places,
                        [&](std::int64_t element, std::int64_t r, std::int64_t c) {
                            std::byte* at = tensor.at(element);
                            const Number cell = cells[tile.at(r, c)];
                            const auto there = read_number<Number>(tensor.dtype, at);
                            Number made{};
                            if constexpr (std::is_integral_v<Number>)
                                made = rules.joined_integers(there, cell);
                            else made = static_cast<Number>(rules.joined(there, cell));
                            write_number(tensor.dtype, made, at);
                        });
    });
}

}  // namespace tkc::emulator
