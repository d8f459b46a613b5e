// What moves tiles to and from global memory, and the order of that.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "emulator/global_access.h"
#include "emulator/scheduled/process.h"
#include "ir/reflect.h"
#include "ir/swizzle.h"
#include "ir/walk.h"
#include "ir/warps.h"

namespace tkc::emulator {

namespace {

using ir::lanes_of_warp;

Cells all_of(const SharedTile& tile) { return {0, tile.type.rows, 0, tile.type.cols}; }

// A bulk store writes 16-byte units whole, also the one in which a row of the tensor ends.
Window whole_units(Window window, const Tensor& tensor) {
    const std::int64_t unit = 16 / bytes(tensor.dtype);
    const std::int64_t elements =
        static_cast<std::int64_t>(tensor.storage.size()) / bytes(tensor.dtype);
    if (window.col_begin >= window.col_end || window.row_begin >= window.row_end) return window;
    const std::int64_t last_row = window.row_end - 1;
    while (window.element(0, window.col_end) % unit != 0 &&
           window.element(last_row, window.col_end) < elements) {
        ++window.col_end;
    }
    return window;
}

// The order in which copy_to_shared and copy_to_global (runtime/tk/operations/global.cuh) take
// cells.
std::int64_t number_of_cell(const ir::TileType& tile, bool by_row, std::int64_t row,
                            std::int64_t col) {
    return by_row ? row * tile.cols + col : col * tile.rows + row;
}

}  // namespace

// ---- order -------------------------------------------------------------------------------------

ElementLog* Process::log_of(const std::string& tensor, bool write) const {
    const ScheduledLaunch& launch = cluster_.launch();
    if (!write && launch.grid.fills_up(program_)) return nullptr;
    return launch.log.find(tensor);
}

class Process::GlobalAccesses {
public:
    GlobalAccesses(Process& process, const std::string& tensor, bool write)
        : process_(process),
          tensor_(tensor),
          log_(process.log_of(tensor, write)),
          write_(write),
          memory_(process.cluster_.global()),
          span_(op() == nullptr ? process.role_.span : op()->span),
          access_{process.cluster_.launch().grid,
                  process.cluster_.launch().arguments,
                  tensor,
                  log_,
                  process.program_,
                  write},
          numbers_(process.warps_.size()) {
        if (log_ == nullptr) return;
        units_ = &memory_.units_of(tensor);
        for (std::size_t w = 0; w < numbers_.size(); ++w) {
            views_.push_back({&process.known_[w].global, nullptr,
                              process.cluster_.agents().warp(process.block_, process.warps_[w]),
                              process.fenced_[w]});
        }
    }

    // Whether anybody is interested.
    explicit operator bool() const { return log_ != nullptr; }

    // By lane `lane` of warp `w` of the process.
    void touch(std::int64_t element, std::size_t w, std::uint8_t lane) {
        std::uint32_t& number = numbers_[w];
        if (number == 0) {
            const Event event = process_.own_event(w);
            number = memory_.record({event, Proxy::generic, write_, op()});
            note(event);
        }
        touch(element, number, w, lane);
    }
    // By a bulk copy.
    void touch(std::int64_t element, Event event) {
        if (numbers_[0] == 0) {
            numbers_[0] = memory_.record({event, Proxy::async, write_, op()});
            note(event);
        }
        touch(element, numbers_[0], 0, 0);
    }

private:
    const ir::Op* op() const {
        const ir::Op* const doing = process_.walk_.doing();
        return doing != nullptr ? doing : process_.at_;
    }

    // For the signals of the role.
    void note(const Event& event) {
        if (process_.cluster_.launch().counters == nullptr) return;
        auto& accesses = process_.block().touched[process_.role_.name][event.agent];
        auto& last = accesses[process_.position_.signals];
        last = {std::max(last.time, event.time), op()};
    }

    void touch(std::int64_t element, std::uint32_t number, std::size_t w, std::uint8_t lane) {
        access_.touch(element, span_);
        GlobalView& view = views_[w];
        view.thread = w == 0 && lane == 0 ? &process_.elected_ : nullptr;
        auto conflict = memory_.touch(*units_, element, process_.program_, number, lane, view);
        if (!conflict) conflict = check_await(number, lane, view);
        if (conflict) refuse(*conflict, element);
    }

