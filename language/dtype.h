// The data types of the language: one enum made from dtypes.def, and what the table says of each.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tkc {

enum class Dtype : std::uint8_t {
#define TK_DTYPE(id, spelling, bits, kind, cuda, dlpack) id,
#include "language/dtypes.def"
#undef TK_DTYPE
};

enum class DtypeClass : std::uint8_t { integer, natural, real, boolean };

struct DtypeInfo {
    Dtype dtype;
    std::string_view name;  // as written in the language
    int bits;
    DtypeClass kind;
    std::string_view cuda;  // the type of one element in emitted code
    int dlpack_code;        // DLDataTypeCode
};

inline constexpr std::array dtype_table{
#define TK_DTYPE(id, spelling, bits, kind, cuda, dlpack) \
    DtypeInfo{Dtype::id, spelling, bits, DtypeClass::kind, cuda, dlpack},
#include "language/dtypes.def"
#undef TK_DTYPE
};

constexpr const DtypeInfo& info(Dtype d) { return dtype_table[static_cast<std::size_t>(d)]; }
constexpr std::string_view name(Dtype d) { return info(d).name; }
constexpr int bits_of(Dtype d) { return info(d).bits; }
// What an element takes in memory. Where a dtype of fewer than 8 bits is added, nothing may ask for
// that: each place that does has to say what it means for parts of a byte.
template <bool are_whole_bytes = std::ranges::all_of(
              dtype_table, [](const DtypeInfo& row) { return row.bits % 8 == 0; })>
requires are_whole_bytes constexpr int bytes(Dtype d) { return bits_of(d) / 8; }
constexpr bool is_integer(Dtype d) {
    return info(d).kind == DtypeClass::integer || info(d).kind == DtypeClass::natural;
}
constexpr bool is_real(Dtype d) { return info(d).kind == DtypeClass::real; }
constexpr bool is_boolean(Dtype d) { return info(d).kind == DtypeClass::boolean; }
constexpr bool is_16_bit_real(Dtype d) { return d == Dtype::f16 || d == Dtype::bf16; }
// Reals that are stored, and widened to f32 for arithmetic.
constexpr bool is_narrow_real(Dtype d) { return is_real(d) && bits_of(d) < 32; }
constexpr bool is_fp8(Dtype d) { return is_real(d) && bits_of(d) == 8; }
constexpr bool is_8_bit_number(Dtype d) { return bits_of(d) == 8 && !is_boolean(d); }

// The dtype spelled `text`, if there is one.
constexpr std::optional<Dtype> find_dtype(std::string_view text) {
    for (const DtypeInfo& row : dtype_table) {
        if (row.name == text) return row.dtype;
    }
    return std::nullopt;
}

}  // namespace tkc
