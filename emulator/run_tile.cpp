// A kernel's meaning does not depend on how fast its roles are: each takes the elements of its
// pipelines in order, and nothing else passes between them. So roles run one at a time, each until
// it waits. A writer that is `stages` elements ahead lets the readers go first, to save memory; it
// is never stopped by that, since how many stages suffice is a question of the scheduled IR.
#include "emulator/run_tile.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "base/overloaded.h"
#include "emulator/elementwise.h"
#include "emulator/global_access.h"
#include "emulator/product.h"
#include "emulator/role_walk.h"
#include "emulator/slices.h"
#include "emulator/tile_operations.h"
#include "ir/reflect.h"
#include "ir/walk.h"

namespace tkc::emulator {

namespace {

struct Element {
    std::map<std::string, TilePtr> fields;
};
using ElementPtr = std::shared_ptr<Element>;

struct Queue {
    const ir::Pipeline* pipeline = nullptr;
    std::deque<ElementPtr> elements;  // the oldest that some reader has still to take comes first
    std::int64_t made = 0;
    std::map<std::string, std::int64_t> taken;  // by each reading role

    std::int64_t least_taken() const {
        std::int64_t least = made;
        for (const auto& [role, count] : taken) least = std::min(least, count);
        return least;
    }
};

class TileProcess : public ElementObserver {
public:
    TileProcess(const ir::Role& role, const Environment& env, TileLaunch& launch,
                std::int64_t program, std::map<std::string, Queue>& queues,
                std::vector<Outcome::Place>& printed)
        : role_(role),
          launch_(launch),
          program_(program),
          queues_(queues),
          printed_(printed),
          env_(env),
          walk_(env_),
          tiles_(role.values.size()),
          elements_(role.values.size()) {
        walk_.start(role.body);
    }

    // Single elements that it reads from now on are looked at.
    void observe() { env_.observe(this); }
    bool watches(const std::string& tensor) const override {
        return launch_.log.find(tensor) != nullptr;
    }
    void read(const std::string& tensor, std::int64_t element, std::int64_t /*row*/,
              std::int64_t /*col*/) override {
        access(tensor, false)->touch(element, span());
    }

    enum class State : std::uint8_t { ready, ahead, waiting, awaiting, done };
    State state() const { return state_; }
    const ir::Role& role() const { return role_; }
    const ir::Op& at() const { return *at_; }

    // Runs until the role waits. True if it did anything. `push`: makes one element although the
    // readers have not taken what there is.
    bool run(bool push) {
        bool moved = false;
        enter();
        for (const ir::Op* op = walk_.op(); op != nullptr; op = walk_.op()) {
            at_ = op;
            launch_.steps.count();
            if (!step(*op, push)) return moved;
            moved = true;
            push = false;
        }
        if (state_ != State::done) moved = true;
        state_ = State::done;
        return moved;
    }

    // What it awaits, for people.
    std::string awaited() const {
        const auto& await = std::get<ir::Await>(at_->node);
        const Counters::Place place = launch_.counters->place(await.counter, await.at, env_);
        return fmt::format(
            "`{}` waits until `{}` has been incremented {} times, but it was incremented {} times",
            role_.name, element_text(await, env_), env_.integer(await.count),
            launch_.counters->value(place));
    }

    // The place and the reason of an error in the operation that was being done.
    Stop blame(const std::string& text) const {
        return {Outcome::End::fault,
                fmt::format("{}, in {}", text, launch_.grid.describe(program_)),
                {{span(), ""}}};
    }

private:
    Span span() const { return walk_.doing() == nullptr ? role_.span : walk_.doing()->span; }

    // Nothing: of a tensor that nobody writes.
    std::optional<GlobalAccess> access(const std::string& name, bool write) {
        ElementLog* const log = launch_.log.find(name);
        if (log == nullptr) return std::nullopt;
        return GlobalAccess{launch_.grid, launch_.arguments, name, log, program_, write};
    }
    void look_at(const ir::Slice& slice, const Window& window, const Tile& cells, bool write) {
        const auto access = this->access(slice.tensor, write);
        if (!access) return;
        for_each_inside(window, cells.rows, cells.cols, {},
                        [&](std::int64_t element, std::int64_t, std::int64_t) {
                            access->touch(element, at_->span);
                        });
    }

