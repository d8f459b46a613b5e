// Breaking one long line of emitted code: text with places where a line may end.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lowering/cuda/tree.h"

namespace tkc::cuda {

inline constexpr std::size_t line_width = 100;
inline constexpr std::size_t indent_width = 4;

// One part of a line. Brackets are parts of their own, because lines that continue inside a
// bracket are aligned with it.
struct Piece {
    enum class Kind : std::uint8_t { text, open, close, may_break, block };
    Kind kind = Kind::text;
    std::string text;              // of a may_break: the text if the line does not end
    std::size_t cost = 0;          // of a may_break: among those of one depth the cheapest is taken
    const Block* block = nullptr;  // the body of a lambda, printed on lines of its own
};

using Line = std::vector<Piece>;

// Costs of breaks. An assignment breaks after `=` only where no argument of its value can move.
inline constexpr std::size_t break_comma = 0;
inline constexpr std::size_t break_operator = 1;  // + 0..4, loosest first
inline constexpr std::size_t break_open = 6;
inline constexpr std::size_t break_assign = 13;

// The line with no break taken; blocks are not allowed.
std::string flat(const Line& line);

// Appends the line to `out`, indented, in as many lines as it needs. `print_block` appends the
// body of a lambda, indented one step deeper.
void lay_out(const Line& line, std::size_t indent, std::string& out,
             const std::function<void(const Block&, std::string&)>& print_block);

}  // namespace tkc::cuda
