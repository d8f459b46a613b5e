// Removes `print` and `assert`, and everything that is computed only for them: nothing is left of
// `t0 = map where(#0 == #0, 1, 0) [s]; assert t0`. Also removes names of unused numbers.
//
// Why: people leave these statements in their kernels. Debug builds keep them, and mark the kernel.
#include <set>
#include <string>

#include "ir/walk.h"
#include "lowering/passes.h"

namespace tkc::lowering {

namespace {

using namespace ir;

bool is_report(const Op& op) { return as<Print>(op) != nullptr || as<Assert>(op) != nullptr; }

// What only makes a value, and may go when nobody reads that.
bool is_pure(const Op& op) {
    return as<Splat>(op) != nullptr || as<Map>(op) != nullptr || as<Copy>(op) != nullptr ||
           as<Field>(op) != nullptr || as<ir::Window>(op) != nullptr || as<Load>(op) != nullptr ||
           as<Apply>(op) != nullptr;
}

// Numbers that get a name for nothing: fields of a struct that nobody reads, or what was left of an
// expression that was folded.
void drop_unread_numbers(Role& role) {
    for (bool dropped = true; dropped;) {
        std::set<std::string> read;
        walk(role.body, [&](const Op& op) {
            if (as<ReadNumber>(op) != nullptr) return;
            for_each_scalar(op, [&](const Scalar& s) {
                if (s) read.merge(symbols_of(s));
            });
        });
        dropped = false;
        rebuild(role.body, [&](Op op, Block& out) {
            const auto* let = as<Let>(op);
            const auto* number = as<ReadNumber>(op);
            const std::string* name = let != nullptr      ? &let->name
                                      : number != nullptr ? &number->name
                                                          : nullptr;
            if (name != nullptr && !read.contains(*name)) dropped = true;
            else out.push_back(std::move(op));
        });
    }
}

// Takes out `print`, `assert` and what was made for them.
void drop(Role& role) {
    std::vector<Value> values;  // read by what went
    const auto take_out = [&](const auto& goes) {
        rebuild(role.body, [&](Op op, Block& out) {
            if (!goes(op)) {
                out.push_back(std::move(op));
                return;
            }
            for_each_operand(op, [&](const Value& v) { values.push_back(v); });
        });
    };
    take_out(is_report);
    while (!values.empty()) {
        const Value v = values.back();
        values.pop_back();
        if (!reads_of(role.body, v).empty()) continue;
        take_out([&](const Op& op) { return is_pure(op) && writes(op, v); });
    }
}

}  // namespace

void strip_debug_statements(PassContext& context, Module& module) {
    for (Kernel& kernel : module.kernels) {
        kernel.debug = context.debug;
        for (Role& role : kernel.roles) {
            if (!context.debug) drop(role);
            drop_unread_numbers(role);
        }
    }
}

}  // namespace tkc::lowering
