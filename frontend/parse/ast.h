// The syntax tree of a .tk file: every node, on one page, in the order of the grammar
// (language/Tk.g4).
//
// Nodes are plain structs; a closed choice is a std::variant called `node`, dispatched by an
// exhaustive std::visit. The tree says what was written and nothing else: names are not resolved,
// constants not folded. Every node has the span of its text. Comments are kept next to the tree.
// The large choices are constructed, moved and destroyed in ast.cpp, which keeps builds short.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/source.h"
#include "base/variant_from.h"

namespace tkc::ast {

struct Expr;
struct Stmt;
struct KernelItem;
using ExprPtr = std::unique_ptr<Expr>;  // null only where a comment says so

// ---- names and types ----

struct Name {
    Span span;
    std::string text;
};

struct Path {  // softmax.step, std.random, f32
    Span span;
    std::vector<Name> parts;  // at least one
};

// An argument in <>: `D = 64`, `BM`, `bf16`, `true`; also the `m = 2` of cluster(...).
struct GenericArg {
    Span span;
    std::optional<Name> name;
    ExprPtr value;  // add-level: literals, names, arithmetic
};

struct Type {  // bf16[BM, BK], planes<N1>, f32, std.random.state, u4[N, K] packed(mma_a)
    Span span;
    Path path;
    std::vector<GenericArg> generics;
    std::vector<ExprPtr> extents;  // empty: a scalar or a struct
    std::optional<Name> packed;
};

struct Field {  // of a struct or a pipeline
    Span span;
    std::optional<Name> name;  // without one only in `pipeline p[n]: type;`
    Type type;
};

// ---- expressions ----

enum class UnaryOp { negate, logical_not, bit_not };
enum class BinaryOp {
    logical_or,
    logical_and,
    equal,
    not_equal,
    less,
    less_equal,
    greater,
    greater_equal,
    bit_or,
    bit_xor,
    bit_and,
    shift_left,
    shift_right,
    add,
    subtract,
    multiply,
    divide,  // exact where it is of integers
    floor_divide,
    remainder,
    matmul,
};

struct PipeRef {  // ks, xs[w]
    Span span;
    Name name;
    ExprPtr instance;  // null: a pipeline without `per`
};

struct NameRef {
    std::string text;
};
struct IntLiteral {
    std::uint64_t value;
};
struct FloatLiteral {
    double value;
};  // the spelling is the text of the span
struct StringLiteral {
    std::string value;
};
struct BoolLiteral {
    bool value;
};
struct Infinity {};

struct Unary {
    UnaryOp op;
    Span op_span;
    ExprPtr operand;
};

struct Binary {
    BinaryOp op;
    Span op_span;
    ExprPtr left, right;
};

struct Consume {  // `consume ks` as a value; the statement is ConsumeBlock
    PipeRef pipe;
};

struct Member {  // x.q, m.start, k.T, softmax.step
    ExprPtr base;
    Name member;
};

// One position between the brackets of an Index.
struct WholeAxis {};  // :
struct Position {
    ExprPtr value;
};  // a scalar, a tile index or an index tile
struct Slice {
    ExprPtr base, length, step;
};  // base +: length [step s]; step may be null
struct Range {
    ExprPtr begin, end;
};  // a..b, in references only
struct Subscript {
    Span span;
    std::variant<WholeAxis, Position, Slice, Range> node;
};

struct Index {
    ExprPtr base;
    std::vector<Subscript> subscripts;  // at least one
};

struct Arg {
    Span span;
    std::optional<Name> name;  // `axis = 1`
    bool is_inout = false;     // `inout sm`
    ExprPtr value;
};

enum class HintKind { multicast, allow_foreign, evict_first, evict_last };
struct Hint {  // after the `)` of a memory operation
    Span span;
    HintKind kind;
    std::optional<Name> axis;  // multicast(m)
};
inline bool is_cache_hint(const Hint& hint) {
    return hint.kind == HintKind::evict_first || hint.kind == HintKind::evict_last;
}

struct Call {
    ExprPtr callee;  // a NameRef or Members over one (checked by the parser)
    std::vector<GenericArg> generics;
    std::vector<Arg> args;
    std::vector<Hint> hints;
    std::optional<Span> forwards = {};  // `<..>`: constants go to those of the same name
};

struct IfExpr {
    ExprPtr condition, then_value, else_value;
};

struct FieldValue {
    Span span;
    Name name;
    ExprPtr value;
};

struct StructValue {
    std::vector<FieldValue> fields;
};  // { re = x, im = y }: a whole right side only
struct ListValue {
    std::vector<ExprPtr> items;
};  // [0, 130, 340]: in tests only

using AnyExpr =
    std::variant<NameRef, IntLiteral, FloatLiteral, StringLiteral, BoolLiteral, Infinity, Unary,
                 Binary, Consume, Member, Index, Call, IfExpr, StructValue, ListValue>;
struct Expr {
    Span span;
    AnyExpr node;

