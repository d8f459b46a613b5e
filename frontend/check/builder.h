// The tile IR of a kernel while it is being built.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "frontend/check/context.h"
#include "frontend/check/padding_sites.h"
#include "frontend/check/shared_names.h"
#include "ir/module.h"

namespace tkc::checker {

class Builder {
public:
    explicit Builder(Context& context);
    Builder(const Builder&) = delete;
    Builder& operator=(const Builder&) = delete;
    ~Builder();

    // Adds an operation to the innermost open block, at the statement at hand.
    template <class T>
    void emit(T node) {
        blocks.back().ops.push_back(ir::at(context_.statement, std::move(node)));
    }
    // A value of the role; one without a name is called t0, t1, ..
    ir::Value new_value(const std::string& name, ir::Type type, bool variable = false);
    void open_block();
    ir::Block close_block();
    // A name that nothing in the IR has, like `wanted`.
    std::string unique_name(const std::string& wanted);
    std::string loop_name(const std::string& wanted);
    // A name for a number that the role reads from a tile, which no other role has.
    std::string number_name(const std::string& wanted);
    // A role of the kernel, with no values yet. What it calls its values is free again after it.
    void open_role();
    void close_role();

    struct OpenBlock {
        ir::Block ops;
        std::map<std::pair<std::uint32_t, std::string>, ir::Value> fields;    // views made here
        std::map<std::pair<std::uint32_t, std::string>, ir::Scalar> numbers;  // fields read here
        std::map<std::uint32_t, std::pair<ir::Scalar, std::size_t>>
            reads;  // of variables, and when
    };
    ir::Kernel kernel;
    ir::Role* role = nullptr;  // null at the level of the kernel
    std::vector<OpenBlock> blocks;
    std::set<std::string> used_names;
    PaddingSites padding_sites;
    SharedNames shared_names;  // of the role

private:
    Context& context_;
    std::size_t temporaries_ = 0;
    std::set<std::string> kernel_names_;  // used outside of roles
};

}  // namespace tkc::checker
