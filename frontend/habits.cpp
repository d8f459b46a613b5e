// Words of other languages, and what is written here instead.
#include <array>
#include <utility>

#include "frontend/syntax_error.h"

namespace tkc {

std::string_view habit(std::string_view word) {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 22> table{{
        {"while",
         "loops are `for i in a..b { .. }`; the compiler counts their steps, so there is no "
         "`while`"},
        {"break", "a loop runs over its whole range; choose the range, or mask what is not wanted"},
        {"continue",
         "a loop runs over its whole range; choose the range, or mask what is not wanted"},
        {"const", "write `let x = ..;`"},
        {"auto", "write `let x = ..;`"},
        {"int", "write `let x: i32 = ..;`, or `var` if it changes"},
        {"float", "write `let x: f32 = ..;`, or `var` if it changes"},
        {"double", "write `let x: f32 = ..;`, or `var` if it changes"},
        {"def", "a function is `fn name(x: f32) -> f32 { .. }`"},
        {"func", "a function is `fn name(x: f32) -> f32 { .. }`"},
        {"function", "a function is `fn name(x: f32) -> f32 { .. }`"},
        {"elif", "write `else if`"},
        {"elseif", "write `else if`"},
        {"switch", "write `if .. { .. } else if .. { .. }`"},
        {"match", "write `if .. { .. } else if .. { .. }`"},
        {"__global__", "write `kernel name(..) { .. }`"},
        {"void",
         "a function is `fn name(x: f32) -> f32 { .. }`, a kernel `kernel name(..) { .. }`"},
        {"global", "write `kernel name(..) { .. }`"},
        {"include", "write `import name;`"},
        {"from", "write `import name;`"},
        {"use", "write `import name;`"},
        {"__shared__", "write `shared x: bf16[BM, BK];`"},
    }};
    for (auto [from, to] : table) {
        if (word == from) return to;
    }
    return "";
}

}  // namespace tkc
