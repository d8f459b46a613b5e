// The operations of the scheduled IR alone; see operations.h.
#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "ir/operation_fields.h"
#include "ir/types.h"

namespace tkc::ir {

// The writer waits until the next stage of `pipeline` is empty: all its readers have released it.
// `result`, if named, is the element being made, for `field` and `write_tile`.
// `elected`: the elected lane alone, which fills the stage alone. A warp that waits and then does
// not arrive could be overtaken by two rounds of the ring, and wait for a phase that is gone.
struct Acquire {
    static constexpr const char* kind = "acquire";
    Value result;
    std::string pipeline;
    bool elected = false;
    static constexpr auto fields() {
        return std::tuple{Member{"result", &Acquire::result},
                          Member{"pipeline", &Acquire::pipeline},
                          Member{"elected", &Acquire::elected}};
    }
};

// The elected lane arrives on the stage's full barrier, which then also waits for `bytes` of bulk
// copies.
struct Expect {
    static constexpr const char* kind = "expect";
    std::string pipeline;
    std::int64_t bytes = 0;
    static constexpr auto fields() {
        return std::tuple{Member{"pipeline", &Expect::pipeline}, Member{"bytes", &Expect::bytes}};
    }
};

// The elected lane starts the bulk copies of one field of the acquired stage; they complete on its
// full barrier. `multicast`: each block of the cluster copies its part, of the field's rows or of
// its columns, into the stages of all blocks, where it completes on their full barriers; the box
// of `map` is then of such a part, and `source` still all of the tile. `clipped`: rows past the end
// of the view are zeros; else they are what lies there.
struct TmaLoad {
    static constexpr const char* kind = "tma_load";
    std::string pipeline;
    std::string field;
    std::string map;
    Slice source;
    Split multicast = Split::none;
    CacheHint cache = CacheHint::none;
    // By a map of views; where none of the rows lies in the view, by `outside`, one of the tensor.
    bool clipped = false;
    std::string outside;
    static constexpr auto fields() {
        return std::tuple{Member{"pipeline", &TmaLoad::pipeline},
                          Member{"field", &TmaLoad::field},
                          Member{"map", &TmaLoad::map},
                          Member{"source", &TmaLoad::source},
                          Member{"multicast", &TmaLoad::multicast},
                          Member{"cache", &TmaLoad::cache},
                          Member{"clipped", &TmaLoad::clipped},
                          Member{"outside", &TmaLoad::outside}};
    }
};

// All lanes of the role copy one field of the acquired stage, cell by cell, zeros outside the
// tensor. `asynchronous`: they start copies of 16 bytes, which the launcher has seen to be possible
// and which complete on the stage's full barrier, where `publish` says so.
struct CopyLoad {
    static constexpr const char* kind = "copy_load";
    std::string pipeline;
    std::string field;
    Slice source;
    bool asynchronous = false;
    CacheHint cache = CacheHint::none;
    static constexpr auto fields() {
        return std::tuple{Member{"pipeline", &CopyLoad::pipeline},
                          Member{"field", &CopyLoad::field}, Member{"source", &CopyLoad::source},
                          Member{"asynchronous", &CopyLoad::asynchronous},
                          Member{"cache", &CopyLoad::cache}};
    }
};

// Ends the acquired stage and moves on to the next. With `arrives`, every warp of the role arrives
// on the full barrier after its own shared-memory writes; without, only `expect` arrived. `fence`:
// it makes them visible to the async proxy first, where products or bulk copies touch the stages.
// `copies`: every lane of the role arrives as well, once the asynchronous copies that it has
// started are over; it waits for none of them.
struct Publish {
    static constexpr const char* kind = "publish";
    std::string pipeline;
    bool arrives = false;
    bool fence = false;
    bool copies = false;
    static constexpr auto fields() {
        return std::tuple{Member{"pipeline", &Publish::pipeline},
                          Member{"arrives", &Publish::arrives}, Member{"fence", &Publish::fence},
                          Member{"copies", &Publish::copies}};
    }
};

// The elected lane draws the number of the block's next program, puts it into the acquired stage of
// `pipeline`, and arrives on its full barrier. It is the next one of the role, too.
struct FetchProgram {
    static constexpr const char* kind = "fetch_program";
    std::string pipeline;
    static constexpr auto fields() {
        return std::tuple{Member{"pipeline", &FetchProgram::pipeline}};
    }
};

// The role's next program is the one whose number is in the stage that `element` holds.
struct SetProgram {
    static constexpr const char* kind = "set_program";
    Value element;
    static constexpr auto fields() { return std::tuple{Member{"element", &SetProgram::element}}; }
};

// Waits until the next element of `pipeline` is full, and takes it.
struct Take {
    static constexpr const char* kind = "take";
    Value result;
    std::string pipeline;
    static constexpr auto fields() {
        return std::tuple{Member{"result", &Take::result}, Member{"pipeline", &Take::pipeline}};
    }
};

// Each warp of the role arrives on the empty barrier of the stage that `element` holds, in every
// block that fills a part of it (Pipeline::cluster). With `after_reads`, it read the stage by
// ordinary loads, which are over in all lanes first; with `fence`, they are ordered before the
// writer's bulk copies too.
struct Release {
    static constexpr const char* kind = "release";
    Value element;
    bool after_reads = false;
    bool fence = false;
    static constexpr auto fields() {
        return std::tuple{Member{"element", &Release::element},
                          Member{"after_reads", &Release::after_reads},
                          Member{"fence", &Release::fence}};
    }
};

// What is issued in a channel is counted in the order of issue (ir/completion.h): products; bulk
// stores, as far as they have read shared memory; and the same ones, as far as they have written
// global memory.
enum class Channel : std::uint8_t { products, store_reads, store_writes };

// Waits until at most the newest `pending` operations of `channel` are unfinished: of products,
// each warpgroup for its own; of bulk stores, its elected lane. `completes` lists the register
// tiles (results and operands) that may be touched from here on; those that are still in flight
// are not among them.
struct Wait {
    static constexpr const char* kind = "wait";
    Channel channel = Channel::products;
    std::int64_t pending = 0;
    std::vector<Value> completes;
    static constexpr auto fields() {
        return std::tuple{Member{"channel", &Wait::channel}, Member{"pending", &Wait::pending},
                          Member{"completes", &Wait::completes}};
    }
};

// A later wait for products does not move above it: the operations before it overlap the products.
// It changes no value, and constrains nothing else (lowering/sm90/pin_waits.cpp).
struct PinWaits {
    static constexpr const char* kind = "pin_waits";
    static constexpr auto fields() { return std::tuple{}; }
};

// `result` becomes the sum, over the lanes that share a row, of the partial column `source`.
struct Complete {
    static constexpr const char* kind = "complete";
    Value result;
    Value source;
    static constexpr auto fields() {
        return std::tuple{Member{"result", &Complete::result}, Member{"source", &Complete::source}};
    }
};

// The warpgroups of a `pingpong` role issue products in turn, the first of them first: each waits
// here until the turn is its own, and hands it to the next.
struct WaitOrder {
    static constexpr const char* kind = "wait_order";
    static constexpr auto fields() { return std::tuple{}; }
};
struct ArriveOrder {
    static constexpr const char* kind = "arrive_order";
    static constexpr auto fields() { return std::tuple{}; }
};

// result = source * factor, row by row, in place: `factor` is a column. A warp whose factors are
// all 1 does nothing. No product is in flight, since warps may part here.
struct ScaleRows {
    static constexpr const char* kind = "scale_rows";
    Value result;
    Value source;
    Value factor;
    static constexpr auto fields() {
        return std::tuple{Member{"result", &ScaleRows::result},
                          Member{"source", &ScaleRows::source},
                          Member{"factor", &ScaleRows::factor}};
    }
};

// The role's warpgroups or warps meet, each warpgroup alone (`scope` warpgroup) or all of them
// (role); where a program lies over a cluster of blocks, those of all blocks. What they did in
// memory before is visible to all of them after it.
enum class Scope : std::uint8_t { warpgroup, role };
struct Barrier {
    static constexpr const char* kind = "barrier";
    Scope scope = Scope::warpgroup;
    static constexpr auto fields() { return std::tuple{Member{"scope", &Barrier::scope}}; }
};

// Every lane makes its shared-memory writes visible to the async proxy (bulk copies, products);
// with `global`, what it did in global memory too.
struct FenceAsync {
    static constexpr const char* kind = "fence_async";
    bool global = false;
    static constexpr auto fields() { return std::tuple{Member{"global", &FenceAsync::global}}; }
};

// The elected lane waits until the copies that fill the element of `pipeline` which the role
// published last have landed: after the next barrier of the role, what they read of global memory
// may be written.
struct AwaitCopies {
    static constexpr const char* kind = "await_copies";
    std::string pipeline;
    static constexpr auto fields() {
        return std::tuple{Member{"pipeline", &AwaitCopies::pipeline}};
    }
};

// Each warpgroup writes columns [column, column + buffer's cols) of its part of `source`, or with
// `transposed`, of 16-bit cells, of the transpose of its part, to copy `copy` of `buffer`.
// `held`, here and in stores: of a buffer that lies over stages (Buffer::over), the element in
// whose stage.
struct WriteShared {
    static constexpr const char* kind = "write_shared";
    std::string buffer;
    Scalar copy;
    Value source;
    Scalar column;
    Value held;
    bool transposed = false;
    static constexpr auto fields() {
        return std::tuple{
            Member{"buffer", &WriteShared::buffer}, Member{"copy", &WriteShared::copy},
            Member{"source", &WriteShared::source}, Member{"column", &WriteShared::column},
            Member{"held", &WriteShared::held},     Member{"transposed", &WriteShared::transposed}};
    }
};

// `result`, a shared tile, is copy `copy` of `buffer`: a view, nothing moves.
struct BufferTile {
    static constexpr const char* kind = "buffer_tile";
    Value result;
    std::string buffer;
    Scalar copy;
    static constexpr auto fields() {
        return std::tuple{Member{"result", &BufferTile::result},
                          Member{"buffer", &BufferTile::buffer}, Member{"copy", &BufferTile::copy}};
    }
};

// `target`, a shared tile, becomes the register tile `source`: each warpgroup writes its own rows.
// With `transposed`, which roles of warpgroups do, it becomes the transpose, and they are columns.
struct WriteTile {
    static constexpr const char* kind = "write_tile";
    Value target;
    Value source;
    bool transposed = false;
    static constexpr auto fields() {
        return std::tuple{Member{"target", &WriteTile::target},
                          Member{"source", &WriteTile::source},
                          Member{"transposed", &WriteTile::transposed}};
    }
};

// `result`, a register tile, becomes the shared tile `source`, or with `transposed` its transpose:
// each warpgroup reads its own part, with `transposed` columns of `source`.
// With `in_place`, of a row: the map after it alone reads the result, and does so cell by cell
// from shared memory, so no register holds it.
struct ReadShared {
    static constexpr const char* kind = "read_shared";
    Value result;
    Value source;
    bool in_place = false;
    bool transposed = false;
    static constexpr auto fields() {
        return std::tuple{Member{"result", &ReadShared::result},
                          Member{"source", &ReadShared::source},
                          Member{"in_place", &ReadShared::in_place},
                          Member{"transposed", &ReadShared::transposed}};
    }
};

// The elected lane of the warpgroup, or of each warp of a role of warps, starts the bulk store of
// copy `copy` of `buffer` and closes a bulk group. With `part`, warp i stores part i of it, and the
// slice is still that of the whole. With `held`, `buffer` lies over stages of that element, or
// is the buffer of one of its fields: then the stage itself is stored. 16-byte units are
// written whole: where a row of the tensor does not end with one, the elements after it would be
// too (docs/hopper.md).
struct TmaStore {
    static constexpr const char* kind = "tma_store";
    std::string map;
    Slice target;
    std::string buffer;
    Scalar copy;
    Value held;
    CacheHint cache = CacheHint::none;
    Split part = Split::none;
    static constexpr auto fields() {
        return std::tuple{Member{"map", &TmaStore::map},       Member{"target", &TmaStore::target},
                          Member{"buffer", &TmaStore::buffer}, Member{"copy", &TmaStore::copy},
                          Member{"held", &TmaStore::held},     Member{"cache", &TmaStore::cache},
                          Member{"part", &TmaStore::part}};
    }
};

// All lanes of the warpgroup, or of a role of warps, write copy `copy` of `buffer` to memory, cell
// by cell and inside of the tensor. `held`, `part`: as of TmaStore. The elected lanes close a bulk
// group without a store, so that groups count alike.
struct CopyStore {
    static constexpr const char* kind = "copy_store";
    Slice target;
    std::string buffer;
    Scalar copy;
    Value held;
    CacheHint cache = CacheHint::none;
    Split part = Split::none;
    static constexpr auto fields() {
        return std::tuple{
            Member{"target", &CopyStore::target}, Member{"buffer", &CopyStore::buffer},
            Member{"copy", &CopyStore::copy},     Member{"held", &CopyStore::held},
            Member{"cache", &CopyStore::cache},   Member{"part", &CopyStore::part}};
    }
};

// Registers to memory and back, cell by cell or in pairs, with bounds and any strides. The slice
// is the whole role's; each warpgroup moves its own rows of it.
struct StoreCells {
    static constexpr const char* kind = "store_cells";
    Slice target;
    Value source;
    bool vectors = false;  // 16 bytes at a time, which the launcher has seen to be possible
    CacheHint cache = CacheHint::none;
    static constexpr auto fields() {
        return std::tuple{
            Member{"target", &StoreCells::target}, Member{"source", &StoreCells::source},
            Member{"vectors", &StoreCells::vectors}, Member{"cache", &StoreCells::cache}};
    }
};
// `ahead`, if named, is the buffer in which a persistent kernel's cells of the next program are on
// their way, or those that are the same in all programs stay: which is a matter of time alone.
struct LoadCells {
    static constexpr const char* kind = "load_cells";
    Value result;
    Slice source;
    bool vectors = false;
    std::string ahead{};
    CacheHint cache = CacheHint::none;
    static constexpr auto fields() {
        return std::tuple{Member{"result", &LoadCells::result},
                          Member{"source", &LoadCells::source},
                          Member{"vectors", &LoadCells::vectors},
                          Member{"ahead", &LoadCells::ahead}, Member{"cache", &LoadCells::cache}};
    }
};

}  // namespace tkc::ir
