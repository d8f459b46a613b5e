// What is compiled once: for all kinds of operations, and of the large structs.
#include "ir/reflect.h"

#include <algorithm>
#include <array>
#include <map>

namespace tkc::ir {

Op::Op(std::size_t kind, void* operation, Span text)
    : node(variant_from<AnyOp>(kind, operation)), span(text) {}
Op::Op(const Op&) = default;
Op::Op(Op&&) noexcept = default;
Op& Op::operator=(const Op&) = default;
Op& Op::operator=(Op&&) noexcept = default;
Op::~Op() = default;

Role::Role() = default;
Role::Role(const Role&) = default;
Role::Role(Role&&) noexcept = default;
Role& Role::operator=(const Role&) = default;
Role& Role::operator=(Role&&) noexcept = default;
Role::~Role() = default;

Kernel::Kernel() = default;
Kernel::Kernel(const Kernel&) = default;
Kernel::Kernel(Kernel&&) noexcept = default;
Kernel& Kernel::operator=(const Kernel&) = default;
Kernel& Kernel::operator=(Kernel&&) noexcept = default;
Kernel::~Kernel() = default;

// ---- tables of structs

namespace {

template <class T>
inline constexpr bool is_struct_list = false;
template <Reflected T>
inline constexpr bool is_struct_list<std::vector<T>> = true;

template <class T>
constexpr MemberType member_type() {
    if constexpr (std::is_same_v<T, std::string>) return MemberType::text;
    else if constexpr (std::is_same_v<T, std::int64_t>) return MemberType::integer;
    else if constexpr (std::is_same_v<T, bool>) return MemberType::boolean;
    else if constexpr (std::is_same_v<T, Scalar>) return MemberType::scalar;
    else if constexpr (std::is_same_v<T, Dtype>) return MemberType::dtype;
    else if constexpr (std::is_same_v<T, Type>) return MemberType::type;
    else if constexpr (std::is_same_v<T, TileType>) return MemberType::tile_type;
    else if constexpr (std::is_same_v<T, Value>) return MemberType::value;
    else if constexpr (std::is_same_v<T, Slice>) return MemberType::slice;
    else if constexpr (std::is_same_v<T, std::vector<std::string>>) return MemberType::texts;
    else if constexpr (std::is_same_v<T, std::vector<std::int64_t>>) return MemberType::integers;
    else if constexpr (std::is_same_v<T, std::vector<Scalar>>) return MemberType::scalars;
    else if constexpr (std::is_same_v<T, std::vector<Value>>) return MemberType::values;
    else if constexpr (std::is_same_v<T, Layout>) return MemberType::layout;
    else if constexpr (std::is_same_v<T, Block>) return MemberType::block;
    else if constexpr (is_struct_list<T>) return MemberType::list;
    else return MemberType::enumeration;
}

template <Reflected T>
const ListInfo& list_info() {
    using List = std::vector<T>;
    static const ListInfo info{
        &struct_info<T>(), [](const void* list) { return static_cast<const List*>(list)->size(); },
        [](void* list, std::size_t i) -> void* { return &(*static_cast<List*>(list))[i]; },
        [](void* list) { static_cast<List*>(list)->emplace_back(); }};
    return info;
}

template <class S, class Base, class T>
MemberInfo member_info(const S& defaults, const Member<Base, T>& m) {
    constexpr MemberType type = member_type<T>();
    const auto* const begin = reinterpret_cast<const char*>(&defaults);
    const auto* const here = reinterpret_cast<const char*>(&(defaults.*(m.pointer)));
    constexpr bool always = std::is_same_v<T, Dtype> || std::is_same_v<T, Level> ||
                            std::is_same_v<T, TileFunction> || std::is_same_v<T, Channel>;
    MemberInfo info{m.name, type, here - begin, always};
    if constexpr (type == MemberType::enumeration) {
        static_assert(sizeof(T) == 1);
        info.enum_name = [](std::uint8_t e) { return enum_name(static_cast<T>(e)); };
    }
    if constexpr (type == MemberType::list) info.list = &list_info<typename T::value_type>();
    return info;
}

template <class S>
std::ptrdiff_t span_offset(const S& s) {
    if constexpr (requires { s.span; }) {
        return reinterpret_cast<const char*>(&s.span) - reinterpret_cast<const char*>(&s);
    }
    return -1;
}

// A kind of operation. Most walks ask every operation for the few members of one sort, so those
// are found once: `Places` are distances from where the operation lies in its variant.
struct OpKind {
    using Places = std::vector<std::ptrdiff_t>;
    // A member that is one or a list of what is visited.
    struct Part {
        std::ptrdiff_t place;
        bool list;
        bool overwritten = false;  // a value that is not a result
    };

    const StructInfo* info;
    Op (*make)();
    std::ptrdiff_t operation;  // where it begins in its variant
    Places results, slices, blocks;
    std::vector<Part> operands;  // values, and lists of them
    std::vector<Part> scalars;   // expressions, and slices, which list some