    void enter() {
        if (launch_.counters != nullptr) launch_.counters->enter(program_, role_, position_);
    }

    bool wait(State state) {
        state_ = state;
        return false;
    }

    bool step(const ir::Op& op, bool push) {
        state_ = State::ready;
        if (const auto* produce = ir::as<ir::Produce>(op)) return step_produce(op, *produce, push);
        if (const auto* consume = ir::as<ir::Consume>(op)) {
            if (!take(*consume)) return wait(State::waiting);
        } else if (const auto* await = ir::as<ir::Await>(op)) {
            const Counters::Place place = launch_.counters->place(await->counter, await->at, env_);
            const bool come = launch_.counters->value(place) >= env_.integer(await->count);
            if (!come) return wait(State::awaiting);
            launch_.counters->learn(place);
            ++position_.awaits;
            enter();
        } else {
            std::visit([&](const auto& node) { execute(node); }, op.node);
        }
        walk_.next();
        return true;
    }

    bool step_produce(const ir::Op& op, const ir::Produce& produce, bool push) {
        Queue& queue = queues_.at(produce.pipeline);
        if (walk_.is_leaving()) {
            queue.elements.push_back(std::move(making_));
            ++queue.made;
            walk_.next();
            return true;
        }
        const bool ahead = queue.made - queue.least_taken() >= queue.pipeline->stages;
        if (ahead && !push) return wait(State::ahead);
        making_ = std::make_shared<Element>();
        walk_.enter(produce.body, op);
        return true;
    }

    bool take(const ir::Consume& consume) {
        Queue& queue = queues_.at(consume.pipeline);
        std::int64_t& taken = queue.taken.at(role_.name);
        if (taken == queue.made) return false;
        const auto oldest = queue.made - static_cast<std::int64_t>(queue.elements.size());
        elements_[consume.result.id] = queue.elements[static_cast<std::size_t>(taken - oldest)];
        ++taken;
        for (auto left = oldest; left < queue.least_taken(); ++left) queue.elements.pop_front();
        return true;
    }

    ir::Mode mode_of(const ir::Slice& slice) const {
        return ir::find_tensor(launch_.kernel, slice.tensor)->mode;
    }
    const Tile& tile(ir::Value v) const { return *tiles_[v.id]; }
    Tensor& tensor(const std::string& name) { return launch_.arguments.tensors.at(name); }

    TilePtr load(const ir::Slice& slice, ir::Transfer transfer, const ir::TileType& type) {
        auto result = std::make_shared<Tile>(type);
        const Tensor& source = tensor(slice.tensor);
        const Edges edges = transfer == ir::Transfer::tma ? Edges::of_tensor : Edges::named;
        const Window window = window_of(slice, source, type.rows, type.cols, env_, edges);
        // Data from past the edge of a view belong to no program.
        look_at(slice, window_of(slice, source, type.rows, type.cols, env_), *result, false);
        read_window(source, window, *result);
        return result;
    }

