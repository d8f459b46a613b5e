// One process of scheduled IR: a warpgroup, or a warp of a role of warps.
#pragma once

#include <fmt/format.h>

#include <array>
#include <deque>

#include "base/function_ref.h"
#include "emulator/role_walk.h"
#include "emulator/scheduled/cluster.h"
#include "emulator/slices.h"
#include "emulator/tile_operations.h"

namespace tkc::emulator {

class Process : public ElementObserver {
public:
    // Number `index` of copy `copy` of its role in block `block`, which runs `programs` one after
    // the other.
    Process(Cluster& cluster, const ir::Role& role, std::int64_t block, std::int64_t index,
            std::int64_t copy, std::vector<std::int64_t> programs);

    enum class State : std::uint8_t { ready, waiting, done };
    State state() const { return state_; }
    // Whether it waits for other programs.
    bool awaits() const;
    // Does one operation; false if it has to wait, or if all is done.
    bool step();

    bool has_in_flight() const;
    // Something that it issued completes: `which` chooses among what may be next.
    void complete_one(std::uint64_t which);

    // Single elements that it reads (process_global.cpp).
    bool watches(const std::string& tensor) const override;
    void read(const std::string& tensor, std::int64_t element, std::int64_t row,
              std::int64_t col) override;

    // For a deadlock: where it waits and for what.
    Outcome::Place waiting_place() const;
    std::string describe_program() const;

private:
    struct ElementRef {
        std::string pipeline;
        std::int64_t number = 0;  // counted from the first of the launch
        std::int64_t stage = 0;
        std::uint32_t round = 0;  // parity of the number of times that the ring was passed
    };

    bool begin_program();
    // Past the elements of `programs` programs that other copies of the role run.
    void skip_elements(std::int64_t programs);
    // Whether the operation can go on; waits are noted in state_.
    bool may_go(const ir::Op& op);
    void check_registers(const ir::Op& op);
    // What the processes of a role make together of a tile: they meet for it.
    using Make = std::function<TilePtr(const std::vector<TilePtr>& parts)>;
    // Arrives where the role's processes meet, with the part of a tile if one is brought; true
    // when all have come. The last one makes what all wait for.
    bool meets(const TilePtr& part = nullptr, const Make& make = nullptr);
    // For which it needs no other process: `reduce`, `scan`, .. within what it holds.
    bool needs_others(const ir::Op& op) const;
    bool meets_for(const ir::Op& op);
    // The same over the blocks of a cluster: by messages, which order nothing else.
    bool exchanges(const TilePtr& part, const Make& make);
    RowExchange::Place& exchange_place() {
        return block().exchange.places[static_cast<std::size_t>(meeting_ % 2)];
    }
    BlockState::SyncPoint& meeting() {  // of all blocks, where the role lies over them
        return cluster_.blocks()[spans_blocks_ ? 0 : static_cast<std::size_t>(block_)].meetings.at(
            barrier_key(role_, copy_));
    }
    // Whether it is the first process of the role in its block.
    bool is_first_of_block() const { return warps_[0] == role_.first_warp; }
    // The number of the one that takes turns with others.
    std::int64_t order_index() const { return role_.copies > 1 ? copy_ : index_; }

    // By leaving, it learns what the others knew; the lanes of each warp have met.
    void leave_barrier();
    // The same after an exchange of registers: `result` becomes its part of what was made.
    void take_made(ir::Value result);
    // All parts of a tile together.
    TilePtr whole_of(ir::Value v, const std::vector<TilePtr>& parts) const;
    TilePtr sum_of_rows(ir::Value v, const std::vector<TilePtr>& parts) const;

    // ---- operations, a function each: process.cpp, process_memory.cpp
    void execute(const ir::Splat& op);
    void execute(const ir::Map& op);
    void execute(const ir::ReadNumber& op);
    void execute(const ir::Copy& op);
    void execute(const ir::Mma& op);
    void multiply_now(const ir::Mma& op);
    void execute(const ir::Apply& op);
    void execute(const ir::Complete& op);
    void execute(const ir::ScaleRows& op);
    void execute(const ir::PinWaits& op);
    void execute(const ir::WaitOrder& op);
    void execute(const ir::ArriveOrder& op);
    void execute(const ir::Wait& op);
    void execute(const ir::Field& op);
    void execute(const ir::Window& op);
    void execute(const ir::Print& op);
    void execute(const ir::Assert& op);
    void execute(const ir::CountWrites&) {}  // the launch looks at all writes
    void execute(const ir::Signal& op);
    void execute(const ir::Await& op);
    void execute(const ir::Acquire& op);
    void execute(const ir::Expect& op);
    void execute(const ir::TmaLoad& op);
    void execute(const ir::CopyLoad& op);
    void start_copies(const ir::CopyLoad& op);
    void execute(const ir::FetchProgram& op);
    void execute(const ir::SetProgram& op);
    void execute(const ir::Publish& op);
    void execute(const ir::Take& op);
    void execute(const ir::Release& op);
    void execute(const ir::Barrier& op);
    void execute(const ir::FenceAsync& op);
    void execute(const ir::WriteShared& op);
    void execute(const ir::BufferTile& op);
    void execute(const ir::WriteTile& op);
    void execute(const ir::AwaitCopies& op);
    void execute(const ir::ReadShared& op);
    void execute(const ir::TmaStore& op);
    void execute(const ir::CopyStore& op);
    void execute(const ir::StoreCells& op);
    void execute(const ir::LoadCells& op);
    template <ir::TileOp Other>
    void execute(const Other&) {
        throw Fault(fmt::format("`{}` is not an operation of the scheduled IR", Other::kind));
    }
    template <ir::ControlOp Other>
    void execute(const Other&) {}  // the walk does these