    OpKind(const StructInfo& type, Op (*maker)()) : info(&type), make(maker) {
        Op op = make();
        operation = std::visit([](auto& node) { return reinterpret_cast<char*>(&node); }, op.node) -
                    reinterpret_cast<char*>(&op.node);
        for (const MemberInfo& m : type.members) {
            const std::ptrdiff_t place = operation + m.offset;
            if (m.type == MemberType::value && m.name == "result") results.push_back(place);
            else if (m.type == MemberType::value)
                operands.push_back({place, false, m.name == "target"});
            if (m.type == MemberType::values) operands.push_back({place, true});
            if (m.type == MemberType::scalar) scalars.push_back({place, false});
            if (m.type == MemberType::slice) scalars.push_back({place, true});
            if (m.type == MemberType::slice) slices.push_back(place);
            if (m.type == MemberType::block) blocks.push_back(place);
        }
    }
};

template <class... Ts>
std::array<OpKind, sizeof...(Ts)> op_kinds(const std::variant<Ts...>*) {
    return {OpKind(struct_info<Ts>(), [] { return Op(Ts{}, Span{}); })...};
}

const auto& op_kinds() {
    static const auto kinds = op_kinds(static_cast<const AnyOp*>(nullptr));
    return kinds;
}
const OpKind& kind_of(const Op& op) { return op_kinds()[op.node.index()]; }

template <class T>
T& member_at(Op& op, std::ptrdiff_t place) {
    return *reinterpret_cast<T*>(reinterpret_cast<char*>(&op.node) + place);
}

}  // namespace

template <Reflected S>
const StructInfo& struct_info() {
    static const S defaults{};
    static const StructInfo info = std::apply(
        [](const auto&... members) {
            return StructInfo{
                S::kind, {member_info(defaults, members)...}, &defaults, span_offset(defaults)};
        },
        S::fields());
    return info;
}
// What other files ask for by type; reaching these, they reach all.
template const StructInfo& struct_info<Module>();
template const StructInfo& struct_info<Kernel>();
template const StructInfo& struct_info<Role>();
template const StructInfo& struct_info<ValueInfo>();

const MemberInfo* StructInfo::find(std::string_view name) const {
    const auto found = std::find_if(members.begin(), members.end(),
                                    [&](const MemberInfo& m) { return m.name == name; });
    return found == members.end() ? nullptr : &*found;
}

bool StructInfo::has(MemberType type) const {
    return std::any_of(members.begin(), members.end(),
                       [&](const MemberInfo& m) { return m.type == type; });
}

Span* AnyStruct::span() const {
    if (info->span < 0) return nullptr;
    return reinterpret_cast<Span*>(static_cast<char*>(place) + info->span);
}

AnyStruct any_struct(Op& op) {
    const OpKind& kind = kind_of(op);
    return {&member_at<char>(op, kind.operation), kind.info};
}

std::optional<Op> make_op(std::string_view kind) {
    static const auto by_kind = [] {
        std::map<std::string_view, Op (*)()> makers;
        for (const OpKind& k : op_kinds()) makers.emplace(k.info->kind, k.make);
        return makers;
    }();
    const auto found = by_kind.find(kind);
    if (found == by_kind.end()) return std::nullopt;
    return found->second();
}

std::vector<std::string_view> all_op_kinds() {
    std::vector<std::string_view> names;
    for (const OpKind& k : op_kinds()) names.emplace_back(k.info->kind);
    return names;
}

std::string_view kind(const Op& op) { return kind_of(op).info->kind; }

namespace visit {

void results(Op& op, FunctionRef<void(Value&)> f) {
    for (const std::ptrdiff_t place : kind_of(op).results) f(member_at<Value>(op, place));
}

void operands(Op& op, FunctionRef<void(Value&)> f) {
    for (const auto& [place, list, overwritten] : kind_of(op).operands) {
        if (list) {
            for (Value& value : member_at<std::vector<Value>>(op, place)) f(value);
        } else if (Value& value = member_at<Value>(op, place)) {
            f(value);
        }
    }
}

void slices(Op& op, FunctionRef<void(Slice&)> f) {
    for (const std::ptrdiff_t place : kind_of(op).slices) f(member_at<Slice>(op, place));
}

void scalars(Op& op, FunctionRef<void(Scalar&)> f) {
    for (const auto& [place, list, overwritten] : kind_of(op).scalars) {
        if (list) {
            for (Range& range : member_at<Slice>(op, place).ranges) {
                if (range.base) f(range.base);
                if (range.edge) f(range.edge);
            }
        } else if (Scalar& scalar = member_at<Scalar>(op, place)) {
            f(scalar);
        }
    }
}

void blocks(Op& op, FunctionRef<void(Block&)> f) {
    for (const std::ptrdiff_t place : kind_of(op).blocks) f(member_at<Block>(op, place));
}

void written(Op& op, FunctionRef<void(Value&)> f) {
    const OpKind& kind = kind_of(op);
    for (const std::ptrdiff_t place : kind.results) f(member_at<Value>(op, place));
    for (const auto& [place, list, overwritten] : kind.operands)
        if (overwritten) f(member_at<Value>(op, place));
}

}  // namespace visit

bool reads(const Op& op, Value v) {
    if (const auto* mma = as<Mma>(op); mma != nullptr && mma->accumulate && mma->result == v)
        return true;
    auto& names = const_cast<Op&>(op);
    for (const auto& [place, list, overwritten] : kind_of(op).operands) {
        if (list) {
            const auto& all = member_at<std::vector<Value>>(names, place);
            if (std::find(all.begin(), all.end(), v) != all.end()) return true;
        } else if (!overwritten && member_at<Value>(names, place) == v) {
            return true;
        }
    }
    return false;
}

bool writes(const Op& op, Value v) {
    bool found = false;
    for_each_written(op, [&](Value x) { found = found || x == v; });
    return found;
}

}  // namespace tkc::ir
