// Listing boxes, and looking for gaps and overlaps among them.
#include "checks/tile/boxes.h"

#include <fmt/format.h>

#include <algorithm>

namespace tkc::checks {

namespace {

constexpr std::size_t boxes_at_most = 400;
constexpr std::size_t steps_at_most = 100000;  // of the loops that are walked to list them

}  // namespace

using ir::NormalForm;

std::optional<std::int64_t> Listing::value(const NormalForm& x) const {
    return evaluate(x, [&](const std::string& name) -> std::optional<std::int64_t> {
        const auto found = values_.find(name);
        return found == values_.end() ? std::nullopt : std::optional(found->second);
    });
}

bool Listing::walk(const Access& access, std::size_t depth, const std::string& program) {
    if (depth == access.counters.size()) return touch(access, program);
    const CountedLoop& c = access.counters[depth];
    const auto trips = value(c.trips);
    if (!trips) return false;
    for (std::int64_t i = 0; i < *trips; ++i) {
        if (++steps_ > steps_at_most) return false;
        values_[c.index] = i;
        std::string name = program;
        if (c.of_grid) {
            const std::int64_t at = value(c.begin).value_or(0) + c.step * i;
            name += fmt::format("{}{} = {}", name.empty() ? "" : ", ", c.var, at);
        }
        if (!walk(access, depth + 1, name)) return false;
    }
    values_.erase(c.index);
    return true;
}

bool Listing::touch(const Access& access, const std::string& program) {
    const auto holds = value(access.condition);
    if (!holds) return false;
    if (*holds == 0) return true;
    Box box{{}, {}, program, &access};
    for (const AccessAxis& axis : access.axes) {
        const auto base = value(axis.base);
        const auto extent = value(axis.extent);
        if (!base || !extent) return false;
        box.low.push_back(std::max<std::int64_t>(*base, 0));
        box.high.push_back(axis.whole ? *extent : std::min(*base + axis.length, *extent));
        if (axis.edge) {
            const auto edge = value(*axis.edge);
            if (!edge) return false;
            box.high.back() = std::min(box.high.back(), *edge);
        }
        if (box.low.back() >= box.high.back()) return true;  // all outside
    }
    for (const CountedLoop& c : access.counters) box.numbers.push_back(values_.at(c.index));
    boxes.push_back(std::move(box));
    return boxes.size() <= boxes_at_most;
}

std::optional<Box> find_gap(const std::vector<Box>& boxes,
                            const std::vector<std::int64_t>& extents) {
    std::vector<std::vector<std::int64_t>> cuts;
    for (std::size_t a = 0; a < extents.size(); ++a) {
        if (extents[a] <= 0) return std::nullopt;
        cuts.push_back({0, extents[a]});
        for (const Box& b : boxes) {
            cuts[a].push_back(b.low[a]);
            cuts[a].push_back(b.high[a]);
        }
        std::sort(cuts[a].begin(), cuts[a].end());
        cuts[a].erase(std::unique(cuts[a].begin(), cuts[a].end()), cuts[a].end());
    }
    std::vector<std::size_t> at(extents.size(), 0);
    for (int budget = 4000; budget > 0; --budget) {
        Box cell;
        for (std::size_t a = 0; a < at.size(); ++a) {
            cell.low.push_back(cuts[a][at[a]]);
            cell.high.push_back(cuts[a][at[a] + 1]);
        }
        const bool written = std::any_of(boxes.begin(), boxes.end(), [&](const Box& b) {
            for (std::size_t a = 0; a < at.size(); ++a) {
                if (cell.low[a] < b.low[a] || cell.high[a] > b.high[a]) return false;
            }
            return true;
        });
        if (!written) return cell;
        std::size_t a = 0;
        while (a < at.size() && at[a] + 2 == cuts[a].size()) at[a++] = 0;
        if (a == at.size()) return std::nullopt;
        ++at[a];
    }
    return std::nullopt;
}

std::optional<Overlap> find_overlap(const std::vector<Box>& boxes, const InOrder& in_order) {
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        for (std::size_t j = i + 1; j < boxes.size(); ++j) {
            const Box& x = boxes[i];
            const Box& y = boxes[j];
            if (x.program == y.program && x.access->role == y.access->role) continue;
            if (!x.access->writes && !y.access->writes) continue;
            const bool ordered =
                in_order.contains({x.access, y.access}) || in_order.contains({y.access, x.access});
            if (x.program == y.program && ordered) continue;
            Overlap found{{}, &x, &y};
            bool apart = false;
            for (std::size_t a = 0; a < x.low.size(); ++a) {
                found.part.low.push_back(std::max(x.low[a], y.low[a]));
                found.part.high.push_back(std::min(x.high[a], y.high[a]));
                apart = apart || found.part.low[a] >= found.part.high[a];
            }
            if (!apart) return found;
        }
    }
    return std::nullopt;
}

std::string text_of(const Box& box, const std::string& tensor,
                    const std::vector<std::int64_t>& extents) {
    std::string text;
    for (std::size_t a = 0; a < extents.size(); ++a) {
        text += text.empty() ? "" : ", ";
        if (box.high[a] - box.low[a] == 1 && extents[a] > 1) {
            text += std::to_string(box.low[a]);
        } else if (box.low[a] == 0 && box.high[a] == extents[a]) {
            text += ":";
        } else {
            text += fmt::format("{} +: {}", box.low[a], box.high[a] - box.low[a]);
        }
    }
    if (text.find_first_not_of(":, ") == std::string::npos) return "all of `" + tensor + "`";
    return "`" + tensor + "[" + text + "]`";
}

}  // namespace tkc::checks
