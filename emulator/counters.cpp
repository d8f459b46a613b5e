// Elements of counters, and the vector clocks that pass through them.
#include "emulator/counters.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/contract.h"

namespace tkc::emulator {

Counters::Counters(const ir::Kernel& kernel, const Environment& env, std::int64_t programs)
    : kernel_(kernel), roles_(static_cast<std::int32_t>(kernel.roles.size())) {
    for (const ir::Counter& counter : kernel.counters) {
        Cells& cells = cells_[counter.name];
        std::int64_t count = 1;
        for (const ir::Scalar& extent : counter.extents) {
            cells.extents.push_back(
                std::max<std::int64_t>(env.integer(ir::with_constants(kernel, extent)), 0));
            count *= cells.extents.back();
        }
        cells.elements.resize(static_cast<std::size_t>(count));
    }
    known_.resize(static_cast<std::size_t>(programs * roles_));
}

Counters::Place Counters::place(const std::string& counter, const std::vector<ir::Scalar>& at,
                                const Environment& env) const {
    const Cells& cells = cells_.at(counter);
    Place place{counter, 0};
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
        const std::int64_t position = env.integer(at[axis]);
        if (position < 0 || position >= cells.extents[axis]) {
            throw Fault(fmt::format("axis {} of counter `{}` has {} elements, but the index is {}",
                                    axis, counter, cells.extents[axis], position));
        }
        place.element = place.element * cells.extents[axis] + position;
    }
    return place;
}

std::int64_t Counters::value(const Place& place) const {
    return cells_.at(place.counter).elements[static_cast<std::size_t>(place.element)].value;
}

void Counters::enter(std::int64_t program, const ir::Role& role, Position at) {
    const auto number = static_cast<std::int32_t>(&role - kernel_.roles.data());
    agent_ = static_cast<std::int32_t>(program) * roles_ + number;
    at_ = at;
}

void Counters::signal(const Place& place) {
    Element& element = cells_.at(place.counter).elements[static_cast<std::size_t>(place.element)];
    const auto self = static_cast<std::size_t>(agent_);
    const Clock& own = known_[self].clock;
    element.clock.resize(std::max({element.clock.size(), own.size(), self + 1}));
    for (std::size_t i = 0; i < own.size(); ++i)
        element.clock[i] = std::max(element.clock[i], own[i]);
    element.clock[self] = std::max(element.clock[self], at_.signals + 1);
    ++element.value;
}

void Counters::learn(const Place& place) {
    const auto& elements = cells_.at(place.counter).elements;
    const Clock& there = elements[static_cast<std::size_t>(place.element)].clock;
    Knowledge& own = known_[static_cast<std::size_t>(agent_)];
    own.clock.resize(std::max(own.clock.size(), there.size()));
    for (std::size_t i = 0; i < there.size(); ++i) {
        if (there[i] <= own.clock[i]) continue;
        own.steps.push_back({at_.awaits, static_cast<std::int32_t>(i), own.clock[i]});
        own.clock[i] = there[i];
    }
}

bool Counters::is_before(const Access& access) const {
    if (access.agent < 0 || access.agent / roles_ == agent_ / roles_) return true;
    const Knowledge& own = known_[static_cast<std::size_t>(agent_)];
    const auto other = static_cast<std::size_t>(access.agent);
    std::int32_t known = other < own.clock.size() ? own.clock[other] : 0;
    // The warp at hand may be before awaits that the elected lane has done.
    for (auto step = own.steps.rbegin(); step != own.steps.rend() && step->await >= at_.awaits;
         ++step) {
        if (step->agent == access.agent) known = step->before;
    }
    return access.epoch < known;
}

std::string element_text(const ir::Await& await, const Environment& env) {
    std::string text;
    for (const ir::Scalar& place : await.at)
        text += fmt::format("{}{}", text.empty() ? "" : ", ", env.integer(place));
    return fmt::format("{}[{}]", await.counter, text);
}

}  // namespace tkc::emulator
