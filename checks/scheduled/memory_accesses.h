// Accesses of a role of scheduled IR to the tensors that its kernel writes, and whether two of them
// can meet.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "facts/facts.h"
#include "ir/module.h"

namespace tkc::checks {

// A loop around an access. Its variable is begin + step * number.
struct NumberedLoop {
    const ir::For* loop = nullptr;
    std::string number;    // a symbol that no user's name can be
    ir::NormalForm trips;  // of a loop that runs; without steps, 0 or less
};

// One axis of the memory that an access touches: `length` elements from `base`, or, of a gather,
// anywhere, where that is not known.
struct TouchedAxis {
    ir::NormalForm base;
    std::int64_t length = 1;
    std::optional<ir::NormalForm> edge = {};  // of a view: nothing from there on is touched
    int tile_axis = -1;  // of the tile: 0 its rows, 1 its columns; -1: a single position
};

struct MemoryAccess {
    enum class Way : std::uint8_t {
        cells,      // between registers and memory, by the threads that hold them
        staged,     // a store through shared memory: bulk copies, or all lanes of a warpgroup
        bulk_load,  // into a stage, by the elected lane
        copied,     // into a stage or out of one, by all threads of the role
        signal,     // no access: everything that the role did before comes before it
        await,      // no access: everything that the role does after it is after it
    };
    const ir::Op* op = nullptr;
    Span span;
    Way way = Way::cells;
    bool writes = false;
    bool adds = false;      // in any order: of no matter to other accesses of the role
    bool by_lanes = false;  // staged: some panels may leave by the lanes, as ordinary stores
    std::string tensor;
    ir::Value tile;        // cells, staged
    std::string pipeline;  // bulk_load
    std::vector<TouchedAxis> axes;
    std::vector<NumberedLoop> loops;  // from outside in
    // The constants of the bases, and a number for what else they and the edges are, counted from
    // there: for a quick look at accesses side by side. -1: a base is not known.
    int shape = -1;
    bool edged = false;
    std::vector<std::int64_t> offsets;
    int around = -1;  // a number for the names and the trips of its loops
};

// Reads a role: `find` is called in the order of a walk.
class AccessReader {
public:
    AccessReader(const ir::Kernel& kernel, const ir::Role& role)
        : kernel_(kernel), role_(role), counts_(uses_counters(role)) {}

    static bool uses_counters(const ir::Role& role);

    // The access that the operation is, if it is one to a tensor that the kernel writes, and, in a
    // role that signals or awaits, adds to. A loop over the panels of a staged store is one access.
    std::optional<MemoryAccess> find(const ir::Op& op, const ir::Bindings& bindings,
                                     const std::vector<NumberedLoop>& loops);

private:
    MemoryAccess made(const ir::Op& op, MemoryAccess::Way way, bool writes, const ir::Slice& slice,
                      std::int64_t rows, std::int64_t cols, const ir::Bindings& bindings) const;
    bool is_written(const std::string& tensor) const;
    void describe(MemoryAccess& access);
    int number_of(const std::string& text);

    const ir::Kernel& kernel_;
    const ir::Role& role_;
    bool counts_;
    std::map<std::string, int> shapes_;
};

// Whether, and how, an earlier access and a later one can touch the same memory.
struct SyncPoint {
    bool possible = true;
    bool same_place = false;  // the tiles lie on each other
    // The tiles lie the same way: their rows along one axis of the tensor, and their columns. By
    // so much lies the later one further along these.
    bool same_axes = false;
    ir::NormalForm rows = {};
    ir::NormalForm cols = {};
};

// Asks for pairs of accesses of one role. It uses only what the author requires of a launch, so
// the pass that inserts what is missing and the proof that nothing is missing always agree
// answers, and what is derived in between would only lead proofs, which are bounded, another way.
class Meetings {
public:
    explicit Meetings(const ir::Kernel& kernel) : kernel_(kernel) {}

    // `carried`: the later access is in a later step of this loop than the earlier one, and in
    // the same steps of the loops around it; null: in the same steps of all loops around both.
    // Accesses are known by their addresses: they stay where they are.
    const SyncPoint& between(const MemoryAccess& earlier, const MemoryAccess& later,
                             const ir::For* carried);

private:
    SyncPoint decide(const MemoryAccess& earlier, const MemoryAccess& later,
                     const ir::For* carried);
    SyncPoint by_proof(const MemoryAccess& earlier, const MemoryAccess& later,
                       const ir::For* carried);
    const ir::Facts& facts();

    // The steps of two accesses: equal in loops around both, as far as `carried`; later there;
    // apart in all loops further in.
    struct Steps {
        ir::Bindings of_first, of_second;  // what stands for the numbers of their loops
        std::vector<ir::NormalForm> not_negative = {};
        std::optional<ir::Facts> known = {};  // that none of these is; gathered when it is needed
        // Where accesses begin along their axes, by such numbers.
        std::unordered_map<const MemoryAccess*, std::vector<ir::NormalForm>> first_bases = {};
        std::unordered_map<const MemoryAccess*, std::vector<ir::NormalForm>> second_bases = {};
    };
    Steps& steps_of(const MemoryAccess& earlier, const MemoryAccess& later, const ir::For* carried);
    static Steps made(const MemoryAccess& earlier, const MemoryAccess& later,
                      const ir::For* carried);

    // All that the answer depends on. The pieces of a tile ask the same question many times, and so
    // do loops side by side. Two accesses with shapes are identified by these, by their loops and
    // by the distances between them, so their pointers are null.
    struct Question {
        const MemoryAccess* earlier = nullptr;
        const MemoryAccess* later = nullptr;
        const ir::For* carried = nullptr;
        // Shapes; loops, how many of them both share, and which one carries; distances, lengths and
        // axes of the tiles.
        std::vector<std::int64_t> numbers = {};

        friend auto operator<=>(const Question&, const Question&) = default;
    };
    struct Pair {
        const MemoryAccess* earlier;
        const MemoryAccess* later;
        const ir::For* carried;

        friend bool operator==(const Pair&, const Pair&) = default;
    };
    struct HashOfPair {
        std::size_t operator()(const Pair& x) const {
            const std::hash<const void*> hash;
            return (hash(x.earlier) * 31 + hash(x.later)) * 31 + hash(x.carried);
        }
    };
    static Question question(const MemoryAccess& earlier, const MemoryAccess& later,
                             const ir::For* carried);
    // Of their loops: how they are called, how many of them both share, and which one carries.
    static std::vector<std::int64_t> loops_of(const MemoryAccess& earlier,
                                              const MemoryAccess& later, const ir::For* carried);

    const ir::Kernel& kernel_;
    std::optional<ir::Facts> facts_;
    std::unordered_map<Pair, SyncPoint, HashOfPair> decided_;  // walks ask again and again
    std::map<Question, SyncPoint> proved_;
    std::map<std::vector<std::int64_t>, Steps> steps_;  // by loops_of
    int proofs_left_ = 4000;  // beyond, accesses count as meeting: a barrier too many
};

}  // namespace tkc::checks
