// Whether an access to an element of global memory is ordered after those before it.
#include "emulator/scheduled/global_memory.h"

#include <algorithm>

namespace tkc::emulator {

GlobalUnits::GlobalUnits(const ir::Kernel& kernel, const AccessLog& log) {
    for (const ir::Tensor& t : kernel.tensors) {
        if (const ElementLog* elements = log.find(t.name)) units_[t.name].resize(elements->size());
    }
}

std::optional<GlobalMemory::Conflict> GlobalMemory::check(std::uint32_t before,
                                                          std::uint8_t before_lane,
                                                          const GlobalRecord& now,
                                                          std::uint8_t lane,
                                                          const GlobalView& view) const {
    if (before == 0) return std::nullopt;
    const GlobalRecord& then = records_[before];
    const auto agent = static_cast<std::size_t>(then.event.agent);
    const auto knows = [&](const Clock Clocks::*clock) {
        return then.event.time <= (view.warp->*clock)[agent] ||
               (view.thread != nullptr && then.event.time <= (view.thread->*clock)[agent]);
    };
    const bool same_thread =
        then.event.agent == view.agent && before_lane == lane && lane != many_lanes;
    const bool ordered = same_thread || knows(&Clocks::happened);
    const bool crosses = then.proxy == Proxy::generic && now.proxy == Proxy::async;
    if (!crosses) {
        if (ordered) return std::nullopt;
        return Conflict{then, false};
    }
    if ((same_thread && then.event.time <= view.fenced) || knows(&Clocks::fenced)) {
        return std::nullopt;
    }
    return Conflict{then, ordered};
}

bool GlobalMemory::replaces(Read& old, std::uint32_t number, std::uint8_t lane,
                            const GlobalView& view) const {
    const GlobalRecord& then = records_[old.number];
    const GlobalRecord& now = records_[number];
    if (then.event.agent != now.event.agent || then.proxy != now.proxy) return false;
    // Who is ordered after a thread's later read is so after its earlier one, and after those of
    // other lanes that it has met since. While they have not met, nobody is, but for the lanes
    // themselves.
    const bool met =
        then.proxy == Proxy::async ||
        then.event.time <= view.warp->happened[static_cast<std::size_t>(then.event.agent)];
    if (!met && old.lane != lane) lane = many_lanes;
    old = {number, lane};
    return true;
}

void GlobalMemory::add_read(GlobalUnit& unit, std::uint32_t number, std::uint8_t lane,
                            const GlobalView& view) {
    if (unit.read == 0) {
        unit.read = number;
        unit.read_lane = lane;
        return;
    }
    Read first{unit.read, unit.read_lane};
    if (replaces(first, number, lane, view)) {
        unit.read = first.number;
        unit.read_lane = first.lane;
        return;
    }
    std::vector<Read>& more = more_reads_[&unit];
    if (!unit.more_reads) more.clear();
    unit.more_reads = true;
    const bool known = std::any_of(more.begin(), more.end(),
                                   [&](Read& read) { return replaces(read, number, lane, view); });
    if (!known) more.push_back({number, lane});
}

std::optional<GlobalMemory::Conflict> GlobalMemory::touch(std::vector<GlobalUnit>& units,
                                                          std::int64_t element,
                                                          std::int64_t program,
                                                          std::uint32_t number, std::uint8_t lane,
                                                          const GlobalView& view) {
    GlobalUnit& unit = units[static_cast<std::size_t>(element)];
    const auto mine = static_cast<std::uint32_t>(program + 1);
    // What another program did there can have been reads alone.
    if (unit.program != mine) unit = GlobalUnit{mine};
    const GlobalRecord& now = records_[number];
    auto conflict = check(unit.write, unit.write_lane, now, lane, view);
    if (!now.write) {
        add_read(unit, number, lane, view);
        return conflict;
    }
    if (!conflict) conflict = check(unit.read, unit.read_lane, now, lane, view);
    if (unit.more_reads) {
        for (const Read& read : more_reads_.at(&unit)) {
            if (!conflict) conflict = check(read.number, read.lane, now, lane, view);
        }
    }
    unit.more_reads = false;
    unit.read = 0;
    unit.write = number;
    unit.write_lane = lane;
    return conflict;
}

}  // namespace tkc::emulator