    void execute(const ir::Splat& op) {
        splat(fresh(tiles_[op.result.id], role_.tile(op.result)), env_.evaluate(op.value));
    }
    void execute(const ir::Map& op) {
        map_into(tiles_[op.result.id], role_.tile(op.result), op, tiles_, env_);
    }
    void execute(const ir::ReadNumber& op) { env_.set(op.name, first_cell(tile(op.source))); }
    void execute(const ir::Copy& op) {
        tiles_[op.result.id] = tiles_[op.source.id];
        elements_[op.result.id] = elements_[op.source.id];
    }
    void execute(const ir::Mma& op) {
        TilePtr& slot = tiles_[op.result.id];
        Tile& result = op.accumulate ? own(slot) : fresh(slot, role_.tile(op.result));
        multiply(result, op, tile(op.a), tile(op.b));
    }
    void execute(const ir::Apply& op) {
        apply_into(tiles_[op.result.id], role_.tile(op.result), op, tile(op.source));
    }
    void execute(const ir::Field& op) {
        tiles_[op.result.id] = elements_[op.element.id]->fields.at(op.field);
    }
    void execute(const ir::Window& op) {
        const ir::TileType& type = role_.tile(op.result);
        tiles_[op.result.id] =
            std::make_shared<Tile>(part(tile(op.source), op.row, type.rows, op.col, type.cols));
    }
    void execute(const ir::Fill& op) {
        for (const ir::PipelineField& field : queues_.at(pipeline_being_made()).pipeline->fields_) {
            if (field.name != op.field) continue;
            const ir::Transfer way = op.clipped ? ir::Transfer::automatic : op.transfer;
            making_->fields[op.field] = load(op.source, way, field.type);
        }
    }
    void execute(const ir::Put& op) {
        if (op.transposed) throw std::logic_error("transposes are operations in tile IR");
        making_->fields[op.field] = std::make_shared<Tile>(tile(op.source));
    }
    void execute(const ir::Load& op) {
        if (op.element) {
            std::vector<std::int64_t> position;
            for (const ir::Scalar& at : ir::position_of(op)) position.push_back(env_.integer(at));
            place_of({op.source.tensor, {}, false}, tensor(op.source.tensor), position);
        }
        tiles_[op.result.id] = load(op.source, op.transfer, role_.tile(op.result));
    }
    void execute(const ir::Store& op) {
        Tensor& target = tensor(op.target.tensor);
        const Tile& source = tile(op.source);
        const Window window = window_of(op.target, target, source.rows, source.cols, env_);
        const ir::StoreRules& rules = ir::rules_of_stores(mode_of(op.target));
        if (const auto twice = listed_twice(window); twice && rules.ordered) {
            throw Stop{Outcome::End::hazard,
                       fmt::format("one store writes position {} of `{}` twice, in {}", *twice,
                                   op.target.tensor, launch_.grid.describe(program_)),
                       {{at_->span, ""}}};
        }
        look_at(op.target, window, source, true);
        write_window(target, window, source, {}, rules);
    }
    void execute(const ir::CountWrites&) {}  // the launch looks at all writes
    void execute(const ir::Signal& op) {
        launch_.counters->signal(launch_.counters->place(op.counter, op.at, env_));
        ++position_.signals;
        enter();
    }

    void execute(const ir::Print& op) {
        printed_.push_back(
            {at_->span, fmt::format("{}, {}: {}", role_.name, launch_.grid.describe(program_),
                                    said(op, env_))});
    }
    void execute(const ir::Assert& op) {
        const std::string why = failure(op, op.tile ? &tile(op.tile) : nullptr, env_);
        if (why.empty()) return;
        throw Stop{Outcome::End::assertion,
                   fmt::format("{}, in {}", why, launch_.grid.describe(program_)),
                   {{at_->span, ""}}};
    }
    void execute(const ir::Share& op) {
        tiles_[op.result.id] = std::make_shared<Tile>(tile(op.source));
    }
    template <ir::ScheduledOp Other>
    void execute(const Other&) {
        throw Fault(fmt::format("`{}` is not an operation of the tile IR", Other::kind));
    }
    // The walk does these, and step().
    template <ir::ControlOp Other>
    void execute(const Other&) {}
    void execute(const ir::Produce&) {}
    void execute(const ir::Consume&) {}
    void execute(const ir::Await&) {}

    const std::string& pipeline_being_made() {
        return std::get<ir::Produce>(walk_.owner()->node).pipeline;
    }