    // The process's last await orders what it does now. The elected lane, which waits, may be at
    // another one: further, or not there yet.
    std::optional<GlobalMemory::Conflict> check_await(std::uint32_t number, std::uint8_t lane,
                                                      const GlobalView& view) {
        if (process_.awaited_ == nullptr) return std::nullopt;
        const std::vector<std::uint32_t>& awaited = process_.block().awaited[process_.role_.name];
        const auto last = static_cast<std::size_t>(process_.position_.awaits - 1);
        if (last < awaited.size()) return memory_.check_behind(awaited[last], number, lane, view);
        return GlobalMemory::Conflict{{{}, Proxy::generic, true, process_.awaited_}};
    }

    [[noreturn]] void refuse(const GlobalMemory::Conflict& conflict, std::int64_t element) {
        const auto name = [](const ir::Op* o) { return o == nullptr ? "let" : ir::kind(*o); };
        const char* now = write_ ? "writes" : "reads";
        const bool awaited = ir::as<ir::Await>(*conflict.before.op) != nullptr;
        const char* then = awaited ? "awaited" : conflict.before.write ? "written" : "read";
        const std::string where = element_text(
            tensor_, process_.cluster_.launch().arguments.tensors.at(tensor_), element);
        const std::string text =
            conflict.fence_missing
                ? fmt::format(
                      "`{}` {} {} by the async proxy, but no fence for global memory follows the "
                      "ordinary accesses by which it was {}",
                      name(op()), now, where, then)
                : fmt::format("`{}` {} {}, but nothing orders it after the `{}` by which it was {}",
                              name(op()), now, where, name(conflict.before.op), then);
        Stop stop{Outcome::End::hazard,
                  fmt::format("{}, in {}", text, process_.describe_program()),
                  {{span_, fmt::format("`{}` of role `{}`", name(op()), process_.role_.name)}}};
        if (conflict.before.op != nullptr) {
            stop.places.push_back({conflict.before.op->span,
                                   fmt::format("the `{}` before it", name(conflict.before.op))});
        }
        throw Stop{stop};
    }

