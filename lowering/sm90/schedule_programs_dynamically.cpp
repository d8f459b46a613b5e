// Dynamic scheduling: a role of one warp fetches the number of the next program from a counter, and
// passes it to all others through its own pipeline.
//
//     kernel dynamic=true {                     pipeline next_programs stages=1 {}
//         role producer { load }      becomes   role producer { load
//         role consumer { work }                    acquire next_programs; fetch_program; publish
//         next_programs
//         }
//     }                                         role consumer { work
//                                                   t = take next_programs; set_program t; release
//                                                   t }
//
// The role that fetches is one that fills pipelines and reads none, if there is one: it is ahead of
// the others. It fetches the number after the loads of its program, while the others still work on
// what it loaded: the answer comes meanwhile. A block that fetched earlier would keep a program
// from others that are free sooner (docs/decisions/0036-dynamic-dealing.md).
//
// One stage is enough. The role that fetches is at most a program ahead of the slowest one.
#include <algorithm>

#include "ir/walk.h"
#include "lowering/passes.h"

namespace tkc::lowering {

namespace {

using namespace ir;

// How well the role is suited to draw; negative: not at all.
int suits(const Role& role) {
    if (role.unit != Unit::warp || role.warps() != 1) return -1;
    bool fills = false;
    bool reads = false;
    walk(role.body, [&](const Op& op) {
        fills = fills || as<Acquire>(op) != nullptr;
        reads = reads || as<Take>(op) != nullptr;
    });
    return (fills ? 2 : 0) + (reads ? 0 : 1);
}

std::string free_name(const Kernel& kernel) {
    std::string name = "next_programs";
    for (int i = 2; find_pipeline(kernel, name) != nullptr; ++i)
        name = "next_programs_" + std::to_string(i);
    return name;
}

void draw(Kernel& kernel) {
    Role& drawing =
        *std::max_element(kernel.roles.begin(), kernel.roles.end(),
                          [](const Role& a, const Role& b) { return suits(a) < suits(b); });
    Pipeline next_programs{free_name(kernel), 1, {}, 1, 0, 1, kernel.span};
    for (Role& role : kernel.roles) {
        const Span span = role.span;
        if (&role == &drawing) {
            role.body.push_back(at(span, Acquire{{}, next_programs.name, true}));
            role.body.push_back(at(span, FetchProgram{next_programs.name}));
            role.body.push_back(at(span, Publish{next_programs.name}));
            continue;
        }
        const Value next_program = add_value(role, "next_program", ElementType{next_programs.name});
        role.body.push_back(at(span, Take{next_program, next_programs.name}));
        role.body.push_back(at(span, SetProgram{next_program}));
        role.body.push_back(at(span, Release{next_program, true, false}));
        next_programs.empty_arrivals += role.warps();
    }
    kernel.pipelines.push_back(std::move(next_programs));
}

}  // namespace

void schedule_programs_dynamically(PassContext&, Module& module) {
    for (Kernel& kernel : module.kernels) {
        if (kernel.dynamic) draw(kernel);
    }
}

}  // namespace tkc::lowering
