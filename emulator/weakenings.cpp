// Which operations can be weakened, and how; redundancy.cpp says which of that makes no difference.
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
                          [](const ir::WaitOrder&) { return std::vector{Kind::skip}; },
                          [](const ir::ArriveOrder&) { return std::vector{Kind::skip}; },
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
                          [](const ir::FetchProgram&) {
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
        case Kind::skip: return "removed";
        case Kind::one_more: return "one more pending";
        case Kind::no_fence: return "without its fence";
        case Kind::no_arrival: return "no arrival";
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

std::string describe(const Weakening& weakening) {
    const auto* fence = ir::as<ir::FenceAsync>(*weakening.op);
    const bool global = fence != nullptr && fence->global;
    return fmt::format("{}{}: {}", ir::kind(*weakening.op), global ? " of all memory" : "",
                       name_of(weakening.kind));
}

}  // namespace tkc::emulator
