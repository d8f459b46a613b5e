// Where the elements of a shared tile lie: panels, swizzles, byte offsets; plain constexpr
// functions.
#pragma once

#include "../ptx/config.h"

namespace tk {

// A tile of Rows x Cols lies as panels side by side. A panel is `span` bytes wide and dense: line r
// starts at r * span. Within a panel the 16-byte chunks of a line are permuted by the line's
// number, so that a column of chunks meets all banks. One TMA box writes one panel, and wgmma reads
// it as it lies.
//   span 128, 64, 32   swizzled with that period
//   span 16            panels of one chunk, nothing to permute (row bytes an odd multiple of 16)
//   span 0             linear: row after row, for vectors and tiles whose rows are not multiples of 8

// The widest span that divides the row; a swizzle repeats every 8 lines, so panels need 8 k lines.
TK_HOST_DEVICE constexpr int span_of(int rows, int row_bytes) {
    if (rows % 8 != 0) return 0;
    if (row_bytes % 128 == 0) return 128;
    if (row_bytes % 64 == 0) return 64;
    if (row_bytes % 32 == 0) return 32;
    if (row_bytes % 16 == 0) return 16;
    return 0;
}

// The chunk at which logical chunk `chunk` of line `line` is stored, both within one panel. It is
// the XOR of address bits 4..6 with 7..9 (PTX ISA, "Swizzling modes"), for panels aligned to the
// pattern.
TK_HOST_DEVICE constexpr int swizzled_chunk(int span, int line, int chunk) {
    switch (span) {
        case 128: return chunk ^ (line & 7);
        case 64: return chunk ^ ((line >> 1) & 3);
        case 32: return chunk ^ ((line >> 2) & 1);
        default: return chunk;
    }
}

// The byte at which (row, byte) of a tile lies whose panels have `lines` lines of `span` bytes.
TK_HOST_DEVICE constexpr int panel_offset(int span, int lines, int row, int byte) {
    const int within = byte % span;
    return byte / span * lines * span + row * span + swizzled_chunk(span, row, within / 16) * 16 +
           within % 16;
}

// The byte offset of element (row, col) of a tile of rows x cols.
TK_HOST_DEVICE constexpr int tile_offset(int rows, int cols, int element_bytes, int row, int col) {
    const int span = span_of(rows, cols * element_bytes);
    return span == 0 ? (row * cols + col) * element_bytes
                     : panel_offset(span, rows, row, col * element_bytes);
}

// The alignment at which a tile's swizzle pattern starts over; TMA itself asks for 128.
TK_HOST_DEVICE constexpr int tile_alignment(int span) {
    return span == 128 ? 1024 : span == 64 ? 512 : span == 32 ? 256 : 128;
}

// The largest divisor of `extent` that TMA takes as a box dimension (256 elements).
TK_HOST_DEVICE constexpr int box_extent(int extent, int step) {
    if (extent <= 256) return extent;
    int box = 256 - 256 % step;
    while (box > step && extent % box != 0) box -= step;
    return box;
}

// One TMA box of a tile: columns by rows.
TK_HOST_DEVICE constexpr int box_columns(int span, int cols, int element_bytes) {
    return span == 0 ? box_extent(cols, 1) : span / element_bytes;
}
TK_HOST_DEVICE constexpr int box_rows(int span, int rows) {
    return box_extent(rows, span == 0 ? 1 : 8);
}

}  // namespace tk
