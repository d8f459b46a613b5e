// Values, blocks and names of the tile IR that is being built.
#include "frontend/check/builder.h"

#include <algorithm>

#include "arithmetic/number_names.h"
#include "frontend/check/context.h"

namespace tkc::checker {

Builder::Builder(Context& context) : shared_names(context), context_(context) {}
Builder::~Builder() = default;

void Builder::open_block() { blocks.emplace_back(); }

ir::Block Builder::close_block() {
    ir::Block ops = std::move(blocks.back().ops);
    blocks.pop_back();
    return ops;
}

ir::Value Builder::new_value(const std::string& name, ir::Type type, bool variable) {
    ir::ValueInfo made;
    made.name = name;
    if (name.empty()) {
        do made.name = "t" + std::to_string(temporaries_++);
        while (!used_names.insert(made.name).second);
    }
    made.type = std::move(type);
    made.variable = variable;
    role->values.push_back(std::move(made));
    return ir::Value{static_cast<std::uint32_t>(role->values.size() - 1)};
}

std::string Builder::unique_name(const std::string& wanted) {
    std::string name = wanted;
    for (int n = 2; !used_names.insert(name).second; ++n) name = wanted + "_" + std::to_string(n);
    return name;
}

// Two loops one after the other may use one name, and the loops of two roles are compared by it: a
// loop keeps the name that was written, unless a function that is being inlined brings its own.
std::string Builder::loop_name(const std::string& wanted) {
    if (!context_.inlining.empty()) return unique_name(wanted);
    used_names.insert(wanted);
    return wanted;
}

// Proofs compare roles by the names in their conditions.
std::string Builder::number_name(const std::string& wanted) {
    for (int n = 1;; ++n) {
        std::string name = ir::number_name(role->name, wanted, n);
        if (used_names.insert(name).second) return name;
    }
}

void Builder::open_role() {
    kernel.roles.emplace_back();
    role = &kernel.roles.back();
    kernel_names_ = used_names;
    temporaries_ = 0;
    shared_names.open_role();
}

void Builder::close_role() {
    role = nullptr;
    used_names = kernel_names_;
}

}  // namespace tkc::checker