    // ---- help
    BlockState& block() { return cluster_.blocks()[static_cast<std::size_t>(block_)]; }
    const ir::Kernel& kernel() const { return cluster_.launch().kernel; }
    Tensor& tensor(const std::string& name) { return cluster_.launch().arguments.tensors.at(name); }
    // Where the role is in a pipeline, as its writer and as its reader: it may be both.
    using End = ir::PipelineEnd;
    ElementRef& cursor(const std::string& pipeline, End end);
    void advance(ElementRef& cursor);
    // Which of a pipeline's barriers belongs to the stage: for this process's part, if it has some.
    std::size_t barrier_of(const std::string& pipeline, std::int64_t stage) const;
    // The element whose stage's barrier is waited on, and the phase.
    ElementRef element_of(const ir::BarrierWait& wait) const;
    static std::uint32_t phase_of(const ir::BarrierWait& wait, const ElementRef& at) {
        return wait.full ? at.round : at.round ^ 1U;
    }
    // What the barrier that was waited on passes on: to the elected lane, or to all.
    void learn_from(const ir::Op& op);
    // The weakening of the operation that is being done, if it is that.
    bool weakened(Weakening::Kind kind) const;
    bool is_elected() const { return index_ == 0; }
    const TilePart& cells_of(ir::Value v) const { return *parts_[v.id]; }
    const ir::TileType& part_of(ir::Value v) const { return cells_of(v).type; }
    Places places_of(ir::Value v) const { return {&cells_of(v).rows, &cells_of(v).cols}; }
    const Tile& part(ir::Value v) const { return *tiles_[v.id]; }
    template <class F>
    void for_each_rectangle(ir::Value v, F&& f) const;

    // Copy `copy` of a buffer; of one over stages, in that of `held`.
    SharedTile copy_of(const std::string& buffer, const ir::Scalar& copy, ir::Value held) const;

    // An access of warp `w` (of this process) to shared memory of a block of the cluster.
    // `lanes`: as in SharedMemory::Access.
    void touch(std::int64_t block, std::size_t w, const SharedTile& tile, const Cells& cells,
               Event event, Proxy proxy, bool write, std::int32_t lanes = 0);
    Event own_event(std::size_t w);
    // An ordinary access by all lanes. Rows of a fragment belong to warps, 16 in turn; a row or a
    // column alone is touched by every warp.
    void touch_fragment(const SharedTile& tile, const Cells& cells, bool write,
                        std::int32_t lanes = 0);
    // The number of the lanes that move the cells of `v`, from column `column` on, to or from the
    // tile.
    std::int32_t lanes_of(ir::Value v, const SharedTile& tile, std::int64_t column = 0) const;
    template <class F>
    void walk_transposed(const SharedTile& tile, const Cells& there, bool write, F&& f);
    // `what` says of a message which barrier that is.
    void arrive(Mbarrier& barrier, std::size_t w, FunctionRef<std::string()> what);
    // `edge`: full or empty.
    static std::string barrier_text(const char* edge, std::int64_t stage,
                                    const std::string& pipeline) {
        return fmt::format("the {} barrier of stage {} of `{}`", edge, stage, pipeline);
    }
    // Whether all warps of the process know of the event.
    bool all_know(const Event& event) const;
    // The next program of the role has this number; none if there is no such program.
    void go_on_with(std::int64_t fetched);