    const ir::Role& role_;
    TileLaunch& launch_;
    std::int64_t program_;
    std::map<std::string, Queue>& queues_;
    std::vector<Outcome::Place>& printed_;
    Environment env_;
    Walk walk_;
    Counters::Position position_;
    std::vector<TilePtr> tiles_;
    std::vector<ElementPtr> elements_;
    ElementPtr making_;
    const ir::Op* at_ = nullptr;
    State state_ = State::ready;
};

std::map<std::string, Queue> queues_of(const ir::Kernel& kernel) {
    std::map<std::string, Queue> queues;
    for (const ir::Pipeline& p : kernel.pipelines) queues[p.name].pipeline = &p;
    for (const ir::Role& role : kernel.roles) {
        ir::walk_only<ir::Consume>(role.body, [&](const ir::Consume& c) {
            queues.at(c.pipeline).taken.emplace(role.name, 0);
        });
    }
    return queues;
}

Stop deadlock_of(const std::vector<TileProcess>& processes, const std::string& program) {
    Stop stop{Outcome::End::deadlock, fmt::format("{} waits forever", program), {}};
    for (const TileProcess& p : processes) {
        if (p.state() == TileProcess::State::awaiting) {
            stop.places.push_back({p.at().span, p.awaited()});
        } else if (p.state() == TileProcess::State::waiting) {
            const auto& consume = std::get<ir::Consume>(p.at().node);
            stop.places.push_back(
                {p.at().span, fmt::format("`{}` waits for an element of `{}` that no role produces",
                                          p.role().name, consume.pipeline)});
        }
    }
    return stop;
}

void check_all_taken(const std::map<std::string, Queue>& queues, const std::string& program) {
    for (const auto& [name, queue] : queues) {
        for (const auto& [role, taken] : queue.taken) {
            if (taken == queue.made) continue;
            throw Stop{
                Outcome::End::fault,
                fmt::format("{} elements of `{}` are produced and `{}` consumes {} of them, in {}",
                            queue.made, name, role, taken, program),
                {{queue.pipeline->span, ""}}};
        }
    }
}

// A program between its steps.
class TileProgram : public Suspendable {
public:
    TileProgram(TileLaunch& launch, std::int64_t number, std::vector<Outcome::Place>& printed)
        : launch_(launch), number_(number), queues_(queues_of(launch.kernel)) {
        Environment env = launch.environment;
        launch.grid.enter(number, env);
        processes_.reserve(launch.kernel.roles.size());
        for (const ir::Role& role : launch.kernel.roles) {
            processes_.emplace_back(role, env, launch, number, queues_, printed);
        }
        for (TileProcess& p : processes_) p.observe();
    }

    // Until it is done, or one of its roles waits for another program and the others for it.
    Progress advance() override {
        TileProcess* current = nullptr;
        bool any = false;
        try {
            for (bool push = false;;) {
                bool moved = false;
                bool done = true;
                for (TileProcess& p : processes_) {
                    current = &p;
                    const bool pushed = push && p.state() == TileProcess::State::ahead;
                    if (p.state() != TileProcess::State::done && p.run(pushed)) {
                        moved = true;
                        if (pushed) push = false;
                    }
                    done = done && p.state() == TileProcess::State::done;
                }
                if (done) break;
                any = any || moved;
                if (!moved && !is_any(TileProcess::State::ahead)) {
                    if (!is_any(TileProcess::State::awaiting)) throw deadlock();
                    return any ? Progress::some : Progress::none;
                }
                push = !moved;
            }
        } catch (const Fault& fault) {
            throw current->blame(fault.what());
        }
        check_all_taken(queues_, launch_.grid.describe(number_));
        return Progress::done;
    }

    Stop deadlock() const override {
        return deadlock_of(processes_, launch_.grid.describe(number_));
    }

private:
    bool is_any(TileProcess::State state) const {
        return std::any_of(processes_.begin(), processes_.end(),
                           [&](const TileProcess& p) { return p.state() == state; });
    }

    TileLaunch& launch_;
    std::int64_t number_;
    std::map<std::string, Queue> queues_;
    std::vector<TileProcess> processes_;
};

}  // namespace

void run_tile_program(TileLaunch& launch, std::int64_t number, Outcome& outcome) {
    try {
        TileProgram(launch, number, outcome.printed).advance();
    } catch (const Stop& stop) {
        outcome.end = stop.end;
        outcome.text = stop.text;
        outcome.places = stop.places;
    }
}

std::unique_ptr<Suspendable> begin_tile_program(TileLaunch& launch, std::int64_t number,
                                                Outcome& outcome) {
    return std::make_unique<TileProgram>(launch, number, outcome.printed);
}

}  // namespace tkc::emulator
