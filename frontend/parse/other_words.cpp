// Names of NumPy, PyTorch, Triton and CUDA, and what stands for them in a kernel.
#include "frontend/parse/other_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tkc {

namespace {

struct Word {
    std::string_view name, help;
};

constexpr std::string_view write_power =
    "write `pow(x, 3)`; x must be at least 0 unless the exponent is an integer literal";
constexpr std::string_view write_loop =
    "a loop over integers is `for i in 4 { .. }` or `for i in a..b by s { .. }`";
constexpr std::string_view write_mask =
    "to select cells by a condition, write `where(col_index(x) < n, x, 0)`; cells past the edge of "
    "a tensor load as 0, and `pad` sets them to something else";
constexpr std::string_view write_places =
    "`range(n)` is the row 0, 1, .. n - 1; the positions of the cells of a tile `x` are "
    "`row_index(x)` and `col_index(x)`";
constexpr std::string_view write_constant =
    "to fill a tile with one value, declare it: `var x: f32[64, 64] = 0;`";
constexpr std::string_view write_mma =
    "a product of tiles is `mma(a, b)`, with a transposed tile `mma(a, b.T)`";
constexpr std::string_view write_random =
    "write `import std.random;` at the top of the file: `random.uniform(seed, row, col)` returns a "
    "random number for every cell";
constexpr std::string_view write_repeat =
    "rows [1, n], columns [m, 1] and scalars broadcast when combined with a tile";
constexpr std::string_view write_barrier =
    "the compiler inserts barriers: a tile is written before it is read";
constexpr std::string_view write_sort =
    "there is no sort: to find the largest few of a row, remove them one by one, as in "
    "examples/routing/topk.tk, or write a sorting network with `exchange`";
constexpr std::string_view write_topk =
    "to find the largest few of a row, remove them one by one with `argmax`, as in "
    "examples/routing/topk.tk";
constexpr std::string_view write_gather =
    "a slice can have a list of positions: `load(X[load(index[m]), n])`, as in "
    "examples/routing/embedding.tk";
constexpr std::string_view write_take_along =
    "to get one cell per row, in column `i`, write `sum(where(col_index(x) == i, x, 0), axis = 1)`";
constexpr std::string_view write_scatter =
    "a slice can have a list of positions: `store(Y[load(index[m]), n], x)`, or `reduce_add` where "
    "positions repeat";
constexpr std::string_view write_histogram =
    "to count, add ones at the positions: `reduce_add(Count[i32(load(X[n]))], 1)`, with "
    "`accumulate Count`";
constexpr std::string_view write_extreme =
    "programs can only combine sums in memory: let each program store its part, and reduce the "
    "parts in a second kernel (docs/recipes/sums-across-tiles.md)";
constexpr std::string_view write_atomic =
    "the only atomic operation is the sum, `reduce_add`. Programs wait for each other with a "
    "`counter`";
constexpr std::string_view write_scan =
    "the only running reduction is `cumsum`; for others, loop over columns, or use `exchange`";
constexpr std::string_view write_list =
    "tiles cannot be reversed: load from a list of positions, `load(X[m, N - 1 - range(64)])`";
constexpr std::string_view write_concat =
    "tiles cannot be concatenated: store each to its own part of the tensor";
constexpr std::string_view write_reshape =
    "tiles keep their shape: change the view of the tensor, with its extents or with a slice";
constexpr std::string_view write_axis =
    "axes cannot be added: `column(x)` makes a row a column, and rows [1, n], columns [m, 1] and "
    "scalars broadcast";
constexpr std::string_view write_mean = "write `sum(x, axis = 1) / f32(N)`";
constexpr std::string_view write_any =
    "write `max(where(c, 1, 0), axis = 1)`, or `min` for all of them";
constexpr std::string_view write_isnan = "only a NaN differs from itself: `x != x`";
constexpr std::string_view write_isinf = "write `abs(x) == inf`";
constexpr std::string_view write_bool = "write `true` or `false`";
constexpr std::string_view write_column = "a row is transposed with `column(x)`, a tile with `x.T`";

constexpr std::array habits{
    Word{"power", write_power},
    Word{"square", "write `x * x`"},
    Word{"tl_range", write_loop},
    Word{"static_range", write_loop},
    Word{"mask", write_mask},
    Word{"masked_fill", write_mask},
    Word{"select", "write `where(condition, a, b)`"},
    Word{"arange", write_places},
    Word{"iota", write_places},
    Word{"program_id", "the grid variables identify the program: `m.start`, `m.index`"},
    Word{"blockIdx", "the grid variables identify the program: `m.start`, `m.index`"},
    Word{"threadIdx", "all threads of a role process a tile together; there are no thread indices"},
    Word{"zeros", write_constant},
    Word{"ones", write_constant},
    Word{"full", write_constant},
    Word{"dot", write_mma},
    Word{"matmul", write_mma},
    Word{"cdiv", "write `ceil_div(a, b)`"},
    Word{"sort", write_sort},
    Word{"argsort", write_sort},
    Word{"msort", write_sort},
    Word{"median", write_sort},
    Word{"unique", write_sort},
    Word{"searchsorted", write_sort},
    Word{"topk", write_topk},
    Word{"top_k", write_topk},
    Word{"kthvalue", write_topk},
    Word{"gather", write_gather},
    Word{"take", write_gather},
    Word{"index_select", write_gather},
    Word{"embedding", write_gather},
    Word{"take_along_dim", write_take_along},
    Word{"take_along_axis", write_take_along},
    Word{"scatter", write_scatter},
    Word{"scatter_add", write_scatter},
    Word{"index_add", write_scatter},
    Word{"scatter_reduce", write_scatter},
    Word{"histogram", write_histogram},
    Word{"histc", write_histogram},
    Word{"bincount", write_histogram},
    Word{"reduce_max", write_extreme},
    Word{"reduce_min", write_extreme},
    Word{"atomic_max", write_extreme},
    Word{"atomic_min", write_extreme},
    Word{"atomicMax", write_extreme},
    Word{"atomicMin", write_extreme},
    Word{"atomic_cas", write_atomic},
    Word{"atomicCAS", write_atomic},
    Word{"atomic_xchg", write_atomic},
    Word{"atomicExch", write_atomic},
    Word{"cumprod", write_scan},
    Word{"cummax", write_scan},
    Word{"cummin", write_scan},
    Word{"associative_scan", write_scan},
    Word{"scan", write_scan},
    Word{"reduce", "reductions are `sum`, `max`, `min`, `argmax` and `argmin`, with `axis`"},
    Word{"prod", write_scan},
    Word{"flip", write_list},
    Word{"roll", write_list},
    Word{"cat", write_concat},
    Word{"concat", write_concat},
    Word{"concatenate", write_concat},
    Word{"stack", write_concat},
    Word{"join", write_concat},
    Word{"split", "write slices of the tile: `x[:, 0 +: 32]`"},
    Word{"chunk", "write slices of the tile: `x[:, 0 +: 32]`"},
    Word{"reshape", write_reshape},
    Word{"view", write_reshape},
    Word{"flatten", write_reshape},
    Word{"squeeze", write_reshape},
    Word{"permute", write_reshape},
    Word{"None", write_axis},
    Word{"newaxis", write_axis},
    Word{"True", write_bool},
    Word{"False", write_bool},
    Word{"nan", "a NaN is `inf - inf`; in the data of a test, `special(nan)` generates some"},
    Word{"mean", write_mean},
    Word{"average", write_mean},
    Word{"any", write_any},
    Word{"all", write_any},
    Word{"isnan", write_isnan},
    Word{"isinf", write_isinf},
    Word{"isfinite", "write `abs(x) < inf`"},
    Word{"sign", "write `where(x > 0, 1, where(x < 0, -1, 0))`"},
    Word{"reciprocal", "write `1 / x`"},
    Word{"log10", "write `log2(x) * 0.30103`"},
    Word{"log1p", "write `log(1 + x)`, which loses digits of an x near 0"},
    Word{"expm1", "write `exp(x) - 1`, which loses digits of an x near 0"},
    Word{"trunc", "write `where(x < 0, ceil(x), floor(x))`"},
    Word{"fmod", "write `x - floor(x / y) * y`, or `x % y` for integers"},
    Word{"tan", "write `sin(x) / cos(x)`"},
    Word{"einsum", write_mma},
    Word{"bmm", write_mma},
    Word{"mm", write_mma},
    Word{"amax", "write `max(x, axis = 1)`"},
    Word{"amin", "write `min(x, axis = 1)`"},
    Word{"reduce_sum", "write `sum(x, axis = 1)`"},
    Word{"addmm", write_mma},
    Word{"maximum", "write `max(a, b)`"},
    Word{"minimum", "write `min(a, b)`"},
    Word{"fmax", "write `max(a, b)`"},
    Word{"fmin", "write `min(a, b)`"},
    Word{"fabs", "write `abs(x)`"},
    Word{"trans", write_column},
    Word{"transpose", write_column},
    Word{"atomic_add", "`reduce_add(S[m, n], x)` adds to an `accumulate` tensor"},
    Word{"atomicAdd", "`reduce_add(S[m, n], x)` adds to an `accumulate` tensor"},
    Word{"rand", write_random},
    Word{"randn", write_random},
    Word{"randint", write_random},
    Word{"clamp", "write `max(min(x, hi), lo)`"},
    Word{"clip", "write `max(min(x, hi), lo)`"},
    Word{"cast", "to convert, call the type: `bf16(x)`"},
    Word{"zeros_like", write_constant},
    Word{"full_like", write_constant},
    Word{"expand_dims", write_repeat},
    Word{"unsqueeze", write_repeat},
    Word{"broadcast_to", write_repeat},
    Word{"broadcast", write_repeat},
    Word{"debug_barrier", write_barrier},
    Word{"syncthreads", write_barrier},
    Word{"__syncthreads", write_barrier},
    Word{"static_assert", "`requires` states conditions on constants and extents"},
    Word{"device_assert", "write `assert(condition, \"text\")`"},
    Word{"device_print", "write `print(\"x is {}\", x)`, with scalars"},
    Word{"printf", "write `print(\"x is {}\", x)`, with scalars"},
    Word{"num_programs", "a grid has `ceil_div(M, BM)` programs for `m in M by BM`"},
    Word{"next_power_of_2", "tiles can have any extents, not only powers of two"},
    Word{"len", "extents have the names in the tensor type: `X: f32[M, N]`"},
};

struct Type {
    std::string_view name, ours;
};

constexpr std::array types{
    Type{"float", "f32"},
    Type{"float32", "f32"},
    Type{"fp32", "f32"},
    Type{"single", "f32"},
    Type{"float32_t", "f32"},
    Type{"double", "f64"},
    Type{"float64", "f64"},
    Type{"fp64", "f64"},
    Type{"half", "f16"},
    Type{"float16", "f16"},
    Type{"fp16", "f16"},
    Type{"bfloat16", "bf16"},
    Type{"bfloat", "bf16"},
    Type{"float8_e4m3", "fp8_e4m3"},
    Type{"float8_e4m3fn", "fp8_e4m3"},
    Type{"float8e4nv", "fp8_e4m3"},
    Type{"e4m3", "fp8_e4m3"},
    Type{"f8e4m3", "fp8_e4m3"},
    Type{"fp8", "fp8_e4m3"},
    Type{"float8", "fp8_e4m3"},
    Type{"float8_e5m2", "fp8_e5m2"},
    Type{"float8e5", "fp8_e5m2"},
    Type{"e5m2", "fp8_e5m2"},
    Type{"f8e5m2", "fp8_e5m2"},
    Type{"int", "i32"},
    Type{"int32", "i32"},
    Type{"int32_t", "i32"},
    Type{"long", "i64"},
    Type{"int64", "i64"},
    Type{"int64_t", "i64"},
    Type{"size_t", "i64"},
    Type{"short", "i16"},
    Type{"int16", "i16"},
    Type{"int16_t", "i16"},
    Type{"int8", "i8"},
    Type{"int8_t", "i8"},
    Type{"char", "i8"},
    Type{"uint8", "u8"},
    Type{"uint8_t", "u8"},
    Type{"byte", "u8"},
    Type{"uchar", "u8"},
    Type{"uint32", "u32"},
    Type{"uint32_t", "u32"},
    Type{"uint", "u32"},
    Type{"unsigned", "u32"},
    Type{"bool_", "bool"},
    Type{"boolean", "bool"},
    Type{"int1", "bool"},
};

}  // namespace

std::string other_word_help(std::string_view name) {
    if (const std::string_view type = other_type(name); !type.empty())
        return fmt::format("write `{}(x)`", type);
    const auto* found =
        std::find_if(habits.begin(), habits.end(), [&](const Word& w) { return w.name == name; });
    return std::string(found == habits.end() ? std::string_view() : found->help);
}

std::string_view other_type(std::string_view name) {
    const auto* found =
        std::find_if(types.begin(), types.end(), [&](const Type& t) { return t.name == name; });
    return found == types.end() ? std::string_view() : found->ours;
}

}  // namespace tkc