    Process& process_;
    const std::string& tensor_;
    ElementLog* log_;
    std::vector<GlobalUnit>* units_ = nullptr;
    bool write_;
    GlobalMemory& memory_;
    Span span_;
    GlobalAccess access_;
    std::vector<GlobalView> views_;       // by warp
    std::vector<std::uint32_t> numbers_;  // of the records, by warp
};

void Process::touch_cells(const ir::Slice& slice, const Window& window, ir::Value v, bool write) {
    GlobalAccesses accesses(*this, slice.tensor, write);
    const TilePart& cells = cells_of(v);
    if (!accesses || (write && !cells.writes)) return;
    const std::int64_t first_thread =
        index_ * lanes_of_warp * static_cast<std::int64_t>(warps_.size());
    for_each_inside(
        window, cells.type.rows, cells.type.cols, places_of(v),
        [&](std::int64_t element, std::int64_t row, std::int64_t col) {
            const std::int64_t thread = cells.writer_row[static_cast<std::size_t>(row)] +
                                        cells.writer_col[static_cast<std::size_t>(col)];
            auto lane = static_cast<std::uint8_t>(thread % lanes_of_warp);
            if (!write && cells.many_lanes) lane = many_lanes;
            if (!write && cells.many_warps) {
                for (std::size_t w = 0; w < warps_.size(); ++w) accesses.touch(element, w, lane);
                return;
            }
            // A row is held by further warps than the one that writes it.
            const std::int64_t warp = (thread - first_thread) / lanes_of_warp;
            accesses.touch(element, warps_.size() == 1 ? 0 : static_cast<std::size_t>(warp), lane);
        });
}

void Process::touch_in_turn(const ir::Slice& slice, const Window& window, const ir::TileType& tile,
                            bool write) {
    GlobalAccesses accesses(*this, slice.tensor, write);
    if (!accesses) return;
    // A store is a warpgroup's, a load the role's.
    const auto own = static_cast<std::int64_t>(warps_.size());
    const std::int64_t warps = write ? own : role_.warps();
    const std::int64_t first = write ? 0 : warps_[0] - role_.first_warp;
    const bool by_row = write || window.col_stride == 1 || window.row_stride != 1;
    for_each_inside(window, tile.rows, tile.cols, {},
                    [&](std::int64_t element, std::int64_t row, std::int64_t col) {
                        const std::int64_t thread =
                            number_of_cell(tile, by_row, row, col) % (lanes_of_warp * warps);
                        const std::int64_t warp = thread / lanes_of_warp - first;
                        if (warp < 0 || warp >= own) return;
                        accesses.touch(element, static_cast<std::size_t>(warp),
                                       static_cast<std::uint8_t>(thread % lanes_of_warp));
                    });
}

void Process::touch_bulk(const ir::Slice& slice, const Window& window, std::int64_t rows,
                         std::int64_t cols, Event event, bool write) {
    GlobalAccesses accesses(*this, slice.tensor, write);
    if (!accesses) return;
    for (std::int64_t r = window.row_begin; r < std::min(window.row_end, rows); ++r) {
        for (std::int64_t c = window.col_begin; c < std::min(window.col_end, cols); ++c) {
            accesses.touch(window.element(r, c), event);
        }
    }
}

bool Process::watches(const std::string& tensor) const {
    return cluster_.launch().log.find(tensor) != nullptr;
}

void Process::read(const std::string& tensor, std::int64_t element, std::int64_t row,
                   std::int64_t col) {
    GlobalAccesses accesses(*this, tensor, false);
    const auto* map = at_ != nullptr && row >= 0 ? ir::as<ir::Map>(*at_) : nullptr;
    if (map == nullptr) {
        const std::uint8_t lane = one_lane_ ? 0 : many_lanes;
        for (std::size_t w = 0; w < warps_.size(); ++w) accesses.touch(element, w, lane);
        return;
    }
    const TilePart& cells = cells_of(map->result);
    const std::int64_t thread = cells.writer_row[static_cast<std::size_t>(row)] +
                                cells.writer_col[static_cast<std::size_t>(col)];
    const auto lane =
        cells.many_lanes ? many_lanes : static_cast<std::uint8_t>(thread % lanes_of_warp);
    for (std::size_t w = 0; w < warps_.size(); ++w) {
        const bool own = static_cast<std::size_t>(thread / lanes_of_warp) % warps_.size() == w;
        if (warps_.size() == 1 || cells.many_warps || own) accesses.touch(element, w, lane);
    }
}

// ---- counters ----------------------------------------------------------------------------------

// The elected lane adds: what the role has done in memory is over, and known to it.
void Process::execute(const ir::Signal& op) {
    const std::int64_t number = position_.signals++;
    if (weakened(Weakening::Kind::skip) || !is_elected()) return;
    const auto own = static_cast<std::int32_t>(cluster_.agents().warp(block_, warps_[0]));
    for (auto& [agent, accesses] : block().touched[role_.name]) {
        const auto after = accesses.upper_bound(number);
        if (after == accesses.begin()) continue;
        const auto& last = std::prev(after)->second;
        const auto at = static_cast<std::size_t>(agent);
        const bool known = last.time <= known_[0].global.happened[at] ||
                           last.time <= elected_.happened[at] || (one_lane_ && agent == own);
        if (known) {
            accesses.erase(accesses.begin(), std::prev(after));
            continue;
        }
        throw Stop{Outcome::End::hazard,
                   fmt::format("`signal` increments its counter, but nothing orders it after the "
                               "`{}` before it, in {}",
                               ir::kind(*last.op), describe_program()),
                   {{at_->span, fmt::format("`signal` of role `{}`", role_.name)},
                    {last.op->span, fmt::format("the `{}` before it", ir::kind(*last.op))}}};
    }
    Counters& counters = *cluster_.launch().counters;
    counters.signal(counters.place(op.counter, op.at, env_));
}

void Process::execute(const ir::Await& op) {
    ++position_.awaits;
    awaited_ = at_;
    if (!is_elected()) return;
    Counters& counters = *cluster_.launch().counters;
    const Counters::Place place = counters.place(op.counter, op.at, env_);
    if (!weakened(Weakening::Kind::skip)) counters.learn(place);
    block().awaited[role_.name].push_back(
        cluster_.global().record({own_event(0), Proxy::generic, true, at_}));
}

// ---- loads into stages -------------------------------------------------------------------------

// A bulk tensor copy from an innermost coordinate that is not a multiple of 16 bytes is an illegal
// instruction (docs/hopper.md). The other coordinates may be any: what strides and the address have
// to be, the launch asks for, and of a tensor without elements nothing.
void Process::check_coordinate(const ir::Slice& slice, const Tensor& tensor) const {
    const std::int64_t place = env_.integer(slice.ranges.back().base);
    if (place * bytes(tensor.dtype) % 16 == 0) return;
    throw Stop{Outcome::End::hazard,
               fmt::format("`{}` begins at position {} of the last axis of `{}`, which is not a "
                           "multiple of 16 bytes, in {}",
                           ir::kind(*at_), place, slice.tensor, describe_program()),
               {{at_->span, fmt::format("`{}` of role `{}`", ir::kind(*at_), role_.name)}}};
}

void Process::execute(const ir::TmaLoad& op) {
    if (!is_elected()) return;
    const ElementRef at = cursor(op.pipeline, End::writer);
    const SharedTile tile = cluster_.stage_of(op.pipeline, op.field, at.stage);
    const Tensor& source = tensor(op.source.tensor);
    const Edges edges = op.clipped ? Edges::named : Edges::of_tensor;
    Window window = window_at(op.source, tile.type, edges);
    check_coordinate(op.source, source);
    // Data from past the edge of a view belong to no program.
    Window meant = window_at(op.source, tile.type);
    Cells cells = all_of(tile);
    std::vector<std::int64_t> targets{block_};
    if (op.multicast != ir::Split::none && cluster_.launch().grid.together(program_)) {
        const auto blocks = static_cast<std::int64_t>(cluster_.blocks().size());
        targets.clear();
        for (std::int64_t b = 0; b < blocks; ++b) targets.push_back(b);
        const bool by_rows = op.multicast == ir::Split::rows;
        (by_rows ? cells.rows : cells.cols) /= blocks;
        (by_rows ? cells.row : cells.col) = block_ * (by_rows ? cells.rows : cells.cols);
        window = shifted(window, cells.row, cells.col);
        meant = shifted(meant, cells.row, cells.col);
    }
    for (const std::int64_t target : targets) {
        BlockState& state = cluster_.blocks()[static_cast<std::size_t>(target)];
        Mbarrier& barrier = state.full.at(op.pipeline)[static_cast<std::size_t>(at.stage)];
        const Event event{cluster_.agents().full(target, op.pipeline, at.stage),
                          static_cast<std::int32_t>(barrier.phase() + 1)};
        touch(target, 0, tile, cells, event, Proxy::async, true);
        touch_bulk(op.source, meant, cells.rows, cells.cols, event, false);
        barrier.note(event);
        cluster_.start_copy(
            [this, &source, &state, &barrier, &op, target, tile, cells, window, at] {
                Tile landed(tile.type.dtype, cells.rows, cells.cols);
                read_window(source, window, landed);
                state.shared.write(tile, cells, landed);
                barrier.land(cells.rows * cells.cols * bytes(tile.type.dtype));
                cluster_.settle_full(target, op.pipeline, at.stage);
            });
    }
}

// Copies of 16 bytes: a row is one warp's (runtime/tk/operations/gather.cuh).
void Process::start_copies(const ir::CopyLoad& op) {
    const ElementRef& at = cursor(op.pipeline, End::writer);
    const SharedTile tile = cluster_.stage_of(op.pipeline, op.field, at.stage);
    const Tensor& source = tensor(op.source.tensor);
    const Window window = window_at(op.source, tile.type);
    const std::int64_t lanes = ir::lanes_of_row(tile.type);
    const std::int64_t at_once = lanes_of_warp * role_.warps() / lanes;
    Mbarrier& barrier = block().full.at(op.pipeline)[static_cast<std::size_t>(at.stage)];
    const Event event{cluster_.agents().full(block_, op.pipeline, at.stage),
                      static_cast<std::int32_t>(barrier.phase() + 1)};
    for (std::size_t w = 0; w < warps_.size(); ++w) {
        std::vector<std::int64_t> rows;
        for (std::int64_t r = 0; r < tile.type.rows; ++r) {
            const std::int64_t warp = r % at_once * lanes / lanes_of_warp;
            if (warp != warps_[w] - role_.first_warp) continue;
            rows.push_back(r);
            touch(block_, w, tile, {r, 1, 0, tile.type.cols}, event, Proxy::generic, true);
        }
        if (rows.empty()) continue;
        barrier.note(event);
        std::shared_ptr<Landing>& landing = landings_[{op.pipeline, w}];
        if (landing == nullptr) landing = std::make_shared<Landing>();
        ++landing->under_way;
        cluster_.start_copy([this, &source, tile, window, rows, landing = landing] {
            Tile cells(tile.type);
            read_window(source, window, cells);
            for (const std::int64_t r : rows) {
                block().shared.write(tile, {r, 1, 0, tile.type.cols}, cells, r);
            }
            landing->land();
        });
    }
}

void Process::execute(const ir::CopyLoad& op) {
    if (op.asynchronous) return start_copies(op);
    const ElementRef& at = cursor(op.pipeline, End::writer);
    const SharedTile tile = cluster_.stage_of(op.pipeline, op.field, at.stage);
    const Window window = window_at(op.source, tile.type);
    touch_in_turn(op.source, window, tile.type, false);
    Tile cells(tile.type);
    read_window(tensor(op.source.tensor), window, cells);
    // Neighboring lanes take neighboring cells: 32 in a row are one warp's.
    for (std::int64_t r = 0; r < cells.rows; ++r) {
        for (std::int64_t c = 0; c < cells.cols; c += lanes_of_warp) {
            const std::int64_t warp = (r * cells.cols + c) / lanes_of_warp % role_.warps();
            for (std::size_t w = 0; w < warps_.size(); ++w) {
                if (warps_[w] - role_.first_warp != warp) continue;
                const Cells run{r, 1, c, std::min(lanes_of_warp, cells.cols - c)};
                touch(block_, w, tile, run, own_event(w), Proxy::generic, true);
                block().shared.write(tile, run, cells, r, c);
            }
        }
    }
}

void Process::execute(const ir::AwaitCopies&) { learn_from(*at_); }

// ---- stores out of staging buffers -------------------------------------------------------------

const ir::StoreRules& Process::rules_of(const std::string& tensor) const {
    return ir::rules_of_stores(ir::find_tensor(kernel(), tensor)->mode);
}

// Numbers of one store are the same in both channels.
void Process::execute(const ir::TmaStore& op) {
    issue(ir::Channel::store_writes);
    const auto number = static_cast<std::int32_t>(issue(ir::Channel::store_reads));
    const auto event = [&](ir::Channel channel) {
        return Event{cluster_.agents().channel(block_, warps_[0], channel), number};
    };
    const SharedTile tile = copy_of(op.buffer, op.copy, op.held);
    const Cells cells = cells_of_part(tile.type, op.part, role_.warps(), index_);
    touch(block_, 0, tile, cells, event(ir::Channel::store_reads), Proxy::async, false);
    Tensor& target = tensor(op.target.tensor);
    const Window window =
        whole_units(shifted(window_at(op.target, tile.type), cells.row, cells.col), target);
    check_coordinate(op.target, target);
    touch_bulk(op.target, window, cells.rows, cells.cols, event(ir::Channel::store_writes), true);
    const ir::StoreRules& rules = rules_of(op.target.tensor);
    const auto read = [this, tile, cells, window, &target, &rules, number] {
        auto source = std::make_shared<Tile>(tile.type.dtype, cells.rows, cells.cols);
        block().shared.read(tile, cells, *source);
        const auto write = [source, window, &target, &rules] {
            write_window(target, window, *source, {}, rules);
        };
        line(ir::Channel::store_writes).in_flight.push_back({number, write});
    };
    line(ir::Channel::store_reads).in_flight.push_back({number, read});
}

void Process::execute(const ir::CopyStore& op) {
    const SharedTile tile = copy_of(op.buffer, op.copy, op.held);
    const Cells cells = cells_of_part(tile.type, op.part, role_.warps(), index_);
    for (std::size_t w = 0; w < warps_.size(); ++w)
        touch(block_, w, tile, cells, own_event(w), Proxy::generic, false);
    Tile source(tile.type.dtype, cells.rows, cells.cols);
    block().shared.read(tile, cells, source);
    const Window window = shifted(window_at(op.target, tile.type), cells.row, cells.col);
    touch_in_turn(op.target, window, {tile.type.dtype, cells.rows, cells.cols}, true);
    write_window(tensor(op.target.tensor), window, source, {}, rules_of(op.target.tensor));
    for (const ir::Channel channel : ir::channels_of(*at_)) issue(channel);  // an empty group
}

// ---- registers to memory and back --------------------------------------------------------------

void Process::execute(const ir::StoreCells& op) {
    if (!cells_of(op.source).writes) return;
    const Window window = window_at(op.target, role_.tile(op.source));
    touch_cells(op.target, window, op.source, true);
    write_window(tensor(op.target.tensor), window, part(op.source), places_of(op.source),
                 rules_of(op.target.tensor));
}

void Process::execute(const ir::LoadCells& op) {
    if (!op.ahead.empty()) return prefetch_wait(op);
    const Window window = window_at(op.source, role_.tile(op.result));
    touch_cells(op.source, window, op.result, false);
    read_window(tensor(op.source.tensor), window, fresh(tiles_[op.result.id], part_of(op.result)),
                places_of(op.result));
}

// ---- loads ahead -------------------------------------------------------------------------------

namespace {
constexpr std::int32_t lanes_of_ahead = 1;  // each lane its own cells; no layout has that number
}

// Each thread copies its own cells and waits for them alone (runtime/tk/operations/ahead.cuh). Here
// the cells of a warp lie next to each other; there those of a block's threads alternate.
Cells Process::prefetched_cells(const ir::LoadCells& load) const {
    const std::int64_t of_warp = ir::find_buffer(kernel(), load.ahead)->type.cols / role_.warps();
    const std::int64_t first = (warps_[0] - role_.first_warp) * of_warp;
    const std::int64_t held = part_of(load.result).rows * part_of(load.result).cols;
    return {0, 1, first, held};
}

void Process::prefetch_start(const ir::LoadCells& load, std::int64_t program) {
    Environment there = env_;
    cluster_.launch().grid.enter(program, there);
    const ir::TileType& tile = role_.tile(load.result);
    const Tensor& source = tensor(load.source.tensor);
    const Window window = window_of(load.source, source, tile.rows, tile.cols, there, Edges::named);
    const SharedTile to = cluster_.tile_of(load.ahead, 0);
    const Cells cells = prefetched_cells(load);
    touch(block_, 0, to, cells, own_event(0), Proxy::generic, true, lanes_of_ahead);
    const auto copy = [this, &load, &source, window, to, cells] {
        Tile landed(part_of(load.result));
        read_window(source, window, landed, places_of(load.result));
        landed.rows = 1;
        landed.cols = cells.cols;
        block().shared.write(to, cells, landed);
    };
    auto request = std::make_shared<Request>(Request{copy});
    cluster_.start_copy([request] { request->finish(); });
    requests_[&load] = std::move(request);
}

void Process::prefetch_wait(const ir::LoadCells& load) {
    requests_.at(&load)->finish();
    const SharedTile from = cluster_.tile_of(load.ahead, 0);
    const Cells cells = prefetched_cells(load);
    touch(block_, 0, from, cells, own_event(0), Proxy::generic, false, lanes_of_ahead);
    const ir::TileType& part = part_of(load.result);
    Tile& result = fresh(tiles_[load.result.id], {part.dtype, 1, cells.cols, part.space});
    block().shared.read(from, cells, result);
    result.rows = part.rows;
    result.cols = part.cols;
    // What is the same in all programs stays; of the others, the next program's cells follow.
    const bool stays = !ir::follows_grid(kernel(), *at_);
    if (!stays && next_program_ < programs_.size()) prefetch_start(load, programs_[next_program_]);
}

}  // namespace tkc::emulator
