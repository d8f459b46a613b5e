// The operations of the tile IR and of the scheduled IR, one struct each.
//
// `kind` is the operation's name in the text form and `fields()` lists its members once; printer,
// parser, verifier and operand walks are derived from that list (reflect.h). Meaning and
// requirements are above each struct. Role-wide view: every operation is executed by the whole
// role, on tiles of the role's full extents.
#pragma once

#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "base/span.h"
#include "base/variant_from.h"
#include "ir/operation_fields.h"
#include "ir/operations_scheduled.h"
#include "ir/types.h"
#include "language/tile_function.h"

namespace tkc::ir {

// ------------------------------------------------------------------------------------------------
// both levels

// Names an integer, bool or float; evaluated once, where it is.
struct Let {
    static constexpr const char* kind = "let";
    std::string name;
    Scalar value;
    static constexpr auto fields() {
        return std::tuple{Member{"name", &Let::name}, Member{"value", &Let::value}};
    }
};

// `var` takes begin, begin + step, .. while less than end (all of i32); `reversed`: the same
// values, last first. `unrolled` loops have constant bounds, and their variable may select
// registers.
struct For {
    static constexpr const char* kind = "for";
    std::string var;
    Scalar begin;
    Scalar end;
    std::int64_t step = 1;
    bool reversed = false;
    bool unrolled = false;
    std::int64_t depth = 1;  // steps whose loads are in flight at once, in a role of warps
    Block body;
    static constexpr auto fields() {
        return std::tuple{Member{"var", &For::var},           Member{"begin", &For::begin},
                          Member{"end", &For::end},           Member{"step", &For::step},
                          Member{"reversed", &For::reversed}, Member{"unrolled", &For::unrolled},
                          Member{"depth", &For::depth},       Member{"body", &For::body}};
    }
};

// The condition is integer arithmetic that all threads of the role evaluate alike, and other roles
// too unless numbers of `ReadNumber` are in it.
struct If {
    static constexpr const char* kind = "if";
    Scalar condition;
    Block then_body;
    Block else_body;
    static constexpr auto fields() {
        return std::tuple{Member{"condition", &If::condition}, Member{"then", &If::then_body},
                          Member{"else", &If::else_body}};
    }
};

// Every cell of `result` (a register tile) becomes `value`.
struct Splat {
    static constexpr const char* kind = "splat";
    Value result;
    Scalar value;
    static constexpr auto fields() {
        return std::tuple{Member{"result", &Splat::result}, Member{"value", &Splat::value}};
    }
};

// result[i, j] = expression with `#n` for cell [i, j] of input n (extents of 1 are broadcast),
// `row`, `col` for i, j. Elementwise arithmetic, conversions and `where` are all this one
// operation. `result` may be one of the inputs.
struct Map {
    static constexpr const char* kind = "map";
    Value result;
    std::vector<Value> inputs;
    Scalar expression;
    static constexpr auto fields() {
        return std::tuple{Member{"result", &Map::result}, Member{"inputs", &Map::inputs},
                          Member{"expression", &Map::expression}};
    }
};

// `name` is the cell of `source`, a register tile [1, 1] that every thread of the role holds, as it
// is now. `place`: the variables of the grid and of the loops around, on which the number may
// depend; what else it is made of nobody knows but the role (facts.h).
struct ReadNumber {
    static constexpr const char* kind = "read_number";
    std::string name;
    Value source;
    std::vector<Scalar> place;
    static constexpr auto fields() {
        return std::tuple{Member{"name", &ReadNumber::name}, Member{"source", &ReadNumber::source},
                          Member{"place", &ReadNumber::place}};
    }
};

// `result` becomes `source`: register tiles of one type, or pipeline elements (the new name holds
// the same stage). `renewed`: ptxas takes the copy for another value.
struct Copy {
    static constexpr const char* kind = "copy";
    Value result;
    Value source;
    bool renewed = false;
    static constexpr auto fields() {
        return std::tuple{Member{"result", &Copy::result}, Member{"source", &Copy::source},
                          Member{"renewed", &Copy::renewed}};
    }
};

// result = a b, or result += a b with `accumulate`; [M, K] x [K, N], f32 sums of 16 bits or fp8,
// i32 sums of 8-bit integers, or f16 sums of f16. `tf32`: of f32 operands, which are taken as that.
// `a` is a register tile or a shared one; `b` is shared. `*_transposed`: the operand is the
// transpose of the tile named. Scheduled IR: issues the product as one wgmma group; the result may
// be touched after the wait that covers it. `synchronous`, in roles of warps: each warp multiplies
// its part by mma.sync, and the product is over when it returns.
struct Mma {
    static constexpr const char* kind = "mma";
    Value result;
    bool accumulate = false;
    Value a;
    bool a_transposed = false;
    Value b;
    bool b_transposed = false;
    bool synchronous = false;
    bool tf32 = false;
    static constexpr auto fields() {
        return std::tuple{Member{"result", &Mma::result},
                          Member{"accumulate", &Mma::accumulate},
                          Member{"a", &Mma::a},
                          Member{"a_transposed", &Mma::a_transposed},
                          Member{"b", &Mma::b},
                          Member{"b_transposed", &Mma::b_transposed},
                          Member{"synchronous", &Mma::synchronous},
                          Member{"tf32", &Mma::tf32}};
    }
};

// result = function(source), of register tiles whose cells meet: sums, running sums, the transpose,
// .. along `axis` (1: each row by itself, 0: each column); `number`: the constant that some of them
// take besides. What each takes, gives and needs is said by its rules (tile_function.h).
struct Apply {
    static constexpr const char* kind = "apply";
    TileFunction function = TileFunction::sum;
    Value result;
    Value source;
    std::int64_t axis = 1;
    std::int64_t number = 0;
    std::int64_t length = 0;  // of `slice`: rows or columns, from `number` on
    static constexpr auto fields() {
        return std::tuple{Member{"function", &Apply::function}, Member{"result", &Apply::result},
                          Member{"source", &Apply::source},     Member{"axis", &Apply::axis},
                          Member{"number", &Apply::number},     Member{"length", &Apply::length}};
    }
};

// `result`, a shared tile, is field `field` of `element`: a view, nothing moves.
struct Field {
    static constexpr const char* kind = "field";
    Value result;
    Value element;
    std::string field;
    static constexpr auto fields() {
        return std::tuple{Member{"result", &Field::result}, Member{"element", &Field::element},
                          Member{"field", &Field::field}};
    }
};

// `result`, a shared tile, is the part of `source`, another one and no window itself, that begins
// at `row` and `col`: a view, nothing moves.
struct Window {
    static constexpr const char* kind = "window";
    Value result;
    Value source;
    std::int64_t row = 0;
    std::int64_t col = 0;
    static constexpr auto fields() {
        return std::tuple{Member{"result", &Window::result}, Member{"source", &Window::source},
                          Member{"row", &Window::row}, Member{"col", &Window::col}};
    }
};

// Says `text` with the values in place of its `{}`, in order: numbers of any type.
struct Print {
    static constexpr const char* kind = "print";
    std::string text;
    std::vector<Scalar> values;
    static constexpr auto fields() {
        return std::tuple{Member{"text", &Print::text}, Member{"values", &Print::values}};
    }
};

// `condition`, a bool, holds, for each of `rows` x `cols` cells if these are given, with `row` and
// `col` for their numbers; or no cell of `tile`, an i32 tile in registers, is 0. `text`: what does
// not hold where it fails, for people.
struct Assert {
    static constexpr const char* kind = "assert";
    Scalar condition;
    Value tile;
    std::string text;
    std::int64_t rows = 0;
    std::int64_t cols = 0;
    static constexpr auto fields() {
        return std::tuple{Member{"condition", &Assert::condition}, Member{"tile", &Assert::tile},
                          Member{"text", &Assert::text}, Member{"rows", &Assert::rows},
                          Member{"cols", &Assert::cols}};
    }
    bool of_cells() const { return rows > 0; }
};

// In debug builds: the cells of `target` that lie inside the tensor were written once more.
struct CountWrites {
    static constexpr const char* kind = "count_writes";
    Slice target;
    static constexpr auto fields() { return std::tuple{Member{"target", &CountWrites::target}}; }
};

// Adds 1 to the element of a counter at `at`, after everything that the role did in memory before.
// Scheduled IR: by one lane, and what is before it is made complete by operations of its own.
struct Signal {
    static constexpr const char* kind = "signal";
    std::string counter;
    std::vector<Scalar> at;
    static constexpr auto fields() {
        return std::tuple{Member{"counter", &Signal::counter}, Member{"at", &Signal::at}};
    }
};

// Waits until the element of a counter at `at` is `count` or more: what those who signaled did in
// memory before is there for all that the role does after it. Scheduled IR: one lane waits.
struct Await {
    static constexpr const char* kind = "await";
    std::string counter;
    std::vector<Scalar> at;
    Scalar count;
    static constexpr auto fields() {
        return std::tuple{Member{"counter", &Await::counter}, Member{"at", &Await::at},
                          Member{"count", &Await::count}};
    }
};

// ---------------------------------------------------------------------------------------------------
// tile IR

// Fills the next stage of `pipeline`; it is published when all of its fields have landed. The body
// holds `fill` and `put`, one per field, and what computes their sources.
struct Produce {
    static constexpr const char* kind = "produce";
    std::string pipeline;
    Block body;
    static constexpr auto fields() {
        return std::tuple{Member{"pipeline", &Produce::pipeline}, Member{"body", &Produce::body}};
    }
};

// Inside `produce`: the field becomes a slice of a tensor (zeros outside), without passing through
// registers. `multicast`: the slice is the same for all programs of a cluster, and each of them
// fetches a part of it for all.
struct Fill {
    static constexpr const char* kind = "fill";
    std::string field;
    Slice source;
    Transfer transfer = Transfer::automatic;
    bool multicast = false;
    // What lies past the edge of a view may come along: it holds numbers, and no NaN.
    bool allow_foreign = false;
    CacheHint cache = CacheHint::none;
    std::vector<Scalar> places_in_view = {};  // as of a load
    // By TMA, too, zeros take the place of what lies past the end of the view (checks/padding).
    bool clipped = false;
    static constexpr auto fields() {
        return std::tuple{Member{"field", &Fill::field},
                          Member{"source", &Fill::source},
                          Member{"transfer", &Fill::transfer},
                          Member{"multicast", &Fill::multicast},
                          Member{"allow_foreign", &Fill::allow_foreign},
                          Member{"cache", &Fill::cache},
                          Member{"places_in_view", &Fill::places_in_view},
                          Member{"clipped", &Fill::clipped}};
    }
};

// Inside `produce`: the field becomes a register tile, or with `transposed` its transpose.
struct Put {
    static constexpr const char* kind = "put";
    std::string field;
    Value source;
    bool transposed = false;
    static constexpr auto fields() {
        return std::tuple{Member{"field", &Put::field}, Member{"source", &Put::source},
                          Member{"transposed", &Put::transposed}};
    }
};

// Takes the next element of `pipeline`. It is released after its last use (semantics 7).
struct Consume {
    static constexpr const char* kind = "consume";
    Value result;
    std::string pipeline;
    static constexpr auto fields() {
        return std::tuple{Member{"result", &Consume::result},
                          Member{"pipeline", &Consume::pipeline}};
    }
};

// `result` becomes a slice of a tensor, zeros outside: a register tile, or a shared one.
struct Load {
    static constexpr const char* kind = "load";
    Value result;
    Slice source;
    Transfer transfer = Transfer::automatic;
    CacheHint cache = CacheHint::none;
    bool element = false;  // one, of which it is shown that it lies inside of the tensor
    // Of each span of a view: where it begins, counted from the start of the view. A view lies in
    // its tensor, so that only what is before its start can lie outside of that.
    std::vector<Scalar> places_in_view = {};
    static constexpr auto fields() {
        return std::tuple{
            Member{"result", &Load::result},     Member{"source", &Load::source},
            Member{"transfer", &Load::transfer}, Member{"cache", &Load::cache},
            Member{"element", &Load::element},   Member{"places_in_view", &Load::places_in_view}};
    }
};

// The position of a loaded element along each axis.
inline std::vector<Scalar> position_of(const Load& load) {
    std::vector<Scalar> made;
    for (const Range& range : load.source.ranges) made.push_back(range.base);
    return made;
}

// The cells of `source`, or with `transposed` of its transpose, that lie inside the tensor are
// written to `target`.
struct Store {
    static constexpr const char* kind = "store";
    Slice target;
    Value source;
    Transfer transfer = Transfer::automatic;
    CacheHint cache = CacheHint::none;
    bool transposed = false;                  // of 16-bit tiles in roles of warpgroups, by TMA
    std::vector<Scalar> places_in_view = {};  // as of a load
    static constexpr auto fields() {
        return std::tuple{Member{"target", &Store::target},
                          Member{"source", &Store::source},
                          Member{"transfer", &Store::transfer},
                          Member{"cache", &Store::cache},
                          Member{"transposed", &Store::transposed},
                          Member{"places_in_view", &Store::places_in_view}};
    }
};

// `result`, a shared tile of this role alone, becomes the register tile `source`, or with
// `transposed` its transpose.
struct Share {
    static constexpr const char* kind = "share";
    Value result;
    Value source;
    bool transposed = false;
    static constexpr auto fields() {
        return std::tuple{Member{"result", &Share::result}, Member{"source", &Share::source},
                          Member{"transposed", &Share::transposed}};
    }
};

// Every operation is in one of these lists. Whoever handles one level names the other as what it
// does not handle, and nothing else: a new operation without a rule does not compile.
template <class... Ts>
struct OpList {};
using CommonOps = OpList<Let, For, If, Splat, Map, ReadNumber, Copy, Mma, Apply, Field, Window,
                         Print, Assert, CountWrites, Signal, Await>;
using TileOps = OpList<Produce, Fill, Put, Consume, Load, Store, Share>;
using ScheduledOps = OpList<Acquire, Expect, TmaLoad, CopyLoad, Publish, Take, Release, Wait,
                            Complete, ScaleRows, WaitOrder, ArriveOrder, Barrier, FenceAsync,
                            AwaitCopies, WriteShared, BufferTile, WriteTile, ReadShared, TmaStore,
                            CopyStore, StoreCells, LoadCells, PinWaits, FetchProgram, SetProgram>;

template <class T, class List>
inline constexpr bool is_in = false;
template <class T, class... Ts>
inline constexpr bool is_in<T, OpList<Ts...>> = (std::is_same_v<T, Ts> || ...);
// Operations of the tile IR alone, and of the scheduled IR alone.
template <class T>
concept TileOp = is_in<T, TileOps>;
template <class T>
concept ScheduledOp = is_in<T, ScheduledOps>;
// What blocks are made of: whoever walks them does these on the way.
template <class T>
concept ControlOp = is_in<T, OpList<Let, For, If>>;

template <class... A, class... B, class... C>
std::variant<A..., B..., C...> any_of(OpList<A...>, OpList<B...>, OpList<C...>);
using AnyOp = decltype(any_of(CommonOps{}, TileOps{}, ScheduledOps{}));

struct Op {
    AnyOp node;
    Span span;  // the text it came from; not part of the text form

    template <AlternativeOf<AnyOp> T>
    Op(T operation, Span text) : Op(alternative<T, AnyOp>, &operation, text) {}
    // Compiled once, in reflect.cpp: over all kinds of operations, they are much code.
    Op(std::size_t kind, void* operation, Span text);
    Op(const Op&);
    Op(Op&&) noexcept;
    Op& operator=(const Op&);
    Op& operator=(Op&&) noexcept;
    ~Op();
};

// An operation made for the text of another.
template <class T>
Op at(Span span, T node) {
    return Op(std::move(node), span);
}

}  // namespace tkc::ir
