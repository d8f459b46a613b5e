// The loads of a sequential kernel that a producer can make for it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/diagnose.h"
#include "frontend/derive/derive.h"
#include "frontend/derive/names.h"
#include "frontend/parse/ast.h"

namespace tkc::derive {

// A load that a producer makes.
struct Load {
    const ast::Expr* operand = nullptr;  // as it is: `load(..)` or `shared(load(..))`
    const ast::Expr* load = nullptr;     // `load(..)`
    const ast::Expr* stages = nullptr;   // n of `let q = shared(load(..), n)`; null: no word
    std::string type{};                  // of the tile: `bf16[BM, BK]`
    std::string field{};                 // the tensor's name
    const ast::Let* let = nullptr;       // `let q = load(..)`; null: in place of the operand
    bool only_a = true;                  // of products, never operand `b`, and never turned
    bool turned = false;                 // the operand is `load(..).T`
    bool listed = false;                 // a list chooses its rows: TMA does not load it
    bool read = false;                   // by arithmetic
    std::string only_where{};            // which constants it is there for, in words; empty: all
    // What its tile is called, where it is loaded before the loops in which it is the same: that of
    // the `let`, or a name of its own.
    std::string name{};
};

// A pipeline: the loads that one statement multiplies at once.
struct Pipe {
    std::string name;
    std::vector<std::size_t> loads;
    const ast::Pipelined* loop = nullptr;  // the word of the innermost such loop; null: outside
};

struct Loads {
    std::vector<Load> moved;
    std::vector<Pipe> pipes;
    std::map<const ast::Stmt*, std::vector<std::size_t>> of;  // pipes of a statement, in order
    // Pipes of loads that do not change in a loop, and come before it.
    std::map<const ast::Stmt*, std::vector<std::size_t>> before;
    std::vector<Stays> stay;           // in pipelined loops
    std::set<const ast::Let*> common;  // what every role can compute: numbers, views, lists
    std::set<const ast::Let*> lists;   // those of them that are tiles
};

// `names` learns the kernel's declarations.
Loads find_loads(const ast::Kernel& kernel, Names& names, Reach reach);
// Of all loops, with the word or without: what they load that the word moves to no producer.
std::vector<Stays> find_staying(const ast::Kernel& kernel, Names& names, Reach reach);

}  // namespace tkc::derive
