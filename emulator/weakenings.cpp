// Which operations can be weakened, and how.
#include "emulator/weakenings.h"

#include <fmt/format.h>

#include "base/overloaded.h"
#include "ir/reflect.h"
#include "ir/walk.h"

namespace tkc::emulator {

namespace {

using Kind = Weakening::Kind;

std::vector<Kind> kinds_of(const ir::Op& op) {
    return std::visit(Overloaded{
                          [](const ir::Acquire&) { return std::vector{Kind::skip}; },
                          [](const ir::Take&) { return std::vector{Kind::skip}; },
                          [](const ir::Barrier&) { return std::vector{Kind::skip}; },
                          [](const ir::TakeTurn&) { return std::vector{Kind::skip}; },
                          [](const ir::PassTurn&) { return std::vector{Kind::skip}; },
                          [](const ir::FenceAsync&) { return std::vector{Kind::skip}; },
                          [](const ir::Signal&) { return std::vector{Kind::skip}; },
                          [](const ir::Await&) { return std::vector{Kind::skip}; },
                          [](const ir::AwaitCopies&) { return std::vector{Kind::skip}; },
                          [](const ir::Wait&) {
                              return std::vector{Kind::skip, Kind::one_more};
                          },
                          [](const ir::Expect&) {
                              return std::vector{Kind::no_arrival, Kind::extra_arrival,
                                                 Kind::fewer_bytes, Kind::more_bytes};
                          },
                          [](const ir::DrawTicket&) {
                              return std::vector{Kind::no_arrival, Kind::extra_arrival};
                          },
                          [](const ir::Publish& p) {
                              if (!p.arrives && !p.copies) return std::vector<Kind>{};
                              std::vector kinds{Kind::no_arrival, Kind::extra_arrival};
                              if (p.fence) kinds.insert(kinds.begin(), Kind::no_fence);
                              return kinds;
                          },
                          [](const ir::Release& r) {
                              std::vector kinds{Kind::no_arrival, Kind::extra_arrival};
                              if (r.fence) kinds.push_back(Kind::no_fence);
                              return kinds;
                          },
                          [](const auto&) { return std::vector<Kind>{}; },
                      },
                      op.node);
}

const char* name_of(Kind kind) {
    switch (kind) {
        case Kind::skip: return "left out";
        case Kind::one_more: return "one more pending";
        case Kind::no_fence: return "without its fence";
        case Kind::no_arrival: return "nobody arrives";
        case Kind::extra_arrival: return "one arrival too many";
        case Kind::fewer_bytes: return "16 bytes less";
        case Kind::more_bytes: return "16 bytes more";
    }
    return "";
}

}  // namespace

std::vector<Weakening> weakenings_of(const ir::Kernel& kernel) {
    std::vector<Weakening> list;
    for (const ir::Role& role : kernel.roles) {
        for (const ir::Block* block : {&role.body, &role.finish}) {
            ir::walk(*block, [&](const ir::Op& op) {
                for (const Kind kind : kinds_of(op)) list.push_back({&op, kind});
            });
        }
    }
    return list;
}

namespace {

bool contains(const ir::Block& block, const ir::Op* op) {
    bool found = false;
    ir::walk(block, [&](const ir::Op& other) { found = found || &other == op; });
    return found;
}

// The last operation of the role's body that is, or holds, one for which `is` is true.
template <class F>
std::ptrdiff_t last_place(const ir::Role& role, F&& is) {
    std::ptrdiff_t place = -1;
    for (std::size_t i = 0; i < role.body.size(); ++i) {
        bool found = is(role.body[i]);
        ir::for_each_block(role.body[i], [&](const ir::Block& inner) {
            ir::walk(inner, [&](const ir::Op& op) { found = found || is(op); });
        });
        if (found) place = static_cast<std::ptrdiff_t>(i);
    }
    return place;
}

// Whether every acquire of the pipeline is one of the first round: none in a loop, no more than
// stages.
bool goes_round_once(const ir::Role& role, const ir::Pipeline& pipeline) {
    std::int64_t outside = 0;
    std::int64_t all = 0;
    for (const ir::Op& op : role.body) {
        const auto* acquire = ir::as<ir::Acquire>(op);
        if (acquire != nullptr && acquire->pipeline == pipeline.name) ++outside;
    }
    ir::walk_only<ir::Acquire>(role.body, [&](const ir::Acquire& acquire) {
        if (acquire.pipeline == pipeline.name) ++all;
    });
    return all == outside && all <= pipeline.stages;
}

}  // namespace

std::string why_redundant(const ir::Kernel& kernel, const Weakening& weakening) {
    for (const ir::Role& role : kernel.roles) {
        if (!contains(role.body, weakening.op)) continue;
        if (ir::as<ir::Barrier>(*weakening.op) != nullptr && role.warps() == 1)
            return "it orders the lanes of one warp, which are not parted here";
        if (kernel.persistent) continue;
        if (const auto* acquire = ir::as<ir::Acquire>(*weakening.op)) {
            const ir::Pipeline* pipeline = ir::find_pipeline(kernel, acquire->pipeline);
            if (goes_round_once(role, *pipeline)) return "in the first round every stage is empty";
        }
        const auto* release = ir::as<ir::Release>(*weakening.op);
        if (release == nullptr || weakening.kind == Kind::extra_arrival) continue;
        const std::string& pipeline =
            std::get<ir::ElementType>(role[release->element].type).pipeline;
        const auto last_take = last_place(role, [&](const ir::Op& op) {
            const auto* take = ir::as<ir::Take>(op);
            return take != nullptr && take->pipeline == pipeline;
        });
        const auto here = last_place(role, [&](const ir::Op& op) { return &op == weakening.op; });
        if (here > last_take) return "the block ends, and no writer waits for its last releases";
    }
    return "";
}

std::string describe(const Weakening& weakening) {
    return fmt::format("{}: {}", ir::kind(*weakening.op), name_of(weakening.kind));
}

}  // namespace tkc::emulator
