// The blocks of a cluster: what their processes share, and who goes next.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "emulator/launch.h"
#include "emulator/programs.h"
#include "emulator/run.h"
#include "emulator/scheduled/global_memory.h"
#include "emulator/scheduled/mbarrier.h"
#include "emulator/scheduled/shared_memory.h"
#include "emulator/scheduled/tile_part.h"
#include "ir/completion.h"

namespace tkc::emulator {

class Process;

// What all clusters of a launch share.
struct ScheduledLaunch {
    const ir::Kernel& kernel;
    Arguments& arguments;
    const Environment& environment;  // extents and parameters
    const Grid& grid;
    AccessLog& log;
    GlobalUnits& units;
    const TileParts& parts;
    const std::optional<Weakening>& weakening;
    Counters* counters;                 // null: there are none
    std::set<const ir::Op*>* executed;  // null: nobody asks
    StepLimit& steps;
    // The number that the next block draws of a kernel whose programs a counter deals out.
    std::int64_t fetch_next_program = 0;
    // Whether clusters take turns on one thread, since what one does may depend on another.
    bool in_turns() const { return counters != nullptr || kernel.dynamic; }
};

// The agents of a cluster (knowledge.h), numbered.
class Agents {
public:
    explicit Agents(const ir::Kernel& kernel);
    std::size_t count() const { return static_cast<std::size_t>(blocks_ * per_block_); }
    std::int32_t warp(std::int64_t block, std::int64_t warp) const { return at(block, warp); }
    // What the warp issued in a channel.
    std::int32_t channel(std::int64_t block, std::int64_t warp, ir::Channel channel) const {
        return at(block, (1 + static_cast<std::int64_t>(channel)) * warps_ + warp);
    }
    std::int32_t full(std::int64_t block, const std::string& pipeline, std::int64_t stage) const {
        return at(block, first_full() + first_stage_.at(pipeline) + stage);
    }

private:
    std::int32_t at(std::int64_t block, std::int64_t agent) const {
        return static_cast<std::int32_t>(block * per_block_ + agent);
    }
    std::int64_t first_full() const {
        return (1 + static_cast<std::int64_t>(ir::all_channels.size())) * warps_;
    }
    std::int64_t blocks_ = 1;
    std::int64_t warps_ = 0;
    std::int64_t per_block_ = 0;
    std::map<std::string, std::int64_t> first_stage_;
};

// Where a block gets what all warps of its cluster made of their cells of a row that lies over its
// blocks (runtime/tk/operations/row_exchange.cuh). Meetings take the two places in turn.
struct RowExchange {
    struct Place {
        Mbarrier barrier{1, 0};
        struct Part {
            std::int64_t meeting = -1;  // for which it was sent
            TilePtr tile;
        };
        std::vector<Part> parts;  // by process
        Part made;                // of all parts
    };
    std::array<Place, 2> places;
};

// The number in a stage of the dynamic schedule, and which agents have written and read it.
struct FetchedProgram {
    std::optional<std::int64_t> number;  // none: all have read it
    Event written;
    std::vector<Event> reads{};
};

struct BlockState {
    SharedMemory shared;
    std::map<std::string, std::vector<Mbarrier>> full;  // of each pipeline, by stage
    std::map<std::string, std::vector<Mbarrier>> empty;
    // Warpgroups or warps of a role that met at its barrier, and what they brought.
    struct SyncPoint {
        std::int64_t arrived = 0;
        std::int64_t generation = 0;
        Knowledge brought;
        Knowledge learned;             // by those who leave
        std::vector<TilePtr> parts{};  // of a tile of which each makes something, by process
        TilePtr made{};                // of all of them, for those who leave
    };
    std::map<std::string, SyncPoint> meetings;  // by role, of each copy (barrier_key)
    std::map<std::string, std::int64_t> turns;  // by role: those that were passed on
    // By role, in kernels with counters: the last access of each agent to global memory before each
    // of the role's signals, which has to follow them, and the record of each await, in order,
    // which accesses have to follow. Warps may be past a signal, or an await, before the elected
    // lane is there, and the elected lane may be further on than others.
    struct LastAccess {
        std::int32_t time = 0;
        const ir::Op* op = nullptr;
    };
    using Accesses = std::map<std::int64_t, LastAccess>;  // by how many signals were before them
    std::map<std::string, std::map<std::int32_t, Accesses>> touched{};
    std::map<std::string, std::vector<std::uint32_t>> awaited{};
    RowExchange exchange{};
    std::vector<FetchedProgram> fetched_programs{};  // by stage
};

// Under what the processes of a copy of the role meet.
std::string barrier_key(const ir::Role& role, std::int64_t copy);

class Cluster : public Suspendable {
public:
    // Cluster `number` of the launch. `programs[b]`: what its block b runs, in order.
    Cluster(ScheduledLaunch& launch, const std::vector<std::vector<std::int64_t>>& programs,
            std::uint64_t seed, std::int64_t number, std::vector<Outcome::Place>& printed);
    ~Cluster() override;
    Cluster(const Cluster&) = delete;
    Cluster& operator=(const Cluster&) = delete;

    // Until all processes are done; where clusters take turns, for some steps, or until it waits
    // for other programs. Throws Stop.
    Progress advance() override;
    Stop deadlock() const override;

    ScheduledLaunch& launch() { return launch_; }
    const Agents& agents() const { return agents_; }
    std::vector<BlockState>& blocks() { return blocks_; }
    GlobalMemory& global() { return global_; }

    // A bulk copy is under way: `land` is called at some later time.
    void start_copy(std::function<void()> land) { copies_.push_back(std::move(land)); }
    // A `print`.
    void say(Outcome::Place line) { printed_.push_back(std::move(line)); }
    // A part of a stage came in, or a warp arrived: ends the phase if that was all.
    // Barrier part * stages + stage of the pipeline (ir::Pipeline::parts).
    void settle_full(std::int64_t block, const std::string& pipeline, std::int64_t barrier);
    void settle_empty(std::int64_t block, const std::string& pipeline, std::int64_t barrier);
    // Where copy `copy` of a buffer lies.
    SharedTile tile_of(const std::string& buffer, std::int64_t copy) const;
    SharedTile stage_of(const std::string& pipeline, const std::string& field,
                        std::int64_t stage) const;

private:
    bool step_process();
    bool step_asynchronous();

    ScheduledLaunch& launch_;
    Agents agents_;
    std::vector<BlockState> blocks_;
    GlobalMemory global_;
    std::vector<std::unique_ptr<Process>> processes_;
    std::vector<std::function<void()>> copies_;
    std::mt19937_64 random_;
    std::uint64_t seed_;
    std::vector<Outcome::Place>& printed_;
};

}  // namespace tkc::emulator
