// Two staged stores that use the same buffers:
//
//     for panel in 0..256 by 64 unrolled { write_shared S[i]; ..; tma_store S[i] }
//     for panel in 0..256 by 64 unrolled {
//         wait store_reads 0; barrier              // becomes 3: the store of S[i] was 4 stores ago
//         write_shared S[i]; ..; tma_store S[i]
//     }
//
// Bulk stores finish reading in the order of issue. So it is enough to leave as many pending as the
// elected lane has issued since it last stored from this buffer. They are counted backward over the
// operations of the role before the panel, with loops over panels unrolled. A loop is examined in
// its first iteration and in a later one. Stores in other loops or in branches are not counted,
// which makes the number smaller, and the search ends if the buffer may have been used there.
#include "lowering/sm90/store_waits.h"

#include <algorithm>
#include <limits>
#include <set>

#include "arithmetic/normal_form.h"
#include "ir/walk.h"
#include "ir/ways.h"

namespace tkc::lowering {

namespace {

using namespace ir;

// What the elected lane of a warpgroup does to its bulk stores, and where the warpgroup meets.
struct Event {
    enum class Kind : std::uint8_t { store, wait, meeting, elsewhere };
    Kind kind;
    std::string buffer{};             // store
    NormalForm copy{};                // of the buffer
    std::int64_t pending = 0;         // wait
    std::set<std::string> buffers{};  // elsewhere: from which something may be stored there
};
using Events = std::vector<Event>;

const std::string* stored_buffer(const Op& op) {
    if (const auto* bulk = as<TmaStore>(op)) return &bulk->buffer;
    if (const auto* copy = as<CopyStore>(op)) return &copy->buffer;
    return nullptr;
}

NormalForm stored_copy(const Op& op, const Bindings& panels) {
    const auto* bulk = as<TmaStore>(op);
    return normal_form(bulk != nullptr ? bulk->copy : as<CopyStore>(op)->copy, panels);
}

// One panel, by TMA or by the lanes: a bulk group either way.
const Op* panel_of(const If& branch) {
    const bool alone = branch.then_body.size() == 1 && branch.else_body.size() == 1;
    const bool either = alone && as<CopyStore>(branch.then_body[0]) != nullptr &&
                        as<TmaStore>(branch.else_body[0]) != nullptr;
    return either ? &branch.else_body[0] : nullptr;
}

// A loop over panels that all wait for every store, meet, and write their buffer.
const WriteShared* waits_for_all(const Op& op) {
    const auto* loop = as<For>(op);
    if (loop == nullptr || !loop->unrolled || loop->body.size() < 3) return nullptr;
    const auto* wait = as<Wait>(loop->body[0]);
    const bool all = wait != nullptr && wait->channel == Channel::store_reads &&
                     wait->pending == 0 && as<Barrier>(loop->body[1]) != nullptr;
    return all ? as<WriteShared>(loop->body[2]) : nullptr;
}

// Appends what the operations of the block do, from place `begin` to before `end`. A wait that may
// still be given another number is left out: no other may rely on it.
void append(const Block& block, std::size_t begin, std::size_t end, const Bindings& panels,
            Events& events) {
    using Kind = Event::Kind;
    const auto store = [&](const Op& op) {
        events.push_back(
            {.kind = Kind::store, .buffer = *stored_buffer(op), .copy = stored_copy(op, panels)});
    };
    for (std::size_t i = begin; i < end; ++i) {
        const Op& op = block[i];
        const auto* loop = as<For>(op);
        const auto* branch = as<If>(op);
        const auto* wait = as<Wait>(op);
        std::int64_t first = 0;
        std::int64_t last = 0;
        if (stored_buffer(op) != nullptr) {
            store(op);
        } else if (wait != nullptr && wait->channel != Channel::products) {
            events.push_back({.kind = Kind::wait, .pending = wait->pending});
        } else if (as<Barrier>(op) != nullptr) {
            events.push_back({.kind = Kind::meeting});
        } else if (branch != nullptr && panel_of(*branch) != nullptr) {
            store(*panel_of(*branch));
        } else if (loop != nullptr && loop->unrolled && is_constant(loop->begin, &first) &&
                   is_constant(loop->end, &last)) {
            Bindings inside = panels;
            for (; first < last; first += loop->step) {
                inside[loop->var] = NormalForm(first);
                append(loop->body, waits_for_all(op) != nullptr ? 1 : 0, loop->body.size(), inside,
                       events);
            }
        } else {
            Event other{.kind = Kind::elsewhere};
            for_each_block(op, [&](const Block& inner) {
                walk(inner, [&](const Op& x) {
                    if (const std::string* buffer = stored_buffer(x)) other.buffers.insert(*buffer);
                });
            });
            if (!other.buffers.empty()) events.push_back(std::move(other));
        }
    }
}

// What may have been done before an operation, each time that the role comes to it.
std::vector<Events> before(const Way& way, std::size_t depth, bool again) {
    const Block& block = *way[depth].block;
    std::vector<Events> all{{}};
    if (depth > 0) all = before(way, depth - 1, again);
    const bool turns = depth == 0 ? again : as<For>(way[depth - 1].op()) != nullptr;
    if (turns) {
        const std::size_t first_time = all.size();
        for (std::size_t i = 0; i < first_time; ++i) {
            Events later = all[i];
            append(block, 0, block.size(), {}, later);
            all.push_back(std::move(later));
        }
    }
    for (Events& events : all) append(block, 0, way[depth].place, {}, events);
    return all;
}

constexpr std::int64_t unneeded = std::numeric_limits<std::int64_t>::max();

// How many of the stores may be pending where this buffer is written next.
std::int64_t pending_before(const Events& events, const std::string& buffer,
                            const NormalForm& copy) {
    std::int64_t later = 0;  // stores since then
    bool met = false;
    std::int64_t done_from = unneeded;  // stores with so many after them are over, as all know
    for (std::size_t i = events.size(); i-- > 0;) {
        const Event& event = events[i];
        const auto found = [&] { return later >= done_from ? unneeded : later; };
        switch (event.kind) {
            case Event::Kind::meeting: met = true; break;
            case Event::Kind::wait:
                if (met) done_from = std::min(done_from, later + event.pending);
                break;
            case Event::Kind::elsewhere:
                if (event.buffers.contains(buffer)) return found();
                break;
            case Event::Kind::store: {
                const NormalForm distance = event.copy - copy;
                const bool other = !distance.is_unknown() && !distance.is_zero() &&
                                   distance == NormalForm(distance.constant());
                if (event.buffer == buffer && !other) return found();
                ++later;
                break;
            }
        }
    }
    return unneeded;
}

// The largest number that will do for all panels of the loop.
std::int64_t pending_of(const Role& role, const Op& op, bool again) {
    const For& loop = *as<For>(op);
    const WriteShared& write = *waits_for_all(op);
    const Way way = way_to(role.body, &op);
    std::int64_t first = 0;
    std::int64_t last = 0;
    if (!is_constant(loop.begin, &first) || !is_constant(loop.end, &last)) return 0;
    std::int64_t least = unneeded;
    for (Events events : before(way, way.size() - 1, again)) {
        for (std::int64_t panel = first; panel < last; panel += loop.step) {
            Bindings names;
            names[loop.var] = NormalForm(panel);
            least = std::min(least,
                             pending_before(events, write.buffer, normal_form(write.copy, names)));
            append(loop.body, 1, loop.body.size(), names, events);
        }
    }
    return least;
}

}  // namespace

void relax_store_waits(Role& role, bool again) {
    walk(role.body, [&](Op& op) {
        if (waits_for_all(op) == nullptr) return;
        const std::int64_t pending = pending_of(role, op, again);
        Block& body = as<For>(op)->body;
        if (pending == unneeded) body.erase(body.begin(), body.begin() + 2);
        else as<Wait>(body[0])->pending = pending;
    });
}

}  // namespace tkc::lowering
