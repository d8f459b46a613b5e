// Names of NumPy, PyTorch, Triton and CUDA, and what stands for them in a kernel.
#include "frontend/parse/other_words.h"

#include <algorithm>
#include <array>

namespace tkc {

namespace {

struct Word {
    std::string_view name, help;
};

constexpr std::string_view write_power =
    "a square is `x * x`; other powers of what is positive are `pow(x, y)`";
constexpr std::string_view write_loop =
    "a loop over numbers is `for i in 4 { .. }` or `for i in a..b by s { .. }`";
constexpr std::string_view write_mask =
    "cells are chosen by a condition: `where(col_index(x) < n, x, 0)`; what lies past "
    "the edge of a tensor loads as 0, and `pad` makes it something else";
constexpr std::string_view write_places =
    "`range(n)` is the row 0, 1, .. n - 1; the places of the cells of a tile `x` are "
    "`row_index(x)` and `col_index(x)`";
constexpr std::string_view write_constant =
    "a tile with one value is declared: `var x: f32[64, 64] = 0;`";
constexpr std::string_view write_mma =
    "a product of tiles is `mma(a, b)`, that with a transposed tile `mma(a, b.T)`";
constexpr std::string_view write_random =
    "write `import std.random;` at the top of the file: `random.uniform(seed, row, col)` draws a "
    "number for every cell";
constexpr std::string_view write_repeat =
    "rows [1, n], columns [m, 1] and numbers repeat by themselves where they meet a tile";
constexpr std::string_view write_barrier =
    "the compiler places barriers: a tile is written before it is read";
constexpr std::string_view write_f32 = "write `f32(x)`";
constexpr std::string_view write_i32 = "write `i32(x)`";
constexpr std::string_view write_column = "a row is turned by `column(x)`, a tile by `x.T`";

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
    Word{"program_id", "the variables of the grid say which program it is: `m.start`, `m.index`"},
    Word{"blockIdx", "the variables of the grid say which program it is: `m.start`, `m.index`"},
    Word{"threadIdx", "tiles are worked on by all threads of a role; no thread has a number"},
    Word{"zeros", write_constant},
    Word{"ones", write_constant},
    Word{"full", write_constant},
    Word{"dot", write_mma},
    Word{"matmul", write_mma},
    Word{"float", write_f32},
    Word{"float32", write_f32},
    Word{"int", write_i32},
    Word{"int32", write_i32},
    Word{"half", "write `f16(x)`"},
    Word{"float16", "write `f16(x)`"},
    Word{"bfloat16", "write `bf16(x)`"},
    Word{"cdiv", "write `ceil_div(a, b)`"},
    Word{"maximum", "write `max(a, b)`"},
    Word{"minimum", "write `min(a, b)`"},
    Word{"fmax", "write `max(a, b)`"},
    Word{"fmin", "write `min(a, b)`"},
    Word{"fabs", "write `abs(x)`"},
    Word{"trans", write_column},
    Word{"transpose", write_column},
    Word{"atomic_add", "`reduce_add(S[m, n], x)` adds to a tensor of mode `accumulate`"},
    Word{"atomicAdd", "`reduce_add(S[m, n], x)` adds to a tensor of mode `accumulate`"},
    Word{"rand", write_random},
    Word{"randn", write_random},
    Word{"randint", write_random},
    Word{"clamp", "write `max(min(x, hi), lo)`"},
    Word{"clip", "write `max(min(x, hi), lo)`"},
    Word{"cast", "a conversion is called by the type: `bf16(x)`"},
    Word{"zeros_like", write_constant},
    Word{"full_like", write_constant},
    Word{"expand_dims", write_repeat},
    Word{"unsqueeze", write_repeat},
    Word{"broadcast_to", write_repeat},
    Word{"broadcast", write_repeat},
    Word{"debug_barrier", write_barrier},
    Word{"syncthreads", write_barrier},
    Word{"__syncthreads", write_barrier},
    Word{"static_assert", "`requires` says what constants and extents must be"},
    Word{"device_assert", "write `assert(condition, \"text\")`"},
    Word{"device_print", "write `print(\"x is {}\", x)`, with numbers"},
    Word{"printf", "write `print(\"x is {}\", x)`, with numbers"},
    Word{"num_programs", "a grid has `ceil_div(M, BM)` programs for `m in M by BM`"},
    Word{"next_power_of_2", "tiles have any extents: none needs to be a power of two"},
    Word{"len", "extents have names, those in the type of the tensor: `X: f32[M, N]`"},
};

}  // namespace

std::string_view other_word_help(std::string_view name) {
    const auto* found =
        std::find_if(habits.begin(), habits.end(), [&](const Word& w) { return w.name == name; });
    return found == habits.end() ? std::string_view() : found->help;
}

}  // namespace tkc
