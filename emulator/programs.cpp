// Programs on threads, and who wrote which element.
#include "emulator/programs.h"

#include <algorithm>
#include <mutex>
#include <random>
#include <thread>

#include "ir/reflect.h"
#include "ir/walk.h"

namespace tkc::emulator {

namespace {

// Whether some operation of the kernel, or an expression, reads the tensor.
bool reads(const ir::Kernel& kernel, const std::string& tensor) {
    bool found = false;
    const auto look_at = [&](const ir::Op& op) {
        std::visit(
            [&](const auto& node) {
                if constexpr (requires { node.source.tensor; }) {
                    found = found || node.source.tensor == tensor;
                }
            },
            op.node);
        ir::for_each_scalar(op, [&](const ir::Scalar& s) {
            if (!s) return;
            ir::visit_nodes(s, [&](const ir::ScalarNode& n) {
                const auto* load = std::get_if<ir::ElementLoad>(&n.node);
                found = found || (load != nullptr && load->tensor == tensor);
            });
        });
    };
    ir::walk(kernel.lets, look_at);
    for (const ir::Role& role : kernel.roles) {
        ir::walk(role.body, look_at);
        ir::walk(role.finish, look_at);
    }
    return found;
}

constexpr unsigned bits_of_program = 32;

}  // namespace

std::optional<ElementLog::Race> ElementLog::touch(std::int64_t element, bool write) {
    Accesses& before = accesses_[static_cast<std::size_t>(element)];
    const Counters::Access now = counters_->now();
    std::optional<Race> race;
    if (!counters_->is_before(before.write)) race = Race{counters_->program_of(before.write), true};
    if (write) {
        for (const Counters::Access& read : before.reads) {
            if (!race && !counters_->is_before(read))
                race = Race{counters_->program_of(read), false};
        }
        before = {now, {}};
        return race;
    }
    const auto known =
        std::find_if(before.reads.begin(), before.reads.end(),
                     [&](const Counters::Access& read) { return read.agent == now.agent; });
    if (known == before.reads.end()) before.reads.push_back(now);
    else known->epoch = std::max(known->epoch, now.epoch);
    return race;
}

std::optional<ElementLog::Race> ElementLog::write(std::int64_t program, std::int64_t element) {
    const auto at = static_cast<std::size_t>(element);
    const auto mine = static_cast<std::uint32_t>(program + 1);
    if (counters_ != nullptr) {
        writers_[at] = mine;
        return touch(element, true);
    }
    if (std::uint32_t before = writers_[at].load(std::memory_order_relaxed); before != mine) {
        if (alone_) writers_[at].store(mine, std::memory_order_relaxed);
        else before = writers_[at].exchange(mine);
        if (before != 0) return Race{std::int64_t{before} - 1, true};
    }
    if (readers_.empty()) return std::nullopt;
    const std::uint64_t readers = readers_[at].load();
    for (const auto reader : {static_cast<std::uint32_t>(readers),
                              static_cast<std::uint32_t>(readers >> bits_of_program)}) {
        if (reader != 0 && reader != mine) return Race{std::int64_t{reader} - 1, false};
    }
    return std::nullopt;
}

// A writer says so before it looks for readers, and a reader before it looks for writers: one of
// the two sees the other.
std::optional<ElementLog::Race> ElementLog::read(std::int64_t program, std::int64_t element) {
    if (counters_ != nullptr) return touch(element, false);
    const auto at = static_cast<std::size_t>(element);
    const auto mine = static_cast<std::uint32_t>(program + 1);
    std::uint64_t readers = readers_.empty() ? 0 : readers_[at].load(std::memory_order_relaxed);
    while (!readers_.empty()) {
        const auto first = static_cast<std::uint32_t>(readers);
        const auto second = static_cast<std::uint32_t>(readers >> bits_of_program);
        if (first == mine || second == mine || (first != 0 && second != 0)) break;
        const std::uint64_t more =
            first == 0 ? mine : readers | std::uint64_t{mine} << bits_of_program;
        if (readers_[at].compare_exchange_weak(readers, more)) break;
    }
    const std::uint32_t writer = writers_[at].load();
    if (writer != 0 && writer != mine) return Race{std::int64_t{writer} - 1, true};
    return std::nullopt;
}

AccessLog::AccessLog(const ir::Kernel& kernel, const Arguments& arguments, bool alone,
                     const Counters* counters) {
    for (const ir::Tensor& t : kernel.tensors) {
        const bool any_order = t.mode == ir::Mode::accumulate && !t.in_order;
        if (t.mode == ir::Mode::in || any_order) continue;
        const Tensor& tensor = arguments.tensors.at(t.name);
        const auto elements = tensor.storage.size() / static_cast<std::size_t>(bytes(t.dtype));
        logs_.try_emplace(t.name, elements, reads(kernel, t.name),
                          t.mode != ir::Mode::inout && t.mode != ir::Mode::accumulate, alone,
                          counters);
    }
}

ElementLog* AccessLog::find(const std::string& tensor) {
    const auto found = logs_.find(tensor);
    return found == logs_.end() ? nullptr : &found->second;
}

const ElementLog* AccessLog::find(const std::string& tensor) const {
    const auto found = logs_.find(tensor);
    return found == logs_.end() ? nullptr : &found->second;
}

Outcome run_in_turns(std::int64_t count, std::size_t resident, std::optional<std::uint64_t> seed,
                     const Begin& begin) {
    struct Live {
        std::int64_t number;
        std::unique_ptr<Suspendable> program;
    };
    Outcome outcome;
    std::vector<Live> live;
    std::mt19937_64 random(seed.value_or(0));
    std::int64_t next = 0;
    try {
        while (next < count || !live.empty()) {
            while (next < count && live.size() < resident) {
                live.push_back({next, begin(next, outcome)});
                ++next;
            }
            if (seed) std::shuffle(live.begin(), live.end(), random);
            bool moved = false;
            std::vector<Live> left;
            for (std::size_t i = live.size(); i-- > 0;) {
                const auto progress = live[i].program->advance();
                moved = moved || progress != Suspendable::Progress::none;
                if (progress != Suspendable::Progress::done) left.push_back(std::move(live[i]));
            }
            live = std::move(left);
            std::sort(live.begin(), live.end(),
                      [](const Live& a, const Live& b) { return a.number < b.number; });
            if (!moved) throw live.front().program->deadlock();
        }
    } catch (const Stop& stop) {
        outcome.end = stop.end;
        outcome.text = stop.text;
        outcome.places = stop.places;
    }
    return outcome;
}

Outcome run_all(std::int64_t count, int threads,
                const std::function<void(std::int64_t, Outcome&)>& run) {
    std::atomic<std::int64_t> next{0};
    std::atomic<std::int64_t> failed{count};   // the first one by number
    std::map<std::int64_t, Outcome> outcomes;  // of those that failed or printed
    std::mutex mutex;
    const auto work = [&] {
        for (std::int64_t i = next++; i < failed; i = next++) {
            Outcome outcome;
            run(i, outcome);
            if (outcome.end == Outcome::End::finished && outcome.printed.empty()) continue;
            const std::scoped_lock lock(mutex);
            if (outcome.end != Outcome::End::finished) failed = std::min<std::int64_t>(failed, i);
            outcomes[i] = std::move(outcome);
        }
    };
    std::vector<std::thread> others;
    for (std::int64_t t = 1; t < std::min<std::int64_t>(threads, count); ++t)
        others.emplace_back(work);
    work();
    for (std::thread& t : others) t.join();
    Outcome result;
    for (auto& [i, outcome] : outcomes) {
        for (Outcome::Place& line : outcome.printed) result.printed.push_back(std::move(line));
        if (outcome.end == Outcome::End::finished) continue;
        outcome.printed = std::move(result.printed);
        return outcome;
    }
    return result;
}

}  // namespace tkc::emulator
