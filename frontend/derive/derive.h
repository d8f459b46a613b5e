// Roles and pipelines for a kernel that was written as one sequential program: what runs ahead is
// sliced out into a producer, and what is left consumes it. The result is text of the language, and
// goes the way of any other program (docs/decisions/0026).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/derived_text.h"
#include "base/diagnose.h"
#include "frontend/parse/ast.h"

namespace tkc::derive {

// Whether the kernel asks for roles: it has none, and a `pipelined` loop with products.
bool needs_derived_roles(const ast::Kernel& kernel);

// Which loads run ahead: those whose tiles products alone read, or all tiles of the loops.
enum class Reach : std::uint8_t { products, arithmetic };

// What there is to choose; each is a program that computes the same.
struct Choice {
    // The last products of a step are issued in the next one, after the product that is there
    // first, and run under the arithmetic on that.
    bool rotates = true;
    // What is loaded once and multiplied in every step, as operand `a`, is held in registers.
    bool registers = true;
    // Stages of the pipelines of a `pipelined` loop that says no number.
    std::int64_t stages = 4;
    // Of the consumer, where the kernel says no number of warps.
    std::int64_t warpgroups = 2;
    // Of a consumer whose warps multiply by themselves; 0: warpgroups do.
    std::int64_t warps = 0;
    Reach reach = Reach::arithmetic;
};

// All of them, the best first. `warps`: as many multiply by themselves, since the products are too
// small for warpgroups; else 0.
std::vector<Choice> choices(const ast::Kernel& kernel, std::int64_t warps,
                            const SourceManager& sources);

// Why a load of a loop stays with the products.
struct Stays {
    Span load;
    std::string why;
};

// Of the loops of a kernel without roles, whether they ask for `pipelined` or not.
std::vector<Stays> staying_loads(const ast::Kernel& kernel, const SourceManager& sources);

// What became of a kernel, for its author.
struct Account {
    std::vector<Stays> staying;
    std::vector<std::string> story;  // sentences
};

// The kernel, which is at `whole`, with roles. Nothing where the choice cannot be written, or
// no load can run ahead, which is reported. `account`, if given, gets the kernel's.
std::optional<DerivedText> with_roles(const ast::Kernel& kernel, Span whole, const Choice& choice,
                                      const SourceManager& sources, Diagnostics& diag,
                                      Account* account = nullptr);

}  // namespace tkc::derive
