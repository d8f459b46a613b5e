// Stripes and fragments, cell by cell.
#include "ir/cell_threads.h"

namespace tkc::ir {

namespace {

constexpr std::int64_t threads_of_warp = 32;
constexpr std::int64_t threads_of_warpgroup = 128;
constexpr std::int64_t rows_of_warp = 16;  // of each 64 of a fragment
constexpr std::int64_t lanes_of_quad = 4;
constexpr std::int64_t columns_of_quad = 8;  // that four lanes hold, two each
constexpr std::int64_t quads = threads_of_warp / lanes_of_quad;

}  // namespace

CellThreads::CellThreads(const Role& role, Value tile)
    : split_(role[tile].split), rows_(role.tile(tile).rows), cols_(role.tile(tile).cols) {
    if (split_ == Split::stripes) {
        threads_ = role.stripe_threads();
        lanes_ = role.row_lanes;
        vector_ = cols_ == 1 ? 1 : role.row_vector;
        if (rows_ == 1) row_repeats_ = threads_ / lanes_;
        if (cols_ == 1) col_repeats_ = lanes_;
        return;
    }
    threads_ = threads_of_warpgroup * role.warpgroups();
    rows_of_part_ = split_ == Split::rows ? rows_ / role.warpgroups() : rows_;
    if (rows_ == 1) row_repeats_ = threads_ / lanes_of_quad;
    if (cols_ == 1) col_repeats_ = lanes_of_quad;
}

bool CellThreads::has_pattern_of(const CellThreads& other) const {
    return split_ == other.split_ && threads_ == other.threads_ && lanes_ == other.lanes_ &&
           vector_ == other.vector_ && rows_of_part_ == other.rows_of_part_ &&
           row_repeats_ == other.row_repeats_ && col_repeats_ == other.col_repeats_ &&
           (rows_ == 1) == (other.rows_ == 1) && (cols_ == 1) == (other.cols_ == 1);
}

std::int64_t CellThreads::row_period() const {
    return split_ == Split::stripes && rows_ != 1 ? threads_ / lanes_ : 0;
}

std::int64_t CellThreads::col_period() const {
    if (cols_ == 1) return 0;
    return split_ == Split::stripes ? lanes_ * vector_ : columns_of_quad;
}

std::int64_t CellThreads::of_row(std::int64_t row) const {
    if (rows_ == 1) return 0;
    if (split_ == Split::stripes) return row % (threads_ / lanes_) * lanes_;
    const std::int64_t within = row % rows_of_part_;
    return row / rows_of_part_ * threads_of_warpgroup +
           within % 64 / rows_of_warp * threads_of_warp + within % quads * lanes_of_quad;
}

std::int64_t CellThreads::of_col(std::int64_t col) const {
    if (cols_ == 1) return 0;
    if (split_ == Split::stripes) return col / vector_ % lanes_;
    return col % columns_of_quad / 2;
}

std::int64_t CellThreads::writer(std::int64_t row, std::int64_t col) const {
    return of_row(row) + of_col(col);
}

// Threads that differ by the lanes of a row hold the same columns, and those of one such group the
// same rows.
bool CellThreads::holds_row(std::int64_t thread, std::int64_t row) const {
    const std::int64_t lanes = split_ == Split::stripes ? lanes_ : lanes_of_quad;
    return thread >= 0 && thread < threads_ &&
           (rows_ == 1 || thread / lanes == of_row(row) / lanes);
}

bool CellThreads::holds_col(std::int64_t thread, std::int64_t col) const {
    const std::int64_t lanes = split_ == Split::stripes ? lanes_ : lanes_of_quad;
    return thread >= 0 && thread < threads_ && (cols_ == 1 || thread % lanes == of_col(col));
}

}  // namespace tkc::ir