    // ---- global memory: process_global.cpp
    // Who touched what of the tensor; nullptr: such an access can be no race.
    ElementLog* log_of(const std::string& tensor, bool write) const;
    // The accesses of one operation to one tensor.
    class GlobalAccesses;
    // By the threads that hold, or write, the cells of a register tile.
    void touch_cells(const ir::Slice& slice, const Window& window, ir::Value v, bool write);
    // By threads of the role that take the cells of a tile in turn.
    void touch_in_turn(const ir::Slice& slice, const Window& window, const ir::TileType& tile,
                       bool write);
    // By a bulk copy that the elected lane starts.
    const ir::StoreRules& rules_of(const std::string& tensor) const;
    void check_coordinate(const ir::Slice& slice, const Tensor& tensor) const;
    void touch_bulk(const ir::Slice& slice, const Window& window, std::int64_t rows,
                    std::int64_t cols, Event event, bool write);
    Window window_at(const ir::Slice& slice, const ir::TileType& tile, Edges edges = Edges::named) {
        return window_of(slice, tensor(slice.tensor), tile.rows, tile.cols, env_, edges);
    }
    // The lanes of warp `w` meet: what they did and knew is known to all of them.
    void synchronize_lanes(std::size_t w);
    void synchronize_lanes() {
        for (std::size_t w = 0; w < warps_.size(); ++w) synchronize_lanes(w);
    }
    // Only the elected lane learns it.
    void learn_elected(const Knowledge& from);
    void check_end();
    Stop blame(const std::string& text) const;

    Cluster& cluster_;
    const ir::Role& role_;
    std::int64_t block_;
    std::int64_t index_;
    std::int64_t copy_;
    std::vector<std::int64_t> programs_;
    std::size_t next_program_ = 0;
    std::int64_t program_ = 0;
    bool finishing_ = false;
    State state_ = State::ready;
    const ir::Op* at_ = nullptr;

    Environment env_;
    Walk walk_;
    std::vector<TilePtr> tiles_;      // register tiles: this warpgroup's part
    std::vector<SharedTile> shared_;  // views
    const std::vector<TilePartPtr>& parts_;
    std::vector<ElementRef> elements_;
    std::map<std::pair<std::string, End>, ElementRef> cursors_;

    std::vector<std::int64_t> warps_;   // of the block
    std::vector<Knowledge> known_;      // by warp; of global memory: by all of its lanes
    Clocks elected_;                    // of global memory: what the elected lane knows besides
    std::vector<std::int32_t> fenced_;  // by warp: its last event before its last fence for it
    Counters::Position position_;       // past signals and awaits of all counters
    const ir::Op* awaited_ = nullptr;   // its last await
    bool one_lane_ = false;
    bool spans_blocks_ = false;  // rows of the role's tiles lie over the blocks of the cluster
    // Loads ahead: the cells of a program, on their way to the process's part of a buffer.
    struct Request {
        std::function<void()> copy;  // null once it is done
        void finish() {
            if (copy) std::exchange(copy, nullptr)();
        }
    };
    // Asynchronous copies of one warp into one stage, and what it does once they are over.
    struct Landing {
        std::int64_t under_way = 0;
        std::function<void()> arrive;  // null until the stage is published
        void land() {
            if (--under_way == 0 && arrive) arrive();
        }
    };
    // Of the stages that are being filled, by pipeline and warp.
    std::map<std::pair<std::string, std::size_t>, std::shared_ptr<Landing>> landings_;
    void arrive_when_landed(const std::string& pipeline, const ElementRef& at, std::size_t w);
    void prefetch_start(const ir::LoadCells& load, std::int64_t program);
    void prefetch_wait(const ir::LoadCells& load);
    // The process's part of the buffer.
    Cells prefetched_cells(const ir::LoadCells& load) const;
    std::map<const ir::LoadCells*, std::shared_ptr<Request>> requests_;

    std::int64_t generation_ = -1;  // of the role's barrier at which it waits; -1: at none
    std::int64_t meeting_ = 0;      // the exchange over a cluster that comes next
    bool sent_ = false;             // its part of that

    // What was issued in a channel, numbered from 1.
    struct Line {
        // What it does when it completes. A bulk store that has read is then in flight in the
        // channel of those that have written.
        struct Work {
            std::int64_t number = 0;
            std::function<void()> run;
        };
        std::int64_t issued = 0;
        std::int64_t over = 0;  // known to be, because of a wait
        std::deque<Work> in_flight;
    };
    std::array<Line, ir::all_channels.size()> lines_;
    Line& line(ir::Channel channel) { return lines_[static_cast<std::size_t>(channel)]; }
    void learn_over(ir::Channel channel, std::int64_t number);
    bool is_in_flight(ir::Channel channel, std::int64_t number) {
        return number > line(channel).over;
    }
    // The number of an operation that is issued now.
    std::int64_t issue(ir::Channel channel) { return ++line(channel).issued; }
    void complete(ir::Channel channel, std::size_t place);
    std::vector<std::int64_t> made_by_;  // by value: the last product that writes it
    std::vector<std::int64_t> read_by_;  // by value: the last one that reads its registers
};

}  // namespace tkc::emulator
