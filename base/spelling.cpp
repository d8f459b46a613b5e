// Words that are nearly right.
#include "base/spelling.h"

#include <algorithm>
#include <array>
#include <utility>

namespace tkc {
namespace {

std::string lower(std::string_view text) {
    std::string out(text);
    for (char& c : out) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return out;
}

bool has_digit(std::string_view text) {
    return std::any_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool is_slip(std::string_view a, std::string_view b) {
    if (std::min(a.size(), b.size()) < 3) return false;
    if (lower(a) == lower(b)) return true;
    if (edit_distance(a, b) != 1) return false;
    while (!a.empty() && !b.empty() && a.front() == b.front())
        a.remove_prefix(1), b.remove_prefix(1);
    while (!a.empty() && !b.empty() && a.back() == b.back()) a.remove_suffix(1), b.remove_suffix(1);
    return !has_digit(a) && !has_digit(b);
}

template <typename Word>
std::string_view only_slip_of(std::string_view word, const std::vector<Word>& known) {
    std::string_view found;
    for (const Word& candidate : known) {
        if (!is_slip(word, candidate) || candidate == found) continue;
        if (!found.empty()) return "";
        found = candidate;
    }
    return found;
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replace = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({replace, last[j] + 1, row[j - 1] + 1});
            const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
        }
        before = last;
        last = row;
    }
    return last[b.size()];
}

std::string_view nearest(std::string_view word, const std::vector<std::string_view>& words) {
    std::string_view best;
    std::size_t limit = word.size() <= 4 ? 1 : 2;
    for (std::string_view candidate : words) {
        std::size_t distance = edit_distance(word, candidate);
        // `lte` for `let`: two letters exchanged count as one slip.
        bool swapped = word.size() == candidate.size() &&
                       std::is_permutation(word.begin(), word.end(), candidate.begin());
        if (swapped && distance <= 2) distance = 1;
        if (distance <= limit) limit = distance == 0 ? 0 : distance - 1, best = candidate;
        if (limit == 0 && !best.empty()) break;
    }
    return best;
}

std::string_view only_slip(std::string_view word, const std::vector<std::string_view>& known) {
    return only_slip_of(word, known);
}

std::string_view only_slip(std::string_view word, const std::vector<std::string>& known) {
    return only_slip_of(word, known);
}

// What people write who come from elsewhere.
std::string_view habit(std::string_view word) {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 22> table{{
        {"while",
         "loops are `for i in a..b { .. }`; the compiler counts their iterations, so there is no "
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