    template <AlternativeOf<AnyExpr> T>
    Expr(Span where, T what) : Expr(where, alternative<T, AnyExpr>, &what) {}
    Expr(Span where, std::size_t kind, void* what);
    Expr(Expr&&) noexcept;
    Expr& operator=(Expr&&) noexcept;
    ~Expr();
};

// ---- statements ----

struct Block {
    Span span;  // with its braces
    std::vector<Stmt> stmts;
};

// `m in M by BM`, `j in BN..end by BN`, `j in reversed 0..n`
struct Iter {
    Span span;
    Name name;
    bool reversed = false;
    ExprPtr begin;  // null: from 0, over the axis or number `end`
    ExprPtr end;
    ExprPtr step;  // null: no `by`
};

struct Let {  // let and var
    bool is_var;
    Name name;
    std::optional<Type> type;
    ExprPtr value;
};

struct SharedVar {  // shared t: bf16[BM, BK] = x;
    Name name;
    Type type;
    ExprPtr value;  // may be null
};

enum class AssignOp { set, add, subtract, multiply, divide };
struct Assign {
    ExprPtr target;  // a NameRef, Member or Index (checked by the parser)
    AssignOp op;
    Span op_span;
    ExprPtr value;
};

struct CallStmt {
    ExprPtr call;
};  // always a Call (checked by the parser)

struct Pipelined {  // pipelined, pipelined(4)
    Span span;
    ExprPtr depth;  // null: not said
};

struct For {
    std::vector<Iter> iters;  // at least one; the leftmost is the outermost loop
    std::optional<Pipelined> pipelined;
    Block body;
};

struct ForSpace {  // for (h, i) in queries
    std::vector<Name> names;
    Name space;
    std::optional<Pipelined> pipelined;
    Block body;
};

struct If {
    ExprPtr condition;
    Block then_block;
    std::optional<Block> else_block;  // `else if` is a block that holds one If
    bool else_is_if = false;
};

struct Produce {
    PipeRef pipe;
    ExprPtr value;                   // `produce p = e;`, else null
    std::vector<FieldValue> fields;  // `produce p { a = e; b = e; }`
};

struct ConsumeBlock {  // consume ab as s { ... }
    PipeRef pipe;
    Name name;
    Block body;
};

struct Return {
    ExprPtr value;
};  // value may be null

using AnyStmt = std::variant<Let, SharedVar, Assign, CallStmt, For, ForSpace, If, Produce,
                             ConsumeBlock, Return>;
struct Stmt {
    Span span;
    AnyStmt node;

    template <AlternativeOf<AnyStmt> T>
    Stmt(Span where, T what) : Stmt(where, alternative<T, AnyStmt>, &what) {}
    Stmt(Span where, std::size_t kind, void* what);
    Stmt(Stmt&&) noexcept;
    Stmt& operator=(Stmt&&) noexcept;
    ~Stmt();
};

// ---- what is in a kernel ----

struct Persistent {};
struct Dynamic {
    ExprPtr when;  // a bool; null: true
};
struct Raster {
    Name axis;
    ExprPtr band;
};
struct HeaviestFirst {
    ExprPtr weight;
};  // an expression, or the name of a space
struct Warps {
    ExprPtr count;
};
struct BlocksPerSm {
    ExprPtr count;
};
struct Spills {
    ExprPtr bytes;  // of a thread
};
struct Cluster {
    std::vector<GenericArg> sizes;
};
struct Pingpong {};  // of a role, or of a kernel without roles
struct GridWord {
    Span span;
    std::variant<Persistent, Dynamic, Raster, HeaviestFirst, Warps, BlocksPerSm, Spills, Cluster,
                 Pingpong>
        node;
};

struct Grid {
    std::vector<Iter> iters;  // the leftmost varies fastest
    std::vector<GridWord> words;
};

struct Instances {  // `per w in 2` of a pipeline, `[w in 2]` of a role
    Span span;
    Name name;
    ExprPtr count;
};

struct Pipeline {
    Name name;
    ExprPtr stages;
    std::optional<Instances> per;
    std::vector<Field> fields;  // one without a name, or any number with names
};

struct Space {
    Name name;
    std::vector<Iter> iters;
};

struct Alternate {
    ExprPtr when;  // null: without a condition
};
struct Registers {
    ExprPtr count;
};
struct RoleWord {
    Span span;
    std::variant<Pingpong, Alternate, Registers> node;
};

enum class RoleUnit { warp, warpgroup };
struct Role {
    Name name;
    std::optional<Instances> instances;
    ExprPtr count;
    RoleUnit unit;
    Span width_span;  // `2 warpgroups`
    std::vector<RoleWord> words;
    Block body;
};

struct Partition {
    Name name;
    ExprPtr programs;  // null: `rest`
    std::vector<KernelItem> items;
};

using AnyKernelItem = std::variant<Grid, Pipeline, Space, Role, Partition, Stmt>;
struct KernelItem {
    Span span;
    AnyKernelItem node;

