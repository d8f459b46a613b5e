// What is compiled once for all kinds of operations.
#include "ir/reflect.h"

namespace tkc::ir {

Op::Op(const Op&) = default;
Op::Op(Op&&) noexcept = default;
Op& Op::operator=(const Op&) = default;
Op& Op::operator=(Op&&) noexcept = default;
Op::~Op() = default;

std::string_view kind(const Op& op) {
    return std::visit([](const auto& node) { return std::string_view(node.kind); }, op.node);
}

namespace visit {

void results(Op& op, FunctionRef<void(Value&)> f) {
    for_each_member(op, [&](std::string_view name, auto& member) {
        if constexpr (std::is_same_v<std::decay_t<decltype(member)>, Value>) {
            if (name == "result") f(member);
        }
    });
}

void operands(Op& op, FunctionRef<void(Value&)> f) {
    for_each_member(op, [&](std::string_view name, auto& member) {
        using T = std::decay_t<decltype(member)>;
        if constexpr (std::is_same_v<T, Value>) {
            if (name != "result" && member) f(member);
        } else if constexpr (std::is_same_v<T, std::vector<Value>>) {
            for (Value& value : member) f(value);
        }
    });
}

void slices(Op& op, FunctionRef<void(Slice&)> f) {
    for_each_member(op, [&](std::string_view, auto& member) {
        if constexpr (std::is_same_v<std::decay_t<decltype(member)>, Slice>) f(member);
    });
}

void scalars(Op& op, FunctionRef<void(Scalar&)> f) {
    for_each_member(op, [&](std::string_view, auto& member) {
        using T = std::decay_t<decltype(member)>;
        if constexpr (std::is_same_v<T, Scalar>) {
            if (member) f(member);
        } else if constexpr (std::is_same_v<T, Slice>) {
            for (Range& range : member.ranges) {
                if (range.base) f(range.base);
                if (range.edge) f(range.edge);
            }
        }
    });
}

void blocks(Op& op, FunctionRef<void(Block&)> f) {
    for_each_member(op, [&](std::string_view, auto& member) {
        if constexpr (std::is_same_v<std::decay_t<decltype(member)>, Block>) f(member);
    });
}

}  // namespace visit

}  // namespace tkc::ir
