// The state of a cluster, and the scheduler that a seed steers.
#include "emulator/scheduled/cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "emulator/scheduled/process.h"
#include "ir/walk.h"

namespace tkc::emulator {

namespace {

std::int64_t warps_of(const ir::Kernel& kernel) {
    std::int64_t warps = 0;
    for (const ir::Role& role : kernel.roles) {
        warps = std::max(warps, role.end_warp());
    }
    return warps;
}

// What one access moves at least: swizzles, bulk copies and vector accesses move 16 bytes; two rows
// of a narrow tile may lie within as many.
std::int64_t unit_of(const ir::Kernel& kernel) {
    std::int64_t unit = 16;
    for (const ir::Buffer& b : kernel.buffers) {
        unit = std::gcd(unit, b.type.cols * bytes(b.type.dtype));
    }
    return unit;
}

// What a copy of the role runs of a block's programs.
std::vector<std::int64_t> programs_of(const ir::Role& role, std::int64_t copy,
                                      const std::vector<std::int64_t>& all) {
    std::vector<std::int64_t> mine;
    for (auto i = static_cast<std::size_t>(copy); i < all.size();
         i += static_cast<std::size_t>(role.copies))
        mine.push_back(all[i]);
    return mine;
}

// How a seed plays the parts of the machine that no rule fixes.
enum class Style : std::uint8_t {
    eager,   // what is asynchronous is done as soon as it was issued
    lazy,    // and here only when nothing else can go on
    random,  // either, at random; so are the processes
    skewed,  // some processes are much faster than others
};

Style style_of(std::uint64_t seed) { return static_cast<Style>(seed % 4); }

}  // namespace

std::string barrier_key(const ir::Role& role, std::int64_t copy) {
    return role.copies == 1 ? role.name : fmt::format("{}.{}", role.name, copy);
}

Agents::Agents(const ir::Kernel& kernel)
    : blocks_(ir::cluster_blocks(kernel)), warps_(warps_of(kernel)) {
    std::int64_t stages = 0;
    for (const ir::Pipeline& p : kernel.pipelines) {
        first_stage_[p.name] = stages;
        stages += p.stages * p.parts;
    }
    per_block_ = first_full() + stages;
}

Cluster::Cluster(ScheduledLaunch& launch, const std::vector<std::vector<std::int64_t>>& programs,
                 std::uint64_t seed, std::int64_t number, std::vector<Outcome::Place>& printed)
    : launch_(launch),
      agents_(launch.kernel),
      global_(launch.units),
      random_(seed ^ (static_cast<std::uint64_t>(number) << 32)),
      seed_(seed),
      printed_(printed) {
    const ir::Kernel& kernel = launch.kernel;
    blocks_.reserve(programs.size());
    for (std::size_t b = 0; b < programs.size(); ++b) {
        BlockState& block = blocks_.emplace_back(BlockState{
            SharedMemory(kernel.shared_bytes, unit_of(kernel)), {}, {}, {}, {}, {}, {}, {}, {}});
        for (RowExchange::Place& place : block.exchange.places)
            place.barrier = Mbarrier(1, agents_.count());
        for (const ir::Pipeline& p : kernel.pipelines) {
            const auto barriers = static_cast<std::size_t>(p.stages * p.parts);
            block.full[p.name].assign(barriers, Mbarrier(p.full_arrivals, agents_.count()));
            block.empty[p.name].assign(barriers, Mbarrier(p.empty_arrivals, agents_.count()));
            if (ir::holds_program_numbers(p))
                block.fetched_programs.resize(static_cast<std::size_t>(p.stages));
        }
        for (const ir::Role& role : kernel.roles) {
            const Knowledge nothing(agents_.count());
            for (std::int64_t copy = 0; copy < role.copies; ++copy) {
                block.meetings.emplace(barrier_key(role, copy),
                                       BlockState::SyncPoint{0, 0, nothing, nothing, {}, nullptr});
            }
        }
    }
    for (std::size_t b = 0; b < programs.size(); ++b) {
        for (const ir::Role& role : kernel.roles) {
            const std::int64_t count = launch.parts.processes(role) / ir::blocks_of(role);
            const auto block = static_cast<std::int64_t>(b);
            const std::int64_t first = ir::blocks_of(role) == 1 ? 0 : block * count;
            for (std::int64_t i = first; i < first + count; ++i) {
                for (std::int64_t copy = 0; copy < role.copies; ++copy) {
                    processes_.push_back(std::make_unique<Process>(
                        *this, role, block, i, copy, programs_of(role, copy, programs[b])));
                }
            }
        }
    }
    std::shuffle(processes_.begin(), processes_.end(), random_);
}

Cluster::~Cluster() = default;

SharedTile Cluster::tile_of(const std::string& name, std::int64_t copy) const {
    const ir::Buffer* buffer = ir::find_buffer(launch_.kernel, name);
    if (buffer == nullptr) throw Fault(fmt::format("no buffer `{}`", name));
    const ir::TileType& type = buffer->type;
    return {buffer->offset + copy * type.rows * type.cols * bytes(type.dtype), type};
}

SharedTile Cluster::stage_of(const std::string& pipeline, const std::string& field,
                             std::int64_t stage) const {
    return tile_of(ir::buffer_of_field(launch_.kernel, pipeline, field), stage);
}

void Cluster::settle_full(std::int64_t block, const std::string& pipeline, std::int64_t barrier) {
    auto& barriers = blocks_[static_cast<std::size_t>(block)].full.at(pipeline);
    barriers[static_cast<std::size_t>(barrier)].settle();
}

void Cluster::settle_empty(std::int64_t block, const std::string& pipeline, std::int64_t barrier) {
    BlockState& state = blocks_[static_cast<std::size_t>(block)];
    if (!state.empty.at(pipeline)[static_cast<std::size_t>(barrier)].settle()) return;
    // All readers are done with it: whoever reads it still finds no numbers.
    const ir::Pipeline& emptied = *ir::find_pipeline(launch_.kernel, pipeline);
    const std::int64_t stage = barrier % emptied.stages;
    if (ir::holds_program_numbers(emptied))
        state.fetched_programs[static_cast<std::size_t>(stage)].number = std::nullopt;
    for (const ir::PipelineField& field : emptied.fields_) {
        const SharedTile tile = tile_of(field.buffer, stage);
        state.shared.poison(
            tile, cells_of_part(tile.type, emptied.split, emptied.parts, barrier / emptied.stages));
    }
}

bool Cluster::step_process() {
    // The first in the list that can go on. Skewed: the list changes seldom.
    const bool shuffles = style_of(seed_) != Style::skewed || random_() % 64 == 0;
    if (shuffles) std::shuffle(processes_.begin(), processes_.end(), random_);
    return std::any_of(processes_.begin(), processes_.end(),
                       [](const auto& process) { return process->step(); });
}

bool Cluster::step_asynchronous() {
    std::vector<Process*> busy;
    for (const auto& process : processes_) {
        if (process->has_in_flight()) busy.push_back(process.get());
    }
    const std::size_t choices = copies_.size() + busy.size();
    if (choices == 0) return false;
    const std::size_t choice = random_() % choices;
    if (choice < copies_.size()) {
        const auto at = copies_.begin() + static_cast<std::ptrdiff_t>(choice);
        const std::function<void()> land = std::move(*at);
        copies_.erase(at);
        land();
        return true;
    }
    Process& process = *busy[choice - copies_.size()];
    process.complete_one(random_());
    return true;
}

Suspendable::Progress Cluster::advance() {
    constexpr std::uint64_t most_steps = 4096;
    const bool in_turns = launch_.in_turns();
    const std::uint64_t steps = in_turns ? random_() % most_steps + 1 : 0;
    for (std::uint64_t step = 0;; ++step) {
        launch_.steps.count();
        const Style style = style_of(seed_);
        const bool asynchronous_first =
            style == Style::eager || (style != Style::lazy && random_() % 2 == 0);
        const bool moved = asynchronous_first ? step_asynchronous() || step_process()
                                              : step_process() || step_asynchronous();
        // A process that waits may have sent something.
        if (moved || !copies_.empty()) {
            if (in_turns && step >= steps) return Progress::some;
            continue;
        }
        const bool done = std::all_of(processes_.begin(), processes_.end(), [](const auto& p) {
            return p->state() == Process::State::done;
        });
        if (done) return Progress::done;
        const bool waits_for_others = std::any_of(processes_.begin(), processes_.end(),
                                                  [](const auto& p) { return p->awaits(); });
        if (!waits_for_others) throw deadlock();
        return step == 0 ? Progress::none : Progress::some;
    }
}

Stop Cluster::deadlock() const {
    Stop stop{Outcome::End::deadlock, "", {}};
    for (const auto& process : processes_) {
        if (process->state() != Process::State::waiting) continue;
        const Outcome::Place place = process->waiting_place();
        const bool known = std::any_of(stop.places.begin(), stop.places.end(), [&](const auto& p) {
            return p.span == place.span && p.text == place.text;
        });
        if (known) continue;
        stop.places.push_back(place);
        if (stop.text.empty()) stop.text = process->describe_program() + " waits forever";
    }
    return stop;
}

}  // namespace tkc::emulator
