// The CUDA C++ that tkc writes, as a tree: expressions, statements, declarations, files.
//
// It holds what the emitted code needs and no more. Types are their own text. The printer (print.h)
// alone knows precedence, parentheses, indentation, line breaks and comment marks.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace tkc::cuda {

struct ExprNode;
struct Stmt;
using Expr = std::shared_ptr<const ExprNode>;  // null only where a comment says so
using Block = std::vector<Stmt>;

// ---- expressions -------------------------------------------------------------------------------

// A name, qualified name or literal: printed as it is, never parenthesised.
struct Atom {
    std::string text;
};

enum class UnaryOp : std::uint8_t { negate, logical_not, bit_not, address_of, dereference };
struct Unary {
    UnaryOp op;
    Expr operand;
};

enum class BinaryOp : std::uint8_t {
    multiply,
    divide,
    modulo,
    add,
    subtract,
    shift_left,
    shift_right,
    less,
    less_equal,
    greater,
    greater_equal,
    equal,
    not_equal,
    bit_and,
    bit_xor,
    bit_or,
    logical_and,
    logical_or,
    assign,
    add_assign,
    subtract_assign,
};
struct Binary {
    BinaryOp op;
    Expr left;
    Expr right;
};

// condition ? yes : no
struct Conditional {
    Expr condition;
    Expr yes;
    Expr no;
};

// callee(arguments); a callee with template arguments is one atom: tk::rows<64>.
struct CallExpr {
    Expr callee;
    std::vector<Expr> arguments;
};

// object.name, or object->name with `arrow`.
struct MemberExpr {
    Expr object;
    std::string name;
    bool arrow = false;
};

struct IndexExpr {
    Expr object;
    Expr index;
};

// type{items}; without a type just {items}.
struct Braced {
    std::string type;
    std::vector<Expr> items;
};

struct Parameter {
    std::string type;
    std::string name;  // empty: unnamed
};

// [capture](parameters) { body }
struct Lambda {
    std::string capture;
    std::vector<Parameter> parameters;
    Block body;
};

struct ExprNode {
    std::variant<Atom, Unary, Binary, Conditional, CallExpr, MemberExpr, IndexExpr, Braced, Lambda>
        node;
};

// ---- statements --------------------------------------------------------------------------------

struct ExprStmt {
    Expr value;
};

// type name suffix = value; `suffix` is "[4]" for an array. An untyped Braced is written `type
// name{..}`.
struct Declaration {
    std::string type;
    std::string name;
    std::string suffix;
    Expr value;  // null: none
};

// `// text`, one line of the comment per line of the text; long lines are wrapped at spaces, or
// with `cut` end in `..`.
struct Comment {
    std::string text;
    bool cut = false;
};

struct Blank {};

struct If {
    Expr condition;
    Block then_body;
    Block else_body;  // holding a single If: `else if`
};

// for (start; condition; step)
struct For {
    Declaration start;
    Expr condition;
    Expr step;                   // null: the body makes it
    bool unroll = false;         // #pragma unroll above it
    std::int64_t unroll_by = 0;  // so many steps at once; 0: as nvcc likes
    Block body;
};

struct While {
    Expr condition;
    Block body;
};

struct Return {
    Expr value;  // null: none
};

// { body }
struct Scope {
    Block body;
};

struct Stmt {
    std::variant<ExprStmt, Declaration, Comment, Blank, If, For, While, Return, Scope> node;
    std::string note;  // a comment at the end of its first line; empty: none
};

// ---- files -------------------------------------------------------------------------------------

// #include <path> with `system`, else "path".
struct Include {
    std::string path;
    bool system = false;
};

// A line for the preprocessor, with its #.
struct Directive {
    std::string text;
};

// `head name(parameters) { body }`; `head` is all that is before the name: "static int".
struct Function {
    std::string head;
    std::string name;
    std::vector<Parameter> parameters;
    Block body;
    bool declared_only = false;
};

struct Struct {
    std::string name;
    Block members;  // declarations, comments, blank lines
};

struct StaticAssert {
    Expr condition;
    std::string text;  // empty: none
};

struct Item;

// namespace name { items }; without a name the unnamed one.
struct Namespace {
    std::string name;
    std::vector<Item> items;
};

// extern "C" { items }
struct ExternC {
    std::vector<Item> items;
};

struct Item {
    std::variant<Include, Directive, Comment, Blank, Declaration, ExprStmt, Function, Struct,
                 StaticAssert, Namespace, ExternC>
        node;
};

struct File {
    std::vector<Item> items;
};

// ---- building ----------------------------------------------------------------------------------

template <class T>
Expr expr(T node) {
    return std::make_shared<const ExprNode>(ExprNode{std::move(node)});
}
inline Expr atom(std::string text) { return expr(Atom{std::move(text)}); }
// A decimal literal; negative ones get their minus sign as an operator.
Expr literal(std::int64_t value);
// "text" with escapes.
Expr quoted(const std::string& text);
inline Expr unary(UnaryOp op, Expr operand) { return expr(Unary{op, std::move(operand)}); }
inline Expr binary(BinaryOp op, Expr left, Expr right) {
    return expr(Binary{op, std::move(left), std::move(right)});
}
inline Expr call(std::string callee, std::vector<Expr> arguments) {
    return expr(CallExpr{atom(std::move(callee)), std::move(arguments)});
}
inline Expr member(Expr object, std::string name) {
    return expr(MemberExpr{std::move(object), std::move(name)});
}
inline Expr method(Expr object, std::string name, std::vector<Expr> arguments) {
    return expr(CallExpr{member(std::move(object), std::move(name)), std::move(arguments)});
}
inline Expr index(Expr object, Expr at) {
    return expr(IndexExpr{std::move(object), std::move(at)});
}

inline Stmt run(Expr value) { return {ExprStmt{std::move(value)}, {}}; }
inline Stmt declare(std::string type, std::string name, Expr value = nullptr) {
    return {Declaration{std::move(type), std::move(name), {}, std::move(value)}, {}};
}
inline Stmt assign(Expr target, Expr value) {
    return run(binary(BinaryOp::assign, std::move(target), std::move(value)));
}
inline Stmt comment(std::string text) { return {Comment{std::move(text), false}, {}}; }
inline Stmt blank() { return {Blank{}, {}}; }
template <class T>
Stmt stmt(T node) {
    return Stmt{std::move(node), {}};
}
template <class T>
Item item(T node) {
    return Item{std::move(node)};
}

}  // namespace tkc::cuda