    template <AlternativeOf<AnyKernelItem> T>
    KernelItem(Span where, T what) : KernelItem(where, alternative<T, AnyKernelItem>, &what) {}
    KernelItem(Span where, std::size_t kind, void* what);
    KernelItem(KernelItem&&) noexcept;
    KernelItem& operator=(KernelItem&&) noexcept;
    ~KernelItem();
};

// ---- declarations ----

enum class ConstKind { integer, boolean, dtype, function };
struct ConstParam {
    Span span;
    Name name;
    ConstKind kind = ConstKind::integer;
    ExprPtr default_value;              // null: none
    std::optional<Span> schedule = {};  // the word: it changes no result. Of kernels only
};

enum class ParamMode { in, out, inout, accumulate, scratch, counter };
struct KernelParam {
    Span span;
    ParamMode mode = ParamMode::in;
    bool is_ranks = false;
    Name name;
    Type type;  // of a counter: the path `counter` with the extents
};

enum class FnParamMode { value, constant, inout };
struct FnParam {
    Span span;
    FnParamMode mode = FnParamMode::value;
    Name name;
    Type type;  // `int`, `bool` and `dtype` are paths like any other
};

struct LaunchHead {  // of what is launched: all that a caller sees
    Name name;
    std::vector<ConstParam> consts;
    std::vector<KernelParam> params;
    std::vector<ExprPtr> conditions;  // of `requires`
    std::vector<ExprPtr> beliefs;     // of `trusts`
};

struct Kernel : LaunchHead {
    std::vector<KernelItem> items;
};

struct Entry : LaunchHead {
    Block body;
};

struct Function {
    Name name;
    std::vector<ConstParam> consts;
    std::vector<FnParam> params;
    std::optional<Type> result;
    Block body;
    // extern cuda fn asinf(x: f32) -> f32 from "file.cuh" { .. }: of CUDA; the body says what it
    // computes.
    struct External {
        std::string header;  // empty: none
        Span header_span = {};
    };
    std::optional<External> external = {};
};

struct Struct {
    Name name;
    std::vector<ConstParam> consts;
    std::vector<Field> fields;
};

struct Instance {  // instance gemm<BM = 64> as gemm_small;
    Name kernel;
    std::vector<GenericArg> args;
    Name name;
    std::optional<Name> module = {};  // `module.gemm`: a kernel of another file
};

struct Reference {
    Name name;
    std::vector<Name> params;
    std::vector<Name> results;
    Block body;
};

struct Binding {  // M = 200;  Q = normal();
    Name name;
    ExprPtr value;
};

struct Sweep {  // for N in [1, 63, 64];
    Name name;
    std::vector<ExprPtr> values;
};

struct Expect {  // expect O, LSE ~ reference within 1e-2 norm 1e-3;
    std::vector<Name> names;
    ExprPtr tolerance;
    ExprPtr norm;  // null: the tolerance
};

struct ExpectError {  // expect error "a multiple of 16";
    Span text_span;
    std::string text;
};

struct ExpectThat {  // expect causal(0, 3) == false;
    ExprPtr condition;
};

using AnyTestItem = std::variant<Binding, Sweep, Expect, ExpectError, ExpectThat>;
struct TestItem {
    Span span;
    AnyTestItem node;

    template <AlternativeOf<AnyTestItem> T>
    TestItem(Span where, T what) : TestItem(where, alternative<T, AnyTestItem>, &what) {}
    TestItem(Span where, std::size_t kind, void* what);
    TestItem(TestItem&&) noexcept;
    TestItem& operator=(TestItem&&) noexcept;
    ~TestItem();
};

struct Test {
    Name name;
    std::optional<Name> subject;  // `test odd of backward { ... }`
    std::vector<TestItem> items;
};

struct Op {  // of a megakernel
    Span span;
    Name name;
    std::vector<FnParam> params;
    std::vector<KernelItem> items;
};

struct Megakernel : LaunchHead {
    std::vector<Op> ops{};
    std::vector<Block> schedules{};  // one, or the checker says so
};

using AnyDecl =
    std::variant<Kernel, Entry, Function, Struct, Instance, Reference, Test, Megakernel>;
struct Decl {
    Span span;
    AnyDecl node;

    template <AlternativeOf<AnyDecl> T>
    Decl(Span where, T what) : Decl(where, alternative<T, AnyDecl>, &what) {}
    Decl(Span where, std::size_t kind, void* what);
    Decl(Decl&&) noexcept;
    Decl& operator=(Decl&&) noexcept;
    ~Decl();
};

// The head of a kernel or an entry; null for all else.
inline const LaunchHead* launch_head(const Decl& decl) {
    if (const auto* kernel = std::get_if<Kernel>(&decl.node)) return kernel;
    return std::get_if<Entry>(&decl.node);
}

// ---- the file ----

struct Import {  // import std.softmax;
    Span span;
    Path path;
};

struct Comment {
    Span span;         // from `//` to the end of the line, without the newline
    bool is_trailing;  // is after code on its line
};

struct File {
    FileId id = 0;
    std::vector<Import> imports;
    std::vector<Decl> decls;
    std::vector<Comment> comments;  // in order of position
};

// The tree as indented text, for `--emit=ast` and tests; every line is `node detail @line:column`.
std::string print(const File& file, const SourceManager& sources);

}  // namespace tkc::ast
