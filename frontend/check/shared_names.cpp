// A name and the assignments to the variable that it stands for, in the order in which the role
// runs: that of the text, and in a loop once more from its beginning.
#include "frontend/check/shared_names.h"

#include <algorithm>

#include "frontend/check/context.h"

namespace tkc::checker {

void SharedNames::open_role() {
    assigned_.clear();
    reads_.clear();
}

void SharedNames::assigned(ir::Value variable, Span span) {
    assigned_[variable.id].push_back({now(), span});
}

void SharedNames::read(const std::string& name, const Operand& value, std::size_t bound,
                       bool is_argument, Span span) {
    if (const auto* instance = std::get_if<StructInstance>(&value)) {
        for (const StructField& field : instance->fields)
            read(name, field.value, bound, is_argument, span);
        return;
    }
    const auto* shared = std::get_if<SharedTile>(&value);
    if (shared == nullptr) return;
    Read made{now(), bound, shared->value.id, name, value, is_argument, span};
    for (const Assigned& one : assigned_[made.variable]) {
        const bool seen = std::none_of(not_seen_.begin(), not_seen_.end(), [&](const Branches& b) {
            return b.begin < one.when && one.when < b.middle;
        });
        if (one.when > bound && seen) return report(made, one);
    }
    if (!loops_.empty()) reads_.push_back(std::move(made));
}

void SharedNames::open_loop() { loops_.push_back(now()); }

// What was declared before the loop and is read in it is read again in the next step.
void SharedNames::close_loop() {
    const std::size_t begin = loops_.back();
    loops_.pop_back();
    for (Read& read : reads_) {
        if (read.when < begin || read.bound > begin || read.reported) continue;
        const std::vector<Assigned>& list = assigned_[read.variable];
        const auto inside = std::find_if(list.begin(), list.end(),
                                         [&](const Assigned& one) { return one.when > begin; });
        if (inside != list.end()) report(read, *inside);
    }
    if (loops_.empty()) reads_.clear();
}

void SharedNames::open_other(Branches& branches) {
    branches.middle = now();
    not_seen_.push_back(branches);
}

void SharedNames::report(Read& read, const Assigned& assigned) {
    read.reported = true;
    const auto& shared = std::get<SharedTile>(read.value);
    context_.error(read.span, msg::shared_name_changed, read.name)
        .label(assigned.span, "assigned here")
        .help("{}: `let {}: {} = ..;`{}",
              read.is_argument ? "pass a copy in registers" : "copy it to registers",
              read.is_argument ? "old" : read.name,
              tile_text(shared.dtype, shared.rows, shared.cols),
              read.is_argument ? " before the call" : ", or read the variable itself");
}

}  // namespace tkc::checker
